"""Is the difference luck: paired tests against sacrebleu's, from the same statistics, and as whole commands."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

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

LINES = 2000
SYSTEMS = 5
SAMPLES = 3


def our_core(test: str, resamples: int) -> float:
    import tarocco
    from tarocco.judge.comparing import compare_scores
    from tarocco.judge.luck import Test

    *systems, reference = segments(LINES, 3)
    scores = tarocco.score(dict(zip("ab", systems, strict=True)), reference, metrics="BLEU-4", tokenize="none")
    return best_seconds(lambda: compare_scores(scores, Test(test, resamples, 12345, 0.05, 1)), 5)


def their_core(test: str, resamples: int) -> float:
    """sacrebleu scores and tests in one call: what a thousand resamples take longer than two do."""
    from measure import seconds
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    first, second, reference = segments(LINES, 3)
    kind = {"bootstrap": "bs", "randomization": "ar"}[test]

    def took(n: int) -> float:
        bleu = BLEU(tokenize="none", references=[reference])
        return seconds(PairedTest([("a", first), ("b", second)], {"BLEU": bleu}, None, kind, n))

    took(2)  # its imports
    return min(took(resamples) for _ in range(3)) - min(took(2) for _ in range(3))


def rows() -> list[Row]:
    found, peer = [], f"sacrebleu {version('sacrebleu')}"
    for test, resamples in (("bootstrap", 1000), ("randomization", 1000)):
        own, other = in_turns(
            [
                lambda: in_fresh_process("compare", "our_core", test, resamples),  # noqa: B023
                lambda: in_fresh_process("compare", "their_core", test, resamples),  # noqa: B023
            ],
            SAMPLES,
        )
        shape = f"2 systems of {LINES} lines, {resamples} resamples, BLEU-4"
        found.append(ratio(f"paired {test}, core", shape, peer, "from statistics, one thread", own, other, 25))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        *systems, reference = segments(1000, SYSTEMS + 1)
        for number, column in enumerate([reference, *systems]):
            (folder / str(number)).write_text("\n".join(column) + "\n")
        files = [str(folder / str(number)) for number in range(1, SYSTEMS + 1)]
        ours = [str(BIN / "tarocco"), "compare", str(folder / "0"), "-i", *files, "--n-resamples", "10000"]
        theirs = [str(BIN / "sacrebleu"), str(folder / "0"), "-i", *files, "--paired-bs", "--paired-bs-n", "10000"]
        own, other = in_turns([lambda: command_seconds(ours), lambda: command_seconds(theirs)], 1)
        shape = f"{SYSTEMS} systems of 1000 lines, 10000 resamples, BLEU-4, 13a"
        found.append(ratio("paired bootstrap, command", shape, peer, "whole command, all threads", own, other, 40))
        found.append(at_most("paired bootstrap, command", shape, "peak memory", peak_mebibytes(ours), 150, "MiB"))
    return found


if __name__ == "__main__":
    show(rows())
