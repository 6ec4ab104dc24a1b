"""Where the labels of points go: beside them, and not on top of each other as far as there is room."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tarocco.render.plots.style import TEXT_SIZE
from tarocco.render.tables import width

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


CHARACTER = 0.56 * TEXT_SIZE  # how wide a character of Liberation Sans is on average, and a little more
HEIGHT = 1.15 * TEXT_SIZE
RADIUS = 5.0  # of a point, with some air
STEP = 3.0  # from one piece of the line to the next
OUTSIDE = 4.0  # a square pixel outside the frame is as bad as so many on top of something


@dataclass(frozen=True)
class Place:
    """Where a label stands, seen from its point: how far away (in pixels), and which end of it is there."""

    dx: float
    dy: float
    align: str  # left, right or center


# In order of preference.
PLACES = (
    Place(7, 0, "left"),
    Place(-7, 0, "right"),
    Place(0, -12, "center"),
    Place(0, 12, "center"),
    Place(6, -9, "left"),
    Place(6, 9, "left"),
    Place(-6, -9, "right"),
    Place(-6, 9, "right"),
)

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom


def place_labels(
    points: Sequence[Point], texts: Sequence[str], frame: tuple[float, float], line: Sequence[Point] = ()
) -> list[Place]:
    """A place for the label of each point (in pixels): the one that covers least of other things and of the outside."""
    marks = [_around(point, RADIUS) for point in points]
    along = [_around(point, STEP / 2) for point in _steps(line)]
    chosen: list[Place] = []
    boxes: list[Box] = []
    for i, text in enumerate(texts):
        others = marks[:i] + marks[i + 1 :] + boxes + along
        candidates = [_box(points[i], place, text) for place in PLACES]
        costs = [sum(_shared(box, other) for other in others) + OUTSIDE * _outside(box, frame) for box in candidates]
        best = costs.index(min(costs))
        chosen.append(PLACES[best])
        boxes.append(candidates[best])
    return chosen


def _around(point: Point, radius: float) -> Box:
    return point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius


def _steps(line: Sequence[Point]) -> list[Point]:
    """Points along a straight line, close to each other."""
    if not line:
        return []
    (x, y), (to_x, to_y) = line
    count = 1 + int(max(abs(to_x - x), abs(to_y - y)) / STEP)
    return [(x + (to_x - x) * i / count, y + (to_y - y) * i / count) for i in range(count + 1)]


def _box(point: Point, place: Place, text: str) -> Box:
    wide = CHARACTER * width(text)
    left = point[0] + place.dx - {"left": 0.0, "right": wide, "center": wide / 2}[place.align]
    top = point[1] + place.dy - HEIGHT / 2
    return left, top, left + wide, top + HEIGHT


def _shared(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: Box, frame: tuple[float, float]) -> float:
    """How much of a box is outside the frame."""
    return (box[2] - box[0]) * (box[3] - box[1]) - _shared(box, (0.0, 0.0, *frame))
