"""The kernels that expand lattices, compiled or not: tests/decode looks at many more lattices, compiled."""

import random

import pytest
from random_graphs import random_lattice
from test_graphs import edges_of
from textbook import lattice_mbr, paths

import tarocco
from tarocco.core.graphs import Forest


@pytest.mark.parametrize("theta", [lattice_mbr.thetas(0.85, 0.72, 10), [-0.2, 0.1, 0.5]], ids=str)
def test_against_all_paths(theta):
    rng = random.Random(29)
    graphs = [random_lattice(rng, most=6) for _ in range(60)]
    for graph, choice in zip(graphs, tarocco.lattice_mbr(graphs, scale=0.5, theta=theta), strict=True):
        forest = Forest.of(graph)
        found = list(paths.derivations(edges_of(forest), forest.n_nodes - 1))
        texts, weights = [words for _, words in found], [float(forest.weights[steps].sum()) for steps, _ in found]
        expected = [lattice_mbr.expected_gain(words, theta, texts, weights, 0.5) for words in texts]
        assert choice.gain == pytest.approx(max(expected), abs=1e-12)
        assert choice.text.split() in texts
