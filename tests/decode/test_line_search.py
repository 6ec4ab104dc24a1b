"""The exact line search equals a scan of all places where anything can change."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from textbook import line_search

import tarocco
from tarocco.decode.tuning.mert import MertSearch, TuningObjective, best_of_lists, climb_all, normalize, profile

# Whole numbers of a few sizes make many ties: lines that are parallel, equal, or cross where others do.
LINES = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=6)
LISTS = st.lists(LINES, min_size=1, max_size=5)


def bleu_like(lists, seed):
    """Statistics of BLEU-1 for made-up candidates: matches, words, and the reference's words."""
    random = np.random.default_rng(seed)
    metric = tarocco.metric("BLEU-1")
    rows = tarocco.statistics(
        metric,
        [" ".join(random.choice(list("abcx"), random.integers(0, 5))) for lines in lists for _ in lines],
        [" ".join("aabbc") for lines in lists for _ in lines],
        tokenize="none",
    )
    return TuningObjective.of([metric], [1.0], [rows])


def arrays(lists):
    bounds = np.concatenate([[0], np.cumsum([len(lines) for lines in lists])]).astype(np.intp)
    heights, slopes = (np.array([line[i] for lines in lists for line in lines], np.float64) for i in (0, 1))
    return heights, slopes, bounds


@given(LISTS, st.integers(0, 1000))
def test_the_profile_is_the_score_at_every_place(lists, seed):
    objective = bleu_like(lists, seed)
    heights, slopes, bounds = arrays(lists)
    found = profile(heights, slopes, bounds, objective)

    def score(picked):
        return objective.of_choice(np.array(picked) + bounds[:-1])

    for place in line_search.between(line_search.crossings(lists)):
        assert found.at(float(place)) == score(line_search.chosen(lists, place))
    step = found.best()
    assert step.goodness == line_search.best(lists, score)
    assert found.at(step.length) == step.goodness


@given(LISTS, st.integers(0, 1000), st.floats(0.1, 0.9))
def test_weighted_sums_are_sums_of_scores_with_errors_negative(lists, seed, share):
    random = np.random.default_rng(seed)
    metrics = [tarocco.metric(name) for name in ("BLEU-2", "WER")]
    texts = [" ".join(random.choice(list("abcx"), random.integers(1, 5))) for lines in lists for _ in lines]
    rows = [tarocco.statistics(metric, texts, ["a a b b c"] * len(texts), tokenize="none") for metric in metrics]
    objective = TuningObjective.of(metrics, [share, 1 - share], rows)
    heights, slopes, bounds = arrays(lists)

    def score(picked):
        bleu, wer = (
            metric.score(own[np.array(picked) + bounds[:-1]].sum(axis=0))
            for metric, own in zip(metrics, rows, strict=True)
        )
        return share * bleu - (1 - share) * wer

    step = profile(heights, slopes, bounds, objective).best()
    assert np.isclose(step.goodness, line_search.best(lists, score), rtol=0, atol=1e-12)


@given(LISTS)
def test_the_first_of_the_highest_is_chosen(lists):
    heights, _, bounds = arrays(lists)
    assert (best_of_lists(heights, bounds) - bounds[:-1]).tolist() == line_search.chosen(lists, 0)


@given(st.integers(0, 10_000))
def test_a_climb_never_loses_and_ends_where_no_line_gains(seed):
    random = np.random.default_rng(seed)
    lists = [[(0, 0)] * random.integers(1, 6) for _ in range(random.integers(1, 5))]
    objective = bleu_like(lists, seed)
    bounds = arrays(lists)[2]
    features = random.integers(-3, 4, (bounds[-1], 3)).astype(np.float64)
    tuning = MertSearch(features, bounds, objective, np.array([True, True, False]), 2, seed)
    start = np.array([1.0, -0.5, 0.25])
    found = climb_all(tuning, start, 2, jobs=1)
    assert [one.number for one in found] == [0, 1, 2]
    for one, other in zip(found, climb_all(tuning, start, 2, jobs=2), strict=True):
        assert one.weights.tobytes() == other.weights.tobytes()
    first = found[0]
    assert first.goodness >= objective.of_choice(tuning.choose(start))
    assert first.goodness == objective.of_choice(tuning.choose(first.weights))
    heights = tuning.scores(first.weights)
    for k in (0, 1):
        best = profile(heights, features[:, k].copy(), bounds, objective).best()
        there = normalize(first.weights + best.length * np.eye(3)[k])
        assert objective.of_choice(tuning.choose(there)) <= first.goodness + 1e-9


def test_weights_that_are_held_keep_their_ratio():
    features = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    objective = bleu_like([[(0, 0)] * 3], 3)
    tuning = MertSearch(features, np.array([0, 3]), objective, np.array([True, False, False]), 3, 7)
    for one in climb_all(tuning, np.array([1.0, 2.0, -4.0]), 3):
        assert np.isclose(one.weights[1] / one.weights[2], -0.5)
