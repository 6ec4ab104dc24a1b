"""Clusters that are none, or not fit for the work: said in one sentence, before anything is computed or waited for."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time

import pytest
from clusters_here import Cluster, first_match

import tarocco
from tarocco.core.errors import ClusterError

TAROCCO = [sys.executable, "-m", "tarocco"]


def without_tarocco(folder):
    """An environment in which there is none."""
    place = folder / "without"
    (place / "tarocco").mkdir(parents=True)
    (place / "tarocco" / "__init__.py").write_text("raise ImportError('there is no tarocco here')\n")
    return {"PYTHONPATH": str(place)}


@pytest.mark.parametrize("where", ["workers", "a worker", "scheduler"])
def test_software_that_is_missing(trial, tmp_path, where):
    """A scheduler needs none of it; workers say that they have none, and live."""
    lacking, having = without_tarocco(tmp_path), {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    command = [*TAROCCO, *trial[0], "--cluster"]
    cluster = Cluster(tmp_path, workers=0, environment=lacking if where == "scheduler" else None)
    try:
        cluster.environment.update(lacking if "worker" in where else having)
        workers = [cluster.start_worker()]
        cluster.environment.update(lacking if where == "workers" else having)
        workers.append(cluster.start_worker())
        for number in (1, 2):
            first_match("(Registered to)", tmp_path / f"worker-{number}.log")
        done = subprocess.run([*command, cluster.address], capture_output=True, text=True, timeout=120)
        assert [worker.poll() for worker in workers] == [None, None]
    finally:
        cluster.stop()
    if where == "scheduler":
        assert (done.returncode, done.stdout) == (0, trial[1])
    else:
        assert (done.returncode, done.stdout) == (1, "")
        assert (
            "a worker cannot do this work: there is no tarocco here (is the same software installed there?); stopped"
            in done.stderr
        )
        assert "Traceback" not in done.stderr


def answering(how):
    """A server on loopback that is no scheduler; gives its port."""
    server, taken = socket.create_server(("127.0.0.1", 0)), []

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                taken.append(connection)  # or it would be closed
                if how is not None:
                    connection.sendall(how)
                    connection.close()

    threading.Thread(target=serve, daemon=True).start()
    return server


@pytest.mark.parametrize(
    "how",
    [
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x01" + bytes(15) + b"\xff" * 64,
    ],
    ids=["http", "ssh", "garbage"],
)
def test_what_is_there_is_no_scheduler(trial, how):
    hasty = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    with answering(how) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        done = subprocess.run(
            [*TAROCCO, *trial[0], "--cluster", address], capture_output=True, text=True, env=hasty, timeout=60
        )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"tarocco: {address}: there is no scheduler, or it does not answer (")


def test_whoever_says_nothing_is_no_scheduler(monkeypatch):
    import dask

    monkeypatch.setattr("tarocco.parallel.cluster._PATIENCE", 1.0)
    with answering(None) as server, dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        said = r"there is no scheduler, or it does not answer \(no answer for 2 seconds\)"
        with tarocco.cluster(address) as workers, pytest.raises(ClusterError, match=said):
            workers.submit(len, "abc")


@pytest.mark.parametrize("quiet", [[], ["-q"]])
def test_a_worker_is_no_scheduler(trial, running, quiet):
    with tarocco.cluster(running.address) as workers:
        workers.submit(len, "abc").result()
        (address, *_) = workers.client.nthreads()
    for wrong in (address, address.replace("tcp", "tls")):
        done = subprocess.run([*TAROCCO, *trial[0], "--cluster", wrong, *quiet], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"tarocco: {wrong}: there is no scheduler, or it does not answer (")
        assert done.stderr.count("\n") == 1


def test_nobody_waits_for_a_cluster_that_was_left(running):
    with tarocco.cluster(running.address) as workers:
        waits = workers.submit(time.sleep, 30)
    with pytest.raises(ClusterError, match="this cluster was closed"):
        waits.result(5)
    with pytest.raises(ClusterError, match="this cluster was closed"):
        workers.submit(len, "abc")


def test_a_cluster_that_could_not_be_entered_is_not_waited_for(running, monkeypatch):
    from distributed import Client

    def gone(*_arguments, **_named):
        raise OSError("gone")

    with tarocco.cluster(running.address) as workers:
        monkeypatch.setattr(Client, "nthreads", gone)
        for _ in range(2):
            began = time.monotonic()
            with pytest.raises(ClusterError, match="the connection to the scheduler was lost"):
                workers.submit(len, "abc").result(20)
        assert time.monotonic() - began < 5


def test_there_is_no_scheduler(trial):
    command, _ = trial
    hasty = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "1s"}
    done = subprocess.run(
        [*TAROCCO, *command, "--cluster", "tcp://127.0.0.1:1"], capture_output=True, text=True, env=hasty
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("tarocco: tcp://127.0.0.1:1: there is no scheduler, or it does not answer")


def test_workers_with_another_release_are_refused(trial, tmp_path):
    place = tmp_path / "old"
    place.mkdir()
    (place / "sitecustomize.py").write_text("import tarocco._version\ntarocco._version.__version__ = '0.0.1'\n")
    old = {"PYTHONPATH": os.pathsep.join([str(place), os.environ.get("PYTHONPATH", "")])}
    cluster = Cluster(tmp_path, workers=1, environment=old)
    try:
        done = subprocess.run([*TAROCCO, *trial[0], "--cluster", cluster.address], capture_output=True, text=True)
    finally:
        cluster.stop()
    assert (done.returncode, done.stdout) == (1, "")
    here = tarocco.__version__
    assert f"a worker has tarocco 0.0.1, this process has {here}: they must be the same; stopped" in done.stderr


def test_without_the_extra(trial, tmp_path):
    (tmp_path / "distributed.py").write_text("raise ImportError('not here')\n")
    without = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run([*TAROCCO, *trial[0], "--cluster", "local:2"], capture_output=True, text=True, env=without)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "tarocco: clusters need dask.distributed: pip install 'tarocco[cluster]'\n"


def test_a_cluster_that_was_left_is_not_entered_again():
    with tarocco.cluster("local:1") as workers:
        pass
    with pytest.raises(ClusterError, match="local:1: this cluster was closed"):
        workers.submit(len, "abc")
