"""Corpus chrF and chrF++ in one process, from lists of strings to the score."""

from __future__ import annotations

import sacrebleu
from measure import Row, in_fresh_process, in_turns, ratio, seconds, show
from text import segments

SAMPLES = 3
LINES = 3000
WORD_ORDERS = {"chrF": 0, "chrF++": 2}


def ours(metric: str, references: int, jobs: int | None) -> float:
    import tarocco

    system, *streams = segments(LINES, references + 1)
    by_segment = list(zip(*streams, strict=True))
    tarocco.score(["warm"], ["up"], metrics=metric)
    return seconds(lambda: tarocco.score(system, by_segment, metrics=metric, jobs=jobs))


def theirs(metric: str, references: int) -> float:
    system, *streams = segments(LINES, references + 1)
    peer = sacrebleu.CHRF(word_order=WORD_ORDERS[metric])
    return seconds(lambda: peer.corpus_score(system, streams))


def rows() -> list[Row]:
    table = []
    for metric in WORD_ORDERS:
        for references in (1, 4):
            ours, one, theirs = in_turns(
                [
                    lambda: in_fresh_process("chrf", "ours", metric, references, None),  # noqa: B023
                    lambda: in_fresh_process("chrf", "ours", metric, references, 1),  # noqa: B023
                    lambda: in_fresh_process("chrf", "theirs", metric, references),  # noqa: B023
                ],
                SAMPLES,
            )
            shape = f"{LINES} lines, {references} reference{'s' * (references > 1)}"
            peer = f"sacrebleu {sacrebleu.__version__}"
            table.append(ratio(f"corpus {metric}", shape, peer, "cold, all threads", ours, theirs, 20))
            table.append(ratio(f"corpus {metric}", shape, peer, "cold, one thread", one, theirs, 20))
    return table


if __name__ == "__main__":
    show(rows())
