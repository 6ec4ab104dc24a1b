"""A process with a scheduler, and workers of this machine below it: what `--cluster local:4` starts.

    python -m tarocco.parallel.local_cluster 4 auto

It writes the scheduler's address, and ends when its standard input does: however the process that has started it ends,
nothing is left running. Workers that run out of memory are replaced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from typing import Any


def main(workers: int, memory: str) -> None:
    """Start everything, say where it is, and wait."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    asyncio.run(_serve(workers, memory))


# Dask's workers sample their own stacks a hundred times a second, and give memory back after every array, only to fetch
# it again page by page: a fifth of the time of a block.
SETTINGS = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
}


async def _serve(workers: int, memory: str) -> None:
    import dask
    import distributed

    dask.config.set(SETTINGS)
    # Nobody but this machine can reach it, and there is no page to look at.
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
    os._exit(0)  # workers see their pipes close, and end as well


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
