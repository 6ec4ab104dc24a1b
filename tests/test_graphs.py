"""Lattices and forests: counting, best paths and texts against all paths one by one."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lattices_drawn import PLACE, forests, lattices, parts
from textbook import paths

from tarocco.core.graphs import Forest
from tarocco.io.graphs.builder import LatticeBuilder


def arcs_of(lattice):
    words = [*lattice.words, ""]
    return list(
        zip(lattice.sources.tolist(), lattice.targets.tolist(), [words[i] for i in lattice.labels], strict=True)
    )


def edges_of(forest):
    def cut(values, starts):
        return [values[a:b].tolist() for a, b in itertools.pairwise(starts)]

    items = [
        [forest.words[item] if item >= 0 else item for item in some] for some in cut(forest.items, forest.item_starts)
    ]
    return list(zip(forest.heads.tolist(), cut(forest.tails, forest.tail_starts), items, strict=True))


@given(lattices())
def test_lattices(lattice):
    arcs = arcs_of(lattice)
    every = list(paths.paths(arcs, 0, lattice.n_nodes - 1))
    assert lattice.n_paths == len(every)
    best = lattice.best()
    assert best.steps.tolist() in every
    assert best.score == pytest.approx(max(lattice.weights[steps].sum() for steps in every), abs=1e-6)
    for steps in every[:20]:
        assert lattice.text(steps) == " ".join(arcs[step][2] for step in steps if arcs[step][2])
    assert (np.diff(lattice.sources) >= 0).all()
    assert (lattice.sources < lattice.targets).all()


@given(lattices(features=["one", "two"]))
def test_a_lattice_is_a_forest(lattice):
    forest = Forest.of(lattice)
    words = [arc[2] for arc in arcs_of(lattice)]
    every = list(paths.paths(arcs_of(lattice), 0, lattice.n_nodes - 1))
    found = list(paths.derivations(edges_of(forest), forest.n_nodes - 1))
    texts = sorted([word for word in (words[step] for step in steps) if word] for steps in every)
    assert sorted(text for _, text in found) == texts
    assert forest.best().score == pytest.approx(lattice.best().score, abs=1e-6)
    assert lattice.weighted({"two": 2.0}).weights.tolist() == (2 * lattice.features.dense()[:, 1:].sum(axis=1)).tolist()
    both = {"one": 1.0, "two": 2.0}
    best = lattice.weighted(both).best().score
    assert forest.weighted(both).best().score == pytest.approx(best, rel=1e-9, abs=1e-6)


@given(forests(), st.integers(1, 40))
def test_forests(forest, k):
    forest = forest.weighted({"LM": 1.0, "a=b": -0.5})
    every = {tuple(steps): words for steps, words in paths.derivations(edges_of(forest), forest.n_nodes - 1)}
    assert forest.n_derivations == len(every)
    found = forest.k_best(k)
    assert len({tuple(best.steps.tolist()) for best in found}) == len(found) == min(k, len(every))
    scores = sorted((forest.weights[list(steps)].sum() for steps in every), reverse=True)
    assert [best.score for best in found] == pytest.approx(scores[:k], abs=1e-6)
    for best in found:
        assert forest.text(best.steps) == " ".join(every[tuple(best.steps.tolist())])


@given(lattices(), forests())
def test_without_words(lattice, forest):
    for graph, words_of in (
        (lattice, lambda g: [a[2] for a in arcs_of(g)]),
        (forest, lambda g: [e[2] for e in edges_of(g)]),
    ):
        found = graph.without({"a", "the"})
        assert not {"a", "the"} & set(found.words)
        if graph is lattice:
            assert words_of(found) == [word if word not in ("a", "the") else "" for word in words_of(graph)]
        else:
            assert words_of(found) == [[i for i in items if i not in ("a", "the")] for items in words_of(graph)]
        assert parts(found.without(())) == parts(found)


def test_very_many_paths():
    """A float's worth is counted exactly; more is infinite, and costs no more."""
    arcs = LatticeBuilder(PLACE)
    for node in range(3000):
        arcs.add(node, node + 1, "a", 0.0)
        arcs.add(node, node + 1, "b", -1.0)
    lattice = arcs.lattice(0, {3000: 0.0})
    assert lattice.n_paths == Forest.of(lattice).n_derivations == math.inf
    assert lattice.text(lattice.best().steps) == " ".join(["a"] * 3000)
    assert Forest.of(lattice).text(Forest.of(lattice).best().steps) == " ".join(["a"] * 3000)
    short = LatticeBuilder(PLACE)
    for node in range(1000):
        short.add(node, node + 1, "a", 0.0)
        short.add(node, node + 1, "b", -1.0)
    assert short.lattice(0, {1000: 0.0}).n_paths == 2**1000


def test_the_empty_text():
    lattice = LatticeBuilder(PLACE).lattice(0, {0: 0.0})
    assert (lattice.empty, lattice.n_nodes, lattice.n_paths, lattice.text(lattice.best().steps)) == (True, 1, 1, "")
    forest = Forest.of(lattice)
    assert (forest.empty, forest.n_derivations, forest.text(forest.best().steps)) == (True, 1, "")


@given(lattices(features=["x"]), st.randoms(use_true_random=False), st.booleans())
def test_nodes_and_arcs_in_any_order(lattice, random, joined):
    """Whatever nodes are called and wherever they stand, the texts and their weights are the same."""
    names = random.sample(range(100), lattice.n_nodes)
    arcs = list(
        zip(*(a.tolist() for a in (lattice.sources, lattice.targets, lattice.labels, lattice.weights)), strict=True)
    )
    random.shuffle(arcs)
    other = LatticeBuilder(PLACE)
    for source, target, label, weight in arcs:
        other.add(names[source], names[target], (*lattice.words, "")[label], weight)
    found = other.lattice(names[0], {names[-1]: -2.0 if joined else 0.0})
    assert (found.sources < found.targets).all()

    def texts(one):
        every = paths.paths(list(zip(one.sources.tolist(), one.targets.tolist(), strict=True)), 0, one.n_nodes - 1)
        return sorted((one.text(steps), round(one.weights[steps].sum(), 3)) for steps in every)

    less = -2.0 if joined else 0.0
    wanted = sorted((text, round(weight + less, 3)) for text, weight in texts(lattice))
    assert [text for text, _ in texts(found)] == [text for text, _ in wanted]
    assert [weight for _, weight in texts(found)] == pytest.approx([weight for _, weight in wanted], abs=0.01)
