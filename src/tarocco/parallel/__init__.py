"""Runs work in threads, processes or a Dask cluster; results do not depend on the number of workers.

fan_out        an ordered map over blocks, in any executor
cluster        the executor whose workers belong to a Dask cluster
cluster_tasks  what the driver sends to workers
local_cluster  the process behind `--cluster local:N`
"""
