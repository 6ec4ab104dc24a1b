"""The overlap of bags of typed items, and numbers for keys, against counting with Counters and lists."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tarocco.kernels import bag_overlap, kernel, ngram_ids

overlaps = kernel(bag_overlap, "count_common_items")
number_keys = kernel(ngram_ids, "number_keys")
BAGS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=8)  # (type, item)
SEGMENTS = st.lists(st.tuples(st.lists(BAGS, max_size=3), st.lists(BAGS, min_size=1, max_size=3)), max_size=3)


def plain(segments):
    pair = 0
    for candidates, references in segments:
        for candidate in map(Counter, candidates):
            for reference in map(Counter, references):
                for kind in sorted({kind for kind, _ in candidate | reference}):
                    one, other = (
                        Counter({key: count for key, count in bag.items() if key[0] == kind})
                        for bag in (candidate, reference)
                    )
                    met = sum(count for key, count in one.items() if key in other)
                    yield [pair, kind, one.total(), other.total(), (one & other).total(), met]
                pair += 1


@given(SEGMENTS)
def test_cells(segments):
    sides = [[bag for segment in segments for bag in segment[side]] for side in (0, 1)]
    bags = [sorted(Counter(bag).items()) for side in sides for bag in side]
    keys = [kind * 10 + item for bag in bags for (kind, item), _ in bag]
    bounds = [[0, *np.cumsum([len(segment[side]) for segment in segments])] for side in (0, 1)]
    cells = np.empty((6 * sum(len(one) * len(other) for one, other in segments), 6), np.int32)
    found = overlaps(
        np.array(keys, np.int64),
        np.array(keys, np.int32) // 10,
        np.array([count for bag in bags for _, count in bag], np.int32),
        np.cumsum([0, *map(len, bags)], dtype=np.intp),
        np.arange(len(sides[0]), dtype=np.intp),
        np.array(bounds[0], np.intp),
        np.arange(len(sides[1]), dtype=np.intp) + len(sides[0]),
        np.array(bounds[1], np.intp),
        cells,
    )
    assert cells[:found].tolist() == list(plain(segments))


@given(st.lists(st.integers(0, 20), max_size=60))
def test_numbers(given):
    """Equal keys have equal numbers, which count up as new keys come."""
    keys = np.array([key << 40 for key in given], np.uint64)
    numbers = np.empty(len(keys), np.int64)
    number_keys(keys, np.empty(128, np.uint64), np.full(128, -1, np.int32), 64 - 7, numbers)
    order = list(dict.fromkeys(given))
    assert numbers.tolist() == [order.index(key) for key in given]
