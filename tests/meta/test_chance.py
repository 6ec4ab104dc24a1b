"""Chance levels of ORANGE and KING are means over all texts that could have been the references."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from tarocco.meta.orange.chance import choose_roles, count_by_chance, count_combined_by_chance
from tarocco.meta.orange.ranking import rank
from tarocco.meta.orange.results import p_of_best
from tarocco.meta.qarla.king import compute_chance, measure_length_cases
from tests.textbook import chance_levels

SCORES = st.sampled_from([0.0, 1.0, 1.0 + 1e-15, 2.0, -3.5, 0.1, 7.0])
ORACLES = st.sampled_from(["average-score", "average-rank", "combined"])
TIES = st.sampled_from(["average", "best", "worst"])


def numbers(scores):
    return np.array([np.nan if score is None else score for score in scores], float)


@given(
    st.lists(st.one_of(SCORES, st.none()), min_size=1, max_size=6),
    st.lists(st.one_of(SCORES, st.none()), min_size=1, max_size=4),
    ORACLES,
    TIES,
)
def test_chance_of_orange(candidates, references, oracle, ties):
    expected = chance_levels.orange_rank(candidates, references, oracle, ties)
    found = rank(np.array(count_by_chance(numbers(candidates), numbers(references), oracle)), ties)
    assert found == pytest.approx(np.nan if expected is None else expected, nan_ok=True)


@given(st.data(), st.integers(1, 4), st.integers(1, 2), st.sampled_from(["average-score", "combined"]), TIES)
def test_chance_of_combinations(data, n, r, oracle, ties):
    rows = [data.draw(st.lists(SCORES, min_size=n + r, max_size=n + r)) for _ in range(2)]
    expected = chance_levels.orange_rank_of_several([(row[:n], row[n:]) for row in rows], oracle, ties)
    scores = np.array(rows)
    assert rank(np.array(count_combined_by_chance(scores[:, :n], scores[:, n:], oracle)), ties) == pytest.approx(
        expected
    )


def test_a_random_pair_has_the_closed_form():
    scores = np.random.default_rng(1).normal(size=33)
    for oracle in ("average-rank", "average-score"):
        above, level = count_by_chance(scores[:32], scores[32:], oracle)
        assert rank(np.array([above, level]), "average") / 33 == pytest.approx(34 / (2 * 33))


@pytest.mark.parametrize(("texts", "references"), [(104, 2), (64, 4), (1028, 4), (40, 7)])
def test_few_choices_stand_for_all(texts, references):
    """Skewed scores have a lower chance level, and 509 choices give it to about .003."""
    generator = np.random.default_rng(texts)
    scores = generator.lognormal(0, 1, texts)
    roles = choose_roles(texts, references)
    assert len(roles) == 509
    assert all(len(set(row)) == references for row in roles.tolist())
    assert 0 <= roles.min() <= roles.max() < texts
    n = texts - references
    above, level = count_by_chance(scores[:n], scores[n:], "average-score")
    drawn = [
        (scores[order[references:]] > scores[order[:references]].mean()).sum()
        for order in (generator.permutation(texts) for _ in range(20_000))
    ]
    assert (above + level / 2) / (n + 1) == pytest.approx(np.mean(drawn) / (n + 1), abs=0.008)
    assert above / n < 0.47


QUEENS = st.lists(st.one_of(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.none()), min_size=1, max_size=6)


@given(QUEENS, st.sampled_from([0.0, 0.25, 1.0]))
def test_chance_of_king(systems, reference):
    expected = chance_levels.king([*systems, reference])
    values = numbers([*systems, reference])[None, None]
    assert compute_chance(values, np.ones((1, 1), bool))[0, 0].tolist() == pytest.approx(expected)
    assert np.isnan(compute_chance(values, np.zeros((1, 1), bool))).all()


def test_length_as_a_case_of_king():
    """The reference is longer than all systems in the first segment, shorter in the second."""
    lengths = np.array([[3.0, 4, 9, 2], [3.0, 4, 1, 5]])
    present = np.array([[True, False], [True, True]])
    longer, shorter = measure_length_cases(lengths, present)
    assert longer.tolist() == pytest.approx([1 - 1 / 3, 1 / 2 - 1 / 3])
    assert shorter.tolist() == pytest.approx([-1 / 3, 1 / 2 - 1 / 3])


@given(st.integers(0, 50), st.integers(2, 5))
def test_p_of_best(seed, count):
    generator = np.random.default_rng(seed)
    drawn = generator.normal(size=(40, count)) + np.arange(count)
    differences = np.arange(count) - 0.0
    expected = chance_levels.difference_p_values(drawn.tolist(), 0, 20, lambda t: norm.isf(student.sf(t, 19)))
    found = p_of_best(drawn, differences, drawn - drawn[:, [0]], np.full(count, 20))
    assert found[0] == 1
    assert found[1:].tolist() == pytest.approx([expected(i, differences[i]) for i in range(1, count)])
    assert np.isnan(p_of_best(drawn, differences, drawn - drawn[:, [0]], np.full(count, 19))).all()
