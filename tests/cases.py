"""Segments for Hypothesis, and how they become batches and arguments."""

from hypothesis import strategies as st

from tarocco.core.test_set import Segments, make_test_set
from tarocco.encode.batch import Batch, Encoding, Groups

# Tiny vocabularies repeat n-grams, larger ones make them rare.
SENTENCES = st.one_of(
    *(st.lists(st.sampled_from(letters), max_size=20) for letters in ("ab", "abcde", "abcdefghijklm"))
)
SEGMENTS = st.lists(st.tuples(SENTENCES, st.lists(SENTENCES, min_size=1, max_size=4)), min_size=1, max_size=5)


def without_empty_beside_others(references):
    """An empty reference beside others is no reference."""
    return [reference for reference in references if reference] or [[]]


def cleaned(segments):
    return [(candidate, without_empty_beside_others(references)) for candidate, references in segments]


def texts(segments):
    candidates = [" ".join(candidate) for candidate, _ in segments]
    return candidates, [[" ".join(reference) for reference in references] for _, references in segments]


def list_of(candidates, references):
    """A batch of one segment with many candidates."""
    columns = [Segments.from_strings([" ".join(text) for text in texts]) for texts in (candidates, references)]
    groups = Groups.of_one(len(candidates)), Groups.of_one(len(references))
    return Batch.of_groups(columns[:1], columns[1:], *groups, Encoding("none"))


def batch_of(segments):
    test_set = make_test_set(*texts(segments))
    columns = list(test_set.systems.values())
    return Batch.of_columns(columns, test_set.references, test_set.present, Encoding("none"))
