"""Is an effect larger than the least size that counts? Tests of an audit, and their correction.

A test against zero would count every tiny effect, given enough segments. So the null hypothesis here is that the effect
is at most the threshold (a minimum-effect test, Murphy and Myors 1999).

jackknife   Units are left out one at a time (Tukey 1958). The effect minus the threshold, divided by the jackknife's
            standard error, is compared with Student's t. Swapping outputs, as in `paired_tests`, would only test an
            effect of zero.
bootstrap   For deletion. BLEU's brevity penalty has a kink: above it nothing changes if one unit is left out, and the
            jackknife underestimates the error. The percentile bootstrap over units goes past the kink. Its level
            is adjusted for few units by Student's t (the expanded percentile interval, Hesterberg 2015).
binomial    The exact test of the sign test's counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.audit.evidence import AuditFinding, CheckResult
from tarocco.meta.significance.distributions import upper_tail
from tarocco.meta.significance.multiple_testing import holm
from tarocco.metrics.base import Floats

LEAST_UNITS = 6  # with fewer, swapping whole units cannot give p <= .05 (two-sided)
N_RESAMPLES = 10_000  # of the bootstrap: enough for p-values that survive the correction for many systems


def find_p_of_excess(excesses: Floats, rounding: float, strata: NDArray[np.intp] | None = None) -> float:
    """Return the one-sided p-value of "the effect is at most the threshold".

    Parameters
    ----------
    excesses
        Effect minus threshold: first of all units, then without each of them.
    rounding
        The largest difference that is rounding.
    strata
        The stratum of each unit, if the sizes of strata are fixed; units with a negative number have no influence.
    """
    excess, without = float(excesses[0]), excesses[1:]
    strata = np.zeros(len(without), np.intp) if strata is None else strata
    n = int((strata >= 0).sum())
    if not excess > rounding or n < LEAST_UNITS or not np.isfinite(without[strata >= 0]).all():
        return 1.0
    groups = [without[strata == stratum] for stratum in np.unique(strata[strata >= 0])]
    variance = sum((len(group) - 1) / len(group) * float(((group - group.mean()) ** 2).sum()) for group in groups)
    if math.sqrt(variance) <= rounding:
        return 2.0**-n  # the same in every unit: as in a sign test
    return float(upper_tail(excess / math.sqrt(variance), n - len(groups)))


def find_p_by_bootstrap(excess: float, resampled: Floats, n_units: int, rounding: float) -> float:
    """Return the one-sided p-value of "the effect is at most the threshold".

    Parameters
    ----------
    excess, resampled
        Effect minus threshold: of the data, and of each resample of units.
    n_units
        The number of units.
    rounding
        The largest difference that is rounding.
    """
    above = int((resampled > rounding).sum())
    if not excess > rounding or n_units < LEAST_UNITS or above == 0:
        return 1.0
    share = (1 + len(resampled) - above) / (1 + len(resampled))
    z = -NormalDist().inv_cdf(share)
    p = upper_tail(z * math.sqrt((n_units - 1) / n_units), n_units - 1)
    return max(float(p), 2.0**-n_units)  # no smaller than that of a sign test


def find_p_of_majority(wins: int, losses: int, majority: float) -> float:
    """Return the probability of so many wins or more, if wins minus losses is expected to be `majority` of both."""
    n, p = wins + losses, (1 + majority) / 2
    logs = (
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log(1 - p)
        for k in range(wins, n + 1)
    )
    return min(1.0, math.fsum(map(math.exp, logs)))


def correct(results: Sequence[CheckResult], alpha: float) -> list[CheckResult]:
    """Correct the p-values of one metric's checks for the number of tests, and say what counts.

    Holm's correction goes over the tests of the same system, pair or trio, so that it does not depend on the other
    systems. A check as a whole is corrected for the number of its systems, pairs or trios as well.
    """
    tests: dict[frozenset[str], int] = {}
    for result in results:
        for subject, number in result.tests.items():
            tests[subject] = tests.get(subject, 0) + number
    findings = [finding for result in results for finding in result.findings]
    by_subject: dict[frozenset[str], list[AuditFinding]] = {}
    for finding in findings:
        by_subject.setdefault(_subject(finding), []).append(finding)
    p_holm = {
        id(finding): p
        for subject, findings in by_subject.items()
        for finding, p in zip(
            findings, holm(np.array([f.p_value for f in findings]), tests[subject]).tolist(), strict=True
        )
    }
    corrected = []
    for result in results:
        findings = [
            replace(finding, p_holm=p_holm[id(finding)], counts=p_holm[id(finding)] <= alpha)
            for finding in result.findings
        ]
        findings.sort(key=lambda finding: (not finding.counts, -finding.size))
        p = min([1.0, *(len(result.tests) * finding.p_holm for finding in findings)])
        corrected.append(replace(result, findings=tuple(findings), p_value=p, gamed=p <= alpha))
    return corrected


def _subject(finding: AuditFinding) -> frozenset[str]:
    """Return the system, pair or trio that a finding is about."""
    chosen = [part["system"] for part in finding.numbers.get("parts", ())]
    return frozenset([*chosen, finding.systems[-1]] if chosen else finding.systems)
