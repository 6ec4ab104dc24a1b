"""Outcomes kept in a store: nothing is computed twice, nothing stale is read, and a killed run goes on."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import tarocco
from tarocco.meta.orange import ranking as block
from tarocco.store import Store
from tarocco.store.maintenance import list_series, problems, read_rows

METRICS = ["BLEUS-4", "NIST-5", "WER", "ROUGE-L"]


@pytest.fixture(scope="module")
def trial():
    generator = np.random.default_rng(1)
    texts = [[" ".join(generator.choice(list("abcdef"), 7)) for _ in range(13)] for _ in range(30)]
    return [own[3:] for own in texts], [own[:3] for own in texts]


@pytest.fixture
def counted(monkeypatch):
    """What is really scored, and in small blocks."""
    monkeypatch.setattr("tarocco.meta.orange.lists._TEXT", 500)
    scored = []

    def count(metrics, batch, contexts):
        scored.extend(map(str, metrics))
        return original(metrics, batch, contexts)

    original = block.score_batch
    monkeypatch.setattr(block, "score_batch", count)
    return scored


def test_nothing_is_computed_twice(trial, counted, tmp_path):
    lists, references = trial
    without = tarocco.orange(lists, references, metrics=METRICS, curve=3)
    counted.clear()
    options = {"metrics": METRICS, "curve": 3, "store": tmp_path / "store"}
    first = tarocco.orange(lists, references, **options)
    assert len(counted) > len(METRICS)
    counted.clear()
    second = tarocco.orange(lists, references, **options)
    assert counted == []
    assert first.to_dict() == second.to_dict() == without.to_dict()


@pytest.mark.parametrize(
    ("changed", "again"),
    [
        ({"ties": "worst"}, set()),  # decided at the end
        ({"short": "keep", "seed": 3}, set()),
        ({"metrics": [*METRICS, "PER"]}, {"PER"}),
        ({"metrics": ["WER"], "combine": [("WER", "ROUGE-L")]}, {"WER", "ROUGE-L"}),
        ({"lowercase": True}, set(METRICS)),
        ({"against": "all"}, set(METRICS)),
        ({"oracle": "combined"}, set(METRICS)),
        ({"curve": 2}, set(METRICS)),
        ({"n_best": 5}, set(METRICS)),
    ],
)
def test_what_is_computed_again(trial, counted, tmp_path, changed, again):
    lists, references = trial
    tarocco.orange(lists, references, metrics=METRICS, store=tmp_path / "store")
    counted.clear()
    options = {"metrics": METRICS} | changed
    found = tarocco.orange(lists, references, **options, store=tmp_path / "store")
    assert set(counted) == again
    assert found.to_dict() == tarocco.orange(lists, references, **options).to_dict()


def test_changed_text(trial, counted, tmp_path):
    """One candidate that changed: its block alone is computed again; another reference changes NIST everywhere."""
    lists, references = trial
    tarocco.orange(lists, references, metrics=METRICS, store=tmp_path / "store")
    blocks = len(counted) // len(METRICS)
    assert blocks > 3
    counted.clear()
    other = [[*lists[0][:-1], "b"], *lists[1:]]
    found = tarocco.orange(other, references, metrics=METRICS, store=tmp_path / "store")
    assert sorted(counted) == sorted(METRICS)
    assert found.to_dict() == tarocco.orange(other, references, metrics=METRICS).to_dict()
    counted.clear()
    changed = [["a a", *references[0][1:]], *references[1:]]
    found = tarocco.orange(lists, changed, metrics=METRICS, store=tmp_path / "store")
    assert counted.count("NIST-5") == blocks
    assert counted.count("WER") == 1
    assert found.to_dict() == tarocco.orange(lists, changed, metrics=METRICS).to_dict()


def test_what_people_see_of_it(trial, counted, tmp_path):
    lists, references = trial
    tarocco.orange(lists, references, metrics=["WER"], store=tmp_path / "store")
    with Store(tmp_path / "store") as store:
        (entry,) = list_series(store)
        assert (entry.metric, entry.subject, entry.rows, entry.done) == ("ORANGE WER", "nbest", 30, 30)
        assert sum(len(rows) for _, rows in read_rows(store, entry)) == 30
        assert problems(store) == []


def write_files(folder, trial):
    lists, references = trial
    lines = [f"{i} ||| {text}\n" for i, own in enumerate(lists * 160) for text in own]
    (folder / "nbest.txt").write_text("".join(lines))
    for r in range(3):
        (folder / f"ref{r}").write_text("".join(f"{own[r]}\n" for own in references * 160))
    references = [f"ref{r}" for r in range(3)]
    return [sys.executable, "-m", "tarocco", "orange", "nbest.txt", "-r", *references, "-m", *METRICS, "TER", "--curve"]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_that_was_stopped_goes_on(trial, tmp_path, number):
    """Once something is in the store the process is stopped; the next one ends with the same bytes."""
    command = [*write_files(tmp_path, trial), "--store", "store", "-f", "json"]
    whole = subprocess.run(command[:-4] + command[-2:], cwd=tmp_path, capture_output=True, check=True).stdout
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None:
        time.sleep(0.01)
        if (tmp_path / "store").exists() and _blocks(tmp_path / "store"):
            process.send_signal(number)
            break
    out, _ = process.communicate()
    assert process.returncode != 0
    assert out == b""
    kept = _blocks(tmp_path / "store")
    assert kept
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    assert again == whole
    assert _blocks(tmp_path / "store") > kept


def _blocks(path):
    try:
        with Store(path, readonly=True) as store:
            return store.connection.execute("SELECT count(*) FROM blocks").fetchone()[0]
    except tarocco.TaroccoError:
        return 0


def test_a_file_that_changed_further_on(trial, counted, tmp_path):
    """What a store shows of a trial is what the last one had."""
    lists, references = trial
    options = {"metrics": ["WER"], "store": tmp_path / "store"}
    tarocco.orange(lists, references, **options)
    tarocco.orange(
        [*lists[:10], *([text, "b"] * 3 for text in "abcdefghijklmnopqrst")], references, **options, n_best=6
    )
    changed = [*lists[:20], *(own[::-1] for own in lists[20:])]
    tarocco.orange(changed, references, **options)
    with Store(tmp_path / "store") as store:
        for entry in list_series(store):
            assert entry.done == 30
            starts = [first for first, _ in read_rows(store, entry)]
            sizes = [len(rows) for _, rows in read_rows(store, entry)]
            assert starts == np.cumsum([0, *sizes[:-1]]).tolist()


def test_a_trial_without_a_store_knows_nothing_of_stores(trial, tmp_path):
    command = [*write_files(tmp_path, trial)[3:], "-q", "-j", "1"]
    program = "import sys\nfrom tarocco.cli import main\nmain(sys.argv[1:])\nassert 'sqlite3' not in sys.modules\n"
    subprocess.run([sys.executable, "-c", program, *command], cwd=tmp_path, check=True, capture_output=True)
