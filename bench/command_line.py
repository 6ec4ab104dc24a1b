"""Whole commands: start, read, score, print."""

from __future__ import annotations

import tempfile
from pathlib import Path

import sacrebleu
from measure import BIN, Row, at_most, command_seconds, in_turns, ratio, show
from text import segments

SAMPLES = 7
LINES = 3000


def rows() -> list[Row]:
    table = []
    peer = f"sacrebleu {sacrebleu.__version__}"
    with tempfile.TemporaryDirectory() as folder:
        names = ["sys", "ref1", "ref2", "ref3", "ref4"]
        paths = [str(Path(folder) / name) for name in names]
        for path, column in zip(paths, segments(LINES, 5), strict=True):
            Path(path).write_text("\n".join(column) + "\n", "utf-8")
        for references, goal in ((1, 3), (4, 6)):
            streams = paths[1 : 1 + references]
            ours, theirs = in_turns(
                [
                    lambda: command_seconds([str(BIN / "tarocco"), "score", *streams, "-i", paths[0], "-b"]),  # noqa: B023
                    lambda: command_seconds([str(BIN / "sacrebleu"), *streams, "-i", paths[0], "-b"]),  # noqa: B023
                ],
                SAMPLES,
            )
            shape = f"{LINES} lines, {references} reference{'s' * (references > 1)}, 13a"
            table.append(ratio("BLEU from the command line", shape, peer, "whole commands", ours, theirs, goal))
    version = in_turns([lambda: command_seconds([str(BIN / "tarocco"), "--version"], cpu=True)], 15)[0]
    table.append(at_most("tarocco --version", "-", "processor time of the command", version * 1e3, 40, "ms"))
    return table


if __name__ == "__main__":
    show(rows())
