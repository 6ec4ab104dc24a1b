"""Who is better, by a metric and by people: accuracies of pairs against slow twins."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textbook import correlations as textbook

from tarocco.core.errors import InputError
from tarocco.meta.correlation.agreement import (
    accuracy_with_ties,
    calibrated_ties,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    soft_signs,
)
from tarocco.scoring.resampling import draw_random_sets

MISSING = float("nan")
ROUND = st.integers(-4, 4).map(lambda k: k / 4)
FINE = st.floats(-1, 1).map(lambda x: round(x, 3))


@st.composite
def tables(draw, systems=5, segments=6):
    """The metric's and people's float64[systems, segments], with ties and holes."""
    shape = draw(st.integers(1, systems)), draw(st.integers(1, segments))
    values = draw(st.sampled_from([ROUND, ROUND | st.just(MISSING), FINE | st.just(MISSING)]))
    n = shape[0] * shape[1]
    return [np.array(draw(st.lists(values, min_size=n, max_size=n)), float).reshape(shape) for _ in range(2)]


def test_pseudo_documents_are_distinct_segments_and_depend_on_seed_and_number_alone():
    found = draw_random_sets(5, 100, count=400, size=30)
    assert all(len(set(document)) == 30 for document in found.tolist())
    assert found.tolist()[:20] == draw_random_sets(5, 100, count=20, size=30).tolist()
    assert found.tolist() != draw_random_sets(6, 100, count=400, size=30).tolist()
    times = np.bincount(found.ravel(), minlength=100)  # binomial, 120 expected, standard deviation 9
    assert times.min() > 75
    assert times.max() < 165
    assert draw_random_sets(5, 30, count=2).tolist() == [list(range(30))] * 2
    with pytest.raises(InputError, match="expected at least 30 segments to draw sets of 30, found 29"):
        draw_random_sets(5, 29)


@given(tables())
def test_pairwise_accuracy_is_the_twins(sides):
    metric, human = (side[:, 0] for side in sides)
    assert pairwise_accuracy(metric, human) == pytest.approx(textbook.pairwise_accuracy(metric, human), nan_ok=True)


@pytest.mark.parametrize("symmetric", [False, True])
@given(sides=tables(), seed=st.integers(0, 3))
def test_soft_pairwise_accuracy_is_the_twins(sides, seed, symmetric):
    swaps = soft_signs(seed, 12, sides[0].shape[1]) < 0
    wanted = textbook.soft_pairwise_accuracy(*sides, swaps, symmetric)
    found = soft_pairwise_accuracy(*sides, n_permutations=12, seed=seed, symmetric=symmetric)
    assert found == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_soft_pairwise_accuracy_of_mt_metrics_eval():
    """mt-metrics-eval (commit 1b47eab), seed 4 and 1000 permutations, on scores that float32 holds exactly.

    Computed by compute_one_minus_pce of compute_pairwise_p_values(human) and of the metric's, for the tables below and
    for the systems in reverse.
    """
    draws = np.random.default_rng(7)
    human = draws.integers(-6, 1, (7, 60)) / 4
    metric = np.round(human.mean(axis=1, keepdims=True) * 2) / 2 + draws.integers(0, 3, (7, 60))
    metric[3] = metric[4]
    assert soft_pairwise_accuracy(metric, human) == pytest.approx(0.7354285714285715, abs=1e-12)
    assert soft_pairwise_accuracy(metric[::-1], human[::-1]) == pytest.approx(0.747952380952381, abs=1e-12)


def test_soft_pairwise_accuracy_of_people_with_themselves_is_one():
    human = np.random.default_rng(1).normal(size=(6, 90))
    assert soft_pairwise_accuracy(3 * human + 1, human) == 1.0
    assert soft_pairwise_accuracy(-human, human) < 0.9
    noise = np.random.default_rng(2).normal(size=(6, 90))
    assert soft_pairwise_accuracy(noise, human, seed=1) != soft_pairwise_accuracy(noise, human, seed=2)


def test_the_order_of_systems_does_not_matter_for_soft_accuracy():
    rng = np.random.default_rng(3)
    human = rng.normal(size=(6, 40)) + np.arange(6.0)[:, None] / 2
    coarse = np.round(human.mean(axis=1, keepdims=True)) + np.zeros((1, 40))
    for metric in (coarse, np.ones((6, 40))):
        forth, back = (soft_pairwise_accuracy(metric[::way], human[::way], symmetric=True) for way in (1, -1))
        assert forth == pytest.approx(back, abs=1e-12)
    assert soft_pairwise_accuracy(np.ones((6, 40)), human, symmetric=True) == pytest.approx(0.5, abs=0.05)


@given(tables())
def test_tie_calibration_is_the_twins(sides):
    wanted, epsilon = textbook.calibrated_ties(*sides)
    found = calibrated_ties(*sides)
    assert found.accuracy == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert found.epsilon == epsilon
    assert accuracy_with_ties(*sides, epsilon) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@given(tables(), FINE.map(abs))
def test_accuracy_with_ties_is_the_twins_at_any_epsilon(sides, epsilon):
    wanted = textbook.accuracy_with_ties(*sides, epsilon)
    assert accuracy_with_ties(*sides, epsilon) == pytest.approx(wanted, abs=1e-12, nan_ok=True)


def test_ties_worked_by_hand():
    """People: a tie, then an order. The metric's differences are 2 and 3: at 2 both items are right."""
    metric = np.array([[5.0, 5.0], [3.0, 2.0]])
    human = np.array([[1.0, 2.0], [1.0, 1.0]])
    found = calibrated_ties(metric, human)
    assert (found.accuracy, found.epsilon, found.items, found.pairs) == (1.0, 2.0, 2, 2)
    assert accuracy_with_ties(metric, human, 0.0) == 0.5
    assert accuracy_with_ties(metric, human, 3.0) == 0.5


def test_one_system_has_no_pairs():
    one = np.ones((1, 4))
    assert math.isnan(pairwise_accuracy(one[:, 0], one[:, 0]))
    assert math.isnan(soft_pairwise_accuracy(one, one))
    found = calibrated_ties(one, one)
    assert math.isnan(found.accuracy)
    assert found.items == 0
