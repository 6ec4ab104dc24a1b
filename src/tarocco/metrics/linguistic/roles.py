"""SR-Or-t, SR-Mr-t and their verb-bound forms: overlap and matching of the arguments of predicates, by role."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from tarocco.metrics.base import Agreement, Example, parameter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import ALL, PAPER, Bag, Cells, Overlap

ROLES_ALONE = ""
EXAMPLE = (("the police killed a gunman",), (("the police killed the gunman",),))
_NOTES = """
    The prefixes C- and R- of roles are dropped, and an argument that ends the sentence counts like any other.
    variant=literal counts all that the candidate has and the reference has, too, as the manual prints it. A role that
    neither text has gives no score, and the segment is left out of the mean; where one text alone has it, the score is
    0. So an empty candidate scores 0 where the reference has roles, a candidate with roles scores 0 against an empty
    reference, and two texts without roles have no score.
"""


@dataclass(frozen=True)
class RoleOverlap(Overlap):
    """Lexical overlap by semantic role, or overlap of the roles alone."""

    type: str = parameter(ALL, "the role that counts; *: all roles; none: the roles alone", in_stem=True)

    title: ClassVar[str] = "SR-Or-t"
    summary: ClassVar[str] = (
        "Overlap of words in arguments with role t, or of all; SR-Or: of the roles alone; SR-Orv: of the same verb."
    )
    formula: ClassVar[str] = (
        "SR-Or-t = sum of min(count_c(w), count_r(w)) / sum of max(count_c(w), count_r(w))\n"
        "          over words w in arguments with the role t\n"
        "SR-Or-*: both sums over all roles\n"
        "SR-Or: the same for roles, one an argument, whatever its words\n"
        "SR-Orv-t, SR-Orv-*, SR-Orv: words and roles count as the same only if the verb has the same lemma\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"SR-O_?(?:(?P<elements>rv?)?(?:,w)?-(?P<type>[^\s:]+)|(?P<alone>rv?))"
    names: ClassVar[tuple[str, ...]] = ("SR-Or-*", "SR-Orv-*", "SR-Or", "SR-Orv", "SR-Or-A0", "SR-Orv-A0")
    example: ClassVar[Example] = Example(
        name="SR-Or-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=3 / 5,
        why="shared: the, police (A0) and gunman (A1); a and the (A1) are not",
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
    spelled: ClassVar[Callable[[str], str]] = elements.role
    bags: ClassVar[dict[str, Bag]] = {
        "r": Bag(elements.role_words, (False,)),
        "rv": Bag(elements.role_words, (True,)),
    }

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        found = super().read_stem(stem)
        if found is None or "alone" not in found:
            return found
        return {"elements": found["alone"], "type": ROLES_ALONE}

    @property
    def stem(self) -> str:
        return super().stem if self.type else f"{self.prefix}{self.elements}"

    @property
    def bag(self) -> Bag:
        return super().bag if self.type else Bag(elements.roles, (self.elements == "rv",))

    def chosen(self, cells: Cells) -> Cells:
        return super().chosen(cells) if self.type else cells


@dataclass(frozen=True)
class RoleMatching(Overlap):
    """Arguments that match as a whole, by semantic role."""

    title: ClassVar[str] = "SR-Mr-t"
    summary: ClassVar[str] = "Arguments with role t, or with any, that match word for word; SR-Mrv: of the same verb."
    formula: ClassVar[str] = (
        "SR-Mr-t = sum of min(count_c(a), count_r(a)) / sum of max(count_c(a), count_r(a))\n"
        "          over arguments a with the role t, all words in their order\n"
        "SR-Mr-*: both sums over all roles\n"
        "SR-Mrv-t, SR-Mrv-*: arguments count as the same only if the verb has the same lemma\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"SR-M_?(?P<elements>rv?)?(?:,w)?-(?P<type>[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("SR-Mr-*", "SR-Mrv-*", "SR-Mr-A0", "SR-Mrv-A0")
    example: ClassVar[Example] = Example(
        name="SR-Mr-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=1 / 3,
        why="the police (A0) matches; a gunman and the gunman (A1) are two arguments",
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
    spelled: ClassVar[Callable[[str], str]] = elements.role
    bags: ClassVar[dict[str, Bag]] = {
        "r": Bag(elements.arguments, (False,)),
        "rv": Bag(elements.arguments, (True,)),
    }
