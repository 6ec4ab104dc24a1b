"""What a trial by ORANGE gives: records that are sorted by how well metrics did, and show themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import UnknownName
from tarocco.core.records import Interval, ResultTable, number_or_null
from tarocco.meta.orange.confusions import Confusion
from tarocco.meta.orange.ranking import rank
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import bootstrap, percentiles, sum_rows


@dataclass(frozen=True, eq=False)
class Orange:
    """How one metric did: where it ranks the references, on average, within the lists.

    `interval` is that of the average rank, `orange_interval` that of ORANGE. `difference` is ORANGE minus that of the
    best metric, with its interval on the same resamples of segments. `equivalent_to_best`: there is no telling it from
    the best, because that interval has zero in it, or because one segment alone counts for both, or none.

    A segment counts for a metric if all its scores exist: `n_segments` is how many do, and `ranks` has NaN for the
    others. The difference is that on the segments that count for both.
    """

    metric: str
    signature: str
    orange: float
    average_rank: float
    interval: Interval
    orange_interval: Interval
    difference: float
    difference_interval: Interval
    equivalent_to_best: bool
    n_segments: int
    n_best: int
    ranks: Floats  # of the oracle in each list that counts; NaN where the metric has no score
    place: int  # in what was asked for
    curve: tuple[tuple[int, float], ...] = ()

    def to_dict(self, level: str = "corpus") -> dict[str, Any]:
        """The record as it stands in JSON; at the level of segments with the rank in each list that counts."""
        record: dict[str, Any] = {
            "metric": self.metric,
            "signature": self.signature,
            "orange": number_or_null(self.orange),
            "average_rank": number_or_null(self.average_rank),
            "interval": _ends(self.interval),
            "orange_interval": _ends(self.orange_interval),
            "difference": number_or_null(self.difference),
            "difference_interval": _ends(self.difference_interval),
            "equivalent_to_best": self.equivalent_to_best,
            "n_segments": self.n_segments,
            "n_best": self.n_best,
        }
        if self.curve:
            record["curve"] = [[length, number_or_null(value)] for length, value in self.curve]
        if level == "segment":
            record["ranks"] = [number_or_null(one) for one in self.ranks.tolist()]
        return record


def _ends(interval: Interval) -> list[float | None]:
    return [number_or_null(interval.low), number_or_null(interval.high)]


@dataclass(frozen=True, eq=False)
class OrangeResult(ResultTable, Mapping[str, Orange]):
    """The metrics of a trial, the best first. `result["ROUGE-L"]` is an Orange.

    `segments` are the numbers (from 0) of the segments that count, `sizes` the lengths of their lists; `left_out` says
    how many did not count and why, `found` what was found in the lists.
    """

    metrics: tuple[Orange, ...]
    segments: NDArray[np.intp]
    sizes: NDArray[np.intp]
    left_out: Mapping[str, int]
    found: Mapping[str, int]
    notes: tuple[str, ...] = ()
    confusions: tuple[Confusion, ...] = ()

    def __getitem__(self, name: str) -> Orange:
        for one in self.metrics:
            if one.metric == name:
                return one
        raise UnknownName(f'"{name}" did not stand trial; there are {", ".join(self)}')

    def __iter__(self) -> Iterator[str]:
        return (one.metric for one in self.metrics)

    def __len__(self) -> int:
        return len(self.metrics)

    def rows(self) -> list[dict[str, Any]]:
        """One flat record a metric."""
        return [
            {
                "metric": one.metric,
                "orange": number_or_null(one.orange),
                "average_rank": number_or_null(one.average_rank),
                "low": number_or_null(one.interval.low),
                "high": number_or_null(one.interval.high),
                "orange_low": number_or_null(one.orange_interval.low),
                "orange_high": number_or_null(one.orange_interval.high),
                "difference": number_or_null(one.difference),
                "difference_low": number_or_null(one.difference_interval.low),
                "difference_high": number_or_null(one.difference_interval.high),
                "equivalent_to_best": one.equivalent_to_best,
                "n_segments": one.n_segments,
                "n_best": one.n_best,
                "signature": one.signature,
            }
            for one in self.metrics
        ]

    def curves(self) -> list[dict[str, Any]]:
        """One flat record a metric and length of the list: what a plot is drawn from."""
        return [
            {"metric": one.metric, "n_best": length, "orange": number_or_null(value)}
            for one in self.metrics
            for length, value in one.curve
        ]

    def ranks(self) -> list[dict[str, Any]]:
        """One flat record a metric and list: the segment, counted from 1, the rank, and the length of the list."""
        lists = list(zip((self.segments + 1).tolist(), self.sizes.tolist(), strict=True))
        return [
            {"metric": one.metric, "segment": segment, "rank": rank, "n_best": size}
            for one in self.metrics
            for (segment, size), rank in zip(lists, one.ranks.tolist(), strict=True)
            if not math.isnan(rank)
        ]

    def to_dict(self, level: str = "corpus") -> list[dict[str, Any]]:
        """What `tarocco orange -f json` prints under "results"."""
        return [one.to_dict(level) for one in self.metrics]

    def __repr__(self) -> str:
        return f"{self.about}\n" + "\n".join(
            f"<{one.metric}: ORANGE {100 * one.orange:.2f}%, average rank {one.average_rank:.1f} "
            f"[{one.interval.low:.1f}, {one.interval.high:.1f}]>"
            for one in self.metrics
        )

    def _repr_html_(self) -> str:
        from html import escape

        body = "".join(
            f'<tr><th title="{escape(one.signature)}">{escape(one.metric)}</th><td>{100 * one.orange:.2f}%</td>'
            f"<td>{one.average_rank:.1f}</td><td>{one.interval.low:.1f}</td><td>{one.interval.high:.1f}</td>"
            f"<td>{self.mark(one)}</td></tr>"
            for one in self.metrics
        )
        first = self.metrics[0]
        between = f"{100 * first.interval.confidence:g}%-CI"
        names = ("Method", "ORANGE", "Avg Rank", f"{between}-L", f"{between}-U", "as best")
        head = "".join(f"<th>{name}</th>" for name in names)
        about = "<br>".join(map(escape, (self.about, *self.notes)))
        return f"<table><caption>{about}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def mark(self, one: Orange) -> str:
        """Whether a metric is the best, or cannot be told from it."""
        return "best" if one is self.metrics[0] else "=" if one.equivalent_to_best else ""

    @property
    def about(self) -> str:
        """How much was judged, and what was left out, in a line."""
        reasons = {"without_list": "without a list", "one_reference": "with one reference"}
        reasons |= {"no_candidates": "without candidates", "short": "too short"}
        out = [f"{count} {reasons[why]}" for why, count in self.left_out.items() if count]
        least, most = int(self.sizes.min()), int(self.sizes.max())
        lists = f"lists of {most}" if least == most else f"lists of {least} to {most}"
        n = len(self.segments)
        fewer = [f"{n - one.n_segments} for {one.metric}" for one in self.metrics if one.n_segments < n]
        return (
            f"{n} segment{'s' * (n > 1)}, {lists} candidates"
            + (f"; left out: {', '.join(out)}" if out else "")
            + (f"; left out, without a score: {', '.join(fewer)}" if fewer else "")
            + (f"; {self.found['pooled']} pooled with others" if self.found["pooled"] else "")
        )


@dataclass(frozen=True, eq=False)
class Ranked:
    """What a trial came to, list by list: at which lengths of each list, and where the references stood there.

    `counts[m]` is float64[rows, 2] for metric m, NaN where it has no score; list s has the rows offsets[s] ..
    offsets[s + 1] - 1.
    """

    segments: NDArray[np.intp]
    sizes: NDArray[np.intp]
    ends: NDArray[np.intp]
    offsets: NDArray[np.intp]
    counts: Sequence[Floats]

    def rows_at(self, lists: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.intp]:
        """[lists, lengths]: the row of the first so many candidates of a list, or of all where there are fewer."""
        rows = np.empty((len(lists), len(lengths)), np.intp)
        for i, s in enumerate(lists.tolist()):
            first, last = self.offsets[s : s + 2]
            rows[i] = first + np.searchsorted(self.ends[first:last], np.minimum(lengths, self.sizes[s]))
        return rows


def verdicts(
    ranked: Ranked,
    names: Sequence[tuple[str, str]],
    lists: NDArray[np.intp],
    n_best: int,
    grid: Sequence[int],
    ties: str,
    resampling: tuple[float, int, int],
    jobs: int | None,
) -> tuple[Orange, ...]:
    """The lists that count, turned into ORANGE; `names` are (metric, signature), `resampling` as for intervals."""
    confidence, n_resamples, seed = resampling
    whole = ranked.rows_at(lists, np.array([n_best]))
    ranks = np.concatenate([rank(counts[whole], ties) for counts in ranked.counts], axis=1)
    ratios = ranks / (np.minimum(n_best, ranked.sizes[lists]) + 1.0)[:, None]
    exist, m = ~np.isnan(ratios), len(names)
    best = int(np.argmin(np.where(exist.any(axis=0), _means(sum_rows, ratios, exist), np.inf)))
    # Both sides of a difference are means over the segments that count for both.
    sides = np.broadcast_to(ratios[:, [best]], ratios.shape)
    with_best = exist & exist[:, [best]]
    columns = np.concatenate([ranks, ratios, ratios, sides], axis=1)
    there = np.concatenate([exist, exist, with_best, with_best], axis=1)
    means = _means(sum_rows, columns, there)
    drawn = _means(lambda table: bootstrap(table, n_resamples, seed, jobs), columns, there)
    curves = _curves(ranked, lists, grid, ties)

    def interval(numbers: Floats) -> Interval:
        return Interval(*percentiles(numbers, (1 - confidence) / 2), float(confidence), int(n_resamples), int(seed))

    found = []
    for i, (name, signature) in enumerate(names):
        apart = interval(drawn[:, 2 * m + i] - drawn[:, 3 * m + i])
        found.append(
            Orange(
                name,
                signature,
                float(means[m + i]),
                float(means[i]),
                interval(drawn[:, i]),
                interval(drawn[:, m + i]),
                float(means[2 * m + i] - means[3 * m + i]),
                apart,
                apart.low <= 0 <= apart.high or bool(exist[:, i].any() and with_best[:, i].sum() < 2),
                int(exist[:, i].sum()),
                n_best,
                ranks[:, i],
                i,
                tuple(zip(grid, curves[i], strict=True)) if grid else (),
            )
        )
    return tuple(sorted(found, key=lambda one: (math.isnan(one.orange), one.orange)))


def _means(summed: Callable[[Floats], Floats], columns: Floats, there: NDArray[np.bool_]) -> Floats:
    """The means of what is there in each column, from a function that adds up rows; NaN where nothing is."""
    sums = summed(np.concatenate([np.where(there, columns, 0.0), there], axis=1))
    k = columns.shape[1]
    with np.errstate(invalid="ignore"):
        means: Floats = sums[..., :k] / sums[..., k:]
    return means


def _curves(ranked: Ranked, lists: NDArray[np.intp], grid: Sequence[int], ties: str) -> list[list[float]]:
    """For each metric ORANGE at each length of the grid, over the same lists."""
    lengths = np.array(grid, np.intp)
    rows = ranked.rows_at(lists, lengths)
    normalizers = np.minimum(lengths, ranked.sizes[lists][:, None]) + 1.0
    of_metrics = (rank(counts[rows], ties) / normalizers for counts in ranked.counts)
    return [_means(sum_rows, ratios, ~np.isnan(ratios)).tolist() for ratios in of_metrics]
