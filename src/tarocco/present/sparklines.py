"""A curve in one cell: a row of blocks, each as high as its number."""

from __future__ import annotations

import math
from collections.abc import Sequence

BLOCKS = "▁▂▃▄▅▆▇█"
PLAIN = "_.-=+*#@"  # for terminals and files that have no blocks
MISSING = " "


def sparkline(values: Sequence[float], low: float, high: float, most: int = 16, blocks: str = BLOCKS) -> str:
    """Values between low and high as blocks; of more than `most` values some, evenly chosen, the last one too."""
    if len(values) > most:
        values = [values[round(i * (len(values) - 1) / (most - 1))] for i in range(most)]
    spread = high - low
    top = len(blocks) - 1
    return "".join(
        MISSING
        if math.isnan(value)
        else blocks[min(top, max(0, round(top * (value - low) / spread))) if spread > 0 else top // 2]
        for value in values
    )


def blocks_for(encoding: str | None) -> str:
    """Blocks, or plain characters where an encoding has none."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS
