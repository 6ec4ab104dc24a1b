"""The grammar of metric names: `BLEU-4:smooth=none:length=shortest`.

A name is a stem and, after colons, parameters. A stem may hold colons itself, as far as no key=value follows them:
SP-Op-: is the metric of words with the tag ":". What a stem means and which parameters it takes is the metric's
business; here names are only taken apart and put together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tarocco.core.errors import BadParameter

Value = bool | int | float | str


@dataclass(frozen=True)
class Name:
    """A metric's name, taken apart."""

    stem: str
    parameters: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return ":".join([self.stem, *(f"{key}={value}" for key, value in self.parameters)])


def parse_name(text: str) -> Name:
    """Take a name apart: `BLEU-4:smooth=none` is the stem BLEU-4 with one parameter."""
    parts = text.strip().split(":")
    first = next((place for place, part in enumerate(parts) if place and "=" in part), len(parts))
    stem = ":".join(parts[:first])
    parameters = []
    for part in parts[first:]:
        key, equals, value = part.partition("=")
        if not (equals and key and value):
            raise BadParameter(no_parameter(text, part))
        parameters.append((key, value))
    keys = set()
    for key, _ in parameters:
        if key in keys:
            raise BadParameter(f'"{text}": the parameter "{key}" stands there twice')
        keys.add(key)
    return Name(stem, tuple(parameters))


def no_parameter(name: str, part: str) -> str:
    """What is wrong with something that stands after a colon."""
    return f'"{name}": after a colon a parameter is written key=value, not "{part}"'


def write_value(value: Value) -> str:
    """A parameter's value as it stands in a name: 1.0 is 1, True is yes."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return str(value)


def read_value(text: str, kind: type) -> Value:
    """The value that write_value wrote, as the type of the parameter; ValueError if it is none."""
    if kind is bool:
        return {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}[text.lower()]
    return kind(text)  # type: ignore[no-any-return]


def signature(name: str, parts: Iterable[tuple[str, object]]) -> str:
    """`BLEU-4|nrefs:4|case:mixed|tok:13a|...`: a name and what it takes to repeat the number."""
    return "|".join([name, *(f"{key}:{value}" for key, value in parts)])
