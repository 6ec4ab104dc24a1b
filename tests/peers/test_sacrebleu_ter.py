"""TER against sacrebleu's: its search on word lists, its preprocessing on all kinds of text, and whole corpora."""

import random
from itertools import product

import pytest
from cases import batch_of
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate
from sacrebleu.metrics.ter import TER
from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

import tarocco
from tarocco import datasets
from tarocco.core.test_set import Segments
from tarocco.encode.tokenizers import normalize_for_ter
from tarocco.metrics.edit.ter import edits_of_pairs


def words(most):
    return st.one_of(*(st.lists(st.integers(1, many).map(str), max_size=most) for many in (1, 2, 5, 20, 500)))


def assert_equal(pairs):
    found = edits_of_pairs(batch_of([(candidate, [reference]) for candidate, reference in pairs])).tolist()
    assert found == [translation_edit_rate(candidate, reference)[0] for candidate, reference in pairs]


@settings(max_examples=300)
@given(candidate=words(20), reference=words(20).filter(bool))
def test_short(candidate, reference):
    assert_equal([(candidate, reference)])


@settings(max_examples=25)
@given(candidate=words(60), reference=words(60).filter(bool))
def test_medium(candidate, reference):
    assert_equal([(candidate, reference)])


def edited(reference, generator, vocabulary, changes):
    """A copy with blocks moved, words left out and words put in."""
    text = list(reference)
    for _ in range(changes):
        start = generator.randrange(len(text) or 1)
        block = text[start : start + generator.randrange(1, 9)]
        del text[start : start + len(block)]
        target = min(len(text), max(0, start + generator.randrange(-60, 60)))
        text[target:target] = [*block, *generator.choices(vocabulary, k=generator.randrange(2))]
        place = generator.randrange(len(text))
        del text[place : place + generator.randrange(2)]
    return text


@pytest.mark.parametrize(
    ("length", "many"),
    [*product([1, 10, 30, 60, 100], [2, 20, 400]), *product([200, 300], [400])],  # sacrebleu needs long for the others
)
def test_edited_copies(length, many):
    generator = random.Random(length * many)
    vocabulary = [f"w{i}" for i in range(many)]
    reference = generator.choices(vocabulary, k=length)
    pairs = [(edited(reference, generator, vocabulary, changes), reference) for changes in (1, 2)]
    pairs.append((pairs[0][0][: length // 2], reference))
    pairs.append((pairs[0][0][:5], reference))
    assert_equal(pairs[:1] if length >= 200 else pairs)


def test_more_than_300_words():
    reference = [f"w{i}" for i in range(700)]
    candidate = [word for word in reference if int(word[1:]) % 23]
    candidate.insert(200, candidate.pop(230))
    assert_equal([(candidate, reference)])


def test_reference_more_than_50_times_as_long():
    generator = random.Random(3)
    vocabulary = [f"w{i}" for i in range(20)]
    assert_equal(
        [
            (generator.choices(vocabulary, k=length), generator.choices(vocabulary, k=length * times + 1))
            for length, times in product((1, 2, 3, 5), (24, 49, 50, 51, 60))
        ]
    )


FLAGS = list(product([False, True], repeat=4))
TRICKY = st.sampled_from(
    [
        *".,-'!?&;<>/()[]_\" 0123456789aZs\t\n\r\x1c\x85\xa0\u3000",
        *("'s", "'S", "'s ", "\n-", "-\n", "1-", ".,", "3.", ".5", "&amp;", "&lt;", "&quot;", "&gt;", "&amp;amp;lt;"),
        *(
            "Σ",
            "İ",
            "é",
            "中",
            "あ",
            "ア",
            "ㇰ",
            "。",
            "、",
            "．",
            "，",
            "５",
            "㈠",
            "㌀",
            "豈",
            "︰",
            "⺀",
            "㐀",
            "・",
            "｡",
        ),
    ]
)
ANY = st.characters(exclude_categories=["Cs"])
TEXT = st.lists(st.one_of(TRICKY, ANY), max_size=25).map("".join)


@pytest.mark.parametrize("flags", FLAGS, ids=str)
@settings(max_examples=60)
@given(lines=st.lists(TEXT, min_size=1, max_size=4))
def test_preprocessing(lines, flags):
    normalized, no_punct, asian, cased = flags
    peer = TercomTokenizer(normalized, no_punct, asian, cased)
    found = normalize_for_ter(Segments.from_strings(lines), not cased, normalized, no_punct, asian)
    assert list(found) == [peer(line.rstrip()) for line in lines]


@pytest.mark.parametrize("no_punct", [False, True])
def test_preprocessing_of_every_character(no_punct):
    """Every character below U+10000 between and beside what the rules look at; far from punctuation, every fifth."""
    codes = [chr(code) for code in range(0x10000) if not 0x3400 < code < 0xF8FF or code % 5 == 0]
    codes = [c for c in codes if not 0xD800 <= ord(c) < 0xE000]
    lines = [" ".join(f"a{c}a 1{c}1 's{c} .{c}." for c in codes[k : k + 64]) for k in range(0, len(codes), 64)]
    lines += [f"x's{c}" for c in codes if not c.isalnum()]
    peer = TercomTokenizer(normalized=True, no_punct=no_punct, asian_support=True)
    found = normalize_for_ter(Segments.from_strings(lines), True, True, no_punct, True)
    assert list(found) == [peer(line.rstrip()) for line in lines]


def named(normalized, no_punct, asian, cased):
    options = {"normalized": normalized, "no_punct": no_punct, "asian_support": asian, "case_sensitive": cased}
    return options, ":".join(["TER", *(f"{key}=yes" for key, value in options.items() if value)])


WORDY = st.lists(
    st.sampled_from(
        ["the", "The", "cat", "cat's", "it's\xa0", "sat.", "3.5", "1--2", "..", ",,", "(on)", "。", "中国", "?"]
    )
    | TEXT,
    max_size=8,
).map(" ".join)


@pytest.mark.parametrize("flags", FLAGS, ids=str)
@settings(max_examples=25)
@given(candidate=WORDY, references=st.lists(WORDY.filter(str.strip), min_size=1, max_size=3))
def test_sentences(flags, candidate, references):
    options, name = named(*flags)
    expected = TER(**options).sentence_score(candidate, references)
    score = tarocco.score([candidate], [references], metrics=name).scores[0]
    assert 100 * score.score == pytest.approx(expected.score, rel=1e-14)
    assert score.sums.tolist() == [expected.num_edits, expected.ref_length]


DEMO = datasets.load("demo")
EVERY_FIFTH = slice(None, None, 5)  # twelve segments, of all genres: sacrebleu takes its time
SYSTEMS = {system: DEMO.systems[system][EVERY_FIFTH] for system in ("careful", "literal", "brief")}
REFERENCES = DEMO.references[EVERY_FIFTH]


@pytest.mark.parametrize("flags", FLAGS, ids=str)
def test_corpus(flags):
    options, name = named(*flags)
    peer, streams = TER(**options), list(zip(*REFERENCES, strict=True))
    result = tarocco.score(SYSTEMS, REFERENCES, metrics=name, tokenize="intl", lowercase=not flags[3])
    for system, candidates in SYSTEMS.items():
        score = result[system][name]
        assert 100 * score.score == pytest.approx(peer.corpus_score(candidates, streams).score, rel=1e-14)
        assert (100 * score.segments).tolist() == pytest.approx(
            [peer.sentence_score(*pair).score for pair in zip(candidates, REFERENCES, strict=True)], rel=1e-14
        )
