"""SP, DP, CP, NE and SR: every metric against its textbook twin, names, signatures, and what is missing."""

import dataclasses
import itertools
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentences import ByRule, Given, by_rule, score_sentences
from textbook import linguistic as textbook

import tarocco
from tarocco.annotate import cache as annotated
from tarocco.annotate.sentence import Frame, Node, Sentence, Span
from tarocco.cli import main
from tarocco.core.errors import BadParameter, InputError, TextRefused, UnknownName
from tarocco.encode.batch import Encoding
from tarocco.metrics.registry import metric

WORDS = st.sampled_from(["the", "The", "cat", "mat", "sat", "on"])
TAGS = st.sampled_from(["DT", "NN", "VBD"])


@st.composite
def spans(draw, size, labels):
    starts = draw(st.lists(st.integers(0, size - 1), max_size=3)) if size else []
    return tuple(Span(draw(st.sampled_from(labels)), start, draw(st.integers(start + 1, size))) for start in starts)


@st.composite
def trees(draw, size, tags):
    """Nodes from the top down and from left to right; some have the words' tags as nodes, some have not."""
    nodes = []

    def grow(parent, start, end):
        place = len(nodes)
        nodes.append(Node(draw(st.sampled_from(["S", "NP", "VP-X"])), parent, start, end))
        cuts = sorted(draw(st.sets(st.integers(start, end), max_size=3))) if len(nodes) < 8 else []
        for first, last in itertools.pairwise(cuts):
            grow(place, first, last)
        if not cuts and draw(st.booleans()):
            nodes.extend(
                Node(draw(st.sampled_from([tags[word], "AUX"])), place, word, word + 1) for word in range(start, end)
            )

    if size:
        middle = draw(st.integers(1, size))
        grow(-1, 0, middle)
        if middle < size:  # a segment may hold several sentences
            grow(-1, middle, size)
    return tuple(nodes)


@st.composite
def sentences(draw):
    words = tuple(draw(st.lists(WORDS, max_size=7)))
    size = len(words)
    tags, universal, chunks, relations = (
        tuple(draw(st.lists(labels, min_size=size, max_size=size)))
        for labels in (
            TAGS,
            st.sampled_from(["NOUN", "DET"]),
            st.sampled_from(["B-NP", "I-NP", "O", "B-VP"]),
            st.sampled_from(["nsubj", "det", "obj"]),
        )
    )
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word] = draw(st.sampled_from([-1, *order[:place]]))
    frames = tuple(
        Frame(verb, draw(st.sampled_from(["sit", "be"])), draw(spans(size, ["A0", "C-A0", "R-A1", "AM-TMP"])))
        for verb in draw(st.lists(st.integers(0, max(size - 1, 0)), max_size=2 if size else 0))
    )
    named = draw(spans(size, ["PER", "LOC"]))
    return Sentence(
        words, words, tags, universal, chunks, tuple(heads), relations, draw(trees(size, tags)), named, frames
    )


SEGMENTS = st.lists(st.tuples(sentences(), st.lists(sentences(), min_size=1, max_size=3)), min_size=1, max_size=3)

# What each bag is in the textbook, and types to ask for.
OVERLAPS = {
    "SP-Op": (textbook.by_tag, ["NN", "*", "XX"]),
    "SP-Oc": (textbook.by_chunk, ["NP", "O", "*"]),
    "SP-Oiob": (textbook.by_chunk_label, ["B-NP", "*"]),
    "DP-Oc": (textbook.by_category, ["NOUN", "*"]),
    "DP-Or": (textbook.by_relation, ["nsubj", "*"]),
    "DP-Ol": (textbook.by_level, ["1", "3", "*"]),
    "CP-Op": (textbook.by_tree_tag, ["NN", "*"]),
    "CP-Oc": (textbook.by_phrase, ["NP", "S", "*"]),
    "NE-Oe": (textbook.by_entity, ["PER", "O", "*", "**"]),
    "NE-Me": (textbook.entities, ["PER", "*"]),
    "SR-Or": (textbook.by_role, ["A0", "*"]),
    "SR-Orv": (textbook.by_role_and_verb, ["A0", "*"]),
    "SR-Mr": (textbook.whole_by_role, ["A0", "*"]),
    "SR-Mrv": (textbook.whole_by_role_and_verb, ["A0", "*"]),
}
ROLES = {"SR-Or": textbook.roles, "SR-Orv": textbook.roles_and_verbs}


def without_function(sentence):
    """The manual's phrases have no functions: VP-X is VP."""
    nodes = tuple(dataclasses.replace(node, label=node.label.partition("-")[0]) for node in sentence.tree)
    return dataclasses.replace(sentence, tree=nodes)


def check_against(segments, expected):
    """expected: {name: function of a candidate and a reference}"""
    candidates, references = zip(*segments, strict=True)
    found = score_sentences(list(expected), candidates, references)
    for name, of_pair in expected.items():
        scores = [
            textbook.best(of_pair(*map(without_function, (candidate, one))) for one in own)
            for candidate, own in segments
        ]
        assert found[name].segments.tolist() == pytest.approx(scores, rel=1e-12, nan_ok=True), name
        exist = [score for score in scores if not math.isnan(score)]
        mean = sum(exist) / len(exist) if exist else math.nan
        assert found[name].score == pytest.approx(mean, rel=1e-12, nan_ok=True), name


def overlap(bag, kind, **options):
    def of_pair(candidate, reference):
        sides = bag(candidate), bag(reference)
        kinds = sorted({*sides[0], *sides[1]}) if kind in ("*", "**") else [kind]
        return textbook.overlap(*sides, [one for one in kinds if kind != "**" or one != "O"], **options)

    return of_pair


@settings(max_examples=30)
@given(segments=SEGMENTS)
def test_overlap_and_matching(segments):
    expected = {}
    for stem, (bag, kinds) in OVERLAPS.items():
        for kind in kinds:
            mean = stem.startswith("DP") and kind == "*"
            expected[f"{stem}-{kind}"] = overlap(bag, kind, mean=mean)
            expected[f"{stem}-{kind}:variant=literal"] = overlap(bag, kind, mean=mean, literal=True)
    expected |= {name: overlap(bag, "") for name, bag in ROLES.items()}
    check_against(segments, expected)


@settings(max_examples=20)
@given(segments=SEGMENTS)
def test_the_printed_form_does_not_exceed_1(segments):
    """The candidate's count of an item is never more than the larger of both, which is in the denominator."""
    candidates, references = zip(*segments, strict=True)
    names = [f"{stem}-*" for stem in OVERLAPS]
    found = score_sentences([*names, *(f"{name}:variant=literal" for name in names)], candidates, references)
    for name in names:
        printed = found[f"{name}:variant=literal"].segments
        exist = ~np.isnan(printed)
        assert (found[name].segments[exist] <= printed[exist]).all()
        assert (printed[exist] <= 1).all()


def fraction(bag, variant, lengths):
    def of_pair(candidate, reference):
        sides = bag(candidate), bag(reference)
        if variant == "precision":
            return textbook.precision(*sides, lengths)
        return textbook.overlap(*sides, lengths, mean=variant == "overlap")

    return of_pair


def all_fractions(stem, bag, extra, lengths):
    """A stem such as DP-HWC{}w, with every fraction, accumulated and individual."""
    for variant in ("overlap", "precision", "pooled"):
        named = "+".join([*extra, *([variant] if variant != "overlap" else [])])
        told = f":variant={named}" if named else ""
        for length in lengths:
            yield f"{stem.format('')}-{length}{told}", fraction(bag, variant, range(1, length + 1))
            yield f"{stem.format('i')}-{length}{told}", fraction(bag, variant, [length])


@settings(max_examples=20)
@given(segments=SEGMENTS)
def test_chains(segments):
    expected = {}
    for letter, items in {"w": "words", "c": "universal", "r": "relations"}.items():
        for gapped in (False, True):

            def bag(sentence, items=items, gapped=gapped):
                return textbook.chains(sentence, items, gapped)

            extra = ["gapped"] if gapped else []
            expected |= dict(all_fractions(f"DP-HWC{{}}{letter}", bag, extra, (1, 2, 4)))
    check_against(segments, expected)


@settings(max_examples=20)
@given(segments=SEGMENTS)
def test_subpaths_and_subtrees(segments):
    expected = dict(all_fractions("CP-STM{}", textbook.subpaths, [], (1, 2, 4, 9)))
    expected |= dict(all_fractions("CP-STM{}", textbook.subtrees, ["subtrees"], (1, 2, 3, 9)))
    check_against(segments, expected)


def chunk_texts(labels):
    """A chunk a word: an I- that goes on with its chunk is none."""
    found, before = [], "O"
    for label in labels:
        if not (label.startswith("I-") and before.split("-")[-1] == label[2:]):
            found.append(label.split("-")[-1])
        before = label
    return found


@settings(max_examples=20)
@given(segments=SEGMENTS)
def test_nist_over_sequences(segments):
    """SP-NISTx-n is NIST-n on texts of lemmas, tags, chunks or IOB labels, and SP-NISTix-n is NISTi-n."""
    layers = {
        "l": lambda one: one.lemmas,
        "p": lambda one: one.tags,
        "c": lambda one: chunk_texts(one.chunks),
        "iob": lambda one: one.chunks,
    }
    candidates, references = zip(*segments, strict=True)
    for letters, layer in layers.items():
        names = {f"SP-NIST{letters}-5": "NIST-5", f"SP-NISTi{letters}-2": "NISTi-2"}
        found = score_sentences(list(names), candidates, references)
        # An empty text beside others is no reference, but a sentence without words is one.
        texts = [[" ".join(layer(one)) for one in own] for own in references]
        if any(len(own) > 1 and not all(own) for own in texts):
            continue
        plain = tarocco.score(
            [" ".join(layer(one)) for one in candidates], texts, metrics=list(names.values()), tokenize="none"
        )
        for ours, other in names.items():
            assert found[ours].statistics.tolist() == plain[other].statistics.tolist()


@given(sentence=sentences(), reference=sentences())
def test_case_is_the_runs(sentence, reference):
    """In lower case, The is the; labels are never told apart by case."""
    names = ["SP-Op-*", "DP-HWCw-2", "CP-STM-4", "NE-Me-*", "SR-Mrv-*"]
    lowered = [
        dataclasses.replace(one, words=tuple(map(str.lower, one.words)), tags=tuple(map(str.lower, one.tags)))
        for one in (sentence, reference)
    ]
    given = score_sentences(names, [sentence], [[reference]], lowercase=True)
    found = score_sentences(names, [lowered[0]], [[lowered[1]]])
    for name in names:
        assert found[name].score == pytest.approx(given[name].score, nan_ok=True)


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("SR-Or,w-*", "SR-Or-*"),
        ("SR-O-*", "SR-Or-*"),
        ("SR-M-A0", "SR-Mr-A0"),
        ("NE-O-*", "NE-Oe-*"),
        ("sp-op-nn", "SP-Op-NN"),
        ("SP-Oiob-b-np", "SP-Oiob-B-NP"),
        ("DP-Or-NSUBJ", "DP-Or-nsubj"),
        ("DP-HWCi-w-4", "DP-HWCiw-4"),
        ("DP-HWCM_w-4", "DP-HWCw-4"),
        ("CP-STMi4", "CP-STMi-4"),
        ("SP-NISTiob-2", "SP-NISTiob-2"),
        ("SP-NISTil5", "SP-NISTil-5"),
        ("SP-NISTi-l-5", "SP-NISTil-5"),
        ("SP-NIST_iob-2", "SP-NISTiob-2"),
        ("SP-NISTi-iob-2", "SP-NISTiiob-2"),
        ("SP-O_iob-*", "SP-Oiob-*"),
        ("DP-O_l-4", "DP-Ol-4"),
        ("CP-O_c-NP", "CP-Oc-NP"),
        ("NE-O_e-**", "NE-Oe-**"),
        ("NE-M_e-*", "NE-Me-*"),
        ("SR-O_rv", "SR-Orv"),
        ("SR-M_r-AM-MOD", "SR-Mr-AM-MOD"),
        ("SP-Op-,", "SP-Op-,"),
        ("sp-op-:", "SP-Op-:"),
        ("SP-Op,w-:", "SP-Op-:"),
        ("CP-Op-::variant=literal", "CP-Op-::variant=literal"),
        ("DP-Or-NSUBJ:pass", "DP-Or-nsubj:pass"),
        ("DP-Or-nsubj:pass:variant=literal", "DP-Or-nsubj:pass:variant=literal"),
        ("SR-Or-C-A1", "SR-Or-A1"),
        ("SR-Mrv-r-am-tmp", "SR-Mrv-AM-TMP"),
    ],
)
def test_names(name, canonical):
    assert str(metric(name)) == canonical


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("DP-Ol-0", "l is a level"),
        ("DP-Ol-NN", "l is a level"),
        ("DP-HWCw-10", "1 to 9"),
        ("CP-STM-0", "1 to 9"),
        ("DP-HWCw-5:variant=gapped", "at most 4"),
        ("SP-NISTl-10", "1 to 9"),
        ("NE-Me-**", "is for NE-Oe only"),
        ("SR-Or-**", "is for NE-Oe only"),
        ("NE-Oe-***", "is for NE-Oe only"),
        ("SP-Op-***", "is for NE-Oe only"),
        ("DP-HWCw-4:variant=subtrees", "one of overlap"),
        ("SP-Op-NN:", 'key=value, not ""'),
        ("SP-Op-NN:literal", 'key=value, not "literal"'),
        ("SP-Op-:::variant=literal", 'key=value, not ":"'),
        ("SP-Op-::variant=literal:x", 'key=value, not "x"'),
    ],
)
def test_bad_parameters(name, message):
    with pytest.raises(BadParameter, match=message):
        metric(name)


def test_no_such_metric():
    for name in ("SR-O", "SR-O,w", "SR-Or,w", "SR-Mr", "SP-Ox-*", "NE-Oe", "DP-HWCx-4"):
        with pytest.raises(UnknownName):
            metric(name)


def test_labels_with_colons():
    """The tag of dashes and colons, and subtypes of relations, are types like others."""
    one = Sentence(
        ("cats", "-", ":"), None, ("NNS", ":", ":"), None, None, (-1, 0, 0), ("nsubj:pass", "punct", "punct")
    )
    other = Sentence(("cats", "-", "-"), None, ("NNS", ":", ":"), None, None, (-1, 0, 0), ("nsubj:pass", "a", "b"))
    found = score_sentences(["SP-Op-:", "SP-Op-::variant=literal", "DP-Or-nsubj:pass"], [one], [[other]])
    assert [score.score for score in found.values()] == pytest.approx([1 / 3, 1 / 3, 2 / 4])


def test_classes_of_tags():
    """N stands for NN and NNP, F for punctuation, and * has no class."""
    one = Sentence(("cats", "Mary", "."), tags=("NNS", "NNP", "."))
    other = Sentence(("cats", "Mary", "!"), tags=("NN", "NNP", "."))
    found = score_sentences(["SP-Op-N", "SP-Op-F", "SP-Op-NN", "SP-Op-*"], [one], [[other]])
    assert [score.score for score in found.values()] == [1.0, 0.0, 0.0, 1 / 5]


def test_a_missing_layer_is_named():
    bare = Sentence(("a", "b"), tags=("DT", "NN"))
    for name, layer in {
        "SP-Oc-*": "chunks",
        "DP-HWCw-2": "dependency heads",
        "CP-STM-2": "constituency trees",
        "NE-Oe-*": "named entities",
        "SR-Or": "semantic roles",
        "SP-NISTl-2": "lemmas",
    }.items():
        with pytest.raises(
            InputError, match=f'needs {layer}, which are missing from the output of the analyzer "given"'
        ):
            score_sentences([name], [bare], [[bare]])
    assert score_sentences(["SP-Op-*"], [bare, Sentence(())], [[bare], [bare]])["SP-Op-*"].score == 0.5


def test_heads_in_a_circle():
    circle = Sentence(("a", "b"), universal=("X", "X"), heads=(1, 0), relations=("r", "r"))
    for name in ("DP-Ol-*", "DP-HWCw-2"):
        with pytest.raises(InputError, match=r"^system, segment 1: the analyzer .* cycle"):
            score_sentences([name], [circle], [[circle]])


def test_a_refused_text_survives_the_way_from_another_process():
    error = pickle.loads(pickle.dumps(TextRefused("a text", "a reason")))
    assert (error.text, error.reason, str(error)) == ("a text", "a reason", "a reason")


def test_tags_of_the_tree_where_there_are_no_others():
    nodes = (Node("NP-SBJ", -1, 0, 2), Node("DT", 0, 0, 1), Node("NN", 0, 1, 2))
    one = Sentence(("the", "cat"), tree=nodes)
    found = score_sentences(["CP-Op-NN", "CP-Oc-*", "CP-Oc-NP", "CP-STMi-3"], [one], [[one]])
    assert [score.score for score in found.values()] == [1.0] * 4


def test_a_parser_may_have_tags_of_its_own():
    """Where every word has a node of its own and the tagger agrees with one, none of them is a phrase."""
    nodes = (Node("VP", -1, 0, 2), Node("AUX", 0, 0, 1), Node("VBG", 0, 1, 2))
    one = Sentence(("was", "sitting"), tags=("VBD", "VBG"), tree=nodes)
    found = score_sentences(["CP-Oc-AUX", "CP-Op-AUX", "CP-Op-VBD", "CP-STMi-4"], [one], [[one]])
    assert [score.score for score in found.values()] == pytest.approx([math.nan, 1.0, math.nan, math.nan], nan_ok=True)


def test_signature_names_the_analyzer_and_its_version():
    result = tarocco.score(["the cat sat"], ["the cat"], metrics=["SP-Op-*", "BLEU-4"])
    assert result["SP-Op-*"].signature.startswith("SP-Op-*|nrefs:1|case:mixed|analyzer:by-rule-1|variant:minimum|v:")
    assert "analyzer" not in result["BLEU-4"].signature
    asked = Encoding("13a", analyzer="spacy")
    assert "analyzer" not in metric("BLEU-4").signature(asked, 1)
    assert metric("DP-HWCw-4").signature(asked, 1) == metric("DP-HWCw-4").signature(Encoding(), 1)


def test_an_unknown_analyzer():
    with pytest.raises(UnknownName, match='no analyzer "nobody"'):
        metric("SP-Op-*").signature(Encoding(analyzer="nobody"), 1)


def test_no_text_is_analyzed_twice():
    seen = []

    class Listening(ByRule):
        def annotate(self, texts):
            seen.extend(texts)
            return super().annotate(texts)

    annotated.register("spacy", Listening())
    try:
        tarocco.score(["a b", "a b"], [["a b", "c d"], ["e", "c d"]], metrics=["SP-Op-*", "SP-NISTp-2"])
    finally:
        annotated.register("spacy", ByRule())
    assert sorted(seen) == ["a b", "c d", "e"]


def test_too_many_chains_with_gaps():
    deep = dataclasses.replace(by_rule("a " * 1500), heads=tuple(range(-1, 1499)))
    short = by_rule("a b")
    with pytest.raises(InputError, match=r"^system, segment 2: variant=gapped: too many chains to count, 561375500 "):
        score_sentences(["DP-HWCw-4:variant=gapped"], [short, deep], [[short], [short]])


def test_many_words():
    """A sentence of a thousand words in a row, one below the other, and one beside the other."""
    words = tuple(f"w{i % 50}" for i in range(1000))
    deep = dataclasses.replace(by_rule(" ".join(words)), heads=tuple(range(-1, 999)))
    flat = dataclasses.replace(deep, heads=(-1, *[0] * 999))
    names = ["DP-Ol-*", "DP-Or-*", "DP-HWCw-9", "CP-STM-9:variant=subtrees", "SR-Mr-*"]
    for name, score in score_sentences(names, [deep, flat], [[deep], [flat]]).items():
        assert np.array_equal(score.segments, [1.0, 1.0]), name


def test_the_analyzer_is_chosen_by_callers(tmp_path, capsys):
    """A registered analyzer serves by its name, in Python and in commands, with its own labels or the manual's."""
    annotated.register("flat", Given({"a": by_rule("the cat sat"), "b": by_rule("a cat sat")}))
    found = tarocco.score(["a"], ["b"], metrics="SP-Op-*", analyzer="flat")["SP-Op-*"]
    assert "analyzer:given-1" in found.signature
    assert 0 < found.score < 1
    for name, text in (("sys", "a"), ("ref", "b")):
        (tmp_path / f"{name}.txt").write_text(f"{text}\n")
    command = ["score", str(tmp_path / "ref.txt"), "-i", str(tmp_path / "sys.txt"), "-m", "SP-Op-*", "-q"]
    assert main([*command, "--analyzer", "flat", "-b", "-w", "17"]) == 0
    assert float(capsys.readouterr().out) == pytest.approx(found.score)
    assert main([*command, "--analyzer", "flat", "--labels", "iqmt"]) == 0
    assert "analyzer:given-1+iqmt" in capsys.readouterr().out
    assert main([*command, "--analyzer", "nobody"]) == 1
    assert 'there is no analyzer "nobody"' in capsys.readouterr().err
