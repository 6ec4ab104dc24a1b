"""Against sacrebleu itself, in the same process: tokenizers on all of Unicode and on real text, and BLEU's options."""

import pytest
from conftest import SHARED
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU, _get_tokenizer

import tarocco
from tarocco import datasets
from tarocco.core.test_set import Segments
from tarocco.encode.tokenizers import NAMES as ALL_NAMES
from tarocco.encode.tokenizers import tokenizer

NAMES = [name for name in ALL_NAMES if name not in ("rouge", "jiwer")]  # sacrebleu's

TRICKY = st.sampled_from(
    [
        *".,-'!?&;<>/()[]_ 0123456789aZ\t\n\r\x1c\x85\xa0",
        "&amp;",
        "&lt;",
        "&quot;",
        "<skipped>",
        "é",
        "中",
        "。",
        "５",
        "€",
    ]
)
ANY = st.characters(exclude_categories=["Cs"])
TEXT = st.lists(st.one_of(TRICKY, ANY), max_size=25).map("".join)


def peer_words(name, text):
    return _get_tokenizer(name)()(text.rstrip()).split()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=500)
@given(text=TEXT)
def test_tokenizer(name, text):
    assert tokenizer(name)(text) == " ".join(peer_words(name, text))


@pytest.mark.parametrize("name", NAMES)
def test_every_character_between_every_kind_of_neighbor(name):
    """Each code point between letters, digits and commas, all of Unicode."""
    codes = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    neighbors = ("aa", "11", "1a", "a1", ",,")
    for left, right in neighbors[: 2 if name == "zh" else None]:  # zh is slow, and 13a but for Chinese characters
        # A line holds many cells, each with neighbors of its own.
        for start in range(0, len(codes), 4096):
            line = "\u0001".join(f"{left}{c}{right}" for c in codes[start : start + 4096] if c != "\n")
            assert tokenizer(name)(line) == " ".join(peer_words(name, line)), (left, right, start)


FILES = sorted(
    path
    for pattern in ("*/ref/*.txt", "*/sys/*.txt", "*/source.txt")
    for path in (SHARED / "data").glob(pattern)
    if path.stat().st_size < 2_000_000
)


@pytest.mark.skipif(not FILES, reason="the shared data are not beside this checkout")
@pytest.mark.parametrize("name", NAMES)
def test_tokenizers_on_real_text(name):
    """The first lines of every shared file (24 languages' worth of quirks), all of them for one file of each set."""
    seen = set()
    for path in FILES:
        lines = path.read_text("utf-8").split("\n")
        folder = path.relative_to(SHARED / "data").parts[:2]
        lines = lines if folder not in seen else lines[:40]
        seen.add(folder)
        found = tokenizer(name).split(Segments.from_strings(lines)).tobytes().decode().split("\n")[:-1]
        assert found == [" ".join(peer_words(name, line)) for line in lines], path.name


DEMO = datasets.load("demo")
EVERY_FIFTH = slice(None, None, 5)  # twelve segments, of all genres: sacrebleu takes its time
SYSTEMS = {system: DEMO.systems[system][EVERY_FIFTH] for system in ("careful", "literal", "brief")}
REFERENCES = DEMO.references[EVERY_FIFTH]
STREAMS = [list(stream) for stream in zip(*REFERENCES, strict=True)]

OPTIONS = {
    "BLEU-4:orders=all": {},
    "BLEU-4": {"effective_order": True},
    "BLEU-2": {"effective_order": True, "max_ngram_order": 2},
    "BLEU-12": {"effective_order": True, "max_ngram_order": 12},
    "BLEU-4:smooth=none": {"smooth_method": "none"},
    "BLEU-4:smooth=none:orders=effective": {"smooth_method": "none", "effective_order": True},
    "BLEU-4:smooth=floor:value=0.3": {"smooth_method": "floor", "smooth_value": 0.3, "effective_order": True},
    "BLEU-4:smooth=add-k:value=0.5": {"smooth_method": "add-k", "smooth_value": 0.5, "effective_order": True},
    "BLEUS-6": {"smooth_method": "add-k", "smooth_value": 1, "max_ngram_order": 6},
}


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("tokenize", NAMES)
@pytest.mark.parametrize("name", OPTIONS)
def test_bleu(name, tokenize, lowercase):
    peer = BLEU(tokenize=tokenize, lowercase=lowercase, force=True, **OPTIONS[name])
    result = tarocco.score(SYSTEMS, REFERENCES, metrics=name, tokenize=tokenize, lowercase=lowercase, confidence=None)
    for system, candidates in SYSTEMS.items():
        score = result[system][name]
        assert 100 * score.score == pytest.approx(peer.corpus_score(candidates, STREAMS).score, rel=1e-12)
        for i, (candidate, references) in enumerate(zip(candidates, REFERENCES, strict=True)):
            peer_score = peer.corpus_score([candidate], [[reference] for reference in references]).score
            assert 100 * score.segments[i] == pytest.approx(peer_score, rel=1e-12, abs=1e-12)


SENTENCE = st.lists(st.sampled_from(["the", "cat", "sat", ".", "on", "a", "mat,", "3.5", "it's"]), max_size=12).map(
    " ".join
)


@given(
    segments=st.lists(
        st.tuples(SENTENCE, SENTENCE.filter(bool), st.none() | SENTENCE.filter(bool)), min_size=1, max_size=5
    )
)
def test_varying_numbers_of_references(segments):
    candidates, first, second = (list(column) for column in zip(*segments, strict=True))
    peer = BLEU(effective_order=True, force=True)
    expected = peer.corpus_score(candidates, [first, second])
    score = tarocco.score(candidates, list(zip(first, second, strict=True)))["BLEU-4"]
    assert 100 * score.score == pytest.approx(expected.score, rel=1e-12, abs=1e-12)
    nrefs = dict(part.split(":") for part in str(peer.get_signature()).split("|"))["nrefs"]
    assert f"|nrefs:{nrefs}|" in score.signature


def test_intervals_agree_within_monte_carlo_error():
    candidates = DEMO.systems["literal"] * 4
    references = DEMO.references * 4
    peer = BLEU(force=True).corpus_score(
        candidates, [list(stream) for stream in zip(*references, strict=True)], n_bootstrap=1000
    )
    found = tarocco.score(candidates, references, confidence=0.95)["BLEU-4"].interval
    assert 50 * (found.high - found.low) == pytest.approx(peer._ci, rel=0.1)
    assert 50 * (found.high + found.low) == pytest.approx(peer._mean, rel=0.02)
