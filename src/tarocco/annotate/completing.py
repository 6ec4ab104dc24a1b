"""The layers that follow from tags and dependencies: a constituency tree, chunks and roles."""

from __future__ import annotations

from dataclasses import replace

from tarocco.annotate.chunks import chunks_of
from tarocco.annotate.constituency import tree_of
from tarocco.annotate.dependencies import Dependencies
from tarocco.annotate.roles import frames_of
from tarocco.annotate.sentence import Sentence

NEEDED = frozenset(("tags", "heads", "relations"))
MADE = frozenset(("tree", "chunks", "frames"))


def completed(sentence: Sentence) -> Sentence:
    """An English sentence with the layers that can be told from those it has; what it has stays as it is.

    Dependencies may follow ClearNLP's scheme or Universal Dependencies, tags are the Penn Treebank's.
    """
    tags, heads, relations = sentence.tags, sentence.heads, sentence.relations
    if tags is None:
        return sentence
    tree, chunks, frames = sentence.tree, sentence.chunks, sentence.frames
    if heads is not None and relations is not None and (tree is None or frames is None):
        lemmas = sentence.words if sentence.lemmas is None else sentence.lemmas
        dependencies = Dependencies(sentence.words, lemmas, tags, heads, relations)
        if tree is None:
            tree = tree_of(dependencies)
        if frames is None:
            frames = frames_of(dependencies)
    if chunks is None and tree is not None:
        chunks = chunks_of(tree, tags)
    return replace(sentence, tree=tree, chunks=chunks, frames=frames)
