"""ROUGE's kernels and metrics against textbook versions."""

import random
from unittest import mock

import pytest
from cases import SEGMENTS, SENTENCES, cleaned, list_of, texts
from hypothesis import given
from hypothesis import strategies as st
from textbook import rouge_metrics as textbook

import tarocco
from tarocco.core.errors import InputError
from tarocco.kernels import weighted_lcs
from tarocco.metrics import text_pairs
from tarocco.metrics.rouge import Power, RougeW, Weighting
from tarocco.metrics.text_pairs import OPTIMUM, RECURRENCE, Comparison

LISTS = {
    "candidates": st.lists(SENTENCES, min_size=1, max_size=3),
    "references": st.lists(SENTENCES, min_size=1, max_size=4),
}
GAPS = (0, 1, 2, 4, 9, None)


def pairs_of(candidates, references):
    return [(candidate, reference) for candidate in candidates for reference in references]


def skips_of(batch):
    found = Comparison(batch, [("gap", gap) for gap in GAPS])
    return {gap: found.skip_bigrams(gap).tolist() for gap in GAPS}


@given(**LISTS)
def test_skip_bigrams_for_every_gap_in_one_pass(candidates, references):
    found = skips_of(list_of(candidates, references))
    for gap in GAPS:
        expected = [textbook.shared_skip_bigrams(*pair, gap)[0] for pair in pairs_of(candidates, references)]
        assert found[gap] == expected


@pytest.mark.parametrize("limit", ["_MOST_CELLS", "_MOST_NODES"])
@given(**LISTS)
def test_skip_bigrams_in_little_room(limit, candidates, references):
    """Slices of first words, and texts one by one."""
    plain = skips_of(list_of(candidates, references))
    with mock.patch.object(text_pairs, limit, 30):
        assert skips_of(list_of(candidates, references)) == plain


@given(**LISTS, exponents=st.lists(st.sampled_from((1.0, 1.2, 1.5, 2.0, 3.0)), min_size=1, max_size=5, unique=True))
def test_weighted_subsequences_for_every_exponent_in_one_pass(candidates, references, exponents):
    powers = [Power(exponent) for exponent in exponents]
    wanted = [("worth", (variant, power)) for power in powers for variant in (RECURRENCE, OPTIMUM)]
    found = Comparison(list_of(candidates, references), wanted)
    for power in powers:
        for variant, twin in (
            (RECURRENCE, textbook.weighted_subsequence),
            (OPTIMUM, textbook.best_weighted_subsequence),
        ):
            expected = [twin(*pair, lambda k: k**power.exponent) for pair in pairs_of(candidates, references)]  # noqa: B023
            assert found.weighted_subsequences(variant, power).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("limits", [{"_SHORT": 5}, {"_SHORT": 0}, {"_MOST_BEGINNINGS": 12}])
@given(candidates=st.lists(SENTENCES, min_size=1, max_size=8), references=st.lists(SENTENCES, min_size=1, max_size=3))
def test_weighted_subsequences_in_little_room(limits, candidates, references):
    """Texts that are too long for a table, and candidates a few at a time: the same bits."""
    power = Power(1.3)
    plain, squeezed = (Comparison(list_of(candidates, references)) for _ in range(2))
    expected = plain.weighted_subsequences(RECURRENCE, power).tobytes()
    with mock.patch.multiple(text_pairs, **limits):
        assert squeezed.weighted_subsequences(RECURRENCE, power).tobytes() == expected


@pytest.mark.parametrize("words", [2, 20, 500])
def test_long_texts(words):
    generator = random.Random(words)
    vocabulary = [f"w{i}" for i in range(words)]
    lengths = (0, 1, 70, 130, 300) if words > 2 else (0, 1, 70, 130)
    references = [generator.choices(vocabulary, k=length) for length in lengths]
    candidates = [[word for word in text if generator.random() < 0.8] for text in references]
    batch, pairs = list_of(candidates, references), pairs_of(candidates, references)
    found = Comparison(batch, [("gap", 3), ("gap", None)])
    for gap in (3, None):
        assert found.skip_bigrams(gap).tolist() == [textbook.shared_skip_bigrams(*pair, gap)[0] for pair in pairs]
    assert found.weighted_subsequences(RECURRENCE, Power(1.2)).tolist() == pytest.approx(
        [textbook.weighted_subsequence(*pair, lambda k: k**1.2) for pair in pairs]
    )
    assert found.shared_ngrams(2).tolist() == [textbook.shared_ngrams(*pair, 2)[0] for pair in pairs]


SHARED = {
    "ROUGE-1": lambda one, other: textbook.shared_ngrams(one, other, 1),
    "ROUGE-3": lambda one, other: textbook.shared_ngrams(one, other, 3),
    "ROUGE-L": lambda one, other: (textbook.subsequence(one, other), len(one), len(other)),
    "ROUGE-W-1.5": lambda one, other: (
        textbook.weighted_subsequence(one, other, lambda k: k**1.5),
        len(one) ** 1.5,
        len(other) ** 1.5,
    ),
    "ROUGE-W-2:variant=exact": lambda one, other: (
        textbook.best_weighted_subsequence(one, other, lambda k: k**2),
        len(one) ** 2,
        len(other) ** 2,
    ),
    "ROUGE-S*": lambda one, other: textbook.shared_skip_bigrams(one, other, None),
    "ROUGE-S-2": lambda one, other: textbook.shared_skip_bigrams(one, other, 2),
    "ROUGE-SU*": lambda one, other: textbook.shared_skip_bigrams(one, other, None, unigrams=True),
    "ROUGE-SU-1": lambda one, other: textbook.shared_skip_bigrams(one, other, 1, unigrams=True),
}
INVERSES = {"ROUGE-W-1.5": lambda x: x ** (1 / 1.5), "ROUGE-W-2:variant=exact": lambda x: x**0.5}


@given(st.lists(st.lists(SENTENCES.filter(bool), max_size=4), min_size=2, max_size=2))
def test_sentences(sides):
    candidate, reference = sides
    texts = ["\n".join(" ".join(sentence) for sentence in side) for side in sides]
    (found,) = tarocco.score(texts[:1], texts[1:], metrics="ROUGE-Lsum", tokenize="none").scores
    expected = textbook.segment_score(candidate, [reference], textbook.united_subsequences)
    assert found.score == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("rule", ["best", "pooled", "best-recall", "jackknife"])
@pytest.mark.parametrize("beta", ["1", "3", "inf", "P/R"])
@given(segments=SEGMENTS, empty=st.sampled_from(["zero", "skip"]))
def test_rouge(beta, rule, empty, segments):
    metrics = {tarocco.metric(f"{name}:beta={beta}:references={rule}:empty={empty}"): name for name in SHARED}
    found = tarocco.score(*texts(segments), metrics=list(metrics), tokenize="none").scores
    for score, name in zip(found, metrics.values(), strict=True):
        inverse = INVERSES.get(name, lambda x: x)
        expected = [textbook.segment_score(*one, SHARED[name], beta, rule, inverse, empty) for one in cleaned(segments)]
        none = [one is None for one in expected]
        assert [one != one for one in score.segments.tolist()] == none
        existing = [one for one in expected if one is not None]
        assert [one for one in score.segments.tolist() if one == one] == pytest.approx(existing)
        if existing:
            assert score.score == pytest.approx(sum(existing) / len(existing))


def test_another_weighting_from_python():
    """The paper's other example, f(k) = a k - b, here 2 k - 1: four runs of one word are worth 4, one of four 7."""
    linear = Weighting(lambda k: 2 * k - 1, lambda x: (x + 1) / 2, "2k-1")
    metric = RougeW(weighting=linear)
    found = tarocco.score(["A B C D H I K", "A H B K C I D"], ["A B C D E F G"] * 2, metrics=metric, tokenize="none")
    assert found.scores[0].segments.tolist() == pytest.approx([(7 / 13 + 1) / 2, (4 / 13 + 1) / 2])
    assert "weighting:2k-1" in found.scores[0].signature


def test_long_tables_are_refused():
    with (
        mock.patch.object(text_pairs, "_LARGEST_TABLE", 100),
        pytest.raises(InputError, match=r"texts of up to 9 words, found one of 12"),
    ):
        tarocco.score(["a " * 12], ["a"], metrics="ROUGE-W-2:variant=exact")


def test_a_weighting_without_a_match():
    """f^-1(0) need not be 0, but nothing in common is."""
    metric = RougeW(weighting=Weighting(lambda k: 2 * k - 1, lambda x: (x + 1) / 2, "2k-1"))
    assert tarocco.score_nbest(["x y", "", "a b"], ["a b"], metrics=metric)[str(metric)].tolist() == [0.0, 0.0, 1.0]


def test_more_gap_limits_than_a_byte_can_count():
    generator = random.Random(1)
    candidates, references = ([generator.choices("abcdefgh", k=320) for _ in range(2)] for _ in range(2))
    wanted = [("gap", gap) for gap in range(300)]
    together, alone = Comparison(list_of(candidates, references), wanted), Comparison(list_of(candidates, references))
    for gap in (0, 5, 199, 200, 299):
        expected = [textbook.shared_skip_bigrams(*pair, gap)[0] for pair in pairs_of(candidates, references)]
        assert together.skip_bigrams(gap).tolist() == expected
    assert alone.skip_bigrams(255).tolist() == together.skip_bigrams(255).tolist()


def test_skip_bigrams_with_many_references_of_many_words():
    """Only words that some candidate has are numbered then; the counts are the same, those of what follows, too."""
    generator = random.Random(7)
    vocabulary = [f"w{i}" for i in range(120)]
    references = [generator.choices(vocabulary, k=20) for _ in range(16)]
    assert len(set().union(*references)) ** 2 * len(references) > 1 << 17
    candidates = [generator.choices([*vocabulary[:30], "unseen"], k=15) for _ in range(3)]
    for chosen in (candidates, [["unseen"] * 4]):
        found = Comparison(list_of(chosen, references), [("gap", 4), ("gap", None)])
        for gap in (4, None):
            expected = [textbook.shared_skip_bigrams(*pair, gap)[0] for pair in pairs_of(chosen, references)]
            assert found.skip_bigrams(gap).tolist() == expected
    segments = [(candidate, references) for candidate in candidates] + [(["w1", "w2"], [["w2", "w1", "w2"]])]
    together = tarocco.score(*texts(segments), metrics="ROUGE-S-4", tokenize="none")["ROUGE-S-4"].segments
    apart = [tarocco.score(*texts([one]), metrics="ROUGE-S-4", tokenize="none")["ROUGE-S-4"].score for one in segments]
    assert together.tolist() == apart


def test_long_texts_that_share_little():
    """Very long candidates, and references of very many words, take time by what they share."""
    words = [f"w{i}" for i in range(30_000)]
    for candidate, reference in ((words, words[5:8]), (words[5:8], words)):
        found = Comparison(list_of([candidate], [reference]), [("gap", 4), ("gap", None)])
        assert (found.skip_bigrams(4).tolist(), found.skip_bigrams(None).tolist()) == ([3], [3])


@pytest.mark.skipif(not weighted_lcs.COMPILED, reason="there is one variant only")
@pytest.mark.parametrize("short", [64, 0])
@given(**LISTS)
def test_every_instruction_set_gives_the_same_bits(short, candidates, references):
    powers = [Power(1 + i / 10) for i in range(10)]
    wanted = [("worth", (RECURRENCE, power)) for power in powers]
    wide, plain = (Comparison(list_of(candidates, references), wanted) for _ in range(2))
    with mock.patch.object(text_pairs, "_SHORT", short):
        found = [wide.weighted_subsequences(RECURRENCE, power).tobytes() for power in powers]
        with mock.patch.multiple(
            text_pairs, _weigh=weighted_lcs.compute_weighted_lcs, _weigh_short=weighted_lcs.compute_short_weighted_lcs
        ):
            assert [plain.weighted_subsequences(RECURRENCE, power).tobytes() for power in powers] == found
