"""What is in a folder: references, systems, source, n-best lists, human scores, labels, by names and numbers of lines.

Names say what a file may be, and its segments have to be as many as the references have. What is decided is put into
words, and what is not understood is listed: nothing is guessed in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tarocco.core.errors import InputError
from tarocco.core.test_set import TestSet
from tarocco.io.files import bytes_of
from tarocco.io.lines import read_lines
from tarocco.io.markup import format_of, is_marked_up, read_markup
from tarocco.io.scores.criteria import AVERAGE
from tarocco.io.scores.human import read_human
from tarocco.io.tables import SUFFIXES as TABLES
from tarocco.io.test_set import Column, fitted, reference_columns, source_column, system_columns, system_name

FOLDERS = {
    "reference": ("ref", "refs", "reference", "references"),
    "system": ("sys", "system", "systems", "hyp", "hyps", "hypotheses", "output", "outputs"),
    "source": ("source", "src"),
    "nbest": ("nbest",),
}
# In folders of no such name: the file's name without known suffixes.
NAMES = {
    "source": r"(?:source|src)(?:[\W_].*)?",
    "reference": r"(?:refs?|references?)(?:[\W_\d].*|[a-z])?",
    "nbest": r"(?:.*[\W_])?(?:n|\d+)[-_]?best.*",
    "system": r"(?:sys|systems?|hyps?|hypothes[ei]s|outputs?)(?:[\W_\d].*|[a-z])?",
    "documents": r"(?:documents?|docs?)(?:[\W_]?ids?)?",
    "groups": r"groups?|genres?|domains?",
}
HUMAN = r"human|score|grade|rating|judg|adequacy|fluency|(?:^|[\W_])(?:da|mqm|sqm|esa)(?:[\W_]|$)"
NO_TEXT = (
    r"(?:readme|licen[cs]e|copying|makefile|changelog).*|.*\.(?:md|toml|json|html?|pdf|py|sh|log|ya?ml|zip|tar|db)"
)
FURTHER = {"references": ("ref",), "systems": ("sys", "hyp", "output")}
TEXT_READERS = {"reference": reference_columns, "system": system_columns, "source": lambda path: [source_column(path)]}


@dataclass(frozen=True)
class Discovery:
    """What was understood; files are named from the folder on, and `words` says for each key how it was decided."""

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
    """Look at the files of a folder and of the folders in it, besides one that is to be written."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder}: there is no such folder")
    return _Looking(Path(folder), besides).discovery()


class _Looking:
    """A folder being looked at; `left` says why a file is none of the experiment's, as far as there is a reason."""

    def __init__(self, folder: Path, besides: Path | None) -> None:
        self.folder = folder
        files, self.deeper = _two_levels(folder)
        self.files = [file for file in files if besides is None or (folder / file).resolve() != besides.resolve()]
        self.left: dict[str, str] = {}
        self.words: dict[str, str] = {}
        self.roles = {file: role_of(file) for file in self.files}

    def discovery(self) -> Discovery:
        columns = {role: self.columns(role) for role in TEXT_READERS}
        self.look_into_marked_up_files(columns)
        first = self.first_reference(columns["reference"])
        references = self.fitting(columns["reference"], first)
        systems = self.fitting(columns["system"], first)
        self.words["references"] = _about_references([one for found in references.values() for one in found])
        self.words["systems"] = _counted(sum(map(len, systems.values())), "system")
        if not systems:
            systems = self.by_numbers_alone(first)
        source = self.only_one(list(self.fitting(columns["source"], first)), "source")
        self.words["source"] = f"source of {_counted(len(first.segments), 'segment')}"
        documents, groups = self.labels("documents", first), self.labels("groups", first)
        nbest = self.nbest()
        human = self.human([column.name for found in systems.values() for column in found], len(first.segments))
        taken = {*references, *systems, source, documents, groups, nbest, human and human.partition(":")[0]}
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
            tuple(self.not_understood({file for file in self.files if file not in taken})),
        )

    def path(self, file: str) -> str:
        return str(self.folder / file)

    def reason(self, file: str, error: InputError) -> str:
        return str(error).replace(f"{self.folder}/", "").removeprefix(file).lstrip(",: ")

    # --- texts -----------------------------------------------------------------------------------------------------

    def columns(self, role: str) -> dict[str, list[Column]]:
        files = [file for file in self.files if self.roles[file] == role and not is_marked_up(file)]
        return self.read(files, TEXT_READERS[role])

    def read(self, files: Iterable[str], reader: Callable[[str], list[Column]]) -> dict[str, list[Column]]:
        found = {}
        for file in files:
            try:
                found[file] = reader(self.path(file))
            except InputError as error:
                self.left[file] = self.reason(file, error)
        return found

    def look_into_marked_up_files(self, columns: dict[str, dict[str, list[Column]]]) -> None:
        """Their tags say what they hold, which may be several things."""
        for file in filter(is_marked_up, self.files):
            try:
                found = read_markup(self.path(file))
            except InputError as error:
                self.left[file] = self.reason(file, error)
                continue
            texts = {"reference": found.references, "system": found.systems, "source": found.sources}
            for role in (role for role, there in texts.items() if there):
                columns[role] |= self.read([file], TEXT_READERS[role])

    def first_reference(self, found: dict[str, list[Column]]) -> Column:
        """The first of those that have as many segments as most of them."""
        if not found:
            raise InputError(
                f"{self.folder}: no references were found; they are looked for in folders called "
                f"{', '.join(FOLDERS['reference'])}, and in files called ref*, such as ref1.txt"
            )
        lengths = [len(columns[0].segments) for columns in found.values()]
        usual = Counter(lengths).most_common(1)[0][0]
        return next(columns[0] for columns in found.values() if len(columns[0].segments) == usual)

    def fitting(self, found: dict[str, list[Column]], first: Column) -> dict[str, list[Column]]:
        fits = {}
        for file, columns in found.items():
            try:
                fits[file] = [fitted(column, first) for column in columns]
            except InputError as error:
                self.left[file] = self.reason(file, error)
        return dict(sorted(fits.items()))

    def by_numbers_alone(self, first: Column) -> dict[str, list[Column]]:
        """Where no name says what the systems are: texts of the folder itself, with as many lines as the references."""
        files = [file for file in self.files if self.roles[file] == "text" and "/" not in file]
        found = self.fitting(self.read(files, system_columns), first)
        for file, columns in list(found.items()):
            if int((columns[0].segments.text == ord(" ")).sum()) < len(columns[0].segments):
                self.left[file] = "as many lines as there are segments, but not text"
                del found[file]
        if found:
            self.words["systems"] = (
                f"{_counted(len(found), 'system')}, told by nothing but having {len(first.segments)} lines"
            )
        return found

    def only_one(self, files: Sequence[str], key: str) -> str | None:
        if len(files) > 1:
            for file in files:
                self.left[file] = f"one of {len(files)} that could be {key}: choose by hand"
        return files[0] if len(files) == 1 else None

    # --- labels, n-best lists, scores ------------------------------------------------------------------------------

    def labels(self, key: str, first: Column) -> str | None:
        fits = []
        for file in (file for file in self.files if self.roles[file] == key):
            try:
                labels = read_lines(self.path(file))
            except InputError as error:
                self.left[file] = self.reason(file, error)
                continue
            if len(labels) != len(first.segments):
                self.left[file] = f"{len(labels)} lines, but {len(first.segments)} segments"
            elif len(set(labels)) == len(labels) > 1:
                self.left[file] = "every segment has a label of its own"
            else:
                fits.append(file)
                different = len(set(labels))
        found = self.only_one(fits, key)
        if found:
            self.words[key] = f"{key}, {different} different labels"
        return found

    def nbest(self) -> str | None:
        fits = []
        for file in (file for file in self.files if self.roles[file] == "nbest"):
            try:
                beginning = bytes_of(self.path(file), 1 << 16)
            except InputError as error:
                self.left[file] = self.reason(file, error)
                continue
            if b"|||" in beginning.partition(b"\n")[0]:
                fits.append(file)
            else:
                self.left[file] = "it has no ||| as n-best lists have"
        found = self.only_one(fits, "nbest")
        if found:
            self.words["nbest"] = "n-best lists"
        return found

    def human(self, systems: Sequence[str], n_segments: int) -> str | None:
        """The table of human scores: of segments rather than systems, ready rather than several judges'."""
        fits: list[tuple[tuple[object, ...], str, list[str], str]] = []
        for file in (file for file in self.files if self.roles[file] == "table"):
            named_so = re.search(HUMAN, file, re.IGNORECASE)
            try:
                scores = read_human(self.path(file), n_segments=n_segments)
            except InputError as error:
                self.left[file] = self.reason(file, error) if named_so else "a table, but not of scores"
                continue
            covered = set(systems) & set(scores.systems)
            by_segment = scores.level == "segment"
            if not covered:
                self.left[file] = "a table of other systems than those found here"
            elif not named_so:
                self.left[file] = "a table of scores: it can be named under human or external"
            else:
                what = (
                    f"{'segments of ' if by_segment else ''}{len(covered)} of {_counted(len(set(systems)), 'system')}"
                )
                order = (scores.n_judges > 1, not by_segment, -len(covered), file)
                fits.append((order, file, [name for name in scores.criteria if name != AVERAGE], what))
        if not fits:
            return None
        (_, chosen, criteria, what), *others = sorted(fits)
        for _, file, _, _ in others:
            self.left[file] = f"human scores, too; {chosen} was taken"
        if len(criteria) == 1:
            self.words["human"] = f"human scores ({criteria[0]}) of {what}"
            return chosen
        first, *rest = criteria
        self.words["human"] = f"human scores ({first}; other columns: {', '.join(rest)}) of {what}"
        return f"{chosen}:{first}"

    # --- the rest --------------------------------------------------------------------------------------------------

    def not_understood(self, files: set[str]) -> Iterable[str]:
        """Files that are left, with reasons; folders of files with the same reason in one."""
        by_folder: dict[str, list[str]] = {}
        for file in sorted(files):
            by_folder.setdefault(file.rpartition("/")[0], []).append(file)
        for folder, own in by_folder.items():
            why = {self.left.get(file, "") for file in own}
            whole = folder and len(own) == sum(file.startswith(f"{folder}/") for file in self.files)
            if whole and len(why) == 1 and len(own) > 1:
                role = next((role for role, begins in FURTHER.items() if folder.lower().startswith(begins)), "")
                further = f" that look like further {role}: add them by hand" if role and not any(why) else ""
                yield f"{folder}/ ({_counted(len(own), 'file')}{further or _behind(why.pop())})"
            else:
                yield from (f"{file} ({self.left[file]})" if self.left.get(file) else file for file in own)
        yield from self.deeper


def role_of(file: str) -> str:
    """What a file may be, by its name: a key of NAMES, table, text, or other."""
    folder, _, name = file.lower().rpartition("/")
    if re.fullmatch(NO_TEXT, name):
        return "other"
    role = next((role for role, folders in FOLDERS.items() if folder in folders), "")
    stem = system_name(name)
    if not folder:
        role = next((role for role, pattern in NAMES.items() if re.fullmatch(pattern, stem, re.IGNORECASE)), "")
    form = format_of(name)
    if form in TABLES and not (role == "reference" and form == ".tsv"):
        return "table"
    return role or "text"


def _two_levels(folder: Path) -> tuple[list[str], list[str]]:
    """The files of a folder and of the folders in it, and what was not looked at; hidden ones are not seen."""
    files: list[str] = []
    deeper: list[str] = []
    for path in sorted(path for path in folder.iterdir() if not path.name.startswith(".")):
        if path.is_file():
            files.append(path.name)
        elif path.is_dir():
            try:
                inside = sorted(path.iterdir())
            except OSError:
                deeper.append(f"{path.name}/ (it cannot be read)")
                continue
            for below in inside:
                if below.is_file() and not below.name.startswith("."):
                    files.append(f"{path.name}/{below.name}")
                elif below.is_dir() and not below.name.startswith("."):
                    deeper.append(f"{path.name}/{below.name}/ (too deep to be looked at)")
    return files, deeper


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _behind(reason: str) -> str:
    return f": {reason}" if reason else ""


def _about_references(columns: Sequence[Column]) -> str:
    test_set = TestSet({}, tuple(column.segments for column in columns))
    counts = test_set.present.sum(axis=0)
    varying = "" if test_set.reference_count else f", {counts.min()} to {counts.max()} a segment"
    return f"{_counted(len(columns), 'reference')} of {_counted(len(test_set), 'segment')}{varying}"
