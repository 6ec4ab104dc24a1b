"""Words of difference: worked by hand, and against a slow twin that crosses words out one by one."""

from hypothesis import given
from hypothesis import strategies as st

from tarocco.meta.orange.confusions import HeldOutReference, RankedText, highest_counts, marks, outranked

TEXTS = st.lists(st.sampled_from("abcd"), max_size=7)
OTHERS = st.lists(TEXTS, max_size=3)


def without(words, count_of):
    """What is left of a text when the first so many of each word are crossed out."""
    left = list(words)
    for word in set(words):
        for _ in range(min(count_of(word), words.count(word))):
            left.remove(word)
    return left


def differences(candidate, reference, others):
    def most(word):
        return max((text.count(word) for text in others), default=0)

    def beyond(words, beside):
        """Words that have no partner in the other text, of those that the others have."""
        wanted = []
        for word in sorted(set(words)):
            matched, matched_beside = (min(text.count(word), most(word)) for text in (words, beside))
            wanted += [word] * max(0, matched - matched_beside)
        return wanted

    return {
        "gained": beyond(candidate, reference),
        "lost": beyond(reference, candidate),
        "alone": without(candidate, lambda word: max(most(word), reference.count(word))),
        "unsupported": without(reference, most),
    }


def subsequence(part, whole):
    rest = iter(whole)
    return all(word in rest for word in part)


@given(TEXTS, TEXTS, OTHERS)
def test_words_of_difference_are_those_of_the_twin_in_text_order(candidate, reference, others):
    found, wanted = HeldOutReference(reference, others).difference(candidate), differences(candidate, reference, others)
    assert (sorted(found.gained), sorted(found.lost)) == (wanted["gained"], wanted["lost"])
    assert sorted(found.alone) == sorted(wanted["alone"])
    assert sorted(found.unsupported) == sorted(wanted["unsupported"])
    assert all(subsequence(words, candidate) for words in (found.gained, found.alone))
    assert all(subsequence(words, reference) for words in (found.lost, found.unsupported))


@given(TEXTS, TEXTS, OTHERS)
def test_gains_and_losses_are_the_difference_of_clipped_matches(candidate, reference, others):
    """Clipped precision's numerators: what a metric of single words sees."""
    highest = highest_counts(others)
    matches = [sum(min(text.count(word), highest[word]) for word in set(text)) for text in (candidate, reference)]
    found = HeldOutReference(reference, others).difference(candidate)
    assert len(found.gained) - len(found.lost) == matches[0] - matches[1]
    assert [sum(marks(text, others)) for text in (candidate, reference)] == matches


@given(TEXTS, TEXTS, OTHERS)
def test_marks_are_the_words_themselves(candidate, reference, others):
    found = HeldOutReference(reference, others).difference(candidate)
    matched, gained = ([mark[k] for mark in HeldOutReference(reference, others).marks_of(candidate)] for k in (0, 1))
    assert matched == marks(candidate, others)
    assert tuple(word for word, mark in zip(candidate, gained, strict=True) if mark) == found.gained
    assert all(mark for mark, is_gained in zip(matched, gained, strict=True) if is_gained)
    missed = [word for word, mark in zip(reference, marks(reference, others), strict=True) if not mark]
    assert tuple(missed) == found.unsupported


def test_by_hand():
    others = [["the", "dog", "saw", "a", "cat"], ["the", "dog", "watched", "the", "cat"]]
    reference = HeldOutReference(["a", "hound", "saw", "the", "cat"], others)
    found = reference.difference(["the", "dog", "saw", "the", "cat", "and", "the", "bird"])
    assert found.gained == ("dog", "the")  # the second "the": one of the others has two, the reference one
    assert found.lost == ("a",)
    assert found.alone == ("and", "the", "bird")  # no reference has three times "the"
    assert found.unsupported == ("hound",)


def test_marks_are_clipped_by_the_reference_that_has_most():
    assert marks(["the", "the", "the"], [["the", "cat"], ["the", "the"]]) == [True, True, False]
    assert marks(["the"], []) == [False]


def scored(rank, place):
    return RankedText("text", 0.5, rank, place)


def test_a_candidate_stands_above_the_references_that_rank_behind_it():
    references = [scored(9.0, 1), scored(1.0, 2), scored(3.5, 3)]
    assert [one.place for one in outranked(scored(2.0, 7), references)] == [3, 1]
    unknown = float("nan")
    assert [one.place for one in outranked(scored(unknown, 7), references)] == [2, 3, 1]
