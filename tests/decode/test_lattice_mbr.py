"""Minimum Bayes risk in lattices and forests: in Python, by `tarocco mbr`, on real lattices, and what is refused."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from conftest import PLAIN
from random_graphs import random_forest, random_lattice
from test_graphs import edges_of
from textbook import lattice_mbr, paths

import tarocco
from tarocco.cli import main
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.graphs import Forest
from tarocco.decode.mbr.lattice_mbr import thetas
from tarocco.decode.oracle.forests import unfolded

PLF = "((('a',-1,1),('the',-1.2,2),('the',-1.1,3),),(('cat',0,3),),(('dog',0,2),),(('cat',0,1),),)"


def all_texts(graph):
    """The words and the weight of every derivation."""
    forest = graph if isinstance(graph, Forest) else Forest.of(graph)
    found = list(paths.derivations(edges_of(forest), forest.n_nodes - 1))
    return [words for _, words in found], [float(forest.weights[steps].sum()) for steps, _ in found]


@pytest.mark.parametrize("make", [random_lattice, random_forest])
def test_against_all_texts(make):
    rng = random.Random(5)
    graphs = [make(rng) for _ in range(40 if PLAIN else 400)]
    scale, theta = 0.7, lattice_mbr.thetas(0.8, 0.6, 10)
    result = tarocco.lattice_mbr(graphs, scale=scale, precision=0.8, ratio=0.6)
    assert result.theta == pytest.approx(theta)
    for graph, choice in zip(graphs, result, strict=True):
        texts, weights = all_texts(graph)
        expected = [lattice_mbr.expected_gain(words, theta, texts, weights, scale) for words in texts]
        assert choice.text.split() in texts
        assert choice.gain == pytest.approx(max(expected), abs=1e-10)
        assert choice.first_gain == pytest.approx(expected[texts.index(choice.first.split())], abs=1e-10)
        assert weights[texts.index(choice.first.split())] <= max(weights)


def test_unfolding_keeps_every_derivation():
    rng = random.Random(6)
    for _ in range(100):
        forest = random_forest(rng)
        lattice = unfolded(forest)
        texts, weights = all_texts(forest)
        own, own_weights = all_texts(lattice)
        ours = sorted(zip(own, np.round(own_weights, 9).tolist(), strict=True))
        assert ours == sorted(zip(texts, np.round(weights, 9).tolist(), strict=True))


def test_jobs_change_nothing():
    rng = random.Random(8)
    graphs = [random_lattice(rng) for _ in range(150)]
    assert tarocco.lattice_mbr(graphs, jobs=1).rows() == tarocco.lattice_mbr(graphs, jobs=3).rows()


def test_of_equal_gains_the_one_best():
    rng = random.Random(9)
    graphs = [random_lattice(rng) for _ in range(50)]
    graphs = [replace(one, weights=np.array([rng.random() for _ in one.weights])) for one in graphs]
    result = tarocco.lattice_mbr(graphs, theta=[0.0, 0.0, 0.0, 0.0, 0.0])
    assert [one.text.split() for one in result] == [one.first.split() for one in result]


def test_a_forest_that_is_too_large(monkeypatch):
    monkeypatch.setattr("tarocco.decode.oracle.forests._MOST_ARCS", 3)
    rng = random.Random(1)
    forests = [random_forest(rng) for _ in range(30)]
    with pytest.raises(InputError, match="this forest would have more than 3 arcs"):
        tarocco.lattice_mbr(forests)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"theta": [1.0]}, "theta has one number for words and one per order"),
        ({"theta": [1.0] * 11}, "found 11 numbers"),
        ({"theta": [1.0, float("nan")]}, "theta consists of finite numbers"),
        ({"precision": 0}, "precision is a number above 0 and up to 1, not 0"),
        ({"ratio": 1.5}, "ratio is a number above 0 and up to 1, not 1.5"),
        ({"scale": -1}, "scale is a number of at least 0, not -1"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(BadParameter, match=message):
        tarocco.lattice_mbr([], **arguments)


def test_bad_arguments():
    lattice = random_lattice(random.Random(1))
    for wrong, message in (
        (lattice, "lattices: expected a file or a list of lattices, found Lattice"),
        ([], "there are no lattices to choose from"),
        (["a b"], "lattices: item 0 .counted from 0. is of type str, not a lattice"),
    ):
        with pytest.raises(InputError, match=message):
            tarocco.lattice_mbr(wrong)
    with pytest.raises(InputError, match="lattice 2 has no reference: the references have 1 segments"):
        tarocco.lattice_mbr([lattice, lattice], references=[["a"]])


def test_thetas():
    assert thetas(1.0, 1.0) == (-0.1, 0.025, 0.025, 0.025, 0.025)


# --- the command ---------------------------------------------------------------------------------------------------


def run(capsys, *arguments):
    code = main(["mbr", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.fixture
def plf(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.plf").write_text(f"{PLF}\n\n((('it',0,1),),(('rains',0,1),),)\n")
    (tmp_path / "ref.txt").write_text("the cat\nsays nothing\nit rained\n")
    return "small.plf"


def test_texts_alone(capsys, plf):
    code, out, err = run(capsys, plf)
    assert (code, out) == (0, "the cat\n\nit rains\n")
    assert err == "tarocco: note: 1 of 3 lattices have no words: the empty text was chosen there\n"


def test_formats_say_the_same(capsys, plf):
    options = (plf, "--scale", 0.5, "--precision", 0.8, "--ratio", 0.7, "-r", "ref.txt", "--by", "WER", "-q")
    result = tarocco.lattice_mbr(
        plf, scale=0.5, precision=0.8, ratio=0.7, references=["the cat", "says nothing", "it rained"], judges="WER"
    )
    told = json.loads(run(capsys, *options, "-f", "json")[1])
    assert (told["command"], told["signature"], told["theta"]) == ("mbr", result.signature, list(result.theta))
    assert told["results"] == result.to_dict()
    assert told["scores"] == result.score_rows()
    header, *lines = run(capsys, *options, "-f", "tsv")[1].splitlines()
    assert header.split("\t") == list(result.rows()[0])
    assert [line.split("\t")[-2] for line in lines] == result.texts
    table = run(capsys, *options)[1]
    assert "MBR changed the 1-best in 1 of 3 lattices" in table
    assert f"MBR     {result.mean_gain:.4f}" in table
    by_segment = run(capsys, *options, "--level", "segment", "-f", "md")[1]
    assert "| the cat |" in by_segment


def test_standard_input_and_other_formats(capsys, plf, tmp_path, monkeypatch):
    fst = tmp_path / "l.fst"
    fst.write_text("0 1 a a 1\n0 1 b b 0.5\n1\n")
    assert run(capsys, fst)[1] == "b\n"
    slf = tmp_path / "l.slf"
    slf.write_text("N=2 L=2\nJ=0 S=0 E=1 W=a l=-3\nJ=1 S=0 E=1 W=b l=-1\n")
    assert run(capsys, slf)[1] == "b\n"
    assert run(capsys, slf, "--without", "b", "a")[1] == "\n"
    assert run(capsys, slf, "--theta", 0, -1)[1] == "a\n"


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (PLF, ["-m", "chrF"], "-m is for n-best lists, and f has lattices or forests"),
        (PLF, ["--queen"], "--queen is for n-best lists"),
        (PLF, ["--weights", 1], "--weights is for n-best lists"),
        (PLF, ["--prune"], "--prune is for n-best lists"),
        (PLF, ["--n-best", 2], "--n-best is for n-best lists"),
        (PLF, ["--references-from", "g"], "--references-from is for n-best lists"),
        (PLF, ["--tokenize", "13a"], "lattices and forests have words, which are not tokenized again with"),
        (PLF, ["--theta", 1, 2, "--ratio", 0.5], "--precision and --ratio are for computing them"),
        (PLF, ["--theta", 1], "found 1 numbers"),
        (PLF, ["--scale", "nan"], "scale is a number of at least 0"),
        (PLF, ["--by", "WER"], "give -r"),
        (PLF + "\n" + PLF, ["-r", "one"], "f, line 2: lattice 2 has no reference: the references have 1 segments"),
        ("0 ||| a\n", ["--theta", 1, 2], "--theta is for lattices and forests, and f has n-best lists"),
        ("0 ||| a\n", ["--without", "a"], "--without is for lattices and forests"),
        ("0 1 a a\n1 0 b b\n1\n", [], "f, line 1: expected a lattice without cycles, found one through state 0"),
        ("((('a',nan,1),),)\n", [], "f, line 1"),
        ("((__import__('os'),),)\n", [], "f, line 1"),
        ("what is this\n", [], "expected n-best lists, lattices or forests"),
        ("((('a',1e308,1),('b',-1e308,1),),)\n", ["--scale", "10"], "f, line 1: the weights, times a scale of 10"),
    ],
)
def test_refused(capsys, tmp_path, monkeypatch, content, options, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f").write_text(content)
    (tmp_path / "one").write_text("a\n")
    code, out, err = run(capsys, "f", *options)
    assert (code, out) == (1, "")
    assert message in err
    assert err.count("\n") == 1


# --- real lattices -------------------------------------------------------------------------------------------------


def test_fisher(shared):
    """On every fourth lattice of a recognizer: never worse than the 1-best by gain, and fewer errors in words."""
    folder = shared("data", "lattices-forests", "fisher-spanish-plf")
    graphs = list(tarocco.read_lattices(folder / "dev.plf"))[::4]
    texts = (folder / "dev.oracle_path.es").read_text().split("\n")[:-1][::4]
    result = tarocco.lattice_mbr(graphs, scale=0.5, references=texts, judges="WER")
    assert all(one.gain >= one.first_gain - 1e-9 for one in result)
    assert result.scores["MBR"]["WER"].score < result.scores["1-best"]["WER"].score


@pytest.mark.parametrize("name", ["hg", "hg_balanced", "hg_int", "lattice", "tiny", "tiny_lattice"])
def test_cdec(shared, name):
    (forest,) = tarocco.read_lattices(shared("data", "lattices-forests", "cdec", f"hg_test.{name}"))
    texts, weights = all_texts(forest)
    theta = lattice_mbr.thetas(0.85, 0.72, 10)
    (choice,) = tarocco.lattice_mbr([forest], scale=0.5)
    posterior = lattice_mbr.posteriors(texts, weights, 0.5, 4)
    assert choice.gain == pytest.approx(max(lattice_mbr.gain(words, theta, posterior) for words in texts))


@pytest.mark.parametrize("name", ["denseonly", "sparse"])
def test_moses(shared, name):
    """With a large scale the most probable path is all there is, and its n-grams are certain."""
    folder = shared("data", "lattices-forests", "moses-hg")
    (forest,) = tarocco.read_lattices(folder / f"mert.hgdecode-{name}.hg.txt")
    weighted = forest.weighted(dict.fromkeys(forest.features.names, 1.0))
    (choice,) = tarocco.lattice_mbr([weighted], scale=1e6)
    assert choice.text == choice.first
    n = len(choice.text.split())
    counts = [n - k for k in range(4)]
    assert choice.gain == pytest.approx(thetas()[0] * n + sum(a * b for a, b in zip(counts, thetas()[1:], strict=True)))
