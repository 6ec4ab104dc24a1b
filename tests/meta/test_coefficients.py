"""Correlations of two lists: SciPy's numbers, a slow twin's, and the cases in which there are none."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textbook import correlations as textbook

from tarocco.core.errors import BadParameter
from tarocco.meta.correlation.agreement import correlations, explain_undefined, kendall, pearson, spearman

MISSING = float("nan")
ROUND = st.integers(-4, 4).map(lambda k: k / 4)  # many ties
FINE = st.integers(-(10**6), 10**6).map(lambda k: k / 1000)  # few
OURS = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
    "kendall-a": lambda x, y: kendall(x, y, "a"),
    "kendall-c": lambda x, y: kendall(x, y, "c"),
}
TWINS = {
    "pearson": textbook.pearson,
    "spearman": textbook.spearman,
    "kendall": textbook.kendall,
    "kendall-a": lambda x, y: textbook.kendall(x, y, variant="a"),
    "kendall-c": lambda x, y: textbook.kendall(x, y, variant="c"),
}


@st.composite
def lists(draw, most=30, missing=False):
    n = draw(st.integers(0 if missing else 3, most))
    values = draw(st.sampled_from([ROUND, FINE]))
    values = values | st.just(MISSING) if missing else values
    return [np.array(draw(st.lists(values, min_size=n, max_size=n)), float) for _ in range(2)]


@given(lists())
def test_scipy_says_the_same(sides):
    from scipy import stats

    x, y = sides
    if explain_undefined(x, y):
        assert all(math.isnan(ours(x, y)) for ours in OURS.values())
        return
    assert pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    for variant in "bc":
        theirs = stats.kendalltau(x, y, variant=variant).statistic
        assert kendall(x, y, variant) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize("name", OURS)
@given(lists(missing=True))
def test_the_twin_says_the_same_with_missing_scores(name, sides):
    assert OURS[name](*sides) == pytest.approx(TWINS[name](*sides), abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("variant", ["b", "c"])
def test_long_lists_with_ties_are_as_scipys(variant):
    from scipy import stats

    rng = np.random.default_rng(3)
    x = rng.integers(0, 900, 3001).astype(float)
    y = np.round(x / 90 + rng.normal(0, 3, 3001))
    assert kendall(x, y, variant) == pytest.approx(stats.kendalltau(x, y, variant=variant).statistic, abs=1e-12)


@pytest.mark.parametrize("name", OURS)
@given(st.data())
def test_many_rows_at_once_are_each_row_alone(name, data):
    n = data.draw(st.integers(1, 8))
    row = st.lists(ROUND | st.just(MISSING), min_size=n, max_size=n)
    x = np.array(data.draw(st.lists(row, min_size=1, max_size=6)))
    y = np.array(data.draw(st.lists(row, min_size=len(x), max_size=len(x))))
    np.testing.assert_array_equal(correlations(name, x, y), [OURS[name](*pair) for pair in zip(x, y, strict=True)])
    np.testing.assert_array_equal(correlations(name, x, y[:1]), [OURS[name](one, y[0]) for one in x])
    np.testing.assert_array_equal(correlations(name, x[:1], y), [OURS[name](x[0], one) for one in y])


def test_it_is_said_why_there_is_no_correlation():
    some = np.array([1.0, 2.0, 4.0])
    flat = np.full(3, 0.3)
    assert explain_undefined(some, some) is None
    assert explain_undefined(some, flat) == "all second values are equal"
    assert (
        explain_undefined(flat, some, names=("scores of the metric", "human scores"))
        == "all scores of the metric are equal"
    )
    assert explain_undefined(flat, flat) == "all first values are equal; all second values are equal"
    holes = np.array([1.0, MISSING, 2.0])
    assert explain_undefined(holes, some) == "2 pairs of scores; a correlation needs at least 3"
    for ours in OURS.values():
        assert all(math.isnan(ours(*sides)) for sides in ((some, flat), (flat, flat), (holes, some)))


def test_the_last_bits_of_equal_numbers_are_no_correlation():
    nearly = np.array([0.1 + 0.2, 0.3, 0.3])
    other = np.array([3.0, 1.0, 2.0])
    assert nearly[0] != nearly[1]
    assert explain_undefined(nearly, other) == "all first values are equal"
    assert math.isnan(pearson(nearly, other))


def test_tiny_and_huge_numbers_correlate_too():
    x = np.array([1.0, 2.0, 4.0, 3.0])
    for scale in (1e-200, 1e200):
        assert pearson(x * scale, x[::-1]) == pytest.approx(textbook.pearson(x, x[::-1]), abs=1e-12)


def test_unknown_names_are_refused():
    with pytest.raises(BadParameter, match="a, b or c, not 'd'"):
        kendall(np.arange(3.0), np.arange(3.0), "d")
    with pytest.raises(BadParameter, match="one of pearson, spearman, kendall"):
        correlations("tau", np.ones((1, 3)), np.ones((1, 3)))
