"""Words and scores of rouge-score itself, in the same process."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize

import tarocco
from tarocco.encode.tokenizers import tokenizer

TEXT = st.text(st.sampled_from("aZ09 .,-_'\t\n\x85éß中K"), max_size=30)


@given(TEXT)
def test_words(text):
    assert tokenizer("rouge")(text.lower()).split() == tokenize(text, None)


NAMES = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-9": "rouge9", "ROUGE-L": "rougeL"}


@pytest.mark.parametrize("words", [3, 30])
def test_scores(words):
    generator = random.Random(words)
    vocabulary = [f"w{i}" for i in range(words)]
    scorer = RougeScorer(list(NAMES.values()))
    candidates, references = (
        [" ".join(generator.choices(vocabulary, k=generator.randrange(12, 40))) for _ in range(100)] for _ in range(2)
    )
    found = tarocco.score(candidates, references, metrics=list(NAMES), tokenize="rouge", lowercase=True)
    for name, theirs in NAMES.items():
        for i, (candidate, reference) in enumerate(zip(candidates, references, strict=True)):
            expected = scorer.score(reference, candidate)[theirs]
            f, recall, precision, _ = found[name].statistics[i]
            assert (precision, recall, f) == pytest.approx(tuple(expected), rel=1e-12)
