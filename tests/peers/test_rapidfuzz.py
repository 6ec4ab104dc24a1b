"""Edit distance against RapidFuzz, on longer texts than the textbook's table can do."""

import random

import pytest
from cases import batch_of
from rapidfuzz.distance import Levenshtein

from tarocco.metrics.edits import Comparison


@pytest.mark.parametrize("words", [3, 30, 3000])
def test_levenshtein(words):
    generator = random.Random(words)
    vocabulary = [f"w{i}" for i in range(words)]
    segments = []
    for _ in range(60):
        reference = generator.choices(vocabulary, k=generator.randrange(1, 400))
        candidate = [word for word in reference if generator.random() < 0.8]
        candidate += generator.choices(vocabulary, k=generator.randrange(60))
        segments.append((candidate, [reference, generator.choices(vocabulary, k=generator.randrange(1, 200))]))
    found = Comparison(batch_of(segments)).distances.tolist()
    assert found == [Levenshtein.distance(candidate, reference) for candidate, refs in segments for reference in refs]
