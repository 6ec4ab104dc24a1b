"""Experiment files: TOML that names the files of a test set, the metrics and the settings of a run, once.

Paths are relative to the file and may be globs. Whatever is wrong is said at once, a sentence for each mistake, with
the line where the key stands. The texts are read for that, and kept: a run does not read them again.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from glob import escape, glob
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from tarocco.core.errors import InputError, TaroccoError
from tarocco.core.test_set import ExternalScores, HumanScores
from tarocco.encode.tokenizers import tokenizer
from tarocco.io.files import bytes_of
from tarocco.io.lines import check_utf8, read_lines
from tarocco.io.scores.external import ExternalFile, file_and_column, holds_candidates, name_and_kind, read_external
from tarocco.io.scores.human import HumanFile
from tarocco.io.tables import KINDS, near
from tarocco.io.test_set import (
    Column,
    distinct_names,
    fitted,
    read_labels,
    reference_columns,
    source_column,
    system_columns,
)


def is_about_file(about: Mapping[str, object]) -> bool:
    return (
        set(about) <= {"file", "kind", "column"}
        and all(isinstance(value, str) and value for value in about.values())
        and "file" in about
        and about.get("kind", "error") in KINDS
    )


def wrong_about_human(about: Mapping[str, Any]) -> list[str]:
    """What a table says that HumanFile does not take; which judges and grades there are, `read_human` knows."""
    kinds: dict[str, tuple[Any, str]] = {
        "file": (str, "the name of a file"),
        "column": (str, "text"),
        "judges": (str, "median or mean"),
        "grades": ((str, list), "text, or a list of texts"),
        "as_rankings": (bool, "true or false"),
    }
    found = [f'has no key "{key}" ({near(key, kinds)})' for key in about if key not in kinds]
    if not about.get("file"):
        found.append('names no file: file = "..." is wanted')
    for key, (kind, wanted) in kinds.items():
        value = about.get(key)
        texts = not isinstance(value, list) or all(isinstance(one, str) for one in value)
        if value is not None and not (isinstance(value, kind) and texts):
            found.append(f"has {key} = {shown_as_toml(value)}, but {key} is {wanted}")
    return found


def shown_as_toml(value: object) -> str:
    """A value as TOML has it, roughly."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = f'"{value}"' if isinstance(value, str) else str(value)
    except RecursionError:
        return "something that is nested deeply"
    return text if len(text) <= 60 else f"{text[:57]}..."


# What each key is, in the words of its mistakes.
KEYS = {
    "name": "text",
    "source": "the name of a file",
    "references": "the name of a file, or a list of them",
    "systems": "the name of a file, or a list of them",
    "metrics": "the name of a metric, or a list of them",
    "tokenize": "the name of a tokenizer",
    "lowercase": "true or false",
    "analyzer": "the name of an analyzer",
    "labels": "own or iqmt",
    "parses": "the name of a file, a list of them, or a table with texts and the files that describe them",
    "documents": "the name of a file",
    "groups": "the name of a file",
    "nbest": "the name of a file",
    "human": "the name of a file, perhaps with :COLUMN, or a table with file, column, judges, grades, as_rankings",
    "external": "a table with names of metrics and their files",
    "confidence": "a number between 0 and 1",
    "n_resamples": "a whole number from 2 to 10000000",
    "seed": "a whole number",
    "store": "the name of a file",
}

LABELS = ("own", "iqmt")
LONGEST_KEY = 100  # parts
LONGEST_PATTERN = 2000  # characters; brackets take fnmatch the square of it
MOST_RESAMPLES = 10_000_000  # what an experiment file may ask for: more would fill any memory
Read = TypeVar("Read")


@dataclass(frozen=True)
class Experiment:
    """What an experiment file says; globs are replaced by the files they match. None: the file does not say."""

    path: str
    name: str
    references: tuple[str, ...]
    systems: tuple[str, ...] = ()
    source: str | None = None
    metrics: tuple[str, ...] = ()
    tokenize: str | None = None
    lowercase: bool | None = None
    analyzer: str | None = None
    labels: str | None = None
    parses: tuple[str, ...] | None = None  # FILE or TEXT=FILE
    documents: str | None = None
    groups: str | None = None
    nbest: str | None = None
    human: HumanFile | None = None
    external: tuple[ExternalFile, ...] = ()
    confidence: float | None = None
    n_resamples: int | None = None
    seed: int | None = None
    store: str | None = None
    reference_columns: tuple[Column, ...] = field(default=(), repr=False, compare=False)
    system_columns: tuple[Column, ...] = field(default=(), repr=False, compare=False)
    external_scores: Mapping[str, ExternalScores] = field(default_factory=dict, repr=False, compare=False)
    human_scores: HumanScores | None = field(default=None, repr=False, compare=False)  # of systems that were judged


def read_experiment(path: str, check_metric: Callable[[str], object] | None = None) -> Experiment:
    """Read and check an experiment file; InputError tells every mistake.

    `check_metric` raises where a metric does not exist: the registry's `metric`, which belongs to a later room.
    """
    data = bytes_of(path)
    check_utf8(data, path)
    text = data.decode("utf-8-sig")
    _refuse_long_keys(text, path)
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{path}: this is no experiment file: its brackets are nested too deeply") from None
    except ValueError as error:
        where = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = where[1] if where else text.count("\n") + 1
        reason = re.sub(r" \(at [^)]*\)$", "", str(error))
        raise InputError(f"{path}, line {line}: this is not TOML: {reason}") from None
    return _Reading(path, text, values).experiment(check_metric)


def _refuse_long_keys(text: str, path: str) -> None:
    """a.a.a.a = 1 with thousands of parts would take tomllib minutes."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.partition("=")[0].count(".") > LONGEST_KEY:
            raise InputError(f"{path}, line {number}: a key of an experiment file has one or two parts, not hundreds")


class _Reading:
    """One file being read: its mistakes are collected, and told together."""

    def __init__(self, path: str, text: str, values: dict[str, Any]) -> None:
        self.path, self.values, self.folder = path, values, Path(path).parent
        self.lines = text.split("\n")
        self.mistakes: list[tuple[int, str]] = []  # line, sentence
        self.entries: dict[str, str] = {}  # file -> what it was called in the experiment

    def experiment(self, check_metric: Callable[[str], object] | None) -> Experiment:
        for key in self.values:
            if key not in KEYS:
                self.wrong(f'there is no key "{key}" ({near(key, KEYS)})', key)
        if "references" not in self.values:
            self.wrong('references are wanted, such as references = ["ref/*.txt"]')
        references, systems = self.files("references"), self.files("systems")
        columns = self.columns("references", references, reference_columns)
        first = columns[0] if columns else None
        columns = self.fitting("references", columns, first)
        outputs = self.fitting("systems", self.columns("systems", systems, system_columns), first)
        names = distinct_names(outputs)
        for name in (name for name, often in Counter(names).items() if often > 1):
            self.wrong(f'the system "{name}" is there twice', "systems")
        source = self.file("source")
        if source is not None:
            self.fitting("source", self.columns("source", [source], lambda path: [source_column(path)]), first)
        external = self.external()
        scores = self.external_scores(external, names, columns) if columns else {}
        human = self.human()
        n_segments = len(first.segments) if first else None
        experiment = Experiment(
            path=self.path,
            name=self.of_type("name", str) or Path(self.path).stem,
            references=tuple(references),
            systems=tuple(systems),
            source=source,
            metrics=self.metrics(check_metric),
            tokenize=self.tokenizer(),
            lowercase=self.of_type("lowercase", bool),
            analyzer=self.of_type("analyzer", str),
            labels=self.one_of("labels", LABELS),
            parses=self.parses(),
            documents=self.labels("documents", first),
            groups=self.labels("groups", first),
            nbest=self.existing("nbest", self.file("nbest")),
            human=human,
            external=external,
            confidence=self.number("confidence", (int, float), lambda value: 0 < value < 1),
            n_resamples=self.number("n_resamples", (int,), lambda value: 2 <= value <= MOST_RESAMPLES),
            seed=self.number("seed", (int,), lambda _: True),
            store=self.file("store"),
            reference_columns=tuple(columns),
            system_columns=tuple(outputs),
            external_scores=scores,
            human_scores=self.tried("human", None, human.read, names or None, n_segments) if human else None,
        )
        sentences = [sentence for _, sentence in sorted(self.mistakes, key=lambda mistake: mistake[0])]
        if len(sentences) > 1:
            sentences.insert(0, f"{self.path} has {len(sentences)} mistakes:")
        if sentences:
            raise InputError("\n  ".join(sentences))
        return experiment

    # --- mistakes and their lines ----------------------------------------------------------------------------------

    def wrong(self, sentence: str, key: str | None = None, entry: str | None = None) -> None:
        line = self.line_of(key, entry) if key else None
        self.mistakes.append((line or 0, f"{self.path}{f', line {line}' if line else ''}: {sentence}"))

    def line_of(self, key: str, entry: str | None) -> int | None:
        """Where a key stands, or an entry of its value; tomllib does not tell, so the lines are searched."""
        begins = re.compile(rf"\s*(?:\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
        first = next((number for number, line in enumerate(self.lines) if begins.match(line)), None)
        if first is None or entry is None:
            return None if first is None else first + 1
        for number in range(first, len(self.lines)):
            if number > first and re.match(rf"\s*(?:{'|'.join(KEYS)})\s*=", self.lines[number]):
                break
            if entry in self.lines[number]:
                return number + 1
        return first + 1

    def tried(self, key: str, entry: str | None, function: Callable[..., Read], *arguments: object) -> Read | None:
        """What a function returns; what it raises is a mistake."""
        try:
            return function(*arguments)
        except TaroccoError as error:
            self.wrong(str(error), key, entry)
            return None

    # --- values ----------------------------------------------------------------------------------------------------

    def of_type(self, key: str, kind: type[Read]) -> Read | None:
        value = self.values.get(key)
        if value is None or isinstance(value, kind):
            return value
        self.wrong(f"{key} is {KEYS[key]}, not {shown_as_toml(value)}", key)
        return None

    def number(self, key: str, kinds: tuple[type, ...], allowed: Callable[[Any], bool]) -> Any:
        value = self.values.get(key)
        if value is None or (type(value) in kinds and allowed(value)):
            return value
        self.wrong(f"{key} is {KEYS[key]}, not {shown_as_toml(value)}", key)
        return None

    def one_of(self, key: str, choices: Sequence[str]) -> str | None:
        value = self.values.get(key)
        if value is None or value in choices:
            return value
        self.wrong(f"{key} is {KEYS[key]}, not {shown_as_toml(value)}", key)
        return None

    def texts(self, key: str) -> list[str]:
        """A list of strings; one string is a list of one."""
        value = self.values.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            self.wrong(f"{key} is {KEYS[key]}, not {shown_as_toml(self.values[key])}", key)
            return []
        if key in self.values and not value:
            self.wrong(f"{key} is an empty list", key)
        return value

    def metrics(self, check: Callable[[str], object] | None) -> tuple[str, ...]:
        names = self.texts("metrics")
        if check is None:
            return tuple(names)
        found: list[object] = []
        for name in names:
            metric = self.tried("metrics", name, check, name)
            if metric is not None and metric in found:
                self.wrong(f"the metric {metric} is there twice", "metrics", name)
            found.append(metric)
        return tuple(names)

    def tokenizer(self) -> str | None:
        name = self.of_type("tokenize", str)
        if name is not None:
            self.tried("tokenize", None, tokenizer, name)
        return name

    # --- files -----------------------------------------------------------------------------------------------------

    def place(self, entry: str) -> str:
        return str(self.folder / entry)

    def file(self, key: str) -> str | None:
        entry = self.of_type(key, str)
        return self.place(entry) if entry else None

    def existing(self, key: str, path: str | None, entry: str | None = None) -> str | None:
        if path is not None and not os.path.isfile(path):
            what = "this is a directory, a file is wanted" if os.path.isdir(path) else "there is no such file"
            self.wrong(f"{path}: {what}", key, entry)
        return path

    def files(self, key: str) -> list[str]:
        """All files that the entries name, in order; those of a glob are sorted by name."""
        found: list[str] = []
        for entry in self.texts(key):
            path = self.place(entry)
            paths = [path]
            if re.search(r"[*?\[]", entry) and not os.path.exists(path):
                pattern = entry if Path(entry).is_absolute() else str(Path(escape(str(self.folder))) / entry)
                found_here = [] if "\0" in pattern or len(entry) > LONGEST_PATTERN else glob(pattern, recursive=True)
                paths = sorted(str(Path(one)) for one in found_here if os.path.isfile(one))
            if not paths:
                self.wrong(f'no file matches "{entry}"', key, entry)
            for one in paths:
                if one in found:
                    self.wrong(f"{one} is there twice", key, entry)
                self.entries.setdefault(one, entry)
                found.append(one)
        return list(dict.fromkeys(found))

    def parses(self) -> tuple[str, ...] | None:
        """What files say of texts; a text is called by its name in the experiment, or by its path."""
        table = self.values.get("parses")
        if table is None:
            return None
        if "analyzer" in self.values:
            self.wrong("either an analyzer tells the structure of sentences or files do: analyzer or parses", "parses")
        if not isinstance(table, dict):
            return tuple(str(self.existing("parses", file, self.entries[file])) for file in self.files("parses"))
        found = []
        for text, value in table.items():
            files = [value] if isinstance(value, str) else value
            if not isinstance(files, list) or not all(isinstance(file, str) and file for file in files):
                self.wrong(
                    f"parses of {text} are a file, or a list of them, not {shown_as_toml(value)}", "parses", text
                )
                continue
            named = self.place(text) if os.path.isfile(self.place(text)) else text
            found += [f"{named}={self.existing('parses', self.place(file), file)}" for file in files]
        return tuple(found)

    def columns(self, key: str, paths: Sequence[str], read: Callable[[str], list[Column]]) -> list[Column]:
        by_path = [self.tried(key, self.entries.get(path), read, path) for path in paths]
        return list(chain.from_iterable(columns for columns in by_path if columns is not None))

    def fitting(self, key: str, columns: Sequence[Column], first: Column | None) -> list[Column]:
        """The columns that have the segments of the first reference; others are mistakes."""
        fits = [self.tried(key, self.entries.get(column.path), fitted, column, first) for column in columns if first]
        return [column for column in fits if column is not None]

    def labels(self, key: str, first: Column | None) -> str | None:
        path = self.file(key)
        if path is not None:
            self.tried(key, None, *((read_labels, path, first) if first else (read_lines, path)))
        return path

    def human(self) -> HumanFile | None:
        about = self.values.get("human")
        if isinstance(about, str) and about:
            return HumanFile(*file_and_column(self.place(about)))
        if isinstance(about, Mapping):
            mistakes = wrong_about_human(about)
            for sentence in mistakes:
                self.wrong(f"human {sentence}", "human")
            if mistakes:
                return None
            how: dict[str, Any] = {
                key: tuple(value) if isinstance(value, list) else value for key, value in about.items()
            }
            return HumanFile(self.place(how.pop("file")), **how)
        if about is not None:
            self.wrong(f"human is {KEYS['human']}, not {shown_as_toml(about)}", "human")
        return None

    def external(self) -> tuple[ExternalFile, ...]:
        table = self.of_type("external", dict) or {}
        files = [self.external_file(written, about) for written, about in table.items()]
        return tuple(file for file in files if file is not None)

    def external_scores(
        self, files: Sequence[ExternalFile], systems: Sequence[str], references: Sequence[Column]
    ) -> dict[str, ExternalScores]:
        """The scores of the experiment's systems; those of candidates in n-best lists are not for systems."""
        found = {}
        for file in files:
            if systems and os.path.isfile(file.path) and not holds_candidates(file.path):
                names, n = distinct_names(references), len(references[0].segments)
                scores = self.tried("external", Path(file.path).name, read_external, file, systems, n, names)
                if scores is not None:
                    found[file.name] = scores
        return found

    def external_file(self, written: str, about: object) -> ExternalFile | None:
        named = self.tried("external", written, name_and_kind, written)
        if named is None:
            return None
        name, kind = named
        if isinstance(about, str) and about:
            path, column = file_and_column(self.place(about))
        elif isinstance(about, Mapping) and is_about_file(about):
            path, column = self.place(about["file"]), about.get("column")
            kind = about.get("kind", kind)
        else:
            self.wrong(
                f'external scores of {name} are the name of a file, or {{file = "...", kind = "error" or "similarity", '
                f'column = "..."}}, not {shown_as_toml(about)}',
                "external",
                written,
            )
            return None
        self.existing("external", path, written)
        return ExternalFile(name, path, column, kind)
