"""The overhead of a cluster on one machine: two workers over loopback TCP compared with two threads, on ORANGE.

Both sides read the same file and give the same numbers. They alternate, and the best sample counts, because other work
on the machine slows three processes more than one. The cluster is started beforehand; a separate row times whole
commands, which start it. Processor time is the sum over all processes.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import psutil
from measure import BIN, Row, at_most_times, command_seconds, in_turns, show
from nbest_data import write

import tarocco

METRICS = ["BLEUS-4", "NIST-5", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF"]
SAMPLES = 5
GOAL = 1.15


def study(folder: Path, **how: object) -> tarocco.OrangeResult:
    streams = [(folder / f"ref{r}.txt").read_text().splitlines() for r in (1, 2, 3, 4)]
    return tarocco.orange(folder / "nbest.txt", list(zip(*streams, strict=True)), metrics=METRICS, **how)  # type: ignore[arg-type]


def processor_seconds() -> float:
    """Return the processor time of this process and its living descendants."""
    here = psutil.Process()
    family = [here, *here.children(recursive=True)]
    return sum(member.cpu_times().user + member.cpu_times().system for member in family)


def rows(lists: int = 872, size: int = 1024) -> list[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, lists, size, 4)
        shape = f"{lists} x {size} candidates x 4 references, {len(METRICS)} metrics"
        spent: dict[str, list[float]] = {"threads": [], "cluster": []}

        def measured(side: str, **how: object) -> float:
            began, before = time.perf_counter(), processor_seconds()
            study(folder, **how)
            spent[side].append(processor_seconds() - before)
            return time.perf_counter() - began

        with tarocco.cluster("local:2") as workers:
            same = study(folder, executor=workers).to_dict() == study(folder, jobs=2).to_dict()
            sides = (lambda: measured("threads", jobs=2), lambda: measured("cluster", executor=workers))
            threads, cluster = in_turns(sides, SAMPLES, min)
        table = [
            at_most_times(
                f"ORANGE, two workers against two threads (same numbers: {'yes' if same else 'NO'})",
                *(shape, "-", "in a process, cluster running, wall clock", cluster, threads, GOAL),
            ),
            at_most_times(
                *("ORANGE, two workers against two threads", shape, "-", "the same, processor time of all processes"),
                *(min(spent["cluster"]), min(spent["threads"]), GOAL),
            ),
        ]
        files = [str(folder / f"ref{r}.txt") for r in (1, 2, 3, 4)]
        command = [str(BIN / "python"), "-m", "tarocco", "orange", str(folder / "nbest.txt"), "-r", *files, "-q"]
        command += ["-m", *METRICS]
        sides = (
            lambda: command_seconds([*command, "-j", "2"]),
            lambda: command_seconds([*command, "--cluster", "local:2"]),
        )
        threads, cluster = in_turns(sides, 3, min)
        table.append(
            at_most_times(
                *("ORANGE, --cluster local:2 against -j 2", shape, "-", "whole commands: processes start and end"),
                *(cluster, threads, float("inf")),
            )
        )
    return table


if __name__ == "__main__":
    show(rows())
