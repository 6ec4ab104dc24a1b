"""Generate synthetic n-best lists and references of any size that resemble a decoder's lists.

Each segment has a hidden sentence of Zipfian words. References are heavy edits of it: every fourth word is replaced,
and words are dropped, added and moved. The first hypothesis is an edit as well, and candidates are light edits of that
hypothesis: each position has a few alternative words, possibly the hidden one, and candidates further down the list
differ in more positions. So candidates share most words with each other and fewer with any reference. The same seed
gives the same bytes.

    python bench/nbest_data.py DIR --segments 872 --candidates 1024 --references 4 --seed 1

writes DIR/nbest.txt (Moses: `id ||| text ||| features ||| score`) and DIR/ref1.txt, ref2.txt ...
"""

from __future__ import annotations

import argparse
import random
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from text import WORDS, words

Ids = NDArray[np.int32]

NONE = -1  # an empty position
CHOICES = 4  # alternative words per position


class Rates(NamedTuple):
    """How often a word is replaced, dropped, followed by a new word, and moved by one position."""

    replaced: float
    dropped: float
    added: float
    moved: float


REFERENCE = Rates(0.25, 0.06, 0.06, 0.06)
HYPOTHESIS = Rates(0.30, 0.08, 0.06, 0.08)


def spellings() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return all words, each after a space, as one array of bytes, and where each word begins."""
    encoded = [f" {word}".encode() for word in words(random.Random(1))]
    starts = np.concatenate([[0], np.cumsum([len(word) for word in encoded])])
    return np.frombuffer(b"".join(encoded), np.uint8), starts


def zipfian(generator: np.random.Generator, size: int | tuple[int, ...]) -> Ids:
    frequencies = 1 / np.arange(2, WORDS + 2)
    cumulative = np.cumsum(frequencies) / frequencies.sum()
    return np.searchsorted(cumulative, generator.random(size)).astype(np.int32).clip(max=WORDS - 1)


def edited(sentence: Ids, rates: Rates, generator: np.random.Generator) -> Ids:
    """Return a randomly edited copy of a sentence."""
    changed = sentence.copy()
    replaced = generator.random(len(changed)) < rates.replaced
    changed[replaced] = zipfian(generator, int(replaced.sum()))
    for place in np.flatnonzero(generator.random(len(changed) - 1) < rates.moved):
        changed[[place, place + 1]] = changed[[place + 1, place]]
    places = np.full((len(changed), 2), NONE, np.int32)
    places[:, 0] = np.where(generator.random(len(changed)) < rates.dropped, NONE, changed)
    added = generator.random(len(changed)) < rates.added
    places[added, 1] = zipfian(generator, int(added.sum()))
    flat = places[places != NONE]
    return flat if len(flat) else sentence[:1]


def candidates(hidden: Ids, size: int, generator: np.random.Generator) -> Ids:
    """Return `size` rows of positions, some empty: first the hypothesis, then its variants."""
    hypothesis = edited(hidden, HYPOTHESIS, generator)
    length = len(hypothesis)
    choices = zipfian(generator, (length, CHOICES))
    choices[:, 0] = np.resize(hidden, length)  # often close to the correct word
    choices[generator.random(length) < 0.2, 1] = NONE  # some words are optional
    edits = 1 + np.minimum(generator.poisson(1 + np.log2(np.arange(1, size + 1)) / 3), 8)
    edits[0] = 0
    variants = np.repeat(hypothesis[None], size, axis=0)
    for number in range(int(edits.max())):
        rows = np.flatnonzero(edits > number)
        places = generator.integers(0, length, len(rows))
        swapped = (generator.random(len(rows)) < 0.15) & (places + 1 < length)
        other = choices[places, generator.integers(0, CHOICES, len(rows))]
        neighbor = np.minimum(places + 1, length - 1)
        here, there = variants[rows, places], variants[rows, neighbor]
        variants[rows, places] = np.where(swapped, there, other)
        variants[rows[swapped], neighbor[swapped]] = here[swapped]
    return variants


def sentences(rows: Ids, table: NDArray[np.uint8], starts: NDArray[np.int64]) -> list[bytes]:
    """Return the text of each row, after a space."""
    kept = rows != NONE
    flat = rows[kept]
    lengths = (starts[1:] - starts[:-1])[flat]
    ends = np.cumsum(lengths)
    within = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    text = table[np.repeat(starts[flat], lengths) + within].tobytes()
    bounds = np.concatenate([[0], ends])[np.concatenate([[0], np.cumsum(kept.sum(axis=1))])].tolist()
    return [text[first:last] for first, last in pairwise(bounds)]


def write(folder: Path, segments: int, size: int, references: int, seed: int = 1, length: int = 25) -> None:
    """Write nbest.txt, ref1.txt, ref2.txt and so on into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    table, starts = spellings()
    streams = [(folder / f"ref{r + 1}.txt").open("wb") for r in range(references)]
    with (folder / "nbest.txt").open("wb") as nbest:
        for segment in range(segments):
            generator = np.random.default_rng([seed, segment])
            hidden = zipfian(generator, max(3, int(generator.normal(length, length / 4))))
            for stream in streams:
                text = sentences(edited(hidden, REFERENCE, generator)[None], table, starts)[0]
                stream.write(text.lstrip() + b"\n")
            texts = sentences(candidates(hidden, size, generator), table, starts)
            scores = np.sort(generator.normal(-length, 2, size))[::-1]
            nbest.write(
                b"".join(
                    b"%d |||%s ||| tm= %.2f ||| %.2f\n" % (segment, text, score, score)
                    for text, score in zip(texts, scores.tolist(), strict=True)
                )
            )
    for stream in streams:
        stream.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--segments", type=int, default=872)
    parser.add_argument("--candidates", type=int, default=1024)
    parser.add_argument("--references", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--length", type=int, default=25, help="average words per hidden sentence")
    options = parser.parse_args()
    write(options.folder, options.segments, options.candidates, options.references, options.seed, options.length)
