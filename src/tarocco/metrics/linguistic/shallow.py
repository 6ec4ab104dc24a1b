"""SP-Op-t, SP-Oc-t, SP-Oiob-t: overlap of words by part of speech and by chunk."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, ClassVar

import numpy as np

from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.base import Agreement, Example, parameter
from tarocco.metrics.linguistic import elements
from tarocco.metrics.linguistic.base import PAPER, Bag, Overlap, analyzed, in_words, layers_of
from tarocco.metrics.linguistic.elements import chunk_type
from tarocco.metrics.linguistic.layers import Layers, numbered
from tarocco.metrics.ngram.nist import BETA, Information, Nist, NistCounts, information

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


LAYERS = {"l": "lemmas", "p": "tags", "c": "chunks", "iob": "chunks"}


def texts(layers: Layers, elements: str) -> list[str]:
    """The items of each sentence as a text with spaces between them."""
    ids, items = numbered(layers.flat(LAYERS[elements]))
    rows = layers.rows
    if elements == "c":  # an item a chunk: words that go on with one are left out
        types, inside = (
            numbered(map(chunk_type, items))[0][ids],
            np.array([_inside(item) for item in items], np.bool_)[ids],
        )
        items = list(dict.fromkeys(map(chunk_type, items)))
        begins = np.ones(len(ids), np.bool_)
        begins[1:] = ~inside[1:] | (types[1:] != types[:-1]) | (rows[1:] != rows[:-1])
        ids, rows = types[begins], rows[begins]
    words = ["_".join(item.split()) or "_" for item in items]  # an item is one word, whatever it holds
    all_words = map(words.__getitem__, ids.tolist())
    counts = np.bincount(rows, minlength=len(layers)).tolist()
    return list(map(" ".join, map(islice, repeat(all_words), counts)))


def _inside(label: str) -> bool:
    return label.upper().startswith("I-")


@dataclass(frozen=True)
class ShallowNist(Nist):
    """NIST over sequences of lemmas, tags, chunks or IOB labels."""

    elements: str = parameter("l", "what sequences are made of: lemmas, tags (p), chunks, IOB labels", in_stem=True)

    title: ClassVar[str] = "SP-NISTx-n"
    summary: ClassVar[str] = "NIST-n over lemmas (l), parts of speech (p), chunks (c) or IOB labels (iob)."
    formula: ClassVar[str] = (
        "SP-NISTl-n = NIST-n of the texts in which lemmas stand for words\n"
        "SP-NISTp-n: parts of speech; SP-NISTc-n: types of chunks, one a chunk, words outside being O;"
        " SP-NISTiob-n: IOB labels"
    )
    paper: ClassVar[str] = PAPER + " NIST: Doddington (2002), see NIST-n."
    pattern: ClassVar[str] = r"SP-NIST[-_]?(?P<elements>l|p|c|iob)-?(?P<order>\d+)"
    names: ClassVar[tuple[str, ...]] = ("SP-NISTl-5", "SP-NISTp-5", "SP-NISTc-5", "SP-NISTiob-5", "SP-NISTiob-2")
    example: ClassVar[Example] = Example(
        name="SP-NISTp-1",
        candidates=("cats sat",),
        references=(("the cat sat",),),
        score=float(np.log2(3) / 2 * np.exp(BETA * np.log(2 / 3) ** 2)),
        why="NNS VBD and DT NN VBD: of two tags VBD matches, info = log2(3/1); two tags for three: the penalty is 0.5",
    )
    notes: ClassVar[str] = """
        All that NIST-n has, its weights from all references of the run included. The corpus score is that of the sums,
        as in NIST-n, not a mean over segments. An empty candidate scores 0, and so does any candidate against an empty
        reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "NIST-n here",
            "exactly, on the texts of lemmas, tags, chunks and IOB labels",
            "tests/test_linguistic.py::test_nist_over_sequences",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "elements", self.elements.lower())
        if self.elements not in LAYERS:
            raise BadParameter(f"{self.title}: elements are {', '.join(LAYERS)}, not {self.elements}")

    @property
    def stem(self) -> str:
        return f"SP-NIST{self.elements}-{self.order}"

    def reads(self, asked: Encoding) -> Encoding:
        return analyzed(asked)

    @classmethod
    def _read(cls, batch: Batch, elements: str) -> Batch:
        return in_words(batch, texts(layers_of(batch), elements))

    def prepare(self, references: Batch) -> Information:
        return information(self._read(references, self.elements))

    @property
    def context_key(self) -> Hashable:
        return "information", self.elements

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> NistCounts:
        """Members that are measured together have the same context, so all look at the same elements."""
        return Nist.measure(metrics, cls._read(batch, metrics[0].elements), context)


@dataclass(frozen=True)
class ShallowNistIndividual(ShallowNist):
    """The weighted precision of one order alone, with the penalty."""

    title: ClassVar[str] = "SP-NISTix-n"
    summary: ClassVar[str] = "NISTi-n over lemmas (l), parts of speech (p), chunks (c) or IOB labels (iob)."
    formula: ClassVar[str] = (
        "SP-NISTil-n = NISTi-n of the texts in which lemmas stand for words\n"
        "SP-NISTip-n, SP-NISTic-n, SP-NISTiiob-n: as SP-NISTp-n, SP-NISTc-n, SP-NISTiob-n"
    )
    pattern: ClassVar[str] = r"SP-NISTi[-_]?(?P<elements>l|p|c|iob)-?(?P<order>\d+)"
    names: ClassVar[tuple[str, ...]] = ("SP-NISTil-2", "SP-NISTip-3", "SP-NISTic-2", "SP-NISTiiob-2")
    example: ClassVar[Example] = Example(
        name="SP-NISTip-1",
        candidates=("cats sat",),
        references=(("the cat sat",),),
        score=float(np.log2(3) / 2 * np.exp(BETA * np.log(2 / 3) ** 2)),
        why="NNS VBD and DT NN VBD: of two tags VBD matches, info = log2(3/1); two tags for three: the penalty is 0.5",
    )
    notes: ClassVar[str] = """
        All that NISTi-n has. An empty candidate scores 0, and so does any candidate against an empty reference.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "NISTi-n here",
            "exactly, on the texts of lemmas, tags, chunks and IOB labels",
            "tests/test_linguistic.py::test_nist_over_sequences",
        ),
    )

    @property
    def stem(self) -> str:
        return f"SP-NISTi{self.elements}-{self.order}"

    @property
    def orders(self) -> range:
        return range(self.order - 1, self.order)
