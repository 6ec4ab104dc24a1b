"""Correlation and comparison of scores without texts: arrays, data frames and mappings give the same results."""

import numpy as np
import pandas as pd
import pytest

import tarocco

NAMES = ["A", "B", "C", "D", "E"]
GENERATOR = np.random.default_rng(3)
PEOPLE = np.arange(5)[:, None] + GENERATOR.normal(size=(5, 30))
METRIC = PEOPLE + GENERATOR.normal(size=(5, 30))


def frame(values):
    return pd.DataFrame(values, NAMES) if np.ndim(values) == 2 else pd.Series(values, NAMES)


def mapping(values):
    return dict(zip(NAMES, np.asarray(values).tolist(), strict=True))


def numbers(result):
    return [(record.metric, record.coefficients["pearson"].value, record.interval.low) for record in result][:2]


@pytest.mark.parametrize("people", [PEOPLE, PEOPLE.mean(axis=1)], ids=["segments", "systems"])
@pytest.mark.parametrize(
    "forms", [(np.asarray, np.asarray), (frame, frame), (frame, np.asarray), (np.ndarray.tolist, mapping)]
)
def test_correlation_of_any_form(people, forms):
    expected = tarocco.correlate(human=mapping(people), external={"M": mapping(METRIC)})
    found = tarocco.correlate(human=forms[0](people), external={"M": forms[1](METRIC)})
    assert numbers(found) == numbers(expected)
    system_means = METRIC.mean(axis=1), PEOPLE.mean(axis=1)
    assert found["M"].coefficients["pearson"].value == pytest.approx(np.corrcoef(*system_means)[0, 1])


def test_correlation_is_that_of_the_same_scores_beside_texts():
    texts = {name: ["x"] * 30 for name in NAMES}
    beside = tarocco.correlate(texts, ["x"] * 30, frame(PEOPLE), metrics=[], external={"M": frame(METRIC)})
    alone = tarocco.correlate(human=frame(PEOPLE), external={"M": frame(METRIC)})
    assert numbers(alone)[:1] == numbers(beside)[:1]
    assert {"length ratio"} == {record.metric for record in beside} - {record.metric for record in alone}


def test_segments_and_missing_scores():
    metric = METRIC.copy()
    metric[0, :3] = np.nan
    result = tarocco.correlate(human=PEOPLE, external={"M": metric}, level="segment", grouping="item")
    assert result["M"].metric == "M"
    assert result["M"].coefficients["kendall"].value > 0.3


def test_errors_have_a_direction():
    up, down = (
        tarocco.correlate(human=PEOPLE, external={name: sign * METRIC})["M"].coefficients["pearson"].value
        for name, sign in (("M", 1), ("M:error", -1))
    )
    assert up == pytest.approx(down)


def test_comparison():
    texts = {name: ["x"] * 30 for name in NAMES}
    beside = tarocco.compare(texts, ["x"] * 30, metrics=[], external={"M": mapping(METRIC)})
    for table in (frame(METRIC), mapping(METRIC)):
        alone = tarocco.compare(external={"M": table})
        assert [(one.system, one.p_holm) for one in alone] == [(one.system, one.p_holm) for one in beside]
    assert tarocco.compare(external={"M": METRIC}, baseline="system 2").of("M", "system 5").significant


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: tarocco.correlate(external={"M": METRIC}), "expected human scores"),
        (lambda: tarocco.correlate(human=PEOPLE), "no metric was selected"),
        (lambda: tarocco.correlate(human=PEOPLE, external={"M": METRIC}, metrics="chrF"), "chrF reads texts"),
        (
            lambda: tarocco.correlate(human=PEOPLE, external={"M": METRIC[:4]}),
            "M: expected 5 rows, one per system, found 4",
        ),
        (lambda: tarocco.correlate(human=PEOPLE, external={"M": METRIC[:, :9]}), "expected 9 numbers"),
        (lambda: tarocco.correlate({"A": ["x"]}, human=PEOPLE), "references"),
        (lambda: tarocco.compare(), "expected systems and references, or scores"),
        (lambda: tarocco.compare(metrics="chrF", external={"M": METRIC}), "metrics read texts"),
        (lambda: tarocco.compare(external={"M": "scores.tsv"}), "without texts, expected an array"),
        (lambda: tarocco.compare(external={"M": np.zeros((2, 2, 2))}), r"found shape \(2, 2, 2\)"),
        (lambda: tarocco.compare(external={"M": [["a"], ["b"]]}), "expected numbers, one row per system"),
        (lambda: tarocco.compare(external={"M": pd.DataFrame([[1.0], [2.0]], ["A", "A"])}), "found A twice"),
    ],
)
def test_errors_say_what_was_expected(use, message):
    with pytest.raises(tarocco.TaroccoError, match=message):
        use()
