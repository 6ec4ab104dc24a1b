"""Which candidates of a list are the same text, or a reference's: against Python's own comparison."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.test_set import Segments
from tarocco.kernels import duplicates, kernel

TEXTS = st.text(alphabet="ab é", max_size=4)
LISTS = st.lists(st.tuples(st.lists(TEXTS, max_size=8), st.lists(TEXTS, max_size=3)), min_size=1, max_size=4)


def bounds(lists):
    return np.cumsum([0, *map(len, lists)], dtype=np.intp)


@given(LISTS)
def test_first_of_the_same_text(lists):
    candidates, references = [own for own, _ in lists], [own for _, own in lists]
    column = Segments.from_strings([text for own in candidates for text in own])
    others = Segments.from_strings([text for own in references for text in own])
    n, size = len(column), 16
    firsts, copies = np.full(n, -1, np.intp), np.full(n, 7, np.uint8)
    kernel(duplicates, "find_duplicates")(
        *(column.text, column.starts, bounds(candidates), others.text, others.starts, bounds(references)),
        *(np.empty(size, np.uint64), np.empty(size, np.intp), firsts, copies),
    )
    expected = [
        start + own.index(text) for own, start in zip(candidates, bounds(candidates), strict=False) for text in own
    ]
    assert firsts.tolist() == expected
    assert copies.tolist() == [text in there for own, there in lists for text in own]
