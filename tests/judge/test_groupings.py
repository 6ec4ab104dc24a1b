"""Correlation of segments, systems and pseudo-documents, and its bootstrap intervals, against slow twins."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import correlations as textbook
from textbook import resampling

from tarocco.errors import BadParameter, InputError
from tarocco.judge.groupings import (
    by_item,
    by_system,
    interval,
    of_documents,
    resampled,
    system_level,
    system_means,
    ungrouped,
)
from tarocco.judge.streams import documents

MISSING = float("nan")
SCORES = st.integers(-8, 8).map(float)  # integers, whose means over up to six segments tie in the same way everywhere
TWINS = {"pearson": textbook.pearson, "spearman": textbook.spearman, "kendall": textbook.kendall}
GROUPINGS = {
    ungrouped: textbook.ungrouped,
    by_item: textbook.by_item,
    by_system: textbook.by_system,
    system_level: textbook.system_level,
}


@st.composite
def tables(draw):
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    values = draw(st.sampled_from([SCORES, SCORES | st.just(MISSING)]))
    n = shape[0] * shape[1]
    return [np.array(draw(st.lists(values, min_size=n, max_size=n)), float).reshape(shape) for _ in range(2)]


@pytest.mark.parametrize("grouping", GROUPINGS)
@given(tables(), st.sampled_from(sorted(TWINS)))
def test_groupings_are_the_twins(grouping, sides, coefficient):
    found = grouping(*sides, coefficient)
    wanted = GROUPINGS[grouping](TWINS[coefficient], *(side.tolist() for side in sides))
    assert found.value == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert (found.why is None) == (not math.isnan(wanted)) == (found.defined > 0)
    assert found.defined <= found.groups


@given(tables(), st.sampled_from(sorted(TWINS)), st.booleans())
def test_pseudo_documents_are_the_twins(sides, coefficient, within):
    chosen = documents(3, sides[0].shape[1], count=4, size=min(2, sides[0].shape[1]))
    twin = textbook.within_pseudo_documents if within else textbook.pseudo_documents
    wanted = twin(TWINS[coefficient], *(side.tolist() for side in sides), chosen.tolist())
    found = of_documents(*sides, coefficient, chosen, within)
    assert found.value == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@settings(max_examples=50)
@pytest.mark.parametrize("grouping", GROUPINGS)
@given(tables(), st.sampled_from(sorted(TWINS)), st.integers(0, 5))
def test_resamples_are_the_grouping_of_drawn_segments(grouping, sides, coefficient, seed):
    n = sides[0].shape[1]
    wanted = []
    for number in range(4):
        chosen = resampling.draws(n, seed, number)
        drawn = (side[:, chosen].tolist() for side in sides)
        wanted.append(GROUPINGS[grouping](TWINS[coefficient], *drawn))
    found = resampled(grouping, *sides, coefficient, 4, seed)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_document_intervals_resample_segments():
    rng = np.random.default_rng(2)
    human = rng.normal(size=(4, 12))
    metric = human + rng.normal(size=(4, 12))
    chosen = documents(1, 12, count=10, size=5)
    found = resampled(partial(of_documents, documents=chosen), metric, human, "pearson", 3, 9)
    for number, value in enumerate(found):
        segments = sorted(resampling.draws(12, 9, number))
        wanted = textbook.pseudo_documents(
            textbook.pearson, metric[:, segments].tolist(), human[:, segments].tolist(), chosen.tolist()
        )
        assert value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("grouping", GROUPINGS)
def test_intervals_hold_what_was_found_and_depend_on_the_seed_alone(grouping):
    rng = np.random.default_rng(7)
    human = rng.normal(size=(8, 60)) + np.arange(8.0)[:, None] / 3
    metric = human + rng.normal(size=(8, 60))
    found = interval(grouping, metric, human, "pearson", n_resamples=200, seed=3)
    assert found.low < grouping(metric, human, "pearson").value < found.high
    assert found == interval(grouping, metric, human, "pearson", n_resamples=200, seed=3, jobs=1)
    assert found != interval(grouping, metric, human, "pearson", n_resamples=200, seed=4)
    narrow = interval(grouping, metric, human, "pearson", confidence=0.5, n_resamples=200, seed=3)
    assert found.low < narrow.low < narrow.high < found.high


def test_system_means_use_the_segments_that_both_sides_have():
    metric = np.array([[1.0, 3.0, MISSING], [MISSING, 1.0, 1.0]])
    human = np.array([[5.0, MISSING, 2.0], [1.0, MISSING, 4.0]])
    means = system_means(metric, human)
    assert [side.tolist() for side in means] == [[1.0, 1.0], [5.0, 4.0]]


def test_it_is_said_why_there_is_no_agreement():
    human = np.arange(12.0).reshape(3, 4)
    assert system_level(np.full((3, 4), 0.1), human, "pearson").why == "the metric's side is constant"
    assert ungrouped(human, np.ones((3, 4)), "kendall").why == "the human side is constant"
    assert system_level(human[:2], human[:2], "pearson").why == "2 pairs of scores; a correlation needs at least 3"
    assert by_item(human[:2], human[:2], "pearson").why == "none of 4 groups has a correlation"
    nothing = interval(system_level, np.full((3, 4), 0.1), human, "pearson", n_resamples=20)
    assert math.isnan(nothing.low)


def test_undefined_groups_are_counted():
    human = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    found = by_item(2 * human, human, "pearson")
    assert (found.defined, found.groups) == (1, 2)
    assert found.value == pytest.approx(1)


def test_what_cannot_be_drawn_is_refused():
    human = np.arange(12.0).reshape(3, 4)
    with pytest.raises(BadParameter, match="confidence"):
        interval(by_item, human, human, "pearson", confidence=95)
    for grouping in GROUPINGS:
        with pytest.raises(InputError, match="no segments"):
            interval(grouping, human[:, :0], human[:, :0], "pearson")
