"""One system and one reference are counted without a batch, to the same bits as in a batch."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_scorer import TEXTS

import tarocco
from tarocco.metrics import pairs
from tarocco.metrics.registry import metrics

NAMES = (
    *("BLEU-4", "BLEU-2:length=average:smooth=none", "BLEUS-3", "BLEU-12", "WER", "1-WER:weights=chosen"),
    *("ROUGE-L", "ROUGE-L:references=jackknife", "ROUGE-2", "ROUGE-9:references=pooled"),
)
ROWS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=6)


@settings(max_examples=40)
@given(ROWS, st.sampled_from(["13a", "none", "intl", "char", "zh"]))
@example([("a b", ""), ("", ""), ("", "x y")], "13a")
@example([("a <skipped> b", "a b"), ("a-\nb", "ab")], "13a")
@example([("x " * 2000, "y x " * 1000), ("a", "a")], "none")
@example([("w" * 50000, "w" * 50000 + " x"), ("a", "a")], "none")
def test_same_bits_as_in_a_batch(rows, tokenize):
    candidates, references = map(list, zip(*rows, strict=True))
    alone = tarocco.score(candidates, references, metrics=NAMES, tokenize=tokenize)
    together = tarocco.score({"a": candidates, "b": candidates}, references, metrics=NAMES, tokenize=tokenize)["a"]
    for name in NAMES:
        assert alone[name].statistics.tobytes() == together[name].statistics.tobytes(), name


def test_pairs_are_counted_without_a_batch(monkeypatch):
    """Otherwise the comparison above would compare batches with batches."""
    answers = []
    count = pairs.count_pairs
    monkeypatch.setattr("tarocco.scoring.statistics.count_pairs", lambda *a: answers.append(count(*a)) or answers[-1])
    texts = ["the cat sat", "it rained"]
    tarocco.score(texts, texts, metrics=NAMES)
    assert [len(rows) for rows in answers] == [len(NAMES)]
    for more in (["PER"], ["WER:counts=yes"], ["ROUGE-L:stemmer=porter"]):
        tarocco.score(texts, texts, metrics=more)
        assert answers.pop() is None
    tarocco.score({"a": texts, "b": texts}, texts, metrics=NAMES)
    assert len(answers) == 1


def test_lowercased_texts_need_a_batch():
    from tarocco.core.test_set import Segments
    from tarocco.encode.batch import Encoding

    column = Segments.from_strings(["The cat"])
    assert pairs.count_pairs(metrics(["WER"]), Encoding("13a", lowercase=True), column, column) is None
    (rows,) = pairs.count_pairs(metrics(["WER"]), Encoding("13a"), column, column) or [np.empty(0)]
    assert rows.tolist() == [[0.0, 2.0]]
