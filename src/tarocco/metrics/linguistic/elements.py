"""The linguistic elements of sentences: which items stand in elements of which type, for each family of metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from tarocco.metrics.linguistic.layers import Ints, Layers, Nodes, Spans, named, numbered, paired
from tarocco.metrics.linguistic.trees import TooMany, Trees, gapped_paths, paths, subtrees

CLASSES = "NVJRPWF"  # of tags: those that begin with the letter; F: those of punctuation
OUTSIDE = "O"


class Elements(NamedTuple):
    """Items: the sentence of each, the type of the element it is in, and a number; types are places in `names`.

    `places` is where each item is found: its word among all words, its entity or argument among all of them, or, for
    paths, the last node.
    """

    rows: Ints
    types: Ints
    items: Ints
    names: list[str]
    places: Ints


def _words_by(layers: Layers, labels: Iterable[str], spelled: Callable[[str], str]) -> Elements:
    types, names = named(labels, spelled)
    return Elements(layers.rows, types, layers.words, names, np.arange(len(layers.rows)))


def tag_class(tag: str) -> str:
    """The letter of a tag's class, or nothing."""
    if not tag[:1].isalnum() or tag in ("HYPH", "NFP"):
        return "F"
    return tag[0].upper() if tag[0].upper() in CLASSES[:-1] else ""


def chunk_type(label: str) -> str:
    """B-NP is NP; O is O."""
    return label.partition("-")[2].upper() or label.upper()


# --- words ---------------------------------------------------------------------------------------------------------


def tags(layers: Layers) -> Elements:
    """Words by part of speech."""
    return _words_by(layers, layers.flat("tags"), str.upper)


def tag_classes(layers: Layers) -> Elements:
    """Words by class of parts of speech."""
    return _words_by(layers, layers.flat("tags"), tag_class)


def chunks(layers: Layers) -> Elements:
    """Words by type of chunk, O being one."""
    return _words_by(layers, layers.flat("chunks"), chunk_type)


def chunk_labels(layers: Layers) -> Elements:
    """Words by IOB label."""
    return _words_by(layers, layers.flat("chunks"), str.upper)


def categories(layers: Layers) -> Elements:
    """Words by grammatical category."""
    return _words_by(layers, layers.flat("universal"), str.upper)


def relations(layers: Layers) -> Elements:
    """Words by the relation of each word that they hang from, directly or not, and by their own."""
    types, names = named(layers.flat("relations"), str.lower)
    words, above = layers.ancestors
    return Elements(layers.rows[words], types[above], layers.words[words], names, words)


def levels(layers: Layers) -> Elements:
    """Words by level of the dependency tree: a word of level 3 also hangs at levels 1 and 2 or deeper."""
    words, _ = layers.ancestors
    # Distances come one after the other, and the words of a distance are in order: the distance is the level less one.
    starts = np.flatnonzero(np.diff(words, prepend=len(layers.rows)) <= 0)
    sizes = np.diff(starts, append=len(words))
    types = np.repeat(np.arange(len(starts)), sizes)
    names = [str(level + 1) for level in range(len(starts))]
    return Elements(layers.rows[words], types, layers.words[words], names, words)


def tree_tags(layers: Layers) -> Elements:
    """Words by the tag that the constituency tree has above them."""
    return _of_tree(layers, lambda tag: tag)


def tree_tag_classes(layers: Layers) -> Elements:
    """Words by the class of that tag."""
    return _of_tree(layers, tag_class)


def _of_tree(layers: Layers, spelled: Callable[[str], str]) -> Elements:
    trees = layers.once(Trees)
    tagged = np.flatnonzero(trees.tags >= 0)
    names = sorted(set(map(spelled, trees.names)))
    types = np.array([names.index(spelled(name)) for name in trees.names], np.int64)
    return Elements(layers.rows[tagged], types[trees.tags[tagged]], layers.words[tagged], names, tagged)


def phrases(layers: Layers) -> Elements:
    """Words by type of phrase, once for each type that is above them."""
    trees = layers.once(Trees)
    words, types = trees.phrases()
    return Elements(layers.rows[words], types, layers.words[words], trees.names, words)


# --- spans ---------------------------------------------------------------------------------------------------------


def _sequences(spans: Spans, words: Ints) -> Ints:
    """A number for the words of each span, in their order."""
    lengths = spans.ends - spans.starts
    state = np.zeros(len(lengths), np.int64)
    for place in range(int(lengths.max(initial=0))):
        long = np.flatnonzero(lengths > place)
        state[long] = paired(state[long], words[spans.starts[long] + place])
    return paired(state, lengths)


def entity_words(layers: Layers) -> Elements:
    """Words by type of entity; those outside are of type O."""
    spans, words = layers.entities.words()
    outside = np.ones(len(layers.rows), np.bool_)
    outside[words] = False
    others = np.flatnonzero(outside)
    types, names = named([*layers.entities.labels, OUTSIDE], str.upper)
    words = np.concatenate([words, others])
    of_others = np.full(len(others), types[-1])
    return Elements(layers.rows[words], np.concatenate([types[spans], of_others]), layers.words[words], names, words)


def entities(layers: Layers) -> Elements:
    """Entities by type."""
    types, names = named(layers.entities.labels, str.upper)
    items = _sequences(layers.entities, layers.words)
    return Elements(layers.entities.rows, types, items, names, np.arange(len(types)))


def role(label: str) -> str:
    """A role without what says that an argument goes on or is referred to: C-A1 is A1, R-A0 is A0."""
    label = label.upper()
    return label[2:] if label.startswith(("C-", "R-")) else label


def role_words(layers: Layers, of_verb: bool) -> Elements:
    """Words by role; with `of_verb` the item is a word and the verb's lemma."""
    spans, lemmas = layers.arguments
    types, names = named(spans.labels, role)
    of_words, words = spans.words()
    items = layers.words[words]
    items = paired(items, lemmas[of_words]) if of_verb else items
    return Elements(spans.rows[of_words], types[of_words], items, names, words)


def arguments(layers: Layers, of_verb: bool) -> Elements:
    """Arguments by role."""
    spans, lemmas = layers.arguments
    types, names = named(spans.labels, role)
    items = _sequences(spans, layers.words)
    items = paired(items, lemmas) if of_verb else items
    return Elements(spans.rows, types, items, names, np.arange(len(types)))


def roles(layers: Layers, of_verb: bool) -> Elements:
    """Roles, whatever words play them: all of one type, which has no name."""
    spans, lemmas = layers.arguments
    types, _ = named(spans.labels, role)
    items = paired(types, lemmas) if of_verb else types
    return Elements(spans.rows, np.zeros_like(types), items, [""], np.arange(len(types)))


# --- paths ---------------------------------------------------------------------------------------------------------


def _by_length(nodes: Nodes, found: list[tuple[Ints, Ints]]) -> Elements:
    types = np.repeat(np.arange(len(found)), [len(ids) for _, ids in found])
    ends = np.concatenate([ends for ends, _ in found])
    items = np.concatenate([ids for _, ids in found])
    return Elements(nodes.rows[ends], types, items, [str(length + 1) for length in range(len(found))], ends)


def chains(layers: Layers, kind: str, gapped: bool, longest: int) -> Elements:
    """Head-word chains of words, categories or relations by length."""
    if kind == "w":
        labels = layers.words
    else:
        labels, _ = numbered(map(str.upper, layers.flat("universal" if kind == "c" else "relations")))
    nodes = Nodes(layers.rows, labels, layers.heads, np.arange(len(labels)))
    ancestors = layers.ancestors  # also finds heads that go in a circle
    if not gapped:
        return _by_length(nodes, paths(nodes, longest))
    try:
        return _by_length(nodes, gapped_paths(nodes, ancestors, longest))
    except TooMany as error:
        said = f"variant=gapped finds too many chains to count, in this sentence alone {error.chains} of one length"
        raise layers.refused(error.row, said) from None


def subpaths(layers: Layers, whole: bool, longest: int) -> Elements:
    """Paths down the constituency tree by length, or whole subtrees by depth."""
    nodes = layers.once(Trees).nodes()
    return _by_length(nodes, subtrees(nodes, longest) if whole else paths(nodes, longest))
