"""N-best lists beside their references as a batch: references that take part as candidates, or each one alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.encode.vocabulary import Ragged, Vocabulary
from tarocco.model import Segments


@dataclass(frozen=True, eq=False)
class Lists:
    """The n-best lists and the references of some segments.

    The candidates of list s are candidates[bounds[s]:bounds[s + 1]], its references alike. With `rows`, only some
    candidates take part: those of list s are then rows[bounds[s]:bounds[s + 1]].
    """

    candidates: Segments
    bounds: NDArray[np.intp]
    references: Segments
    reference_bounds: NDArray[np.intp]
    rows: NDArray[np.intp] | None = None

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def of(self, s: int) -> NDArray[np.intp]:
        """The candidates of a list that take part."""
        own = np.arange(*self.bounds[s : s + 2])
        return own if self.rows is None else self.rows[own]


def leaving_one_out(lists: Lists, encoding: Encoding, *, fair: bool) -> Batch:
    """Every candidate and every reference against sets of references that leave one out.

    For each list, for each of its references in turn: all candidates and then this reference, against the others. That
    is the fair way; else the candidates stand against all references, once, in front of the references against the
    others. `whole` of the batch has each candidate, references among them, against all references.
    """
    vocabulary = Vocabulary(len(lists.references.text) + len(lists.candidates.text))
    references = encoding.encode([lists.references], vocabulary)
    listed = encoding.encode([lists.candidates], vocabulary)
    if encoding.stem:
        stems = vocabulary.by_stem()
        references, listed = (Ragged(stems[one.values], one.offsets) for one in (references, listed))
    candidates = Ragged(
        np.concatenate([listed.values, references.values]),
        np.concatenate([listed.offsets, listed.offsets[-1] + references.offsets[1:]]),
    )
    rows, reference_rows, owners = [], [], []
    whole_rows, whole_references = [], []
    for s in range(len(lists)):
        own = lists.of(s)
        of_list = np.arange(*lists.reference_bounds[s : s + 2])
        as_candidates = of_list + len(listed)
        whole_rows.append(np.concatenate([own, as_candidates]))
        whole_references.append(of_list)
        if not fair:
            rows.append(own)
            reference_rows.append(of_list)
            owners.append(s)
        for k in range(len(of_list)):
            rows.append(np.append(own, as_candidates[k]) if fair else as_candidates[k : k + 1])
            reference_rows.append(np.delete(of_list, k))
            owners.append(s)
    texts = (lists.candidates, lists.references), (lists.references,)
    words = candidates, references
    of_whole = _groups(whole_rows), _groups(whole_references)
    whole = Batch(*words, *of_whole, vocabulary, *texts, encoding=encoding)
    groups = _groups(rows), _groups(reference_rows)
    return Batch(*words, *groups, vocabulary, *texts, whole, np.array(owners, np.intp), encoding)


def against_all(lists: Lists, encoding: Encoding) -> Batch:
    """The candidates of each list against all its references; the same texts on both sides are encoded once."""
    vocabulary = Vocabulary(len(lists.references.text) + len(lists.candidates.text))
    references = encoding.encode([lists.references], vocabulary)
    both = lists.references is lists.candidates
    candidates = references if both else encoding.encode([lists.candidates], vocabulary)
    if encoding.stem:
        stems = vocabulary.by_stem()
        references, candidates = (Ragged(stems[one.values], one.offsets) for one in (references, candidates))
    groups = (
        Groups(np.arange(lists.bounds[-1]) if lists.rows is None else lists.rows, lists.bounds),
        Groups(np.arange(lists.reference_bounds[0], lists.reference_bounds[-1]), lists.reference_bounds),
    )
    texts = (lists.candidates,), (lists.references,)
    return Batch(candidates, references, *groups, vocabulary, *texts, encoding=encoding)


def one_by_one(whole: Batch) -> Batch:
    """Each reference in turn, alone, and all candidates of its segment against it."""
    candidates, references = whole.candidate_groups, whole.reference_groups
    owners = references.segments
    sizes = candidates.sizes[owners]
    bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum(sizes)])
    within = np.arange(bounds[-1]) - np.repeat(bounds[:-1] - candidates.bounds[owners], sizes)
    return replace(
        whole,
        candidate_groups=Groups(candidates.rows[within], bounds),
        reference_groups=Groups(references.rows, np.arange(len(references.rows) + 1)),
        whole=whole,
        owners=owners,
    )


def _groups(rows: list[NDArray[np.intp]]) -> Groups:
    bounds = np.zeros(len(rows) + 1, np.intp)
    np.cumsum([len(one) for one in rows], out=bounds[1:])
    return Groups(np.concatenate([np.empty(0, np.intp), *rows]), bounds)
