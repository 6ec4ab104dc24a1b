"""`tarocco queen`, `king` and `jack`: every format, every option, and one sentence for bad input."""

import csv
import io
import json
import warnings

import numpy as np
import pytest
from conftest import ROOT

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.cli.qarla import METRICS as SHOWN
from tarocco.meta.qarla.qarla import METRICS

FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
DEMO = datasets.load("demo")
REFERENCES = [str(FOLDER / f"ref{i}.txt") for i in (1, 2, 3, 4)]
SYSTEMS = {name: DEMO.systems[name] for name in ("careful", "mirror", "brief")}
FILES = [str(FOLDER / f"{name}.txt") for name in SYSTEMS]
NAMES = ["ROUGE-L", "1-WER"]


@pytest.fixture
def run(capsys):
    def call(*arguments, code=0):
        assert main(list(arguments)) == code
        return capsys.readouterr()

    return call


def judged(run, command, *more, metrics=NAMES, code=0):
    own = ["-m", *metrics] if metrics else []
    return run(command, *REFERENCES, "-i", *FILES, *own, "--n-resamples", "50", *more, code=code)


def test_the_same_defaults():
    assert tuple(SHOWN.split()) == METRICS


@pytest.mark.parametrize("command", ["queen", "king", "jack"])
def test_json(run, command):
    """The envelope, and the numbers of the Python function."""
    found = json.loads(judged(run, command, "-f", "json").out)
    assert (found["command"], found["seed"], set(found["signatures"])) == (command, 12345, set(NAMES))
    result = getattr(tarocco, command)(SYSTEMS, DEMO.references, metrics=NAMES, n_resamples=50)
    assert found["results"] == json.loads(json.dumps(result.to_dict()))
    assert all(one[command] is not None and len(one["interval"]) == 2 for one in found["results"])


@pytest.mark.parametrize("command", ["queen", "king", "jack"])
@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_separated(run, command, form):
    out = judged(run, command, "-f", form).out
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t" if form == "tsv" else ","))
    result = getattr(tarocco, command)(SYSTEMS, DEMO.references, metrics=NAMES, n_resamples=50)
    assert [float(row[command]) for row in rows] == [row[command] for row in result.rows()]
    assert all({"low", "high", "signature"} <= set(row) for row in rows)


@pytest.mark.parametrize("command", ["queen", "king", "jack"])
@pytest.mark.parametrize("form", ["table", "md", "latex"])
def test_tables(run, command, form):
    captured = judged(run, command, "-f", form)
    assert command.upper() in captured.out
    assert f"{command.upper()}|" in captured.out.replace("\\", "")
    assert captured.err == ""


def test_segment_level(run):
    found = json.loads(judged(run, "queen", "--level", "segment", "-f", "json", "--segments", "2,5-6").out)
    expected = tarocco.queen(SYSTEMS, DEMO.references, metrics=NAMES)
    for one in found["results"]:
        assert one["segments"] == pytest.approx(expected[one["system"]].segments[[1, 4, 5]].tolist())
        assert len(one["ulc_segments"]) == 3
    table = judged(run, "queen", "--level", "segment", "--segments", "2,5-6").out.splitlines()
    assert [line.split()[:2] for line in table[2:6]] == [
        ["2", "careful"],
        ["2", "mirror"],
        ["2", "brief"],
        ["5", "careful"],
    ]
    assert len(judged(run, "queen", "--level", "segment", "--segments", "2,5-6", "-b").out.split()) == 9


def test_sets_and_references(run):
    more = ("--set", "RG-L", "1-WER", "--set", "NIST-3", "--by-reference")
    found = json.loads(judged(run, "king", *more, "-f", "json", metrics=None).out)
    assert {tuple(one["metrics"]) for one in found["results"]} == {("ROUGE-L", "1-WER"), ("NIST-3",)}
    for one in found["results"]:
        assert list(one["by_reference"]) == ["ref1", "ref2", "ref3", "ref4"]
        assert np.mean([own["king"] for own in one["by_reference"].values()]) == pytest.approx(one["king"])
    rows = list(csv.DictReader(io.StringIO(judged(run, "king", *more, "-f", "tsv", metrics=None).out), delimiter="\t"))
    assert len(rows) == 8
    assert {row["reference"] for row in rows} == {"ref1", "ref2", "ref3", "ref4"}
    assert judged(run, "king", *more, metrics=None).out.count("ref3") == 2
    assert "ref3" in judged(run, "jack", "--by-reference").out


def test_score_only(run):
    result = tarocco.king(SYSTEMS, DEMO.references, metrics=NAMES)
    assert judged(run, "king", "-b", "-w", "6").out.split() == [f"{one.king:.6f}" for one in result]


def test_system_level_and_trans_topic(run):
    found = json.loads(judged(run, "king", "--level", "system", "--trans-topic", "--pairs", "64", "-f", "json").out)
    result = tarocco.king(
        SYSTEMS, DEMO.references, metrics=NAMES, level="system", trans_topic=True, n_pairs=64, n_resamples=50
    )
    assert found["level"] == "system"
    assert found["results"] == json.loads(json.dumps(result.to_dict()))


def test_experiment_file(run):
    out = run("king", str(FOLDER / "demo.toml"), "-m", "chrF", "--n-resamples", "20", "-b").out
    assert float(out) == round(tarocco.king(DEMO.systems, DEMO.references, metrics="chrF")["chrF"].king, 4)


def test_jobs_do_not_matter(run):
    assert judged(run, "king", "-j", "1").out == judged(run, "king", "-j", "3").out


def pair_table(path, scores):
    """Every pair's scores as a table, in any order."""
    lines = ["target\treference\tsegment\tscore"]
    for (target, reference), values in scores.items():
        lines += [f"{target}\t{reference}\t{i}\t{value!r}" for i, value in enumerate(values, start=1)]
    path.write_text("\n".join(lines) + "\n")


def pairs_of(names, texts, metric="ROUGE-L"):
    return {
        (target, reference): tarocco.score(texts[target], texts[reference], metrics=metric)[metric].segments.tolist()
        for target in names
        for reference in names
        if target != reference
    }


@pytest.fixture(scope="module")
def rouge_pairs():
    """ROUGE-L of every text against every other one, as if computed elsewhere."""
    texts = dict(SYSTEMS) | {f"ref{r + 1}": [own[r] for own in DEMO.references] for r in range(4)}
    return pairs_of(list(texts), texts)


@pytest.mark.parametrize("command", ["queen", "king", "jack"])
def test_pairs_made_elsewhere(run, command, rouge_pairs, tmp_path):
    """A metric whose scores of pairs come from a file is judged as the metric is; so is one given by a program."""
    pair_table(tmp_path / "pairs.tsv", rouge_pairs)
    more = ("--scores", f"Elsewhere={tmp_path / 'pairs.tsv'}", "-b", "-w", "9")
    out = judged(run, command, *more, metrics=["WER"]).out
    assert out == judged(run, command, "-b", "-w", "9", metrics=["WER", "ROUGE-L"]).out
    numbers = {tuple(name.removeprefix("ref") for name in pair): values for pair, values in rouge_pairs.items()}
    given = getattr(tarocco, command)(SYSTEMS, DEMO.references, metrics="WER", external={"Elsewhere": numbers})
    assert [round(row[command], 9) for row in given.rows()] == pytest.approx([float(one) for one in out.split()])


def test_external_scores_in_a_set(run, rouge_pairs, tmp_path):
    pair_table(tmp_path / "pairs.tsv", rouge_pairs)
    more = ("--scores", f"Elsewhere={tmp_path / 'pairs.tsv'}", "--set", "Elsewhere", "-f", "json")
    (one,) = json.loads(judged(run, "king", *more, metrics=None).out)["results"]
    assert one["metrics"] == ["Elsewhere"]


def test_a_pair_that_is_missing(run, rouge_pairs, tmp_path):
    pair_table(tmp_path / "pairs.tsv", {pair: own for pair, own in rouge_pairs.items() if pair != ("ref2", "ref3")})
    captured = judged(run, "king", "--scores", f"X={tmp_path / 'pairs.tsv'}", code=1)
    assert captured.err == "tarocco: X: no scores of ref2 against ref3\n"
    assert captured.out == ""


def test_a_score_of_a_pair_that_is_missing(run, rouge_pairs, tmp_path):
    gap = list(rouge_pairs["ref2", "ref3"])
    gap[6] = float("nan")
    pair_table(tmp_path / "pairs.tsv", rouge_pairs | {("ref2", "ref3"): gap})
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        captured = judged(run, "king", "--scores", f"X={tmp_path / 'pairs.tsv'}")
    total = (len(SYSTEMS) + 3) * 4 * 60
    assert f"X: 1 of {total} scores of pairs are missing (first: ref2 against ref3, segment 7)" in captured.err


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("king", *REFERENCES[:2], "-i", *FILES), 1, "KING needs at least three references"),
        (("queen", *REFERENCES[:1], "-i", *FILES), 1, "QUEEN needs at least two references"),
        (("jack", *REFERENCES, "-i", FILES[0]), 1, "JACK needs at least two systems"),
        (("king", *REFERENCES, "-i", *FILES, "--segments", "50-61"), 1, "there is no segment 61: there are 60"),
        (("king", *REFERENCES, "-i", *FILES, "--segments", "5-3"), 2, "expected segments such as 1-3,10,50-100"),
        (("king", *REFERENCES, "-i", *FILES, "--segments", "0"), 2, "expected segments such as 1-3,10,50-100"),
        (("king", *REFERENCES, "-i", *FILES, "--set", "ROUGE-LL"), 1, "ROUGE-LL"),
        (("queen", *REFERENCES), 1, "which systems?"),
    ],
)
def test_bad_input(capsys, arguments, code, sentence):
    try:
        ended = main(list(arguments))
    except SystemExit as stopped:
        ended = stopped.code
    assert ended == code
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.out == ""
    assert "Traceback" not in captured.err


def test_segments_left_out_are_told(run, tmp_path):
    lines = (FOLDER / "ref4.txt").read_text("utf-8").splitlines()
    lines[7] = ""
    (tmp_path / "ref4.txt").write_text("\n".join(lines) + "\n", "utf-8")
    files = [*REFERENCES[1:3], str(tmp_path / "ref4.txt")]
    captured = run("king", *files, "-i", *FILES, "-m", "ROUGE-L", "--n-resamples", "20")
    assert captured.err == "tarocco: note: 1 of 60 segments have fewer than 3 references and are left out\n"
