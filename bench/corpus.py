"""Corpus BLEU in one process, from lists of strings to the score."""

from __future__ import annotations

import sacrebleu
from measure import Row, in_fresh_process, in_turns, ratio, seconds, show
from text import segments

SAMPLES = 5
LINES = 3000


def ours(tokenize: str, references: int, jobs: int | None) -> float:
    import tarocco

    system, *streams = segments(LINES, references + 1)
    by_segment = list(zip(*streams, strict=True))
    tarocco.score(["warm"], ["up"])  # imports are not measured, on either side
    return seconds(lambda: tarocco.score(system, by_segment, tokenize=tokenize, jobs=jobs))


def theirs(tokenize: str, references: int) -> float:
    system, *streams = segments(LINES, references + 1)
    metric = sacrebleu.BLEU(tokenize=tokenize, force=True)
    return seconds(lambda: metric.corpus_score(system, streams))


def rows() -> list[Row]:
    table = []
    for tokenize, references, goal in (("none", 4, 20), ("13a", 4, 10), ("none", 1, None), ("13a", 1, None)):
        ours, one, theirs = in_turns(
            [
                lambda: in_fresh_process("corpus", "ours", tokenize, references, None),  # noqa: B023
                lambda: in_fresh_process("corpus", "ours", tokenize, references, 1),  # noqa: B023
                lambda: in_fresh_process("corpus", "theirs", tokenize, references),  # noqa: B023
            ],
            SAMPLES,
        )
        shape = f"{LINES} lines, {references} reference{'s' * (references > 1)}, {tokenize}"
        peer = f"sacrebleu {sacrebleu.__version__}"
        table.append(ratio("corpus BLEU", shape, peer, "cold, all threads", ours, theirs, goal))
        table.append(ratio("corpus BLEU", shape, peer, "cold, one thread", one, theirs, goal))
    return table


if __name__ == "__main__":
    show(rows())
