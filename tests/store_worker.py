"""A process that scores into a store and keeps a log of what it does, to be killed at any moment.

    python store_worker.py STORE LOG OUT

A line is written to the log when a block has been computed and another when it has been stored.
"""

import os
import sys

import numpy as np

import tarocco
from tarocco.core import test_set as model
from tarocco.scoring import cache

SEGMENTS = 3000
BLOCK = 16
METRICS = ["BLEU-4", "NIST-5", "ROUGE-L", "WER"]


def text(stream):
    """Made-up words from a formula: the same in every process."""
    return [
        " ".join(f"w{(i * 7 + j * j * (stream + 3)) % 41}" for j in range(5 + (i + stream) % 9))
        for i in range(SEGMENTS)
    ]


def main(store, log, out):
    model.BLOCK = BLOCK
    lines = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    put, flush = cache.StatisticsCache.put, cache.WriteBuffer.flush
    computed = []

    def logged_put(self, block, new):
        os.write(lines, f"computed {block[0]}\n".encode())
        computed.append(block[0])
        put(self, block, new)

    def logged_flush(self):
        flush(self)
        os.write(lines, "".join(f"stored {first}\n" for first in computed).encode())
        computed.clear()

    cache.StatisticsCache.put, cache.WriteBuffer.flush = logged_put, logged_flush
    cache.MOMENT = 0.002  # a few blocks at a time, so that kills hit many states
    result = tarocco.score(
        {"a": text(0), "b": text(1)}, list(zip(text(2), text(3), strict=True)), metrics=METRICS, store=store or None
    )
    numbers = np.concatenate(
        [np.concatenate([score.sums, [score.score], score.statistics.ravel()]) for score in result.scores]
    )
    with open(out, "wb") as file:
        file.write(numbers.tobytes())


if __name__ == "__main__":
    main(*sys.argv[1:])
