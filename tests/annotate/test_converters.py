"""Trees, chunks and roles from dependencies: what they are of some sentences, and what holds for any."""

import pytest
from annotate.sentences import heads_of
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import trees as textbook

from tarocco.annotate.chunks import derive_chunks
from tarocco.annotate.dependencies import Dependencies
from tarocco.annotate.derivation import derive_layers
from tarocco.annotate.formats import write_trees
from tarocco.annotate.roles import derive_frames
from tarocco.annotate.sentence import Sentence

# word/lemma/tag, then head (from 1) and relation in ClearNLP's scheme and in Universal Dependencies.
SENTENCES = {
    "prepositions": """
        The/the/DT      2 det    2 det
        captain/captain/NN 4 nsubj 4 nsubj
        never/never/RB  4 neg    4 advmod
        sailed/sail/VBD 0 ROOT   0 root
        to/to/IN        4 prep   8 case
        the/the/DT      8 det    8 det
        cold/cold/JJ    8 amod   8 amod
        islands/island/NNS 5 pobj 4 obl
        in/in/IN        4 prep   10 case
        May/May/NNP     9 pobj   4 obl
        ././.           4 punct  4 punct""",
    "copula": """
        He/he/PRP       2 nsubj  3 nsubj
        was/be/VBD      0 ROOT   3 cop
        sure/sure/JJ    2 acomp  0 root
        that/that/IN    6 mark   6 mark
        they/they/PRP   6 nsubj  6 nsubj
        knew/know/VBD   3 ccomp  3 ccomp
        it/it/PRP       6 dobj   6 obj
        ././.           2 punct  3 punct""",
    "verbs": """
        She/she/PRP     3 nsubj  3 nsubj
        will/will/MD    3 aux    3 aux
        want/want/VB    0 ROOT   0 root
        to/to/TO        5 aux    5 mark
        read/read/VB    3 xcomp  3 xcomp
        and/and/CC      5 cc     7 cc
        write/write/VB  5 conj   5 conj
        letters/letter/NNS 7 dobj 7 obj
        ././.           3 punct  3 punct""",
    "relative": """
        The/the/DT      2 det    2 det
        woman/woman/NN  6 nsubjpass 6 nsubj:pass
        who/who/WP      4 nsubj  4 nsubj
        called/call/VBD 2 relcl  2 acl:relcl
        was/be/VBD      6 auxpass 6 aux:pass
        seen/see/VBN    0 ROOT   0 root
        by/by/IN        6 agent  8 case
        us/we/PRP       7 pobj   6 obl:agent""",
    "nouns": """
        John/John/NNP   3 poss   3 nmod:poss
        's/'s/POS       1 case   1 case
        cats/cat/NNS    6 nsubj  6 nsubj
        and/and/CC      3 cc     5 cc
        dogs/dog/NNS    3 conj   3 conj
        ate/eat/VBD     0 ROOT   0 root
        very/very/RB    8 advmod 8 advmod
        good/good/JJ    9 amod   9 amod
        food/food/NN    6 dobj   6 obj""",
}
TREES = {
    "prepositions": "(S (NP (DT The) (NN captain)) (RB never) (VP (VBD sailed) (PP (IN to) (NP (DT the) (JJ cold) "
    "(NNS islands))) (PP (IN in) (NP (NNP May)))) (. .))",
    "copula": "(S (NP (PRP He)) (VP (VBD was) (ADJP (JJ sure) (SBAR (IN that) (S (NP (PRP they)) (VP (VBD knew) "
    "(NP (PRP it))))))) (. .))",
    "verbs": "(S (NP (PRP She)) (VP (MD will) (VP (VB want) (S (VP (TO to) (VP (VP (VB read)) (CC and) (VP (VB write) "
    "(NP (NNS letters)))))))) (. .))",
    "relative": "(S (NP (NP (DT The) (NN woman)) (SBAR (WHNP (WP who)) (S (VP (VBD called))))) (VP (VBD was) "
    "(VP (VBN seen) (PP (IN by) (NP (PRP us))))))",
    "nouns": "(S (NP (NP (NNP John) (POS 's)) (NNS cats) (CC and) (NNS dogs)) (VP (VBD ate) (NP (ADJP (RB very) "
    "(JJ good)) (NN food))))",
}
CHUNKS = {
    "prepositions": "B-NP I-NP O B-VP B-PP B-NP I-NP I-NP B-PP B-NP O",
    "copula": "B-NP B-VP B-ADJP B-SBAR B-NP B-VP B-NP O",
    "verbs": "B-NP B-VP I-VP I-VP I-VP O B-VP B-NP O",
    "relative": "B-NP I-NP B-NP B-VP B-VP I-VP B-PP B-NP",
    "nouns": "B-NP B-NP I-NP I-NP I-NP B-VP B-NP I-NP I-NP",
}
ROLES = {
    "prepositions": {"sail": ["A0 The captain", "AM-NEG never", "A2 to the cold islands", "AM-TMP in May"]},
    "copula": {"be": ["A1 He", "A2 sure that they knew it"], "know": ["A0 they", "A1 it"]},
    "verbs": {
        "want": ["A0 She", "AM-MOD will", "A1 to read and write letters"],
        "read": ["A0 She"],
        "write": ["A0 She", "A1 letters"],
    },
    "relative": {
        "call": ["A0 The woman", "R-A0 who"],
        "see": ["A1 The woman who called", "A0 by us"],
    },
    "nouns": {"eat": ["A0 John 's cats and dogs", "A1 very good food"]},
}


def sentence(name, scheme):
    rows = [line.split() for line in SENTENCES[name].strip().splitlines()]
    words, lemmas, tags = zip(
        *((".", ".", ".") if row[0] == "././." else row[0].split("/") for row in rows), strict=True
    )
    at = 1 if scheme == "clear" else 3
    heads, relations = zip(*((int(row[at]) - 1, row[at + 1]) for row in rows), strict=True)
    return derive_layers(Sentence(words, lemmas=lemmas, tags=tags, heads=heads, relations=relations))


@pytest.mark.parametrize("scheme", ["clear", "universal"])
@pytest.mark.parametrize("name", SENTENCES)
class TestSentences:
    def test_tree(self, name, scheme):
        assert list(write_trees([sentence(name, scheme)])) == [TREES[name]]

    def test_chunks(self, name, scheme):
        assert " ".join(sentence(name, scheme).chunks) == CHUNKS[name]

    def test_roles(self, name, scheme):
        found = sentence(name, scheme)
        assert {
            frame.lemma: [f"{s.label} {' '.join(found.words[s.start : s.end])}" for s in frame.arguments]
            for frame in found.frames
        } == ROLES[name]


TAGS = ["NN", "NNS", "NNP", "PRP", "DT", "JJ", "RB", "WRB", "VBD", "VB", "VBN", "VBG", "MD", "TO", "IN", "CC", "CD"]
TAGS += ["WP", "WDT", "POS", "UH", ".", ",", "RP", "EX", "XX", ""]
NAMES = """ROOT nsubj nsubjpass dobj dative attr acomp aux auxpass prep pobj pcomp agent mark advcl ccomp xcomp relcl
    acl conj cc det amod compound poss case punct neg advmod npadvmod nummod quantmod appos prt intj dep oprd csubj expl
    parataxis obj iobj obl nmod cop flat fixed nsubj:pass obl:agent acl:relcl nmod:poss discourse list x"""
RELATIONS = NAMES.split()


@st.composite
def parses(draw, max_size=9):
    size = draw(st.integers(0, max_size))

    def column(values):
        return draw(st.lists(st.sampled_from(values), min_size=size, max_size=size))

    words = column(["the", "be", "to", "who", "not", "make", "2004", "there", "say", "by"])
    return words, words, column(TAGS), draw(heads_of(size)), column(RELATIONS)


def test_questions_keep_what_is_joined_to_their_verb():
    """ "have we rest, but drives the bus": an inverted verb with another one joined, whose words were lost once."""
    words = ("have", "we", "rest", "but", "drives", "the", "bus", ".")
    tags = ("VBP", "PRP", "NN", "CC", "VBZ", "DT", "NN", ".")
    heads, relations = (-1, 0, 0, 0, 0, 6, 4, 4), ("ROOT", "nsubj", "dobj", "cc", "conj", "det", "dobj", "punct")
    found = derive_layers(Sentence(words, lemmas=words, tags=tags, heads=heads, relations=relations))
    assert (found.tree[0].start, found.tree[0].end) == (0, 8)


@given(parses())
def test_no_arcs_cross(parse):
    tree = Dependencies(*parse)
    assert textbook.is_projective(tree.heads)
    for word in range(len(tree.heads)):
        part = textbook.descendants(tree.heads, word)
        assert (tree.first[word], tree.last[word]) == (min(part), max(part))


@settings(max_examples=400)  # a word that is lost in a rare construction would be missed by fewer
@given(parses())
def test_any_parse_has_a_sound_tree_and_sound_roles(parse):
    words, lemmas, tags, heads, relations = map(tuple, parse)
    found = derive_layers(Sentence(words, lemmas=lemmas, tags=tags, heads=heads, relations=relations))
    size = len(words)
    assert len(found.chunks) == size
    if size:
        assert (found.tree[0].parent, found.tree[0].start, found.tree[0].end) == (-1, 0, size)
    for place, node in enumerate(found.tree[1:], 1):
        above = found.tree[node.parent]
        assert node.parent < place
        assert above.start <= node.start < node.end <= above.end
    for one, other in zip(found.tree, found.tree[1:], strict=False):  # from the top down, and from left to right
        assert other.start >= one.start
        assert other.start >= one.end or other.end <= one.end
    for previous, chunk in zip(("O", *found.chunks), found.chunks, strict=False):
        assert not chunk.startswith("I-") or previous[2:] == chunk[2:]
    everywhere = derive_frames(Dependencies(words, lemmas, tags, heads, relations), range(size))
    for frame in (*found.frames, *everywhere):
        taken = [frame.predicate]
        for span in frame.arguments:
            taken += range(span.start, span.end)
        assert len(taken) == len(set(taken))
        assert all(0 <= word < size for word in taken)


@pytest.mark.parametrize("heads", [range(-1, 999), [*range(1, 1000), -1], [-1] * 1000, [999] * 999 + [-1]])
def test_long_and_deep_sentences(heads):
    size = len(heads)
    found = derive_layers(
        Sentence(
            ("a",) * size, lemmas=("a",) * size, tags=("VB",) * size, heads=tuple(heads), relations=("ccomp",) * size
        )
    )
    assert len(found.chunks) == size


def test_what_a_sentence_has_stays():
    one = sentence("copula", "clear")
    assert derive_layers(one) == one
    without = Sentence(one.words, tags=one.tags, tree=one.tree)
    assert derive_layers(without).chunks == one.chunks
    assert derive_layers(without).frames is None
    assert derive_layers(Sentence(("a",))) == Sentence(("a",))


def test_chunks_of_no_tree():
    assert derive_chunks((), ()) == ()


@pytest.mark.parametrize("brackets", [("(", ")"), ("-LSB-", "-RSB-")])
def test_other_names_of_brackets(brackets):
    """A bracket is none of a phrase's words, whatever its tag is called; the sentence keeps the name."""
    words = ("The", "dog", "(", "one", ")", "bit", "John")
    relations = ("det", "nsubj", "punct", "appos", "punct", "root", "obj")

    def found(left, right):
        tags = ("DT", "NN", left, "NN", right, "VBD", "NNP")
        return derive_layers(Sentence(words, tags=tags, heads=(1, 5, 3, 1, 3, -1, 5), relations=relations))

    one, other = found(*brackets), found("-LRB-", "-RRB-")
    assert one.tags[2] == brackets[0]
    assert (one.chunks, one.tree, one.frames) == (other.chunks, other.tree, other.frames)
    assert one.chunks[2] == "O"
