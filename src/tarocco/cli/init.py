"""Write an experiment file for the files of a folder, and say what was understood.

Looked for are source.*, ref* or ref/*, sys/* (hyp/*, outputs/*), nbest*, human/* or *scores*.tsv, documents.txt,
genres.txt, and what SGML and XML files hold; their numbers of lines have to agree.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.cli.running import is_experiment
from tarocco.core.errors import InputError
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
    parser.add_argument("--force", action="store_true", help="overwrite the file if it is there")


def run(options: argparse.Namespace) -> None:
    import shlex

    from tarocco.io.discovery import discover

    target = Path(options.output or Path(options.folder) / "experiment.toml")
    if not is_experiment(str(target)):
        raise InputError(f"{target}: the name of an experiment file ends in .toml")
    if target.exists() and not options.force:
        raise InputError(f"{target} is there already: --force overwrites it, -o names another file")
    found = discover(options.folder, besides=target)
    entries = {key: names_of(found, key, target) for key in KEYS}
    write_atomically(target, experiment_text(found, entries).encode("utf-8", "backslashreplace"))
    sys.stdout.writelines(f"{line}\n" for line in summary(found))
    sys.stdout.write(f"written: {target}\n")
    systems = "" if found.systems else " -i SYSTEM"
    sys.stdout.write(f"next: tarocco score {shlex.quote(str(target))}{systems}\n")


KEYS = ("source", "references", "systems", "documents", "groups", "nbest", "human")


def summary(found: Discovery) -> Iterable[str]:
    """What was understood, a line each."""
    for key in KEYS:
        files = listed(found, key)
        if files:
            globbed = as_globs(found.folder, files) if len(files) > 6 else files
            yield f"{found.words[key]}: {' '.join(globbed)}"
        elif key == "systems":
            yield "no systems were found"
    yield f"metrics, to begin with: {' '.join(METRICS)}"
    if found.not_understood:
        yield f"not understood: {', '.join(found.not_understood)}"


def experiment_text(found: Discovery, entries: dict[str, list[str]]) -> str:
    """The experiment file, with what was decided as comments."""
    lines = [
        "# Written by `tarocco init`. Paths are relative to this file; change what was not understood right.",
        "",
        f"name = {quoted(found.folder.resolve().name)}",
    ]
    for key in KEYS:
        if entries[key]:
            several = key in ("references", "systems")
            value = array(entries[key]) if several else quoted(entries[key][0])
            lines += ["", f"# {_one_line(found.words[key])}", f"{key} = {value}"]
        elif key == "systems":
            lines += ["", "# no systems were found", '# systems = ["sys/*.txt"]']
    lines += [
        "",
        "# `tarocco metrics` lists what there is",
        f"metrics = {array(METRICS)}",
        'tokenize = "13a"  # or none, intl, char, zh, rouge',
    ]
    if found.not_understood:
        lines += ["", "# not understood:", *(f"#   {_one_line(what)}" for what in found.not_understood)]
    return "\n".join(lines) + "\n"


def listed(found: Discovery, key: str) -> list[str]:
    value = getattr(found, key)
    return list(value) if isinstance(value, tuple) else [value] if value else []


def names_of(found: Discovery, key: str, target: Path) -> list[str]:
    """How the experiment file calls what was found: from its own folder on, or absolutely where all they share is /."""
    here, there = target.parent.resolve(), Path(os.path.abspath(found.folder))
    shared = os.path.commonpath([here, there])
    prefix = there if shared == os.sep else Path(os.path.relpath(there, here))
    files = listed(found, key)
    if len(files) < 2:
        return [(prefix / file).as_posix() for file in files]
    from glob import escape

    globs = as_globs(found.folder, files)
    return [(prefix / one if one in files else Path(escape(str(prefix))) / one).as_posix() for one in globs]


def as_globs(folder: Path, files: Sequence[str]) -> list[str]:
    """A glob for the files of each folder, where it matches these and no others; else the files."""
    from glob import escape

    by_folder: dict[str, list[str]] = {}
    for file in files:
        by_folder.setdefault(file.rpartition("/")[0], []).append(file)
    found = []
    for inside, own in by_folder.items():
        beginning = f"{escape(inside)}/" if inside else escape(common_beginning(own))
        ends = {"".join(Path(file).suffixes[-1:]) for file in own}
        for glob in (f"{beginning}*{ends.pop() if len(ends) == 1 else ''}", f"{beginning}*"):
            matched = {path.relative_to(folder).as_posix() for path in folder.glob(glob) if path.is_file()}
            plain = not any(set("*?[") & set(file) for file in own)  # such a name would be taken for a glob itself
            if plain and len(own) > 1 and glob != "*" and not glob.startswith("*.") and matched == set(own):
                found.append(glob)
                break
        else:
            found += own
    return found


def common_beginning(names: Sequence[str]) -> str:
    """What all names begin with, letter by letter."""
    letters = zip(*names, strict=False)
    return "".join(same[0] for same in takewhile(lambda column: len(set(column)) == 1, letters))


def quoted(text: str) -> str:
    """A string as TOML has it: as JSON, but for DEL."""
    import json

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def array(texts: Sequence[str]) -> str:
    """A list as TOML has it, on one line if it fits."""
    line = f"[{', '.join(map(quoted, texts))}]"
    return line if len(line) <= 100 else "[\n" + "".join(f"  {quoted(text)},\n" for text in texts) + "]"


def _one_line(text: str) -> str:
    """Text that can stand in a comment: no line breaks, no control characters."""
    return "".join(character if character.isprintable() else "?" for character in " ".join(text.split()))
