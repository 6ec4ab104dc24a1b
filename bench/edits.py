"""Word error rate: the kernel against RapidFuzz, and from text against jiwer."""

from __future__ import annotations

from importlib.metadata import version

from measure import Row, in_fresh_process, in_turns, ratio, seconds, show
from text import segments

SAMPLES = 5
CANDIDATES = 1024
REFERENCES = 4
LINES = 3000


def candidates_and_references() -> tuple[list[str], list[str]]:
    """1024 candidates of 25 words against four references: edits of one sentence each."""
    (*references,), pool = zip(*segments(1, REFERENCES, seed=3), strict=True), segments(CANDIDATES, 1, seed=3)[0]
    return pool, list(references[0])


def our_kernel() -> float:
    import numpy as np

    from tarocco.encode.batch import Batch, Encoding, Groups
    from tarocco.encode.vocabulary import Vocabulary
    from tarocco.metrics.edits import Comparison
    from tarocco.model import Segments

    pool, references = candidates_and_references()
    vocabulary, encoding = Vocabulary(), Encoding("none")
    encoded = [encoding.encode([Segments.from_strings(texts)], vocabulary) for texts in (pool, references)]
    groups = [Groups(np.arange(len(texts)), np.array([0, len(texts)])) for texts in (pool, references)]
    batch = Batch(*encoded, *groups, vocabulary)
    Comparison(batch).distances.sum()
    return seconds(lambda: Comparison(batch).distances)


def rapidfuzz_kernel() -> float:
    """One character a word, as its fastest call wants it; one worker, as ours."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    pool, references = candidates_and_references()
    numbers: dict[str, str] = {}
    as_characters = [
        ["".join(numbers.setdefault(word, chr(256 + len(numbers))) for word in text.split()) for text in texts]
        for texts in (references, pool)
    ]
    cdist(*as_characters, scorer=Levenshtein.distance, workers=1)
    return seconds(lambda: cdist(*as_characters, scorer=Levenshtein.distance, workers=1))


def our_text(jobs: int | None) -> float:
    import tarocco

    system, stream = segments(LINES, 2)
    tarocco.score(["warm"], ["up"], metrics="WER")
    return seconds(lambda: tarocco.score(system, stream, metrics="WER", tokenize="none", jobs=jobs))


def jiwer_text() -> float:
    import jiwer

    system, stream = segments(LINES, 2)
    return seconds(lambda: jiwer.wer(stream, system))


def rows() -> list[Row]:
    own, other = in_turns(
        [lambda: in_fresh_process("edits", "our_kernel"), lambda: in_fresh_process("edits", "rapidfuzz_kernel")],
        SAMPLES,
    )
    shape = f"{CANDIDATES} candidates x {REFERENCES} references, 25 words, encoded"
    how = "second call, one thread"
    found = [ratio("edit distance, kernel", shape, f"rapidfuzz {version('rapidfuzz')}", how, own, other, 2)]
    own, other = in_turns(
        [lambda: in_fresh_process("edits", "our_text", 1), lambda: in_fresh_process("edits", "jiwer_text")], SAMPLES
    )
    shape = f"{LINES} lines, 1 reference, none"
    found.append(ratio("corpus WER", shape, f"jiwer {version('jiwer')}", "cold, one thread", own, other, None))
    return found


if __name__ == "__main__":
    show(rows())
