"""Numbers come back bit for bit, and are found only by what they were computed from."""

import os
import re
import sqlite3
import subprocess
import sys
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import tarocco
from tarocco.core import test_set as model
from tarocco.encode.batch import Encoding
from tarocco.scoring.cache import StatisticsCache
from tarocco.scoring.score import score_test_set
from tarocco.store import Store
from tarocco.store.blocks import make_digest, pack_numbers, unpack_numbers
from tarocco.store.maintenance import list_series, problems, prune, read_rows, summarize

CANDIDATES = [f"a b c w{i % 7} d w{i % 3}" for i in range(40)]
REFERENCES = [[f"a b w{i % 7} d", f"b c w{i % 5} d e"] for i in range(40)]
METRICS = ["BLEU-4", "NIST-5", "ROUGE-W-1.2", "TER"]


@pytest.fixture
def small_blocks(monkeypatch):
    """Several blocks for a few segments."""
    monkeypatch.setattr(model, "BLOCK", 16)


def numbers_of(result):
    return [(score.system, str(score.metric), score.statistics.tobytes(), score.score) for score in result.scores]


@given(
    arrays.arrays(
        np.float64,
        st.tuples(st.integers(1, 5), st.integers(1, 4)),
        elements=st.one_of(st.floats(), st.integers(0, 70_000).map(float), st.just(-0.0)),
    )
)
def test_packing_keeps_every_bit(numbers):
    assert (
        unpack_numbers(pack_numbers(numbers)[0], len(numbers), pack_numbers(numbers)[1]).tobytes() == numbers.tobytes()
    )


def test_counts_are_packed():
    columns = [[3.0, 255.0], [3.0, 256.0], [3.0, -0.0], [0.1, 3.0], [0.0, 0.0]]
    kinds, data = pack_numbers(np.array(columns).T)
    assert kinds == "BHddB"  # the sign of zero is a bit, too
    assert len(data) == 2 * (1 + 2 + 8 + 8 + 1)
    assert unpack_numbers(kinds, 2, data).T.tolist() == columns


def test_a_digest_tells_where_parts_end():
    assert make_digest("ab", "c") != make_digest("a", "bc")
    assert make_digest("a", b"") != make_digest("a")
    assert make_digest(np.arange(3)) == make_digest(np.arange(3).tobytes())


def test_blocks_come_back(tmp_path):
    block = np.array([[1.5, np.nan], [-0.0, 1e300]])
    with Store(tmp_path / "s.db") as store:
        store.put([(b"one", block), (b"two", np.ones((1, 3)))])
        store.put([(b"one", np.zeros((2, 2)))])  # what is there stays
        assert store.get([b"three"]) == {}
    with Store(tmp_path / "s.db", readonly=True) as store:
        found = store.get([b"one", b"two"])
        assert found[b"one"].tobytes() == block.tobytes()
        assert found[b"two"].shape == (1, 3)


def test_scores_with_a_store_are_the_same(tmp_path, small_blocks):
    systems = {"x": CANDIDATES, "y": CANDIDATES[::-1]}
    plain = numbers_of(tarocco.score(systems, REFERENCES, metrics=METRICS, confidence=0.9, n_resamples=20))
    for _ in range(2):  # computed, then read
        stored = tarocco.score(
            systems, REFERENCES, metrics=METRICS, confidence=0.9, n_resamples=20, store=tmp_path / "s.db"
        )
        assert numbers_of(stored) == plain
    with Store(tmp_path / "s.db", readonly=True) as store:
        found = list_series(store)
        assert [(entry.metric, entry.subject) for entry in found] == [(m, s) for m in METRICS for s in systems]
        assert all(entry.done == entry.rows == 40 for entry in found)
        assert summarize(store).blocks == 4 * 2 * 3
        whole = np.concatenate([numbers for _, numbers in read_rows(store, found[0])])
        assert whole.tobytes() == plain[0][2]


def poison(path):
    """Replace every number in a store by 7, so that whoever reads one shows it."""
    connection = sqlite3.connect(path)
    for key, rows, kinds in connection.execute("SELECT key, rows, kinds FROM blocks").fetchall():
        kinds, sevens = pack_numbers(np.full((rows, len(kinds)), 7.0))
        new = (kinds, sevens, zlib.crc32(sevens), key)
        connection.execute("UPDATE blocks SET kinds = ?, numbers = ?, checksum = ? WHERE key = ?", new)
    connection.commit()
    connection.close()


def changed(candidates=CANDIDATES, references=REFERENCES, metric="NIST-5", **options):
    return candidates, references, metric, options


@pytest.mark.parametrize(
    ("candidates", "references", "metric", "options"),
    [
        changed(candidates=[*CANDIDATES[:-1], CANDIDATES[-1] + " x"]),
        changed(references=[*REFERENCES[:-1], [*REFERENCES[-1][:1], "b c e"]]),
        changed(references=[*REFERENCES[:-1], REFERENCES[-1][::-1]]),
        changed(references=[*REFERENCES[:-1], REFERENCES[-1][:1]]),
        changed(metric="NIST-4"),
        changed(metric="BLEU-4:smooth=none"),
        changed(tokenize="char"),
        changed(lowercase=True),
    ],
    ids=["candidate", "reference", "order", "fewer", "order of n-grams", "parameter", "tokenizer", "case"],
)
def test_stale_numbers_are_never_read(tmp_path, small_blocks, candidates, references, metric, options):
    """Blocks that did not change may be read for metrics that look at one segment; NIST looks at all references."""
    path = tmp_path / "s.db"
    tarocco.score(CANDIDATES, REFERENCES, metrics=["NIST-5", "BLEU-4"], store=path)
    poison(path)
    assert (tarocco.score(CANDIDATES, REFERENCES, metrics="NIST-5", store=path)["NIST-5"].statistics == 7).all()
    found = tarocco.score(candidates, references, metrics=metric, store=path, **options)[metric].statistics
    right = tarocco.score(candidates, references, metrics=metric, **options)[metric].statistics
    last = 32 if candidates is not CANDIDATES else 0  # only the block whose text changed is another one
    assert found[last:].tobytes() == right[last:].tobytes()
    assert (found[:last] == 7).all()


def test_many_processes_make_a_store_at_once(tmp_path):
    code = "import sys; from tarocco.store import Store; [Store(f'{sys.argv[1]}/{i}').close() for i in range(40)]"
    makers = [
        subprocess.Popen([sys.executable, "-c", code, tmp_path], stderr=subprocess.PIPE, text=True) for _ in range(4)
    ]
    assert [maker.communicate()[1] for maker in makers] == [""] * 4


def test_a_name_that_is_not_text_is_written_down_somehow(tmp_path):
    name = os.fsdecode(b"caf\xe9")
    result = tarocco.score({name: CANDIDATES}, REFERENCES, store=tmp_path / "s.db")
    assert result[name]["BLEU-4"].score > 0
    with Store(tmp_path / "s.db", readonly=True) as store:
        assert list_series(store)[0].subject == "caf\\udce9"


def test_another_release_computes_anew(tmp_path, monkeypatch):
    path = tmp_path / "s.db"
    tarocco.score(CANDIDATES, REFERENCES, store=path)
    poison(path)
    monkeypatch.setattr("tarocco.metrics.base.__version__", "99.0")
    result = tarocco.score(CANDIDATES, REFERENCES, store=path)
    assert result["BLEU-4"].score == tarocco.score(CANDIDATES, REFERENCES)["BLEU-4"].score


def test_another_release_of_a_plugin_computes_anew(tmp_path, monkeypatch):
    from tarocco.metrics import registry

    path = tmp_path / "s.db"
    tarocco.score(CANDIDATES, REFERENCES, metrics="Overlap", store=path)
    poison(path)
    family = type(tarocco.metric("Overlap"))
    release = registry.release_of(tarocco.metric("Overlap"))
    assert re.fullmatch(r"tarocco-overlap \d\S* [0-9a-f]{8}", release)  # with eight digits of the file that defines it
    monkeypatch.setattr(registry, "_installed", lambda: {family: f"{release[:-8]}00000000"})
    result = tarocco.score(CANDIDATES, REFERENCES, metrics="Overlap", store=path)
    assert result["Overlap"].score == tarocco.score(CANDIDATES, REFERENCES, metrics="Overlap")["Overlap"].score


def test_a_metric_without_a_release_is_computed_and_not_stored(tmp_path):
    from tarocco.metrics.rouge import Power, RougeW

    weighted = RougeW(weighting=Power(1.5))
    for _ in range(2):
        found = tarocco.score(CANDIDATES, REFERENCES, metrics=[weighted], store=tmp_path / "s.db")
        assert found.scores[0].score > 0
    with Store(tmp_path / "s.db", readonly=True) as store:
        assert summarize(store).series == summarize(store).blocks == 0


def test_a_stopped_run_goes_on_where_it_was(tmp_path, small_blocks, monkeypatch):
    class Stop(Exception):
        pass

    def stop_after(blocks):
        left = [blocks]

        def advance(_done):
            left[0] -= 1
            if not left[0]:
                raise Stop

        return advance

    from tarocco.core.test_set import make_test_set

    test_set = make_test_set(CANDIDATES, REFERENCES)
    metrics = [tarocco.metric(name) for name in METRICS]
    with pytest.raises(Stop):
        score_test_set(test_set, metrics, Encoding(), progress=stop_after(2), store=tmp_path / "s.db")
    with Store(tmp_path / "s.db", readonly=True) as store:
        assert {entry.done for entry in list_series(store)} == {32}
    put, new = StatisticsCache.put, []
    monkeypatch.setattr(StatisticsCache, "put", lambda self, block, rows: (new.append(block), put(self, block, rows)))
    result = score_test_set(test_set, metrics, Encoding(), store=tmp_path / "s.db")
    assert new == [(32, 40)]
    assert numbers_of(result) == numbers_of(score_test_set(test_set, metrics, Encoding()))


def test_only_what_is_missing_is_computed(tmp_path, monkeypatch):
    put, new = StatisticsCache.put, []
    monkeypatch.setattr(
        StatisticsCache, "put", lambda self, block, rows: (new.append(set(rows)), put(self, block, rows))
    )
    path = tmp_path / "s.db"
    tarocco.score({"x": CANDIDATES}, REFERENCES, metrics=["BLEU-4", "WER"], store=path)
    tarocco.score({"y": CANDIDATES[::-1], "x": CANDIDATES}, REFERENCES, metrics=["BLEU-4", "TER", "WER"], store=path)
    assert new == [{(0, 0), (1, 0)}, {(0, 0), (2, 0)}, {(1, 0), (1, 1)}]


def test_nothing_is_prepared_for_blocks_that_are_stored(tmp_path, monkeypatch):
    tarocco.score(CANDIDATES, REFERENCES, metrics="NIST-5", store=tmp_path / "s.db")
    monkeypatch.setattr("tarocco.metrics.ngram.nist.information", None)
    assert tarocco.score(CANDIDATES, REFERENCES, metrics="NIST-5", store=tmp_path / "s.db")["NIST-5"].score > 0


def test_two_processes_write_at_once(tmp_path):
    """Each stores its own blocks and both store some that they share; both find the store whole."""
    code = """if True:
        import sys, numpy as np
        from tarocco.store import Store
        with Store(sys.argv[1]) as store:
            for i in range(300):
                block = np.full((4, 3), i)
                store.put([(f"{sys.argv[2]}{i}".encode(), block), (f"both{i}".encode(), block)])
    """
    path = tmp_path / "s.db"
    writers = [subprocess.Popen([sys.executable, "-c", code, path, name]) for name in ("first", "second")]
    assert [writer.wait() for writer in writers] == [0, 0]
    with Store(path, readonly=True) as store:
        assert problems(store) == []
        assert summarize(store).blocks == 900
        assert (store.get([b"both299"])[b"both299"] == 299).all()


def test_pruning_keeps_what_others_need(tmp_path):
    path = tmp_path / "s.db"
    tarocco.score({"x": CANDIDATES, "same": CANDIDATES, "y": CANDIDATES[::-1]}, REFERENCES, store=path)
    with Store(path) as store:
        assert summarize(store).blocks == 2  # "same" has the same text
        gone = [entry.number for entry in list_series(store) if entry.subject in ("x", "y")]
        assert prune(store, gone) == 1
        assert [(entry.subject, entry.done) for entry in list_series(store)] == [("same", 40)]
        assert problems(store) == []


def test_killed_again_and_again(tmp_path):
    """A few kills; `make kills` does two hundred."""
    from store_kills import kill_again_and_again

    found = kill_again_and_again(8, tmp_path)
    assert found["kills"] == 8
    assert found["stored"] + found["kills"] >= 188 * found["rounds"]  # a kill may come between storing and telling
    assert (found["recomputed"], found["problems"], found["differences"]) == (0, 0, 0)
