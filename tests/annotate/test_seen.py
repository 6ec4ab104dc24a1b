"""Families of metrics and their types: which there are, which a text has, and what is said of those that none has."""

import importlib

import pytest
from annotate.test_parses import ByThatRule, parsed
from test_cli import run

from tarocco.annotate import analyzers
from tarocco.annotate.cache import clear_memory, register
from tarocco.annotate.parses import format_sentences
from tarocco.annotate.sentence import Sentence

TEXT = ["the cat sat on the mat", "John Smith saw two dogs", ""]


class Tagged(ByThatRule):
    """A pipeline of another language: no trees, chunks and roles, which are made by English rules."""

    name, version = "tagged", "tagged-1"

    def annotate(self, texts):
        whole = super().annotate(texts)
        return [Sentence(one.words, universal=one.universal, heads=one.heads, relations=one.relations) for one in whole]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clear_memory()
    register("rule", ByThatRule())
    register("tagged", Tagged())
    (tmp_path / "a.txt").write_text("".join(f"{text}\n" for text in TEXT))
    (tmp_path / "a.conllu").write_text(format_sentences(list(map(parsed, TEXT)), "conllu"))
    return tmp_path


def seen(capsys, *arguments):
    code, out, err = run(capsys, "metrics", *arguments)
    assert (code, err) == (0, "")
    return {name: (int(segments), int(items)) for name, segments, items in map(str.split, out.splitlines()[2:])}


@pytest.mark.parametrize("family", ["SP", "DP", "CP", "NE", "SR"])
def test_a_family_lists_its_members(capsys, family):
    code, out, err = run(capsys, "metrics", family.lower())
    assert (code, err) == (0, "")
    titles = [line for line in out.splitlines() if line and not line.startswith(" ")]
    assert len(titles) >= 2
    assert all(title.startswith(f"{family}-") for title in titles)
    assert f" {family}-" in out  # names to ask for


def test_several_names_in_their_order(capsys):
    _, out, _ = run(capsys, "metrics", "BLEU-4", "SR", "WER")
    assert out.index("BLEU-4\n") < out.index("SR-Or-t\n") < out.index("\nWER\n")
    code, _, err = run(capsys, "metrics", "SR", "XX")
    assert (code, err.startswith('tarocco: there is no metric "XX"')) == (1, True)


def test_types_are_counted(capsys):
    """Counted here with loops over the sentences."""
    expected = {}
    for sentence in map(parsed, TEXT):
        here = {}
        for tag in sentence.tags:
            here[f"SP-Op-{tag}"] = here.get(f"SP-Op-{tag}", 0) + 1
        for frame in sentence.frames:
            for role in frame.arguments:
                label = role.label.removeprefix("C-").removeprefix("R-")
                here[f"SR-Mr-{label}"] = here.get(f"SR-Mr-{label}", 0) + 1
                words = role.end - role.start
                here[f"SR-Or-{label}"] = here.get(f"SR-Or-{label}", 0) + words
        for name, count in here.items():
            segments, items = expected.get(name, (0, 0))
            expected[name] = segments + 1, items + count
    found = seen(capsys, "SP", "SR", "--seen", "a.txt", "--analyzer", "rule")
    assert {name: found[name] for name in found if name.startswith(("SP-Op", "SR"))} == expected
    everything = seen(capsys, "--seen", "a.txt", "--analyzer", "rule")
    assert found.items() <= everything.items()
    assert {name[:2] for name in everything} == {"SP", "DP", "CP", "NE", "SR"}


def test_types_in_files(capsys):
    both = seen(capsys, "SP", "--seen", "a.txt", "--parses", "a.conllu")
    assert both == seen(capsys, "SP", "--seen", "a.txt", "--analyzer", "rule")
    assert seen(capsys, "DP", "--seen", "a.txt", "--analyzer", "tagged")  # what there is of it


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["BLEU", "--seen", "a.txt"], '--seen is for SP, DP, CP, NE, SR: "BLEU" has no types'),
        (
            ["SR", "--seen", "a.txt", "--analyzer", "tagged"],
            'a requested metric needs semantic roles, which are missing from the output of the analyzer "tagged"',
        ),
        (["SR", "--seen", "nix.txt"], "nix.txt: there is no such file"),
    ],
)
def test_what_is_refused(capsys, arguments, said):
    code, out, err = run(capsys, "metrics", *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"tarocco: {said}")


@pytest.mark.parametrize(
    ("metric", "layer"),
    [
        ("SP-Op-*", "part-of-speech tags"),
        ("SP-Oc-*", "chunks"),
        ("SP-NISTl-2", "lemmas"),
        ("CP-STM-4", "constituency trees"),
        ("NE-Oe-*", "named entities"),
        ("SR-Or-*", "semantic roles"),
    ],
)
def test_a_layer_that_a_pipeline_does_not_have(capsys, metric, layer):
    code, out, err = run(capsys, "score", "a.txt", "-i", "a.txt", "-m", "DP-Or-*", metric, "--analyzer", "tagged")
    said = f'tarocco: a requested metric needs {layer}, which are missing from the output of the analyzer "tagged"\n'
    assert (code, out, err) == (1, "", said)
    assert run(capsys, "score", "a.txt", "-i", "a.txt", "-m", "DP-Or-*", "-b", "--analyzer", "tagged")[1] == "1.0000\n"


def test_a_type_that_no_text_has(capsys, folder):
    (folder / "b.txt").write_text("".join(f"{text} too\n" for text in TEXT))
    metrics = ("-m", "SR-Or-A9", "SR-Or-*", "--analyzer", "rule")
    code, out, err = run(capsys, "score", "a.txt", "-i", "a.txt", "b.txt", *metrics)
    assert (code, out.splitlines()[2].split()[:2]) == (0, ["a", "-"])
    assert err.startswith(
        "tarocco: note: SR-Or-A9 has no score, because no text has the elements that it compares; `tarocco metrics SR"
    )
    assert err.count("\n") == 1
    assert run(capsys, "score", "a.txt", "-i", "a.txt", "-q", *metrics)[2] == ""
    code, out, err = run(capsys, "compare", "a.txt", "-i", "a.txt", "b.txt", *metrics)
    assert code == 0
    assert err.splitlines()[0] == "tarocco: note: SR-Or-A9 has no score for a, b: not tested"
    assert err.splitlines()[1].startswith(
        "tarocco: note: SR-Or-*, a and b: cannot be tested: the systems differ in 2 segm"
    )
    assert out.splitlines()[3].split()[:2] == ["b", "-"]  # and no p-value


def test_without_the_extra_the_command_says_what_to_install(capsys, monkeypatch):
    real = importlib.import_module

    def missing(name, *more):
        if name == "spacy":
            raise ImportError(name)
        return real(name, *more)

    monkeypatch.delitem(analyzers._loaded, "spacy")
    monkeypatch.setattr(importlib, "import_module", missing)
    code, out, err = run(capsys, "score", "a.txt", "-i", "a.txt", "-m", "SP-Op-*")
    assert (code, out, err) == (1, "", 'tarocco: linguistic metrics need spaCy: pip install "tarocco[linguistic]"\n')
    assert run(capsys, "score", "a.txt", "-i", "a.txt", "-m", "SP-Op-*", "--parses", "a.conllu", "-b")[:2] == (
        0,
        "1.0000\n",
    )
