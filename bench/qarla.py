"""TextSimilarities, QUEEN and KING of single metrics, and QUEEN of a set compared with NumPy."""

from __future__ import annotations

from functools import partial

import numpy as np
from measure import Row, at_most, best_seconds, in_fresh_process, in_turns, ratio, seconds, show
from text import segments as texts_of

METRICS = [
    "BLEU-1",
    "BLEU-2",
    "BLEU-3",
    "BLEU-4",
    "BLEUi-2",
    "BLEUi-3",
    "BLEUi-4",
    "NIST-1",
    "NIST-2",
    "NIST-3",
    "NIST-4",
    "NIST-5",
    "NISTi-2",
    "NISTi-3",
    "NISTi-4",
    "NISTi-5",
    "GTM-1",
    "GTM-2",
    "GTM-3",
    "METEOR-exact",
    "METEOR-stem",
    "METEOR-wnstm",
    "METEOR-wnsyn",
    "ROUGE-1",
    "ROUGE-2",
    "ROUGE-3",
    "ROUGE-4",
    "ROUGE-L",
    "ROUGE-W-1.2",
    "ROUGE-S*",
    "ROUGE-SU*",
]  # those of the IQmt manual
SYSTEMS = 10
SAMPLES = 3


def similarities(metrics: int, segments: int, references: int):
    """Return synthetic similarities with some ties; metrics are highly correlated, as on real text."""
    from tarocco.meta.qarla.similarities import TextSimilarities

    random = np.random.default_rng(8)
    texts = SYSTEMS + references
    quality = random.random((1, 1, texts, 1)) / 4 + random.random((1, segments, texts, 1)) / 4
    shared = quality + random.random((1, segments, texts, references)) / 3
    near = np.round(shared + random.random((metrics, segments, texts, references)) / 6, 2)
    near[:, :, SYSTEMS + np.arange(references), np.arange(references)] = np.nan
    names = [
        tuple(f"{kind}{i}" for i in range(size)) for kind, size in (("x", metrics), ("a", SYSTEMS), ("r", references))
    ]
    return TextSimilarities(names[0], names[0], *names[1:], np.ones((segments, references), np.bool_), near)


def our_kings(metrics: int, segments: int, references: int) -> float:
    """Time KING and strict KING of all single metrics."""
    from tarocco.meta.qarla.decisions import HeldOutCases
    from tarocco.meta.qarla.queen import PairSelection, compute_held_out_queens, compute_queens

    near = similarities(metrics, segments, references)
    alone = [[m] for m in range(metrics)]

    def run() -> None:
        compute_queens(near, alone, PairSelection())
        for of_metric in compute_held_out_queens(near, alone, PairSelection()):
            HeldOutCases.of(of_metric, near.present)

    return seconds(run)


def our_queen(metrics: int, segments: int, references: int, jobs: int | None) -> float:
    from tarocco.meta.qarla.queen import PairSelection, compute_queens

    near = similarities(metrics, segments, references)
    return best_seconds(partial(compute_queens, near, [list(range(metrics))], PairSelection(), jobs), 3)


def numpy_queen(near: np.ndarray, together: int) -> np.ndarray:
    """Return QUEEN, float64[segments, systems], by broadcasting over `together` segments at a time."""
    _, segments, _, references = near.shape
    first, second = np.nonzero(~np.eye(references, dtype=bool))
    queens = np.empty((segments, SYSTEMS))
    for start in range(0, segments, together):
        part = near[:, start : start + together]
        passed = np.ones((part.shape[1], SYSTEMS, references, len(first)), bool)
        for metric in part:
            passed &= metric[:, :SYSTEMS, :, None] >= metric[:, SYSTEMS + first, second][:, None, None, :]
        queens[start : start + together] = passed.mean(axis=(2, 3))
    return queens


def their_queen(metrics: int, segments: int, references: int, together: int) -> float:
    """Time NumPy, and check that its numbers are ours."""
    from tarocco.meta.qarla.queen import PairSelection, compute_queens

    near = similarities(metrics, segments, references)
    (ours,) = compute_queens(near, [list(range(metrics))], PairSelection())
    assert np.allclose(ours, numpy_queen(near.to_references, together), rtol=0, atol=1e-12)
    return best_seconds(partial(numpy_queen, near.to_references, together), 3)


def our_similarities(metrics: list[str], segments: int, references: int) -> float:
    """Time the computation of similarities from text."""
    from tarocco.core.test_set import make_test_set
    from tarocco.encode.batch import Encoding
    from tarocco.meta.qarla.similarities import compute_similarities
    from tarocco.metrics.registry import metrics as find_metrics

    texts = texts_of(segments, SYSTEMS + references)
    systems = {f"a{i}": column for i, column in enumerate(texts[:SYSTEMS])}
    test_set = make_test_set(systems, list(zip(*texts[SYSTEMS:], strict=True)))
    return seconds(lambda: compute_similarities(test_set, find_metrics(metrics), Encoding("13a")))


def rows() -> list[Row]:
    def took(function: str, *arguments: object) -> float:
        return in_fresh_process("qarla", function, *arguments)

    shape = f"{len(METRICS)} metrics, 1000 segments x {SYSTEMS} systems x 16 references"
    table = [
        at_most("similarities", shape, "from text, all threads", took("our_similarities", METRICS, 1000, 16), 120, "s"),
        at_most(
            "QUEEN and KING of single metrics",
            shape,
            "cold, all threads",
            took("our_kings", len(METRICS), 1000, 16),
            10,
            "s",
        ),
    ]
    # Our worst shapes come last. With eight segments at a time, NumPy's arrays fit into the cache.
    shapes = (
        (31, 16, 1000, None, 10),
        (31, 16, 1000, 1, None),
        (31, 16, 8, None, None),
        (5, 4, 1000, 1, None),
        (1, 4, 1000, 1, None),
        (1, 2, 1000, 1, None),
    )
    for metrics, references, together, jobs, goal in shapes:
        ours, theirs = in_turns(
            [
                partial(took, "our_queen", metrics, 1000, references, jobs),
                partial(took, "their_queen", metrics, 1000, references, together),
            ],
            SAMPLES,
            min,
        )
        peer = f"NumPy {np.__version__}, broadcasting, {together} segments together"
        shape = f"a set of {metrics}, 1000 segments x {SYSTEMS} systems x {references} references"
        table.append(
            ratio("QUEEN", shape, peer, f"warm, {'one thread' if jobs else 'all threads'}", ours, theirs, goal)
        )
    return table


if __name__ == "__main__":
    show(rows())
