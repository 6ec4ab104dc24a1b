"""The grammar of metric names: `BLEU-4:smooth=none:length=shortest`.

A name is a stem followed by parameters, each after a colon. A stem may contain colons that are not followed by
key=value: SP-Op-: is the metric of words with the tag ":". This module parses and writes names; metrics define what
stems and parameters mean.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tarocco.core.errors import BadParameter

Value = bool | int | float | str


@dataclass(frozen=True)
class MetricName:
    """A parsed metric name."""

    stem: str
    parameters: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ":".join([self.stem, *(f"{key}={value}" for key, value in self.parameters)])


def parse_name(text: str) -> MetricName:
    """Parse a metric name: `BLEU-4:smooth=none` is the stem BLEU-4 with one parameter."""
    parts = text.strip().split(":")
    first = next((i for i, part in enumerate(parts) if i and "=" in part), len(parts))
    stem = ":".join(parts[:first])
    parameters = []
    for part in parts[first:]:
        key, equals, value = part.partition("=")
        if not (equals and key and value):
            raise BadParameter(describe_bad_parameter(text, part))
        parameters.append((key, value))
    keys = set()
    for key, _ in parameters:
        if key in keys:
            raise BadParameter(f'"{text}": the parameter "{key}" occurs twice')
        keys.add(key)
    return MetricName(stem, tuple(parameters))


def describe_bad_parameter(name: str, part: str) -> str:
    """Return the message about a part of a name that is not a parameter."""
    return f'"{name}": after a colon, expected a parameter key=value, not "{part}"'


def write_value(value: Value) -> str:
    """Write a parameter's value as names have it: 1.0 is 1, True is yes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)


def read_value(text: str, kind: type) -> Value:
    """Read a value that `write_value` wrote; raises KeyError or ValueError if the text is not of this type."""
    if kind is bool:
        return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[text.lower()]
    return kind(text)  # type: ignore[no-any-return]


def write_signature(name: str, parts: Iterable[tuple[str, object]]) -> str:
    """Write `BLEU-4|nrefs:4|case:mixed|tok:13a|...`: a name and the settings needed to repeat the number."""
    return "|".join([name, *(f"{key}:{value}" for key, value in parts)])
