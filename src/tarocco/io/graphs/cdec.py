"""Forests of cdec: JSON objects whose keys are ordered and repeated.

{"rules": [1, "[X] ||| a ||| the", 2, "[X] ||| [X] b ||| [1] cat"],
 "features": ["LM"],
 "edges": [{"tail": [], "feats": [0, -1.5], "rule": 1}], "node": {"in_edges": [0], "cat": "X"},
 "edges": [{"tail": [0], "feats": [0, -2.5], "rule": 2}], "node": {"in_edges": [1], "cat": "Goal"}}

The edges of a node precede it; the last node is the goal. A node without edges derives the empty text.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest, Graph
from tarocco.core.json_text import json_text
from tarocco.io.graphs.builder import ForestBuilder, GraphLocation, Row, list_edges, quote

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_SLOT = re.compile(r"\[(?:[^\[\],]+,)?([0-9]{1,9})\]")


def read_cdec(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Forest]:
    """Yield the forests of a file; each ends at the end of a line."""
    unfinished: list[str] = []
    segment = first = depth = 0
    for line, text in lines:
        if not unfinished:
            if not text.strip():
                continue
            first = line
        unfinished.append(text)
        bare = _STRING.sub("", text)
        depth += bare.count("{") - bare.count("}")
        if depth <= 0:
            yield _parse_forest("\n".join(unfinished), GraphLocation(segment, path, first))
            unfinished, depth, segment = [], 0, segment + 1
    if unfinished:
        raise InputError(
            f"{GraphLocation(segment, path, first)}: expected the end of the forest that begins here, found the end of "
            "the file"
        )


def write_cdec(graph: Graph, segment: int) -> str:
    """Return a forest or a lattice as a line of JSON."""
    forest, edges_by_node = list_edges(graph, "cdec", _SLOT.fullmatch)
    names = () if forest.features is None else forest.features.names
    name_index = {name: index for index, name in enumerate(names)}
    rules: dict[str, int] = {}
    nodes: list[str] = []
    n_edges = 0
    for edges in edges_by_node:
        records = []
        for edge in edges:
            source = " ".join(["[X]"] * len(edge.tails))
            target = edge.spell([f"[{slot}]" for slot in range(1, len(edge.tails) + 1)])
            rule = rules.setdefault(f"[X] ||| {source} ||| {target}", len(rules) + 1)
            feats = [part for name, value in edge.features for part in (name_index[name], value)]
            records.append({"tail": edge.tails, "feats": feats, "rule": rule})
        node = {"in_edges": list(range(n_edges, n_edges + len(edges))), "cat": "X"}
        nodes.append(f'"edges":{_to_json(records)},"node":{_to_json(node)}')
        n_edges += len(edges)
    numbered_rules = [part for rule, number in rules.items() for part in (number, rule)]
    return f'{{"rules":{_to_json(numbered_rules)},"features":{_to_json(names)},{",".join(nodes)}}}\n'


def _to_json(value: object) -> str:
    return json_text(value, compact=True)


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object in order, including repeated keys."""


def _parse_forest(text: str, place: GraphLocation) -> Forest:
    builder = ForestBuilder(place, 0)
    rules: dict[int, str] = {}
    names: list[str] = []
    pending: list[_Pairs] = []  # edges whose node follows
    n_edges = 0
    for key, value in _decode(text, place):
        if key == "rules":
            if not isinstance(value, list) or not _alternate(value):
                raise InputError(f"{place}: expected rules as alternating numbers and strings, found {_show(value)}")
            rules.update(zip(value[::2], value[1::2], strict=True))
        elif key == "features":
            if not isinstance(value, list) or not all(map(_is_text, value)):
                raise InputError(f"{place}: expected features as a list of names, found {_show(value)}")
            names += value
        elif key == "edges":
            if not isinstance(value, list) or not all(isinstance(edge, _Pairs) for edge in value):
                raise InputError(f"{place}: expected edges as a list of objects, found {_show(value)}")
            pending += value
        elif key == "node":
            in_edges = dict(value).get("in_edges") if isinstance(value, _Pairs) else None
            if in_edges != list(range(n_edges, n_edges + len(pending))):
                raise InputError(
                    f"{place}: expected in_edges of node {builder.n_nodes} from {n_edges} to "
                    f"{n_edges + len(pending) - 1}, the edges before it, found {_show(in_edges)}"
                )
            for edge in pending:
                _parse_edge(builder, dict(edge), rules, names, n_edges)
                n_edges += 1
            if not pending:
                builder.add(builder.n_nodes, (), (), ())
            builder.n_nodes += 1
            pending = []
    if pending:
        raise InputError(f"{place}: expected a node after the last edges, found the end of the forest")
    if not builder.n_nodes:
        raise InputError(f"{place}: expected a forest with nodes, found {quote(text)}")
    return builder.forest(builder.n_nodes - 1)


def _decode(text: str, place: GraphLocation) -> _Pairs:
    def refuse(constant: str) -> float:
        raise InputError(f"{place}: expected finite numbers, found {constant}")

    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=refuse)
    try:
        forest, end = decoder.raw_decode(text.lstrip())
    except json.JSONDecodeError as error:
        line = place._replace(line=place.line + error.lineno - 1)
        raise InputError(f"{line}, character {error.colno}: expected JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{place}: expected JSON of reasonable depth, found it nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # a number of thousands of digits
        raise InputError(f"{place}: expected JSON numbers of reasonable length, found one that is too long") from None
    rest = text.lstrip()[end:].strip()
    # One of cdec's test files has a quotation mark after the forest.
    if not isinstance(forest, _Pairs) or rest not in ("", '"'):
        raise InputError(f"{place}: expected one JSON object per forest, found {quote(rest or text)}")
    return forest


def _parse_edge(
    builder: ForestBuilder, edge: dict[str, Any], rules: dict[int, str], names: list[str], number: int
) -> None:
    place = builder.place
    tails = edge.get("tail")
    if not isinstance(tails, list) or not all(_is_index(tail, builder.n_nodes) for tail in tails):
        raise InputError(
            f"{place}: expected the tail of edge {number} as a list of earlier nodes, found {_show(tails)}"
        )
    rule = edge.get("rule")
    if not _is_index(rule, 1 << 62) or rule not in rules:
        raise InputError(f"{place}: expected a rule of the forest in edge {number}, found {_show(rule)}")
    feats = edge.get("feats", [])
    if not isinstance(feats, list) or len(feats) % 2 or not all(map(_is_number, feats[1::2])):
        raise InputError(
            f"{place}: expected feats of edge {number} as feature numbers and finite values, found {_show(feats)}"
        )
    if not all(_is_index(name, len(names)) for name in feats[::2]):
        raise InputError(
            f"{place}: expected feature numbers below {len(names)} in edge {number}, found {_show(feats[::2])}"
        )
    row: Row = [(names[name], float(value)) for name, value in zip(feats[::2], feats[1::2], strict=True)]
    builder.add(builder.n_nodes, tails, _parse_items(rules[rule], len(tails), place), row)


def _parse_items(rule: str, n_tails: int, place: GraphLocation) -> list[str | int]:
    """Return the words and slots in the target of a rule, [category] ||| source ||| target."""
    fields = rule.split("|||")
    if len(fields) < 3:
        raise InputError(f"{place}: expected a rule [category] ||| source ||| target, found {quote(rule)}")
    items: list[str | int] = []
    for word in fields[2].split():
        slot = _SLOT.fullmatch(word)
        items.append(-int(slot[1]) if slot else word)
    if sorted(-item for item in items if isinstance(item, int)) != list(range(1, n_tails + 1)):
        raise InputError(
            f"{place}: expected each of {n_tails} tails once in the target of a rule, found {quote(fields[2])}"
        )
    return items


def _alternate(values: list[Any]) -> bool:
    return (
        len(values) % 2 == 0
        and all(map(_is_text, values[1::2]))
        and all(_is_index(value, 1 << 62) for value in values[::2])
    )


def _is_index(value: object, n: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < n


def _is_text(value: object) -> bool:
    """Return whether a value is a string without lone surrogates, which JSON allows and UTF-8 does not."""
    return isinstance(value, str) and value.encode("utf-8", "ignore").decode("utf-8") == value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _show(value: object) -> str:
    """Return a short description of a value for messages."""
    if isinstance(value, list) and not isinstance(value, _Pairs):
        plain = all(isinstance(part, int | float | str) for part in value[:5])
        return quote(json.dumps(value[:5])[:-1] + (", ...]" if value[5:] else "]")) if plain else "a list"
    if isinstance(value, _Pairs):
        return "an object"
    return "none" if value is None else quote(str(value)[:41])
