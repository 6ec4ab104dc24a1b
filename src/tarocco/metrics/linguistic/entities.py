"""NE-Oe-t, NE-Me-t: overlap of the words of named entities, and entities that match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocco.metrics.base import Agreement, Example
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import ALL_BUT_OUTSIDE, PAPER, Bag, Cells, Overlap

EXAMPLE = (("John Smith lives in New York",), (("John lives in New York",),))
_NOTES = """
    A type that neither text has gives no score, and the segment is left out of the mean; where one text alone has
    it, the score is 0.
"""


@dataclass(frozen=True)
class EntityOverlap(Overlap):
    """Lexical overlap by type of named entity."""

    title: ClassVar[str] = "NE-Oe-t"
    summary: ClassVar[str] = (
        "Overlap of words in named entities of type t, of all types (NE-Oe-**), with others (NE-Oe-*)."
    )
    formula: ClassVar[str] = (
        "NE-Oe-t = sum of min(count_c(w), count_r(w)) / sum of max(count_c(w), count_r(w))\n"
        "          over words w in entities of type t\n"
        "NE-Oe-*: both sums over all types, words outside entities being of type O; NE-Oe-**: without O\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"NE-O_?(?P<elements>e)?(?:,w)?-(?P<type>[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("NE-Oe-*", "NE-Oe-**", "NE-Oe-PERSON")
    example: ClassVar[Example] = Example(
        name="NE-Oe-**",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=3 / 4,
        why="shared: John (PERSON), New and York (GPE); the candidate has Smith (PERSON), too",
    )
    notes: ClassVar[str] = (
        """
        The manual's names: * has type O and ** has not; the successor toolkit swaps the two. variant=literal counts all
        of the candidate's words that the reference has, as the manual prints it.
    """
        + _NOTES
        + """
        So an empty candidate scores 0 with NE-Oe-* against a text, and so does any candidate against an empty
        reference; two empty texts have no score, and neither have two texts without entities with NE-Oe-**.
    """
    )
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments, in lower case; its NE-Oe(**) is NE-Oe-*, its NE-Oe(*) is NE-Oe-**",
            "tests/golden/test_linguistic.py::test_entities",
        ),
    )
    prefix: ClassVar[str] = "NE-O"
    bags: ClassVar[dict[str, Bag]] = {"e": Bag(elements.entity_words)}
    has_outside: ClassVar[bool] = True

    def chosen(self, cells: Cells) -> Cells:
        if self.type == ALL_BUT_OUTSIDE:
            return cells.of(cells.types != cells.names.index(elements.OUTSIDE))
        return super().chosen(cells)


@dataclass(frozen=True)
class EntityMatching(Overlap):
    """Named entities that match as a whole, by type."""

    title: ClassVar[str] = "NE-Me-t"
    summary: ClassVar[str] = "Named entities of type t, or of all types, that match word for word."
    formula: ClassVar[str] = (
        "NE-Me-t = sum of min(count_c(e), count_r(e)) / sum of max(count_c(e), count_r(e))\n"
        "          over entities e of type t, all words in their order\n"
        "NE-Me-*: both sums over all types of entities\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"NE-M_?(?P<elements>e)?(?:,w)?-(?P<type>[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("NE-Me-*", "NE-Me-PERSON")
    example: ClassVar[Example] = Example(
        name="NE-Me-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=1 / 3,
        why="New York (GPE) matches; John Smith and John (PERSON) are two entities",
    )
    notes: ClassVar[str] = (
        """
        An entity that ends the sentence counts like any other; the successor toolkit loses it. variant=literal is the
        manual's printed form.
    """
        + _NOTES
        + """
        So an empty candidate scores 0 where the reference has entities, a candidate with entities scores 0 against an
        empty reference, and two texts without entities have no score.
    """
    )
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments that do not end with an entity and have some, in lower case",
            "tests/golden/test_linguistic.py::test_entities",
        ),
    )
    prefix: ClassVar[str] = "NE-M"
    bags: ClassVar[dict[str, Bag]] = {"e": Bag(elements.entities)}
