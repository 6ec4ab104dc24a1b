"""N-grams of a lattice: how probable it is that a path has each of them, and the path with the highest linear gain.

A lattice is expanded to states that know the last words (kernels/ngram_lattices.py). The posterior of an n-gram is the
probability that it occurs on a path, once or more (Tromble et al. 2008): how often it is expected to occur, less how
often it is expected to occur when it has occurred before. For most n-grams the latter is 0, for no
two of their places are on one path.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.core.graphs import Lattice
from tarocco.decode.oracle.exact import numbers_of_words
from tarocco.encode.batch import Encoding
from tarocco.encode.vocabulary import Vocabulary
from tarocco.kernels import kernel, ngram_lattices
from tarocco.metrics.base import Floats

_probabilities = kernel(ngram_lattices, "compute_arc_probabilities")
_expand = kernel(ngram_lattices, "expand_lattice")
_occurrences = kernel(ngram_lattices, "count_expected_ngrams")
_places = kernel(ngram_lattices, "locate_ngrams")
_again = kernel(ngram_lattices, "count_expected_repeats")
_best_path = kernel(ngram_lattices, "find_best_path")
_gain_of_path = kernel(ngram_lattices, "sum_path_gains")

_STEPS = 1 << 24  # of a lattice expanded to histories, that are too many: some 3 GiB of tables
_LARGEST = 1e300  # of what is added up
_EQUAL = 1e-12  # gains that differ by less, in units of all that a word can gain, are the same


@dataclass(frozen=True, eq=False)
class Expanded:
    """A lattice whose states know the last words; see kernels/ngram_lattices.py for the arrays."""

    lattice: Lattice
    order: int
    labels: NDArray[np.int32]  # of arcs: numbers of words, -1 for none
    first_arcs: NDArray[np.int64]
    chances: Floats  # of arcs, at their sources
    grams: NDArray[np.int32]
    first_states: NDArray[np.int32]
    states: NDArray[np.int32]
    first_steps: NDArray[np.int64]
    masses: Floats
    steps: NDArray[np.int32]

    @classmethod
    def of(cls, lattice: Lattice, order: int, scale: float, lowercase: bool = False) -> Expanded:
        """Paths are as probable as exp(scale * weight)."""
        labels, first_arcs, n_arcs = lattice.labels, _first_arcs(lattice), len(lattice.labels)
        numbers = numbers_of_words(lattice, Encoding("none", lowercase), Vocabulary())
        if len(numbers):
            labels = np.where(labels >= 0, numbers[labels.clip(0)], labels).astype(np.int32)
        chances = _chances(lattice, first_arcs, scale)
        room = min(4 * n_arcs + 16, _STEPS)
        while True:
            table = 1 << (4 * room).bit_length()
            grams, states = np.empty((2 * room, 4), np.int32), np.empty((room, 2), np.int32)
            first_states, first_steps = np.empty(lattice.n_nodes, np.int32), np.empty(room, np.int64)
            masses, steps, sizes = np.empty(room), np.empty((room, 2), np.int32), np.empty(3, np.int64)
            short = _expand(
                *(first_arcs, lattice.targets, labels, chances, order),
                *(grams, np.empty((table, 2), np.int32), np.full(table, -1, np.int32)),
                *(first_states, np.empty(lattice.n_nodes, np.int32), states, first_steps, masses),
                *(np.empty((table, 2), np.int32), np.full(table, -1, np.int32), steps, sizes),
            )
            if not short:
                break
            if room == _STEPS:
                raise InputError(
                    f"{lattice.where}: with histories of {order - 1} words this lattice has more than {_STEPS} arcs; "
                    f"prune it, or take n-grams of a lower order than {order}"
                )
            room = min(4 * room, _STEPS)
        n_grams, n_states, n_steps = sizes.tolist()
        return cls(
            *(lattice, order, labels, first_arcs, chances),
            *(grams[:n_grams].copy(), first_states, states[:n_states].copy()),
            *(first_steps[:n_states].copy(), masses[:n_states].copy(), steps[:n_steps].copy()),
        )

    @property
    def lengths(self) -> NDArray[np.int32]:
        """How many words each n-gram has; the first one has none."""
        return self.grams[:, 3]

    def posteriors(self) -> Floats:
        """How probable it is that a path has each n-gram; 1 for the empty one."""
        lattice, n = self.lattice, len(self.grams)
        counts, ends = np.zeros(n), np.tile(np.array([lattice.n_nodes, -1], np.int32), (n, 1))
        walk = (self.first_states, self.states, self.first_steps, self.masses, self.steps)
        _occurrences(
            *(self.first_arcs, lattice.targets, self.chances, self.order, self.grams, *walk),
            *(counts, ends),
        )
        # An n-gram that ends at one arc and at another that is behind it, at least in the order of nodes.
        repeating = np.flatnonzero(ends[:, 1] >= ends[:, 0]).astype(np.int32)
        if len(repeating):
            counts[repeating] -= self._again(repeating, walk)
        counts[0] = 1.0
        return counts.clip(0.0, 1.0)  # last bits

    def _again(self, repeating: NDArray[np.int32], walk: tuple[NDArray[np.generic], ...]) -> Floats:
        """How often n-grams are expected where they have occurred before."""
        lattice, n = self.lattice, len(repeating)
        wanted = np.full(len(self.grams), -1, np.int32)
        wanted[repeating] = np.arange(n)
        arguments = (self.first_arcs, self.chances, self.grams, *walk, wanted)
        sizes = np.zeros(n, np.int64)
        _places(*arguments, sizes, np.empty(0, np.int32), np.empty(0), False)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        arcs, at = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        _places(*arguments, starts[:-1].copy(), arcs, at, True)
        found = np.empty(n)
        _again(
            *(self.first_arcs, lattice.sources, lattice.targets, self.labels, self.chances, self.grams),
            *(repeating, starts, arcs, at, np.empty(self.order, np.int32), np.empty(self.order + 1, np.int32)),
            *(np.zeros((lattice.n_nodes, self.order)), np.zeros(lattice.n_nodes, np.uint8), found),
        )
        return found

    def words_of(self, gram: int) -> tuple[int, ...]:
        """The labels that an n-gram consists of."""
        found: list[int] = []
        while gram:
            found.append(int(self.grams[gram, 2]))
            gram = int(self.grams[gram, 0])
        return tuple(found[::-1])

    def gains(self, theta: Sequence[float], posteriors: Floats) -> Floats:
        """What a word gains that ends the n-gram and all its suffixes: theta[0], and theta[n] times each posterior."""
        gains = np.full(len(self.grams), float(theta[0]))
        lengths = self.lengths
        for length in range(1, self.order + 1):
            own = np.flatnonzero(lengths == length)
            gains[own] = gains[self.grams[own, 1]] + theta[length] * posteriors[own]
        return gains

    def best_path(self, gains: Floats) -> NDArray[np.int32]:
        """The arcs of the path with the highest gain; of equal ones that with the highest weight."""
        n = len(self.states)
        path = np.empty(self.lattice.n_nodes, np.int32)
        count = _best_path(
            *(self.first_arcs, self.lattice.weights, self.first_states, self.states, self.first_steps, self.steps),
            *(gains, _EQUAL * float(np.abs(gains).max()), np.empty(n), np.empty(n), np.empty((n, 2), np.int32), path),
        )
        return path[:count][::-1].copy()

    def gain(self, gains: Floats, path: NDArray[np.int32]) -> float:
        """What a path gains."""
        return float(_gain_of_path(self.first_arcs, self.lattice.sources, self.first_steps, self.steps, gains, path))


def _first_arcs(lattice: Lattice) -> NDArray[np.int64]:
    return np.searchsorted(lattice.sources, np.arange(lattice.n_nodes + 1)).astype(np.int64)


def _chances(lattice: Lattice, first_arcs: NDArray[np.int64], scale: float) -> Floats:
    """How probable each arc is, given its source."""
    behind, chances = np.empty(lattice.n_nodes), np.empty(len(lattice.weights))
    with np.errstate(over="ignore"):
        scores = scale * lattice.weights
    if np.abs(scores).sum() > _LARGEST:
        raise InputError(f"{lattice.where}: the weights, times a scale of {scale:g}, are too large to be added up")
    _probabilities(first_arcs, lattice.targets, scores, behind, chances)
    return chances
