"""What is wrong with a lattice is one sentence, with file and line; nothing that a file holds is run."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tarocco
from tarocco.core.errors import InputError, UnknownName
from tarocco.io.graphs.reader import FORMATS, read_feature_weights

HEADER = "# target ||| features ||| source-covered\n"
RULES = '{"rules":[1,"[X] ||| a ||| a",2,"[X] ||| [X] ||| [1]"],"features":["f"],'
LEAF = '"edges":[{"tail":[],"feats":[],"rule":1}],"node":{"in_edges":[0]}'

# (the file, what is said after the file's name)
WRONG = [
    ("", ": the file is empty, lattices or forests are wanted"),
    ("\ufeff", ": the file is empty, lattices or forests are wanted"),
    (
        "hello world\n",
        ", line 1: lattices or forests are wanted (plf, slf, openfst, moses-searchgraph, moses-hypergraph, cdec), "
        'found "hello world"',
    ),
    # PLF
    (
        "((('a',0,1),),)\n((__import__('os').system('true'),),)",
        ", line 2, character 3: an arc ('word', score, distance) is wanted, "
        """found "__import__('os').system('true'),),)\"""",
    ),
    (
        "((('a'+'b',0,1),),)",
        """, line 1, character 3: an arc ('word', score, distance) is wanted, found "('a'+'b',0,1),),)\"""",
    ),
    (
        "((('a',exit(),1),),)",
        """, line 1, character 3: an arc ('word', score, distance) is wanted, found "('a',exit(),1),),)\"""",
    ),
    ("((('a',0x1,1),),)", ', line 1: a score is a finite number, found "0x1"'),
    ("((('a',nan,1),),)", ', line 1: a score is a finite number, found "nan"'),
    ("((('a',-inf,1),),)", ', line 1: a score is a finite number, found "-inf"'),
    ("((('a',1e999,1),),)", ', line 1: a score is a finite number, found "1e999"'),
    ("((('a',1_0,1),),)", ', line 1: a score is a finite number, found "1_0"'),
    ("((('a',0,1.0),),)", ', line 1: the distance of an arc is a whole number, found "1.0"'),
    ("((('a',0,-1),),)", ', line 1: the distance of an arc is a whole number, found "-1"'),
    (
        "((('a',0,0),),)",
        ", line 1, character 3: an arc that leads at least 1 column further is wanted, "
        """found "('a',0,0),),)\"""",
    ),
    (
        "((('a',0,2),),)",
        ', line 1: the arc of "a" leads from column 0 to 2, but the last node is 1, behind as many columns',
    ),
    ("((('a',1),),)", """, line 1, character 3: an arc ('word', score, distance) is wanted, found "('a',1),),)\""""),
    (
        "((('a',0,0,1),('b',0,1),),)",
        ', line 1: all arcs have as many scores as the first one, 2, but that of "b" has 1',
    ),
    ("((('a',0,2),),(('b',0,1),),)", ", line 1: column 1 is on no path from the start to a final node"),
    ("((('a',0,1),('b',0,2)),(),(('c',0,1),))", ", line 1: column 1 is on no path from the start to a final node"),
    ("((),)", ", line 1: no path leads from column 0, the start, to a final node"),
    ("((('a',0,1),),) x", ', line 1, character 17: nothing more behind the lattice is wanted, found "x"'),
    ("((('a',0,1),)", ", line 1, character 14: ) behind the last column is wanted, found the end of the line"),
    ("(('a',0,1))", """, line 1, character 3: an arc ('word', score, distance) is wanted, found "'a',0,1))\""""),
    ("((('\\q',0,1),),)", ', line 1: \\q in "\\q" stands for no character'),
    ("((('\\ud800',0,1),),)", ', line 1: \\ud800 in "\\ud800" stands for no character'),
    # SLF
    ("VERSION=1.0\nI=0\n", ", line 1: the header of a lattice says how many nodes there are, N= is missing"),
    ("N=2 L=1\nI=0\nJ=0 S=0 E=0\n", ", line 1: 2 nodes are announced (N=), but 1 are there"),
    ("N=2 L=2\nJ=0 S=0 E=1\n", ", line 1: 2 links are announced (L=), but 1 are there"),
    ("N=2 L=1\nJ=0 S=0 E=7\n", ", line 2: there is no node 7"),
    ("N=2 L=1\nJ=0 S=0\n", ", line 2: a link has a start and an end, E= is missing"),
    ("N=2 L=1\nJ=0 S=0 E=1 a=NaN\n", ', line 2: a= is a finite number, found "NaN"'),
    (
        "N=2 L=2\nJ=0 S=0 E=1 a=0 l=0\nJ=1 S=0 E=1 a=0\n",
        ", line 3: links have the same scores, the first one has a= l=, this a=",
    ),
    ("N=2 L=2\nJ=0 S=0 E=1\nJ=0 S=0 E=1\n", ", line 3: there is a link 0 already"),
    ("N=2 L=1\nI=0\nI=0\nJ=0 S=0 E=1\n", ", line 3: there is a node 0 already"),
    ("N=2 L=2\nJ=0 S=0 E=1\nJ=1 S=1 E=0\n", ", line 1: a lattice has no cycles, but all nodes have links to them"),
    (
        "N=4 L=4\nJ=0 S=0 E=1\nJ=1 S=1 E=2\nJ=2 S=2 E=1\nJ=3 S=2 E=3\n",
        ", line 1: a lattice has no cycles, but there is one through node 1",
    ),
    (
        "N=3 L=1\nI=0\nI=1\nI=2\nJ=0 S=0 E=1\n",
        ", line 1: one start is wanted, but no link leads to node 0 nor to node 2",
    ),
    (
        "start=0 end=1\nN=3 L=1\nI=0\nI=1\nI=2\nJ=0 S=0 E=1\n",
        ", line 1: node 2 is on no path from the start to a final node",
    ),
    ("N=2 L=1\nJ=0 S=0 E=1 W\n", ', line 2: fields name=value are wanted, found "W"'),
    ("SUBLAT=x\nN=2 L=1\nJ=0 S=0 E=1\n", ", line 1: sub-lattices are not read, found SUBLAT=x"),
    ("base=0\nN=2 L=1\nJ=0 S=0 E=1 a=-1\n", ", line 3: with base=0 scores are likelihoods above 0, found -1.0"),
    (
        "base=1\nN=2 L=1\nJ=0 S=0 E=1 a=-1\n",
        ", line 1: the base of logarithms is a number above 1, or 0 for none, found 1",
    ),
    # OpenFst
    ("0 1 a a\n1 0 b b\n1\n", ", line 1: a lattice has no cycles, but there is one through state 0"),
    ("0 0 a a\n0\n", ", line 1: a lattice has no cycles, but there is one through state 0"),
    ("0 1 a a\n", ", line 1: the lattice has no final node"),
    ("0 1 a a\n2 3 a a\n1\n3\n", ", line 1: state 2 is on no path from the start to a final node"),
    ("0 1 a a\n1 2 a a\n1\n", ", line 1: state 2 is on no path from the start to a final node"),
    ("0 1 a a Infinity\n1\n", ', line 1: a weight is a finite number, found "Infinity"'),
    (
        "0 1 a a 0 0\n1\n",
        ", line 1: lattices or forests are wanted (plf, slf, openfst, moses-searchgraph, moses-hypergraph, cdec), "
        'found "0 1 a a 0 0"',
    ),
    ("0 1 a a\n0 x a a\n1\n", ', line 2: a state is a whole number, found "x"'),
    ("0 1 a a 1\n0 1 a\n1\n", ', line 2: source target input output [weight] is wanted, found "0 1 a"'),
    ("0 1 a a\n1\n1 2\n", ", line 3: state 1 is final already"),
    # Moses
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=0 transition=-1 forward=-1\n",
        ", line 2: a hypothesis has the words and the score of a transition, out= is missing",
    ),
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=7 transition=-1 forward=-1 out=a\n",
        ", line 1: there is no hypothesis 7, which others come from or are recombined with",
    ),
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=0 transition=nan forward=-1 out=a\n",
        ', line 2: transition= is a finite number, found "nan"',
    ),
    ("0 hyp=0 stack=0\n0 hyp=1 back=0 transition=0 forward=2 out=a\n", ", line 1: the lattice has no final node"),
    (
        "0 hyp=0 stack=0\n0 hyp=1 back=0 transition=0 forward=-1 out=a\n0 hyp=1 back=0 transition=0 forward=-1 out=b\n",
        ", line 3: there is a hypothesis 1 already",
    ),
    ("1 hyp=0 stack=0\n0 hyp=0 stack=0\n", ", line 2: sentences come in the order of their ids, but 0 comes after 1"),
    (
        '0 hyp=0 stack=0\n0 hyp=1 back=0 transition=0 scores="a=1" out="|a"\n0 hyp=2 back=0 transition=0 out=b\n',
        ", line 3: all hypotheses have scores= or none has, here it is unlike the lines above",
    ),
    (HEADER + "1\n", ', line 2: the numbers of nodes and edges are wanted, found "1"'),
    (HEADER + "2 2\n1\na ||| ||| 0\n1\n[0] b ||| x ||| 0\n", ', line 6: features are name=value, found "x"'),
    (
        HEADER + "2 2\n1\na ||| ||| 0\n1\n[0] b ||| x=nan ||| 0\n",
        ', line 6: the feature x is a finite number, found "nan"',
    ),
    (HEADER + "2 2\n1\na ||| ||| 0\n1\n[2] b ||| ||| 0\n", ", line 6: the nodes are 0 to 1, found [2]"),
    (
        HEADER + "2 2\n1\na ||| ||| 0\n",
        ", line 4: the hypergraph ends here, but the number of edges of node 1 is wanted",
    ),
    (HEADER + "2 3\n1\na ||| ||| 0\n1\n[0] ||| ||| 0\n", ", line 1: 3 edges are announced, but 2 are there"),
    (
        HEADER + "2 1\n1\na ||| ||| 0\n1\n[0] ||| ||| 0\n",
        ", line 5: 1 edges are announced at the top, but there are more",
    ),
    (HEADER + "2 2\n1\n[1] ||| ||| 0\n1\n[0] ||| ||| 0\n", ", line 1: nothing derives node 1, the goal"),
    (
        HEADER + "2 3\n2\n[1] ||| ||| 0\na ||| ||| 0\n1\n[0] ||| ||| 0\n",
        ", line 1: a forest has no cycles, but there is one through node 0",
    ),
    # cdec
    ('{"rules":[', ", line 1: the forest that begins here does not end"),
    ('{"rules":]}', ", line 1, character 10: this is no JSON (Expecting value)"),
    ("{}", ', line 1: a forest of cdec has nodes, found "{}"'),
    (RULES + LEAF + "} {}", ', line 1: one JSON object a forest is wanted, found "{}"'),
    (
        RULES + LEAF.replace("[0]", "[1]") + "}",
        ', line 1: the edges before node 0 are numbers 0 to 0, but its in_edges are "[1]"',
    ),
    (RULES + LEAF.replace('"rule":1', '"rule":3') + "}", ', line 1: edge 0 has no rule of the forest, found "3"'),
    (
        RULES + LEAF.replace('"rule":1', '"rule":2') + "}",
        ', line 1: the target of a rule has each of its 0 tails once, found " [1]"',
    ),
    (
        RULES + LEAF.replace('"tail":[]', '"tail":[0]') + "}",
        ', line 1: the tail of edge 0 is a list of nodes that come before it, found "[0]"',
    ),
    (RULES + LEAF.replace('"feats":[]', '"feats":[0,NaN]') + "}", ", line 1: numbers are finite, found NaN"),
    (
        RULES + LEAF.replace('"feats":[]', '"feats":[0,1e999]') + "}",
        """, line 1: the feats of edge 0 are names' numbers and finite values, found "[0, Infinity]\"""",
    ),
    (
        RULES + LEAF.replace('"feats":[]', '"feats":[1,0]') + "}",
        ", line 1: edge 0 has a feature that the forest does not name, of 1",
    ),
    (RULES + LEAF + "," + LEAF.replace("[0]", "[1]") + "}", ", line 1: node 0 is in no derivation of the goal"),
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
    with pytest.raises(UnknownName, match='no format "htk" of lattices, only plf, slf'):
        list(tarocco.read_lattices(path, format="htk"))
    table = tmp_path / "table"
    for text, message in (
        ("a 0\nb\n", 'table, line 2: a word and its number are wanted, found "b"'),
        ("a 0\nb 0\n", 'table, line 2: the number 0 is that of "a" already'),
        ("a 0\n", 'x, line 1: the table of symbols has no "1"'),
    ):
        table.write_text(text)
        with pytest.raises(InputError, match=message):
            list(tarocco.read_lattices(path, symbols=table))
    table.write_text("LM0= \n")
    with pytest.raises(InputError, match='table, line 1: a name and its weight are wanted, found "LM0= "'):
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
