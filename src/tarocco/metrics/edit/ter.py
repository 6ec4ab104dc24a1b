"""TER: edits and block shifts per reference word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch, Encoding
from tarocco.encode.tokenizers import normalize_for_ter
from tarocco.kernels import edit_distance_with_shifts, kernel
from tarocco.metrics.base import Agreement, EmptyValues, Example, Floats, Metric, parameter
from tarocco.metrics.text_pairs import TextPairs

_edits = kernel(edit_distance_with_shifts, "count_edits")


def edits_of_pairs(batch: Batch) -> NDArray[np.intp]:
    """Return the number of shifts and edits of each pair, in the order of `TextPairs`."""
    return edits_and_words(batch)[0]


def edits_and_words(batch: Batch) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Return the edits of each pair, and the words of the last pair's candidate after all shifts."""
    longest = int(batch.candidates.lengths.max(initial=0))
    longest_reference = int(batch.references.lengths.max(initial=0))
    most, words = max(longest, longest_reference), len(batch.vocabulary)
    # Work space. The table of edit distances has one row per word of the candidate, and one above.
    rooms: dict[str, NDArray[Any]] = {
        "texts": np.zeros((3, most), np.int32),
        "frame": np.zeros((longest + 1, 3), np.intp),
        "bits": np.zeros((longest + 1, 6), np.uint64),
        "seen": np.zeros((words, 2), np.uint64),
        # a wide band, row by row: up to n / 50 rows, each of n / rows + 52 cells
        "cells": np.zeros(3 * longest_reference, np.int32),
        "trace": np.zeros((most, 3), np.intp),
        "places": np.full((max(words, longest_reference), 3), -1, np.intp),
        "shifts": np.zeros((1000, 3), np.intp),
    }
    edits = np.zeros(len(TextPairs(batch)), np.intp)
    _edits(*batch.arrays, *rooms.values(), edits)
    return edits, rooms["texts"][0]


@dataclass(frozen=True)
class Ter(Metric):
    """Translation edit rate."""

    normalized: bool = parameter(False, "split off punctuation and decode XML entities, as TERCOM does")
    no_punct: bool = parameter(False, "remove punctuation")
    asian_support: bool = parameter(
        False, "with normalized, Chinese characters are words; with no_punct, also remove Asian punctuation"
    )
    case_sensitive: bool = parameter(False, "distinguish upper and lower case")

    title: ClassVar[str] = "TER"
    kind: ClassVar[Literal["similarity", "error"]] = "error"
    scale: ClassVar[float] = 100.0
    empty_values: ClassVar[EmptyValues | None] = EmptyValues(1.0, 1.0, 0.0)
    summary: ClassVar[str] = (
        "Translation edit rate: edits per reference word, where moving a block of words is one edit."
    )
    formula: ClassVar[str] = (
        "TER = (shifts + I + D + S) / mean |r|, for the reference with the fewest edits\n"
        "shifts: as long as a shift lowers the edit distance, the one that lowers it most is applied\n"
        "corpus: sum of edits / sum of mean reference lengths"
    )
    paper: ClassVar[str] = (
        "Snover, Dorr, Schwartz, Micciulla and Makhoul (2006), A Study of Translation Edit Rate with Targeted Human "
        "Annotation, AMTA."
    )
    pattern: ClassVar[str] = "TER"
    names: ClassVar[tuple[str, ...]] = (
        "TER",
        "TER:normalized=yes",
        "TER:no_punct=yes",
        "TER:normalized=yes:no_punct=yes:asian_support=yes",
        "TER:case_sensitive=yes",
    )
    example: ClassVar[Example] = Example(
        name="TER",
        candidates=("c d a b x",),
        references=(("a b c d e", "a b c"),),
        score=2 / 4,
        why="shift a b to the front, then x -> e: 2 edits (3 for a b c); the mean reference length is (5 + 3) / 2",
    )
    notes: ClassVar[str] = """
        Equal to sacrebleu 2.6.0's TER for texts of any length, including its limits: edit distance in a band of 25
        words on either side of the diagonal; shifts of at most 10 words over at most 50; a round of shifts that brings
        the number tried to 1000 is not applied. The raw text is read; the run's tokenizer and case do not apply: words
        are separated by spaces, in lower case unless case_sensitive=yes. As in sacrebleu, normalized and no_punct are
        applied twice to references and once to candidates, which differs for a few odd strings; asian_support alone
        changes nothing. TERCOM finds other edits for some long segments. An empty
        candidate scores 1. Against an empty reference (or one that no_punct empties) an empty candidate scores 0, any
        other 1, and its words are errors of the corpus.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "sacrebleu 2.6.0",
            "14 digits, corpus and segments, with every parameter; edits and lengths exactly",
            "tests/peers/test_sacrebleu_ter.py::test_corpus",
        ),
        Agreement(
            "TERCOM",
            "edits and reference words of every segment and in total on a small test set; it finds other "
            "edits for some long segments",
            "tests/golden/test_ter.py::test_tercom",
        ),
    )

    def reads(self, requested: Encoding) -> Encoding:
        return Encoding("none", lowercase=not self.case_sensitive)

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        """[edits, mean reference length]"""
        pairs = TextPairs(self.normalize_texts(batch))
        edits = edits_of_pairs(pairs.batch).astype(np.float64)
        return np.column_stack([edits[pairs.least(edits)], pairs.mean_reference_length()])

    def normalize_texts(self, batch: Batch) -> Batch:
        """Return the batch with its texts normalized as in TERCOM, if a parameter says so."""
        if not (self.normalized or self.no_punct):
            return batch
        rules = (not self.case_sensitive, self.normalized, self.no_punct, self.asian_support)
        columns = [normalize_for_ter(column, *rules) for column in batch.columns]
        references = [
            normalize_for_ter(normalize_for_ter(column, *rules), *rules) for column in batch.reference_columns
        ]
        groups = batch.candidate_groups, batch.reference_groups
        return Batch.of_groups(columns, references, *groups, Encoding("none"))

    def score(self, sums: Floats) -> Floats:
        edits, words = sums[..., 0], sums[..., 1]
        return np.where(words > 0, edits / np.where(words > 0, words, 1.0), np.minimum(edits, 1.0))

    def rank_references(self, rows: Floats) -> list[tuple[float, ...]]:
        return [(row[0],) for row in rows.tolist()]  # the fewest edits

    def details(self, sums: Floats) -> dict[str, Any]:
        return {"edits": int(sums[0]), "reference_words": float(sums[1])}
