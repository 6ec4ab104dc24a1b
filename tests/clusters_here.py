"""Real clusters for tests: a scheduler and workers as processes of their own, which talk over loopback TCP."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

QUIET = {"DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "error", "DASK_DISTRIBUTED__DASHBOARD__LINK": ""}


class Cluster:
    """A scheduler and its workers; `stop` ends whatever is left of them."""

    def __init__(self, folder, workers=2, memory="0", environment=None, tls=()):
        self.folder, self.memory = Path(folder), memory
        options = ("--tls-ca-file", "--tls-cert", "--tls-key")
        self.tls = [each for pair in zip(options, tls, strict=False) for each in pair]
        self.environment = {**os.environ, **QUIET, **(environment or {})}
        self.started = []
        log = self.folder / "scheduler.log"
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", *self.tls]
        self.scheduler = self.start(log, "dask_scheduler", *options)
        self.address = first_match(r"Scheduler at:\s+(\w+://\S+)", log)
        self.workers = [self.start_worker() for _ in range(workers)]

    def start(self, log, program, *options):
        code = f"from distributed.cli.{program} import main; main()"
        with open(log, "w") as out:
            environment = {**self.environment, "DASK_DISTRIBUTED__LOGGING__DISTRIBUTED": "info"}
            process = subprocess.Popen(
                [sys.executable, "-c", code, *options], stdout=out, stderr=out, env=environment, start_new_session=True
            )
        self.started.append(process)
        return process

    def start_worker(self, nanny=False):
        number = len(self.started)
        options = ["--nthreads", "1", "--no-dashboard", "--memory-limit", self.memory, "--death-timeout", "60"]
        options += ["--local-directory", str(self.folder / f"scratch-{number}"), "--host", "127.0.0.1", *self.tls]
        return self.start(
            *(self.folder / f"worker-{number}.log", "dask_worker", self.address),
            *("--nanny" if nanny else "--no-nanny", *options),
        )

    def stop(self):
        for process in self.started:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def first_match(pattern, log, patience=60):
    """What a log says, as soon as it does."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        if log.exists() and (found := re.search(pattern, log.read_text())):
            return found[1]
        time.sleep(0.02)
    raise TimeoutError(log.read_text())


def children_of(pid):
    """All processes that a process has started, and theirs."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).children(recursive=True)
    return []


def wait_until(true, patience=60.0, what="nothing happened"):
    deadline = time.monotonic() + patience
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.01)


SLOW = """
# Python runs this when it starts: blocks are small and take their time, so that there is a moment to hit.
import functools
import time

import tarocco.parallel.cluster
import tarocco.scoring.cache
import tarocco.io.nbest.byte_ranges

tarocco.io.nbest.byte_ranges.MIN_SIZE = tarocco.io.nbest.byte_ranges.MAX_SIZE = 1 << 15
tarocco.scoring.cache.MOMENT = 0.0
called = tarocco.parallel.cluster._called


@functools.wraps(called)
def slowly_called(*arguments):
    time.sleep({seconds})
    return called(*arguments)


tarocco.parallel.cluster._called = slowly_called
"""


def slow_environment(folder, seconds=0.2):
    """For processes whose blocks are small and slow."""
    place = Path(folder) / "slow"
    place.mkdir(exist_ok=True)
    (place / "sitecustomize.py").write_text(SLOW.format(seconds=seconds))
    before = os.environ.get("PYTHONPATH")
    return {**os.environ, **QUIET, "PYTHONPATH": os.pathsep.join([str(place), *([before] if before else [])])}
