"""Write an experiment file for a folder of files, and print what each file was taken for.

It looks for source.*, ref* or ref/*, sys/* (hyp/*, outputs/*), nbest*, human/* or *scores*.tsv, documents.txt,
genres.txt, and SGML and XML files. Files of the same test set must have the same number of lines.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.cli.command import Command, is_experiment
from tarocco.core.errors import InputError
from tarocco.core.json_text import json_text
from tarocco.io.files import write_atomically

if TYPE_CHECKING:
    from tarocco.io.discovery import Discovery

EXAMPLES = """examples:
  tarocco init data/wmt19
  tarocco init data/wmt19 -o wmt19.toml
"""

METRICS = ("BLEU-4", "BLEU-SBP", "NIST-5", "ROUGE-S-4", "GRR-4", "chrF")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", help="the folder with the files")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the experiment file to write (default: DIR/experiment.toml)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def run(options: argparse.Namespace) -> None:
    import shlex

    from tarocco.io.discovery import discover

    target = Path(options.output or Path(options.folder) / "experiment.toml")
    if not is_experiment(str(target)):
        raise InputError(f"{target}: expected a file that ends in .toml")
    if target.exists() and not options.force:
        raise InputError(f"{target} exists: overwrite it with --force, or name another file with -o")
    discovery = discover(options.folder, besides=target)
    entries = {key: names_of(discovery, key, target) for key in KEYS}
    write_atomically(target, experiment_text(discovery, entries).encode("utf-8", "backslashreplace"))
    sys.stdout.writelines(f"{line}\n" for line in summary(discovery))
    sys.stdout.write(f"written: {target}\n")
    systems = "" if discovery.systems else " -i SYSTEM"
    sys.stdout.write(f"next: tarocco score {shlex.quote(str(target))}{systems}\n")


KEYS = ("source", "references", "systems", "documents", "groups", "nbest", "human")


def summary(discovery: Discovery) -> Iterable[str]:
    """Yield what each file was taken for, one line each."""
    for key in KEYS:
        files = listed(discovery, key)
        if files:
            globbed = as_globs(discovery.folder, files) if len(files) > 6 else files
            yield f"{discovery.words[key]}: {' '.join(globbed)}"
        elif key == "systems":
            yield "systems: none"
    yield f"metrics: {' '.join(METRICS)}"
    if discovery.not_understood:
        yield f"not recognized: {', '.join(discovery.not_understood)}"


def experiment_text(discovery: Discovery, entries: dict[str, list[str]]) -> str:
    """Return the experiment file, with the decisions as comments."""
    lines = [
        "# Written by `tarocco init`. Paths are relative to this file; correct what was misunderstood.",
        "",
        f"name = {quoted(discovery.folder.resolve().name)}",
    ]
    for key in KEYS:
        if entries[key]:
            several = key in ("references", "systems")
            value = array(entries[key]) if several else quoted(entries[key][0])
            lines += ["", f"# {_one_line(discovery.words[key])}", f"{key} = {value}"]
        elif key == "systems":
            lines += ["", "# systems: none", '# systems = ["sys/*.txt"]']
    lines += [
        "",
        "# `tarocco metrics` lists all metrics",
        f"metrics = {array(METRICS)}",
        'tokenize = "13a"  # or none, intl, char, zh, rouge, jiwer',
    ]
    if discovery.not_understood:
        lines += ["", "# not recognized:", *(f"#   {_one_line(what)}" for what in discovery.not_understood)]
    return "\n".join(lines) + "\n"


def listed(discovery: Discovery, key: str) -> list[str]:
    value = getattr(discovery, key)
    return list(value) if isinstance(value, tuple) else [value] if value else []


def names_of(discovery: Discovery, key: str, target: Path) -> list[str]:
    """Return the files as the experiment file names them: relative to it, or absolute if they share only the root."""
    here, there = target.parent.resolve(), Path(os.path.abspath(discovery.folder))
    shared = os.path.commonpath([here, there])
    prefix = there if shared == os.sep else Path(os.path.relpath(there, here))
    files = listed(discovery, key)
    if len(files) < 2:
        return [(prefix / file).as_posix() for file in files]
    from glob import escape

    globs = as_globs(discovery.folder, files)
    return [
        (prefix / pattern if pattern in files else Path(escape(str(prefix))) / pattern).as_posix() for pattern in globs
    ]


def as_globs(folder: Path, files: Sequence[str]) -> list[str]:
    """Return a glob per folder if it matches exactly these files, else the files."""
    from glob import escape

    by_folder: dict[str, list[str]] = {}
    for file in files:
        by_folder.setdefault(file.rpartition("/")[0], []).append(file)
    globs = []
    for inside, names in by_folder.items():
        beginning = f"{escape(inside)}/" if inside else escape(common_prefix(names))
        ends = {"".join(Path(file).suffixes[-1:]) for file in names}
        for glob in (f"{beginning}*{ends.pop() if len(ends) == 1 else ''}", f"{beginning}*"):
            matched = {path.relative_to(folder).as_posix() for path in folder.glob(glob) if path.is_file()}
            plain = not any(set("*?[") & set(file) for file in names)  # such a name would itself be read as a glob
            if plain and len(names) > 1 and glob != "*" and not glob.startswith("*.") and matched == set(names):
                globs.append(glob)
                break
        else:
            globs += names
    return globs


def common_prefix(names: Sequence[str]) -> str:
    """Return the longest prefix of all names."""
    letters = zip(*names, strict=False)
    return "".join(same[0] for same in takewhile(lambda column: len(set(column)) == 1, letters))


def quoted(text: str) -> str:
    """Return a TOML string, which differs from JSON only in DEL."""

    return json_text(text).replace("\x7f", "\\u007f")


def array(texts: Sequence[str]) -> str:
    """Return a TOML array, on one line if it fits."""
    line = f"[{', '.join(map(quoted, texts))}]"
    return line if len(line) <= 100 else "[\n" + "".join(f"  {quoted(text)},\n" for text in texts) + "]"


def _one_line(text: str) -> str:
    """Return text for a comment, without line breaks and control characters."""
    return "".join(character if character.isprintable() else "?" for character in " ".join(text.split()))


INIT = Command(__doc__, EXAMPLES, configure, run)
