"""Experiment files: TOML that names the files of a test set, the metrics and the settings of a run.

Paths are relative to the file and may be globs. All mistakes in a file are reported together, one sentence per mistake,
with the line of the key. Checking reads the texts, so the result holds them and a run does not read them again.
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
from tarocco.io.files import read_bytes
from tarocco.io.scores.external import (
    ExternalFile,
    holds_candidate_scores,
    parse_name_and_kind,
    read_external,
    split_file_and_column,
)
from tarocco.io.scores.human import HumanFile
from tarocco.io.tables import KINDS, suggest_names
from tarocco.io.test_set import (
    TextColumn,
    align_column,
    disambiguate_names,
    read_labels,
    read_references,
    read_source,
    read_systems,
)
from tarocco.io.text import check_utf8, read_lines

# The expected value of each key, as error messages describe it.
KEYS = {
    "name": "text",
    "caveats": "a sentence about the data that limits every verdict, or a list of them",
    "source": "the name of a file",
    "references": "the name of a file, or a list of them",
    "systems": "the name of a file, or a list of them",
    "metrics": "the name of a metric, or a list of them",
    "tokenize": "the name of a tokenizer",
    "lowercase": "true or false",
    "analyzer": "the name of an installed analyzer",
    "labels": '"own" or "iqmt"',
    "parses": "the name of a file, a list of them, or a table that maps texts to their files",
    "documents": "the name of a file",
    "groups": "the name of a file",
    "nbest": "the name of a file",
    "human": "the name of a file, perhaps with :COLUMN, or a table with file, column, judges, grades, as_rankings, mqm",
    "external": "a table that maps metrics to their files",
    "confidence": "a number between 0 and 1",
    "n_resamples": "a whole number from 2 to 10000000",
    "seed": "a whole number",
    "store": "the name of a file",
}
HUMAN_KEYS: dict[str, tuple[Any, str]] = {
    "file": (str, "the name of a file"),
    "column": (str, "text"),
    "judges": (str, '"median" or "mean"'),
    "grades": ((str, list), "text, or a list of texts"),
    "as_rankings": (bool, "true or false"),
    "mqm": (str, '"all" or "no-source"'),
}
EXTERNAL_TABLE = '{file = "...", kind = "error" or "similarity", column = "..."}'
LABELS = ("own", "iqmt")
MAX_KEY_PARTS = 100
MAX_PATTERN = 2000  # characters of a glob; fnmatch takes quadratic time for brackets
MAX_RESAMPLES = 10_000_000  # more would exhaust any memory
Result = TypeVar("Result")


@dataclass(frozen=True)
class Experiment:
    """The contents of an experiment file, with globs replaced by their files; None if the file does not set a key."""

    path: str
    name: str
    references: tuple[str, ...]
    systems: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()
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
    reference_columns: tuple[TextColumn, ...] = field(default=(), repr=False, compare=False)
    system_columns: tuple[TextColumn, ...] = field(default=(), repr=False, compare=False)
    external_scores: Mapping[str, ExternalScores] = field(default_factory=dict, repr=False, compare=False)
    human_scores: HumanScores | None = field(default=None, repr=False, compare=False)  # of the systems that were judged

    @property
    def files(self) -> list[str]:
        """The files that the experiment names."""
        scores = [file.path for file in (self.human, *self.external) if file is not None]
        single = [file for file in (self.source, self.documents, self.groups, self.nbest, self.store) if file]
        return [*self.references, *self.systems, *single, *scores, *(self.parses or ())]


def read_experiment(path: str, check_metric: Callable[[str], object] | None = None) -> Experiment:
    """Read and check an experiment file; the InputError lists all mistakes.

    `check_metric` returns the metric with a name or raises: pass `metric` of the registry, which io cannot import.
    """
    data = read_bytes(path)
    check_utf8(data, path)
    text = data.decode("utf-8-sig")
    _refuse_long_keys(text, path)
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise InputError(f"{path}: expected an experiment file, found brackets that are nested too deeply") from None
    except ValueError as error:
        where = re.search(r"\(at line (\d+), column \d+\)", str(error))
        line = where[1] if where else text.count("\n") + 1
        reason = re.sub(r" \(at [^)]*\)$", "", str(error))
        raise InputError(f"{path}, line {line}: expected TOML ({reason})") from None
    return _ExperimentReader(path, text, values).experiment(check_metric)


def _refuse_long_keys(text: str, path: str) -> None:
    """Raise InputError for a.a.a.a = 1 with thousands of parts, which would take tomllib minutes."""
    for number, line in enumerate(text.split("\n"), start=1):
        n_parts = line.partition("=")[0].count(".") + 1
        if n_parts > MAX_KEY_PARTS + 1:
            raise InputError(f"{path}, line {number}: expected a key with one or two parts, found {n_parts}")


def format_toml(value: object) -> str:
    """Return a value approximately as TOML, for messages."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = f'"{value}"' if isinstance(value, str) else str(value)
    except RecursionError:
        return "a deeply nested value"
    return text if len(text) <= 60 else f"{text[:57]}..."


class _ExperimentReader:
    """Reads one file and collects its mistakes."""

    def __init__(self, path: str, text: str, values: dict[str, Any]) -> None:
        self.path, self.values, self.folder = path, values, Path(path).parent
        self.lines = text.split("\n")
        self.mistakes: list[tuple[int, str]] = []  # line, sentence
        self.entries: dict[str, str] = {}  # file -> its entry in the experiment file

    def experiment(self, check_metric: Callable[[str], object] | None) -> Experiment:
        for key in self.values:
            if key not in KEYS:
                self.report(f'there is no key "{key}" ({suggest_names(key, KEYS)})', key)
        if "references" not in self.values:
            self.report('expected references, such as references = ["ref/*.txt"], found none')
        references, systems = self.files("references"), self.files("systems")
        columns = self.columns("references", references, read_references)
        first = columns[0] if columns else None
        columns = self.align("references", columns, first)
        outputs = self.align("systems", self.columns("systems", systems, read_systems), first)
        names = disambiguate_names(outputs)
        for name in (name for name, count in Counter(names).items() if count > 1):
            self.report(f'expected each system once, found "{name}" twice', "systems")
        source = self.file("source")
        if source is not None:
            self.align("source", self.columns("source", [source], lambda path: [read_source(path)]), first)
        external = self.external()
        scores = self.external_scores(external, names, columns) if columns else {}
        human = self.human()
        n_segments = len(first.segments) if first else None
        experiment = Experiment(
            path=self.path,
            name=self.text("name") or Path(self.path).stem,
            references=tuple(references),
            systems=tuple(systems),
            caveats=tuple(self.texts("caveats")),
            source=source,
            metrics=self.metrics(check_metric),
            tokenize=self.tokenizer(),
            lowercase=self.value("lowercase", lambda value: isinstance(value, bool)),
            analyzer=self.analyzer(),
            labels=self.value("labels", lambda value: value in LABELS),
            parses=self.parses(),
            documents=self.labels("documents", first),
            groups=self.labels("groups", first),
            nbest=self.check_exists("nbest", self.file("nbest")),
            human=human,
            external=external,
            confidence=self.value("confidence", lambda value: type(value) in (int, float) and 0 < value < 1),
            n_resamples=self.value("n_resamples", lambda value: type(value) is int and 2 <= value <= MAX_RESAMPLES),
            seed=self.value("seed", lambda value: type(value) is int),
            store=self.file("store"),
            reference_columns=tuple(columns),
            system_columns=tuple(outputs),
            external_scores=scores,
            human_scores=self.attempt("human", None, human.read, names or None, n_segments) if human else None,
        )
        sentences = [sentence for _, sentence in sorted(self.mistakes, key=lambda mistake: mistake[0])]
        if len(sentences) > 1:
            sentences.insert(0, f"{self.path} has {len(sentences)} mistakes:")
        if sentences:
            raise InputError("\n  ".join(sentences))
        return experiment

    # --- mistakes and their lines ----------------------------------------------------------------------------------

    def report(self, sentence: str, key: str | None = None, entry: str | None = None) -> None:
        line = self.line_of(key, entry) if key else None
        self.mistakes.append((line or 0, f"{self.path}{f', line {line}' if line else ''}: {sentence}"))

    def report_value(self, key: str) -> None:
        self.report(f"{key}: expected {KEYS[key]}, found {format_toml(self.values[key])}", key)

    def line_of(self, key: str, entry: str | None) -> int | None:
        """Return the line of a key, or of an entry of its value; tomllib has no lines, so the text is searched."""
        key_pattern = re.compile(rf"\s*(?:\[\s*)?[\"']?{re.escape(key)}[\"']?\s*[=.\]]")
        first = next((number for number, line in enumerate(self.lines) if key_pattern.match(line)), None)
        if first is None or entry is None:
            return None if first is None else first + 1
        for number in range(first, len(self.lines)):
            if number > first and re.match(rf"\s*(?:{'|'.join(KEYS)})\s*=", self.lines[number]):
                break
            if entry in self.lines[number]:
                return number + 1
        return first + 1

    def attempt(
        self, key: str, entry: str | None, function: Callable[..., Result], *arguments: object
    ) -> Result | None:
        """Return the result of a function; report its error as a mistake."""
        try:
            return function(*arguments)
        except TaroccoError as error:
            self.report(str(error), key, entry)
            return None

    # --- values ----------------------------------------------------------------------------------------------------

    def value(self, key: str, is_valid: Callable[[Any], bool]) -> Any:
        value = self.values.get(key)
        if value is None or is_valid(value):
            return value
        self.report_value(key)
        return None

    def text(self, key: str) -> str | None:
        text: str | None = self.value(key, lambda value: isinstance(value, str))
        return text

    def analyzer(self) -> str | None:
        """Return the name of an installed analyzer; a file may be named only on the command line."""
        text: str | None = self.value("analyzer", lambda value: isinstance(value, str) and ".whl" not in value)
        return text

    def texts(self, key: str) -> list[str]:
        """Return a list of strings; one string is a list of one."""
        value = self.values.get(key, [])
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(text, str) and text for text in value):
            self.report_value(key)
            return []
        if key in self.values and not value:
            self.report(f"{key}: expected {KEYS[key]}, found an empty list", key)
        return value

    def metrics(self, check_metric: Callable[[str], object] | None) -> tuple[str, ...]:
        names = self.texts("metrics")
        if check_metric is not None:
            metrics: list[object] = []
            for name in names:
                metric = self.attempt("metrics", name, check_metric, name)
                if metric is not None and metric in metrics:
                    self.report(f"expected each metric once, found {metric} twice", "metrics", name)
                metrics.append(metric)
        return tuple(names)

    def tokenizer(self) -> str | None:
        name = self.text("tokenize")
        if name is not None:
            self.attempt("tokenize", None, tokenizer, name)
        return name

    # --- files -----------------------------------------------------------------------------------------------------

    def resolve(self, entry: str) -> str:
        return str(self.folder / entry)

    def file(self, key: str) -> str | None:
        entry = self.text(key)
        return self.resolve(entry) if entry else None

    def check_exists(self, key: str, path: str | None, entry: str | None = None) -> str | None:
        if path is not None and not os.path.isfile(path):
            problem = "expected a file, found a directory" if os.path.isdir(path) else "there is no such file"
            self.report(f"{path}: {problem}", key, entry)
        return path

    def files(self, key: str) -> list[str]:
        """Return all files of the entries in order; those of a glob are sorted by name."""
        files: list[str] = []
        for entry in self.texts(key):
            paths = self.expand(entry)
            if not paths:
                self.report(f'no file matches "{entry}"', key, entry)
            for path in paths:
                if path in files:
                    self.report(f"expected each file once, found {path} twice", key, entry)
                self.entries.setdefault(path, entry)
                files.append(path)
        return list(dict.fromkeys(files))

    def expand(self, entry: str) -> list[str]:
        """Return the files that an entry names or, if it is a glob, matches."""
        path = self.resolve(entry)
        if not re.search(r"[*?\[]", entry) or os.path.exists(path):
            return [path]
        pattern = entry if Path(entry).is_absolute() else str(Path(escape(str(self.folder))) / entry)
        matches = [] if "\0" in pattern or len(entry) > MAX_PATTERN else glob(pattern, recursive=True)
        return sorted(str(Path(match)) for match in matches if os.path.isfile(match))

    def parses(self) -> tuple[str, ...] | None:
        """Return the files of parses; a text is known by its name in the experiment or by its path."""
        table = self.values.get("parses")
        if table is None:
            return None
        if "analyzer" in self.values:
            self.report("expected either analyzer or parses, found both", "parses")
        if not isinstance(table, dict):
            return tuple(str(self.check_exists("parses", file, self.entries[file])) for file in self.files("parses"))
        parses = []
        for text, value in table.items():
            files = [value] if isinstance(value, str) else value
            if not isinstance(files, list) or not all(isinstance(file, str) and file for file in files):
                self.report(
                    f"parses of {text}: expected the name of a file, or a list of them, found {format_toml(value)}",
                    "parses",
                    text,
                )
                continue
            name = self.resolve(text) if os.path.isfile(self.resolve(text)) else text
            parses += [f"{name}={self.check_exists('parses', self.resolve(file), file)}" for file in files]
        return tuple(parses)

    def columns(self, key: str, paths: Sequence[str], read: Callable[[str], list[TextColumn]]) -> list[TextColumn]:
        by_path = [self.attempt(key, self.entries.get(path), read, path) for path in paths]
        return list(chain.from_iterable(columns for columns in by_path if columns is not None))

    def align(self, key: str, columns: Sequence[TextColumn], first: TextColumn | None) -> list[TextColumn]:
        """Return the columns with the segments of the first reference; report the others."""
        aligned = [
            self.attempt(key, self.entries.get(column.path), align_column, column, first) for column in columns if first
        ]
        return [column for column in aligned if column is not None]

    def labels(self, key: str, first: TextColumn | None) -> str | None:
        path = self.file(key)
        if path is not None:
            self.attempt(key, None, *((read_labels, path, first) if first else (read_lines, path)))
        return path

    # --- scores ----------------------------------------------------------------------------------------------------

    def human(self) -> HumanFile | None:
        value = self.values.get("human")
        if isinstance(value, str) and value:
            return HumanFile(*split_file_and_column(self.resolve(value)))
        if isinstance(value, Mapping):
            if not self.check_human_table(value):
                return None
            options: dict[str, Any] = {
                key: tuple(option) if isinstance(option, list) else option for key, option in value.items()
            }
            return HumanFile(self.resolve(options.pop("file")), **options)
        if value is not None:
            self.report_value("human")
        return None

    def check_human_table(self, table: Mapping[str, Any]) -> bool:
        """Report keys and types that HumanFile does not accept; `read_human` checks the values of judges and grades."""
        n_before = len(self.mistakes)
        for key in table:
            if key not in HUMAN_KEYS:
                self.report(f'human: there is no key "{key}" ({suggest_names(key, HUMAN_KEYS)})', "human")
        if not table.get("file"):
            self.report('human: expected file = "...", found none', "human")
        for key, (kind, expected) in HUMAN_KEYS.items():
            value = table.get(key)
            only_texts = not isinstance(value, list) or all(isinstance(text, str) for text in value)
            if value is not None and not (isinstance(value, kind) and only_texts):
                self.report(f"human: {key}: expected {expected}, found {format_toml(value)}", "human")
        return len(self.mistakes) == n_before

    def external(self) -> tuple[ExternalFile, ...]:
        table = self.value("external", lambda value: isinstance(value, dict)) or {}
        files = [self.external_file(label, value) for label, value in table.items()]
        return tuple(file for file in files if file is not None)

    def external_file(self, label: str, value: object) -> ExternalFile | None:
        name_and_kind = self.attempt("external", label, parse_name_and_kind, label)
        if name_and_kind is None:
            return None
        name, kind = name_and_kind
        if isinstance(value, str) and value:
            path, column = split_file_and_column(self.resolve(value))
        elif isinstance(value, Mapping) and _is_external_table(value):
            path, column = self.resolve(value["file"]), value.get("column")
            kind = value.get("kind", kind)
        else:
            self.report(
                f"external: {name}: expected the name of a file, or {EXTERNAL_TABLE}, found {format_toml(value)}",
                "external",
                label,
            )
            return None
        self.check_exists("external", path, label)
        return ExternalFile(name, path, column, kind)

    def external_scores(
        self, files: Sequence[ExternalFile], systems: Sequence[str], references: Sequence[TextColumn]
    ) -> dict[str, ExternalScores]:
        """Read the scores of the systems; files with scores of candidates in n-best lists are skipped."""
        scores_by_name = {}
        for file in files:
            if systems and os.path.isfile(file.path) and not holds_candidate_scores(file.path):
                names, n_segments = disambiguate_names(references), len(references[0].segments)
                entry = Path(file.path).name
                scores = self.attempt("external", entry, read_external, file, systems, n_segments, names)
                if scores is not None:
                    scores_by_name[file.name] = scores
        return scores_by_name


def _is_external_table(table: Mapping[str, object]) -> bool:
    return (
        set(table) <= {"file", "kind", "column"}
        and all(isinstance(value, str) and value for value in table.values())
        and "file" in table
        and table.get("kind", "error") in KINDS
    )
