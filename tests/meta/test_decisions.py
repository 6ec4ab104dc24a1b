"""Samples as bits give QUEEN and KING as the definitions have them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_similarities import asiya, queen_of, references_of, same, similarities

from tarocco.meta.qarla.decisions import Decisions, compute_queen_of_set, find_king_cases
from tests.textbook import qarla


@given(similarities(), st.data())
def test_queen(near, data):
    members = data.draw(st.sets(st.integers(0, len(near.metrics) - 1), min_size=1).map(sorted))
    found = compute_queen_of_set(Decisions.of(near), members)
    for segment in range(near.n_segments):
        references = references_of(near, segment)
        of = queen_of(near, segment, members)
        for a in [*range(len(near.systems)), *references]:
            others = [r for r in references if r != a]
            assert same(found[segment, a], of(a, others)), (segment, a)


@given(similarities(most=16, fewest=9, segments=1))
def test_queen_with_many_references(near):
    found = compute_queen_of_set(Decisions.of(near), [0], held_out=1)
    references = [r for r in references_of(near, 0) if r != len(near.systems) + 1]
    assert same(found[0, 0], queen_of(near, 0, [0])(0, references))


@given(similarities(), st.data())
def test_king(near, data):
    members = data.draw(st.sets(st.integers(0, len(near.metrics) - 1), min_size=1).map(sorted))
    cases = find_king_cases(Decisions.of(near), members)
    won, strictly = cases.by_segment.T
    systems = range(len(near.systems))
    for segment in range(near.n_segments):
        references = references_of(near, segment)
        expected = qarla.king_of_segment(qarla.held_out(queen_of(near, segment, members), systems, references))
        if expected is None:
            assert math.isnan(won[segment])
        else:
            assert (won[segment], strictly[segment]) == pytest.approx(expected)


def test_asiya():
    near, expected = asiya()
    decisions = Decisions.of(near)
    for name, members in (("m1", [0]), ("m2", [1]), ("all_metrics", [0, 1])):
        found = compute_queen_of_set(decisions, members)
        for a, system in enumerate(near.systems):
            assert found[:, a] == pytest.approx(expected["QUEEN"][name][system]["seg"], abs=1e-14)
            assert found[:, a].mean() == pytest.approx(expected["QUEEN"][name][system]["sys"], abs=1e-14)
    cases = find_king_cases(decisions, [0, 1])
    assert (cases.won.sum(), cases.counted.sum()) == tuple(
        expected["KING"]["QUEEN_all"]["seg"][k] for k in ("hits", "count")
    )
