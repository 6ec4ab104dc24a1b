"""Alignments of references and hypotheses, and the measures that jiwer derives from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np

from tarocco.compat.jiwer.transformations import cer_default, wer_default
from tarocco.encode.batch import Encoding
from tarocco.encode.segment_reader import make_reader
from tarocco.kernels import alignment, kernel
from tarocco.kernels.segments import Texts

__all__ = ["AlignmentChunk", "CharacterOutput", "WordOutput", "process_characters", "process_words"]

Sentences = str | list[str]
Transform = Callable[[Any], Any]

_align_texts = kernel(alignment, "align_texts")
_KINDS = ("equal", "substitute", "delete", "insert")  # in the order of kernels/alignment.py


@dataclass
class AlignmentChunk:
    """A run of steps of one kind: `equal`, `substitute`, `delete` or `insert`."""

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int

    def __post_init__(self) -> None:
        if self.type == "replace":
            self.type = "substitute"
        if self.type not in _KINDS:
            raise ValueError(f'the type is one of {", ".join(_KINDS)}, not "{self.type}"')
        if self.ref_start_idx > self.ref_end_idx or self.hyp_start_idx > self.hyp_end_idx:
            raise ValueError(f"the chunk ends before it starts: {self!r}")


@dataclass
class WordOutput:
    """Texts, alignments, measures and counts of words."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    wer: float
    mer: float
    wil: float
    wip: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


@dataclass
class CharacterOutput:
    """Texts, alignments, the error rate and counts of characters."""

    references: list[list[str]]
    hypotheses: list[list[str]]
    alignments: list[list[AlignmentChunk]]
    cer: float
    hits: int
    substitutions: int
    insertions: int
    deletions: int


def process_words(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = wer_default,
    hypothesis_transform: Transform = wer_default,
) -> WordOutput:
    """Align each hypothesis with its reference, word by word."""
    references = _transformed(reference, reference_transform, "reference")
    hypotheses = _transformed(hypothesis, hypothesis_transform, "hypothesis")
    if len(references) != len(hypotheses):
        raise ValueError(
            f"after the transforms there are {len(references)} references and {len(hypotheses)} hypotheses; "
            "their numbers must be equal"
        )
    aligned = [_align(*pair) for pair in zip(references, hypotheses, strict=True)]
    alignments = [chunks for chunks, _ in aligned]
    counts = [(0, 0, 0, 0), *(of_pair for _, of_pair in aligned)]
    hits, substitutions, deletions, insertions = map(sum, zip(*counts, strict=True))
    in_references, in_hypotheses = hits + substitutions + deletions, hits + substitutions + insertions
    errors = substitutions + deletions + insertions
    if in_references:
        wer, mer = errors / in_references, errors / (in_references + insertions)
        wip = hits / in_references * (hits / in_hypotheses) if in_hypotheses else 0
    else:
        wer, mer, wip = insertions, int(in_hypotheses > 0), int(in_hypotheses == 0)
    edits = {"substitutions": substitutions, "insertions": insertions, "deletions": deletions}
    return WordOutput(references, hypotheses, alignments, wer, mer, 1 - wip, wip, hits, **edits)


def process_characters(
    reference: Sentences,
    hypothesis: Sentences,
    reference_transform: Transform = cer_default,
    hypothesis_transform: Transform = cer_default,
) -> CharacterOutput:
    """Align each hypothesis with its reference, character by character; spaces are characters."""
    words = process_words(reference, hypothesis, reference_transform, hypothesis_transform)
    texts = words.references, words.hypotheses, words.alignments
    return CharacterOutput(*texts, words.wer, words.hits, words.substitutions, words.insertions, words.deletions)


def word_error_rate(reference: Sentences, hypothesis: Sentences) -> float | None:
    """Return WER after the default transforms; nothing if they do more than split at spaces."""
    if isinstance(reference, str) and isinstance(hypothesis, str):
        pairs = [(reference, hypothesis)]
    elif isinstance(reference, list) and isinstance(hypothesis, list) and len(reference) == len(hypothesis):
        pairs = list(zip(reference, hypothesis, strict=True))
    else:
        return None
    errors = words = 0
    reader, lock = _reader()
    for texts in pairs:
        # U+0020 is the only space that counts as printable.
        if not all(isinstance(text, str) and text.isprintable() for text in texts):
            return None
        with lock:
            lengths = reader.read(f"{texts[0]}\n{texts[1]}\n".encode())
            distances = lengths and reader.count_distances(False)
        if not distances:
            return None
        errors += distances[0]
        words += lengths[0]
    return errors / words if words else errors


@cache
def _reader() -> tuple[Any, Lock]:
    return make_reader(Encoding("none")), Lock()


def _transformed(sentences: Sentences, transform: Transform, side: str) -> list[list[str]]:
    texts = transform([sentences] if isinstance(sentences, str) else sentences)
    if not (isinstance(texts, list) and all(isinstance(text, list) and {*map(type, text)} <= {str} for text in texts)):
        raise ValueError(
            f"the {side} transform must end with ReduceToListOfListOfWords or ReduceToListOfListOfChars: expected a "
            f"list of lists of strings, found {texts!r:.60}"
        )
    return texts


def _align(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[list[AlignmentChunk], list[int]]:
    """Return the alignment with the fewest edits as runs of equal steps, and the number of steps of each kind."""
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__
    words = [ids[word] for word in (*reference, *hypothesis)]
    split, size, blocks = len(reference), len(words), len(reference) // 64 + 1
    values, rows, groups = np.array(words, np.int32), np.zeros(1, np.intp), np.array([0, 1])
    candidate, other = (Texts(values, np.array(bounds), rows, groups) for bounds in ((split, size), (0, split)))
    vectors = np.empty((2, size - split + 1, blocks), np.uint64)
    masks, counts = np.zeros((len(ids) + 1, blocks), np.uint64), np.zeros((1, 4), np.intp)
    steps = np.empty(size + 1, np.uint8)
    _align_texts(candidate, other, np.zeros(len(ids), np.int32), masks, vectors[0], vectors[1], counts, steps)
    of_kinds = counts[0].tolist()
    path = steps[: sum(of_kinds)][::-1]  # the kernel starts at the end
    starts = [0, *(np.flatnonzero(path[1:] != path[:-1]) + 1).tolist(), len(path)] if len(path) else []
    kinds, chunks, above, below = path.tolist(), [], 0, 0
    for first, last in pairwise(starts):
        kind, start = _KINDS[kinds[first]], (above, below)
        above += last - first if kind != "insert" else 0
        below += last - first if kind != "delete" else 0
        chunks.append(AlignmentChunk(kind, start[0], above, start[1], below))
    return chunks, of_kinds
