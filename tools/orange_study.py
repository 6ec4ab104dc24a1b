"""Run the studies of docs/orange.md and put their tables and figures there: `make study`.

The synthetic lists are generated first (bench/nbest_data.py, more than 1 GB for the second study). The Tatoeba lists
are read from the shared folder next to the checkout; without it, their part of the page is left unchanged.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from studies import put

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "orange.md"
FIGURES = ROOT / "docs" / "_static"
TATOEBA = ROOT.parent / "shared" / "data" / "tatoeba-enfr-nbest"

sys.path.insert(0, str(ROOT / "bench"))
from nbest_data import write  # noqa: E402
from orange import STUDY, TABLE_7  # noqa: E402


def study(name: str, *arguments: str, figure: bool = False) -> None:
    """Run `tarocco orange`, and put its table between the marks of this name, its figure into the static folder."""
    more = ["--figure", str(FIGURES / f"orange-{name}.svg")] if figure else []
    command = [str(Path(sys.executable).parent / "tarocco"), "orange", *arguments, "-f", "md", "-q", *more]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    table, _, notes = out.partition("\n\n")
    about = notes.partition("\n")[0].removeprefix("- ")
    put(PAGE, name, f"{about}\n\n{table}")


def generated(name: str, lists: int, size: int, *arguments: str, figure: bool = False) -> None:
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), lists, size, 4)
        references = [f"{folder}/ref{r}.txt" for r in range(1, 5)]
        study(name, f"{folder}/nbest.txt", "-r", *references, *arguments, figure=figure)


def main() -> None:
    generated("tables", 872, 1024, "-m", *STUDY)
    generated("curve", 474, 16384, "-m", *TABLE_7, "--curve", "64", figure=True)
    if TATOEBA.exists():
        files = [
            str(TATOEBA / "nbest.txt"),
            "-r",
            str(TATOEBA / "ref" / "R0.txt"),
            "--pool",
            str(TATOEBA / "source.txt"),
        ]
        metrics = ["BLEUS-1", "BLEUS-2", *TABLE_7, "NIST-5", "TER", "GTM-2", "chrF", "chrF++"]
        rules = ["--short", "keep", "--tokenize", "13a", "--curve"]
        study("tatoeba", *files, *rules, "-m", *metrics, figure=True)
    else:
        print("no Tatoeba lists next to this checkout: their study is left unchanged")


if __name__ == "__main__":
    main()
