"""What stands beside the texts of n-best lists: the model's score of each candidate, and its features.

id ||| text ||| lm: -4.1 -2 w: -9 ||| -14.6      Moses of old
id ||| text ||| LM0= -4.1 -2 Penalty0= -9 ||| -14.6    Moses, Marian; also LM0=-4.1, as cdec has it
id ||| text ||| -14.6                            a score alone
H-id<TAB>-0.7<TAB>text                           fairseq
{"id": 0, "candidates": [{"text": "text", "score": -14.6, "features": {"lm": [-4.1, -2], "w": -9}}]}
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.io.nbest.lists import NBestList
from tarocco.io.tables import json_lines, told

Floats = NDArray[np.float64]

_SPACE = rb"[^\S\n]*"
_BARS = rb"^[^|\n]*+\|\|\|(?>.*?\|\|\|)"  # id and text; never looked at again, or many bars would take forever
_SCORE = re.compile(
    rb"%b(?:.*?\|\|\|%b([^\s|]+)%b(?:\|\|\|.*)?|%b([^\s|]+)%b)$" % (_BARS, _SPACE, _SPACE, _SPACE, _SPACE), re.MULTILINE
)
_FEATURES = re.compile(rb"%b(.*?)(?:\|\|\|.*)?$" % _BARS, re.MULTILINE)
_NAME = re.compile(rb"(?<=[^\s=:])[=:](?=\S)")  # a name and its value written together
_NAMES = (b"=", b":")


@dataclass(frozen=True, eq=False)
class Features:
    """The features of a list's candidates: values[i] is candidate i's, feature after feature.

    Feature k has the name names[k] and sizes[k] values.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    values: Floats

    def __getitem__(self, name: str) -> Floats:
        """float64[candidates, size]: the values of one feature."""
        k = self.names.index(name)
        first = sum(self.sizes[:k])
        return self.values[:, first : first + self.sizes[k]]


def scores_of(one: NBestList) -> Floats:
    """float64[candidates]: what the model gave each candidate of a list, as its file has it."""
    written = one.written
    if written is None:
        raise InputError(f"{one.where(0)}: there are no scores in this list, only texts")
    if written.form == "json":
        texts: Sequence[Any] = [
            None if isinstance(candidate, str) else candidate.get("score") for candidate in _record(written.lines)
        ]
    elif written.form == "bars":
        texts = [b"".join(found) for found in _SCORE.findall(written.lines)]
        if len(texts) != len(one.candidates):
            texts = _each_line(written.lines, _SCORE)
    else:
        texts = re.findall(rb"^%b-[0-9]+\t([^\t\n]*)\t" % written.form.encode(), written.lines, re.MULTILINE)
    return _numbers(one, texts, "a score")


def features_of(one: NBestList) -> Features:
    """The features of each candidate of a list; all have the same ones, in the same order."""
    written = one.written
    if written is None or written.form not in ("bars", "json"):
        raise InputError(f"{one.where(0)}: there are no features in this list")
    if written.form == "json":
        rows = [_of_record(candidate) for candidate in _record(written.lines)]
    else:
        rows = _FEATURES.findall(written.lines)
        if len(rows) != len(one.candidates):
            rows = _each_line(written.lines, _FEATURES)
    layout = _parts(rows[0])
    names = [i for i, part in enumerate(layout) if part.endswith(_NAMES)]
    if not names or names[0] != 0 or len(names) == len(layout):
        raise InputError(f'{one.where(0)}: features such as "LM0= -4.1 -2" or "lm: -4.1 -2" are wanted behind the text')
    wanted = [layout[i] for i in names]
    parts = _parts(b"\n".join(rows))
    # Were a line longer and another one shorter, names would not stand below each other.
    if len(parts) != len(rows) * len(layout) or any(parts[i :: len(layout)] != [layout[i]] * len(rows) for i in names):
        raise InputError(_other_features(one, rows, names, layout))
    sizes = np.diff([*names, len(layout)]) - 1
    named = set(names)
    kept = [i for i in range(len(layout)) if i not in named]
    columns = [_numbers(one, parts[i :: len(layout)], "a feature's value") for i in kept]
    return Features(tuple(name[:-1].decode() for name in wanted), tuple(sizes.tolist()), np.stack(columns, axis=1))


def _parts(row: bytes) -> list[bytes]:
    """Names and values, names with what ends them."""
    return _NAME.sub(rb"\g<0> ", row).split()


def _other_features(one: NBestList, rows: Sequence[bytes], names: Sequence[int], layout: Sequence[bytes]) -> str:
    """What is wrong with the first line whose features are not those of the first line."""
    wanted = [layout[i] for i in names]
    different = (
        (i, row)
        for i, row in enumerate(map(_parts, rows))
        if len(row) != len(layout) or [row[k] for k in names] != wanted
    )
    i, row = next(different)
    return (
        f"{one.where(i)}: all candidates of a list have the same features, but {_layout(row)} is not {_layout(layout)}"
    )


def _layout(row: Iterable[bytes]) -> str:
    """The names of a line's features, and how many values each has."""
    counts: dict[str, int] = {}
    name = ""
    for part in row:
        if part.endswith(_NAMES):
            name = part[:-1].decode()
        counts[name] = counts.get(name, -1) + 1
    return ", ".join(f"{name} ({count})" for name, count in counts.items()) or "nothing"


def _each_line(lines: bytes, pattern: re.Pattern[bytes]) -> list[bytes]:
    """What a pattern finds in each line, nothing where it does not."""
    found = (pattern.search(line) for line in lines.rstrip(b"\n").split(b"\n"))
    return [b"" if match is None else b"".join(one or b"" for one in match.groups()) for match in found]


def _numbers(one: NBestList, texts: Sequence[Any], what: str) -> Floats:
    """A number a candidate; what is none, and what is not finite, is told with its line."""
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([_number(text) for text in texts])
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        text = texts[wrong[0]]
        shown = text.decode() if isinstance(text, bytes) else "" if text is None else told(text)
        raise InputError(
            f"{one.where(int(wrong[0]))}: {what} is a number" + (f', not "{shown}"' if shown else ", but there is none")
        )
    return numbers


def _number(text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _record(line: bytes) -> list[Any]:
    ((_, record),) = json_lines("", line.decode())  # it was read before
    candidates: list[Any] = record["candidates"]
    return candidates


def _of_record(candidate: Any) -> bytes:
    """The features of a candidate in JSON, in the words of Moses."""
    found: list[str] = []
    features = candidate.get("features") if isinstance(candidate, dict) else None
    for name, values in features.items() if isinstance(features, dict) else ():
        found.append(f"{name}=")
        found += [json.dumps(value) for value in (values if isinstance(values, list) else [values])]
    return " ".join(found).encode("utf-8", "backslashreplace")  # JSON may have halves of characters
