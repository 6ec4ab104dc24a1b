"""The layers that follow from tags and dependencies: a constituency tree, chunks and roles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain

from tarocco.annotate.chunks import chunks_of
from tarocco.annotate.constituency import tree_of
from tarocco.annotate.dependencies import Dependencies
from tarocco.annotate.roles import frames_of
from tarocco.annotate.sentence import Sentence
from tarocco.annotate.word_sets import word_set

NEEDED = frozenset(("tags", "heads", "relations"))
MADE = frozenset(("tree", "chunks", "frames"))
# Those of the treebank, of its later annotation guidelines, and of spaCy for white space.
PENN_TAGS = word_set(
    """
    CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ
    WDT WP WP$ WRB # $ . , : ( ) `` '' " -LRB- -RRB- -LSB- -RSB- -LCB- -RCB- ADD AFX GW HYPH NFP XX AUX AUXG _SP
    """
)


def has_penn_tags(sentences: Iterable[Sentence]) -> bool:
    """Whether tags are the Penn Treebank's, so that what is known of English applies; a few may be others."""
    tags = list(chain.from_iterable(sentence.tags or () for sentence in sentences))
    return bool(tags) and 10 * sum(tag in PENN_TAGS for tag in tags) >= 9 * len(tags)


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
