"""Which metric is closer to people than which, and is it luck: one test for all pairs of metrics, and ranks from it.

perm       scores of the two metrics are swapped at random: PERM-BOTH where both metrics' system scores are means of
           their segments' scores, else PERM-SYS, which swaps whole systems (Deutsch et al. 2021); system level only
williams   Williams' test of two Pearson correlations that share the human side; where all points are in one list
bootstrap  on resampled segments, the share in which the lead is gone: any level, any coefficient

A p-value is one-sided, of the lead that was seen. Holm's correction is for all pairs of metrics, and by itself for all
pairs with a sentinel: whether metrics know more than chance does not make it harder to tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import BadParameter
from tarocco.judge.families import holm
from tarocco.judge.groupings import View
from tarocco.judge.pairs_of_metrics import perm_both, perm_sys, rank_clusters, williams
from tarocco.judge.sides import Side
from tarocco.metrics.base import Floats

if TYPE_CHECKING:
    from concurrent.futures import Executor

TESTS = ("perm", "williams", "bootstrap")


@dataclass(frozen=True)
class Lead:
    """How much closer to people one metric is than another."""

    metric: str
    other: str
    criterion: str
    lead: float  # of the coefficient
    test: str  # perm-both, perm-sys, williams or bootstrap
    p_value: float
    p_holm: float
    significant: bool
    williams_t: float  # of Pearson's correlations, whatever the test was; NaN where there is none
    williams_p: float


class Leads(NamedTuple):
    """All pairs of metrics, the closer one first, and the cluster of each metric (0: it has no correlation)."""

    pairs: tuple[Lead, ...]
    clusters: NDArray[np.int64]


@dataclass(frozen=True)
class Rivals:
    """Metrics that are compared: both sides, what the agreements are, and what is known of them from resamples."""

    metrics: Sequence[Side]
    people: Side
    view: View
    coefficient: str
    agreements: Floats  # float64[metrics]
    sentinels: NDArray[np.bool_]  # which of them are no metrics
    resampled: Floats  # float64[metrics, n_resamples]


def check_test(test: str | None, view: View) -> str:
    """The test that was asked for, or the one for this level."""
    chosen = test or ("perm" if view.level == "system" else "bootstrap")
    if chosen not in TESTS:
        raise BadParameter(f"test is one of {', '.join(TESTS)}, not {chosen!r}")
    if chosen == "perm" and view.level != "system":
        raise BadParameter("the permutation test is for the system level; below it, test is williams or bootstrap")
    if chosen == "williams" and view.grouping != "none":
        raise BadParameter("Williams' test is for one list of points: there is none with a grouping; test is bootstrap")
    return chosen


def leads(
    rivals: Rivals,
    test: str,
    alpha: float,
    n_permutations: int,
    seed: int,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> Leads:
    """Every pair of metrics that have a correlation, tested."""
    count = len(rivals.metrics)
    ts, williams_p = _williams(rivals)
    if test == "perm":
        p_values, names = _permuted(rivals, n_permutations, seed, jobs, executor)
    else:
        p_values = williams_p if test == "williams" else _bootstrapped(rivals)
        names = np.full((count, count), test, object)
    order = np.argsort(-rivals.agreements, kind="stable")
    ranked = [int(metric) for metric in order if not np.isnan(rivals.agreements[metric])]
    pairs = [(a, b) for i, a in enumerate(ranked) for b in ranked[i + 1 :]]
    adjusted = np.full((count, count), np.nan)
    for with_sentinel in (False, True):
        family = [pair for pair in pairs if bool(rivals.sentinels[list(pair)].any()) == with_sentinel]
        if family:
            adjusted[tuple(zip(*family, strict=True))] = holm(np.array([p_values[pair] for pair in family]))
    found = tuple(
        Lead(
            *(rivals.metrics[a].name, rivals.metrics[b].name, rivals.people.name),
            lead,
            names[a, b],
            *(float(p_values[a, b]), float(adjusted[a, b]), bool(adjusted[a, b] <= alpha)),
            *(float(ts[a, b]), float(williams_p[a, b])),
        )
        for (a, b), lead in zip(pairs, _leads(rivals, pairs), strict=True)
    )
    return Leads(found, rank_clusters(rivals.agreements, adjusted, alpha))


def comparisons(metrics: int, sentinels: int) -> int:
    """How many pairs the larger of the two families has."""
    return max(metrics * (metrics - 1) // 2, metrics * sentinels + sentinels * (sentinels - 1) // 2)


def _leads(rivals: Rivals, pairs: Sequence[tuple[int, int]]) -> list[float]:
    """How much higher the first agreement of each pair is, on the scores that both metrics have."""
    items = [rivals.view.items(side) for side in rivals.metrics]
    missing = [np.isnan(own) for own in items]
    human = rivals.view.items(rivals.people)
    found = []
    for a, b in pairs:
        agreements = [rivals.agreements[a], rivals.agreements[b]]
        if (missing[a] != missing[b]).any():
            common = (np.where(missing[a] | missing[b], np.nan, items[m]) for m in (a, b))
            agreements = [rivals.view.agreement(rivals.coefficient, own, human).value for own in common]
        found.append(float(agreements[0] - agreements[1]))
    return found


def _williams(rivals: Rivals) -> tuple[Floats, Floats]:
    """t and p of all pairs; NaN where points are in several lists."""
    count = len(rivals.metrics)
    if rivals.view.grouping != "none":
        return np.full((count, count), np.nan), np.full((count, count), np.nan)
    points = np.stack([rivals.view.items(side).ravel() for side in rivals.metrics])
    tested = williams(points, rivals.view.items(rivals.people).ravel())
    return tested.t, tested.p_values


def _bootstrapped(rivals: Rivals) -> Floats:
    """The share of resamples in which a lead is gone, with one more for what was observed."""
    count = len(rivals.metrics)
    p_values = np.full((count, count), np.nan)
    drawn = rivals.resampled
    for a in range(count):
        for b in range(count):
            both = ~(np.isnan(drawn[a]) | np.isnan(drawn[b]))
            if a != b and both.any():
                p_values[a, b] = (int((drawn[a] <= drawn[b])[both].sum()) + 1) / (int(both.sum()) + 1)
    return p_values


def _permuted(
    rivals: Rivals, n_permutations: int, seed: int, jobs: int | None, executor: Executor | None
) -> tuple[Floats, NDArray[np.object_]]:
    """p-values, and which of the two tests each is from."""
    settings = (rivals.coefficient, n_permutations, seed, jobs, executor)
    whole = np.stack([side.systems for side in rivals.metrics])
    p_values = perm_sys(whole, rivals.people.systems, *settings).p_values
    names = np.full(p_values.shape, "perm-sys", object)
    means = [m for m, side in enumerate(rivals.metrics) if side.is_mean]
    if len(means) > 1:
        segments = np.stack([rivals.metrics[m].segments for m in means])
        both = np.ix_(means, means)
        p_values[both] = perm_both(segments, rivals.people.systems, *settings).p_values
        names[both] = "perm-both"
    return p_values, names
