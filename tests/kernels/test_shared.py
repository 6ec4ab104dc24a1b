"""N-gram matches with each reference against the textbook's."""

import dataclasses

import numpy as np
import pytest
from cases import SEGMENTS, SENTENCES, batch_of, cleaned
from hypothesis import example, given
from hypothesis import strategies as st
from textbook import ngram_metrics as textbook

from tarocco.core.test_set import Segments
from tarocco.encode.batch import Batch, Encoding, Groups, split_by_reference
from tarocco.metrics.ngram.counts import clipped_matches
from tarocco.metrics.text_pairs import TextPairs, shared_matches


def expected(pairs, order):
    return [[textbook.shared(candidate, reference, n) for n in range(1, order + 1)] for candidate, reference in pairs]


def several(segments):
    """A batch of segments with any number of candidates and references each."""
    columns, groups = [], []
    for side in (0, 1):
        by_segment = [segment[side] for segment in segments]
        columns.append([Segments.from_strings([" ".join(words) for texts in by_segment for words in texts])])
        bounds = np.cumsum([0, *map(len, by_segment)], dtype=np.intp)
        groups.append(Groups(np.arange(bounds[-1]), bounds))
    return Batch.of_groups(*columns, *groups, Encoding("none"))


@pytest.mark.parametrize("order", [1, 4, 9])
@given(segments=SEGMENTS)
def test_one_candidate_a_segment(order, segments):
    pairs = [(candidate, reference) for candidate, references in cleaned(segments) for reference in references]
    assert shared_matches(batch_of(segments), order).tolist() == expected(pairs, order)


TEXTS = st.lists(SENTENCES, min_size=1, max_size=6)


@given(segments=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4), order=st.integers(1, 9))
@example(segments=[([["a"]], [["a"]] * 9), ([[], ["b"]], [["b", "a"]])], order=2)
@example(segments=[([["a"] * 300, ["a"] * 7], [["a"] * 200, ["b"], ["a"] * 5])], order=9)
def test_several_candidates_and_references(segments, order):
    """More than four references too, which are more than the table holds at a time."""
    pairs = [(candidate, one) for candidates, references in segments for candidate in candidates for one in references]
    batch = several(segments)
    found = shared_matches(batch, order)
    assert found.tolist() == expected(pairs, order)
    assert len(found) == TextPairs(batch).starts[-1]


@given(segments=SEGMENTS)
def test_a_candidate_in_several_groups(segments):
    """The same rows in several groups, as where references are held out one by one."""
    segments = cleaned(segments)
    batch = batch_of(segments)
    owners = batch.reference_groups.segments
    bounds = np.arange(len(owners) + 1)
    groups = Groups(owners, bounds), Groups(batch.reference_groups.rows, bounds)
    alone = dataclasses.replace(batch, candidate_groups=groups[0], reference_groups=groups[1])
    assert shared_matches(alone, 3).tolist() == shared_matches(batch, 3).tolist()


@given(
    segments=st.lists(st.tuples(TEXTS, st.lists(SENTENCES, min_size=1, max_size=70)), min_size=1, max_size=3).filter(
        lambda segments: any(len(references) > 16 for _, references in segments)
    ),
    order=st.integers(1, 6),
)
@example(segments=[([["a"] * 300, ["b", "a"]], [["a"] * n for n in range(40)])], order=3)
def test_many_references(segments, order):
    """As for a few, and the same when each reference stands alone: then clipping is sharing."""
    pairs = [(candidate, one) for candidates, references in segments for candidate in candidates for one in references]
    batch = several(segments)
    assert shared_matches(batch, order).tolist() == expected(pairs, order)
    alone = split_by_reference(batch)
    by_pair = [
        [textbook.shared(candidate, reference, n) for n in range(1, order + 1)]
        for candidates, references in segments
        for reference in references
        for candidate in candidates
    ]
    assert clipped_matches(alone, order).tolist() == by_pair
    assert clipped_matches(alone.alone, order).tolist() == by_pair


def test_long_beside_short():
    """A segment uses as much of the table as it needs; what a longer one left there is not its own."""
    generator = np.random.default_rng(5)

    def text(length):
        return [f"w{word}" for word in generator.zipf(1.5, length) % 50]

    lengths = [3, 400, 1, 0, 900, 12, 5]
    segments = [([text(length + 2), text(length)], [text(length) for _ in range(5)]) for length in lengths]
    pairs = [(candidate, one) for candidates, references in segments for candidate in candidates for one in references]
    assert shared_matches(several(segments), 6).tolist() == expected(pairs, 6)
