"""Run the commands of `console` blocks in Markdown files and replace the outputs below them.

    python tools/console_blocks.py README.md docs/*.md     rewrite the outputs

Each page gets a copy of the folder of the bundled test set, so commands can use ref1.txt, careful.txt and so on, and
the files that earlier commands of the page wrote. The files of examples/audit and examples/iqmt are in ../audit and
../iqmt. A block shows a command and its output, including errors:

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
    """Return (command, output) of each command, block by block."""
    return [COMMAND.findall(block) for block in BLOCK.findall(text)]


@contextmanager
def copy_of_the_example() -> Iterator[Path]:
    """Provide a temporary copy of the bundled test set, with the examples next to it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(shutil.copytree(FOLDER, Path(scratch) / "demo"))
        for name in CASES:
            unwanted = shutil.ignore_patterns("*.py", "__pycache__")
            shutil.copytree(ROOT / "examples" / name, folder.parent / name, ignore=unwanted)
        yield folder


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in bash, with the programs of this Python first in PATH."""
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
    """Return the output of a command."""
    return re.sub(r"[ \t]+$", "", run(command, folder).stdout, flags=re.MULTILINE)


def rounded(text: str) -> str:
    """Round long numbers, whose last digits differ between processors."""
    return re.sub(r"\d+\.\d{12,}", lambda number: f"{float(number[0]):.12g}", text)


def refreshed(text: str) -> str:
    """Return the text with all outputs updated, unless only last digits differ."""

    def block(match: re.Match[str]) -> str:
        lines = []
        for command, expected in COMMAND.findall(match[1]):
            output = output_of(command, folder)
            lines.append(f"$ {command}\n{expected if rounded(output) == rounded(expected) else output}")
        return "```console\n" + "".join(lines) + "```"

    with copy_of_the_example() as folder:
        return BLOCK.sub(block, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(refreshed(path.read_text("utf-8")), "utf-8")
