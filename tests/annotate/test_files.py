"""Files of analyses: written and read back, joined, and refused with one sentence where they are broken."""

import pytest
from annotate.sentences import sentences
from hypothesis import given
from hypothesis import strategies as st
from textbook import trees as textbook

from tarocco.annotate.cache import pack_sentence, unpack_sentence
from tarocco.annotate.formats import read_trees
from tarocco.annotate.parses import WRITERS, detect_format, format_sentences, read_annotations
from tarocco.annotate.sentence import Node, Sentence, Span
from tarocco.core.errors import InputError

TREE = "(S (NP (DT The) (NN captain)) (VP (VBD left)) (. .))"
WORDS = ("The", "captain", "left", ".")
CONLLU = """# sent_id = 1
1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\tChunk=B-NP|Entity=O
2\tcaptain\tcaptain\tNOUN\tNN\t_\t3\tnsubj\t_\tChunk=I-NP|Entity=B-PER
3\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\tChunk=B-VP|Entity=O
4\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\tChunk=O|Entity=O
"""
PROPS = "The\t-\t(A0*\ncaptain\t-\t*)\nleft\tleave\t(V*)\n.\t-\t*\n"


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return str(path)

    return write


def refused(path, texts=None):
    with pytest.raises(InputError) as caught:
        read_annotations(path, texts)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence.replace(path, "FILE") if isinstance(path, str) else sentence


@given(st.lists(sentences(), min_size=1, max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory, column):
    folder = tmp_path_factory.mktemp("files")
    paths = []
    for name in WRITERS:
        (folder / f"a.{name}").write_text(format_sentences(column, name), "utf-8")
        paths.append(folder / f"a.{name}")
    if not any(sentence.words for sentence in column):
        column = [Sentence((), tags=(), tree=(), frames=()) for _ in column]  # what an empty file cannot say
        read = [Sentence((), tags=(), tree=(), frames=one.frames) for one in read_annotations(paths)]
    else:
        read = read_annotations(paths)
        texts = [" ".join(sentence.words) for sentence in column]
        if not any("''" in text.replace(" ", "") or '"' in text for text in texts):
            assert read_annotations(paths, texts) == read
    assert [one.words for one in read] == [one.words for one in column]
    for ours, theirs in zip(read, column, strict=True):
        assert ours.tree == theirs.tree
        assert ours.frames == theirs.frames
        if ours.words:
            assert ours == theirs


@given(sentences())
def test_a_sentence_is_packed_and_unpacked(sentence):
    assert unpack_sentence(pack_sentence(sentence)) == sentence


def test_packing_keeps_missing_layers_and_any_text():
    for sentence in (Sentence(("a",)), Sentence(()), Sentence(("\ud800", "é"), lemmas=("x", "y"))):
        assert unpack_sentence(pack_sentence(sentence)) == sentence


@given(sentences(max_size=6).filter(lambda one: one.words))
def test_trees_are_read_as_a_textbook_does(tmp_path_factory, sentence):
    path = tmp_path_factory.mktemp("trees") / "a.trees"
    path.write_text(format_sentences([sentence], "trees"), "utf-8")
    (block,) = read_trees(str(path))
    spans, tags, words = textbook.phrases(textbook.parse(path.read_text("utf-8")))
    assert [(node.label, node.start, node.end) for node in block.sentence.tree] == spans
    assert list(block.sentence.tags) == tags
    assert [word.replace("(", "-LRB-").replace(")", "-RRB-") for word in block.sentence.words] == words


def test_layers_of_several_files_are_joined(file):
    paths = [file("a.conllu", CONLLU), file("a.trees", TREE + "\n"), file("a.props", PROPS)]
    (sentence,) = read_annotations(paths, ["The captain left."])
    assert sentence.words == WORDS
    assert sentence.tags == ("DT", "NN", "VBD", ".")
    assert sentence.chunks == ("B-NP", "I-NP", "B-VP", "O")
    assert [(span.label, span.start, span.end) for span in sentence.entities] == [("PER", 1, 2)]
    assert [(node.label, node.parent) for node in sentence.tree] == [("S", -1), ("NP", 0), ("VP", 0)]
    (frame,) = sentence.frames
    assert (frame.predicate, frame.lemma) == (2, "leave")
    assert [(span.label, span.start, span.end) for span in frame.arguments] == [("A0", 0, 2)]


def test_a_segment_may_be_several_sentences_of_a_file(file):
    paths = [file("a.conllu", CONLLU + "\n" + CONLLU), file("a.trees", f"{TREE}\n{TREE}\n")]
    paths.append(file("a.props", PROPS + "\n" + PROPS))
    both, empty = read_annotations(paths, ["The captain left. The captain left.", ""])
    assert both.words == WORDS * 2
    assert both.heads == (1, 2, -1, 2, 5, 6, -1, 6)
    assert [(n.label, n.parent, n.start, n.end) for n in both.tree[:3]] == [
        ("TOP", -1, 0, 8),
        ("S", 0, 0, 4),
        ("NP", 1, 0, 2),
    ]
    assert [frame.predicate for frame in both.frames] == [2, 6]
    assert both.frames[1].arguments[0].start == 4
    assert empty.words == empty.tree == empty.frames == empty.heads == ()


def test_files_of_other_people(file):
    """Words written as one, empty nodes, traces, an outer bracket without a label, rolesets, ARGM, no words."""
    conllu = (
        "1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n1\tde\tde\tADP\t_\t_\t2\tcase\t_\t_\n2\tle\tle\tDET\t_\t_\t0\troot\t_\t_\n"
    )
    conllu += "2.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n"
    (sentence,) = read_annotations(file("a.conllu", conllu), ["du"])
    assert (sentence.words, sentence.heads, sentence.tags, sentence.chunks) == (("de", "le"), (1, -1), None, None)
    tree = "( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (-LRB- -LRB-) (NP (-NONE- *T*)))) )\n"
    (sentence,) = read_annotations(file("a.mrg", tree), ["Go("])
    assert sentence.words == ("Go", "(")
    assert [(node.label, node.parent) for node in sentence.tree] == [("TOP", -1), ("S", 0), ("VP", 1)]
    props = "He - - (ARG0*) *\nmay - - (ARGM-MOD*) *\ngo go go.01 (V*) *\nand - - * *\nsee see see.01 * (V*)\n"
    (sentence,) = read_annotations(file("a.props", props))
    assert [span.label for span in sentence.frames[0].arguments] == ["A0", "AM-MOD"]
    paths = [file("b.props", "- (A0*\n- *)\nleave (V*)\n- *\n"), file("b.conllu", CONLLU)]
    (sentence,) = read_annotations(paths, ["The captain left ."])
    assert sentence.words == WORDS
    assert sentence.frames[0].arguments[0].end == 2


@pytest.mark.parametrize(("last", "alone"), ["ES", "LU", "IB"])
def test_tags_that_tell_where_a_span_ends(file, last, alone):
    tags = ["B-PER", f"{last}-PER", f"{alone}-PER", f"{alone}-LOC"]
    rows = (f"{n}\tw\t_\t_\t_\t_\t_\t_\t_\tChunk={tag}|Entity={tag}\n" for n, tag in enumerate(tags, 1))
    (sentence,) = read_annotations(file("a.conllu", "".join(rows)))
    assert sentence.entities == (Span("PER", 0, 2), Span("PER", 2, 3), Span("LOC", 3, 4))
    assert sentence.chunks == ("B-PER", "I-PER", "B-PER", "B-LOC")


@pytest.mark.parametrize(("text", "kind"), [(TREE, "trees"), (CONLLU, "conllu"), (PROPS, "props")])
def test_the_format_is_seen(file, text, kind):
    assert detect_format(file("parses", text)) == kind
    assert detect_format(file(f"parses.{kind}", text)) == kind


def test_a_text_is_no_analysis(file):
    said = 'FILE, line 2: expected CoNLL-U, a tree in brackets or columns of roles, found "The captain left ."'
    assert refused(file("a.txt", "\nThe captain left .\n")) == said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("\tChunk=B-NP|Entity=O", ""), "FILE, line 2: expected 10 tab-separated columns of CoNLL-U, found 9"),
        (("2\tcaptain", "7\tcaptain"), 'FILE, line 3: expected word 2 in column 1, found "7"'),
        (("_\t2\tdet", "_\t9\tdet"), 'FILE, line 2: expected a head from 0 to 4, found "9"'),
        (("_\t2\tdet", "_\tx\tdet"), 'FILE, line 2: expected a head from 0 to 4, found "x"'),
        (("_\t0\troot", "_\t1\troot"), 'FILE, line 2: the heads form a cycle: "The" depends on itself'),
        (("_\t2\tdet", "_\t1\tdet"), 'FILE, line 2: the heads form a cycle: "The" depends on itself'),
        (("2\tcaptain", "2\t "), "FILE, line 3: the word in column 2 is empty"),
        (
            ("Entity=B-PER", "Entity=(1-x)"),
            'FILE, line 3: expected an entity as O, B-PER or I-PER in column 10, found "(1-x)"',
        ),
        (("Chunk=I-NP", "Chunk=NP"), 'FILE, line 3: expected a chunk as O, B-NP or I-NP in column 10, found "NP"'),
        (("Chunk=I-NP", "Chunk=Q-NP"), 'FILE, line 3: expected a chunk as O, B-NP or I-NP in column 10, found "Q-NP"'),
        (("Chunk=I-NP", "Chunk=I-"), 'FILE, line 3: expected a chunk as O, B-NP or I-NP in column 10, found "I-"'),
        (("3\tleft", "3-x\tleft"), 'FILE, line 4: expected a number or a range in column 1, found "3-x"'),
    ],
)
def test_broken_conllu(file, change, said):
    assert refused(file("a.conllu", CONLLU.replace(*change))) == said


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (TREE + ")", "FILE, line 1: closing bracket without an opening one after 4 words"),
        (TREE[:-1], "FILE, line 1: 1 opening brackets are not closed, the first one of S"),
        ("The captain left", 'FILE, line 1: expected a bracket, found "The"; a word is written (NN word)'),
        ("(S (NP))", "FILE, line 1: the tree has no words"),
        ("(S (NP a b))", 'FILE, line 1: expected a bracket, found "a"; a word is written (NN word)'),
        ("(" * 100_000, "FILE, line 1: 100000 opening brackets are not closed, the first one of TOP"),
    ],
)
def test_broken_trees(file, tree, said):
    assert refused(file("a.trees", tree + "\n")) == said


def test_tags_that_are_brackets(file):
    """Some taggers call a bracket a bracket; in a tree it has its longer name."""
    one = Sentence(("(", "a", ")"), tags=("(", "NN", ")"), tree=(Node("NP", -1, 0, 3),))
    text = format_sentences([one], "trees")
    assert text == "(NP (-LRB- -LRB-) (NN a) (-RRB- -RRB-))\n"
    (read,) = read_annotations(file("a.trees", text))
    assert (read.words, read.tags, read.tree) == (one.words, ("-LRB-", "NN", "-RRB-"), one.tree)


def test_a_tree_may_be_as_deep_as_it_likes(file):
    deep = "(X " * 100_000 + "(NN a)" + ")" * 100_000
    path = file("a.trees", deep + "\n")
    (sentence,) = read_annotations(path)
    assert len(sentence.tree) == 100_000
    assert sentence.tree[-1].parent == 99_998
    assert format_sentences([sentence], "trees") == deep + "\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("captain\t-\t*)", "captain\t-\t(A1*)"), "FILE, line 2: A1 begins before A0 has ended: arguments overlap"),
        (("captain\t-\t*)", "captain\t-\t*))"), 'FILE, line 2: arguments of one predicate overlap, found "*))"'),
        (("captain\t-\t*)", "captain\t-\t*"), "FILE, line 3: V begins before A0 has ended: arguments overlap"),
        (("(A0*", "*"), "FILE, line 2: an argument ends here that has not begun"),
        ((".\t-\t*", ".\t-\t(A1*"), "FILE, line 4: A1 begins here and does not end"),
        (
            ("left\tleave", "left\t-"),
            "FILE, line 1: expected a word, a lemma or -, and one column of arguments",
        ),
        ((".\t-\t*", ".\t-"), "FILE, line 4: expected 3 columns as in line 1, found 2"),
        (("(A0*", "A0"), 'FILE, line 1: expected (A0*, *, *) or (A0*), found "A0"'),
        (("(A0*", "(A0 x*"), 'FILE, line 1: expected (A0*, *, *) or (A0*), found "(A0 x*"'),
    ],
)
def test_broken_roles(file, change, said):
    assert refused(file("a.props", PROPS.replace(*change))).startswith(said)


def test_words_that_are_not_those_of_the_text(file):
    path = file("a.conllu", CONLLU)
    assert refused(path, ["The sailor left."]) == (
        'FILE, line 3: the word is "captain", but segment 1 continues with "sailorleft."'
    )
    assert (
        refused(path, ["The captain left. He"]) == 'FILE, line 5: the file ends here, but segment 1 continues with "He"'
    )
    assert refused(path, [""]) == "FILE, line 2: this sentence is not in the text, which has 1 segments"


def test_a_file_without_any_word_of_the_text(file):
    """As a parser writes it that has failed: no tree is not an empty one."""
    said = 'FILE, line 1: this sentence is not in segment 1, which continues with "Thecaptainleft."'
    assert refused(file("a.trees", "\n"), ["The captain left."]) == said
    said = 'FILE, line 1: the file ends here, but segment 1 continues with "Thecaptainleft."'
    assert refused(file("a.conllu", "# nothing\n"), ["The captain left."]) == said
    assert [one.words for one in read_annotations(file("a.trees", "\n\n"), ["", ""])] == [(), ()]


def test_the_rest_of_a_predicate_is_no_argument(file):
    props = "He\t-\t(A0*)\ntook\ttake\t(V*)\nit\t-\t(A1*)\noff\t-\t(C-V*)\n"
    (sentence,) = read_annotations(file("a.props", props))
    assert [span.label for span in sentence.frames[0].arguments] == ["A0", "A1"]


def test_words_that_are_not_those_of_another_file(file):
    conllu, props = file("a.conllu", CONLLU), file("a.props", PROPS.replace("captain", "sailor"))
    assert refused([conllu, props]).endswith('a.props, line 2: the word is "sailor" here and "captain" in another file')
    props = file("a.props", PROPS.removesuffix(".\t-\t*\n"))
    assert refused([conllu, props]).endswith("a.props, line 1: the sentence has 3 words here and 4 in another file")
    trees = file("a.trees", f"{TREE}\n{TREE}\n")
    assert "a.trees has 2 segments" in refused([conllu, trees])


def test_files_that_are_no_text(file):
    assert refused(file("a.conllu", b"")) == "FILE: expected CoNLL-U, found an empty file"
    assert "expected UTF-8 text" in refused(file("a.trees", b"(S \xff)"))
    assert refused([]) == "expected at least one file of annotations, found none"


def test_layers_that_some_sentences_of_a_file_have(file):
    """An entity, a chunk: others have none. Heads: all have them, or none."""
    bare = CONLLU.replace("Chunk=B-NP|Entity=O", "_").replace("Chunk=I-NP|Entity=B-PER", "_")
    bare = bare.replace("Chunk=B-VP|Entity=O", "_").replace("Chunk=O|Entity=O", "_")
    first, second = read_annotations(file("a.conllu", CONLLU + "\n" + bare))
    assert (first.chunks[0], second.chunks, second.entities) == ("B-NP", ("O",) * 4, ())
    (alone,) = read_annotations(file("b.conllu", bare))
    assert (alone.chunks, alone.entities) == (None, None)
    headless = bare.replace("\t2\tdet", "\t_\tdet").replace("\t0\troot", "\t_\troot").replace("\t3\t", "\t_\t")
    assert refused(file("c.conllu", CONLLU + "\n" + headless)) == (
        "FILE, line 8: this sentence has no heads, but others of the file have them"
    )
    assert read_annotations(file("d.conllu", headless))[0].layers == {"lemmas", "tags", "universal"}


def test_a_word_with_a_space(file):
    (sentence,) = read_annotations(
        file("a.conllu", CONLLU.replace("2\tcaptain", "2\tsea captain")), ["The sea captain left."]
    )
    assert sentence.words[1] == "sea_captain"


def test_a_thousand_words(file):
    size = 1000
    lines = [f"{i}\tw{i}\t_\t_\tNN\t_\t{i - 1}\tdep\t_\t_" for i in range(1, size + 1)]
    (sentence,) = read_annotations(file("a.conllu", "\n".join(lines) + "\n"))
    assert len(sentence.words) == size
    assert sentence.heads == tuple(range(-1, size - 1))
