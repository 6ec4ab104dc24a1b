"""Which line is on top, against a look at every place where that can change."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from textbook import line_search

from tarocco.kernels import kernel, upper_envelope

# Whole numbers of a few sizes make many ties: lines that are parallel, equal, or cross where others do.
LISTS = st.lists(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=7), min_size=1, max_size=4
)


def upper(lists):
    """For each list (line, where it begins to be on top)."""
    heights, slopes = (np.array([line[i] for lines in lists for line in lines], np.float64) for i in (0, 1))
    bounds = np.cumsum([0, *map(len, lists)]).astype(np.intp)
    kept, starts, firsts = np.empty(len(heights), np.intp), np.empty(len(heights)), np.empty(len(bounds), np.intp)
    kernel(upper_envelope, "find_upper_envelopes")(heights, slopes, bounds, -np.inf, np.inf, kept, starts, firsts)
    return [
        list(zip((kept[a:b] - first).tolist(), starts[a:b].tolist(), strict=True))
        for a, b, first in zip(firsts[:-1], firsts[1:], bounds[:-1], strict=True)
    ]


@given(LISTS)
def test_every_line_is_on_top_where_it_is_said_to_be(lists):
    found = upper(lists)
    for place in line_search.between(line_search.crossings(lists)):
        on_top = [[line for line, start in own if start <= place][-1] for own in found]
        assert on_top == line_search.chosen(lists, place)
    for lines, own in zip(lists, found, strict=True):
        crossings = {float(place) for place in line_search.crossings([lines])}
        starts = [start for _, start in own]
        assert starts[0] == -np.inf
        assert set(starts[1:]) <= crossings
        assert starts == sorted(set(starts))
        slopes = [lines[line][1] for line, _ in own]
        assert slopes == sorted(set(slopes))


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=12))
def test_places_never_lead_back(lines):
    starts = [start for _, start in upper([lines])[0]]
    assert starts == sorted(starts)


def test_a_line_that_wins_nowhere_is_not_kept():
    assert upper([[(0, 0), (-1, 0), (0, 1), (-5, 0.5)]]) == [[(0, -np.inf), (2, float(Fraction(0)))]]
