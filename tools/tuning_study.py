"""Run the studies of docs/tuning.md and put their tables there: `make study`.

Moses' lists are read from the shared folder next to the checkout; without it, their table is left unchanged.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from studies import put

import tarocco

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tuning.md"
STUDY = ROOT / "examples" / "tuning" / "study.py"
MOSES = ROOT.parent / "shared" / "data" / "moses-fren-100best"


def halves(folder: Path) -> str:
    """Tune on every other list, score the lists between, and the other way round."""
    references = (MOSES / "ref" / "R0.txt").read_text("utf-8").splitlines()
    files = [folder / "even.txt", folder / "odd.txt"]
    parts: list[list[str]] = [[], []]
    for line in (MOSES / "nbest.txt").read_text("utf-8").splitlines(keepends=True):
        number, bars, rest = line.partition("|||")
        parts[int(number) % 2].append(f"{int(number) // 2} {bars}{rest}")
    for path, lines in zip(files, parts, strict=True):
        path.write_text("".join(lines), "utf-8")
    rows = ["| metric | tuned on | start | tuned | other half: start | other half: tuned |"]
    rows.append("| --- | --- | ---: | ---: | ---: | ---: |")
    for name in ("BLEU-4", "BLEU-SBP", "TER", "NIST-5", "GRR-4"):
        for half, label in enumerate(("even lists", "odd lists")):
            result = tarocco.tune(files[half], references[half::2], metrics=name, lowercase=True)
            one = result[name]
            form = "{:.2f}" if one.scale == 100 else "{:.4f}"
            others = [
                tarocco.score(
                    list(tarocco.rerank(files[1 - half], weights).texts),
                    references[1 - half :: 2],
                    metrics=name,
                    tokenize="none",
                    lowercase=True,
                )[name].score
                for weights in (result.start, result.weights)
            ]
            numbers = (one.start, one.tuned, one.interval.low, one.interval.high, *others)
            start, tuned, low, high, before, after = (form.format(number * one.scale) for number in numbers)
            rows.append(f"| {name} | {label} | {start} | {tuned} [{low}, {high}] | {before} | {after} |")
    return "\n".join(rows)


def main() -> None:
    if MOSES.exists():
        with tempfile.TemporaryDirectory() as folder:
            put(PAGE, "halves", halves(Path(folder)))
    else:
        print("no shared data next to this checkout: their study is left unchanged")
    put(
        PAGE,
        "tuning",
        subprocess.run([sys.executable, STUDY], stdout=subprocess.PIPE, text=True, check=True).stdout.strip(),
    )


if __name__ == "__main__":
    main()
