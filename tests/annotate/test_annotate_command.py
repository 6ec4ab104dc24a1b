"""tarocco annotate: files from texts, files from files, and what goes wrong."""

import pytest
from annotate.toys import Toy
from test_cli import run

from tarocco.annotate.cache import clear_memory, register
from tarocco.annotate.parses import read_annotations

TREE = "(S (NP (PRP He)) (VP (VBD left)))\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    register("toy", Toy())
    clear_memory()
    (tmp_path / "a.txt").write_text("He left\nShe stayed\n")
    (tmp_path / "one.txt").write_text("He left\n")
    return tmp_path


def test_files_beside_the_text(capsys, folder):
    code, out, _ = run(capsys, "annotate", "a.txt", "one.txt", "--analyzer", "toy")
    assert code == 0
    assert out.splitlines()[2].split() == ["a.txt", "a.conllu", "2", "4"]
    assert read_annotations("a.conllu", ["He left", "She stayed"])[1].tags == ("S", "S")
    assert not (folder / "a.trees").exists()  # the toy has none


def test_standard_output_and_store(capsys, folder):
    for _ in range(2):
        code, out, _ = run(capsys, "annotate", "one.txt", "--analyzer", "toy", "-f", "conllu", "--store", "s.db")
        clear_memory()
        assert (code, out.splitlines()[1]) == (0, "1\tHe\t_\t_\tH\t_\t_\t_\t_\t_")
    code, out, _ = run(capsys, "store", "info", "s.db")
    assert "analyzed     1 texts" in out
    code, _, err = run(capsys, "store", "prune", "s.db", "--all")
    assert "1 analyzed texts" in err


def test_parses_are_checked_and_completed(capsys, folder):
    (folder / "one.ptb").write_text(TREE)
    code, out, _ = run(capsys, "annotate", "one.txt", "--parses", "one.ptb", "-f", "conllu")
    assert code == 0
    assert [line.split("\t")[-1] for line in out.splitlines()[1:3]] == ["Chunk=B-NP", "Chunk=B-VP"]
    code, out, _ = run(capsys, "annotate", "one.txt", "--parses", "one.ptb", "-o", ".")
    assert (folder / "one.trees").read_text() == TREE
    code, _, err = run(capsys, "annotate", "a.txt", "--parses", "one.ptb", "-f", "trees")
    assert (code, err.strip()) == (
        1,
        'tarocco: one.ptb, line 1: the file ends here, but segment 2 continues with "Shestayed"',
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["a.txt", "one.txt", "--parses", "x"], "--parses describes one text, found 2"),
        (["one.txt", "--parses", "x", "--analyzer", "spacy"], "--analyzer and --parses exclude each other"),
        (["-"], "the analysis of standard input goes to standard output"),
        (["none.txt"], "none.txt: there is no such file"),
        (["a.txt", "--analyzer", "x"], 'there is no analyzer "x"'),
        (["a.txt", "-o", "no/where"], "no/where: there is no directory no"),
        (["a.txt", "-o", "one.txt"], "one.txt: expected a directory, found a file"),
        (["one.txt", "--analyzer", "toy", "-f", "trees"], "the analysis has no trees"),
    ],
)
def test_what_is_refused(capsys, folder, arguments, said):
    code, out, err = run(capsys, "annotate", *arguments)
    assert (code, out) == (1, "")
    assert said in err
    assert sorted(path.name for path in folder.iterdir()) == ["a.txt", "one.txt"]
