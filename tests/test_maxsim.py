"""MAXSIM from sentences against a textbook version, and the rules that the definition leaves to us."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentences import Given, score_sentences
from textbook import maxsim_metric as textbook
from textbook.wordnet_lookup import lookup

import tarocco
from tarocco.annotate import cache as annotated
from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import InputError

NAMES = ("MAXSIM", "MAXSIM:references=best")

# All pairs of these lemmas that share a synset of WordNet 3.0. To start is to begin, and also to jump. The verb see is
# none of saw, which is a lemma here.
LEMMAS = ("start", "begin", "commence", "jump", "car", "automobile", "saw", "watch", "the", "xyzzy", "two words")
SYNONYMS = {
    frozenset(pair)
    for pair in (
        *itertools.combinations(("start", "begin", "commence"), 2),
        ("start", "jump"),
        ("car", "automobile"),
    )
}
TAGS = ("NN", "VB", ":")


def are_synonyms(one, other):
    return frozenset((one, other)) in SYNONYMS


@st.composite
def sentences(draw, most=6):
    lemmas = tuple(draw(st.lists(st.sampled_from(LEMMAS), max_size=most)))
    return sentence(lemmas, tuple(draw(st.sampled_from(TAGS)) for _ in lemmas))


def sentence(lemmas, tags):
    return Sentence(tuple(f"word{i}" for i in range(len(lemmas))), lemmas, tags)


def pairs_of(one):
    return list(zip(one.lemmas, one.tags, strict=True))


def by_hand(candidate, reference, name="MAXSIM"):
    """Words written lemma/tag."""
    texts = [
        sentence(*zip(*(word.split("/") for word in text.split()), strict=True)) for text in (candidate, reference)
    ]
    return score_sentences([name], texts[:1], [texts[1:]])[name].score


def f(weight, own, there):
    return weight / (0.1 * own + 0.9 * there)


@settings(max_examples=60)
@given(segments=st.lists(st.tuples(sentences(), st.lists(sentences(), min_size=1, max_size=3)), min_size=1, max_size=3))
def test_textbook(segments):
    """MAXSIM of a segment, and the mean over segments, is the textbook version's; ties in the assignment abound."""
    candidates, references = zip(*segments, strict=True)
    found = score_sentences(list(NAMES), candidates, references)
    for name in NAMES:
        scores = [
            textbook.of_segment(pairs_of(one), list(map(pairs_of, own)), are_synonyms, best="best" in name)
            for one, own in segments
        ]
        expected = [math.nan if score is None else score for score in scores]
        assert found[name].segments.tolist() == pytest.approx(expected, rel=1e-12, nan_ok=True)
        exist = [score for score in scores if score is not None]
        mean = sum(exist) / len(exist) if exist else math.nan
        assert found[name].score == pytest.approx(mean, rel=1e-12, nan_ok=True)
        assert found[name].details["segments"] == len(exist)


def test_the_synonyms_above_are_wordnets():
    for one, other in itertools.combinations(LEMMAS, 2):
        shared = set(entry_synsets(one)) & set(entry_synsets(other))
        assert bool(shared) == are_synonyms(one, other), (one, other)


def entry_synsets(lemma):
    """The synsets that have the lemma itself among their words, not a form that it could be inflected from."""
    return [synset for synset in lookup().synsets(lemma) if lemma in lookup().words(synset)]


def test_lemmas_are_not_inflected():
    """A saw is no watch, although to watch is to see, and saw may be a form of see."""
    assert lookup().are_synonyms("saw", "watch")
    assert by_hand("saw/NN", "watch/NN") == 0
    assert by_hand("see/VB", "watch/VB") == 1


def test_words_of_the_same_tag_alone_weigh_nothing():
    """The paper has 1/2 for them as unigrams; the definition has 0."""
    assert by_hand("car/NN", "xyzzy/NN") == 0


def test_the_largest_sum_is_found():
    """From left to right start would take commence, and begin, which is no jump, would have nothing."""
    assert by_hand("start/VB begin/VB", "commence/VB jump/VB") == pytest.approx((1 + 0) / 2)


def test_left_to_right_decides_which_part_of_speech_is_left():
    """The first of two starts is taken for its lemma: the verb is left for begin, or the noun."""
    verb_left = by_hand("start/NN start/VB", "start/JJ begin/VB")
    noun_left = by_hand("start/VB start/NN", "start/JJ begin/VB")
    assert verb_left == pytest.approx((f(2, 2, 2) + f((0.5 + 1) / 2, 1, 1)) / 2)
    assert noun_left == pytest.approx((f(1.5, 2, 2) + f((0.5 + 0.5) / 2, 1, 1)) / 2)


def test_recall_counts_nine_times_as_much():
    long, short = "the/DT car/NN xyzzy/NN watch/VB", "the/DT car/NN"
    assert by_hand(short, long) == pytest.approx((2 / (0.2 + 3.6) + 1 / (0.1 + 2.7) + 0) / 3)
    assert by_hand(long, short) == pytest.approx((2 / (0.4 + 1.8) + 1 / (0.3 + 0.9) + 0) / 3)


def test_case_does_not_matter():
    assert by_hand("Car/nn", "automobile/NN") == 1


def test_any_order_of_references_gives_the_same_bits():
    generator = np.random.default_rng(5)
    texts = [
        sentence(tuple(generator.choice(LEMMAS, 9).tolist()), tuple(generator.choice(TAGS, 9).tolist()))
        for _ in range(8)
    ]
    orders = [generator.permutation(range(1, 8)).tolist() for _ in range(20)]
    found = score_sentences(["MAXSIM"], texts[:1] * 20, [[texts[i] for i in order] for order in orders])["MAXSIM"]
    assert len(set(found.segments.tolist())) == 1
    assert 0 < found.score < 1


def test_what_is_missing_or_too_long():
    annotated.register("given", Given({"a": Sentence(("a",), tags=("NN",)), "b": Sentence(("b",), tags=("NN",))}))
    with pytest.raises(InputError, match='needs lemmas, which are missing from the output of the analyzer "given"'):
        tarocco.score(["a"], ["b"], metrics="MAXSIM", analyzer="given")
    many = ("car",) * 4097
    with pytest.raises(
        InputError, match=r"^system, segment 1: MAXSIM accepts texts of at most 4096 words, found one of 4097$"
    ):
        score_sentences(["MAXSIM"], [sentence(many, ("NN",) * 4097)], [[sentence(("car",), ("NN",))]])
