"""Configurations and stores of strangers: they name files, and nothing else; they run nothing."""

import os
import sqlite3

import pytest

import tarocco
from tarocco.annotate.analyzers import load_analyzer
from tarocco.annotate.cache import pack_sentence, unpack_sentence
from tarocco.annotate.sentence import Node, Sentence, Span
from tarocco.core.errors import InputError, StoreError, TaroccoError, UnknownName
from tarocco.io.experiment import read_experiment
from tarocco.io.scores.mt_metrics_eval import ScoreFileName
from tarocco.render.export import score_file_of
from tarocco.store import Store
from tarocco.store.blocks import get_annotations, put_annotations

SOUND = Sentence(("a", "b"), tags=("X", "Y"), heads=(-1, 0), relations=("root", "x"))


@pytest.mark.parametrize(
    "name", ["a\\u0000b", "x" * 300, "../" * 2000, "*\\u0000/*", "/dev/zero", "~root/x", "a\\u001b[2J"]
)
@pytest.mark.parametrize(
    "key", ["references", "systems", "documents", "human", "nbest", "store", "parses", "external.M"]
)
def test_an_experiment_file_names_files_that_are_not_there(tmp_path, key, name):
    (tmp_path / "ref.txt").write_text("a\n")
    path = tmp_path / "e.toml"
    path.write_text(
        f'{"" if key == "references" else "references = [" + chr(34) + "ref.txt" + chr(34) + "]"}\n{key} = "{name}"\n'
    )
    if key == "store":
        assert read_experiment(str(path)).store  # opened by a run alone, which makes stores and overwrites nothing
    else:
        with pytest.raises(InputError):
            read_experiment(str(path))
    assert sorted(os.listdir(tmp_path)) == ["e.toml", "ref.txt"]


def test_a_store_is_never_written_over_another_file(tmp_path):
    precious = tmp_path / "precious.txt"
    precious.write_text("a\n")
    with pytest.raises(TaroccoError):
        tarocco.score(["a"], ["a"], store=precious)
    assert precious.read_text() == "a\n"
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(StoreError, match="not a tarocco store; it was not changed"):
        tarocco.score(["a"], ["a"], store=other)
    assert other.read_bytes() == before


@pytest.mark.parametrize("resamples", [10**12, 10**18])
def test_an_experiment_file_cannot_ask_for_all_memory(tmp_path, resamples):
    (tmp_path / "ref.txt").write_text("a\n")
    (tmp_path / "e.toml").write_text(f'references = "ref.txt"\nn_resamples = {resamples}\n')
    with pytest.raises(InputError, match="line 2: n_resamples: expected a whole number from 2 to 10000000"):
        read_experiment(str(tmp_path / "e.toml"))


@pytest.mark.parametrize("name", ["spacy:antigravity", "spacy:evil", "spacy:./evil", "spacy:numpy", "stanza:../evil"])
def test_an_analyzer_is_an_installed_one(tmp_path, monkeypatch, name):
    """spaCy would import any package, and load any folder, that has the name."""
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "__init__.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "evil" / "config.cfg").write_text("[nlp]\nlang = 'en'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises((UnknownName, tarocco.TaroccoError)):
        load_analyzer(name)


@pytest.mark.parametrize("name", ["../evil", "a/b", "/tmp/x", "a b"])
def test_names_that_lead_elsewhere_become_no_files(tmp_path, name):
    similarities = tarocco.read_iq  # reading checks the same names: tests/iqmt/test_scores_file.py
    assert similarities is not None
    with pytest.raises(InputError, match="have no spaces or slashes"):
        score_file_of(ScoreFileName("en-de", name, "sys"), ["a"], __import__("numpy").zeros(1))


# --- stores --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        Sentence(("a", "b"), heads=(-1, 7)),
        Sentence(("a", "b"), heads=(1, 0)),
        Sentence(("a", "b"), tags=("X",)),
        Sentence(("a",), tree=(Node("S", 0, 0, 1),)),
        Sentence(("a",), tree=(Node("S", -1, 0, 10**9),)),
        Sentence(("a",), entities=(Span("PER", 5, 6),)),
        Sentence(("a",), lemmas=(1,)),
    ],
)
def test_an_analysis_from_a_store_is_looked_at(wrong):
    """Kernels trust places of words: whoever can write a checksum must not choose them."""
    assert unpack_sentence(pack_sentence(SOUND)) == SOUND
    with pytest.raises(StoreError, match="a stored analysis cannot be read"):
        unpack_sentence(pack_sentence(wrong))


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE blocks SET rows = 'many'",
        "UPDATE blocks SET rows = -1",
        "UPDATE blocks SET kinds = x'00ff'",
        "UPDATE blocks SET kinds = ''",
        "UPDATE blocks SET numbers = 'text', checksum = 0",
        "UPDATE blocks SET numbers = 12",
        "UPDATE blocks SET checksum = 'x'",
        "UPDATE annotations SET sentence = 5",
        "CREATE TRIGGER t AFTER INSERT ON blocks BEGIN DELETE FROM blocks; END",
        "DROP TABLE blocks",
        "ALTER TABLE blocks RENAME COLUMN key TO lost",
    ],
)
def test_a_store_of_a_stranger(tmp_path, change):
    path = tmp_path / "kept.db"
    run = {"metrics": ["BLEU-4", "WER"], "store": path}
    wanted = [one.score for one in tarocco.score(["a b", "c"], ["a b", "d"], **run).scores]
    with Store(path) as store:
        put_annotations(store, "x", [(b"key", pack_sentence(SOUND))])
    with sqlite3.connect(path) as connection:
        connection.execute(change)
    connection.close()
    said = None
    try:
        assert [one.score for one in tarocco.score(["a b", "c"], ["a b", "d"], **run).scores] == wanted
        with Store(path) as store:
            get_annotations(store, [b"key"])
    except StoreError as error:
        said = str(error)
    assert said is None or str(path) in said
