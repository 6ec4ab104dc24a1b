"""The forests that cdec writes as JSON: an object whose keys come in order and repeat.

{"rules": [1, "[X] ||| a ||| the", 2, "[X] ||| [X] b ||| [1] cat"],
 "features": ["LM"],
 "edges": [{"tail": [], "feats": [0, -1.5], "rule": 1}], "node": {"in_edges": [0], "cat": "X"},
 "edges": [{"tail": [0], "feats": [0, -2.5], "rule": 2}], "node": {"in_edges": [1], "cat": "Goal"}}

The edges of a node stand before it; the last node is the goal. A node without edges derives nothing, which is a text.
Strings are JSON's, and so is the depth to which it may be nested.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from typing import Any

from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest
from tarocco.io.graphs.builder import Edges, Place, Row, quoted

_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_SLOT = re.compile(r"\[(?:[^\[\],]+,)?([0-9]{1,9})\]")


def read_cdec(lines: Iterator[tuple[int, str]], path: str) -> Iterator[Forest]:
    """The forests of a file, one behind another; each ends at the end of a line."""
    begun: list[str] = []
    segment = first = depth = 0
    for line, text in lines:
        if not begun:
            if not text.strip():
                continue
            first = line
        begun.append(text)
        bare = _STRING.sub("", text)
        depth += bare.count("{") - bare.count("}")
        if depth <= 0:
            yield _forest("\n".join(begun), Place(segment, path, first))
            begun, depth, segment = [], 0, segment + 1
    if begun:
        raise InputError(f"{Place(segment, path, first)}: the forest that begins here does not end")


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with its keys in order, as often as they occur."""


def _forest(text: str, place: Place) -> Forest:
    edges = Edges(place, 0)
    rules: dict[int, str] = {}
    names: list[str] = []
    waiting: list[_Pairs] = []  # edges whose node comes next
    n_edges = 0
    for key, value in _decoded(text, place):
        if key == "rules":
            if not isinstance(value, list) or not _alternate(value):
                raise InputError(f"{place}: rules are numbers and texts by turns, found {_shown(value)}")
            rules.update(zip(value[::2], value[1::2], strict=True))
        elif key == "features":
            if not isinstance(value, list) or not all(map(_is_text, value)):
                raise InputError(f"{place}: features are a list of names, found {_shown(value)}")
            names += value
        elif key == "edges":
            if not isinstance(value, list) or not all(isinstance(edge, _Pairs) for edge in value):
                raise InputError(f"{place}: edges are a list of objects, found {_shown(value)}")
            waiting += value
        elif key == "node":
            wanted = dict(value).get("in_edges") if isinstance(value, _Pairs) else None
            if wanted != list(range(n_edges, n_edges + len(waiting))):
                raise InputError(
                    f"{place}: the edges before node {edges.n_nodes} are numbers {n_edges} to "
                    f"{n_edges + len(waiting) - 1}, but its in_edges are {_shown(wanted)}"
                )
            for edge in waiting:
                _edge(edges, dict(edge), rules, names, n_edges)
                n_edges += 1
            if not waiting:
                edges.add(edges.n_nodes, (), (), ())
            edges.n_nodes += 1
            waiting = []
    if waiting:
        raise InputError(f"{place}: there are edges behind the last node")
    if not edges.n_nodes:
        raise InputError(f"{place}: a forest of cdec has nodes, found {quoted(text)}")
    return edges.forest(edges.n_nodes - 1)


def _decoded(text: str, place: Place) -> _Pairs:
    def refused(constant: str) -> float:
        raise InputError(f"{place}: numbers are finite, found {constant}")

    decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=refused)
    try:
        found, end = decoder.raw_decode(text.lstrip())
    except json.JSONDecodeError as error:
        line = place._replace(line=place.line + error.lineno - 1)
        raise InputError(f"{line}, character {error.colno}: this is no JSON ({error.msg})") from None
    except RecursionError:
        raise InputError(f"{place}: this JSON is nested too deeply") from None
    except InputError:
        raise
    except ValueError:  # a number of thousands of digits
        raise InputError(f"{place}: this JSON has a number that is too long") from None
    rest = text.lstrip()[end:].strip()
    # One of cdec's own test files has a quotation mark behind the forest.
    if not isinstance(found, _Pairs) or rest not in ("", '"'):
        raise InputError(f"{place}: one JSON object a forest is wanted, found {quoted(rest or text)}")
    return found


def _edge(edges: Edges, edge: dict[str, Any], rules: dict[int, str], names: list[str], which: int) -> None:
    place = edges.place
    tails = edge.get("tail")
    if not isinstance(tails, list) or not all(_is_index(tail, edges.n_nodes) for tail in tails):
        raise InputError(
            f"{place}: the tail of edge {which} is a list of nodes that come before it, found {_shown(tails)}"
        )
    rule = edge.get("rule")
    if not _is_index(rule, 1 << 62) or rule not in rules:
        raise InputError(f"{place}: edge {which} has no rule of the forest, found {_shown(rule)}")
    feats = edge.get("feats", [])
    if not isinstance(feats, list) or len(feats) % 2 or not all(map(_is_number, feats[1::2])):
        raise InputError(
            f"{place}: the feats of edge {which} are names' numbers and finite values, found {_shown(feats)}"
        )
    if not all(_is_index(name, len(names)) for name in feats[::2]):
        raise InputError(f"{place}: edge {which} has a feature that the forest does not name, of {len(names)}")
    row: Row = [(names[name], float(value)) for name, value in zip(feats[::2], feats[1::2], strict=True)]
    edges.add(edges.n_nodes, tails, _items(rules[rule], len(tails), place), row)


def _items(rule: str, n_tails: int, place: Place) -> list[str | int]:
    """The target side of a rule: [category] ||| source ||| target, with [1], [2] for the tails."""
    fields = rule.split("|||")
    if len(fields) < 3:
        raise InputError(f"{place}: a rule is [category] ||| source ||| target, found {quoted(rule)}")
    items: list[str | int] = []
    for word in fields[2].split():
        slot = _SLOT.fullmatch(word)
        items.append(-int(slot[1]) if slot else word)
    if sorted(-item for item in items if isinstance(item, int)) != list(range(1, n_tails + 1)):
        raise InputError(
            f"{place}: the target of a rule has each of its {n_tails} tails once, found {quoted(fields[2])}"
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
    """Whether this is a string that UTF-8 can hold; JSON may have halves of characters."""
    return isinstance(value, str) and value.encode("utf-8", "ignore").decode("utf-8") == value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _shown(value: object) -> str:
    """Any value, as messages show it; what is inside it only where that is short."""
    if isinstance(value, list) and not isinstance(value, _Pairs):
        plain = all(isinstance(part, int | float | str) for part in value[:5])
        return quoted(json.dumps(value[:5])[:-1] + (", ...]" if value[5:] else "]")) if plain else "a list"
    if isinstance(value, _Pairs):
        return "an object"
    return "nothing" if value is None else quoted(str(value)[:41])
