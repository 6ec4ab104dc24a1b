"""Rates of errors or matches along an alignment: WER, PER, CDER, 1-WER, 1-PER and GRR-k."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.metrics.base import Agreement, EmptyValues, Example, Floats, parameter
from tarocco.metrics.text_pairs import Comparison, PairwiseMetric

HIGHEST_ORDER = 12  # of GRR


@dataclass(frozen=True)
class Automaton:
    """The automaton of Chiang et al. (2008, section 4.3), for exact oracles in lattices and forests.

    The m-th match in a row collects m, at most `order`. An inserted word costs `alpha`, a deleted one `beta`.
    """

    order: int
    alpha: float
    beta: float

    def size(self, length: int) -> int:
        """Return the denominator of the rate in a search: the n-grams of a reference, at least 1."""
        return max(1, sum(max(length - n, 0) for n in range(self.order)))

    def against(self, length: int) -> Automaton:
        """Return the automaton for a reference of this length; only the empty text matches an empty reference."""
        return self if length else Automaton(self.order, 1.0, 0.0)


WORD_AUTOMATON = Automaton(1, 1.0, 0.0)  # WRR: each match collects 1, each insertion costs 1


@dataclass(frozen=True)
class ErrorRate(PairwiseMetric):
    """Errors per reference word, for the best reference; the corpus score is a weighted mean of segments."""

    select: str = parameter("rate", "the chosen reference: lowest rate or fewest errors", choices=("rate", "distance"))
    weights: str = parameter(
        "mean",
        "a segment's weight: the mean reference length, or that of the chosen reference",
        choices=("mean", "chosen"),
    )

    kind: ClassVar[Literal["similarity", "error"]] = "error"
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(1.0, 1.0, 0.0)

    def rank_references(self, rows: Floats) -> list[tuple[float, ...]]:
        if self.select == "rate":
            return super().rank_references(rows)
        return [(row[0], -row[1]) for row in rows.tolist()]

    @abstractmethod
    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        """Return the number of errors of each pair."""

    def more_counts(self, comparison: Comparison) -> tuple[NDArray[Any], ...]:
        """Return more counts per pair; those of the chosen reference become columns of the statistics."""
        return ()

    def columns(self, measured: Comparison) -> Floats:
        """[rate times weight, weight, further counts]"""
        pairs, errors = measured.pairs, self.errors(measured).astype(np.float64)
        lengths = pairs.reference_lengths.astype(np.float64)
        errors = np.where(lengths == 0, pairs.candidate_lengths, errors)  # CDER would skip them all with one jump
        rates = _rates(errors, lengths)
        best = pairs.least(rates, lengths, errors) if self.select == "rate" else pairs.least(errors, -lengths)
        weights = lengths[best] if self.weights == "chosen" else pairs.mean_reference_length()
        # Words against an empty reference are insertions, and add nothing to the words of the corpus.
        weighted = np.where(weights > 0, rates[best] * weights, errors[best])
        further = (counts[best] for counts in self.more_counts(measured))
        return np.column_stack([weighted, weights, *further])

    def score(self, sums: Floats) -> Floats:
        return _rates(sums[..., 0], sums[..., 1])


def _rates(errors: Floats, words: Floats) -> Floats:
    """Return errors per word; without words, 1 if there are errors and 0 otherwise."""
    return np.where(words > 0, errors / np.where(words > 0, words, 1.0), np.minimum(errors, 1.0))


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word error rate: the Levenshtein distance in words divided by the length of the reference."""

    counts: bool = parameter(False, "also count insertions, deletions, substitutions and matches (in details)")

    title: ClassVar[str] = "WER"
    summary: ClassVar[str] = "Word error rate: insertions, deletions and substitutions over the words of the reference."
    formula: ClassVar[str] = (
        "WER = (I + D + S) / |r| for the fewest edits; several references: the lowest rate\n"
        "corpus: the mean of the segments' rates, weighted by their mean reference length"
    )
    paper: ClassVar[str] = (
        "Nießen, Och, Leusch and Ney (2000), An Evaluation Tool for Machine Translation, LREC (mWER, with several "
        "references). Weights: Chiang et al. (2008), section 4.3."
    )
    pattern: ClassVar[str] = "m?WER"
    names: ClassVar[tuple[str, ...]] = ("WER", "WER:select=distance", "WER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="WER",
        candidates=("a b c", "x"),
        references=(("a c d",), ("x y z", "x y")),
        score=(2 / 3 * 3 + 1 / 2 * 2.5) / 5.5,
        why="a b c -> a c d takes 2 edits for 3 words; x misses 1 of 2 words of x y; weights 3 and (3 + 2) / 2",
    )
    notes: ClassVar[str] = """
        With one reference the corpus score is the usual sum of edits over sum of lengths (jiwer 4.0.0, WER.pl). With
        several, the weights do not depend on the candidate, so improving a segment never worsens the corpus score;
        weights=chosen is what other tools do, and select=distance is the mWER of Finch et al. (2004). mWER is another
        name for WER. With counts=yes the details have insertions, deletions, substitutions and matches with the chosen
        references, in the alignment that jiwer 4.0.0 finds; other tools may find another with as few edits. An empty
        candidate scores 1; against an empty reference an empty candidate scores 0, any other 1. In the corpus, the
        words of such a candidate are insertions, and an empty reference adds no words (as in jiwer, sclite and TER).
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "WER.pl 1.0",
            "14 digits, corpus and segments, with one reference",
            "tests/golden/test_error_rates.py::test_perl_scripts",
        ),
        Agreement(
            "jiwer 4.0.0",
            "6 digits, corpus and segments, with one reference",
            "tests/golden/test_error_rates.py::test_jiwer",
        ),
        Agreement(
            "Moses, cdec, odashi's mteval",
            "the digits printed, with one reference; odashi scores an empty candidate 0",
            "tests/golden/test_error_rates.py::test_other_tools_with_one_reference",
        ),
        Agreement(
            "cdec",
            "the digits printed, with several references and select=distance:weights=chosen, unless references tie",
            "tests/golden/test_error_rates.py::test_cdec_with_several_references",
        ),
        Agreement(
            "RapidFuzz 3.14.6",
            "edit distances, exactly",
            "tests/peers/test_rapidfuzz.py::test_levenshtein_and_subsequences",
        ),
    )

    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        return comparison.distances

    def automaton(self, several_references: bool) -> Automaton | None:
        if several_references and self.select != "rate":
            raise BadParameter(
                f"{self}: with several references, oracles need the reference with the lowest rate (select=rate)"
            )
        return WORD_AUTOMATON

    def more_counts(self, comparison: Comparison) -> tuple[NDArray[Any], ...]:
        if not self.counts:
            return ()
        matches, substitutions, deletions, insertions = comparison.steps.T
        return insertions, deletions, substitutions, matches

    def details(self, sums: Floats) -> dict[str, Any]:
        names = ("insertions", "deletions", "substitutions", "matches")
        return {name: int(count) for name, count in zip(names, sums[2:], strict=self.counts)}


@dataclass(frozen=True)
class Per(ErrorRate):
    """Position-independent error rate: like WER, but word order does not count."""

    title: ClassVar[str] = "PER"
    summary: ClassVar[str] = "Position-independent error rate: like WER, but word order does not count."
    formula: ClassVar[str] = (
        "PER = (max(|c|, |r|) - hits) / |r|, hits = size of the intersection of the bags of words\n"
        "several references, corpus: as for WER"
    )
    paper: ClassVar[str] = (
        "Tillmann, Vogel, Ney, Zubiaga and Sawaf (1997), Accelerated DP Based Search for Statistical Translation, "
        "Eurospeech."
    )
    pattern: ClassVar[str] = "m?PER"
    names: ClassVar[tuple[str, ...]] = ("PER", "PER:select=distance", "PER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="PER",
        candidates=("b a x y",),
        references=(("a b c",),),
        score=2 / 3,
        why="b and a are in both; max(4, 3) - 2 = 2 errors of 3 words",
    )
    notes: ClassVar[str] = """
        Equal to PER.pl and Moses for each segment; the total of PER.pl is not a mean of segments, ours is, as for WER.
        mPER is another name for PER. An empty candidate scores 1; against an empty reference an empty candidate scores
        0, any other 1; corpus: as for WER.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "PER.pl 1.0",
            "14 digits of every segment, with one reference; its total is not a mean of segments",
            "tests/golden/test_error_rates.py::test_perl_scripts",
        ),
        Agreement(
            "Moses",
            "the 4 digits printed, with one reference and no empty candidate",
            "tests/golden/test_error_rates.py::test_other_tools_with_one_reference",
        ),
    )

    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        pairs = comparison.pairs
        return np.maximum(pairs.candidate_lengths, pairs.reference_lengths) - comparison.hits


@dataclass(frozen=True)
class Cder(ErrorRate):
    """Edit distance in which the candidate may be read in any order; a jump costs one error."""

    title: ClassVar[str] = "CDER"
    summary: ClassVar[str] = "WER in which a block of words may be moved at the cost of one error."
    formula: ClassVar[str] = (
        "CDER = d / |r|; d covers each reference word once: a match costs 0, a substitution or deletion 1,\n"
        "a jump to any place of the candidate 1; candidate words may be covered several times or not at all\n"
        "several references, corpus: as for WER"
    )
    paper: ClassVar[str] = (
        "Leusch, Ueffing and Ney (2006), CDER: Efficient MT Evaluation Using Block Movements, EACL; with long jumps "
        "at a cost of 1."
    )
    pattern: ClassVar[str] = "CDER"
    names: ClassVar[tuple[str, ...]] = ("CDER", "CDER:select=distance", "CDER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="CDER",
        candidates=("c d a b",),
        references=(("a b c d",),),
        score=3 / 4,
        why="jump to a b, jump back to c d, jump to the end: 3 errors of 4 words (WER has 4)",
    )
    notes: ClassVar[str] = """
        Moses's evaluator prints 1 - CDER and agrees with one reference; with several it compares truncated integer
        scores and nearly always uses the first. An empty candidate scores 1; against an empty reference an empty
        candidate scores 0, any other 1; corpus: as for WER.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Moses",
            "the 4 digits printed, 1 - CDER, with one reference",
            "tests/golden/test_rouge.py::test_moses_cder",
        ),
    )

    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        return comparison.jump_distances


@dataclass(frozen=True)
class OneMinusWer(Wer):
    """WER as a similarity."""

    kind: ClassVar[Literal["similarity", "error"]] = "similarity"
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 1.0)
    title: ClassVar[str] = "1-WER"
    summary: ClassVar[str] = "WER as a similarity, also called WRR; it can be negative."
    formula: ClassVar[str] = "1-WER = WRR = (M - I) / |r| for the best alignment; otherwise as WER"
    paper: ClassVar[str] = "IQmt 2.0, Giménez (2007); WRR: McCowan et al. (2005), as used by Chiang et al. (2008)."
    pattern: ClassVar[str] = "1-m?WER|WRR"
    names: ClassVar[tuple[str, ...]] = ("1-WER", "1-WER:select=distance", "1-WER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="1-WER", candidates=("a b c",), references=(("a c d",),), score=1 / 3, why="2 edits of 3 words"
    )
    notes: ClassVar[str] = """
        WRR is another name for it. An empty candidate scores 0; against an empty reference an empty candidate scores 1,
        any other 0; corpus: as for WER.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "WER",
            "1 minus WER, with every parameter; Moses prints 1 - WER",
            "tests/kernels/test_edits.py::test_error_rates",
        ),
    )

    def score(self, sums: Floats) -> Floats:
        return 1.0 - super().score(sums)


@dataclass(frozen=True)
class OneMinusPer(Per):
    """PER as a similarity."""

    kind: ClassVar[Literal["similarity", "error"]] = "similarity"
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 1.0)
    title: ClassVar[str] = "1-PER"
    summary: ClassVar[str] = "PER as a similarity; it can be negative."
    formula: ClassVar[str] = "1-PER = 1 - PER"
    paper: ClassVar[str] = "IQmt 2.0, Giménez (2007)."
    pattern: ClassVar[str] = "1-m?PER"
    names: ClassVar[tuple[str, ...]] = ("1-PER", "1-PER:select=distance", "1-PER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="1-PER", candidates=("b a x y",), references=(("a b c",),), score=1 / 3, why="2 errors of 3 words"
    )
    notes: ClassVar[str] = """
        An empty candidate scores 0; against an empty reference an empty candidate scores 1, any other 0; corpus: as for
        PER.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "PER",
            "1 minus PER, with every parameter",
            "tests/kernels/test_edits.py::test_error_rates",
        ),
    )

    def score(self, sums: Floats) -> Floats:
        return 1.0 - super().score(sums)


@dataclass(frozen=True)
class Grr(PairwiseMetric):
    """The k-gram recognition rate of Chiang et al. (2008)."""

    order: int = parameter(4, "the longest n-grams that count", in_stem=True)
    alpha: float = parameter(1.0, "the cost of an inserted word")
    beta: float = parameter(0.0, "the cost of a deleted word")

    title: ClassVar[str] = "GRR-k"
    summary: ClassVar[str] = (
        "k-gram recognition rate: n-gram matches along the best monotone alignment, with a cost for inserted words."
    )
    formula: ClassVar[str] = (
        "GRR-k = max over monotone alignments (M_1 + ... + M_k - alpha I - beta D) / (|g_1(r)| + ... + |g_k(r)|)\n"
        "M_j = runs of j matches in a row, I, D = inserted and deleted words, g_j(r) = j-grams of the reference\n"
        "several references: the highest rate, weighted by the mean denominator; corpus: numerators and denominators "
        "are summed"
    )
    paper: ClassVar[str] = """
        Chiang, DeNeefe, Chan and Ng (2008), Decomposability of Translation Metrics for Improved Evaluation and
        Efficient Algorithms, EMNLP, section 4.3.
    """
    pattern: ClassVar[str] = r"GRR(?:-(?P<order>\d+))?|(?P<before>\d+)-GRR"
    names: ClassVar[tuple[str, ...]] = ("GRR-4", "GRR-1", "GRR-2", "GRR-6", "GRR-4:beta=1", "GRR-4:alpha=0.5")
    also: ClassVar[tuple[tuple[str, str], ...]] = (("4-GRR", "Another way to write GRR-4."),)
    example: ClassVar[Example] = Example(
        name="GRR-2",
        candidates=("a b x d",),
        references=(("a b c d",),),
        score=4 / 7,
        why="a b d match and so does the bigram a b: 4; x replaces c at no cost; the reference has 4 + 3 n-grams",
    )
    notes: ClassVar[str] = """
        GRR-1 is 1-WER with one reference. The paper has one reference and 4-GRR; other orders follow its automaton. The
        score can be negative, or, with a negative alpha as in the paper's section 5, exceed 1. An empty candidate
        scores minus beta times the share of words among the n-grams, 0 by default. Against an empty reference an empty
        candidate scores 1, any other 0; in the corpus, each word of such a candidate counts -1.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "textbook version",
            "any text, against a slow one written from the paper; there is no other tool",
            "tests/kernels/test_edits.py::test_recognition_rate",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        in_stem = super().read_stem(stem)
        return dict.fromkeys(("order",), *in_stem.values()) if in_stem else in_stem

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= HIGHEST_ORDER:
            raise BadParameter(f"{self.title}: k is 1 to {HIGHEST_ORDER}, not {self.order}")
        for name in ("alpha", "beta"):
            if not abs(getattr(self, name)) <= 1e6:
                raise BadParameter(f"{self.title}: {name} is a number up to 1000000, not {getattr(self, name)}")

    @property
    def stem(self) -> str:
        return f"GRR-{self.order}"

    @property
    def empty_values(self) -> EmptyValues:  # type: ignore[override]
        """With beta, the score of an empty candidate depends on the length of the reference."""
        return EmptyValues(None if self.beta else 0.0, 0.0, 1.0)

    def automaton(self, several_references: bool) -> Automaton:
        return Automaton(self.order, self.alpha, self.beta)

    def columns(self, measured: Comparison) -> Floats:
        """[rate times weight, weight]"""
        pairs = measured.pairs
        lengths = pairs.reference_lengths[:, None] - np.arange(self.order)
        sizes = np.maximum(lengths, 0).sum(axis=1).astype(np.float64)
        collected = measured.recognized(self.order, self.alpha, self.beta)
        # Against an empty reference every word costs 1, whatever the cost of insertions.
        collected = np.where(sizes == 0, -pairs.candidate_lengths, collected) + 0.0  # turns -0 into 0
        rates = self.score(np.column_stack([collected, sizes]))
        best = pairs.least(-rates, sizes, -collected)
        weights = pairs.mean(sizes)
        return np.column_stack([np.where(weights > 0, rates[best] * weights, collected[best]), weights])

    def score(self, sums: Floats) -> Floats:
        collected, sizes = sums[..., 0], sums[..., 1]
        return np.where(sizes > 0, collected / np.where(sizes > 0, sizes, 1.0), np.where(collected < 0, 0.0, 1.0))
