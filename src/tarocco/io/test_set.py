"""A test set from the files that hold it: plain text, tab-separated references, SGML, XML."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.io.files import COMPRESSED, STANDARD_INPUT, display_name, format_suffix
from tarocco.io.text import MARKUP_SUFFIXES, SegmentKey, is_markup, read_lines, read_markup, read_tab_separated

KNOWN_SUFFIXES = (*COMPRESSED, ".txt", ".tsv", *MARKUP_SUFFIXES)


@dataclass(frozen=True)
class TextColumn:
    """A named text, the file it comes from and, for SGML and XML, the keys of its segments."""

    name: str
    path: str
    segments: Segments
    keys: tuple[SegmentKey, ...] | None = None


def system_name(path: str) -> str:
    """Return a file's name without known suffixes: `out/sysA.txt.gz` is sysA, `online-A.0` stays."""
    if path == STANDARD_INPUT:
        return "stdin"
    name = Path(path).name
    while Path(name).suffix in KNOWN_SUFFIXES and Path(name).stem:
        name = Path(name).stem
    return name


def read_test_set(
    references: Sequence[str], systems: Sequence[str], documents: str | None = None, num_refs: int | None = None
) -> TestSet:
    """Read references and systems from files, and check that they have the same segments.

    `documents` is a file with one label per segment; SGML and XML files have labels. `num_refs` reads a reference file
    as tab-separated even if its name does not end in .tsv.
    """
    if [*references, *systems].count(STANDARD_INPUT) > 1:
        raise InputError("expected standard input (-) at most once, found it twice")
    return build_test_set(
        [column for path in references for column in read_references(path, num_refs)],
        [column for path in systems for column in read_systems(path)],
        documents,
    )


def build_test_set(
    references: Sequence[TextColumn], systems: Sequence[TextColumn], documents: str | None = None
) -> TestSet:
    """Combine columns into a test set, and check that they have the same segments."""
    if not references:
        raise InputError("expected a reference file, found none")
    names, reference_names = disambiguate_names(systems), disambiguate_names(references)
    for name, count in Counter(names).items():
        if count > 1:
            raise InputError(f'expected each system once, found "{name}" {count} times')
    first = references[0]
    streams = [align_column(column, first) for column in references]
    outputs = [align_column(column, first) for column in systems]
    labels = read_labels(documents, first) if documents else None
    if labels is None and first.keys is not None:
        labels = tuple(document for document, _ in first.keys)
    return TestSet(
        {name: column.segments for name, column in zip(names, outputs, strict=True)},
        tuple(column.segments for column in streams),
        labels,
        tuple(reference_names),
    )


def disambiguate_names(columns: Sequence[TextColumn]) -> list[str]:
    """Return the name of each column, or its path if two have the same name (PATH:NAME in SGML and XML files)."""
    counts = Counter(column.name for column in columns)
    return [
        column.name
        if counts[column.name] == 1
        else display_name(column.path)
        if column.keys is None
        else f"{column.path}:{column.name}"
        for column in columns
    ]


def read_labels(path: str, first: TextColumn) -> tuple[str, ...]:
    """Read one label per segment of the first reference."""
    labels = tuple(read_lines(path))
    if len(labels) != len(first.segments):
        raise InputError(
            f"{path}: expected {len(first.segments)} labels, one per segment of {display_name(first.path)}, found "
            f"{len(labels)}"
        )
    return labels


def read_references(path: str, num_refs: int | None = None) -> list[TextColumn]:
    """Read the references in a file; SGML, XML and tab-separated files can hold several."""
    if is_markup(path):
        markup = read_markup(path)
        if not markup.references:
            raise InputError(f"{path}: expected references, found none")
        return _markup_columns(markup.references, markup.keys, path)
    if num_refs is not None or format_suffix(path) == ".tsv":
        streams = read_tab_separated(path, num_refs)
        names = [f"{system_name(path)}:{number}" for number in range(1, len(streams) + 1)]
        return [TextColumn(name, path, segments) for name, segments in zip(names, streams, strict=True)]
    return [TextColumn(system_name(path), path, read_lines(path))]


def read_systems(path: str) -> list[TextColumn]:
    """Read the system outputs in a file; SGML and XML files can hold several."""
    if is_markup(path):
        markup = read_markup(path)
        if not markup.systems:
            raise InputError(f"{path}: expected system outputs, found none")
        keys = markup.keys
        for name, text in markup.systems.items():
            missing = [key for key in keys if key not in text]
            if missing:
                raise InputError(f'{path}: "{name}" has no segment {missing[0][1]} of document "{missing[0][0]}"')
        return _markup_columns(markup.systems, keys, path)
    return [TextColumn(system_name(path), path, read_lines(path))]


def read_source(path: str) -> TextColumn:
    """Read the source text."""
    if is_markup(path):
        markup = read_markup(path)
        if len(markup.sources) != 1:
            raise InputError(f"{path}: expected one source text, found {len(markup.sources)}")
        return _markup_columns(markup.sources, markup.keys, path)[0]
    return TextColumn(system_name(path), path, read_lines(path))


def _markup_columns(
    texts: Mapping[str, Mapping[SegmentKey, str]], keys: tuple[SegmentKey, ...], path: str
) -> list[TextColumn]:
    """Return one column per text, all with the same segments; a missing segment is empty."""
    return [
        TextColumn(name, path, Segments.from_strings([text.get(key, "") for key in keys]), keys)
        for name, text in texts.items()
    ]


def align_column(column: TextColumn, first: TextColumn) -> TextColumn:
    """Return the column in the segment order of the first reference; InputError if they have different segments."""
    if first.keys is None or column.keys is None:
        if len(first.segments) != len(column.segments):
            raise InputError(
                f"{display_name(column.path)}: expected {len(first.segments)} segments as in "
                f"{display_name(first.path)}, found {len(column.segments)}"
            )
        return column
    if first.keys == column.keys:
        return column
    for complete, incomplete in ((first, column), (column, first)):
        known = set(incomplete.keys or ())
        missing = [key for key in complete.keys or () if key not in known]
        if missing:
            document, segment = missing[0]
            raise InputError(
                f"{incomplete.path}: expected the segments of {complete.path}, found no segment {segment} of document "
                f'"{document}" in "{incomplete.name}" ({len(missing)} missing in all)'
            )
    text = dict(zip(column.keys, column.segments, strict=True))
    return TextColumn(column.name, column.path, Segments.from_strings([text[key] for key in first.keys]), first.keys)
