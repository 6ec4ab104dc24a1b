"""N-gram posteriors and best paths of lattices, against all paths."""

import random

import numpy as np
import pytest
from conftest import PLAIN
from hypothesis import given
from hypothesis import strategies as st
from lattices_drawn import PLACE, lattices
from random_graphs import random_lattice
from test_graphs import arcs_of
from textbook import lattice_mbr, paths

from tarocco.core.errors import InputError
from tarocco.decode.mbr.lattice_mbr import ExpandedLattice
from tarocco.io.graphs.builder import LatticeBuilder

MANY = 100 if PLAIN else 1500
THETAS = [
    lattice_mbr.thetas(0.85, 0.72, 10),
    lattice_mbr.thetas(0.5, 0.6, 1, order=2),
    [-0.4, 1.0],
    [0.1, -0.3, 0.0, 0.7],
    [0.0] * 7,
    [-0.2, 0.3, 0.1, 0.2, 0.5, 0.4, 0.1],
]


def all_paths(lattice):
    """The words and the weight of every path."""
    found = list(paths.paths(arcs_of(lattice), 0, lattice.n_nodes - 1))
    texts = [lattice.text(np.array(one, np.int32)).split() for one in found]
    return texts, [float(lattice.weights[one].sum()) if one else 0.0 for one in found]


def words_of(expanded, gram):
    """The word numbers of an n-gram."""
    words = ()
    while gram:
        words = (int(expanded.grams[gram, 2]), *words)
        gram = int(expanded.grams[gram, 0])
    return words


def check(lattice, theta, scale):
    order = len(theta) - 1
    texts, weights = all_paths(lattice)
    expected = lattice_mbr.posteriors(texts, weights, scale, order)
    expanded = ExpandedLattice.of(lattice, order, scale)
    posteriors = expanded.posteriors()
    found = {
        tuple(lattice.words[number] for number in words_of(expanded, gram)): posteriors[gram]
        for gram in range(1, len(posteriors))
    }
    assert found == pytest.approx(expected, abs=1e-12)
    assert posteriors[0] == 1
    gains = expanded.gains(theta, posteriors)
    path = expanded.best_path(gains)
    words = lattice.text(path).split()
    best = max(lattice_mbr.gain(text, theta, expected) for text in texts)
    assert lattice_mbr.gain(words, theta, expected) == pytest.approx(best, abs=1e-10)
    assert lattice_mbr.expected_gain(words, theta, texts, weights, scale) == pytest.approx(best, abs=1e-10)
    assert expanded.gain(gains, path) == pytest.approx(best, abs=1e-10)
    first = lattice.best().steps
    assert expanded.gain(gains, first) == pytest.approx(
        lattice_mbr.gain(lattice.text(first).split(), theta, expected), abs=1e-10
    )
    assert [words, float(lattice.weights[path].sum())] in [list(one) for one in zip(texts, weights, strict=True)]


@pytest.mark.parametrize("theta", THETAS, ids=str)
def test_thousands(theta):
    rng = random.Random(str(theta))
    for _ in range(MANY):
        check(random_lattice(rng, most=7), theta, rng.choice([0.0, 0.5, 1.0, 3.0]))


@given(lattices(words=st.sampled_from("ab"), most=8), st.sampled_from(THETAS), st.sampled_from([0.0, 1e-6, 1e-3, 1.0]))
def test_drawn(lattice, theta, scale):
    check(lattice, theta, scale)


def line(words, weight=0.0):
    arcs = LatticeBuilder(PLACE)
    for place, word in enumerate(words.split()):
        arcs.add(place, place + 1, word, weight)
    return arcs


def test_an_ngram_that_overlaps_itself_counts_once():
    """In a a a a every n-gram of a's occurs, whatever its expected count is."""
    lattice = line("a a a a a").lattice(0, {5: 0.0})
    expanded = ExpandedLattice.of(lattice, 4, 1.0)
    assert expanded.posteriors().tolist() == [1.0] * 5
    gains = expanded.gains([-1.0, 1.0, 10.0, 100.0, 1000.0], expanded.posteriors())
    assert expanded.gain(gains, expanded.best_path(gains)) == 5 * 0 + 4 * 10 + 3 * 100 + 2 * 1000


def test_of_equal_gains_the_best_weight():
    arcs = LatticeBuilder(PLACE)
    for word, weight in (("a", -3.0), ("b", -1.0), ("c", -1.0), ("d", -2.0)):
        arcs.add(0, 1, word, weight)
    lattice = arcs.lattice(0, {1: 0.0})
    expanded = ExpandedLattice.of(lattice, 1, 0.0)
    gains = expanded.gains([-1.0, 1.0], expanded.posteriors())
    assert lattice.text(expanded.best_path(gains)) == "b"


def test_more_paths_than_a_number_can_count():
    """Every column offers two words: 2 ** 1500 paths, all of them equally probable."""
    arcs = LatticeBuilder(PLACE)
    for column in range(1500):
        arcs.add(column, column + 1, f"a{column}", 0.0)
        arcs.add(column, column + 1, f"b{column}", 0.0)
    lattice = arcs.lattice(0, {1500: 0.0})
    assert lattice.n_paths == float("inf")
    posteriors = ExpandedLattice.of(lattice, 2, 1.0).posteriors()
    assert posteriors[1:] == pytest.approx(0.5 ** ExpandedLattice.of(lattice, 2, 1.0).lengths[1:])


def test_many_paths_of_small_weight_against_one():
    """2 ** 1500 paths that weigh log(2) * 1500 less than one other are as probable together; and e times less."""
    for less in (0.0, 1.0):
        arcs = LatticeBuilder(PLACE)
        arcs.add(0, 1500, "one", 0.0)
        for column in range(1500):
            for word in ("a", "b"):
                arcs.add(column, column + 1, word, -np.log(2) - less / 1500)
        expanded = ExpandedLattice.of(arcs.lattice(0, {1500: 0.0}), 1, 1.0)
        by_word = {words_of(expanded, gram): share for gram, share in enumerate(expanded.posteriors())}
        assert by_word[(0,)] == pytest.approx(1 / (1 + np.exp(-less)), rel=1e-9)


def test_case():
    lattice = line("Cat cat CAT").lattice(0, {3: 0.0})
    assert len(ExpandedLattice.of(lattice, 1, 1.0).grams) == 4
    assert len(ExpandedLattice.of(lattice, 1, 1.0, lowercase=True).grams) == 2


def test_no_words():
    lattice = LatticeBuilder(PLACE).lattice(0, {0: 0.0})
    expanded = ExpandedLattice.of(lattice, 4, 1.0)
    gains = expanded.gains(THETAS[0], expanded.posteriors())
    assert expanded.best_path(gains).tolist() == []
    assert expanded.gain(gains, np.zeros(0, np.int32)) == 0


def test_refused(monkeypatch):
    with pytest.raises(InputError, match="the weights, times a scale of 1e\\+308, are too large to be added up"):
        ExpandedLattice.of(line("a b", -1e200).lattice(0, {2: 0.0}), 4, 1e308)
    monkeypatch.setattr("tarocco.decode.mbr.lattice_mbr._MOST_STEPS", 64)
    arcs = LatticeBuilder(PLACE)
    for column in range(6):
        for word in "abcd":
            arcs.add(column, column + 1, word, 0.0)
    with pytest.raises(InputError, match="with histories of 3 words this lattice has more than 64 arcs; prune it"):
        ExpandedLattice.of(arcs.lattice(0, {6: 0.0}), 4, 1.0)
