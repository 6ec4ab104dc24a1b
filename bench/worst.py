"""Our worst case: one short pair of sentences per call, where overhead dominates."""

from __future__ import annotations

import sacrebleu
from measure import Row, in_fresh_process, in_turns, ratio, seconds, show
from text import segments

CALLS = 500


def ours() -> float:
    import tarocco

    system, stream = segments(CALLS, 2)
    tarocco.score(["warm"], ["up"])
    return seconds(lambda: [tarocco.score([a], [b])["BLEU-4"].score for a, b in zip(system, stream, strict=True)])


def theirs() -> float:
    system, stream = segments(CALLS, 2)
    metric = sacrebleu.BLEU(effective_order=True, force=True)
    return seconds(lambda: [metric.sentence_score(a, [b]).score for a, b in zip(system, stream, strict=True)])


def rows() -> list[Row]:
    ours, theirs = in_turns([lambda: in_fresh_process("worst", "ours"), lambda: in_fresh_process("worst", "theirs")], 5)
    shape, peer = "one pair of sentences per call, 13a", f"sacrebleu {sacrebleu.__version__}"
    return [ratio(f"sentence BLEU, {CALLS} calls (our worst shape)", shape, peer, "cold", ours, theirs, None)]


if __name__ == "__main__":
    show(rows())
