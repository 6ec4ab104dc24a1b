"""SLF, the lattices of HTK and SRILM: a header of name=value fields, then one line per node and one per link.

VERSION=1.0
lmscale=2.0 wdpenalty=-0.5
N=3 L=2
I=0
I=1
I=2
J=0 S=0 E=1 W=the a=-1.5 l=-0.5
J=1 S=1 E=2 W=cat a=-2.0 l=-1.0

The weight of a link is acscale a + lmscale l + ngscale n + prscale r + wdpenalty, in natural logarithms (`base` in the
header is the base of the file's logarithms); a link without a word has no penalty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tarocco.core.errors import InputError
from tarocco.core.graphs import Graph, Lattice
from tarocco.io.graphs.builder import (
    GraphLocation,
    LatticeBuilder,
    Row,
    list_arcs,
    parse_index,
    parse_number,
    quote,
    require_lattice,
)

EMPTY_WORD = "!NULL"
SCORES = {"a": "acscale", "l": "lmscale", "n": "ngscale", "r": "prscale"}  # fields of links and their scales
WEIGHT = "weight"  # an additional field, as SLF allows, that holds the weight itself
_SHORT_NAMES = {
    "NODES": "N",
    "LINKS": "L",
    "START": "S",
    "END": "E",
    "WORD": "W",
    "acoustic": "a",
    "language": "l",
    "ngram": "n",
}
_FIELD = re.compile(r"\s*+([A-Za-z_][A-Za-z0-9_]*+)=(\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\S*+)(?=\s|$)", re.DOTALL)
_ESCAPE = re.compile(r"((?:\\[0-3][0-7]{2})+)|\\(.)", re.DOTALL)  # octal bytes, or a literal character


@dataclass
class _SlfLattice:
    """The fields of a lattice, line by line."""

    place: GraphLocation
    header: dict[str, str] = field(default_factory=dict)
    nodes: dict[int, dict[str, str]] = field(default_factory=dict)
    links: dict[int, tuple[int, dict[str, str]]] = field(default_factory=dict)  # number -> line, fields

    def add(self, fields: dict[str, str], line: int) -> None:
        where = self.place._replace(line=line)
        if "I" in fields:
            number = parse_index(fields["I"], where, "number of a node (I=)")
            if number in self.nodes:
                raise InputError(f"{where}: expected each node once, found node {number} twice")
            self.nodes[number] = fields
        elif "J" in fields:
            number = parse_index(fields["J"], where, "number of a link (J=)")
            if number in self.links:
                raise InputError(f"{where}: expected each link once, found link {number} twice")
            self.links[number] = line, fields
        else:
            self.header.update(fields)


def read_slf(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Lattice]:
    """Yield the lattices of a file; each begins with a header, and a line with a period may end it."""
    lattice: _SlfLattice | None = None
    segment = 0
    for line, text in lines:
        place = GraphLocation(segment, path, line)
        stripped = text.strip()
        if not stripped or stripped.startswith("#"):
            continue
        fields = {} if stripped == "." else _parse_fields(text, place)
        is_header = "I" not in fields and "J" not in fields
        if lattice and (not fields or ((lattice.nodes or lattice.links) and is_header)):
            yield _build(lattice)
            lattice, segment = None, segment + 1
        if fields:
            lattice = lattice or _SlfLattice(GraphLocation(segment, path, line))
            lattice.add(fields, line)
    if lattice:
        yield _build(lattice)


def write_slf(graph: Graph, segment: int) -> str:
    """Return a lattice as SLF, with its features if they are a, l, n and r."""
    lattice = require_lattice(graph, "slf", {EMPTY_WORD})
    n_nodes = lattice.n_nodes
    lines = ["VERSION=1.0", f"UTTERANCE={lattice.segment}", f"N={n_nodes} L={len(lattice.labels)}"]
    lines += [f"I={node}" for node in range(n_nodes)]
    rows = [[("a", weight)] for weight in lattice.weights.tolist()]
    features = lattice.features
    if features and len(features.names) > 1 and set(features.names) <= set(SCORES):
        table = features.dense()
        order = [name for name in SCORES if name in features.names]
        columns = [features.names.index(name) for name in order]
        rows = [list(zip(order, row, strict=True)) for row in table[:, columns].tolist()]
    for arc, (source, target, word, weight) in enumerate(list_arcs(lattice, EMPTY_WORD)):
        if word[0] in "\"'" or "\\" in word:
            word = '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'
        fields = [f"{name}={value!r}" for name, value in rows[arc]]
        if sum([value for _, value in rows[arc]], 0.0) != weight:
            fields.append(f"{WEIGHT}={weight!r}")
        lines.append(f"J={arc} S={source} E={target} W={word} {' '.join(fields)}")
    return "\n".join([*lines, ".", ""])


def _parse_fields(text: str, place: GraphLocation) -> dict[str, str]:
    """Return the fields of a line by their short names."""
    fields: dict[str, str] = {}
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _FIELD.match(text, at)
        if match is None:
            raise InputError(f"{place}: expected fields name=value, found {quote(text[at:].strip())}")
        name, value = match.groups()
        if value[:1] in "\"'" and value[1:] and value[-1] == value[0]:
            value = value[1:-1]
        fields[_SHORT_NAMES.get(name, name)] = _unescape(value, place) if "\\" in value else value
        at = match.end()
    return fields


def _unescape(value: str, place: GraphLocation) -> str:
    def characters(match: re.Match[str]) -> str:
        if match[2]:
            return match[2]
        try:
            return bytes(int(octal, 8) for octal in match[1].split("\\")[1:]).decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{place}: expected UTF-8 bytes, found {match[1]} in {quote(value)}") from None

    return _ESCAPE.sub(characters, value)


def _build(lattice: _SlfLattice) -> Lattice:
    place, header = lattice.place, lattice.header
    if "SUBLAT" in header:
        raise InputError(f"{place}: expected a lattice without sub-lattices, found SUBLAT={header['SUBLAT']}")
    for name, count, items in (("N", len(lattice.nodes), "nodes"), ("L", len(lattice.links), "links")):
        if name not in header:
            raise InputError(f"{place}: expected {name}=, the number of {items}, in the header, found none")
        expected = parse_index(header[name], place, f"number of {items} ({name}=)")
        if count != expected and (count or name == "L"):  # nodes need not be listed
            raise InputError(f"{place}: expected {expected} {items} as the header says ({name}=), found {count}")
    n_nodes = int(header["N"])
    if n_nodes == 0:
        return LatticeBuilder(place).lattice(0, {0: 0.0})
    scale = _Scale(header, place)
    builder = LatticeBuilder(place, nodes=sorted(lattice.nodes) or ([0] if n_nodes == 1 else []))
    first_scores: tuple[str, ...] | None = None
    rows: list[Row] = []
    word_at = "S" if header.get("dir") == "b" else "E"
    for line, link in lattice.links.values():
        where = place._replace(line=line)
        ends = {}
        for name in "SE":
            if name not in link:
                raise InputError(f"{where}: expected a link with S= and E=, found no {name}=")
            ends[name] = parse_index(link[name], where, f"node ({name}=)")
            if ends[name] not in lattice.nodes if lattice.nodes else ends[name] >= n_nodes:
                raise InputError(f"{where}: expected a node of the lattice, found {name}={ends[name]}")
        word = _parse_word(link["W"] if "W" in link else lattice.nodes.get(ends[word_at], {}).get("W", ""))
        names = tuple(name for name in SCORES if name in link)
        first_scores = names if first_scores is None else first_scores
        if names != first_scores:
            raise InputError(
                f"{where}: expected the same scores as in the first link, {_join_fields(first_scores)}, found "
                f"{_join_fields(names)}"
            )
        row = [(name, scale.logarithm(parse_number(link[name], where, f"{name}="), where)) for name in names]
        rows.append(row)
        weight = parse_number(link[WEIGHT], where, f"{WEIGHT}=") if WEIGHT in link else scale.weight(row, word)
        builder.add(ends["S"], ends["E"], word, weight)
    if first_scores and len(first_scores) > 1:
        builder.rows = rows
    return _add_ends(builder, lattice)


def _add_ends(builder: LatticeBuilder, lattice: _SlfLattice) -> Lattice:
    """Return the lattice between start and end of the header, or else between the nodes without links on one side."""
    place, header = lattice.place, lattice.header
    nodes = sorted({*builder.nodes, *builder.sources, *builder.targets})
    starts = sorted({*nodes} - {*builder.targets})
    finals = sorted({*nodes} - {*builder.sources})
    if "start" in header:
        starts = [parse_index(header["start"], place, "start=")]
    if "end" in header:
        finals = [parse_index(header["end"], place, "end=")]
    if len(starts) > 1:
        raise InputError(f"{place}: expected one start node, found no link to node {starts[0]} nor to node {starts[1]}")
    if not starts or not finals:
        raise InputError(
            f"{place}: expected a lattice without cycles, found links {'from' if starts else 'to'} all nodes"
        )
    for node in (starts[0], *finals):
        if node not in nodes:
            raise InputError(f"{place}: expected a node of the lattice as start and end, found {node}")
    start = starts[0]
    first = _parse_word(lattice.nodes.get(start, {}).get("W", ""))
    if first and header.get("dir") != "b":  # the start node has a word, but no link leads to it
        builder.add(-1, start, first, 0.0)
        if builder.rows is not None:
            builder.rows.append([])
        start = -1
    return builder.lattice(start, dict.fromkeys(finals, 0.0))


class _Scale:
    """Turns the scores of a link into its weight."""

    def __init__(self, header: dict[str, str], place: GraphLocation) -> None:
        def setting(name: str, default: float) -> float:
            return parse_number(header[name], place, f"{name}=") if name in header else default

        self.scales = {name: setting(scale, 1.0) for name, scale in SCORES.items()}
        self.penalty = setting("wdpenalty", 0.0)
        self.base = setting("base", math.e)
        if self.base < 0 or self.base == 1:
            raise InputError(
                f"{place}: expected a base of logarithms above 1, or 0 for likelihoods, found {header['base']}"
            )

    def logarithm(self, score: float, where: GraphLocation) -> float:
        """Return a score as a natural logarithm."""
        if self.base == 0:
            if score <= 0:
                raise InputError(f"{where}: expected likelihoods above 0 because of base=0, found {score}")
            return math.log(score)
        return score if self.base == math.e else score * math.log(self.base)

    def weight(self, row: list[tuple[str, float]], word: str) -> float:
        return sum([self.scales[name] * score for name, score in row], self.penalty if word else 0.0)


def _parse_word(text: str) -> str:
    return "" if text == EMPTY_WORD else text


def _join_fields(names: tuple[str, ...]) -> str:
    return " ".join(f"{name}=" for name in names) or "none"
