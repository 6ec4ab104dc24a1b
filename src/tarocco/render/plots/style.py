"""The style of every figure: colors, markers and fonts, and the text and position of labels.

The colors are the color-blind safe palette of Okabe and Ito (2008), Color Universal Design: how to make figures and
presentations that are friendly to colorblind people. Series do not use its yellow, which is too pale for lines on white
paper.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tarocco.render.tables import width

OKABE_ITO = {
    "black": "#000000",
    "orange": "#E69F00",
    "sky blue": "#56B4E9",
    "bluish green": "#009E73",
    "yellow": "#F0E442",
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "reddish purple": "#CC79A7",
}
MAIN = OKABE_ITO["blue"]
CONTRAST = OKABE_ITO["vermillion"]
_ORDER = ("blue", "vermillion", "bluish green", "reddish purple", "orange", "sky blue", "black")
COLORS = tuple(OKABE_ITO[name] for name in _ORDER)
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross")  # six with seven colors: 42 pairs
DASHES = ((1, 0), (6, 3), (2, 2))  # solid for the first seven series, then these

INK = "#222222"
FAINT_INK = "#666666"
GRID = "#E4E4E4"
AXIS = "#888888"

# vl-convert includes Liberation Sans, so text has the same width on every machine; Arial and Helvetica have the same
# widths.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
TEXT_SIZE = 11
TITLE_SIZE = 12
EVEN_CONTRAST = 0.179  # the luminance on which black and white have the same contrast: sqrt(1.05 * 0.05) - 0.05


@dataclass(frozen=True)
class Style:
    """The style of a series; the first 42 series have distinct pairs of color and shape."""

    color: str
    shape: str
    dash: tuple[int, int]


def style(i: int) -> Style:
    """Return the style of series i."""
    return Style(COLORS[i % len(COLORS)], SHAPES[i % len(SHAPES)], DASHES[i // len(COLORS) % len(DASHES)])


def config() -> dict[str, Any]:
    """Return the Vega-Lite configuration."""
    return {
        "background": "white",
        "padding": 8,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            "labelFontSize": TEXT_SIZE,
            "labelColor": INK,
            "labelPadding": 4,
            "titleFontSize": TITLE_SIZE,
            "titleFontWeight": "normal",
            "titleColor": INK,
            "titlePadding": 8,
            "gridColor": GRID,
            "domainColor": AXIS,
            "tickColor": AXIS,
            "tickSize": 4,
        },
        "legend": {
            "labelFontSize": TEXT_SIZE,
            "labelColor": INK,
            "titleFontSize": TEXT_SIZE,
            "titleFontWeight": "normal",
            "titleColor": INK,
            "symbolSize": 60,
        },
        "title": {
            "anchor": "start",
            "frame": "group",
            "fontSize": TITLE_SIZE,
            "fontWeight": "bold",
            "color": INK,
            "subtitleFontSize": TEXT_SIZE,
            "subtitleColor": FAINT_INK,
            "offset": 4,
        },
    }


def blend(ends: tuple[str, ...], share: float) -> str:
    """Return the color at `share` (0 to 1) of a color ramp, interpolated linearly in RGB as Vega does."""
    steps = len(ends) - 1
    i = min(int(share * steps), steps - 1)
    within = share * steps - i
    mixed = (round(a + (b - a) * within) for a, b in zip(_channels(ends[i]), _channels(ends[i + 1]), strict=True))
    return "#" + "".join(f"{channel:02X}" for channel in mixed)


def luminance(color: str) -> float:
    """Return the relative luminance of a color, from 0 to 1, as WCAG 2 defines it."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel / 255) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(color: str) -> str:
    """Return black or white, whichever has more contrast on a color."""
    return "#000000" if luminance(color) > EVEN_CONTRAST else "#FFFFFF"


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


# --- labels --------------------------------------------------------------------------------------------------------

MAX_COLUMNS = 36  # a Chinese character takes two
ELLIPSIS = "…"
REPLACEMENT = "?"  # as in `ls`; few fonts have U+FFFD


def sanitize(text: str) -> str:
    """Replace control characters, line separators and lone surrogates, which XML forbids or which break lines."""
    return "".join(REPLACEMENT if _is_unprintable(character) else character for character in text)


def _is_unprintable(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or ord(character) & 0xFFFE == 0xFFFE


def make_labels(names: Iterable[str], longest: int = MAX_COLUMNS) -> dict[str, str]:
    """Return a distinct label for each name. Long names are cut in the middle, as they often differ at the end."""
    taken: dict[str, str] = {}
    for name in dict.fromkeys(names):
        label, number = shorten(sanitize(name), longest), 1
        while label in taken.values():
            number += 1
            label = f"{shorten(sanitize(name), longest)} ({number})"
        taken[name] = label
    return taken


def shorten(text: str, longest: int = MAX_COLUMNS) -> str:
    """Cut a text to at most `longest` columns, with an ellipsis in the middle."""
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


def wrap_title(text: str, longest: int = 30, most: int = 4) -> list[str]:
    """Break a title into at most `most` lines of at most `longest` columns, before the parameters of metric names."""
    parts = [shorten(part, longest) for part in sanitize(text).replace(":", "\n:").split("\n")]
    broken = [parts[0]]
    for part in parts[1:]:
        if width(broken[-1] + part) <= longest:
            broken[-1] += part
        else:
            broken.append(part)
    return broken if len(broken) <= most else [*broken[: most - 1], ELLIPSIS]


CHARACTER = 0.56 * TEXT_SIZE  # slightly more than the average width in Liberation Sans
HEIGHT = 1.15 * TEXT_SIZE
RADIUS = 5.0  # of a point, with a margin
STEP = 3.0  # between sampled points of a line
OUTSIDE = 4.0  # the cost of a square pixel outside the frame, relative to one that covers something


@dataclass(frozen=True)
class LabelPosition:
    """The position of a label relative to its point: an offset in pixels and the alignment of the text."""

    dx: float
    dy: float
    align: str  # left, right or center


# In order of preference.
POSITIONS = (
    LabelPosition(7, 0, "left"),
    LabelPosition(-7, 0, "right"),
    LabelPosition(0, -12, "center"),
    LabelPosition(0, 12, "center"),
    LabelPosition(6, -9, "left"),
    LabelPosition(6, 9, "left"),
    LabelPosition(-6, -9, "right"),
    LabelPosition(-6, 9, "right"),
)

Point = tuple[float, float]
Box = tuple[float, float, float, float]  # left, top, right, bottom


def place_labels(
    points: Sequence[Point], texts: Sequence[str], frame: tuple[float, float], line: Sequence[Point] = ()
) -> list[LabelPosition]:
    """Choose the position of each point's label (in pixels) that covers the least of other marks and of the margin."""
    marks = [_square(point, RADIUS) for point in points]
    along = [_square(point, STEP / 2) for point in _steps(line)]
    chosen: list[LabelPosition] = []
    boxes: list[Box] = []
    for i, text in enumerate(texts):
        others = marks[:i] + marks[i + 1 :] + boxes + along
        candidates = [_box(points[i], position, text) for position in POSITIONS]
        costs = [sum(_overlap(box, other) for other in others) + OUTSIDE * _outside(box, frame) for box in candidates]
        best = costs.index(min(costs))
        chosen.append(POSITIONS[best])
        boxes.append(candidates[best])
    return chosen


def _square(point: Point, radius: float) -> Box:
    return point[0] - radius, point[1] - radius, point[0] + radius, point[1] + radius


def _steps(line: Sequence[Point]) -> list[Point]:
    """Return closely spaced points of a straight line."""
    if not line:
        return []
    (x, y), (to_x, to_y) = line
    count = 1 + int(max(abs(to_x - x), abs(to_y - y)) / STEP)
    return [(x + (to_x - x) * i / count, y + (to_y - y) * i / count) for i in range(count + 1)]


def _box(point: Point, position: LabelPosition, text: str) -> Box:
    wide = CHARACTER * width(text)
    left = point[0] + position.dx - {"left": 0.0, "right": wide, "center": wide / 2}[position.align]
    top = point[1] + position.dy - HEIGHT / 2
    return left, top, left + wide, top + HEIGHT


def _overlap(a: Box, b: Box) -> float:
    """Return the common area of two boxes."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return wide * high if wide > 0 and high > 0 else 0.0


def _outside(box: Box, frame: tuple[float, float]) -> float:
    """Return the area of a box outside the frame."""
    return (box[2] - box[0]) * (box[3] - box[1]) - _overlap(box, (0.0, 0.0, *frame))
