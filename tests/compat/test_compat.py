"""Against the packages themselves on any text, and what the modules refuse."""

import warnings
from dataclasses import asdict

import jiwer
import pytest
import sacrebleu
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.translate import bleu_score
from rouge_score import rouge_scorer

from tarocco.compat import jiwer as our_jiwer
from tarocco.compat import nltk_bleu, rouge_score
from tarocco.compat import sacrebleu as our_sacrebleu

WORD = st.sampled_from(
    ["a", "b", "The", "cats", "it's", "won't", "3.5", "...", "[x]", "é\u00a0f", "g\th", "x-y\n", "*"]
)
TEXT = st.lists(WORD, max_size=9).map(" ".join)
PAIRS = st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=3)
TOKENS = st.lists(st.sampled_from(["a", "b", "c", "x y", "", 5, "\n"]), max_size=8)


@settings(max_examples=40)
@given(TEXT, st.lists(TEXT, min_size=1, max_size=3))
def test_sacrebleu(hypothesis, references):
    for package_side in ("BLEU", "CHRF", "TER"):
        theirs, ours = (getattr(package, package_side)() for package in (sacrebleu, our_sacrebleu))
        expected, found = (metric.sentence_score(hypothesis, references) for metric in (theirs, ours))
        assert vars(found).items() >= {key: value for key, value in vars(expected).items() if key != "name"}.items()
        assert str(found) == str(expected)
        assert str(ours.get_signature()) == str(theirs.get_signature())


@settings(max_examples=40)
@given(PAIRS)
@example([("a " * 200, "b a " * 150)])
def test_jiwer(pairs):
    references, hypotheses = map(list, zip(*pairs, strict=True))
    for name in ("wer", "mer", "wil", "wip", "cer"):
        assert getattr(our_jiwer, name)(references, hypotheses) == getattr(jiwer, name)(references, hypotheses)
    for name in ("process_words", "process_characters"):
        found, expected = (getattr(package, name)(references, hypotheses) for package in (our_jiwer, jiwer))
        assert asdict(found) == asdict(expected)
        assert our_jiwer.visualize_alignment(found) == jiwer.visualize_alignment(expected)
        assert our_jiwer.visualize_error_counts(found) == jiwer.visualize_error_counts(expected)


@settings(max_examples=40)
@given(TEXT, TEXT, st.booleans())
def test_rouge_score(target, prediction, use_stemmer):
    kinds = ["rouge1", "rouge2", "rouge9", "rougeL", "rougeLsum"]
    expected = rouge_scorer.RougeScorer(kinds, use_stemmer).score(target, prediction)
    found = rouge_score.rouge_scorer.RougeScorer(kinds, use_stemmer).score(target, prediction)
    assert {kind: tuple(score) for kind, score in found.items()} == {k: tuple(score) for k, score in expected.items()}


def outcome(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*arguments)
        except Exception as error:
            return type(error)


@settings(max_examples=40)
@given(st.lists(st.tuples(TOKENS, st.lists(TOKENS, min_size=1, max_size=2)), min_size=1, max_size=3))
def test_nltk_bleu(segments):
    hypotheses, references = map(list, zip(*segments, strict=True))
    for weights in ((0.25,) * 4, [(0.5, 0.5), (0.1,) * 6]):
        for method in range(8):
            for reweigh in (False, True):
                sides = [
                    outcome(
                        package.corpus_bleu,
                        references,
                        hypotheses,
                        weights,
                        getattr(package.SmoothingFunction(), f"method{method}"),
                        reweigh,
                    )
                    for package in (bleu_score, nltk_bleu)
                ]
                assert sides[0] == sides[1]


def test_long_texts_do_not_fit_the_tables_but_have_the_same_scores():
    text, other = "the cat sat on a mat " * 2500, "a cat sat on a mat " * 2500
    assert our_sacrebleu.sentence_bleu(text, [other]).score == sacrebleu.sentence_bleu(text, [other]).score
    words = text.split(), other.split()
    assert nltk_bleu.sentence_bleu([words[1]], words[0]) == bleu_score.sentence_bleu([words[1]], words[0])
    kinds = ["rouge1", "rouge2"]
    found = rouge_score.rouge_scorer.RougeScorer(kinds).score(text, other)
    assert {k: tuple(s) for k, s in found.items()} == {
        k: tuple(s) for k, s in rouge_scorer.RougeScorer(kinds).score(text, other).items()
    }


def test_none_is_a_missing_reference_and_an_empty_string_is_not():
    hypotheses, streams = ["a b c d e", "x y z"], [["a b c d f", "x y"], [None, ""]]
    for name in ("BLEU", "CHRF", "TER"):
        theirs, ours = getattr(sacrebleu, name)(), getattr(our_sacrebleu, name)()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert ours.corpus_score(hypotheses, streams).score == theirs.corpus_score(hypotheses, streams).score
        assert str(ours.get_signature()) == str(theirs.get_signature())
        assert "nrefs:var" in str(ours.get_signature())


def test_square_lists_of_references_get_a_warning():
    with pytest.warns(UserWarning, match="2 lists of 2 references may be streams or lists by sentence"):
        our_sacrebleu.corpus_bleu(["a b", "c d"], [["a b", "c d"], ["a x", "c y"]])


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (
            lambda: our_sacrebleu.corpus_bleu(["a"] * 3, [["a", "b"]] * 3),
            ValueError,
            r"expected streams of 3 references, found 3 of 2; list\(zip\(\*references\)\) transposes",
        ),
        (lambda: our_sacrebleu.corpus_bleu(["a"], ["a"]), TypeError, "one list per stream"),
        (lambda: our_sacrebleu.corpus_bleu("a", [["a"]]), TypeError, "the hypotheses are a list of strings"),
        (lambda: our_sacrebleu.sentence_bleu("a", "a"), TypeError, "the references of a sentence are a list"),
        (lambda: our_sacrebleu.corpus_bleu(["a", "b"], [["a", None]]), ValueError, "sentence 1 .* has no reference"),
        (lambda: our_sacrebleu.BLEU(smooth_method="expp"), ValueError, "smooth_method is one of none, floor"),
        (lambda: our_sacrebleu.BLEU().get_signature(), ValueError, "compute a score before"),
        (lambda: our_sacrebleu.BLEU().corpus_score(["a"], None), RuntimeError, "no references here"),
        (lambda: our_sacrebleu.download_test_set, AttributeError, "downloads no test sets"),
        (lambda: our_jiwer.compute_measures, AttributeError, "use process_words"),
        (lambda: our_jiwer.wer(["a"], ["a", "b"]), ValueError, "1 references and 2 hypotheses"),
        (lambda: our_jiwer.wer("a", "a", our_jiwer.Strip(), our_jiwer.Strip()), ValueError, "must end with Reduce"),
        (lambda: our_jiwer.wer(5, "a"), ValueError, "expected a string or a list"),
        (lambda: nltk_bleu.Fractions, AttributeError, "has no 'Fractions'"),
        (lambda: nltk_bleu.corpus_bleu([], [["a"]]), AssertionError, "there are 1 hypotheses, but references of 0"),
        (lambda: rouge_score.io, AttributeError, "there are rouge_scorer, scoring and tokenizers"),
        (lambda: rouge_score.rouge_scorer.RougeScorer(["rouge0"]).score("a", "a"), ValueError, "rouge1 to rouge9"),
        (lambda: rouge_score.scoring.BootstrapAggregator(n_samples=0), ValueError, "positive"),
    ],
)
def test_errors_say_what_was_expected(use, error, message):
    with pytest.raises(error, match=message):
        use()
