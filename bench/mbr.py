"""Minimum Bayes risk: all pairs of candidates of a list.

fastchrf scores all pairs. The other peers score one pair at a time: they score a few thousand of the million pairs, and
their time is scaled up. All sides must give the same numbers. Lattices have no peer here.
"""

from __future__ import annotations

import random
from importlib.metadata import version
from pathlib import Path

from measure import BIN, Row, at_most, command_seconds, in_fresh_process, in_turns, peak_mebibytes, ratio, seconds, show
from text import nbest_list

LATTICES = (
    Path(__file__).resolve().parents[2] / "shared" / "data" / "lattices-forests" / "fisher-spanish-plf" / "dev.plf"
)

SIZE = 1024
SAMPLE = 4096  # pairs that a peer scores
SAMPLES = 3
OPTIONS = {"ROUGE-L": {"tokenize": "rouge", "lowercase": True}, "BLEUS-4": {"tokenize": "13a"}, "chrF": {}}


def ours(metric: str, jobs: int | None) -> float:
    import tarocco

    candidates, _ = nbest_list(SIZE)
    tarocco.mbr([["warm", "up"]], metrics=metric, jobs=jobs)
    return seconds(lambda: tarocco.mbr([candidates], metrics=metric, jobs=jobs, **OPTIONS[metric]))


def scorer(metric: str):  # type: ignore[no-untyped-def]
    """Return the peer's function from a candidate and its reference to a score."""
    if metric == "ROUGE-L":
        from rouge_score.rouge_scorer import RougeScorer

        rouge = RougeScorer(["rougeL"])
        return lambda candidate, reference: rouge.score(reference, candidate)["rougeL"].fmeasure
    from sacrebleu.metrics import BLEU, CHRF

    peer = BLEU(smooth_method="add-k", effective_order=True) if metric == "BLEUS-4" else CHRF()
    return lambda candidate, reference: peer.sentence_score(candidate, [reference]).score / 100


def pairs() -> list[tuple[str, str]]:
    candidates, _ = nbest_list(SIZE)
    generator = random.Random(9)
    return [(generator.choice(candidates), generator.choice(candidates)) for _ in range(SAMPLE)]


def one_by_one(metric: str) -> float:
    """Estimate a peer's time for all pairs from a sample, and check that its numbers are ours."""
    import tarocco

    score, chosen = scorer(metric), pairs()
    theirs: list[float] = []
    took = seconds(lambda: theirs.extend(score(candidate, reference) for candidate, reference in chosen))
    texts, references = zip(*chosen, strict=True)
    ours = tarocco.score(list(texts), list(references), metrics=metric, **OPTIONS[metric])[metric].segments
    if abs(ours - theirs).max() > 1e-9:
        raise RuntimeError(f"{metric}: the peer's numbers differ from ours")
    return took * SIZE * SIZE / SAMPLE


def all_pairs() -> float:
    """Time fastchrf on all pairs, and check that its numbers are ours to six digits."""
    import fastchrf

    import tarocco

    candidates, _ = nbest_list(SIZE)
    matrix: list[list[float]] = []
    took = seconds(lambda: matrix.extend(fastchrf.pairwise_chrf([candidates], [candidates])[0]))
    ours = tarocco.score(candidates, [candidates[7]] * SIZE, metrics="chrF")["chrF"].segments
    if max(abs(100 * score - row[7]) for score, row in zip(ours.tolist(), matrix, strict=True)) > 1e-3:
        raise RuntimeError("fastchrf's numbers differ from ours")
    return took


def lattices() -> list[Row]:
    """Time the whole command: reading, n-gram posteriors, best paths."""
    if not LATTICES.exists():
        return []
    command = [str(BIN / "tarocco"), "mbr", str(LATTICES), "-q"]
    shape = "Fisher dev, 3963 lattices, 122139 arcs"
    took = command_seconds([*command, "-j", "2"], cpu=True)
    return [
        at_most("MBR in lattices, processor time", shape, "whole command, two threads", took, 60, "s"),
        at_most("MBR in lattices, peak memory", shape, "whole command", peak_mebibytes(command), 1024, "MiB"),
    ]


def rows() -> list[Row]:
    table = lattices()
    shape = f"{SIZE} candidates of 25 words, {SIZE * SIZE} pairs"
    for metric in OPTIONS:
        library = "rouge-score" if metric == "ROUGE-L" else "sacrebleu"
        peer = f"{library} {version(library)}, {SAMPLE} pairs, scaled"
        many, one, theirs = in_turns(
            [
                lambda: in_fresh_process("mbr", "ours", metric, None),  # noqa: B023
                lambda: in_fresh_process("mbr", "ours", metric, 1),  # noqa: B023
                lambda: in_fresh_process("mbr", "one_by_one", metric),  # noqa: B023
            ],
            SAMPLES,
        )
        table.append(ratio(f"MBR, {metric}", shape, peer, "from strings, all threads", many, theirs, 50))
        table.append(ratio(f"MBR, {metric}", shape, peer, "from strings, one thread", one, theirs, 50))
        if metric == "chrF":
            theirs = in_fresh_process("mbr", "all_pairs")
            peer = f"fastchrf {version('fastchrf')}"
            table.append(ratio("MBR, chrF", shape, peer, "from strings, all threads", many, theirs, 3))
            table.append(ratio("MBR, chrF", shape, peer, "from strings, one thread", one, theirs, 3))
    return table


if __name__ == "__main__":
    show(rows())
