"""Weights of features, as Moses has them in its configuration, or as JSON.

[weight]
LM0= 0.5 0.2                          a line a feature; other sections are passed over
Penalty0= -0.1

{"LM0": [0.5, 0.2], "Penalty0": -0.1}    or the same under "weights", as `tarocco tune -o weights.json` writes it
"""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Mapping
from typing import Any

from tarocco.core.errors import InputError
from tarocco.io.files import bytes_of, shown
from tarocco.io.markup import format_of

Weights = dict[str, tuple[float, ...]]


def read_weights(path: str) -> Weights:
    """The weights of each feature; a name that ends in .json says that the file is JSON."""
    try:
        text = bytes_of(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{shown(path)}: weights are text, and this is not UTF-8 (byte {error.start})") from None
    found = _from_json(text, path) if format_of(path) == ".json" else _from_ini(text, path)
    if not found:
        raise InputError(f"{shown(path)}: there are no weights in this file")
    return found


def _from_ini(text: str, path: str) -> Weights:
    found: Weights = {}
    section = ""
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.partition("#")[0].strip()
        where = f"{shown(path)}, line {number}"
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif line and section == "weight":
            name, equals, values = line.partition("=")
            name = name.strip()
            if not (equals and name and values.split()):
                raise InputError(
                    f'{where}: a feature and its weights, such as "LM0= 0.5 0.2", are wanted, found "{line}"'
                )
            if name in found:
                raise InputError(f"{where}: {name} has weights already")
            found[name] = tuple(_number(value, name, where) for value in values.split())
    if not found:
        raise InputError(
            f'{shown(path)}: lines such as "LM0= 0.5 0.2" below [weight] are wanted (a file of JSON is called .json)'
        )
    return found


def _from_json(text: str, path: str) -> Weights:
    try:
        read = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{shown(path)}, line {error.lineno}: this is not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, a thousand brackets
        raise InputError(f"{shown(path)}: this is not JSON that can be read ({error})") from None
    if isinstance(read, dict) and isinstance(read.get("weights"), dict):
        read = read["weights"]
    if not isinstance(read, dict):
        raise InputError(f'{shown(path)}: an object such as {{"LM0": [0.5, 0.2], "w": -1}} is wanted')
    return weights_of(read, shown(path))


def weights_of(given: Mapping[str, Any], where: str = "weights") -> Weights:
    """Weights that a program or a file of JSON has, checked: a number a feature, or several."""
    if not isinstance(given, Mapping):
        raise InputError(f'{where}: a mapping such as {{"LM0": [0.5, 0.2], "w": -1}} is wanted, not {given!r}')
    found: Weights = {}
    for name, values in given.items():
        several = values if isinstance(values, list | tuple) else [values]
        found[str(name)] = tuple(_number(value, name, where) for value in several)
    return found


def _number(value: Any, name: str, where: str) -> float:
    try:
        number = math.nan if isinstance(value, bool | None) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{where}: a weight of {name} is a number, not {reprlib.repr(value)}")
    return number
