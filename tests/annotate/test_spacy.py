"""spaCy's English pipeline: the extra is among what tests install, so that nothing here is passed over."""

import pytest
import spacy

from tarocco.annotate import pipelines
from tarocco.annotate.derivation import DERIVED_LAYERS
from tarocco.annotate.pipelines import SpacyAnnotator, load_spacy
from tarocco.core.errors import InputError, UnknownName


@pytest.fixture(scope="module")
def english():
    return load_spacy("")


def test_all_layers(english):
    assert english.version == f"spacy-{spacy.__version__}/en_core_web_sm-3.8.0"
    one, none = english.annotate(["The  captain sailed\tto Rome\u00a0on 3 May.", ""])
    assert one.words == ("The", "captain", "sailed", "to", "Rome", "on", "3", "May", ".")
    assert one.layers == none.layers == english.layers
    assert len(english.layers) == 9
    assert one.tags == ("DT", "NN", "VBD", "IN", "NNP", "IN", "CD", "NNP", ".")
    assert one.lemmas[2] == "sail"
    assert one.chunks == ("B-NP", "I-NP", "B-VP", "B-PP", "B-NP", "B-PP", "B-NP", "I-NP", "O")
    assert {(span.label, span.start, span.end) for span in one.entities} == {("GPE", 4, 5), ("DATE", 6, 8)}
    (frame,) = one.frames
    assert [(span.label, span.start, span.end) for span in frame.arguments] == [
        ("A0", 0, 2),
        ("A2", 3, 5),
        ("AM-TMP", 5, 8),
    ]
    assert none.words == none.tree == none.frames == ()


def test_a_segment_of_several_sentences(english):
    (both,) = english.annotate(["He left. She stayed."])
    assert both.heads.count(-1) == 2
    assert both.tree[0].label == "TOP"
    assert [node.label for node in both.tree if node.parent == 0] == ["S", "S"]


def test_strange_texts(english):
    texts = ["word " * 1000, "((((", "\u200b\u2028 \x00", "漢字", "a" * 5000, "?!" * 300]
    for text, found in zip(texts, english.annotate(texts), strict=True):
        assert "".join(found.words) == "".join(text.split())


def test_half_a_character(english):
    assert [one.words for one in english.annotate(["a \ud800", "\ud83d\ude00"])] == [("a", "\ufffd"), ("\U0001f600",)]


def test_a_text_that_spacy_refuses(english, monkeypatch):
    monkeypatch.setattr(english.pipeline, "max_length", 10)
    with pytest.raises(InputError, match=r'a segment has 11 characters, spaCy accepts up to 10: "abc abc abc..."'):
        english.annotate(["abc abc abc"])


def test_other_pipelines():
    blank = spacy.blank("fr")
    analyzer = SpacyAnnotator(blank, "blank")
    assert analyzer.layers == frozenset()
    assert analyzer.annotate(["deux mots"])[0].words == ("deux", "mots")
    assert not analyzer.layers & DERIVED_LAYERS
    with pytest.raises(UnknownName, match='there is no spaCy pipeline "fr_none"; installed: '):
        load_spacy("fr_none")
    with pytest.raises(UnknownName, match="there is no spaCy pipeline"):
        load_spacy("../weights")


def test_other_weights_are_refused(monkeypatch):
    pipelines.check_weights()
    monkeypatch.setattr(pipelines, "REPUBLISHED_SHA256", "0" * 64)
    with pytest.raises(InputError, match="expected files with the SHA-256"):
        pipelines.check_weights()
