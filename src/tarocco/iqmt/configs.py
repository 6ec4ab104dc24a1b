"""IQsetup.config, IQeval.config and the metrics of IQmt under its names.

IQsetup.config has the texts and metrics of a test bed. IQeval.config has the names of its files, and sets of metrics,
systems, references and segments:

ref=R0 reference_file.txt.1
some_metrics= BLEU-4 NIST-5
some_segs= 1-3, 10, 50-100

A set can continue on lines that begin with a space. Users add sets; when IQsetup writes the file again, it preserves
all lines that it did not generate.
"""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from tarocco._version import __version__
from tarocco.core.errors import InputError, TaroccoError
from tarocco.encode.batch import Encoding
from tarocco.io.files import STANDARD_INPUT, read_bytes
from tarocco.io.tables import suggest_names
from tarocco.io.test_set import TextColumn, system_name
from tarocco.io.text import check_utf8, read_lines
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metric as find_metric

Result = TypeVar("Result")

# --- metrics -------------------------------------------------------------------------------------------------------

# The manual names the tools: BLEU and NIST are mteval-v11b (shortest reference, no smoothing), ROUGE is ROUGE-1.5.5
# with stems (-m), METEOR is its first version (0.9, 3, 0.5; one stage after another), GTM joins the references. Text is
# read as by mteval-v11b: its tokenizer is 13a, and without its option -c it lowercases. ROUGE and METEOR have other
# rules for text, and linguistic metrics use an analyzer with the labels of the manual.
ENCODING = Encoding("13a", lowercase=True, analyzer="spacy+iqmt")

_V11B = "smooth=none:length=shortest"
_ROUGE = "stemmer=porter:compat=1.5.5"

# By the name after "do" in IQsetup.config, which is also the name of the set: metrics_BLEU.
FAMILIES: dict[str, dict[str, str]] = {
    "BLEU": {
        **{f"BLEU-{n}": f"BLEU-{n}:{_V11B}" for n in (1, 2, 3, 4)},
        **{f"BLEUi-{n}": f"BLEUi-{n}" for n in (2, 3, 4)},
    },
    "NIST": {
        **{f"NIST-{n}": f"NIST-{n}" for n in (1, 2, 3, 4, 5)},
        **{f"NISTi-{n}": f"NISTi-{n}" for n in (2, 3, 4, 5)},
    },
    "GTM": {f"GTM-{e}": f"GTM-{e}:references=joined" for e in (1, 2, 3)},
    "METEOR": {f"MTR-{last}": f"METEOR-{last}:variant=2005" for last in ("exact", "stem", "wnstm", "wnsyn")},
    "ROUGE": {
        **{f"RG-{variant}": f"ROUGE-{variant}:{_ROUGE}" for variant in ("1", "2", "3", "4", "L", "W-1.2")},
        "RG-Ss": f"ROUGE-S*:{_ROUGE}",
        "RG-SUs": f"ROUGE-SU*:{_ROUGE}",
    },
    # The manual's authors used these two, but could not release them.
    "WER": {"1-WER": "1-WER"},
    "PER": {"1-PER": "1-PER"},
    # Linguistic metrics: these are the defaults; IQsetup.config can name any metric of the family.
    "SP": {name: name for name in ("SP-Op-*", "SP-Oc-*", "SP-NISTl-5", "SP-NISTp-5", "SP-NISTc-5", "SP-NISTiob-5")},
    "DP": {name: name for name in ("DP-HWCw-4", "DP-HWCc-4", "DP-HWCr-4", "DP-Ol-*", "DP-Oc-*", "DP-Or-*")},
    "CP": {name: name for name in ("CP-STM-9", "CP-Op-*", "CP-Oc-*")},
    "NE": {name: name for name in ("NE-Oe-*", "NE-Oe-**", "NE-Me-*")},
    "SR": {name: name for name in ("SR-Or-*", "SR-Mr-*", "SR-Or", "SR-Orv-*", "SR-Mrv-*", "SR-Orv")},
}
LINGUISTIC = ("SP", "DP", "CP", "NE", "SR")
FILE_NAMES = {"RG-S*": "RG-Ss", "RG-SU*": "RG-SUs"}  # names in IQsetup.config -> names in files and sets


def file_name(name: str) -> str:
    """Return a metric's name as in files and sets."""
    return FILE_NAMES.get(name, name)


def check_member(family: str, name: str) -> str:
    """Return the name of a family's metric as in files and sets; InputError if the family has no such metric."""
    member = file_name(name)
    if member not in FAMILIES[family] and (family not in LINGUISTIC or find_computed(member) is None):
        raise InputError(f'do{family} has no metric "{name}" ({suggest_names(name, FAMILIES[family])})')
    return member


def family_of(name: str) -> str | None:
    """Return the family of a metric; None for a metric whose XML files the user provides."""
    for family, members in FAMILIES.items():
        if file_name(name) in members or (family in LINGUISTIC and name.startswith(f"{family}-")):
            return family
    return None


def find_computed(name: str) -> Metric | None:
    """Return the metric that IQsetup computes under a name; None if the user provides its XML files."""
    family = family_of(name)
    if family is None:
        return None
    try:
        return find_metric(FAMILIES[family].get(file_name(name), name))
    except TaroccoError:  # a user may call a metric SP-MINE
        return None


def group_by_family(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names of computed metrics by family, in the same order."""
    grouped: dict[str, list[str]] = {}
    for name in names:
        if find_computed(name) is not None:
            grouped.setdefault(str(family_of(name)), []).append(name)
    return grouped


# --- files ---------------------------------------------------------------------------------------------------------


def read_text(path: str, config: str) -> TextColumn:
    """Read a text that a configuration names, from the working directory, as in IQmt, or else from beside the file."""
    if path == STANDARD_INPUT:
        raise InputError("expected a file, found - (standard input)")
    beside = Path(config).parent / path
    chosen = str(beside) if not os.path.exists(path) and os.path.exists(beside) else path
    return TextColumn(system_name(chosen), chosen, read_lines(chosen))


def read_config_lines(path: str) -> list[str]:
    """Return the lines of a configuration file."""
    data = read_bytes(path)
    check_utf8(data, path)
    if b"\0" in data:
        raise InputError(f"{path}, line {data[: data.index(0)].count(10) + 1}: expected text, found a zero byte")
    return data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")


def raise_mistakes(path: str, mistakes: list[str]) -> None:
    """Raise InputError with all mistakes of a file, if there are any."""
    if mistakes:
        heading = [f"{path} has {len(mistakes)} mistakes:"] if len(mistakes) > 1 else []
        raise InputError("\n  ".join(heading + mistakes))


def check_name(name: str, where: str) -> str:
    """Return a name that is safe as the name of a folder or a file; InputError otherwise."""
    if (
        not re.fullmatch(r"[^\s/\\:\x00-\x1f\x7f.][^\s/\\:\x00-\x1f\x7f]*", name)
        or len(name.encode("utf-8", "surrogatepass")) > 200
    ):
        raise InputError(
            f"{where}: expected a name without slashes, colons, spaces or a leading period, as it becomes a file name, "
            f'found "{name[:60]}"'
        )
    return name


def _clip(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


# --- IQsetup.config ------------------------------------------------------------------------------------------------

_SETUP_KEYS = ("NAME", "IQMT", "source", "ref", "system")


@dataclass(frozen=True)
class SetupConfig:
    """The contents of IQsetup.config, and the texts that it names."""

    path: str
    name: str
    source: str | None
    references: tuple[TextColumn, ...]
    systems: tuple[TextColumn, ...]
    metrics: dict[str, tuple[str, ...]]  # by family


def read_setup(path: str) -> SetupConfig:
    """Read IQsetup.config and its texts; the InputError lists all mistakes with their lines."""
    reader = _SetupReader(path)
    for number, line in enumerate(read_config_lines(path), start=1):
        reader.line = number
        if line.strip() and not line.lstrip().startswith("#"):
            reader.read_line(line.strip())
    return reader.setup()


class _SetupReader:
    """Reads one file and collects its mistakes."""

    def __init__(self, path: str) -> None:
        self.path, self.line = path, 0
        self.mistakes: list[str] = []
        self.name: str | None = None
        self.texts: dict[str, list[TextColumn]] = {"source": [], "ref": [], "system": []}
        self.metrics: dict[str, list[str]] = {}
        self.first: TextColumn | None = None  # all texts must have as many lines as this one

    def report(self, sentence: str) -> None:
        self.mistakes.append(f"{self.path}, line {self.line}: {sentence}")

    def attempt(self, function: Callable[..., Result], *arguments: object) -> Result | None:
        """Return the result of a function; report its error as a mistake."""
        try:
            return function(*arguments)
        except InputError as error:
            self.report(str(error))
            return None

    def read_line(self, line: str) -> None:
        key, equals, value = (part.strip() for part in line.partition("="))
        family = re.match(r"do(\S+)", line)
        if family:
            self.read_metrics(family[1], line.split()[1:])
        elif not equals or key not in _SETUP_KEYS:
            known = [*_SETUP_KEYS, *(f"do{family}" for family in FAMILIES)]
            hint = suggest_names(key.split()[0] if key else "", known)
            self.report(f'expected KEY=VALUE or doFAMILY, found "{_clip(line)}" ({hint})')
        elif not value and key != "IQMT":
            self.report(f"expected a value after {key}=, found none")
        elif key == "NAME":
            self.name = value
        elif key != "IQMT":  # the folder of the original programs
            self.read_file(key, value)

    def read_metrics(self, family: str, names: list[str]) -> None:
        if family not in FAMILIES:
            hint = suggest_names(f"do{family}", [f"do{known}" for known in FAMILIES])
            self.report(f'there is no "do{_clip(family)}" ({hint})')
            return
        members = self.metrics.setdefault(family, [])
        for name in names or FAMILIES[family]:
            member = self.attempt(check_member, family, name)
            if member is not None and member not in members:
                members.append(member)

    def read_file(self, key: str, value: str) -> None:
        if key == "source" and self.texts["source"]:
            self.report(f"expected one source, found a second one after {self.texts['source'][0].path}")
            return
        text = self.attempt(read_text, value, self.path)
        if text is None:
            return
        if self.first is not None and len(text.segments) != len(self.first.segments):
            self.report(
                f"{text.path}: expected {len(self.first.segments)} lines as in {self.first.path}, found "
                f"{len(text.segments)}"
            )
            return
        self.first = self.first or text
        self.texts[key].append(text)

    def setup(self) -> SetupConfig:
        if not self.mistakes:
            for key, expected in (("ref", "references, such as ref=FILE"), ("system", "systems, such as system=FILE")):
                if not self.texts[key]:
                    self.mistakes.append(f"{self.path}: expected {expected}, found none")
            if not self.metrics:
                self.mistakes.append(f"{self.path}: expected metrics, such as doBLEU, found none")
        raise_mistakes(self.path, self.mistakes)
        return SetupConfig(
            self.path,
            self.name or Path(self.path).stem,
            self.texts["source"][0].path if self.texts["source"] else None,
            tuple(self.texts["ref"]),
            tuple(self.texts["system"]),
            {family: tuple(names) for family, names in self.metrics.items()},
        )


# --- IQeval.config -------------------------------------------------------------------------------------------------

FILE_KEYS = ("ref", "system")  # these keys may be repeated
DEFAULT_SETS = {"metrics": "metrics", "systems": "systems", "references": "refs", "segments": "segs"}
_HEADER = "# Written by IQsetup"
_COMMENTS = ("# - FILES", "# - SETS", "# - SETS OF YOUR OWN, which stay when IQsetup is run again")
_WIDTH = 70  # of lines, as in the manual


@dataclass(frozen=True)
class Definition:
    """A key, its value, and its first and last line in the file."""

    key: str
    value: str
    line: int
    last: int


@dataclass(frozen=True)
class EvalConfig:
    """The contents of IQeval.config; members of sets are checked when a set is used."""

    path: str
    definitions: tuple[Definition, ...]

    @property
    def folder(self) -> Path:
        """The folder of the file and of the XML files."""
        return Path(self.path).parent

    @property
    def sets(self) -> dict[str, Definition]:
        other_keys = (*FILE_KEYS, "NAME", "IQMT", "source")
        return {definition.key: definition for definition in self.definitions if definition.key not in other_keys}

    def members(self, kind: str, name: str | None) -> tuple[str, ...]:
        """Return the distinct members of a set in order; by default of the set that has all of its kind."""
        definition = self._find_set(kind, name)
        where = f"{self.path}, line {definition.line}"
        members = tuple(dict.fromkeys(file_name(part) for part in re.split(r"[\s,]+", definition.value) if part))
        for member in members:
            check_name(member, where)
        if not members:
            raise InputError(f"{where}: expected members of the set {definition.key}, found none")
        self._check_kind(kind, definition, members)
        return members

    def _check_kind(self, kind: str, definition: Definition, members: tuple[str, ...]) -> None:
        """Raise InputError if a member of the set is known as another kind, and not as this kind."""
        known = {each: self.sets[key].value.split() for each, key in DEFAULT_SETS.items() if key in self.sets}
        for other, names in known.items():
            misplaced = [name for name in members if name in names and name not in known.get(kind, ())]
            if other != kind and misplaced:
                raise InputError(
                    f"{self.path}, line {definition.line}: expected {kind} in the set {definition.key}, found "
                    f"{misplaced[0]}, which is one of the {other}"
                )

    def segments(self, name: str | None, n_segments: int) -> tuple[int, ...] | None:
        """Return the segments of a set by number, from 1; None for all of them."""
        if name is None:
            return None
        definition = self._find_set("segments", name)
        where = f"{self.path}, line {definition.line}"
        segments: dict[int, None] = {}
        for part in filter(None, re.split(r"[\s,]+", re.sub(r"\s*-\s*", "-", definition.value))):
            match = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", part, re.ASCII)
            if match is None:
                raise InputError(f'{where}: expected segments such as 1-3, 10, 50-100, found "{part}"')
            first, last = int(match[1]), int(match[2] or match[1])
            if not 1 <= first <= last:
                raise InputError(f"{where}: expected segments from 1 in increasing order, found {part}")
            if last > n_segments:
                raise InputError(f"{where}: expected segments from 1 to {n_segments}, found {part}")
            segments |= dict.fromkeys(range(first, last + 1))
        if not segments:
            raise InputError(f"{where}: expected members of the set {name}, found none")
        return tuple(segments)

    def texts(self, key: str) -> dict[str, TextColumn]:
        """Read the texts of references ("ref") or systems ("system") by name."""
        return {name: read_text(path, self.path) for name, path in self.paths(key).items()}

    def paths(self, key: str) -> dict[str, str]:
        """Return the paths of these texts by name; they are relative to this file."""
        paths: dict[str, str] = {}
        for definition in self.definitions:
            if definition.key == key:
                name, *path = definition.value.split(maxsplit=1) or [""]
                where = f"{self.path}, line {definition.line}"
                if not path or name in paths:
                    expected = "each name once" if name in paths else "NAME FILE"
                    raise InputError(f'{where}: expected {expected} after {key}=, found "{definition.value}"')
                check_name(name, where)
                paths[name] = os.path.normpath(self.folder / path[0])
        return paths

    def _find_set(self, kind: str, name: str | None) -> Definition:
        name, sets = name or DEFAULT_SETS[kind], self.sets
        if name not in sets:
            raise InputError(f'{self.path}: expected a set "{name}" of {kind}, found {", ".join(sets) or "no sets"}')
        return sets[name]


def read_eval(path: str) -> EvalConfig:
    """Read IQeval.config; the InputError lists all mistakes with their lines."""
    definitions: list[Definition] = []
    mistakes: list[str] = []
    for number, line in enumerate(read_config_lines(path), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals and line[0].isspace() and definitions:
            last = definitions.pop()
            definitions.append(Definition(last.key, f"{last.value} {stripped}".strip(), last.line, number))
        elif not equals or not re.fullmatch(r"[^\s=#]+", key):
            mistakes.append(f'{path}, line {number}: expected a set NAME= MEMBERS, found "{_clip(stripped)}"')
        else:
            first = next((each.line for each in definitions if each.key == key and key not in FILE_KEYS), None)
            if first is not None:
                mistakes.append(f"{path}, line {number}: expected each set once, found {key}= again after line {first}")
            definitions.append(Definition(key, value, number, number))
    raise_mistakes(path, mistakes)
    return EvalConfig(path, tuple(definitions))


def format_eval(
    name: str,
    origin: str,
    files: Mapping[str, Sequence[tuple[str, str]]],
    systems: Sequence[str],
    references: Sequence[str],
    metrics: Sequence[str],
    n_segments: int,
    before: str | None = None,
) -> str:
    """Return the text of IQeval.config; `files` has (name, path) by key, and `before` is the file it replaces."""
    old = None if before is None else read_eval(before)
    old_metrics = [] if old is None or "metrics" not in old.sets else old.members("metrics", None)
    users_metrics = [each for each in old_metrics if find_computed(each) is None and each not in metrics]
    names = [*sorted(metrics), *users_metrics]
    lines = [f"{_HEADER} (tarocco {__version__}) from {origin}; the XML files are beside this one."]
    lines += [f"NAME={name}", _COMMENTS[0]]
    lines += [f"{key}={f'{label} {path}'.strip()}" for key, pairs in files.items() for label, path in pairs]
    sets = {
        "refs": references,
        "systems": systems,
        "segs": [f"1-{n_segments}" if n_segments > 1 else "1"],
        **{f"metrics_{family}": members for family, members in group_by_family(names).items()},
        "metrics": names,
    }
    lines += [_COMMENTS[1], *(_wrap_set(key, members) for key, members in sets.items())]
    users_lines = [] if old is None else _users_lines(old, {*sets, *files, "NAME", "IQMT", "source"})
    return "\n".join([*lines, _COMMENTS[2], *users_lines]) + "\n"


def _wrap_set(key: str, members: Sequence[str]) -> str:
    text, indent = f"{key}= {' '.join(members)}", " " * 8
    lines = textwrap.wrap(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def _users_lines(old: EvalConfig, generated: set[str]) -> list[str]:
    """Return the lines of a file that IQsetup did not write, including comments."""
    lines = read_config_lines(old.path)
    ours = {number for each in old.definitions if each.key in generated for number in range(each.line, each.last + 1)}
    ours |= {n for n, line in enumerate(lines, start=1) if line.startswith(_HEADER) or line.strip() in _COMMENTS}
    return "\n".join(line for number, line in enumerate(lines, start=1) if number not in ours).strip("\n").splitlines()
