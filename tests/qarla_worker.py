"""A process that judges metrics by KING with a store, and keeps a log of what it does, to be killed at any moment.

    python qarla_worker.py STORE LOG OUT

A line is written to the log for each block of similarities that has been computed, and another when it is stored.
"""

import os
import sys
import time
from pathlib import Path

from tarocco import datasets
from tarocco.cli import main
from tarocco.core import test_set as model
from tarocco.scoring import cache

FOLDER = Path(datasets.__file__).parent / "data" / "demo"
REFERENCES, SYSTEMS = ("ref1", "ref2", "ref3"), ("careful", "mirror")


def judge(store, log, out):
    model.BLOCK = 10
    cache.MOMENT = 0.002  # a few blocks at a time, so that kills hit many states
    lines = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    put, flush = cache.WriteBuffer.put, cache.WriteBuffer.flush

    def logged_put(self, blocks):
        os.write(lines, "".join(f"computed {key.hex()}\n" for key, _ in blocks).encode())
        time.sleep(0.005)  # so that no machine is done before it is killed
        put(self, blocks)

    def logged_flush(self):
        waiting = [key.hex() for key, _ in self.blocks]
        flush(self)
        os.write(lines, "".join(f"stored {key}\n" for key in waiting).encode())

    cache.WriteBuffer.put, cache.WriteBuffer.flush = logged_put, logged_flush
    references, systems = ([str(FOLDER / f"{name}.txt") for name in names] for names in (REFERENCES, SYSTEMS))
    command = ["king", *references, "-i", *systems, "-m", "NIST-5", "ROUGE-L", "-f", "json", "-q"]
    with open(out, "w") as file:
        sys.stdout = file
        code = main([*command, *(["--store", store] if store else [])])
    sys.exit(code)


if __name__ == "__main__":
    judge(*sys.argv[1:])
