"""`tarocco oracle`: every format says the same, and bad input is refused in a sentence."""

import csv
import io
import json
from dataclasses import replace

import pytest

import tarocco
from tarocco.cli import main

PLF = """((('the',-0.5,1),('a',-1,1),),(('cat',-0.25,1),('small cat',-2,1),),(('sat',-0.5,1),('sits',-0.25,1),),)
()
((('it',-0.1,1),),(('rained',-1.0,1),('rains',-0.5,1),),)
"""
REFERENCES = "a small cat sat\n\nit rained all day\n"
NBEST = """0 ||| the cat sits ||| LM= -1 ||| -1
0 ||| a small cat sat ||| LM= -2 ||| -2
2 ||| it rains ||| LM= -1 ||| -1
"""
COMMAND = ["oracle", "lattices.plf", "-r", "ref.txt"]
TEXTS = ["a small cat sat", "", "it rained"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lattices.plf").write_text(PLF)
    (tmp_path / "ref.txt").write_text(REFERENCES)
    (tmp_path / "nbest.txt").write_text(NBEST)


@pytest.fixture
def result():
    return tarocco.oracle("lattices.plf", REFERENCES.split("\n")[:-1], also=["WER"])


def printed(capsys, *arguments):
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def refused(capsys, *arguments):
    assert main([*arguments]) == 1
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.count("\n") == 1
    return told.err.removeprefix("tarocco: ").rstrip("\n")


def test_table(capsys):
    assert main([*COMMAND, "--also", "WER"]) == 0
    told = capsys.readouterr()
    lines = told.out.split("\n")
    assert [line.split() for line in (lines[0], lines[2], lines[3])] == [
        ["system", "GRR-4", "WER"],
        ["1-best", "0.1000", "0.7500"],  # (1 + 0 + 1) / 20 and (3 + 0 + 3) / 8; the second reference is empty
        ["oracle", "0.6500", "0.2500"],  # (10 + 0 + 3) / 20 and (0 + 0 + 2) / 8
    ]
    assert "oracle: the best text of its lattice or forest under GRR-4, exact" in lines
    assert "the oracle is the 1-best in 1 of 3 segments" in lines
    assert told.err == "tarocco: note: 1 of 3 segments are empty: their oracle is the empty text\n"


def test_json(capsys, result):
    told = json.loads(printed(capsys, *COMMAND, "--also", "WER", "-f", "json"))
    assert (told["command"], told["metric"], told["oracle"], told["n_empty"]) == ("oracle", "GRR-4", "exact", 1)
    assert told["results"] == result.to_dict()
    told = json.loads(printed(capsys, *COMMAND, "--level", "segment", "--k-best", "2", "-f", "json"))
    assert [row["text"] for row in told["results"]] == TEXTS
    assert told["results"][0]["best_text"] == "the cat sits"
    assert told["results"][0]["behind"] == 2.5
    assert [one["text"] for one in told["results"][2]["k_best"]] == ["it rained", "it rains"]


@pytest.mark.parametrize(("form", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_separated(capsys, result, form, delimiter):
    def read(*arguments):
        text = printed(capsys, *COMMAND, "--also", "WER", "-f", form, *arguments)
        return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))

    assert [(row["system"], row["metric"], float(row["score"])) for row in read()] == [
        (row["system"], row["metric"], row["score"]) for row in result.corpus_rows()
    ]
    rows = read("--level", "segment")
    assert [row["text"] for row in rows] == TEXTS
    assert [float(row["behind"]) for row in rows] == [row["behind"] for row in result.rows()]
    assert result.behind.tolist() == pytest.approx([2.5, 0.0, 0.5])
    several = read("--level", "segment", "--k-best", "2")
    assert [(row["segment"], row["place"], row["text"]) for row in several][-2:] == [
        ("3", "1", "it rained"),
        ("3", "2", "it rains"),
    ]


@pytest.mark.parametrize("form", ["md", "latex"])
def test_other_tables(capsys, form):
    assert "a small cat sat" in printed(capsys, *COMMAND, "--level", "segment", "-f", form)


def test_texts_alone(capsys, tmp_path):
    assert printed(capsys, *COMMAND, "-b", "-q", "--output", "out.txt") == "".join(f"{text}\n" for text in TEXTS)
    assert (tmp_path / "out.txt").read_text() == "".join(f"{text}\n" for text in TEXTS)
    listed = printed(capsys, *COMMAND, "-b", "-q", "--k-best", "2")
    assert listed.split("\n")[-3:-1] == [
        "2 ||| it rained ||| GRR-4= 0.3 ||| 0.3",
        "2 ||| it rains ||| GRR-4= 0.1 ||| 0.1",
    ]
    (tmp_path / "again.txt").write_text(listed)  # they are n-best lists, whose oracles are their first candidates
    again = tarocco.oracle("again.txt", REFERENCES.split("\n")[:-1])
    assert list(again.texts) == TEXTS
    assert again.ranks.tolist() == [1, 1, 1]


def test_approximate(capsys):
    told = printed(capsys, *COMMAND, "-m", "BLEUS-4", "--beam", "4", "-q")
    assert "oracle: approximate" in told
    assert "|oracle:BLEUS-4|approximate|beam:4" in told
    assert [line.split("  ")[0] for line in told.split("\n")[2:5]] == ["1-best", "oracle", "oracle of GRR-4"]
    assert "GRR-4's" in printed(capsys, *COMMAND, "-m", "BLEUS-4", "--level", "segment", "-q")


def test_lists(capsys):
    assert main(["oracle", "nbest.txt", "-r", "ref.txt", "-m", "chrF"]) == 0
    told = capsys.readouterr()
    assert "rank of the oracle in its list: median 1.5, mean 1.5, largest 2" in told.out
    assert told.err == "tarocco: note: 1 segments have no list and are left out\n"
    rows = json.loads(printed(capsys, "oracle", "nbest.txt", "-r", "ref.txt", "--level", "segment", "-f", "json"))
    assert [(row["segment"], row["rank"], row["text"]) for row in rows["results"]] == [
        (1, 2, "a small cat sat"),
        (3, 1, "it rains"),
    ]


def test_experiment_file(capsys, tmp_path):
    (tmp_path / "e.toml").write_text('references = ["ref.txt"]\nsystems = ["ref.txt"]\nnbest = "nbest.txt"\n')
    assert printed(capsys, "oracle", "e.toml", "-b", "-q") == "a small cat sat\nit rains\n"


def test_other_formats(capsys, tmp_path):
    from tarocco.io.graphs.formats import write_lattices

    graphs = list(tarocco.read_lattices("lattices.plf"))
    graphs = [graphs[0], replace(graphs[2], segment=1)]
    (tmp_path / "two.txt").write_text("a small cat sat\nit rained all day\n")
    for form in ("slf", "openfst", "moses-searchgraph", "moses-hypergraph"):
        write_lattices(graphs, tmp_path / "graphs", format=form)
        told = printed(capsys, "oracle", "graphs", "-r", "two.txt", "-b", "-q")
        assert told == "a small cat sat\nit rained\n", form
    folder = tmp_path / "forests"
    folder.mkdir()
    for number, graph in enumerate(graphs):
        write_lattices(graph, folder / f"{number}.json", format="cdec")
    assert printed(capsys, "oracle", "forests", "-r", "two.txt", "-b", "-q") == "a small cat sat\nit rained\n"


def test_refusals(capsys, tmp_path, monkeypatch):
    assert refused(capsys, *COMMAND, "-m", "chrF").startswith("oracles in lattices and forests exist under GRR-k")
    assert refused(capsys, "oracle", "lattices.plf") == "no reference file: name them with -r"
    assert refused(capsys, *COMMAND, "--output", "ref.txt").startswith(
        "ref.txt: this file is an input and would be overwritten"
    )
    assert refused(capsys, *COMMAND, "--output", "no/where") == "no/where: there is no directory no"
    assert refused(capsys, "oracle", "-", "-r", "ref.txt").startswith("standard input: expected --form")
    assert refused(capsys, "oracle", "nbest.txt", "-r", "ref.txt", "--without", "a") == (
        "--without is for lattices and forests, and nbest.txt has n-best lists"
    )
    (tmp_path / "words.txt").write_text("nothing of the kind\n")
    assert refused(capsys, "oracle", "words.txt", "-r", "ref.txt").startswith(
        "words.txt, line 1: expected n-best lists, lattices or forests"
    )
    (tmp_path / "code.plf").write_text("((('a',0,1),(__import__('os'),0,1),),)\n")
    assert refused(capsys, "oracle", "code.plf", "-r", "ref.txt").startswith("code.plf, line 1, character 13")
    (tmp_path / "cycle.fst").write_text("0 1 a a 0.5\n1 0 b b 0.5\n1\n")
    assert refused(capsys, "oracle", "cycle.fst", "-r", "ref.txt") == (
        "cycle.fst, line 1: expected a lattice without cycles, found one through state 0"
    )
    (tmp_path / "two.plf").write_text("((('a',0,1),),)\n" * 2)
    assert refused(capsys, "oracle", "two.plf", "-r", "ref.txt") == (
        "two.plf: there are 2 lattices, but the references have 3 segments; segment 3 has none"
    )
    (tmp_path / "four.plf").write_text("((('a',0,1),),)\n" * 4)
    assert refused(capsys, "oracle", "four.plf", "-r", "ref.txt") == (
        "four.plf, line 4: lattice 4 has no reference: the references have 3 segments"
    )
    (tmp_path / "empty").write_text("")
    assert (
        refused(capsys, "oracle", "empty", "-r", "ref.txt")
        == "empty: expected lattices or forests, found an empty file"
    )
