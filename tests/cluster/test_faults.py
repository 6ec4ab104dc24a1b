"""What goes wrong during a long run on a cluster, done to real processes; docs/faults.md is a table of it.

A run that was hit gives the bytes of one that was not, now or when it is taken up again, and the store is sound.
"""

import contextlib
import errno
import itertools
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from clusters_here import Cluster, children_of, slow_environment, wait_until

import tarocco
from tarocco.core.errors import ClusterError, StoreError
from tarocco.store import Store
from tarocco.store.maintenance import problems, summarize

TAROCCO = [sys.executable, "-m", "tarocco"]


class Run:
    """A command on its way."""

    def __init__(self, arguments, environment, store=None):
        self.store = store
        more = [] if store is None else ["--store", str(store)]
        self.process = subprocess.Popen(
            [*TAROCCO, *arguments, *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )

    def blocks(self):
        try:
            with Store(self.store, readonly=True) as store:
                return summarize(store).blocks
        except StoreError:
            return 0

    def wait_for_blocks(self, more_than=0):
        """Until something is finished, and much is not."""
        wait_until(lambda: self.process.poll() is not None or self.blocks() > more_than)
        assert self.process.poll() is None, self.process.communicate()

    def end(self, patience=60):
        try:
            out, err = self.process.communicate(timeout=patience)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.returncode, out, err


def is_sound(store):
    with Store(store, readonly=True) as opened:
        return problems(opened) == []


def taken_up(said, environment=None):
    """Run the command that a message names; gives what it prints."""
    command = re.search(r"this command continues: tarocco (.*)\n", said)[1]
    done = subprocess.run(
        f"{sys.executable} -m tarocco {command}",
        shell=True,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    return done.stdout


@pytest.fixture
def slow(tmp_path):
    return slow_environment(tmp_path)


@pytest.fixture
def hit(tmp_path, slow):
    """A cluster of two slow workers, to be hit."""
    cluster = Cluster(tmp_path, environment=slow)
    yield cluster
    cluster.stop()


def test_processes_of_this_machine_give_the_same_bytes(trial):
    command, expected = trial
    done = subprocess.run([*TAROCCO, *command, "--cluster", "local:2"], capture_output=True, text=True, check=True)
    assert done.stdout == expected
    assert done.stderr == "tarocco: note: local:2: 2 workers, 2 threads\n"


def test_a_worker_is_killed(trial, hit, slow, tmp_path):
    command, expected = trial
    run = Run([*command, "--cluster", hit.address], slow, tmp_path / "s.db")
    run.wait_for_blocks()
    hit.workers[0].kill()
    code, out, err = run.end()
    assert (code, out) == (0, expected)
    assert re.search(rf"note: {hit.address}: worker tcp://\S+ left; its tasks run again on other workers", err)
    assert is_sound(tmp_path / "s.db")


def test_all_workers_are_killed_and_others_come(trial, hit, slow, tmp_path):
    command, expected = trial
    run = Run([*command, "--cluster", hit.address], slow, tmp_path / "s.db")
    run.wait_for_blocks()
    for worker in hit.workers:
        worker.kill()
    time.sleep(1.5)
    assert run.process.poll() is None
    hit.start_worker()
    code, out, err = run.end()
    assert (code, out) == (0, expected)
    assert "no workers are left; waiting for new ones" in err


def test_a_worker_runs_out_of_memory(monkeypatch):
    """Its process is replaced and the block tried again; if that goes on, it is said what is wrong."""
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES", "1")
    code = """if True:
        import sys, time, tarocco
        from tarocco.core.errors import ClusterError

        def eat(_):
            eaten = []
            while True:
                eaten.append(bytearray(b"x" * 10_000_000))
                time.sleep(0.05)

        if __name__ == "__main__":
            with tarocco.cluster("local:1", memory="400MB", tell=lambda one: print(one, file=sys.stderr)) as workers:
                print(workers.submit(len, "before").result())
                try:
                    workers.submit(eat, None).result()
                except ClusterError as error:
                    print(error)
                print(workers.submit(len, "afterwards").result())
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == (
        "6\nlocal:1: 2 workers died on the same block; it probably needs more memory than a worker has "
        "(use fewer processes, or give each more memory)\n10\n"
    )
    assert "left; its tasks run again on other workers" in done.stderr


@pytest.mark.parametrize("quiet", [[], ["-q"]], ids=["told", "quiet"])
def test_the_scheduler_goes_away(trial, hit, slow, tmp_path, quiet):
    command, expected = trial
    run = Run([*command, "--cluster", hit.address, *quiet], slow, tmp_path / "s.db")
    run.wait_for_blocks()
    hit.scheduler.kill()
    code, out, err = run.end(30)
    assert (code, out) == (1, "")
    said = err.splitlines(keepends=True)
    assert len(said) == 2 - len(quiet)  # the first tells how many workers there are
    lost = f"tarocco: {hit.address}: the connection to the scheduler was lost; stopped; "
    begins = f"{lost}finished work is saved in {run.store}, and "
    assert said[-1].startswith(begins)
    assert is_sound(run.store)
    before = run.blocks()
    again = taken_up(said[-1].replace(hit.address, "local:1"), slow)
    assert again == expected
    assert run.blocks() > before


@pytest.mark.parametrize("moment", ["submit", "_gather", "nthreads"])
def test_the_scheduler_goes_away_at_a_bad_moment(running, monkeypatch, moment):
    """While something is sent, while a finished result is fetched, and before there was any work."""
    from distributed import Client
    from distributed.comm import CommClosedError

    def closed(*_arguments, **_named):
        raise CommClosedError("in <TCP (closed)>: Stream is closed")

    async def closed_later(*_arguments, **_named):
        closed()

    with tarocco.cluster(running.address) as workers:
        if moment != "nthreads":
            assert workers.submit(len, "abc").result() == 3
        monkeypatch.setattr(Client, moment, closed_later if moment == "_gather" else closed)
        with pytest.raises(ClusterError, match=f"^{running.address}: the connection to the scheduler was lost$"):
            workers.submit(len, "abc").result(10)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "scratch"), r"No space left on device \(scratch\)"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_a_worker_lacks_is_told_of_the_worker(running, error, said):
    """Not of this machine, its scheduler or its output."""

    def work():
        raise error

    with tarocco.cluster(running.address) as workers:
        with pytest.raises(ClusterError, match=f"^{running.address}: on a worker: {said}$"):
            workers.submit(work).result()
        assert workers.submit(len, "abc").result() == 3


def test_workers_that_come_later_have_work(tmp_path):
    """As many items are on their way as there are workers for, also when there were fewer at first."""
    from tarocco.parallel.fan_out import map_ordered

    cluster = Cluster(tmp_path, workers=1)
    try:
        with tarocco.cluster(cluster.address) as workers:
            results = map_ordered(time.sleep, itertools.repeat(0.3), None, None, workers)
            next(results)
            assert len(workers._pending) <= 3
            for _ in range(3):
                cluster.start_worker()
            wait_until(lambda: workers._threads == 4)
            next(results)
            assert len(workers._pending) > 4
            results.close()
    finally:
        cluster.stop()


def test_a_scheduler_that_stops_answering(tmp_path, monkeypatch):
    """It may come to itself again: that is told, and nothing is given up."""
    monkeypatch.setattr("tarocco.parallel.cluster._PATIENCE", 1.0)
    cluster, told = Cluster(tmp_path, workers=1), []
    try:
        with tarocco.cluster(cluster.address, tell=told.append) as workers:
            assert workers.submit(len, "abc").result() == 3
            cluster.scheduler.send_signal(signal.SIGSTOP)
            wait_until(lambda: f"{cluster.address}: the scheduler does not answer" in told)
            cluster.scheduler.send_signal(signal.SIGCONT)
            wait_until(lambda: f"{cluster.address}: the scheduler answers again" in told)
            assert workers.submit(len, "abc").result() == 3
    finally:
        cluster.stop()


def test_work_that_is_sent_when_all_is_lost_does_not_wait(running, monkeypatch):
    """The watcher gives up between two steps of sending."""
    with tarocco.cluster(running.address) as workers:
        assert workers.submit(len, "abc").result() == 3
        submit = workers.client.submit

        def submit_and_lose(*arguments, **named):
            workers._give_up(ClusterError("all is lost"))
            return submit(*arguments, **named)

        monkeypatch.setattr(workers.client, "submit", submit_and_lose)
        with pytest.raises(ClusterError, match="all is lost"):
            workers.submit(len, "abc").result(10)


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_run_on_processes_of_this_machine_is_stopped(trial, slow, tmp_path, stop, code):
    command, expected = trial
    run = Run([*command, "--cluster", "local:2"], slow, tmp_path / "s.db")
    run.wait_for_blocks()
    family = children_of(run.process.pid)
    assert len(family) >= 2
    os.killpg(run.process.pid, stop) if stop == signal.SIGINT else run.process.send_signal(stop)  # Ctrl-C hits all
    began = time.monotonic()
    found, out, err = run.end()
    assert time.monotonic() - began < 2
    assert (found, out) == (code, "")
    last = err.splitlines(keepends=True)[-1]
    assert last.startswith(
        f"tarocco: stopped; finished work is saved in {run.store}, and this command continues: tarocco orange"
    )
    wait_until(lambda: not any(one.is_running() and one.status() != "zombie" for one in family), 10)
    assert is_sound(run.store)
    before = run.blocks()
    assert taken_up(last, slow) == expected
    assert run.blocks() > before > 0


def test_a_run_on_a_cluster_is_stopped(trial, hit, slow, tmp_path):
    """What it had sent is taken back, and the cluster serves the next one."""
    command, expected = trial
    run = Run([*command, "--cluster", hit.address], slow, tmp_path / "s.db")
    run.wait_for_blocks()
    run.process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    found, out, err = run.end()
    assert time.monotonic() - began < 2
    assert (found, out) == (143, "")
    assert taken_up(err, slow) == expected


def test_the_driver_is_killed(trial, slow, tmp_path):
    command, expected = trial
    run = Run([*command, "--cluster", "local:2"], slow, tmp_path / "s.db")
    run.wait_for_blocks()
    family = children_of(run.process.pid)
    run.process.kill()
    wait_until(lambda: not any(one.is_running() and one.status() != "zombie" for one in family), 30)  # nobody is left
    run.end()
    assert is_sound(run.store)
    assert run.blocks() > 0
    again = Run([*command, "--cluster", "local:2"], slow, run.store)
    code, out, err = again.end()
    assert (code, out) == (0, expected)
    assert "read from the store" in err


def test_two_runs_share_a_store(trial, hit, slow, tmp_path):
    command, expected = trial
    runs = [Run([*command, "--cluster", hit.address], slow, tmp_path / "s.db") for _ in range(2)]
    assert [run.end()[:2] for run in runs] == [(0, expected)] * 2
    assert is_sound(tmp_path / "s.db")
