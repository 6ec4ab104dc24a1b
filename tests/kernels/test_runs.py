"""Greedy and best matchings made of runs against textbook versions, and the metric made of them."""

import random
from collections import Counter
from unittest import mock

import numpy as np
import pytest
from cases import SEGMENTS, batch_of, cleaned, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import run_matching as textbook

import tarocco
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import Segments
from tarocco.encode.batch import Batch, Encoding, Groups
from tarocco.metrics.edit.gtm import Matchings

WORDS = st.one_of(*(st.lists(st.sampled_from(letters), max_size=35) for letters in ("a", "ab", "abcdefgh")))
SHORT = st.one_of(*(st.lists(st.sampled_from(letters), max_size=7) for letters in ("ab", "abcd")))


def runs_of(matching, pairs):
    """The runs of each pair, in the order in which they were taken."""
    found = [[] for _ in range(pairs)]
    for owner, length in zip(matching.owners.tolist(), matching.lengths.tolist(), strict=True):
        found[owner].append(length)
    return [runs + [1] * int(singles) for runs, singles in zip(found, matching.singles, strict=True)]


@pytest.mark.parametrize("room", [1 << 20, 3, 0], ids=["queue", "short queue", "no queue"])
@given(candidate=WORDS, references=st.lists(WORDS.filter(bool), min_size=1, max_size=3))
def test_greedy_runs(room, candidate, references):
    """With a queue for all runs, and where there is no room for one."""
    with mock.patch("tarocco.metrics.edit.gtm._MOST_RUNS", room):
        found = Matchings(batch_of([(candidate, references)])).one_by_one
    assert runs_of(found, len(references)) == [textbook.greedy_runs(candidate, one) for one in references]


@given(candidate=WORDS, reference=WORDS)
def test_greedy_runs_cover_the_overlap_of_the_bags(candidate, reference):
    """Nothing can be added to a greedy matching, so of each word as many are used as the poorer side has."""
    overlap = (Counter(candidate) & Counter(reference)).total()
    assert sum(textbook.greedy_runs(candidate, reference)) == overlap
    assert Matchings(batch_of([(candidate, [reference])])).one_by_one.hits.tolist() == [overlap]


@pytest.mark.parametrize("exponent", [1.0, 1.5, 2.0, 3.0])
@settings(max_examples=60)
@given(candidate=SHORT, references=st.lists(SHORT.filter(bool), min_size=1, max_size=3))
def test_largest_sums(exponent, candidate, references):
    found = Matchings(batch_of([(candidate, references)])).exact(exponent)
    assert found.tolist() == pytest.approx([textbook.largest_sum(candidate, one, exponent) for one in references])


@given(
    segments=st.lists(
        st.tuples(SHORT, SHORT, st.lists(SHORT.filter(bool), min_size=1, max_size=3)), min_size=1, max_size=3
    )
)
def test_several_candidates_of_a_segment(segments):
    """Pairs come in the order of the groups: segment, candidate, reference."""
    systems = {"one": [" ".join(one) for one, _, _ in segments], "other": [" ".join(other) for _, other, _ in segments]}
    references = [[" ".join(text) for text in texts] for _, _, texts in segments]
    names = ["GTM-2", "GTM-2:references=joined", "GTM-2:matching=exact"]
    for system, candidates in systems.items():
        alone = tarocco.score(candidates, references, metrics=names, tokenize="none")
        together = tarocco.score(systems, references, metrics=names, tokenize="none")
        for name in names:
            found = next(one for one in together.scores if one.system == system and str(one.metric) == name)
            assert found.segments.tolist() == alone[name].segments.tolist()


def test_a_segment_without_candidates():
    """Its references, however long, need no room."""
    columns = [Segments.from_strings(["a b"])], [Segments.from_strings(["a b c " * 50, "b a b"])]
    groups = Groups(np.array([0]), np.array([0, 0, 1])), Groups(np.array([0, 1]), np.array([0, 1, 2]))
    batch = Batch.of_groups(*columns, *groups, Encoding("none"))
    for name in ("GTM-2", "GTM-2:references=joined", "GTM-2:matching=exact"):
        assert tarocco.metric(name).statistics(batch).tolist() == [[2, 2, 3]]


@pytest.mark.parametrize("exponent", [1.0, 1.2, 2.0, 3.0])
@settings(max_examples=30)
@given(segments=SEGMENTS)
def test_metric(exponent, segments):
    names = [f"GTM-{exponent:g}{more}" for more in ("", ":references=joined")]
    best, joined = tarocco.score(*texts(segments), metrics=names, tokenize="none").scores
    segments = cleaned(segments)
    for found, row in ((best, textbook.best_reference), (joined, textbook.joined_references)):
        rows = [row(*segment, exponent) for segment in segments]
        assert found.segments.tolist() == pytest.approx([textbook.f1(*one) for one in rows], abs=1e-12)
        corpus = textbook.gtm(segments, lambda *segment, row=row: row(*segment, exponent))
        assert found.score == pytest.approx(corpus, abs=1e-12)


@settings(max_examples=20)
@given(segments=st.lists(st.tuples(SHORT, st.lists(SHORT, min_size=1, max_size=3)), min_size=1, max_size=3))
def test_exact_metric(segments):
    greedy, exact = tarocco.score(*texts(segments), metrics=["GTM-2", "GTM-2:matching=exact"], tokenize="none").scores
    expected = textbook.gtm(cleaned(segments), lambda *segment: textbook.best_reference(*segment, 2.0, "exact"))
    assert exact.score == pytest.approx(expected, abs=1e-12)
    assert (exact.segments >= greedy.segments - 1e-12).all()


def test_the_longest_run_is_not_always_part_of_the_best_matching():
    """Greedily b c d e (4) leaves a, f and two words more; the best one is a b c and d e f."""
    candidate, reference = "a b c d e f", "b c d e x a b c y d e f"
    greedy, exact = (
        tarocco.score([candidate], [reference], metrics=name).scores[0].statistics[0, 0] ** 2
        for name in ("GTM-2", "GTM-2:matching=exact")
    )
    assert (round(greedy), round(exact)) == (4**2 + 1 + 1, 3**2 + 3**2)


def test_equal_runs_go_by_the_later_start():
    """The second a a of the reference is taken, which is in the way of a b; with the first one, a b would be left."""
    found = Matchings(batch_of([(["a", "b", "a", "a"], [["a", "a", "a", "b"]])])).one_by_one
    assert runs_of(found, 1) == [[2, 1, 1]]


def test_order_of_joined_references_can_matter():
    """As in GTM 1.4: of equal runs the last reference's is taken, and what is left depends on it."""
    generator, seen = random.Random(5), 0
    for _ in range(300):
        candidate, *references = (" ".join(generator.choices("abc", k=8)) for _ in range(3))
        one, other = (
            tarocco.score([candidate], [some], metrics="GTM-2:references=joined").scores[0].score
            for some in (references, references[::-1])
        )
        seen += one != other
    assert 0 < seen < 60


@pytest.mark.parametrize(
    ("candidate", "reference", "expected"),
    [
        ("a " * 300, "a " * 250, [250]),
        ("a b " * 150, "b a " * 120, [240]),
        ("a b " * 150, "a a b " * 100, [3] * 75 + [1] * 25),
        ("a " * 300, "a b " * 120, [1] * 120),
    ],
    ids=["one word", "two words", "two words and three", "one word apart"],
)
@pytest.mark.parametrize("room", [1 << 20, 0], ids=["queue", "no queue"])
def test_repeated_words(room, candidate, reference, expected):
    """Long texts in which every pair of positions matches, or every other one."""
    with mock.patch("tarocco.metrics.edit.gtm._MOST_RUNS", room):
        found = Matchings(batch_of([(candidate.split(), [reference.split()])])).one_by_one
    assert runs_of(found, 1) == [expected]


def test_too_many_matchings():
    generator = random.Random(1)
    candidate, reference = (" ".join(generator.choices("ab", k=200)) for _ in range(2))
    with pytest.raises(InputError, match=r"a candidate of 200 words and its reference of 200"):
        tarocco.score([candidate], [reference], metrics="GTM-2:matching=exact")
    assert tarocco.score([candidate], [reference], metrics="GTM-1:matching=exact").scores[0].score > 0.8


def test_names():
    for alias, name in (("GTM10", "GTM-1"), ("GTM20", "GTM-2"), ("gtm30", "GTM-3"), ("GTM-1.50", "GTM-1.5")):
        assert str(tarocco.metric(alias)) == name
    for wrong in ("GTM-0.5", "GTM-31", "GTM-2:references=joined:matching=exact", "GTM-2:exponent=3"):
        with pytest.raises(BadParameter):
            tarocco.metric(wrong)


def test_details():
    found = tarocco.score(["a b c x d"], ["d a b c"], metrics="GTM-2").scores[0]
    assert found.details["precision"] == pytest.approx(10**0.5 / 5)
    assert found.details["recall"] == pytest.approx(10**0.5 / 4)
