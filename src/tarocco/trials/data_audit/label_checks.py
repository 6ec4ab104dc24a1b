"""Checks of human scores against the scores of metrics: labels, sign, outliers, duplicates.

A metric and people who judge the same outputs agree on more than which system and which segment is good: they agree on
which *output* is. Without the means of systems and segments, the metric's scores of system s therefore correlate with
people's scores of system s, and not with those of system t. So swapped labels can be seen in scores of segments even
where all systems are equally good. From one score per system they cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import HumanScores
from tarocco.meta.correlation.score_sources import (
    ScoreSource,
    find_outliers,
    make_human_source,
    make_metric_source,
)
from tarocco.scoring.language import join_subjects
from tarocco.scoring.resampling import words
from tarocco.scoring.results import Result
from tarocco.trials.data_audit.findings import DataFinding

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

FITS = 0.05  # labels fit if at most this share of shuffled labels fits as well
NO_BETTER = 0.2  # severe if more shuffled labels fit as well: fewer than one in five wrong labelings passes this
REVERSED = 0.01  # share of shuffled labels that fit worse
CONFIRMED = 2.33  # standard errors by which the other half of the segments must prefer the proposed labels
DRAWS = 5000  # permutations, if there are more than 7! = 5040
MIN_SYSTEMS = 4  # with three, the best of six permutations has p = .17
MIN_SEGMENTS = 20  # for correlations over segments
BLOCK = 5  # neighboring segments that are halved together where documents are unknown
CHANGE = 0.2  # of a correlation without outliers
TWIN = 0.99  # share of equal scores


@dataclass(frozen=True, eq=False)
class JudgedScores:
    """What metrics and people say of the judged systems, higher is better, by one criterion."""

    criterion: str
    systems: tuple[str, ...]
    metrics: tuple[ScoreSource, ...]
    human: ScoreSource
    blocks: Integers  # of each segment: its document, or its run of neighboring segments

    @property
    def metric_systems(self) -> Floats:
        """float64[systems]: the mean of all metrics' standardized system scores; NaN if a metric has none."""
        rows = [standardize(metric.systems) for metric in self.metrics]
        rows = [row for row in rows if np.isfinite(row).all()]
        return np.mean(rows, axis=0) if rows else np.full(len(self.systems), np.nan)


def judged_scores(scores: Result, human: HumanScores, documents: Sequence[str] | None) -> Iterator[JudgedScores]:
    """Yield the scores of the judged systems for each criterion."""
    by_metric: dict[str, list[object]] = {}
    for system in human.systems:
        for score in scores.scores:
            if score.system == system:
                by_metric.setdefault(str(score.metric), []).append(score)
    metrics = tuple(
        make_metric_source(of_metric)  # type: ignore[arg-type]
        for of_metric in by_metric.values()
        if len(of_metric) == len(human.systems)
    )
    n = next(iter(scores.scores)).statistics.shape[0] if scores.scores else 0
    if documents is None:
        blocks = np.arange(n) // BLOCK
    else:
        numbers: dict[str, int] = {}
        blocks = np.array([numbers.setdefault(label, len(numbers)) for label in documents])
    for criterion in human.criteria:
        yield JudgedScores(criterion, human.systems, metrics, make_human_source(human, criterion), blocks)


# --- labels and sign -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelTest:
    """How well human scores fit the systems, compared with shuffled labels."""

    p_system: float  # share of permutations that fit as well, by system scores
    p_segment: float  # the same by scores of segments without means; NaN without them
    p_reversed: float  # share of permutations that fit as badly, by system scores
    r_system: float  # correlation of system scores
    r_segment: float  # mean correlation over segments, without means
    mapping: tuple[tuple[str, str], ...] = ()  # human scores of the first belong to the output of the second
    z_values: tuple[float, ...] = ()  # of the metrics that confirm the mapping
    n_confirmed: int = 0

    @property
    def fits(self) -> bool:
        return self.p <= FITS

    @property
    def p(self) -> float:
        """The smaller p-value of the two, times two."""
        p_values = [p for p in (self.p_system, self.p_segment) if np.isfinite(p)]
        return min(1.0, min(p_values) * len(p_values)) if p_values else np.nan


def compare_labels(judged: JudgedScores, seed: int) -> LabelTest | None:
    """Compare the labels of human scores with shuffled ones; None if the data do not allow it."""
    size = len(judged.systems)
    people, metric = standardize(judged.human.systems), judged.metric_systems
    if size < MIN_SYSTEMS or not (np.isfinite(people).all() and np.isfinite(metric).all()):
        return None
    orders = draw_permutations(size, seed)
    products = np.outer(metric, people) / size
    p_system, p_reversed = permutation_p(products, orders)
    r_system = float(np.trace(products) / max(metric.std(), 1e-12))
    residuals = _residuals(judged)
    if residuals is None:
        return LabelTest(p_system, np.nan, p_reversed, r_system, np.nan)
    metrics, human, known = residuals
    table = np.mean([correlate_rows(rows, human, known) for rows in metrics], axis=0)
    p_segment, p_reversed_segment = permutation_p(table, orders)
    p_reversed = min(1.0, 2 * min(p_reversed, p_reversed_segment))
    mapping: list[tuple[int, int]] = []
    z_values: list[float] = []
    if p_reversed > REVERSED:  # with a reversed sign, any other labels fit better
        mapping, z_values = find_mapping(metrics, human, known, judged.blocks)
    return LabelTest(
        p_system,
        p_segment,
        p_reversed,
        r_system,
        float(np.trace(table) / size),
        tuple((judged.systems[t], judged.systems[s]) for s, t in mapping),
        tuple(z_values),
        sum(z > CONFIRMED for z in z_values),
    )


def _residuals(judged: JudgedScores) -> tuple[list[Floats], Floats, NDArray[np.bool_]] | None:
    """Return metrics' and people's scores of segments without means, and which of them people gave."""
    if judged.human.statistics is None:
        return None
    human = judged.human.segments
    known = np.isfinite(human)
    known &= known.sum(axis=0) > 1  # a segment with one judged system says nothing
    enough = known.sum(axis=1).min() >= MIN_SEGMENTS
    metrics = []
    for metric in judged.metrics:
        if metric.statistics is not None and enough:
            rows = remove_means(np.where(np.isfinite(metric.segments), metric.segments, np.nan))
            if np.isfinite(rows).any() and np.nanstd(rows) > 0:
                metrics.append(np.nan_to_num(rows))
    people = np.nan_to_num(remove_means(np.where(known, human, np.nan)))
    return (metrics, people, known) if metrics and people.any() else None


def remove_means(scores: Floats) -> Floats:
    """Return scores [systems, segments] without the means of systems and segments; NaNs stay."""
    known = np.isfinite(scores)
    rest = np.where(known, scores, 0.0)
    rows, columns = np.maximum(known.sum(axis=1, keepdims=True), 1), np.maximum(known.sum(axis=0, keepdims=True), 1)
    for _ in range(1 if known.all() else 20):  # alternating projections, for tables with gaps
        rest = np.where(known, rest - rest.sum(axis=1, keepdims=True) / rows, 0.0)
        rest = np.where(known, rest - rest.sum(axis=0, keepdims=True) / columns, 0.0)
    return np.where(known, rest, np.nan)


def correlate_rows(metric: Floats, human: Floats, known: NDArray[np.bool_]) -> Floats:
    """Return C[s, t]: the correlation of the metric's row s with people's row t, where people judged."""
    shared = metric @ human.T
    norms = np.sqrt((metric**2 @ known.T.astype(np.float64)) * (human**2).sum(axis=1))
    correlations: Floats = np.divide(shared, norms, out=np.zeros_like(shared), where=norms > 0)
    return correlations


def draw_permutations(size: int, seed: int) -> Integers:
    """Return all permutations of up to seven systems, else random ones; the first is the identity."""
    if size <= 7:
        return np.array(list(permutations(range(size))), np.int64)
    random = np.argsort(words(seed, DRAWS, size), axis=1)
    return np.concatenate([np.arange(size)[None, :], random])


def permutation_p(table: Floats, orders: Integers) -> tuple[float, float]:
    """Return the shares of permutations whose sum of table[s, order[s]] is as high, and as low, as the identity's."""
    sums = table[np.arange(len(table)), orders].sum(axis=1)
    tolerance = 1e-9 * max(1.0, float(np.abs(sums).max()))
    return float((sums >= sums[0] - tolerance).mean()), float((sums <= sums[0] + tolerance).mean())


def find_mapping(
    metrics: Sequence[Floats], human: Floats, known: NDArray[np.bool_], blocks: Integers
) -> tuple[list[tuple[int, int]], list[float]]:
    """Return the systems whose human scores belong to other systems, as (system, row of human scores), and z-values.

    Two searches: one for any assignment, and if it finds none, one for two systems that are swapped. A reversed sign
    makes other labels fit better as well, so a mapping must also fit better than the true labels with reversed sign.
    """
    mapping, z_values = _find_cycles(metrics, human, known, blocks)
    return (mapping, z_values) if mapping else _find_swap(metrics, human, known)


def _find_cycles(
    metrics: Sequence[Floats], human: Floats, known: NDArray[np.bool_], blocks: Integers
) -> tuple[list[tuple[int, int]], list[float]]:
    """Find an assignment in one half of the segments that the other half confirms.

    Every second document, or run of segments, proposes the best assignment by all metrics together. The others confirm
    each of its cycles: z is the gain in correlations, after Fisher's transformation. Two metrics must confirm a cycle,
    and so must the mean of all metrics, weighted by how well they fit the proposal in the first half. The weights do
    not depend on the second half, so that choosing among metrics raises no false alarm.
    """
    propose = blocks % 2 == 0
    if propose.all() or not propose.any():
        return [], []
    tables = [correlate_rows(rows[:, propose], human[:, propose], known[:, propose]) for rows in metrics]
    assignment = assign_best(np.mean(tables, axis=0))
    cycles = list(_cycles(assignment))
    if not cycles:
        return [], []
    fits = np.array([table[np.arange(len(table)), assignment].sum() for table in tables])
    weights = np.maximum(fits, 0.0) / max(np.maximum(fits, 0.0).sum(), 1e-12)
    fisher, variances = _fisher(metrics, human, known, ~propose)
    threshold = NormalDist().inv_cdf(1 - NormalDist().cdf(-CONFIRMED) / len(cycles))
    mean_table = np.einsum("m,mst->st", weights, np.array(fisher))
    if -np.trace(mean_table) >= mean_table[np.arange(len(mean_table)), assignment].sum():
        return [], []
    mapping: list[tuple[int, int]] = []
    best: list[float] = []
    for cycle in cycles:
        moved = assignment[cycle]
        spread = np.sqrt((variances[moved] + variances[cycle]).sum())
        z_values = [float((z[cycle, moved] - z[cycle, cycle]).sum() / spread) for z in fisher]
        together = float(weights @ z_values)  # its variance is at most 1, whatever the correlation of the metrics
        if together > threshold and sum(z > CONFIRMED for z in z_values) >= min(2, len(metrics)):
            mapping += zip(cycle, moved.tolist(), strict=True)
            best = best or z_values
    return mapping, best


def _find_swap(
    metrics: Sequence[Floats], human: Floats, known: NDArray[np.bool_]
) -> tuple[list[tuple[int, int]], list[float]]:
    """Find the two systems whose scores fit each other best, in all segments, corrected for the number of pairs."""
    n = len(human)
    fisher, variances = _fisher(metrics, human, known, np.ones(human.shape[1], np.bool_))
    spread = np.sqrt(2 * (variances[:, None] + variances[None, :]))
    gains = np.stack([(z + z.T - np.diag(z)[:, None] - np.diag(z)[None, :]) / spread for z in fisher])
    ordered = np.sort(gains, axis=0)[::-1]
    second = ordered[min(2, len(metrics)) - 1]  # the second-best metric
    s, t = (int(place) for place in np.unravel_index(np.argmax(np.triu(second, 1)), second.shape))
    pairs = n * (n - 1) // 2
    mean_table = np.mean(fisher, axis=0)
    reversed_fits = -np.trace(mean_table) >= np.trace(mean_table) + mean_table[s, t] + mean_table[t, s]
    if reversed_fits or second[s, t] <= NormalDist().inv_cdf(1 - NormalDist().cdf(-CONFIRMED) / pairs):
        return [], []
    return [(s, t), (t, s)], gains[:, s, t].tolist()


def _fisher(
    metrics: Sequence[Floats], human: Floats, known: NDArray[np.bool_], segments: NDArray[np.bool_]
) -> tuple[list[Floats], Floats]:
    """Return each metric's correlations of rows after Fisher's transformation, and their variances by people's rows."""
    tables = [correlate_rows(rows[:, segments], human[:, segments], known[:, segments]) for rows in metrics]
    variances = 1 / np.maximum(known[:, segments].sum(axis=1) - 3.0, 1.0)
    return [np.arctanh(np.clip(table, -0.999, 0.999)) for table in tables], variances


def _cycles(assignment: Integers) -> Iterator[list[int]]:
    """Yield the cycles of a permutation that move something."""
    seen: set[int] = set()
    for start in range(len(assignment)):
        cycle, at = [], start
        while at not in seen:
            seen.add(at)
            cycle.append(at)
            at = int(assignment[at])
        if len(cycle) > 1:
            yield cycle


def assign_best(table: Floats) -> Integers:
    """Return the column of each row in the assignment with the largest sum (Jonker and Volgenant 1987)."""
    n = len(table)
    cost = table.max() - table
    rows, columns = np.zeros(n + 1), np.zeros(n + 1)
    owner, way = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    for row in range(1, n + 1):
        owner[0], here = row, 0
        shortest, done = np.full(n + 1, np.inf), np.zeros(n + 1, np.bool_)
        while True:
            done[here] = True
            reduced = cost[owner[here] - 1] - rows[owner[here]] - columns[1:]
            closer = ~done[1:] & (reduced < shortest[1:])
            shortest[1:][closer] = reduced[closer]
            way[1:][closer] = here
            step = np.where(done, np.inf, shortest)
            step[0] = np.inf
            nearest = int(np.argmin(step))
            change = step[nearest]
            rows[owner[done]] += change
            columns[done] -= change
            shortest[~done] -= change
            here = nearest
            if owner[here] == 0:
                break
        while here:
            owner[here] = owner[way[here]]
            here = int(way[here])
    assignment = np.empty(n, np.int64)
    assignment[owner[1:] - 1] = np.arange(n)
    return assignment


def check_labels(tests: dict[str, LabelTest | None], level: str) -> Iterator[DataFinding]:
    """Find human scores that fit shuffled labels as well as the true ones."""
    for criterion, test in tests.items():
        if test is None:
            continue
        if test.mapping:
            shown = "; ".join(f"those of {label} fit {system}" for label, system in test.mapping[:6])
            more = f"; and {len(test.mapping) - 6} more" if len(test.mapping) > 6 else ""
            z = min(value for value in test.z_values if value > CONFIRMED)
            yield DataFinding(
                "labels",
                "severe",
                tuple(label for label, _ in test.mapping),
                f"Labels of human scores ({criterion}) look swapped: {shown}{more}; {test.n_confirmed} of "
                f"{len(test.z_values)} metrics confirm it (z >= {z:.1f}).",
                "Check which system each row of human scores belongs to; the mapping is a proposal and may be partly "
                "wrong.",
            )
        elif not test.fits and not (test.p_reversed <= REVERSED):
            severe = test.p > NO_BETTER
            claim = "Metrics do not fit human scores" if severe else "Metrics are not shown to fit human scores"
            sign = " If lower scores are better, name the column NAME:error." if test.r_system < 0 else ""
            yield DataFinding(
                "labels",
                "severe" if severe else "warning",
                (criterion,),
                f"{claim} ({criterion}): {_fit(test)}.",
                "Check the labels of the human scores and the order of segments; the data cannot say what is wrong, "
                f"and the metrics may just be poor.{sign}",
            )
    untested = tuple(name for name, test in tests.items() if test is not None and not np.isfinite(test.p_segment))
    if untested:
        why = "There is one human score per system"
        if level == "segment":
            why = f"Metrics and people share scores of fewer than {MIN_SEGMENTS} segments per system"
        yield DataFinding(
            "labels",
            "note",
            untested,
            f"{why}, so two swapped systems would go unnoticed.",
            "Provide human scores of segments to have the labels of each system tested.",
        )


def _fit(test: LabelTest) -> str:
    parts = [f"by system scores r = {test.r_system:.2f}, and {100 * test.p_system:.0f}% of shuffled labels fit as well"]
    if np.isfinite(test.p_segment):
        parts.append(
            f"within segments r = {test.r_segment:.3f}, and {100 * test.p_segment:.0f}% of shuffled labels fit as well"
        )
    return "; ".join(parts)


def check_sign(tests: dict[str, LabelTest | None]) -> Iterator[DataFinding]:
    """Find criteria that run against the metrics."""
    for criterion, test in tests.items():
        if test is not None and test.p_reversed <= REVERSED and not test.mapping:
            within = f" and {test.r_segment:.3f} within segments" if np.isfinite(test.r_segment) else ""
            yield DataFinding(
                "sign",
                "severe",
                (criterion,),
                f"The sign of {criterion} looks reversed: it correlates with the mean of the metrics by "
                f"{test.r_system:.2f}{within} (p = {test.p_reversed:.4f} in shuffled labels).",
                "If lower is better, name the column NAME:error, or negate the scores.",
            )


# --- outliers and duplicates -----------------------------------------------------------------------------------------


def check_outliers(judged: Sequence[JudgedScores]) -> Iterator[DataFinding]:
    """Find outlier systems that change a metric's correlation with people by more than CHANGE."""
    for scores in judged:
        people = scores.human.systems
        outliers = find_outliers(people) & np.isfinite(people)
        rest = ~outliers & np.isfinite(people)
        if not outliers.any() or rest.sum() < MIN_SYSTEMS:
            continue
        changes = {}
        for metric in scores.metrics:
            full, reduced = pearson(metric.systems, people), pearson(metric.systems[rest], people[rest])
            if np.isfinite(full) and np.isfinite(reduced):
                changes[metric.name] = (full, reduced)
        names = tuple(name for name, is_outlier in zip(scores.systems, outliers, strict=True) if is_outlier)
        if not changes:
            continue
        most = max(changes, key=lambda name: abs(changes[name][0] - changes[name][1]))
        full, reduced = changes[most]
        decides = abs(full - reduced) > CHANGE
        yield DataFinding(
            "outliers",
            "warning" if decides else "note",
            names,
            f"{join_subjects(names)} {'are outliers' if len(names) > 1 else 'is an outlier'} in {scores.criterion}: "
            f"Pearson's r of {most} is {full:.2f} with and {reduced:.2f} without (the largest change of any metric).",
            "Read correlations with and without outliers (--drop-outliers), or use a rank or pairwise coefficient."
            if decides
            else "The correlations do not depend on it much; report both.",
        )


def check_duplicates(human: HumanScores, equal_outputs: dict[tuple[str, str], float]) -> Iterator[DataFinding]:
    """Find systems with the same human scores though their outputs differ, and criteria with the same scores."""
    names = list(human.criteria)
    for i, criterion in enumerate(names):
        scores = human.criteria[criterion]
        for other in names[i + 1 :]:
            if _share_equal(scores.ravel(), human.criteria[other].ravel()) == 1:
                yield DataFinding(
                    "duplicated judgments",
                    "warning",
                    (criterion, other),
                    f"{criterion} and {other} have the same scores everywhere.",
                    "Use one of them: the second adds no evidence.",
                )
        if human.level != "segment":
            continue
        for s, system in enumerate(human.systems):
            for t in range(s + 1, len(human.systems)):
                share = _share_equal(scores[s], scores[t])
                outputs = equal_outputs.get((system, human.systems[t]), 0.0)
                if share >= TWIN and outputs < TWIN - 0.1:
                    yield DataFinding(
                        "duplicated judgments",
                        "severe",
                        (system, human.systems[t]),
                        f"{system} and {human.systems[t]} have the same {criterion} scores in {100 * share:.0f}% of "
                        f"the segments, but the same output in {100 * outputs:.0f}%.",
                        "Check whether the scores of one system were copied to the other.",
                    )


def _share_equal(scores: Floats, others: Floats) -> float:
    """Return the share of equal scores where both exist; 0 if fewer than 10 do, or if nearly all are one number."""
    both = np.isfinite(scores) & np.isfinite(others)
    if both.sum() < 10:
        return 0.0
    values, counts = np.unique(scores[both], return_counts=True)
    if len(values) < 2 or counts.max() > 0.9 * both.sum():
        return 0.0
    return float((scores[both] == others[both]).mean())


def standardize(scores: Floats) -> Floats:
    """Return scores with mean 0 and standard deviation 1; NaNs if all are equal."""
    spread = scores.std()
    return (scores - scores.mean()) / spread if spread > 0 else np.full(len(scores), np.nan)


def pearson(scores: Floats, others: Floats) -> float:
    """Return Pearson's r; NaN if one side is constant or has gaps."""
    return float((standardize(scores) * standardize(others)).mean())
