"""Build src/tarocco/data/wordnet/wordnet.npz from the files of WordNet 3.0.

    apt-get install wordnet-base        # Debian's package of the database; or: apt-get download, dpkg -x
    python tools/make_wordnet.py [--from /usr/share/wordnet] [--into src/tarocco/data/wordnet]

The same files give the same bytes. src/tarocco/encode/wordnet.py, which reads the arrays, describes them.
"""

from __future__ import annotations

import argparse
from itertools import accumulate, chain
from pathlib import Path

import numpy as np

INTO = Path(__file__).resolve().parents[1] / "src/tarocco/data/wordnet"
PARTS = ("noun", "verb", "adj", "adv")  # of speech, in the order in which synsets are numbered
HYPERNYMS = ("@", "@i")


def lines(path: Path) -> list[list[str]]:
    """Return the fields of each line after the license, whose lines begin with two spaces."""
    return [line.split() for line in path.read_text("ascii").splitlines() if not line.startswith("  ")]


def ragged(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return all values, row by row, and the bounds of the rows."""
    bounds = [0, *accumulate(map(len, rows))]
    return np.array(list(chain.from_iterable(rows)), np.int32), np.array(bounds, np.int32)


def pointers(fields: list[str]) -> list[tuple[str, str, str]]:
    """Return (symbol, offset, part of speech) of each pointer of a synset."""
    first = 4 + 2 * int(fields[3], 16)
    places = range(first + 1, first + 1 + 4 * int(fields[first]), 4)
    return [(fields[at], fields[at + 1], fields[at + 2]) for at in places]


def build(folder: Path) -> dict[str, np.ndarray]:
    data = {part: lines(folder / f"data.{part}") for part in PARTS}
    numbers: dict[tuple[str, str], int] = {}  # of synsets, by part of speech and offset
    for part, synsets in data.items():
        for fields in synsets:
            numbers[part, fields[0]] = len(numbers)
    ends = [*accumulate(len(data[part]) for part in PARTS)]

    hypernyms: list[list[int]] = []
    letters = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
    for synsets in data.values():
        for fields in synsets:
            above = [(letters[part], at) for symbol, at, part in pointers(fields) if symbol in HYPERNYMS]
            hypernyms.append([numbers[one] for one in above])

    senses: dict[str, list[int]] = {}  # the most frequent first, nouns before verbs, adjectives and adverbs
    for part in PARTS:
        for fields in lines(folder / f"index.{part}"):
            count = int(fields[2])
            senses.setdefault(fields[0], []).extend(numbers[part, offset] for offset in fields[-count:])

    listed = {part: lines(folder / f"{part}.exc") for part in PARTS}
    exceptions = [(form, at, base) for at, part in enumerate(PARTS) for form, *bases in listed[part] for base in bases]
    words = sorted({*senses, *chain.from_iterable((form, base) for form, _, base in exceptions)})
    ids = {word: at for at, word in enumerate(words)}
    of_words, bounds = ragged([senses.get(word, []) for word in words])
    above, above_bounds = ragged(hypernyms)
    return {
        "words": np.frombuffer("\n".join(words).encode("ascii"), np.uint8),
        "senses": of_words,
        "sense_bounds": bounds,
        "part_ends": np.array(ends, np.int32),
        "hypernyms": above,
        "hypernym_bounds": above_bounds,
        "exceptions": np.array([(ids[form], at, ids[base]) for form, at, base in exceptions], np.int32),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--from", dest="folder", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--into", type=Path, default=INTO)
    arguments = parser.parse_args()
    np.savez(arguments.into / "wordnet.npz", **build(arguments.folder))


if __name__ == "__main__":
    main()
