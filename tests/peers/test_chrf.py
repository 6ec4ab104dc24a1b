"""chrF against sacrebleu itself, in the same process: any text, all parameters."""

import pytest
from conftest import SHARED
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.chrf import CHRF

import tarocco
from tarocco import datasets
from tarocco.encode.tokenizers import tokenizer
from tarocco.metrics.ngram.chrf import ChrF

PARAMETERS = st.fixed_dictionaries(
    {
        "char_order": st.integers(1, 8),
        "word_order": st.integers(0, 3),
        "beta": st.integers(1, 3),
        "lowercase": st.booleans(),
        "whitespace": st.booleans(),
        "eps_smoothing": st.booleans(),
    }
)
WORDS = st.sampled_from(
    ["the", "The", "cat", "cats", "sat.", "(on", "(a)", "mat,", "3.5", "it's", "...", "É", "中文。"]
)
SENTENCE = st.lists(WORDS, max_size=12).map(" ".join)
ANY = st.text(st.one_of(st.sampled_from(".,!(a \t\r\n\x1c\x85\xa0\u2028"), st.characters(exclude_categories=["Cs"])))
TEXT = st.one_of(SENTENCE, ANY)


def agree(candidates, references, parameters):
    """references: one list a segment."""
    peer = CHRF(**parameters)
    found = tarocco.score(candidates, references, metrics=ChrF(**parameters)).scores[0]
    expected = [peer.sentence_score(*one).score for one in zip(candidates, references, strict=True)]
    assert (100 * found.segments).tolist() == pytest.approx(expected, rel=1e-12, abs=1e-13)
    streams = [[texts[i] if i < len(texts) else None for texts in references] for i in range(max(map(len, references)))]
    assert 100 * found.score == pytest.approx(peer.corpus_score(candidates, streams).score, rel=1e-12, abs=1e-13)


@given(segments=st.lists(st.tuples(TEXT, TEXT), min_size=1, max_size=4), parameters=PARAMETERS)
def test_one_reference(segments, parameters):
    candidates, references = zip(*segments, strict=True)
    agree(candidates, [[reference] for reference in references], parameters)


@given(
    segments=st.lists(
        st.tuples(TEXT, st.lists(TEXT.filter(str.strip), min_size=1, max_size=4)), min_size=1, max_size=4
    ),
    parameters=PARAMETERS,
)
def test_several_references(segments, parameters):
    candidates, references = zip(*segments, strict=True)
    agree(candidates, references, parameters)


@given(text=ANY)
def test_words(text):
    assert tokenizer("chrf")(text) == " ".join(CHRF()._remove_punctuation(text))


def test_every_character_beside_others():
    """Each code point at the beginning and at the end of a word."""
    peer = CHRF()
    codes = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for start in range(0, len(codes), 4096):
        line = " ".join(f"{c}a a{c} {c}{c}." for c in codes[start : start + 4096])
        assert tokenizer("chrf")(line) == " ".join(peer._remove_punctuation(line)), start


DEMO = datasets.load("demo")
STREAMS = [list(stream) for stream in zip(*DEMO.references, strict=True)]


@pytest.mark.parametrize("word_order", [0, 1, 2])
def test_demo(word_order):
    metric = ChrF(word_order=word_order)
    result = tarocco.score(DEMO.systems, DEMO.references, metrics=metric)
    for system, candidates in DEMO.systems.items():
        expected = CHRF(word_order=word_order).corpus_score(candidates, STREAMS).score
        assert 100 * result[system][str(metric)].score == pytest.approx(expected, rel=1e-12)


SYSTEMS = sorted((SHARED / "data").glob("*/sys/*.txt"))
SYSTEMS = [path for i, path in enumerate(SYSTEMS) if i == 0 or path.parent != SYSTEMS[i - 1].parent]


@pytest.mark.skipif(not SYSTEMS, reason="the shared data are not beside this checkout")
@pytest.mark.parametrize("word_order", [0, 2])
def test_real_text(word_order):
    metric = ChrF(word_order=word_order)
    for path in SYSTEMS:
        streams = [file.read_text("utf-8").split("\n")[:60] for file in sorted((path.parents[1] / "ref").glob("*.txt"))]
        candidates = path.read_text("utf-8").split("\n")[:60]
        streams = [stream for stream in streams if len(stream) == len(candidates)]
        if streams:
            found = tarocco.score(candidates, list(zip(*streams, strict=True)), metrics=metric).scores[0]
            expected = CHRF(word_order=word_order).corpus_score(candidates, streams).score
            assert 100 * found.score == pytest.approx(expected, rel=1e-12)
