"""Explanations of segment scores, their elements and references."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tarocco.core.records import Record, ResultTable, Row
from tarocco.metrics.base import Metric


@dataclass(frozen=True)
class Element(Record):
    """Something that a metric counts: an n-gram, a run, an edit, a word in its chunk, an argument or a path.

    `candidate` and `reference` are the positions of its words, counted from 0 and empty on a side without the element.
    An element on both sides may still be unmatched: a substitution has one word on either side.
    """

    json_fields = ("type", "text", "matched", "candidate", "reference", "how", "weight", "above")
    optional_fields = ("how", "above")

    type: str  # as the metric groups elements: 2-gram, run, substitution, NP, A1
    text: str  # its words, or the labels of a path
    candidate: tuple[int, ...] = ()
    reference: tuple[int, ...] = ()
    matched: bool = False
    how: str = ""  # exact, stem, wnstm, wnsyn; shifted
    weight: float = 1.0  # of a match: the information, for NIST
    above: bool = False  # whether it consists of labels that dominate these words
    of: int = 0  # index of the explanation's reference that has it

    def to_dict(self) -> dict[str, Any]:
        """Return the element as JSON has it, without a weight of 1."""
        record = super().to_dict()
        if self.weight == 1.0:
            del record["weight"]
        return record


@dataclass(frozen=True)
class Reference(Record):
    """A reference as a metric reads it; references are counted from 1."""

    number: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Tally(Record):
    """The number of elements of one type on either side, and how many of them match."""

    type: str
    matched: int
    candidate: int
    reference: int


@dataclass(frozen=True)
class Explanation(Record):
    """What one metric sees in one segment of one system, compared with the reference that it chose or with several."""

    json_fields = (
        "system",
        "segment",
        "metric",
        "signature",
        "score",
        "chosen",
        "details",
        "candidate",
        "references",
        "tallies",
        "elements",
        "note",
    )
    optional_fields = ("note",)

    system: str
    segment: int  # from 1
    metric: Metric
    signature: str
    score: float  # with all references, or with this reference alone; NaN if there is none
    candidate: tuple[str, ...]  # words, as the metric reads them
    references: tuple[Reference, ...]
    elements: tuple[Element, ...]
    details: dict[str, Any]  # what the score is made of; empty for some metrics
    chosen: bool = True  # whether the segment's score is made of these references
    note: str = ""  # why there are no elements

    @property
    def matched(self) -> tuple[Element, ...]:
        """The elements that match."""
        return tuple(element for element in self.elements if element.matched)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """The number of elements of each type; with several references, only the candidate's side is complete."""
        counts: dict[str, list[int]] = {}
        for element in self.elements:
            count = counts.setdefault(element.type, [0, 0, 0])
            for i, present in enumerate((element.matched, element.candidate, element.reference)):
                count[i] += bool(present)
        return tuple(Tally(kind, *count) for kind, count in counts.items())

    def to_dict(self) -> dict[str, Any]:
        """Return the record as JSON has it; with several references, each element names the one that has it."""
        record = super().to_dict()
        if len(self.references) > 1:
            for element, written in zip(self.elements, record["elements"], strict=True):
                written["of"] = self.references[element.of].number if element.reference else None
        return record

    def display(self) -> list[Row]:
        """Return one row per element, with the positions of its words counted from 0."""
        return [
            {
                "segment": self.segment,
                "system": self.system,
                "metric": str(self.metric),
                "reference": self.references[element.of].number if element.reference else "",
                "type": element.type,
                "text": element.text,
                "matched": element.matched,
                "how": element.how,
                "candidate_places": " ".join(map(str, element.candidate)),
                "reference_places": " ".join(map(str, element.reference)),
                "weight": element.weight,
            }
            for element in self.elements
        ]

    def captions(self) -> list[str]:
        """Return the score and its signature, and the note if there is one."""
        return [f"{self.signature} = {self.score:.4f}", *([self.note] if self.note else [])]


@dataclass(frozen=True, eq=False)
class ExplainResult(ResultTable):
    """One explanation per segment, system and metric."""

    record_field = "explanations"

    explanations: tuple[Explanation, ...]
    why: str  # which segments these are

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.explanations)

    def __len__(self) -> int:
        return len(self.explanations)

    def rows(self) -> list[Row]:
        """Return one flat row per element, with the positions of its words counted from 0."""
        return [row for explanation in self.explanations for row in explanation.display()]

    def captions(self) -> list[str]:
        """Return which segments these are."""
        return [self.why] if self.why else []
