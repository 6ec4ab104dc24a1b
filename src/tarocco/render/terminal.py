"""Text that cannot control a terminal."""

from __future__ import annotations

import re
from typing import TextIO

_TURNING = "\u202a-\u202e\u2066-\u2069"
_ACTING = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_TURNING}]")
_ACTING_IN_A_LINE = re.compile(f"[\x00-\x1f\x7f-\x9f{_TURNING}]")


def visible(text: str) -> str:
    """Return text of any number of lines, with escapes for control characters."""
    return _ACTING.sub(_escaped, text)


def visible_line(text: str) -> str:
    """Return text on one line: newlines and tabs are escaped too."""
    return _ACTING_IN_A_LINE.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def bare(stream: TextIO) -> TextIO:
    """Return the stream that a shield of cli/terminal.py wraps, for code that writes colors and escapes text itself."""
    wrapped: TextIO | None = getattr(stream, "unshielded", None)
    return stream if wrapped is None else bare(wrapped)
