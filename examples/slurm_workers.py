"""Workers from a Slurm queue, and a trial on them: dask-jobqueue starts the jobs, tarocco sends them blocks.

pip install 'tarocco[cluster]' dask-jobqueue, in an environment that all nodes see.
"""

from pathlib import Path

from dask_jobqueue import SLURMCluster

import tarocco


def main() -> None:
    jobs = SLURMCluster(
        queue="cpu",
        cores=16,  # of a job
        processes=16,  # a worker each: blocks are worked on in one thread
        memory="64GB",
        walltime="04:00:00",
        local_directory="/tmp",
        job_script_prologue=["source /shared/venv/bin/activate"],
    )
    jobs.scale(jobs=20)  # work begins with the first of them
    with tarocco.cluster(jobs.scheduler_address, tell=print) as workers:
        columns = [Path(name).read_text("utf-8").splitlines() for name in ("ref1.txt", "ref2.txt")]
        references = list(zip(*columns, strict=True))
        print(tarocco.orange("nbest.txt", references, executor=workers, store="orange.db"))


if __name__ == "__main__":
    main()
