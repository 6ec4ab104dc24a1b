"""Lattices that are written and read again are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lattices_drawn import forests, lattices, parts

import tarocco
from tarocco.core.errors import InputError, UnknownName
from tarocco.core.graphs import Forest
from tarocco.io.graphs.formats import FORMATS

OF_LATTICES = FORMATS[:4]
OF_FORESTS = FORMATS[4:]


def again(folder, graphs, format):
    path = folder / "written"
    tarocco.write_lattices(graphs, path, format=format)
    return list(tarocco.read_lattices(path, format=format))


@pytest.mark.parametrize("format", OF_LATTICES)
@given(graph=lattices())
def test_lattices(tmp_path_factory, format, graph):
    (found,) = again(tmp_path_factory.getbasetemp(), graph, format)
    assert parts(found) == parts(graph)


@pytest.mark.parametrize(
    ("format", "names"), [("plf", ["score1", "score2"]), ("slf", ["a", "l"]), ("moses-searchgraph", ["x", "LM0_1"])]
)
@given(data=st.data())
def test_features(tmp_path_factory, format, names, data):
    graph = data.draw(lattices(features=names))
    if format == "plf":  # where the weight is the sum
        graph = graph.weighted(dict.fromkeys(names, 1.0))
    (found,) = again(tmp_path_factory.getbasetemp(), graph, format)
    assert parts(found) == parts(graph) or not len(graph.labels)


@pytest.mark.parametrize("format", OF_FORESTS)
@given(graph=forests())
def test_forests(tmp_path_factory, format, graph):
    (found,) = again(tmp_path_factory.getbasetemp(), graph, format)
    assert parts(found) == parts(graph)


@pytest.mark.parametrize("format", FORMATS)
def test_several(tmp_path, format):
    """Also empty ones, and lattices in place of forests."""
    path = tmp_path / "three.plf"
    path.write_text("((('the',0,1),('a',0,1),),(('cat',0,1),),)\n()\n((('*EPS*',0,1),('x',0,1)),)\n")
    graphs = list(tarocco.read_lattices(path))
    found = again(tmp_path, graphs, format)
    wanted = [Forest.of(graph) for graph in graphs] if format in OF_FORESTS else graphs
    assert [parts(graph) for graph in found] == [parts(graph) for graph in wanted]
    assert [graph.segment for graph in found] == [0, 1, 2]


def test_standard_output(tmp_path, capsys):
    path = tmp_path / "x.plf"
    path.write_text("((('l\\'a',-1,1),),)\n")
    tarocco.write_lattices(tarocco.read_lattices(path), "-", format="plf")
    assert capsys.readouterr().out == "((('l\\'a',-1.0,1),),)\n"


def test_what_cannot_be_written(tmp_path):
    path = tmp_path / "x"
    path.write_text("0 hyp=0 stack=0\n0 hyp=1 back=0 transition=0 forward=-1 out=!NULL *EPS* <eps> [1] |||\n")
    (lattice,) = tarocco.read_lattices(path)
    for format, word in (
        ("plf", r"\*EPS\*"),
        ("slf", "!NULL"),
        ("openfst", "<eps>"),
        ("cdec", r"\[1\]"),
        ("moses-hypergraph", r"\[1\]"),
    ):
        with pytest.raises(InputError, match=f"x, line 1: the word '{word}' cannot be written as {format}"):
            tarocco.write_lattices(lattice, tmp_path / "y", format=format)
        with (
            pytest.raises(InputError, match=f"expected a lattice to write as {format}, found a forest")
            if format in OF_LATTICES
            else pytest.raises(InputError)
        ):
            tarocco.write_lattices(Forest.of(lattice), tmp_path / "y", format=format)
    assert not (tmp_path / "y").exists()
    with pytest.raises(UnknownName, match=r'expected one of the formats plf, .*, found "dot"'):
        tarocco.write_lattices(lattice, tmp_path / "y", format="dot")
