"""Constituency trees of many sentences as arrays: phrases, tags and words."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from operator import attrgetter

import numpy as np

from tarocco.metrics.linguistic.layers import Ints, Layers, Nodes, named, paired, spread


def phrase(label: str) -> str:
    """A label without what it does in the sentence: NP-SBJ is NP, but -LRB- stays."""
    return label if label.startswith("-") else label.replace("=", "-").partition("-")[0].upper()


class Trees:
    """The trees of a batch. A word's tag is the tree's own node above the word alone, or else the tagger's."""

    def __init__(self, layers: Layers) -> None:
        self._layers = layers
        of_sentences = layers.layer("tree")
        nodes = list(chain.from_iterable(of_sentences))
        sizes = np.fromiter(map(len, of_sentences), np.int64, len(layers))
        self.rows = np.repeat(np.arange(len(layers)), sizes)
        parents, starts, ends = (
            np.fromiter(map(attrgetter(field), nodes), np.int64, len(nodes)) for field in ("parent", "start", "end")
        )
        self.parents = np.where(parents < 0, -1, parents + (np.cumsum(sizes) - sizes)[self.rows])
        self.starts, self.ends = starts + layers.firsts[self.rows], ends + layers.firsts[self.rows]
        # Tags and phrases share numbers: the tree's own tags are found by comparing them with the tagger's.
        tags = layers.flat("tags") if layers.has("tags") else [""] * len(layers.rows)
        ids, self.names = named(chain(map(attrgetter("label"), nodes), tags), phrase)
        self.labels, given = ids[: len(nodes)], ids[len(nodes) :]
        self._given = np.where(given == self.names.index(""), -1, given) if "" in self.names else given

    @cached_property
    def _below(self) -> tuple[Ints, Ints]:
        """Every node and every word below it."""
        nodes, within = spread(self.ends - self.starts)
        return nodes, self.starts[nodes] + within

    @cached_property
    def hooks(self) -> Ints:
        """The node that each word hangs from: the last one that covers it; -1 if there is none."""
        nodes, words = self._below
        hooks = np.full(len(self._layers.rows), -1, np.int64)
        hooks[words] = nodes  # where a word stands several times, the last node counts
        return hooks

    @cached_property
    def tag_nodes(self) -> Ints:
        """For each word the node that is its tag, or -1: one above it alone.

        Its label is the tagger's tag, if there is a tagger. A parser that has tags of its own may differ here and
        there: a tree in which every word has a node of its own, one of them at least with the tagger's tag, has tags.
        """
        hooks, rows = self.hooks, self._layers.rows
        alone = (hooks >= 0) & (self.ends[hooks] - self.starts[hooks] == 1) if len(self.labels) else hooks >= 0
        same = alone & ((self._given == np.append(self.labels, -1)[hooks]) | (self._given < 0))
        all_alone, some_same = np.ones(len(self._layers), np.bool_), np.zeros(len(self._layers), np.bool_)
        all_alone[rows[~alone]] = False
        some_same[rows[same]] = True
        return np.where(same | (all_alone & some_same)[rows], hooks, -1)

    @cached_property
    def tags(self) -> Ints:
        """A number for each word's tag; -1 where there is none."""
        return np.where(self.tag_nodes >= 0, np.append(self.labels, -1)[self.tag_nodes], self._given)

    def phrases(self) -> tuple[Ints, Ints]:
        """Each word and the label of each phrase it is in, once a label."""
        nodes, words = self._below
        is_tag = np.zeros(len(self.labels) + 1, np.bool_)
        is_tag[self.tag_nodes] = True  # the last place stands for none
        inside = ~is_tag[nodes]
        found = np.sort(words[inside] * len(self.names) + self.labels[nodes[inside]])
        found = found[np.diff(found, prepend=-1) > 0]
        return found // max(len(self.names), 1), found % max(len(self.names), 1)

    def nodes(self) -> Nodes:
        """Phrases, tags and words as nodes of one kind; words have other numbers than labels."""
        layers, size = self._layers, len(self.labels)
        hooks = self.hooks.copy()
        new = np.flatnonzero((self.tags >= 0) & (self.tag_nodes < 0))  # tags that the tree does not have
        above = hooks[new]
        hooks[new] = size + np.arange(len(new))
        return Nodes(
            np.concatenate([self.rows, layers.rows[new], layers.rows]),
            np.concatenate([self.labels, self.tags[new], len(self.names) + layers.words]),
            np.concatenate([self.parents, above, hooks]),
            np.concatenate([self.starts, new, np.arange(len(layers.rows))]),
        )


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
