"""SP (shallow parsing): overlap of words by part of speech and chunk, and NIST over lemmas, tags and chunks."""

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
from tarocco.metrics.linguistic.base import (
    BEST_REFERENCE,
    EMPTY_TEXTS,
    NO_TYPE,
    PAPER,
    Bag,
    ElementOverlap,
    load_layers,
    overlap_formula,
    replace_words,
    use_analyzer,
)
from tarocco.metrics.linguistic.elements import chunk_type
from tarocco.metrics.linguistic.layers import Layers, number_strings
from tarocco.metrics.ngram.nist import BETA, Information, Nist, NistCounts, information

EXAMPLE = (("the cat sat on the mat",), (("the dog sat on a mat",),))


@dataclass(frozen=True)
class ShallowOverlap(ElementOverlap):
    """Overlap of the words with a part of speech, in a type of chunk, or with an IOB label.

        SP-Op-t = sum_w min(count_c(w), count_r(w)) / sum_w max(count_c(w), count_r(w))

    over the words w with the part of speech t; SP-Op-* takes both sums over all parts of speech.

    References
    ----------
    Giménez (2007), IQMT Technical Manual 2.0, section 5.
    """

    title: ClassVar[str] = "SP-Ox-t"
    summary: ClassVar[str] = (
        "Overlap of words with part of speech t (SP-Op-t) or in chunks of type t (SP-Oc-t); *: all types."
    )
    formula: ClassVar[str] = (
        f"SP-Op-t = {overlap_formula('w')}\n"
        "          over words w with the part of speech t\n"
        "SP-Op-*: both sums over all parts of speech\n"
        "SP-Oc-t: words in chunks of type t, including type O; SP-Oiob-t: words with the IOB label t\n"
        f"{BEST_REFERENCE}"
    )
    paper: ClassVar[str] = PAPER
    pattern: ClassVar[str] = r"SP-O_?(?P<elements>p|c|iob)(?:,w)?-(?P<type>:|[^\s:]+)"
    names: ClassVar[tuple[str, ...]] = ("SP-Op-*", "SP-Oc-*", "SP-Oiob-*", "SP-Op-NN", "SP-Oc-NP")
    example: ClassVar[Example] = Example(
        name="SP-Op-*",
        candidates=EXAMPLE[0],
        references=EXAMPLE[1],
        score=4 / 8,
        why="shared: the (DT) once, mat (NN), sat (VBD), on (IN); maximum: the twice, a, cat, dog, mat, sat, on",
    )
    notes: ClassVar[str] = (
        """
        The manual prints the candidate's count in the numerator, so that repeating a word costs nothing; we take the
        smaller of both counts, as does the code of its successor Asiya. variant=literal is the printed form, which
        cannot exceed 1 either, because the denominator has the larger count. Types are tags of the analyzer, in upper
        or lower case; the single letters N, V, J, R, P and W mean all tags that begin with them, F means punctuation.
        The tag of dashes and colons is a colon: SP-Op-: or, with a parameter, SP-Op-::variant=literal. The run
        determines whether the comparison of words ignores case.
    """
        + NO_TYPE
        + EMPTY_TEXTS
    )
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


LEMMAS = "l"  # as in the names of metrics
LAYERS = {LEMMAS: "lemmas", "p": "tags", "c": "chunks", "iob": "chunks"}


def make_texts(layers: Layers, elements: str) -> list[str]:
    """Return the lemmas, tags, chunks or IOB labels of each sentence as a text, separated by spaces."""
    ids, items = number_strings(layers.flat(LAYERS[elements]))
    rows = layers.rows
    if elements == "c":  # one item per chunk: skip words that continue one
        types = number_strings(map(chunk_type, items))[0][ids]
        inside = np.array([item.upper().startswith("I-") for item in items], np.bool_)[ids]
        items = list(dict.fromkeys(map(chunk_type, items)))
        begins = np.ones(len(ids), np.bool_)
        begins[1:] = ~inside[1:] | (types[1:] != types[:-1]) | (rows[1:] != rows[:-1])
        ids, rows = types[begins], rows[begins]
    words = ["_".join(item.split()) or "_" for item in items]  # an item must be one word
    all_words = map(words.__getitem__, ids.tolist())
    counts = np.bincount(rows, minlength=len(layers)).tolist()
    return list(map(" ".join, map(islice, repeat(all_words), counts)))


@dataclass(frozen=True)
class ShallowNist(Nist):
    """NIST-n of texts in which lemmas, tags, chunks or IOB labels replace the words.

    References
    ----------
    Giménez (2007), IQMT Technical Manual 2.0, section 5. Doddington (2002), see NIST-n.
    """

    elements: str = parameter(
        "l", "the items of sequences: lemmas (l), tags (p), chunks (c), IOB labels (iob)", in_stem=True
    )

    title: ClassVar[str] = "SP-NISTx-n"
    summary: ClassVar[str] = "NIST-n over lemmas (l), parts of speech (p), chunks (c) or IOB labels (iob)."
    formula: ClassVar[str] = (
        "SP-NISTl-n = NIST-n of the texts with lemmas in place of words\n"
        "SP-NISTp-n: parts of speech; SP-NISTc-n: types of chunks, one per chunk and O per word outside chunks;"
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
        why="NNS VBD and DT NN VBD: one of two tags, VBD, matches; info = log2(3/1); two tags for three: penalty 0.5",
    )
    notes: ClassVar[str] = """
        Everything about NIST-n applies; information weights come from all references of the run. The corpus score is
        computed from sums, as in NIST-n, not as a mean over segments. An empty candidate scores 0, and so does any
        candidate against an empty reference.
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

    def reads(self, encoding: Encoding) -> Encoding:
        return use_analyzer(encoding)

    @classmethod
    def _read(cls, batch: Batch, elements: str) -> Batch:
        return replace_words(batch, make_texts(load_layers(batch), elements))

    def prepare(self, references: Batch) -> Information:
        return information(self._read(references, self.elements), self.counted_order)

    @property
    def context_key(self) -> Hashable:
        return "information", self.counted_order, self.elements

    @classmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> NistCounts:
        """Measure metrics of one context, which all have the same `elements`."""
        return Nist.measure(metrics, cls._read(batch, metrics[0].elements), context)


@dataclass(frozen=True)
class ShallowNistIndividual(ShallowNist):
    """NISTi-n of texts in which lemmas, tags, chunks or IOB labels replace the words."""

    title: ClassVar[str] = "SP-NISTix-n"
    summary: ClassVar[str] = "NISTi-n over lemmas (l), parts of speech (p), chunks (c) or IOB labels (iob)."
    formula: ClassVar[str] = (
        "SP-NISTil-n = NISTi-n of the texts with lemmas in place of words\n"
        "SP-NISTip-n, SP-NISTic-n, SP-NISTiiob-n: as SP-NISTp-n, SP-NISTc-n, SP-NISTiob-n"
    )
    pattern: ClassVar[str] = r"SP-NISTi[-_]?(?P<elements>l|p|c|iob)-?(?P<order>\d+)"
    names: ClassVar[tuple[str, ...]] = ("SP-NISTil-2", "SP-NISTip-3", "SP-NISTic-2", "SP-NISTiiob-2")
    example: ClassVar[Example] = Example(
        name="SP-NISTip-1",
        candidates=("cats sat",),
        references=(("the cat sat",),),
        score=float(np.log2(3) / 2 * np.exp(BETA * np.log(2 / 3) ** 2)),
        why="NNS VBD and DT NN VBD: one of two tags, VBD, matches; info = log2(3/1); two tags for three: penalty 0.5",
    )
    notes: ClassVar[str] = """
        Everything about NISTi-n applies. An empty candidate scores 0, and so does any candidate against an empty
        reference.
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
