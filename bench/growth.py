"""How time and memory grow with the size of the input: four sizes each, and the exponent that fits them.

    python bench/growth.py                      every case
    python bench/growth.py trial-systems        one case
    python bench/growth.py --goal               a trial of 200 systems x 1000 segments with 12 metrics

Every measurement is a process of its own with one thread, so that its peak memory is that of this size alone. The
exponent is the slope of a line through the logarithms of the last three sizes: 1 is linear, 2 quadratic. What the least
size needs is subtracted, because most of it is constant. Times are those of the processor.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

WORDS = 2000  # in the vocabulary
SEED = 22


def draw_sentences(count: int, words: int, seed: int) -> list[str]:
    """Return random sentences, with frequencies of words as in Zipf's law."""
    random = np.random.default_rng(seed)
    chances = 1 / np.arange(1, WORDS + 1)
    chosen = random.choice(WORDS, size=(count, words), p=chances / chances.sum())
    return [" ".join(f"w{word}" for word in sentence) for sentence in chosen.tolist()]


def distort(sentences: list[str], share: float, seed: int) -> list[str]:
    """Return sentences of which a share of the words is replaced, and a few neighbors are swapped."""
    random = np.random.default_rng(seed)
    results = []
    for sentence in sentences:
        words = sentence.split()
        for place in range(len(words)):
            if random.random() < share:
                words[place] = f"w{random.integers(WORDS)}"
            elif place and random.random() < share / 4:
                words[place - 1 : place + 1] = words[place - 1 : place + 1][::-1]
        results.append(" ".join(words))
    return results


def draw_test_set(systems: int, segments: int, words: int = 20, people: bool = False) -> dict[str, Any]:
    """Return systems of different quality, two references and, with `people`, a human score per segment."""
    reference = draw_sentences(segments, words, SEED)
    shares = {f"s{i:04d}": 0.1 + 0.6 * i / systems for i in range(systems)}
    texts: dict[str, Any] = {
        "systems": {name: distort(reference, share, SEED + i) for i, (name, share) in enumerate(shares.items(), 1)},
        "references": list(zip(reference, distort(reference, 0.2, SEED - 1), strict=True)),
    }
    if people:
        random = np.random.default_rng(SEED)
        texts["human"] = {
            name: np.round(100 * (1 - share) + 10 * random.standard_normal(segments)).tolist()
            for name, share in shares.items()
        }
    return texts


# --- cases: each returns the function to measure ---------------------------------------------------------------------


def trial_of(systems: int, segments: int, people: bool = False, **more: Any) -> Callable[[], object]:
    import tarocco

    texts = draw_test_set(systems, segments, people=people)
    return lambda: tarocco.trial(**texts, jobs=1, **more)


def correlate_of(systems: int, segments: int, level: str) -> Callable[[], object]:
    import tarocco

    texts = draw_test_set(systems, segments, people=True)
    return lambda: tarocco.correlate(**texts, metrics=["BLEU-4", "chrF"], level=level, jobs=1)


def compare_of(systems: int, segments: int) -> Callable[[], object]:
    import tarocco

    texts = draw_test_set(systems, segments)
    return lambda: tarocco.compare(**texts, metrics=["BLEU-4", "chrF"], all_pairs=True, jobs=1)


def orange_of(lists: int, size: int) -> Callable[[], object]:
    import tarocco

    references = draw_sentences(lists, 15, SEED)
    others = [distort(references, 0.2, SEED + k) for k in (1, 2)]
    columns = [distort(references, 0.1 + 0.6 * k / size, SEED + 3 + k) for k in range(size)]
    nbest = [list(candidates) for candidates in zip(*columns, strict=True)]
    return lambda: tarocco.orange(
        nbest,
        list(zip(references, *others, strict=True)),
        metrics=["BLEUS-4", "ROUGE-L"],
        pool=["pool"] * lists,
        n_resamples=100,
        jobs=1,
    )


def explain_of(words: int, metric: str) -> Callable[[], object]:
    import tarocco

    [reference] = draw_sentences(1, words, SEED)
    [candidate] = distort([reference], 0.3, SEED)
    return lambda: tarocco.explain([candidate], [reference], metrics=metric)


CASES: dict[str, tuple[str, tuple[int, ...], Callable[[int], Callable[[], object]]]] = {
    "trial-systems": ("systems x 10 segments", (16, 32, 64, 128), lambda n: trial_of(n, 10)),
    "trial-people": (
        "systems x 10 segments, with human scores",
        (16, 32, 64, 128),
        lambda n: trial_of(n, 10, people=True),
    ),
    "trial-segments": ("segments of 8 systems", (125, 250, 500, 1000), lambda n: trial_of(8, n)),
    "compare-systems": ("systems x 100 segments", (16, 32, 64, 128), lambda n: compare_of(n, 100)),
    "correlate-systems": ("systems x 10 segments", (100, 200, 400, 800), lambda n: correlate_of(n, 10, "system")),
    "correlate-segment": ("systems x 10 segments", (50, 100, 200, 400), lambda n: correlate_of(n, 10, "segment")),
    "orange-pool": ("pooled lists of 16", (8, 16, 32, 64), lambda n: orange_of(n, 16)),
    "explain-WER": ("words", (500, 1000, 2000, 4000), lambda n: explain_of(n, "WER")),
    "explain-TER": ("words", (250, 500, 1000, 2000), lambda n: explain_of(n, "TER")),
    "explain-GTM": ("words", (250, 500, 1000, 2000), lambda n: explain_of(n, "GTM-2")),
}


def measure(case: str, size: int) -> tuple[float, float]:
    """Return seconds of processor time and MiB of one size, measured in this process."""
    run = trial_of(200, 1000) if case == "goal" else CASES[case][2](size)
    before = time.process_time()
    run()
    seconds = time.process_time() - before
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_apart(case: str, size: int) -> tuple[float, float]:
    """Return the same, measured in a process of its own."""
    command = [sys.executable, __file__, "--measure", case, str(size)]
    seconds, memory = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return seconds, memory


def exponent(sizes: tuple[int, ...], values: list[float]) -> float:
    """Return the slope of a line through the logarithms of what each size needs beyond the first."""
    beyond = [value - values[0] for value in values[1:]]
    if min(beyond) <= 0:
        return 0.0
    return float(np.polyfit([math.log(size) for size in sizes[1:]], [math.log(value) for value in beyond], 1)[0])


def rows(cases: list[str]) -> Iterator[tuple[str, ...]]:
    for case in cases:
        what, sizes, _ = CASES[case]
        seconds, memory = (list(values) for values in zip(*(measure_apart(case, size) for size in sizes), strict=True))
        yield (
            case,
            f"{', '.join(map(str, sizes))} {what}",
            ", ".join(f"{value:.2f}" for value in seconds) + " s",
            f"{exponent(sizes, seconds):.1f}",
            ", ".join(f"{value:.0f}" for value in memory) + " MiB",
            f"{exponent(sizes, memory):.1f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES])
    parser.add_argument("--goal", action="store_true")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure[0], int(options.measure[1]))))
    elif options.goal:
        seconds, memory = measure_apart("goal", 0)
        print(f"200 systems x 1000 segments x 12 metrics: {seconds:.0f} s, {memory:.0f} MiB")
    else:
        for row in rows(options.cases or list(CASES)):
            print(" | ".join(row), flush=True)


if __name__ == "__main__":
    main()
