"""GTM-e, the General Text Matcher: precision and recall of matching words, where long runs count more."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter, InputError
from tarocco.encode.batch import Batch, Groups
from tarocco.encode.vocabulary import Ragged
from tarocco.kernels import kernel, run_matching
from tarocco.metrics.base import Agreement, EmptyValues, Example, Floats, OnePassMetric, parameter
from tarocco.metrics.names import write_value
from tarocco.metrics.ngram.counts import share
from tarocco.metrics.text_pairs import TextPairs

_match = kernel(run_matching, "match_runs_greedily")
_search = kernel(run_matching, "search_best_runs")

_MOST_WORDS = 1 << 21  # of a candidate, and twice as many of a reference: a run is queued as one number of 64 bits
_MOST_RUNS = 1 << 22  # in the queue: 32 MiB; a pair with more runs is matched without it
_MOST_STEPS = 1 << 22  # in the search for the best matching of two texts: some hundredths of a second
_MOST_EXPONENT = 30  # lengths to this power do not overflow


@dataclass(frozen=True, eq=False)
class Matching:
    """The matching runs of each pair of texts: the number of runs of one word, and longer runs with their pairs.

    If the matched words of a pair are capped, `cut` is the rest of the run at the cap; it may be fractional.
    """

    owners: NDArray[np.intp]
    lengths: NDArray[np.int32]
    singles: Floats
    cut: Floats | None = None

    def per_pair(self, values: NDArray[Any]) -> Floats:
        """Return the sum of values over the runs of each pair."""
        return np.bincount(self.owners, values, len(self.singles)).astype(np.float64, copy=False)

    @cached_property
    def hits(self) -> Floats:
        """The number of words of each pair in whole runs."""
        return self.singles + self.per_pair(self.lengths)

    def powers(self, exponent: float) -> Floats:
        """Return length^e for every possible whole length of a run or match size."""
        hits = self.hits if self.cut is None else self.hits + self.cut
        return np.power(np.arange(hits.max(initial=0.0) + 2.0), exponent)

    def sums(self, exponent: float) -> Floats:
        """Return the sum of length^e over each pair's runs."""
        sums: Floats = self.singles + self.per_pair(self.powers(exponent)[self.lengths])
        return sums if self.cut is None else sums + np.power(self.cut, exponent)

    def sizes(self, exponent: float, sums: Floats) -> Floats:
        """Return sum^(1/e), rounded if it is a whole number, so that a copy scores 1."""
        sizes = np.power(sums, 1 / exponent)
        whole = np.rint(sizes).astype(np.intp)
        return np.where(self.powers(exponent)[whole] == sums, whole, sizes)

    def capped(self, most: Floats) -> Matching:
        """Return the matching with at most so many words per pair, longest runs first; `owners` must be sorted."""
        before = np.cumsum(self.lengths, dtype=np.float64) - self.lengths
        before -= before[np.searchsorted(self.owners, self.owners)]
        room = most[self.owners] - before
        fits, partly = self.lengths <= room, (room > 0) & (self.lengths > room)
        left = np.maximum(most - (self.hits - self.singles), 0.0)
        singles = np.minimum(self.singles, np.floor(left))
        cut = np.where(self.singles > left, left - np.floor(left), 0.0)
        cut[self.owners[partly]] = room[partly]
        return Matching(self.owners[fits], self.lengths[fits], singles, cut)


class Matchings:
    """The matchings of a batch with each reference and with joined references, each computed on first use."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.pairs = TextPairs(batch)

    @cached_property
    def one_by_one(self) -> Matching:
        """The greedy matching of each pair of a candidate and a reference."""
        return _greedy(self.pairs.batch, self.pairs.candidate_lengths, self.pairs.reference_lengths)

    @cached_property
    def joined(self) -> tuple[Matching, Floats]:
        """The greedy matching of each candidate with its joined references, and their mean length, which caps it."""
        batch, groups = self.batch, self.batch.reference_groups
        references = batch.references.taken(groups.rows)
        # A word that no candidate has follows each reference, so no run crosses the border.
        numbers = np.arange(len(references) + 1)
        words = np.full(len(references.values) + len(references), len(batch.vocabulary), np.int32)
        words[np.arange(len(references.values)) + np.repeat(numbers[:-1], references.lengths)] = references.values
        offsets = (references.offsets + numbers)[groups.bounds]
        together = Groups(np.arange(len(offsets) - 1), np.arange(len(offsets)))
        segments = batch.candidate_groups.segments
        means = np.diff(references.offsets[groups.bounds])[segments] / groups.sizes[segments]
        one_text = replace(batch, references=Ragged(words, offsets), reference_groups=together)
        return _greedy(one_text, batch.lengths, np.diff(offsets)[segments]).capped(means), means

    def exact(self, exponent: float) -> Floats:
        """Return the largest possible sum of length^e of each pair."""
        pairs, matching = self.pairs, self.one_by_one
        gains = matching.powers(exponent)
        gains -= np.arange(len(gains))
        greedy = matching.per_pair(gains[matching.lengths])
        best = greedy.copy()
        room = 1 + int(max(pairs.candidate_lengths.max(initial=0), pairs.reference_lengths.max(initial=0)))
        reach, hope, chosen = np.empty(room, np.intp), np.empty(room), np.empty((room, 3), np.intp)
        work = (reach, hope, chosen, np.empty(room), np.zeros(room, np.uint8))
        _search(*pairs.batch.arrays, gains, _MOST_STEPS, *work, best)
        if (best < 0).any():
            pair = int(np.argmax(best < 0))
            raise InputError(
                f"matching=exact: a candidate of {pairs.candidate_lengths[pair]} words and its reference of "
                f"{pairs.reference_lengths[pair]} have too many matchings (more than {_MOST_STEPS} steps); use "
                f'matching=greedy; the candidate begins with "{self._beginning(pair)}"'
            )
        return np.where(best > greedy, matching.hits + best, matching.sums(exponent))

    def _beginning(self, pair: int) -> str:
        batch = self.pairs.batch
        candidate = int(np.searchsorted(TextPairs(batch).starts, pair, side="right")) - 1
        words = batch.candidates[batch.candidate_groups.rows[candidate]]
        return " ".join(batch.vocabulary[word] for word in words[:8].tolist())


def _greedy(batch: Batch, candidate_lengths: NDArray[np.intp], reference_lengths: NDArray[np.intp]) -> Matching:
    """Return the greedy matching of each pair; the texts have these lengths."""
    longest = int(candidate_lengths.max(initial=0)), int(reference_lengths.max(initial=0))
    if longest[0] >= _MOST_WORDS or longest[1] >= 2 * _MOST_WORDS:
        raise InputError(
            f"GTM needs candidates of fewer than {_MOST_WORDS} words and references of fewer than {2 * _MOST_WORDS}; "
            f"found a candidate of {longest[0]} words and references of {longest[1]}"
        )
    index = np.full((len(batch.vocabulary) + 1, 5), -1, np.int32)  # one more for the break between joined references
    chain = np.empty(longest[1], np.int32)
    queue = np.empty(min(longest[0] * longest[1], _MOST_RUNS), np.uint64)
    taken = np.full((2, max(longest)), -1, np.int32)
    hits = np.zeros(len(candidate_lengths), np.intp)
    room = int((np.minimum(candidate_lengths, reference_lengths) // 2).sum())
    owners, lengths = np.empty(room, np.intp), np.empty(room, np.int32)
    written = _match(*batch.arrays, index, chain, queue, taken, hits, owners, lengths)
    owners, lengths = owners[:written], lengths[:written]
    return Matching(owners, lengths, hits.astype(np.float64) - np.bincount(owners, lengths, len(hits)))


@dataclass(frozen=True)
class Gtm(OnePassMetric):
    """F1 of the match size: the e-th root of the sum of length^e over the runs of a matching."""

    exponent: float = parameter(1.0, "e: how much more a long run counts than single words", in_stem=True)
    references: str = parameter(
        "best", "the reference with the best F1, or all of them joined, as in GTM 1.4", choices=("best", "joined")
    )
    matching: str = parameter(
        "greedy",
        "the longest run first, or the matching with the largest match size (for short segments)",
        choices=("greedy", "exact"),
    )

    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 0.0)
    title: ClassVar[str] = "GTM-e"
    summary: ClassVar[str] = "General Text Matcher: F1 of matched words, where long runs of words count more."
    formula: ClassVar[str] = (
        "size = (sum over the runs of the matching of length^e)^(1/e), precision = size / |c|, recall = size / |r|\n"
        "GTM-e = 2 precision recall / (precision + recall) = 2 size / (|c| + |r|), of the best reference\n"
        "corpus: size, |c| and |r| summed over the segments"
    )
    paper: ClassVar[str] = (
        "Melamed, Green and Turian (2003), Precision and Recall of Machine Translation, HLT-NAACL; Turian, Shen and "
        "Melamed (2003), Evaluation of Machine Translation and its Evaluation, MT Summit IX."
    )
    pattern: ClassVar[str] = r"GTM-(?P<exponent>\d+(?:\.\d+)?)|GTM(?P<tenths>[123]0)"
    names: ClassVar[tuple[str, ...]] = (
        *("GTM-1", "GTM-1.2", "GTM-1.5", "GTM-2", "GTM-3"),
        *("GTM-2:references=joined", "GTM-2:matching=exact"),
    )
    also: ClassVar[tuple[tuple[str, str], ...]] = (
        ("GTM10, GTM20, GTM30", "GTM-1, GTM-2 and GTM-3, as Lin and Och (2004), ORANGE, write them."),
    )
    example: ClassVar[Example] = Example(
        name="GTM-2",
        candidates=("a b c x d",),
        references=(("d a b c",),),
        score=2 * 10**0.5 / 9,
        why="the runs a b c and d: the square root of 9 + 1, twice that over 5 + 4 words",
    )
    notes: ClassVar[str] = """
        A run is a sequence of words that occurs in both texts; every word is used once. The greedy matching takes the
        longest run, shortens the others to words that are still free, and continues; among equal runs it takes, like
        GTM 1.4, the one that starts later in the candidate, then in the reference. For e = 1 any such matching is
        the overlap of the bags of words. references=joined is GTM 1.4 with several references: they are concatenated,
        so words of all of them can match; no more words count than the references have on average, which can shorten
        the last run to a fractional length; and recall is relative to that average. Among equal runs the one in the
        last reference is then taken, so in rare cases the order of references matters, and the words of a repeated
        reference count twice. matching=exact searches for the largest match size; it needs references=best. Its time
        grows fast with repeated words, so segments that need too many steps are refused. e is at least 1 and at most
        30. Among references with equal F1 the shortest counts. An empty candidate scores 0, and so does every
        candidate, even an empty one, against an empty reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "GTM 1.4",
            "13 digits of match sizes, precision, recall and F, exponents 1 to 3, with one reference, or "
            "with several and references=joined",
            "tests/golden/test_gtm.py::test_gtm_1_4",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        match = re.fullmatch(cls.pattern, stem, re.IGNORECASE)
        return match and {"exponent": match["exponent"] or match["tenths"][0]}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.exponent <= _MOST_EXPONENT:
            raise BadParameter(f"GTM-e: the exponent is a number from 1 to {_MOST_EXPONENT}, not {self.exponent}")
        if (self.references, self.matching) == ("joined", "exact"):
            raise BadParameter("GTM-e: matching=exact needs references=best; joined references are matched greedily")

    @property
    def pools_references(self) -> bool:
        return self.references == "joined"

    @property
    def stem(self) -> str:
        return f"GTM-{write_value(self.exponent)}"

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Matchings:
        return Matchings(batch)

    def columns(self, measured: Matchings) -> Floats:
        """[match size, length of the candidate, length of the reference]"""
        if self.references == "joined":
            matching, lengths = measured.joined
            sizes = matching.sizes(self.exponent, matching.sums(self.exponent))
            return np.column_stack([sizes, measured.batch.lengths, lengths])
        pairs, matching = measured.pairs, measured.one_by_one
        sums = measured.exact(self.exponent) if self.matching == "exact" else matching.sums(self.exponent)
        sizes = matching.sizes(self.exponent, sums)
        rows = np.column_stack([sizes, pairs.candidate_lengths, pairs.reference_lengths])
        return rows[pairs.least(-self.score(rows), rows[:, 2])]

    def score(self, sums: Floats) -> Floats:
        words = sums[..., 1] + sums[..., 2]
        return share(2.0 * sums[..., 0], words)

    def details(self, sums: Floats) -> dict[str, Any]:
        size, candidate, reference = sums.tolist()
        return {
            "precision": size / candidate if candidate else 0.0,
            "recall": size / reference if reference else 0.0,
            "match_size": size,
            "candidate_length": candidate,
            "reference_length": reference,
        }
