"""The cost per reference with 1, 4, 16 or 116 references, and reference curves."""

from __future__ import annotations

import random
import time

from measure import Row, at_most, in_fresh_process, show
from text import edited, segments

FAMILIES = (
    "BLEU-4",
    "NIST-5",
    "WER",
    "PER",
    "CDER",
    "GRR-4",
    "GTM-1",
    "ROUGE-L",
    "ROUGE-W-1.2",
    "ROUGE-S-4",
    "chrF",
    "TER",
)
NUMBERS = (1, 4, 16, 116)  # the last: 16 by people and 100 machine paraphrases
LINES = 100
REPEAT = 5
CURVE = (146, 21, 8)  # segments, systems, references: the size of the E2E challenge with eight references
CURVE_METRICS = ("BLEU-4", "NIST-5", "WER", "GTM-1", "chrF")


def many(lines: int, texts: int, count: int) -> tuple[list[list[str]], list[list[str]]]:
    """Return systems, and `count` references per segment: up to 16 independent ones, then edits of those."""
    columns = segments(lines, texts + min(count, 16))
    systems, people = columns[:texts], columns[texts:]
    generator = random.Random(5)
    pool = " ".join(people[0]).split()
    references = [list(by_people) for by_people in zip(*people, strict=True)]
    for of_segment in references:
        while len(of_segment) < count:
            of_segment.append(" ".join(edited(of_segment[len(of_segment) % 16].split(), pool, generator)))
    return systems, references


def growth(name: str) -> list[float]:
    """Return the processor time with each number of references, the least of several runs."""
    from tarocco.core.test_set import make_test_set
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.registry import metrics
    from tarocco.scoring.settings import Workers
    from tarocco.scoring.statistics import compute_statistics

    (system,), references = many(LINES, 1, NUMBERS[-1])
    best = []
    for number in NUMBERS:
        test_set = make_test_set({"system": system}, [texts[:number] for texts in references])
        times = []
        for _ in range(REPEAT):
            start = time.process_time()
            compute_statistics(test_set, metrics([name]), Encoding(), Workers(jobs=1))
            times.append(time.process_time() - start)
        best.append(min(times))
    return best


def curve() -> float:
    """Return the seconds for reference curves of five metrics with twenty subsets per size."""
    import tarocco

    lines, count, most = CURVE
    texts, references = many(lines, count, most + 1)
    for of_segment in references[::2]:
        of_segment.pop()  # segments differ in their number of references
    systems = {f"system {i}": text for i, text in enumerate(texts)}
    human = {name: i for i, name in enumerate(systems)}
    start = time.perf_counter()
    tarocco.references(systems, references, human, metrics=CURVE_METRICS, most=most)
    return time.perf_counter() - start


def rows() -> list[Row]:
    table = []
    for name in FAMILIES:
        times = growth(name)
        ratio, goal = times[-1] / times[1], NUMBERS[-1] / NUMBERS[1]
        each = " ".join(f"{1e6 * one / number / LINES:.3g}" for one, number in zip(times, NUMBERS, strict=True))
        table.append(
            Row(
                f"{name} with 116 references",
                f"{LINES} segments, one thread",
                "itself with 4",
                f"us per reference with {', '.join(map(str, NUMBERS))}: {each}",
                f"{ratio:.1f} times ({times[-1] * 1e3:.3g} ms / {times[1] * 1e3:.3g} ms)",
                f"<= {goal:g} times",
                ratio <= goal,
            )
        )
    lines, count, most = CURVE
    shape = f"{lines} segments, {count} systems, 1 to {most} references, 20 subsets, {len(CURVE_METRICS)} metrics"
    took = in_fresh_process("references", "curve")
    return [*table, at_most("reference curves", shape, "cold, all threads", took, 60, "s")]


if __name__ == "__main__":
    show(rows())
