"""Numbers as words."""

import math

import pytest

from tarocco.render.tables import number_or_dash, percent


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [(1.25, ".3f", "1.250"), (None, ".3f", "-"), (math.nan, ".4g", "-"), (12345.6, ".0f", "12346")],
)
def test_a_number_or_a_dash(value, form, text):
    assert number_or_dash(value, form) == text


@pytest.mark.parametrize(
    ("share", "signed", "text"),
    [
        (0.125, False, "12.5%"),
        (0.125, True, "+12.5%"),
        (-0.5, True, "-50.0%"),
        (-1e-6, True, "0.0%"),
        (-0.0, False, "0.0%"),
    ],
)
def test_percent(share, signed, text):
    assert percent(share, 1, signed) == text


def test_a_share_of_nothing():
    assert percent(math.nan, 1, signed=True) == "-"
