"""The files of a test bed: TARGET/REFERENCE/metric.xml, and TARGET/R0_R1_R2/metric.xml for several references."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.io.files import replace_file
from tarocco.iqmt.configs import check_name
from tarocco.iqmt.names import ALSO, written
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.similarities import Similarities
from tarocco.metrics.base import Floats

LARGEST = 1 << 28  # bytes of a file; a million segments take a tenth of it
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LONGEST = 64  # characters of a number

# Files as they are written here, and as the manual shows them; all others are for the XML parser, which is slower.
_PLAIN = re.compile(
    rb"""<IQ((?:\ \w+="[^"<&\x00-\x1f]*")*)>
    ((?:\s*<S\ n="[1-9][0-9]{0,8}">[-+.0-9eE]{1,64}</S>)+)\s*</IQ>\s*""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r' (\w+)="([^"]*)"')
_SEGMENT = re.compile(rb'n="([0-9]+)">([^<]+)')


class Scores(NamedTuple):
    """The score of the whole target, and those of its segments; NaN where there is none."""

    score: float
    segments: Floats


def text_of(target: str, reference: str, metric: str, scores: Scores) -> str:
    """The file as text. Equal scores give equal text, and reading it gives the same bits."""
    attributes = {"metric": metric, "ref": reference, "score": _shown(scores.score), "target": target}
    lines = [f"<IQ {' '.join(f'{key}={quoteattr(value)}' for key, value in attributes.items())}>"]
    for number, score in enumerate(scores.segments.tolist(), start=1):
        value = _shown(score)
        lines.append(f'  <S n="{number}">{value}</S>' if value else f'  <S n="{number}"/>')
    return "\n".join([*lines, "</IQ>", ""])


def _shown(score: float) -> str:
    return "" if score != score else repr(score)


def read_scores(path: Path, target: str, reference: str, names: tuple[str, ...]) -> Scores:
    """Read a file; InputError with its line if it is anything else, or about anything else.

    `names` are what the metric may be called there.
    """
    wanted = {"target": (target,), "ref": (reference,), "metric": names}
    data = _contents(path)
    return _plain_scores(data, wanted) or _Reader(path, wanted).scores(data)


def _plain_scores(data: bytes, wanted: dict[str, tuple[str, ...]]) -> Scores | None:
    """What is in a plain file in which nothing is wrong; None for any other."""
    plain = _PLAIN.fullmatch(data)
    if plain is None:
        return None
    try:
        attributes = _ATTRIBUTE.findall(plain[1].decode("utf-8"))
        numbers, values = zip(*_SEGMENT.findall(plain[2]), strict=True)
        segments, score = np.array(values).astype(np.float64), float(dict(attributes).get("score", "-"))
    except ValueError:
        return None
    known = dict(attributes)
    fits = len(known) == len(attributes) and all(known.get(key) in values for key, values in wanted.items())
    in_order = np.array_equal(np.array(numbers).astype(np.int64), np.arange(1, len(numbers) + 1))
    sound = (
        len(known["score"]) <= _LONGEST
        and _NUMBER.fullmatch(known["score"])
        and np.isfinite(segments).all()
        and np.isfinite(score)
    )
    return Scores(score, segments) if fits and in_order and sound else None


def _contents(path: Path) -> bytes:
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                raise InputError(f"{path}: an ordinary file is wanted, and this is none")
            if about.st_size > LARGEST:
                raise InputError(f"{path}: the file is larger than {LARGEST >> 20} MB, which no IQ XML file is")
            return file.read(LARGEST)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path}: this file cannot be read ({error.strerror})") from None


class _Reader:
    """Follows <IQ> and its <S>, and nothing else."""

    def __init__(self, path: Path, wanted: dict[str, tuple[str, ...]]) -> None:
        self.path, self.wanted = path, wanted
        self.score = np.nan
        self.by_number: dict[int, float] = {}
        self.depth = self.number = 0
        self.text: list[str] = []
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.characters
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def scores(self, data: bytes) -> Scores:
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            raise InputError(
                f"{self.path}, line {error.lineno}: this is not XML: {expat.ErrorString(error.code)}"
            ) from None
        n = len(self.by_number)
        missing = next((number for number in range(1, n + 1) if number not in self.by_number), None)
        if not n or missing is not None:
            raise InputError(
                f"{self.path}: {n} segments are there, and none of them is number {missing or 1}; "
                "all are wanted, from 1 on"
            )
        return Scores(self.score, np.array([self.by_number[number] for number in range(1, n + 1)]))

    def wrong(self, sentence: str) -> InputError:
        return InputError(f"{self.path}, line {self.parser.CurrentLineNumber}: {sentence}")

    def refuse(self, *_what: object) -> None:
        raise self.wrong("document type definitions and entities are not supported")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        wanted = ("IQ", "S")[self.depth] if self.depth < 2 else "</S>"
        if tag != wanted:
            raise self.wrong(f"<{wanted}> is wanted, found <{tag[:60]}>" if self.depth < 2 else "</S> is wanted")
        self.depth += 1
        if tag == "IQ":
            self.start_file(attributes)
            return
        found = attributes.get("n", "")
        if not re.fullmatch(r"[1-9]\d{0,8}", found, re.ASCII):
            raise self.wrong(f'a segment has a number from 1 on, <S n="1">, not "{found[:60]}"')
        self.number = int(found)
        if self.number in self.by_number:
            raise self.wrong(f"segment {self.number} is there twice")

    def start_file(self, attributes: dict[str, str]) -> None:
        for key, values in self.wanted.items():
            if attributes.get(key) not in values:
                found = f'"{attributes[key][:60]}"' if key in attributes else "none"
                raise self.wrong(f'{key}="{values[0]}" is wanted in this file, found {found}')
        self.score = self.value(attributes.get("score", ""), "score=")

    def characters(self, text: str) -> None:
        if self.depth == 2:
            self.text.append(text)
        elif text.strip():
            raise self.wrong(f'nothing is wanted between segments, found "{text.strip()[:60]}"')

    def end(self, _tag: str) -> None:
        if self.depth == 2:
            self.by_number[self.number] = self.value("".join(self.text), f"segment {self.number}")
            self.text.clear()
        self.depth -= 1

    def value(self, text: str, what: str) -> float:
        text = text.strip()
        if not text:
            return np.nan
        value = float(text) if len(text) <= _LONGEST and _NUMBER.fullmatch(text) else np.inf
        if not np.isfinite(value):
            raise self.wrong(f'{what}: a number is wanted, found "{text[:60]}"')
        return value


@dataclass
class Tree:
    """A folder with IQ XML files. All of them have the same segments; names lead nowhere but into the folder."""

    folder: Path
    first: tuple[Path, int] | None = field(default=None, repr=False)  # the first file read, and its segments

    def path(self, target: str, references: Sequence[str], metric: str) -> Path:
        for name in (target, *references, metric):
            check_name(name, str(self.folder))
        path = self.folder / target / "_".join(references) / f"{written(metric)}.xml"
        root, found = os.path.realpath(self.folder), os.path.realpath(path)
        if os.path.commonpath([root, found]) != root:
            raise InputError(f"{path}: this leads out of {self.folder}, to {found}; it is neither read nor written")
        return path

    def write(self, target: str, references: Sequence[str], metric: str, scores: Scores) -> None:
        """Write a file; it is there as a whole or not at all."""
        path = self.path(target, references, metric)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent}: this folder cannot be made ({error.strerror})") from None
        with replace_file(path) as temporary:
            temporary.write_text(text_of(target, "_".join(references), written(metric), scores), "utf-8")

    def read(self, target: str, references: Sequence[str], metric: str) -> Scores:
        path = self.path(target, references, metric)
        if not path.exists():
            raise InputError(
                f"{path}: there is no such file; {metric} of {target} against {', '.join(references)} is wanted"
            )
        names = (written(metric), *(other for other, name in ALSO.items() if name == written(metric)))
        found = read_scores(path, target, "_".join(references), names)
        if self.first is None:
            self.first = path, len(found.segments)
        if len(found.segments) != self.first[1]:
            raise InputError(f"{path} has {len(found.segments)} segments, {self.first[0]} has {self.first[1]}")
        return found

    def similarities(
        self, metrics: Sequence[str], systems: Sequence[str], references: Sequence[str], between_systems: bool = False
    ) -> Similarities:
        """What the files say of pairs of texts, each against one other alone."""
        to_references = self._near(metrics, [*systems, *references], references)
        known: NDArray[np.bool_] = np.any(
            ~np.isnan(to_references), axis=(0, 2)
        )  # a reference that nothing was compared with is not there
        return Similarities(
            tuple(metrics),
            tuple(f"{metric}|nrefs:1|iq:{self.folder.resolve().name}" for metric in metrics),
            tuple(systems),
            tuple(references),
            known,
            to_references,
            self._near(metrics, systems, systems) if between_systems else None,
        )

    def _near(self, metrics: Sequence[str], rows: Sequence[str], columns: Sequence[str]) -> Floats:
        """float64[metrics, segments, rows, columns]; NaN between a text and itself."""
        cells = {
            (m, a, b): self.read(row, [column], metric).segments
            for m, metric in enumerate(metrics)
            for a, row in enumerate(rows)
            for b, column in enumerate(columns)
            if row != column
        }
        near = np.full((len(metrics), self.first[1] if self.first else 0, len(rows), len(columns)), np.nan)
        for (m, a, b), segments in cells.items():
            near[m, :, a, b] = segments
        return round_last_bits(near)  # as similarities are that were never written
