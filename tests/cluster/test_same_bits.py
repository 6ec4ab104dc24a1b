"""Whatever runs on a cluster gives the same bits as one thread: real workers, in processes of their own."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import tarocco
from tarocco import datasets
from tarocco.annotate.cache import annotate_texts, clear_memory
from tarocco.cli import main
from tarocco.core import test_set as model
from tarocco.core.errors import BadParameter, ClusterError
from tarocco.io.nbest import byte_ranges as stretches

DEMO = datasets.load("demo")
PEOPLE = {name: [float((s * 7 + len(name)) % 5) for s in range(len(DEMO.references))] for name in DEMO.systems}
LISTS = [list(texts) for texts in zip(*DEMO.systems.values(), strict=True)]
LATTICE = "((('the',0,1),('a',0,1),),(('cat',0,1),('cat sat',0,2),),(('sat',0,1),),)\n"


@pytest.fixture(scope="module")
def workers(running):
    with tarocco.cluster(running.address) as found:
        yield found


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(model, "BLOCK", 12)


def bits(thing):
    """All numbers and texts of a result."""
    if isinstance(thing, np.ndarray):
        return thing.tobytes()
    if isinstance(thing, float):
        return thing.hex()
    if isinstance(thing, dict):
        return {key: bits(value) for key, value in thing.items()}
    if isinstance(thing, list | tuple):
        return [bits(one) for one in thing]
    return thing


def stretched(**how):
    """ORANGE of a file whose stretches workers read."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "MIN_SIZE", 1000)
        path = Path(folder) / "nbest.txt"
        path.write_text("".join(f"{s} ||| {text}\n" for s, own in enumerate(LISTS) for text in own))
        return tarocco.orange(path, DEMO.references, metrics=["BLEUS-4", "NIST-5", "chrF"], **how)


WORK = {
    "score": lambda **how: tarocco.score(
        DEMO.systems, DEMO.references, metrics=["BLEU-4", "NIST-5", "TER", "METEOR"], confidence=0.95, **how
    ),
    "orange": lambda **how: tarocco.orange(LISTS, DEMO.references, metrics=["BLEUS-4", "NIST-5", "chrF"], **how),
    "orange of a file": stretched,
    "king": lambda **how: tarocco.king(DEMO.systems, DEMO.references, metrics=["BLEU-4", "chrF"], **how),
    "queen": lambda **how: tarocco.queen(DEMO.systems, DEMO.references, metrics=["BLEU-4", "chrF"], **how),
    "jack": lambda **how: tarocco.jack(DEMO.systems, DEMO.references, metrics=["BLEU-4", "chrF"], **how),
    "optimize": lambda **how: tarocco.optimize(DEMO.systems, DEMO.references, metrics=["BLEU-4", "chrF", "WER"], **how),
    "compare": lambda **how: tarocco.compare(DEMO.systems, DEMO.references, metrics="chrF", **how),
    "audit": lambda **how: tarocco.audit(DEMO.systems, DEMO.references, metrics="chrF", **how),
    "correlate": lambda **how: tarocco.correlate(
        DEMO.systems, DEMO.references, PEOPLE, metrics=["BLEU-4", "chrF", "WER"], **how
    ),
    "correlate segments": lambda **how: tarocco.correlate(
        DEMO.systems, DEMO.references, PEOPLE, metrics=["BLEU-4", "chrF"], level="segment", n_resamples=100, **how
    ),
    "references": lambda **how: tarocco.references(
        DEMO.systems, DEMO.references, PEOPLE, metrics=["BLEU-4", "chrF"], n_subsets=3, **how
    ),
    "references by ORANGE": lambda **how: tarocco.references(
        None, DEMO.references, nbest=LISTS, metrics=["BLEUS-4"], n_subsets=2, **how
    ),
    "mbr": lambda **how: tarocco.mbr(LISTS, metrics="chrF", references=DEMO.references, **how),
    "oracle": lambda **how: tarocco.oracle(LISTS, DEMO.references, metric="chrF", **how),
}


@pytest.mark.parametrize("name", WORK)
def test_the_same_bits(name, workers):
    here = WORK[name](jobs=1)
    sent = workers._items
    there = WORK[name](executor=workers)
    assert workers._items > sent
    assert bits(there.to_dict()) == bits(here.to_dict())


def test_workers_that_do_not_have_the_file(workers, tmp_path, monkeypatch):
    """An open file of this process has a name that means something else in theirs: its stretches are sent."""
    monkeypatch.setattr(stretches, "MIN_SIZE", 1000)
    (tmp_path / "n").write_text("".join(f"{s} ||| {text}\n" for s, own in enumerate(LISTS) for text in own))
    with open(tmp_path / "n") as file:
        name = f"/proc/self/fd/{file.fileno()}"
        asked = {"metrics": ["BLEUS-4", "NIST-5", "chrF"]}
        here = tarocco.orange(name, DEMO.references, jobs=1, **asked)
        sent = workers._items
        there = tarocco.orange(name, DEMO.references, executor=workers, **asked)
    assert workers._items > sent
    assert bits(there.to_dict()) == bits(here.to_dict())


def test_oracles_of_lattices(workers, tmp_path):
    (tmp_path / "one.plf").write_text(LATTICE)
    asked = {"metric": "WER", "format": "plf"}
    here = tarocco.oracle(tmp_path / "one.plf", [["the cat sat"]], jobs=1, **asked)
    there = tarocco.oracle(tmp_path / "one.plf", [["the cat sat"]], executor=workers, **asked)
    assert bits(there.to_dict()) == bits(here.to_dict())


def test_what_is_in_the_store_is_not_sent(workers, tmp_path):
    for name in ("orange", "orange of a file", "king", "references"):
        first = WORK[name](executor=workers, store=tmp_path / "s.db")
        sent = workers._items
        again = WORK[name](executor=workers, store=tmp_path / "s.db")
        assert workers._items == sent
        assert bits(again.to_dict()) == bits(first.to_dict())


def test_analyzers_are_those_of_the_workers(workers, users_analyzer):
    texts = list(DEMO.systems["careful"])[:6]
    clear_memory()
    there = annotate_texts(texts, "spacy", executor=workers)
    clear_memory()
    assert annotate_texts(texts, "spacy") == there
    clear_memory()


def test_an_analyzer_of_another_version_is_refused(workers):
    ours = SimpleNamespace(name="spacy", version="spacy-0.0/en", layers=frozenset(), annotate=None)
    with pytest.raises(ClusterError, match=r"a worker has the analyzer spacy.*, this process spacy-0.0/en"):
        annotate_texts(["a cat"], ours, executor=workers)


def test_a_metric_of_a_running_program(workers):
    """Its class is sent: workers have no module with it."""
    code = f"""if True:
        import numpy as np
        import tarocco
        from dataclasses import dataclass
        from typing import ClassVar

        @tarocco.metric_plugin
        @dataclass(frozen=True)
        class Length(tarocco.Metric):
            title: ClassVar[str] = "Length"
            summary: ClassVar[str] = "Words."
            formula: ClassVar[str] = "the number of words"
            paper: ClassVar[str] = "none"
            pattern: ClassVar[str] = "Length"
            names: ClassVar[tuple[str, ...]] = ("Length",)
            example: ClassVar[tarocco.Example] = tarocco.Example("Length", ("a b",), (("a",),), 2.0, "two words")

            def statistics(self, batch, context=None):
                return np.array([[float(len(words)), 1.0] for _, words, _ in batch.each()])

            def score(self, sums):
                return sums[..., 0] / sums[..., 1]

        with tarocco.cluster("{workers.where}") as found:
            print(tarocco.score(["a b c"], ["a b"], metrics="Length", executor=found).scores[0].score)
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "3.0\n"


def test_errors_of_the_work_stay_what_they_are(workers):
    with pytest.raises(ValueError, match="invalid literal"):
        workers.submit(int, "x").result()
    assert workers.submit(len, "abc").result() == 3


def test_few_bytes_are_in_flight(workers, monkeypatch):
    """Whoever sends more waits."""
    monkeypatch.setattr("tarocco.parallel.cluster.IN_FLIGHT", 3000)
    sent, most = [], []
    for _ in range(30):
        sent.append(workers.submit(len, os.urandom(1000)))  # which do not get smaller
        most.append(workers._bytes)
    assert [future.result() for future in sent] == [1000] * 30
    assert 1000 < max(most) <= 3000


@pytest.mark.parametrize(
    "where", ["", "local", "local:0", "local:x", "tcp://", "tcp://host", "host:8786", "http://h:1"]
)
def test_what_is_no_cluster(where, capsys):
    with pytest.raises(BadParameter, match="expected the address of a scheduler"), tarocco.cluster(where):
        pass
    with pytest.raises(SystemExit) as left:
        main(["score", "ref", "--cluster", where])
    assert left.value.code == 2
    assert "expected the address of a scheduler" in capsys.readouterr().err
