"""A progress bar on a terminal, on standard error, and nothing anywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from tarocco.present.visible import bare

PATIENCE = 0.5  # seconds; work that takes no longer shows no bar


@contextmanager
def progress(
    what: str, total: int | None, shown: bool = True, inside: str | None = None, title: str = ""
) -> Iterator[Callable[..., None]]:
    """Gives a function to call with how many more items are done; shows items, rate and time left.

    `total` is None where nobody knows how many items there are.

    Where items differ in size, `inside` is what they are made of: the function is called with how many of those were
    done, too, and the rate is theirs. Where several bars come one after the other, `title` says which it is.
    """
    if not (shown and sys.stderr is not None and sys.stderr.isatty()):
        yield lambda _done, _inside=0: None
        return
    bar = _Bar(what, total, inside, title)
    try:
        yield bar.advance
    finally:
        bar.stop()


class _Bar:
    """A bar that appears once the work has taken long enough to wonder about it; below others that are there."""

    display: ClassVar[Any] = None  # of all bars: a terminal can show one
    shown: ClassVar[int] = 0  # how many of them are in it

    def __init__(self, what: str, total: int | None, inside: str | None, title: str) -> None:
        self.what, self.total, self.done, self.title = what, total, 0, title
        self.inside, self.done_inside = inside, 0
        self.started = time.monotonic()
        self.task: Any = None

    def advance(self, done: int, inside: int = 0) -> None:
        self.done += done
        self.done_inside += inside
        elapsed = time.monotonic() - self.started
        if self.task is None and elapsed <= PATIENCE:
            return
        counted = self.done_inside if self.inside else self.done
        rate = f"{counted / max(elapsed, 1e-9):,.0f} {self.inside or self.what}/s"
        if self.task is None:
            self.start(rate)  # what is there is drawn at once, however busy the machine is
        else:
            _Bar.display.update(self.task, completed=self.done, rate=rate)

    def start(self, rate: str) -> None:
        if _Bar.display is None:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

            numbers = (MofNCompleteColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
            titled = (TextColumn("{task.fields[title]}"),) if self.title else ()
            console = Console(file=bare(sys.stderr))
            _Bar.display = Progress(*titled, BarColumn(), *numbers, console=console, transient=True)
            _Bar.display.start()
        _Bar.shown += 1
        self.task = _Bar.display.add_task(self.what, total=self.total, completed=self.done, rate=rate, title=self.title)

    def stop(self) -> None:
        if self.task is None:
            return
        _Bar.display.remove_task(self.task)
        _Bar.shown -= 1
        if not _Bar.shown:
            _Bar.display.stop()
            _Bar.display = None
