"""The linguistic elements of sentences: the items of elements of each type, for each family of metrics."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from tarocco.metrics.linguistic.layers import (
    Ints,
    Layers,
    Nodes,
    Spans,
    TooManyChains,
    Trees,
    number_gapped_paths,
    number_labels,
    number_pairs,
    number_paths,
    number_strings,
    number_subtrees,
)

CLASSES = "NVJRPWF"  # of tags, by their first letter; F is punctuation
OUTSIDE = "O"


class Elements(NamedTuple):
    """Items of elements: the sentence, the type (an index in `names`), and the number of each item.

    `places` locates each item: the index of its word, entity or argument, or of the last node of a path.
    """

    rows: Ints
    types: Ints
    items: Ints
    names: list[str]
    places: Ints


def _group_words(layers: Layers, labels: Iterable[str], normalize: Callable[[str], str]) -> Elements:
    types, names = number_labels(labels, normalize)
    return Elements(layers.rows, types, layers.words, names, np.arange(len(layers.rows)))


def tag_class(tag: str) -> str:
    """Return the letter of a tag's class, or an empty string."""
    if not tag[:1].isalnum() or tag in ("HYPH", "NFP"):
        return "F"
    return tag[0].upper() if tag[0].upper() in CLASSES[:-1] else ""


def chunk_type(label: str) -> str:
    """Return NP for B-NP, and O for O."""
    return label.partition("-")[2].upper() or label.upper()


# --- words ---------------------------------------------------------------------------------------------------------


def tags(layers: Layers) -> Elements:
    """Words by part of speech."""
    return _group_words(layers, layers.flat("tags"), str.upper)


def tag_classes(layers: Layers) -> Elements:
    """Words by class of parts of speech."""
    return _group_words(layers, layers.flat("tags"), tag_class)


def chunks(layers: Layers) -> Elements:
    """Words by type of chunk, including O."""
    return _group_words(layers, layers.flat("chunks"), chunk_type)


def chunk_labels(layers: Layers) -> Elements:
    """Words by IOB label."""
    return _group_words(layers, layers.flat("chunks"), str.upper)


def categories(layers: Layers) -> Elements:
    """Words by grammatical category."""
    return _group_words(layers, layers.flat("universal"), str.upper)


def relations(layers: Layers) -> Elements:
    """Words by their relation and by those of all their ancestors."""
    types, names = number_labels(layers.flat("relations"), str.lower)
    words, above = layers.ancestors
    return Elements(layers.rows[words], types[above], layers.words[words], names, words)


def levels(layers: Layers) -> Elements:
    """Words by level of the dependency tree and by all higher levels: a word of level 3 counts at levels 1, 2 and 3."""
    words, _ = layers.ancestors
    # Pairs are ordered by distance and then by word; a pair at distance d puts the word on level d + 1.
    starts = np.flatnonzero(np.diff(words, prepend=len(layers.rows)) <= 0)
    sizes = np.diff(starts, append=len(words))
    types = np.repeat(np.arange(len(starts)), sizes)
    names = [str(level + 1) for level in range(len(starts))]
    return Elements(layers.rows[words], types, layers.words[words], names, words)


def tree_tags(layers: Layers) -> Elements:
    """Words by their tag in the constituency tree."""
    return _group_by_tree_tag(layers, lambda tag: tag)


def tree_tag_classes(layers: Layers) -> Elements:
    """Words by the class of their tag in the constituency tree."""
    return _group_by_tree_tag(layers, tag_class)


def _group_by_tree_tag(layers: Layers, normalize: Callable[[str], str]) -> Elements:
    trees = layers.once(Trees)
    tagged = np.flatnonzero(trees.tags >= 0)
    names = sorted(set(map(normalize, trees.names)))
    types = np.array([names.index(normalize(name)) for name in trees.names], np.int64)
    return Elements(layers.rows[tagged], types[trees.tags[tagged]], layers.words[tagged], names, tagged)


def phrases(layers: Layers) -> Elements:
    """Words by the types of the phrases that contain them, once per type."""
    trees = layers.once(Trees)
    words, types = trees.phrases()
    return Elements(layers.rows[words], types, layers.words[words], trees.names, words)


# --- spans ---------------------------------------------------------------------------------------------------------


def _number_spans(spans: Spans, words: Ints) -> Ints:
    """Return a number for the sequence of words of each span."""
    lengths = spans.ends - spans.starts
    state = np.zeros(len(lengths), np.int64)
    for offset in range(int(lengths.max(initial=0))):
        long = np.flatnonzero(lengths > offset)
        state[long] = number_pairs(state[long], words[spans.starts[long] + offset])
    return number_pairs(state, lengths)


def entity_words(layers: Layers) -> Elements:
    """Words by type of entity; words outside entities have type O."""
    spans, words = layers.entities.words()
    outside = np.ones(len(layers.rows), np.bool_)
    outside[words] = False
    outside_words = np.flatnonzero(outside)
    types, names = number_labels([*layers.entities.labels, OUTSIDE], str.upper)
    words = np.concatenate([words, outside_words])
    types = np.concatenate([types[spans], np.full(len(outside_words), types[-1])])
    return Elements(layers.rows[words], types, layers.words[words], names, words)


def entities(layers: Layers) -> Elements:
    """Entities by type."""
    types, names = number_labels(layers.entities.labels, str.upper)
    items = _number_spans(layers.entities, layers.words)
    return Elements(layers.entities.rows, types, items, names, np.arange(len(types)))


def role(label: str) -> str:
    """Return a role without the prefixes of continuation and reference: A1 for C-A1, A0 for R-A0."""
    label = label.upper()
    return label[2:] if label.startswith(("C-", "R-")) else label


def role_words(layers: Layers, of_verb: bool) -> Elements:
    """Words by role; with `of_verb`, pairs of a word and the lemma of the verb."""
    spans, lemmas = layers.arguments
    types, names = number_labels(spans.labels, role)
    owners, words = spans.words()
    items = layers.words[words]
    items = number_pairs(items, lemmas[owners]) if of_verb else items
    return Elements(spans.rows[owners], types[owners], items, names, words)


def arguments(layers: Layers, of_verb: bool) -> Elements:
    """Arguments by role."""
    spans, lemmas = layers.arguments
    types, names = number_labels(spans.labels, role)
    items = _number_spans(spans, layers.words)
    items = number_pairs(items, lemmas) if of_verb else items
    return Elements(spans.rows, types, items, names, np.arange(len(types)))


def roles(layers: Layers, of_verb: bool) -> Elements:
    """Roles without their words, all of one type without a name."""
    spans, lemmas = layers.arguments
    types, _ = number_labels(spans.labels, role)
    items = number_pairs(types, lemmas) if of_verb else types
    return Elements(spans.rows, np.zeros_like(types), items, [""], np.arange(len(types)))


# --- paths ---------------------------------------------------------------------------------------------------------


def _group_by_length(nodes: Nodes, paths: list[tuple[Ints, Ints]]) -> Elements:
    types = np.repeat(np.arange(len(paths)), [len(ids) for _, ids in paths])
    ends = np.concatenate([ends for ends, _ in paths])
    items = np.concatenate([ids for _, ids in paths])
    return Elements(nodes.rows[ends], types, items, [str(length + 1) for length in range(len(paths))], ends)


def chains(layers: Layers, kind: str, gapped: bool, longest: int) -> Elements:
    """Head-word chains of words, categories or relations by length."""
    if kind == "w":
        labels = layers.words
    else:
        labels, _ = number_strings(map(str.upper, layers.flat("universal" if kind == "c" else "relations")))
    nodes = Nodes(layers.rows, labels, layers.heads, np.arange(len(labels)))
    ancestors = layers.ancestors  # also detects cycles
    if not gapped:
        return _group_by_length(nodes, number_paths(nodes, longest))
    try:
        return _group_by_length(nodes, number_gapped_paths(nodes, ancestors, longest))
    except TooManyChains as error:
        reason = f"variant=gapped: too many chains to count, {error.n_chains} of one length in this sentence alone"
        raise layers.make_error(error.row, reason) from None


def subpaths(layers: Layers, whole: bool, longest: int) -> Elements:
    """Paths down the constituency tree by length, or whole subtrees by depth."""
    nodes = layers.once(Trees).nodes()
    return _group_by_length(nodes, number_subtrees(nodes, longest) if whole else number_paths(nodes, longest))
