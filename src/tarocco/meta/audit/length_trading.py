"""Does a long-winded part pay for a terse one? (Chiang et al. 2008, section 2)

Of two systems one writes more than the other. A random half of the segments is taken from the longer output and the
rest from the shorter one, and the other way round: two exchanges, in which no segment is better or worse than in the
systems' own outputs. If segments do not pay for each other, the exchanges score what the systems score, on average. A
metric rewards the trade if the exchanges score higher than either system, on average over many draws of halves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.audit.evidence import Evidence, Finding, Outcome, Settings, numbered, p_values
from tarocco.meta.audit.mixing import exchanged
from tarocco.meta.significance.paired_tests import segment_signs
from tarocco.scoring.resampling import random_sets

CHECK = "trading"


def trading(evidence: Evidence, lengths: NDArray[np.intp], settings: Settings) -> Outcome:
    """A finding a pair of systems; `lengths` are those of the systems' outputs, in characters.

    The size is how much more than the better system the exchanges score, at best, as a share of its worth; without
    a finding it is 0, or less.
    """
    n = evidence.n_segments
    if len(evidence.scores) < 2:
        return Outcome(evidence.name, CHECK, impossible="there is one system, and two are compared")
    if n < 2:
        return Outcome(evidence.name, CHECK, impossible="there is one segment, and two halves are wanted")
    longer, shorter = np.nonzero(lengths[:, None] > lengths[None, :])
    if not len(longer):
        return Outcome(evidence.name, CHECK, impossible="all outputs are of the same length")
    halves = random_sets(settings.seed, n, settings.n_draws, n // 2)
    whole = evidence.rows.sum(axis=0)
    total = np.zeros((len(lengths), len(lengths)))
    for half in halves:
        first = evidence.rows[half].sum(axis=0)
        total += exchanged(evidence, first, whole - first)
    exchanges = (total + total.T)[longer, shorter] / (2 * len(halves))
    scores = evidence.of_systems
    better = np.where(scores[longer] > scores[shorter], longer, shorter)
    surplus = exchanges - scores[better]
    order = [i for i in np.argsort(-surplus, kind="stable").tolist() if surplus[i] > evidence.small]
    in_first = np.zeros((n, 1), np.bool_)
    in_first[halves[0]] = True
    found = []
    for i in order:
        one, other = (evidence.scores[pair[i]] for pair in (longer, shorter))
        rows = np.where(in_first, one.statistics, other.statistics)
        found.append((i, one, other, evidence.made(f"{one.system} and {other.system}, exchanged", rows)))
    by_luck = p_values([(evidence.scores[better[i]], first) for i, _, _, first in found], settings)
    findings = [
        Finding(
            evidence.name,
            CHECK,
            (one.system, other.system),
            evidence.relative(float(surplus[i]), float(scores[better[i]])),
            {
                "scores": [one.score, other.score],
                "lengths": [int(lengths[longer[i]]), int(lengths[shorter[i]])],
                "expected": (one.score + other.score) / 2,
                "exchanged": evidence.sign * float(exchanges[i]),
            },
            numbered((segment_signs(one, other) > 0) & (segment_signs(other, one) > 0)),
            p,
        )
        for (i, one, other, _), p in zip(found, by_luck, strict=True)
    ]
    kindest = int(surplus.argmax())
    size = evidence.relative(float(surplus[kindest]), float(scores[better[kindest]]))
    return Outcome(evidence.name, CHECK, size, {"rewarded": len(found), "pairs": len(longer)}, tuple(findings))
