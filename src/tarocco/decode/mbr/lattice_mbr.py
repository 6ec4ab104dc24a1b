"""Minimum Bayes risk in lattices, under a gain that is linear in n-grams (Tromble et al. 2008).

G(E, E') = theta[0] |E'| + the sum over n-grams w of theta[|w|] #_w(E') [w in E]        what E' gains where E is right
The expectation over all paths E puts p(w), the probability that a path has w, in place of [w in E]. What a path
gains adds up word by word then, and the best one is found exactly among all paths.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from tarocco._version import __version__
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.core.names import signature
from tarocco.core.test_set import References, Segments, TestSet, as_list, make_streams
from tarocco.decode.mbr.ngram_lattices import Expanded
from tarocco.decode.mbr.results import CHOICE, FIRST, LatticeChoice, LatticeMbrResult
from tarocco.decode.oracle.forests import unfolded
from tarocco.decode.oracle.oracle import Sources, one_after_another
from tarocco.decode.oracle.pieces import together
from tarocco.encode.batch import Encoding
from tarocco.io.graphs.formats import read_lattices
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.parallel.fan_out import check_jobs, map_ordered
from tarocco.scoring.score import score_test_set

if TYPE_CHECKING:
    from concurrent.futures import Executor

ORDER = 4
PRECISION, RATIO = 0.85, 0.72
TOKENS = 10  # the paper's T: it scales all gains and changes no choice
JUDGE = "BLEU-4"
_MOST = 9  # words of an n-gram


def thetas(precision: float = PRECISION, ratio: float = RATIO) -> tuple[float, ...]:
    """theta[0] = -1 / T and theta[n] = 1 / (4 T p r^(n - 1)), for p the unigram precision and r the ratio of each
    precision to that of the order before: BLEU, near a corpus with such precisions, as a linear function.
    """
    for name, value in (("precision", precision), ("ratio", ratio)):
        if not (isinstance(value, Real) and 0 < value <= 1):
            raise BadParameter(f"{name} is a number above 0 and up to 1, not {value!r}")
    return (-1 / TOKENS, *(1 / (ORDER * TOKENS * precision * ratio**n) for n in range(ORDER)))


@dataclass(frozen=True)
class LinearGain:
    """What words and n-grams gain, and how weights become probabilities."""

    theta: tuple[float, ...]
    scale: float = 1.0
    lowercase: bool = False

    def __post_init__(self) -> None:
        if not 2 <= len(self.theta) <= _MOST + 1:
            raise BadParameter(
                f"theta has a number for words and one for each order of n-grams from 1 on, {_MOST} at most; found "
                f"{len(self.theta)} numbers"
            )
        if not all(isinstance(one, Real) and np.isfinite(float(one)) for one in self.theta):
            raise BadParameter(f"theta is made of finite numbers, not {', '.join(map(str, self.theta))}")
        if not (isinstance(self.scale, Real) and np.isfinite(float(self.scale)) and self.scale >= 0):
            raise BadParameter(f"scale is a number of at least 0, not {self.scale!r}")

    @property
    def order(self) -> int:
        """How many words the longest n-grams have."""
        return len(self.theta) - 1

    @property
    def signature(self) -> str:
        """What a choice is, in one line."""
        parts: list[tuple[str, object]] = [
            ("utility", "linear"),
            ("theta", ",".join(f"{one:.6g}" for one in self.theta)),
            ("posterior", f"softmax,{self.scale:g}"),
            ("ngrams", "exact"),
            ("case", "lc" if self.lowercase else "mixed"),
            ("v", __version__),
        ]
        return signature("MBR", parts)


def lattice_mbr(
    lattices: str | os.PathLike[str] | Iterable[Graph],
    *,
    scale: float = 1.0,
    theta: Sequence[float] | None = None,
    precision: float = PRECISION,
    ratio: float = RATIO,
    weights: Mapping[str, float] | None = None,
    without: Sequence[str] = (),
    references: References | None = None,
    judges: Sequence[str | Metric] | str | Metric = JUDGE,
    format: str | None = None,
    symbols: str | os.PathLike[str] | None = None,
    lowercase: bool = False,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> LatticeMbrResult:
    """Choose from each lattice the path with the highest expected linear gain (Tromble et al. 2008).

    A text gains theta[0] for each word and, for each n-gram, theta[n] times the probability that a path has it, once or
    more. Both the probabilities and the best path are exact, over all paths. Of equal gains the highest weight counts.

    Parameters
    ----------
    lattices
        A file, as for `read_lattices`, or an iterable of `Lattice` and `Forest`, one a segment. A forest
        is unfolded into a lattice: it has to be one, as Moses' hypergraphs are, or a small forest.
    scale
        Paths are as probable as exp(scale * weight).
    theta, precision, ratio
        What words and n-grams of each order gain; or p and r, from which come theta[0] = -1 / 10 and theta[n] = 1 / (40
        p r^(n - 1)) for n up to 4.
    weights, without, format, symbols
        Weights of features, which replace those of the arcs; words that are no part of the text, such as "<s>"; of a
        file: its format where its first line does not tell, and OpenFst's table of symbols.
    references, judges
        Human references, a list a segment: then the result has the corpus scores of the best paths by weight and of
        the choices (`scores`), under these metrics.
    lowercase
        Whether n-grams that differ in case only are the same.
    jobs, executor
        As for `tarocco.score`: the results do not depend on them.

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
    gain = LinearGain(thetas(precision, ratio) if theta is None else tuple(theta), scale, lowercase)
    if isinstance(lattices, str | os.PathLike):
        graphs: Iterable[Graph] = read_lattices(lattices, format=format, symbols=symbols)
        name = os.fspath(lattices)
    elif isinstance(lattices, Lattice | Forest | Mapping | bytes) or not isinstance(lattices, Iterable):
        raise InputError(f"lattices are of type {type(lattices).__name__}, but a file or a list of them is wanted")
    else:
        graphs, name = one_after_another(lattices, "lattices"), "lattices"
    human = None if references is None else TestSet({}, make_streams(as_list(references, "references")))
    judging = [judges] if isinstance(judges, str | Metric) else judges
    return choose_paths(
        Sources(name, graphs=graphs, weights=weights, without=tuple(without)),
        gain,
        references=human,
        judges=find_metrics(judging),
        encoding=Encoding("none", lowercase),
        jobs=jobs,
        executor=executor,
    )


def choose_paths(
    sources: Sources,
    gain: LinearGain,
    *,
    references: TestSet | None,
    judges: Sequence[Metric],
    encoding: Encoding,
    advance: Callable[[int, int], None] | None = None,
    jobs: int | None = None,
    executor: Executor | None = None,
) -> LatticeMbrResult:
    """Choose from every lattice; `advance` is told how many more lattices and arcs are done."""
    check_jobs(jobs)
    pieces = together(_checked(sources, None if references is None else len(references)))
    found: list[LatticeChoice] = []
    for some in map_ordered(partial(_chosen, gain), pieces, None, jobs, executor):
        found += some
        if advance is not None:
            advance(len(some), sum(one.n_arcs for one in some))
    if not found:
        raise InputError(f"{sources.name}: there are no lattices to choose from")
    found.sort(key=lambda one: one.segment)
    scores = None
    if references is not None:
        rows = np.array([one.segment for one in found], np.intp)
        own = TestSet({}, tuple(stream.taken(rows) for stream in references.references))
        systems = {
            FIRST: Segments.from_strings([one.first for one in found]),
            CHOICE: Segments.from_strings([one.text for one in found]),
        }
        scores = score_test_set(replace(own, systems=systems), judges, encoding, jobs=jobs)
    without = 0 if references is None else len(references) - len(found)
    return LatticeMbrResult(tuple(found), gain.theta, gain.signature, scores, without)


def _checked(sources: Sources, segments: int | None) -> Iterator[Graph]:
    """The lattices, each of another segment, and of one that has references."""
    seen: set[int] = set()
    for graph in sources.prepared():
        where = graph.where if graph.path else sources.name
        if segments is not None and graph.segment >= segments:
            raise InputError(
                f"{where}: lattice {graph.segment + 1} has no reference: the references have {segments} segments"
            )
        if graph.segment in seen:
            raise InputError(f"{where}: there are two lattices for segment {graph.segment + 1}")
        seen.add(graph.segment)
        yield graph


def _chosen(gain: LinearGain, graphs: Sequence[Graph]) -> list[LatticeChoice]:
    found = []
    for graph in graphs:
        lattice = unfolded(graph)
        expanded = Expanded.of(lattice, gain.order, float(gain.scale), gain.lowercase)
        gains = expanded.gains(gain.theta, expanded.posteriors())
        path, first = expanded.best_path(gains), lattice.best().steps
        found.append(
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
    return found
