"""`tarocco tune` and `tarocco rerank`: what is printed and written, and what is refused and how."""

import json

import pytest
from conftest import ROOT

import tarocco
from tarocco.cli import main
from tarocco.io.nbest.features import read_weights

DEMO = ROOT / "src" / "tarocco" / "data" / "demo"
NBEST = str(DEMO / "nbest.txt")
REFERENCES = [str(DEMO / f"ref{i}.txt") for i in (1, 2)]
FEW = ("--restarts", "1", "--directions", "1")


def run(capsys, *arguments):
    code = main([*map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def tuned(capsys, *arguments):
    code, out, err = run(capsys, "tune", NBEST, "-r", *REFERENCES, *FEW, *arguments)
    assert code == 0, err
    return out, err


def test_tables(capsys):
    out, err = tuned(capsys, "-m", "BLEU-4", "TER", "--shares", "2", "1")
    lines = out.splitlines()
    assert lines[0].split() == ["metric", "start", "tuned", "difference"]
    assert [line.split()[0] for line in lines if line[:1].isalpha()][:8] == [
        *("metric", "BLEU-4", "TER", "weight"),
        *("TM", "D", "E", "WP"),
    ]
    assert "|share:0.666667|start:scores|restarts:1|directions:1|n:1000|seed:12345|" in out
    assert "20 of 60 segments have no list" in err
    assert "weighted sum of their features" in err


@pytest.mark.parametrize("name", ["weights.json", "weights.ini"])
def test_what_is_written_is_read_back(capsys, tmp_path, name):
    weights, best = tmp_path / name, tmp_path / "best.txt"
    out, _ = tuned(capsys, "-o", weights, "--best", best, "-f", "json")
    envelope = json.loads(out)
    assert {key: list(own) for key, own in read_weights(str(weights)).items()} == envelope["weights"]
    code, printed, err = run(capsys, "rerank", NBEST, "--weights", weights)
    assert code == 0
    assert best.read_text("utf-8").startswith(printed)
    assert len(best.read_text("utf-8").splitlines()) == 60
    assert "their lines are empty" in err
    again, _ = tuned(capsys, "--weights", weights, "-f", "json")
    assert json.loads(again)["origin"] == "given"
    assert json.loads(again)["results"][0]["start"] == envelope["results"][0]["tuned"]


def test_formats(capsys):
    out, _ = tuned(capsys, "-f", "json", "-m", "BLEU-4", "TER")
    found = json.loads(out)
    assert (found["command"], [one["metric"] for one in found["results"]]) == ("tune", ["BLEU-4", "TER"])
    assert [one["start"] for one in found["starts"]] == [0, 1]
    low, high = found["results"][0]["interval"]
    assert low < found["results"][0]["tuned"] < high < 1
    out, _ = tuned(capsys, "-f", "tsv")
    assert [line.split("\t")[1] for line in out.splitlines()] == ["name", "TM", "D", "E", "WP", "BLEU-4"]
    assert "| TM |" in tuned(capsys, "-f", "md")[0]
    assert "tabular" in tuned(capsys, "-f", "latex")[0]
    assert float(tuned(capsys, "-b", "-q")[0]) > 50


def test_an_experiment_names_lists_and_references(capsys):
    code, out, _ = run(capsys, "tune", DEMO / "demo.toml", *FEW, "-f", "json")
    assert code == 0
    assert [one["metric"] for one in json.loads(out)["results"]] == ["BLEU-4"]
    assert json.loads(out)["results"][0]["signature"].startswith("BLEU-4|nrefs:4|")


def test_jobs_do_not_matter(capsys):
    assert tuned(capsys, "-j", "1") == tuned(capsys, "-j", "3")


def test_reranking_with_places_and_scores(capsys, tmp_path):
    (tmp_path / "w.ini").write_text("[feature]\nLM path=x\n\n[weight]\nTM= 1 # of all\nD= .8\nE= 1.5\nWP= 0.1\n")
    code, out, _ = run(capsys, "rerank", NBEST, "--weights", tmp_path / "w.ini", "-f", "json")
    found = json.loads(out)
    assert (code, found["weights"]["E"], len(found["results"])) == (0, [1.5], 40)
    assert {row["place"] for row in found["results"]} == {1}  # the lists are sorted by this very sum
    assert run(capsys, "rerank", NBEST, "--weights", tmp_path / "w.ini", "-f", "tsv")[1].count("\n") == 41


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("w.ini", "LM0= 1\n", 'w.ini: expected lines such as "LM0= 0.5 0.2" after [weight], found none'),
        ("w.ini", "[weight]\nTM 1\n", "w.ini, line 2: expected a feature and its weights"),
        ("w.ini", "[weight]\nTM= x\n", "w.ini, line 2: expected a finite number as weight of TM, found 'x'"),
        ("w.ini", "[weight]\nTM= 1\nTM= 2\n", "w.ini, line 3: expected each feature once, found TM twice"),
        ("w.json", "{", "w.json, line 1: expected JSON"),
        ("w.json", "[1]", 'w.json: expected a mapping such as {"LM0"'),
        ("w.json", '{"TM": NaN}', "w.json: expected a finite number as weight of TM, found nan"),
        ("w.json", '{"TM": true}', "w.json: expected a finite number as weight of TM, found True"),
        ("w.json", "{}", "w.json: expected weights of features, found none"),
        ("w.json", '{"weights": {"LM": 1}}', "w.json: there is a weight for LM, but the lists have only the features"),
        ("w.json", '{"TM": 1}', "w.json: expected 1 weight for D, found none"),
    ],
)
def test_weights_that_are_refused(capsys, tmp_path, monkeypatch, name, content, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(content)
    code, out, err = run(capsys, "rerank", NBEST, "--weights", name)
    assert (code, out) == (1, "")
    assert message in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((NBEST,), "no reference file: name them with -r"),
        ((NBEST, "-r", *REFERENCES, "--shares", "1", "2"), "--shares: there are 1 metrics, but 2 shares"),
        ((NBEST, "-r", *REFERENCES, "-o", "weights.txt"), "expected a file that ends in .json or"),
        ((NBEST, "-r", *REFERENCES, "-o", "w.json", "--best", "w.json"), "two outputs would be written to this file"),
        (("-", "-r", "-"), "standard input can be read once"),
        (("gone.txt", "-r", *REFERENCES), "gone.txt"),
    ],
)
def test_commands_that_are_refused(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "tune", *arguments)
    assert (code, out) == (1, "")
    assert message in err
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_where_nothing_was_found(capsys, tmp_path):
    (tmp_path / "n").write_text("0 ||| a ||| f= x ||| 1\n")
    code, _, _ = run(capsys, "tune", tmp_path / "n", "-r", *REFERENCES, "-o", tmp_path / "w.json")
    assert code == 1
    assert [path.name for path in tmp_path.iterdir()] == ["n"]


def test_a_share_is_above_zero(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["tune", NBEST, "-r", *REFERENCES, "--shares", "0"])
    assert stopped.value.code == 2
    assert "expected a number above 0, found 0" in capsys.readouterr().err


def test_public_names():
    assert {"tune", "rerank", "TuneResult", "RerankResult"} <= set(tarocco.__all__)
