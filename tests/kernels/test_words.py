"""Tokenizers and the vocabulary against textbook versions."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textbook import tokenizing

from tarocco.core.test_set import Segments
from tarocco.encode.batch import Encoding
from tarocco.encode.tokenizers import CHINESE, NAMES, tokenizer
from tarocco.encode.vocabulary import Vocabulary

# Characters on which the rules turn, besides anything Unicode has.
TRICKY = st.sampled_from(
    [
        *".,-'!?&;<>/()[] 019aZ\t\n\r\x0b\x1c\x85\xa0",
        "é",
        "中",
        "。",
        "５",
        "½",
        "٣",
        "€",
        "«",
        "—",
        "…",
        "\u2028",
        "𠀀",
    ]
)
ENTITIES = st.sampled_from(["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "<skipped>", "-\n", "&amp;lt;", ",,", "1.-"])
ASSIGNED = st.characters(exclude_categories=["Cs", "Cn"])
TEXT = st.lists(st.one_of(TRICKY, ENTITIES, ASSIGNED), max_size=14).map("".join)


def is_chinese(character):
    return not character.isspace() and any(first <= ord(character) <= last for first, last in CHINESE)


def inside_a_word(word):
    """Spaces that do not split words are kept as characters for private use."""
    return word.replace(" ", chr(0xF0020)).replace("\n", chr(0xF000A))


TWINS = {
    "none": tokenizing.none,
    "13a": tokenizing.v13a,
    "intl": tokenizing.international,
    "char": tokenizing.characters,
    "zh": lambda text: tokenizing.chinese(text, is_chinese),
    "rouge": tokenizing.rouge,
    "jiwer": lambda text: [inside_a_word(word) for word in tokenizing.jiwer(text)],
}


def test_every_tokenizer_has_a_twin():
    assert set(TWINS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@given(text=TEXT)
@example(text="a,,b")
@example(text="a,,,5")
@example(text="1.-")
@example(text="1-.5")
@example(text=".5 5. 5 .")
@example(text="5.")
@example(text="5. ")
@example(text=" .5")
@example(text="&amp;lt;&amp;quot;&amp;amp;&quot;")
@example(text="&am<skipped>p;")
@example(text="<skip<skipped>ped>")
@example(text="end-\nof-\n")
@example(text="")
def test_tokenizer(name, text):
    assert tokenizer(name)(text) == " ".join(TWINS[name](text))


@pytest.mark.parametrize("name", NAMES)
@given(texts=st.lists(TEXT, max_size=6))
def test_segments_do_not_touch_each_other(name, texts):
    together = tokenizer(name).split(Segments.from_strings(texts)).tobytes().decode()
    assert together == "".join(tokenizer(name)(text) + "\n" for text in texts)


def test_what_python_calls_space_ends_words():
    every = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000 and chr(code).isspace())
    for space in every:
        assert tokenizer("none")(f"a{space}b") == "a b", f"U+{ord(space):04X} {unicodedata.name(space, '')}"


def test_lone_surrogates_are_characters():
    assert tokenizer("char")("a\ud800b").split(" ") == ["a", "\ud800", "b"]


WORDS = st.lists(st.lists(st.text("abé中", min_size=1, max_size=4), max_size=8), max_size=8)


@given(first=WORDS, second=WORDS)
def test_vocabulary(first, second):
    """The same word has the same id, in every text; another word has another."""
    vocabulary, known = Vocabulary(), {}
    for texts in (first, second):
        ragged = Encoding("none").encode([Segments.from_strings([" ".join(words) for words in texts])], vocabulary)
        expected = [[known.setdefault(word, len(known)) for word in words] for words in texts]
        assert [ragged[i].tolist() for i in range(len(ragged))] == expected
    assert [vocabulary[i] for i in range(len(vocabulary))] == list(known)


def test_vocabulary_grows():
    words = [f"word{i}" for i in range(3000)]
    texts = Segments.from_strings([" ".join(words), "x" * 100_000, " ".join(words)])
    vocabulary = Vocabulary()
    ragged = Encoding("none").encode([texts], vocabulary)
    assert ragged[0].tolist() == ragged[2].tolist() == list(range(3000))
    assert vocabulary[3000] == "x" * 100_000


@given(first=WORDS, second=WORDS)
def test_ids_in_another_vocabulary(first, second):
    one, other = Vocabulary(), Vocabulary()
    for vocabulary, texts in ((one, first), (other, second)):
        Encoding("none").encode([Segments.from_strings([" ".join(words) for words in texts])], vocabulary)
    others = {other[i]: i for i in range(len(other))}
    assert one.ids_in(other).tolist() == [others.get(one[i], -1) for i in range(len(one))]


def test_lower_case_may_be_longer():
    """Dotted capital I becomes two characters: there is room for every one of them."""
    text = "\u0130" * 500
    ragged = Encoding("char", lowercase=True).encode([Segments.from_strings([text, text])], Vocabulary())
    assert ragged.lengths.tolist() == [1000, 1000]


WORDS = st.text(st.sampled_from("ab\0é中"), min_size=1, max_size=24)


@given(st.lists(st.lists(st.tuples(WORDS, st.sampled_from([" ", "  ", "\t", "\xa0", "\u2003"])))))
def test_words_and_ids(segments):
    """Words shorter and longer than a key, any space between them: equal ids for equal words, and back again."""
    texts = ["".join(word + space for word, space in segment) for segment in segments]
    vocabulary = Vocabulary()
    found = Encoding("none").encode([Segments.from_strings(texts)], vocabulary)
    assert [[vocabulary[word] for word in found[i]] for i in range(len(texts))] == [text.split() for text in texts]
    assert len(vocabulary) == len({word for text in texts for word in text.split()})
    other = Vocabulary()
    Encoding("none").encode([Segments.from_strings(texts[:1])], other)
    for word, translated in enumerate(vocabulary.ids_in(other)):
        assert translated < 0 or other[translated] == vocabulary[word]
        assert (translated < 0) == (not texts or vocabulary[word] not in texts[0].split())
