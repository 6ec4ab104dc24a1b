"""Lattices and forests that Hypothesis makes up, and whether two of them are the same."""

import numpy as np
from hypothesis import strategies as st

from tarocco.core.graphs import ArcFeatures
from tarocco.io.graphs.builder import ForestBuilder, GraphLocation, LatticeBuilder

WEIGHTS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: x + 0.0)  # no -0
WORDS = st.sampled_from(["a", "b", "the", "cat", "x'y", '"', "\\", "é", "12", "a=b", "#", "||", "[X]", "l'", "\u200bz"])
PLACE = GraphLocation(0, "drawn", 1)


@st.composite
def lattices(draw, features=(), words=WORDS, most=6):
    """A lattice; `features` are the names that all its arcs have."""
    n = draw(st.integers(1, most))
    ends = {(draw(st.integers(0, node - 1)), node) for node in range(1, n)}
    ends |= {(node, draw(st.integers(node + 1, n - 1))) for node in range(n - 1)}
    more = draw(
        st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] < e[1]), max_size=4)
    )
    arcs = LatticeBuilder(PLACE)
    for source, target in [*sorted(ends), *more] if n > 1 else []:
        arcs.add(source, target, draw(st.one_of(st.just(""), words)), draw(WEIGHTS))
    if features:
        arcs.rows = [[(name, draw(WEIGHTS)) for name in features] for _ in arcs.sources]
    return arcs.lattice(0, {n - 1: 0.0})


@st.composite
def forests(draw, features=("LM", "a=b", "WT_x~y"), words=WORDS):
    """A forest whose edges have some of the features."""
    n = draw(st.integers(1, 5))
    edges = ForestBuilder(PLACE, n)
    unused = set(range(n - 1))
    for head in range(n):
        for number in range(draw(st.integers(1, 3))):
            tails = draw(st.lists(st.integers(0, head - 1), max_size=2)) if head else []
            if head == n - 1 and number == 0:
                tails = sorted(unused - set(tails)) + tails
            unused -= set(tails)
            items = draw(st.permutations([*range(-len(tails), 0), *draw(st.lists(words, max_size=2))]))
            row = [(name, draw(WEIGHTS)) for name in draw(st.lists(st.sampled_from(features), unique=True))]
            edges.add(head, tails, items, row)
    return edges.forest(n - 1)


def parts(graph):
    """All there is to a lattice or a forest but where it stands, as what can be compared."""
    found = {}
    for name, value in vars(graph).items():
        if isinstance(value, ArcFeatures):
            value = (value.names, *(a.tolist() for a in (value.starts, value.columns, value.values)))
        if name not in ("path", "line", "segment"):
            found[name] = (value.dtype, value.tolist()) if isinstance(value, np.ndarray) else value
    return found
