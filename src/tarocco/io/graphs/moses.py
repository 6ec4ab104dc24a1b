"""What Moses writes of its search: search graphs (lattices, a hypothesis a line) and hypergraphs (forests).

0 hyp=0 stack=0
0 hyp=1 stack=1 back=0 score=-1.5 transition=-1.5 forward=3 fscore=-3.0 covered=0-0 out=the
0 hyp=2 stack=1 back=0 score=-2.0 transition=-2.0 recombined=1 forward=3 fscore=-3.5 covered=0-0 out=a
0 hyp=3 stack=2 back=1 score=-3.0 transition=-1.5 forward=-1 fscore=-3.0 covered=1-1 out=small cat

A hypothesis is a node and an arc to it from `back`; one that was recombined is an arc to that which it was recombined
with. `forward=-1` are final. The extended form has scores="..." and out="source|target".

# target ||| features ||| source-covered
2 3
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] the cat |||  LM0=-2.5 ||| 2
[0] a cat |||  LM0=-3 ||| 2

A hypergraph says how many nodes and edges it has, then of each node how many edges make it, and which: words, nodes in
brackets, features, and how many source words were covered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest, Lattice
from tarocco.io.graphs.builder import Arcs, Edges, Place, number, quoted, whole

HEADER = "# target ||| features ||| source-covered"
_SCORES = re.compile(r'scores=(?:"([^"]*+)"|\[([^\[\]]*+)\])')
_CONFIDENCE = re.compile(r" , pC=[-+.0-9e]+, c=[-+.0-9e]+$")  # behind the words, in old versions
_SLOT = re.compile(r"\[([0-9]+)\]")


# --- search graphs -------------------------------------------------------------------------------------------------


def read_search_graphs(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Lattice]:
    """The search graphs of a file, in the order of their sentences, whose ids count from 0."""

    def sentence(numbered: tuple[int, str]) -> int:
        line, text = numbered
        return whole(text.split(None, 1)[0], Place(0, path, line), "the id of a sentence")

    before = -1
    for segment, group in groupby(((line, text) for line, text in lines if text.strip()), sentence):
        hypotheses = list(group)
        place = Place(segment, path, hypotheses[0][0])
        if segment <= before:
            raise InputError(f"{place}: sentences come in the order of their ids, but {segment} comes after {before}")
        before = segment
        yield _search_graph(hypotheses, place)


def _search_graph(hypotheses: list[tuple[int, str]], place: Place) -> Lattice:
    arcs = Arcs(place, prune=True)
    rows = []
    finals: dict[int, float] = {}
    with_scores: bool | None = None
    seen: set[int] = set()
    for line, text in hypotheses:
        where = place._replace(line=line)
        before, out, phrase = text.partition(" out=")
        scores = _SCORES.search(before)
        fields = dict(part.split("=", 1) for part in _SCORES.sub("", before).split()[1:] if "=" in part)
        if "hyp" not in fields:
            raise InputError(f"{where}: a hypothesis is wanted, {quoted('0 hyp=1 back=0 ...')}, found {quoted(text)}")
        node = whole(fields["hyp"], where, "a hypothesis (hyp=)")
        if "back" not in fields:
            if node or out:
                raise InputError(f"{where}: a hypothesis says where it comes from, back= is missing")
            arcs.nodes.append(node)
            continue
        if "transition" not in fields or not out:
            missing = "out=" if "transition" in fields else "transition="
            raise InputError(f"{where}: a hypothesis has the words and the score of a transition, {missing} is missing")
        back = whole(fields["back"], where, "a hypothesis (back=)")
        recombined = fields.get("recombined")
        node = node if recombined is None else whole(recombined, where, "a hypothesis (recombined=)")
        if recombined is None:
            if node in seen or node == 0:
                raise InputError(f"{where}: there is a hypothesis {node} already")
            seen.add(node)
        arcs.add(back, node, _words(phrase, scores is not None), number(fields["transition"], where, "transition="))
        if with_scores not in (None, scores is not None):
            raise InputError(f"{where}: all hypotheses have scores= or none has, here it is unlike the lines above")
        with_scores = scores is not None
        rows.append(_named_scores(scores[1] or scores[2] or "", where) if scores else [])
        if fields.get("forward") == "-1":
            finals[node] = 0.0
    for node in {*arcs.sources, *arcs.targets} - seen - {0}:
        raise InputError(f"{place}: there is no hypothesis {node}, which others come from or are recombined with")
    if with_scores:
        arcs.rows = list(rows)
    if not arcs.sources:
        finals[0] = 0.0
    return arcs.lattice(0, finals, "hypothesis {}".format)


def _words(written: str, extended: bool) -> str:
    if extended:
        written = written.strip()
        if len(written) > 1 and written[0] == written[-1] == '"':
            written = written[1:-1]
        return written.partition("|")[2]
    return _CONFIDENCE.sub("", written.rstrip())


def _named_scores(text: str, where: Place) -> list[tuple[str, float]]:
    """`name: 1 2` or `name= 1 2` or `name=1`: names and the numbers that follow; several are name_1, name_2."""
    named: dict[str, list[float]] = {}
    values: list[float] | None = None
    for part in text.replace(",", " ").replace("<<", " ").replace(">>", " ").split():
        name, equals, value = part.rpartition("=")
        if part.endswith(":"):
            values = named.setdefault(part[:-1], [])
            continue
        if equals:
            values = named.setdefault(name, [])
            part = value
        if part:
            if values is None:
                raise InputError(f"{where}: scores have names, found {quoted(part)}")
            values.append(number(part, where, "a score"))
    row = []
    for name, several in named.items():
        row += [(name, several[0])] if len(several) == 1 else [(f"{name}_{k}", v) for k, v in enumerate(several, 1)]
    return row


# --- hypergraphs ---------------------------------------------------------------------------------------------------


def read_hypergraphs(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Forest]:
    """The hypergraphs of a file, each below a header."""
    segment = 0
    for line, text in lines:
        if not text.strip():
            continue
        if text.strip() != HEADER:
            raise InputError(f"{Place(0, path, line)}: {quoted(HEADER)} is wanted, found {quoted(text)}")
        yield _hypergraph(lines, Place(segment, path, line))
        segment += 1


def _hypergraph(lines: Iterator[tuple[int, str]], place: Place) -> Forest:
    where, text = _next(lines, place, "the numbers of nodes and edges")
    counts = text.split()
    if len(counts) != 2:
        raise InputError(f"{where}: the numbers of nodes and edges are wanted, found {quoted(text)}")
    n_nodes, n_edges = (whole(count, where, "the number of nodes, and of edges,") for count in counts)
    if n_nodes == 0 and n_edges == 0:
        empty = Edges(place, 1)
        empty.add(0, (), (), ())
        return empty.forest(0)
    edges = Edges(place, n_nodes, prune=True)
    for head in range(n_nodes):
        where, text = _next(lines, where, f"the number of edges of node {head}")
        for _ in range(whole(text.strip(), where, f"the number of edges of node {head}")):
            if len(edges.heads) == n_edges:
                raise InputError(f"{where}: {n_edges} edges are announced at the top, but there are more")
            line, text = next(lines, (where.line, ""))
            where = where._replace(line=line)
            _edge(edges, head, text, where)
    if len(edges.heads) < n_edges:
        raise InputError(f"{place}: {n_edges} edges are announced, but {len(edges.heads)} are there")
    if n_nodes > n_edges:
        raise InputError(f"{place}: each node has an edge at least, but there are {n_nodes} nodes and {n_edges} edges")
    return edges.forest(n_nodes - 1)


def _next(lines: Iterator[tuple[int, str]], place: Place, wanted: str) -> tuple[Place, str]:
    """The next line that is no comment."""
    for line, text in lines:
        if text.strip() == HEADER:
            break
        if not text.startswith("#"):
            return place._replace(line=line), text
    raise InputError(f"{place}: the hypergraph ends here, but {wanted} is wanted")


def _edge(edges: Edges, head: int, text: str, where: Place) -> None:
    fields = text.split("|||")
    if len(fields) != 3:
        raise InputError(f"{where}: an edge, {quoted('[0] words ||| features ||| 1')}, is wanted, found {quoted(text)}")
    tails: list[int] = []
    items: list[str | int] = []
    for word in fields[0].split():
        slot = _SLOT.fullmatch(word)
        if slot is None:
            items.append(word)
            continue
        tail = whole(slot[1], where, "a node")
        if tail >= edges.n_nodes:
            raise InputError(f"{where}: the nodes are 0 to {edges.n_nodes - 1}, found {word}")
        tails.append(tail)
        items.append(-len(tails))
    row = []
    for part in fields[1].split():
        name, equals, value = part.rpartition("=")
        if not equals or not name:
            raise InputError(f"{where}: features are name=value, found {quoted(part)}")
        row.append((name, number(value, where, f"the feature {name}")))
    edges.add(head, tails, items, row)
