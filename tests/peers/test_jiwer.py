"""Against jiwer itself, in the same process: words, measures, counts and alignments."""

import jiwer
import pytest
from cases import list_of
from hypothesis import example, given
from hypothesis import strategies as st

import tarocco
from tarocco.encode.tokenizers import tokenizer
from tarocco.metrics.text_pairs import Comparison

TEXT = st.text(st.sampled_from("ab. ,\t\n\xa0\u2009\u3000é中"), max_size=25)


@given(TEXT)
@example("a\xa0b")
@example("a\xa0 b\tc  d")
@example("a\nb")
def test_words(text):
    (expected,) = jiwer.wer_default([text])
    found = tokenizer("jiwer")(text)
    assert [word.replace("\U000f000a", "\n") for word in found.split(" ") if word] == expected


MEASURES = {"WER": "wer", "MER": "mer", "WIL": "wil", "WIP": "wip"}
COUNTS = {name: name for name in ("insertions", "deletions", "substitutions")} | {"matches": "hits"}
UGLY = st.lists(st.sampled_from(["a", "b", "c\xa0d", "d"]), max_size=12).map(" ".join)
PAIRS = st.lists(st.tuples(UGLY, UGLY), min_size=1, max_size=4)


@given(PAIRS)
@example([("", "")])
@example([("a", ""), ("", "")])
@example([("", "a"), ("a b", "")])
def test_measures(pairs):
    candidates, references = map(list, zip(*pairs, strict=True))
    found = tarocco.score(
        candidates, references, metrics=["WER:counts=yes", *list(MEASURES)[1:]], tokenize="jiwer"
    ).scores
    expected = jiwer.process_words(references, candidates)
    segments = [jiwer.process_words(reference, candidate) for candidate, reference in pairs]
    for score, name in zip(found, MEASURES.values(), strict=True):
        if name != "wer" or any(references):  # jiwer's WER without any reference word is the number of words
            assert score.score == pytest.approx(getattr(expected, name), rel=1e-12)
        values = [getattr(one, name) for one in segments]
        assert score.segments.tolist() == pytest.approx(
            [min(value, 1) if not reference else value for value, reference in zip(values, references, strict=True)],
            rel=1e-12,
        )
        if name != "wer" or score.metric.counts:
            assert score.details == {ours: getattr(expected, theirs) for ours, theirs in COUNTS.items()}


@given(st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4))
@example([("  a b", "a  b ")])
def test_characters(pairs):
    candidates, references = map(list, zip(*pairs, strict=True))
    (found,) = tarocco.score(candidates, references, metrics="CER:counts=yes").scores
    expected = jiwer.process_characters(references, candidates)
    if any(reference.strip() for reference in references):
        assert found.score == pytest.approx(expected.cer, rel=1e-12)
    assert found.details == {ours: getattr(expected, theirs) for ours, theirs in COUNTS.items()}


KINDS = ("equal", "substitute", "delete", "insert")
LONG = st.lists(st.sampled_from("abc"), max_size=200)


@given(LONG, LONG)
def test_alignments(candidate, reference):
    expected = jiwer.process_words(" ".join(reference), " ".join(candidate)).alignments[0]
    steps = [
        chunk.type
        for chunk in expected
        for _ in range(max(chunk.ref_end_idx - chunk.ref_start_idx, chunk.hyp_end_idx - chunk.hyp_start_idx))
    ]
    assert [KINDS[step] for step in Comparison(list_of([candidate], [reference])).trace()] == steps
