"""The result of ORANGE: from the ranks of references to ORANGE, its intervals and notes."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError, UnknownName
from tarocco.core.records import Interval, Record, ResultTable, RunNote, number_or_null, to_json
from tarocco.meta.orange.chance import count_by_length
from tarocco.meta.orange.confusions import Confusion
from tarocco.meta.orange.lists import ListBlock, ListTally
from tarocco.meta.orange.ranking import rank
from tarocco.meta.orange.rules import EvaluatedMetric, OrangeRules
from tarocco.meta.significance.distributions import to_normal_score
from tarocco.meta.support.decision import MOST_DRAWS, Support, SupportRules
from tarocco.meta.support.segments import CHANCE, LEAST_UNITS, SegmentValues, judge_by_segments
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import bootstrap, percentile_interval, sum_rows
from tarocco.scoring.settings import Resampling

ORANGE_MARGIN = 0.10  # ORANGE of a metric must be below chance by this, and may be above the best metric's by as much
_NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class Orange(Record):
    """ORANGE of one metric: the average rank of the references in the lists, divided by the length of a list plus one.

    `interval` belongs to the average rank, `orange_interval` to ORANGE. `chance` is the ORANGE of a metric whose scores
    say nothing about who wrote a text, given how these scores are distributed (see `chance.py`). `status` is supported,
    refuted or open, `reasons` say what was not shown, and `p_value` is that of "better than chance", corrected for the
    number of metrics.

    `difference` is ORANGE minus that of the best metric, and its interval uses the same resamples of segments.
    `p_best` is the p-value of that difference. Which metric is the best was found on the same data, so it is corrected
    for all pairs of metrics; it is NaN with fewer than 20 segments. `worse_than_best` means that it is
    significant.

    A segment counts for a metric if all its scores exist: `n_segments` is the number of these segments, and `ranks` is
    NaN for the others. The difference is computed on the segments that count for both metrics.
    """

    json_fields = (
        *("metric", "signature", "orange", "chance", "status", "reasons", "p_value", "average_rank", "interval"),
        *("orange_interval", "difference", "difference_interval", "p_best", "worse_than_best", "n_segments"),
        *("n_best", "curve"),
    )
    row_fields = (
        *("metric", "orange", "chance", "status", "p_value", "average_rank", "interval", "orange_interval"),
        *("difference", "difference_interval", "p_best", "worse_than_best", "n_segments", "n_best", "signature"),
    )
    optional_fields = ("curve",)

    metric: str
    signature: str
    orange: float
    chance: float
    status: str
    reasons: tuple[str, ...]
    p_value: float
    average_rank: float
    interval: Interval
    orange_interval: Interval
    difference: float
    difference_interval: Interval
    p_best: float
    worse_than_best: bool
    n_segments: int
    n_best: int
    ranks: Floats  # of the oracle in each list; NaN where the metric has no score
    chance_ranks: Floats  # the same by chance
    place: int  # of the metric in the caller's order
    curve: tuple[tuple[int, float], ...] = ()

    def to_dict(self, level: str = "corpus") -> dict[str, Any]:
        """Return the JSON record; at the level "segment" with the rank in each list."""
        return super().to_dict() | ({"ranks": to_json(self.ranks)} if level == "segment" else {})


@dataclass(frozen=True, eq=False)
class OrangeResult(ResultTable, Mapping[str, Orange]):
    """ORANGE of several metrics, the best first. `result["ROUGE-L"]` is an `Orange`.

    `segments` are the numbers (from 0) of the segments that count, and `sizes` the lengths of their lists.
    `length_ranks` are the ranks of the oracle if the longer or the shorter text were the better one, observed and by
    chance. `left_out` has the number of segments that do not count, by reason, and `counts` what occurs in the lists.
    """

    record_field = "metrics"

    metrics: tuple[Orange, ...]
    segments: NDArray[np.intp]
    sizes: NDArray[np.intp]
    length_ranks: Floats  # [longer and shorter, observed and by chance, lists]
    left_out: Mapping[str, int]
    counts: Mapping[str, int]
    notes: tuple[str, ...] = ()
    confusions: tuple[Confusion, ...] = ()

    def __getitem__(self, name: str) -> Orange:
        for metric in self.metrics:
            if metric.metric == name:
                return metric
        raise UnknownName(f'"{name}" was not evaluated; there are {", ".join(self)}')

    def __iter__(self) -> Iterator[str]:
        return (metric.metric for metric in self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def curves(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and length of the list, for plots."""
        return [
            {"metric": metric.metric, "n_best": length, "orange": number_or_null(value)}
            for metric in self.metrics
            for length, value in metric.curve
        ]

    def ranks(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and list: the segment (from 1), the rank, and the length of the list."""
        lists = list(zip((self.segments + 1).tolist(), self.sizes.tolist(), strict=True))
        return [
            {"metric": metric.metric, "segment": segment, "rank": rank, "n_best": size}
            for metric in self.metrics
            for (segment, size), rank in zip(lists, metric.ranks.tolist(), strict=True)
            if not math.isnan(rank)
        ]

    def to_dict(self, level: str = "corpus") -> list[dict[str, Any]]:
        """Return what `tarocco orange -f json` prints under "results"."""
        return [metric.to_dict(level) for metric in self.metrics]

    def display(self) -> list[dict[str, Any]]:
        """Return the table of Lin and Och (2004)."""
        ci = f"{100 * self.metrics[0].interval.confidence:g}%-CI"
        return [
            {
                "Method": metric.metric,
                "ORANGE": f"{100 * metric.orange:.2f}%",
                "chance": f"{100 * metric.chance:.2f}%",
                "Avg Rank": f"{metric.average_rank:.1f}",
                f"{ci}-L": f"{metric.interval.low:.1f}",
                f"{ci}-U": f"{metric.interval.high:.1f}",
                "vs best": self.mark(metric),
                "status": metric.status,
            }
            for metric in self.metrics
        ]

    def captions(self) -> tuple[str, ...]:
        """Return what was ranked, and notes."""
        return self.about, *self.notes

    def mark(self, metric: Orange) -> str:
        """Return "best" for the best metric, "worse" for one that was shown to be worse, "open" for the others."""
        if math.isnan(metric.orange):
            return ""
        return "best" if metric is self.metrics[0] else "worse" if metric.worse_than_best else "open"

    @property
    def by_length(self) -> tuple[float, float]:
        """ORANGE if the longer text were the better one, and if the shorter one were."""
        longer, shorter = (self.length_ranks[:, 0] / (self.sizes + 1.0)).mean(axis=1).tolist()
        return longer, shorter

    @property
    def about(self) -> str:
        """One line on the lists that were ranked, and on those left out."""
        reasons = {"without_list": "without a list", "one_reference": "with one reference"}
        reasons |= {"no_candidates": "without candidates", "short": "too short"}
        out = [f"{count} {reasons[why]}" for why, count in self.left_out.items() if count]
        least, most = int(self.sizes.min()), int(self.sizes.max())
        lists = f"lists of {most}" if least == most else f"lists of {least} to {most}"
        n = len(self.segments)
        fewer = [f"{n - metric.n_segments} for {metric.metric}" for metric in self.metrics if metric.n_segments < n]
        return (
            f"{n} segment{'s' * (n > 1)}, {lists} candidates"
            + (f"; left out: {', '.join(out)}" if out else "")
            + (f"; left out, without a score: {', '.join(fewer)}" if fewer else "")
            + (f"; {self.counts['pooled']} pooled with others" if self.counts["pooled"] else "")
        )


class RankTable:
    """The ranks of the references in lists, as growing arrays, because a stream may have millions of lists.

    `counts[m]` has two numbers per row for metric m, the candidates above and tied with the references, NaN where the
    metric has no rank. List s has one row per length, row_counts[s] in all, and another row with what chance would
    give. `by_length` has the numbers of `count_by_length`, eight per list.
    """

    def __init__(self, metrics: int = 0) -> None:
        self.segments, self.sizes = array("q"), array("q")  # sizes of the lists as they were read
        self.row_counts, self.lengths = array("q"), array("q")
        self.counts = [array("d") for _ in range(metrics)]
        self.by_length = array("d")
        self.paths: dict[str, int] = {}  # so that lists of one file share its name
        self.path_numbers, self.first_lines = array("q"), array("q")

    def __len__(self) -> int:
        return len(self.segments)

    def add_block(self, block: ListBlock, oracle: str) -> None:
        """Append the lists of a block, without their ranks."""
        for s, (texts, lengths) in enumerate(zip(block.sets, block.lengths, strict=True)):
            path, line = texts.place()
            self.by_length.frombytes(count_by_length(block, s, oracle).tobytes())
            self.segments.append(texts.segment)
            self.sizes.append(len(texts.candidates))
            self.row_counts.append(len(lengths))
            self.lengths.frombytes(lengths.astype(np.int64, copy=False).tobytes())
            self.path_numbers.append(self.paths.setdefault(path, len(self.paths)))
            self.first_lines.append(line)

    def extend(self, other: RankTable, counts: Mapping[int, Floats], lines: int) -> None:
        """Append other lists and their counts by metric; their line numbers start after `lines` lines."""
        numbers = [self.paths.setdefault(path, len(self.paths)) for path in other.paths]
        self.segments += other.segments
        self.sizes += other.sizes
        self.row_counts += other.row_counts
        self.lengths += other.lengths
        self.by_length += other.by_length
        self.path_numbers.extend(numbers[number] for number in other.path_numbers)
        self.first_lines.extend(line + lines for line in other.first_lines)
        for m, column in enumerate(self.counts if len(other) else ()):
            column.frombytes(np.ascontiguousarray(counts[m]).tobytes())

    def where(self, s: int) -> str:
        """Return the file and line where a list begins."""
        return f"{list(self.paths)[self.path_numbers[s]]}, line {self.first_lines[s]}"

    @cached_property
    def offsets(self) -> NDArray[np.intp]:
        """The first row of each list, and the number of rows. To be used when the table is complete."""
        return np.concatenate([np.zeros(1, np.intp), np.cumsum(np.frombuffer(self.row_counts, np.int64))])

    @cached_property
    def used(self) -> NDArray[np.intp]:
        """The number of candidates of each list that are used."""
        return np.frombuffer(self.lengths, np.int64)[self.offsets[1:] - 1]

    def ranks(self, lists: NDArray[np.intp], lengths: NDArray[np.intp], ties: str) -> list[Floats]:
        """Return float64[lists, lengths] per metric: the rank among so many first candidates, or among all."""
        rows, all_lengths = np.empty((len(lists), len(lengths)), np.intp), np.frombuffer(self.lengths, np.int64)
        for i, s in enumerate(lists.tolist()):
            first, last = self.offsets[s : s + 2]
            # Before this list there is a row of chance for each list.
            rows[i] = s + first + np.searchsorted(all_lengths[first:last], np.minimum(lengths, self.used[s]))
        return [rank(np.frombuffer(column).reshape(-1, 2)[rows], ties) for column in self.counts]

    def chance_ranks(self, lists: NDArray[np.intp], ties: str) -> Floats:
        """Return float64[metrics, lists]: the rank that chance gives the oracle in the whole list."""
        rows = self.offsets[lists + 1] + lists
        return np.stack([rank(np.frombuffer(column).reshape(-1, 2)[rows], ties) for column in self.counts])

    def length_ranks(self, lists: NDArray[np.intp], ties: str) -> Floats:
        """Return float64[2, 2, lists]: the ranks by the longer and by the shorter text, observed and by chance."""
        counts = np.frombuffer(self.by_length).reshape(-1, 2, 2, 2)[lists]
        return np.moveaxis(rank(counts, ties), 0, 2)


def evaluate_ranks(
    table: RankTable,
    metrics: Sequence[EvaluatedMetric],
    lists: NDArray[np.intp],
    n_best: int,
    rules: OrangeRules,
    resampling: Resampling,
    jobs: int | None,
) -> tuple[Orange, ...]:
    """Return ORANGE of each metric over `lists`, the best first."""
    curves = _curves(table, lists, n_best, rules)
    ranks = np.concatenate(table.ranks(lists, np.array([n_best]), rules.ties), axis=1)
    sizes = np.minimum(n_best, table.used[lists]) + 1.0
    ratios = ranks / sizes[:, None]
    exist, m = ~np.isnan(ratios), len(metrics)
    best = int(np.argmin(np.where(exist.any(axis=0), _means(sum_rows, ratios, exist), np.inf)))
    # Both sides of a difference are means over the segments that count for both metrics.
    of_best = np.broadcast_to(ratios[:, [best]], ratios.shape)
    with_best = exist & exist[:, [best]]
    columns = np.concatenate([ranks, ratios, ratios, of_best], axis=1)
    defined = np.concatenate([exist, exist, with_best, with_best], axis=1)
    means = _means(sum_rows, columns, defined)
    drawn = _means(lambda rows: bootstrap(rows, resampling.n_resamples, resampling.seed, jobs), columns, defined)
    differences = means[2 * m : 3 * m] - means[3 * m :]
    drawn_differences = drawn[:, 2 * m : 3 * m] - drawn[:, 3 * m :]
    p_best = p_of_best(drawn[:, m : 2 * m], differences, drawn_differences, with_best.sum(axis=0))
    chance_ranks, length_ranks = table.chance_ranks(lists, rules.ties), table.length_ranks(lists, rules.ties)
    names = [metric.name for metric in metrics]
    measured = measure_lists(names, ranks.T, chance_ranks, length_ranks, sizes)
    n_draws, alpha = int(resampling.n_resamples), 1 - float(resampling.confidence)
    support_rules = SupportRules(n_draws=n_draws, most_draws=max(n_draws, MOST_DRAWS), seed=int(resampling.seed))
    supports = judge_orange(measured, None, support_rules)
    chance = [math.nan if support.chance is None else support.chance for support in supports]

    results = []
    for i, metric in enumerate(metrics):
        counts = exist[:, i]
        results.append(
            Orange(
                metric=metric.name,
                signature=metric.signature,
                orange=float(means[m + i]),
                chance=1.0 - chance[i],
                status=supports[i].status,
                reasons=supports[i].reasons,
                p_value=supports[i].p_values[CHANCE],
                average_rank=float(means[i]),
                interval=percentile_interval(drawn[:, i], resampling),
                orange_interval=percentile_interval(drawn[:, m + i], resampling),
                difference=float(differences[i]),
                difference_interval=percentile_interval(drawn_differences[:, i], resampling),
                p_best=float(p_best[i]),
                worse_than_best=bool(p_best[i] <= alpha),
                n_segments=int(counts.sum()),
                n_best=n_best,
                ranks=ranks[:, i],
                chance_ranks=chance_ranks[i],
                place=i,
                curve=curves[i],
            )
        )
    return tuple(sorted(results, key=lambda result: (math.isnan(result.orange), result.orange)))


def p_of_best(drawn: Floats, differences: Floats, drawn_differences: Floats, counts: NDArray[np.intp]) -> Floats:
    """Return p-values of the differences from the best metric, which was chosen by the same data.

    The largest standardized difference of any two metrics on shifted resamples is the null distribution: whichever
    metric turns out best, its differences are among them. `drawn` are the metrics' ORANGE on resamples, `counts` the
    number of segments of each difference. NaN with fewer than 20 segments.
    """
    drawn = drawn[:, ~np.isnan(drawn).all(axis=0)]
    centered = np.nan_to_num(drawn - np.nanmean(drawn, axis=0))
    largest = np.zeros(len(drawn))
    for i in range(drawn.shape[1]):
        pairs = centered[:, i + 1 :] - centered[:, [i]]
        errors = pairs.std(axis=0)
        usable = errors > _NO_SPREAD
        standardized = np.abs(pairs[:, usable]) / errors[usable]
        largest = np.fmax(largest, standardized.max(axis=1, initial=0.0))
    p_values = np.full(len(differences), np.nan)
    for i in np.flatnonzero(counts >= LEAST_UNITS).tolist():
        n = int(counts[i])
        error = np.nanstd(drawn_differences[:, i]) * math.sqrt(n / (n - 1))
        observed = to_normal_score(abs(differences[i]) / error, n - 1) if error > _NO_SPREAD else 0.0
        p_values[i] = (1 + np.count_nonzero(largest >= observed - 1e-12)) / (1 + len(drawn))
    return p_values


def measure_lists(
    names: Sequence[str], ranks: Floats, chance_ranks: Floats, length_ranks: Floats, sizes: Floats
) -> SegmentValues:
    """Return 1 - ORANGE of each list and by chance; `sizes` are the lengths of lists plus one."""
    longer_and_shorter = (length_ranks[:, 1] - length_ranks[:, 0]) / sizes
    by_chance = np.where(np.isnan(ranks), np.nan, chance_ranks)
    return SegmentValues(names, 1 - ranks / sizes, 1 - by_chance / sizes, longer_and_shorter)


def judge_orange(measured: SegmentValues, labels: Sequence[str] | None, rules: SupportRules) -> list[Support]:
    """Return what ORANGE says of each metric."""
    about = {"judge": "ORANGE", "coefficient": "1 - ORANGE"}
    return judge_by_segments(measured, **about, margin=ORANGE_MARGIN, labels=labels, rules=rules)


def _means(add_up: Callable[[Floats], Floats], columns: Floats, defined: NDArray[np.bool_]) -> Floats:
    """Return the mean of the defined values of each column; `add_up` adds up rows. NaN if there are none."""
    sums = add_up(np.concatenate([np.where(defined, columns, 0.0), defined], axis=1))
    k = columns.shape[1]
    with np.errstate(invalid="ignore"):
        means: Floats = sums[..., :k] / sums[..., k:]
    return means


def _curves(
    table: RankTable, lists: NDArray[np.intp], n_best: int, rules: OrangeRules
) -> list[tuple[tuple[int, float], ...]]:
    """Return, for each metric, ORANGE at each length of the curve, over the same lists."""
    if rules.grid is None:
        return [()] * len(table.counts)
    lengths = rules.lengths(n_best)
    normalizers = np.minimum(lengths, table.used[lists][:, None]) + 1.0
    ratios = [ranks / normalizers for ranks in table.ranks(lists, lengths, rules.ties)]
    values = [_means(sum_rows, of_metric, ~np.isnan(of_metric)).tolist() for of_metric in ratios]
    return [tuple(zip(lengths.tolist(), of_metric, strict=True)) for of_metric in values]


ONE_REFERENCE = (
    "no segment has two references, and a single reference has no other to be scored against "
    "(name more files with -r; --num-refs N if tabs separate references; --pool FILE if sources repeat)"
)


def make_result(
    table: RankTable,
    tally: ListTally,
    metrics: Sequence[EvaluatedMetric],
    rules: OrangeRules,
    resampling: Resampling,
    segments: int,
    name: str,
    jobs: int | None,
) -> OrangeResult:
    """Return ORANGE over all lists that count, with notes on the others; `segments` is the number of segments."""
    if not table:
        raise InputError(_why_no_lists(tally, name))
    # Without n_best a list is short if it was read with fewer candidates than the longest: duplicates and copies that
    # are left out do not make it short.
    as_read = np.frombuffer(table.sizes, np.int64)
    long_enough = as_read == as_read.max() if rules.n_best is None else table.used >= rules.n_best
    lists = np.flatnonzero(long_enough) if rules.short == "skip" else np.arange(len(table))
    numbers = np.frombuffer(table.segments, np.int64)
    lists = lists[np.argsort(numbers[lists], kind="stable")]  # some tools write lists in any order
    if not len(lists):
        raise InputError(
            f"{name}: no list has {rules.n_best} candidates, the longest has {table.used.max()}: "
            "lower --n-best, or keep short lists (--short keep)"
        )
    n_best = rules.n_best or int(table.used[lists].max())
    results = evaluate_ranks(table, metrics, lists, n_best, rules, resampling, jobs)
    short = np.flatnonzero(~long_enough)
    left_out = {
        "without_list": segments - len(tally.segments),
        "one_reference": tally.one_reference,
        "no_candidates": tally.without_candidates,
        "short": len(short) if rules.short == "skip" else 0,
    }
    counts = {
        "candidates": tally.candidates,
        "copies_of_references": tally.copies,
        "empty": tally.empty,
        "pooled": tally.pooled,
    }
    notes = [_note_short(table, short, len(lists), rules)] if len(short) else []
    notes += _notes(rules, tally, left_out, segments)
    if len(lists) > 1 and all((result.ranks[~np.isnan(result.ranks)] == 1).all() for result in results):
        notes.append("every metric ranks the references first in every list: do lists and references belong together?")
    length_ranks = table.length_ranks(lists, rules.ties)
    return OrangeResult(results, numbers[lists], table.used[lists], length_ranks, left_out, counts, tuple(notes))


def _note_short(table: RankTable, short: NDArray[np.intp], kept: int, rules: OrangeRules) -> str:
    size, most = count_of(int(table.used[short[0]]), "candidate"), rules.n_best or table.used.max()
    such = count_of(len(short), "such list")
    if rules.short == "keep":
        action = f"{such} used at {'its' if len(short) == 1 else 'their'} own length"
    else:
        left = f", so that {count_of(kept, 'list')} {'is' if kept == 1 else 'are'} used" if len(short) > kept else ""
        action = f"{such} left out{left} (--short keep keeps them, --n-best N cuts lists to N)"
    return f"{table.where(int(short[0]))}: this list has {size}, fewer than {most}; {action}"


def _why_no_lists(tally: ListTally, name: str) -> str:
    if tally.one_reference:
        return ONE_REFERENCE
    if tally.without_candidates:
        return f"{name}: no candidates remain in any list"
    return f"{name}: there are no lists"


def _notes(rules: OrangeRules, tally: ListTally, left_out: Mapping[str, int], segments: int) -> list[str]:
    """Return one sentence per peculiarity of the lists."""
    notes = []
    if left_out["without_list"]:
        note = f"{left_out['without_list']} of {segments} segments have no list"
        first_missing = 0 not in tally.segments and 1 in tally.segments
        notes.append(f"{note}, nor does the first: do ids count from 1 (--first-id 1)?" if first_missing else note)
    if tally.one_reference:
        notes.append(f"{count_of(tally.one_reference, 'list')} left out, because the segment has only one reference")
    if tally.same_references:
        notes.append(
            f"{count_of(tally.same_references, 'segment')} with a duplicate reference, which is certain to rank high"
        )
    if tally.without_candidates:
        notes.append(f"{count_of(tally.without_candidates, 'list')} left out, because no candidates remain")
    if tally.first_empty is not None:
        path, line = tally.first_empty
        notes.append(f"{path}, line {line}: the candidate is empty; {count_of(tally.empty, 'empty candidate')} in all")
    if tally.copies:
        are = "is" if tally.copies == 1 else "are"
        action = f"and {are} left out" if rules.drop_copies else "(--drop-copies leaves such candidates out)"
        notes.append(f"{count_of(tally.copies, 'candidate')} {are} identical to a reference {action}")
    if tally.from_store:
        notes.append(RunNote(f"{count_of(tally.from_store, 'list')} read from the store"))
    return notes


def count_of(count: int, noun: str) -> str:
    """Return a number and its noun: "1 list", "2 lists"."""
    return f"{count} {noun}" + "s" * (count != 1)
