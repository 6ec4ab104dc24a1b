"""IQeval.config: what the files of a test bed are called, and its sets of metrics, systems, references and segments.

ref=R0 reference_file.txt.1
some_metrics= BLEU-4 NIST-5
some_segs= 1-3, 10, 50-100

A set that is longer than a line goes on in lines that begin with a space. Users add sets; what IQsetup has not written
stays as it is when IQsetup writes the file again.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tarocco._version import __version__
from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments
from tarocco.io.files import STANDARD_INPUT, read_bytes
from tarocco.io.tables import suggest_names
from tarocco.io.text import check_utf8, read_lines
from tarocco.iqmt.names import FAMILIES, by_family, computed, member, written

_KEYS = ("NAME", "IQMT", "source", "ref", "system")
Read = TypeVar("Read")


@dataclass(frozen=True)
class Text:
    """A file of a test bed and what is in it."""

    path: str
    segments: Segments = field(repr=False, compare=False)


@dataclass(frozen=True)
class Setup:
    """What IQsetup.config says, and the texts that it names."""

    path: str
    name: str
    source: str | None
    references: tuple[Text, ...]
    systems: tuple[Text, ...]
    metrics: dict[str, tuple[str, ...]]  # by family


def lines_of(path: str) -> list[str]:
    """The lines of a configuration file."""
    data = read_bytes(path)
    check_utf8(data, path)
    if b"\0" in data:
        raise InputError(f"{path}, line {data[: data.index(0)].count(10) + 1}: text is wanted, found a byte of zero")
    return data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def refuse(path: str, mistakes: list[str]) -> None:
    """Raise InputError with all mistakes of a file, if there are any."""
    if mistakes:
        found = [f"{path} has {len(mistakes)} mistakes:"] * (len(mistakes) > 1) + mistakes
        raise InputError("\n  ".join(found))


def read_setup(path: str) -> Setup:
    """Read IQsetup.config and the texts it names; InputError tells every mistake, with its line."""
    reading = _Reading(path)
    for number, line in enumerate(lines_of(path), start=1):
        reading.line = number
        if line.strip() and not line.lstrip().startswith("#"):
            reading.take(line.strip())
    return reading.setup()


class _Reading:
    """One file being read: its mistakes are collected, and told together."""

    def __init__(self, path: str) -> None:
        self.path, self.line = path, 0
        self.mistakes: list[str] = []
        self.name: str | None = None
        self.texts: dict[str, list[Text]] = {"source": [], "ref": [], "system": []}
        self.metrics: dict[str, list[str]] = {}
        self.first: Text | None = None  # whose number of lines all others must have

    def wrong(self, sentence: str) -> None:
        self.mistakes.append(f"{self.path}, line {self.line}: {sentence}")

    def take(self, line: str) -> None:
        key, equals, value = (part.strip() for part in line.partition("="))
        asked = re.match(r"do(\S+)", line)
        if asked:
            self.take_metrics(asked[1], line.split()[1:])
        elif not equals or key not in _KEYS:
            hint = suggest_names(key.split()[0] if key else "", [*_KEYS, *(f"do{family}" for family in FAMILIES)])
            self.wrong(f'KEY=VALUE or doFAMILY is wanted, found "{_short(line)}" ({hint})')
        elif not value and key != "IQMT":
            self.wrong(f"nothing stands behind {key}=")
        elif key == "NAME":
            self.name = value
        elif key != "IQMT":  # where the old programs were
            self.take_file(key, value)

    def take_metrics(self, family: str, names: list[str]) -> None:
        if family not in FAMILIES:
            self.wrong(
                f'there is no "do{_short(family)}" ({suggest_names(f"do{family}", [f"do{one}" for one in FAMILIES])})'
            )
            return
        asked = self.metrics.setdefault(family, [])
        for name in names or FAMILIES[family]:
            found = self.tried(lambda name=name: member(family, name))  # type: ignore[misc]
            if found is not None and found not in asked:
                asked.append(found)

    def take_file(self, key: str, value: str) -> None:
        if key == "source" and self.texts["source"]:
            self.wrong(f"a test bed has one source, and {self.texts['source'][0].path} is it already")
            return
        text = self.tried(lambda: read_text(value, self.path))
        if text is None:
            return
        if self.first is not None and len(text.segments) != len(self.first.segments):
            self.wrong(
                f"{text.path} has {len(text.segments)} lines, {self.first.path} has {len(self.first.segments)}; "
                "all files must have the same number"
            )
            return
        self.first = self.first or text
        self.texts[key].append(text)

    def tried(self, function: Callable[[], Read]) -> Read | None:
        """What a function returns; what it raises is a mistake."""
        try:
            return function()
        except InputError as error:
            self.wrong(str(error))
            return None

    def setup(self) -> Setup:
        if not self.mistakes:
            for key, what in (("ref", "references, such as ref=FILE"), ("system", "systems, such as system=FILE")):
                if not self.texts[key]:
                    self.mistakes.append(f"{self.path}: there are no {what}")
            if not self.metrics:
                self.mistakes.append(f"{self.path}: no metrics are asked for, such as doBLEU")
        refuse(self.path, self.mistakes)
        return Setup(
            self.path,
            self.name or Path(self.path).stem,
            self.texts["source"][0].path if self.texts["source"] else None,
            tuple(self.texts["ref"]),
            tuple(self.texts["system"]),
            {family: tuple(names) for family, names in self.metrics.items()},
        )


def read_text(path: str, config: str) -> Text:
    """A text that a configuration names: from where the program runs, as in IQmt, or else from beside the file."""
    if path == STANDARD_INPUT:
        raise InputError("a file is wanted, and not standard input")
    beside = Path(config).parent / path
    chosen = str(beside) if not os.path.exists(path) and os.path.exists(beside) else path
    return Text(chosen, read_lines(chosen))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


FILE_KEYS = ("ref", "system")  # these may stand there more than once
DEFAULTS = {"metrics": "metrics", "systems": "systems", "references": "refs", "segments": "segs"}
_HEADER = "# Written by IQsetup"
_COMMENTS = ("# - FILES", "# - SETS", "# - SETS OF YOUR OWN, which stay when IQsetup is run again")
_WIDTH = 70  # of lines, as the manual wraps them


@dataclass(frozen=True)
class Definition:
    """What stands behind an equals sign, and in which lines of the file, from 1 to the last one."""

    key: str
    value: str
    line: int
    last: int


@dataclass(frozen=True)
class EvalConfig:
    """IQeval.config as it was read. Members of sets are looked at when a set is used."""

    path: str
    definitions: tuple[Definition, ...]

    @property
    def folder(self) -> Path:
        """Where the tree of XML files is: beside the file."""
        return Path(self.path).parent

    @property
    def sets(self) -> dict[str, Definition]:
        return {one.key: one for one in self.definitions if one.key not in (*FILE_KEYS, "NAME", "IQMT", "source")}

    def members(self, kind: str, name: str | None) -> tuple[str, ...]:
        """The members of a set, by default of the one that has all of its kind; each once, in the order written."""
        definition = self._set(kind, name)
        members = tuple(dict.fromkeys(written(one) for one in re.split(r"[\s,]+", definition.value) if one))
        for name in members:
            check_name(name, f"{self.path}, line {definition.line}")
        if not members:
            raise InputError(f"{self.path}, line {definition.line}: the set {definition.key} is empty")
        self._check_kind(kind, definition, members)
        return members

    def _check_kind(self, kind: str, definition: Definition, members: tuple[str, ...]) -> None:
        """Refuse a set of another kind: one of its members is known as something else, and not as this."""
        known = {one: self.sets[key].value.split() for one, key in DEFAULTS.items() if key in self.sets}
        for other, names in known.items():
            strange = [name for name in members if name in names and name not in known.get(kind, ())]
            if other != kind and strange:
                raise InputError(
                    f"{self.path}, line {definition.line}: {kind} are wanted, and {definition.key} has {strange[0]}, "
                    f"which is one of the {other}"
                )

    def segments(self, name: str | None, n_segments: int) -> tuple[int, ...] | None:
        """The segments of a set, by number from 1 on; None for all of them."""
        if name is None:
            return None
        definition = self._set("segments", name)
        where = f"{self.path}, line {definition.line}"
        chosen: dict[int, None] = {}
        for part in filter(None, re.split(r"[\s,]+", re.sub(r"\s*-\s*", "-", definition.value))):
            found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part, re.ASCII)
            if found is None:
                raise InputError(f'{where}: segments are written 1-3, 10, 50-100, not "{part}"')
            first, last = int(found[1]), int(found[2] or found[1])
            if not 1 <= first <= last:
                raise InputError(f"{where}: segments are counted from 1 on and upward, and {part} is not")
            if last > n_segments:
                raise InputError(f"{where}: {part} is asked for, but there are {n_segments} segments")
            chosen |= dict.fromkeys(range(first, last + 1))
        if not chosen:
            raise InputError(f"{where}: the set {name} is empty")
        return tuple(chosen)

    def texts(self, key: str) -> dict[str, Text]:
        """The files behind names: of references ("ref") or systems ("system")."""
        return {name: read_text(path, self.path) for name, path in self.paths(key).items()}

    def paths(self, key: str) -> dict[str, str]:
        """Where these files are; paths are relative to this file."""
        found: dict[str, str] = {}
        for one in self.definitions:
            if one.key == key:
                name, *path = one.value.split(maxsplit=1) or [""]
                where = f"{self.path}, line {one.line}"
                if not path or name in found:
                    wanted = "each name once" if name in found else "NAME FILE"
                    raise InputError(f'{where}: {wanted} is wanted behind {key}=, found "{one.value}"')
                check_name(name, where)
                found[name] = os.path.normpath(self.folder / path[0])
        return found

    def _set(self, kind: str, name: str | None) -> Definition:
        asked, sets = name or DEFAULTS[kind], self.sets
        if asked not in sets:
            there = f"there are {', '.join(sets)}" if sets else "there are none"
            raise InputError(f'{self.path}: there is no set "{asked}" of {kind}; {there}')
        return sets[asked]


def check_name(name: str, where: str) -> str:
    """A name that can be a folder's or a file's, and leads nowhere else; InputError otherwise."""
    if (
        not re.fullmatch(r"[^\s/\\:\x00-\x1f\x7f.][^\s/\\:\x00-\x1f\x7f]*", name)
        or len(name.encode("utf-8", "surrogatepass")) > 200
    ):
        raise InputError(
            f'{where}: "{name[:60]}" cannot be a name: names are those of files, without slashes, colons or spaces, '
            "and do not begin with a point"
        )
    return name


def read_eval(path: str) -> EvalConfig:
    """Read IQeval.config; InputError tells every mistake, with its line."""
    found: list[Definition] = []
    mistakes: list[str] = []
    for number, line in enumerate(lines_of(path), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals and line[0].isspace() and found:
            before = found.pop()
            found.append(Definition(before.key, f"{before.value} {stripped}".strip(), before.line, number))
        elif not equals or not re.fullmatch(r"[^\s=#]+", key):
            shown = stripped if len(stripped) <= 60 else stripped[:57] + "..."
            mistakes.append(f'{path}, line {number}: a set is written NAME= MEMBERS, found "{shown}"')
        else:
            before_it = next((one.line for one in found if one.key == key and key not in FILE_KEYS), None)
            if before_it is not None:
                mistakes.append(f"{path}, line {number}: {key}= stands there twice, first in line {before_it}")
            found.append(Definition(key, value, number, number))
    refuse(path, mistakes)
    return EvalConfig(path, tuple(found))


def written_config(
    name: str,
    origin: str,
    files: Mapping[str, Sequence[tuple[str, str]]],
    systems: Sequence[str],
    references: Sequence[str],
    metrics: Sequence[str],
    n_segments: int,
    before: str | None = None,
) -> str:
    """The text of IQeval.config. `files` are (name, path) by key; `before` is the file that it takes the place of."""
    old = None if before is None else read_eval(before)
    own_metrics = [] if old is None or "metrics" not in old.sets else old.members("metrics", None)
    names = [*sorted(metrics), *(one for one in own_metrics if computed(one) is None and one not in metrics)]
    lines = [f"{_HEADER} (tarocco {__version__}) from {origin}; the XML files are beside this one."]
    lines += [f"NAME={name}", _COMMENTS[0]]
    lines += [f"{key}={f'{label} {path}'.strip()}" for key, pairs in files.items() for label, path in pairs]
    sets = {
        "refs": references,
        "systems": systems,
        "segs": [f"1-{n_segments}" if n_segments > 1 else "1"],
        **{f"metrics_{family}": members for family, members in by_family(names).items()},
        "metrics": names,
    }
    lines += [_COMMENTS[1], *(_wrapped(key, members) for key, members in sets.items())]
    kept = [] if old is None else _own_lines(old, {*sets, *files, "NAME", "IQMT", "source"})
    return "\n".join([*lines, _COMMENTS[2], *kept]) + "\n"


def _wrapped(key: str, members: Sequence[str]) -> str:
    return "\n".join(
        textwrap.wrap(
            f"{key}= {' '.join(members)}",
            _WIDTH,
            subsequent_indent=" " * 8,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def _own_lines(old: EvalConfig, generated: set[str]) -> list[str]:
    """The lines of a file that IQsetup has not written, comments too."""
    lines = lines_of(old.path)
    ours = {number for one in old.definitions if one.key in generated for number in range(one.line, one.last + 1)}
    ours |= {n for n, line in enumerate(lines, start=1) if line.startswith(_HEADER) or line.strip() in _COMMENTS}
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in ours).strip("\n").splitlines()
