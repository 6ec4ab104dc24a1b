"""Batches that leave one reference out: what is computed once for all sets is what each set alone gives."""

import dataclasses
import functools

import numpy as np
import pytest
from cases import SENTENCES
from hypothesis import given, settings
from hypothesis import strategies as st
from test_laws import NAMES

from tarocco.core.test_set import Segments
from tarocco.encode.batch import CandidateLists, Encoding, Groups, make_leave_one_out_batch
from tarocco.metrics.batches import count_batch, group_by_encoding, score_batch
from tarocco.metrics.registry import metrics


@st.composite
def lists(draw):
    """Candidates and references of a few segments; some candidates are references, some references come twice."""
    segments = []
    for _ in range(draw(st.integers(1, 3))):
        references = draw(st.lists(SENTENCES, min_size=2, max_size=5))
        if draw(st.booleans()):
            references[-1] = references[0]
        segments.append((draw(st.lists(SENTENCES | st.sampled_from(references), max_size=6)), references))
    return segments


def as_lists(segments):
    columns, bounds = [], []
    for texts in zip(*segments, strict=True):
        columns.append(Segments.from_strings([" ".join(text) for of_segment in texts for text in of_segment]))
        bounds.append(np.cumsum([0, *map(len, texts)]))
    return CandidateLists(columns[0], bounds[0], columns[1], bounds[1])


def test_sets():
    """Each candidate and then the reference that is left out, against the others; or candidates against all."""
    segments = as_lists([([["a"], ["b"]], [["x"], ["y"], ["z"]]), ([], [["v"], ["w"]])])
    fair = make_leave_one_out_batch(segments, Encoding("none"), fair=True)
    assert fair.texts == ("a", "b", "x", "a", "b", "y", "a", "b", "z", "v", "w")
    assert fair.reference_texts[::3] == (("y", "z"), ("x", "z"), ("x", "y"), ("w",))
    assert fair.whole.texts == ("a", "b", "x", "y", "z", "v", "w")
    assert fair.owners.tolist() == [0, 0, 0, 1, 1]
    unfair = make_leave_one_out_batch(segments, Encoding("none"), fair=False)
    assert unfair.texts == ("a", "b", "x", "y", "z", "v", "w")
    assert unfair.reference_texts[1:3] == (("x", "y", "z"), ("y", "z"))
    assert unfair.owners.tolist() == [0, 0, 0, 0, 1, 1, 1]


def check(make, segments):
    """What every metric gives for the batch is what it gives if nothing is known of a whole."""
    chosen = metrics(NAMES)
    for way, members in group_by_encoding(chosen, Encoding("none")).items():
        batch = make(as_lists(segments), way)
        own = [chosen[i] for i in members]
        contexts = [metric.prepare(batch.whole) for metric in own]
        found = count_batch(own, batch, contexts)
        alone = count_batch(own, batch.alone, contexts)
        scores = score_batch(own, batch, contexts)
        for metric, rows, expected, its_scores in zip(own, found, alone, scores, strict=True):
            assert rows.tobytes() == expected.tobytes(), str(metric)
            assert its_scores.tobytes() == metric.score(rows).tobytes(), str(metric)
        parts = [score_batch(own, part, contexts) for part in batch.split(1)]
        for whole, *of_parts in zip(scores, *parts, strict=True):
            assert np.concatenate(of_parts).tobytes() == whole.tobytes()


@pytest.mark.parametrize("fair", [True, False])
@settings(max_examples=30)
@given(segments=lists())
def test_every_metric_gives_what_each_set_alone_gives(fair, segments):
    check(functools.partial(make_leave_one_out_batch, fair=fair), segments)


def against_one(lists, way):
    """Each set has only the first reference that is not left out."""
    batch = make_leave_one_out_batch(lists, way, fair=True)
    groups = batch.reference_groups
    kept = Groups(groups.rows[groups.bounds[:-1]], np.arange(len(groups.bounds)))
    return dataclasses.replace(batch, reference_groups=kept)


@settings(max_examples=10)
@given(segments=lists())
def test_sets_that_leave_out_more_than_one(segments):
    check(against_one, segments)


def test_a_pool_of_lists_is_scored_in_parts():
    """A pool of 64 lists of 16 needed 900 MiB: all sets of references that leave one out, at once."""
    segments = as_lists([([["a"]] * 40, [[word] for word in "abcdefghijkl"])])
    batch = make_leave_one_out_batch(segments, Encoding("none"), fair=True)
    parts = list(batch.split(1000))
    assert batch.comparisons == 12 * 41 * 11
    assert all(part.comparisons <= max(1000, 4 * batch.whole.comparisons) for part in parts)
    assert len(parts) == 3
    assert tuple(text for part in parts for text in part.texts) == batch.texts
