"""DP (dependency parsing): overlap of words by level, category and relation, and head-word chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocco.core.errors import BadParameter
from tarocco.metrics.base import Agreement, Example, parameter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import (
    ALL,
    BEST_REFERENCE,
    EMPTY_TEXTS,
    FRACTIONS,
    LITERAL,
    LIU_GILDEA,
    NO_TYPE,
    PAPER,
    Bag,
    ElementOverlap,
    PathOverlap,
    overlap_formula,
)
from tarocco.metrics.linguistic.shallow import EXAMPLE

LONGEST_GAPPED = 4  # as in Asiya; the number of longer chains explodes


@dataclass(frozen=True)
class DependencyOverlap(ElementOverlap):
    """Overlap of the words from a level of the dependency tree downward, of a category, or below a relation.

        DP-Ol-l = sum_w min(count_c(w), count_r(w)) / sum_w max(count_c(w), count_r(w))

    over the words w at level l or deeper; DP-Ol-*, DP-Oc-* and DP-Or-* are means over levels or types.

    References
    ----------
    Amigó et al. (2006), MT Evaluation: Human-Like vs. Human Acceptable (LEVEL, GRAM, TREE). Giménez (2007), IQMT
    Technical Manual 2.0, section 5.
    """

    title: ClassVar[str] = "DP-Ox-t"
    summary: ClassVar[str] = (
        "Overlap of words at level l or deeper (DP-Ol-l), of category t (DP-Oc-t) or below a relation t (DP-Or-t)."
    )
    formula: ClassVar[str] = (
        f"DP-Ol-l = {overlap_formula('w')}\n"
        "          over words w at level l of the dependency tree or deeper; the root is level 1\n"
        "DP-Oc-t: words of category t; DP-Or-t: words of subtrees whose root has the relation t\n"
        "DP-Ol-*, DP-Oc-*, DP-Or-*: the mean over the levels or types that either text has\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"DP-O_?(?P<elements>[lcr])(?:,w)?-(?P<type>[^\s:]+(?::[^\s:]+)?)"
    names: ClassVar[tuple[str, ...]] = ("DP-Ol-*", "DP-Oc-*", "DP-Or-*", "DP-Ol-2", "DP-Oc-NOUN", "DP-Or-nsubj")
    example: ClassVar[Example] = Example(
        name="DP-Ol-2",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=3 / 7,
        why="below sat are the cat on the mat and the dog on a mat; shared: the, on, mat; maximum: the twice, a, cat, "
        "dog, on, mat",
    )
    notes: ClassVar[str] = (
        """
        Categories are the analyzer's universal parts of speech (MINIPAR's in the manual), compared without regard to
        case. DP-Or-t counts a word once for each relation t among its own and those of its ancestors; relations are in
        lower case and may have a subtype, nsubj:pass.
    """
        + LITERAL
        + NO_TYPE
        + EMPTY_TEXTS
    )
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments, but for MINIPAR's nodes without words",
            "tests/golden/test_linguistic.py::test_dependencies",
        ),
    )
    prefix: ClassVar[str] = "DP-O"
    bags: ClassVar[dict[str, Bag]] = {
        "l": Bag(elements.levels),
        "c": Bag(elements.categories),
        "r": Bag(elements.relations),
    }
    averages_types: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.elements == "r":
            object.__setattr__(self, "type", self.type.lower())
        level = self.type.isascii() and self.type.isdigit() and not self.type.startswith("0")
        if self.elements == "l" and self.type != ALL and not level:
            raise BadParameter(f"DP-Ol-l: l is a level, 1 or more, or *, not {self.type}")


@dataclass(frozen=True)
class HeadWordChains(PathOverlap):
    """Overlap of head-word chains of words, categories or relations, HWCM.

        DP-HWCw-l = mean over k = 1 .. l of sum_h min(count_c(h), count_r(h)) / sum_h max(count_c(h), count_r(h))

    over the chains h of k words: a head, a modifier of it, a modifier of that, and so on.

    References
    ----------
    Liu and Gildea (2005), Syntactic Features for Evaluation of Machine Translation. Giménez (2007), IQMT Technical
    Manual 2.0, section 5.
    """

    elements: str = parameter("w", "the items of chains: words (w), categories (c), relations (r)", in_stem=True)
    variant: str = parameter(
        "overlap",
        "the fraction: overlap, precision (over the candidate's chains), pooled over lengths; gapped: chains with gaps",
        choices=(*FRACTIONS, "gapped", "gapped+precision", "gapped+pooled"),
    )

    title: ClassVar[str] = "DP-HWCx-l"
    summary: ClassVar[str] = (
        "Matching head-word chains of lengths 1 to l, of words (w), categories (c) or relations (r); HWCi: of length l."
    )
    formula: ClassVar[str] = (
        f"DP-HWCiw-l = {overlap_formula('h')}\n"
        "             over head-word chains h of l words: a head, a direct modifier of it and so on\n"
        "DP-HWCw-l = the mean of DP-HWCiw-1 .. DP-HWCiw-l over the lengths that either text has\n"
        "DP-HWCc-l, DP-HWCr-l: chains of categories, of relations\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER + LIU_GILDEA
    pattern: ClassVar[str] = r"DP-HWCM?(?P<individual>i)?[-_]?(?P<elements>[wcr])-?(?P<length>\d+)"
    names: ClassVar[tuple[str, ...]] = ("DP-HWCw-4", "DP-HWCc-4", "DP-HWCr-4", "DP-HWCiw-1", "DP-HWCir-2", "DP-HWCiw-4")
    example: ClassVar[Example] = Example(
        name="DP-HWCw-2",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=float((4 / 8 + 2 / 8) / 2),
        why="words: 4 of 8; chains of two words: sat-on and on-mat are shared, but cat-the, sat-cat, mat-the, dog-the, "
        "sat-dog and mat-a are not: 2 of 8",
    )
    notes: ClassVar[str] = """
        variant=precision is the fraction of Liu and Gildea (matches, clipped by the count in the reference, over the
        candidate's chains). variant=pooled sums matches and totals over the lengths, as Asiya does; variant=gapped uses
        Asiya's chains, in which any descendant may follow a head; gapped+pooled combines both. Lengths are 1 to 9, with
        gaps 1 to 4. A length that neither text has is left out of the mean; if only one text has it, it counts 0. An
        empty candidate scores 0 if the reference has chains of the length, a candidate with such chains scores 0
        against an empty reference, and two empty texts have no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments, lengths 1 to 4, with variant=gapped+pooled (its HWCM)",
            "tests/golden/test_linguistic.py::test_dependencies",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "elements", self.elements.lower())
        if self.elements not in ("w", "c", "r"):
            raise BadParameter(f"{self.title}: elements are w, c, r, not {self.elements}")
        if self.gapped and self.length > LONGEST_GAPPED:
            raise BadParameter(f"{self.title}: chains with gaps have at most {LONGEST_GAPPED} words, not {self.length}")

    @property
    def stem(self) -> str:
        return f"DP-HWC{'i' if self.individual else ''}{self.elements}-{self.length}"

    @property
    def gapped(self) -> bool:
        """Whether chains may skip words."""
        return self.variant.startswith("gapped")

    @property
    def bag(self) -> Bag:
        return Bag(elements.chains, (self.elements, self.gapped))

    @property
    def fraction(self) -> str:
        fraction = self.variant.removeprefix("gapped").removeprefix("+")
        return fraction or FRACTIONS[0]
