"""Tuning from files to weights: merged lists, starts, what is held, and what reranking makes of the weights."""

import json

import numpy as np
import pytest
from conftest import ROOT

import tarocco
from tarocco.core.errors import BadParameter, InputError
from tarocco.decode.tuning.pool import pool_lists
from tarocco.io.nbest.lists import NBestFile

DEMO = ROOT / "src" / "tarocco" / "data" / "demo"
NBEST = DEMO / "nbest.txt"
REFERENCES = list(zip(*((DEMO / f"ref{i}.txt").read_text("utf-8").splitlines() for i in (1, 2, 3, 4)), strict=True))
START = {"TM": 1.0, "D": 0.8, "E": 1.5, "WP": 0.1}  # as the data's README has them
FEW = {"restarts": 2, "directions": 2}


def told(result):
    return result.weights, result.texts, result.metrics, result.starts, result.places.tolist()


def test_the_score_is_that_of_the_chosen_texts():
    result = tarocco.tune(NBEST, REFERENCES, metrics=["BLEU-4", "TER"], shares=[3, 1], **FEW)
    own = [REFERENCES[segment] for segment in result.segments]
    scores = tarocco.score(list(result.texts), own, metrics=["BLEU-4", "TER"], tokenize="none", confidence=0.95)
    for name in scores:
        assert result[name].tuned == scores[name].score
        assert (result[name].interval.low, result[name].interval.high) == pytest.approx(
            (scores[name].interval.low, scores[name].interval.high)
        )
    assert result.objective == pytest.approx(0.75 * scores["BLEU-4"].score - 0.25 * scores["TER"].score)
    assert result.objective > result.start_objective
    assert result.objective == max(one.objective for one in result.starts)
    assert len(result.starts) == 3
    assert result["BLEU-4"].difference == result["BLEU-4"].tuned - result["BLEU-4"].start
    assert np.isclose(sum(abs(weight) for own in result.weights.values() for weight in own), 1)


def test_scores_that_are_weighted_sums_reveal_the_start():
    result = tarocco.tune(NBEST, REFERENCES, restarts=0, directions=0)
    assert result.origin == "scores"
    ratio = [result.start[name][0] / result.start["TM"][0] for name in START]
    assert ratio == pytest.approx(list(START.values()), abs=2e-4)
    first = {int(line.split(" ", 1)[0]): line.split(" ||| ")[1] for line in reversed(NBEST.read_text().splitlines())}
    start = tarocco.score(
        list(first.values()), [REFERENCES[i] for i in first], metrics="BLEU-4", tokenize="none"
    )  # lists are sorted by score
    assert result["BLEU-4"].start == pytest.approx(start["BLEU-4"].score, abs=2e-3)


def test_of_several_rounds_the_last_reveals_the_start(tmp_path):
    rows = [line.split(" ||| ") for line in NBEST.read_text("utf-8").splitlines()]
    values = [[float(part) for part in row[2].split()[1::2]] for row in rows]
    for name, weights in (("one", (1, 1, 1, 1)), ("two", (2, 1, 4, -0.5))):
        scores = [sum(w * f for w, f in zip(weights, own, strict=True)) for own in values]
        lines = [" ||| ".join([*row[:3], f"{score:.6g}"]) for row, score in zip(rows, scores, strict=True)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
    result = tarocco.tune([tmp_path / "one", tmp_path / "two"], REFERENCES, restarts=0, directions=0)
    ratio = [own[0] / result.start["D"][0] for own in result.start.values()]
    assert ratio == pytest.approx([2, 1, 4, -0.5], abs=1e-3)
    assert result.counts["merged"] == len(rows)


def test_without_telling_scores_tuning_begins_at_equal_weights(tmp_path):
    lines = [line.rpartition(" ||| ")[0] for line in NBEST.read_text("utf-8").splitlines()]
    path = tmp_path / "nbest.txt"
    path.write_text("\n".join(f"{line} ||| {-(i * 7919) % 101}" for i, line in enumerate(lines)) + "\n")
    result = tarocco.tune(path, REFERENCES, restarts=0, directions=0)
    assert (result.origin, result.start["E"]) == ("equal", (0.25,))
    assert any("equal" in note for note in result.notes)


def parted(folder, overlap):
    """The lists cut in two files; some candidates stand in both."""
    lines = {}
    for line in NBEST.read_text("utf-8").splitlines(keepends=True):
        lines.setdefault(line.split(" ", 1)[0], []).append(line)
    for name, part in (("one", lambda own: own[: len(own) // 2 + overlap]), ("two", lambda own: own[len(own) // 2 :])):
        (folder / name).write_text("".join(line for own in lines.values() for line in part(own)), "utf-8")
    return [folder / "one", folder / "two"]


@pytest.mark.parametrize("overlap", [0, 5])
def test_merged_lists_are_one_list(tmp_path, overlap):
    whole = tarocco.tune(NBEST, REFERENCES, weights=START, **FEW)
    merged = tarocco.tune(parted(tmp_path, overlap), REFERENCES, weights=START, **FEW)
    assert told(whole) == told(merged)
    assert merged.counts == {**whole.counts, "merged": 5 * len(whole.segments) if overlap else 0}


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_the_number_of_jobs_changes_nothing(jobs):
    assert told(tarocco.tune(NBEST, REFERENCES, jobs=jobs, **FEW)) == told(tarocco.tune(NBEST, REFERENCES, **FEW))


def test_what_tuning_chose_is_what_reranking_chooses(tmp_path):
    result = tarocco.tune(NBEST, REFERENCES, metrics="TER", **FEW)
    again = tarocco.rerank(NBEST, result.weights)
    assert (again.texts, again.places.tolist()) == (result.texts, result.places.tolist())
    assert again.lines() == result.lines()[: len(again.lines())]
    assert tarocco.rerank(parted(tmp_path, 3), result.weights).texts == result.texts
    assert [row["text"] for row in again.rows()] == list(result.texts)


def test_what_is_held_keeps_its_value():
    result = tarocco.tune(NBEST, REFERENCES, weights=START, fixed=["WP", "D"], **FEW)
    assert (result.weights["WP"], result.weights["D"]) == ((0.1,), (0.8,))
    assert result.start == {name: (weight,) for name, weight in START.items()}
    assert result.weights["TM"] != result.start["TM"]
    with pytest.raises(InputError, match="nothing to tune"):
        tarocco.tune(NBEST, REFERENCES, fixed=list(START))
    with pytest.raises(InputError, match="LM cannot be held: the lists have only the features TM"):
        tarocco.tune(NBEST, REFERENCES, fixed="LM")


def test_segments_without_a_list_are_left_out_and_counted():
    result = tarocco.tune(NBEST, REFERENCES, restarts=0, directions=0)
    assert result.counts["lists"] == len(result.segments) == 40
    assert result.notes[0] == "20 of 60 segments have no list and are left out"
    lines = result.lines()
    assert (len(lines), lines.count("")) == (60, 20)


def test_rows_and_json():
    result = tarocco.tune(NBEST, REFERENCES, metrics=["BLEU-4", "TER"], restarts=0, directions=0)
    assert [row["name"] for row in result.rows()] == ["TM", "D", "E", "WP", "BLEU-4", "TER"]
    json.dumps(result.to_dict(), allow_nan=False)
    assert [line.partition("|")[0] for line in repr(result).splitlines()[:2]] == ["BLEU-4", "TER"]
    assert repr(result).splitlines()[2].startswith("TM ")
    assert repr(tarocco.rerank(NBEST, START)).startswith("<the best of 40 lists with {'TM': (1.0,)")
    with pytest.raises(KeyError, match='"WER" is not a metric of this tuning; the metrics are BLEU-4, TER'):
        result["WER"]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"metrics": ["BLEU-4", "TER"], "shares": [1]}, BadParameter, "there are 2 metrics, but 1 shares"),
        ({"shares": [0]}, BadParameter, "a share is a number above 0, not 0"),
        ({"restarts": -1}, BadParameter, "restarts is an integer of at least 0, not -1"),
        ({"metrics": []}, InputError, "there is no metric to tune for"),
        ({"weights": {"TM": 1, "D": 1, "E": 1}}, InputError, "expected 1 weight for WP, found none"),
        ({"weights": {**START, "LM": 1}}, InputError, "there is a weight for LM, but the lists have only the features"),
        ({"weights": {**START, "E": [1, 2]}}, InputError, "expected 1 weight for E, found 2"),
        (
            {"weights": {**START, "E": float("nan")}},
            InputError,
            "weights: expected a finite number as weight of E, found nan",
        ),
        ({"weights": [1, 2]}, InputError, "weights: expected a mapping such as"),
    ],
)
def test_what_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        tarocco.tune(NBEST, REFERENCES, **options)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 ||| a ||| -1\n", "n, line 1: expected features such as"),
        ("0\ta\n", "n, line 1: expected features, found only texts"),
        (
            "0 ||| a ||| lm= 1 ||| 1\n0 ||| b ||| lm= 1 w= 2 ||| 1\n",
            "n, line 2: expected the features of the list's first candidate",
        ),
        (
            "0 ||| a ||| lm= 1 ||| 1\n0 ||| b ||| lm= nan ||| 1\n",
            'n, line 2: expected a number as value of a feature, found "nan"',
        ),
        (
            "0 ||| a ||| lm= 1 ||| 1\n1 ||| b ||| w= 1 ||| 1\n",
            r"n, line 2: .* w \(1\), and the one in .*n, line 1 has lm \(1\)",
        ),
        ("7 ||| a ||| lm= 1 ||| 1\n", "expected ids from 0 to 1, one per reference segment, found 7"),
    ],
)
def test_lists_that_are_refused(tmp_path, content, message):
    (tmp_path / "n").write_text(content)
    with pytest.raises(InputError, match=message):
        tarocco.tune(tmp_path / "n", [["a"], ["b"]])


def test_a_pool_has_each_candidate_once(tmp_path):
    (tmp_path / "n").write_text("0 ||| a ||| f= 0 ||| 1\n0 ||| a ||| f= 1 ||| 2\n0 ||| a ||| f= -0 ||| 3\n")
    pool = pool_lists([NBestFile(str(tmp_path / "n"))])
    assert (pool.features.tolist(), pool.fitted, pool.merged) == ([[0.0], [1.0]], None, 1)


def test_paths_are_wanted():
    for wrong in ([], [["a b", "b"]], 3):
        with pytest.raises(InputError, match="nbest is a file of n-best lists with features, or a list of such files"):
            tarocco.tune(wrong, REFERENCES)


def test_a_real_list(shared):
    """Moses' 100-best lists, whose scores have a weight of 0.1 for the language models and distortion alike."""
    folder = shared("data", "moses-fren-100best")
    references = next((folder / "ref").iterdir()).read_text("utf-8").splitlines()
    result = tarocco.tune(folder / "nbest.txt", references, lowercase=True, restarts=1, directions=0)
    assert result.origin == "scores"
    assert np.allclose(np.array(result.start["lm"]) / result.start["d"][0], 1, atol=1e-3)
    assert result["BLEU-4"].difference_interval.low > 0
