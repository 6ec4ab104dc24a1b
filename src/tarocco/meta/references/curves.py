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
from tarocco.metrics.base import PENALTY, Floats


@dataclass(frozen=True, eq=False)
class Point:
    """The values of a metric with subsets of one size: a correlation, ORANGE or KING per subset, NaN if undefined.

    `shares` is what each order of n-grams contributes to the score, on average over systems and subsets.
    """

    size: int
    subsets: tuple[str, ...]
    values: Floats
    shares: Mapping[str, float] = field(default_factory=dict)

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
    """The shape of a curve.

    `kind`: the metric "gains" up to the last reference, "saturates" earlier, "degrades" after its best point, is "flat"
    from the fewest references on, or "none" if it does not agree with the judge at any number of references. `enough`
    is the smallest number whose mean reaches the required share of the best, `best` the number with the best mean.
    """

    kind: str
    enough: int | None
    best: int | None
    sentence: str


@dataclass(frozen=True, eq=False)
class Curve:
    """One metric with 1, 2, 3, ... references: a metric that the caller named, or a lower order of one."""

    metric: str
    signature: str
    points: tuple[Point, ...]
    required: float = 0.98  # share of the best that is enough
    lower_is_better: bool = False
    named: bool = True  # by the caller
    why: str | None = None  # values are undefined

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
        """Whether the metric gains, saturates or degrades, and how many references are enough."""
        goodness, sizes = self.goodness, [point.size for point in self.points]
        if not any(value > 0 for value in goodness):
            reason = f" ({self.why})" if self.why else ""
            return CurveShape(
                "none", None, None, f"{self.metric} does not agree with the judge at any number of references{reason}"
            )
        top = max(value for value in goodness if not math.isnan(value))
        best = goodness.index(top)
        enough = next(i for i, value in enumerate(goodness) if value >= self.required * top)
        last = len(sizes) - 1
        means = ["nothing" if math.isnan(point.mean) else f"{point.mean:.3f}" for point in self.points]
        reached = f"{_references(sizes[enough])} reach{'es' * (sizes[enough] == 1)}"
        of = " of 1 - ORANGE" if self.lower_is_better else " of that"
        if not goodness[last] >= self.required * top:
            kind = "degrades"
            words = f"best with {_references(sizes[best])} ({means[best]}); {sizes[last]} give "
            words += f"{means[last]}, {_percent(goodness[last], top)}{of}" if goodness[last] > 0 else "nothing"
        elif enough == last:
            kind = "gains"
            words = f"{means[0]} with {_references(sizes[0])}, {means[last]} with {sizes[last]}"
            if goodness[last - 1] > 0:
                reach = f"{sizes[last - 1]} reach{'es' * (sizes[last - 1] == 1)}"
                words += f"; {reach} {_percent(goodness[last - 1], top)}{of}"
        else:
            kind = "flat" if enough == 0 else "saturates"
            words = f"{reached} {_percent(goodness[enough], goodness[last])} of what {sizes[last]} give"
        return CurveShape(kind, sizes[enough], sizes[best], f"{self.metric} {_KINDS[kind]}: {words}")

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
            "best": shape.best,
            "advice": shape.sentence,
        }


_KINDS = {"gains": "gains", "saturates": "saturates", "degrades": "degrades", "flat": "is flat"}


def _references(count: int) -> str:
    return f"{count} reference{'s' * (count != 1)}"


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f}%"


@dataclass(frozen=True, eq=False)
class ReferencesResult(ResultTable, Mapping[str, Curve]):
    """The curves of metrics as references are added. `result["BLEU-4"]` is a Curve.

    `judged_by` says what the numbers are: "Kendall correlation with people, system level", "ORANGE" or "strict KING".
    """

    curves: tuple[Curve, ...]
    judged_by: str
    drawn: str  # "streams", or "segments" if subsets are drawn for each segment
    n_segments: int
    notes: tuple[str, ...] = ()
    lower_orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of the metrics that the caller named

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
        """One sentence per metric, the cheapest way to nearly the best agreement, and what orders contribute."""
        verdicts = [curve.verdict.sentence for curve in self.named_curves]
        return [
            *verdicts,
            *_cheapest(self.named_curves),
            *(line for curves in self.by_order() for line in _orders(curves)),
        ]


def _orders(curves: Sequence[Curve]) -> list[str]:
    """Return sentences on what the orders above 1 contribute, and on the order that agrees best."""
    curve = curves[-1]
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
    best = max(reversed(curves), key=lambda one: one.goodness[-1])  # of equals the highest order
    if not math.isnan(best.goodness[-1]):
        words = (
            "no lower order agrees better"
            if best is curve
            else f"{best.metric} agrees best, {best.points[-1].mean:.3f}"
        )
        lines.append(f"{curve.metric}: with {_references(last.size)} {words}")
    return lines


def _cheapest(curves: Sequence[Curve]) -> list[str]:
    """Return a sentence on the fewest references with which a metric reaches the required share of the best."""
    places = [
        (value, curve, point)
        for curve in curves
        for value, point in zip(curve.goodness, curve.points, strict=True)
        if value > 0
    ]
    if len(curves) < 2 or not places:
        return []
    top, best, at = max(places, key=lambda place: place[0])
    reaching = [place for place in places if place[0] >= curves[0].required * top]
    value, metric, point = min(reaching, key=lambda place: (place[2].size, -place[0]))
    whose = f"the best, {best.metric} with {at.size} ({at.mean:.3f})"
    if (metric, point) == (best, at):
        return [f"cheapest: {metric.metric} with {_references(point.size)} ({point.mean:.3f}), and nothing does better"]
    return [f"cheapest: {metric.metric} with {_references(point.size)} reaches {_percent(value, top)} of {whose}"]
