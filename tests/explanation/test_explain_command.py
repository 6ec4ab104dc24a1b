"""tarocco explain: which segments, which references, what is printed, and what is refused."""

import json

import pytest
from annotate.toys import Toy

import tarocco
from tarocco import datasets
from tarocco.annotate.cache import register
from tarocco.cli import main
from tarocco.core.errors import BadParameter, InputError

DEMO = datasets.load("demo")


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")


def printed(capsys, *arguments, code=0):
    assert main(["explain", *arguments]) == code
    return capsys.readouterr()


@pytest.fixture(name="files")
def three_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ref.txt").write_text("the cat sat here\nit rained all day\nshe reads a book\n")
    (tmp_path / "good.txt").write_text("the cat sat here\nit rained a day\nshe reads a book\n")
    (tmp_path / "poor.txt").write_text("the cat sat there\nit rained all day\nbook\n")


def test_texts_with_marks(capsys):
    out = printed(capsys, "--text", "the cat sat here", "here the cat was", "-m", "GTM-2").out
    assert "  candidate    [the cat] sat [here]\n  reference 1  [here] [the cat] was\n" in out
    assert "GTM-2 0.5590  with reference 1: precision 0.559" in out
    assert "  run            2          2          2  the cat | here\n" in out
    assert "\x1b" not in out


def test_texts_are_analyzed_as_asked(capsys):
    register("toy", Toy("toy-8"))
    texts = ("--text", "the cat sat", "a cat sat", "-m", "SP-Op-*")
    assert "analyzer:toy-8+iqmt" in printed(capsys, *texts, "--analyzer", "toy", "--labels", "iqmt").out
    assert 'no analyzer "minipar"' in printed(capsys, *texts, "--analyzer", "minipar", code=1).err


@pytest.mark.usefixtures("files")
def test_segments_with_the_largest_difference(capsys):
    shown = printed(capsys, "ref.txt", "-i", "good.txt", "poor.txt", "-m", "ROUGE-L", "--number", "1")
    assert "the segments where ROUGE-L sees the largest differences between good and poor" in shown.err
    assert [line for line in shown.out.splitlines() if line.startswith("segment")] == [
        "segment 3, good",
        "segment 3, poor",
    ]
    worst = printed(capsys, "ref.txt", "-i", "good.txt", "-m", "WER", "--number", "1")
    assert "segment 2, good" in worst.out  # an error rate: the highest is the worst
    quiet = printed(capsys, "ref.txt", "-i", "good.txt", "-m", "WER", "-q", "--segments", "2-3,1,3")
    assert [line for line in quiet.out.splitlines() if line.startswith("segment")] == [
        f"segment {number}, good" for number in (2, 3, 1)
    ]
    assert quiet.err == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["ref.txt", "-i", "good.txt", "--segments", "4"], 1, "there is no segment 4: there are 1 to 3"),
        (["ref.txt", "-i", "good.txt", "--text", "a", "b"], 1, "--text replaces files: name none beside it"),
        (["--text", "a"], 1, "--text takes a candidate and at least one reference"),
        ([], 1, "expected references and systems (-i), or texts with --text"),
        (["ref.txt"], 1, "which systems?"),
        (["--text", "a", "b", "-m", "BLAU"], 1, 'there is no metric "BLAU"'),
    ],
)
@pytest.mark.usefixtures("files")
def test_bad_input(capsys, arguments, code, message):
    shown = printed(capsys, *arguments, code=code)
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert message in shown.err


@pytest.mark.parametrize("text", ["0", "3-1", "a", "1,,2", "", "1-99999999"])
def test_bad_lists_of_segments(capsys, text):
    with pytest.raises(SystemExit) as stopped:
        main(["explain", "ref.txt", "-i", "good.txt", "--segments", text])
    assert stopped.value.code == 2
    assert "segments" in capsys.readouterr().err


def test_what_is_not_explained_says_so(capsys):
    out = printed(capsys, "--text", "the cat", "a cat", "-m", "chrF", "GTM-2:matching=exact").out
    assert "  chrF is not explained yet.\n" in out
    assert "  GTM-2:matching=exact is not explained yet: matching=exact.\n" in out


def test_very_long_texts():
    """There are too many shifts to try, and other metrics do not mind."""
    words = [f"w{i % 200}" for i in range(400)]
    texts = " ".join(words), " ".join(words[::-1])
    ter, wer = tarocco.explain(*texts, metrics=["TER", "WER"])
    assert (ter.note, ter.elements) == ("TER cannot be explained for texts of this length", ())
    assert len(wer.elements) > 200


def test_pooled_references_are_explained_one_by_one(capsys):
    texts = ["--text", "the cat", "a cat", "the dog", "-m", "ROUGE-1:references=pooled"]
    assert "takes all references together, which is not explained yet" in printed(capsys, *texts).out
    assert printed(capsys, *texts, "--all-references").out.count("candidate    ") == 2


def test_the_reference_that_was_chosen(capsys):
    texts = ["--text", "the cat sat", "a dog ran", "the cat ran", "-m", "ROUGE-L"]
    assert "with reference 2:" in printed(capsys, *texts).out
    every = printed(capsys, *texts, "--all-references").out
    assert "with reference 1, not the chosen one:" in every
    assert "with reference 2:" in every
    together = printed(capsys, "--text", "the cat sat", "the dog ran", "a cat ran", "-m", "BLEU-1").out
    assert "with references 1, 2 together" in together
    assert "  candidate    [the] [cat] sat\n  reference 1  [the] dog ran\n  reference 2  a [cat] ran\n" in together


def test_text_cannot_command_the_terminal(capsys):
    out = printed(capsys, "--text", "a\x1b[31m \x07b \u202ec", "a\x1b[31m d", "-m", "WER", "--tokenize", "none").out
    assert "candidate    [a\\x1b[31m] \\x07b \\u202ec\n" in out
    assert out.isascii()
    assert not set(out) & {"\x1b", "\x07"}


def test_json_has_every_element(capsys):
    texts = ("--text", "the cars began", "the car started here", "a car", "-m", "METEOR-wnsyn", "BLEU-2")
    envelope = json.loads(printed(capsys, *texts, "-f", "json").out)
    assert (envelope["command"], envelope["all_references"]) == ("explain", False)
    meteor, bleu = envelope["results"]
    assert meteor["candidate"] == ["the", "cars", "began"]
    assert meteor["references"] == [{"number": 1, "words": ["the", "car", "started", "here"]}]
    assert meteor["elements"][:2] == [
        {"type": "word", "text": "the", "matched": True, "candidate": [0], "reference": [0], "how": "exact"},
        {"type": "word", "text": "cars = car", "matched": True, "candidate": [1], "reference": [1], "how": "stem"},
    ]
    assert meteor["tallies"][0] == {"type": "word", "matched": 3, "candidate": 3, "reference": 4}
    assert [one["number"] for one in bleu["references"]] == [1, 2]
    assert bleu["elements"][0]["of"] == 1
    assert bleu["elements"][1]["of"] is None
    assert "NaN" not in printed(capsys, "--text", "", "", "-m", "ROUGE-L", "NE-Me-*", "-f", "json").out


def test_rows(capsys):
    lines = printed(capsys, "--text", "the cat", "a cat", "-m", "GTM-2", "-f", "tsv").out.splitlines()
    assert lines[0].split("\t")[:6] == ["segment", "system", "metric", "reference", "type", "text"]
    assert lines[1].split("\t")[3:] == ["1", "run", "cat", "True", "", "1", "1", "1.0"]
    assert len(lines) == 4


def test_python_interface():
    result = tarocco.explain(DEMO.systems, DEMO.references, metrics=["BLEU-4", "WER"], segments=[7])
    assert len(result) == 12
    assert {one.segment for one in result} == {7}
    segments = tarocco.score(DEMO.systems, DEMO.references, metrics=["BLEU-4", "WER"])
    for one in result:
        assert one.score == segments[one.system][str(one.metric)].segments[6]
        assert one.signature == segments[one.system][str(one.metric)].signature
    assert len(result.to_pandas()) == sum(len(one.elements) for one in result)
    with pytest.raises(InputError, match="expected at least one metric"):
        tarocco.explain("a", "b", metrics=[])
    with pytest.raises(InputError, match="there is no segment 0: there are 1 to 1"):
        tarocco.explain("a", "b", segments=[0])
    with pytest.raises(BadParameter, match="number is a whole number of at least 1, not 0"):
        tarocco.explain(["a", "b"], ["a", "b"], number=0)


def test_information_is_that_of_the_test_set():
    """NIST's weights come from all references, not from those of the segment."""
    candidates, references = ["the cat", "the dog"], ["the cat", "the the the dog"]
    (one,) = tarocco.explain(candidates, references, metrics="NIST-1", segments=[1])
    assert one.matched[0].weight < one.matched[1].weight
    assert one.score == tarocco.score(candidates, references, metrics="NIST-1")["NIST-1"].segments[0]
