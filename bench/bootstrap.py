"""The cost of a 1000-resample bootstrap interval of corpus BLEU, on top of the score."""

from __future__ import annotations

import sacrebleu
from measure import Row, in_fresh_process, in_turns, ratio, seconds, show
from text import segments

SAMPLES = 5
LINES = 3000


def ours(jobs: int | None) -> float:
    import tarocco
    from tarocco.scoring.resampling import bootstrap_intervals
    from tarocco.scoring.settings import Resampling

    system, stream = segments(LINES, 2)
    metric = tarocco.metric("BLEU-4")
    statistics = tarocco.statistics(metric, system, stream)
    return seconds(lambda: bootstrap_intervals([metric], [statistics], Resampling(1000), jobs))


def theirs() -> float:
    """Time the same step of the peer, on precomputed statistics."""
    from sacrebleu.significance import _bootstrap_resample, estimate_ci

    system, stream = segments(LINES, 2)
    metric = sacrebleu.BLEU(force=True)
    statistics = metric._extract_corpus_statistics(system, [stream])

    def interval() -> None:
        _, scores = _bootstrap_resample(statistics, metric, 1000)
        estimate_ci([score.score for score in scores])

    return seconds(interval)


def rows() -> list[Row]:
    many, one, theirs = in_turns(
        [
            lambda: in_fresh_process("bootstrap", "ours", None),
            lambda: in_fresh_process("bootstrap", "ours", 1),
            lambda: in_fresh_process("bootstrap", "theirs"),
        ],
        SAMPLES,
    )
    shape, peer = f"{LINES} segments, 1000 resamples", f"sacrebleu {sacrebleu.__version__}"
    return [
        ratio("bootstrap interval of BLEU", shape, peer, "cold, all threads", many, theirs, 25),
        ratio("bootstrap interval of BLEU", shape, peer, "cold, one thread", one, theirs, 25),
    ]


if __name__ == "__main__":
    show(rows())
