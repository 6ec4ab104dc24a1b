"""A test set from whatever files hold it: plain text, tab-separated references, SGML, XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.io.files import COMPRESSED, STANDARD_INPUT, shown
from tarocco.io.lines import read_lines, read_tab_separated
from tarocco.io.markup import SUFFIXES, Key, format_of, is_marked_up, read_markup

KNOWN_SUFFIXES = (*COMPRESSED, ".txt", ".tsv", *SUFFIXES)


@dataclass(frozen=True)
class Column:
    """A text with its name, the file it came from and, from a marked-up file, its segments' keys."""

    name: str
    path: str
    segments: Segments
    keys: tuple[Key, ...] | None = None


def system_name(path: str) -> str:
    """A file's basename without known suffixes: `out/sysA.txt.gz` is sysA, `online-A.0` stays."""
    if path == STANDARD_INPUT:
        return "stdin"
    name = Path(path).name
    while Path(name).suffix in KNOWN_SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name


def read_test_set(
    references: Sequence[str], systems: Sequence[str], documents: str | None = None, num_refs: int | None = None
) -> TestSet:
    """Read references and systems from files, and check that they fit each other.

    `documents` is a file with one label a segment; marked-up files bring their own. `num_refs` reads the reference
    file as tab-separated, whatever it is called (.tsv files are anyway).
    """
    if [*references, *systems].count(STANDARD_INPUT) > 1:
        raise InputError("standard input can be read once, but - was given twice")
    return assemble(
        [column for path in references for column in reference_columns(path, num_refs)],
        [column for path in systems for column in system_columns(path)],
        documents,
    )


def assemble(references: Sequence[Column], systems: Sequence[Column], documents: str | None = None) -> TestSet:
    """A test set of columns that were read; they are checked to fit each other."""
    if not references:
        raise InputError("no reference file was given")
    first = references[0]
    streams = [fitted(column, first) for column in references]
    outputs = [fitted(column, first) for column in systems]
    names = distinct_names(outputs)
    for name, often in Counter(names).items():
        if often > 1:
            raise InputError(f'the system "{name}" was given twice')
    labels = read_labels(documents, first) if documents else None
    if labels is None and first.keys is not None:
        labels = tuple(document for document, _ in first.keys)
    return TestSet(
        {name: column.segments for name, column in zip(names, outputs, strict=True)},
        tuple(column.segments for column in streams),
        labels,
        tuple(distinct_names(streams)),
    )


def distinct_names(columns: Sequence[Column]) -> list[str]:
    """a/out.txt and b/out.txt are called by their paths, systems in marked-up files by both."""
    often = Counter(column.name for column in columns)
    return [
        column.name
        if often[column.name] == 1
        else shown(column.path)
        if column.keys is None
        else f"{column.path}:{column.name}"
        for column in columns
    ]


def read_labels(path: str, first: Column) -> tuple[str, ...]:
    """One label a segment, as many as the first reference has segments."""
    labels = tuple(read_lines(path))
    if len(labels) != len(first.segments):
        raise InputError(f"{path} has {len(labels)} labels, {shown(first.path)} has {len(first.segments)} segments")
    return labels


def reference_columns(path: str, num_refs: int | None = None) -> list[Column]:
    """The references in a file: one, or as many as a marked-up or tab-separated file has."""
    if is_marked_up(path):
        found = read_markup(path)
        if not found.references:
            raise InputError(f"{path}: there are no references in this file")
        return _marked_up_columns(found.references, found.keys, path)
    if num_refs is not None or format_of(path) == ".tsv":
        streams = read_tab_separated(path, num_refs)
        names = [f"{system_name(path)}:{number}" for number in range(1, len(streams) + 1)]
        return [Column(name, path, segments) for name, segments in zip(names, streams, strict=True)]
    return [Column(system_name(path), path, read_lines(path))]


def system_columns(path: str) -> list[Column]:
    """The systems in a file: one, or as many as a marked-up file has."""
    if is_marked_up(path):
        found = read_markup(path)
        if not found.systems:
            raise InputError(f"{path}: there are no system outputs in this file")
        keys = found.keys
        for name, text in found.systems.items():
            missing = [key for key in keys if key not in text]
            if missing:
                raise InputError(f'{path}: "{name}" has no segment {missing[0][1]} of document "{missing[0][0]}"')
        return _marked_up_columns(found.systems, keys, path)
    return [Column(system_name(path), path, read_lines(path))]


def source_column(path: str) -> Column:
    """The source text."""
    if is_marked_up(path):
        found = read_markup(path)
        if len(found.sources) != 1:
            raise InputError(f"{path}: one source text is wanted, found {len(found.sources)}")
        return _marked_up_columns(found.sources, found.keys, path)[0]
    return Column(system_name(path), path, read_lines(path))


def _marked_up_columns(texts: Mapping[str, Mapping[Key, str]], keys: tuple[Key, ...], path: str) -> list[Column]:
    """One column a text, all with the same segments; one that a text does not have is empty there."""
    return [
        Column(name, path, Segments.from_strings([text.get(key, "") for key in keys]), keys)
        for name, text in texts.items()
    ]


def fitted(column: Column, first: Column) -> Column:
    """The column in the order of the first reference's segments; InputError if they are not the same segments."""
    if first.keys is None or column.keys is None:
        n, found = len(first.segments), len(column.segments)
        if n != found:
            raise InputError(f"{shown(first.path)} has {n} segments, {shown(column.path)} has {found}")
        return column
    if first.keys == column.keys:
        return column
    for here, there in ((first, column), (column, first)):
        known = set(there.keys or ())
        missing = [key for key in here.keys or () if key not in known]
        if missing:
            document, segment = missing[0]
            raise InputError(
                f'{there.path} ("{there.name}") has no segment {segment} of document "{document}", which {here.path} '
                f"has; missing in all: {len(missing)}"
            )
    text = dict(zip(column.keys, column.segments, strict=True))
    return Column(column.name, column.path, Segments.from_strings([text[key] for key in first.keys]), first.keys)
