"""Oracles against all paths and derivations, one by one."""

import random

import numpy as np
import pytest
from conftest import PLAIN
from hypothesis import assume, given
from hypothesis import strategies as st
from lattices_drawn import forests, lattices
from random_graphs import all_texts, best_rate, random_forest, random_lattice, random_references, words_of
from test_graphs import edges_of
from textbook import oracles, paths

import tarocco
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.graphs import Forest, Lattice
from tarocco.decode.oracle.forests import as_lattice
from tarocco.decode.oracle.search import best_derivation, number_words
from tarocco.metrics.edit.rates import Automaton

# Sums of these are exact, so that equal means equal.
EXACT = [(1, 1.0, 0.0), (4, 1.0, 0.0), (2, -1.0, 0.5), (3, 0.0, 1.0), (4, 0.5, -0.25), (5, -0.5, 0.0), (6, 2.0, 2.0)]
ROUNDED = [(4, -0.9, 1.0), (2, 0.3, 0.1), (3, 1 / 3, -0.7)]
MANY = 40 if PLAIN else 160  # graphs of each kind under each metric: 3200 in all, and as many again below


def name_of(order, alpha, beta):
    return f"GRR-{order}:alpha={alpha}:beta={beta}"


@pytest.mark.parametrize("make", [random_lattice, random_forest])
@pytest.mark.parametrize("setting", EXACT + ROUNDED)
def test_thousands(make, setting):
    rng = random.Random(str(setting))
    graphs = [make(rng) for _ in range(MANY)]
    references = [random_references(rng) for _ in graphs]
    found = tarocco.oracle(graphs, references, metric=name_of(*setting))
    assert found.exact
    scores = found.of("oracle").segments.tolist()
    for graph, own, text, score in zip(graphs, references, found.texts, scores, strict=True):
        texts = all_texts(graph)
        assert tuple(text.split()) in texts
        assert score == pytest.approx(best_rate(texts, own, setting), abs=1e-9)
        inside = best_derivation(
            number_words(Forest.of(graph) if isinstance(graph, Lattice) else graph, own), Automaton(*setting)
        )
        if any(own):  # what the search collected is what the metric says of the text; it weighs by the mean size
            sizes = [Automaton(*setting).size(len(words)) for words in words_of(own)]
            mean = sum(sizes) / len(sizes)
            inside = inside.rate * mean / mean
            assert inside == score if setting in EXACT else inside == pytest.approx(score, abs=1e-12)


@given(lattices(words=st.sampled_from("abc")), st.lists(st.text("abcd ", max_size=8), min_size=1, max_size=3))
def test_drawn_lattices(lattice, references):
    found = tarocco.oracle([lattice], [references], metric="GRR-3:alpha=0.5")
    assert found.of("oracle").score == pytest.approx(
        best_rate(all_texts(lattice), [" ".join(r.split()) for r in references], (3, 0.5, 0.0))
    )
    as_forest = tarocco.oracle([Forest.of(lattice)], [references], metric="GRR-3:alpha=0.5")
    assert as_forest.texts == found.texts
    assert as_forest.oracles[0].behind == pytest.approx(found.oracles[0].behind, abs=1e-6) or not lattice.weights.any()


@given(forests(words=st.sampled_from("abc")), st.lists(st.text("abcd ", max_size=8), min_size=1, max_size=2))
def test_drawn_forests(forest, references):
    assume(forest.n_derivations < 500)
    found = tarocco.oracle([forest], [references], metric="GRR-4")
    assert found.of("oracle").score == pytest.approx(
        best_rate(all_texts(forest), [" ".join(r.split()) for r in references], (4, 1.0, 0.0))
    )


@pytest.mark.parametrize("name", ["WER", "1-WER", "WRR"])
def test_word_error_rate(name):
    rng = random.Random(7)
    graphs = [rng.choice([random_lattice, random_forest])(rng) for _ in range(MANY)]
    references = [random_references(rng) for _ in graphs]
    found = tarocco.oracle(graphs, references, metric=name)
    for graph, own, score in zip(graphs, references, found.of("oracle").segments.tolist(), strict=True):
        best = best_rate(all_texts(graph), own, (1, 1.0, 0.0))
        assert score == pytest.approx(1 - best if name == "WER" else best)


def test_an_oracle_is_no_worse_than_anything_else():
    """The corpus score, too: it is a weighted mean of segments."""
    rng = random.Random(11)
    graphs = [random_lattice(rng) for _ in range(50)]
    references = [random_references(rng) for _ in graphs]
    found = tarocco.oracle(graphs, references, metric="GRR-4", also=["WER", "BLEU-4"])
    assert found.of("oracle").score >= found.of("1-best").score
    assert [(score.system, str(score.metric)) for score in found.scores.scores] == [
        (system, metric) for system in ("1-best", "oracle") for metric in ("GRR-4", "WER", "BLEU-4")
    ]
    best = [graph.text(graph.best().steps) for graph in graphs]
    assert list(found.first) == best
    alone = tarocco.score(
        {"1-best": best, "oracle": found.texts}, references, metrics=["GRR-4", "WER"], tokenize="none"
    )
    for system in alone:
        assert alone[system]["WER"].score == found.scores[system]["WER"].score


@pytest.mark.parametrize("make", [random_lattice, random_forest])
def test_how_deep_oracles_are(make):
    """Behind the best text by the weight of the best derivation of the oracle's text."""
    rng = random.Random(19)
    graphs = [make(rng) for _ in range(MANY)]
    found = tarocco.oracle(graphs, [random_references(rng) for _ in graphs])
    for graph, one in zip(graphs, found.oracles, strict=True):
        forest = graph if isinstance(graph, Forest) else Forest.of(graph)
        derivations = paths.derivations(edges_of(forest), forest.n_nodes - 1)
        weights = [(" ".join(words), forest.weights[steps].sum()) for steps, words in derivations]
        own = max(weight for text, weight in weights if text == one.text)
        assert one.behind == pytest.approx(max(weight for _, weight in weights) - own, abs=1e-9)


def test_threads_change_nothing():
    rng = random.Random(3)
    graphs = [random_lattice(rng) for _ in range(200)] + [random_forest(rng) for _ in range(100)]
    references = [random_references(rng) for _ in graphs]
    for options in ({}, {"metric": "BLEUS-4"}):
        one, other = (tarocco.oracle(graphs, references, jobs=jobs, **options) for jobs in (1, 5))
        assert one.oracles == other.oracles
        assert one.rows() == other.rows()


def test_ties_go_to_the_first_arc():
    def lattice(*words):
        n = len(words)
        return Lattice(
            words, 2, *np.zeros((1, n), np.int32), *np.ones((1, n), np.int32), np.arange(n, dtype=np.int32), np.zeros(n)
        )

    assert tarocco.oracle([lattice("x", "y", "z")], ["a"]).texts == ("x",)
    assert tarocco.oracle([lattice("z", "y", "x")], ["a"]).texts == ("z",)
    assert tarocco.oracle([lattice("z", "a", "x")], ["a"]).texts == ("a",)


def test_long_texts():
    """A path of 400 words among alternatives: it is found, and so is what comes next to it."""
    rng = random.Random(29)
    words = [f"w{i}" for i in range(50)]
    columns = [rng.sample(range(50), 3) for _ in range(400)]
    sources = np.repeat(np.arange(400, dtype=np.int32), 3)
    labels = np.array(columns, np.int32).ravel()
    lattice = Lattice(tuple(words), 401, sources, sources + 1, labels, np.zeros(1200))
    text = " ".join(words[rng.choice(column)] for column in columns)
    found = tarocco.oracle([lattice], [text], metric="GRR-4")
    assert found.texts == (text,)
    assert found.of("oracle").score == 1
    longer = tarocco.oracle([lattice], [f"{text} end"], metric="GRR-4")
    assert longer.texts[0].split()[:-1] == text.split()[:-1]


# --- several oracles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", [*EXACT[:4], ROUNDED[0]])
def test_k_best(setting):
    rng = random.Random(str(setting))
    graphs = [random_lattice(rng, most=6) for _ in range(MANY // 4)]
    references = [random_references(rng) for _ in graphs]
    everything = tarocco.oracle(graphs, references, metric=name_of(*setting), k=10_000)
    some = tarocco.oracle(graphs, references, metric=name_of(*setting), k=3)
    for graph, own, one, few in zip(graphs, references, everything.oracles, some.oracles, strict=True):
        texts = all_texts(graph)
        assert {tuple(text.split()) for text, _ in one.k_best} == texts
        assert len(one.k_best) == len(texts)
        rates = sorted((oracles.rate(list(text), words_of(own), *setting) for text in texts), reverse=True)
        assert [score for _, score in one.k_best] == pytest.approx(rates, abs=1e-9)
        assert [score for _, score in few.k_best] == pytest.approx(rates[:3], abs=1e-9)
        assert few.text == few.k_best[0][0]


def test_forests_that_are_lattices():
    rng = random.Random(5)
    for _ in range(50):
        lattice = random_lattice(rng)
        again = as_lattice(Forest.of(lattice))
        assert all_texts(again) == all_texts(lattice)
        assert again.best().score == pytest.approx(lattice.best().score)
        references = [random_references(rng)]
        assert [score for _, score in tarocco.oracle([Forest.of(lattice)], references, k=4).oracles[0].k_best] == [
            score for _, score in tarocco.oracle([lattice], references, k=4).oracles[0].k_best
        ]


def test_several_oracles_of_a_forest():
    rng = random.Random(1)
    forest = next(f for f in (random_forest(rng) for _ in range(100)) if as_lattice(f) is None)
    with pytest.raises(InputError, match="drawn, line 1: several oracles need a lattice, and this is a forest"):
        tarocco.oracle([forest], ["a"], k=2)


# --- BLEU ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [random_lattice, random_forest])
def test_bleu(make):
    rng = random.Random(13)
    graphs = [make(rng) for _ in range(MANY // 3)]
    references = [random_references(rng, longest=7) for _ in graphs]
    narrow, wide = (tarocco.oracle(graphs, references, metric="BLEUS-4", beam=beam) for beam in (1, 5000))
    assert not narrow.exact
    assert narrow.how == "approximate|beam:1"
    scores = [found.of("oracle").segments.tolist() for found in (narrow, wide)]
    exact = narrow.of("oracle of GRR-4").segments.tolist()
    for graph, own, text, one, all_kept, rival in zip(graphs, references, narrow.texts, *scores, exact, strict=True):
        if not any(own):
            continue
        texts = all_texts(graph)
        best = max(oracles.smoothed_bleu(list(text), words_of(own)) for text in texts)
        assert tuple(text.split()) in texts
        assert rival <= one <= best + 1e-9
        assert all_kept == pytest.approx(best)  # a beam that keeps everything finds the best


# --- lists ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["chrF", "TER", "BLEUS-4", "GRR-4", "NIST-5"])
def test_lists(name):
    rng = random.Random(17)
    lists = [[" ".join(rng.choices("abcde", k=rng.randint(0, 6))) for _ in range(rng.randint(1, 8))] for _ in range(40)]
    references = [" ".join(rng.choices("abcde", k=rng.randint(1, 6))) for _ in lists]
    found = tarocco.oracle(lists, references, metric=name, k=2)
    sign = found.of("oracle").metric.sign
    for i, (candidates, one) in enumerate(zip(lists, found.oracles, strict=True)):
        # Each candidate in turn beside the first ones of all other lists, so that NIST knows of all references.
        systems = {
            str(c): [*(other[0] for other in lists[:i]), text, *(other[0] for other in lists[i + 1 :])]
            for c, text in enumerate(candidates)
        }
        scored = tarocco.score(systems, references, metrics=name, tokenize="none")
        scores = [sign * scored[str(c)][name].segments[i] for c in range(len(candidates))]
        assert one.rank == 1 + int(np.argmax(scores))
        assert one.text == candidates[one.rank - 1]
        assert one.first == candidates[0]
        assert [text for text, _ in one.k_best] == list(
            dict.fromkeys(candidates[c] for c in np.argsort(-np.array(scores), kind="stable"))
        )[:2]
    assert sign * found.of("oracle").segments.sum() >= sign * found.of("1-best").segments.sum()
    assert found.behind is None


# --- odd input -----------------------------------------------------------------------------------------------------


def read(tmp_path, text):
    (tmp_path / "lattices").write_text(text)
    return tarocco.read_lattices(tmp_path / "lattices")


def test_empty_lattices_and_references(tmp_path):
    found = tarocco.oracle(read(tmp_path, "()\n((('a',-1,1),('*EPS*',-2,1),),)\n\n"), ["a b", "", ""])
    assert found.texts == ("", "", "")
    assert found.n_empty == 2
    assert found.of("oracle").segments.tolist() == [0, 1, 1]
    assert found.oracles[1].behind == 1.0
    assert found.notes == ["2 of 3 segments are empty: their oracle is the empty text"]


def test_words_are_compared_in_lower_case(tmp_path):
    plf = "((('The',-1,1),('a',0,1),),(('CAT',0,1),),)\n"
    assert tarocco.oracle(read(tmp_path, plf), ["the cat"], lowercase=True).texts == ("The CAT",)
    assert tarocco.oracle(read(tmp_path, plf), ["the CAT"]).of("oracle").score == pytest.approx(1 / 3)


def test_given_texts_weights_and_words_left_out(tmp_path):
    hypergraph = """# target ||| features ||| source-covered
3 4
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] the cat ||| LM0=-2.5 ||| 2
[0] a cat ||| LM0=-2 ||| 2
# node 2
1
[1] </s> |||  ||| 2
"""
    bare = tarocco.oracle(read(tmp_path, hypergraph), ["the cat"], without=["<s>", "</s>"])
    assert (bare.texts, bare.first, bare.behind) == (("the cat",), None, None)
    assert bare.notes == ["there are no weights, so there is no 1-best: name its file with --best"]
    given = tarocco.oracle(
        read(tmp_path, hypergraph), ["the cat"], without=["<s>", "</s>"], best=["a dog"], weights={"LM0": 1.0}
    )
    assert (list(given.first), given.behind.tolist()) == (["a dog"], [0.5])
    with pytest.raises(InputError, match="there are 2 best texts, but the references have 1 segments"):
        tarocco.oracle(read(tmp_path, hypergraph), ["the cat"], best=["a dog", "b"])


def test_refusals(tmp_path):
    lattice = next(read(tmp_path, "((('a',-1,1),),)\n"))
    with pytest.raises(
        BadParameter, match=r"GRR-k, WER and 1-WER \(exactly\) and BLEU \(approximately\), not under chrF"
    ):
        tarocco.oracle([lattice], ["a"], metric="chrF")
    with pytest.raises(BadParameter, match="select=rate"):
        tarocco.oracle([lattice], [["a", "b"]], metric="WER:select=distance")
    assert tarocco.oracle([lattice], ["a"], metric="WER:select=distance").texts == ("a",)
    with pytest.raises(BadParameter, match="cannot be tokenized"):
        tarocco.oracle([lattice], ["a"], tokenize="13a")
    with pytest.raises(BadParameter, match="k is an integer from 1 to 10000, not 0"):
        tarocco.oracle([lattice], ["a"], k=0)
    with pytest.raises(
        InputError, match="there are 1 lattices, but the references have 2 segments; segment 2 has none"
    ):
        tarocco.oracle([lattice], ["a", "b"])
    with pytest.raises(InputError, match="line 1: lattice 2 has no reference: the references have 1 segments"):
        tarocco.oracle([lattice, lattice], ["a"])
    with pytest.raises(InputError, match="expected a list of lattices or forests, one per segment, found a single one"):
        tarocco.oracle(lattice, ["a"])
    with pytest.raises(InputError, match=r"item 1 \(counted from 0\) is of type str, not a lattice"):
        tarocco.oracle([lattice, "a"], ["a", "a"])
    with pytest.raises(InputError, match="there is nothing to search"):
        tarocco.oracle([], ["a"])


def test_too_large(monkeypatch, tmp_path):
    monkeypatch.setattr("tarocco.decode.oracle.search._MOST_BYTES", 100)
    with pytest.raises(InputError, match="with a reference of 3 words this takes 0 GiB of memory"):
        tarocco.oracle(read(tmp_path, "((('a',-1,1),),)\n"), ["a a a"])


def test_derivations_longer_than_the_forest():
    """A node used twice, ten times over: the best text under a reward for words has 1024."""
    heads, tails, items = [0], [], [0]
    for node in range(1, 11):
        heads.append(node)
        tails += [node - 1, node - 1]
        items += [-1, -2]
    forest = Forest(
        ("a",),
        11,
        np.array(heads, np.int32),
        np.array([0, *range(0, 21, 2)]),
        np.array(tails, np.int32),
        np.array([0, *range(1, 22, 2)]),
        np.array(items, np.int32),
        np.zeros(11),
    )
    found = tarocco.oracle([forest], ["a b"], metric="GRR-2:alpha=-1")
    assert found.texts == (" ".join(["a"] * 1024),)
    assert found.of("oracle").score == (1023 + 1) / 3
