"""KING is taken up again wherever it was killed: the same bytes, and nothing is computed again that was stored."""

import random
import subprocess
import sys
import time
from pathlib import Path

from store_kills import recomputed

from tarocco.store import Store
from tarocco.store.maintenance import problems

WORKER = Path(__file__).parents[1] / "qarla_worker.py"


def test_killed_while_similarities_are_computed(tmp_path):
    expected, store, log, out = (tmp_path / name for name in ("expected", "store", "log", "out"))
    subprocess.run([sys.executable, WORKER, "", tmp_path / "unused", expected], check=True)
    luck, kills, hit_while_writing = random.Random(8), 0, 0
    log.touch()
    for _ in range(3):
        before = log.stat().st_size
        process = subprocess.Popen([sys.executable, WORKER, store, log, out])
        while process.poll() is None and log.stat().st_size == before:
            time.sleep(0.001)
        time.sleep(luck.uniform(0, 0.1))
        process.kill()
        kills += process.wait() != 0
        hit_while_writing += log.stat().st_size > before
        with Store(store, readonly=True) as opened:
            assert problems(opened) == []
    subprocess.run([sys.executable, WORKER, store, log, out], check=True)
    assert kills >= 2
    assert hit_while_writing >= 2
    assert out.read_bytes() == expected.read_bytes()
    assert recomputed(log.read_text()) == []
    before = log.read_text()
    subprocess.run([sys.executable, WORKER, store, log, out], check=True)  # once more: everything is there
    assert out.read_bytes() == expected.read_bytes()
    assert "computed" not in log.read_text()[len(before) :]
