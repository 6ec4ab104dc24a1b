"""The XML files of a test bed: TARGET/REFERENCE/metric.xml, and TARGET/R0_R1_R2/metric.xml for several references."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.io.files import replace_file, write_atomically
from tarocco.io.text import XmlReader
from tarocco.iqmt.configs import FILE_NAMES, check_name, file_name, format_eval, read_eval
from tarocco.meta.correlation.score_sources import round_last_bits
from tarocco.meta.qarla.queen import mean_ignoring_nan
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.metrics.base import Floats

CONFIG = "IQeval.config"
MAX_SIZE = 1 << 28  # bytes of a file; a million segments take a tenth of it
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_MAX_NUMBER = 64  # characters

# Files as written here and as in the manual match this pattern; all others go through the slower XML parser.
_PLAIN = re.compile(
    rb"""<IQ((?:\ \w+="[^"<&\x00-\x1f]*")*)>
    ((?:\s*<S\ n="[1-9][0-9]{0,8}">[-+.0-9eE]{1,64}</S>)+)\s*</IQ>\s*""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r' (\w+)="([^"]*)"')
_SEGMENT = re.compile(rb'n="([0-9]+)">([^<]+)')


class TargetScores(NamedTuple):
    """The score of a target and of its segments; NaN if there is none."""

    score: float
    segments: Floats


def format_scores(target: str, reference: str, metric: str, scores: TargetScores) -> str:
    """Return the text of a file; reading it gives the same bits."""
    attributes = {"metric": metric, "ref": reference, "score": _format_score(scores.score), "target": target}
    lines = [f"<IQ {' '.join(f'{key}={quoteattr(value)}' for key, value in attributes.items())}>"]
    for number, score in enumerate(scores.segments.tolist(), start=1):
        value = _format_score(score)
        lines.append(f'  <S n="{number}">{value}</S>' if value else f'  <S n="{number}"/>')
    return "\n".join([*lines, "</IQ>", ""])


def _format_score(score: float) -> str:
    return "" if score != score else repr(score)


def read_scores(path: Path, target: str, reference: str, names: tuple[str, ...]) -> TargetScores:
    """Read the scores of a target, a reference and a metric, which may have one of these names in the file."""
    expected = {"target": (target,), "ref": (reference,), "metric": names}
    data = _read_file(path)
    return _parse_plain(data, expected) or _ScoresReader(path, expected).read(data)


def _parse_plain(data: bytes, expected: dict[str, tuple[str, ...]]) -> TargetScores | None:
    """Return the scores of a plain file without errors, or None."""
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
    fits = len(known) == len(attributes) and all(known.get(key) in values for key, values in expected.items())
    in_order = np.array_equal(np.array(numbers).astype(np.int64), np.arange(1, len(numbers) + 1))
    is_number = len(known["score"]) <= _MAX_NUMBER and _NUMBER.fullmatch(known["score"])
    finite = np.isfinite(segments).all() and np.isfinite(score)
    return TargetScores(score, segments) if fits and in_order and is_number and finite else None


def _read_file(path: Path) -> bytes:
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise InputError(f"{path}: expected an ordinary file, found a device, a pipe or a directory")
            if status.st_size > MAX_SIZE:
                raise InputError(
                    f"{path}: expected a file of at most {MAX_SIZE >> 20} MB, found {status.st_size >> 20}"
                )
            return file.read(MAX_SIZE)
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read ({error.strerror})") from None


class _ScoresReader(XmlReader):
    """Parses a file of <IQ> with <S> inside."""

    def __init__(self, path: Path, expected: dict[str, tuple[str, ...]]) -> None:
        super().__init__(str(path))
        self.expected = expected
        self.score = np.nan
        self.by_number: dict[int, float] = {}
        self.depth = self.number = 0
        self.text: list[str] = []

    def read(self, data: bytes) -> TargetScores:
        self.parse(data)
        n = len(self.by_number)
        missing = next((number for number in range(1, n + 1) if number not in self.by_number), None)
        if not n or missing is not None:
            raise InputError(
                f"{self.path}: expected all segments from 1, found {n} segments without number {missing or 1}"
            )
        return TargetScores(self.score, np.array([self.by_number[number] for number in range(1, n + 1)]))

    def error(self, sentence: str) -> InputError:
        return InputError(f"{self.where}: {sentence}")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        expected = ("<IQ>", "<S>", "</S>")[self.depth]
        if f"<{tag}>" != expected:
            raise self.error(f"expected {expected}, found <{tag[:60]}>")
        self.depth += 1
        if tag == "IQ":
            self.start_file(attributes)
            return
        number = attributes.get("n", "")
        if not re.fullmatch(r"[1-9]\d{0,8}", number, re.ASCII):
            raise self.error(f'expected a segment with a number from 1, such as <S n="1">, found "{number[:60]}"')
        self.number = int(number)
        if self.number in self.by_number:
            raise self.error(f"expected each segment once, found segment {self.number} twice")

    def start_file(self, attributes: dict[str, str]) -> None:
        for key, values in self.expected.items():
            if attributes.get(key) not in values:
                actual = f'"{attributes[key][:60]}"' if key in attributes else "none"
                raise self.error(f'expected {key}="{values[0]}" in this file, found {actual}')
        self.score = self.parse_value(attributes.get("score", ""), "score=")

    def characters(self, text: str) -> None:
        if self.depth == 2:
            self.text.append(text)
        elif text.strip():
            raise self.error(f'expected nothing between segments, found "{text.strip()[:60]}"')

    def end(self, _tag: str) -> None:
        if self.depth == 2:
            self.by_number[self.number] = self.parse_value("".join(self.text), f"segment {self.number}")
            self.text.clear()
        self.depth -= 1

    def parse_value(self, text: str, name: str) -> float:
        text = text.strip()
        if not text:
            return np.nan
        value = float(text) if len(text) <= _MAX_NUMBER and _NUMBER.fullmatch(text) else np.inf
        if not np.isfinite(value):
            raise self.error(f'{name}: expected a number, found "{text[:60]}"')
        return value


@dataclass
class ScoreTree:
    """A folder of IQ XML files, which all have the same segments; names cannot lead out of the folder."""

    folder: Path
    first: tuple[Path, int] | None = field(default=None, repr=False)  # the first file read, and its number of segments

    def path(self, target: str, references: Sequence[str], metric: str) -> Path:
        for name in (target, *references, metric):
            check_name(name, str(self.folder))
        path = self.folder / target / "_".join(references) / f"{file_name(metric)}.xml"
        root, resolved = os.path.realpath(self.folder), os.path.realpath(path)
        if os.path.commonpath([root, resolved]) != root:
            raise InputError(f"{path}: expected a path inside {self.folder}, found a link to {resolved}")
        return path

    def write(self, target: str, references: Sequence[str], metric: str, scores: TargetScores) -> None:
        """Write a file atomically."""
        path = self.path(target, references, metric)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"{path.parent}: the folder cannot be created ({error.strerror})") from None
        with replace_file(path) as temporary:
            temporary.write_text(format_scores(target, "_".join(references), file_name(metric), scores), "utf-8")

    def read(self, target: str, references: Sequence[str], metric: str) -> TargetScores:
        path = self.path(target, references, metric)
        if not path.exists():
            raise InputError(
                f"{path}: expected {metric} of {target} against {', '.join(references)}, but there is no such file"
            )
        names = (file_name(metric), *(other for other, name in FILE_NAMES.items() if name == file_name(metric)))
        scores = read_scores(path, target, "_".join(references), names)
        if self.first is None:
            self.first = path, len(scores.segments)
        if len(scores.segments) != self.first[1]:
            raise InputError(
                f"{path}: expected {self.first[1]} segments as in {self.first[0]}, found {len(scores.segments)}"
            )
        return scores

    def similarities(
        self, metrics: Sequence[str], systems: Sequence[str], references: Sequence[str], between_systems: bool = False
    ) -> TextSimilarities:
        """Read the similarities of each text to each single reference."""
        to_references = self._read_pairs(metrics, [*systems, *references], references)
        # A reference of a segment is absent if no text was compared with it.
        present: NDArray[np.bool_] = np.any(~np.isnan(to_references), axis=(0, 2))
        return TextSimilarities(
            tuple(metrics),
            tuple(f"{metric}|nrefs:1|iq:{self.folder.resolve().name}" for metric in metrics),
            tuple(systems),
            tuple(references),
            present,
            to_references,
            self._read_pairs(metrics, systems, systems) if between_systems else None,
        )

    def _read_pairs(self, metrics: Sequence[str], targets: Sequence[str], references: Sequence[str]) -> Floats:
        """Return float64[metrics, segments, targets, references]; NaN between a text and itself."""
        cells = {
            (m, a, b): self.read(target, [reference], metric).segments
            for m, metric in enumerate(metrics)
            for a, target in enumerate(targets)
            for b, reference in enumerate(references)
            if target != reference
        }
        n_segments = self.first[1] if self.first else 0
        similarities = np.full((len(metrics), n_segments, len(targets), len(references)), np.nan)
        for (m, a, b), segments in cells.items():
            similarities[m, :, a, b] = segments
        return round_last_bits(similarities)  # as for similarities that are computed


# --- similarities for programs -------------------------------------------------------------------------------------


def read_iq(
    config: str | os.PathLike[str],
    *,
    metrics: str | None = None,
    systems: str | None = None,
    references: str | None = None,
    between_systems: bool = False,
) -> TextSimilarities:
    """Read similarities of pairs of texts from the IQ XML files beside an IQeval.config.

    Parameters
    ----------
    config
        The IQeval.config, or its folder.
    metrics, systems, references
        Names of sets in it; all by default.
    between_systems
        Whether to read the similarities between systems, too, which JACK needs.

    Raises
    ------
    InputError
        If a file is missing or malformed; the message has the file and the line.
    """
    path = Path(config)
    sets = read_eval(str(path / CONFIG if path.is_dir() else path))
    return ScoreTree(sets.folder).similarities(
        sets.members("metrics", metrics),
        sets.members("systems", systems),
        sets.members("references", references),
        between_systems,
    )


def write_iq(similarities: TextSimilarities, folder: str | os.PathLike[str]) -> None:
    """Write similarities of pairs of texts as IQ XML files, TARGET/REFERENCE/metric.xml, and an IQeval.config.

    The score in a file is the mean over its segments. Numbers have all digits, so reading the files gives the same
    similarities. Names of systems, references and metrics become file names: they must not have slashes, colons or
    spaces.
    """
    root = Path(folder)
    for name in (*similarities.metrics, *similarities.systems, *similarities.references):
        check_name(name, str(root))
    names = [*similarities.systems, *similarities.references]
    if len(set(names)) < len(names):
        raise InputError(f"{root}: expected different names of systems and references, found a name twice")
    tree, n_systems = ScoreTree(root), len(similarities.systems)

    def write(target: str, other: str, metric: str, segments: Floats) -> None:
        if target != other:
            tree.write(target, [other], metric, TargetScores(float(mean_ignoring_nan(segments, 0)), segments))

    for m, metric in enumerate(similarities.metrics):
        for a, target in enumerate(names):
            for r, reference in enumerate(similarities.references):
                write(target, reference, metric, similarities.to_references[m, :, a, r])
            if similarities.to_systems is not None and a < n_systems:
                for b, other in enumerate(similarities.systems):
                    write(target, other, metric, similarities.to_systems[m, :, a, b])
    path = root / CONFIG
    text = format_eval(
        root.resolve().name,
        "a program",
        {},
        similarities.systems,
        similarities.references,
        similarities.metrics,
        similarities.n_segments,
        str(path) if path.exists() else None,
    )
    write_atomically(path, text.encode())
