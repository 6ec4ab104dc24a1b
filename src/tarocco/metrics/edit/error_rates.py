"""Error rates by edit distance: WER, PER and CDER, and the similarities 1-WER and 1-PER."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.metrics.base import Agreement, Example, Floats, parameter
from tarocco.metrics.comparison import Compared, Comparison


@dataclass(frozen=True)
class ErrorRate(Compared):
    """Errors over words of the reference, of the best reference; the corpus is a weighted mean of segments."""

    select: str = parameter(
        "rate", "the reference that is taken: lowest rate or fewest errors", choices=("rate", "distance")
    )
    weights: str = parameter(
        "mean", "a segment's weight: its mean reference length or the chosen one's", choices=("mean", "chosen")
    )

    kind: ClassVar[Literal["similarity", "error"]] = "error"

    def rank_references(self, rows: Floats) -> list[tuple[float, ...]]:
        if self.select == "rate":
            return super().rank_references(rows)
        return [(row[0], -row[1]) for row in rows.tolist()]

    @abstractmethod
    def errors(self, comparison: Comparison) -> NDArray[np.intp]:
        """The errors of each pair."""

    def counted(self, comparison: Comparison) -> tuple[NDArray[Any], ...]:
        """Further counts of each pair, those of the chosen reference become columns of the statistics."""
        return ()

    def columns(self, measured: Comparison) -> Floats:
        """[rate times weight, weight, further counts]"""
        pairs, errors = measured.pairs, self.errors(measured).astype(np.float64)
        lengths = pairs.reference_lengths.astype(np.float64)
        # Against an empty reference the rate is 0 for an empty candidate and 1 for any other; it weighs as one word.
        rates = np.where(lengths == 0, np.minimum(errors, 1.0), errors) / np.maximum(lengths, 1.0)
        lengths = np.maximum(lengths, 1.0)
        best = pairs.least(rates, lengths) if self.select == "rate" else pairs.least(errors, -lengths)
        weights = lengths[best] if self.weights == "chosen" else np.maximum(pairs.mean_reference_length(), 1.0)
        further = (counts[best] for counts in self.counted(measured))
        return np.column_stack([rates[best] * weights, weights, *further])

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return sums[..., 0] / sums[..., 1]


@dataclass(frozen=True)
class Wer(ErrorRate):
    """Word error rate: Levenshtein distance over words, divided by the reference's length."""

    counts: bool = parameter(False, "count insertions, deletions, substitutions and matches, too (in details)")

    title: ClassVar[str] = "WER"
    summary: ClassVar[str] = "Word error rate: insertions, deletions and substitutions over the words of the reference."
    formula: ClassVar[str] = (
        "WER = (I + D + S) / |r| for the fewest edits; several references: the lowest rate\n"
        "corpus: the mean of the segments' rates, weighed by their mean reference length"
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
        why="a b c -> a c d takes 2 edits of 3 words; x is 1/2 of x y; weights 3 and (3 + 2) / 2",
    )
    notes: ClassVar[str] = """
        With one reference the corpus value is the usual sum of edits over sum of lengths (jiwer 4.0.0, WER.pl). With
        several, the weights do not depend on the candidate, so that improving a segment never worsens the corpus;
        weights=chosen is what other tools do, and select=distance is the mWER of Finch et al. (2004). mWER is another
        name for WER. With counts=yes the details tell insertions, deletions, substitutions and matches of the chosen
        references; of several alignments with fewest edits one with most matches is counted (other tools may count
        another). An empty candidate scores 1; against an empty reference an empty candidate scores 0, any other 1,
        and the segment weighs as one word.
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

    def counted(self, comparison: Comparison) -> tuple[NDArray[Any], ...]:
        if not self.counts:
            return ()
        pairs, matches = comparison.pairs, comparison.matches
        substitutions = pairs.candidate_lengths + pairs.reference_lengths - 2 * matches - comparison.distances
        insertions = pairs.candidate_lengths - matches - substitutions
        return insertions, pairs.reference_lengths - matches - substitutions, substitutions, matches

    def details(self, sums: Floats) -> dict[str, Any]:
        names = ("insertions", "deletions", "substitutions", "matches")
        return {name: int(count) for name, count in zip(names, sums[2:], strict=self.counts)}


@dataclass(frozen=True)
class Per(ErrorRate):
    """Position-independent error rate: as WER, but word order does not count."""

    title: ClassVar[str] = "PER"
    summary: ClassVar[str] = "Position-independent error rate: as WER, but the order of words does not count."
    formula: ClassVar[str] = (
        "PER = (max(|c|, |r|) - hits) / |r|, hits = size of the intersection of the bags of words\n"
        "several references, corpus: as WER"
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
        Equal to PER.pl and Moses for each segment; PER.pl's total is no mean of segments, ours weighs them as WER does.
        mPER is another name for PER. An empty candidate scores 1; against an empty reference an empty candidate scores
        0, any other 1.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "PER.pl 1.0",
            "14 digits of every segment, with one reference; its total is no mean of segments",
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
    """Edit distance in which the candidate may be read in any order, a jump costing one error."""

    title: ClassVar[str] = "CDER"
    summary: ClassVar[str] = "WER in which a block of words may be moved at the cost of one error."
    formula: ClassVar[str] = (
        "CDER = d / |r|; d covers each reference word once: a match costs 0, a substitution or deletion 1,\n"
        "a jump to any place of the candidate 1; candidate words may be covered more than once or never\n"
        "several references, corpus: as WER"
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
        Moses's evaluator prints 1 - CDER and agrees with one reference; with several it compares scores cut to
        integers and all but always keeps the first. An empty candidate scores 1; against an empty reference an empty
        candidate scores 0, any other 1.
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
    title: ClassVar[str] = "1-WER"
    summary: ClassVar[str] = "WER as a similarity, also called WRR: it can be negative."
    formula: ClassVar[str] = "1-WER = WRR = (M - I) / |r| for the best alignment; all else as WER"
    paper: ClassVar[str] = "IQmt 2.0, Giménez (2007); WRR: McCowan et al. (2005), as used by Chiang et al. (2008)."
    pattern: ClassVar[str] = "1-m?WER|WRR"
    names: ClassVar[tuple[str, ...]] = ("1-WER", "1-WER:select=distance", "1-WER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="1-WER", candidates=("a b c",), references=(("a c d",),), score=1 / 3, why="2 edits of 3 words"
    )
    notes: ClassVar[str] = """
        WRR is another name for it. An empty candidate scores 0; against an empty reference an empty candidate scores 1,
        any other 0.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "WER",
            "1 minus it, with every parameter; so Moses, which prints 1 - WER",
            "tests/kernels/test_edits.py::test_error_rates",
        ),
    )

    def score(self, sums: Floats) -> Floats:
        return 1.0 - super().score(sums)


@dataclass(frozen=True)
class OneMinusPer(Per):
    """PER as a similarity."""

    kind: ClassVar[Literal["similarity", "error"]] = "similarity"
    title: ClassVar[str] = "1-PER"
    summary: ClassVar[str] = "PER as a similarity: it can be negative."
    formula: ClassVar[str] = "1-PER = 1 - PER"
    paper: ClassVar[str] = "IQmt 2.0, Giménez (2007)."
    pattern: ClassVar[str] = "1-m?PER"
    names: ClassVar[tuple[str, ...]] = ("1-PER", "1-PER:select=distance", "1-PER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="1-PER", candidates=("b a x y",), references=(("a b c",),), score=1 / 3, why="2 errors of 3 words"
    )
    notes: ClassVar[str] = """
        An empty candidate scores 0; against an empty reference an empty candidate scores 1, any other 0.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "PER",
            "1 minus it, with every parameter",
            "tests/kernels/test_edits.py::test_error_rates",
        ),
    )

    def score(self, sums: Floats) -> Floats:
        return 1.0 - super().score(sums)
