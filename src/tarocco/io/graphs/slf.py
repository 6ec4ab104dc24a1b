"""SLF, the lattices of HTK and SRILM: a header of name=value fields, then a line a node and a line an arc.

VERSION=1.0
lmscale=2.0 wdpenalty=-0.5
N=3 L=2
I=0
I=1
I=2
J=0 S=0 E=1 W=the a=-1.5 l=-0.5
J=1 S=1 E=2 W=cat a=-2.0 l=-1.0

The weight of an arc is acscale a + lmscale l + ngscale n + prscale r + wdpenalty, in natural logarithms (the header's
base is that of the file); an arc without a word has no penalty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tarocco.core.errors import InputError
from tarocco.core.graphs import Lattice
from tarocco.io.graphs.builder import Arcs, Place, Row, number, quoted, whole

EMPTY_WORD = "!NULL"
SCORES = {"a": "acscale", "l": "lmscale", "n": "ngscale", "r": "prscale"}  # fields of arcs, and what scales them
WEIGHT = "weight"  # a field of ours, which SLF allows: the weight itself
_LONG = {  # long names of fields
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
_ESCAPE = re.compile(r"((?:\\[0-3][0-7]{2})+)|\\(.)", re.DOTALL)  # bytes, in octal; or the character itself


@dataclass
class _Seen:
    """What was read of a lattice so far."""

    place: Place
    header: dict[str, str] = field(default_factory=dict)
    nodes: dict[int, dict[str, str]] = field(default_factory=dict)
    links: list[tuple[int, dict[str, str]]] = field(default_factory=list)  # with their lines
    numbers: set[int] = field(default_factory=set)  # of the links


def read_slf(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Lattice]:
    """The lattices of a file; a new one begins with the next header, or behind a line with a period."""
    seen: _Seen | None = None
    segment = 0
    for line, text in lines:
        place = Place(segment, path, line)
        stripped = text.strip()
        if not stripped or stripped.startswith("#"):
            continue
        fields = {} if stripped == "." else _fields(text, place)
        is_node, is_link = "I" in fields, "J" in fields
        if seen and (not fields or ((seen.nodes or seen.links) and not is_node and not is_link)):
            yield _lattice(seen)
            seen, segment = None, segment + 1
        if not fields:
            continue
        if seen is None:
            seen = _Seen(Place(segment, path, line))
        if is_node or is_link:
            _take(seen, fields, line, is_node)
        else:
            seen.header.update(fields)
    if seen:
        yield _lattice(seen)


def _take(seen: _Seen, fields: dict[str, str], line: int, is_node: bool) -> None:
    where = seen.place._replace(line=line)
    if is_node:
        which = whole(fields["I"], where, "the number of a node (I=)")
        if which in seen.nodes:
            raise InputError(f"{where}: there is a node {which} already")
        seen.nodes[which] = fields
    else:
        which = whole(fields["J"], where, "the number of a link (J=)")
        if which in seen.numbers:
            raise InputError(f"{where}: there is a link {which} already")
        seen.numbers.add(which)
        seen.links.append((line, fields))


def _fields(text: str, place: Place) -> dict[str, str]:
    """The fields of a line, by their short names."""
    fields: dict[str, str] = {}
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _FIELD.match(text, at)
        if match is None:
            raise InputError(f"{place}: fields name=value are wanted, found {quoted(text[at:].strip())}")
        name, value = match.groups()
        if value[:1] in "\"'" and value[1:] and value[-1] == value[0]:
            value = value[1:-1]
        fields[_LONG.get(name, name)] = _unescaped(value, place) if "\\" in value else value
        at = match.end()
    return fields


def _unescaped(value: str, place: Place) -> str:
    def characters(match: re.Match[str]) -> str:
        if match[2]:
            return match[2]
        try:
            return bytes(int(octal, 8) for octal in match[1].split("\\")[1:]).decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(f"{place}: the bytes {match[1]} in {quoted(value)} are no UTF-8") from None

    return _ESCAPE.sub(characters, value)


def _lattice(seen: _Seen) -> Lattice:
    place, header = seen.place, seen.header
    if "SUBLAT" in header:
        raise InputError(f"{place}: sub-lattices are not read, found SUBLAT={header['SUBLAT']}")
    for name, found, what in (("N", len(seen.nodes), "nodes"), ("L", len(seen.links), "links")):
        if name not in header:
            raise InputError(f"{place}: the header of a lattice says how many {what} there are, {name}= is missing")
        wanted = whole(header[name], place, f"the number of {what} ({name}=)")
        if found != wanted and (found or name == "L"):  # nodes need not be listed
            raise InputError(f"{place}: {wanted} {what} are announced ({name}=), but {found} are there")
    n_nodes = int(header["N"])
    if n_nodes == 0:
        return Arcs(place).lattice(0, {0: 0.0})
    scale = _Scale(header, place)
    arcs = Arcs(place, nodes=sorted(seen.nodes) or ([0] if n_nodes == 1 else []))
    given: tuple[str, ...] | None = None
    rows: list[Row] = []
    word_at = "S" if header.get("dir") == "b" else "E"
    for line, link in seen.links:
        where = place._replace(line=line)
        ends = {}
        for name in "SE":
            if name not in link:
                raise InputError(f"{where}: a link has a start and an end, {name}= is missing")
            ends[name] = whole(link[name], where, f"a node ({name}=)")
            if ends[name] not in seen.nodes if seen.nodes else ends[name] >= n_nodes:
                raise InputError(f"{where}: there is no node {ends[name]}")
        word = _word(link["W"] if "W" in link else seen.nodes.get(ends[word_at], {}).get("W", ""))
        have = tuple(name for name in SCORES if name in link)
        given = have if given is None else given
        if have != given:
            raise InputError(
                f"{where}: links have the same scores, the first one has {_named(given)}, this {_named(have)}"
            )
        row = [(name, scale.logarithm(number(link[name], where, f"{name}="), where)) for name in have]
        rows.append(row)
        weight = number(link[WEIGHT], where, f"{WEIGHT}=") if WEIGHT in link else scale.weight(row, word)
        arcs.add(ends["S"], ends["E"], word, weight)
    if given and len(given) > 1:
        arcs.rows = rows
    return _ended(arcs, seen)


def _ended(arcs: Arcs, seen: _Seen) -> Lattice:
    """The lattice between its start and its final nodes: those of the header, or those at the ends of arcs alone."""
    place, header = seen.place, seen.header
    nodes = sorted({*arcs.nodes, *arcs.sources, *arcs.targets})
    starts = [whole(header["start"], place, "start=")] if "start" in header else sorted({*nodes} - {*arcs.targets})
    finals = [whole(header["end"], place, "end=")] if "end" in header else sorted({*nodes} - {*arcs.sources})
    if len(starts) > 1:
        raise InputError(f"{place}: one start is wanted, but no link leads to node {starts[0]} nor to node {starts[1]}")
    if not starts or not finals:
        raise InputError(
            f"{place}: a lattice has no cycles, but all nodes have links {'to' if not starts else 'from'} them"
        )
    for node in (starts[0], *finals):
        if node not in nodes:
            raise InputError(f"{place}: there is no node {node}, which is the start or the end of the lattice")
    start = starts[0]
    first = _word(seen.nodes.get(start, {}).get("W", ""))
    if first and header.get("dir") != "b":  # a word that no link leads to
        arcs.add(-1, start, first, 0.0)
        if arcs.rows is not None:
            arcs.rows.append([])
        start = -1
    return arcs.lattice(start, dict.fromkeys(finals, 0.0))


class _Scale:
    """How scores become weights."""

    def __init__(self, header: dict[str, str], place: Place) -> None:
        self.scales = {name: self._of(header, scale, 1.0, place) for name, scale in SCORES.items()}
        self.penalty = self._of(header, "wdpenalty", 0.0, place)
        self.base = self._of(header, "base", math.e, place)
        if self.base < 0 or self.base == 1:
            raise InputError(
                f"{place}: the base of logarithms is a number above 1, or 0 for none, found {header['base']}"
            )

    @staticmethod
    def _of(header: dict[str, str], name: str, default: float, place: Place) -> float:
        return number(header[name], place, f"{name}=") if name in header else default

    def logarithm(self, score: float, where: Place) -> float:
        """A score as a natural logarithm."""
        if self.base == 0:
            if score <= 0:
                raise InputError(f"{where}: with base=0 scores are likelihoods above 0, found {score}")
            return math.log(score)
        return score if self.base == math.e else score * math.log(self.base)

    def weight(self, row: list[tuple[str, float]], word: str) -> float:
        """What an arc counts, from its scores."""
        return sum([self.scales[name] * score for name, score in row], self.penalty if word else 0.0)


def _word(written: str) -> str:
    return "" if written == EMPTY_WORD else written


def _named(names: tuple[str, ...]) -> str:
    return " ".join(f"{name}=" for name in names) or "none"
