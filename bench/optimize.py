"""Exhaustive search for a set of metrics, compared with NumPy on the same bits."""

from __future__ import annotations

import numpy as np
from measure import Row, at_most, in_fresh_process, ratio, seconds, show

METRICS, SEGMENTS, SYSTEMS, REFERENCES = 20, 1000, 10, 4
SAMPLED = 50  # sets that NumPy evaluates; its time is scaled up


def similarities():
    """Return synthetic similarities: metrics are correlated, and references are better than systems."""
    from tarocco.meta.qarla.similarities import TextSimilarities

    generator = np.random.default_rng(8)
    shape = (SEGMENTS, SYSTEMS + REFERENCES, REFERENCES)
    near = generator.normal(size=shape) + 0.7 * generator.normal(size=(METRICS, *shape))
    near[:, :, SYSTEMS:] += 0.6
    near[:, :, SYSTEMS + np.arange(REFERENCES), np.arange(REFERENCES)] = np.nan
    names = tuple(f"x{m}" for m in range(METRICS))
    systems, references = (tuple(f"{x}{i}" for i in range(n)) for x, n in (("a", SYSTEMS), ("r", REFERENCES)))
    return TextSimilarities(names, names, systems, references, np.ones((SEGMENTS, REFERENCES), np.bool_), near)


def our_search(folds: int) -> float:
    """Time the search from similarities to the best set, with all segments and without each fold."""
    from tarocco.meta.qarla.decisions import Decisions
    from tarocco.meta.qarla.set_search import KingObjective, SetTallies, exhaustive

    near = similarities()

    def run() -> None:
        board = SetTallies(Decisions.of(near), np.arange(SEGMENTS) % folds)
        exhaustive([KingObjective(board, "strict", fold) for fold in (None, *(range(folds) if folds > 1 else ()))])

    return seconds(run)


def numpy_kings(passed: np.ndarray, masks: np.ndarray, members: list[int]) -> tuple[float, float]:
    """Return KING and strict KING of one set, by counting the bits that all its metrics share."""
    both = np.bitwise_and.reduce(passed[members])
    won = strict = 0
    for held_out, mask in enumerate(masks[:-1]):
        hits = np.bitwise_count(both & mask[:, None]).sum(axis=-1, dtype=np.int64)
        hits_of_reference, best = hits[:, SYSTEMS + held_out], hits[:, :SYSTEMS].max(axis=1)
        won += int((hits_of_reference >= best).sum())
        strict += int((hits_of_reference > best).sum())
    return won / (SEGMENTS * REFERENCES), strict / (SEGMENTS * REFERENCES)


def their_search() -> float:
    """Estimate NumPy's time for all sets from a sample, and check that its numbers are ours."""
    from tarocco.meta.qarla.decisions import Decisions
    from tarocco.meta.qarla.set_search import SetTallies, king_shares

    decisions = Decisions.of(similarities())
    board = SetTallies(decisions, np.zeros(SEGMENTS, np.intp))
    generator = np.random.default_rng(9)
    sets = [np.flatnonzero(coins).tolist() for coins in generator.random((SAMPLED, METRICS)) < 0.5]
    for members in sets[:10]:
        tally = board.of(members)[0]
        ours = [float(king_shares(tally, column, board.scale)) for column in (0, 1)]
        assert np.allclose(ours, numpy_kings(decisions.passed, decisions.masks, members), atol=1e-12)
    took = seconds(lambda: [numpy_kings(decisions.passed, decisions.masks, members) for members in sets])
    return took / SAMPLED * (2**METRICS - 1)


def rows() -> list[Row]:
    shape = f"{2**METRICS - 1} sets of {METRICS} metrics, {SEGMENTS} segments, {SYSTEMS} systems, {REFERENCES} refs"
    ours = in_fresh_process("optimize", "our_search", 1)
    folded = in_fresh_process("optimize", "our_search", 10)
    theirs = in_fresh_process("optimize", "their_search")
    numpy = f"NumPy {np.__version__}, from {SAMPLED} sets"
    return [
        at_most("exhaustive search", shape, "cold, all threads", ours, 60, "s"),
        at_most("the same, and without each of 10 folds", shape, "cold, all threads", folded, 60, "s"),
        ratio("exhaustive search", shape, numpy, "NumPy: one thread, extrapolated", ours, theirs, None),
    ]


if __name__ == "__main__":
    show(rows())
