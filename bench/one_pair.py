"""One pair of sentences per call, warm, through a prepared scorer and through the drop-in modules; and plain lists.

Peers make the same calls in the same run. A row of a thousand calls shows microseconds per call as milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import version

from measure import Row, at_most, best_seconds, in_fresh_process, in_turns, ratio, show
from text import segments

CALLS = 1000
PAIRS = 40_000
SAMPLES = 3
SHAPE = f"{CALLS} calls with one pair of 25 words"

PEERS = {"sacrebleu": "sacrebleu", "jiwer": "jiwer", "rouge_score": "rouge-score", "nltk": "nltk"}

# Our metric, the peer that computes it, and how many times as fast a call should be.
SCORERS = (
    ("BLEU-4", "sacrebleu", 2.9),
    ("WER", "jiwer", 3.75),
    ("ROUGE-L", "rouge_score", 10),
    ("chrF", "sacrebleu", 3),
)
SAME_CALLS = (
    "sentence_bleu",
    "sentence_chrf",
    "sentence_ter",
    "wer",
    "cer",
    "process_words",
    "rouge",
    "rouge_stems",
    "nltk",
)


def our_calls(metric: str) -> float:
    import tarocco

    system, stream = segments(CALLS, 2)
    scorer = tarocco.Scorer(metric)
    return best_seconds(lambda: [scorer.segment(one, [other]) for one, other in zip(system, stream, strict=True)], 5)


def our_function(metric: str) -> float:
    import tarocco

    system, stream = segments(CALLS, 2)
    pairs = list(zip(system, stream, strict=True))
    return best_seconds(
        lambda: [tarocco.score([one], [other], metrics=metric)[metric].score for one, other in pairs], 3
    )


def their_calls(metric: str) -> float:
    call = {"BLEU-4": "sentence_bleu", "WER": "wer", "ROUGE-L": "rouge", "chrF": "sentence_chrf"}[metric]
    return same_call(call, "peer")


def same_call(call: str, side: str) -> float:
    """Return the time of a call of a peer, or of tarocco's module for it."""
    prefix = "tarocco.compat." if side == "ours" else ""
    score = _score(call, prefix)
    system, stream = segments(CALLS, 2)
    pairs = list(zip(system, stream, strict=True))[: 100 if call == "sentence_ter" else CALLS]
    took = best_seconds(lambda: [score(one, other) for one, other in pairs], 3)
    return took * CALLS / len(pairs)


def _score(call: str, prefix: str) -> Callable[[str, str], object]:
    if call.startswith("sentence_"):
        function = getattr(import_module(f"{prefix}sacrebleu"), call)
        return lambda one, other: function(one, [other]).score
    if call in ("wer", "cer", "process_words"):
        function = getattr(import_module(f"{prefix}jiwer"), call)
        return lambda one, other: function(other, one)
    if call.startswith("rouge"):
        module = import_module(f"{prefix}rouge_score.rouge_scorer")
        scorer = module.RougeScorer(["rougeL"], use_stemmer=call == "rouge_stems")
        return lambda one, other: scorer.score(other, one)["rougeL"].fmeasure
    bleu = import_module("tarocco.compat.nltk_bleu" if prefix else "nltk.translate.bleu_score")
    smoothing = bleu.SmoothingFunction().method3
    return lambda one, other: bleu.sentence_bleu([other.split()], one.split(), smoothing_function=smoothing)


def our_lists(metric: str) -> float:
    import tarocco

    system, stream = segments(PAIRS, 2)
    return best_seconds(lambda: tarocco.score(system, stream, metrics=metric, jobs=1)[metric].segments, 5)


def rows() -> list[Row]:
    table = []
    for metric, peer, goal in SCORERS:
        ours, function, theirs = in_turns(
            [
                lambda: in_fresh_process("one_pair", "our_calls", metric),  # noqa: B023
                lambda: in_fresh_process("one_pair", "our_function", metric),  # noqa: B023
                lambda: in_fresh_process("one_pair", "their_calls", metric),  # noqa: B023
            ],
            SAMPLES,
            min,
        )
        name = f"{PEERS[peer]} {version(PEERS[peer])}"
        table.append(ratio(f"{metric}, Scorer.segment", SHAPE, name, "warm, one thread", ours, theirs, goal))
        table.append(ratio(f"{metric}, tarocco.score", SHAPE, name, "warm, one thread", function, theirs, None))
    for call in SAME_CALLS:
        ours, theirs = in_turns(
            [
                lambda: in_fresh_process("one_pair", "same_call", call, "ours"),  # noqa: B023
                lambda: in_fresh_process("one_pair", "same_call", call, "peer"),  # noqa: B023
            ],
            SAMPLES,
            min,
        )
        table.append(ratio(f"{call}, tarocco.compat", SHAPE, "the package itself", "warm, one thread", ours, theirs, 1))
    for metric in ("ROUGE-L", "WER", "BLEU-4"):
        took = min(in_fresh_process("one_pair", "our_lists", metric) for _ in range(SAMPLES))
        shape = f"{PAIRS} different pairs of 25 words, from Python lists"
        table.append(
            at_most(f"{metric} of every pair", shape, "warm, one thread", took / PAIRS * 1e6, 2, "us per pair")
        )
    return table


if __name__ == "__main__":
    show(rows())
