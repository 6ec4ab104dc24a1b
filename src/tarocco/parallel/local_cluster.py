"""A process that runs a scheduler and its workers on this machine: `--cluster local:4` starts it.

The driver starts `BOOTSTRAP` with `python -P` and writes a line to its standard input: `Settings` as JSON. The process
then prints the scheduler's address, and ends when its standard input is closed, so nothing survives the driver. Workers
that run out of memory are replaced.

Only the driver and its children know the key of the run. Every connection is encrypted with it, and refused without it.
Modules come from the driver's import path, never from the working directory of the data.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import Any, NamedTuple

BOOTSTRAP = """\
import json, sys
settings = json.loads(sys.stdin.buffer.readline())
sys.path[:] = settings["path"]
from tarocco.parallel.local_cluster import Settings, main
main(Settings(**settings))
"""


class Settings(NamedTuple):
    """What the driver tells the process."""

    workers: int
    memory: str
    path: list[str]  # the driver's import path
    certificate: str  # which is also the authority that signed it
    key: str


# By default, Dask's workers sample their stacks a hundred times per second, which takes a fifth of a block's time.
DASK_SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
}


def main(settings: Settings) -> None:
    """Start the cluster, print its address and wait."""
    threading.Thread(target=_end_with_driver, daemon=True).start()
    asyncio.run(_serve(settings))


def security_of(certificate: str, key: str) -> Any:
    """Return Dask's security with the same certificate for the client, the scheduler and the workers."""
    from distributed.security import Security

    roles = ("client", "scheduler", "worker")
    return Security(
        require_encryption=True,
        tls_ca_file=certificate,
        **{f"tls_{role}_cert": certificate for role in roles},
        **{f"tls_{role}_key": key for role in roles},
    )


async def _serve(settings: Settings) -> None:
    import dask
    import distributed

    from tarocco.parallel.without_http import Scheduler, Worker

    dask.config.set(DASK_SETTINGS)
    common = {
        "host": "127.0.0.1",
        "protocol": "tls://",
        "security": security_of(settings.certificate, settings.key),
        "dashboard": False,
    }
    worker = {
        **common,
        "nthreads": 1,
        "memory_limit": settings.memory,
        "silence_logs": logging.CRITICAL,
        "worker_class": Worker,
    }
    cluster: Any = await distributed.SpecCluster(
        scheduler={"cls": Scheduler, "options": {**common, "port": 0}},
        workers={number: {"cls": distributed.Nanny, "options": worker} for number in range(settings.workers)},
        security=common["security"],
        silence_logs=logging.CRITICAL,
        asynchronous=True,
    )
    print(cluster.scheduler_address, flush=True)
    await asyncio.Event().wait()


def _end_with_driver() -> None:
    while os.read(0, 1):
        pass
    os._exit(0)  # workers see their pipes close and end too
