"""Against NLTK itself, in the same process: BLEU with every smoothing method, NIST and chrF."""

import warnings

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, corpus_bleu, sentence_bleu
from nltk.translate.chrf_score import sentence_chrf
from nltk.translate.nist_score import corpus_nist

import tarocco

UGLY = st.one_of(*(st.lists(st.sampled_from(letters), max_size=12) for letters in ("ab", "abcde")))
WEIGHTS = {
    "BLEU-NLTK": (0.25, 0.25, 0.25, 0.25),
    "BLEU-NLTK:weights=0.1/0.3/0.5/0.1": (0.1, 0.3, 0.5, 0.1),
    "BLEU-NLTK-2": (0.5, 0.5),
    "BLEU-NLTK-3:weights=0.333/0.333/0.334": (0.333, 0.333, 0.334),
    "BLEU-NLTK-5": (0.2, 0.2, 0.2, 0.2, 0.2),
}
SEGMENT = st.tuples(UGLY, st.lists(UGLY.filter(bool), min_size=1, max_size=3))


def scored(name, segments):
    texts = [" ".join(candidate) for candidate, _ in segments]
    references = [[" ".join(reference) for reference in references] for _, references in segments]
    return tarocco.score(texts, references, metrics=name, tokenize="none").scores[0]


@pytest.mark.parametrize("number", range(8))
@settings(max_examples=20)
@given(segments=st.lists(SEGMENT, min_size=1, max_size=3), name=st.sampled_from(list(WEIGHTS)))
@example(segments=[([], [["a"]]), (["a"], [["a"]]), (["a", "b"], [["b", "a"], ["b"]])], name="BLEU-NLTK")
def test_bleu(number, segments, name):
    smooth, weights = getattr(SmoothingFunction(), f"method{number}"), WEIGHTS[name]
    if number == 6 and len(weights) < 3:
        return
    found = scored(f"{name}:smooth=method{number}", segments)
    with warnings.catch_warnings(action="ignore"):
        for value, (candidate, references) in zip(found.segments, segments, strict=True):
            try:
                expected = sentence_bleu(references, candidate, weights, smooth)
            except AssertionError:  # method 6 needs a trigram
                expected = float("nan")
            assert value == pytest.approx(expected, rel=1e-12, abs=0, nan_ok=True)
        if number < 5:
            expected = corpus_bleu(
                [references for _, references in segments], [one for one, _ in segments], weights, smooth
            )
            assert found.score == pytest.approx(expected, rel=1e-12, abs=0)


@pytest.mark.parametrize("words", range(6))
def test_fewer_words_than_orders(words):
    candidate, reference = ["a", "b", "c", "d", "e"][:words], ["a", "b", "c", "x"]
    with warnings.catch_warnings(action="ignore"):
        expected = sentence_bleu([reference], candidate, auto_reweigh=True) if words else 0.0
    assert scored("BLEU-NLTK:reweigh=yes", [(candidate, [reference])]).score == pytest.approx(
        expected, rel=1e-12, abs=0
    )


@settings(max_examples=30)
@given(st.lists(st.tuples(UGLY.filter(bool), UGLY.filter(bool)), min_size=1, max_size=3), st.integers(1, 9))
def test_nist_with_one_reference(pairs, order):
    found = scored(f"NIST-{order}", [(candidate, [reference]) for candidate, reference in pairs])
    try:
        expected = corpus_nist([[reference] for _, reference in pairs], [candidate for candidate, _ in pairs], order)
    except ZeroDivisionError:  # no n-gram of some order
        return
    assert found.score == pytest.approx(expected, rel=1e-12)


TEXT = st.lists(st.sampled_from(["a", "ab", "abc", "bca."]), min_size=1, max_size=6).map(" ".join)


@given(TEXT, TEXT, st.integers(1, 4), st.integers(4, 6))
def test_chrf(candidate, reference, shortest, longest):
    name = f"chrF:char_order={longest}:min_char_order={shortest}:beta=3:eps_smoothing=yes"
    found = tarocco.score([candidate], [reference], metrics=name).scores[0]
    assert found.score == pytest.approx(sentence_chrf(reference, candidate, shortest, longest), rel=1e-12)
