"""Text of unknown origin before a person's eyes: it cannot color, clear or rewrite a terminal.

Characters that a terminal acts upon are shown as escapes such as \\u001b, which JSON reads back: the controls of ASCII
and Latin-1 but for newlines and tabs, and those that turn the direction of writing around.

What commands write is made so in one place: `shielded` stands before standard error, and before standard output where
that is a terminal. Tables for people have such cells anywhere; what programs read from a pipe or a file is left alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

LONGEST = 20_000  # characters of a message

_TURNING = "\u202a-\u202e\u2066-\u2069"
_ACTING = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TURNING}]")
_ACTING_IN_A_LINE = re.compile(f"[\x00-\x1f\x7f-\x9f{_TURNING}]")


def visible(text: str) -> str:
    """Text of any number of lines."""
    return _ACTING.sub(_escaped, text)


def visible_line(text: str) -> str:
    """Text that stays on its line: newlines and tabs are escapes, too."""
    return _ACTING_IN_A_LINE.sub(_escaped, text)


def visible_message(message: object) -> str:
    """A message, whose further lines are indented, so that none of them looks like another message."""
    text = str(message)
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]} ... {text[-LONGEST // 2 :]}"
    return re.sub(r"\n(?!  )", "\n  ", visible(text))


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


class _Shield:
    """A stream that writes visible text alone, and is in everything else the stream itself."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        self.stream.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)


def bare(stream: TextIO) -> TextIO:
    """The stream behind a shield, for whoever writes colors and sees to the text."""
    return bare(stream.stream) if isinstance(stream, _Shield) else stream


@contextmanager
def shielded() -> Iterator[None]:
    """Standard error, and standard output where it is a terminal, behind shields."""
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
