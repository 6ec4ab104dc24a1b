"""What the command line does to a terminal: standard streams that escape control characters, and progress bars."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TextIO, cast

from tarocco.render.terminal import bare, visible

LONGEST = 20_000  # characters of a message


def visible_message(message: object) -> str:
    """Return a message whose further lines are indented, so that none of them looks like another message."""
    text = str(message)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    return re.sub(r"\n(?!  )", "\n  ", visible(text))


class _Shield:
    """A stream that escapes control characters in what it writes."""

    def __init__(self, stream: TextIO) -> None:
        self.unshielded = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unshielded, name)

    def write(self, text: str) -> int:
        self.unshielded.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


@contextmanager
def shielded() -> Iterator[None]:
    """Shield standard error, and standard output if it is a terminal."""
    before = sys.stdout, sys.stderr
    if sys.stdout is not None and sys.stdout.isatty():
        sys.stdout = cast(TextIO, _Shield(sys.stdout))
    if sys.stderr is not None:
        sys.stderr = cast(TextIO, _Shield(sys.stderr))
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, _Shield):
                stream.flush()
        sys.stdout, sys.stderr = before


PATIENCE = 0.5  # seconds; shorter work shows no bar


@contextmanager
def progress(
    what: str, total: int | None, shown: bool = True, inside: str | None = None, title: str = ""
) -> Iterator[Callable[..., None]]:
    """Show items, rate and time left; yield a function to call with the number of items that were just finished.

    `total` is None if the number of items is unknown. If items differ in size, `inside` names their parts: the function
    takes their number as a second argument, and the rate is theirs. `title` distinguishes several bars.
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
    """A bar that appears below others once the work has taken some time."""

    display: ClassVar[Any] = None  # shared by all bars, because a terminal can show one display
    shown: ClassVar[int] = 0  # the number of bars in it

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
            self.start(rate)  # draws at once, however busy the machine is
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
