"""Work on a cluster: an executor whose workers are those of dask.distributed, on this machine or on a thousand others.

Everything that fans out takes an executor (`run.map_ordered`), so that nothing but this file knows of Dask. What a
fan-out has in common, its function with all that it refers to, is sent once and goes from worker to worker; an item is
sent with its task. The scheduler keeps both, so that what a lost worker had begun runs again elsewhere. Results come to
the process that asked for them, which alone writes to stores and files.
"""

from __future__ import annotations

import asyncio
import logging
import operator
import re
import subprocess
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from typing import Any
from uuid import uuid4

from tarocco.core.errors import BadParameter, ClusterError, MissingExtra, TaroccoError
from tarocco.parallel.cluster_tasks import Call, enough_to_know, pickled, shipped, worth_sending

IN_FLIGHT = 1 << 28  # bytes of items that were sent and have no result yet; one item may be larger
EVERY = 1.0  # seconds between two looks at the cluster
REPORT = 60.0  # seconds between two reports on how far it got
_FUNCTIONS = 4  # whose copies workers keep
_LOST = 3.0  # seconds without a scheduler until it counts as gone
_PATIENCE = 10.0  # seconds until an answer counts as missing

Tell = Callable[[str], None]


@contextmanager
def cluster(where: str, *, memory: str | int = "auto", tell: Tell | None = None) -> Iterator[Workers]:
    """Workers of a cluster, as an executor for everything in tarocco that takes one.

    Parameters
    ----------
    where
        The address of a scheduler of dask.distributed, such as "tcp://host:8786", or "local:4" for four processes of
        this machine, which end with the `with` statement.
    memory
        How much each local process may have, such as "2GB"; its share of the machine by default.
    tell
        Called with a sentence when workers come and go, and now and then with how far the work is.

    Nothing is started or asked before there is work. The results of everything are the same to the bit as without a
    cluster.

    Example
    -------
    >>> import tarocco
    >>> with tarocco.cluster("local:2") as workers:  # doctest: +SKIP
    ...     result = tarocco.orange("nbest.txt", references, executor=workers)
    """
    workers = Workers(where, memory, tell)
    try:
        yield workers
    finally:
        workers.shutdown()


def check_cluster(where: str) -> int | None:
    """The number of local processes that are wanted; None for a scheduler's address."""
    kind, _, rest = str(where).partition(":")
    if kind == "local" and rest.isascii() and rest.isdigit() and 1 <= int(rest) <= 1024:
        return int(rest)
    if re.fullmatch(r"(tcp|tls|ws|wss)://([^\s:/\[\]]+|\[[^\s/\[\]]+\]):[0-9]{1,5}", str(where)):
        return None
    raise BadParameter(
        f'a cluster is the address of a scheduler, such as "tcp://host:8786", or "local:4" for four processes of this '
        f"machine, not {str(where)!r}"
    )


class Workers(Executor):
    """The workers of a cluster. It is connected to when the first item is there."""

    def __init__(self, where: str, memory: str | int = "auto", tell: Tell | None = None) -> None:
        self.where, self.memory = where, memory
        self.local = check_cluster(where)
        self.tell: Tell = tell or (lambda _sentence: None)
        self._told = tell is not None
        self.client: Any = None
        self.processes: Any = None  # of this machine, below one that is ours
        self.lost = 0  # workers that went away
        self._run, self._numbers = uuid4().hex[:12], count()
        self._functions: OrderedDict[int, tuple[Callable[..., Any], Any]] = OrderedDict()
        self._pending: dict[Future[Any], tuple[Any, int]] = {}
        self._changed = threading.Condition()
        self._bytes = self._done = self._items = self._threads = 0
        self._seconds = 0.0  # that workers took for items
        self._over = threading.Event()
        self._gone: ClusterError | None = None

    # --- work ----------------------------------------------------------------------------------------------------

    @property
    def _max_workers(self) -> int:
        """How many items can be worked on at the same time; `map_ordered` keeps twice as many on their way."""
        self._connect()
        return max(1, self._threads)

    def submit(self, function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        """Let a worker call a function; waits while too many bytes are on their way."""
        return self._send(function, [(arguments, named)], one=True)

    @property
    def together(self) -> int:
        """How many items are worth sending together, by what they took until now: a message costs some milliseconds."""
        if self._items < enough_to_know(self._max_workers):
            return 1
        return worth_sending(self._seconds / self._items, self._max_workers)

    def submit_many(self, function: Callable[[Any], Any], items: Sequence[Any]) -> Future[list[Any]]:
        """Let a worker call a function on several items, one after the other."""
        return self._send(function, [((item,), {}) for item in items], one=False)

    def _send(self, function: Callable[..., Any], calls: list[Call], one: bool) -> Future[Any]:
        self._connect()
        item = pickled(calls)
        with self._changed:
            while self._pending and self._bytes + len(item) > IN_FLIGHT and self._gone is None:
                self._changed.wait(EVERY)
            if self._gone is not None:
                raise self._gone
            self._bytes += len(item)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        key = f"tarocco-{self._run}-{next(self._numbers)}"
        with self._speaking():
            there = self.client.submit(operator.call, self._common(function), item, key=key, pure=False)
        with self._changed:
            if self._gone is not None:  # meanwhile; nobody would tell this one
                raise self._gone
            self._pending[future] = there, len(item)
        # On the client's loop, not in a thread that would wait for the loop: nobody waits for it when all is over.
        asyncio.run_coroutine_threadsafe(self._take(future, there, one), self.client.loop.asyncio_loop)
        return future

    def _common(self, function: Callable[..., Any]) -> Any:
        """A function on the cluster: made there of its bytes, by a task, so that it can be made again if it is lost."""
        if id(function) in self._functions:
            self._functions.move_to_end(id(function))
            return self._functions[id(function)][1]
        key = f"tarocco-{self._run}-function-{next(self._numbers)}"
        there = self.client.submit(*shipped(function), key=key, pure=False)
        self._functions[id(function)] = function, there  # the function is kept, or another could get its id
        with suppress(Exception):  # all workers get it at once, or the scheduler would favor the one that has it
            self.client.replicate([there], callback_timeout=_LOST)  # one of them may not take it
        while len(self._functions) > _FUNCTIONS:
            self._functions.popitem(last=False)
        return there

    async def _take(self, future: Future[Any], there: Any, one: bool) -> None:
        """Give a finished task's result to whoever waits for it."""
        error, seconds, results = None, 0.0, [None]
        try:
            seconds, results = await there._result()
        except Exception as problem:
            error = self._explained(problem, at_work=there.status == "error")
        with self._changed:
            if future not in self._pending:  # stopped meanwhile
                return
            self._bytes -= self._pending.pop(future)[1]
            self._done += 1
            self._items, self._seconds = self._items + len(results), self._seconds + seconds
            self._changed.notify_all()
        if error is None:
            future.set_result(results[0] if one else results)
        else:
            future.set_exception(error)

    def _explained(self, error: BaseException, at_work: bool) -> BaseException:
        """What happened on the cluster as a sentence; errors of the work itself stay as they are.

        A result that is finished and cannot be had is no error of the work: whoever keeps it is out of reach.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        if self._gone is not None:
            return self._gone
        if isinstance(error, TaroccoError):
            return error
        if isinstance(error, KilledWorker):
            return ClusterError(
                f"{self.where}: workers went away {error.allowed_failures + 1} times over the same block: most likely "
                f"it needs more memory than a worker has (fewer processes, or more memory for each)"
            )
        if isinstance(error, CancelledError) or (isinstance(error, OSError) and not at_work):
            return self._scheduler_gone()
        if isinstance(error, ImportError):
            return self._unable(error)
        if isinstance(error, OSError | MemoryError):  # of a machine that is not this one
            what = getattr(error, "strerror", None) or str(error) or "there is not enough memory"
            file = getattr(error, "filename", None)
            return ClusterError(f"{self.where}: on a worker: {what}" + (f" ({file})" if file else ""))
        return error

    def _scheduler_gone(self) -> ClusterError:
        return ClusterError(f"{self.where}: the scheduler went away")

    # --- the cluster ---------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        if self._gone is not None:
            raise self._gone
        if self.client is not None:
            return
        try:
            import dask
            from distributed import Client
        except ImportError:
            raise MissingExtra("clusters need dask.distributed: pip install 'tarocco[cluster]'") from None
        dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})  # items are meant to be large
        if self._told:  # in sentences, what Dask would log with a trace for each connection
            _silence("distributed")
        try:
            address = self.where if self.local is None else self._start(self.local)
            self.client = self._entered(partial(Client, address, set_as_default=False))
            with self._speaking():
                known = self._wait_for_workers()
                self._probe(known)
        except ClusterError as error:
            self._gone = error
            raise
        threading.Thread(target=self._watch, args=(known,), name="tarocco-cluster", daemon=True).start()

    def _entered(self, client: Callable[[], Any]) -> Any:
        """A client. Dask would wait without end for somebody who takes the connection and says nothing."""
        import dask

        found: list[Any] = []

        def enter() -> None:
            try:
                found.append(client())
            except Exception as error:  # there is no telling what Dask makes of another program's answer
                found.append(error)

        patience = _PATIENCE + dask.utils.parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
        entering = threading.Thread(target=enter, daemon=True)
        entering.start()
        entering.join(patience)
        if found and not isinstance(found[0], Exception):
            return found[0]
        error = (str(found[0]).strip() or repr(found[0])) if found else f"nothing was said for {patience:g} seconds"
        raise ClusterError(f"{self.where}: there is no scheduler, or it does not answer ({error.splitlines()[0]})")

    def _start(self, processes: int) -> str:
        """Start processes of this machine; the address of their scheduler."""
        command = [sys.executable, "-m", "tarocco.parallel.local_cluster", str(processes), str(self.memory)]
        # In a session of its own: Ctrl-C is for this process, which tells the others.
        self.processes = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
        )
        address: str = self.processes.stdout.readline().decode().strip()
        if not address:
            raise ClusterError(
                f"{self.where}: the processes could not be started (python -m tarocco.parallel.local_cluster)"
            )
        return address

    def _wait_for_workers(self) -> set[str]:
        """Batch systems start workers when there is room for them; gives those that are there."""
        found: dict[str, int] = self.client.nthreads(callback_timeout=_PATIENCE)
        if not found:
            self.tell(f"{self.where}: there are no workers yet; waiting for them")
        while not found:
            if self.client.status != "running":
                raise self._scheduler_gone()
            time.sleep(0.2)
            found = self.client.nthreads(callback_timeout=_PATIENCE)
        self._threads = sum(found.values())
        self.tell(f"{self.where}: {_some(len(found), 'worker')}, {_some(self._threads, 'thread')}")
        return set(found)

    def _probe(self, workers: Iterable[str]) -> None:
        """Let workers say whether they can do this work. One that cannot would spoil what others send it, and wait."""
        for one in workers:
            key = f"tarocco-{self._run}-probe-{next(self._numbers)}"
            there = self.client.submit(*shipped(len), workers=[one], key=key, pure=False)
            asyncio.run_coroutine_threadsafe(self._probed(there), self.client.loop.asyncio_loop)

    async def _probed(self, there: Any) -> None:
        try:
            await there._result()
        except (ImportError, AttributeError, ClusterError) as error:
            self._give_up(self._unable(error))
        except Exception:  # others tell what that is
            pass

    def _unable(self, error: Exception) -> ClusterError:
        if isinstance(error, ClusterError):
            return error
        return ClusterError(f"{self.where}: a worker cannot do this work: {error} (is the same software there?)")

    def _watch(self, known: set[str]) -> None:
        """Look at the cluster now and then: who is there, how far it is, and whether there still is a scheduler."""
        client = self.client
        began = reported = time.monotonic()
        away, answers = 0.0, True
        while not self._over.wait(EVERY):
            if client.status == "running":
                away, answered = 0.0, answers
                try:
                    threads = client.nthreads(callback_timeout=_PATIENCE)
                    self._tell_who(known, set(threads))
                    self._probe(set(threads) - known)
                    known, self._threads, answers = set(threads), sum(threads.values()), True
                except TimeoutError:
                    answers = False
                except Exception:  # whatever it is, the next look tells
                    pass
                if answers != answered and not self._over.is_set():
                    self.tell(f"{self.where}: the scheduler " + ("answers again" if answers else "does not answer"))
            else:
                away += EVERY
                if away >= _LOST or client.status == "closed":
                    self._give_up(self._scheduler_gone())
                    return
            if time.monotonic() - reported >= REPORT:
                reported = time.monotonic()
                rate = self._items / (reported - began)
                self.tell(
                    f"{self.where}: {_some(self._items, 'block')} done, {rate:.1f} a second, "
                    f"{_some(len(known), 'worker')}, {self._bytes / 1e6:.1f} MB on their way"
                )

    def _tell_who(self, before: set[str], now: set[str]) -> None:
        for one in sorted(before - now):
            self.lost += 1
            self.tell(f"{self.where}: the worker {one} is gone; what it had begun runs again elsewhere")
        for one in sorted(now - before):
            self.tell(f"{self.where}: the worker {one} has come")
        if before and not now:
            self.tell(f"{self.where}: no worker is left; waiting for new ones")

    def _give_up(self, error: ClusterError) -> list[Any]:
        """Nothing more will come; gives the tasks that nobody waits for any more."""
        with self._changed:
            self._gone = self._gone or error
            pending, self._pending = self._pending, {}
            self._changed.notify_all()
        for future in pending:
            future.set_exception(self._gone)
        return [there for there, _ in pending.values()]

    @contextmanager
    def _speaking(self) -> Iterator[None]:
        """Whatever goes wrong while something is asked or sent is the cluster's failure."""
        try:
            yield
        except TaroccoError:
            raise
        except Exception as error:
            if self.client.status == "running" and not isinstance(error, OSError):  # a client is the last to know
                raise
            raise self._scheduler_gone() from error

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Leave the cluster, whatever is running; local processes end: they hold nothing that is wanted."""
        self._over.set()
        pending = self._give_up(ClusterError(f"{self.where}: this cluster has been left"))
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
    """A logger and those below it, some of which have levels of their own."""
    for name in [one for one in logging.root.manager.loggerDict if f"{one}.".startswith(f"{logger}.")]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _some(number: int, what: str) -> str:
    return f"{number:,} {what}" + "s" * (number != 1)
