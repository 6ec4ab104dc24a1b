"""Peak memory of a command on a million segments with one reference."""

from __future__ import annotations

import tempfile
from pathlib import Path

from measure import BIN, Row, at_most, peak_mebibytes, show
from text import segments

LINES = 1_000_000
PART = 50_000


def rows() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        system, reference = Path(folder) / "sys", Path(folder) / "ref"
        with system.open("w") as first, reference.open("w") as second:
            for part in range(LINES // PART):
                for file, column in zip((first, second), segments(PART, 2, seed=part), strict=True):
                    file.write("\n".join(column) + "\n")
        size = (system.stat().st_size + reference.stat().st_size) / 2**20
        shape = f"{LINES:,} segments, 1 reference, {size:.0f} MiB of text, 13a"
        table = []
        for metrics in (["BLEU-4"], ["BLEU-4", "NIST-5"]):
            command = [str(BIN / "tarocco"), "score", str(reference), "-i", str(system), "-m", *metrics]
            peak = peak_mebibytes(command)
            table.append(at_most(f"peak memory, {' and '.join(metrics)}", shape, "whole command", peak, 1024, "MiB"))
        return table


if __name__ == "__main__":
    show(rows())
