"""Which of two metrics is closer to people: tests of all pairs against slow twins and SciPy's distribution."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import correlations as textbook
from textbook import resampling

from tarocco.core.errors import InputError
from tarocco.meta.correlation.metric_tests import (
    perm_both,
    perm_input,
    perm_sys,
    perm_sys_pairwise,
    rank_clusters,
    williams,
)
from tarocco.meta.correlation.pairwise import PAIRWISE, resample_pairwise
from tarocco.meta.correlation.score_sources import make_source
from tarocco.meta.significance.distributions import upper_tail
from tarocco.meta.significance.multiple_testing import holm
from tarocco.meta.support.people import draw_systems
from tarocco.scoring.settings import Resampling

MISSING = float("nan")
ROUND = st.integers(-4, 4).map(lambda k: k / 4)
TWINS = {"pearson": textbook.pearson, "spearman": textbook.spearman, "kendall": textbook.kendall}


def same(found, wanted):
    """Numbers within a billionth, NaN where NaN is."""
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9)


def check_against_twin(found, metrics, human, coefficient, seed, n):
    coins = resampling.coins(seed, n, metrics[0].size)
    for a in range(len(metrics)):
        assert math.isnan(found.p_values[a, a])
        for b in range(a + 1, len(metrics)):
            wanted = textbook.perm_both(TWINS[coefficient], metrics[a].tolist(), metrics[b].tolist(), human, coins)
            same((found.difference[a, b], found.extreme[a, b]), wanted)
            same(found.extreme[b, a], wanted[1])
            same(found.difference[b, a], -wanted[0])
            same(found.p_values[a, b], (wanted[1] + 1) / (n + 1))


@settings(max_examples=60)
@given(st.data(), st.sampled_from(sorted(TWINS)))
def test_perm_both_is_the_twins_with_ties_and_missing_scores(data, coefficient):
    shape = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    values = data.draw(st.sampled_from([ROUND, ROUND | st.just(MISSING)]))
    n = math.prod(shape)
    metrics = np.array(data.draw(st.lists(values, min_size=n, max_size=n)), float).reshape(shape)
    human = np.array(data.draw(st.lists(values, min_size=shape[1], max_size=shape[1])), float)
    found = perm_both(metrics, human, coefficient, n_permutations=9, seed=4)
    check_against_twin(found, metrics, human.tolist(), coefficient, 4, 9)


@pytest.mark.parametrize("coefficient", sorted(TWINS))
def test_perm_sys_swaps_whole_systems(coefficient):
    rng = np.random.default_rng(8)
    metrics, human = rng.normal(size=(3, 7)), rng.normal(size=7)
    found = perm_sys(metrics, human, coefficient, n_permutations=40, seed=2)
    check_against_twin(found, metrics[:, :, None], human.tolist(), coefficient, 2, 40)


def test_a_good_metric_beats_noise_and_not_its_equal():
    rng = np.random.default_rng(5)
    human = np.arange(8.0)
    good, alike = (human[:, None] + rng.normal(0, 4, (8, 120)) for _ in range(2))
    noise = rng.normal(size=(8, 120))
    found = perm_both(np.stack([good, alike, noise]), human, n_permutations=300, seed=1)
    assert found.p_values[0, 2] == found.p_values[2, 0] < 0.01
    assert found.p_values[0, 1] > 0.04
    again = perm_both(np.stack([good, alike, noise]), human, n_permutations=300, seed=1, jobs=1)
    np.testing.assert_array_equal(found.p_values, again.p_values)


def test_people_have_a_score_for_each_system():
    with pytest.raises(InputError, match="expected human scores of 4 systems, found 3"):
        perm_both(np.ones((2, 4, 5)), np.ones(3))


@given(st.floats(-60, 60), st.integers(1, 3000))
def test_students_tail_is_scipys(t, degrees):
    from scipy import stats

    assert upper_tail(t, degrees) == pytest.approx(stats.t.sf(t, degrees), rel=1e-9, abs=1e-300)


def test_students_tail_where_it_is_known():
    assert upper_tail(0.0, 5) == 0.5
    assert upper_tail(1.0, 1) == pytest.approx(0.25)  # Cauchy's quartile
    assert upper_tail(-1.0, 1) == pytest.approx(0.75)
    assert math.isnan(upper_tail(1.0, 0))


def test_williams_is_its_formula():
    rng = np.random.default_rng(4)
    human = rng.normal(size=12)
    metrics = human + np.array([[0.3], [1.0]]) * rng.normal(size=(2, 12))
    found = williams(metrics, human)
    correlated = np.corrcoef([*metrics, human])
    first, second, between = correlated[0, 2], correlated[1, 2], correlated[0, 1]
    determinant = np.linalg.det(correlated)  # K, the determinant of the three correlations
    below = np.sqrt(2 * determinant * 11 / 9 + (first + second) ** 2 / 4 * (1 - between) ** 3)
    t = (first - second) * np.sqrt(11 * (1 + between)) / below
    assert found.t[0, 1] == pytest.approx(t) == -found.t[1, 0]
    assert found.p_values[0, 1] == found.p_values[1, 0] == 2 * upper_tail(abs(found.t[0, 1]), 9)
    assert found.points[0, 1] == 12


def test_williams_where_nothing_can_be_told():
    human = np.array([1.0, 2.0, 3.0, 5.0])
    metric = np.array([1.0, 3.0, 2.0, 4.0])
    found = williams(np.stack([metric, 2 * metric + 1, -metric, np.ones(4)]), human)
    assert found.p_values[0, 1] == 1
    assert math.isnan(found.p_values[0, 2])
    assert math.isnan(found.p_values[0, 3])
    assert math.isnan(williams(np.stack([metric, human])[:, :3], human[:3]).p_values[0, 1])


@given(st.lists(st.integers(0, 100).map(lambda k: k / 100), max_size=8), st.integers(0, 3))
def test_holm_is_the_twins(p_values, others):
    """Other tests, whose p-values are not listed, have p-values of 1."""
    same(holm(np.array(p_values)), textbook.holm(p_values))
    same(holm(np.array(p_values), len(p_values) + others), textbook.holm(p_values + [1.0] * others)[: len(p_values)])


def test_holm_leaves_out_what_was_not_tested():
    found = holm(np.array([[MISSING, 0.01], [0.04, MISSING]]))
    np.testing.assert_array_equal(found, [[MISSING, 0.02], [0.04, MISSING]])


def test_a_boundary_needs_every_pair_across_it():
    scores = np.array([0.5, 0.9, 0.8, MISSING, 0.4])
    p_values = np.full((5, 5), 0.5)
    assert rank_clusters(scores, p_values).tolist() == [1, 1, 1, 0, 1]
    p_values[2, 0] = p_values[2, 4] = p_values[1, 4] = 0.01  # the best does not beat the third best
    assert rank_clusters(scores, p_values).tolist() == [1, 1, 1, 0, 1]
    p_values[1, 0] = 0.01
    assert rank_clusters(scores, p_values).tolist() == [2, 1, 1, 0, 2]
    p_values[0, 4] = 0.01
    assert rank_clusters(scores, p_values).tolist() == [2, 1, 1, 0, 3]
    p_values[1, 4] = MISSING  # a pair that was not tested is across both boundaries
    assert rank_clusters(scores, p_values).tolist() == [1, 1, 1, 0, 1]


# --- coefficients that count pairs -----------------------------------------------------------------------------------


def whole_accuracy(metric, human):
    return textbook.pairwise_accuracy([round(row[0], 12) for row in metric], [row[0] for row in human])


@st.composite
def score_tables(draw, systems=(2, 5), segments=(1, 4), tables=3):
    shape = draw(st.integers(*systems)), draw(st.integers(*segments))
    values = draw(st.sampled_from([ROUND, ROUND | st.just(MISSING)]))
    n = math.prod(shape)
    return [np.array(draw(st.lists(values, min_size=n, max_size=n)), float).reshape(shape) for _ in range(tables)]


@settings(max_examples=60)
@given(score_tables(), st.sampled_from(["accuracy", "spa"]))
def test_swapped_systems_of_pairwise_coefficients_are_the_twins(tables, coefficient):
    if coefficient == "accuracy":
        tables = [table[:, :1] for table in tables]
    *metrics, human = tables
    found = perm_sys_pairwise(np.stack(metrics), human, coefficient, n_permutations=9, seed=4)
    agree = whole_accuracy if coefficient == "accuracy" else textbook.normal_spa
    masks = resampling.coins(4, 9, len(human))
    wanted = textbook.perm_sys_pairwise(agree, *(table.tolist() for table in (*metrics, human)), masks)
    np.testing.assert_allclose((found.difference[0, 1], found.extreme[0, 1]), wanted, rtol=0, atol=2e-6)


@given(score_tables(systems=(1, 3), segments=(1, 6), tables=1))
def test_swapped_segments_are_the_twins(tables):
    (values,) = tables
    found = perm_input(values, n_permutations=9, seed=4)
    masks = resampling.coins(4, 9, values.shape[1])
    for a in range(len(values)):
        for b in range(a + 1, len(values)):
            wanted = textbook.perm_input(values[a].tolist(), values[b].tolist(), masks)
            same((found.difference[a, b], found.extreme[a, b]), wanted)


@settings(max_examples=60)
@given(score_tables(tables=2), st.sampled_from(PAIRWISE), st.booleans(), st.integers(0, 3))
def test_resamples_of_pairwise_coefficients_are_the_twins(tables, coefficient, such, seed):
    metric, human = tables
    sources = [make_source("m", metric), make_source("h", human)]
    population = "such systems" if such else "these systems"
    (found,) = resample_pairwise(coefficient, sources[:1], sources[1], Resampling(4, seed=seed), population)
    n_systems, n = human.shape
    counts = draw_systems(n_systems, seed, 4)
    epsilon = textbook.calibrated_ties(metric.tolist(), human.tolist())[1]
    for number, value in enumerate(found):
        segments = resampling.draws(n, seed, number)
        total = weight = 0.0
        for i in range(n_systems):
            for j in range(i + 1, n_systems):
                pair = [[table[k, s] for s in segments] for table in (metric, human) for k in (i, j)]
                times = counts[number, i] * counts[number, j] if such else 1
                agreed, known = pair_agreement(coefficient, pair, epsilon, metric, human, segments)
                total, weight = total + times * agreed, weight + times * known
        wanted = total / weight if weight else MISSING
        assert value == pytest.approx(wanted, abs=1e-6, nan_ok=True)


def pair_agreement(coefficient, pair, epsilon, metric, human, segments):
    """(agreement, how much the pair counts) of one pair of systems on drawn segments."""
    x, y = pair[:2], pair[2:]
    if coefficient == "accuracy":
        means = [textbook.mean([v for v in row if not math.isnan(v)]) for row in pair]
        if any(map(math.isnan, means)):
            return 0, 0
        return textbook.sign(round(means[0] - means[1], 9)) == textbook.sign(round(means[2] - means[3], 9)), 1
    if coefficient == "spa":
        value = textbook.normal_spa(x, y)
        return (0, 0) if math.isnan(value) else (value, 1)
    agreed = counted = 0.0
    for place, (a, b, c, d) in enumerate(zip(*pair, strict=True)):
        if not math.isnan(a + b + c + d):
            known = (~np.isnan(metric + human)).sum(axis=0)[segments[place]]
            called = 0 if abs(a - b) <= epsilon else textbook.sign(a - b)
            agreed += (called == textbook.sign(c - d)) / (known * (known - 1) / 2)
            counted += 1 / (known * (known - 1) / 2)
    return agreed, counted
