"""The blind sheet of a sample: which of two translations is the machine's, only the key beside it knows."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import numpy as np

from tarocco.errors import InputError
from tarocco.judge.sheet import BETWEEN_METRICS, SIDES, SUFFIXES, Case, key_path
from tarocco.present.spreadsheets import BEGINNINGS
from tarocco.present.writing import check_writable, whole_file
from tarocco.read.tables import read_table

KEY_HEADER = ("case", "machine", "segment", "place", "reference", "metrics")
_LETTERS = "bcdfghjklmnpqrstvwxz"  # without vowels, so that no spreadsheet reads a month or a number


def check_sheet(path: str) -> None:
    """Refuse, before any work is done, a path at which no sheet can be written, or where a judged one is."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: the name of a sheet ends in {' or '.join(SUFFIXES)}")
    for one in (path, key_path(path)):
        check_writable(one)
    if Path(path).exists():
        judgments = _judgments(path)
        if judgments is None:
            raise InputError(f"{path}: this file is there, and it is no sheet; name another file")
        if any(judgments):
            raise InputError(f"{path}: there are judgments in this sheet, and they would be lost; name another file")


def write_sheet(path: str, cases: Sequence[Case], seed: int) -> None:
    """Write a sheet to be judged, as TSV or CSV, and its key beside it: sample.tsv and sample.key.tsv.

    The machine has each side equally often, in random order. Cases are numbered and end in letters that belong to this
    draw, so that a sheet is never read with the key of another. White space within a text becomes one space, and a
    text that a spreadsheet would take for a formula (it begins with =, +, - or @) gets an apostrophe in front. Cells
    with quotation marks are put in quotation marks, which double those within: spreadsheets take them off again.
    """
    check_sheet(path)
    if not cases:
        raise InputError(f"{path}: there is no case to judge: no candidate stands above the references")
    rng = np.random.default_rng([seed % 2**64, 2])
    machine_first = rng.permutation((np.arange(len(cases)) + rng.integers(2)) % 2 == 0).tolist()
    draw = sha256(repr((seed, cases)).encode("utf-8", "surrogatepass")).digest()
    letters = "".join(_LETTERS[byte % len(_LETTERS)] for byte in draw[:4])
    with_source = any(case.source is not None for case in cases)
    sheet: list[list[str]] = [["case", *(["source"] if with_source else []), *SIDES, "judgment"]]
    key: list[list[str]] = [list(KEY_HEADER)]
    for number, (case, first) in enumerate(zip(cases, machine_first, strict=True), start=1):
        name = f"{number}-{letters}"
        source = [case.source or ""] if with_source else []
        pair = (case.candidate, case.reference) if first else (case.reference, case.candidate)
        sheet.append([name, *map(_cell, (*source, *pair)), ""])
        about = (case.segment, case.place, case.reference_number)
        metrics = _cell(BETWEEN_METRICS.join(case.metrics))
        key.append([name, SIDES[0] if first else SIDES[1], *map(str, about), metrics])
    # The key takes its place before the sheet does: a sheet without its key would be judged for nothing.
    with whole_file(path) as sheet_file, whole_file(key_path(path)) as key_file:
        delimiter = "\t" if Path(path).suffix.lower() == ".tsv" else ","
        _write(sheet_file, sheet, delimiter)
        _write(key_file, key, delimiter)


def _write(path: Path, rows: Iterable[Sequence[str]], delimiter: str) -> None:
    with open(path, "x", encoding="utf-8", errors="replace", newline="") as file:
        csv.writer(file, delimiter=delimiter, lineterminator="\n").writerows(rows)


def _cell(text: str) -> str:
    """A text on one line that no spreadsheet takes for a formula."""
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(BEGINNINGS) else line  # numbers, too: here they are words


def _judgments(path: str) -> list[str] | None:
    """What a sheet has in its last column; None for a file that is no sheet."""
    with suppress(InputError, ValueError):
        table = read_table(path)
        if {"case", "judgment"} <= set(table.header):
            return [cell.strip() for cell in table.cells("judgment")]
    return None
