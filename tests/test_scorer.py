"""A prepared scorer: the same bits as a batch for any text, corpus scores that accumulate, and clear errors."""

import pickle
import threading

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tarocco

# Every metric that reads a segment without a batch, with the parameters that it understands.
NAMES = (
    *("BLEU-4", "BLEU-1", "BLEUS-4", "BLEU-2:smooth=none", "BLEU-4:smooth=floor", "BLEU-3:smooth=add-k:value=2"),
    *("BLEU-4:length=shortest", "BLEU-4:length=average", "BLEU-4:orders=all", "BLEU-4:orders=v13a", "BLEU-12"),
    *("WER", "WER:select=distance", "WER:weights=chosen", "1-WER", "PER", "1-PER:weights=chosen"),
    *("ROUGE-L", "ROUGE-L:beta=inf", "ROUGE-L:beta=P/R", "ROUGE-1", "ROUGE-2:beta=3", "ROUGE-9"),
    *("chrF", "chrF++", "chrF3", "chrF:lowercase=yes", "chrF:char_order=0:word_order=2", "chrF+:eps_smoothing=yes"),
)
OTHERS = ("TER", "ROUGE-L:stemmer=porter", "METEOR-exact", "chrF:whitespace=yes", "ROUGE-S*")  # read as a batch

ODD = ("1.5", "1,", "...", "3-4", "&quot;x&quot;", "&amp;lt;", "<skipped>", "-\n", "\u00a0", "\t", "\u2028", "(x)", "!")
LONG = ("internationalization", "internationalisation", "straße", "ΣΑΣ", "中文", "no-one")
WORDS = st.sampled_from(["a", "b", "the", "The", *ODD, *LONG])
TEXTS = st.one_of(
    st.lists(WORDS, max_size=9).map(" ".join), st.lists(WORDS, max_size=70).map("".join), st.text(max_size=9)
)
SEGMENTS = st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3))


def bits(numbers):
    """Numbers as text that tells NaN, 0 and -0 apart."""
    return [float(number).hex() for number in numbers]


@settings(max_examples=30)
@given(SEGMENTS, st.sampled_from(["13a", "none", "intl", "char", "zh"]), st.booleans())
@example(("a b", ["", "a b"]), "13a", False)
@example(("", [""]), "13a", False)
@example(("x " * 90, ["x y " * 100]), "none", False)
@example(("Ein Wort", ["w" * 9000]), "none", True)
def test_one_segment_has_the_bits_of_a_batch(segment, tokenize, lowercase):
    candidate, references = segment
    names = [*NAMES, *OTHERS[:2]]
    text = tarocco.Text(tokenize=tokenize, lowercase=lowercase)
    batch = tarocco.score([candidate, "x"], [references, ["x"]], metrics=names, text=text)
    scorer = tarocco.Scorer(names, text=text)
    together = scorer.segment(candidate, references)
    assert bits(together.values()) == bits(batch[name].segments[0] for name in names)
    alone = tarocco.score([candidate], [references], metrics=names, text=text)
    assert bits(together.values()) == bits(alone[name].score for name in names)
    for name in NAMES[:1] + NAMES[-1:]:
        single = tarocco.score([candidate], [references], metrics=name, text=text)[name]
        assert bits(single.statistics[0]) == bits(batch[name].statistics[0])
        assert (
            single.signature
            == tarocco.score([candidate] * 2, [references] * 2, metrics=name, text=text)[name].signature
        )


def test_other_metrics_read_a_batch():
    scorer = tarocco.Scorer(OTHERS)
    expected = tarocco.score(["a b c", "x"], [["a c", "a b"], ["x"]], metrics=OTHERS)
    assert bits(scorer.segment("a b c", ["a c", "a b"]).values()) == bits(expected[name].segments[0] for name in OTHERS)
    assert scorer._counter.forms == [None] * len(OTHERS)


@settings(max_examples=20)
@given(st.lists(SEGMENTS, min_size=1, max_size=5), st.integers(0, 5))
def test_what_accumulates_is_the_corpus_score(segments, cut):
    """One by one, as lists, and merged from two scorers: the sums are those of the corpus."""
    names = ["BLEU-4", "chrF", "TER", "WER"]
    candidates, references = map(list, zip(*segments, strict=True))
    expected = tarocco.score(candidates, references, metrics=names)
    parts = [tarocco.Scorer(names) for _ in range(2)]
    for candidate, of_segment in segments[:cut]:
        parts[0].add(candidate, of_segment)
    if segments[cut:]:
        parts[1].add(candidates[cut:], references[cut:])
    parts[0].merge(pickle.loads(pickle.dumps(parts[1])))
    result = parts[0].result()
    for name in names:
        assert result[name].score == pytest.approx(expected[name].score, rel=1e-12, nan_ok=True)
        assert result[name].signature == expected[name].signature
    assert result["BLEU-4"].sums.tolist() == expected["BLEU-4"].sums.tolist()  # counts are exact


def test_a_single_metric_answers_with_a_number_and_several_with_a_dictionary():
    assert tarocco.Scorer("WER").segment("a b c", "a b d") == 1 / 3
    assert tarocco.Scorer(["WER", "PER"]).segment("b a", ["a b"]) == {"WER": 1.0, "PER": 0.0}
    assert tarocco.Scorer("WER").batch(["a b", "c"], ["a b", "d"]).tolist() == [0.0, 1.0]
    assert tarocco.Scorer(["WER"]).batch(["a b", "c"], ["a b", "d"])["WER"].tolist() == [0.0, 1.0]


def test_references_of_the_scorer_serve_segments_batches_and_weights():
    references = [["the cat sat", "a cat"], ["a dog barked"]]
    scorer = tarocco.Scorer(["NIST-2", "ROUGE-L"], references)
    expected = tarocco.score(["the cat", "dog barked"], references, metrics=["NIST-2", "ROUGE-L"])
    assert scorer.segment("the cat", 0) == {name: expected[name].segments[0] for name in expected}
    assert {name: row.tolist() for name, row in scorer.batch(["the cat", "dog barked"]).items()} == {
        name: expected[name].segments.tolist() for name in expected
    }
    scorer = pickle.loads(pickle.dumps(scorer))  # the weights travel, too
    scorer.add("the cat", 0)
    scorer.add(["dog barked"], [["a dog barked"]])
    assert scorer.result()["NIST-2"].score == pytest.approx(expected["NIST-2"].score)


def test_blank_references_are_left_out_as_in_a_batch():
    assert tarocco.Scorer("WER").segment("a", [None, " ", "a"]) == 0.0
    assert tarocco.Scorer("WER").segment("a", ["", None]) == 1.0


def test_threads_may_share_a_scorer():
    scorer = tarocco.Scorer("ROUGE-2")
    texts = [f"a b c{i} d e f g{i} h" for i in range(50)]
    expected = [scorer.segment(text, texts[0]) for text in texts]
    wrong = []

    def work():
        for _ in range(40):
            wrong.extend(i for i, text in enumerate(texts) if scorer.segment(text, texts[0]) != expected[i])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda: tarocco.Scorer("NIST-5"), "NIST-5 needs all references"),
        (lambda: tarocco.Scorer("BLUE"), "did you mean"),
        (lambda: tarocco.Scorer("BLEU-4", tokenise="none"), "did you mean 'tokenize'"),
        (lambda: tarocco.Scorer("WER").segment("a", []), "has no references"),
        (lambda: tarocco.Scorer("WER").segment("a", 7), "the scorer has none"),
        (lambda: tarocco.Scorer("WER").segment(5, "a"), "expected a string, found type int"),
        (lambda: tarocco.Scorer("WER").segment("a", [5]), "expected a string, found type int"),
        (lambda: tarocco.Scorer("WER").segment("a", 5.5), "expected a list of strings, found type float"),
        (lambda: tarocco.Scorer("WER").batch(["a"]), "the scorer has none"),
        (lambda: tarocco.Scorer("WER").add("a"), "expected the references"),
        (lambda: tarocco.Scorer("WER").result(), "expected at least one segment"),
        (lambda: tarocco.Scorer("WER").merge(tarocco.Scorer("PER")), "expected a scorer of WER"),
    ],
)
def test_errors_say_what_was_expected(use, message):
    with pytest.raises((tarocco.TaroccoError, TypeError), match=message):
        use()


def test_statistics_are_not_kept():
    scorer = tarocco.Scorer("BLEU-4")
    scorer.add(["a b c d e"] * 3, ["a b c d"] * 3)
    score = scorer.result()["BLEU-4"]
    assert score.details["candidate_length"] == 15
    assert score.segments.tolist() == np.empty(0).tolist()
