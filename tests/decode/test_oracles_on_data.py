"""Oracles of real lattices and forests, where the answer is known."""

import pytest
from random_graphs import all_texts, best_rate
from test_graphs import arcs_of
from textbook import oracles

import tarocco


def test_fisher(shared):
    """The recognizer's output against itself: where it is a path of its lattice, the oracle is it, and scores 1."""
    folder = shared("data", "lattices-forests", "fisher-spanish-plf")
    graphs = list(tarocco.read_lattices(folder / "dev.plf"))[::4]
    texts = (folder / "dev.asr1best.es").read_text().split("\n")[:-1][::4]
    found = tarocco.oracle(graphs, texts)
    same = 0
    for graph, text, oracle, score in zip(graphs, texts, found.texts, found.of("oracle").segments, strict=True):
        inside = oracles.accepts(arcs_of(graph), 0, graph.n_nodes - 1, text.split())
        assert (oracle == text, score == 1) == (inside, inside)
        same += inside
    assert 900 < same < len(graphs)


@pytest.mark.parametrize("name", ["denseonly", "sparse"])
def test_moses(shared, name):
    """The decoder's best against itself, and against something else: no better than the k best say."""
    folder = shared("data", "lattices-forests", "moses-hg")
    (forest,) = tarocco.read_lattices(folder / f"mert.hgdecode-{name}.hg.txt")
    truth = (folder / f"mert.hgdecode-{name}.truth.txt").read_text().split("\n")[0].partition("=")[2].strip()
    itself = tarocco.oracle([forest], [truth])
    assert itself.texts == (truth,)
    assert itself.of("oracle").score == 1
    reference = "<s> since mid September the EU matters and the national management matters of four centres . </s>"
    several = tarocco.oracle([forest], [reference], k=5)
    one = tarocco.oracle([forest], [reference])
    assert several.oracles[0].k_best[0][1] == one.of("oracle").score
    assert len({text for text, _ in several.oracles[0].k_best}) == 5
    assert (
        several.of("oracle").score
        > tarocco.score([truth], [reference], metrics="GRR-4", tokenize="none")["GRR-4"].score
    )


@pytest.mark.parametrize("name", ["hg", "hg_balanced", "hg_int", "lattice", "tiny", "tiny_lattice"])
def test_cdec(shared, name):
    (forest,) = tarocco.read_lattices(shared("data", "lattices-forests", "cdec", f"hg_test.{name}"))
    assert forest.n_derivations < 5000
    words = sorted(forest.words)
    for reference in (words, words[::-1], words[::2] * 2):
        found = tarocco.oracle([forest], [" ".join(reference)])
        assert found.of("oracle").score == pytest.approx(
            best_rate(all_texts(forest), [" ".join(reference)], (4, 1.0, 0.0))
        )
