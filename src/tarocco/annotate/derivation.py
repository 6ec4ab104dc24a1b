"""Derive the constituency tree, chunks and semantic roles of English sentences from tags and dependencies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain

from tarocco.annotate.chunks import derive_chunks
from tarocco.annotate.constituency import derive_tree
from tarocco.annotate.dependencies import Dependencies
from tarocco.annotate.lexicon import word_set
from tarocco.annotate.roles import derive_frames
from tarocco.annotate.sentence import Sentence

REQUIRED_LAYERS = frozenset(("tags", "heads", "relations"))
DERIVED_LAYERS = frozenset(("tree", "chunks", "frames"))
# Of the treebank, of its later annotation guidelines, and spaCy's tag for white space.
PENN_TAGS = word_set(
    """
    CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ
    WDT WP WP$ WRB # $ . , : ( ) `` '' " -LRB- -RRB- -LSB- -RSB- -LCB- -RCB- ADD AFX GW HYPH NFP XX AUX AUXG _SP
    """
)
# Alternative tags of brackets and quotation marks, and those that the rules use.
_TAG_ALIASES = {
    **dict.fromkeys(("(", "-LSB-", "-LCB-"), "-LRB-"),
    **dict.fromkeys((")", "-RSB-", "-RCB-"), "-RRB-"),
    '"': "''",
}
# Of ClearNLP and of Universal Dependencies, without subtypes.
KNOWN_RELATIONS = word_set(
    """
    ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj csubj csubjpass dative dep
    det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass nummod oprd parataxis pcomp pobj poss preconj predet
    prep prt punct quantmod relcl xcomp
    root clf cop discourse dislocated fixed flat goeswith iobj list obj obl orphan reparandum vocative
    """
)


def choose_derivation(sentences: Sequence[Sentence]) -> Callable[[Sentence], Sentence]:
    """Return the function that derives the missing layers of sentences from an unknown parser.

    It derives nothing unless at least 90% of all tags are Penn Treebank tags, and no trees or roles unless as many
    relations are those of ClearNLP or Universal Dependencies: the rules would turn other relations into meaningless
    trees.
    """
    if not _mostly(PENN_TAGS, chain.from_iterable(sentence.tags or () for sentence in sentences)):
        return lambda sentence: sentence
    relations = chain.from_iterable(sentence.relations or () for sentence in sentences)
    known = _mostly(KNOWN_RELATIONS, (relation.partition(":")[0] for relation in relations))
    return partial(derive_layers, use_relations=known)


def _mostly(known: frozenset[str], labels: Iterable[str]) -> bool:
    is_known = [label in known for label in labels]
    return bool(is_known) and 10 * sum(is_known) >= 9 * len(is_known)


def derive_layers(sentence: Sentence, use_relations: bool = True) -> Sentence:
    """Return an English sentence with its missing tree, chunks and frames added; existing layers do not change.

    Tags are those of the Penn Treebank; dependencies follow ClearNLP or Universal Dependencies, and are ignored unless
    `use_relations`.
    """
    tags, heads, relations = sentence.tags, sentence.heads, sentence.relations
    if tags is None:
        return sentence
    if not _TAG_ALIASES.keys().isdisjoint(tags):
        tags = tuple([_TAG_ALIASES.get(tag, tag) for tag in tags])
    tree, chunks, frames = sentence.tree, sentence.chunks, sentence.frames
    if use_relations and heads is not None and relations is not None and (tree is None or frames is None):
        lemmas = sentence.words if sentence.lemmas is None else sentence.lemmas
        dependencies = Dependencies(sentence.words, lemmas, tags, heads, relations)
        if tree is None:
            tree = derive_tree(dependencies)
        if frames is None:
            frames = derive_frames(dependencies)
    if chunks is None and tree is not None:
        chunks = derive_chunks(tree, tags)
    return replace(sentence, tree=tree, chunks=chunks, frames=frames)
