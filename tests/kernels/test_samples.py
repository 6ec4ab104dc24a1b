"""Bits of samples are comparisons, one by one; counts of bits are counts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from judge_similarities import similarities

from tarocco.kernels import kernel, qarla
from tarocco.meta.qarla import queen as queens
from tarocco.meta.qarla.decisions import (
    Decisions,
    compute_held_out_queen_of_set,
    compute_queen_of_set,
    pack_bits,
    queen_shares,
)


def bits_of(words, size):
    return np.unpackbits(words.astype("<u8").view(np.uint8), axis=-1, bitorder="little")[..., :size].astype(bool)


@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 4), st.integers(1, 70), st.booleans(), st.booleans())
def test_decide(seed, segments, references, pairs, common, gaps):
    """Every text, reference and pair; pairs are a segment's own or serve all segments."""
    random = np.random.default_rng(seed)
    systems = 2
    near = random.integers(0, 6, (segments, systems + references, references)) / 5
    between = random.integers(0, 6, (1 if common else segments, pairs)) / 5
    if gaps:
        near[random.random(near.shape) < 0.2] = np.nan
        between[random.random(between.shape) < 0.2] = np.nan
    for r in range(references):
        near[:, systems + r, r] = np.nan
    words = -(-references * pairs // 64)
    passed, silent = np.zeros((2, segments, systems + references, words), np.uint64)
    upto = np.empty((pairs + 2, -(-pairs // 64)), np.uint64)
    told = kernel(qarla, "decide_samples", wide=True)(
        near, between, np.argsort(between, axis=1), systems, upto, passed, silent
    )
    own, other = near[:, :, :, None], between[:, None, None, :]
    missing = np.isnan(own) | np.isnan(other)
    with np.errstate(invalid="ignore"):
        expected = (own >= other) | missing
    flat = (segments, systems + references, references * pairs)
    itself = np.broadcast_to(
        (np.arange(references) + systems)[None, :, None] == np.arange(flat[1])[:, None, None],
        (*flat[1:2], references, pairs),
    )
    assert (bits_of(passed, flat[2]) == expected.reshape(flat)).all()
    assert (bits_of(silent, flat[2]) == (missing & ~itself).reshape(flat)).all()
    assert bool(told) == (missing & ~itself).any()


@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 150), st.booleans())
def test_tally(seed, metrics, size, quiet):
    random = np.random.default_rng(seed)
    segments, texts, sets = 2, 3, 2
    bits, gaps, masks = (
        random.random(shape) < 0.6 for shape in ((metrics, segments, texts, size),) * 2 + ((sets, segments, size),)
    )
    bits |= gaps
    members = [m for m in range(metrics) if random.random() < 0.7] or [0]
    decisions = Decisions(pack_bits(bits), pack_bits(gaps) if quiet else None, np.ones((segments, 2), bool), 1)
    which, of = random.integers(0, texts, 5), random.integers(0, sets, 5)
    found = queen_shares(decisions, members, pack_bits(masks), which.astype(np.intp), of.astype(np.intp))
    for s in range(segments):
        for j in range(5):
            counted = masks[of[j], s] & ~(gaps[members, s, which[j]].all(axis=0) & quiet)
            hits = (bits[members, s, which[j]].all(axis=0) & counted).sum()
            assert np.isnan(found[s, j]) if not counted.any() else found[s, j] == hits / counted.sum()


@given(similarities())
def test_passes(near):
    """Counting without bits gives what counting bits gives."""
    members = list(range(len(near.metrics)))
    bits = Decisions.of(near)
    (found,) = queens.compute_queens(near, [members], queens.PairSelection())
    assert np.array_equal(found, compute_queen_of_set(bits, members)[:, : len(near.systems)], equal_nan=True)
    (found,) = queens.compute_held_out_queens(near, [members], queens.PairSelection())
    expected = compute_held_out_queen_of_set(bits, members)
    assert np.array_equal(found[near.present], expected[near.present], equal_nan=True)
