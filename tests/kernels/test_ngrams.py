"""Clipped matches, reference lengths and n-gram information against textbook versions."""

import dataclasses
from unittest import mock

import numpy as np
import pytest
from cases import SEGMENTS, batch_of, cleaned, texts
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import ngram_metrics as textbook

import tarocco
from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Groups
from tarocco.metrics.ngram.counts import clipped_matches, reference_lengths
from tarocco.metrics.ngram.nist import information


@pytest.mark.parametrize("order", [1, 4, 12])
@given(segments=SEGMENTS)
def test_clipped_matches(order, segments):
    expected = [
        [textbook.clipped(candidate, references, n).total() for n in range(1, order + 1)]
        for candidate, references in cleaned(segments)
    ]
    assert clipped_matches(batch_of(segments), order).tolist() == expected


@given(segments=SEGMENTS)
def test_reference_lengths(segments):
    expected = [
        [textbook.effective_length(candidate, references, rule) for rule in ("closest", "shortest", "average")]
        for candidate, references in cleaned(segments)
    ]
    assert reference_lengths(batch_of(segments)).tolist() == expected


@given(segments=SEGMENTS)
def test_information(segments):
    """Every n-gram of the references, as a candidate sees it: with itself as the only match."""
    references = [reference for _, references in cleaned(segments) for reference in references]
    weights = textbook.information(references)
    context = information(batch_of(segments))
    for reference in references:
        batch = batch_of([(reference, [reference])])
        found = clipped_matches(batch, 5, context.weights(batch.vocabulary))
        expected = [
            sum(weights[gram] * count for gram, count in textbook.ngrams(reference, n).items()) for n in range(1, 6)
        ]
        assert found[0].tolist() == pytest.approx(expected)


@given(segments=SEGMENTS)
def test_counting_in_parts(segments):
    """Large reference sets are counted part by part; the parts together are the whole."""
    whole = information(batch_of(segments))
    with mock.patch("tarocco.metrics.ngram.nist._PART", 4):
        parts = information(batch_of(segments))
    assert parts.total == whole.total
    assert sorted(parts.counts.tolist()) == sorted(whole.counts.tolist())
    for candidate, references in cleaned(segments):
        batch = batch_of([(candidate, references)])
        one, other = (clipped_matches(batch, 5, context.weights(batch.vocabulary)) for context in (whole, parts))
        assert one.tolist() == other.tolist()


@given(segments=SEGMENTS)
def test_a_candidate_in_several_groups(segments):
    """The same candidates against each reference alone, as groups over the same rows: what leave-one-out does."""
    segments = cleaned(segments)
    batch = batch_of(segments)
    owners = batch.reference_groups.segments
    groups = Groups(owners, np.arange(len(owners) + 1)), Groups(batch.reference_groups.rows, np.arange(len(owners) + 1))
    alone = dataclasses.replace(batch, candidate_groups=groups[0], reference_groups=groups[1])
    expected = [
        [textbook.clipped(candidate, [reference], n).total() for n in (1, 2, 3)]
        for candidate, references in segments
        for reference in references
    ]
    assert clipped_matches(alone, 3).tolist() == expected


def test_weights_for_another_vocabulary_are_refused():
    one, other = batch_of([(["a"], [["a", "b"]])]), batch_of([(["a"], [["a", "b", "c"]])])
    with pytest.raises(ValueError, match="another vocabulary"):
        clipped_matches(one, 2, information(other).weights(other.vocabulary))


def test_information_counts_only_grouped_references():
    batch = batch_of([(["a"], [["a", "b", "a"], ["c", "d"]])])
    first = Groups(np.array([0]), np.array([0, 1]))
    assert information(batch).total == 5
    assert information(dataclasses.replace(batch, reference_groups=first)).total == 3


@pytest.mark.parametrize("smooth", ["exp", "none", "floor", "add-k"])
@pytest.mark.parametrize("length", ["closest", "shortest", "average"])
@given(segments=SEGMENTS, order=st.integers(1, 12), orders=st.sampled_from(["effective", "all", "v13a"]))
def test_bleu(smooth, length, segments, order, orders):
    value = {"floor": 0.1, "add-k": 1.0}.get(smooth)
    metric = tarocco.metric(f"BLEU-{order}:smooth={smooth}:length={length}:orders={orders}")
    score = tarocco.score(*texts(segments), metrics=metric, tokenize="none")[str(metric)]
    options = {"order": order, "smooth": smooth, "value": value, "length": length, "orders": orders}
    assert score.score == pytest.approx(textbook.bleu(cleaned(segments), **options))
    assert score.segments.tolist() == pytest.approx([textbook.bleu([one], **options) for one in cleaned(segments)])


WEIGHTS = st.lists(st.sampled_from([0, 0.5, 1, 3]), min_size=1, max_size=4).filter(any)


@settings(max_examples=50)
@given(segments=SEGMENTS, weights=WEIGHTS, smooth=st.sampled_from(["exp", "none", "floor:value=0"]))
def test_weights(segments, weights, smooth):
    order = len(weights)
    metric = tarocco.metric(f"BLEU-{order}:smooth={smooth}:weights={'/'.join(map(str, weights))}")
    companion = f"BLEU-6:smooth={smooth}"
    score = tarocco.score(*texts(segments), metrics=[metric, companion], tokenize="none").scores[0]
    options = {
        "order": order,
        "smooth": metric.smooth,
        "value": metric.value,
        "weights": weights,
        "orders": metric.orders,
    }
    assert score.score == pytest.approx(textbook.bleu(cleaned(segments), **options))
    assert score.segments.tolist() == pytest.approx([textbook.bleu([one], **options) for one in cleaned(segments)])


@pytest.mark.parametrize("weights", ["1", "1/2/3", "0/0", "1/-1", "1/x", "1/nan"])
def test_bad_weights(weights):
    with pytest.raises(BadParameter, match=f'expected 2 weights of 0 or more, not all 0.*found "{weights}"'):
        tarocco.metric(f"BLEU-2:weights={weights}")


@pytest.mark.parametrize("length", ["closest", "shortest", "average"])
@given(segments=SEGMENTS)
def test_bleu_sbp(length, segments):
    name = f"BLEU-SBP:length={length}"
    score = tarocco.score(*texts(segments), metrics=name, tokenize="none")[name]
    options = {"smooth": "none", "length": length, "orders": "all", "strict": True}
    assert score.score == pytest.approx(textbook.bleu(cleaned(segments), **options))


@given(segments=SEGMENTS)
def test_nist(segments):
    weights = textbook.information([one for _, references in cleaned(segments) for one in references], 9)
    names = [*(f"NIST-{n}" for n in range(1, 10)), *(f"NISTi-{n}" for n in range(1, 10))]
    result = tarocco.score(*texts(segments), metrics=names, tokenize="none")
    for n in range(1, 10):
        for name, orders in ((f"NIST-{n}", range(1, n + 1)), (f"NISTi-{n}", [n])):
            assert result[name].score == pytest.approx(textbook.nist(cleaned(segments), weights, orders)), name
            expected = [textbook.nist([one], weights, orders) for one in cleaned(segments)]
            assert result[name].segments.tolist() == pytest.approx(expected), name


def test_many_segments_and_words():
    """Tables grow, blocks are crossed: the kernels agree with the textbook on a larger text, too."""
    generator = np.random.default_rng(7)
    words = [f"w{i}" for i in range(200)]

    def sentence():
        return [words[i] for i in generator.zipf(1.4, generator.integers(0, 30)) % 200]

    segments = [(sentence(), [sentence() for _ in range(3)]) for _ in range(1100)]
    result = tarocco.score(*texts(segments), metrics=["BLEU-4", "NIST-5"], tokenize="none")
    assert result["BLEU-4"].score == pytest.approx(textbook.bleu(cleaned(segments)))
    weights = textbook.information([reference for _, references in cleaned(segments) for reference in references])
    assert result["NIST-5"].score == pytest.approx(textbook.nist(cleaned(segments), weights, range(1, 6)))
