"""A process that runs a scheduler and its workers on this machine: `--cluster local:4` starts it.

    python -m tarocco.parallel.local_cluster 4 auto

It prints the scheduler's address, and ends when its standard input is closed, so nothing survives the process that
started it. Workers that run out of memory are replaced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from typing import Any


def main(workers: int, memory: str) -> None:
    """Start the cluster, print its address and wait."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    asyncio.run(_serve(workers, memory))


# By default, Dask's workers sample their stacks a hundred times per second, which takes a fifth of a block's time.
SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
}


async def _serve(workers: int, memory: str) -> None:
    import dask
    import distributed

    dask.config.set(SETTINGS)
    # Only this machine can connect, and there is no dashboard.
    cluster: Any = await distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        memory_limit=memory,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
        asynchronous=True,
    )
    print(cluster.scheduler_address, flush=True)
    await asyncio.Event().wait()


def _end_with_parent() -> None:
    while os.read(0, 1):
        pass
    os._exit(0)  # workers see their pipes close and end too


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
