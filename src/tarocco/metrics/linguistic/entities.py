"""NE (named entities): overlap of the words of entities, and matching entities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocco.metrics.base import Agreement, Example
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import (
    ALL_BUT_OUTSIDE,
    BEST_REFERENCE,
    LITERAL,
    NO_TYPE,
    PAPER,
    Bag,
    ElementOverlap,
    OverlapTable,
    overlap_formula,
)

EXAMPLE = (("John Smith lives in New York",), (("John lives in New York",),))


@dataclass(frozen=True)
class EntityOverlap(ElementOverlap):
    """Overlap of the words in named entities of a type.

        NE-Oe-t = sum_w min(count_c(w), count_r(w)) / sum_w max(count_c(w), count_r(w))

    over the words w in entities of type t; NE-Oe-* takes both sums over all types, including O for words outside
    entities.

    References
    ----------
    Giménez (2007), IQMT Technical Manual 2.0, section 5.
    """

    title: ClassVar[str] = "NE-Oe-t"
    summary: ClassVar[str] = (
        "Overlap of words in named entities of type t, of all types (NE-Oe-**), or of all words by type (NE-Oe-*)."
    )
    formula: ClassVar[str] = (
        f"NE-Oe-t = {overlap_formula('w')}\n"
        "          over words w in entities of type t\n"
        "NE-Oe-*: both sums over all types, with type O for words outside entities; NE-Oe-**: without O\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"NE-O_?(?P<elements>e)?(?:,w)?-(?P<type>[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("NE-Oe-*", "NE-Oe-**", "NE-Oe-PERSON")
    example: ClassVar[Example] = Example(
        name="NE-Oe-**",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=3 / 4,
        why="shared: John (PERSON), New and York (GPE); the candidate also has Smith (PERSON)",
    )
    notes: ClassVar[str] = (
        "As in the manual, * includes type O and ** excludes it; its successor Asiya swaps the two."
        + LITERAL
        + NO_TYPE
        + """
        With NE-Oe-*, an empty candidate scores 0, and so does any candidate against an empty reference; two empty texts
        have no score. With NE-Oe-**, two texts without entities have no score either.
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

    def chosen(self, table: OverlapTable) -> OverlapTable:
        if self.type == ALL_BUT_OUTSIDE:
            return table.select(table.types != table.names.index(elements.OUTSIDE))
        return super().chosen(table)


@dataclass(frozen=True)
class EntityMatching(ElementOverlap):
    """Overlap of whole named entities of a type.

        NE-Me-t = sum_e min(count_c(e), count_r(e)) / sum_e max(count_c(e), count_r(e))

    over the entities e of type t; entities match if they have the same words in the same order.

    References
    ----------
    Giménez (2007), IQMT Technical Manual 2.0, section 5.
    """

    title: ClassVar[str] = "NE-Me-t"
    summary: ClassVar[str] = "Named entities of type t, or of all types, that match word for word."
    formula: ClassVar[str] = (
        f"NE-Me-t = {overlap_formula('e')}\n"
        "          over entities e of type t, compared as sequences of words\n"
        "NE-Me-*: both sums over all types of entities\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"NE-M_?(?P<elements>e)?(?:,w)?-(?P<type>[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("NE-Me-*", "NE-Me-PERSON")
    example: ClassVar[Example] = Example(
        name="NE-Me-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=1 / 3,
        why="New York (GPE) matches; John Smith and John (PERSON) are different entities",
    )
    notes: ClassVar[str] = (
        "An entity at the end of the sentence counts like any other; Asiya loses it."
        + LITERAL
        + NO_TYPE
        + """
        An empty candidate scores 0 if the reference has entities, a candidate with entities scores 0 against an empty
        reference, and two texts without entities have no score.
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
