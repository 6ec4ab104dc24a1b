"""Oracles: all lattices of Fisher Spanish in one command, and growth with arcs, reference words and order."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
from measure import BIN, Row, at_most, command_seconds, peak_mebibytes, show

from tarocco.core.graphs import Forest, Lattice
from tarocco.decode.oracle.forests import as_forest
from tarocco.decode.oracle.search import NumberedForest, derivation_against, number_words
from tarocco.io.graphs.builder import ForestBuilder, GraphLocation
from tarocco.io.graphs.formats import read_lattices
from tarocco.metrics.edit.rates import Automaton

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "lattices-forests" / "fisher-spanish-plf"
BINS = 40
WORDS = [f"w{i}" for i in range(2000)]


def rows() -> list[Row]:
    return [*fisher(), *growth(), *forest()]


def fisher() -> list[Row]:
    """Time the whole command: reading, searching, weighting, scoring with GRR-4 and WER."""
    if not DATA.exists():
        return []
    table = []
    for reference in ("dev.oracle_path.es", "dev.asr1best.es"):
        command = [str(BIN / "tarocco"), "oracle", str(DATA / "dev.plf"), "-r", str(DATA / reference), "--also", "WER"]
        shape = f"Fisher dev, 3963 lattices, 122139 arcs, against {reference}"
        for what, cpu in (("time", False), ("processor time", True)):
            took = command_seconds([*command, "-j", "2"], cpu=cpu)
            table.append(at_most(f"oracles under GRR-4, {what}", shape, "whole command, two threads", took, 60, "s"))
        table.append(
            at_most("oracles under GRR-4, peak memory", shape, "whole command", peak_mebibytes(command), 1024, "MiB")
        )
    return [*table, *line()]


def line() -> list[Row]:
    """Fit a line to the time per lattice over arcs times reference words."""
    references = (DATA / "dev.oracle_path.es").read_text().split("\n")
    sizes, times = [], []
    for graph in read_lattices(DATA / "dev.plf"):
        one = number_words(as_forest(graph), [references[graph.segment]])
        (reference,) = one.references
        sizes.append(len(graph.weights) * (len(reference) + 1))
        times.append(search_time(one, 4))
    order = np.argsort(sizes, kind="stable")
    bins = np.array_split(order, BINS)
    middles = [(np.median(np.array(sizes)[part]), np.median(np.array(times)[part])) for part in bins]
    across, up = np.array(middles).T
    slope, start = np.polyfit(across, up, 1)
    share = np.corrcoef(across, up)[0, 1] ** 2
    fit = f"{1e6 * start:.0f} us + {1e9 * slope:.1f} ns x arcs x words, R2 {share:.3f}"
    shape = f"Fisher dev, {BINS} medians of lattices by size, up to {across[-1]:.0f} arcs x words"
    return [Row("oracle under GRR-4, time per lattice", shape, "-", "search alone", fit, "none", True)]


def growth() -> list[Row]:
    """Measure how search time grows with arcs, reference words and order."""
    base = {"columns": 1000, "words": 20, "order": 4}
    table = []
    for what, steps in (
        ("columns", (250, 500, 1000, 2000, 4000)),
        ("words", (10, 20, 40, 80, 160)),
        ("order", (1, 2, 4, 8)),
    ):
        sizes = np.array(steps, np.float64)
        took = np.array([search_seconds(**{**base, what: step}) for step in steps])
        exponent = float(np.polyfit(np.log(sizes), np.log(took), 1)[0])
        named = {"columns": "arcs", "words": "reference words", "order": "k"}[what]
        times = ", ".join(
            f"{size:g}: {1e3 * time:.3g} ms"
            for size, time in zip(sizes * (4 if what == "columns" else 1), took, strict=True)
        )
        table.append(
            Row(
                f"oracle under GRR-k, growth with {named}",
                times,
                "-",
                "search alone, one thread; slope in double logarithms",
                f"{exponent:.2f}",
                "<= 1.2",
                exponent <= 1.2,
            )
        )
    return table


def search_seconds(columns: int, words: int, order: int) -> float:
    """Return the search time in a confusion network with four words per column, half of them from the reference."""
    rng = random.Random(1)
    reference = rng.choices(WORDS, k=words)
    labels = [
        rng.randrange(len(WORDS)) if rng.random() < 0.5 else WORDS.index(rng.choice(reference))
        for _ in range(4 * columns)
    ]
    sources = np.repeat(np.arange(columns, dtype=np.int32), 4)
    lattice = Lattice(
        tuple(WORDS), columns + 1, sources, sources + 1, np.array(labels, np.int32), np.zeros(4 * columns)
    )
    one = number_words(Forest.of(lattice), [" ".join(reference)])
    return search_time(one, order)


def forest() -> list[Row]:
    """Time the search in a parse forest: one node per span of 25 words, binary edges, a reference of 30 words."""
    rng, n = random.Random(3), 25
    spans = [(first, first + width) for width in range(1, n + 1) for first in range(n - width + 1)]
    number = {span: i for i, span in enumerate(spans)}
    edges = ForestBuilder(GraphLocation(0, "synthetic", 1), len(spans), prune=True)
    for (first, last), head in number.items():
        for _ in range(4):
            words: list[str | int] = list(rng.choices(WORDS[:60], k=rng.randint(1, 2)))
            if last == first + 1:
                edges.add(head, [], words, [])
            else:
                middle = rng.randint(first + 1, last - 1)
                tails = [number[first, middle], number[middle, last]]
                rng.shuffle(tails)
                edges.add(head, tails, [-1, *words[1:], -2], [])
    made = edges.forest(len(spans) - 1)
    one = number_words(made, [" ".join(rng.choices(WORDS[:60], k=30))])
    size = derivation_against(one, one.references[0], Automaton(4, 1.0, 0.0)).tables.values.nbytes / 2**20
    shape = f"forest of {made.n_nodes} nodes, {len(made.heads)} edges, {made.n_derivations:.1g} derivations; 30 words"
    cost = f"{search_time(one, 4):.2f} s, {size:.0f} MiB"
    return [Row("oracle under GRR-4 in a forest", shape, "-", "search alone, one thread", cost, "none", True)]


def search_time(one: NumberedForest, order: int) -> float:
    """Return the best of nine processor times, which depend less on other work on the machine."""
    taken = []
    for _ in range(9):
        start = time.thread_time()
        derivation_against(one, one.references[0], Automaton(order, 1.0, 0.0))
        taken.append(time.thread_time() - start)
    return min(taken)


if __name__ == "__main__":
    show(rows())
