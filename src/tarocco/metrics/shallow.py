"""SP-Op-t, SP-Oc-t, SP-Oiob-t: overlap of words by part of speech and by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tarocco.metrics import elements
from tarocco.metrics.base import Agreement, Example
from tarocco.metrics.linguistic import PAPER, Bag, Overlap

EXAMPLE = (("the cat sat on the mat",), (("the dog sat on a mat",),))


@dataclass(frozen=True)
class ShallowOverlap(Overlap):
    """Lexical overlap by part of speech, by type of chunk or by IOB label."""

    title: ClassVar[str] = "SP-Ox-t"
    summary: ClassVar[str] = "Overlap of words with part of speech t (SP-Op-t), in chunks of type t (SP-Oc-t), or all."
    formula: ClassVar[str] = (
        "SP-Op-t = sum of min(count_c(w), count_r(w)) / sum of max(count_c(w), count_r(w))\n"
        "          over words w with the part of speech t\n"
        "SP-Op-*: both sums over all parts of speech\n"
        "SP-Oc-t: words in chunks of type t, O being one; SP-Oiob-t: words with the IOB label t\n"
        "several references: the best one; corpus: the mean over the segments that have a score"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"SP-O_?(?P<elements>p|c|iob)(?:,w)?-(?P<type>:|[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("SP-Op-*", "SP-Oc-*", "SP-Oiob-*", "SP-Op-NN", "SP-Oc-NP")
    example: ClassVar[Example] = Example(
        name="SP-Op-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=4 / 8,
        why="shared: one the (DT), mat (NN), sat (VBD), on (IN); either has the twice, a, cat, dog, mat, sat, on",
    )
    notes: ClassVar[str] = """
        The manual prints the candidate's count in the numerator, so that saying a word too often costs nothing; here it
        is the smaller of both, as in the successor's code; variant=literal is the printed form, which cannot exceed 1
        either, as the denominator has the larger count. Tags are the analyzer's, in any case; the single letters N, V,
        J, R, P and W stand for all tags that begin with them, F for punctuation. The tag of dashes and colons is
        written as it is, SP-Op-: and with a parameter SP-Op-::variant=literal. Words are compared in the case that the
        run asks for. A type that neither text has gives no score, and the segment is left out of the mean; where one
        text alone has it, the score is 0. So an empty candidate scores 0, and so does any candidate against an empty
        reference; two empty texts have no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "Asiya",
            "14 digits, hand-annotated segments, in lower case",
            "tests/golden/test_linguistic.py::test_shallow",
        ),
    )
    prefix: ClassVar[str] = "SP-O"
    bags: ClassVar[dict[str, Bag]] = {
        "p": Bag(elements.tags),
        "c": Bag(elements.chunks),
        "iob": Bag(elements.chunk_labels),
    }

    @property
    def bag(self) -> Bag:
        is_class = self.elements == "p" and self.type in tuple(elements.CLASSES)
        return Bag(elements.tag_classes) if is_class else super().bag
