"""Who looks on while texts are analyzed: nobody, unless a program says otherwise, as a command with its bar does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

Watching = Callable[[int], AbstractContextManager[Callable[[int], None]]]  # told of how many texts, then how many more


@contextmanager
def _nobody(_total: int) -> Iterator[Callable[[int], None]]:
    yield lambda _done: None


_watching: Watching = _nobody


def watch(watching: Watching | None) -> None:
    """Let somebody look on from now on, or nobody."""
    global _watching
    _watching = watching or _nobody


def watched(total: int) -> AbstractContextManager[Callable[[int], None]]:
    """What is told of texts that are analyzed."""
    return _watching(total)
