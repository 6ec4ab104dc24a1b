"""Minimum Bayes risk against its definition, and what is refused."""

import math
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textbook import mbr as textbook

import tarocco
from tarocco.core.errors import TaroccoError
from tarocco.decode.mbr import utilities

METRICS = ("ROUGE-L", "BLEUS-4", "BLEU-4", "chrF", "WER", "TER", "ROUGE-2", "GRR-4", "METEOR-exact", "chrF++")
TEXTS = st.lists(st.sampled_from("abcd"), max_size=7).map(" ".join)
LISTS = st.lists(TEXTS, min_size=1, max_size=7)


def utility_of(metric, candidates, references):
    """A segment's score as `tarocco.score` has it, an error negated, as a function."""
    pairs = list(product(dict.fromkeys(candidates), dict.fromkeys(references)))
    found = tarocco.score(*zip(*pairs, strict=True), metrics=metric, tokenize="none")[metric]
    scores = dict(zip(pairs, (found.metric.sign * found.segments).tolist(), strict=True))
    return lambda candidate, reference: scores[candidate, reference]


def expected(metric, candidates, references, probabilities):
    return textbook.expected(candidates, references, probabilities, utility_of(metric, candidates, references))


def check(choice, candidates, values):
    np.testing.assert_allclose(choice.utilities, values, rtol=1e-12, atol=1e-12)
    best = textbook.first_best(values)
    assert (choice.text, choice.rank) == (candidates[best], best + 1)
    for found, value in ((choice.utility, values[best]), (choice.first_utility, values[0])):
        assert found == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("metric", METRICS)
@given(lists=st.lists(LISTS, min_size=1, max_size=3))
@example(lists=[["", "", "a"], ["a b", "b a", "a b", "b a"]])
@example(lists=[["a b c"]])
@example(lists=[["c", "a b", "b a"]])
def test_uniform(metric, lists):
    result = tarocco.mbr(lists, metrics=metric)
    assert len(result) == len(lists)
    for choice, candidates in zip(result, lists, strict=True):
        check(choice, candidates, expected(metric, candidates, candidates, [1 / len(candidates)] * len(candidates)))
        assert (choice.n_candidates, choice.n_texts) == (len(candidates), len(set(candidates)))


SCORED = st.lists(st.tuples(TEXTS, st.floats(-30, 30)), min_size=1, max_size=6)


@given(scored=SCORED, others=SCORED, scale=st.sampled_from([0.0, 0.1, 1.0, 5.0]), n_best=st.integers(1, 6))
def test_weights_and_other_pseudo_references(scored, others, scale, n_best):
    candidates, scores = zip(*scored, strict=True)
    cut = textbook.softmax(scores[:n_best], scale)
    (choice,) = tarocco.mbr([candidates], metrics="ROUGE-L", scale=scale, scores=[scores], n_best=n_best)
    check(choice, candidates[:n_best], expected("ROUGE-L", candidates[:n_best], candidates[:n_best], cut))
    texts, own = zip(*others, strict=True)
    (choice,) = tarocco.mbr([candidates], metrics="chrF", scale=scale, pseudo_references=[texts], pseudo_scores=[own])
    check(choice, candidates, expected("chrF", candidates, texts, textbook.softmax(own, scale)))


@given(candidates=LISTS, repeated=st.lists(st.integers(1, 3), min_size=7, max_size=7))
def test_a_text_that_stands_there_twice_weighs_twice_as_much(candidates, repeated):
    texts = list(dict.fromkeys(candidates))
    copies = [text for text, times in zip(texts, repeated, strict=False) for _ in range(times)]
    scores = [[math.log(times) for _, times in zip(texts, repeated, strict=False)]]
    folded = tarocco.mbr([texts], metrics="BLEUS-2", scale=1, scores=scores).choices[0]
    listed = tarocco.mbr([copies], metrics="BLEUS-2").choices[0]
    assert folded.text == listed.text
    assert folded.utility == pytest.approx(listed.utility, rel=1e-12, nan_ok=True)


@given(candidates=LISTS)
def test_several_metrics(candidates):
    n = len(candidates)
    metrics = ["ROUGE-L", "WER", "chrF"]
    of_each = [expected(metric, candidates, candidates, [1 / n] * n) for metric in metrics]
    (choice,) = tarocco.mbr([candidates], metrics=metrics, weights=[0.5, 2, 1])
    values = [0.5 * a + 2 * b + c for a, b, c in zip(*of_each, strict=True)]
    check(choice, candidates, values)
    (choice,) = tarocco.mbr([candidates], metrics=metrics)
    ranks = [-np.mean(of_text) for of_text in zip(*map(textbook.ranks, of_each), strict=True)]
    check(choice, candidates, ranks)


@given(candidates=st.lists(TEXTS, min_size=1, max_size=5))
def test_queen(candidates):
    metrics = ["ROUGE-L", "WER"]
    near, error = (utility_of(metric, candidates, candidates) for metric in metrics)
    similarities = [near, lambda one, other: 1 + error(one, other)]
    (choice,) = tarocco.mbr([candidates], metrics=metrics, queen=True)
    check(choice, candidates, [textbook.queen(text, candidates, similarities) for text in candidates])


def crowd(n, seed=7, words=12):
    """Texts around one text: the first is far from the others."""
    generator = np.random.default_rng(seed)
    middle = [f"w{k}" for k in range(words)]
    texts = ["x y z"]
    for _ in range(n - 1):
        text = [word if generator.random() > 0.3 else f"v{generator.integers(30)}" for word in middle]
        texts.append(" ".join(text))
    return texts


@pytest.mark.parametrize("metric", ["BLEUS-4", "chrF", "ROUGE-L"])
def test_every_pair_has_the_score_of_the_segment(metric, monkeypatch):
    """A list of many texts, in parts and in one: the very numbers that `tarocco.score` gives."""
    texts = crowd(60)
    found = tarocco.metric(metric)
    column = tarocco.core.test_set.Segments.from_strings(texts)
    pairing = utilities.Pairing(column, column, np.ones(60))
    encoding = tarocco.encode.batch.Encoding("none")
    (table,) = utilities.Utility((found,), encoding, tarocco.MbrOptions()).of_pairs([pairing])
    for r in range(0, 60, 7):
        alone = tarocco.score(texts, [texts[r]] * 60, metrics=metric, tokenize="none")[metric].segments
        assert table[0, r].tolist() == alone.tolist()
    whole = tarocco.mbr([texts], metrics=metric)
    monkeypatch.setattr(utilities, "_PAIRS", 700)
    parts = tarocco.mbr([texts, texts[:3], texts], metrics=metric)
    assert parts.texts == [whole.texts[0], tarocco.mbr([texts[:3]], metrics=metric).texts[0], whole.texts[0]]
    np.testing.assert_allclose(parts.choices[2].utilities, whole.choices[0].utilities, rtol=1e-13)


@pytest.mark.parametrize(
    "options", [{}, {"prune": 0.9}, {"queen": True, "metrics": ["chrF", "TER"]}, {"metrics": ["chrF", "WER"]}]
)
def test_the_same_bytes_with_any_number_of_jobs(options, monkeypatch):
    monkeypatch.setattr(utilities, "_PAIRS", 700)
    lists = [crowd(n, seed) for seed, n in enumerate([40, 3, 25, 60, 2])]
    found = [tarocco.mbr(lists, **options, jobs=jobs) for jobs in (1, 2, 5)]
    for one in found[1:]:
        assert one.texts == found[0].texts
        for a, b in zip(one, found[0], strict=True):
            assert a.utilities.tobytes() == b.utilities.tobytes()


def test_other_processes():
    lists = [crowd(20, seed) for seed in range(3)]
    with ProcessPoolExecutor(1) as executor:
        assert tarocco.mbr(lists, executor=executor).texts == tarocco.mbr(lists).texts


def test_pruning_leaves_the_best_and_the_first():
    texts = crowd(200)
    whole = tarocco.mbr([texts]).choices[0]
    pruned = tarocco.mbr([texts], prune=0.99).choices[0]
    assert (pruned.text, pruned.rank) == (whole.text, whole.rank)
    assert pruned.utility == pytest.approx(whole.utility, rel=1e-12)
    assert pruned.first_utility == pytest.approx(whole.first_utility, rel=1e-12)
    left = ~np.isnan(pruned.utilities)
    assert 2 <= left.sum() < 150
    np.testing.assert_allclose(pruned.utilities[left], whole.utilities[left], rtol=1e-12)
    again = tarocco.mbr([["q"], texts], prune=0.99).choices[1]
    assert again.text == whole.text


@given(candidates=LISTS)
def test_pruning_few_is_no_pruning(candidates):
    """Up to 16 pseudo-references there is nothing to go by but all of them."""
    a, b = (tarocco.mbr([candidates], metrics="WER", prune=prune).choices[0] for prune in (None, 0.9))
    np.testing.assert_allclose(a.utilities, b.utilities, rtol=1e-12)
    assert a.text == b.text


def test_queen_draws_by_the_seed_and_says_so():
    texts = crowd(60)
    results = [
        tarocco.mbr([texts], metrics=["chrF", "TER"], queen=True, seed=seed, max_references=6) for seed in (1, 1, 2)
    ]
    tables = [result.choices[0].utilities.tolist() for result in results]
    assert tables[0] == tables[1] != tables[2]
    assert "|references:6|seed:1|" in results[0].signature


def test_gains():
    lists = [["a b c x", "a b c d"], ["e f", "e f g", "e f g", "e f g h"]]
    result = tarocco.mbr(lists, metrics="ROUGE-L", references=["a b c d", "e f g h"], judges=["WER", "BLEUS-2"])
    wer, bleu = result.gains
    assert (wer.first, wer.oracle, wer.oracle_rank) == (3 / 8, 0.0, 3.0)
    chosen = tarocco.score(result.texts, ["a b c d", "e f g h"], metrics=["WER", "BLEUS-2"], tokenize="none")
    assert (wer.chosen, bleu.chosen) == (chosen["WER"].score, chosen["BLEUS-2"].score)


def test_a_result_shows_itself():
    result = tarocco.mbr([["a b", "a b c", "a b c"]], metrics="WER")
    assert result.rows() == [
        {
            "segment": 1,
            "rank": 2,
            "candidates": 3,
            "texts": 2,
            "utility": pytest.approx(-1 / 6),
            "first_utility": pytest.approx(-2 / 9),
            "text": "a b c",
        }
    ]
    assert result.changed == 1
    assert result.signature.startswith("MBR|utility:one|posterior:uniform|pseudo:own|n:all|v:")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": "NIST-5"}, "NIST-5 weighs n-grams by their counts in all references"),
        ({"metrics": ["chrF", "WER"], "weights": [1]}, "there are 2 metrics, but 1 weights"),
        ({"weights": [math.nan]}, "weights are numbers"),
        ({"queen": True, "weights": [1]}, "it takes no weights"),
        ({"scale": -1}, "scale is a number of at least 0"),
        ({"scale": math.inf}, "scale is a number of at least 0"),
        ({"scale": 1}, "a scale needs scores, but there are no scores for nbest"),
        ({"scale": 1, "scores": [[1]]}, "expected 2 finite scores"),
        ({"scale": 1, "scores": [[1, math.nan]]}, "expected 2 finite scores"),
        ({"scale": 1, "scores": [[1, "x"]]}, "expected 2 finite scores"),
        ({"scale": 1, "scores": []}, "expected 2 finite scores"),
        ({"n_best": 0}, "n_best is an integer of at least 1"),
        ({"prune": 1}, "prune is a confidence between 0 and 1"),
        ({"prune": 0.9, "metrics": ["chrF", "WER"]}, "pruning needs one utility"),
        ({"max_references": 1}, "max_references is an integer from 2 to 64"),
        ({"seed": 0.5}, "seed is an integer"),
        ({"pseudo_references": []}, "there are no pseudo-references for this list"),
        ({"references": ["a"], "nbest": [["a"], ["b"]]}, "there are references for 1 segments, but more lists"),
        ({"nbest": []}, "there are no lists to choose from"),
        ({"nbest": [["a"], []]}, r"segment 1 \(counted from 0\) has no candidates"),
        ({"nbest": 3}, "nbest: expected a file or lists of strings, found int"),
    ],
)
def test_refused(options, message):
    arguments = {"nbest": [["a b", "a"]], **options}
    with pytest.raises(TaroccoError, match=message):
        tarocco.mbr(arguments.pop("nbest"), **arguments)
