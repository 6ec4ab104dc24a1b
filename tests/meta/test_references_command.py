"""`tarocco references`: every format says the same, bad input is refused in a sentence, and curves are drawn."""

import csv
import io
import json
import re
import shutil

import pytest
from conftest import ROOT

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.render.plots.figures import figure

DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
REFERENCES = [f"ref{r}.txt" for r in range(1, 5)]
SYSTEMS = [f"{name}.txt" for name in DEMO.systems]
PEOPLE = ["--human", "grades.tsv:adequacy"]
COMMAND = ["references", *REFERENCES, "-i", *SYSTEMS, "-m", "BLEU-4", "TER", *PEOPLE]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    shutil.copytree(FOLDER, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")


@pytest.fixture(scope="module")
def result():
    human = str(FOLDER / "grades.tsv:adequacy")
    return tarocco.references(DEMO.systems, DEMO.references, human, metrics=["BLEU-4", "TER"])


def printed(capsys, *arguments):
    assert main([*COMMAND, *arguments]) == 0
    return capsys.readouterr().out


def test_json(capsys, result):
    told = json.loads(printed(capsys, "-f", "json"))
    assert told["command"] == "references"
    assert told["seed"] == 12345
    assert told["n_segments"] == 60
    assert told["judged_by"] == "Pearson correlation with people, system level"
    assert told["results"] == json.loads(json.dumps(result.to_dict()))
    with_subsets = json.loads(printed(capsys, "-f", "json", "--list"))["results"][0]["curve"][0]["subsets"]
    assert [name for name, _ in with_subsets] == ["ref1", "ref2", "ref3", "ref4"]
    assert [value for _, value in with_subsets] == result["BLEU-4"].at(1).values.tolist()


@pytest.mark.parametrize(("form", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_separated(capsys, result, form, delimiter):
    rows = list(csv.DictReader(io.StringIO(printed(capsys, "-f", form)), delimiter=delimiter))
    assert [(row["metric"], int(row["references"]), float(row["mean"])) for row in rows] == [
        (row["metric"], row["references"], row["mean"]) for row in result.rows()
    ]
    listed = list(csv.DictReader(io.StringIO(printed(capsys, "-f", form, "--list")), delimiter=delimiter))
    assert listed[4]["subset"] == "ref1 + ref2"
    assert [float(row["value"]) for row in listed] == [row["value"] for row in result.subsets()]


def test_tables(capsys, result):
    lines = printed(capsys).splitlines()
    assert lines[0].split() == ["references", "subsets", "BLEU-4", "TER"]
    assert lines[2].split()[:4] == [
        "1",
        "4",
        f"{result['BLEU-4'].at(1).mean:.4f}",
        f"±{result['BLEU-4'].at(1).std:.4f}",
    ]
    for sentence in (*result.advice, *(curve.signature for curve in result.curves)):
        assert sentence in lines
    by_order = printed(capsys, "--orders")
    assert "BLEU-1" in by_order
    assert "shares of BLEU-4" in by_order
    assert "penalty" in by_order
    assert "TER-1" not in by_order
    listed = printed(capsys, "--list", "-w", "2").splitlines()
    assert sum("ref1 + ref2 + ref3 + ref4" in line for line in listed) == 1
    assert printed(capsys, "-f", "md").startswith("| references | subsets | BLEU-4 | TER |")
    assert r"\begin{tabular}{lrrr}" in printed(capsys, "-f", "latex")
    assert len(printed(capsys, "-b").split()) == 8
    assert len(printed(capsys, "-b", "--list").split()) == 30


def test_an_experiment_brings_people_and_lists(capsys):
    assert main(["references", "demo.toml", "-m", "BLEU-4", "-f", "json"]) == 0
    assert "|file:grades.tsv|column:adequacy|" in json.loads(capsys.readouterr().out)["results"][0]["signature"]
    assert main(["references", "demo.toml", "--by", "orange", "-m", "BLEUS-4", "-f", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["judged_by"] == "ORANGE"
    assert [one["references"] for one in told["results"][0]["curve"]] == [2, 3, 4]
    assert main(["references", *REFERENCES, "--nbest", "nbest.txt", "-m", "BLEUS-4", "-f", "json"]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["results"] == told["results"]
    assert "20 of 60 segments have no list" in said.err


def test_king_judges_without_people(capsys):
    """Curves begin with three references; people and lists of an experiment are left alone."""
    assert main(["references", "demo.toml", "--by", "king", "-m", "BLEU-4", "TER", "-f", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["judged_by"] == "strict KING"
    assert [one["references"] for one in told["results"][0]["curve"]] == [3, 4]
    assert "|by:strict-king|" in told["results"][0]["signature"]
    command = ["references", *REFERENCES, "-i", *SYSTEMS, "--by", "king", "-m", "BLEU-4", "TER", "-f", "json"]
    for more in (["-j", "1"], ["--store", "scores.db"], ["--store", "scores.db"]):
        assert main([*command, *more]) == 0
        assert json.loads(capsys.readouterr().out)["results"] == told["results"]


def test_systems_that_nobody_judged_are_told(capsys):
    lines = (FOLDER / "grades.tsv").read_text("utf-8").splitlines()
    with open("grades.tsv", "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines if not line.startswith("verbose"))
    assert main(COMMAND) == 0
    assert 'there are no human scores of system "verbose"' in capsys.readouterr().err


def test_a_store_keeps_what_is_computed(capsys):
    first = printed(capsys, "--store", "scores.db")
    assert printed(capsys, "--store", "scores.db", "-j", "1") == first == printed(capsys)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ref1.txt", "-i", *SYSTEMS, *PEOPLE], "there is one reference"),
        ([*REFERENCES, "-i", *SYSTEMS[:3], *PEOPLE], "people judged 3 of these systems"),
        ([*REFERENCES, *PEOPLE], "which systems"),
        ([*REFERENCES, "-i", *SYSTEMS], "no human scores"),
        ([*REFERENCES, "-i", *SYSTEMS, "--human", "grades.tsv"], "several criteria, adequacy, fluency, average"),
        ([*REFERENCES, "-i", *SYSTEMS, "--human", "grades.tsv:style"], "style"),
        ([*REFERENCES, "-i", *SYSTEMS, *PEOPLE, "--most", "5"], "no segment has 5 references"),
        ([*REFERENCES, "-i", *SYSTEMS, *PEOPLE, "--by", "king"], "KING needs neither human scores"),
        ([*REFERENCES, "-i", *SYSTEMS, "--nbest", "nbest.txt", "--by", "king"], "KING needs neither human scores"),
        (
            [*REFERENCES, "-i", *SYSTEMS, "--by", "king", "--level", "segment"],
            "the judge is KING",
        ),
        ([*REFERENCES, "--by", "king"], "which systems"),
        ([*REFERENCES[:3], "-i", *SYSTEMS, "--by", "king"], "more than 3 references: .* needs 4 or more"),
        ([*REFERENCES, "-i", *SYSTEMS, "--by", "king", "--most", "3"], "at least 4, not 3"),
        ([*REFERENCES, "-i", *SYSTEMS, *PEOPLE, "--nbest", "nbest.txt"], "the judge is either people"),
        ([*REFERENCES, "-i", *SYSTEMS, *PEOPLE, "--by", "orange"], "ORANGE needs n-best lists"),
        ([*REFERENCES, "--by", "orange"], "no n-best lists"),
        ([*REFERENCES, "--nbest", "nbest.txt", "--level", "segment"], "need human scores"),
        (["ref1.txt", "ref2.txt", "--nbest", "nbest.txt"], "no segment has more than 2 references: .* needs 3 or more"),
        ([*REFERENCES, "-i", *SYSTEMS, *PEOPLE, "--level", "system", "--grouping", "item"], "nothing to group"),
        ([*REFERENCES, "-i", "missing.txt", *PEOPLE], "missing.txt"),
    ],
)
def test_bad_input(capsys, arguments, message):
    assert main(["references", *arguments]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert re.search(message, said.err)
    assert said.err.count("\n") == 1


def test_figures(tmp_path, result):
    chart = figure(result, tmp_path / "curve.json")
    drawn = json.loads((tmp_path / "curve.json").read_text("utf-8"))
    values = drawn["layer"][0]["data"]["values"] if "data" in drawn["layer"][0] else drawn["data"]["values"]
    points = [(value["series"], value["x"], value["y"]) for value in values]
    assert points == [(row["metric"], row["references"], pytest.approx(row["mean"])) for row in result.rows()]
    assert "TER" in chart.to_dict()["description"]


def test_figures_of_orders(tmp_path, capsys):
    assert main([*COMMAND, "--orders", "--figure", str(tmp_path / "orders.json"), "-q"]) == 0
    drawn = json.loads((tmp_path / "orders.json").read_text("utf-8"))
    assert len(drawn["vconcat"]) == 2  # the metrics, and the orders of BLEU; TER has none
    lines, stack = drawn["vconcat"][1]["hconcat"]
    text = json.dumps(stack)
    assert all(part in text for part in ("1-grams", "4-grams", "penalty"))
    assert "BLEU-1" in json.dumps(lines)


def test_figures_of_orange(tmp_path):
    command = ["references", *REFERENCES, "--nbest", "nbest.txt", "-m", "NIST-2", "ROUGE-L", "--orders", "-q", "-b"]
    assert main([*command, "--figure", str(tmp_path / "orange.json")]) == 0
    drawn = json.loads((tmp_path / "orange.json").read_text("utf-8"))
    whole, orders = drawn["vconcat"]
    assert "ORANGE (%), lower is better" in json.dumps(whole)
    assert len(orders["hconcat"]) == 1  # no shares: candidates are scored, not systems
    assert "NIST-1" in json.dumps(orders)
