"""Lattices and forests as files have them: small ones by hand, in every format; and whole real files."""

import gzip
import lzma
import math
import re

import pytest
from textbook import paths

import tarocco
from tarocco.core.errors import InputError
from tarocco.core.graphs import Forest
from tarocco.io.graphs.formats import read_feature_weights


def read(tmp_path, text, **how):
    path = tmp_path / "lattices.txt"
    path.write_text(text, "utf-8")
    return list(tarocco.read_lattices(path, **how))


def texts(lattice):
    """All paths' texts and weights, the best ones first."""
    if isinstance(lattice, Forest):
        found = [(best.score, lattice.text(best.steps)) for best in lattice.k_best(1000)]
    else:
        arcs = list(zip(lattice.sources.tolist(), lattice.targets.tolist(), strict=True))
        every = paths.paths(arcs, 0, lattice.n_nodes - 1)
        found = [(float(lattice.weights[steps].sum()), lattice.text(steps)) for steps in every]
    return sorted([(text, round(score, 6)) for score, text in found], key=lambda pair: (-pair[1], pair[0]))


# --- PLF -----------------------------------------------------------------------------------------------------------


def test_plf(tmp_path):
    first, blank, second, empty = read(
        tmp_path,
        "((('the',-0.5,1),('a',-1,1),('*EPS*', -2e0, 2),),(('cat',0,1),),)\n"
        "\n"
        """ ( ( ( u'l\\'\\u00e9t\\xe9' , .5 , 1 ) , ) , ( ("\\"o\\\\k\\"",+1.,1,) ) )\n"""
        "()\n",
    )
    assert texts(first) == [("the cat", -0.5), ("a cat", -1.0), ("", -2.0)]
    assert (first.segment, first.line, first.features) == (0, 1, None)
    assert (blank.empty, empty.empty, second.empty) == (True, True, False)
    assert texts(second) == [('l\'été "o\\k"', 1.5)]
    assert (empty.segment, empty.line) == (3, 4)


def test_plf_with_several_scores(tmp_path):
    (lattice,) = read(tmp_path, "((('the',-0.5,-1,1),('a',-1,-0.25,1)),)")
    assert lattice.features.names == ("score1", "score2")
    assert lattice.features.dense().tolist() == [[-0.5, -1], [-1, -0.25]]
    assert lattice.weights.tolist() == [-1.5, -1.25]


def test_words_that_are_several(tmp_path):
    """An arc with a phrase is a chain; the weight is the first word's."""
    (lattice,) = read(tmp_path, "((('New  York',-1,1),('',0,1)),(('is',-2,1),),)")
    assert lattice.n_nodes == 4
    assert texts(lattice) == [("is", -2.0), ("New York is", -3.0)]


# --- SLF -----------------------------------------------------------------------------------------------------------

SLF = """VERSION=1.0
UTTERANCE="an utterance"
lmscale=2.0 wdpenalty=-0.5
# a comment
N=4 L=4
I=0 t=0.0
I=1
I=2
I=3
J=0 S=0 E=1 W=the v=0 a=-1.5 l=-0.5
J=1 S=0 E=1 W="a \\"b\\"" a=-1.0 l=-1.0
J=2 S=1 E=2 W=!NULL a=0 l=0
J=3 S=1 E=3 W=c\\303\\251t\\\\ a=-2.0 l=-1.0
"""


def test_slf(tmp_path):
    (lattice,) = read(tmp_path, SLF)
    assert texts(lattice) == [("the", -3.0), ('a "b"', -3.5), ("the cét\\", -7.5), ('a "b" cét\\', -8.0)]
    # Nodes 2 and 3 were both final; a "b" is two arcs.
    assert (lattice.n_nodes, len(lattice.labels), lattice.features.names) == (6, 7, ("a", "l"))
    assert lattice.features.dense()[:, 1].sum() == -2.5


def test_slf_with_words_on_nodes(tmp_path):
    nodes = "N=4 L=4\nI=0 W=!NULL\nI=1 W=the\nI=2 W=a\nI=3 W=cat\n"
    links = "J=0 START=0 END=1 l=-1\nJ=1 S=0 E=2 l=-2\nJ=2 S=1 E=3 l=0\nJ=3 S=2 E=3 l=0\n"
    (lattice,) = read(tmp_path, "VERSION=1.0\nbase=10\n" + nodes + links)
    assert texts(lattice) == [("the cat", round(-math.log(10), 6)), ("a cat", round(-2 * math.log(10), 6))]
    (lattice,) = read(
        tmp_path, ("VERSION=1.0\nbase=0\n" + nodes + links).replace("=0\nJ", "=1\nJ").replace("-", ".")[:-2] + "1\n"
    )
    assert texts(lattice)[0] == ("a cat", round(math.log(0.2), 6))
    (lattice,) = read(tmp_path, ("VERSION=1.0\n" + nodes + links).replace("!NULL", "so"))
    assert texts(lattice)[0] == ("so the cat", -1.0)


def test_several_slf_in_a_file(tmp_path):
    one = "VERSION=1.0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W={} a=-1\n"
    found = read(
        tmp_path, one.format("x") + one.format("y") + ".\n" + "VERSION=1.0\nN=0 L=0\n" + ".\n" + one.format("z")
    )
    assert [texts(lattice) for lattice in found] == [[("x", -1)], [("y", -1)], [("", 0)], [("z", -1)]]
    assert [lattice.segment for lattice in found] == [0, 1, 2, 3]


# --- OpenFst -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "0 1 x the 0.5\n0\t1\ty\ta\t1.5\n1 2 z cat\n2\n",
        "0 1 the 0.5\n0 1 a 1.5\n1 2 cat\n2 0\n",
        "5 1 the 0.5\n5 1 a 1.5\n1 2 cat 0\n2 0\n",
        "7 9 the the 0.5\n9 3 cat cat\n3\n7 9 a a 1.5\n",
    ],
)
def test_openfst(tmp_path, text):
    (lattice,) = read(tmp_path, text)
    assert texts(lattice) == [("the cat", -0.5), ("a cat", -1.5)]


def test_openfst_with_finals_and_symbols(tmp_path):
    symbols = tmp_path / "words.txt"
    symbols.write_text("<eps> 0\nthe 1\ncat 2\n")
    text = "0 1 1 1 0.5\n1 2 0 0\n1 0.25\n2 0.75\n\n0\n\n\n0 1 2 2\n1\n"
    first, second, third = read(tmp_path, text, symbols=symbols)
    assert texts(first) == [("the", -0.75), ("the", -1.25)]
    assert (second.empty, texts(third), third.segment) == (True, [("cat", 0)], 2)
    assert texts(read(tmp_path, text)[0]) == [("1", -0.75), ("1", -1.25)]  # numbers are words, and 0 is none
    assert texts(read(tmp_path, "utt-1\n0 1 a a\n1\n\nutt-2\n0 1 b b\n1\n", format="openfst")[1]) == [("b", 0)]


# --- Moses ---------------------------------------------------------------------------------------------------------

GRAPH = """3 hyp=0 stack=0
3 hyp=1 stack=1 back=0 score=-1.5 transition=-1.5 forward=4 fscore=-3 covered=0-0 out=the
3 hyp=2 stack=1 back=0 score=-2 transition=-2 recombined=1 forward=4 fscore=-3.5 covered=0-0 out=a , pC=-0.1, c=-0.2
3 hyp=5 stack=1 back=0 score=-9 transition=-9 forward=8 fscore=-9 covered=1-1 out=dead end
3 hyp=4 stack=2 back=1 score=-3 transition=-1.5 forward=-1 fscore=-3 covered=1-1 out=small cat
3 hyp=6 stack=2 back=1 score=-4 transition=-2.5 forward=-1 fscore=-4 covered=1-1 out=dog
7 hyp=0 stack=0 forward=1 fscore=0
7 hyp=1 stack=1 back=0 transition=-1 forward=-1 fscore=0 covered=0-0 scores="LM0=-2 TM0= -1 -.5" out="Katze|cat"
"""


def test_search_graphs(tmp_path):
    first, second = read(tmp_path, GRAPH)
    assert texts(first) == [("the small cat", -3), ("a small cat", -3.5), ("the dog", -4), ("a dog", -4.5)]
    assert (first.segment, first.n_pruned, second.segment, second.line) == (3, 1, 7, 7)
    assert texts(second) == [("cat", -1)]
    assert second.features.names == ("LM0", "TM0_1", "TM0_2")
    assert second.features.dense().tolist() == [[-2, -1, -0.5]]
    old = "0 hyp=0 stack=0\n0 hyp=4 back=0 transition=-1 forward=-1 scores=[ d: -2 w: -1 lm: 0 ] out=das|the house\n"
    (lattice,) = read(tmp_path, old)
    assert (lattice.features.names, lattice.words) == (("d", "w", "lm"), ("the", "house"))


HYPERGRAPH = """# target ||| features ||| source-covered
5 6
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] the |||  LM0=-1 a=b=0.5 ||| 1
[0] # a ||| LM0=-2  ||| 1
# node 2
1
# cat ||| LM0=-1 ||| 1
# node 3
0
# node 4
2
[1] big [2] </s> ||| ||| 2
[2] [3] ||| ||| 2
"""


def test_hypergraphs(tmp_path):
    forest, again = read(tmp_path, HYPERGRAPH * 2)
    assert (forest.n_nodes, forest.n_pruned, forest.n_derivations, again.segment, again.line) == (4, 1, 2, 1, 19)
    assert forest.features.names == ("LM0", "a=b")
    weighted = forest.weighted({"LM0": 1, "a=b": 1})
    assert texts(weighted) == [("<s> the big # cat </s>", -1.5), ("<s> # a big # cat </s>", -3)]
    assert texts(weighted.without({"<s>", "</s>"}))[0] == ("the big # cat", -1.5)


def test_weights_of_features(tmp_path):
    path = tmp_path / "weights"
    path.write_text("# ours\nLM0= 0.5\nTM0= 1 -2\nD0= 0.1\nD0= 0.2\n\nsparse 3e-1\n")
    assert read_feature_weights(path) == {"LM0": 0.5, "TM0_1": 1, "TM0_2": -2, "D0_1": 0.1, "D0_2": 0.2, "sparse": 0.3}


# --- cdec ----------------------------------------------------------------------------------------------------------

CDEC = """{"rules":[1,"[X] ||| a ||| \\"the\\" ||| f=1",2,"[X] ||| [X] b [X] ||| [2] cat [X,1]"],"features":["LM","TM"],
"edges":[{"tail":[],"spans":[0,1,0,1],"feats":[1,-0.5],"rule":1}],"node":{"in_edges":[0],"cat":"X"},
"edges":[],"node":{"in_edges":[]},
"edges":[{"tail":[0,1],"feats":[],"rule":2},{"tail":[1,0],"feats":[0,-2,1,1],"rule":2}],"node":{"in_edges":[1,2]}}
"""


def test_cdec(tmp_path):
    forest, again = read(tmp_path, CDEC + "\n" + CDEC)
    assert texts(forest.weighted({"LM": 1, "TM": 2})) == [('"the" cat', -1), ('cat "the"', -1)]
    assert (again.segment, again.line, again.features.names) == (1, 6, ("TM", "LM"))


# --- files ---------------------------------------------------------------------------------------------------------


def test_compressed_and_standard_input(tmp_path, monkeypatch):
    data = b"((('a',0,1),),)\n"
    (tmp_path / "x.gz").write_bytes(gzip.compress(data))
    (tmp_path / "x.xz").write_bytes(lzma.compress(data))
    for name in ("x.gz", "x.xz"):
        assert [lattice.words for lattice in tarocco.read_lattices(tmp_path / name)] == [("a",)]
    with open(tmp_path / "plain", "wb") as file:
        file.write(data)
    with open(tmp_path / "plain") as file:
        monkeypatch.setattr("sys.stdin", file)
        (lattice,) = tarocco.read_lattices("-")
    assert lattice.where == "standard input, line 1"


def test_a_directory(tmp_path):
    folder = tmp_path / "forests"
    folder.mkdir()
    for number in (10, 2):
        (folder / f"{number}.txt").write_text(HYPERGRAPH)
    assert [forest.segment for forest in tarocco.read_lattices(folder)] == [2, 10]
    (folder / "3.txt").write_text(HYPERGRAPH * 2)
    with pytest.raises(InputError, match=r"3\.txt: expected one lattice per file in a directory, found 2"):
        list(tarocco.read_lattices(folder))


def test_a_stream(tmp_path):
    """What is wrong further down does not keep the first ones."""
    path = tmp_path / "x.plf"
    path.write_text("((('a',0,1),),)\nwrong\n")
    lattices = tarocco.read_lattices(path)
    assert next(lattices).words == ("a",)
    with pytest.raises(InputError, match="line 2"):
        next(lattices)


def test_long_and_deep_lines(tmp_path):
    """No recursion: hundreds of thousands of columns, or of brackets."""
    (lattice,) = read(tmp_path, "(" + "(('a',0,1),)," * 100_000 + ")")
    assert (lattice.n_nodes, lattice.words) == (100_001, ("a",))
    for text in ("(" * 1_000_000, '{"rules":' + "[" * 1_000_000, "((('" + "\\'" * 1_000_000):
        with pytest.raises(InputError, match="line 1"):
            read(tmp_path, text)


# --- real files ----------------------------------------------------------------------------------------------------


def test_fisher(shared):
    folder = shared("data", "lattices-forests", "fisher-spanish-plf")
    lattices = list(tarocco.read_lattices(folder / "dev.plf"))
    one_best = (folder / "dev.asr1best.es").read_text("utf-8").split("\n")
    assert (len(lattices), sum(not lattice.empty for lattice in lattices)) == (3979, 3963)
    assert sum(len(lattice.labels) for lattice in lattices) == 122139
    assert max(lattice.n_paths for lattice in lattices) == 67_598_720
    same = sum(a.text(a.best().steps) == b.strip() for a, b in zip(lattices, one_best, strict=False) if not a.empty)
    assert same >= 3900  # the recognizer's best is nearly always that of the weights


def test_hypergraphs_of_moses(shared):
    folder = shared("data", "lattices-forests", "moses-hg")
    sizes = {}
    for name in ("denseonly", "sparse"):
        (forest,) = tarocco.read_lattices(folder / f"mert.hgdecode-{name}.hg.txt")
        sizes[name] = (forest.n_nodes, len(forest.heads), forest.n_pruned)
        if name == "denseonly":  # the weights of the other one's sparse features are not in the folder
            forest = forest.weighted(read_feature_weights(folder / f"mert.hgdecode-{name}.dense.weights"))
            truth = (folder / f"mert.hgdecode-{name}.truth.txt").read_text("utf-8").split("\n")
            best = forest.best()
            assert forest.text(best.steps) == truth[0].removeprefix("STDOUT_1=").strip()
            total = dict(zip(forest.features.names, forest.features.dense()[best.steps].sum(axis=0), strict=True))
            wanted = dict(re.findall(r"(?m)^STDERR_\d+=(.+)=(\S+)$", "\n".join(truth)))
            assert len(wanted) > 40
            for feature, value in wanted.items():
                assert total[feature] == pytest.approx(float(value), rel=1e-5)
    assert sizes == {"denseonly": (2239, 5342, 0), "sparse": (1248, 4032, 0)}


def test_forests_of_cdec(shared):
    folder = shared("data", "lattices-forests", "cdec")
    found = {path.suffix: list(tarocco.read_lattices(path)) for path in sorted(folder.glob("hg_test.*"))}
    assert {suffix: [f.n_derivations for f in forests] for suffix, forests in found.items()} == {
        ".hg": [4],
        ".hg_balanced": [16],
        ".hg_int": [4],
        ".lattice": [10],
        ".tiny": [2],
        ".tiny_lattice": [4],
    }
    lattice = found[".lattice"][0].weighted({"Feature_1": 1})
    assert texts(lattice)[0] == ("A B C", -0.01)
    assert len(list(tarocco.read_lattices(folder / "out.plf"))) == 5
