"""Expected utilities of candidates: every candidate of a list is scored against every pseudo-reference.

The utility of a candidate y for a pseudo-reference y' is the metric's score of y with y' as its only reference; errors
are negated. All pseudo-references of a list go to the kernels as one batch of groups with one reference each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.core.errors import BadParameter
from tarocco.core.test_set import Segments
from tarocco.encode.batch import CandidateLists, Encoding, make_list_batch, split_by_reference
from tarocco.kernels import duplicates, kernel
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.decisions import Decisions, compute_queen_of_set
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import group_by_encoding, score_batch
from tarocco.metrics.names import write_signature
from tarocco.parallel.fan_out import blocks
from tarocco.scoring.resampling import bootstrap, words
from tarocco.scoring.settings import SEED

_find_duplicates = kernel(duplicates, "find_duplicates")

MAX_REFERENCES = 16  # pseudo-references of QUEEN: 3840 samples
FIRST_REFERENCES = 16  # pseudo-references before the first pruning; then their number doubles each time
PRUNING_RESAMPLES = 500
_PAIRS = 1 << 17  # pairs per batch; sums depend on it in their last bits, so it never varies


@dataclass(frozen=True)
class MbrOptions:
    """Options of `tarocco.mbr`; each is also a keyword of that function.

    weights
        One weight per metric: the utility is the weighted sum of the metrics' expected utilities. Without weights,
        several metrics are combined by the mean of the ranks they give.
    queen
        Whether the utility is QUEEN over the set of metrics.
    scale
        Makes p(y') proportional to exp(scale * score). Without it, every candidate has the same probability.
    n_best
        How many candidates of each list are used; all by default.
    prune
        The confidence, such as 0.99, at which losing candidates are dropped early (Cheng and Vlachos 2023).
    max_references
        The most pseudo-references that QUEEN uses; they are drawn by their probabilities.
    judges
        Metrics that score the choices against human references; by default the metrics of the utility.
    first_id, num_candidates
        The id of the first segment in a file; the number of lines per list in a file without ids.
    seed
        The seed of pruning and QUEEN.
    """

    weights: Sequence[float] | None = None
    queen: bool = False
    scale: float | None = None
    n_best: int | None = None
    prune: float | None = None
    max_references: int = MAX_REFERENCES
    judges: Sequence[str | Metric] | str | Metric | None = None
    first_id: int = 0
    num_candidates: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if self.weights is not None:
            if self.queen:
                raise BadParameter("QUEEN is one number for a set of metrics: it takes no weights")
            if not all(_is_number(weight) for weight in self.weights):
                raise BadParameter(f"weights are numbers, not {', '.join(map(str, self.weights))}")
        if self.scale is not None and not (_is_number(self.scale) and self.scale >= 0):
            raise BadParameter(f"scale is a number of at least 0, not {self.scale!r}")
        if self.n_best is not None and not (isinstance(self.n_best, Integral) and self.n_best >= 1):
            raise BadParameter(f"n_best is an integer of at least 1, not {self.n_best!r}")
        if not (isinstance(self.max_references, Integral) and 2 <= self.max_references <= 64):
            raise BadParameter(f"max_references is an integer from 2 to 64, not {self.max_references!r}")
        if not isinstance(self.seed, Integral):
            raise BadParameter(f"seed is an integer, not {self.seed!r}")
        if self.prune is not None and not (isinstance(self.prune, Real) and 0 < self.prune < 1):
            raise BadParameter(f"prune is a confidence between 0 and 1, not {self.prune!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


@dataclass(frozen=True, eq=False)
class DistinctTexts:
    """The distinct texts of a list, in order of first occurrence.

    Candidate i of the list is text places[i]; text t first occurs at firsts[t] and has the probability weights[t].
    """

    texts: Segments
    places: NDArray[np.intp]
    firsts: NDArray[np.intp]
    weights: Floats

    def __len__(self) -> int:
        return len(self.texts)


def merge_copies(candidates: Segments, probabilities: Floats | None = None) -> DistinctTexts:
    """Return the distinct texts of a list; copies add up their probabilities, which are uniform by default."""
    n = len(candidates)
    size = 1 << (2 * n).bit_length()
    first_places = np.empty(n, np.intp)
    no_texts = Segments.from_strings([])
    _find_duplicates(
        *(candidates.text, candidates.starts, np.array([0, n])),
        *(no_texts.text, no_texts.starts, np.zeros(2, np.intp)),
        *(np.empty(size, np.uint64), np.empty(size, np.intp), first_places, np.empty(n, np.uint8)),
    )
    firsts, places = np.unique(first_places, return_inverse=True)
    shares = np.ones(n) if probabilities is None else probabilities
    weights = np.bincount(places, shares, len(firsts)).astype(np.float64)
    if probabilities is None:
        weights /= n  # divide the counts, which are exact
    return DistinctTexts(candidates if len(firsts) == n else candidates.taken(firsts), places, firsts, weights)


def posterior(scores: Floats, scale: float) -> Floats:
    """Return probabilities proportional to exp(scale * score), within the list."""
    logarithms = scale * scores
    odds: Floats = np.exp(logarithms - logarithms.max())
    odds /= odds.sum()
    return odds


@dataclass(frozen=True, eq=False)
class Pairing:
    """Candidates, pseudo-references and the weight of each pseudo-reference."""

    candidates: Segments
    references: Segments
    weights: Floats

    @property
    def size(self) -> int:
        return len(self.candidates) * len(self.references)

    def parts(self) -> list[Pairing]:
        """Return pairings of at most `_PAIRS` pairs, each with some of the pseudo-references."""
        most = max(1, _PAIRS // len(self.candidates))
        if len(self.references) <= most:
            return [self]
        return [
            Pairing(self.candidates, self.references.rows(first, last), self.weights[first:last])
            for first, last in blocks(len(self.references), most)
        ]


def is_full(pairings: Sequence[Pairing]) -> bool:
    """Return whether these pairings are enough for one batch."""
    return sum(pairing.size for pairing in pairings) >= _PAIRS // 2 or len(pairings) >= 256


@dataclass(frozen=True, eq=False)
class UtilitySums:
    """Per metric and candidate: the weighted sum of utilities, and the weight of the pairs that have a score."""

    utility: Floats  # [metrics, candidates]
    weight: Floats

    def __add__(self, other: UtilitySums) -> UtilitySums:
        return UtilitySums(self.utility + other.utility, self.weight + other.weight)

    @property
    def expected(self) -> Floats:
        """The mean over pairs that have a score; NaN if none has."""
        with np.errstate(invalid="ignore"):
            return self.utility / self.weight


@dataclass(frozen=True, eq=False)
class Utility:
    """What minimum Bayes risk maximizes: metrics, how text is read, and how several metrics become one number."""

    metrics: tuple[Metric, ...]
    encoding: Encoding
    options: MbrOptions

    def __post_init__(self) -> None:
        for metric in self.metrics:
            if metric.prepares:
                raise BadParameter(
                    f"{metric} weighs n-grams by their counts in all references, so it cannot be a utility: "
                    "a pseudo-reference has no such counts"
                )
        weights = self.options.weights
        if weights is not None and len(weights) != len(self.metrics):
            raise BadParameter(f"there are {len(self.metrics)} metrics, but {len(weights)} weights")
        if self.options.prune is not None and self.combination not in ("one", "sum"):
            raise BadParameter("pruning needs one utility: use one metric, or several with weights")

    @property
    def combination(self) -> str:
        """How several metrics become one utility: one, sum, ranks or queen."""
        if self.options.queen:
            return "queen"
        if self.options.weights is not None:
            return "sum"
        return "one" if len(self.metrics) == 1 else "ranks"

    @property
    def name(self) -> str:
        """The utility in a few words."""
        names = [str(metric) for metric in self.metrics]
        if self.combination == "sum":
            weights = self.options.weights or ()
            return " + ".join(f"{weight:g} {name}" for weight, name in zip(weights, names, strict=True))
        joined = ", ".join(names)
        return {"one": joined, "ranks": f"mean rank of {joined}", "queen": f"QUEEN of {joined}"}[self.combination]

    def signature(self, other_references: bool) -> str:
        """Return the signature of a choice; `other_references` says that pseudo-references come from other lists."""
        options = self.options
        parts: list[tuple[str, object]] = [
            ("utility", self.combination),
            *([("weights", ",".join(f"{weight:g}" for weight in options.weights))] if options.weights else []),
            ("posterior", "uniform" if options.scale is None else f"softmax,{options.scale:g}"),
            ("pseudo", "other" if other_references else "own"),
            ("n", options.n_best or "all"),
            *([("prune", f"{options.prune:g},{FIRST_REFERENCES}x2,{PRUNING_RESAMPLES}")] if options.prune else []),
            *([("references", options.max_references)] if options.queen else []),
            *([("seed", options.seed)] if options.prune or options.queen else []),
            ("v", __version__),
        ]
        return write_signature("MBR", parts)

    @property
    def metric_signatures(self) -> tuple[str, ...]:
        """The signatures of the metrics, as scores with one reference."""
        return tuple(metric.signature(self.encoding, 1) for metric in self.metrics)

    @property
    def needs_whole_lists(self) -> bool:
        """Whether all pseudo-references of a list must be in one pairing, which is then alone in its batch."""
        return self.options.queen or self.options.prune is not None

    def sums(self, pairings: Sequence[Pairing], segment: int) -> list[UtilitySums]:
        """Return the sums of each pairing; `segment` seeds the draws of a pairing that is alone in its batch."""
        options = self.options
        if not self.needs_whole_lists:
            tables = zip(pairings, self.of_pairs(pairings), strict=True)
            return [_add_up(table, pairing.weights) for pairing, table in tables]
        (pairing,) = pairings
        seed = int(words(options.seed, 1, 1, segment)[0, 0])  # the same whatever other lists there are
        return [self._queen(pairing, seed) if options.queen else self._prune(pairing, seed)]

    def of_pairs(self, pairings: Sequence[Pairing]) -> Iterator[Floats]:
        """Yield float64[metrics, references, candidates] for each pairing."""
        lists = _lists(pairings)
        by_metric: dict[int, Floats] = {}
        for encoding, members in group_by_encoding(self.metrics, self.encoding).items():
            batch = split_by_reference(make_list_batch(lists, encoding))
            metrics = [self.metrics[i] for i in members]
            scores = score_batch(metrics, batch, [None] * len(metrics))
            by_metric |= {i: self.metrics[i].sign * column for i, column in zip(members, scores, strict=True)}
        start = 0
        for pairing in pairings:
            table = np.stack([by_metric[i][start : start + pairing.size] for i in range(len(self.metrics))])
            yield table.reshape(len(table), len(pairing.references), len(pairing.candidates))
            start += pairing.size

    def combine(self, sums: UtilitySums, candidates: DistinctTexts) -> Floats:
        """Return float64[texts]: one number per text, higher is better; NaN if it does not exist."""
        expected, weights = sums.expected, self.options.weights
        if self.combination == "ranks":
            return round_last_bits(-np.mean([_ranks(of_metric, candidates) for of_metric in expected], axis=0))
        if weights is not None and self.options.prune is None:  # pruning has applied the weights already
            expected = np.array(weights)[:, None] * expected
        utility: Floats = expected.sum(axis=0)
        return utility

    def _prune(self, pairing: Pairing, seed: int) -> UtilitySums:
        """Return the sums of the candidates that survive pruning, as one metric; NaN for the others.

        Pseudo-references come in random order; whenever their number doubles, candidates that lose to the best one in
        most bootstrap resamples are dropped. The list's first candidate always survives.
        """
        mixture, confidence = np.array(self.options.weights or (1.0,)), float(self.options.prune or 0.0)
        weights = pairing.weights
        order = np.argsort(words(seed, 1, len(weights))[0], kind="stable")
        left = np.arange(len(pairing.candidates))
        seen = np.empty((0, len(left)))  # utilities: one row per pseudo-reference, one column per remaining candidate
        done = 0
        while True:
            here = order[done : max(FIRST_REFERENCES, 2 * done)]
            part = Pairing(pairing.candidates.taken(left), pairing.references.taken(here), weights[here])
            new = [
                (mixture[:, None, None] * table).sum(axis=0)
                for piece in part.parts()
                for table in self.of_pairs([piece])
            ]
            seen = np.concatenate([seen, *new])
            done = len(seen)
            exists = ~np.isnan(seen)
            column = weights[order[:done], None]
            parts = np.where(exists, seen * column, 0.0)
            sums = UtilitySums(parts.sum(axis=0), np.where(exists, column, 0.0).sum(axis=0))
            if done == len(order):
                break
            expected = round_last_bits(np.where(sums.weight > 0, sums.expected, -np.inf))
            best = int(np.argmax(expected))
            resampled = bootstrap(parts, PRUNING_RESAMPLES, seed, jobs=1)
            wins = (resampled >= resampled[:, best : best + 1]).mean(axis=0)
            stays = (wins > 1 - confidence) | (left == 0)
            left, seen = left[stays], seen[:, stays]
        utility, weight = np.full((2, 1, len(pairing.candidates)), np.nan)
        utility[0, left], weight[0, left] = sums.utility, sums.weight
        return UtilitySums(utility, weight)

    def _queen(self, pairing: Pairing, seed: int) -> UtilitySums:
        """Return QUEEN of every candidate, as one metric; NaN if there is no sample."""
        references = pairing.references.taken(_draw(pairing.weights, self.options.max_references, seed))
        candidates = Segments.joined([pairing.candidates, references])
        n, k = len(pairing.candidates), len(references)
        (near,) = self.of_pairs([Pairing(candidates, references, np.ones(k))])
        signs = np.array([metric.sign for metric in self.metrics])[:, None, None]
        near = np.where(signs < 0, 1.0 + near, near).swapaxes(1, 2)[:, None]  # an error becomes 1 - error
        near[:, 0, n + np.arange(k), np.arange(k)] = np.nan
        names = tuple(map(str, self.metrics))
        present = np.ones((1, k), np.bool_)
        systems, streams = (tuple(map(str, range(size))) for size in (n, k))
        decisions = Decisions.of(TextSimilarities(names, names, systems, streams, present, round_last_bits(near)))
        members = range(len(names))
        shares = compute_queen_of_set(decisions, members)[0, :n]
        number_of = {text: number for number, text in enumerate(pairing.candidates)}
        for reference, text in enumerate(references):
            if text in number_of:  # a candidate is not compared with itself
                number = number_of[text]
                shares[number] = compute_queen_of_set(decisions, members, held_out=reference)[0, number]
        return UtilitySums(shares[None], np.ones((1, n)))


def _add_up(table: Floats, weights: Floats) -> UtilitySums:
    """Return the sums of float64[metrics, references, candidates] over pseudo-references."""
    column = weights[:, None]
    missing = np.isnan(table)
    if not missing.any():
        return UtilitySums((table * column).sum(axis=1), np.full((len(table), table.shape[2]), weights.sum()))
    return UtilitySums(np.where(missing, 0.0, table * column).sum(axis=1), np.where(missing, 0.0, column).sum(axis=1))


def _lists(pairings: Sequence[Pairing]) -> CandidateLists:
    candidates = Segments.joined([pairing.candidates for pairing in pairings])
    same = all(pairing.references is pairing.candidates for pairing in pairings)
    references = candidates if same else Segments.joined([pairing.references for pairing in pairings])
    bounds, reference_bounds = (
        np.cumsum([0, *map(len, columns)], dtype=np.intp)
        for columns in ([pairing.candidates for pairing in pairings], [pairing.references for pairing in pairings])
    )
    return CandidateLists(candidates, bounds, references, reference_bounds)


def _draw(weights: Floats, most: int, seed: int) -> NDArray[np.intp]:
    """Draw up to `most` places without replacement by their weights, in ascending order (Efraimidis, Spirakis 2006)."""
    if len(weights) <= most:
        return np.arange(len(weights))
    uniform = ((words(seed, 1, len(weights))[0] >> np.uint64(11)) + 0.5) * 2.0**-53
    with np.errstate(divide="ignore"):
        waiting = -np.log(uniform) / weights
    return np.sort(np.argsort(waiting, kind="stable")[:most])


def _ranks(expected: Floats, candidates: DistinctTexts) -> Floats:
    """Return the rank of each text among all candidates, copies included; ties share the mean rank, NaN is last."""
    goodness = round_last_bits(np.where(np.isnan(expected), -np.inf, expected))
    copies = np.bincount(candidates.places)
    _, inverse = np.unique(-goodness, return_inverse=True)
    counts = np.bincount(inverse, copies)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks


def best_text(utility: Floats) -> int:
    """Return the text with the highest utility; ties, up to rounding, go to the first."""
    return int(np.argmax(round_last_bits(np.where(np.isnan(utility), -np.inf, utility))))
