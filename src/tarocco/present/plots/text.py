"""Words from data, made fit for labels: nothing that breaks a file, nothing that breaks the layout."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from tarocco.present.tables import width

LONGEST = 36  # columns, of which a Chinese character takes two
ELLIPSIS = "…"
REPLACEMENT = "?"  # as `ls` has it; the character made for it is in few fonts


def readable(text: str) -> str:
    """The text with what cannot stand in XML, or would break a line, replaced: controls, halves of surrogate pairs."""
    return "".join(REPLACEMENT if _unfit(character) else character for character in text)


def _unfit(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or ord(character) & 0xFFFE == 0xFFFE


def labels(names: Iterable[str], longest: int = LONGEST) -> dict[str, str]:
    """A label for each name, no two alike. Long names lose their middle: what tells them apart is often at the end."""
    taken: dict[str, str] = {}
    for name in dict.fromkeys(names):
        label, again = shortened(readable(name), longest), 1
        while label in taken.values():
            again += 1
            label = f"{shortened(readable(name), longest)} ({again})"
        taken[name] = label
    return taken


def shortened(text: str, longest: int = LONGEST) -> str:
    """At most so many columns, an ellipsis in the middle of what is longer."""
    if width(text) <= longest:
        return text
    head, tail = "", ""
    for first, last in zip(text, reversed(text), strict=True):
        if width(head + first + ELLIPSIS + tail) > longest:
            break
        head += first
        if width(head + ELLIPSIS + last + tail) > longest:
            break
        tail = last + tail
    return head + ELLIPSIS + tail


def lines(text: str, longest: int = 30, most: int = 4) -> list[str]:
    """A title in lines of at most so many columns, broken before colons, behind which names have their parameters."""
    parts = [shortened(part, longest) for part in readable(text).replace(":", "\n:").split("\n")]
    broken = [parts[0]]
    for part in parts[1:]:
        if width(broken[-1] + part) <= longest:
            broken[-1] += part
        else:
            broken.append(part)
    return broken if len(broken) <= most else [*broken[: most - 1], ELLIPSIS]
