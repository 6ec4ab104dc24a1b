"""The kernels that search forests, compiled or not: tests/decode looks at many more forests, compiled."""

import random

import pytest
from random_graphs import random_forest, random_lattice, random_references
from test_graphs import edges_of
from textbook import oracles, paths

import tarocco
from tarocco.core.graphs import Forest, Lattice


@pytest.mark.parametrize("make", [random_lattice, random_forest])
def test_against_all_derivations(make):
    rng = random.Random(23)
    graphs = [make(rng) for _ in range(60)]
    references = [random_references(rng, longest=4) for _ in graphs]
    exact = tarocco.oracle(graphs, references, metric="GRR-3:alpha=-0.5:beta=0.25").of("oracle").segments
    near = tarocco.oracle(graphs, references, metric="BLEUS-4", beam=200).of("oracle").segments
    for graph, own, score, bleu in zip(graphs, references, exact, near, strict=True):
        forest = Forest.of(graph) if isinstance(graph, Lattice) else graph
        texts = {tuple(words) for _, words in paths.derivations(edges_of(forest), forest.n_nodes - 1)}
        words = [text.split() for text in own if text] or [[]]
        assert score == pytest.approx(max(oracles.rate(list(text), words, 3, -0.5, 0.25) for text in texts))
        if any(own):
            assert bleu <= max(oracles.smoothed_bleu(list(text), words) for text in texts) + 1e-9
