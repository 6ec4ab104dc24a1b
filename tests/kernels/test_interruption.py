"""Ctrl-C ends kernels that take long, and arrays that 32 bits cannot number are refused."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from tarocco.kernels import InputTooLarge, interruption, kernel, segments, skip_bigrams
from tarocco.parallel.fan_out import map_ordered

# A line of many different words, against itself: all pairs of words are compared.
LONG = """
import sys, tarocco
words = [str(number % 3000) for number in range(100_000)]
line = [" ".join(words)] * LINES
print("begins", flush=True)
tarocco.score(line, line, metrics="METRIC", tokenize="none", jobs=JOBS)
print("ended", flush=True)
"""

compiled = pytest.mark.skipif(not segments.COMPILED, reason="plain Python can be interrupted anywhere")


@compiled
@pytest.mark.parametrize(("metric", "jobs"), [("ROUGE-S*", 1), ("ROUGE-W-1.2", 1), ("ROUGE-S*", 2)])
def test_control_c_ends_a_long_kernel(metric, jobs):
    """ROUGE-S* took 30 s on a line of 100,000 words, during which Ctrl-C had no effect."""
    code = LONG.replace("METRIC", metric).replace("JOBS", str(jobs)).replace("LINES", str(4 if jobs > 1 else 1))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begins\n"
    time.sleep(1.5)
    assert process.poll() is None, "the kernel is too fast for this test"
    before = sum(os.times()[2:4])  # of processes that have ended
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert "ended" not in output
    assert process.returncode != 0
    assert sum(os.times()[2:4]) - before < 8  # seconds of the processor; the whole line would take more than 20


@compiled
def test_the_exception_of_a_signal_handler_is_raised():
    """A handler may raise something else than KeyboardInterrupt."""

    class Stop(Exception):
        pass

    def handle(_signal, _frame):
        raise Stop

    before = signal.signal(signal.SIGUSR1, handle)
    try:
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        import tarocco

        line = " ".join(str(number % 3000) for number in range(60_000))
        with pytest.raises(Stop):
            tarocco.score([line], [line], metrics="ROUGE-S*", tokenize="none", jobs=1)
        assert tarocco.score(["a b"], ["a b"], metrics="ROUGE-S*", tokenize="none", jobs=1).scores[0].score == 1.0
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_kernel_whose_thread_was_stopped_raises(monkeypatch):
    """Its result may be incomplete, even if the request to stop has been withdrawn since."""

    class Module:
        COMPILED = True

        @staticmethod
        def stop_meanwhile():
            interruption.stop_threads()
            interruption.allow_threads()
            return 1

    guarded = kernel(Module, "stop_meanwhile")
    assert guarded() == 1  # in the main thread
    errors = []

    def run():
        try:
            guarded()
        except KeyboardInterrupt as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(errors) == 1


def test_threads_of_an_interrupted_map_are_asked_to_stop():
    seen = []

    def work(item):
        if item == 0:
            raise KeyboardInterrupt
        for _ in range(1000):
            if interruption.count_requests() != before:
                seen.append(item)
                return
            time.sleep(0.01)

    before = interruption.count_requests()
    with pytest.raises(KeyboardInterrupt):
        list(map_ordered(work, range(6), 6, jobs=3))
    assert seen
    assert interruption.count_requests() == before + 1


@pytest.mark.parametrize("dtype", [np.int32, np.intp, np.uint64])
def test_arrays_that_32_bits_cannot_number_are_refused(dtype):
    """An offset beyond 2**31 wrapped around, and the kernel crashed. These arrays take no memory: all strides are 0."""

    class Module:
        COMPILED = True

        @staticmethod
        def count(array):
            return array.size

    count = kernel(Module, "count")
    assert count(np.broadcast_to(dtype(0), (2**31 - 1,))) == 2**31 - 1
    with pytest.raises(InputTooLarge, match=r"takes 2,147,483,648 numbers at once, .* at most 2,147,483,647"):
        count(np.broadcast_to(dtype(0), (2**31,)))
    with pytest.raises(InputTooLarge):
        count(np.broadcast_to(dtype(0), (2**16, 2**15)))
    assert count(np.broadcast_to(np.uint8(0), (2**31,))) == 2**31  # bytes of text are numbered with 64 bits


def test_every_kernel_is_guarded():
    """Even those that are never long: a size that wraps is a wrong memory access."""
    assert kernel(skip_bigrams, "count_skip_bigrams").__wrapped__ is not None


@pytest.mark.parametrize("side", [0, 1])
def test_gtm_refuses_texts_whose_runs_do_not_fit_into_64_bits(side, monkeypatch):
    import tarocco
    from tarocco.core.errors import InputError

    monkeypatch.setattr("tarocco.metrics.edit.gtm._MOST_WORDS", 8)
    texts = ["a b", " ".join("abcdefghijklmnopq")]
    candidate, reference = texts if side else texts[::-1]
    with pytest.raises(InputError, match="GTM needs candidates of fewer than 8 words and references of fewer than 16"):
        tarocco.score([candidate], [reference], metrics="GTM-1")
