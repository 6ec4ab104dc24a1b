"""Correlation of segments, systems and pseudo-documents, and its resamples, against slow twins."""

import math
from collections import Counter
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import correlations as textbook
from textbook import resampling

import tarocco
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import HumanScores
from tarocco.meta.correlation.levels import CorrelationLevel, make_level
from tarocco.meta.correlation.score_sources import make_human_source, make_metric_source, make_source
from tarocco.meta.support.people import draw_systems
from tarocco.scoring.resampling import draw_random_sets
from tarocco.scoring.settings import Resampling, Workers

MISSING = float("nan")
SCORES = st.integers(-8, 8).map(float)  # integers, whose means over up to six segments tie in the same way everywhere
TWINS = {
    "pearson": textbook.pearson,
    "spearman": textbook.spearman,
    "kendall": textbook.kendall,
    "kendall-a": partial(textbook.kendall, variant="a"),
    "kendall-c": partial(textbook.kendall, variant="c"),
}
VIEWS = {
    ("segment", "none"): textbook.ungrouped,
    ("segment", "item"): textbook.by_item,
    ("segment", "system"): textbook.by_system,
    ("system", "none"): textbook.system_level,
}


@st.composite
def tables(draw):
    shape = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    values = draw(st.sampled_from([SCORES, SCORES | st.just(MISSING)]))
    n = shape[0] * shape[1]
    return [np.array(draw(st.lists(values, min_size=n, max_size=n)), float).reshape(shape) for _ in range(2)]


def agreement(view, coefficient, metric, human):
    sides = (make_source("metric", metric), make_source("people", human))
    return view.agreement(coefficient, *map(view.items, sides))


def resampled(view, coefficient, metric, human, n_resamples, seed, **workers):
    people = make_source("people", human)
    both = view.resampled(
        coefficient,
        [make_source("metric", metric), people],
        people,
        Resampling(n_resamples, seed=seed),
        Workers(**workers),
    )
    if coefficient in ("pearson", "spearman", "kendall"):  # the others do not correct for ties
        assert np.nanmin(both[1], initial=1) > 1 - 1e-9  # people agree with themselves
    return both[0]


@pytest.mark.parametrize("view", VIEWS)
@given(tables(), st.sampled_from(sorted(TWINS)))
def test_views_are_the_twins(view, sides, coefficient):
    found = agreement(CorrelationLevel(*view), coefficient, *sides)
    wanted = VIEWS[view](TWINS[coefficient], *(side.tolist() for side in sides))
    assert found.value == pytest.approx(wanted, abs=1e-12, nan_ok=True)
    assert (found.why is None) == (not math.isnan(wanted)) == (found.defined > 0)
    assert found.defined <= found.groups


@given(tables(), st.sampled_from(sorted(TWINS)), st.booleans())
def test_pseudo_documents_are_the_twins(sides, coefficient, within):
    chosen = draw_random_sets(3, sides[0].shape[1], count=4, size=min(2, sides[0].shape[1]))
    twin = textbook.within_pseudo_documents if within else textbook.pseudo_documents
    wanted = twin(TWINS[coefficient], *(side.tolist() for side in sides), chosen.tolist())
    found = agreement(CorrelationLevel("document", "item" if within else "none", chosen), coefficient, *sides)
    assert found.value == pytest.approx(wanted, abs=1e-12, nan_ok=True)


@settings(max_examples=60)
@pytest.mark.parametrize("view", VIEWS)
@given(tables(), st.sampled_from(sorted(TWINS)), st.integers(0, 5))
def test_resamples_are_the_view_of_drawn_segments(view, sides, coefficient, seed):
    n = sides[0].shape[1]
    wanted = []
    for number in range(4):
        chosen = resampling.draws(n, seed, number)
        drawn = (side[:, chosen].tolist() for side in sides)
        wanted.append(VIEWS[view](TWINS[coefficient], *drawn))
    found = resampled(CorrelationLevel(*view), coefficient, *sides, 4, seed)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


@settings(max_examples=60)
@pytest.mark.parametrize("view", VIEWS)
@given(tables(), st.sampled_from(["pearson", "spearman", "kendall"]), st.integers(0, 5))
def test_such_systems_are_drawn_as_well(view, sides, coefficient, seed):
    systems, n = sides[0].shape
    counts = draw_systems(systems, seed, 4)
    wanted = []
    for number in range(4):
        places = [i for i in range(systems) for _ in range(counts[number, i])]
        chosen = resampling.draws(n, seed, number)
        drawn = (side[places][:, chosen].tolist() for side in sides)
        few = view[0] == "system" and len(set(places)) < 3
        wanted.append(math.nan if few else VIEWS[view](TWINS[coefficient], *drawn))
    people, metric = make_source("people", sides[1]), make_source("metric", sides[0])
    found = CorrelationLevel(*view).resampled(
        coefficient, [metric], people, Resampling(4, seed=seed), Workers(), "such systems"
    )
    np.testing.assert_allclose(found[0], wanted, rtol=0, atol=1e-9)


def test_resampled_documents_are_made_of_drawn_segments():
    rng = np.random.default_rng(2)
    human = rng.normal(size=(4, 12))
    metric = human + rng.normal(size=(4, 12))
    chosen = draw_random_sets(1, 12, count=10, size=5)
    found = resampled(CorrelationLevel("document", "none", chosen), "pearson", metric, human, 3, 9)
    for number, value in enumerate(found):
        segments = sorted(resampling.draws(12, 9, number))
        wanted = textbook.pseudo_documents(
            textbook.pearson, metric[:, segments].tolist(), human[:, segments].tolist(), chosen.tolist()
        )
        assert value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("view", [*VIEWS, ("document", "none"), ("document", "item"), ("document", "system")])
def test_resamples_depend_on_the_seed_alone(view):
    rng = np.random.default_rng(7)
    human = rng.normal(size=(8, 60)) + np.arange(8.0)[:, None] / 3
    metric = human + rng.normal(size=(8, 60))
    view = make_level(*view, 60, 20, 5)
    steps = []
    found = resampled(view, "pearson", metric, human, 100, 3, progress=steps.append)
    assert sum(steps) == 100
    assert found.min() < agreement(view, "pearson", metric, human).value < found.max()
    assert (found == resampled(view, "pearson", metric, human, 100, 3, jobs=1)).all()
    assert (found != resampled(view, "pearson", metric, human, 100, 4)).any()


REFERENCES = ["the cat sat on the mat", "it rained all day long", "she reads a good book", "we will see you soon"]
SYSTEMS = {
    "a": REFERENCES,
    "b": ["the cat sat on a mat", "it rained all day", "she reads good books", "we will see"],
    "c": ["cat on mat", "it rained and rained all day long", "she she", "you will see us soon"],
}


@pytest.mark.parametrize("name", ["BLEU-4", "TER", "GRR-4"])
def test_documents_and_resamples_are_scored_as_texts_are(name):
    """What statistics say of a set of segments is what the metric says of these segments, as a text of their own."""
    scores = tarocco.score(SYSTEMS, REFERENCES, metrics=name)
    side = make_metric_source(list(scores.scores))
    sign = -1 if name == "TER" else 1

    def scored(places):
        chosen = {system: [lines[i] for i in places] for system, lines in SYSTEMS.items()}
        found = tarocco.score(chosen, [REFERENCES[i] for i in places], metrics=name)
        return [sign * score.score for score in found.scores]

    members = np.array([[0, 1], [3, 3], [2, 0]])
    for column, places in zip(side.documents(members).T, members, strict=True):
        np.testing.assert_allclose(column, scored(places), rtol=1e-12)
    for number, row in enumerate(side.resampled(5, 1)):
        np.testing.assert_allclose(row, scored(resampling.draws(4, 1, number)), rtol=1e-12)
    np.testing.assert_allclose(side.systems, scored(range(4)), rtol=1e-12)
    np.testing.assert_allclose(side.segments[:, 2], scored([2]), rtol=1e-12)
    assert make_source(name, side.segments).is_mean
    assert not side.is_mean
    assert side.averaged().is_mean
    np.testing.assert_array_equal(side.select([2, 0]).segments, side.segments[[2, 0]])


def test_sides_with_scores_of_whole_systems_alone():
    human = HumanScores({"da": np.array([3.0, 2.0, 1.0])}, {"da": "error"}, ("a", "b", "c"), "system", 1, ())
    people = make_human_source(human, "da")
    assert people.systems.tolist() == [-3, -2, -1]
    assert people.resampled(2, 0).tolist() == [[-3, -2, -1]] * 2
    assert not people.is_mean
    with pytest.raises(InputError, match="da has scores for whole systems only"):
        CorrelationLevel("segment").items(people)


def test_each_side_has_the_mean_of_its_own_segments():
    metric = make_source("metric", np.array([[1.0, 3.0, MISSING], [MISSING, MISSING, MISSING]]))
    assert metric.systems[0] == 2
    assert math.isnan(metric.systems[1])


def test_it_is_said_why_there_is_no_agreement():
    human = np.arange(12.0).reshape(3, 4)
    system, none, item = CorrelationLevel("system"), CorrelationLevel("segment"), CorrelationLevel("segment", "item")
    assert agreement(system, "pearson", np.full((3, 4), 0.1), human).why == "all scores of the metric are equal"
    assert agreement(none, "kendall", human, np.ones((3, 4))).why == "all human scores are equal"
    few = agreement(system, "pearson", human[:2], human[:2])
    assert few.why == "2 pairs of scores; a correlation needs at least 3"
    assert agreement(item, "pearson", human[:1], human[:1]).why == "none of 4 groups has a correlation"
    assert agreement(item, "pearson", human[:2], human[:2]).defined == 4  # two systems in an item are enough


def test_undefined_groups_are_counted():
    human = np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]])
    found = agreement(CorrelationLevel("segment", "item"), "pearson", 2 * human, human)
    assert (found.defined, found.groups) == (1, 2)
    assert found.value == pytest.approx(1)


def test_pseudo_documents_come_from_the_seed():
    first, again, other = (make_level("document", None, 40, 20, 5, seed).members for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    assert first.shape == (20, 5)
    assert max(Counter(map(tuple, first.tolist())).values()) < 3


@pytest.mark.parametrize(
    ("level", "grouping", "said"),
    [
        ("corpus", None, "level is one of system, segment, document, not 'corpus'"),
        ("segment", "genre", "grouping is one of none, item, system, not 'genre'"),
        ("system", "item", "at system level there is nothing to group"),
    ],
)
def test_views_that_do_not_exist(level, grouping, said):
    with pytest.raises(BadParameter, match=said):
        make_level(level, grouping, 10)


def test_too_few_segments_for_documents():
    with pytest.raises(InputError, match="expected at least 30 segments to draw sets of 30, found 12"):
        make_level("document", None, 12)
