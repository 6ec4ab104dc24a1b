"""Anybody's parses in place of an analyzer: in commands, in experiment files and in Python."""

import gzip
import json
import re
from dataclasses import replace

import pytest
from annotate.toys import Toy
from sentences import ByRule, by_rule
from test_cli import run

import tarocco
from tarocco.annotate.analyzers import describe_source
from tarocco.annotate.cache import annotate_texts, clear_memory, register
from tarocco.annotate.parses import WRITERS, ConflictingParses, ParsedTexts, format_sentences, read_parses
from tarocco.annotate.sentence import Node, Sentence
from tarocco.core.errors import BadParameter, InputError, TextRefused
from tarocco.render.results import json_of_command

TEXTS = {
    "ref1": ["the cat sat on the mat", "John Smith saw a dog", ""],
    "ref2": ["a cat sits on a mat", "", "nobody was there"],
    "good": ["the cat sat on a mat", "John saw the dog", "no one was there"],
    "bad": ["cat mat", "", "dog"],
}


def parsed(text):
    """What follows from the words by rule; no argument has its own verb in it, as files cannot say so."""
    sentence = by_rule(text)
    frames = [
        replace(frame, arguments=tuple(one for one in frame.arguments if not one.start <= frame.predicate < one.end))
        for frame in sentence.frames
    ]
    return replace(sentence, frames=tuple(frames))


class ByThatRule(ByRule):
    name, version = "that-rule", "that-rule-1"

    def annotate(self, texts):
        return list(map(parsed, texts))


METRICS = ["SP-Op-*", "SP-NISTiob-2", "DP-HWCw-4", "DP-Or-*", "CP-STM-4", "NE-Oe-**", "SR-Or-*", "SR-Mrv-*"]
RUN = ["ref1.txt", "ref2.txt", "-i", "good.txt", "bad.txt"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parses").mkdir()
    for name, texts in TEXTS.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts))
        for format in WRITERS:
            (tmp_path / "parses" / f"{name}.{format}").write_text(format_sentences(list(map(parsed, texts)), format))
    clear_memory()
    register("rule", ByThatRule())
    return tmp_path


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in (folder / "parses").iterdir())


def scores(capsys, *arguments):
    """The numbers that a command writes, without the signature, and the analyzer of the signature."""
    code, out, err = run(capsys, "score", *RUN, "-m", *METRICS, "-f", "tsv", *arguments)
    assert code == 0, err
    rows = [line.split("\t") for line in out.splitlines()]
    place = rows[0].index("signature")
    (analyzer,) = {re.search(r"analyzer:([^|]+)", row[place])[1] for row in rows[1:]}
    return [[cell for i, cell in enumerate(row) if i != place] for row in rows], analyzer, err


def test_files_say_what_the_analyzer_said(capsys, folder):
    with_analyzer, name, _ = scores(capsys, "--analyzer", "rule")
    assert name == "that-rule-1"
    with_files, digest, err = scores(capsys, "--parses", *files(folder))
    assert with_files == with_analyzer
    assert re.fullmatch("parses-[0-9a-f]{12}", digest)
    assert err == ""
    compressed = []
    for name in files(folder):
        path = folder / f"{name[7:]}.gz"
        path.write_bytes(gzip.compress((folder / name).read_bytes()))
        compressed.append(str(path))
    assert scores(capsys, "--parses", *compressed)[:2] == (with_analyzer, digest)  # a digest of what is in them
    assert scores(capsys, "--parses", *reversed(compressed))[0] == with_analyzer
    named = [f"{'good.txt' if 'good' in file else file[7:].partition('.')[0]}={file}" for file in files(folder)]
    assert scores(capsys, "--parses", *named[:5], "--parses", *named[5:])[0] == with_analyzer
    assert scores(capsys, "--parses", *files(folder), "--labels", "iqmt")[1] == f"{digest}+iqmt"
    path = folder / "parses" / "bad.conllu"
    path.write_text(path.read_text().replace("\tNN\t", "\tNNS\t"))
    changed, other, _ = scores(capsys, "--parses", *files(folder))
    assert other != digest
    assert changed != with_analyzer


def test_a_sentence_a_block(capsys, folder):
    """A segment of two sentences is two blocks of a file."""
    (folder / "ref.txt").write_text("He left. She stayed.\n")
    blocks = ["1\tHe\t_\t_\tPRP\t_\t2\tnsubj\t_\t_\n2\tleft.\t_\t_\tVBD\t_\t0\troot\t_\t_\n"]
    blocks.append(blocks[0].replace("He", "She").replace("left", "stayed"))
    (folder / "ref.conllu").write_text("\n".join(blocks))
    command = ("score", "ref.txt", "-i", "ref.txt", "-m", "DP-HWCr-2", "-b", "--parses")
    assert run(capsys, *command, "ref.conllu") == (0, "1.0000\n", "")


@pytest.mark.parametrize("command", ["compare", "correlate", "references"])
def test_other_commands(capsys, folder, command):
    (folder / "people.tsv").write_text("system\tscore\n" + "".join(f"{name}\t{n}\n" for n, name in enumerate(TEXTS)))
    metrics = ["-m", "SP-Op-*", "BLEU-4"]
    systems = ["ref1.txt", "-i", "good.txt", "bad.txt", "ref2.txt", *(["ref1.txt"] if command != "compare" else [])]
    human = [] if command == "compare" else ["--human", "people.tsv"]
    texts = ["-b", *systems, *metrics, *human]
    if command == "references":
        texts = [
            "-b",
            "--most",
            "2",
            "ref1.txt",
            "ref2.txt",
            "-i",
            "good.txt",
            "bad.txt",
            "ref1.txt",
            "ref2.txt",
            *metrics,
            *human,
        ]
    without_files = run(capsys, command, *texts, "--analyzer", "rule")
    parses = [f"{file[7:].partition('.')[0]}.txt={file}" for file in files(folder)]
    with_files = run(capsys, command, *texts, "--parses", *parses)
    assert without_files[0] == 0, without_files[2]
    assert with_files == without_files


def test_orange(capsys, folder):
    """Lists of candidates are described by a text that has them, in any order."""
    candidates = ["the cat", "a cat sat", "cat on mat", "John saw", "a dog", "no dog"]
    (folder / "list.txt").write_text("".join(f"{i // 3} ||| {text}\n" for i, text in enumerate(candidates)))
    (folder / "all.txt").write_text("".join(f"{text}\n" for text in reversed(candidates)))
    (folder / "all.conllu").write_text(format_sentences(list(map(parsed, reversed(candidates))), "conllu"))
    for name in ("ref1", "ref2"):
        texts = [*TEXTS["good"][:2]] if name == "ref1" else ["a cat sits", "he saw a dog"]
        (folder / f"{name}.txt").write_text("".join(f"{text}\n" for text in texts))
        (folder / f"{name}.conllu").write_text(format_sentences(list(map(parsed, texts)), "conllu"))
    command = ("orange", "list.txt", "-r", "ref1.txt", "ref2.txt", "-m", "SP-Op-*", "DP-HWCw-4", "-b", "-q")
    expected = run(capsys, *command, "--analyzer", "rule")
    assert expected[0] == 0
    parses = ("--parses", "ref1.conllu", "ref2.conllu")
    assert run(capsys, *command, *parses, "all.txt=all.conllu") == expected
    code, _, err = run(capsys, *command, *parses)
    assert (code, err) == (1, 'tarocco: there is no parse of the text "the cat"\n')


def test_an_experiment_file(capsys, folder):
    start = 'references = ["ref1.txt", "ref2.txt"]\nsystems = ["good.txt", "bad.txt"]\nmetrics = ["SP-Op-*"]\n'
    table = 'parses = {ref1 = "parses/ref1.conllu", "ref2.txt" = "parses/ref2.conllu", good = ["parses/good.conllu"]}'
    (folder / "one.toml").write_text(start + 'parses = ["parses/*.conllu"]\nlabels = "iqmt"\n')
    (folder / "two.toml").write_text(start + table.replace("}", ', bad = "parses/bad.conllu"}\n'))
    (folder / "three.toml").write_text(start + 'analyzer = "toy"\n')
    signatures = []
    for name in ("one.toml", "two.toml", "three.toml"):
        if name == "three.toml":
            register("toy", Toy())
        code, out, err = run(capsys, "score", name)
        assert (code, err) == (0, "")
        signatures.append(re.search(r"analyzer:([^|]+)", out)[1])
    assert signatures[0].startswith("parses-")
    assert signatures[0].endswith("+iqmt")
    assert signatures[1].startswith("parses-")
    assert signatures[2] == "toy-1"
    code, out, _ = run(capsys, "score", "one.toml", "--analyzer", "toy", "--labels", "own")
    assert "analyzer:toy-1|" in out
    code, out, _ = run(capsys, "score", "three.toml", "--parses", *files(folder))
    assert "analyzer:parses-" in out


def test_in_python(folder):
    sentences = {text: parsed(text) for texts in TEXTS.values() for text in texts}
    references = [list(pair) for pair in zip(TEXTS["ref1"], TEXTS["ref2"], strict=True)]
    systems = {name: TEXTS[name] for name in ("good", "bad")}
    expected = tarocco.score(systems, references, metrics=METRICS, analyzer=ByThatRule())
    found = tarocco.score(systems, references, metrics=METRICS, analyzer=sentences)
    for ours, theirs in zip(found.scores, expected.scores, strict=True):
        assert ours.statistics.tobytes() == theirs.statistics.tobytes()
        assert "analyzer:parses-" in ours.signature
    changed = dict(sentences) | {"dog": by_rule("cat dog")}
    other = tarocco.score(systems, references, metrics=METRICS, analyzer=changed)
    assert other.scores[0].signature != found.scores[0].signature
    read = tarocco.read_annotations([f"parses/good.{format}" for format in WRITERS], TEXTS["good"])
    assert read == list(map(parsed, TEXTS["good"]))
    del sentences["dog"]
    with pytest.raises(InputError, match=r'^bad, segment 3: there is no parse of the text "dog"$'):
        tarocco.score(systems, references, metrics="SP-Op-*", analyzer=sentences)
    with pytest.raises(BadParameter, match=r"analyzer is a name such as .*, not 3"):
        tarocco.score(systems, references, metrics="SP-Op-*", analyzer=3)


@pytest.mark.parametrize(
    ("parses", "said"),
    [
        (["parses/ref1.conllu"], 'no file of --parses describes segment 1 of good, "the cat sat on a mat": '),
        (
            ["x=parses/ref1.conllu"],
            '--parses x=parses/ref1.conllu: there is no text "x"; expected one of good, ',
        ),
        (["good=parses/ref1.conllu"], 'parses/ref1.conllu, line 6: the word is "the", but segment 1 continues with'),
        (["parses/nix.conllu"], "--parses parses/nix.conllu: there is no file parses/nix.conllu"),
        (["parses"], "--parses parses: parses is a directory; name its files, as parses/* does"),
        (["good=good.txt"], 'good.txt, line 1: expected CoNLL-U, a tree in brackets or columns of roles, found "the'),
        (["good=nix.conllu"], "--parses good=nix.conllu: there is no file nix.conllu"),
        (["parses/good.conllu", "good=broken.props"], "broken.props, line 2: A1 begins before A0 has ended: arguments"),
        (["parses/good.conllu", "good=broken.trees"], "broken.trees, line 1: 1 opening brackets are not closed"),
        (["good=broken.conllu"], "broken.conllu, line 2: the heads form a cycle"),
        (["good=cut.conllu.gz"], "cut.conllu.gz: the file is truncated"),
    ],
)
def test_what_is_refused(capsys, folder, parses, said):
    (folder / "broken.props").write_text("the\t-\t(A0*\ncat\t-\t(A1*)\nsat\tsit\t(V*)\n")
    (folder / "broken.trees").write_text("(S (NP (DT the) (NN cat))\n")
    (folder / "broken.conllu").write_text(
        "# segment = 1\n1\tthe\t_\t_\tDT\t_\t2\tdet\t_\t_\n2\tcat\t_\t_\tNN\t_\t1\tnsubj\t_\t_\n"
    )
    (folder / "cut.conllu.gz").write_bytes(gzip.compress(b"1\tthe\n" * 100)[:-20])
    code, out, err = run(capsys, "score", *RUN, "-m", "SP-Op-*", "--parses", *parses)
    assert (code, out) == (1, "")
    assert said in err
    assert err.count("\n") == 1


def test_files_of_no_use_are_told(capsys, folder):
    texts = ["ref1.txt", "-i", "good.txt"]
    code, _, err = run(capsys, "score", *texts, "-m", "SP-Op-*", "--parses", *files(folder))
    assert code == 0
    unused = "parses/bad.conllu, parses/bad.props, parses/bad.trees, "
    assert err.startswith(f"tarocco: note: --parses: no text has the name of {unused}")
    assert run(capsys, "score", *texts, "-q", "-m", "SP-Op-*", "--parses", *files(folder))[2] == ""


def test_names_that_several_texts_have(capsys, folder):
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "out.txt").write_text("the cat\n")
        (folder / name / "out.conllu").write_text(format_sentences([by_rule("the cat")], "conllu"))
    metrics = ("-m", "SP-Op-*", "-b", "--parses")
    both = ("score", "a/out.txt", "-i", "a/out.txt", "b/out.txt", *metrics)
    code, _, err = run(capsys, *both, "a/out.conllu", "b/out.conllu")
    assert (code, err) == (0, "")
    one = ("score", "a/out.txt", "-i", "b/out.txt", *metrics)
    code, _, err = run(capsys, *one, "a/out.conllu", "b/out.conllu")
    assert (code, err.strip()) == (
        1,
        'tarocco: --parses: "a/out" may be out or reference out: write TEXT=FILE, with the path of TEXT',
    )
    assert run(capsys, *one, "a/out.txt=a/out.conllu", "b/out.txt=b/out.conllu")[0] == 0


def test_an_audit_needs_an_analyzer(capsys, folder):
    code, _, err = run(capsys, "audit", *RUN, "-m", "SP-Op-*", "--parses", *files(folder))
    assert (code, err.count("\n")) == (1, 1)
    assert "use an analyzer (--analyzer) instead of --parses" in err
    assert run(capsys, "audit", *RUN, "-m", "BLEU-4", "--parses", *files(folder))[0] == 0


def test_either_or(capsys, folder):
    code, _, err = run(capsys, "score", *RUN, "-m", "SP-Op-*", "--analyzer", "spacy", "--parses", *files(folder))
    assert (code, err) == (
        1,
        "tarocco: --analyzer and --parses exclude each other: both describe the structure of sentences\n",
    )


def test_missing_layers_name_the_file(capsys, folder):
    trees = [file for file in files(folder) if file.endswith(".trees")]
    code, _, err = run(capsys, "score", *RUN, "-m", "DP-HWCw-4", "--parses", *trees)
    said = "tarocco: a requested metric needs dependency heads, which are missing from parses/ref1.trees\n"
    assert (code, err.replace("good", "ref1").replace("bad", "ref1")) == (1, said)
    assert run(capsys, "score", *RUN, "-m", "CP-STM-4", "SP-Oc-*", "--parses", *trees)[0] == 0  # chunks of the trees
    analyses = ParsedTexts({"a": Sentence(("a",))})
    register("bare", analyses)
    assert describe_source("bare+iqmt", "tags") == "the parses"


def test_two_analyses_of_a_text(folder):
    column = [replace(parsed("the cat sat on a mat"), tags=("VB",) * 6), parsed("dog")]
    (folder / "x.conllu").write_text(format_sentences(column, "conllu"))
    good = (TEXTS["good"], ["parses/good.conllu"])
    with pytest.warns(ConflictingParses, match="1 segments repeat a text with another analysis"):
        found = read_parses([good, (["the cat sat on a mat", "dog"], ["x.conllu"])])
    assert found.annotate(["the  cat sat on a mat "])[0].tags == parsed("the cat sat on a mat").tags


def test_tags_of_other_languages_are_left_alone():
    """Trees, chunks and roles are made by English rules: they want the tags of the Penn Treebank."""
    french = Sentence(("Le", "chat"), tags=("DET", "NOUN"), heads=(1, -1), relations=("det", "root"))
    english = Sentence(("The", "cat"), tags=("DT", "NN"), heads=(1, -1), relations=("det", "root"))
    assert ParsedTexts({"Le chat": french}).annotate(["Le chat"]) == [french]
    assert ParsedTexts({}).layers == frozenset()
    (found,) = ParsedTexts({"The cat": english}).annotate(["The cat"])
    assert found.tree is not None
    assert ParsedTexts({"The cat": english}).layers == found.layers
    with pytest.raises(TextRefused):
        ParsedTexts({}).annotate(["x"])
    assert annotate_texts([" "], ParsedTexts({}))[0].tree == ()


@pytest.mark.parametrize("relations", [("NMOD", "SBJ", "ROOT", "OBJ"), ("det", "s", "i", "mod")])
def test_relations_of_other_schemes_are_left_alone(relations):
    """No rule here knows them: a tree made of them would be none, and roles would be empty."""
    words, tags, heads = ("The", "cat", "saw", "dogs"), ("DT", "NN", "VBD", "NNS"), (1, 2, -1, 2)
    one = Sentence(words, tags=tags, heads=heads, relations=relations)
    analyses = ParsedTexts({"The cat saw dogs": one})
    assert analyses.annotate(["The cat saw dogs"]) == [one]
    assert analyses.layers == {"tags", "heads", "relations"}
    with_tree = replace(one, tree=(Node("S", -1, 0, 4), Node("NP", 0, 0, 2)))
    (found,) = ParsedTexts({"The cat saw dogs": with_tree}).annotate(["The cat saw dogs"])
    assert (found.chunks[:2], found.frames) == (("B-NP", "I-NP"), None)


def test_the_file_that_lacks_a_layer_is_named():
    """Roles can be told from the dependencies of the first file: the second one is to blame."""
    full = Sentence(("The", "cat"), tags=("DT", "NN"), heads=(1, -1), relations=("det", "root"))
    bare = Sentence(("cats",), tags=("NNS",))
    analyses = ParsedTexts({"The cat": full, "cats": bare}, "two", {"The cat": "a.conllu", "cats": "b.conllu"})
    assert analyses.source_without("frames") == "b.conllu"


def test_trials_in_python_read_them_as_the_command_does(folder, capsys):
    (folder / "one.toml").write_text(
        'references = ["ref1.txt", "ref2.txt"]\nsystems = ["good.txt", "bad.txt"]\n'
        'metrics = ["SP-Op-*", "DP-Or-*", "WER"]\nparses = ["parses/*.conllu"]\n'
    )
    code, out, _ = run(capsys, "trial", "one.toml", "-q", "-f", "json")
    assert code == 0
    found = tarocco.trial("one.toml")
    assert json.loads(json_of_command("trial", {}, found.to_dict()))["results"] == json.loads(out)["results"]
    assert "|analyzer:parses-" in out
