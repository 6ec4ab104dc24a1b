"""Alignments of references and hypotheses, and the measures that jiwer derives from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from threading import Lock, local
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


@dataclass(init=False)
class AlignmentChunk:
    """A run of steps of one kind: `equal`, `substitute`, `delete` or `insert`."""

    type: str
    ref_start_idx: int
    ref_end_idx: int
    hyp_start_idx: int
    hyp_end_idx: int

    def __init__(self, type: str, ref_start_idx: int, ref_end_idx: int, hyp_start_idx: int, hyp_end_idx: int) -> None:
        if type not in _KINDS:
            if type != "replace":
                raise ValueError(f'the type is one of {", ".join(_KINDS)}, not "{type}"')
            type = "substitute"
        if ref_start_idx > ref_end_idx or hyp_start_idx > hyp_end_idx:
            raise ValueError(
                f"the chunk ends before it starts: {ref_start_idx, ref_end_idx, hyp_start_idx, hyp_end_idx}"
            )
        self.type = type
        self.ref_start_idx = ref_start_idx
        self.ref_end_idx = ref_end_idx
        self.hyp_start_idx = hyp_start_idx
        self.hyp_end_idx = hyp_end_idx


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
    totals = [0, 0, 0, 0]
    for _, counts in aligned:
        totals = [a + b for a, b in zip(totals, counts, strict=True)]
    hits, substitutions, deletions, insertions = totals
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


class _Aligner:
    """Arrays for pairs of texts of up to `room` words, which are made once."""

    def __init__(self, room: int) -> None:
        self.room = room
        blocks = room // 64 + 1
        self._words = np.empty(2 * room, np.int32)
        self._bounds = np.zeros((2, 2), np.intp)  # of the hypothesis, and of the reference
        row, group = np.zeros(1, np.intp), np.array([0, 1])
        self._sides = [Texts(self._words, bounds, row, group) for bounds in self._bounds]
        self._arrays = np.zeros(2 * room, np.int32), np.zeros((room + 1, blocks), np.uint64)
        self._rows = np.empty((2, room + 1, blocks), np.uint64)
        self._counts, self._steps = np.zeros((1, 4), np.intp), np.empty(2 * room + 1, np.uint8)

    def align(self, words: Sequence[int], split: int) -> tuple[Any, list[int]]:
        """Return the steps of reference words[:split] and hypothesis words[split:], and their numbers by kind."""
        size = len(words)
        self._words[:size] = words
        self._bounds[:] = (split, size), (0, split)
        self._counts[:] = 0
        _align_texts(*self._sides, *self._arrays, self._rows[0], self._rows[1], self._counts, self._steps)
        counts = self._counts[0].tolist()
        return self._steps[: sum(counts)][::-1], counts  # the kernel starts at the end


class _OfThread(local):
    """The aligner of a thread for texts of ordinary length."""

    def __init__(self) -> None:
        self.aligner = _Aligner(512)


_of_thread = _OfThread()


def _align(reference: Sequence[str], hypothesis: Sequence[str]) -> tuple[list[AlignmentChunk], list[int]]:
    """Return the alignment with the fewest edits as runs of equal steps, and the number of steps of each kind."""
    ids: defaultdict[str, int] = defaultdict()
    ids.default_factory = ids.__len__
    words = [ids[word] for word in (*reference, *hypothesis)]
    aligner, longest = _of_thread.aligner, max(len(reference), len(hypothesis))
    path, counts = (aligner if longest <= aligner.room else _Aligner(longest)).align(words, len(reference))
    starts = [0, *(np.flatnonzero(path[1:] != path[:-1]) + 1).tolist(), len(path)] if len(path) else []
    kinds, chunks, above, below = path.tolist(), [], 0, 0
    for first, last in pairwise(starts):
        kind, start, other = _KINDS[kinds[first]], above, below
        if kind != "insert":
            above += last - first
        if kind != "delete":
            below += last - first
        chunks.append(AlignmentChunk(kind, start, above, other, below))
    return chunks, counts
