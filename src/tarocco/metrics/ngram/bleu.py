"""The BLEU family: BLEU-n, BLEUS-n (add-one smoothing), BLEU-SBP (strict brevity penalty), BLEUi-n (one order)."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Batch
from tarocco.metrics.base import (
    PENALTY,
    Agreement,
    EmptyValues,
    Example,
    Floats,
    Metric,
    OnePassMetric,
    divide_parts,
    parameter,
)
from tarocco.metrics.names import Value
from tarocco.metrics.ngram.counts import LENGTHS, clipped_matches, ngram_totals, reference_lengths, share

HIGHEST_ORDER = 12  # Lin and Och (2004) go up to BLEU12
SMOOTHINGS = ("exp", "none", "floor", "add-k")
ORDERS = ("effective", "all", "v13a")

# Chen and Cherry (2014), as in sacrebleu.
SMOOTHING_VALUES = {"floor": 0.1, "add-k": 1.0}


@dataclass(frozen=True)
class PrecisionCounts:
    """Lengths, matches and totals of a batch, computed once for all metrics of the family."""

    lengths: Floats  # of the candidates
    reference_lengths: dict[str, Floats]
    matches: Floats
    totals: Floats
    cache: dict[Hashable, Any] = field(default_factory=dict)  # values that several metrics need

    def once(self, key: Hashable, compute: Callable[[], Any]) -> Any:
        """Return the value of a key, which the first caller computes."""
        if key not in self.cache:
            self.cache[key] = compute()
        return self.cache[key]


@dataclass(frozen=True)
class Logarithms:
    """For orders 1, 1 to 2, 1 to 3, ...: the sum of log precisions, how many orders count, and whether any matches."""

    sums: list[Floats]
    used: list[Floats]
    matched: list[NDArray[np.bool_]]

    def mean(self, order: int) -> Floats:
        """Return the geometric mean of the precisions of orders 1 to `order`."""
        mean: Floats = np.exp(self.sums[order - 1] / self.used[order - 1])
        return mean


@dataclass(frozen=True)
class NgramPrecisions(OnePassMetric):
    """A metric computed from clipped n-gram precisions up to some order."""

    order: int = parameter(4, "the longest n-grams that count", in_stem=True)

    scale: ClassVar[float] = 100.0
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= HIGHEST_ORDER:
            raise BadParameter(f"{self.title}: n is 1 to {HIGHEST_ORDER}, not {self.order}")

    @property
    def pools_references(self) -> bool:
        return True

    @property
    def highest_order(self) -> int:
        """The longest n-grams that are counted."""
        return self.order

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> PrecisionCounts:
        order = max(metric.highest_order for metric in metrics)
        by_kind = dict(zip(LENGTHS, reference_lengths(batch).T, strict=True))
        lengths = batch.lengths
        return PrecisionCounts(
            lengths.astype(np.float64),
            by_kind,
            clipped_matches(batch, order),
            ngram_totals(lengths, order),
        )


@dataclass(frozen=True)
class Bleu(NgramPrecisions):
    """Clipped n-gram precision times a brevity penalty (Papineni et al. 2002)."""

    smooth: str = parameter("exp", "how an order without a match is smoothed", choices=SMOOTHINGS)
    value: float | None = parameter(
        None, "the floor, or the k of add-k", kind=float, depends="0.1 for floor, 1 for add-k, none for the others"
    )
    length: str = parameter("closest", "the effective reference length", choices=LENGTHS)
    orders: str = parameter(
        None,
        "orders without any n-gram in the text: left out (effective), counted as 0 (all) or as 1 (v13a)",
        choices=ORDERS,
        kind=str,
        depends="all for smooth=none, effective for the others",
    )

    weights: str | None = parameter(
        None, "the weight of each order, such as 0.4/0.3/0.2/0.1", kind=str, depends="equal weights"
    )

    has_linear_approximation: ClassVar[bool] = True
    title: ClassVar[str] = "BLEU-n"
    summary: ClassVar[str] = (
        "Geometric mean of the clipped n-gram precisions of orders 1 to n, times a brevity penalty."
    )
    formula: ClassVar[str] = (
        "BLEU-n = min(1, exp(1 - r/c)) * (p_1 * ... * p_n)^(1/n)\n"
        "p_k = (clipped k-gram matches) / (k-grams of the candidate)\n"
        "c = length of the candidate, r = effective reference length, both summed over the segments\n"
        "BLEUS-n: p_k = (matches + 1) / (k-grams + 1) for k > 1"
    )
    also: ClassVar[tuple[tuple[str, str], ...]] = (
        ("BLEUS-n", "BLEU-n with add-one smoothing, for single sentences: short ones can score above 0."),
    )
    paper: ClassVar[str] = """
        Papineni, Roukos, Ward and Zhu (2002), BLEU: a Method for Automatic Evaluation of Machine Translation,
        ACL. BLEUS: Lin and Och (2004), ORANGE, COLING. Smoothing: Chen and Cherry (2014), WMT.
    """
    pattern: ClassVar[str] = r"BLEU(?P<smoothed>S)?-?(?P<order>\d+)?"
    names: ClassVar[tuple[str, ...]] = (
        *(f"BLEU-{n}" for n in range(1, HIGHEST_ORDER + 1)),
        *(f"BLEUS-{n}" for n in range(1, 10)),
        "BLEU-4:smooth=none",
        "BLEU-4:smooth=floor",
        "BLEU-4:length=shortest",
        "BLEU-4:length=average",
        "BLEU-4:orders=v13a",
        "BLEU-2:weights=3/1",
    )
    example: ClassVar[Example] = Example(
        name="BLEU-2",
        candidates=("the the cat",),
        references=(("the cat sat",),),
        score=3**-0.5,
        why="unigrams: the, cat match, the second the is clipped, 2/3; bigrams: the cat, 1/2; no penalty: sqrt(1/3)",
    )
    notes: ClassVar[str] = """
        Equal to sacrebleu 2.6.0 and mteval-v13a (smooth=exp), multi-bleu (smooth=none) and mteval-v11b (smooth=none,
        length=shortest); NLTK's is BLEU-NLTK. With weights, BLEU-n is the weighted geometric mean: only their
        proportions matter. smooth=floor with value 0 is like no smoothing, as in sacrebleu. BLEUS-n is BLEU-n with one
        added to matches and totals of every order above 1 (smooth=add-k with value 1). One difference from sacrebleu's
        corpus score is deliberate: with smooth=exp, floor or add-k, orders without any n-gram in the whole corpus are
        left out (sacrebleu's effective order; orders=all gives its default, 0). mteval-v13a's segment scores count such
        an order as precision 1 and smooth even a candidate without any match: orders=v13a. An empty candidate scores 0,
        even against an empty reference; so does any candidate against an empty reference (not with orders=v13a).
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "sacrebleu 2.6.0",
            "12 digits, corpus and segments, with every tokenizer, case and smoothing; its default corpus "
            "score is orders=all",
            "tests/peers/test_sacrebleu.py::test_bleu",
        ),
        Agreement(
            "mteval-v13a, mteval-v14",
            "the 8 digits printed, orders 1 to 9 and segments, with orders=v13a, or with smooth=none, and "
            "length=shortest",
            "tests/golden/test_mteval.py::test_v13a_and_v14",
        ),
        Agreement(
            "mteval-v11b",
            "the 8 digits printed, corpus and segments, with smooth=none:length=shortest",
            "tests/golden/test_mteval.py::test_v11b",
        ),
        Agreement(
            "multi-bleu.perl",
            "the digits printed, with smooth=none",
            "tests/golden/test_mteval.py::test_multi_bleu",
        ),
        Agreement(
            "cdec, Moses, odashi's mteval",
            "the digits printed, corpus, with smooth=none and the reference length of each tool; BLEUS-4 is "
            "odashi's smoothed BLEU",
            "tests/golden/test_other_tools.py::test_corpus_bleu",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        in_stem = super().read_stem(stem)
        if in_stem is None:
            return None
        parameters = dict(in_stem)
        if parameters.pop("smoothed", None):
            parameters["smooth"] = "add-k"
        return parameters

    def __post_init__(self) -> None:
        # The dataclass is frozen, so defaults that depend on the smoothing are set like this.
        if self.smooth == "add-one":
            if self.value not in (None, 1.0):
                raise BadParameter(f"{self.title}: smooth=add-one takes no value, smooth=add-k does")
            object.__setattr__(self, "smooth", "add-k")
        if self.value is None:
            object.__setattr__(self, "value", self.default("value"))
        elif self.smooth not in SMOOTHING_VALUES:
            raise BadParameter(f"{self.title}: smooth={self.smooth} takes no value")
        elif not 0 <= self.value < math.inf:
            raise BadParameter(f"{self.title}: the value of smooth={self.smooth} is 0 or more, not {self.value:g}")
        if self.orders is None:
            object.__setattr__(self, "orders", self.default("orders"))
        super().__post_init__()
        if self.weights is not None:
            read_weights(self.weights, self.order, self.title)

    def default(self, parameter: str) -> Value | None:
        if parameter == "value":
            return SMOOTHING_VALUES.get(self.smooth)
        if parameter == "orders":
            return "all" if self.smooth == "none" else "effective"
        if parameter == "smooth" and self._is_bleus:
            return self.smooth
        return super().default(parameter)

    @property
    def _is_bleus(self) -> bool:
        return self.smooth == "add-k" and self.value == 1.0

    @property
    def stem(self) -> str:
        return f"BLEUS-{self.order}" if self._is_bleus else f"BLEU-{self.order}"

    @property
    def empty_values(self) -> EmptyValues:  # type: ignore[override]
        """With orders=v13a, a candidate without any match may have a smoothed score."""
        smoothed = self.orders == "v13a" and self.smooth in ("exp", "floor")
        return EmptyValues(0.0, None if smoothed else 0.0, 0.0)

    def columns(self, measured: PrecisionCounts) -> Floats:
        """[length that the penalty compares, reference length, matches 1..n, totals 1..n]"""
        n = self.order
        return np.column_stack([*self._lengths(measured), measured.matches[:, :n], measured.totals[:, :n]])

    def _lengths(self, counts: PrecisionCounts) -> tuple[Floats, Floats]:
        """Return the candidate and reference lengths that the penalty compares."""
        return counts.lengths, counts.reference_lengths[self.length]

    def details(self, sums: Floats) -> dict[str, Any]:
        """Return what sacrebleu prints next to the score; precisions are not smoothed."""
        candidate, reference = float(sums[0]), float(sums[1])
        matches, totals = sums[2 : 2 + self.order].tolist(), sums[2 + self.order :].tolist()
        return {
            "precisions": [hits / total if total else 0.0 for hits, total in zip(matches, totals, strict=True)],
            "brevity_penalty": 1.0
            if candidate >= reference
            else math.exp(1 - reference / candidate)
            if candidate
            else 0.0,
            "length_ratio": candidate / reference if reference else None,
            "candidate_length": candidate,
            "reference_length": reference,
        }

    def score(self, sums: Floats) -> Floats:
        by_order = np.ascontiguousarray(np.moveaxis(sums[..., 2:], -1, 0))
        logarithms = self.logarithms(by_order[: self.order], by_order[self.order :])
        return self._score(measure_penalty(sums[..., 0], sums[..., 1]), logarithms)

    def scores(self, measured: PrecisionCounts) -> Floats:
        """Return the scores; members of several orders share logarithms and penalty."""
        if not self.counts_as(Bleu):
            return super().scores(measured)
        smoothing, lengths = (self.smooth, self.value, self.orders, self.weights), (type(self), self.length)
        matches, totals = measured.matches.T, measured.totals.T
        logarithms = measured.once(smoothing, lambda: self.logarithms(matches.copy(), totals.copy()))
        return self._score(measured.once(lengths, lambda: measure_penalty(*self._lengths(measured))), logarithms)

    def _score(self, penalty: Floats, logarithms: Logarithms) -> Floats:
        scores = penalty * logarithms.mean(self.order)
        return scores if self.orders == "v13a" else np.where(logarithms.matched[self.order - 1], scores, 0.0)

    def logarithms(self, matches: Floats, totals: Floats) -> Logarithms:
        """Return the log precisions of matches and totals by order."""
        orders = np.arange(1, len(matches) + 1).reshape(-1, *[1] * (matches.ndim - 1))
        smoothed = matches
        if self.smooth == "add-k":
            added = np.where(orders > 1, self.value or 0.0, 0.0)
            smoothed, totals = matches + added, totals + added
        empty = totals == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = smoothed / totals
            without = (smoothed == 0) & ~empty
            if self.smooth == "exp" and without.any():  # the k-th order without a match counts 1 / 2^k matches
                precisions = np.where(without, 0.5 ** np.cumsum(without, axis=0) / totals, precisions)
            elif self.smooth == "floor":
                precisions = np.where(without, (self.value or 0.0) / totals, precisions)
            logarithms = np.log(np.where(empty, 1.0 if self.orders != "all" else 0.0, precisions))
        counting = (~empty if self.orders == "effective" else np.ones_like(empty)).astype(np.float64)
        if self.weights is not None:
            weights = np.zeros(orders.shape)
            weights[: self.order, ...] = read_weights(self.weights, self.order, self.title).reshape(
                -1, *orders.shape[1:]
            )
            logarithms = weights * np.where(weights > 0, logarithms, 0.0)
            counting *= weights
        # Add order by order: the rounding of np.sum depends on the memory layout.
        sums, counted = list(accumulate(logarithms, np.add)), list(accumulate(counting, np.add))
        if self.weights is not None:  # a text without n-grams of any order that counts scores 0
            sums = [np.where(count > 0, total, -np.inf) for total, count in zip(sums, counted, strict=True)]
        used = [np.where(count > 0, count, 1.0) for count in counted]
        return Logarithms(sums, used, list(accumulate(matches > 0, np.logical_or)))

    def order_shares(self, sums: Floats) -> dict[str, Floats]:
        """Return the share of each order and of the penalty in ln BLEU: where the score is lost. NaN if BLEU is 1.

        ln BLEU is a sum: the share of order n is (ln p_n / N) / ln BLEU.
        """
        by_order = np.moveaxis(sums[..., 2:], -1, 0)
        logarithms = self.logarithms(by_order[: self.order], by_order[self.order :])
        with np.errstate(divide="ignore", invalid="ignore"):  # an order without a match makes the score 0
            whole = np.log(self.score(sums))
            within = np.stack(logarithms.sums) / logarithms.used[-1]  # of orders 1, 1 to 2, ...
            parts = {str(n + 1): within[n] - (within[n - 1] if n else 0.0) for n in range(self.order)}
            return divide_parts({**parts, PENALTY: whole - within[-1]}, whole)

    def lower_orders(self) -> list[Metric]:
        return [] if self.weights else [replace(self, order=order) for order in range(1, self.order)]


def read_weights(text: str, order: int, title: str) -> Floats:
    """Return the weights of orders, written with slashes between them."""
    try:
        weights = np.array([float(weight) for weight in text.split("/")])
    except ValueError:
        weights = np.empty(0)
    if len(weights) != order or not np.isfinite(weights).all() or weights.min() < 0 or not weights.any():
        raise BadParameter(
            f"{title}: expected {order} weights of 0 or more, not all 0, such as "
            f'{"/".join(["1"] * order)}, found "{text}"'
        )
    return weights


def measure_penalty(candidate: Floats, reference: Floats) -> Floats:
    """Return the brevity penalty; 0 for a candidate without words."""
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.where(candidate >= reference, 1.0, np.exp(1.0 - reference / candidate))
    return np.where(candidate == 0, 0.0, penalty)


@dataclass(frozen=True)
class BleuSbp(Bleu):
    """BLEU whose brevity penalty counts the missing words of each segment (Chiang et al. 2008)."""

    smooth: str = parameter("none", "how an order without a match is smoothed", choices=SMOOTHINGS)
    length: str = parameter("shortest", "the effective reference length", choices=LENGTHS)

    title: ClassVar[str] = "BLEU-SBP"
    summary: ClassVar[str] = "BLEU-4 with a strict brevity penalty: long segments do not make up for short ones."
    formula: ClassVar[str] = (
        "BLEU-SBP = phi(sum_i min(c_i, r_i) / sum_i r_i) * (p_1 * ... * p_4)^(1/4), phi(x) = exp(1 - 1/x)\n"
        "c_i = length of the candidate, r_i = effective reference length of segment i, p_k as in BLEU"
    )
    paper: ClassVar[str] = """
        Chiang, DeNeefe, Chan and Ng (2008), Decomposability of Translation Metrics for Improved Evaluation and
        Efficient Algorithms, EMNLP.
    """
    also: ClassVar[tuple[tuple[str, str], ...]] = ()
    pattern: ClassVar[str] = r"BLEU-?SBP(?:-(?P<order>\d+))?"
    names: ClassVar[tuple[str, ...]] = ("BLEU-SBP", "BLEU-SBP-2", "BLEU-SBP:length=closest", "BLEU-SBP:smooth=exp")
    example: ClassVar[Example] = Example(
        name="BLEU-SBP-1",
        candidates=("a b c d e f", "a b"),
        references=(("a b c",), ("a b c d",)),
        score=float(np.exp(-2 / 5) * 5 / 8),
        why="min lengths 3 + 2 of 7 reference words: phi(5/7) = exp(-2/5); 3 + 2 of 8 unigrams match",
    )
    notes: ClassVar[str] = """
        Equal to mteval-v11b_sbp.pl, the authors' script (shortest reference, no smoothing). BLEU-SBP-n is the
        same up to order n. An empty candidate scores 0, and so does any candidate against an empty reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "mteval-v11b_sbp",
            "the authors' script: the 8 digits printed, orders 1 to 9 and segments",
            "tests/golden/test_mteval.py::test_strict_brevity_penalty",
        ),
    )

    @property
    def stem(self) -> str:
        return "BLEU-SBP" if self.order == 4 else f"BLEU-SBP-{self.order}"

    def default(self, parameter: str) -> Value | None:
        return "none" if parameter == "smooth" else super().default(parameter)

    def _lengths(self, counts: PrecisionCounts) -> tuple[Floats, Floats]:
        """Return lengths; the candidate's is at most that of the reference."""
        candidate, reference = super()._lengths(counts)
        return np.minimum(candidate, reference), reference

    def details(self, sums: Floats) -> dict[str, Any]:
        """Return the details of BLEU with the true length of the candidate; the ratio is that of the penalty."""
        return super().details(sums) | {"candidate_length": float(sums[2 + self.order])}


@dataclass(frozen=True)
class BleuIndividual(NgramPrecisions):
    """The clipped precision of one order alone."""

    title: ClassVar[str] = "BLEUi-n"
    summary: ClassVar[str] = "The clipped n-gram precision of order n alone, without a brevity penalty."
    formula: ClassVar[str] = "BLEUi-n = (clipped n-gram matches) / (n-grams of the candidate), summed over the segments"
    paper: ClassVar[str] = "As printed by mteval; used by Giménez (2007), IQmt 2.0."
    pattern: ClassVar[str] = r"BLEUi-?(?P<order>\d+)"
    names: ClassVar[tuple[str, ...]] = tuple(f"BLEUi-{n}" for n in range(1, HIGHEST_ORDER + 1))
    example: ClassVar[Example] = Example(
        name="BLEUi-1",
        candidates=("the the cat",),
        references=(("the cat sat",),),
        score=2 / 3,
        why="the and cat match; the second the is clipped",
    )
    notes: ClassVar[str] = """
        Equal to the individual scores of mteval-v11b and of mteval-v13a without smoothing. A candidate without
        n-grams of this order scores 0, so an empty candidate does, and any candidate against an empty reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "mteval-v13a, mteval-v14",
            "the 8 digits printed as individual scores, orders 1 to 9, where an order has a match",
            "tests/golden/test_mteval.py::test_v13a_and_v14",
        ),
        Agreement(
            "mteval-v11b",
            "the 8 digits printed as individual scores, orders 1 to 9",
            "tests/golden/test_mteval.py::test_v11b",
        ),
        Agreement(
            "multi-bleu.perl",
            "the digits printed as precisions",
            "tests/golden/test_mteval.py::test_multi_bleu",
        ),
        Agreement(
            "sacrebleu 2.6.0",
            "its precisions, except smoothed ones",
            "tests/golden/test_other_tools.py::test_sacrebleu",
        ),
    )

    @property
    def stem(self) -> str:
        return f"BLEUi-{self.order}"

    def columns(self, measured: PrecisionCounts) -> Floats:
        """[matches, totals] of this order"""
        return np.column_stack([measured.matches[:, self.order - 1], measured.totals[:, self.order - 1]])

    def score(self, sums: Floats) -> Floats:
        return share(sums[..., 0], sums[..., 1])
