"""Scores of single candidates, from text: one list of 1024 candidates, and 3000 pairs of sentences.

rouge-score, rouge-metric and sacrebleu score one candidate at a time: they score about every eighth candidate, and
their time is scaled up.
"""

from __future__ import annotations

from importlib.metadata import version

from measure import Row, best_seconds, in_fresh_process, in_turns, ratio, show
from text import nbest_list, segments

SAMPLES = 5
PAIRS = 3000
PART = 128  # of the candidates, and of the pairs, for slow peers


def our_list(metric: str) -> float:
    import tarocco

    candidates, references = nbest_list()
    return best_seconds(lambda: tarocco.score_nbest(candidates, references, metrics=metric), 20)


def our_pairs(metric: str) -> float:
    import tarocco

    system, stream = segments(PAIRS, 2)

    def score() -> object:
        return tarocco.score(system, stream, metrics=metric, tokenize="none", jobs=1)[metric].segments

    return best_seconds(score, 5)


def their_list(peer: str) -> float:
    candidates, references = nbest_list()
    part = candidates[:: len(candidates) // PART]
    if peer == "jiwer":
        import jiwer

        return best_seconds(lambda: [jiwer.wer([one] * len(candidates), candidates) for one in references], 2)
    if peer == "rouge-metric":
        from rouge_metric import PyRouge

        rouge = PyRouge(rouge_n=False, rouge_l=False, rouge_w=False, rouge_s=True, rouge_su=False, skip_gap=4)
        took = best_seconds(lambda: rouge.evaluate(part, [references] * len(part)), 2)
    else:
        took = best_seconds(lambda: [scorer(peer)(one, references) for one in part], 2)
    return took * len(candidates) / len(part)


def their_pairs(peer: str) -> float:
    system, stream = segments(PAIRS, 2)
    pairs = list(zip(system, stream, strict=True))[:: PAIRS // PART]
    score = scorer(peer)
    return (
        best_seconds(lambda: [score(candidate, [reference]) for candidate, reference in pairs], 3) * PAIRS / len(pairs)
    )


def scorer(peer: str):  # type: ignore[no-untyped-def]
    """Return the peer's function from a candidate and its references to a score."""
    if peer == "rouge-score":
        from rouge_score.rouge_scorer import RougeScorer

        rouge = RougeScorer(["rougeL"])
        return lambda one, references: max(rouge.score(other, one)["rougeL"].fmeasure for other in references)
    if peer == "sacrebleu":
        from sacrebleu.metrics import BLEU

        bleu = BLEU(effective_order=True, tokenize="none")
        return lambda one, references: bleu.sentence_score(one, references).score
    import jiwer

    return lambda one, references: min(jiwer.wer(other, one) for other in references)


LIST = (
    ("ROUGE-L", "rouge-score", 500),
    ("ROUGE-S-4", "rouge-metric", 200),
    ("WER", "jiwer", 30),
    ("BLEU-4", "sacrebleu", 100),
)
SINGLE = (("ROUGE-L", "rouge-score", 100), ("WER", "jiwer", 10), ("BLEU-4", "sacrebleu", 40))


def rows() -> list[Row]:
    table = []
    for what, kind, metrics in (
        ("1024 candidates x 4 references, 25 words, from text", "list", LIST),
        (f"{PAIRS} single pairs of 25 words, from Python lists", "pairs", SINGLE),
    ):
        for metric, peer, goal in metrics:
            ours, theirs = in_turns(
                [
                    lambda: in_fresh_process("nbest", f"our_{kind}", metric),  # noqa: B023
                    lambda: in_fresh_process("nbest", f"their_{kind}", peer),  # noqa: B023
                ],
                SAMPLES,
            )
            name = f"{metric} of every candidate"
            table.append(ratio(name, what, f"{peer} {version(peer)}", "warm, one thread", ours, theirs, goal))
    return table


if __name__ == "__main__":
    show(rows())
