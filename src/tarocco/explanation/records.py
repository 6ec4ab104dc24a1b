"""What an explanation is: frozen records that tables, JSON and pages are made from."""

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

    type: str  # what it is, as the metric groups it: 2-gram, run, substitution, NP, A1
    text: str  # how it is written: its words, or the labels of a path
    candidate: tuple[int, ...] = ()
    reference: tuple[int, ...] = ()
    matched: bool = False
    how: str = ""  # exact, stem, wnstm, wnsyn; shifted
    weight: float = 1.0  # what a match counts: information, for NIST
    above: bool = False  # whether it only stands above these words, and is made of labels
    of: int = 0  # index of the explanation's reference that has it

    def to_dict(self) -> dict[str, Any]:
        """Return the element as JSON has it, without a weight of 1."""
        record = super().to_dict()
        if self.weight == 1.0:
            del record["weight"]
        return record


@dataclass(frozen=True)
class Reference(Record):
    """A reference as a metric reads it; the first one of a segment is number 1."""

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
    score: float  # of the segment with all its references, or with this reference alone; NaN where there is none
    candidate: tuple[str, ...]  # words, as the metric reads them
    references: tuple[Reference, ...]
    elements: tuple[Element, ...]
    details: dict[str, Any]  # what the score is made of, where the metric tells
    chosen: bool = True  # whether this is what the score is made of, not one more reference that was asked for
    note: str = ""  # why there are no elements

    @property
    def matched(self) -> tuple[Element, ...]:
        """The elements that match."""
        return tuple(one for one in self.elements if one.matched)

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """The elements by type, in their order; with several references, the candidate's side alone is complete."""
        types = dict.fromkeys(one.type for one in self.elements)
        found = []
        for kind in types:
            own = [one for one in self.elements if one.type == kind]
            sides = (sum(bool(one.candidate) for one in own), sum(bool(one.reference) for one in own))
            found.append(Tally(kind, sum(one.matched for one in own), *sides))
        return tuple(found)

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
