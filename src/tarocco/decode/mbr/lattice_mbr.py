"""Minimum Bayes risk in lattices, under a gain that is linear in n-grams (Tromble et al. 2008).

If the path E is right, the text E' gains
    G(E, E') = theta[0] |E'| + sum over n-grams w of theta[|w|] #_w(E') [w in E]
In the expectation over all paths E, p(w), the probability that a path has the n-gram w, replaces [w in E]. The expected
gain is a sum over words, so the best of all paths can be found exactly.

The lattice is expanded to states that remember the last words (kernels/ngram_lattices.py). p(w) is the expected number
of occurrences of w, minus the expected number of occurrences after an earlier one. For most n-grams the latter is 0,
because no two of their places are on one path.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.core.test_set import References, Segments, TestSet, as_list, make_streams
from tarocco.decode.mbr.results import CHOICE, FIRST, LatticeChoice, LatticeMbrResult
from tarocco.decode.oracle.forests import unfolded
from tarocco.decode.oracle.oracle import SearchInput, batch_graphs, number_graphs
from tarocco.decode.oracle.search import word_numbers
from tarocco.encode.batch import Encoding
from tarocco.encode.vocabulary import Vocabulary
from tarocco.io.graphs.formats import read_lattices
from tarocco.kernels import kernel, ngram_lattices
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.names import write_signature
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import map_ordered
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import WORKERS, Workers, WorkerShortcuts, apply_shortcuts

_compute_arc_probabilities = kernel(ngram_lattices, "compute_arc_probabilities")
_expand_lattice = kernel(ngram_lattices, "expand_lattice")
_count_expected_ngrams = kernel(ngram_lattices, "count_expected_ngrams")
_locate_ngrams = kernel(ngram_lattices, "locate_ngrams")
_count_expected_repeats = kernel(ngram_lattices, "count_expected_repeats")
_find_best_path = kernel(ngram_lattices, "find_best_path")
_sum_path_gains = kernel(ngram_lattices, "sum_path_gains")

ORDER = 4
PRECISION, RATIO = 0.85, 0.72
TOKENS = 10  # the paper's T: it scales all gains and changes no choice
JUDGE = "BLEU-4"
_LONGEST_NGRAM = 9
_MOST_STEPS = 1 << 24  # arcs of an expanded lattice: about 3 GiB of tables
_LARGEST_SUM = 1e300
_EQUAL = 1e-12  # gains that differ by less, relative to the largest gain of a word, are equal


def thetas(precision: float = PRECISION, ratio: float = RATIO) -> tuple[float, ...]:
    """Return theta[0] = -1 / T and theta[n] = 1 / (4 T p r^(n - 1)).

    This is a linear approximation of BLEU, near a corpus whose unigram precision is p and whose precision of each order
    is r times that of the order below.
    """
    for name, value in (("precision", precision), ("ratio", ratio)):
        if not (isinstance(value, Real) and 0 < value <= 1):
            raise BadParameter(f"{name} is a number above 0 and up to 1, not {value!r}")
    return (-1 / TOKENS, *(1 / (ORDER * TOKENS * precision * ratio**n) for n in range(ORDER)))


@dataclass(frozen=True)
class LatticeMbrOptions:
    """Options of `tarocco.lattice_mbr`; each is also a keyword of that function.

    scale
        The probability of a path is proportional to exp(scale * weight).
    theta
        The gain of a word, and of an n-gram of each order from 1 on.
    precision, ratio
        p and r, from which theta is computed if it is not given: theta[0] = -1 / 10, theta[n] = 1 / (40 p r^(n - 1))
        for n up to 4.
    weights
        Weights of features; they replace the weights of the arcs.
    without
        Words to remove from all texts, such as "<s>".
    format, symbols
        The format of a file, if its first line does not show it; a symbol table of OpenFst.
    lowercase
        Whether n-grams that differ only in case are equal.
    """

    scale: float = 1.0
    theta: Sequence[float] | None = None
    precision: float = PRECISION
    ratio: float = RATIO
    weights: Mapping[str, float] | None = None
    without: Sequence[str] = ()
    format: str | None = None
    symbols: str | os.PathLike[str] | None = None
    lowercase: bool = False


OPTIONS = LatticeMbrOptions()


class LatticeMbrShortcuts(WorkerShortcuts, total=False):
    """The fields of `LatticeMbrOptions` and `Workers` as keywords."""

    scale: float
    theta: Sequence[float] | None
    precision: float
    ratio: float
    weights: Mapping[str, float] | None
    without: Sequence[str]
    format: str | None
    symbols: str | os.PathLike[str] | None
    lowercase: bool


@dataclass(frozen=True)
class LinearGain:
    """The gains of words and n-grams, and the scale that turns weights into probabilities."""

    theta: tuple[float, ...]
    scale: float = 1.0
    lowercase: bool = False

    def __post_init__(self) -> None:
        if not 2 <= len(self.theta) <= _LONGEST_NGRAM + 1:
            raise BadParameter(
                f"theta has one number for words and one per order of n-grams, up to {_LONGEST_NGRAM} orders; found "
                f"{len(self.theta)} numbers"
            )
        if not all(isinstance(gain, Real) and np.isfinite(float(gain)) for gain in self.theta):
            raise BadParameter(f"theta consists of finite numbers, not {', '.join(map(str, self.theta))}")
        if not (isinstance(self.scale, Real) and np.isfinite(float(self.scale)) and self.scale >= 0):
            raise BadParameter(f"scale is a number of at least 0, not {self.scale!r}")

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.theta) - 1

    @property
    def signature(self) -> str:
        """The signature of a choice."""
        parts: list[tuple[str, object]] = [
            ("utility", "linear"),
            ("theta", ",".join(f"{gain:.6g}" for gain in self.theta)),
            ("posterior", f"softmax,{self.scale:g}"),
            ("ngrams", "exact"),
            ("case", "lc" if self.lowercase else "mixed"),
            ("v", __version__),
        ]
        return write_signature("MBR", parts)


def lattice_mbr(
    lattices: str | os.PathLike[str] | Iterable[Graph],
    *,
    references: References | None = None,
    judges: Sequence[str | Metric] | str | Metric = JUDGE,
    options: LatticeMbrOptions = OPTIONS,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[LatticeMbrShortcuts],
) -> LatticeMbrResult:
    """Choose from each lattice the path with the highest expected linear gain (Tromble et al. 2008).

    A text gains theta[0] per word and, per n-gram, theta[n] times the probability that a path has that n-gram. Both the
    probabilities and the best path are exact, over all paths. Ties go to the path with the highest weight.

    Parameters
    ----------
    lattices
        A file, as for `read_lattices`, or an iterable of `Lattice` and `Forest`, one per segment. A forest is unfolded
        into a lattice: it must have the shape of a lattice, like the hypergraphs of Moses, or be small.
    references, judges
        Human references per segment. With them, `result.scores` has the corpus scores of the best paths by weight and
        of the choices, under the metrics `judges`.
    options
        The gain, and how lattices are read (`LatticeMbrOptions`).
    workers
        Where work is done (`Workers`; the store is not used).
    **shortcuts
        The fields of these two values as keywords: scale, theta, precision, ratio, weights, without, format, symbols,
        lowercase, jobs, executor, progress.

    Example
    -------
    >>> import tarocco
    >>> from pathlib import Path
    >>> line = "((('a',-1,1),('the',-1.2,2),('the',-1.1,3),),(('cat',0,3),),(('dog',0,2),),(('cat',0,1),),)"
    >>> _ = Path("small.plf").write_text(line)
    >>> result = tarocco.lattice_mbr("small.plf")
    >>> result.texts, result.choices[0].first
    (['the cat'], 'a cat')
    """
    options, workers = apply_shortcuts("lattice_mbr", shortcuts, options, workers)
    theta = thetas(options.precision, options.ratio) if options.theta is None else tuple(options.theta)
    gain = LinearGain(theta, options.scale, options.lowercase)
    if isinstance(lattices, str | os.PathLike):
        graphs: Iterable[Graph] = read_lattices(lattices, format=options.format, symbols=options.symbols)
        name = os.fspath(lattices)
    elif isinstance(lattices, Lattice | Forest | Mapping | bytes) or not isinstance(lattices, Iterable):
        raise InputError(f"lattices: expected a file or a list of lattices, found {type(lattices).__name__}")
    else:
        graphs, name = number_graphs(lattices, "lattices"), "lattices"
    return choose_paths(
        SearchInput(name, graphs=graphs, weights=options.weights, without=tuple(options.without)),
        gain,
        references=None if references is None else TestSet({}, make_streams(as_list(references, "references"))),
        judges=find_metrics([judges] if isinstance(judges, str | Metric) else judges),
        encoding=Encoding("none", options.lowercase),
        workers=workers,
    )


def choose_paths(
    source: SearchInput,
    gain: LinearGain,
    *,
    references: TestSet | None,
    judges: Sequence[Metric],
    encoding: Encoding,
    workers: Workers = WORKERS,
    advance: Callable[[int, int], object] | None = None,
) -> LatticeMbrResult:
    """Choose from every lattice; `advance` is called with the numbers of lattices and arcs just finished."""
    batches = batch_graphs(source.graphs_of_segments(None if references is None else len(references)))
    choices: list[LatticeChoice] = []
    for batch in map_ordered(partial(_choose, gain), batches, None, workers.jobs, workers.executor):
        choices += batch
        if advance is not None:
            advance(len(batch), sum(choice.n_arcs for choice in batch))
        if workers.progress is not None:
            workers.progress(len(batch))
    if not choices:
        raise InputError(f"{source.name}: there are no lattices to choose from")
    choices.sort(key=lambda choice: choice.segment)
    scores, left_out = None, 0
    if references is not None:
        rows = np.array([choice.segment for choice in choices], np.intp)
        judged = TestSet({}, tuple(stream.taken(rows) for stream in references.references))
        systems = {
            FIRST: Segments.from_strings([choice.first for choice in choices]),
            CHOICE: Segments.from_strings([choice.text for choice in choices]),
        }
        scores = score_test_set(replace(judged, systems=systems), judges, encoding, jobs=workers.jobs)
        left_out = len(references) - len(choices)
    return LatticeMbrResult(tuple(choices), gain.theta, gain.signature, scores, left_out)


def _choose(gain: LinearGain, graphs: Sequence[Graph]) -> list[LatticeChoice]:
    choices = []
    for graph in graphs:
        lattice = unfolded(graph)
        expanded = ExpandedLattice.of(lattice, gain.order, float(gain.scale), gain.lowercase)
        gains = expanded.gains(gain.theta, expanded.posteriors())
        path, first = expanded.best_path(gains), lattice.best().steps
        choices.append(
            LatticeChoice(
                segment=graph.segment,
                text=lattice.text(path),
                first=lattice.text(first),
                gain=expanded.gain(gains, path),
                first_gain=expanded.gain(gains, first),
                n_arcs=len(graph.weights),
                n_ngrams=len(expanded.grams) - 1,
                weighted=bool(graph.weights.any()) or len(lattice.weights) < lattice.n_nodes,
            )
        )
    return choices


@dataclass(frozen=True, eq=False)
class ExpandedLattice:
    """A lattice whose states remember the last words; kernels/ngram_lattices.py describes the arrays."""

    lattice: Lattice
    order: int
    labels: NDArray[np.int32]  # of arcs: word numbers, -1 for none
    first_arcs: NDArray[np.int64]
    probabilities: Floats  # of arcs, given their source
    grams: NDArray[np.int32]
    first_states: NDArray[np.int32]
    states: NDArray[np.int32]
    first_steps: NDArray[np.int64]
    masses: Floats
    steps: NDArray[np.int32]

    @classmethod
    def of(cls, lattice: Lattice, order: int, scale: float, lowercase: bool = False) -> ExpandedLattice:
        """Expand a lattice whose paths have probabilities proportional to exp(scale * weight)."""
        labels, n_arcs = lattice.labels, len(lattice.labels)
        first_arcs = np.searchsorted(lattice.sources, np.arange(lattice.n_nodes + 1)).astype(np.int64)
        numbers = word_numbers(lattice, Encoding("none", lowercase), Vocabulary())
        if len(numbers):
            labels = np.where(labels >= 0, numbers[labels.clip(0)], labels).astype(np.int32)
        probabilities = _arc_probabilities(lattice, first_arcs, scale)
        room = min(4 * n_arcs + 16, _MOST_STEPS)
        while True:
            table = 1 << (4 * room).bit_length()
            grams, states = np.empty((2 * room, 4), np.int32), np.empty((room, 2), np.int32)
            first_states, first_steps = np.empty(lattice.n_nodes, np.int32), np.empty(room, np.int64)
            masses, steps, sizes = np.empty(room), np.empty((room, 2), np.int32), np.empty(3, np.int64)
            too_small = _expand_lattice(
                *(first_arcs, lattice.targets, labels, probabilities, order),
                *(grams, np.empty((table, 2), np.int32), np.full(table, -1, np.int32)),
                *(first_states, np.empty(lattice.n_nodes, np.int32), states, first_steps, masses),
                *(np.empty((table, 2), np.int32), np.full(table, -1, np.int32), steps, sizes),
            )
            if not too_small:
                break
            if room == _MOST_STEPS:
                raise InputError(
                    f"{lattice.where}: with histories of {order - 1} words this lattice has more than {_MOST_STEPS} "
                    f"arcs; prune it, or use n-grams of an order below {order}"
                )
            room = min(4 * room, _MOST_STEPS)
        n_grams, n_states, n_steps = sizes.tolist()
        return cls(
            *(lattice, order, labels, first_arcs, probabilities),
            *(grams[:n_grams].copy(), first_states, states[:n_states].copy()),
            *(first_steps[:n_states].copy(), masses[:n_states].copy(), steps[:n_steps].copy()),
        )

    @property
    def lengths(self) -> NDArray[np.int32]:
        """The length of each n-gram; the first one is empty."""
        return self.grams[:, 3]

    def posteriors(self) -> Floats:
        """Return the probability that a path has each n-gram; 1 for the empty one."""
        lattice, n = self.lattice, len(self.grams)
        counts, ends = np.zeros(n), np.tile(np.array([lattice.n_nodes, -1], np.int32), (n, 1))
        walk = (self.first_states, self.states, self.first_steps, self.masses, self.steps)
        _count_expected_ngrams(
            *(self.first_arcs, lattice.targets, self.probabilities, self.order, self.grams, *walk),
            *(counts, ends),
        )
        # N-grams that end at two arcs which may be on one path, by the order of their nodes.
        repeating = np.flatnonzero(ends[:, 1] >= ends[:, 0]).astype(np.int32)
        if len(repeating):
            counts[repeating] -= self._repeated_counts(repeating, walk)
        counts[0] = 1.0
        return counts.clip(0.0, 1.0)  # rounding

    def _repeated_counts(self, repeating: NDArray[np.int32], walk: tuple[NDArray[np.generic], ...]) -> Floats:
        """Return the expected number of occurrences after an earlier one, per n-gram."""
        lattice, n = self.lattice, len(repeating)
        index = np.full(len(self.grams), -1, np.int32)
        index[repeating] = np.arange(n)
        arguments = (self.first_arcs, self.probabilities, self.grams, *walk, index)
        sizes = np.zeros(n, np.int64)
        _locate_ngrams(*arguments, sizes, np.empty(0, np.int32), np.empty(0), False)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        arcs, at = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        _locate_ngrams(*arguments, starts[:-1].copy(), arcs, at, True)
        counts = np.empty(n)
        _count_expected_repeats(
            *(self.first_arcs, lattice.sources, lattice.targets, self.labels, self.probabilities, self.grams),
            *(repeating, starts, arcs, at, np.empty(self.order, np.int32), np.empty(self.order + 1, np.int32)),
            *(np.zeros((lattice.n_nodes, self.order)), np.zeros(lattice.n_nodes, np.uint8), counts),
        )
        return counts

    def gains(self, theta: Sequence[float], posteriors: Floats) -> Floats:
        """Return the gain of a word that ends each n-gram: theta[0] plus theta[n] times each suffix's posterior."""
        gains = np.full(len(self.grams), float(theta[0]))
        lengths = self.lengths
        for length in range(1, self.order + 1):
            members = np.flatnonzero(lengths == length)
            gains[members] = gains[self.grams[members, 1]] + theta[length] * posteriors[members]
        return gains

    def best_path(self, gains: Floats) -> NDArray[np.int32]:
        """Return the arcs of the path with the highest gain; ties go to the highest weight."""
        n = len(self.states)
        path = np.empty(self.lattice.n_nodes, np.int32)
        count = _find_best_path(
            *(self.first_arcs, self.lattice.weights, self.first_states, self.states, self.first_steps, self.steps),
            *(gains, _EQUAL * float(np.abs(gains).max()), np.empty(n), np.empty(n), np.empty((n, 2), np.int32), path),
        )
        return path[:count][::-1].copy()

    def gain(self, gains: Floats, path: NDArray[np.int32]) -> float:
        """Return the gain of a path."""
        return float(_sum_path_gains(self.first_arcs, self.lattice.sources, self.first_steps, self.steps, gains, path))


def _arc_probabilities(lattice: Lattice, first_arcs: NDArray[np.int64], scale: float) -> Floats:
    """Return the probability of each arc, given its source."""
    after, probabilities = np.empty(lattice.n_nodes), np.empty(len(lattice.weights))
    with np.errstate(over="ignore"):
        scores = scale * lattice.weights
    if np.abs(scores).sum() > _LARGEST_SUM:
        raise InputError(f"{lattice.where}: the weights, times a scale of {scale:g}, are too large to be added up")
    _compute_arc_probabilities(first_arcs, lattice.targets, scores, after, probabilities)
    return probabilities
