"""Model scores and features of the candidates in n-best lists, and files of feature weights.

id ||| text ||| lm: -4.1 -2 w: -9 ||| -14.6            Moses before 2013
id ||| text ||| LM0= -4.1 -2 Penalty0= -9 ||| -14.6    Moses, Marian; cdec writes LM0=-4.1
id ||| text ||| -14.6                                  a score alone
H-id<TAB>-0.7<TAB>text                                 fairseq
{"id": 0, "candidates": [{"text": "text", "score": -14.6, "features": {"lm": [-4.1, -2], "w": -9}}]}
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.io.files import display_name, format_suffix, read_bytes
from tarocco.io.nbest.lists import NBestList
from tarocco.io.tables import LARGEST, format_value, parse_json_lines

Floats = NDArray[np.float64]
Weights = dict[str, tuple[float, ...]]

_SPACE = rb"[^\S\n]*"
_BARS = rb"^[^|\n]*+\|\|\|(?>.*?\|\|\|)"  # id and text, without backtracking: many bars would take forever
_SCORE = re.compile(
    rb"%b(?:.*?\|\|\|%b([^\s|]+)%b(?:\|\|\|.*)?|%b([^\s|]+)%b)$" % (_BARS, _SPACE, _SPACE, _SPACE, _SPACE), re.MULTILINE
)
_FEATURES = re.compile(rb"%b(.*?)(?:\|\|\|.*)?$" % _BARS, re.MULTILINE)
_NAME = re.compile(rb"(?<=[^\s=:])[=:](?=\S)")  # a name and its value without a space between them
_NAME_ENDS = (b"=", b":")


@dataclass(frozen=True, eq=False)
class CandidateFeatures:
    """The features of a list's candidates: row i of `values` has those of candidate i, feature after feature.

    Feature k has the name names[k] and sizes[k] values.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    values: Floats


def parse_scores(nbest: NBestList) -> Floats:
    """Return the model score of each candidate of a list."""
    written = nbest.written
    if written is None:
        raise InputError(f"{nbest.where(0)}: expected a model score per candidate, found only texts")
    if written.form == "json":
        texts: Sequence[Any] = [
            None if isinstance(candidate, str) else candidate.get("score") for candidate in _candidates(written.lines)
        ]
    elif written.form == "bars":
        texts = [b"".join(groups) for groups in _SCORE.findall(written.lines)]
        if len(texts) != len(nbest.candidates):
            texts = _search_each_line(written.lines, _SCORE)
    else:
        texts = re.findall(rb"^%b-[0-9]+\t([^\t\n]*)\t" % written.form.encode(), written.lines, re.MULTILINE)
    return _parse_numbers(nbest, texts, "a number as score")


def parse_features(nbest: NBestList) -> CandidateFeatures:
    """Return the features of each candidate of a list; all must have the same ones in the same order."""
    written = nbest.written
    if written is None or written.form not in ("bars", "json"):
        raise InputError(f"{nbest.where(0)}: expected features, found only texts")
    if written.form == "json":
        rows = [_json_features(candidate) for candidate in _candidates(written.lines)]
    else:
        rows = _FEATURES.findall(written.lines)
        if len(rows) != len(nbest.candidates):
            rows = _search_each_line(written.lines, _FEATURES)
    layout = _split_features(rows[0])
    names = [i for i, part in enumerate(layout) if part.endswith(_NAME_ENDS)]
    if not names or names[0] != 0 or len(names) == len(layout):
        raise InputError(
            f'{nbest.where(0)}: expected features such as "LM0= -4.1 -2" or "lm: -4.1 -2" after the text, '
            f'found "{b" ".join(layout).decode()[:40]}"'
        )
    parts = _split_features(b"\n".join(rows))
    # If one line were longer and another one shorter, names would not be in the same columns.
    if len(parts) != len(rows) * len(layout) or any(parts[i :: len(layout)] != [layout[i]] * len(rows) for i in names):
        raise _different_features(nbest, rows, names, layout)
    sizes = np.diff([*names, len(layout)]) - 1
    values = [i for i, part in enumerate(layout) if not part.endswith(_NAME_ENDS)]
    columns = [_parse_numbers(nbest, parts[i :: len(layout)], "a number as value of a feature") for i in values]
    decoded = tuple(layout[i][:-1].decode() for i in names)
    return CandidateFeatures(decoded, tuple(sizes.tolist()), np.stack(columns, axis=1))


def _split_features(row: bytes) -> list[bytes]:
    """Return names and values; names end with their equals sign or colon."""
    return _NAME.sub(rb"\g<0> ", row).split()


def _different_features(
    nbest: NBestList, rows: Sequence[bytes], names: Sequence[int], layout: Sequence[bytes]
) -> InputError:
    """Return the error for the first line whose features differ from those of the first line."""
    expected = [layout[i] for i in names]
    i, row = next(
        (i, row)
        for i, row in enumerate(map(_split_features, rows))
        if len(row) != len(layout) or [row[k] for k in names] != expected
    )
    return InputError(
        f"{nbest.where(i)}: expected the features of the list's first candidate, {_describe_layout(layout)}, "
        f"found {_describe_layout(row)}"
    )


def _describe_layout(row: Iterable[bytes]) -> str:
    """Return the names of a line's features with their numbers of values."""
    counts: dict[str, int] = {}
    name = ""
    for part in row:
        if part.endswith(_NAME_ENDS):
            name = part[:-1].decode()
        counts[name] = counts.get(name, -1) + 1
    return ", ".join(f"{name} ({count})" for name, count in counts.items()) or "none"


def _search_each_line(lines: bytes, pattern: re.Pattern[bytes]) -> list[bytes]:
    """Return the match in each line, empty if there is none."""
    matches = (pattern.search(line) for line in lines.rstrip(b"\n").split(b"\n"))
    return [b"" if match is None else b"".join(group or b"" for group in match.groups()) for match in matches]


def _parse_numbers(nbest: NBestList, texts: Sequence[Any], expected: str) -> Floats:
    """Return one finite number per candidate; InputError with its line otherwise."""
    try:
        numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    except (TypeError, ValueError, OverflowError):
        numbers = np.array([_parse_float(text) for text in texts])
    wrong = np.flatnonzero(~(np.abs(numbers) <= LARGEST))
    if len(wrong):
        text = texts[wrong[0]]
        actual = text.decode() if isinstance(text, bytes) else "" if text is None else format_value(text)
        quoted = f'"{actual}"' if actual else "none"
        raise InputError(f"{nbest.where(int(wrong[0]))}: expected {expected}, found {quoted}")
    return numbers


def _parse_float(text: Any) -> float:
    try:
        return float(text)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def _candidates(line: bytes) -> list[Any]:
    ((_, record),) = parse_json_lines("", line.decode())  # the line was parsed before
    candidates: list[Any] = record["candidates"]
    return candidates


def _json_features(candidate: Any) -> bytes:
    """Return the features of a JSON candidate in the notation of Moses."""
    parts: list[str] = []
    features = candidate.get("features") if isinstance(candidate, dict) else None
    for name, values in features.items() if isinstance(features, dict) else ():
        parts.append(f"{name}=")
        parts += [json.dumps(value) for value in (values if isinstance(values, list) else [values])]
    return " ".join(parts).encode("utf-8", "backslashreplace")  # JSON strings may have lone surrogates


# --- weights -------------------------------------------------------------------------------------------------------


def read_weights(path: str) -> Weights:
    """Read the weights of features from a Moses configuration or, if the file's name ends in .json, from JSON.

    [weight]
    LM0= 0.5 0.2                             one line per feature; other sections are ignored
    Penalty0= -0.1

    {"LM0": [0.5, 0.2], "Penalty0": -0.1}    or the same under "weights", as `tarocco tune -o weights.json` writes it
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{display_name(path)}: expected UTF-8 text, found the byte 0x{error.object[error.start]:02x} at byte "
            f"{error.start}"
        ) from None
    weights = _parse_json_weights(text, path) if format_suffix(path) == ".json" else _parse_moses_weights(text, path)
    if not weights:
        raise InputError(f"{display_name(path)}: expected weights of features, found none")
    return weights


def _parse_moses_weights(text: str, path: str) -> Weights:
    weights: Weights = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.partition("#")[0].strip()
        where = f"{display_name(path)}, line {number}"
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif line and section == "weight":
            name, equals, values = line.partition("=")
            name = name.strip()
            if not (equals and name and values.split()):
                raise InputError(f'{where}: expected a feature and its weights such as "LM0= 0.5 0.2", found "{line}"')
            if name in weights:
                raise InputError(f"{where}: expected each feature once, found {name} twice")
            weights[name] = tuple(_parse_weight(value, name, where) for value in values.split())
    if not weights:
        raise InputError(
            f'{display_name(path)}: expected lines such as "LM0= 0.5 0.2" after [weight], found none (a JSON file must '
            "end in .json)"
        )
    return weights


def _parse_json_weights(text: str, path: str) -> Weights:
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{display_name(path)}, line {error.lineno}: expected JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a thousand brackets
        raise InputError(f"{display_name(path)}: expected JSON of reasonable size ({error})") from None
    if isinstance(record, dict) and isinstance(record.get("weights"), dict):
        record = record["weights"]
    return check_weights(record, display_name(path))


def check_weights(weights: Mapping[str, Any], where: str = "weights") -> Weights:
    """Return weights, which are one number or several per feature, as tuples; InputError if they are anything else."""
    if not isinstance(weights, Mapping):
        raise InputError(
            f'{where}: expected a mapping such as {{"LM0": [0.5, 0.2], "w": -1}}, found {reprlib.repr(weights)}'
        )
    checked: Weights = {}
    for name, values in weights.items():
        several = values if isinstance(values, list | tuple) else [values]
        checked[str(name)] = tuple(_parse_weight(value, name, where) for value in several)
    return checked


def _parse_weight(value: Any, name: str, where: str) -> float:
    number = math.nan if isinstance(value, bool | None) else _parse_float(value)
    if not abs(number) <= LARGEST:
        raise InputError(f"{where}: expected a finite number as weight of {name}, found {reprlib.repr(value)}")
    return number
