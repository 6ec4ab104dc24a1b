"""MAXSIM's matching of n-grams against a textbook version, and its assignments against SciPy's."""

import numpy as np
import pytest
from cases import batch_of
from conftest import PLAIN
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import maxsim_metric as textbook

from tarocco.encode.vocabulary import Ragged
from tarocco.metrics.maxsim import match_ngrams, score_pairs
from tarocco.metrics.text_pairs import TextPairs

# a and b share a synset, b and c another; d has one of its own, e none.
SYNSETS = {"a": [0], "b": [0, 1], "c": [1], "d": [2], "e": []}
WORDS = st.lists(st.sampled_from([f"{lemma}{tag}" for lemma in SYNSETS for tag in "NV"]), max_size=6)


def ragged(rows):
    offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum([len(row) for row in rows])])
    return Ragged(np.array([value for row in rows for value in row], np.int32), offsets)


def synonyms(one, other):
    return bool(set(SYNSETS[one]) & set(SYNSETS[other]))


def weights_of(candidate, references):
    """Words are written lemma and tag."""
    pairs = TextPairs(batch_of([([word[0] for word in candidate], [[word[0] for word in one] for one in references])]))
    tags = np.array(["NV".index(word[1]) for text in (candidate, *references) for word in text], np.int32)
    lemmas = [pairs.batch.vocabulary[number] for number in range(len(pairs.batch.vocabulary))]
    found = match_ngrams(pairs, tags, ragged([SYNSETS[lemma] for lemma in lemmas]))
    return found, score_pairs(found, pairs.candidate_lengths, pairs.reference_lengths)


@given(candidate=WORDS, references=st.lists(WORDS.filter(bool), min_size=1, max_size=3))
def test_matched_ngrams(candidate, references):
    found, scores = weights_of(candidate, references)
    own = [tuple(word) for word in candidate]
    for reference, row, value in zip(references, found.tolist(), scores.tolist(), strict=True):
        there = [tuple(word) for word in reference]
        assert row == pytest.approx([textbook.matched(own, there, n, synonyms) for n in (1, 2, 3)])
        assert value == pytest.approx(textbook.maxsim(own, there, synonyms))


def test_by_hand():
    """Lemma and tag agree in a, the lemma alone in e; b and c are synonyms with the same tag.

    So all three words match with 1, e a with e a by its lemmas, a b with a c with (1 + 1) / 2, and the trigrams
    with (1/2 + 1 + 1) / 3.
    """
    found, scores = weights_of(["eV", "aN", "bN"], [["eN", "aN", "cN"]])
    assert found[0].tolist() == pytest.approx([3, 2, (0.5 + 1 + 1) / 3])
    assert scores[0] == pytest.approx((1 + 1 + 2.5 / 3) / 3)


@pytest.mark.skipif(PLAIN, reason="SciPy is a peer of the compiled run alone")
@settings(max_examples=30)
@given(size=st.integers(1, 40), seed=st.integers(0, 1000))
def test_scipy_assigns_as_much(size, seed):
    """Unigrams with lemmas that are all different: nothing but weights 1/2 and 1, by random synsets and tags."""
    import scipy.optimize as scipy

    generator = np.random.default_rng(seed)
    other = int(generator.integers(1, size + 5))
    synsets = [
        sorted(generator.choice(2 * size, min(2, 2 * size), replace=False).tolist()) for _ in range(size + other)
    ]
    lemmas = [f"w{i}" for i in range(size + other)]
    batch = batch_of([(lemmas[:size], [lemmas[size:]])])
    by_number = [synsets[lemmas.index(batch.vocabulary[number])] for number in range(size + other)]
    tags = generator.integers(0, 3, size + other).astype(np.int32)
    found = match_ngrams(TextPairs(batch), tags, ragged(by_number))[0, 0]
    matrix = np.array(
        [
            [
                bool(set(synsets[i]) & set(synsets[size + j])) * (1 + (tags[i] == tags[size + j])) / 2
                for j in range(other)
            ]
            for i in range(size)
        ]
    )
    rows, columns = scipy.linear_sum_assignment(matrix, maximize=True)
    assert found == pytest.approx(matrix[rows, columns].sum())
