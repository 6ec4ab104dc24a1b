"""The figure of a scoring result, in Python and on the command line."""

import json
import os
import sys

import pytest
from drawing import Drawing

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.errors import InputError


@pytest.fixture(scope="module")
def result():
    demo = datasets.load("demo")
    return tarocco.score(demo.systems, demo.references, metrics=["BLEU-4", "WER"], confidence=0.9, n_resamples=20)


def test_figure_of_a_result(result, tmp_path):
    chart = tarocco.figure(result, tmp_path / "scores.json")
    specification = json.loads((tmp_path / "scores.json").read_text("utf-8"))
    assert specification == chart.to_dict()
    assert [panel["title"].get("subtitle") for panel in specification["concat"]] == ["times 100", "lower is better"]
    drawn = [row for panel in specification["concat"] for row in panel["data"]["values"]]
    numbers = {(score.system, score.score * score.metric.scale) for score in result.scores}
    assert {(row["system"], row["score"]) for row in drawn} == numbers
    assert {row["high"] for row in drawn} == {score.interval.high * score.metric.scale for score in result.scores}
    assert specification["title"]["text"] == ["Lines: 90% bootstrap intervals over segments"]
    assert all(score.signature in specification["description"] for score in result.scores)
    with pytest.raises(InputError, match="to end in"):
        tarocco.figure(result, tmp_path / "scores.txt")


@pytest.mark.parametrize("judge", [tarocco.compare, tarocco.audit])
def test_results_without_a_figure(judge, tmp_path):
    demo = datasets.load("demo")
    systems = {name: demo.systems[name] for name in ("careful", "brief")}
    judged = judge(systems, demo.references, metrics=["WER"])
    with pytest.raises(InputError, match=f"references or optimize, found a {type(judged).__name__}"):
        tarocco.figure(judged, tmp_path / "figure.svg")
    assert os.listdir(tmp_path) == []


def test_pairs_are_of_correlations(result):
    with pytest.raises(InputError, match="pairs=True needs a result of correlate"):
        tarocco.figure(result, pairs=True)


def run_score(*more):
    folder = datasets.__file__.replace("datasets.py", "data/demo")
    return main(["score", f"{folder}/ref1.txt", "-i", f"{folder}/careful.txt", f"{folder}/brief.txt", *map(str, more)])


def test_score_draws_a_figure(capsys, tmp_path):
    assert run_score() == 0
    plain = capsys.readouterr()
    assert run_score("--figure", tmp_path / "scores.svg") == 0
    assert capsys.readouterr() == plain
    drawn = Drawing((tmp_path / "scores.svg").read_text("utf-8"))
    assert drawn.texts("role-title-text") == [["BLEU-4"]]
    assert ["careful", "brief"] in drawn.texts("role-axis-label")
    assert [len(group) for group in drawn.marks("symbol")] == [2]


def test_a_wrong_figure_is_said_before_scoring(capsys, tmp_path):
    for name, message in (
        ("scores.gif", "expected the name of a figure to end in"),
        ("no/scores.svg", "there is no directory"),
    ):
        with pytest.raises(SystemExit) as stop:
            run_score("--figure", tmp_path / name)
        captured = capsys.readouterr()
        assert (stop.value.code, captured.out) == (2, "")
        assert message in captured.err
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("module", "name"), [("altair", "Altair"), ("vl_convert", "vl-convert")])
def test_without_the_extra_nothing_is_scored(capsys, tmp_path, monkeypatch, module, name):
    monkeypatch.setitem(sys.modules, module, None)
    assert run_score("--figure", tmp_path / "scores.svg") == 1
    assert capsys.readouterr() == ("", f'tarocco: plots need {name}: pip install "tarocco[plots]"\n')
