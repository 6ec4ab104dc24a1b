"""Stream n-best lists into `tarocco orange -` for a long time, and watch its memory.

    python bench/soak.py --minutes 60

A pool of synthetic lists is repeated, each time in another order, until the time is over; the command uses a store, as
a long run should. The script samples its resident size every few seconds and reports how much it grew after the first
five minutes.
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
SETTLED = 300  # seconds after which memory should not grow
GOAL = 5  # percent
METRICS = ["BLEUS-4", "NIST-5", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF"]


def pool(size: int, references: int, length: int = 25) -> tuple[list[list[bytes]], list[list[bytes]]]:
    """Return (candidates of each list, references of each list)."""
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
    """Return the resident size of a process in MiB."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def watch(process: subprocess.Popen[bytes], every: float, samples: list[tuple[float, float]], sent: list[int]) -> None:
    began = time.monotonic()
    while process.poll() is None:
        samples.append((time.monotonic() - began, resident(process.pid)))
        if len(samples) % 6 == 1:
            print(f"{samples[-1][0]:7.0f} s  {samples[-1][1]:8.1f} MiB  {sent[0]} lists", flush=True)
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
        sent = [0]
        watcher = threading.Thread(target=watch, args=(process, 10 if minutes > 3 else 1, samples, sent))
        watcher.start()
        began = time.monotonic()
        while time.monotonic() - began < 60 * minutes and sent[0] < most:
            number, texts = b"%d |||" % sent[0], lists[sent[0] % POOL]
            turn = sent[0] // POOL * 7 % size  # another order, so that the store has no list yet
            process.stdin.write(b"".join(b"%s%s ||| 0\n" % (number, text) for text in texts[turn:] + texts[:turn]))
            sent[0] += 1
        took = time.monotonic() - began
        out, err = process.communicate()
        watcher.join()
    print(out.decode(), err.decode(), sep="\n")
    settled = min(SETTLED, took / 6)
    before = median(size for at, size in samples if settled <= at < settled + took / 12)
    after = median(size for at, size in samples if took - took / 12 <= at < took)
    growth = 100 * (after / before - 1)
    print(
        f"{sent[0]} lists of {size} candidates x {references} references, {len(METRICS)} metrics, "
        f"{took / 60:.1f} minutes, {sent[0] * size / took:,.0f} candidates per second"
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
    options = parser.parse_args()
    good = soak(options.minutes, options.candidates, options.references, options.jobs, options.most)
    sys.exit(0 if good else 1)
