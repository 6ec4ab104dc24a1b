"""Does the sign test contradict itself? (Chiang et al. 2008, section 3.1)

The sign test of Collins et al. (2005) replaces one segment of a baseline at a time. With A as the baseline it says
which of A and B is better, with B as the baseline it says so again. Where segments do not pay for each other it gives
the same answer; if the answers differ and both are significant, each output is better than the other.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.audit.evidence import Evidence, Finding, Outcome, Settings, numbered, p_values
from tarocco.meta.significance.paired_tests import segment_signs, sign_test

CHECK = "sign test"


def contradictions(evidence: Evidence, settings: Settings) -> Outcome:
    """A finding a pair of systems; the size is the share of pairs that contradict themselves."""
    pairs = list(combinations(evidence.scores, 2))
    if not pairs:
        return Outcome(evidence.name, CHECK, impossible="there is one system, and two are compared")
    found = []
    for one, other in pairs:
        forth, back = segment_signs(one, other), segment_signs(other, one)
        direction = np.sign(int(forth.sum()))
        if direction and direction == np.sign(int(back.sum())):
            tests = [_test(forth), _test(back)]
            if all(test["p_value"] <= settings.alpha for test in tests):
                found.append(((one, other), tests, numbered((forth == direction) & (back == direction))))
    by_luck = p_values([pair for pair, _, _ in found], settings)
    findings = [
        Finding(
            evidence.name,
            CHECK,
            (one.system, other.system),
            len(segments) / evidence.n_segments,
            {"scores": [one.score, other.score], "tests": tests},
            segments,
            p,
        )
        for ((one, other), tests, segments), p in zip(found, by_luck, strict=True)
    ]
    findings.sort(key=lambda finding: -finding.size)
    numbers = {"contradictions": len(findings), "pairs": len(pairs)}
    return Outcome(evidence.name, CHECK, len(findings) / len(pairs), numbers, tuple(findings))


def _test(found: NDArray[np.int8]) -> dict[str, Any]:
    """For how many segments the other's output is better and worse, and how likely that is by chance."""
    better, worse = int((found > 0).sum()), int((found < 0).sum())
    return {"better": better, "worse": worse, "p_value": sign_test(better, worse)}
