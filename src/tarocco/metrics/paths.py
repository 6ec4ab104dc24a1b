"""What goes down a tree: chains and paths of each length, with gaps or without, and subtrees of each depth.

Each becomes one number, equal ones alike, by numbering pairs: a path is a shorter path and one more label.
"""

from __future__ import annotations

import numpy as np

from tarocco.metrics.layers import Ints, Nodes, paired, spread

_MOST = 1 << 27  # chains with gaps at a time: what fits into memory


def paths(nodes: Nodes, longest: int) -> list[tuple[Ints, Ints]]:
    """For each length 1 .. longest the last node of each path down the tree, and the path's number."""
    ends, ids = np.arange(len(nodes.labels)), nodes.labels
    found = [(ends, ids)]
    numbers = np.full(len(nodes.labels) + 1, -1, np.int64)  # of the path that ends at a node; the last place: no node
    for _ in range(1, longest):
        numbers[:] = -1
        numbers[ends] = ids
        shorter = numbers[nodes.parents]
        ends = np.flatnonzero(shorter >= 0)
        ids = paired(shorter[ends], nodes.labels[ends])
        found.append((ends, ids))
    return found


class TooMany(Exception):
    """More chains than fit into memory; `row` is the sentence that has most of them, `chains` how many it has."""

    def __init__(self, row: int, chains: int) -> None:
        super().__init__(row, chains)
        self.row, self.chains = row, chains


def gapped_paths(nodes: Nodes, ancestors: tuple[Ints, Ints], longest: int) -> list[tuple[Ints, Ints]]:
    """The same where nodes may be left out between two others; `ancestors` are nodes and those above them."""
    order = np.lexsort((ancestors[1], ancestors[0]))
    below, above = (one[order] for one in ancestors)
    proper = below != above
    below, above = below[proper], above[proper]
    ends, ids = np.arange(len(nodes.labels)), nodes.labels
    found = [(ends, ids)]
    for _ in range(1, longest):
        # The chains that end at a node are ids[firsts[node]:firsts[node] + counts[node]].
        counts = np.bincount(ends, minlength=len(nodes.labels))
        firsts = np.cumsum(counts) - counts
        ids = ids[np.argsort(ends, kind="stable")]
        if int(counts[above].sum()) > _MOST:
            of_rows = np.bincount(nodes.rows[above], counts[above])
            raise TooMany(int(of_rows.argmax()), int(of_rows.max()))
        pairs, within = spread(counts[above])
        ends = below[pairs]
        ids = paired(ids[firsts[above[pairs]] + within], nodes.labels[ends])
        found.append((ends, ids))
    return found


def subtrees(nodes: Nodes, deepest: int) -> list[tuple[Ints, Ints]]:
    """For each depth 1 .. deepest the top of each subtree of that depth, all that hangs there, and its number."""
    size = len(nodes.labels)
    children = np.flatnonzero(nodes.parents >= 0)
    children = children[np.lexsort((nodes.starts[children], nodes.parents[children]))]
    parents = nodes.parents[children]
    counts = np.bincount(parents, minlength=size)
    ranks = spread(counts)[1]
    by_rank = [np.flatnonzero(ranks == rank) for rank in range(int(counts.max(initial=0)))]
    ids, tops = nodes.labels, np.arange(size)
    found = [(tops, ids)]
    for _ in range(1, deepest):
        deep, above = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        deep[tops] = True
        above[parents[deep[children]]] = True  # above one that is deep enough
        tops = np.flatnonzero(above)
        state = nodes.labels.copy()
        for of_rank in by_rank:  # the label and the first child, that and the second ...
            places = parents[of_rank]
            state[places] = paired(state[places], ids[children[of_rank]])
        ids = paired(state, counts)
        found.append((tops, ids[tops]))
    return found
