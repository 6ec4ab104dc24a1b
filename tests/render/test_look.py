"""Colors and shapes: series can be told apart, by people who see few colors, too."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from tarocco.render.plots import style as look

# Machado, Oliveira and Fernandes (2009), A physiologically-based model for simulation of color vision deficiency,
# severity 1.0, for linear RGB.
SIGHT = {
    "ordinary": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def seen(color, sight):
    """A color as that sight has it, in CIELAB (D65)."""
    channels = np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    linear = np.clip(SIGHT[sight] @ linear, 0, 1)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(to_xyz @ linear / [0.9505, 1, 1.089], 1e-6))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(a, b, sight):
    return float(np.linalg.norm(seen(a, sight) - seen(b, sight)))


@pytest.mark.parametrize("sight", SIGHT)
def test_colors_can_be_told_apart(sight):
    assert min(distance(a, b, sight) for a, b in combinations(look.COLORS, 2)) > 15
    assert min(distance(color, "#FFFFFF", sight) for color in look.COLORS) > 25
    # The measure does find what color-blind readers confuse, such as this red and this olive.
    assert (distance("#A02800", "#645000", sight) > 15) == (sight == "ordinary")


def test_styles_differ_where_colors_repeat():
    styles = [look.style(i) for i in range(42)]
    assert len({(style.color, style.shape) for style in styles}) == 42
    assert styles[0].dash != styles[7].dash


def test_numbers_can_be_read_on_every_color_of_a_heat_map():
    for ramp in (("#FFFFFF", look.MAIN), (look.CONTRAST, "#FFFFFF", look.MAIN)):
        colors = [look.blend(ramp, i / 100) for i in range(101)]
        bright = [look.luminance(color) for color in colors]
        for color, luminance in zip(colors, bright, strict=True):
            low, high = sorted((luminance, look.luminance(look.ink_on(color))))
            assert (high + 0.05) / (low + 0.05) > 4.5  # WCAG 2's minimum for text
        assert all(a > b for a, b in pairwise(bright[-50:]))  # the ends are the darkest
