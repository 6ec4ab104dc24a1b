"""Recognize the files of a folder: references, systems, source, n-best lists, human scores, labels.

A file's name suggests its role, and it must have as many segments as the references. Each decision is explained, and
files that are not understood are listed with reasons.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tarocco.core.errors import InputError
from tarocco.core.test_set import TestSet
from tarocco.io.files import format_suffix, read_bytes
from tarocco.io.scores.human import AVERAGE, read_human
from tarocco.io.tables import TABLE_SUFFIXES
from tarocco.io.test_set import TextColumn, align_column, read_references, read_source, read_systems, system_name
from tarocco.io.text import is_markup, read_lines, read_markup

FOLDERS = {
    "reference": ("ref", "refs", "reference", "references"),
    "system": ("sys", "system", "systems", "hyp", "hyps", "hypotheses", "output", "outputs"),
    "source": ("source", "src"),
    "nbest": ("nbest",),
}
# For other folders: patterns of file names without known suffixes.
NAMES = {
    "source": r"(?:source|src)(?:[\W_].*)?",
    "reference": r"(?:refs?|references?)(?:[\W_\d].*|[a-z])?",
    "nbest": r"(?:.*[\W_])?(?:n|\d+)[-_]?best.*",
    "system": r"(?:sys|systems?|hyps?|hypothes[ei]s|outputs?)(?:[\W_\d].*|[a-z])?",
    "documents": r"(?:documents?|docs?)(?:[\W_]?ids?)?",
    "groups": r"groups?|genres?|domains?",
}
HUMAN = r"human|score|grade|rating|judg|adequacy|fluency|(?:^|[\W_])(?:da|mqm|sqm|esa)(?:[\W_]|$)"
NOT_TEXT = (
    r"(?:readme|licen[cs]e|copying|makefile|changelog).*|.*\.(?:md|toml|json|html?|pdf|py|sh|log|ya?ml|zip|tar|db)"
)
FOLDER_STARTS = {"references": ("ref",), "systems": ("sys", "hyp", "output")}
TEXT_READERS = {"reference": read_references, "system": read_systems, "source": lambda path: [read_source(path)]}


@dataclass(frozen=True)
class Discovery:
    """The recognized files, relative to the folder; `words` explains the decision for each key."""

    folder: Path
    references: tuple[str, ...]
    systems: tuple[str, ...]
    source: str | None
    documents: str | None
    groups: str | None
    nbest: str | None
    human: str | None
    words: dict[str, str]
    not_understood: tuple[str, ...]


def discover(folder: str, besides: Path | None = None) -> Discovery:
    """Recognize the files of a folder and of its subfolders, except the file `besides`, which will be written."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: there is no such folder")
    return _FolderScan(Path(folder), besides).discovery()


class _FolderScan:
    """The files of a folder; `reasons` says why a file is not part of the experiment."""

    def __init__(self, folder: Path, besides: Path | None) -> None:
        self.folder = folder
        files, self.skipped = _list_two_levels(folder)
        self.files = [file for file in files if besides is None or (folder / file).resolve() != besides.resolve()]
        self.reasons: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.roles = {file: role_of(file) for file in self.files}

    def discovery(self) -> Discovery:
        columns = {role: self.columns(role) for role in TEXT_READERS}
        self.add_markup(columns)
        first = self.first_reference(columns["reference"])
        references = self.align(columns["reference"], first)
        systems = self.align(columns["system"], first)
        self.words["references"] = _describe_references([column for file in references.values() for column in file])
        self.words["systems"] = _pluralize(sum(map(len, systems.values())), "system")
        if not systems:
            systems = self.systems_by_length(first)
        source = self.only_file(list(self.align(columns["source"], first)), "source")
        self.words["source"] = f"source of {_pluralize(len(first.segments), 'segment')}"
        documents, groups = self.labels("documents", first), self.labels("groups", first)
        nbest = self.nbest()
        human = self.human([column.name for file in systems.values() for column in file], len(first.segments))
        used = {*references, *systems, source, documents, groups, nbest, human and human.partition(":")[0]}
        return Discovery(
            self.folder,
            tuple(references),
            tuple(systems),
            source,
            documents,
            groups,
            nbest,
            human,
            self.words,
            tuple(self.not_understood({file for file in self.files if file not in used})),
        )

    def path(self, file: str) -> str:
        return str(self.folder / file)

    def reject(self, file: str, error: InputError) -> None:
        self.reasons[file] = str(error).replace(f"{self.folder}/", "").removeprefix(file).lstrip(",: ")

    # --- texts -----------------------------------------------------------------------------------------------------

    def columns(self, role: str) -> dict[str, list[TextColumn]]:
        files = [file for file in self.files if self.roles[file] == role and not is_markup(file)]
        return self.read(files, TEXT_READERS[role])

    def read(self, files: Iterable[str], reader: Callable[[str], list[TextColumn]]) -> dict[str, list[TextColumn]]:
        columns = {}
        for file in files:
            try:
                columns[file] = reader(self.path(file))
            except InputError as error:
                self.reject(file, error)
        return columns

    def add_markup(self, columns: dict[str, dict[str, list[TextColumn]]]) -> None:
        """Add the texts of SGML and XML files, whose tags name their roles."""
        for file in filter(is_markup, self.files):
            try:
                markup = read_markup(self.path(file))
            except InputError as error:
                self.reject(file, error)
                continue
            texts = {"reference": markup.references, "system": markup.systems, "source": markup.sources}
            for role in (role for role, texts_of_role in texts.items() if texts_of_role):
                columns[role] |= self.read([file], TEXT_READERS[role])

    def first_reference(self, by_file: dict[str, list[TextColumn]]) -> TextColumn:
        """Return the first reference that has the most common number of segments."""
        if not by_file:
            raise InputError(
                f"{self.folder}: expected references in a folder called {', '.join(FOLDERS['reference'])}, or in files "
                "called ref*, such as ref1.txt, found none"
            )
        lengths = [len(columns[0].segments) for columns in by_file.values()]
        usual = Counter(lengths).most_common(1)[0][0]
        return next(columns[0] for columns in by_file.values() if len(columns[0].segments) == usual)

    def align(self, by_file: dict[str, list[TextColumn]], first: TextColumn) -> dict[str, list[TextColumn]]:
        aligned = {}
        for file, columns in by_file.items():
            try:
                aligned[file] = [align_column(column, first) for column in columns]
            except InputError as error:
                self.reject(file, error)
        return dict(sorted(aligned.items()))

    def systems_by_length(self, first: TextColumn) -> dict[str, list[TextColumn]]:
        """Return texts directly in the folder that have as many lines as the references, if no name marks systems."""
        files = [file for file in self.files if self.roles[file] == "text" and "/" not in file]
        systems = self.align(self.read(files, read_systems), first)
        for file, columns in list(systems.items()):
            if int((columns[0].segments.text == ord(" ")).sum()) < len(columns[0].segments):
                self.reasons[file] = "it has one line per segment, but no text"
                del systems[file]
        if systems:
            self.words["systems"] = (
                f"{_pluralize(len(systems), 'system')}, recognized only by having {len(first.segments)} lines"
            )
        return systems

    def only_file(self, files: Sequence[str], key: str) -> str | None:
        if len(files) > 1:
            for file in files:
                self.reasons[file] = f"one of {len(files)} candidates for {key}; choose one by hand"
        return files[0] if len(files) == 1 else None

    # --- labels, n-best lists, scores ------------------------------------------------------------------------------

    def labels(self, key: str, first: TextColumn) -> str | None:
        fits = []
        for file in (file for file in self.files if self.roles[file] == key):
            try:
                labels = read_lines(self.path(file))
            except InputError as error:
                self.reject(file, error)
                continue
            if len(labels) != len(first.segments):
                self.reasons[file] = f"expected {len(first.segments)} lines, one per segment, found {len(labels)}"
            elif len(set(labels)) == len(labels) > 1:
                self.reasons[file] = "all labels are different"
            else:
                fits.append(file)
                n_labels = len(set(labels))
        labels_file = self.only_file(fits, key)
        if labels_file:
            self.words[key] = f"{key}, {n_labels} different labels"
        return labels_file

    def nbest(self) -> str | None:
        fits = []
        for file in (file for file in self.files if self.roles[file] == "nbest"):
            try:
                beginning = read_bytes(self.path(file), 1 << 16)
            except InputError as error:
                self.reject(file, error)
                continue
            if b"|||" in beginning.partition(b"\n")[0]:
                fits.append(file)
            else:
                self.reasons[file] = "expected n-best lists with |||, found none"
        nbest_file = self.only_file(fits, "nbest")
        if nbest_file:
            self.words["nbest"] = "n-best lists"
        return nbest_file

    def human(self, systems: Sequence[str], n_segments: int) -> str | None:
        """Return the table of human scores; prefer one judge to several, and segments to systems."""
        fits: list[tuple[tuple[object, ...], str, list[str], str]] = []
        for file in (file for file in self.files if self.roles[file] == "table"):
            looks_human = re.search(HUMAN, file, re.IGNORECASE)
            try:
                scores = read_human(self.path(file), n_segments=n_segments)
            except InputError as error:
                self.reject(file, error)
                if not looks_human:
                    self.reasons[file] = "a table, but not of scores"
                continue
            covered = set(systems) & set(scores.systems)
            by_segment = scores.level == "segment"
            if not covered:
                self.reasons[file] = "a table of scores of other systems"
            elif not looks_human:
                self.reasons[file] = "a table of scores; add it as human or external by hand"
            else:
                coverage = f"{len(covered)} of {_pluralize(len(set(systems)), 'system')}"
                coverage = f"segments of {coverage}" if by_segment else coverage
                order = (scores.n_judges > 1, not by_segment, -len(covered), file)
                fits.append((order, file, [name for name in scores.criteria if name != AVERAGE], coverage))
        if not fits:
            return None
        (_, chosen, criteria, coverage), *others = sorted(fits)
        for _, file, _, _ in others:
            self.reasons[file] = f"human scores, too, but {chosen} was chosen"
        if len(criteria) == 1:
            self.words["human"] = f"human scores ({criteria[0]}) of {coverage}"
            return chosen
        first, *rest = criteria
        self.words["human"] = f"human scores ({first}; other columns: {', '.join(rest)}) of {coverage}"
        return f"{chosen}:{first}"

    # --- the rest --------------------------------------------------------------------------------------------------

    def not_understood(self, files: set[str]) -> Iterable[str]:
        """Yield the remaining files with reasons; a folder whose files have the same reason is one item."""
        by_folder: dict[str, list[str]] = {}
        for file in sorted(files):
            by_folder.setdefault(file.rpartition("/")[0], []).append(file)
        for folder, remaining in by_folder.items():
            reasons = {self.reasons.get(file, "") for file in remaining}
            whole = folder and len(remaining) == sum(file.startswith(f"{folder}/") for file in self.files)
            if whole and len(reasons) == 1 and len(remaining) > 1:
                role = next((role for role, starts in FOLDER_STARTS.items() if folder.lower().startswith(starts)), "")
                reason = f": {self.reasons[remaining[0]]}" if any(reasons) else ""
                if role and not reason:
                    reason = f" that look like more {role}; add them by hand"
                yield f"{folder}/ ({_pluralize(len(remaining), 'file')}{reason})"
            else:
                yield from (f"{file} ({self.reasons[file]})" if self.reasons.get(file) else file for file in remaining)
        yield from self.skipped


def role_of(file: str) -> str:
    """Return the possible role of a file by its name: a key of NAMES, table, text, or other."""
    folder, _, name = file.lower().rpartition("/")
    if re.fullmatch(NOT_TEXT, name):
        return "other"
    role = next((role for role, folders in FOLDERS.items() if folder in folders), "")
    stem = system_name(name)
    if not folder:
        role = next((role for role, pattern in NAMES.items() if re.fullmatch(pattern, stem, re.IGNORECASE)), "")
    suffix = format_suffix(name)
    if suffix in TABLE_SUFFIXES and not (role == "reference" and suffix == ".tsv"):
        return "table"
    return role or "text"


def _list_two_levels(folder: Path) -> tuple[list[str], list[str]]:
    """Return the files of a folder and of its subfolders, and what was skipped; hidden files are ignored."""
    files: list[str] = []
    skipped: list[str] = []
    for path in sorted(path for path in folder.iterdir() if not path.name.startswith(".")):
        if path.is_file():
            files.append(path.name)
        elif path.is_dir():
            try:
                inside = sorted(path.iterdir())
            except OSError:
                skipped.append(f"{path.name}/ (it cannot be read)")
                continue
            for below in inside:
                if below.is_file() and not below.name.startswith("."):
                    files.append(f"{path.name}/{below.name}")
                elif below.is_dir() and not below.name.startswith("."):
                    skipped.append(f"{path.name}/{below.name}/ (skipped: too deep)")
    return files, skipped


def _pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _describe_references(columns: Sequence[TextColumn]) -> str:
    test_set = TestSet({}, tuple(column.segments for column in columns))
    counts = test_set.present.sum(axis=0)
    varying = "" if test_set.reference_count else f", {counts.min()} to {counts.max()} per segment"
    return f"{_pluralize(len(columns), 'reference')} of {_pluralize(len(test_set), 'segment')}{varying}"
