"""CP (constituency parsing): overlap of words by tag and phrase, and paths down the trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocco.metrics.base import Agreement, Example, parameter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import (
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


@dataclass(frozen=True)
class ConstituentOverlap(ElementOverlap):
    """Overlap of the words with a tag, or inside a type of phrase, in constituency trees.

        CP-Oc-t = sum_w min(count_c(w), count_r(w)) / sum_w max(count_c(w), count_r(w))

    over the words w in phrases of type t; CP-Oc-* takes both sums over all types.

    References
    ----------
    Giménez (2007), IQMT Technical Manual 2.0, section 5.
    """

    title: ClassVar[str] = "CP-Ox-t"
    summary: ClassVar[str] = "Overlap of words with tag t (CP-Op-t) or in phrases of type t (CP-Oc-t); *: all types."
    formula: ClassVar[str] = (
        f"CP-Oc-t = {overlap_formula('w')}\n"
        "          over words w in phrases of type t; nested phrases of a type count a word once\n"
        "CP-Oc-*: both sums over all types of phrases\n"
        "CP-Op-t, CP-Op-*: words with the tag t, all words\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"CP-O_?(?P<elements>[pc])(?:,w)?-(?P<type>:|[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("CP-Oc-*", "CP-Op-*", "CP-Oc-NP", "CP-Op-NN")
    example: ClassVar[Example] = Example(
        name="CP-Oc-NP",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=2 / 6,
        why="the noun phrases are the cat, the mat and the dog, a mat; shared: the, mat; maximum: the twice, a, cat, "
        "dog, mat",
    )
    notes: ClassVar[str] = (
        """
        Labels are compared without regard to case and grammatical function: NP-SBJ is NP. Tags are those of the tree,
        or else the tagger's; the single letters N, V, J, R, P and W mean all tags that begin with them, F means
        punctuation, and CP-Op-: is the tag of dashes and colons.
    """
        + LITERAL
        + NO_TYPE
        + EMPTY_TEXTS
    )
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments; it reads the labels S1 and SBARQ as S and SBAR",
            "tests/golden/test_linguistic.py::test_constituents",
        ),
    )
    prefix: ClassVar[str] = "CP-O"
    bags: ClassVar[dict[str, Bag]] = {"p": Bag(elements.tree_tags), "c": Bag(elements.phrases)}

    @property
    def bag(self) -> Bag:
        is_class = self.elements == "p" and self.type in tuple(elements.CLASSES)
        return Bag(elements.tree_tag_classes) if is_class else super().bag


@dataclass(frozen=True)
class Subtrees(PathOverlap):
    """The subtree metric, STM, on paths down the constituency tree, as in the IQmt manual.

        CP-STM-l = mean over k = 1 .. l of sum_p min(count_c(p), count_r(p)) / sum_p max(count_c(p), count_r(p))

    over the paths p of k labels from a node downward; words are leaves.

    References
    ----------
    Liu and Gildea (2005), Syntactic Features for Evaluation of Machine Translation. Giménez (2007), IQMT Technical
    Manual 2.0, section 5.
    """

    length: int = parameter(9, "the length of the longest paths", in_stem=True)
    variant: str = parameter(
        "overlap",
        "the fraction: overlap, precision (over the candidate's paths), pooled over lengths; subtrees: whole subtrees",
        choices=(*FRACTIONS, "subtrees", "subtrees+precision", "subtrees+pooled"),
    )

    title: ClassVar[str] = "CP-STM-l"
    summary: ClassVar[str] = "Matching paths down the constituency tree, of lengths 1 to l; CP-STMi-l: of length l."
    formula: ClassVar[str] = (
        f"CP-STMi-l = {overlap_formula('p')}\n"
        "            over paths p of l labels down the tree, from a node to a child and so on; words are leaves\n"
        "CP-STM-l = the mean of CP-STMi-1 .. CP-STMi-l over the lengths that either text has\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER + LIU_GILDEA
    pattern: ClassVar[str] = r"CP-STM(?P<individual>i)?-?(?P<length>\d+)"
    names: ClassVar[tuple[str, ...]] = ("CP-STM-9", "CP-STM-4", "CP-STMi-2", "CP-STMi-5")
    example: ClassVar[Example] = Example(
        name="CP-STMi-2",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=14 / 18,
        why="shared: S-NP, S-VP, VP-VBD, VP-PP, PP-IN, PP-NP, NP-DT and NP-NN twice, DT-the once, VBD-sat, IN-on, "
        "NN-mat, 14 of 18; not shared: the second DT-the, DT-a, NN-cat, NN-dog",
    )
    notes: ClassVar[str] = (
        """
        A path may end at a word, which is a child of its tag. variant=subtrees compares whole subtrees of depth l, as
        Liu and Gildea do: a node with all its descendants down to that depth; words are leaves. variant=precision is
        their fraction (matches, clipped by the count in the reference, over the candidate's subtrees); variant=pooled
        sums matches and totals over the lengths, as Asiya does. Lengths are 1 to 9. A length that neither text has is
        left out of the mean; if only one text has it, it counts 0.
    """
        + EMPTY_TEXTS
    )
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments, lengths 1 to 9, with variant=pooled",
            "tests/golden/test_linguistic.py::test_constituents",
        ),
    )

    @property
    def stem(self) -> str:
        return f"CP-STM{'i' if self.individual else ''}-{self.length}"

    @property
    def bag(self) -> Bag:
        return Bag(elements.subpaths, (self.variant.startswith("subtrees"),))

    @property
    def fraction(self) -> str:
        fraction = self.variant.removeprefix("subtrees").removeprefix("+")
        return fraction or FRACTIONS[0]
