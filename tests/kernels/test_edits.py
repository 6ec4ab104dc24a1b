"""Edit distance, bag overlap and error rates against textbook versions."""

import random
from collections import Counter
from unittest import mock

import pytest
from cases import SEGMENTS, batch_of, cleaned, texts
from hypothesis import given
from hypothesis import strategies as st
from textbook import edit_metrics as textbook

import tarocco
from tarocco.metrics.edits import Comparison

WORDS = st.one_of(*(st.lists(st.sampled_from(letters), max_size=150) for letters in ("ab", "abcdefgh")))


@given(candidate=WORDS, references=st.lists(WORDS.filter(bool), min_size=1, max_size=3))
def test_distances_and_hits(candidate, references):
    found = Comparison(batch_of([(candidate, references)]))
    assert found.distances.tolist() == [textbook.levenshtein(candidate, reference) for reference in references]
    assert found.hits.tolist() == [(Counter(candidate) & Counter(reference)).total() for reference in references]


@given(segments=SEGMENTS)
def test_without_masks(segments):
    """What is too long for masks is compared by the textbook's table, one row of it."""
    plain = Comparison(batch_of(segments))
    with mock.patch("tarocco.metrics.edits._MOST_MASKS", 0):
        assert Comparison(batch_of(segments)).distances.tolist() == plain.distances.tolist()


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 127, 128, 129, 300])
def test_lengths_around_the_width_of_a_word(length):
    generator = random.Random(length)
    reference = generator.choices("abcd", k=length)
    candidates = [generator.choices("abcde", k=generator.randrange(length + 5)) for _ in range(5)]
    candidates += [reference, reference[1:], [*reference, "x"]]
    references = [reference, *(generator.choices("abcd", k=k) for k in (5, 64, 3, 1))]
    references = [one for one in references if one]
    found = Comparison(batch_of([(candidate, references) for candidate in candidates]))
    assert found.distances.tolist() == [
        textbook.levenshtein(candidate, one) for candidate in candidates for one in references
    ]


@pytest.mark.parametrize("weights", ["mean", "chosen"])
@pytest.mark.parametrize("select", ["rate", "distance"])
@pytest.mark.parametrize(
    ("name", "errors"), [("WER", textbook.word_errors), ("PER", textbook.position_independent_errors)]
)
@given(segments=SEGMENTS)
def test_error_rates(name, errors, select, weights, segments):
    metrics = [tarocco.metric(f"{prefix}{name}:select={select}:weights={weights}") for prefix in ("", "1-")]
    error, similarity = tarocco.score(*texts(segments), metrics=metrics, tokenize="none").scores
    segments = cleaned(segments)
    assert error.score == pytest.approx(textbook.error_rate(segments, errors, select, weights))
    assert error.segments.tolist() == pytest.approx([textbook.error_rate([one], errors, select) for one in segments])
    assert similarity.score == pytest.approx(1 - error.score)


def test_improving_a_segment_never_worsens_the_corpus():
    """What the weights are for (Chiang et al. 2008): other tools' weights can break it."""
    references = [["a b c d e f g h i j", "x"], ["p q r s t u v w"]]
    worse, better = ["a b c d e f", "1 2 3 4 5 6 7 8"], ["x", "1 2 3 4 5 6 7 8"]
    for name, holds in (("WER", True), ("WER:weights=chosen:select=distance", False)):
        first, second = (tarocco.score(system, references, metrics=name)[name] for system in (worse, better))
        assert second.segments[0] < first.segments[0]
        assert (second.score < first.score) == holds
