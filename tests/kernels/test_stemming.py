"""The compiled stemmer of English against the one of snowballstemmer, whose algorithm it is."""

import random

import numpy as np
from conftest import PLAIN
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer import stemmer

from tarocco.encode.vocabulary import Vocabulary, english_stem_tables
from tarocco.encode.wordnet import wordnet
from tarocco.kernels import kernel, stemming

PEER = stemmer("english")
ENDINGS = (
    *(
        "s",
        "es",
        "ed",
        "ing",
        "ly",
        "edly",
        "ingly",
        "eed",
        "eedly",
        "y",
        "ied",
        "ies",
        "'s",
        "s'",
        "'s'",
        "er",
        "e",
        "l",
    ),
    *("ll", "ness", "fulness", "ation", "ational", "tional", "ization", "ogist", "ement", "lessli", "iviti", "ative"),
)
LETTERS = st.text("aeiouybdtlsngz'", min_size=1, max_size=9)
WORDS = st.lists(st.tuples(LETTERS, st.sampled_from(["", *ENDINGS])).map("".join), min_size=1, max_size=20)


def stems(words):
    text = np.frombuffer("".join(words).encode(), np.uint8)
    bounds = np.concatenate([np.zeros(1, np.intp), np.cumsum([len(word.encode()) for word in words])])
    room, out = np.empty(bounds[-1] + 2, np.uint8), np.empty(len(text) + 2 * len(words), np.uint8)
    arguments = (text, bounds, len(words), *english_stem_tables(), room, out)
    written = kernel(stemming, "stem_english")(*arguments)
    return out[:written].tobytes().decode().split("\n")[:-1]


def check(words):
    """A stem that would be empty is the word."""
    assert stems(words) == [PEER.stemWord(word) or word for word in words]


@given(words=WORDS)
def test_any_letters(words):
    check(words)


def test_words_of_wordnet():
    """Entries and inflected forms, and some with endings that may not be English; 273,226 words were compared once."""
    entries = wordnet().entries
    generator = random.Random(1)
    some = generator.sample(entries, 300 if PLAIN else 10000)
    check([*some, *(word + generator.choice(ENDINGS) for word in some)])


def test_words_with_rules_of_their_own():
    check(
        [
            "dying",
            "tying",
            "skis",
            "skies",
            "sky",
            "gently",
            "early",
            "only",
            "news",
            "past",
            "inning",
            "outing",
            "evening",
        ]
    )
    check(
        [
            "succeed",
            "proceeded",
            "exceed",
            "feed",
            "agreed",
            "generally",
            "communism",
            "organization",
            "adding",
            "egging",
        ]
    )


def test_numbers_of_stems():
    """Words that are not all ASCII, too; the same stem has the same number."""
    words = ["cafés", "café", "running", "runs", "naïvely", "naïve", "a", "''s", "ran", "naïv"]
    vocabulary = Vocabulary()
    text = np.frombuffer("".join(f"{word}\n" for word in words).encode(), np.uint8)
    vocabulary.encode(text, np.empty(len(words), np.int32), np.empty(len(words) + 1, np.intp), 0, 0)
    for algorithm in ("english", "porter"):
        ids = vocabulary.stem_ids(algorithm).tolist()
        peer = stemmer(algorithm)
        own = [peer.stemWord(word) or word for word in words]
        assert [ids.index(one) for one in ids] == [own.index(one) for one in own]
    assert len(Vocabulary().stem_ids("english")) == 0
