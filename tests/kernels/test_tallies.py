"""KING of many sets, tallied on bits, is KING of each; folds add up, and threads do not matter."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_similarities import drawn_similarities

from tarocco.meta.qarla.decisions import Decisions, find_king_cases
from tarocco.meta.qarla.set_search import (
    SetTallies,
    count_subsets,
    king_shares,
    make_subset_tree,
    metric_bit,
    split_subsets,
)
from tarocco.meta.qarla.similarities import TextSimilarities
from tests.textbook import searching


def members_of(code, metrics):
    return tuple(m for m in range(metrics) if code & metric_bit(m, metrics))


@given(drawn_similarities(), st.integers(1, 3))
def test_tallies_are_king_of_each_set(near, folds):
    decisions, metrics = Decisions.of(near), len(near.metrics)
    split = np.arange(near.n_segments) % folds
    board = SetTallies(decisions, split, jobs=1)
    seen = {}
    for codes, tallies in board.tally_all(metrics):
        for code, own in zip(codes.tolist(), np.moveaxis(tallies, 2, 0), strict=True):
            seen[members_of(code, metrics)] = own
    assert sorted(seen) == sorted([(), *searching.every_set(metrics, metrics)])
    for members, own in seen.items():
        if not members:
            continue
        assert (board.of(members) == own).all()
        cases = find_king_cases(decisions, members)
        by_segment = cases.by_segment
        for fold in range(own.shape[0]):
            values = by_segment[(split == fold) & ~np.isnan(by_segment[:, 0])]
            assert own[fold, 2] == len(values)
            assert own[fold, :2] / board.scale == pytest.approx(values.sum(axis=0), abs=1e-12)


@given(drawn_similarities())
def test_strict_king_alone_is_the_same(near):
    board = SetTallies(Decisions.of(near), np.arange(near.n_segments) % 2, jobs=1)
    both, alone = (list(board.tally_all(len(near.metrics), strict)) for strict in (False, True))
    for (codes, tallies), (same_codes, strict) in zip(both, alone, strict=True):
        assert (codes == same_codes).all()
        assert (tallies[:, 1:] == strict[:, 1:]).all()


@given(drawn_similarities(), st.integers(2, 4))
def test_folds_add_up_and_threads_do_not_matter(near, folds):
    decisions, metrics = Decisions.of(near), len(near.metrics)
    whole = SetTallies(decisions, np.zeros(near.n_segments, np.intp), jobs=1)
    parted = SetTallies(decisions, np.arange(near.n_segments) % folds, jobs=3)
    for members in searching.every_set(metrics, metrics):
        assert (whole.of(members)[0] == parted.of(members).sum(axis=0)).all()


@given(drawn_similarities(most_metrics=3))
def test_tallies_are_those_of_the_textbook(near):
    decisions, systems = Decisions.of(near), len(near.systems)
    board = SetTallies(decisions, np.zeros(near.n_segments, np.intp), jobs=1)

    def asked(segment):
        def similarity(x, a, b):
            value = near.to_references[x, segment, a, b - systems]
            return None if np.isnan(value) else value

        return similarity

    segments = [asked(s) for s in range(near.n_segments)]
    references = [[systems + int(r) for r in np.flatnonzero(present)] for present in near.present]
    for members in searching.every_set(len(near.metrics), len(near.metrics)):
        tallies = board.of(members)[0]
        found = searching.kings(segments, systems, references, members)
        if found is None:
            assert tallies[2] == 0
        else:
            assert [king_shares(tallies, column, board.scale) for column in (0, 1)] == pytest.approx(found, abs=1e-12)


def test_a_segment_that_takes_no_part_does_not_count():
    random = np.random.default_rng(1)
    near = random.random((2, 4, 5, 3))
    near[:, :, 2 + np.arange(3), np.arange(3)] = np.nan
    given = TextSimilarities(("x", "y"), ("", ""), ("a", "b"), ("r", "s", "t"), np.ones((4, 3), np.bool_), near)
    decisions = Decisions.of(given)
    some = SetTallies(decisions, np.array([0, -1, 0, -1])).of((0, 1))
    alone = SetTallies(Decisions.of(given.select(segments=[0, 2])), np.zeros(2, np.intp)).of((0, 1))
    assert (some == alone).all()


@pytest.mark.parametrize(("metrics", "most"), [(15, 15), (18, 4), (3, 1)])
def test_parts_have_every_set_once(metrics, most):
    codes = np.concatenate(
        [
            make_subset_tree(first, metrics, most - len(chosen)).codes
            | np.uint64(sum(metric_bit(m, metrics) for m in chosen))
            for chosen, first in split_subsets(metrics, most)
        ]
    )
    assert len(codes) == len(np.unique(codes)) == count_subsets(metrics, most)
    assert np.bitwise_count(codes).max() == most
