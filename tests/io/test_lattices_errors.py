"""What is wrong with a lattice is one sentence, with file and line; nothing that a file holds is run."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tarocco
from tarocco.core.errors import InputError, UnknownName
from tarocco.io.graphs.formats import FORMATS, read_feature_weights

HEADER = "# target ||| features ||| source-covered\n"
RULES = '{"rules":[1,"[X] ||| a ||| a",2,"[X] ||| [X] ||| [1]"],"features":["f"],'
LEAF = '"edges":[{"tail":[],"feats":[],"rule":1}],"node":{"in_edges":[0]}'

# (the file, what is said after the file's name)
WRONG = [
    ("", ": expected lattices or forests, found an empty file"),
    ("\ufeff", ": expected lattices or forests, found an empty file"),
    (
        "hello world\n",
        ", line 1: expected lattices or forests (plf, slf, openfst, moses-searchgraph, moses-hypergraph, "
        'cdec), found "hello world"',
    ),
    # PLF
    (
        "((('a',0,1),),)\n((__import__('os').system('true'),),)",
        ", line 2, character 3: expected an arc ('word', score, distance), found "
        "\"__import__('os').system('true'),),)\"",
    ),
    (
        "((('a'+'b',0,1),),)",
        ", line 1, character 3: expected an arc ('word', score, distance), found \"('a'+'b',0,1),),)\"",
    ),
    (
        "((('a',exit(),1),),)",
        ", line 1, character 3: expected an arc ('word', score, distance), found \"('a',exit(),1),),)\"",
    ),
    ("((('a',0x1,1),),)", ', line 1: expected a finite number as score, found "0x1"'),
    ("((('a',nan,1),),)", ', line 1: expected a finite number as score, found "nan"'),
    ("((('a',-inf,1),),)", ', line 1: expected a finite number as score, found "-inf"'),
    ("((('a',1e999,1),),)", ', line 1: expected a finite number as score, found "1e999"'),
    ("((('a',1_0,1),),)", ', line 1: expected a finite number as score, found "1_0"'),
    ("((('a',0,1.0),),)", ', line 1: expected a whole number as distance of an arc, found "1.0"'),
    ("((('a',0,-1),),)", ', line 1: expected a whole number as distance of an arc, found "-1"'),
    (
        "((('a',0,0),),)",
        ", line 1, character 3: expected an arc with a distance of at least 1, found \"('a',0,0),),)\"",
    ),
    (
        "((('a',0,2),),)",
        ", line 1: expected arcs to node 1, after the last column, or to nodes before it, found an arc "
        'of "a" from node 0 to node 2',
    ),
    ("((('a',1),),)", ", line 1, character 3: expected an arc ('word', score, distance), found \"('a',1),),)\""),
    (
        "((('a',0,0,1),('b',0,1),),)",
        ', line 1: expected 2 scores per arc, as the first arc has, found 1 for "b"',
    ),
    (
        "((('a',0,2),),(('b',0,1),),)",
        ", line 1: expected every node on a path from the start to a final node, found column 1 on none",
    ),
    (
        "((('a',0,1),('b',0,2)),(),(('c',0,1),))",
        ", line 1: expected every node on a path from the start to a final node, found column 1 on none",
    ),
    ("((),)", ", line 1: expected a path from the start, column 0, to a final node, found none"),
    ("((('a',0,1),),) x", ', line 1, character 17: expected the end of the line after the lattice, found "x"'),
    ("((('a',0,1),)", ", line 1, character 14: expected ) after the last column, found the end of the line"),
    ("(('a',0,1))", ", line 1, character 3: expected an arc ('word', score, distance), found \"'a',0,1))\""),
    ("((('\\q',0,1),),)", ', line 1: expected the escape of a character, found \\q in "\\q"'),
    ("((('\\ud800',0,1),),)", ', line 1: expected the escape of a character, found \\ud800 in "\\ud800"'),
    # SLF
    ("VERSION=1.0\nI=0\n", ", line 1: expected N=, the number of nodes, in the header, found none"),
    ("N=2 L=1\nI=0\nJ=0 S=0 E=0\n", ", line 1: expected 2 nodes as the header says (N=), found 1"),
    ("N=2 L=2\nJ=0 S=0 E=1\n", ", line 1: expected 2 links as the header says (L=), found 1"),
    ("N=2 L=1\nJ=0 S=0 E=7\n", ", line 2: expected a node of the lattice, found E=7"),
    ("N=2 L=1\nJ=0 S=0\n", ", line 2: expected a link with S= and E=, found no E="),
    ("N=2 L=1\nJ=0 S=0 E=1 a=NaN\n", ', line 2: expected a finite number as a=, found "NaN"'),
    (
        "N=2 L=2\nJ=0 S=0 E=1 a=0 l=0\nJ=1 S=0 E=1 a=0\n",
        ", line 3: expected the same scores as in the first link, a= l=, found a=",
    ),
    ("N=2 L=2\nJ=0 S=0 E=1\nJ=0 S=0 E=1\n", ", line 3: expected each link once, found link 0 twice"),
    ("N=2 L=1\nI=0\nI=0\nJ=0 S=0 E=1\n", ", line 3: expected each node once, found node 0 twice"),
    ("N=2 L=2\nJ=0 S=0 E=1\nJ=1 S=1 E=0\n", ", line 1: expected a lattice without cycles, found links to all nodes"),
    (
        "N=4 L=4\nJ=0 S=0 E=1\nJ=1 S=1 E=2\nJ=2 S=2 E=1\nJ=3 S=2 E=3\n",
        ", line 1: expected a lattice without cycles, found one through node 1",
    ),
    (
        "N=3 L=1\nI=0\nI=1\nI=2\nJ=0 S=0 E=1\n",
        ", line 1: expected one start node, found no link to node 0 nor to node 2",
    ),
    (
        "start=0 end=1\nN=3 L=1\nI=0\nI=1\nI=2\nJ=0 S=0 E=1\n",
        ", line 1: expected every node on a path from the start to a final node, found node 2 on none",
    ),
    ("N=2 L=1\nJ=0 S=0 E=1 W\n", ', line 2: expected fields name=value, found "W"'),
    ("SUBLAT=x\nN=2 L=1\nJ=0 S=0 E=1\n", ", line 1: expected a lattice without sub-lattices, found SUBLAT=x"),
    ("base=0\nN=2 L=1\nJ=0 S=0 E=1 a=-1\n", ", line 3: expected likelihoods above 0 because of base=0, found -1.0"),
    (
        "base=1\nN=2 L=1\nJ=0 S=0 E=1 a=-1\n",
        ", line 1: expected a base of logarithms above 1, or 0 for likelihoods, found 1",
    ),
    # OpenFst
    ("0 1 a a\n1 0 b b\n1\n", ", line 1: expected a lattice without cycles, found one through state 0"),
    ("0 0 a a\n0\n", ", line 1: expected a lattice without cycles, found one through state 0"),
    ("0 1 a a\n", ", line 1: expected a final node, found none"),
    (
        "0 1 a a\n2 3 a a\n1\n3\n",
        ", line 1: expected every node on a path from the start to a final node, found state 2 on none",
    ),
    (
        "0 1 a a\n1 2 a a\n1\n",
        ", line 1: expected every node on a path from the start to a final node, found state 2 on none",
    ),
    ("0 1 a a Infinity\n1\n", ', line 1: expected a finite number as weight, found "Infinity"'),
    (
        "0 1 a a 0 0\n1\n",
        ", line 1: expected lattices or forests (plf, slf, openfst, moses-searchgraph, moses-hypergraph, "
        'cdec), found "0 1 a a 0 0"',
    ),
    ("0 1 a a\n0 x a a\n1\n", ', line 2: expected a whole number as state, found "x"'),
    ("0 1 a a 1\n0 1 a\n1\n", ', line 2: expected source target input output [weight], found "0 1 a"'),
    ("0 1 a a\n1\n1 2\n", ", line 3: expected each final state once, found state 1 twice"),
    # Moses
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=0 transition=-1 forward=-1\n",
        ", line 2: expected out= and transition= in a hypothesis, found no out=",
    ),
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=7 transition=-1 forward=-1 out=a\n",
        ", line 1: expected a line for hypothesis 7, which other lines refer to, found none",
    ),
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=0 transition=nan forward=-1 out=a\n",
        ', line 2: expected a finite number as transition=, found "nan"',
    ),
    ("0 hyp=0 stack=0\n0 hyp=1 back=0 transition=0 forward=2 out=a\n", ", line 1: expected a final node, found none"),
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=0 transition=0 forward=-1 out=a\n0 hyp=1 back=0 transition=0 forward=-1 out=b\n",
        ", line 3: expected each hypothesis once, found hypothesis 1 twice",
    ),
    ("1 hyp=0 stack=0\n0 hyp=0 stack=0\n", ", line 2: expected sentences in the order of their ids, found 0 after 1"),
    (
        '0 hyp=0 stack=0\n0 hyp=1 back=0 transition=0 scores="a=1" out="|a"\n0 hyp=2 back=0 transition=0 out=b\n',
        ", line 3: expected scores= in all hypotheses or in none, found none",
    ),
    (HEADER + "1\n", ', line 2: expected the numbers of nodes and edges, found "1"'),
    (HEADER + "2 2\n1\na ||| ||| 0\n1\n[0] b ||| x ||| 0\n", ', line 6: expected features name=value, found "x"'),
    (
        HEADER + "2 2\n1\na ||| ||| 0\n1\n[0] b ||| x=nan ||| 0\n",
        ', line 6: expected a finite number as value of the feature x, found "nan"',
    ),
    (HEADER + "2 2\n1\na ||| ||| 0\n1\n[2] b ||| ||| 0\n", ", line 6: expected nodes from 0 to 1, found [2]"),
    (
        HEADER + "2 2\n1\na ||| ||| 0\n",
        ", line 4: expected the number of edges of node 1 after this line, found the end of the hypergraph",
    ),
    (
        HEADER + "2 3\n1\na ||| ||| 0\n1\n[0] ||| ||| 0\n",
        ", line 1: expected 3 edges as the hypergraph's first line says, found 2",
    ),
    (
        HEADER + "2 1\n1\na ||| ||| 0\n1\n[0] ||| ||| 0\n",
        ", line 5: expected 1 edges as the hypergraph's first line says, found more",
    ),
    (
        HEADER + "2 2\n1\n[1] ||| ||| 0\n1\n[0] ||| ||| 0\n",
        ", line 1: expected a derivation of the goal, node 1, found none",
    ),
    (
        HEADER + "2 3\n2\n[1] ||| ||| 0\na ||| ||| 0\n1\n[0] ||| ||| 0\n",
        ", line 1: expected a forest without cycles, found one through node 0",
    ),
    # cdec
    ('{"rules":[', ", line 1: expected the end of the forest that begins here, found the end of the file"),
    ('{"rules":]}', ", line 1, character 10: expected JSON (Expecting value)"),
    ("{}", ', line 1: expected a forest with nodes, found "{}"'),
    (RULES + LEAF + "} {}", ', line 1: expected one JSON object per forest, found "{}"'),
    (
        RULES + LEAF.replace("[0]", "[1]") + "}",
        ', line 1: expected in_edges of node 0 from 0 to 0, the edges before it, found "[1]"',
    ),
    (
        RULES + LEAF.replace('"rule":1', '"rule":3') + "}",
        ', line 1: expected a rule of the forest in edge 0, found "3"',
    ),
    (
        RULES + LEAF.replace('"rule":1', '"rule":2') + "}",
        ', line 1: expected each of 0 tails once in the target of a rule, found " [1]"',
    ),
    (
        RULES + LEAF.replace('"tail":[]', '"tail":[0]') + "}",
        ', line 1: expected the tail of edge 0 as a list of earlier nodes, found "[0]"',
    ),
    (RULES + LEAF.replace('"feats":[]', '"feats":[0,NaN]') + "}", ", line 1: expected finite numbers, found NaN"),
    (
        RULES + LEAF.replace('"feats":[]', '"feats":[0,1e999]') + "}",
        ', line 1: expected feats of edge 0 as feature numbers and finite values, found "[0, Infinity]"',
    ),
    (
        RULES + LEAF.replace('"feats":[]', '"feats":[1,0]') + "}",
        ', line 1: expected feature numbers below 1 in edge 0, found "[1]"',
    ),
    (
        RULES + LEAF + "," + LEAF.replace("[0]", "[1]") + "}",
        ", line 1: expected all nodes in derivations of the goal, found node 0 in none",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text[-30:] for text, _ in WRONG])
def test_one_sentence(tmp_path, text, message):
    path = tmp_path / "wrong"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        list(tarocco.read_lattices(path))
    assert str(caught.value) == f"{path}{message}"


def test_names_and_tables(tmp_path):
    path = tmp_path / "x"
    path.write_text("0 1 1 1\n1\n")
    with pytest.raises(
        UnknownName,
        match='expected one of the formats plf, slf, openfst, moses-searchgraph, moses-hypergraph, cdec, found "htk"',
    ):
        list(tarocco.read_lattices(path, format="htk"))
    table = tmp_path / "table"
    for text, message in (
        ("a 0\nb\n", 'table, line 2: expected a word and its number, found "b"'),
        ("a 0\nb 0\n", 'table, line 2: expected each number once, found 0 again, which is "a"'),
        ("a 0\n", 'x, line 1: expected a label of the symbol table, found "1"'),
    ):
        table.write_text(text)
        with pytest.raises(InputError, match=message):
            list(tarocco.read_lattices(path, symbols=table))
    table.write_text("LM0= \n")
    with pytest.raises(InputError, match='table, line 1: expected a name and its weight, found "LM0= "'):
        read_feature_weights(table)
    with pytest.raises(InputError, match="there is no such file"):
        list(tarocco.read_lattices(tmp_path / "nothing"))


LATTICE = "(( ) , 'a' ' \" \\ 0 1 ('a',0,1), (('b',-1,2),), nan u x("
LINKS = 'VERSION=1.0 N=2~L=1 N= L=1 I=0 I=1 J=0 ~S=0 ~E=1 ~W=a ~a=-1 ~a=x " \\ = ; ; .'
STATES = "0 1 2 ~ a ; ; 0~1~a~a; 1~2~b~b~0.5; 2; -1 <eps> nan 999999999999999999999999"
GRAPH = (
    '0~hyp=0~stack=0; 0~hyp=1 ~back=0 ~transition=-1 ~forward=-1 ~out= a " | ; ~recombined=1 ~scores=[ ] a:~1 0 = '
    "0~hyp=1~back=0~transition=-1~forward=-1~out=a;"
)
HYPERGRAPH = "1~1; 2~2; #~node~0; 1; a~|||~|||~0; [0]~b~|||~x=1~|||~1; [1] ||| ; 99999999999"
FOREST = '{ } [ ] , : 1 "rules" "edges" "node" "features" "tail" null ; 1e999'
PIECES = {  # with ~ for a space and ; for the end of a line
    name: [piece.replace("~", " ").replace(";", "\n") for piece in pieces.split()]
    for name, pieces in zip(FORMATS, (LATTICE, LINKS, STATES, GRAPH, HYPERGRAPH, FOREST), strict=True)
}
PIECES["moses-hypergraph"].append(HEADER)
PIECES["cdec"] += [RULES, LEAF]


def refused(path, **how):
    """What is said of a file; None where it is read, and its lattices are some."""
    try:
        for graph in tarocco.read_lattices(path, **how):
            assert graph.n_nodes >= 1
            assert graph.text(graph.best().steps) is not None
    except InputError as error:
        return str(error)
    return None


@given(st.sampled_from(FORMATS), st.data())
def test_garbage_is_refused_or_read(tmp_path_factory, format, data):
    """Never another error, never a lattice that is not one."""
    pieces = st.one_of(st.sampled_from(PIECES[format]), st.text(max_size=3))
    text = "".join(data.draw(st.lists(pieces, max_size=25)))
    path = tmp_path_factory.getbasetemp() / "garbage"
    path.write_bytes(text.encode("utf-8", "replace"))
    said = refused(path, format=format)
    assert said is None or (said.startswith(str(path)) and "\n" not in said)


@given(st.binary(max_size=60))
@example(b"\xff\xfe(")
@example(b"((('\xe9',0,1),),)")
def test_any_bytes(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "bytes"
    path.write_bytes(data)
    said = refused(path)
    assert said is None or said.startswith(str(path))
