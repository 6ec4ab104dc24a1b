"""Runs work in threads, processes or a Dask cluster; results do not depend on the number of workers.

fan_out        an ordered map over blocks, in any executor
cluster        the executor whose workers belong to a Dask cluster
local_cluster  the process that `--cluster local:N` starts
"""
