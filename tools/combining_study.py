"""Run the study of docs/combining.md on real systems and put its tables there: `make study`.

The data are read from the shared folder beside the checkout; without them, the page is left unchanged.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from studies import put

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "combining.md"
WMT19 = ROOT.parent / "shared" / "data" / "wmt19-ende-4refs"
FILES = [*sorted(WMT19.glob("ref/*.txt")), "-i", *sorted(WMT19.glob("sys/*.txt"))]
PEOPLE = ["--human", str(WMT19 / "human" / "system_scores.tsv:da_z")]


def run(store: Path, command: str, *arguments: str, form: str = "md") -> str:
    """Return the output of a command; all commands share a store, so similarities are computed once."""
    line = [sys.executable, "-m", "tarocco", command, *map(str, FILES), *arguments, "-f", form, "-q"]
    return subprocess.run([*line, "--store", str(store)], capture_output=True, text=True, check=True).stdout


def table(text: str) -> str:
    """Return the table without its notes, which the page explains."""
    return text.strip().split("\n\n")[0]


def set_table(output: str) -> str:
    """Return KING of the set on its own segments, in cross-validation, and for each held-out reference."""
    (result,) = json.loads(output)["results"]
    unseen = result["cross_validation"]
    rows = [
        ("the set: " + " ".join(result["metrics"]), result),
        (f"on segments not seen ({len(unseen['folds'])} folds)", unseen),
        ("the best single metric, on segments not seen", unseen["best_single"]),
        *((f"held out: {row['reference']}", row) for row in result["references"]),
    ]
    lines = ["| | KING | strict KING |", "| --- | ---: | ---: |"]
    for name, row in rows:
        cells = []
        for king, interval in (("king", "interval"), ("strict_king", "strict_interval")):
            ends = " [{:.3f}, {:.3f}]".format(*row[interval]) if interval in row else ""
            cells.append(f"{row[king]:.3f}{ends}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    if not WMT19.exists():
        print("no shared data next to this checkout: the study is left unchanged")
        return
    with tempfile.TemporaryDirectory() as folder:
        store, by_segment = Path(folder) / "scores.db", Path(folder) / "queen.tsv"
        standard = ["PER", "WER", "BLEU-4", "GTM-2", "METEOR-exact", "NIST-5", "ROUGE-L", "chrF"]
        put(PAGE, "scores", table(run(store, "score", "-m", *standard)))
        put(PAGE, "kings", table(run(store, "king", "-m", "lexical")))
        search = run(store, "optimize", "-m", "lexical", "--by-reference", form="json")
        put(PAGE, "set", set_table(search))
        best = json.loads(search)["results"][0]["metrics"]
        put(PAGE, "queens", table(run(store, "queen", "-m", *best)))
        by_segment.write_text(run(store, "queen", "-m", *best, "--level", "segment", form="tsv"), encoding="utf-8")
        put(PAGE, "jack", table(run(store, "jack", "-m", *best)))
        judged = ["-m", "BLEU-4", "METEOR-exact", *best, "--scores", f"QUEEN={by_segment}:queen", *PEOPLE]
        put(PAGE, "people", table(run(store, "correlate", *judged)))


if __name__ == "__main__":
    main()
