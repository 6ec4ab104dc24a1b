"""Texts to sentences: each text once, in memory and in a store; analyzers by name."""

import importlib
import subprocess
import sys

import pytest
from annotate.toys import Toy

from tarocco.annotate import cache as module
from tarocco.annotate import spacy_pipeline
from tarocco.annotate.cache import annotated, annotator, forget, register
from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import InputError, MissingExtra, StoreError, UnknownName
from tarocco.store import Store
from tarocco.store.blocks import prune_annotations
from tarocco.store.maintenance import problems, summarize

TEXTS = ["b a", "c", "b a", "", "é 漢", "\ud800 x"]


@pytest.fixture(autouse=True)
def _forgotten():
    forget()
    yield
    forget()


def test_a_text_is_analyzed_once():
    toy, done = Toy(), []
    found = annotated(TEXTS, toy, advance=done.append)
    assert [one.words for one in found] == [tuple(text.split()) for text in TEXTS]
    assert toy.asked == ["b a", "c", "", "é 漢", "\ud800 x"]
    assert sum(done) == len(TEXTS)
    assert annotated(["c", "d"], toy)[0] is found[1]
    assert toy.asked[5:] == ["d"]
    other = Toy("toy-2")
    assert annotated(["c"], other) == [found[1]]
    assert other.asked == ["c"]


def test_other_labels_need_no_other_analysis(tmp_path):
    """Labels of the manual are told from what was found before, in memory and in a store."""
    toy, path = Toy("toy-6"), tmp_path / "scores.db"
    register("mine", toy)
    annotated(TEXTS, "mine", store=path)
    forget()
    done = []
    annotated([*TEXTS, "new"], "mine+iqmt", store=path, advance=done.append)
    assert toy.asked[5:] == ["new"]
    assert sum(done) == len(TEXTS) + 1
    with Store(path) as store:
        assert summarize(store).annotations == 6


def test_an_analyzer_may_ask_another_one():
    class Wrapped(Toy):
        def annotate(self, texts):
            return annotated(texts, Toy("toy-7"))

    assert annotated(["a b"], Wrapped("wrapped-1"))[0].words == ("a", "b")


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_a_store_keeps_what_was_found(tmp_path, monkeypatch, batch):
    monkeypatch.setattr(module, "_BATCH", batch)
    path, first = tmp_path / "scores.db", Toy()
    without = annotated(TEXTS, Toy("toy-0"))
    assert annotated(TEXTS, first, store=path) == without
    forget()
    with Store(path) as store:
        again, done = Toy(), []
        assert annotated([*TEXTS, "new"], again, store=store, advance=done.append)[:-1] == without
        assert again.asked == ["new"]
        assert sum(done) == len(TEXTS) + 1
        assert summarize(store).annotations == 6
        assert problems(store) == []
    forget()
    newer = Toy("toy-3")
    annotated(["c"], newer, store=path)
    assert newer.asked == ["c"]


def test_a_damaged_store(tmp_path):
    path = tmp_path / "scores.db"
    annotated(["a b"], Toy(), store=path)
    forget()
    with Store(path) as store:
        store.connection.execute("UPDATE annotations SET sentence = x'00'")
        assert problems(store) == ["the analysis of a text by toy-1 is not what was stored"]
        with pytest.raises(StoreError, match="damaged"):
            annotated(["a b"], Toy(), store=store)


def test_pruning(tmp_path):
    with Store(tmp_path / "scores.db") as store:
        annotated(["a", "b"], Toy(), store=store)
        assert prune_annotations(store, "2000-01-01T00:00:00Z", True) == 0
        other = "UPDATE annotations SET release = 'x' WHERE key = (SELECT min(key) FROM annotations)"
        store.connection.execute(other)
        assert prune_annotations(store, "2000-01-01T00:00:00Z", True) == 1
        assert prune_annotations(store, "9999-01-01T00:00:00Z", False) == 1
        forget()
        annotated(["a"], Toy(), store=store)
        assert prune_annotations(store, None, False) == 1


def test_an_analyzer_that_forgets_a_text():
    class Forgetful(Toy):
        def annotate(self, texts):
            return super().annotate(texts)[1:]

    with pytest.raises(InputError, match="toy gave 1 sentences for 2 texts"):
        annotated(["a", "b"], Forgetful("toy-4"))


def test_names():
    toy = Toy("toy-5")
    register("mine", toy)
    assert annotator("mine") is toy
    relabeled = annotator("mine+iqmt")
    assert (relabeled.name, relabeled.version, relabeled.layers) == ("toy+iqmt", "toy-5+iqmt", toy.layers)
    assert relabeled.annotate(["a"]) == [Sentence(("a",), tags=("A",))]
    with pytest.raises(UnknownName, match='there is no analyzer "minipar"; there are spacy'):
        annotator("minipar")


def test_an_analyzer_may_be_replaced():
    class Loud(Toy):
        def annotate(self, texts):
            return super().annotate([text.upper() for text in texts])

    register("mine", Toy("toy-6"))
    assert [annotated(["a"], name)[0].words for name in ("mine", "mine+iqmt")] == [("a",), ("a",)]
    register("mine", Loud("toy-6"))
    assert [annotated(["a"], name)[0].words for name in ("mine", "mine+iqmt")] == [("A",), ("A",)]


def test_without_the_extra(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match=r'pip install "tarocco\[linguistic\]"'):
        spacy_pipeline.load_spacy()


def test_nothing_heavy_is_imported():
    code = "import tarocco.annotate.cache, tarocco.annotate.files, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"spacy", "stanza", "torch"} & set(done.stdout.split())
