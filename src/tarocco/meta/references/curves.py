"""The curves of metrics over the number of references, and the conclusions from them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tarocco.core.errors import UnknownName
from tarocco.core.records import ResultTable, number_or_null, to_json
from tarocco.meta.significance.distributions import t_quantile
from tarocco.metrics.base import PENALTY, Floats
from tarocco.scoring.resampling import Units

ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class Point:
    """The values of a metric with subsets of one size: a correlation, ORANGE or KING per subset, NaN if undefined.

    `shares` is what each order of n-grams contributes to the score, on average over systems and subsets. `redrawn` is
    the agreement that is compared between numbers of references, on average over subsets: what a metric has beyond its
    chance level, higher is better, first as observed and then on resampled segments or documents. It is empty without
    a test.
    """

    size: int
    subsets: tuple[str, ...]
    values: Floats
    shares: Mapping[str, float] = field(default_factory=dict)
    redrawn: Floats = field(default_factory=lambda: np.empty(0))

    @cached_property
    def _defined(self) -> Floats:
        defined = self.values[~np.isnan(self.values)]
        return defined if len(defined) else np.array([np.nan])

    @property
    def mean(self) -> float:
        """The mean over the subsets; NaN if all are undefined."""
        return float(self._defined.mean())

    @property
    def std(self) -> float:
        """The standard deviation over the subsets; 0 for a single subset."""
        return float(self._defined.std())

    @property
    def low(self) -> float:
        """The lowest value of a subset."""
        return float(self._defined.min())

    @property
    def high(self) -> float:
        """The highest value of a subset."""
        return float(self._defined.max())

    def numbers(self) -> dict[str, Any]:
        """Return the size, the number of subsets, and the mean and the spread over them."""
        spread = {name: number_or_null(getattr(self, name)) for name in ("mean", "std", "low", "high")}
        return {"references": self.size, "n_subsets": len(self.values)} | spread

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON record."""
        return self.numbers() | ({"shares": to_json(self.shares)} if self.shares else {})


@dataclass(frozen=True)
class CurveShape:
    """What was shown of a curve.

    `kind`: the metric "gains" from the last reference, "saturates" before it, "degrades" with it, is "flat" from the
    fewest references on, "open" if nothing was shown, or "none" if it does not agree with the judge at any number of
    references. `enough` is the smallest number that was shown to give the required share of what all references give.
    """

    kind: str
    enough: int | None
    sentence: str


@dataclass(frozen=True, eq=False)
class Curve:
    """One metric with 1, 2, 3, ... references: a metric that the caller named, or a lower order of one."""

    metric: str
    signature: str
    points: tuple[Point, ...]
    required: float = 0.98  # share of what all references give that is enough
    lower_is_better: bool = False
    named: bool = True  # by the caller
    why: str | None = None  # values are undefined
    n_units: int | None = None  # segments or documents that were redrawn, if known

    def at(self, size: int) -> Point:
        """Return the point with this number of references."""
        for point in self.points:
            if point.size == size:
                return point
        raise UnknownName(f"there is no point with {size} references; there are {self.points[0].size} to {self.most}")

    @property
    def most(self) -> int:
        """The largest number of references."""
        return self.points[-1].size

    @property
    def goodness(self) -> list[float]:
        """Means, or 1 - ORANGE: higher is better."""
        return [1 - point.mean if self.lower_is_better else point.mean for point in self.points]

    @cached_property
    def verdict(self) -> CurveShape:
        """Whether the metric was shown to gain, saturate or degrade, and how many references are enough.

        Each statement is a test of two numbers of references. "Enough" is tested from the second largest number
        downwards until a test fails; "degrades" is corrected for all smaller numbers.
        """
        if not any(value > 0 for value in self.goodness):
            reason = f" ({self.why})" if self.why else ""
            words = f"does not agree with the judge at any number of references{reason}"
            return CurveShape("none", None, f"{self.metric} {words}")
        *fewer, last = self.points
        share = f"{100 * self.required:g}%"
        for point in fewer:
            if exceeds(point.redrawn, last.redrawn, self.required, ALPHA / len(fewer), self.n_units):
                words = f"{_give(last.size)} less than {share} of what {point.size} give{'s' * (point.size == 1)}"
                return CurveShape("degrades", None, f"{self.metric} degrades: {words}")
        if exceeds(last.redrawn, fewer[-1].redrawn, self.required, ALPHA, self.n_units):
            words = f"{_give(fewer[-1].size)} less than {share} of what {last.size} give"
            return CurveShape("gains", None, f"{self.metric} gains: {words}")
        enough = None
        for point in reversed(fewer):
            if not reaches(point.redrawn, last.redrawn, self.required, ALPHA, self.n_units):
                break
            enough = point.size
        if enough is None:
            words = f"it is not shown whether {_references(fewer[-1].size)} give{'s' * (fewer[-1].size == 1)}"
            words += f" at least {share} of what {last.size} give"
            return CurveShape("open", None, f"{self.metric} is open: {words}")
        kind = "flat" if enough == fewer[0].size else "saturates"
        words = f"{_give(enough)} at least {share} of what {last.size} give"
        return CurveShape(kind, enough, f"{self.metric} {'is flat' if kind == 'flat' else kind}: {words}")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON record."""
        shape = self.verdict
        return {
            "metric": self.metric,
            "signature": self.signature,
            **({} if self.named else {"asked": False}),
            "curve": [point.to_dict() for point in self.points],
            "verdict": shape.kind,
            "enough": shape.enough,
            "advice": shape.sentence,
        }


# --- tests of two numbers of references ---


def exceeds(larger: Floats, smaller: Floats, share: float, alpha: float, n_units: int | None = None) -> bool:
    """Return whether a share of the first quantity is shown to be more than the second; see `Point.redrawn`."""
    if not _is_positive(larger, alpha, n_units):
        return False
    low, _ = bounds(share * larger - smaller, alpha, n_units)
    return low > 0


def reaches(quantity: Floats, whole: Floats, share: float, alpha: float, n_units: int | None = None) -> bool:
    """Return whether the first quantity is shown to be at least a share of the second."""
    if not _is_positive(whole, alpha, n_units):
        return False
    low, _ = bounds(quantity - share * whole, alpha, n_units)
    return low >= 0


def _is_positive(quantity: Floats, alpha: float, n_units: int | None) -> bool:
    """Return whether there is agreement at all, without which a share of it means nothing."""
    return bounds(quantity, alpha, n_units)[0] > 0


def bounds(contrast: Floats, alpha: float, n_units: int | None = None) -> tuple[float, float]:
    """Return one-sided bounds of the first value, whose standard error is that of the others; NaN if undefined.

    The others are from redrawn units. Of few units the bootstrap's standard error is too small, and uncertain.
    """
    if len(contrast) < 3 or np.isnan(contrast).any() or n_units == 1:
        return math.nan, math.nan
    error, freedom = float(contrast[1:].std()), len(contrast) - 2
    if n_units is not None:
        error, freedom = error * math.sqrt(n_units / (n_units - 1)), min(freedom, n_units - 1)
    reach = t_quantile(1 - alpha, freedom) * error
    return float(contrast[0]) - reach, float(contrast[0]) + reach


def _give(count: int) -> str:
    """Return "1 reference is shown to give"."""
    return f"{_references(count)} {'is' if count == 1 else 'are'} shown to give"


def _references(count: int) -> str:
    return f"{count} reference{'s' * (count != 1)}"


@dataclass(frozen=True, eq=False)
class ReferencesResult(ResultTable, Mapping[str, Curve]):
    """The curves of metrics as references are added. `result["BLEU-4"]` is a Curve.

    `judged_by` says what the numbers are: "Kendall correlation with people, system level", "ORANGE" or "strict KING".
    """

    curves: tuple[Curve, ...]
    judged_by: str
    drawn: str  # "streams", or "segments" if subsets are drawn for each segment
    units: Units  # that tests redraw: segments, or documents where they are known
    n_segments: int
    notes: tuple[str, ...] = ()
    lower_orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of the metrics that the caller named

    @property
    def tested(self) -> str:
        """How statements were tested; empty if none could be."""
        draws = max(len(point.redrawn) for curve in self.curves for point in curve.points) - 1
        if draws < 2:
            return ""
        beyond = " beyond chance" if self.judged_by in ("ORANGE", "strict KING") else ""
        test = f"one-sided test at {ALPHA:g}, {draws} resamples of {self.units}"
        return f"{self.judged_by.split(',')[0]}{beyond}, {test}; applies to these systems and references"

    def __getitem__(self, name: str) -> Curve:
        for curve in self.curves:
            if curve.metric == name:
                return curve
        raise UnknownName(f'there is no curve of "{name}"; there are {", ".join(self)}')

    def __iter__(self) -> Iterator[str]:
        return (curve.metric for curve in self.curves)

    def __len__(self) -> int:
        return len(self.curves)

    @property
    def sizes(self) -> list[int]:
        """The numbers of references."""
        return [point.size for point in self.curves[0].points]

    def rows(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and number of references."""
        parts = list(dict.fromkeys(name for curve in self.curves for point in curve.points for name in point.shares))
        return [
            {
                "metric": curve.metric,
                **point.numbers(),
                **{f"share_{name}": to_json(point.shares.get(name)) for name in parts},
                "signature": curve.signature,
            }
            for curve in self.curves
            for point in curve.points
        ]

    def subsets(self) -> list[dict[str, Any]]:
        """Return one flat record per metric and subset of references."""
        return [
            {"metric": curve.metric, "references": point.size, "subset": name, "value": number_or_null(value)}
            for curve in self.curves
            for point in curve.points
            for name, value in zip(point.subsets, point.values.tolist(), strict=True)
        ]

    def to_dict(self, subsets: bool = False) -> list[dict[str, Any]]:
        """Return what `tarocco references -f json` prints under "results"."""
        records = [curve.to_dict() for curve in self.curves]
        if subsets:
            for record, curve in zip(records, self.curves, strict=True):
                for written, point in zip(record["curve"], curve.points, strict=True):
                    values = map(number_or_null, point.values.tolist())
                    written["subsets"] = [list(pair) for pair in zip(point.subsets, values, strict=True)]
        return records

    @property
    def named_curves(self) -> list[Curve]:
        """The curves of the metrics that the caller named, without their lower orders."""
        return [curve for curve in self.curves if curve.named]

    def by_order(self) -> list[list[Curve]]:
        """Return, for each metric that has lower orders, their curves and then its curve."""
        return [[*map(self.__getitem__, lower), self[name]] for name, lower in self.lower_orders.items() if lower]

    @property
    def advice(self) -> list[str]:
        """One sentence per metric, and what orders contribute."""
        verdicts = [curve.verdict.sentence for curve in self.named_curves]
        return [*verdicts, *(line for curves in self.by_order() for line in _orders(curves))]


def _orders(curves: Sequence[Curve]) -> list[str]:
    """Return sentences on what the orders above 1 contribute, and on lower orders that agree better."""
    *lower, curve = curves
    first, last = curve.points[0], curve.points[-1]
    lines = []
    if first.shares:
        higher = [
            100 * sum(value for name, value in point.shares.items() if name not in ("1", PENALTY))
            for point in (first, last)
        ]
        whole = f"-ln {curve.metric}" if PENALTY in first.shares else "the score"
        words = f"{higher[0]:.1f}% of {whole} with {_references(first.size)}, {higher[1]:.1f}% with {last.size}"
        if not any(map(math.isnan, higher)):
            lines.append(f"{curve.metric}: orders above 1 make {words}")
    better = [
        metric.metric
        for metric in lower
        if bounds(metric.points[-1].redrawn - last.redrawn, ALPHA / max(1, len(lower)), curve.n_units)[0] > 0
    ]
    names = ", ".join(better) or "no lower order"
    are = "are" if len(better) > 1 else "is"
    return [*lines, f"{curve.metric}: with {_references(last.size)}, {names} {are} shown to agree better"]
