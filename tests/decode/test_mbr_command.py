"""`tarocco mbr`: what it prints, and what it refuses."""

import json

import pytest

import tarocco
from tarocco import datasets
from tarocco.cli import main

DEMO = datasets.load("demo")
NBEST = str(DEMO.path / "nbest.txt")
REFERENCES = [str(DEMO.path / f"ref{k}.txt") for k in (1, 2, 3, 4)]


def run(capsys, *arguments):
    code = main(["mbr", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def test_texts_alone(capsys):
    code, out, err = run(capsys, NBEST)
    assert code == 0
    assert out.splitlines() == tarocco.mbr(NBEST).texts
    assert err == "tarocco: note: there are 40 lists for segments 1 to 58: one line per list, not per segment\n"


def test_the_analyzer_that_was_asked_for(capsys, tmp_path):
    """Lists and references, each once, in a file of parses; and no other analyzer in silence."""
    lists, texts, parses = tmp_path / "lists.txt", tmp_path / "texts.txt", tmp_path / "texts.conllu"
    lists.write_text("0 ||| a b\n0 ||| c d\n0 ||| c b\n")
    texts.write_text("a b\nc d\nc b\n")
    block = "1\t{}\t_\t_\tX\t_\t_\t_\t_\t_\n2\t{}\t_\t_\tX\t_\t_\t_\t_\t_\n\n"
    parses.write_text("".join(block.format(*text.split()) for text in ("a b", "c d", "c b")))
    code, out, err = run(capsys, lists, "-m", "SP-Op-*", "--parses", f"{texts}={parses}", "-f", "json")
    assert (code, err) == (0, "")
    assert "analyzer:parses-" in out
    assert run(capsys, lists, "-m", "SP-Op-*", "--analyzer", "minipar")[0] == 1


def test_json_and_tsv_say_the_same(capsys):
    options = (NBEST, "-m", "BLEUS-4", "--scale", 0.5, "--n-best", 10, "-r", *REFERENCES, "--by", "TER", "-q")
    _, out, err = run(capsys, *options, "-f", "json")
    found = json.loads(out)
    result = tarocco.mbr(
        NBEST, metrics="BLEUS-4", scale=0.5, n_best=10, references=DEMO.references, judges="TER", jobs=1
    )
    assert (found["command"], found["signature"], found["seed"]) == ("mbr", result.signature, 12345)
    assert found["results"] == result.to_dict()
    assert found["gains"] == result.gain_rows()
    assert err == ""
    _, out, _ = run(capsys, *options, "-f", "tsv")
    header, *lines = out.splitlines()
    assert header == "segment\trank\tcandidates\ttexts\tutility\tfirst_utility\ttext"
    assert [line.split("\t")[-1] for line in lines] == result.texts


@pytest.mark.parametrize("level", ["corpus", "segment"])
def test_tables(capsys, level):
    code, out, _ = run(capsys, NBEST, "-m", "chrF", "WER", "-f", "md", "--level", level, "-r", *REFERENCES)
    assert code == 0
    assert "best by WER" in out if level == "corpus" else "| 2 of 43 |" in out or "| 1 of 43 |" in out
    assert "mean rank of chrF, WER" in out


def test_other_pseudo_references(capsys, tmp_path):
    lists, samples = tmp_path / "lists.txt", tmp_path / "samples.txt"
    lists.write_text("0 ||| a b\n0 ||| c d\n")
    samples.write_text("0 ||| c d e ||| f= 1 ||| -1\n0 ||| c d ||| f= 1 ||| -2\n")
    assert run(capsys, lists)[1] == "a b\n"
    assert run(capsys, lists, "--references-from", samples, "--scale", 1)[1] == "c d\n"
    lists.write_text("0 ||| a b\n1 ||| c d\n")
    assert run(capsys, lists, "--references-from", samples) == (
        1,
        "",
        f"tarocco: {lists}, line 2: there are no pseudo-references for this list\n",
    )


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("0\ta\n", ["--scale", 1], "line 1: expected a model score per candidate, found only texts"),
        ("0 ||| a ||| f= 1 ||| nan\n", ["--scale", 1], 'line 1: expected a number as score, found "nan"'),
        ("0 ||| a ||| f= 1 ||| 2\n0 ||| b\n", ["--scale", 1], "line 2: expected a number as score, found none"),
        ("", [], "found an empty file"),
        ("0 ||| a\n", ["-m", "NIST"], "NIST-5 weighs n-grams by their counts in all references"),
        ("0 ||| a\n", ["--by", "WER"], "give -r"),
        ("0 ||| a\n", ["-m", "WER", "--weights", 1, 2], "there are 1 metrics, but 2 weights"),
        ("0 ||| a\n", ["--scale", "nan"], "scale is a number of at least 0"),
        ("60 ||| a\n", ["-r", REFERENCES[0]], "expected ids from 0 to 59, one per reference segment, found 60"),
        ("0 ||| a\n", ["--references-from", "-", "-r", "-"], "standard input can be read once"),
    ],
)
def test_refused(capsys, tmp_path, content, options, message):
    path = tmp_path / "n.txt"
    path.write_text(content)
    code, out, err = run(capsys, path, *options)
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


def test_empty_candidates_take_part(capsys, tmp_path):
    path = tmp_path / "n.txt"
    path.write_text("0 ||| \n0 ||| \n0 ||| a\n1 ||| \n1 ||| b c\n1 ||| b c d\n")
    code, out, err = run(capsys, path, "-m", "ROUGE-L")
    assert code == 0
    assert out.splitlines() == ["a", "b c"]
    assert err == "tarocco: note: 3 candidates are empty and used like the others\n"


@pytest.mark.parametrize("text", ["0\ta\n0\tb\n", "0\t3 men\n0\t3 women\n", "0 ||| \n0 ||| a\n", "0 ||| 1 ||| f= 1\n"])
def test_lists_that_are_no_finite_state_machines(capsys, tmp_path, text):
    (tmp_path / "n.txt").write_text(text)
    assert run(capsys, tmp_path / "n.txt", "-q")[0] == 0
