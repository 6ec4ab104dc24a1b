"""CP-Op-t, CP-Oc-t, CP-STM-l: overlap of words by tag and phrase in constituency trees, and paths down the trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocco.metrics.base import Agreement, Example, parameter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import FRACTIONS, PAPER, Bag, Overlap, Paths
from tarocco.metrics.linguistic.shallow import EXAMPLE


@dataclass(frozen=True)
class ConstituentOverlap(Overlap):
    """Lexical overlap by the tag or the phrases above words in constituency trees."""

    title: ClassVar[str] = "CP-Ox-t"
    summary: ClassVar[str] = "Overlap of words with tag t (CP-Op-t) or in phrases of type t (CP-Oc-t), or of all types."
    formula: ClassVar[str] = (
        "CP-Oc-t = sum of min(count_c(w), count_r(w)) / sum of max(count_c(w), count_r(w))\n"
        "          over words w in phrases of type t, each once, however many such phrases it is in\n"
        "CP-Oc-*: both sums over all types of phrases\n"
        "CP-Op-t, CP-Op-*: words whose tag is t, all words\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"CP-O_?(?P<elements>[pc])(?:,w)?-(?P<type>:|[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("CP-Oc-*", "CP-Op-*", "CP-Oc-NP", "CP-Op-NN")
    example: ClassVar[Example] = Example(
        name="CP-Oc-NP",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=2 / 6,
        why="the cat, the mat and the dog, a mat are noun phrases: the and mat are shared, "
        "either has the twice, a, cat, dog, mat",
    )
    notes: ClassVar[str] = """
        Labels are compared in any case and without what a phrase does in the sentence: NP-SBJ is NP. Tags are those of
        the tree, or else the tagger's; the single letters N, V, J, R, P and W stand for all tags that begin with them,
        F for punctuation, and CP-Op-: is the tag of dashes and colons. variant=literal counts all of the candidate's
        words that the reference has, as the manual prints it. A type that neither text has gives no score, and the
        segment is left out of the mean; where one text alone has it, the score is 0. So an empty candidate scores 0,
        and so does any candidate against an empty reference; two empty texts have no score.
    """
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
class Subtrees(Paths):
    """The subtree metric (Liu and Gildea 2005) on paths down the tree, as the manual has it."""

    length: int = parameter(9, "the longest paths that count", in_stem=True)
    variant: str = parameter(
        "overlap",
        "the fraction: overlap, precision (of the candidate's paths), pooled over lengths; subtrees: in place of paths",
        choices=(*FRACTIONS, "subtrees", "subtrees+precision", "subtrees+pooled"),
    )

    title: ClassVar[str] = "CP-STM-l"
    summary: ClassVar[str] = "Matching paths down the constituency tree, of lengths 1 to l; CP-STMi-l: of length l."
    formula: ClassVar[str] = (
        "CP-STMi-l = sum of min(count_c(p), count_r(p)) / sum of max(count_c(p), count_r(p))\n"
        "            over paths p of l labels down the tree, from a node to a child and so on; words are leaves\n"
        "CP-STM-l = the mean of CP-STMi-1 .. CP-STMi-l, of those lengths that either text has\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER + " Liu and Gildea (2005), Syntactic Features for Evaluation of Machine Translation."
    pattern: ClassVar[str] = r"CP-STM(?P<individual>i)?-?(?P<length>\d+)"
    names: ClassVar[tuple[str, ...]] = ("CP-STM-9", "CP-STM-4", "CP-STMi-2", "CP-STMi-5")
    example: ClassVar[Example] = Example(
        name="CP-STMi-2",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=14 / 18,
        why="all but one DT-the, DT-a, NN-cat and NN-dog is shared: S-NP, S-VP, VP-VBD, VP-PP, PP-IN, PP-NP, "
        "NP-DT and NP-NN twice, one DT-the, VBD-sat, IN-on, NN-mat are 14 of 18",
    )
    notes: ClassVar[str] = """
        A path ends at a word at the latest, below the word's tag. variant=subtrees compares whole subtrees of depth l,
        as Liu and Gildea do, words being leaves: a node with all that hangs from it down to that depth.
        variant=precision is their fraction (matches, each clipped by the reference's count, over the candidate's),
        variant=pooled sums matches and totals over the lengths as the successor toolkit does. Lengths are 1 to 9. A
        length that neither text has gives no score and is left out of the mean; where one text alone has it, it counts
        0. So an empty candidate scores 0, and so does any candidate against an empty reference; two empty texts have
        no score.
    """
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
