"""Time functions and commands, and make the rows of the table."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
BIN = Path(sys.executable).parent


@dataclass
class Row:
    """A row of the table that `make bench` prints."""

    what: str
    shape: str
    peer: str
    how: str
    result: str
    goal: str
    met: bool


def in_fresh_process(module: str, function: str, *arguments: object) -> float:
    """Call bench/<module>.<function>(...) in a new Python and return the number it returns."""
    code = f"import {module}, json, sys; print(json.dumps({module}.{function}(*json.loads(sys.argv[1]))))"
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(arguments)],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    )
    return float(done.stdout)


def in_turns(
    sides: Sequence[Callable[[], float]], samples: int, of_each: Callable[[Sequence[float]], float] = median
) -> list[float]:
    """Sample all sides alternately, so that a busy moment affects all; return the median (or `of_each`) of each."""
    taken = [[side() for side in sides] for _ in range(samples)]
    return [of_each(side) for side in zip(*taken, strict=True)]


def seconds(function: Callable[[], object]) -> float:
    """Return the wall-clock time of one call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def best_seconds(function: Callable[[], object], repeat: int) -> float:
    """Return the shortest of several times, after one call that is not timed."""
    function()
    return min(seconds(function) for _ in range(repeat))


def command_seconds(command: Sequence[str], cpu: bool = False) -> float:
    """Return the wall-clock time of a command, or its processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    took = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if cpu else took


def peak_mebibytes(command: Sequence[str]) -> float:
    """Return the peak resident size of a command."""
    pid = os.posix_spawn(
        command[0],
        list(command),
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"{command} ended with status {status}")
    return usage.ru_maxrss / 1024


def ratio(what: str, shape: str, peer: str, how: str, ours: float, theirs: float, goal: float | None) -> Row:
    """Return the row of a measurement that should take at most a share of the time of a peer."""
    speedup = theirs / ours
    return Row(
        what,
        shape,
        peer,
        how,
        f"{speedup:.1f}x ({theirs * 1e3:.3g} ms / {ours * 1e3:.3g} ms)",
        f">= {goal:g}x" if goal else "none",
        goal is None or speedup >= goal,
    )


def at_most_times(what: str, shape: str, peer: str, how: str, ours: float, base: float, goal: float) -> Row:
    """Return the row of a measurement that should take at most `goal` times as long as `base`."""
    factor = ours / base
    text = f"{factor:.1f} times ({ours * 1e3:.3g} ms / {base * 1e3:.3g} ms)"
    return Row(what, shape, peer, how, text, f"<= {goal:g} times", factor <= goal)


def at_most(what: str, shape: str, how: str, value: float, goal: float, unit: str) -> Row:
    """Return the row of a time or size that should be less than `goal`."""
    return Row(what, shape, "-", how, f"{value:.1f} {unit}", f"< {goal:g} {unit}", value < goal)


def show(rows: Sequence[Row]) -> None:
    """Print one JSON object per row."""
    for row in rows:
        print(json.dumps(asdict(row)), flush=True)
