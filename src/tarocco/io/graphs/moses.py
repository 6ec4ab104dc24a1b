"""Output of Moses: search graphs (lattices, one hypothesis per line) and hypergraphs (forests).

0 hyp=0 stack=0
0 hyp=1 stack=1 back=0 score=-1.5 transition=-1.5 forward=3 fscore=-3.0 covered=0-0 out=the
0 hyp=2 stack=1 back=0 score=-2.0 transition=-2.0 recombined=1 forward=3 fscore=-3.5 covered=0-0 out=a
0 hyp=3 stack=2 back=1 score=-3.0 transition=-1.5 forward=-1 fscore=-3.0 covered=1-1 out=small cat

A hypothesis is a node and an arc to it from `back`; a recombined hypothesis is an arc to the one it was recombined
with. Hypotheses with `forward=-1` are final. The extended form has scores="..." and out="source|target".

# target ||| features ||| source-covered
2 3
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] the cat |||  LM0=-2.5 ||| 2
[0] a cat |||  LM0=-3 ||| 2

A hypergraph begins with its numbers of nodes and edges. Each node has its number of edges, then the edges: words and
nodes in brackets, features, and the number of source words covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest, Graph, Lattice
from tarocco.io.graphs.builder import (
    ForestBuilder,
    GraphLocation,
    LatticeBuilder,
    Row,
    list_arcs,
    list_edges,
    list_features,
    number_values,
    parse_index,
    parse_number,
    quote,
    require_lattice,
)

HEADER = "# target ||| features ||| source-covered"
_SCORES = re.compile(r'scores=(?:"([^"]*+)"|\[([^\[\]]*+)\])')
_CONFIDENCE = re.compile(r" , pC=[-+.0-9e]+, c=[-+.0-9e]+$")  # after the words, in old versions
_SLOT = re.compile(r"\[([0-9]+)\]")


# --- search graphs -------------------------------------------------------------------------------------------------


def read_search_graphs(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Lattice]:
    """Yield the search graphs of a file; sentence ids count from 0 and increase."""

    def sentence(numbered: tuple[int, str]) -> int:
        line, text = numbered
        return parse_index(text.split(None, 1)[0], GraphLocation(0, path, line), "id of a sentence")

    before = -1
    for segment, group in groupby(((line, text) for line, text in lines if text.strip()), sentence):
        hypotheses = list(group)
        place = GraphLocation(segment, path, hypotheses[0][0])
        if segment <= before:
            raise InputError(f"{place}: expected sentences in the order of their ids, found {segment} after {before}")
        before = segment
        yield _parse_search_graph(hypotheses, place)


def write_search_graph(graph: Graph, segment: int) -> str:
    """Return a lattice as a search graph.

    Node n is hypothesis n; a further arc to it is a hypothesis with a number above all nodes, recombined with n.
    """
    lattice = require_lattice(graph, "moses-searchgraph")
    lines = [f"{lattice.segment} hyp=0 stack=0"]
    scores = None if lattice.features is None else list_features(lattice.features)
    written: set[int] = set()
    extra = lattice.n_nodes
    for arc, (source, target, word, weight) in enumerate(list_arcs(lattice, "")):
        hypothesis, recombined = target, ""
        if target in written:
            hypothesis, recombined, extra = extra, f" recombined={target}", extra + 1
        written.add(target)
        forward = -1 if target == lattice.n_nodes - 1 else target
        text = f"{lattice.segment} hyp={hypothesis} stack={target} back={source} score={weight!r} transition={weight!r}"
        text += f"{recombined} forward={forward} fscore=0 covered=0-0"
        if scores is None:
            lines.append(f"{text} out={word}")
        else:
            named = " ".join(f"{name}={value!r}" for name, value in scores[arc])
            lines.append(f'{text} scores="{named}" out="|{word}"')
    return "\n".join([*lines, ""])


def _parse_search_graph(hypotheses: list[tuple[int, str]], place: GraphLocation) -> Lattice:
    builder = LatticeBuilder(place, prune=True)
    rows: list[Row] = []
    finals: dict[int, float] = {}
    with_scores: bool | None = None
    seen: set[int] = set()
    for line, text in hypotheses:
        where = place._replace(line=line)
        before, out, phrase = text.partition(" out=")
        scores = _SCORES.search(before)
        fields = dict(part.split("=", 1) for part in _SCORES.sub("", before).split()[1:] if "=" in part)
        if "hyp" not in fields:
            raise InputError(f"{where}: expected a hypothesis such as 0 hyp=1 back=0 ..., found {quote(text)}")
        node = parse_index(fields["hyp"], where, "hypothesis (hyp=)")
        if "back" not in fields:
            if node or out:
                raise InputError(f"{where}: expected back= in a hypothesis, found none")
            builder.nodes.append(node)
            continue
        if "transition" not in fields or not out:
            missing = "out=" if "transition" in fields else "transition="
            raise InputError(f"{where}: expected out= and transition= in a hypothesis, found no {missing}")
        back = parse_index(fields["back"], where, "hypothesis (back=)")
        recombined = fields.get("recombined")
        node = node if recombined is None else parse_index(recombined, where, "hypothesis (recombined=)")
        if recombined is None:
            if node in seen or node == 0:
                raise InputError(f"{where}: expected each hypothesis once, found hypothesis {node} twice")
            seen.add(node)
        weight = parse_number(fields["transition"], where, "transition=")
        builder.add(back, node, _parse_words(phrase, scores is not None), weight)
        if with_scores not in (None, scores is not None):
            raise InputError(
                f"{where}: expected scores= in all hypotheses or in none, found {'some' if scores else 'none'}"
            )
        with_scores = scores is not None
        rows.append(_parse_scores(scores[1] or scores[2] or "", where) if scores else [])
        if fields.get("forward") == "-1":
            finals[node] = 0.0
    for node in {*builder.sources, *builder.targets} - seen - {0}:
        raise InputError(f"{place}: expected a line for hypothesis {node}, which other lines refer to, found none")
    if with_scores:
        builder.rows = rows
    if not builder.sources:
        finals[0] = 0.0
    return builder.lattice(0, finals, "hypothesis {}".format)


def _parse_words(text: str, extended: bool) -> str:
    if extended:
        text = text.strip()
        if len(text) > 1 and text[0] == text[-1] == '"':
            text = text[1:-1]
        return text.partition("|")[2]
    return _CONFIDENCE.sub("", text.rstrip())


def _parse_scores(text: str, where: GraphLocation) -> Row:
    """Return the scores in `name: 1 2`, `name= 1 2` or `name=1`."""
    values_by_name: dict[str, list[float]] = {}
    values: list[float] | None = None
    for part in text.replace(",", " ").replace("<<", " ").replace(">>", " ").split():
        name, equals, value = part.rpartition("=")
        if part.endswith(":"):
            values = values_by_name.setdefault(part[:-1], [])
            continue
        if equals:
            values = values_by_name.setdefault(name, [])
            part = value
        if part:
            if values is None:
                raise InputError(f"{where}: expected scores with names, found {quote(part)}")
            values.append(parse_number(part, where, "score"))
    return number_values(values_by_name)


# --- hypergraphs ---------------------------------------------------------------------------------------------------


def read_hypergraphs(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Forest]:
    """Yield the hypergraphs of a file, each after a header line."""
    segment = 0
    for line, text in lines:
        if not text.strip():
            continue
        if text.strip() != HEADER:
            raise InputError(f"{GraphLocation(0, path, line)}: expected {quote(HEADER)}, found {quote(text)}")
        yield _parse_hypergraph(lines, GraphLocation(segment, path, line))
        segment += 1


def write_hypergraph(graph: Graph, segment: int) -> str:
    """Return a forest or a lattice as a hypergraph."""
    forest, edges = list_edges(graph, "moses-hypergraph", re.compile(r"\[[0-9]+\]").fullmatch)
    lines = [HEADER, f"{forest.n_nodes} {len(forest.heads)}"]
    for node in range(forest.n_nodes):
        lines += [f"# node {node}", str(len(edges[node]))]
        for edge in edges[node]:
            words = edge.spell([f"[{tail}]" for tail in edge.tails])
            lines.append(f"{words} ||| {' '.join(f'{name}={value!r}' for name, value in edge.features)} ||| 0")
    return "\n".join([*lines, ""])


def _parse_hypergraph(lines: Iterator[tuple[int, str]], place: GraphLocation) -> Forest:
    where, text = _next_line(lines, place, "the numbers of nodes and edges")
    counts = text.split()
    if len(counts) != 2:
        raise InputError(f"{where}: expected the numbers of nodes and edges, found {quote(text)}")
    n_nodes, n_edges = (parse_index(count, where, "number of nodes or edges") for count in counts)
    if n_nodes == 0 and n_edges == 0:
        empty = ForestBuilder(place, 1)
        empty.add(0, (), (), ())
        return empty.forest(0)
    builder = ForestBuilder(place, n_nodes, prune=True)
    for head in range(n_nodes):
        where, text = _next_line(lines, where, f"the number of edges of node {head}")
        for _ in range(parse_index(text.strip(), where, f"number of edges of node {head}")):
            if len(builder.heads) == n_edges:
                raise InputError(f"{where}: expected {n_edges} edges as the hypergraph's first line says, found more")
            line, text = next(lines, (where.line, ""))
            where = where._replace(line=line)
            _parse_edge(builder, head, text, where)
    if len(builder.heads) < n_edges:
        raise InputError(
            f"{place}: expected {n_edges} edges as the hypergraph's first line says, found {len(builder.heads)}"
        )
    if n_nodes > n_edges:
        raise InputError(f"{place}: expected an edge for every node, found {n_nodes} nodes and {n_edges} edges")
    return builder.forest(n_nodes - 1)


def _next_line(lines: Iterator[tuple[int, str]], place: GraphLocation, expected: str) -> tuple[GraphLocation, str]:
    """Return the next line that is not a comment."""
    for line, text in lines:
        if text.strip() == HEADER:
            break
        if not text.startswith("#"):
            return place._replace(line=line), text
    raise InputError(f"{place}: expected {expected} after this line, found the end of the hypergraph")


def _parse_edge(builder: ForestBuilder, head: int, text: str, where: GraphLocation) -> None:
    fields = text.split("|||")
    if len(fields) != 3:
        raise InputError(f"{where}: expected an edge such as [0] words ||| features ||| 1, found {quote(text)}")
    tails: list[int] = []
    items: list[str | int] = []
    for word in fields[0].split():
        slot = _SLOT.fullmatch(word)
        if slot is None:
            items.append(word)
            continue
        tail = parse_index(slot[1], where, "node")
        if tail >= builder.n_nodes:
            raise InputError(f"{where}: expected nodes from 0 to {builder.n_nodes - 1}, found {word}")
        tails.append(tail)
        items.append(-len(tails))
    row = []
    for part in fields[1].split():
        name, equals, value = part.rpartition("=")
        if not equals or not name:
            raise InputError(f"{where}: expected features name=value, found {quote(part)}")
        row.append((name, parse_number(value, where, f"value of the feature {name}")))
    builder.add(head, tails, items, row)
