"""Explanations agree with the metrics: what is counted in them gives the metric's own statistics and score."""

import math
from collections import Counter, defaultdict

import numpy as np
import pytest
from conftest import PLAIN
from hypothesis import given, settings
from hypothesis import strategies as st

import tarocco
from tarocco import datasets
from tarocco.metrics.linguistic.base import ElementOverlap, PathOverlap
from tarocco.metrics.registry import families, metric

# There are many metrics, and an explanation takes about as long as a thousand scores.
SOME, FEW = (settings(max_examples=max(5, settings().max_examples // part)) for part in (4, 12))
DEMO = datasets.load("demo")
TEXT = st.one_of(*(st.lists(st.sampled_from(letters), max_size=9) for letters in ("ab", "abcd", "abcdefgh"))).map(
    " ".join
)
FILLED = TEXT.filter(bool)
# Words that match at one stage or another.
ENGLISH = st.lists(
    st.sampled_from(["begin", "began", "beginning", "start", "started", "big", "bigger", "large", "go", "went"]),
    max_size=6,
).map(" ".join)


def explained(candidate, references, name):
    """The explanation of one segment, and the metric's statistics of it."""
    (one,) = tarocco.explain(candidate, references, metrics=name, tokenize="none")
    assert not one.note
    row = tarocco.statistics(name, [candidate], [references], tokenize="none")[0]
    assert np.array_equal(one.score, metric(name).score(row), equal_nan=True)
    same_words(one)
    return one, row


def same_words(one):
    """Elements that match hold the same words, unless it says how they match; and places are those of words."""
    for element in one.elements:
        reference = one.references[element.of].words
        own, there = [one.candidate[i] for i in element.candidate], [reference[j] for j in element.reference]
        assert own or there
        if element.matched and not element.above and element.how in ("", "exact") and element.type != "chunk":
            assert own == there, element


def counts(one):
    """By type: matches, elements of the candidate, elements of the reference."""
    return {tally.type: (tally.matched, tally.candidate, tally.reference) for tally in one.tallies}


@SOME
@given(candidate=TEXT, references=st.lists(FILLED, min_size=1, max_size=3))
@pytest.mark.parametrize("name", ["BLEU-3", "BLEUS-2", "BLEU-SBP", "BLEUi-2"])
def test_clipped_ngrams(name, candidate, references):
    one, row = explained(candidate, references, name)
    found, order = counts(one), metric(name).order
    orders = [order] if name.startswith("BLEUi") else range(1, order + 1)
    matches, totals = np.split(row[-2 * len(orders) :], 2)
    assert [found.get(f"{n}-gram", (0, 0))[0] for n in orders] == matches.tolist()
    assert [found.get(f"{n}-gram", (0, 0))[1] for n in orders] == totals.tolist()


@SOME
@given(candidate=TEXT, references=st.lists(FILLED, min_size=1, max_size=3))
def test_information(candidate, references):
    """NIST's n-grams weigh what the metric gives for them."""
    one, row = explained(candidate, references, "NIST-3")
    weights = defaultdict(float)
    for element in one.matched:
        weights[element.type] += element.weight
    assert np.allclose([weights[f"{n}-gram"] for n in (1, 2, 3)], row[2:5], rtol=1e-12)


@SOME
@given(candidate=TEXT, reference=FILLED)
@pytest.mark.parametrize("name", ["ROUGE-1", "ROUGE-2", "ROUGE-S*", "ROUGE-S-1", "ROUGE-SU-2"])
def test_shared_units(name, candidate, reference):
    one, (_, recall, precision, _) = explained(candidate, [reference], name)
    matched, own, there = map(sum, zip(*counts(one).values(), strict=True)) if one.elements else (0, 0, 0)
    assert (recall, precision) == (matched / there if there else 0, matched / own if own else 0)


@SOME
@given(candidate=TEXT, reference=FILLED)
@pytest.mark.parametrize("name", ["ROUGE-L", "ROUGE-W-1.2", "ROUGE-W-2"])
def test_subsequences(name, candidate, reference):
    one, (_, recall, precision, _) = explained(candidate, [reference], name)
    runs = [element for element in one.elements if element.matched]
    assert_one_to_one(runs)
    pairs = [pair for run in runs for pair in zip(run.candidate, run.reference, strict=True)]
    assert pairs == sorted(pairs)
    assert sorted(j for _, j in pairs) == [j for _, j in pairs]
    exponent = getattr(metric(name), "exponent", 1.0)
    sizes = len(one.candidate), len(one.references[0].words)
    worth = sum(len(run.candidate) ** exponent for run in runs)
    expected = [(worth / size**exponent) ** (1 / exponent) if size else 0.0 for size in sizes]
    assert np.allclose([precision, recall], expected, rtol=1e-12)


def assert_one_to_one(elements):
    for side in ("candidate", "reference"):
        places = [place for element in elements for place in getattr(element, side)]
        assert len(places) == len(set(places))


@SOME
@given(candidate=TEXT, reference=FILLED)
@pytest.mark.parametrize("exponent", [1, 2, 3])
def test_greedy_runs(exponent, candidate, reference):
    one, (size, *lengths) = explained(candidate, [reference], f"GTM-{exponent}")
    assert_one_to_one(one.elements)
    runs = [len(run.candidate) for run in one.matched]
    assert math.isclose(size, sum(length**exponent for length in runs) ** (1 / exponent), rel_tol=1e-12)
    rest = counts(one).get("other word", (0, 0, 0))
    assert [sum(runs) + rest[1], sum(runs) + rest[2]] == lengths


@SOME
@given(candidate=TEXT, reference=FILLED)
def test_errors(candidate, reference):
    one, (_, words) = explained(candidate, [reference], "PER")
    (found,) = counts(one).values()
    assert one.score * words == pytest.approx(max(found[1:]) - found[0])
    one, (_, words) = explained(candidate, [reference], "WER")
    assert_one_to_one(one.elements)
    edits = Counter(element.type for element in one.elements if not element.matched)
    assert one.score * words == pytest.approx(edits.total())
    (counted,) = tarocco.statistics("WER:counts=yes", [candidate], [[reference]], tokenize="none").tolist()
    assert [edits["insertion"], edits["deletion"], edits["substitution"], len(one.matched)] == counted[2:]


@SOME
@given(candidate=TEXT, reference=FILLED)
def test_shifts(candidate, reference):
    """Shifts, and the edits that are left, are the metric's; a word is moved with its block."""
    one, (edits, _) = explained(candidate, [reference], "TER")
    shifts = [element for element in one.elements if element.type == "shift"]
    assert sum(not element.matched for element in one.elements) == edits
    assert_one_to_one([element for element in one.elements if element.type != "shift"])
    moved = {place for shift in shifts for place in shift.candidate}
    for element in one.matched:
        assert (element.how == "shifted") == (element.candidate[0] in moved)


def test_shifts_of_sentences():
    """Real text, where shifts are many: the sum of shifts and edits, for every segment of a system."""
    for system in ("literal", "mirror"):
        result = tarocco.explain(
            DEMO.systems[system], DEMO.references, metrics="TER", segments=range(1, 4 if PLAIN else 11)
        )
        rows = tarocco.statistics("TER", DEMO.systems[system], DEMO.references)
        for one in result:
            assert sum(not element.matched for element in one.elements) == rows[one.segment - 1][0]


@SOME
@given(candidate=st.one_of(TEXT, ENGLISH), reference=st.one_of(FILLED, ENGLISH.filter(bool)))
@pytest.mark.parametrize(
    "name",
    ["METEOR-exact", "METEOR-wnsyn", "METEOR-stem:variant=2005", "METEOR-wnsyn:stages=exact+stem+wnsyn:variant=2005"],
)
def test_alignments(name, candidate, reference):
    one, (matches, own, there, chunks) = explained(candidate, [reference], name)
    words = [element for element in one.elements if element.type == "word"]
    found = [element for element in one.elements if element.type == "chunk"]
    assert_one_to_one(words)
    assert_one_to_one(found)
    assert sum(element.matched for element in words) == matches
    assert counts(one).get("word", (0, 0, 0)) == (matches, own, there)
    assert len(found) == chunks or (len(found) == 1 and matches == own == there)  # as good as a copy: no chunks
    stages = metric(name).stages.split("+")
    for element in words:
        same = element.matched and one.candidate[element.candidate[0]] == one.references[0].words[element.reference[0]]
        assert element.how in (stages if element.matched else [""])
        assert (element.how == "exact") == bool(same)


LINGUISTIC = [
    name
    for family in families()
    if issubclass(family, ElementOverlap | PathOverlap)
    for name in (
        *family.names,
        *(f"{family.names[0]}:variant={way}" for way in ("precision", "pooled") if issubclass(family, PathOverlap)),
    )
]


@pytest.mark.parametrize("name", LINGUISTIC)
@FEW
@given(candidate=st.one_of(TEXT, st.just("the cat sat on the mat")), reference=FILLED)
def test_linguistic_elements(name, candidate, reference):
    """Matches over all elements, type by type or in sum, are the score."""
    one, _ = explained(candidate, [reference], name)
    kind = metric(name)
    found = list(counts(one).values())
    if not found:
        assert math.isnan(one.score)
        return
    either = [own + there - matched for matched, own, there in found]
    shares = [matched / whole for (matched, _, _), whole in zip(found, either, strict=True)]
    if name.endswith("precision"):
        shares = [matched / own if own else 0.0 for matched, own, _ in found]
    by_type = kind.fraction != "pooled" if isinstance(kind, PathOverlap) else kind.averages_types and kind.type == "*"
    expected = np.mean(shares) if by_type else sum(matched for matched, _, _ in found) / sum(either)
    assert math.isclose(one.score, expected, rel_tol=1e-12)


ALL = [name for family in families() for name in family.names]


@pytest.mark.parametrize("name", ALL)
def test_every_metric_is_explained_or_says_why_not(name):
    """Also for texts without words; with several references, the chosen one alone has the segment's score."""
    candidates = [DEMO.systems["literal"][0], "", "a b c", "a b"]
    references = [DEMO.references[0], ["a b", "c d e"], [""], ["b a", "a b c", "a b d"]]
    for one in tarocco.explain(candidates, references, metrics=name, segments=[1, 2, 3, 4]):
        assert bool(one.note) <= (not one.elements)
        assert one.note == "" or (str(one.metric) in one.note and "explained" in one.note)
        if one.elements and not one.metric.pools_references and not name.startswith(("TER", "WER", "1-", "PER")):
            (reference,) = one.references
            texts = [candidates[one.segment - 1]], [references[one.segment - 1][reference.number - 1]]
            alone = tarocco.score(*texts, metrics=name)[name].score
            assert alone == one.score


def test_ties_of_references_go_as_the_metric_goes():
    """Of references with the same F, METEOR takes the shortest; TER goes by edits, not by its rate."""
    (one,) = tarocco.explain("a b", ["x y z", "x y"], metrics="METEOR-exact")
    assert one.references[0].number == 2
    (one,) = tarocco.explain("a b", ["a b c d e f g h i j", "a x y"], metrics="TER")
    assert one.references[0].number == 2
