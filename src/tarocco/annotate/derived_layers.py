"""The layers that follow from tags and dependencies: a constituency tree, chunks and roles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from tarocco.annotate.chunks import chunks_of
from tarocco.annotate.constituency import tree_of
from tarocco.annotate.dependencies import Dependencies
from tarocco.annotate.role_words import word_set
from tarocco.annotate.roles import frames_of
from tarocco.annotate.sentence import Sentence

NEEDED = frozenset(("tags", "heads", "relations"))
MADE = frozenset(("tree", "chunks", "frames"))
# Those of the treebank, of its later annotation guidelines, and of spaCy for white space.
PENN_TAGS = word_set(
    """
    CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ
    WDT WP WP$ WRB # $ . , : ( ) `` '' " -LRB- -RRB- -LSB- -RSB- -LCB- -RCB- ADD AFX GW HYPH NFP XX AUX AUXG _SP
    """
)


# What some people call the tags of brackets and quotation marks, and what the rules call them.
_OTHER_NAMES = {
    **dict.fromkeys(("(", "-LSB-", "-LCB-"), "-LRB-"),
    **dict.fromkeys((")", "-RSB-", "-RCB-"), "-RRB-"),
    '"': "''",
}
# Those of ClearNLP and of Universal Dependencies, without what stands behind a colon.
KNOWN_RELATIONS = word_set(
    """
    ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj csubj csubjpass dative dep
    det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass nummod oprd parataxis pcomp pobj poss preconj predet
    prep prt punct quantmod relcl xcomp
    root clf cop discourse dislocated fixed flat goeswith iobj list obj obl orphan reparandum vocative
    """
)


def completing(sentences: Sequence[Sentence]) -> Callable[[Sentence], Sentence]:
    """What completes sentences that anybody's parser made, judged by all of them; a few labels may be unknown.

    Tags that are not the Penn Treebank's are another language's, of which nothing is known here. Trees and roles are
    told from relations of ClearNLP or Universal Dependencies: from others one would make something that looks like a
    tree and is none.
    """
    if not _mostly(PENN_TAGS, chain.from_iterable(sentence.tags or () for sentence in sentences)):
        return lambda sentence: sentence
    relations = chain.from_iterable(sentence.relations or () for sentence in sentences)
    return partial(completed, by_relations=_mostly(KNOWN_RELATIONS, (one.partition(":")[0] for one in relations)))


def _mostly(known: frozenset[str], labels: Iterable[str]) -> bool:
    found = [label in known for label in labels]
    return bool(found) and 10 * sum(found) >= 9 * len(found)


def completed(sentence: Sentence, by_relations: bool = True) -> Sentence:
    """An English sentence with the layers that can be told from those it has; what it has stays as it is.

    Dependencies may follow ClearNLP's scheme or Universal Dependencies, tags are the Penn Treebank's. Without
    `by_relations` nothing is told from dependencies.
    """
    tags, heads, relations = sentence.tags, sentence.heads, sentence.relations
    if tags is None:
        return sentence
    if not _OTHER_NAMES.keys().isdisjoint(tags):
        tags = tuple([_OTHER_NAMES.get(tag, tag) for tag in tags])
    tree, chunks, frames = sentence.tree, sentence.chunks, sentence.frames
    if by_relations and heads is not None and relations is not None and (tree is None or frames is None):
        lemmas = sentence.words if sentence.lemmas is None else sentence.lemmas
        dependencies = Dependencies(sentence.words, lemmas, tags, heads, relations)
        if tree is None:
            tree = tree_of(dependencies)
        if frames is None:
            frames = frames_of(dependencies)
    if chunks is None and tree is not None:
        chunks = chunks_of(tree, tags)
    return replace(sentence, tree=tree, chunks=chunks, frames=frames)
