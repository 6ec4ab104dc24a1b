"""TER: from text against sacrebleu, one long pair, and where we do worst."""

from __future__ import annotations

import random

import sacrebleu
from measure import Row, at_most, in_fresh_process, in_turns, ratio, seconds, show
from text import segments

SAMPLES = 3
LINES = 3000
LONG = 1500
PAIRS = 50
CALLS = 200
PEER = f"sacrebleu {sacrebleu.__version__}"


def our_corpus(jobs: int | None) -> float:
    import tarocco

    system, stream = segments(LINES, 2)
    tarocco.score(["warm"], ["up"], metrics="TER")
    return seconds(lambda: tarocco.score(system, stream, metrics="TER", jobs=jobs))


def their_corpus() -> float:
    system, stream = segments(LINES, 2)
    return seconds(lambda: sacrebleu.TER().corpus_score(system, [stream]))


def shapes(length: int) -> dict[str, tuple[str, str]]:
    """Return long pairs that need many shifts, or make each shift expensive."""
    generator = random.Random(4)
    words = [f"w{i}" for i in range(length)]
    swapped = list(words)
    for i in generator.sample(range(0, length - 1, 40), min(15, length // 40)):
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
    blocks = [words[i : i + 10] for i in range(0, length, 10)]
    generator.shuffle(blocks)
    few = [generator.choices("abcd", k=length) for _ in range(2)]
    moved = words[:40] + words[48:90] + words[40:48] + words[90:]
    resampled = generator.choices(words, k=length)
    pairs = {
        "neighbors swapped": (swapped, words),
        "shuffled in blocks of 10": ([word for block in blocks for word in block], words),
        "4 different words": (few[0], few[1]),
        "one block moved": (moved, words),
        "another text of the same words": (resampled, words),
    }
    return {name: (" ".join(candidate), " ".join(reference)) for name, (candidate, reference) in pairs.items()}


def our_long(shape: str) -> float:
    import tarocco

    candidate, reference = shapes(LONG)[shape]
    tarocco.score(["warm"], ["up"], metrics="TER")
    return seconds(lambda: tarocco.score([candidate], [reference], metrics="TER"))


def worst_pairs() -> tuple[list[str], list[str]]:
    """Return shuffled sentences of 25 words, which need many rounds of shifts."""
    generator = random.Random(5)
    reference = [segment.split() for segment in segments(PAIRS, 1)[0]]
    return [" ".join(generator.sample(one, len(one))) for one in reference], [" ".join(one) for one in reference]


def our_worst() -> float:
    import tarocco

    system, stream = worst_pairs()
    tarocco.score(["warm"], ["up"], metrics="TER")
    return seconds(lambda: tarocco.score(system, stream, metrics="TER", jobs=1))


def their_worst() -> float:
    system, stream = worst_pairs()
    return seconds(lambda: sacrebleu.TER().corpus_score(system, [stream]))


def our_calls() -> float:
    import tarocco

    system, stream = segments(CALLS, 2)
    tarocco.score(["warm"], ["up"], metrics="TER")
    return seconds(lambda: [tarocco.score([a], [b], metrics="TER") for a, b in zip(system, stream, strict=True)])


def their_calls() -> float:
    system, stream = segments(CALLS, 2)
    metric = sacrebleu.TER()
    return seconds(lambda: [metric.sentence_score(a, [b]) for a, b in zip(system, stream, strict=True)])


def rows() -> list[Row]:
    one, all_, theirs = in_turns(
        [
            lambda: in_fresh_process("ter", "our_corpus", 1),
            lambda: in_fresh_process("ter", "our_corpus", None),
            lambda: in_fresh_process("ter", "their_corpus"),
        ],
        SAMPLES,
    )
    shape = f"{LINES} lines of 25 words, 1 reference"
    table = [
        ratio("corpus TER", shape, PEER, "cold, one thread", one, theirs, 50),
        ratio("corpus TER", shape, PEER, "cold, all threads", all_, theirs, 50),
    ]
    for name in shapes(LONG):
        (took,) = in_turns([lambda name=name: in_fresh_process("ter", "our_long", name)], SAMPLES)  # type: ignore[misc]
        table.append(at_most("one long pair, TER", f"{LONG} words, {name}", "cold", took * 1e3, 1000, "ms"))
    for what, shape, side in (
        ("corpus TER, words in another order", f"{PAIRS} lines of 25 words", "worst"),
        ("sentence TER (our worst shape)", f"one pair of sentences per call, {CALLS} calls", "calls"),
    ):
        ours, theirs = in_turns(
            [
                lambda side=side: in_fresh_process("ter", f"our_{side}"),  # type: ignore[misc]
                lambda side=side: in_fresh_process("ter", f"their_{side}"),  # type: ignore[misc]
            ],
            SAMPLES,
        )
        table.append(ratio(what, shape, PEER, "cold, one thread", ours, theirs, None))
    return table


if __name__ == "__main__":
    show(rows())
