"""The overhead of a new store, and the time saved by a full one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from measure import BIN, Row, best_seconds, command_seconds, in_turns, ratio, seconds, show
from text import segments

SAMPLES = 9
LINES = 100_000
BLOCKS = 1000
PART = 50_000
METRICS = ("BLEU-4", "NIST-5", "ROUGE-L", "WER", "chrF")


def _test_set(lines: int):  # type: ignore[no-untyped-def]
    from tarocco.core.test_set import Segments, TestSet

    columns: list[list[str]] = [[], []]
    for part in range(-(-lines // PART)):
        for column, more in zip(columns, segments(min(PART, lines - part * PART), 2, seed=part), strict=True):
            column += more
    system, reference = map(Segments.from_strings, columns)
    return TestSet({"system": system}, (reference,))


def reading(lines: int) -> list[float]:
    """Return the seconds to compute BLEU on all blocks, to read them back, and for a run with all blocks stored."""
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.registry import metrics
    from tarocco.scoring.cache import StatisticsCache
    from tarocco.scoring.score import score_signature, score_test_set
    from tarocco.store import Store

    test_set, bleu, encoding = _test_set(lines), metrics(["BLEU-4"]), Encoding("13a")
    with tempfile.TemporaryDirectory() as folder:
        computing = seconds(lambda: score_test_set(test_set, bleu, encoding, jobs=1))
        path = Path(folder) / "store"
        score_test_set(test_set, bleu, encoding, store=path)
        whole = best_seconds(lambda: score_test_set(test_set, bleu, encoding, jobs=1, store=path), 3)
        with Store(path) as store:
            signature = score_signature(bleu[0], encoding, 1)
            cache, blocks = StatisticsCache(store, test_set, bleu, [signature]), test_set.blocks
            alone = best_seconds(lambda: [cache.get(block) for block in blocks], 3)
    return [computing, alone, whole]


def cold(lines: int, metrics: list[str], jobs: int | None) -> list[float]:
    """Return the seconds of runs without a store and with a new one."""
    from tarocco.encode.batch import Encoding
    from tarocco.metrics import registry
    from tarocco.scoring.score import score_test_set

    test_set, chosen = _test_set(lines), registry.metrics(metrics)

    def run(path: Path | None) -> float:
        return seconds(lambda: score_test_set(test_set, chosen, Encoding("13a"), jobs=jobs, store=path))

    def with_store() -> float:
        with tempfile.TemporaryDirectory() as folder:
            return run(Path(folder) / "store")

    # The overhead is a few percent, less than the noise of a single run: take the best of each side.
    return in_turns([lambda: run(None), with_store], SAMPLES, min)


def _command(folder: str, with_store: bool) -> float:
    system, reference, store = (Path(folder) / name for name in ("sys", "ref", "store"))
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(f"{store}{suffix}"):
            os.remove(f"{store}{suffix}")
    command = [str(BIN / "tarocco"), "score", str(reference), "-i", str(system), "-m", "BLEU-4"]
    return command_seconds([*command, *(["--store", str(store)] if with_store else [])])


def _more(what: str, shape: str, how: str, without: float, with_store: float, goal: float | None) -> Row:
    more = 100 * (with_store / without - 1)
    text = f"{more:+.1f}% ({without * 1e3:.4g} ms without, {with_store * 1e3:.4g} ms with)"
    return Row(what, shape, "no store", how, text, f"< {goal:g}%" if goal else "none", goal is None or more < goal)


def rows() -> list[Row]:
    lines = BLOCKS * 1024
    computing, alone, whole = reading(lines)
    shape = f"{BLOCKS:,} blocks of 1024 segments, 1 reference, 13a"
    table = [
        ratio("reading BLEU-4 from a store", shape, "computing it", "warm, one thread", alone, computing, 50),
        ratio("a run whose blocks are all stored", shape, "computing it", "warm, one thread", whole, computing, None),
    ]
    for metrics, jobs in ((["BLEU-4"], 1), (list(METRICS), 1), (list(METRICS), None)):
        without, with_store = cold(LINES, metrics, jobs)
        shape = f"{LINES:,} segments, 1 reference, 13a, {' '.join(metrics)}"
        how = "cold, one thread, best of 9" if jobs else "cold, all threads, best of 9"
        table.append(_more("a new store", shape, how, without, with_store, 5))
    with tempfile.TemporaryDirectory() as folder:
        system, reference = segments(3000, 2)
        Path(folder, "sys").write_text("\n".join(system) + "\n")
        Path(folder, "ref").write_text("\n".join(reference) + "\n")
        without, with_store = in_turns([lambda: _command(folder, False), lambda: _command(folder, True)], 15, min)
    shape = "3000 lines, 1 reference, 13a, BLEU-4: our worst"
    table.append(_more("a new store", shape, "whole command, best of 15", without, with_store, None))
    return table


if __name__ == "__main__":
    show(rows())
