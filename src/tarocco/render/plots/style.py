"""The look of every figure: colors that color-blind readers can tell apart, shapes and dashes beside them, plain type.

Colors are those of Okabe and Ito (2008), Color Universal Design: how to make figures and presentations that are
friendly to colorblind people. Their yellow is too pale for lines on white paper and is left out of the series.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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

# vl-convert brings Liberation Sans along, so layouts are measured with the same widths on every machine; Arial and
# Helvetica have those widths, too.
FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
TEXT_SIZE = 11
TITLE_SIZE = 12
EVEN_CONTRAST = 0.179  # the luminance on which black and white have the same contrast: sqrt(1.05 * 0.05) - 0.05


@dataclass(frozen=True)
class Style:
    """How one series is drawn; of the first 42, no two have the same color and shape."""

    color: str
    shape: str
    dash: tuple[int, int]


def style(i: int) -> Style:
    """The style of series i."""
    return Style(COLORS[i % len(COLORS)], SHAPES[i % len(SHAPES)], DASHES[i // len(COLORS) % len(DASHES)])


def config() -> dict[str, Any]:
    """Vega-Lite's settings that make this look."""
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
    """The color at `share` (0 to 1) of the way along these colors, as Vega interpolates them (linear in RGB)."""
    steps = len(ends) - 1
    i = min(int(share * steps), steps - 1)
    within = share * steps - i
    mixed = (round(a + (b - a) * within) for a, b in zip(_channels(ends[i]), _channels(ends[i + 1]), strict=True))
    return "#" + "".join(f"{channel:02X}" for channel in mixed)


def luminance(color: str) -> float:
    """How bright a color is, 0 to 1: relative luminance as WCAG 2 defines it."""

    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(channel / 255) for channel in _channels(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ink_on(color: str) -> str:
    """Black or white, whichever has more contrast on a color."""
    return "#000000" if luminance(color) > EVEN_CONTRAST else "#FFFFFF"


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
