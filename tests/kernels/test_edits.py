"""Edit distance, bag overlap and error rates against textbook versions."""

import random
from collections import Counter
from unittest import mock

import pytest
from cases import SEGMENTS, batch_of, cleaned, list_of, texts
from hypothesis import given
from hypothesis import strategies as st
from textbook import edit_metrics as textbook
from textbook import rouge_metrics as rouge

import tarocco
from tarocco.kernels import bit_parallel, kernel
from tarocco.metrics import text_pairs
from tarocco.metrics.text_pairs import Comparison

WORDS = st.one_of(*(st.lists(st.sampled_from(letters), max_size=150) for letters in ("ab", "abcdefgh")))


@given(candidates=st.lists(WORDS, min_size=1, max_size=3), references=st.lists(WORDS, min_size=1, max_size=5))
def test_all_that_pairs_have_in_common(candidates, references):
    found = Comparison(list_of(candidates, references))
    pairs = [(candidate, reference) for candidate in candidates for reference in references]
    assert found.distances.tolist() == [textbook.levenshtein(*pair) for pair in pairs]
    assert found.subsequences.tolist() == [rouge.subsequence(*pair) for pair in pairs]
    assert found.hits.tolist() == [(Counter(one) & Counter(other)).total() for one, other in pairs]
    assert found.jump_distances.tolist() == [textbook.jump_errors(*pair) for pair in pairs]
    assert found.steps.tolist() == [textbook.count_steps(textbook.align(*pair)) for pair in pairs]
    assert found.steps[:, 1:].sum(axis=1).tolist() == found.distances.tolist()


@given(WORDS, WORDS)
def test_steps_of_the_alignment(candidate, reference):
    assert Comparison(list_of([candidate], [reference])).trace().tolist() == textbook.align(candidate, reference)


@pytest.mark.skipif(not bit_parallel.COMPILED, reason="there is one variant only")
@given(candidates=st.lists(WORDS, max_size=4), references=st.lists(WORDS, min_size=1, max_size=9))
def test_every_instruction_set_gives_the_same(candidates, references):
    batch = list_of(candidates, references)
    wide, plain = Comparison(batch), Comparison(batch)
    with mock.patch.object(text_pairs, "_compare", bit_parallel.compare_texts):
        found = plain.distances.tolist(), plain.subsequences.tolist()
    assert (wide.distances.tolist(), wide.subsequences.tolist()) == found


def test_the_widest_instructions_of_the_processor_are_used():
    expected = "tarocco.kernels.bit_parallel_avx2" if bit_parallel.has_avx2() else "tarocco.kernels.bit_parallel"
    assert kernel(bit_parallel, "compare_texts", wide=True).__module__ == expected
    with mock.patch.object(text_pairs.bit_parallel, "has_avx2", return_value=False):
        assert kernel(bit_parallel, "compare_texts", wide=True).__module__ == "tarocco.kernels.bit_parallel"


@given(segments=SEGMENTS)
def test_without_masks(segments):
    """What is too long for masks is compared by the textbook's table, one row of it."""
    plain, other = Comparison(batch_of(segments)), Comparison(batch_of(segments))
    with mock.patch.object(text_pairs, "_MOST_MASKS", 0):
        assert other.distances.tolist() == plain.distances.tolist()
        assert other.subsequences.tolist() == plain.subsequences.tolist()


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 127, 128, 129, 300])
def test_lengths_around_the_width_of_a_word(length):
    generator = random.Random(length)
    reference = generator.choices("abcd", k=length)
    candidates = [generator.choices("abcde", k=generator.randrange(length + 5)) for _ in range(5)]
    candidates += [reference, reference[1:], [*reference, "x"]]
    references = [reference, *(generator.choices("abcd", k=k) for k in (5, 64, 3, 1))]
    references = [one for one in references if one]
    found = Comparison(batch_of([(candidate, references) for candidate in candidates]))
    pairs = [(candidate, one) for candidate in candidates for one in references]
    assert found.distances.tolist() == [textbook.levenshtein(*pair) for pair in pairs]
    assert found.subsequences.tolist() == [rouge.subsequence(*pair) for pair in pairs]


@pytest.mark.parametrize("weights", ["mean", "chosen"])
@pytest.mark.parametrize("select", ["rate", "distance"])
@pytest.mark.parametrize(
    ("name", "errors"),
    [("WER", textbook.word_errors), ("PER", textbook.position_independent_errors), ("CDER", textbook.jump_errors)],
)
@given(segments=SEGMENTS)
def test_error_rates(name, errors, select, weights, segments):
    prefixes = ("",) if name == "CDER" else ("", "1-")
    metrics = [tarocco.metric(f"{prefix}{name}:select={select}:weights={weights}") for prefix in prefixes]
    error, *similarities = tarocco.score(*texts(segments), metrics=metrics, tokenize="none").scores
    segments = cleaned(segments)
    assert error.score == pytest.approx(textbook.error_rate(segments, errors, select, weights))
    assert error.segments.tolist() == pytest.approx([textbook.error_rate([one], errors, select) for one in segments])
    for similarity in similarities:
        assert similarity.score == pytest.approx(1 - error.score)


@pytest.mark.parametrize(("order", "alpha", "beta"), [(4, 1, 0), (1, 1, 0), (2, 0.5, 0.25), (3, -0.9, 1), (6, 1, 1)])
@given(segments=SEGMENTS)
def test_recognition_rate(order, alpha, beta, segments):
    name = f"GRR-{order}:alpha={alpha}:beta={beta}"
    found = tarocco.score(*texts(segments), metrics=name, tokenize="none").scores[0]
    segments = cleaned(segments)
    assert found.score == pytest.approx(textbook.recognition_rate(segments, order, alpha, beta))
    assert found.segments.tolist() == pytest.approx(
        [textbook.recognition_rate([one], order, alpha, beta) for one in segments]
    )


def test_counts_of_edits():
    """jiwer's hits, substitutions, deletions and insertions, where there is one best alignment."""
    found = tarocco.score(["a x c d", "p q"], ["a b c", "q r s"], metrics="WER:counts=yes", tokenize="none").scores[0]
    assert found.details == {"insertions": 2, "deletions": 2, "substitutions": 1, "matches": 3}


@pytest.mark.parametrize("name", ["WER", "PER", "CDER", "WER:weights=chosen", "1-WER", "GRR-1"])
def test_words_where_nothing_was_said_are_insertions(name):
    """jiwer and sclite: 3 insertions and 1 substitution over 4 words; an empty output there changes nothing."""
    sign = tarocco.metric(name)
    found = tarocco.score(["a b c x", "p q r", ""], ["a b c d", "", ""], metrics=name, tokenize="none").scores[0]
    assert found.score == pytest.approx(1 - 4 / 4 if sign.kind == "similarity" else 4 / 4)
    assert found.segments.tolist() == ([0.75, 0, 1] if sign.kind == "similarity" else [0.25, 1, 0])
    without = tarocco.score(["a b c x"], ["a b c d"], metrics=name, tokenize="none").scores[0]
    silent = tarocco.score(["a b c x", ""], ["a b c d", ""], metrics=name, tokenize="none").scores[0]
    assert silent.score == without.score


def test_improving_a_segment_never_worsens_the_corpus():
    """What the weights are for (Chiang et al. 2008): other tools' weights can break it."""
    references = [["a b c d e f g h i j", "x"], ["p q r s t u v w"]]
    worse, better = ["a b c d e f", "1 2 3 4 5 6 7 8"], ["x", "1 2 3 4 5 6 7 8"]
    for name, holds in (("WER", True), ("WER:weights=chosen:select=distance", False)):
        first, second = (tarocco.score(system, references, metrics=name)[name] for system in (worse, better))
        assert second.segments[0] < first.segments[0]
        assert (second.score < first.score) == holds


def test_a_reference_without_words_is_no_bargain():
    """Its errors are not few just because its rate is at most 1."""
    name = "WER:select=distance"
    found = tarocco.score(["a b c d e f"], [["...", "a b c d x y"]], metrics=name, tokenize="rouge").scores[0]
    assert found.score == pytest.approx(2 / 6)
