"""A long night in short: n-best lists without end are piped into `tarocco orange -`, and its memory is watched.

    python bench/soak.py --minutes 60

A pool of synthetic lists is repeated, each time in another order, until the time is over; the command has a store, as
a long run should. Its resident size is written down every few seconds, and what is told at the end is how much larger
it is than it was when five minutes were over.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median

import numpy as np
from nbest_data import REFERENCE, candidates, edited, sentences, spellings, zipfian

POOL = 16  # different lists
SETTLED = 300  # seconds after which memory should have its size
GOAL = 5  # percent
METRICS = ["BLEUS-4", "NIST-5", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF"]


def pool(size: int, references: int, length: int = 25) -> tuple[list[list[bytes]], list[list[bytes]]]:
    """(candidates of each list, references of each list)."""
    table, starts = spellings()
    lists, right = [], []
    for number in range(POOL):
        generator = np.random.default_rng([3, number])
        hidden = zipfian(generator, max(3, int(generator.normal(length, length / 4))))
        right.append(
            [
                sentences(edited(hidden, REFERENCE, generator)[None], table, starts)[0].lstrip()
                for _ in range(references)
            ]
        )
        lists.append(sentences(candidates(hidden, size, generator), table, starts))
    return lists, right


def resident(pid: int) -> float:
    """The resident size of a process in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def watch(process: subprocess.Popen[bytes], every: float, samples: list[tuple[float, float]], told: list[int]) -> None:
    began = time.monotonic()
    while process.poll() is None:
        samples.append((time.monotonic() - began, resident(process.pid)))
        if len(samples) % 6 == 1:
            print(f"{samples[-1][0]:7.0f} s  {samples[-1][1]:8.1f} MiB  {told[0]} lists", flush=True)
        time.sleep(every)


def soak(minutes: float, size: int, references: int, jobs: int, most: int) -> bool:
    lists, right = pool(size, references)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for r in range(references):
            column = [right[number % POOL][r] for number in range(most)]
            (folder / f"ref{r + 1}.txt").write_bytes(b"\n".join(column) + b"\n")
        files = [str(folder / f"ref{r + 1}.txt") for r in range(references)]
        command = [sys.executable, "-m", "tarocco", "orange", "-", "-r", *files, "-m", *METRICS, "-j", str(jobs)]
        command += ["--store", str(folder / "s.db"), "-f", "tsv"]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stdin is not None
        samples: list[tuple[float, float]] = []
        told = [0]
        watcher = threading.Thread(target=watch, args=(process, 10 if minutes > 3 else 1, samples, told))
        watcher.start()
        began = time.monotonic()
        while time.monotonic() - began < 60 * minutes and told[0] < most:
            own, texts = b"%d |||" % told[0], lists[told[0] % POOL]
            turn = told[0] // POOL * 7 % size  # another order, so that no list is found in the store
            process.stdin.write(b"".join(b"%s%s ||| 0\n" % (own, text) for text in texts[turn:] + texts[:turn]))
            told[0] += 1
        took = time.monotonic() - began
        out, err = process.communicate()
        watcher.join()
    print(out.decode(), err.decode(), sep="\n")
    settled = min(SETTLED, took / 6)
    before = median(size for at, size in samples if settled <= at < settled + took / 12)
    after = median(size for at, size in samples if took - took / 12 <= at < took)
    growth = 100 * (after / before - 1)
    print(
        f"{told[0]} lists of {size} candidates x {references} references, {len(METRICS)} metrics, "
        f"{took / 60:.1f} minutes, {told[0] * size / took:,.0f} candidates a second"
    )
    print(
        f"resident: {before:.1f} MiB after {settled / 60:.1f} minutes, {after:.1f} MiB at the end: {growth:+.1f}% "
        f"(goal: below {GOAL}%), at most {max(size for _, size in samples):.1f} MiB"
    )
    return process.returncode == 0 and growth < GOAL


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--candidates", type=int, default=16384)
    parser.add_argument("--references", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--most", type=int, default=50_000, help="lists: the references of all are read first")
    asked = parser.parse_args()
    good = soak(asked.minutes, asked.candidates, asked.references, asked.jobs, asked.most)
    sys.exit(0 if good else 1)
