"""Measures of speech recognition, as jiwer has them: CER, MER, WIL and WIP."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.base import Agreement, EmptyValues, Example, Floats, parameter
from tarocco.metrics.edit.rates import Automaton, Wer
from tarocco.metrics.ngram.counts import share
from tarocco.metrics.text_pairs import Comparison, PairwiseMetric

MORRIS_2004 = """
        Morris, Maier and Green (2004), From WER and RIL to MER and WIL: improved evaluation measures for connected
        speech recognition, Interspeech.
"""
JIWER = Agreement(
    "jiwer 4.0.0",
    "12 digits, corpus and segments, with one reference and tokenize=jiwer: also empty texts and equally short "
    "alignments, up to 4 million pairs of words",
    "tests/peers/test_jiwer.py::test_measures",
)


@dataclass(frozen=True)
class StepCounts(PairwiseMetric):
    """A function of matches, substitutions, deletions and insertions, which are summed over the segments."""

    def columns(self, measured: Comparison) -> Floats:
        """[matches, substitutions, deletions, insertions] with the best reference"""
        steps = measured.steps.astype(np.float64)
        rows: Floats = steps[measured.pairs.least(-self.sign * self.score(steps), *steps.T)]
        return rows

    @abstractmethod
    def score(self, sums: Floats) -> Floats: ...

    def details(self, sums: Floats) -> dict[str, Any]:
        names = ("matches", "substitutions", "deletions", "insertions")
        return {name: int(count) for name, count in zip(names, sums, strict=True)}


@dataclass(frozen=True)
class Mer(StepCounts):
    """Match error rate: the share of aligned places that are errors."""

    title: ClassVar[str] = "MER"
    kind: ClassVar[Literal["similarity", "error"]] = "error"
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(1.0, 1.0, 0.0)
    summary: ClassVar[str] = "Match error rate: errors over errors and matches of an alignment; at most 1."
    formula: ClassVar[str] = (
        "MER = (S + D + I) / (H + S + D + I) for an alignment with the fewest edits, H = matches\n"
        "several references: the lowest rate; corpus: counts are summed"
    )
    paper: ClassVar[str] = MORRIS_2004
    pattern: ClassVar[str] = "MER"
    names: ClassVar[tuple[str, ...]] = ("MER",)
    example: ClassVar[Example] = Example(
        name="MER",
        candidates=("a b x d",),
        references=(("a b c",),),
        score=2 / 4,
        why="a, b match, x for c, d is inserted: 2 errors among 4 places",
    )
    notes: ClassVar[str] = """
        Among alignments with equally few edits, the one that jiwer finds is counted. An empty candidate scores 1, and
        so does any candidate against an empty reference; two empty texts score 0.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (JIWER,)

    def score(self, sums: Floats) -> Floats:
        errors = sums[..., 1] + sums[..., 2] + sums[..., 3]
        return share(errors, sums[..., 0] + errors)


@dataclass(frozen=True)
class Wip(StepCounts):
    """Word information preserved: precision times recall of the aligned words."""

    title: ClassVar[str] = "WIP"
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(0.0, 0.0, 1.0)
    summary: ClassVar[str] = "Word information preserved: recall times precision of the words matched in order."
    formula: ClassVar[str] = (
        "WIP = (H / |r|) (H / |c|), H = matches of an alignment with the fewest edits\n"
        "several references: the highest value; corpus: counts are summed"
    )
    paper: ClassVar[str] = MORRIS_2004
    pattern: ClassVar[str] = "WIP"
    names: ClassVar[tuple[str, ...]] = ("WIP",)
    example: ClassVar[Example] = Example(
        name="WIP",
        candidates=("a b x d",),
        references=(("a b c",),),
        score=2 / 3 * 2 / 4,
        why="a and b match: 2 of 3 words of the reference, 2 of 4 of the candidate",
    )
    notes: ClassVar[str] = """
        Among alignments with equally few edits, the one that jiwer finds is counted. An empty candidate scores 0, and
        so does any candidate against an empty reference; two empty texts score 1.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (JIWER,)

    def score(self, sums: Floats) -> Floats:
        matches, substitutions, deletions, insertions = np.moveaxis(sums, -1, 0)
        reference, candidate = matches + substitutions + deletions, matches + substitutions + insertions
        preserved = share(matches, reference) * share(matches, candidate)
        return np.where((reference == 0) & (candidate == 0), 1.0, preserved)


@dataclass(frozen=True)
class Wil(Wip):
    """Word information lost: 1 - WIP."""

    title: ClassVar[str] = "WIL"
    kind: ClassVar[Literal["similarity", "error"]] = "error"
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(1.0, 1.0, 0.0)
    summary: ClassVar[str] = "Word information lost: 1 - WIP."
    formula: ClassVar[str] = "WIL = 1 - WIP = 1 - (H / |r|) (H / |c|); otherwise as WIP"
    pattern: ClassVar[str] = "WIL"
    names: ClassVar[tuple[str, ...]] = ("WIL",)
    example: ClassVar[Example] = Example(
        name="WIL",
        candidates=("a b x d",),
        references=(("a b c",),),
        score=1 - 2 / 3 * 2 / 4,
        why="a and b match: 2 of 3 words of the reference, 2 of 4 of the candidate",
    )
    notes: ClassVar[str] = """
        Among alignments with equally few edits, the one that jiwer finds is counted. An empty candidate scores 1, and
        so does any candidate against an empty reference; two empty texts score 0.
    """

    agreement: ClassVar[tuple[Agreement, ...]] = (JIWER,)

    def score(self, sums: Floats) -> Floats:
        return 1.0 - super().score(sums)


class CharacterComparisons:
    """The comparison of a batch by characters, with and without spaces, each computed on first use."""

    def __init__(self, batch: Batch, lowercase: bool) -> None:
        self._batch = batch
        self._lowercase = lowercase

    @cached_property
    def without_spaces(self) -> Comparison:
        return Comparison(self._batch)

    @cached_property
    def with_spaces(self) -> Comparison:
        return Comparison(self._batch.characters(self._lowercase))


@dataclass(frozen=True)
class Cer(Wer):
    """Character error rate: WER of characters."""

    whitespace: bool = parameter(True, "count spaces as characters")

    title: ClassVar[str] = "CER"
    summary: ClassVar[str] = (
        "Character error rate: insertions, deletions and substitutions over the characters of the reference."
    )
    formula: ClassVar[str] = (
        "CER = (I + D + S) / |r| for the fewest edits of characters, spaces within the text included\n"
        "several references, corpus: as for WER"
    )
    pattern: ClassVar[str] = "CER"
    names: ClassVar[tuple[str, ...]] = ("CER", "CER:whitespace=no", "CER:weights=chosen")
    example: ClassVar[Example] = Example(
        name="CER",
        candidates=("a bc",),
        references=(("abcd",),),
        score=2 / 4,
        why="the space is inserted, d is deleted: 2 errors of 4 characters",
    )
    notes: ClassVar[str] = """
        Equal to jiwer 4.0.0: the raw text is read without spaces at its ends, and spaces within it are characters;
        whitespace=no ignores all spaces. The run's tokenizer does not apply, its case does. With counts=yes the details
        have the kinds of edits. An empty candidate scores 1; against an empty reference an empty candidate scores 0,
        any other 1; corpus: as for WER.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "jiwer 4.0.0",
            "12 digits, corpus and segments, with one reference",
            "tests/peers/test_jiwer.py::test_characters",
        ),
    )

    def reads(self, requested: Encoding) -> Encoding:
        return Encoding("char", requested.lowercase)

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> CharacterComparisons:  # type: ignore[override]
        return CharacterComparisons(batch, batch.encoding.lowercase)

    def columns(self, measured: CharacterComparisons) -> Floats:  # type: ignore[override]
        return super().columns(measured.with_spaces if self.whitespace else measured.without_spaces)

    def automaton(self, several_references: bool) -> Automaton | None:
        return None  # lattices and forests have words on their arcs
