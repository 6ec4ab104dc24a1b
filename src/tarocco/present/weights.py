"""Weights of features as files: a [weight] section as Moses has it, or JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tarocco._version import __version__
from tarocco.errors import InputError
from tarocco.present.writing import check_writable, write_whole
from tarocco.search.tuned import TuneResult
from tarocco.search.weights import Weights

SUFFIXES = (".json", ".ini")


def check_weights(path: str) -> None:
    """Refuse, before any work is done, a name that tells no form, or where nothing can be written."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: weights are written as weights.json or, in the form of Moses, as weights.ini")
    check_writable(path)


def write_weights(path: str, result: TuneResult) -> None:
    """Write tuned weights, and how they were found; all digits, so that what is read back chooses the same."""
    check_weights(path)
    how = [one.signature for one in result.metrics]
    text = json_form(result.weights, how) if Path(path).suffix.lower() == ".json" else moses_form(result.weights, how)
    write_whole(path, text.encode())


def moses_form(weights: Weights, how: list[str]) -> str:
    """Lines such as `LM0= 0.5 0.2`, below comments."""
    told = [f"# tarocco {__version__}: {line}" for line in how]
    lines = [f"{name}= {' '.join(map(repr, values))}" for name, values in weights.items()]
    return "\n".join([*told, "[weight]", *lines, ""])


def json_form(weights: Weights, how: list[str]) -> str:
    """An object; a feature with one value has a number, others a list."""
    plain = {name: values[0] if len(values) == 1 else list(values) for name, values in weights.items()}
    return (
        json.dumps({"tarocco": __version__, "signatures": how, "weights": plain}, indent=1, ensure_ascii=False) + "\n"
    )
