"""Three test sets on which the answers are known, after Chiang et al. (2008), section 3: python make_cases.py

signs/     `wordy` adds a word to every segment, `terse` leaves two out: by BLEU's sign test each beats the other
genres/    `tuned` is better than `mixed` in both genres; `mixed` writes more where that is easy and less where it is
           not, and on the whole BLEU prefers it
padded/    `padded` is so long that BLEU does not miss a tenth of it

References are words in a random order; an error is a word that no reference has, so that every match is meant.
"""

from __future__ import annotations

import random
from pathlib import Path

HERE = Path(__file__).parent
SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "mo", "ne", "pi", "ru", "si", "ta")
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]
WRONG = [f"z{syllable}" for syllable in SYLLABLES]


class Writer:
    """Writes references, and outputs that keep, spoil, drop and add words of them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def reference(self, shortest: int, longest: int) -> list[str]:
        return self.random.sample(WORDS, self.random.randint(shortest, longest))

    def spoiled(self, words: list[str], share: float) -> list[str]:
        """So many words, wherever they stand, become wrong ones."""
        places = set(self.random.sample(range(len(words)), round(share * len(words))))
        return [self.random.choice(WRONG) if i in places else word for i, word in enumerate(words)]

    def padded(self, words: list[str], count: int) -> list[str]:
        """So many wrong words at the end."""
        return [*words, *(self.random.choice(WRONG) for _ in range(count))]


def signs(segments: int = 60) -> dict[str, list[list[str]]]:
    """Both systems make the same mistakes; one adds a wrong word to every segment, one leaves out the last two."""
    write = Writer(1)
    texts: dict[str, list[list[str]]] = {"ref": [], "wordy": [], "terse": []}
    for _ in range(segments):
        reference = write.reference(16, 24)
        output = write.spoiled(reference, 0.1)
        texts["ref"].append(reference)
        texts["wordy"].append(write.padded(output, 1))
        texts["terse"].append(output[:-2])
    return texts


def genres(segments: int = 40) -> dict[str, list[list[str]]]:
    """News is easy, forums are hard. `tuned` leaves out a bit of everything; `mixed` says more than there is in the
    news and leaves out twice as much in forums, so that in all it is about as long as the references."""
    write = Writer(2)
    texts: dict[str, list[list[str]]] = {"ref": [], "mixed": [], "tuned": [], "genres": []}
    for genre, errors in (("news", 0.12), ("forums", 0.3)):
        for _ in range(segments):
            reference = write.reference(18, 26)
            output = write.spoiled(reference, errors)
            n = len(output)
            mixed = write.padded(output, round(0.14 * n)) if genre == "news" else output[: round(0.84 * n)]
            tuned = output[: round(0.92 * n)]
            for name, words in (("ref", reference), ("mixed", mixed), ("tuned", tuned), ("genres", [genre])):
                texts[name].append(words)
    return texts


def padded(segments: int = 60) -> dict[str, list[list[str]]]:
    """An ordinary output with a sixth more words than the references."""
    write = Writer(3)
    texts: dict[str, list[list[str]]] = {"ref": [], "padded": []}
    for _ in range(segments):
        reference = write.reference(18, 24)
        texts["ref"].append(reference)
        texts["padded"].append(write.padded(write.spoiled(reference, 0.1), round(len(reference) / 6)))
    return texts


def main() -> None:
    for name, texts in (("signs", signs()), ("genres", genres()), ("padded", padded())):
        (HERE / name).mkdir(exist_ok=True)
        for column, segments in texts.items():
            lines = "".join(" ".join(words) + "\n" for words in segments)
            (HERE / name / f"{column}.txt").write_text(lines, "utf-8")


if __name__ == "__main__":
    main()
