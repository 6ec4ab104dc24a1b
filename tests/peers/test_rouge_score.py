"""Words, stems and scores of rouge-score itself, in the same process."""

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenize import tokenize

import tarocco
from tarocco import datasets
from tarocco.encode.nltk_porter import stem_like_nltk
from tarocco.encode.tokenizers import tokenizer

TEXT = st.text(st.sampled_from("aZ09 .,-_'\t\n\x85éß中K"), max_size=30)


@given(TEXT)
def test_words(text):
    assert tokenizer("rouge")(text.lower()).split() == tokenize(text, None)


ENDINGS = [
    *("sses", "ies", "ied", "s", "eed", "ed", "ing", "y", "ational", "tional", "enci", "izer"),
    *("bli", "alli", "entli", "eli", "ousli", "ization", "ator", "alism", "fulness", "aliti"),
    *("iviti", "biliti", "fulli", "logi", "icate", "ative", "alize", "iciti", "ical", "ful"),
    *("ness", "ance", "er", "ic", "able", "ement", "ment", "ent", "ion", "ou"),
    *("ism", "ate", "e", "ll"),
]
BEGINNING = st.text(st.sampled_from("abcdeilnopstyz3"), max_size=6)
WORD = st.builds(lambda beginning, ends: beginning + "".join(ends), BEGINNING, st.lists(st.sampled_from(ENDINGS)))


@given(WORD | st.sampled_from(["skies", "dying", "innings", "howe", "succeed", "news"]))
@example("geologi")
@example("radicalli")
def test_stems(word):
    assert stem_like_nltk(word) == PorterStemmer().stem(word)


NAMES = {"ROUGE-1": "rouge1", "ROUGE-2": "rouge2", "ROUGE-9": "rouge9", "ROUGE-L": "rougeL", "ROUGE-Lsum": "rougeLsum"}
WORDS = (
    "the",
    "Police",
    "killed",
    "KILLING",
    "gunman.",
    "gunmen",
    "3.5",
    "é",
    "skies",
    "-",
    "relational",
    "\n",
    "\n\n",
)
UGLY = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


def assert_equal(candidates, references, stems):
    scorer = RougeScorer(list(NAMES.values()), use_stemmer=stems)
    stemmer = "porter-nltk" if stems else "none"
    metrics = [tarocco.metric(f"{name}:compat=rouge-score:stemmer={stemmer}") for name in NAMES]
    found = tarocco.score(candidates, references, metrics=metrics).scores
    for score, theirs in zip(found, NAMES.values(), strict=True):
        for i, (candidate, reference) in enumerate(zip(candidates, references, strict=True)):
            f, recall, precision, counted = score.statistics[i]
            expected = tuple(scorer.score(reference, candidate)[theirs])
            assert (precision, recall, f, counted) == pytest.approx((*expected, 1), rel=1e-12)


@pytest.mark.parametrize("stems", [False, True])
@given(pairs=st.lists(st.tuples(UGLY, UGLY), min_size=1, max_size=4))
@example(pairs=[("", ""), ("", "the"), ("the", ""), ("...", "..."), ("a", "a"), ("\n", "\n")])
def test_scores(pairs, stems):
    assert_equal(*map(list, zip(*pairs, strict=True)), stems)


@pytest.mark.parametrize("stems", [False, True])
def test_scores_of_several_sentences(stems):
    """Texts of three sentences from the bundled test set."""
    demo = datasets.load("demo")
    lines = [list(demo.systems["literal"]), [references[0] for references in demo.references]]
    texts = [["\n".join(side[i : i + 3]) for i in range(0, 60, 3)] for side in lines]
    assert_equal(*texts, stems)


def test_several_references_are_the_one_with_the_best_f():
    scorer, generator = RougeScorer(["rouge1", "rougeL"], use_stemmer=True), random.Random(1)
    words = ["killed", "kill", "cat", "cats", "dog"]
    texts = [" ".join(generator.choices(words, k=generator.randrange(6))) for _ in range(300)]
    for candidate, *references in zip(texts[::3], texts[1::3], texts[2::3], strict=True):
        references = [text for text in references if text] or [""]
        found = tarocco.score(
            [candidate],
            [references],
            metrics=[f"{name}:compat=rouge-score:stemmer=porter" for name in ("ROUGE-1", "ROUGE-L")],
        )
        expected = scorer.score_multi(references, candidate)
        assert [score.score for score in found.scores] == pytest.approx([one.fmeasure for one in expected.values()])
