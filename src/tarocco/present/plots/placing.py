"""Where the labels of points go: beside them, and not on top of each other as far as there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tarocco.present.plots.look import TEXT_SIZE
from tarocco.present.tables import width

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
