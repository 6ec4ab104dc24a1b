"""The data that come with tarocco."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files

from tarocco.errors import UnknownName

SYSTEMS = ("careful", "literal", "brief")


@dataclass(frozen=True)
class Dataset:
    """Systems, references (one tuple a segment) and document labels."""

    name: str
    systems: dict[str, list[str]]
    references: list[tuple[str, ...]]
    documents: list[str]


def load(name: str = "demo") -> Dataset:
    """A bundled data set by its name; there is one, "demo"."""
    if name != "demo":
        raise UnknownName(f'there is no data set "{name}"; there is demo')
    folder = files("tarocco") / "data" / "demo"

    def lines(file: str) -> list[str]:
        return (folder / f"{file}.txt").read_text("utf-8").splitlines()

    streams = [lines(f"ref{number}") for number in (1, 2, 3, 4)]
    systems = {system: lines(system) for system in SYSTEMS}
    return Dataset(name, systems, list(zip(*streams, strict=True)), lines("documents"))
