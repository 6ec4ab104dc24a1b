"""Lattices and forests as the text of any format that is read: what is read again is the same.

Weights are written where a format has a place for them, features where it has names for them (`write_lattices`).
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from tarocco.core.errors import InputError, UnknownName
from tarocco.core.graphs import ArcFeatures, Forest, Graph, Lattice
from tarocco.io.files import whole_file
from tarocco.io.graphs import openfst, plf, slf
from tarocco.io.graphs.moses import HEADER
from tarocco.io.graphs.reader import FORMATS


def write_lattices(lattices: Graph | Iterable[Graph], path: str | os.PathLike[str], *, format: str) -> None:
    """Write lattices or forests to a file, in any format that `read_lattices` reads.

    Lattices are written with their weights, and with features where the format has room for them: PLF for scores
    without names (in place of weights), SLF for a, l, n and r, search graphs of Moses for any. Formats of forests have
    features alone, and take lattices, too.

    Parameters
    ----------
    lattices
        Some `Lattice` or `Forest`, or any number of them.
    path
        The file, plain text; "-" is standard output.
    format
        "plf", "slf", "openfst", "moses-searchgraph", "moses-hypergraph" or "cdec".

    Raises
    ------
    InputError
        A forest where a lattice is wanted, or a word that the format cannot hold.
    """
    if format not in _WRITERS:
        raise UnknownName(f'there is no format "{format}" of lattices, only {", ".join(FORMATS)}')
    write = _WRITERS[format]
    graphs: Iterable[Graph] = [lattices] if isinstance(lattices, Lattice | Forest) else lattices
    texts = (write(graph, n) for n, graph in enumerate(graphs))
    if os.fspath(path) == "-":
        for text in texts:
            sys.stdout.write(text)
        return
    with whole_file(path) as temporary, open(temporary, "x", encoding="utf-8", newline="") as file:
        file.writelines(texts)


def _arcs(lattice: Lattice, empty_word: str) -> Iterator[tuple[int, int, str, float]]:
    """Source, target, word and weight of each arc."""
    words = (*lattice.words, empty_word)  # the label -1 is the last one
    return zip(
        lattice.sources.tolist(),
        lattice.targets.tolist(),
        [words[label] for label in lattice.labels.tolist()],
        lattice.weights.tolist(),
        strict=True,
    )


def _rows(features: ArcFeatures) -> list[list[tuple[str, float]]]:
    cells = [
        (features.names[c], value) for c, value in zip(features.columns.tolist(), features.values.tolist(), strict=True)
    ]
    starts = features.starts.tolist()
    return [cells[starts[row] : starts[row + 1]] for row in range(len(features))]


def _refuse(graph: Graph, words: Iterable[str], format: str) -> None:
    for word in words:
        raise InputError(f"{graph.where}: the word {word!r} cannot be written as {format}")


def _lattice_only(graph: Graph, format: str) -> Lattice:
    if isinstance(graph, Forest):
        raise InputError(f"{graph.where}: this is a forest, which cannot be written as {format}")
    return graph


# --- lattices ------------------------------------------------------------------------------------------------------


def _plf(graph: Graph, segment: int) -> str:
    lattice = _lattice_only(graph, "plf")
    _refuse(lattice, {plf.EMPTY_WORD} & set(lattice.words), "plf")
    scores = [[weight] for weight in lattice.weights.tolist()]
    features = lattice.features
    if features and features.names == tuple(f"score{k}" for k in range(1, len(features.names) + 1)):
        scores = features.dense().tolist()
    columns: list[list[str]] = [[] for _ in range(lattice.n_nodes - 1)]
    for (source, target, word, _), row in zip(_arcs(lattice, plf.EMPTY_WORD), scores, strict=True):
        escaped = word.replace("\\", "\\\\").replace("'", "\\'").replace("\r", "\\r")
        columns[source].append(f"('{escaped}',{','.join(map(repr, row))},{target - source}),")
    return f"({''.join([f'({column}),' for column in map(''.join, columns)])})\n"


def _slf(graph: Graph, segment: int) -> str:
    lattice = _lattice_only(graph, "slf")
    _refuse(lattice, {slf.EMPTY_WORD} & set(lattice.words), "slf")
    n_nodes = lattice.n_nodes
    lines = ["VERSION=1.0", f"UTTERANCE={lattice.segment}", f"N={n_nodes} L={len(lattice.labels)}"]
    lines += [f"I={node}" for node in range(n_nodes)]
    rows = [[("a", weight)] for weight in lattice.weights.tolist()]
    features = lattice.features
    if features and len(features.names) > 1 and set(features.names) <= set(slf.SCORES):
        table = features.dense()
        order = [name for name in slf.SCORES if name in features.names]
        columns = [features.names.index(name) for name in order]
        rows = [list(zip(order, row, strict=True)) for row in table[:, columns].tolist()]
    for arc, (source, target, word, weight) in enumerate(_arcs(lattice, slf.EMPTY_WORD)):
        if word[0] in "\"'" or "\\" in word:
            word = '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
        fields = [f"{name}={value!r}" for name, value in rows[arc]]
        if sum([value for _, value in rows[arc]], 0.0) != weight:
            fields.append(f"{slf.WEIGHT}={weight!r}")
        lines.append(f"J={arc} S={source} E={target} W={word} {' '.join(fields)}")
    return "\n".join([*lines, ".", ""])


def _openfst(graph: Graph, segment: int) -> str:
    lattice = _lattice_only(graph, "openfst")
    _refuse(lattice, set(openfst.EMPTY_WORDS) & set(lattice.words), "openfst")
    if all(re.fullmatch("[0-9]+", word) for word in lattice.words) and (lattice.labels >= 0).all():
        _refuse(lattice, {"0"} & set(lattice.words), "openfst")
    lines = [""] if segment else []  # between two lattices
    for source, target, word, weight in _arcs(lattice, openfst.EMPTY_WORDS[0]):
        lines.append(f"{source} {target} {word} {word} {0.0 - weight!r}")
    return "\n".join([*lines, str(lattice.n_nodes - 1), ""])


def _search_graph(graph: Graph, segment: int) -> str:
    """Node n is hypothesis n; another arc to it is a hypothesis behind all nodes that is recombined with it."""
    lattice = _lattice_only(graph, "moses-searchgraph")
    lines = [f"{lattice.segment} hyp=0 stack=0"]
    scores: list[list[tuple[str, float]]] | None = None if lattice.features is None else _rows(lattice.features)
    made: set[int] = set()
    extra = lattice.n_nodes
    for arc, (source, target, word, weight) in enumerate(_arcs(lattice, "")):
        hypothesis, recombined = target, ""
        if target in made:
            hypothesis, recombined, extra = extra, f" recombined={target}", extra + 1
        made.add(target)
        forward = -1 if target == lattice.n_nodes - 1 else target
        text = f"{lattice.segment} hyp={hypothesis} stack={target} back={source} score={weight!r} transition={weight!r}"
        text += f"{recombined} forward={forward} fscore=0 covered=0-0"
        if scores is None:
            lines.append(f"{text} out={word}")
        else:
            named = " ".join(f"{name}={value!r}" for name, value in scores[arc])
            lines.append(f'{text} scores="{named}" out="|{word}"')
    return "\n".join([*lines, ""])


# --- forests -------------------------------------------------------------------------------------------------------


def _forest(graph: Graph) -> tuple[Forest, list[list[tuple[str, float]]]]:
    """A forest, or a lattice as one, and the features of its edges."""
    forest = Forest.of(graph) if isinstance(graph, Lattice) else graph
    return forest, [[] for _ in forest.heads] if forest.features is None else _rows(forest.features)


def _spelled(forest: Forest, edge: int, slots: Sequence[str]) -> str:
    items = forest.items[forest.item_starts[edge] : forest.item_starts[edge + 1]].tolist()
    return " ".join([forest.words[item] if item >= 0 else slots[-1 - item] for item in items])


def _tails(forest: Forest, edge: int) -> list[int]:
    tails: list[int] = forest.tails[forest.tail_starts[edge] : forest.tail_starts[edge + 1]].tolist()
    return tails


def _hypergraph(graph: Graph, segment: int) -> str:
    forest, rows = _forest(graph)
    _refuse(
        forest,
        [word for word in forest.words if re.fullmatch(r"\[[0-9]+\]", word) or "|||" in word],
        "moses-hypergraph",
    )
    lines = [HEADER, f"{forest.n_nodes} {len(forest.heads)}"]
    firsts = np.searchsorted(forest.heads, np.arange(forest.n_nodes + 1)).tolist()
    for node in range(forest.n_nodes):
        lines += [f"# node {node}", str(firsts[node + 1] - firsts[node])]
        for edge in range(firsts[node], firsts[node + 1]):
            words = _spelled(forest, edge, [f"[{tail}]" for tail in _tails(forest, edge)])
            lines.append(f"{words} ||| {' '.join(f'{name}={value!r}' for name, value in rows[edge])} ||| 0")
    return "\n".join([*lines, ""])


def _cdec(graph: Graph, segment: int) -> str:
    forest, rows = _forest(graph)
    slots = re.compile(r"\[(?:[^\[\],]+,)?[0-9]{1,9}\]")
    _refuse(forest, [word for word in forest.words if slots.fullmatch(word) or "|||" in word], "cdec")
    names = () if forest.features is None else forest.features.names
    numbered = {name: number for number, name in enumerate(names)}
    rules: dict[str, int] = {}
    nodes: list[str] = []
    firsts = np.searchsorted(forest.heads, np.arange(forest.n_nodes + 1)).tolist()
    for node in range(forest.n_nodes):
        edges = []
        for edge in range(firsts[node], firsts[node + 1]):
            tails = _tails(forest, edge)
            source = " ".join(["[X]"] * len(tails))
            target = _spelled(forest, edge, [f"[{slot}]" for slot in range(1, len(tails) + 1)])
            rule = rules.setdefault(f"[X] ||| {source} ||| {target}", len(rules) + 1)
            feats = [part for name, value in rows[edge] for part in (numbered[name], value)]
            edges.append({"tail": tails, "feats": feats, "rule": rule})
        in_edges = list(range(firsts[node], firsts[node + 1]))
        nodes.append(f'"edges":{_json(edges)},"node":{_json({"in_edges": in_edges, "cat": "X"})}')
    listed = [part for rule, number in rules.items() for part in (number, rule)]
    return f'{{"rules":{_json(listed)},"features":{_json(names)},{",".join(nodes)}}}\n'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_WRITERS: dict[str, Callable[[Graph, int], str]] = {
    "plf": _plf,
    "slf": _slf,
    "openfst": _openfst,
    "moses-searchgraph": _search_graph,
    "moses-hypergraph": _hypergraph,
    "cdec": _cdec,
}
