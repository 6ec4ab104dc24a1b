"""SR (semantic roles): overlap of the words of arguments by role, matching arguments, and forms tied to a verb."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarocco.metrics.base import Agreement, Example, parameter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import (
    ALL,
    BEST_REFERENCE,
    LITERAL,
    NO_TYPE,
    PAPER,
    Bag,
    ElementOverlap,
    OverlapTable,
    overlap_formula,
)

ROLES_ALONE = ""
EXAMPLE = (("the police killed a gunman",), (("the police killed the gunman",),))
_NOTES = (
    """
    The prefixes C- and R- of roles are ignored, and an argument at the end of the sentence counts like any other.
"""
    + LITERAL
    + NO_TYPE
    + """
    An empty candidate scores 0 if the reference has roles, a candidate with roles scores 0 against an empty reference,
    and two texts without roles have no score.
"""
)


@dataclass(frozen=True)
class RoleOverlap(ElementOverlap):
    """Overlap of the words in arguments with a semantic role, or of the roles without their words.

        SR-Or-t = sum_w min(count_c(w), count_r(w)) / sum_w max(count_c(w), count_r(w))

    over the words w in arguments with the role t; SR-Or-* takes both sums over all roles, and SR-Orv compares only
    arguments of verbs with the same lemma.

    References
    ----------
    Giménez (2007), IQMT Technical Manual 2.0, section 5.
    """

    type: str = parameter(ALL, "the role that counts; *: all roles; none: roles without words", in_stem=True)

    title: ClassVar[str] = "SR-Or-t"
    summary: ClassVar[str] = (
        "Overlap of words in arguments with role t; *: all roles; SR-Or: roles without words; SR-Orv: same verb."
    )
    formula: ClassVar[str] = (
        f"SR-Or-t = {overlap_formula('w')}\n"
        "          over words w in arguments with the role t\n"
        "SR-Or-*: both sums over all roles\n"
        "SR-Or: the same over roles instead of words, one role per argument\n"
        "SR-Orv-t, SR-Orv-*, SR-Orv: words and roles match only if their verbs have the same lemma\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"SR-O_?(?:(?P<elements>rv?)?(?:,w)?-(?P<type>[^\s:]+)|(?P<alone>rv?))"
    names: ClassVar[tuple[str, ...]] = ("SR-Or-*", "SR-Orv-*", "SR-Or", "SR-Orv", "SR-Or-A0", "SR-Orv-A0")
    example: ClassVar[Example] = Example(
        name="SR-Or-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=3 / 5,
        why="shared: the, police (A0) and gunman (A1); not shared: a and the (A1)",
    )
    notes: ClassVar[str] = "SR-Or,w-* and SR-O-* are other names for SR-Or-*." + _NOTES
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments; its SR-Or and SR-Orv count a role once for each word",
            "tests/golden/test_linguistic.py::test_roles",
        ),
    )
    prefix: ClassVar[str] = "SR-O"
    normalize_type: ClassVar[Callable[[str], str]] = elements.role
    bags: ClassVar[dict[str, Bag]] = {
        "r": Bag(elements.role_words, (False,)),
        "rv": Bag(elements.role_words, (True,)),
    }

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        parameters = super().read_stem(stem)
        if parameters is None or "alone" not in parameters:
            return parameters
        return {"elements": parameters["alone"], "type": ROLES_ALONE}

    @property
    def stem(self) -> str:
        return super().stem if self.type else f"{self.prefix}{self.elements}"

    @property
    def bag(self) -> Bag:
        return super().bag if self.type else Bag(elements.roles, (self.elements == "rv",))

    def chosen(self, table: OverlapTable) -> OverlapTable:
        return super().chosen(table) if self.type else table


@dataclass(frozen=True)
class RoleMatching(ElementOverlap):
    """Overlap of whole arguments with a semantic role.

        SR-Mr-t = sum_a min(count_c(a), count_r(a)) / sum_a max(count_c(a), count_r(a))

    over the arguments a with the role t; arguments match if they have the same words in the same order.

    References
    ----------
    Giménez (2007), IQMT Technical Manual 2.0, section 5.
    """

    title: ClassVar[str] = "SR-Mr-t"
    summary: ClassVar[str] = "Arguments with role t that match word for word; *: all roles; SR-Mrv: same verb."
    formula: ClassVar[str] = (
        f"SR-Mr-t = {overlap_formula('a')}\n"
        "          over arguments a with the role t, compared as sequences of words\n"
        "SR-Mr-*: both sums over all roles\n"
        "SR-Mrv-t, SR-Mrv-*: arguments match only if their verbs have the same lemma\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"SR-M_?(?P<elements>rv?)?(?:,w)?-(?P<type>[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("SR-Mr-*", "SR-Mrv-*", "SR-Mr-A0", "SR-Mrv-A0")
    example: ClassVar[Example] = Example(
        name="SR-Mr-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=1 / 3,
        why="the police (A0) matches; a gunman and the gunman (A1) are different arguments",
    )
    notes: ClassVar[str] = "SR-Mr,w-* and SR-M-* are other names for SR-Mr-*." + _NOTES
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments",
            "tests/golden/test_linguistic.py::test_roles",
        ),
    )
    prefix: ClassVar[str] = "SR-M"
    normalize_type: ClassVar[Callable[[str], str]] = elements.role
    bags: ClassVar[dict[str, Bag]] = {
        "r": Bag(elements.arguments, (False,)),
        "rv": Bag(elements.arguments, (True,)),
    }
