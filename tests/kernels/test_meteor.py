"""Alignments against all alignments that there are, and METEOR against a textbook version."""

import random
from unittest import mock

import numpy as np
import pytest
from cases import SEGMENTS, batch_of, cleaned, list_of, texts
from conftest import PLAIN
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import meteor_metric as textbook
from textbook.wordnet_lookup import lookup

import tarocco
from tarocco.core.errors import BadParameter, InputError
from tarocco.encode.vocabulary import Ragged, stem
from tarocco.metrics import meteor as aligned
from tarocco.metrics.meteor import Alignments, align
from tarocco.metrics.text_pairs import TextPairs

SHORT = st.one_of(*(st.lists(st.sampled_from(letters), max_size=6) for letters in ("ab", "abcd")))
# Words that match some of the others at each stage; that a matches b and b matches c does not mean that a matches c.
ENGLISH = ("begin", "began", "beginning", "start", "started", "go", "went", "get", "big", "bigger", "large", "grown")
WORDS = st.lists(st.sampled_from(ENGLISH), max_size=5)
# Few words, over and over, and the same text again and again.
AGAIN = st.builds(
    lambda text, times: (text * times)[:12],
    st.one_of(*(st.lists(st.sampled_from(letters), min_size=1, max_size=6) for letters in ("ab", "abc", "abcde"))),
    st.integers(1, 4),
)
REPETITIVE = st.one_of(
    *(st.lists(st.sampled_from(letters), min_size=1, max_size=7) for letters in ("ab", "abc", "abcde"))
)
STAGES = ("exact", "stem", "wnstm", "wnsyn")
SIZE = 8 if PLAIN else 60  # of long texts
# Uncompiled, a search that is wide has no end.
FEWER_STATES = mock.patch("tarocco.metrics.meteor._MOST_STATES", 40 if PLAIN else aligned._MOST_STATES)


def matches_at(stage, stemmer):
    table = lookup()
    return {
        "exact": lambda one, other: one == other,
        "stem": lambda one, other: stem(one, stemmer, 0) == stem(other, stemmer, 0),
        "wnstm": lambda one, other: bool(set(table.lemmas(one)) & set(table.lemmas(other))),
        "wnsyn": lambda one, other: table.are_synonyms(one, other),
    }[stage]


def rows_of(candidate, references, stages, jointly, stemmer="porter"):
    counts = Alignments(batch_of([(candidate, references)])).counts(stages, stemmer, jointly)
    assert not counts[:, 2].any()
    return [tuple(row) for row in counts[:, :2].tolist()]


@given(candidate=SHORT, references=st.lists(SHORT.filter(bool), min_size=1, max_size=3))
def test_fewest_chunks(candidate, references):
    expected = [textbook.jointly(candidate, one, [str.__eq__]) for one in references]
    assert rows_of(candidate, references, ("exact",), jointly=True) == expected


@given(candidate=SHORT, references=st.lists(SHORT.filter(bool), min_size=1, max_size=3))
def test_fewest_crossings(candidate, references):
    expected = [textbook.stage_by_stage(candidate, one, [str.__eq__]) for one in references]
    assert rows_of(candidate, references, ("exact",), jointly=False) == expected


@pytest.mark.parametrize("jointly", [True, False], ids=["jointly", "stage by stage"])
@pytest.mark.parametrize(
    "stages", [STAGES, ("exact", "stem"), ("exact", "wnsyn"), ("wnstm",), ("wnsyn",)], ids="+".join
)
@settings(max_examples=40)
@given(candidate=WORDS, reference=WORDS.filter(bool))
def test_stages(stages, jointly, candidate, reference):
    matching = [matches_at(stage, "english") for stage in stages]
    expected = (textbook.jointly if jointly else textbook.stage_by_stage)(candidate, reference, matching)
    assert rows_of(candidate, [reference], stages, jointly, "english") == [expected]


@given(candidate=AGAIN, reference=REPETITIVE)
def test_repetitive_texts(candidate, reference):
    """Whichever side is the longer one."""
    expected = textbook.jointly_for_longer_texts(tuple(candidate), tuple(reference), str.__eq__)
    assert rows_of(candidate, [reference], ("exact",), jointly=True) == [expected]
    assert rows_of(reference, [candidate], ("exact",), jointly=True) == [expected]


@given(candidate=SHORT, reference=SHORT)
def test_two_textbooks(candidate, reference):
    assert textbook.jointly_for_longer_texts(candidate, reference, str.__eq__) == textbook.jointly(
        candidate, reference, [str.__eq__]
    )


@st.composite
def graphs(draw, times=1):
    """Words with keys of their own: any word may match any other. The candidate may come several times."""
    keys = [draw(st.sets(st.integers(0, 5), max_size=3)) for _ in range(6)]
    candidate, reference = (draw(st.lists(st.integers(0, 5), min_size=1, max_size=6)) for _ in range(2))
    return keys, candidate * times, reference


def aligned_graph(keys, candidate, reference, crossings):
    batch = batch_of([([f"w{i}" for i in candidate], [[f"w{i}" for i in reference]])])
    words = [batch.vocabulary[word] for word in range(len(batch.vocabulary))]
    of_each = [sorted(keys[int(word[1:])]) for word in words]
    offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum([len(one) for one in of_each])])
    of_words = Ragged(np.array([key for one in of_each for key in one], np.int32), offsets)
    return tuple(align(TextPairs(batch), [of_words], crossings)[0].tolist())


@pytest.mark.parametrize("crossings", [False, True])
@given(graph=graphs())
def test_any_links(crossings, graph):
    """Where matches are not classes of words, largest matchings need augmenting paths."""
    keys, candidate, reference = graph
    method = textbook.stage_by_stage if crossings else textbook.jointly
    expected = method(candidate, reference, [lambda one, other: bool(keys[one] & keys[other])])
    assert aligned_graph(*graph, crossings) == (*expected, 0)


@given(graph=graphs(times=2))
def test_any_links_twice(graph):
    """Where the most followers are not part of a largest matching, there is a search."""
    keys, candidate, reference = graph
    match = lambda one, other: bool(keys[one] & keys[other])  # noqa: E731
    expected = textbook.jointly_for_longer_texts(tuple(candidate), tuple(reference), match)
    assert aligned_graph(*graph, crossings=False) == (*expected, 0)


@pytest.mark.parametrize("variant", ["1.5", "2005"])
@settings(max_examples=40)
@given(segments=st.lists(st.tuples(SHORT, st.lists(SHORT, min_size=1, max_size=3)), min_size=1, max_size=3))
def test_metric(variant, segments):
    parameters = (0.81, 0.83, 0.28) if variant == "1.5" else (0.9, 3, 0.5)
    method = textbook.jointly if variant == "1.5" else textbook.stage_by_stage
    found = tarocco.score(*texts(segments), metrics=f"METEOR-exact:variant={variant}", tokenize="none").scores[0]
    scores, corpus = textbook.meteor(cleaned(segments), [str.__eq__], method, *parameters)
    assert found.segments.tolist() == pytest.approx(scores, abs=1e-12)
    assert found.score == pytest.approx(corpus, abs=1e-12)


@pytest.mark.parametrize(
    "limits",
    [
        {"_MOST_STATES": 2, "_MOST_SETS": 1},
        {"_MOST_STATES": 2, "_MOST_SETS": 4},
        {"_MOST_STATES": 2, "_MOST_CONFLICTS": 8},
        {"_MOST_STATES": 2, "_MOST_FOLLOWERS": 3},
        {"_MOST_SETS": 1, "_STEPS": 400},
        {"_MOST_SETS": 1, "_STEPS": 1},
    ],
    ids=str,
)
@settings(max_examples=30)
@given(
    segments=st.one_of(
        SEGMENTS, st.lists(st.tuples(AGAIN, st.lists(REPETITIVE, min_size=1, max_size=2)), min_size=1, max_size=3)
    )
)
def test_a_narrow_search_is_no_better(limits, segments):
    """With few states the number of matches stays, and chunks may be more."""
    batch = batch_of(segments)
    for jointly in (True, False):
        best = Alignments(batch).counts(("exact",), "porter", jointly)
        with mock.patch.multiple("tarocco.metrics.meteor", **limits):
            few = Alignments(batch).counts(("exact",), "porter", jointly)
        assert few[:, 0].tolist() == best[:, 0].tolist()
        if jointly and not best[:, 2].any():
            assert (few[:, 1] >= best[:, 1]).all()
        exact = few[:, 2] == 0
        assert few[exact].tolist() == best[exact].tolist()


@given(
    segments=st.lists(st.tuples(SHORT, SHORT), min_size=1, max_size=4),
    references=st.lists(SHORT.filter(bool), min_size=2, max_size=3),
)
def test_many_candidates_of_a_segment(segments, references):
    """Pairs come in the order of the groups: segment, candidate, reference."""
    candidates = [one for pair in segments for one in pair]
    together = Alignments(list_of(candidates, references)).counts(("exact", "stem"), "porter", True)
    alone = [row for one in candidates for row in rows_of(one, references, ("exact", "stem"), True)]
    assert [tuple(row) for row in together[:, :2].tolist()] == alone


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("a " * 4 * SIZE, "a " * 3 * SIZE, (3 * SIZE, 1)),
        ("a b " * SIZE, "b a " * SIZE, (2 * SIZE, 2)),
        (" ".join(f"the w{i}" for i in range(SIZE)), " ".join(f"the w{i}" for i in range(SIZE)), (2 * SIZE, 1)),
    ],
    ids=["one word", "two words", "every other word"],
)
@FEWER_STATES
def test_repeated_words(candidate, reference, expected):
    """Texts with so many alignments that not all can be tried; their best ones can still be found."""
    alignments = Alignments(batch_of([(candidate.split(), [reference.split()])]))
    assert tuple(alignments.counts(("exact",), "porter", True)[0, :2]) == expected
    assert alignments.counts(("exact",), "porter", False)[0, 0] == expected[0]


SENTENCE = (
    "the data that were collected by the 74 schools in the group showed that 72 percent of the pupils had the best "
    "mark in the test of the first language , while 72 percent of the pupils that took German , 69 percent of the "
    "pupils that took French , and 63 percent of the pupils that took Spanish , had the best mark in the test , too ."
)
OTHER = (
    "according to data of the 74 schools in the group , 72 percent of the pupils got the best mark in the first "
    "language , and of the pupils that took German 72 percent , of the pupils that took French 63 percent , and 63 "
    "percent of the pupils that took Spanish got the best mark in the test of the language as well ."
)


@pytest.mark.parametrize(("times", "expected"), [(1, (56, 14)), (2, (60, 17)), (3, (60, 17)), (5, (60, 17))])
def test_the_same_again_and_again(times, expected):
    """Words that come back make very many alignments. Part by part, few sets of followers have to be looked at."""
    candidate, reference = SENTENCE.split() * times, OTHER.split()
    few = {"_MOST_SETS": 500, "_MOST_STATES": 1}  # with one state a search is sure of nothing
    with mock.patch.multiple("tarocco.metrics.meteor", **few):
        for one, other in ((candidate, reference), (reference, candidate)):
            counts = Alignments(batch_of([(one, [other])])).counts(("exact",), "porter", True)
            assert counts.tolist() == [[*expected, 0]]


@FEWER_STATES
def test_long_texts():
    """Every fifth word is left out, so one chunk more than such words is enough; two words in five are the same."""
    generator = random.Random(3)
    words = [f"w{min(int(generator.paretovariate(0.7)), 400)}" for _ in range(10 * SIZE)]
    other = [word for word in words if generator.random() > 0.2]
    alignments = Alignments(batch_of([(words, [other])]))
    for jointly in (True, False):
        matches, chunks, limited = alignments.counts(("exact",), "porter", jointly)[0].tolist()
        assert matches == len(other)
        assert limited or (jointly and PLAIN)  # the texts of that run are short enough
        assert chunks <= 1 + len(words) - len(other) or not jointly


def test_texts_that_are_too_long():
    text = ["a " * 20]
    with mock.patch("tarocco.metrics.meteor._MOST_LINKS", 100), pytest.raises(InputError, match="400 pairs of words"):
        tarocco.score(text, text, metrics="METEOR")
    with mock.patch("tarocco.metrics.meteor._MOST_WORDS", 10), pytest.raises(InputError, match="at most 10 words"):
        tarocco.score(text, text, metrics="METEOR")


def test_crossings_come_before_chunks():
    """The a before b goes to the a before b, over both other words; or to the first a, over one."""
    candidate, reference = ["x", "a", "b"], ["a", "x", "a", "b"]
    assert rows_of(candidate, [reference], ("exact",), jointly=True) == [(3, 1)]
    candidate, reference = ["x", "y", "a", "b"], ["a", "b", "x", "y", "a"]
    assert rows_of(candidate, [reference], ("exact",), jointly=True) == [(4, 2)]  # x y, a b: four crossings
    assert rows_of(candidate, [reference], ("exact",), jointly=False) == [(4, 2)]  # x y a, b: three


def test_names():
    for alias, name in (("METEOR", "METEOR-wnsyn"), ("mtr-STEM", "METEOR-stem"), ("MTR", "METEOR-wnsyn")):
        assert str(tarocco.metric(alias)) == name
    assert str(tarocco.metric("METEOR-stem:stages=exact+stem:alpha=0.81")) == "METEOR-stem"
    assert str(tarocco.metric("METEOR-exact:variant=2005:alpha=0.9")) == "METEOR-exact:variant=2005"
    for wrong in (
        "stages=stem+exact",
        "stages=exact",
        "stages=exact+stem+stem",
        "alpha=2",
        "gamma=-1",
        "variant=2004",
        "module=stem",
    ):
        with pytest.raises(BadParameter):
            tarocco.metric(f"METEOR-stem:{wrong}")


def test_details():
    found = tarocco.score(["the cat sat"], ["the cat sat down"], metrics="METEOR-exact:alpha=0.5").scores[0]
    assert found.details["precision"] == 1
    assert found.details["recall"] == 0.75
    assert found.details["penalty"] == pytest.approx(0.28 * (1 / 3) ** 0.83)
