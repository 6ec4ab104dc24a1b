"""Work fans out anywhere, in order, with little of it in flight, and stops when told to."""

import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco import datasets
from tarocco.cli import command as command_module
from tarocco.cli import main
from tarocco.core import test_set as model
from tarocco.core.test_set import Segments, TestSet, make_test_set
from tarocco.parallel.fan_out import map_ordered

DEMO = datasets.load("demo")
METRICS = ["BLEU-4", "NIST-5", "ROUGE-S-4", "TER", "chrF"]


def numbers_of(result):
    return [(score.statistics.tobytes(), score.sums.tobytes(), score.score) for score in result.scores]


class Lazy(Executor):
    """Does nothing until a result is asked for; knows how much was handed in and not yet taken."""

    def __init__(self):
        self.waiting = self.most = 0

    def submit(self, function, /, *arguments):
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        future = Future()
        result = future.result

        def work(timeout=None):
            self.waiting -= 1
            future.set_result(function(*arguments))
            return result(timeout)

        future.result = work
        return future


@pytest.mark.parametrize("jobs", [1, 2, 3, 7])
def test_results_come_in_order(jobs):
    def slow(item):
        time.sleep(0.002 * (item % 3))
        return item * item

    assert list(map_ordered(slow, iter(range(40)), 40, jobs)) == [item * item for item in range(40)]


def test_little_is_in_flight():
    taken = []
    executor = Lazy()
    results = map_ordered(str, (taken.append(i) or i for i in range(100)), 100, 3, executor)
    assert next(results) == "0"
    assert len(taken) <= 7
    assert list(results) == [str(i) for i in range(1, 100)]
    assert executor.most <= 7


def test_an_error_stops_the_rest():
    done = []

    def work(item):
        if item == 3:
            raise ValueError("three")
        time.sleep(0.01)
        done.append(item)

    with pytest.raises(ValueError, match="three"):
        list(map_ordered(work, iter(range(1000)), 1000, 2))
    assert len(done) < 20


@pytest.fixture(scope="module")
def expected():
    return numbers_of(tarocco.score(DEMO.systems, DEMO.references, metrics=METRICS, jobs=1, confidence=0.95))


@pytest.mark.parametrize("jobs", [2, 3, 7])
def test_any_number_of_threads_gives_the_same_bits(expected, jobs, monkeypatch):
    monkeypatch.setattr(model, "BLOCK", 5)
    result = tarocco.score(DEMO.systems, DEMO.references, metrics=METRICS, jobs=jobs, confidence=0.95)
    assert numbers_of(result) == expected


@given(
    sizes=st.lists(st.lists(st.integers(0, 40), min_size=2, max_size=2), max_size=30),
    rows=st.integers(1, 8),
    most=st.integers(1, 60),
)
def test_blocks_have_few_rows_and_few_bytes(sizes, rows, most):
    """As many segments as may be; a longer one is alone. Whatever a system says, blocks stay what they are."""
    streams = [Segments.from_strings(["x" * own[r] for own in sizes]) for r in range(2)]
    with mock.patch.multiple(model, BLOCK=rows, BLOCK_BYTES=most):
        found = TestSet({}, tuple(streams)).blocks
        again = TestSet({"long": Segments.from_strings(["x" * 100] * len(sizes))}, tuple(streams)).blocks
    assert again == found
    assert [row for first, last in found for row in range(first, last)] == list(range(len(sizes)))
    longest = [max(own) + 1 for own in sizes]  # with the end of the line
    for first, last in found:
        assert last - first == 1 or (last - first <= rows and sum(longest[first:last]) <= most)
        assert last == len(sizes) or last - first == rows or sum(longest[first : last + 1]) > most


def test_documents_are_scored_in_several_blocks(monkeypatch):
    """Few segments, and long ones: as many threads as there are have something to do."""
    systems = {"one": [" ".join(DEMO.systems["careful"])] * 9}
    references = [[" ".join(own[0] for own in DEMO.references)]] * 9
    whole = tarocco.score(systems, references, metrics=METRICS)
    monkeypatch.setattr(model, "BLOCK_BYTES", 1 + len(references[0][0].encode()))
    assert len(make_test_set(systems, references).blocks) == 9
    assert numbers_of(tarocco.score(systems, references, metrics=METRICS)) == numbers_of(whole)


@pytest.mark.parametrize("pool", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_any_executor_gives_the_same_bits(expected, pool, monkeypatch, tmp_path):
    monkeypatch.setattr(model, "BLOCK", 5)
    with pool(2) as executor:
        for _ in range(2):
            result = tarocco.score(
                DEMO.systems, DEMO.references, metrics=METRICS, executor=executor, store=tmp_path / "s.db"
            )
            assert numbers_of(result) == expected


@pytest.fixture
def long_files(tmp_path):
    """Enough work for a few seconds: a command must not end before it is stopped."""
    reference, system = tmp_path / "ref", tmp_path / "sys"
    lines = [f"{text} {i}" for i in range(60000 // len(DEMO.references)) for text in DEMO.systems["careful"]]
    reference.write_text("\n".join(lines) + "\n")
    system.write_text("\n".join(reversed(lines)) + "\n")
    return str(reference), str(system)


@pytest.mark.parametrize(("stop", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_command_tells_how_to_go_on(long_files, tmp_path, stop, code):
    reference, system = long_files
    store = str(tmp_path / "my scores.db")
    tarocco_ = str(Path(sys.executable).with_name("tarocco"))
    command = ["score", reference, "-i", system, "-m", "TER", "GTM-1.5", "-f", "json"]
    assert kept_blocks(store) == 0  # also imports the store before the clock runs
    process = subprocess.Popen(
        [tarocco_, *command, "--store", store, "-j", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not kept_blocks(store) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(stop)
    began = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - began < 20  # within two seconds on a quiet machine
    assert (process.returncode, out) == (code, "")
    goes_on = re.fullmatch(
        r"tarocco: stopped; finished work is saved in (.*), and this command continues: (tarocco .*)\n", err
    )
    assert goes_on[1] == store
    before = kept_blocks(store)
    assert before > 0
    again = subprocess.run(
        goes_on[2].replace("tarocco", tarocco_, 1), shell=True, capture_output=True, text=True, check=True
    )
    assert again.stderr == ""
    assert kept_blocks(store) > before
    plain = subprocess.run([tarocco_, *command], capture_output=True, text=True, check=True)
    assert again.stdout == plain.stdout


def kept_blocks(path):
    from tarocco.core.errors import StoreError
    from tarocco.store import Store
    from tarocco.store.maintenance import summarize

    try:
        with Store(path, readonly=True) as store:
            return summarize(store).blocks
    except StoreError:
        return 0


def replace_run(monkeypatch, run):
    """Let every command parse its arguments and then call another function."""
    real = command_module.declaration_of
    monkeypatch.setattr(command_module, "declaration_of", lambda name: replace(real(name), run=run))


@pytest.mark.parametrize(
    ("command", "farewell"),
    [
        ("score ref -i sys", "stopped, and no work is saved; with --store FILE a run can be continued"),
        ("score ref -i sys --store no.db", "stopped before any work was finished; to start again: {command}"),
        ("score e.toml", "stopped before any work was finished; to start again: {command}"),
        ("demo --store s.db", "stopped; finished work is saved in s.db, and this command continues: {command}"),
        (
            "score ref --store s.db",
            "stopped; finished work is saved in s.db, and this command continues: {command} "
            "(with the same standard input)",
        ),
        ("metrics", "stopped"),
    ],
)
def test_a_stopped_command_says_what_is_so(command, farewell, monkeypatch, tmp_path, capsys):
    def interrupted(_options):
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.db").touch()
    replace_run(monkeypatch, interrupted)
    assert main(command.split()) == 130
    assert capsys.readouterr() == ("", f"tarocco: {farewell.format(command=f'tarocco {command}')}\n")


def test_whatever_a_library_makes_of_a_signal_it_is_a_stop(monkeypatch, capsys):
    """NumPy, stopped while it is imported, says that its installation is broken."""

    def terminated(_options):
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)
        except KeyboardInterrupt:
            raise ImportError("a broken installation") from None

    replace_run(monkeypatch, terminated)
    before = signal.getsignal(signal.SIGTERM)
    assert main(["metrics"]) == 143
    assert capsys.readouterr().err == "tarocco: stopped\n"
    assert signal.getsignal(signal.SIGTERM) is before
