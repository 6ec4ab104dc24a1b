"""Run the study of docs/combining.md on real systems and put its tables there: `make study`.

The data are read from the shared folder beside the checkout; where there are none, the page stays as it is.
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


def said(store: Path, command: str, *arguments: str, form: str = "md") -> str:
    """What a command prints; similarities are computed once for all of them."""
    line = [sys.executable, "-m", "tarocco", command, *map(str, FILES), *arguments, "-f", form, "-q"]
    return subprocess.run([*line, "--store", str(store)], capture_output=True, text=True, check=True).stdout


def table(text: str) -> str:
    """The table alone; what stands below it is told on the page."""
    return text.strip().split("\n\n")[0]


def set_table(found: str) -> str:
    """KING of the set where it was searched, where it was not, and for each reference held out."""
    (result,) = json.loads(found)["results"]
    unseen = result["cross_validation"]
    rows = [
        ("the set: " + " ".join(result["metrics"]), result),
        (f"on segments not seen ({len(unseen['folds'])} folds)", unseen),
        ("the best single metric, on segments not seen", unseen["best_single"]),
        *((f"held out: {one['reference']}", one) for one in result["references"]),
    ]
    lines = ["| | KING | strict KING |", "| --- | ---: | ---: |"]
    for name, one in rows:
        cells = []
        for king, interval in (("king", "interval"), ("strict_king", "strict_interval")):
            ends = " [{:.3f}, {:.3f}]".format(*one[interval]) if interval in one else ""
            cells.append(f"{one[king]:.3f}{ends}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    if not WMT19.exists():
        print("the shared data are not beside this checkout: the study stays as it is")
        return
    with tempfile.TemporaryDirectory() as folder:
        store, by_segment = Path(folder) / "scores.db", Path(folder) / "queen.tsv"
        standard = ["PER", "WER", "BLEU-4", "GTM-2", "METEOR-exact", "NIST-5", "ROUGE-L", "chrF"]
        put(PAGE, "scores", table(said(store, "score", "-m", *standard)))
        put(PAGE, "kings", table(said(store, "king", "-m", "lexical")))
        found = said(store, "optimize", "-m", "lexical", "--by-reference", form="json")
        put(PAGE, "set", set_table(found))
        best = json.loads(found)["results"][0]["metrics"]
        put(PAGE, "queens", table(said(store, "queen", "-m", *best)))
        by_segment.write_text(said(store, "queen", "-m", *best, "--level", "segment", form="tsv"), encoding="utf-8")
        put(PAGE, "jack", table(said(store, "jack", "-m", *best)))
        judged = ["-m", "BLEU-4", "METEOR-exact", *best, "--scores", f"QUEEN={by_segment}:queen", *PEOPLE]
        put(PAGE, "people", table(said(store, "correlate", *judged)))


if __name__ == "__main__":
    main()
