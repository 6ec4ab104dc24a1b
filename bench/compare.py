"""Paired significance tests compared with sacrebleu's, from the same statistics and as whole commands."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path
from unittest import mock

import numpy as np
from measure import (
    BIN,
    Row,
    at_most,
    best_seconds,
    command_seconds,
    in_fresh_process,
    in_turns,
    peak_mebibytes,
    ratio,
    show,
)
from text import segments

from tarocco.scoring.resampling import coins, drawn, words
from tarocco.scoring.results import Result

LINES = 2000
SYSTEMS = 5
SAMPLES = 3
SEED = 12345


def scored() -> Result:
    import tarocco

    *systems, reference = segments(LINES, 3)
    return tarocco.score(dict(zip("ab", systems, strict=True)), reference, metrics="BLEU-4", tokenize="none")


def our_core(test: str, resamples: int) -> float:
    from tarocco.meta.significance.compare import compare_scores
    from tarocco.meta.significance.paired_tests import PairedTest

    scores = scored()
    return best_seconds(lambda: compare_scores(scores, PairedTest(test, resamples, SEED, 0.05, 1)), 5)


class OurResamples:
    """A stand-in for NumPy's generator that gives the peer the resamples that tarocco draws."""

    def __init__(self, resamples: int) -> None:
        self.draws = np.array([drawn(LINES, SEED, number) for number in range(resamples)])
        self.tosses = coins(words(SEED, resamples, -(-LINES // 64)), 0, LINES) == 0

    def choice(self, _n: int, size: tuple[int, int], replace: bool) -> np.ndarray:
        return self.draws[: size[0]]

    def integers(self, _n: int, size: tuple[int, int], dtype: type) -> np.ndarray:
        return self.tosses[: size[0]]


def their_core(test: str, resamples: int) -> float:
    """Time sacrebleu's test alone: its statistics are computed beforehand. Check that the p-values are equal."""
    from sacrebleu import significance
    from sacrebleu.metrics import BLEU

    from tarocco.meta.significance.compare import compare_scores
    from tarocco.meta.significance.paired_tests import PairedTest

    first, second, reference = segments(LINES, 3)
    kind = {"bootstrap": "bs", "randomization": "ar"}[test]
    bleu = BLEU(tokenize="none", references=[reference])
    extracted = {id(one): bleu._extract_corpus_statistics(one, None) for one in (first, second)}
    bleu._extract_corpus_statistics = lambda system, _references: extracted[id(system)]
    run = significance.PairedTest([("a", first), ("b", second)], {"BLEU": bleu}, None, kind, resamples)
    with mock.patch.object(significance.np.random, "default_rng", return_value=OurResamples(resamples)):
        took = best_seconds(run, 3)
        p_value = run()[1]["BLEU"][1].p_value
    (ours,) = compare_scores(scored(), PairedTest(test, resamples, SEED, 0.05, 1))
    assert p_value == ours.p_value, (p_value, ours.p_value)
    return took


def rows() -> list[Row]:
    table, peer = [], f"sacrebleu {version('sacrebleu')}"
    for test, resamples in (("bootstrap", 1000), ("randomization", 1000)):
        our_time, their_time = in_turns(
            [
                lambda: in_fresh_process("compare", "our_core", test, resamples),  # noqa: B023
                lambda: in_fresh_process("compare", "their_core", test, resamples),  # noqa: B023
            ],
            SAMPLES,
            min,
        )
        shape = f"2 systems of {LINES} lines, {resamples} resamples, BLEU-4"
        table.append(
            ratio(
                f"paired {test}, core",
                shape,
                peer,
                "from statistics, same resamples, one thread",
                our_time,
                their_time,
                25,
            )
        )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        *systems, reference = segments(1000, SYSTEMS + 1)
        for number, column in enumerate([reference, *systems]):
            (folder / str(number)).write_text("\n".join(column) + "\n")
        files = [str(folder / str(number)) for number in range(1, SYSTEMS + 1)]
        ours = [str(BIN / "tarocco"), "compare", str(folder / "0"), "-i", *files, "--n-resamples", "10000"]
        theirs = [str(BIN / "sacrebleu"), str(folder / "0"), "-i", *files, "--paired-bs", "--paired-bs-n", "10000"]
        our_time, their_time = in_turns([lambda: command_seconds(ours), lambda: command_seconds(theirs)], SAMPLES, min)
        shape = f"{SYSTEMS} systems of 1000 lines, 10000 resamples, BLEU-4, 13a"
        table.append(
            ratio("paired bootstrap, command", shape, peer, "whole command, all threads", our_time, their_time, 40)
        )
        table.append(at_most("paired bootstrap, command", shape, "peak memory", peak_mebibytes(ours), 150, "MiB"))
    return table


if __name__ == "__main__":
    show(rows())
