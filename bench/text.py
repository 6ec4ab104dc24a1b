"""Generate synthetic text: Zipfian words, punctuation and numbers; all columns are edits of one hidden text."""

from __future__ import annotations

import random

LETTERS = "etaoinshrdlucmfwypvbgkjqxz"
WORDS = 20_000


def words(generator: random.Random) -> list[str]:
    """Return a vocabulary in which frequent words are short."""
    vocabulary: dict[str, None] = {}
    while len(vocabulary) < WORDS:
        length = min(12, 1 + int(generator.expovariate(0.25)) + len(vocabulary) // 4000)
        vocabulary["".join(generator.choices(LETTERS, range(26, 0, -1), k=length))] = None
    return list(vocabulary)


def segments(n: int, texts: int, seed: int = 1, length: int = 25) -> list[list[str]]:
    """Return `texts` columns of n segments of about `length` words, all edits of the same hidden sentences."""
    generator = random.Random(seed)
    vocabulary = words(generator)
    frequencies = [1 / (rank + 2) for rank in range(WORDS)]
    # Sentences are cut from one long text and overlap, so phrases recur, as in real text.
    pool = generator.choices(vocabulary, frequencies, k=n * length + 50_000)
    columns: list[list[str]] = [[] for _ in range(texts)]
    for _ in range(n):
        size = max(1, int(generator.gauss(length, length / 4)))
        start = generator.randrange(len(pool) - size - 1)
        hidden = pool[start : start + size]
        for column in columns:
            column.append(sentence(edited(hidden, pool, generator), generator))
    return columns


def nbest_list(candidates: int = 1024, references: int = 4) -> tuple[list[str], list[str]]:
    """Return candidates and references of one segment of 25 words, all edits of the same hidden sentence."""
    streams = segments(1, candidates + references, seed=3)
    texts = [stream[0] for stream in streams]
    return texts[references:], texts[:references]


def edited(hidden: list[str], pool: list[str], generator: random.Random) -> list[str]:
    """Return a copy in which a fifth of the words are changed, dropped or swapped."""
    changed = list(hidden)
    for _ in range(len(changed) // 5):
        i = generator.randrange(len(changed))
        action = generator.random()
        if action < 0.6:
            changed[i] = pool[generator.randrange(len(pool))]
        elif action < 0.8 and i + 1 < len(changed):
            changed[i], changed[i + 1] = changed[i + 1], changed[i]
        elif len(changed) > 1:
            del changed[i]
    return changed


def sentence(text: list[str], generator: random.Random) -> str:
    """Return words as a sentence with a capital, a comma, sometimes a number or quotation marks, and a period."""
    text = [text[0].capitalize(), *text[1:]]
    if len(text) > 8:
        text[len(text) // 2] += ","
        if generator.random() < 0.3:
            text[-2] = f"{generator.randrange(1, 5000):,}.{generator.randrange(10)}"
        if generator.random() < 0.2:
            text[3] = f'"{text[3]}"'
    return " ".join(text) + "."
