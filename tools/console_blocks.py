"""Run the commands of `console` blocks in Markdown files, and compare or replace what is printed below them.

    python tools/console_blocks.py README.md docs/*.md     rewrite the outputs

Commands run in a copy of the folder of the bundled test set, one for each page, so files are called ref1.txt,
careful.txt and so on, and a command finds what earlier ones of its page have written; those of examples/audit and
examples/iqmt are in ../audit and ../iqmt. A block looks like this, with the command's real output, errors too, below
it:

    ```console
    $ tarocco --version
    tarocco 0.1.0
    ```
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
CASES = ("audit", "iqmt")  # folders of examples
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


def examples(text: str) -> list[list[tuple[str, str]]]:
    """(command, output) of each command, block by block."""
    return [COMMAND.findall(block) for block in BLOCK.findall(text)]


@contextmanager
def copy_of_the_example() -> Iterator[Path]:
    """A folder with the files of the bundled test set and examples beside it, for as long as it is wanted."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(shutil.copytree(FOLDER, Path(scratch) / "demo"))
        for name in CASES:
            unwanted = shutil.ignore_patterns("*.py", "__pycache__")
            shutil.copytree(ROOT / "examples" / name, folder.parent / name, ignore=unwanted)
        yield folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command through a pipe, with this Python's programs first."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | {"PATH": path, "COLUMNS": "100"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def output_of(command: str, folder: Path) -> str:
    """What a command prints."""
    return re.sub(r"[ \t]+$", "", run(command, folder).stdout, flags=re.MULTILINE)


def rounded(text: str) -> str:
    """Numbers with all their digits without the last ones, which differ from one processor to another."""
    return re.sub(r"\d+\.\d{12,}", lambda number: f"{float(number[0]):.12g}", text)


def refreshed(text: str) -> str:
    """The text with every output replaced by the real one, unless it is the same but for last digits."""

    def block(match: re.Match[str]) -> str:
        lines = []
        for command, expected in COMMAND.findall(match[1]):
            found = output_of(command, folder)
            lines.append(f"$ {command}\n{expected if rounded(found) == rounded(expected) else found}")
        return "```console\n" + "".join(lines) + "```"

    with copy_of_the_example() as folder:
        return BLOCK.sub(block, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(refreshed(path.read_text("utf-8")), "utf-8")
