"""TER's search for shifts against the textbook's."""

import random

import pytest
from cases import SEGMENTS, batch_of, cleaned, texts
from conftest import PLAIN
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import ter_metric as textbook

import tarocco
from tarocco.metrics.edit.ter import edits_of_pairs

WORDS = st.one_of(*(st.lists(st.sampled_from(letters), max_size=30) for letters in ("ab", "abcdefgh")))


def found(*pairs):
    return edits_of_pairs(batch_of([(candidate, [reference]) for candidate, reference in pairs])).tolist()


@settings(max_examples=25 if PLAIN else 150)
@given(candidate=WORDS, reference=WORDS.filter(bool))
def test_edits(candidate, reference):
    assert found((candidate, reference)) == [textbook.edits(candidate, reference)]


@settings(max_examples=10 if PLAIN else 50)
@given(data=st.data(), reference=st.permutations("abcdefghijklmnopqrstuvwxyz"))
def test_blocks_moved(data, reference):
    """A text that is right but for blocks in the wrong places: many rounds of shifts."""
    candidate = list(reference)
    for _ in range(data.draw(st.integers(1, 3))):
        start, target = (data.draw(st.integers(0, 25)) for _ in range(2))
        candidate = textbook.shifted(candidate, start, data.draw(st.integers(1, 6)), target)
    assert found((candidate, reference)) == [textbook.edits(candidate, reference)]


@settings(max_examples=20 if PLAIN else 60)
@given(segments=SEGMENTS)
def test_score(segments):
    score = tarocco.score(*texts(segments), metrics="TER").scores[0]
    segments = cleaned(segments)
    assert score.score == pytest.approx(textbook.ter(segments))
    assert score.segments.tolist() == pytest.approx([textbook.ter([one]) for one in segments])


def changed(words, generator, longest=4):
    """A copy with one block moved, one word left out and one put in."""
    words = list(words)
    start = generator.randrange(len(words))
    block = words[start : start + generator.randrange(1, longest + 1)]
    del words[start : start + len(block)]
    target = generator.randrange(max(0, start - 60), min(len(words), start + 60) + 1)
    words[target:target] = block
    words.insert(generator.randrange(len(words) + 1), generator.choice(words or ["x"]))
    del words[generator.randrange(len(words))]
    return words


@pytest.mark.parametrize("length", [24, 26, 49, 52, 64, 65, 80])
def test_lengths_around_the_widths_of_band_and_word(length):
    generator = random.Random(length)
    reference = [f"w{i}" for i in range(length)]
    pairs = [(changed(reference, generator), reference) for _ in range(2)]
    pairs.append((changed(reference[::2], generator, 2), reference))
    pairs.append((reference, changed(reference[::2], generator, 2)))
    pairs.append((changed(reference[length // 3 :], generator, 2), reference))
    assert found(*pairs) == [textbook.edits(*pair) for pair in pairs]


@pytest.mark.parametrize("length", [100, 170, 300])
def test_few_words_many_times(length):
    """So many shifts that none is made: the distance in the band is what is left."""
    generator = random.Random(length)
    reference = generator.choices("ab", k=length)
    lengths = (length, length * 2 // 3, length * 3 // 2)
    pairs = [(generator.choices("ab", k=k), reference) for k in lengths]
    assert found(*pairs) == [textbook.distance(*pair) for pair in pairs]


@pytest.mark.parametrize("length", [1, 2, 7])
@pytest.mark.parametrize("times", [24, 26, 49, 50, 51, 60])
def test_references_many_times_as_long(length, times):
    """Rows that hardly touch the row above, and from 50 times on a wider band."""
    generator = random.Random(length * times)
    pairs = [
        (generator.choices("abc", k=length), generator.choices("abcdefg" * 9 + "xyz", k=length * times + more))
        for more in (-1, 0, 1)
    ]
    assert found(*pairs) == [textbook.edits(*pair) for pair in pairs]
    assert found(*((reference, candidate) for candidate, reference in pairs)) == [
        textbook.edits(reference, candidate) for candidate, reference in pairs
    ]


def test_a_round_that_reaches_the_limit_is_not_made():
    """Three of five blocks moved would help, but with all their parts there are more than 1000 shifts to try."""
    words = [f"w{i}" for i in range(60)]
    one = words[5:12] + words[:5] + words[12:]
    assert found((one, words)) == [textbook.edits(one, words)] == [1]
    many = [word for start in (48, 36, 24, 12, 0) for word in words[start : start + 12]]
    assert len(list(textbook.shifts(many, words))) > 1000
    assert found((many, words)) == [textbook.distance(many, words)] == [48]


def test_room_is_not_shared_between_pairs():
    generator = random.Random(1)
    pairs = []
    for _ in range(100):
        vocabulary = [f"w{i}" for i in range(generator.choice([10, 50]))]
        reference = generator.choices(vocabulary, k=generator.randrange(1, 100))
        pairs.append((changed(reference, generator), reference))
    assert found(*pairs) == [found(pair)[0] for pair in pairs]
