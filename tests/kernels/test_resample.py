"""Sums and bootstrap draws against textbook versions."""

import math
from itertools import islice
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textbook import resampling

from tarocco.core.errors import BadParameter, InputError
from tarocco.kernels import statistics as kernels
from tarocco.metrics.ngram.bleu import Bleu, BleuIndividual
from tarocco.scoring.resampling import (
    bootstrap,
    bootstrap_intervals,
    check_resampling,
    coins,
    count_draws,
    percentiles,
    sum_rows,
    swap_randomly,
    words,
)
from tarocco.scoring.settings import Resampling

NUMBERS = st.floats(-1e6, 1e6)


@given(rows=st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=40))
def test_totals(rows):
    expected = [math.fsum(column) for column in zip(*rows, strict=True)]
    assert sum_rows(np.array(rows)).tolist() == pytest.approx(expected, rel=1e-12, abs=1e-6)


def test_splitmix64_is_splitmix64():
    """The first outputs for the state 1234567, as published with the generator."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert list(islice(resampling.splitmix64(1234567), 3)) == expected


@given(n=st.integers(1, 60), seed=st.integers(0, 2**64 - 1), jobs=st.sampled_from([1, 3]))
def test_bootstrap_draws(n, seed, jobs):
    """Rows that are powers of two would not fit: unit vectors show how often each segment was drawn."""
    counts = bootstrap(np.eye(n), 3, seed, jobs)
    for resample in range(3):
        expected = np.bincount(resampling.draws(n, seed, resample), minlength=n)
        assert counts[resample].tolist() == expected.tolist()
        assert count_draws(n, seed, resample, resample + 1)[0].tolist() == expected.tolist()


def test_numbers_that_would_favor_some_segments_are_drawn_again():
    """Of so many segments about three draws in a resample are not fair; two resamples, an odd number of draws."""
    n = 120985
    for resample in (4, 5):
        expected = np.bincount(resampling.draws(n, 1, resample), minlength=n)
        assert count_draws(n, 1, resample, resample + 1)[0].tolist() == expected.tolist()


@pytest.mark.parametrize(("first", "last"), [(0, 200), (3, 70), (64, 65), (130, 199)])
def test_coins_are_the_bits_of_each_permutations_own_stream(first, last):
    wanted = np.array(resampling.coins(7, 5, 200))[:, first:last]
    np.testing.assert_array_equal(coins(words(7, 5, 4), first, last), wanted)
    np.testing.assert_array_equal(coins(words(7, 3, 4, first=2), first, last), wanted[2:])
    assert words(-1, 2, 2).tolist() == words(2**64 - 1, 2, 2).tolist() != words(1, 2, 2).tolist()


def test_large_sums_are_the_same_in_any_number_of_threads():
    statistics = np.random.default_rng(1).normal(size=(9001, 5))
    one = bootstrap(statistics, 200, 5, jobs=1)
    assert one.tobytes() == bootstrap(statistics, 200, 5, jobs=4).tobytes()
    assert one[:130].tobytes() == bootstrap(statistics, 130, 5, jobs=2).tobytes()


@pytest.mark.parametrize("n", [1, 7, 8, 4095, 4096, 4097, 9001])
def test_sums_have_the_bits_of_the_stated_order(n):
    """Eight lanes in chunks of 4096, to the last bit: what makes results the same everywhere."""
    values = 1.0 / np.arange(1, n + 1)
    assert sum_rows(values.reshape(-1, 1))[0] == resampling.lane_sum(values.tolist(), [1.0] * n)
    weights = np.bincount(resampling.draws(n, 11, 0), minlength=n).astype(float)
    assert bootstrap(values.reshape(-1, 1), 1, 11)[0, 0] == resampling.lane_sum(values.tolist(), weights.tolist())


@given(scores=st.lists(st.floats(0, 1) | st.just(math.nan), min_size=1, max_size=50), tail=st.floats(0.001, 0.4))
def test_percentiles(scores, tail):
    if all(map(math.isnan, scores)):
        assert all(map(math.isnan, percentiles(np.array(scores), tail)))
    else:
        expected = np.nanquantile(scores, [tail, 1 - tail]).tolist()
        assert percentiles(np.array(scores), tail) == pytest.approx(expected, abs=1e-12)


def test_interval_of_a_constant_is_the_constant():
    statistics = np.tile([5.0, 5.0, 4.0, 3.0, 5.0, 4.0], (20, 1))
    metric = Bleu(order=2)
    (found,) = bootstrap_intervals([metric], [statistics], Resampling(100, 0.95, 1))
    assert found.low == found.high == float(metric.score(statistics.sum(axis=0)))


def test_interval_covers_as_it_says():
    """The mean of 50 fair coins, 300 times: about 95% of the intervals contain the true mean."""
    generator = np.random.default_rng(3)

    class Mean(Bleu):
        def score(self, sums):
            return sums[..., 0] / sums[..., 1]

    covered = 0
    for _ in range(300):
        flips = generator.integers(0, 2, 50).astype(float)
        (found,) = bootstrap_intervals([Mean()], [np.column_stack([flips, np.ones(50)])], Resampling(200, 0.95, 9))
        covered += found.low <= 0.5 <= found.high
    assert 0.88 <= covered / 300 <= 0.99


def test_all_metrics_see_the_same_resamples():
    generator = np.random.default_rng(2)
    first, second = generator.random((30, 6)), generator.random((30, 2))
    one, other = Bleu(order=2), BleuIndividual(order=1)
    draws = Resampling(50, 0.9, 3)
    together = bootstrap_intervals([one, other], [first, second], draws)
    assert together == [*bootstrap_intervals([one], [first], draws), *bootstrap_intervals([other], [second], draws)]


def test_nothing_cannot_be_resampled():
    with pytest.raises(InputError, match="no segments to draw from"):
        bootstrap(np.zeros((0, 3)), 4, 1)
    with pytest.raises(InputError, match="no segments to draw from"):
        count_draws(0, 4, 1, 2)


@pytest.mark.parametrize(("confidence", "resamples"), [(0, 100), (1, 100), (95, 100), (0.95, 1)])
def test_nonsense_is_refused(confidence, resamples):
    with pytest.raises(BadParameter, match=r"confidence|n_resamples"):
        check_resampling(confidence, resamples, 1)


@pytest.mark.skipif(not kernels.COMPILED, reason="there is one variant only")
def test_every_instruction_set_gives_the_same_bits():
    statistics = np.random.default_rng(5).normal(size=(5001, 3))
    sides = [statistics, np.round(100 * statistics)]  # numbers and counts are added in ways of their own

    def everything():
        return [draw(side, 21, 7) for draw in (bootstrap, swap_randomly) for side in sides] + [sum_rows(statistics)]

    wide = everything()
    with (
        mock.patch("tarocco.scoring.resampling._draw", kernels.draw_resamples),
        mock.patch("tarocco.scoring.resampling._fill", kernels.fill_random_words),
        mock.patch("tarocco.scoring.resampling._counted_totals", kernels.sum_counts),
        mock.patch("tarocco.scoring.resampling._weighted_totals", kernels.sum_weighted),
    ):
        plain = everything()
    assert [one.tobytes() for one in wide] == [one.tobytes() for one in plain]


@given(st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**64), st.booleans())
def test_counts_are_added_as_any_numbers_are(n, k, seed, swapped):
    """In fewer bits, but to the same sums: a number that is no count beside them sends all the other way."""
    counts = np.random.default_rng(n).integers(-50, 50, (n, k)).astype(float)
    draw = swap_randomly if swapped else bootstrap
    others = draw(np.column_stack([counts, np.full(n, 0.5)]), 7, seed)
    assert draw(counts, 7, seed).tobytes() == np.ascontiguousarray(others[:, :k]).tobytes()


def test_counts_that_need_more_bits():
    large = np.full((3, 1), 40_000.0)
    assert bootstrap(large, 5, 1).tolist() == [[120_000.0]] * 5
    many = np.full((70_000, 1), 32_767.0)  # their sum needs more than 31 bits
    assert bootstrap(many, 2, 1).tolist() == [[70_000 * 32_767.0]] * 2
