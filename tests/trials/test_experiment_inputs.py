"""An experiment file means the same for every command, for `tarocco trial` and for `tarocco.trial`."""

import json

import pytest

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.errors import InputError
from tarocco.scoring.settings import N_RESAMPLES, SEED, Text
from tarocco.trials.inputs import SETTINGS, choose_analyzer, combine_settings, open_experiment

DEMO = datasets.load("demo")
EXPERIMENT = """references = ["ref"]
systems = ["a", "b"]
metrics = ["WER"]
lowercase = true
confidence = 0.9
n_resamples = 40
seed = 0
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "ref").write_text("".join(f"{texts[0]}\n" for texts in DEMO.references[:12]))
    for name, system in (("a", "careful"), ("b", "brief")):
        (tmp_path / name).write_text("".join(f"{text}\n" for text in DEMO.systems[system][:12]))
    return tmp_path


def write_experiment(folder, more=""):
    path = folder / "experiment.toml"
    path.write_text(EXPERIMENT + more)
    return path


def interval_of(findings):
    interval = findings.scores.scores[0].interval
    return interval.confidence, interval.n_resamples, interval.seed


def test_the_defaults_are_those_of_the_python_functions():
    assert (SETTINGS["n_resamples"], SETTINGS["seed"]) == (N_RESAMPLES, SEED)
    assert (SETTINGS["tokenize"], SETTINGS["lowercase"]) == (Text().tokenize, Text().lowercase)


def test_python_and_the_commands_read_the_same_settings(folder, capsys):
    path = write_experiment(folder)
    findings = tarocco.trial(path)
    assert interval_of(findings) == (0.9, 40, 0), "a seed of 0 is a seed"
    assert findings.encoding.lowercase
    assert main(["trial", str(path), "-f", "json", "-q"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["seed"] == 0
    assert main(["score", str(path), "-f", "json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert [scores[name] for name in ("confidence", "n_resamples", "seed")] == [0.9, 40, 0]
    of_trial = [(one.system, one.score, [one.interval.low, one.interval.high]) for one in findings.scores.scores]
    assert [(one["system"], one["score"], one["interval"]) for one in scores["results"]] == of_trial


def test_the_caller_wins_over_the_file(folder):
    path = write_experiment(folder)
    findings = tarocco.trial(path, seed=7, confidence=0.8, n_resamples=30, lowercase=False, metrics="chrF")
    assert interval_of(findings) == (0.8, 30, 7)
    assert not findings.encoding.lowercase
    assert {str(score.metric) for score in findings.scores.scores} == {"chrF"}


def test_the_store_of_a_file_is_used_from_python(folder):
    path = write_experiment(folder, 'store = "scores.db"\n')
    tarocco.trial(path)
    assert (folder / "scores.db").stat().st_size > 0


def test_a_report_of_an_experiment_has_its_settings(folder, capsys):
    path = write_experiment(folder)
    assert main(["report", str(path), "--json", str(folder / "report.json"), "-q"]) == 0
    payload = json.loads((folder / "report.json").read_text())
    assert (payload["seed"], payload["board"]["confidence"]) == (0, 0.9)


def test_scores_of_candidates_are_no_surprise_in_a_trial(folder, capsys):
    lists = "".join(f"{i} ||| {DEMO.systems['careful'][i]}\n{i} ||| {DEMO.systems['brief'][i]}\n" for i in range(12))
    (folder / "nbest.txt").write_text(lists)
    records = [{"id": i, "scores": [0.5, 0.25], "references": [0.75]} for i in range(12)]
    (folder / "comet.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    path = write_experiment(folder, 'nbest = "nbest.txt"\nexternal = {COMET = "comet.jsonl"}\n')
    note = "COMET is left out"
    assert main(["score", str(path), "-b"]) == 0
    assert note in capsys.readouterr().err
    assert main(["trial", str(path), "-f", "tsv"]) == 0
    captured = capsys.readouterr()
    assert note not in captured.err
    assert "COMET" in captured.out
    assert "COMET" in [metric.metric for metric in tarocco.trial(path).orange.metrics]


def test_an_analyzer_of_the_caller_replaces_the_parses_of_the_file():
    file = type("Experiment", (), {"parses": ("a.conllu",), "analyzer": None, "labels": "iqmt"})
    settings = combine_settings({"analyzer": "spacy"}, file)
    assert (settings["analyzer"], settings["parses"], settings["labels"]) == ("spacy", None, "iqmt")
    settings = combine_settings({"analyzer": None}, file)
    assert (settings["analyzer"], settings["parses"]) == (None, ("a.conllu",))


@pytest.mark.parametrize(
    ("analyzer", "labels", "name"),
    [
        (None, "own", None),
        ("spacy", "own", "spacy"),
        (None, "iqmt", "spacy+iqmt"),
        ("spacy", "iqmt", "spacy+iqmt"),
        ("spacy+iqmt", "iqmt", "spacy+iqmt"),
    ],
)
def test_labels_are_added_once(analyzer, labels, name):
    settings = {"analyzer": analyzer, "labels": labels, "parses": None}
    assert choose_analyzer(settings, {}, print) == name


def test_an_analyzer_and_parses_exclude_each_other():
    with pytest.raises(InputError, match="--analyzer and --parses exclude each other"):
        choose_analyzer({"analyzer": "spacy", "labels": "own", "parses": ("a.conllu",)}, {}, print)


def test_a_file_without_systems_says_so_everywhere(folder, capsys):
    path = folder / "experiment.toml"
    path.write_text('references = ["ref"]\n')
    message = f"{path} names no systems: add systems = [...] or use -i"
    assert main(["score", str(path)]) == 1
    assert capsys.readouterr().err == f"tarocco: {message}\n"
    with pytest.raises(InputError) as error:
        tarocco.trial(path)
    assert str(error.value) == message
    assert open_experiment(path).systems == ()
