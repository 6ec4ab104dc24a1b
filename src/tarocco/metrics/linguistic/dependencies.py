"""DP-Ol-l, DP-Oc-t, DP-Or-t, DP-HWCx-l: overlap of words by their place in dependency trees, and head-word chains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocco.core.errors import BadParameter
from tarocco.metrics.base import Agreement, Example, parameter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import ALL, FRACTIONS, PAPER, Bag, Overlap, Paths
from tarocco.metrics.linguistic.shallow import EXAMPLE

LONGEST_GAPPED = 4  # as in the successor's code; there are very many longer ones


@dataclass(frozen=True)
class DependencyOverlap(Overlap):
    """Lexical overlap by level, category or relation (Amigó et al. 2006: LEVEL, GRAM, TREE)."""

    title: ClassVar[str] = "DP-Ox-t"
    summary: ClassVar[str] = (
        "Overlap of words at level l or deeper (DP-Ol-l), of category t (DP-Oc-t) or below a relation t (DP-Or-t)."
    )
    formula: ClassVar[str] = (
        "DP-Ol-l = sum of min(count_c(w), count_r(w)) / sum of max(count_c(w), count_r(w))\n"
        "          over words w at level l of the dependency tree or deeper; the root is level 1\n"
        "DP-Oc-t: words of category t; DP-Or-t: all words of the subtrees that hang by a relation t\n"
        "DP-Ol-*, DP-Oc-*, DP-Or-*: the mean over the levels or types that either text has\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"DP-O_?(?P<elements>[lcr])(?:,w)?-(?P<type>[^\s:]+(?::[^\s:]+)?)"
    names: ClassVar[tuple[str, ...]] = ("DP-Ol-*", "DP-Oc-*", "DP-Or-*", "DP-Ol-2", "DP-Oc-NOUN", "DP-Or-nsubj")
    example: ClassVar[Example] = Example(
        name="DP-Ol-2",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=3 / 7,
        why="below sat hang the cat on the mat and the dog on a mat: the, on and mat are shared, "
        "either has the twice, a, cat, dog, on, mat",
    )
    notes: ClassVar[str] = """
        Categories are the analyzer's universal parts of speech (MINIPAR's in the manual), compared in any case. A word
        stands in DP-Or-t once for each relation t above it, itself included, and a relation is written in lower case
        and may have a subtype, nsubj:pass. variant=literal counts all of the candidate's words that the reference has,
        as the manual prints it. A type that neither text has gives no score and is left out of the mean; where one text
        alone has it, the score is 0. So an empty candidate scores 0, and so does any candidate against an empty
        reference; two empty texts have no score.
    """
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
    means: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.elements == "r":
            object.__setattr__(self, "type", self.type.lower())
        level = self.type.isascii() and self.type.isdigit() and not self.type.startswith("0")
        if self.elements == "l" and self.type != ALL and not level:
            raise BadParameter(f"DP-Ol-l: l is a level, 1 or more, or *, not {self.type}")


@dataclass(frozen=True)
class HeadWordChains(Paths):
    """Matching head-word chains (Liu and Gildea 2005) of words, categories or relations."""

    elements: str = parameter("w", "what chains are made of: words, categories, relations", in_stem=True)
    variant: str = parameter(
        "overlap",
        "the fraction: overlap, precision (of the candidate's chains), pooled over lengths; gapped: chains with gaps",
        choices=(*FRACTIONS, "gapped", "gapped+precision", "gapped+pooled"),
    )

    title: ClassVar[str] = "DP-HWCx-l"
    summary: ClassVar[str] = (
        "Matching head-word chains of lengths 1 to l, of words (w), categories (c) or relations (r); HWCi: of length l."
    )
    formula: ClassVar[str] = (
        "DP-HWCiw-l = sum of min(count_c(h), count_r(h)) / sum of max(count_c(h), count_r(h))\n"
        "             over head-word chains h of l words: a head, a direct modifier of it and so on\n"
        "DP-HWCw-l = the mean of DP-HWCiw-1 .. DP-HWCiw-l, of those lengths that either text has\n"
        "DP-HWCc-l, DP-HWCr-l: chains of categories, of relations\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER + " Liu and Gildea (2005), Syntactic Features for Evaluation of Machine Translation."
    pattern: ClassVar[str] = r"DP-HWCM?(?P<individual>i)?[-_]?(?P<elements>[wcr])-?(?P<length>\d+)"
    names: ClassVar[tuple[str, ...]] = ("DP-HWCw-4", "DP-HWCc-4", "DP-HWCr-4", "DP-HWCiw-1", "DP-HWCir-2", "DP-HWCiw-4")
    example: ClassVar[Example] = Example(
        name="DP-HWCw-2",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=float((4 / 8 + 2 / 8) / 2),
        why="words: 4 of 8; chains of two words: sat-on and on-mat are shared, cat-the, sat-cat, mat-the and dog-the, "
        "sat-dog, mat-a are not: 2 of 8",
    )
    notes: ClassVar[str] = """
        variant=precision is Liu and Gildea's (matches, each clipped by the reference's count, over the candidate's
        chains), variant=pooled sums matches and totals over the lengths as the successor toolkit does, and
        variant=gapped has its chains, in which a descendant may stand for a direct modifier; gapped+pooled is both.
        Lengths are 1 to 9, with gaps 1 to 4. A length that neither text has gives no score and is left out of the
        mean; where one text alone has it, it counts 0. So an empty candidate scores 0 where the reference has chains
        of the length, any candidate that has some scores 0 against an empty reference, and two empty texts have no
        score.
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
        """Whether chains may have gaps."""
        return self.variant.startswith("gapped")

    @property
    def bag(self) -> Bag:
        return Bag(elements.chains, (self.elements, self.gapped))

    @property
    def fraction(self) -> str:
        fraction = self.variant.removeprefix("gapped").removeprefix("+")
        return fraction or FRACTIONS[0]
