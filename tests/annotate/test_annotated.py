"""Texts to sentences: each text once, in memory and in a store; analyzers by name."""

import importlib
import subprocess
import sys

import pytest
from annotate.toys import Toy

from tarocco.annotate import cache as module
from tarocco.annotate import pipelines
from tarocco.annotate.analyzers import load_analyzer
from tarocco.annotate.cache import annotate_texts, clear_memory, register
from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import InputError, MissingExtra, StoreError, UnknownName
from tarocco.store import Store
from tarocco.store.blocks import prune_annotations
from tarocco.store.maintenance import problems, summarize

TEXTS = ["b a", "c", "b a", "", "é 漢", "\ud800 x"]


@pytest.fixture(autouse=True)
def _forgotten():
    clear_memory()
    yield
    clear_memory()


def test_a_text_is_analyzed_once():
    toy, done = Toy(), []
    found = annotate_texts(TEXTS, toy, advance=done.append)
    assert [one.words for one in found] == [tuple(text.split()) for text in TEXTS]
    assert toy.asked == ["b a", "c", "", "é 漢", "\ud800 x"]
    assert sum(done) == len(TEXTS)
    assert annotate_texts(["c", "d"], toy)[0] is found[1]
    assert toy.asked[5:] == ["d"]
    other = Toy("toy-2")
    assert annotate_texts(["c"], other) == [found[1]]
    assert other.asked == ["c"]


def test_other_labels_need_no_other_analysis(tmp_path):
    """Labels of the manual are told from what was found before, in memory and in a store."""
    toy, path = Toy("toy-6"), tmp_path / "scores.db"
    register("mine", toy)
    annotate_texts(TEXTS, "mine", store=path)
    clear_memory()
    done = []
    annotate_texts([*TEXTS, "new"], "mine+iqmt", store=path, advance=done.append)
    assert toy.asked[5:] == ["new"]
    assert sum(done) == len(TEXTS) + 1
    with Store(path) as store:
        assert summarize(store).annotations == 6


def test_an_analyzer_may_ask_another_one():
    class Wrapped(Toy):
        def annotate(self, texts):
            return annotate_texts(texts, Toy("toy-7"))

    assert annotate_texts(["a b"], Wrapped("wrapped-1"))[0].words == ("a", "b")


@pytest.mark.parametrize("batch", [1, 2, 500])
def test_a_store_keeps_what_was_found(tmp_path, monkeypatch, batch):
    monkeypatch.setattr(module, "_BATCH", batch)
    path, first = tmp_path / "scores.db", Toy()
    without = annotate_texts(TEXTS, Toy("toy-0"))
    assert annotate_texts(TEXTS, first, store=path) == without
    clear_memory()
    with Store(path) as store:
        again, done = Toy(), []
        assert annotate_texts([*TEXTS, "new"], again, store=store, advance=done.append)[:-1] == without
        assert again.asked == ["new"]
        assert sum(done) == len(TEXTS) + 1
        assert summarize(store).annotations == 6
        assert problems(store) == []
    clear_memory()
    newer = Toy("toy-3")
    annotate_texts(["c"], newer, store=path)
    assert newer.asked == ["c"]


def test_a_damaged_store(tmp_path):
    path = tmp_path / "scores.db"
    annotate_texts(["a b"], Toy(), store=path)
    clear_memory()
    with Store(path) as store:
        store.connection.execute("UPDATE annotations SET sentence = x'00'")
        assert problems(store) == ["an annotation by toy-1 does not match its checksum"]
        with pytest.raises(StoreError, match="damaged"):
            annotate_texts(["a b"], Toy(), store=store)


def test_pruning(tmp_path):
    with Store(tmp_path / "scores.db") as store:
        annotate_texts(["a", "b"], Toy(), store=store)
        assert prune_annotations(store, "2000-01-01T00:00:00Z", True) == 0
        other = "UPDATE annotations SET release = 'x' WHERE key = (SELECT min(key) FROM annotations)"
        store.connection.execute(other)
        assert prune_annotations(store, "2000-01-01T00:00:00Z", True) == 1
        assert prune_annotations(store, "9999-01-01T00:00:00Z", False) == 1
        clear_memory()
        annotate_texts(["a"], Toy(), store=store)
        assert prune_annotations(store, None, False) == 1


def test_an_analyzer_that_forgets_a_text():
    class Forgetful(Toy):
        def annotate(self, texts):
            return super().annotate(texts)[1:]

    with pytest.raises(InputError, match="toy returned 1 sentences for 2 texts"):
        annotate_texts(["a", "b"], Forgetful("toy-4"))


def test_names():
    toy = Toy("toy-5")
    register("mine", toy)
    assert load_analyzer("mine") is toy
    relabeled = load_analyzer("mine+iqmt")
    assert (relabeled.name, relabeled.version, relabeled.layers) == ("toy+iqmt", "toy-5+iqmt", toy.layers)
    assert relabeled.annotate(["a"]) == [Sentence(("a",), tags=("A",))]
    with pytest.raises(UnknownName, match='there is no analyzer "minipar"; use spacy'):
        load_analyzer("minipar")


def test_an_analyzer_may_be_replaced():
    class Loud(Toy):
        def annotate(self, texts):
            return super().annotate([text.upper() for text in texts])

    register("mine", Toy("toy-6"))
    assert [annotate_texts(["a"], name)[0].words for name in ("mine", "mine+iqmt")] == [("a",), ("a",)]
    register("mine", Loud("toy-6"))
    assert [annotate_texts(["a"], name)[0].words for name in ("mine", "mine+iqmt")] == [("A",), ("A",)]


def test_without_the_extra(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(MissingExtra, match=r'pip install "tarocco\[linguistic\]"'):
        pipelines.load_spacy()


def test_nothing_heavy_is_imported():
    code = "import tarocco.annotate.cache, tarocco.annotate.parses, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"spacy", "stanza", "torch"} & set(done.stdout.split())
