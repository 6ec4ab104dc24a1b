"""WER's edit distances and ROUGE-L's subsequences against RapidFuzz, on longer texts than the textbook can do."""

import random

import pytest
from cases import batch_of
from rapidfuzz.distance import LCSseq, Levenshtein

from tarocco.metrics.text_pairs import Comparison


@pytest.mark.parametrize("words", [3, 30, 3000])
def test_levenshtein_and_subsequences(words):
    generator = random.Random(words)
    vocabulary = [f"w{i}" for i in range(words)]
    segments = []
    for _ in range(60):
        reference = generator.choices(vocabulary, k=generator.randrange(1, 400))
        candidate = [word for word in reference if generator.random() < 0.8]
        candidate += generator.choices(vocabulary, k=generator.randrange(60))
        segments.append((candidate, [reference, generator.choices(vocabulary, k=generator.randrange(1, 200))]))
    found = Comparison(batch_of(segments))
    pairs = [(candidate, reference) for candidate, references in segments for reference in references]
    assert found.distances.tolist() == [Levenshtein.distance(*pair) for pair in pairs]
    assert found.subsequences.tolist() == [LCSseq.similarity(*pair) for pair in pairs]
