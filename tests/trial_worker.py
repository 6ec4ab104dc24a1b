"""A process that holds a trial with a store and stops dead behind some block, as if it were killed.

python trial_worker.py STORE OUT BLOCKS     (0: it is not stopped)
"""

import os
import sys
from pathlib import Path

from tarocco import datasets
from tarocco.cli import main
from tarocco.core import test_set as model
from tarocco.scoring import cache

FOLDER = Path(datasets.__file__).parent / "data" / "demo"
COMMAND = ["trial", str(FOLDER / "demo.toml"), "-m", "BLEU-4", "chrF", "WER", "-f", "json", "-q"]


def hold(store, out, blocks):
    model.BLOCK = 20
    cache.MOMENT = 0.0  # every block is stored when it is there
    left = int(blocks)
    flush = cache.WriteBuffer.flush

    def stopping(self):
        nonlocal left
        new = len(self.blocks)
        flush(self)
        left -= new
        if int(blocks) and left <= 0:
            os._exit(9)

    cache.WriteBuffer.flush = stopping
    with open(out, "w") as file:
        sys.stdout = file
        code = main([*COMMAND, "--store", store])
    sys.exit(code)


if __name__ == "__main__":
    hold(*sys.argv[1:])
