"""What does it cost to leave segments out? (Chiang et al. 2008, section 3.3)

Two numbers. A fixed share of the segments, drawn without looking at any metric, is left empty, many times: the mean
change of the score. And the share that can be left empty with a score no lower than before, if segments are chosen for
it: one after the other, each time the one that leaves the highest score. A search that looked further ahead could only
find more, so this is a lower bound.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.audit.evidence import Evidence, Finding, Outcome, Settings, p_values
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import draw_random_sets
from tarocco.scoring.results import Score

CHECK = "deletion"
FORGIVEN = 0.1  # blanking is forgiven if it costs less than this part of the share that is blanked
STEPS = 4000  # that the search takes at most: with more segments than that some are taken together


def deletion(evidence: Evidence, blank: list[NDArray[np.bool_]], settings: Settings) -> Outcome:
    """A finding a system; the size is the largest share of segments that the search leaves empty.

    `blank` says of each system which segments are empty already.
    """
    empty = evidence.empty
    if empty is None:
        return Outcome(evidence.name, CHECK, impossible="these scores were made elsewhere: empty outputs have none")
    n = evidence.n_segments
    size = max(1, round(settings.share * n))
    chosen = draw_random_sets(settings.seed, n, settings.n_draws, size)
    worst = evidence.sign * empty.score
    records, found = [], []
    for score, before, already in zip(evidence.scores, evidence.of_systems.tolist(), blank, strict=True):
        if not before - worst > evidence.small:
            continue  # as bad as nothing at all: there is nothing to lose
        changes = empty.statistics - score.statistics
        after = evidence.goodness(score.sums + changes[chosen].sum(axis=1))
        order = greedily(evidence, score.sums, changes, ~already, before)
        record: dict[str, Any] = {
            "system": score.system,
            "score": score.score,
            "blanked": size,
            "mean": evidence.sign * float(after.mean()),
            "lowest": float((evidence.sign * after).min()),
            "highest": float((evidence.sign * after).max()),
            "change": evidence.relative(float(after.mean()) - before, before),
            "greedy": len(order),
            "greedy_share": len(order) / n,
            "reached": len(order) >= size,
        }
        record["forgiven"] = record["change"] > -FORGIVEN * size / n
        records.append(record)
        if record["forgiven"] or record["reached"]:
            found.append((score, record, order, chosen[0]))
    if not records:
        return Outcome(evidence.name, CHECK, impossible="no system scores better than an empty output")
    return _outcome(evidence, empty, records, found, settings)


def _outcome(
    evidence: Evidence,
    empty: Score,
    records: list[dict[str, Any]],
    found: list[tuple[Score, dict[str, Any], NDArray[np.intp], NDArray[np.intp]]],
    settings: Settings,
) -> Outcome:
    pairs = []
    for score, _, _, first in found:
        rows = score.statistics.copy()
        rows[first] = empty.statistics[first]
        pairs.append((score, evidence.made(f"{score.system}, blanked", rows)))
    findings = [
        Finding(
            evidence.name,
            CHECK,
            (score.system,),
            len(order) / evidence.n_segments,
            record,
            tuple((order + 1).tolist()),
            p,
        )
        for (score, record, order, _), p in zip(found, p_values(pairs, settings), strict=True)
    ]
    findings.sort(key=lambda finding: (-finding.size, -finding.numbers["change"]))
    kindest = max(record["change"] for record in records)
    most = max(record["greedy_share"] for record in records)
    numbers = {
        "change": kindest,
        "forgiven": sum(record["forgiven"] for record in records),
        "reached": sum(record["reached"] for record in records),
        "by_system": records,
    }
    return Outcome(evidence.name, CHECK, most, numbers, tuple(findings))


def greedily(
    evidence: Evidence, sums: Floats, changes: Floats, may: NDArray[np.bool_], before: float
) -> NDArray[np.intp]:
    """The segments to leave empty, in the order in which they were chosen; row i of `changes` is what i changes."""
    left = np.flatnonzero(may)
    rows = changes[left]
    together = -(-len(left) // STEPS)
    taken: list[NDArray[np.intp]] = []
    while len(left):
        after = evidence.goodness(sums + rows)
        best = np.argsort(-after, kind="stable")[:together] if together > 1 else np.array([after.argmax()])
        sums = sums + rows[best].sum(axis=0)
        if not evidence.goodness(sums) >= before - evidence.small:
            break
        taken.append(left[best])
        left, rows = np.delete(left, best), np.delete(rows, best, axis=0)
    return np.concatenate(taken) if taken else np.empty(0, np.intp)
