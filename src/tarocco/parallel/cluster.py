"""An executor whose workers belong to a dask.distributed cluster, on this machine or on many others.

Everything that fans out takes an executor (`fan_out.map_ordered`), so only this module knows Dask. A function, with all
that it refers to, is sent once and passed from worker to worker; items are sent with their tasks. The scheduler holds
both, so the tasks of a lost worker run again on another. Results return to the driver, which alone writes to stores and
files.

The driver unpickles results: anyone who controls the scheduler or a worker can run code in it. A local cluster is
private to the run (`local_cluster`); for others there is TLS.

Schedulers and workers unpickle messages where an error would end them, along with the work of other users. A task
therefore refers only to Python's standard library, and checks on the worker that it has the same release of tarocco.
"""

from __future__ import annotations

import asyncio
import logging
import operator
import os
import pickle
import re
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

from tarocco._version import __version__
from tarocco.core.errors import BadParameter, ClusterError, MissingExtra, TaroccoError
from tarocco.core.json_text import json_text

IN_FLIGHT = 1 << 28  # bytes of items that were sent and have no result yet; a single item may be larger
CHECK_INTERVAL = 1.0  # seconds between two checks of the cluster
REPORT = 60.0  # seconds between two progress reports
_FUNCTIONS = 4  # that workers hold
_LOST = 3.0  # seconds without a connection until the scheduler counts as lost
_PATIENCE = 10.0  # seconds until an answer counts as missing
_TASK = 0.25  # seconds that a task should take; with more, a lost worker costs too much
_MESSAGE = 0.01  # seconds per message here and in the scheduler: with many workers, tasks should take longer
_MOST_TOGETHER = 64  # items per message
_KNOWN = 16  # items after which their duration is known

Call = tuple[tuple[Any, ...], dict[str, Any]]  # positional and keyword arguments

Tell = Callable[[str], None]
TlsFiles = Sequence[str | os.PathLike[str]]  # authority, certificate, key


@contextmanager
def cluster(
    where: str, *, memory: str | int = "auto", tls: TlsFiles | None = None, tell: Tell | None = None
) -> Iterator[ClusterExecutor]:
    """Return an executor on a cluster, for every function that takes one.

    Parameters
    ----------
    where
        The address of a dask.distributed scheduler, such as "tcp://host:8786", or "local:4" for four processes on
        this machine, which end with the `with` statement.
    memory
        The memory limit of each local process, such as "2GB"; by default, an equal share of the machine.
    tls
        For an address that begins with tls://, three PEM files: the authority that signed the cluster's certificates,
        and a certificate and its key; by default, those that Dask is configured with.
    tell
        Called with a sentence when workers come and go, and regularly with the progress.

    Connects when there is work. Results are identical, bit for bit, to those without a cluster.

    Example
    -------
    >>> import tarocco
    >>> with tarocco.cluster("local:2") as workers:  # doctest: +SKIP
    ...     result = tarocco.orange("nbest.txt", references, executor=workers)
    """
    workers = ClusterExecutor(where, memory, tls, tell)
    try:
        yield workers
    finally:
        workers.shutdown()


def check_cluster(where: str) -> int | None:
    """Return the number of local processes, or None for the address of a scheduler."""
    kind, _, rest = str(where).partition(":")
    if kind == "local" and rest.isascii() and rest.isdigit() and 1 <= int(rest) <= 1024:
        return int(rest)
    if re.fullmatch(r"(tcp|tls|ws|wss)://([^\s:/\[\]]+|\[[^\s/\[\]]+\]):[0-9]{1,5}", str(where)):
        return None
    raise BadParameter(
        f'expected the address of a scheduler, such as "tcp://host:8786", or "local:4" for four processes on this '
        f"machine, found {str(where)!r}"
    )


def check_tls(where: str, files: TlsFiles) -> list[str]:
    """Return the names of the three files of TLS, which must exist."""
    names = [os.fspath(file) for file in files]
    if len(names) != 3:
        raise BadParameter(f"tls: expected three files (authority, certificate, key), found {len(names)}")
    if not str(where).startswith("tls://"):
        raise BadParameter(f"certificates are for a scheduler with TLS, such as tls://host:8786, found {where}")
    for name in names:
        if not os.access(name, os.R_OK):
            raise BadParameter(f"{name}: there is no such file, or it cannot be read")
    return names


class ClusterExecutor(Executor):
    """The workers of a cluster as an executor. Connects when the first item is submitted."""

    def __init__(
        self, where: str, memory: str | int = "auto", tls: TlsFiles | None = None, tell: Tell | None = None
    ) -> None:
        self.where, self.memory = where, memory
        self.local = check_cluster(where)
        self.tls = None if tls is None else check_tls(where, tls)
        self.tell: Tell = tell or (lambda _sentence: None)
        self._tells = tell is not None
        self.client: Any = None
        self.processes: Any = None  # the local cluster, if any
        self._run, self._numbers = uuid4().hex[:12], count()
        self._functions: OrderedDict[int, tuple[Callable[..., Any], Any]] = OrderedDict()
        self._pending: dict[Future[Any], tuple[Any, int]] = {}
        self._pending_changed = threading.Condition()
        self._bytes = self._items = self._threads = 0
        self._seconds = 0.0  # that workers spent on items
        self._over = threading.Event()
        self._failure: ClusterError | None = None

    # --- work ----------------------------------------------------------------------------------------------------

    @property
    def _max_workers(self) -> int:
        """The number of threads of all workers; `map_ordered` submits twice as many items ahead."""
        self._connect()
        return max(1, self._threads)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Call a function on a worker; waits while too many bytes are in flight."""
        return self._send(function, [(arguments, named)], single=True)

    @property
    def together(self) -> int:
        """The number of items to send in one message, from their average duration so far."""
        if self._items < items_before_batching(self._max_workers):
            return 1
        return items_per_message(self._seconds / self._items, self._max_workers)

    def submit_many(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Future[list[Any]]:
        """Call a function on several items on one worker, one after the other."""
        return self._send(function, [((item,), {}) for item in items], single=False)

    def _send(self, function: Callable[..., Any], calls: list[Call], single: bool) -> Future[Any]:
        self._connect()
        message = pickle_compressed(calls)
        with self._pending_changed:
            while self._pending and self._bytes + len(message) > IN_FLIGHT and self._failure is None:
                self._pending_changed.wait(CHECK_INTERVAL)
            if self._failure is not None:
                raise self._failure
            self._bytes += len(message)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        key = f"tarocco-{self._run}-{next(self._numbers)}"
        with self._connection_errors():
            task = self.client.submit(operator.call, self._send_function(function), message, key=key, pure=False)
        with self._pending_changed:
            if self._failure is not None:  # meanwhile, so nothing would complete this future
                raise self._failure
            self._pending[future] = task, len(message)
        # Runs on the client's loop: a thread that waits for the loop could outlive the client.
        asyncio.run_coroutine_threadsafe(self._take(future, task, single), self.client.loop.asyncio_loop)
        return future

    def _send_function(self, function: Callable[..., Any]) -> Any:
        """Return a function on the cluster. A task makes it from bytes, so the scheduler can make it again if lost."""
        if id(function) in self._functions:
            self._functions.move_to_end(id(function))
            return self._functions[id(function)][1]
        key = f"tarocco-{self._run}-function-{next(self._numbers)}"
        task = self.client.submit(*make_function_task(function), key=key, pure=False)
        self._functions[id(function)] = function, task  # holds the function, so that no other gets its id
        with suppress(Exception):  # the scheduler would favor a worker that alone has the function; one may refuse it
            self.client.replicate([task], callback_timeout=_LOST)
        while len(self._functions) > _FUNCTIONS:
            self._functions.popitem(last=False)
        return task

    async def _take(self, future: Future[Any], task: Any, single: bool) -> None:
        """Complete a future with the result of its task."""
        error, seconds, results = None, 0.0, [None]
        try:
            seconds, results = await task._result()
        except Exception as problem:
            error = self._explained(problem, at_work=task.status == "error")
        with self._pending_changed:
            if future not in self._pending:  # canceled meanwhile
                return
            self._bytes -= self._pending.pop(future)[1]
            self._items, self._seconds = self._items + len(results), self._seconds + seconds
            self._pending_changed.notify_all()
        if error is None:
            future.set_result(results[0] if single else results)
        else:
            future.set_exception(error)

    def _explained(self, error: BaseException, at_work: bool) -> BaseException:
        """Turn an error of the cluster into a ClusterError; errors of the work itself are returned unchanged.

        A finished result that cannot be fetched is an error of the cluster: its worker cannot be reached.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        if self._failure is not None:
            return self._failure
        if isinstance(error, TaroccoError):
            return error
        if isinstance(error, KilledWorker):
            return ClusterError(
                f"{self.where}: {error.allowed_failures + 1} workers died on the same block; it probably needs more "
                f"memory than a worker has (use fewer processes, or give each more memory)"
            )
        if isinstance(error, CancelledError) or (isinstance(error, OSError) and not at_work):
            return self._scheduler_gone()
        if isinstance(error, ImportError):
            return self._unable(error)
        if isinstance(error, OSError | MemoryError):  # on another machine
            what = getattr(error, "strerror", None) or str(error) or "not enough memory"
            file = getattr(error, "filename", None)
            return ClusterError(f"{self.where}: on a worker: {what}" + (f" ({file})" if file else ""))
        return error

    def _scheduler_gone(self) -> ClusterError:
        return ClusterError(f"{self.where}: the connection to the scheduler was lost")

    # --- the cluster ---------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self.client is not None:
            return
        try:
            import dask
            from distributed import Client
        except ImportError:
            raise MissingExtra("clusters need dask.distributed: pip install 'tarocco[cluster]'") from None
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})  # large items are intended
        if self._tells:  # Dask would log a traceback for each connection
            _silence("distributed")
        try:
            address, security = self._external() if self.local is None else self._start(self.local)
            self.client = self._entered(partial(Client, address, security=security, set_as_default=False))
            with self._connection_errors():
                known = self._wait_for_workers()
                self._probe(known)
        except ClusterError as error:
            self._failure = error
            raise
        threading.Thread(target=self._watch, args=(known,), name="tarocco-cluster", daemon=True).start()

    def _entered(self, client: Callable[[], Any]) -> Any:
        """Return a connected client. Dask itself waits forever for a server that accepts and stays silent."""
        import dask

        outcome: list[Any] = []

        def enter() -> None:
            try:
                outcome.append(client())
            except Exception as error:  # Dask may raise anything at the answer of another program
                outcome.append(error)

        patience = _PATIENCE + dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
        entering = threading.Thread(target=enter, daemon=True)
        entering.start()
        entering.join(patience)
        if outcome and not isinstance(outcome[0], Exception):
            return outcome[0]
        error = (str(outcome[0]).strip() or repr(outcome[0])) if outcome else f"no answer for {patience:g} seconds"
        raise ClusterError(f"{self.where}: there is no scheduler, or it does not answer ({error.splitlines()[0]})")

    def _external(self) -> tuple[str, Any]:
        """Return the address of the scheduler and Dask's security, None for what Dask is configured with."""
        if self.tls is None:
            return self.where, None
        from distributed.security import Security

        authority, certificate, key = self.tls
        security = Security(
            require_encryption=True, tls_ca_file=authority, tls_client_cert=certificate, tls_client_key=key
        )
        try:
            security.get_connection_args("client")
        except OSError as error:  # also ssl.SSLError
            reason = getattr(error, "reason", None) or error.strerror or error
            raise ClusterError(f"{self.where}: TLS cannot use {', '.join(self.tls)} ({reason})") from None
        return self.where, security

    def _start(self, processes: int) -> tuple[str, Any]:
        """Start local processes; return the address of their scheduler, and the security that it requires."""
        from tarocco.parallel.local_cluster import BOOTSTRAP, Settings, security_of

        certificate, key = self._make_key()
        settings = Settings(processes, str(self.memory), sys.path, certificate, key)
        # -P: modules do not come from the working directory, where the data are. The key is in no argument, variable or
        # file, because other users can see some of them. A new session: Ctrl-C reaches only this process, which then
        # ends the others.
        self.processes = subprocess.Popen(
            [sys.executable, "-P", "-c", BOOTSTRAP],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        with suppress(BrokenPipeError):
            self.processes.stdin.write(json_text(settings._asdict()).encode() + b"\n")
            self.processes.stdin.flush()
        address: str = self.processes.stdout.readline().decode().strip()
        if not address:
            raise ClusterError(f"{self.where}: cannot start the processes of tarocco.parallel.local_cluster")
        return address, security_of(certificate, key)

    def _make_key(self) -> tuple[str, str]:
        """Return a new certificate and its key for this run."""
        from distributed.security import Security

        try:
            security = Security.temporary()
        except ImportError:
            raise MissingExtra("local clusters need cryptography: pip install 'tarocco[cluster]'") from None
        return security.tls_client_cert, security.tls_client_key

    def _wait_for_workers(self) -> set[str]:
        """Wait for the first workers, which a batch system may start late, and return their addresses."""
        threads: dict[str, int] = self.client.nthreads(callback_timeout=_PATIENCE)
        if not threads:
            self.tell(f"{self.where}: there are no workers yet; waiting")
        while not threads:
            if self.client.status != "running":
                raise self._scheduler_gone()
            time.sleep(0.2)
            threads = self.client.nthreads(callback_timeout=_PATIENCE)
        self._threads = sum(threads.values())
        self.tell(f"{self.where}: {_some(len(threads), 'worker')}, {_some(self._threads, 'thread')}")
        return set(threads)

    def _probe(self, workers: Iterable[str]) -> None:
        """Check that workers can do this work. One that cannot would fail tasks that others pass to it."""
        for worker in workers:
            key = f"tarocco-{self._run}-probe-{next(self._numbers)}"
            task = self.client.submit(*make_function_task(len), workers=[worker], key=key, pure=False)
            asyncio.run_coroutine_threadsafe(self._probed(task), self.client.loop.asyncio_loop)

    async def _probed(self, task: Any) -> None:
        try:
            await task._result()
        except (ImportError, AttributeError, ClusterError) as error:
            self._give_up(self._unable(error))
        except Exception:  # the work itself reports it
            pass

    def _unable(self, error: Exception) -> ClusterError:
        if isinstance(error, ClusterError):
            return error
        return ClusterError(
            f"{self.where}: a worker cannot do this work: {error} (is the same software installed there?)"
        )

    def _watch(self, known: set[str]) -> None:
        """Check the cluster regularly: its workers, the progress, and whether the scheduler is still there."""
        client = self.client
        began = reported = time.monotonic()
        away, answers = 0.0, True
        while not self._over.wait(CHECK_INTERVAL):
            if client.status == "running":
                away, answered = 0.0, answers
                try:
                    threads = client.nthreads(callback_timeout=_PATIENCE)
                    self._tell_changes(known, set(threads))
                    self._probe(set(threads) - known)
                    known, self._threads, answers = set(threads), sum(threads.values()), True
                except TimeoutError:
                    answers = False
                except Exception:  # the next check tells
                    pass
                if answers != answered and not self._over.is_set():
                    self.tell(f"{self.where}: the scheduler " + ("answers again" if answers else "does not answer"))
            else:
                away += CHECK_INTERVAL
                if away >= _LOST or client.status == "closed":
                    self._give_up(self._scheduler_gone())
                    return
            if time.monotonic() - reported >= REPORT:
                reported = time.monotonic()
                rate = self._items / (reported - began)
                self.tell(
                    f"{self.where}: {_some(self._items, 'block')} done, {rate:.1f} per second, "
                    f"{_some(len(known), 'worker')}, {self._bytes / 1e6:.1f} MB in flight"
                )

    def _tell_changes(self, before: set[str], now: set[str]) -> None:
        for worker in sorted(before - now):
            self.tell(f"{self.where}: worker {worker} left; its tasks run again on other workers")
        for worker in sorted(now - before):
            self.tell(f"{self.where}: worker {worker} joined")
        if before and not now:
            self.tell(f"{self.where}: no workers are left; waiting for new ones")

    def _give_up(self, error: ClusterError) -> list[Any]:
        """Fail all pending futures and return their tasks."""
        with self._pending_changed:
            self._failure = self._failure or error
            pending, self._pending = self._pending, {}
            self._pending_changed.notify_all()
        for future in pending:
            future.set_exception(self._failure)
        return [task for task, _ in pending.values()]

    @contextmanager
    def _connection_errors(self) -> Iterator[None]:
        """Turn errors of the connection into a ClusterError."""
        try:
            yield
        except TaroccoError:
            raise
        except Exception as error:
            if self.client.status == "running" and not isinstance(error, OSError):  # the client may not know yet
                raise
            raise self._scheduler_gone() from error

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster without waiting for running tasks; local processes are killed."""
        self._over.set()
        pending = self._give_up(ClusterError(f"{self.where}: this cluster was closed"))
        self._functions.clear()
        client, self.client = self.client, None
        if client is not None:
            with suppress(Exception):
                if pending and self.processes is None and client.status == "running":
                    client.cancel(pending, force=True)
            with suppress(Exception):
                client.close(timeout=1)
        if self.processes is not None:
            self.processes.kill()
            self.processes.wait()
            for pipe in (self.processes.stdin, self.processes.stdout):
                pipe.close()


def _silence(logger: str) -> None:
    """Silence a logger and its children, some of which set a level."""
    for name in [name for name in logging.root.manager.loggerDict if f"{name}.".startswith(f"{logger}.")]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _some(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)


# --- tasks ---------------------------------------------------------------------------------------------------------


def make_function_task(function: Callable[..., Any]) -> tuple[Callable[[bytes], Any], bytes]:
    """Return a task, as a function and its argument, that makes the `ShippedFunction` of a function."""
    return pickle.loads, pickle.dumps(_FunctionMessage(__version__, pickle_compressed(function)))


def pickle_compressed(thing: Any) -> bytes:
    """Pickle and compress: n-best lists shrink to a tenth in a millisecond."""
    import cloudpickle  # also pickles functions and classes defined in a script

    data: bytes = _zstd().compress(cloudpickle.dumps(thing, protocol=5), 1)
    return data


def _unpickled(data: bytes) -> Any:
    return pickle.loads(_zstd().decompress(data))


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


@dataclass(frozen=True)
class _FunctionMessage:
    """A pickled function, which becomes a `ShippedFunction` when a worker unpickles it."""

    version: str
    data: bytes

    def __reduce__(self) -> tuple[Callable[..., ShippedFunction], tuple[str, bytes]]:
        return _made, (self.version, self.data)


def _made(version: str, data: bytes) -> ShippedFunction:
    """Unpickle a function on a worker."""
    _check_version(version)
    return ShippedFunction(version, _unpickled(data))


@dataclass(frozen=True)
class ShippedFunction:
    """A function on a worker. Calling it with pickled items returns the seconds taken and the results."""

    version: str
    function: Callable[..., Any]

    def __call__(self, items: bytes) -> tuple[float, list[Any]]:
        _check_version(self.version)  # a late worker gets this object from another worker
        calls: list[Call] = _unpickled(items)
        began = time.perf_counter()
        results = [_called(self.function, call) for call in calls]
        return time.perf_counter() - began, results


def _check_version(driver: str) -> None:
    if driver != __version__:
        raise ClusterError(f"a worker has tarocco {__version__}, this process has {driver}: they must be the same")


def _called(function: Callable[..., Any], call: Call) -> Any:
    arguments, named = call
    return function(*arguments, **named)


def items_before_batching(workers: int) -> int:
    """Return the number of items to send singly before their duration is known."""
    return min(2 * workers, _KNOWN)


def items_per_message(seconds: float, workers: int) -> int:
    """Return the number of items per message that keeps this many workers busy."""
    return max(1, min(_MOST_TOGETHER, round(max(_TASK, _MESSAGE * workers) / max(seconds, 1e-9))))
