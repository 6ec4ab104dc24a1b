"""What an explanation is: frozen records that tables, JSON and pages are made from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tarocco.metrics.base import Metric
from tarocco.scoring.results import Tabular, number_or_null


@dataclass(frozen=True)
class Element:
    """Something that a metric counts: an n-gram, a run, an edit, a word by its chunk, an argument, a path.

    Places of words are counted from 0, in the element's order; a side that does not have the element has none. An
    element that both sides have need not be matched: a substitution has a word on either side.
    """

    type: str  # what it is, as the metric groups it: 2-gram, run, substitution, NP, A1
    text: str  # how it is written: its words, or the labels of a path
    candidate: tuple[int, ...] = ()
    reference: tuple[int, ...] = ()
    matched: bool = False
    how: str = ""  # exact, stem, wnstm, wnsyn; shifted
    weight: float = 1.0  # what a match counts: information, for NIST
    above: bool = False  # whether it only stands above these words, and is made of labels
    of: int = 0  # which of the explanation's references has it


@dataclass(frozen=True)
class Reference:
    """A reference as a metric reads it; the first one of a segment is number 1."""

    number: int
    words: tuple[str, ...]


@dataclass(frozen=True)
class Tally:
    """How many elements of a type there are on either side, and how many of them match."""

    type: str
    matched: int
    candidate: int
    reference: int


@dataclass(frozen=True)
class Explanation:
    """What one metric sees in one segment of one system, beside the reference that it chose, or several together."""

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
        """The record as it stands in JSON."""
        record: dict[str, Any] = {
            "system": self.system,
            "segment": self.segment,
            "metric": str(self.metric),
            "signature": self.signature,
            "score": number_or_null(self.score),
            "chosen": self.chosen,
            "details": self.details,
            "candidate": list(self.candidate),
            "references": [{"number": one.number, "words": list(one.words)} for one in self.references],
            "tallies": [vars(one) for one in self.tallies],
            "elements": [self._element(one) for one in self.elements],
        }
        return record | ({"note": self.note} if self.note else {})

    def _element(self, one: Element) -> dict[str, Any]:
        record = {
            "type": one.type,
            "text": one.text,
            "matched": one.matched,
            "candidate": list(one.candidate),
            "reference": list(one.reference),
        }
        if one.how:
            record["how"] = one.how
        if one.weight != 1.0:
            record["weight"] = one.weight
        if one.above:
            record["above"] = True
        if len(self.references) > 1:
            record["of"] = self.references[one.of].number if one.reference else None
        return record


@dataclass(frozen=True, eq=False)
class ExplainResult(Tabular):
    """Explanations: of each segment, for each system, under each metric."""

    explanations: tuple[Explanation, ...]
    why: str  # which segments these are

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.explanations)

    def __len__(self) -> int:
        return len(self.explanations)

    def rows(self) -> list[dict[str, Any]]:
        """One flat record an element; places of words are counted from 0."""
        return [
            {
                "segment": one.segment,
                "system": one.system,
                "metric": str(one.metric),
                "reference": one.references[element.of].number if element.reference else "",
                "type": element.type,
                "text": element.text,
                "matched": element.matched,
                "how": element.how,
                "candidate_places": " ".join(map(str, element.candidate)),
                "reference_places": " ".join(map(str, element.reference)),
                "weight": element.weight,
            }
            for one in self.explanations
            for element in one.elements
        ]

    def to_dict(self) -> list[dict[str, Any]]:
        """What `tarocco explain -f json` prints under "results"."""
        return [one.to_dict() for one in self.explanations]
