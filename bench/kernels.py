"""Kernels on encoded text: compared with RapidFuzz, and many parameters compared with one."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from measure import Row, at_most_times, best_seconds, in_fresh_process, in_turns, ratio, show
from text import nbest_list

SAMPLES = 7
REPEAT = 60


def comparison() -> Any:
    """Return a function that makes a new comparison of 1024 candidates and 4 references."""
    from tarocco.core.test_set import Segments
    from tarocco.encode.batch import Batch, Encoding, Groups
    from tarocco.metrics.text_pairs import Comparison

    texts = nbest_list()
    columns = [[Segments.from_strings(column)] for column in texts]
    groups = [Groups.of_one(len(column)) for column in texts]
    batch = Batch.of_groups(*columns, *groups, Encoding("none"))
    return lambda requests=(): Comparison(batch, requests)


def ours(what: str) -> float:
    compare = comparison()
    return best_seconds(lambda: getattr(compare(), what), REPEAT)


def rapidfuzz(what: str) -> float:
    """Time RapidFuzz's fastest call, with one character per word and one worker."""
    from rapidfuzz.distance import LCSseq, Levenshtein
    from rapidfuzz.process import cdist

    scorer = {"subsequences": LCSseq.similarity, "distances": Levenshtein.distance}[what]
    candidates, references = nbest_list()
    numbers: dict[str, str] = {}
    as_characters = [
        ["".join(numbers.setdefault(word, chr(256 + len(numbers))) for word in text.split()) for text in texts]
        for texts in (references, candidates)
    ]
    return best_seconds(lambda: cdist(*as_characters, scorer=scorer, workers=1), REPEAT)


def weighted(exponents: int) -> float:
    from tarocco.metrics.rouge import Power
    from tarocco.metrics.text_pairs import RECURRENCE

    compare = comparison()
    powers = [Power(1 + (i + 1) / 10) for i in range(exponents)]
    requests = [("worth", (RECURRENCE, power)) for power in powers]
    return best_seconds(lambda: compare(requests).weighted_subsequences(RECURRENCE, powers[0]), REPEAT // 6)


def skips(every: bool) -> float:
    compare = comparison()
    requests = [("gap", gap) for gap in (*range(10), None)] if every else [("gap", 4)]
    return best_seconds(lambda: compare(requests).skip_bigrams(4), REPEAT // 6)


def rows() -> list[Row]:
    shape = "1024 candidates x 4 references, 25 words, encoded"
    how = "warm, one thread"
    peer = f"rapidfuzz {version('rapidfuzz')}"
    table = []
    for name, what, goal in (("longest common subsequence", "subsequences", 3), ("edit distance", "distances", 2)):
        ours, theirs = in_turns(
            [
                lambda: in_fresh_process("kernels", "ours", what),  # noqa: B023
                lambda: in_fresh_process("kernels", "rapidfuzz", what),  # noqa: B023
            ],
            SAMPLES,
        )
        table.append(ratio(f"{name}, kernel", shape, peer, how, ours, theirs, goal))
    one, ten = in_turns(
        [lambda: in_fresh_process("kernels", "weighted", 1), lambda: in_fresh_process("kernels", "weighted", 10)],
        SAMPLES,
    )
    table.append(at_most_times("ten exponents of ROUGE-W", shape, "one exponent", how, ten, one, 2))
    four, every = in_turns(
        [lambda: in_fresh_process("kernels", "skips", False), lambda: in_fresh_process("kernels", "skips", True)],
        SAMPLES,
    )
    table.append(at_most_times("ROUGE-S-0 to -9 and S*", shape, "ROUGE-S-4", how, every, four, 5))
    return table


if __name__ == "__main__":
    show(rows())
