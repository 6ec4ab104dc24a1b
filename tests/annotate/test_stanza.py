"""The adapter for Stanza, on a small stand-in for what Stanza gives."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from tarocco.annotate.derivation import DERIVED_LAYERS
from tarocco.annotate.pipelines import StanzaAnnotator, load_stanza
from tarocco.annotate.sentence import Span
from tarocco.core.errors import MissingExtra, UnknownName


def word(number, text, lemma, upos, xpos, head, relation):
    return SimpleNamespace(id=number, text=text, lemma=lemma, upos=upos, xpos=xpos, head=head, deprel=relation)


def sentence(*words, entities=(), tree=None):
    tokens = [SimpleNamespace(words=[one]) for one in words]
    found = [SimpleNamespace(type=kind, tokens=tokens[start:end]) for kind, start, end in entities]
    return SimpleNamespace(words=list(words), ents=found, constituency=tree)


HE_LEFT = sentence(
    word(1, "Ann", "Ann", "PROPN", "NNP", 2, "nsubj"),
    word(2, "left", "leave", "VERB", "VBD", 0, "root"),
    word(3, ".", ".", "PUNCT", ".", 2, "punct"),
    entities=[("PERSON", 0, 1)],
    tree="(ROOT (S (NP (NNP Ann)) (VP (VBD left)) (. .)))",
)
GO = sentence(word(1, "Go", "go", "VERB", "VB", 0, "root"), tree="(ROOT (S (VP (VB Go))))")


class Pipeline:
    def __init__(self, *processors):
        self.processors = dict.fromkeys(processors)
        self.asked = []

    def bulk_process(self, texts):
        self.asked.append(list(texts))
        return [SimpleNamespace(sentences=[HE_LEFT, GO] if "Go" in text else [HE_LEFT]) for text in texts]


def test_what_stanza_says_in_our_structure():
    pipeline = Pipeline("tokenize", "pos", "lemma", "depparse", "ner")
    analyzer = StanzaAnnotator(pipeline, "en", "1.9")
    assert (analyzer.name, analyzer.version) == ("stanza:en", "stanza-1.9/en")
    one, none, both = analyzer.annotate(["Ann  left.", " ", "Ann left. Go"])
    assert pipeline.asked == [["Ann left.", "Ann left. Go"]]
    assert one.words == ("Ann", "left", ".")
    assert one.layers == analyzer.layers >= DERIVED_LAYERS
    assert (one.heads, one.relations) == ((1, -1, 1), ("nsubj", "root", "punct"))
    assert one.entities == (Span("PERSON", 0, 1),)
    assert one.chunks == ("B-NP", "B-VP", "O")
    assert one.frames[0].arguments == (Span("A0", 0, 1),)
    assert both.heads == (1, -1, 1, -1)
    assert [node.label for node in both.tree] == ["TOP", "S", "NP", "VP", "S", "VP"]
    assert none.words == none.tree == none.frames == ()
    assert none.layers == analyzer.layers


def test_its_own_trees_are_taken():
    analyzer = StanzaAnnotator(Pipeline("pos", "lemma", "depparse", "constituency"), "en", "1.9")
    (one,) = analyzer.annotate(["Ann left."])
    assert [node.label for node in one.tree] == ["ROOT", "S", "NP", "VP"]
    assert one.entities is None


def test_other_languages_have_what_their_pipeline_has():
    analyzer = StanzaAnnotator(Pipeline("pos", "lemma"), "fr", "1.9")
    assert analyzer.layers == {"universal", "tags", "lemmas"}
    assert analyzer.annotate(["Ann left."])[0].layers == analyzer.layers


def test_loading(monkeypatch):
    stanza = ModuleType("stanza")
    stanza.__version__ = "1.9"

    def pipeline(language, **options):
        assert options["download_method"] is None
        if language == "xx":
            raise FileNotFoundError("no resources\nat all")
        return Pipeline("pos")

    stanza.Pipeline = pipeline
    monkeypatch.setitem(sys.modules, "stanza", stanza)
    assert load_stanza("de").name == "stanza:de"
    with pytest.raises(UnknownName, match=r'Stanza has no installed models for "xx" \(no resources\)'):
        load_stanza("xx")
    monkeypatch.setitem(sys.modules, "stanza", None)
    with pytest.raises(MissingExtra, match="pip install stanza"):
        load_stanza("en")
