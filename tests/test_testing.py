"""`tarocco.testing.check_metric`, as an author of a metric uses it."""

import dataclasses
import math
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from conftest import ROOT

import tarocco
from tarocco import EmptyValues, Example, Metric, parameter
from tarocco.core.errors import BadParameter
from tarocco.testing import LAWS, check_metric


def test_built_in_metrics_and_the_example_plugin_pass():
    for name in ("WER", "TER", "Overlap", "ROUGE-L", "GRR-4"):
        check_metric(name)


def test_exemptions():
    with pytest.raises(AssertionError, match=r"NIST-5 breaks 2 of 16 laws\nidentity: .*\nshort copies: copies score"):
        check_metric("NIST-5")
    check_metric("NIST-5", exempt={"identity": "rare n-grams weigh more", "short copies": "no upper bound"})
    with pytest.raises(AssertionError) as caught:
        check_metric("WER", exempt={"identity": "no reason"})
    assert str(caught.value) == (
        "WER has 1 needless exemption\nidentity: the law holds; remove the exemption (no reason)"
    )
    with pytest.raises(AssertionError, match=r"^NIST-5 breaks 2 of 16 laws and has 2 needless exemptions\nidentity: "):
        check_metric("NIST-5", exempt={"finite": "no reason", "shapes": "no reason"})
    with pytest.raises(BadParameter, match="there is no law speed; the laws are identity, "):
        check_metric("WER", exempt={"speed": "slow"})


@dataclass(frozen=True)
class Broken(Metric):
    """The position of a segment in its batch: everything that a metric must not be."""

    unit: int = parameter(1, "what positions are multiplied by")

    title: ClassVar[str] = "Broken"
    summary: ClassVar[str] = "Position."
    formula: ClassVar[str] = "i"
    paper: ClassVar[str] = "none"
    pattern: ClassVar[str] = "Broken"
    names: ClassVar[tuple[str, ...]] = ("Broken",)
    example: ClassVar[Example] = Example("Broken", ("a",), (("a",),), 7.0, "it is wrong")
    notes: ClassVar[str] = ""

    def statistics(self, batch, context=None):
        return np.arange(len(batch), dtype=float)[:, None]

    def score(self, sums):
        return sums[..., 0]


def test_an_unregistered_metric_breaks_the_laws_that_read_its_name():
    with pytest.raises(AssertionError, match=r'2 laws: UnknownName: there is no metric "Broken"'):
        check_metric(Broken())


def test_wrong_empty_values(monkeypatch):
    monkeypatch.setattr(type(tarocco.metric("WER")), "empty_values", EmptyValues(1.0, 0.5, 0.0))
    with pytest.raises(AssertionError, match=r"an empty reference: empty_values says 0\.5, but the score is 1"):
        check_metric("WER")


def test_the_test_of_the_example_plugin():
    """CONTRIBUTING.md shows this file."""
    names = {}
    exec((ROOT / "examples/tarocco-overlap/test_overlap.py").read_text("utf-8"), names)
    for name in names["Overlap"].names:
        names["test_laws"](name)


def test_a_broken_metric_is_told_what_it_breaks(monkeypatch):
    monkeypatch.setattr("tarocco.metrics.registry._plugins", {"Broken": Broken})
    with pytest.raises(AssertionError) as caught:
        check_metric("Broken")
    broken = {line.partition(":")[0] for line in str(caught.value).splitlines()[1:]}
    assert broken == {"identity", "order of segments", "batches", "repetition", "empty texts", "example"}
    assert "the example scores 0.0, not 7.0" in str(caught.value)
    assert broken < set(LAWS)


@dataclass(frozen=True)
class Share(Metric):
    """The share of the candidate's words that the first reference has: a correct metric for the tests to break."""

    title: ClassVar[str] = "Share"
    summary: ClassVar[str] = "Shared words."
    formula: ClassVar[str] = "shared / words"
    paper: ClassVar[str] = "none"
    pattern: ClassVar[str] = "Share"
    names: ClassVar[tuple[str, ...]] = ("Share",)
    example: ClassVar[Example] = Example("Share", ("a b",), (("a c",),), 0.5, "a of a b")
    notes: ClassVar[str] = "An empty candidate scores 0, also against an empty reference."

    def statistics(self, batch, context=None):
        rows = np.ones((len(batch), 2))
        for row, candidate, references in batch.each():
            rows[row, 0] = max(
                np.isin(candidate, reference).mean() if len(candidate) else 0 for reference in references
            )
        return rows

    def score(self, sums):
        return sums[..., 0] / sums[..., 1]


@dataclass(frozen=True)
class RowOfBatch(Share):
    """Divides each row by the number of segments of its batch."""

    def statistics(self, batch, context=None):
        rows = super().statistics(batch)
        rows /= len(batch)
        return rows


@dataclass(frozen=True)
class NotANumber(Share):
    """Has the row NaN, 0 for an empty candidate, although its notes say that the score is 0."""

    def statistics(self, batch, context=None):
        rows = super().statistics(batch)
        rows[np.diff(batch.candidates.offsets)[batch.candidate_groups.rows] == 0] = math.nan, 0
        return rows


@dataclass(frozen=True)
class Sum(Share):
    """Forgets to divide by the number of segments."""

    def score(self, sums):
        return sums[..., 0]


@dataclass(frozen=True)
class SingleRows(Share):
    """Scores one row only."""

    def score(self, sums):
        return np.float64(math.sqrt(sums[..., 0]) if sums[..., 1] > 0 else 0.0)


@dataclass(frozen=True)
class WrongAxis(Share):
    """Scores the first axis instead of the last."""

    def score(self, sums):
        return sums[0] / sums[1]


@dataclass(frozen=True)
class Divides(Share):
    """Raises an exception in most laws."""

    def statistics(self, batch, context=None):
        return np.ones((len(batch), 1)) * (1 // (len(batch) - len(batch)))


@dataclass(frozen=True)
class Undocumented(Share):
    """Does not say what empty texts score."""

    notes: ClassVar[str] = "An empty candidate scores 0."


@dataclass(frozen=True)
class RawText(Share):
    """Splits raw text at spaces without saying so in `reads`."""

    lowers: bool = parameter(False, "whether texts are lowercased")

    def statistics(self, batch, context=None):
        rows = np.ones((len(batch), 2))
        for row, (candidate, references) in enumerate(zip(batch.texts, batch.reference_texts, strict=True)):
            texts = [set((text.lower() if self.lowers else text).split()) for text in (candidate, *references)]
            rows[row, 0] = max(len(texts[0] & text) / max(len(texts[0]), 1) for text in texts[1:])
        return rows


@dataclass(frozen=True)
class HonestRawText(RawText):
    """Says so."""

    def reads(self, requested):
        return dataclasses.replace(requested, tokenize="none", lowercase=False)


@dataclass(frozen=True)
class WrongNotes(Share):
    """Says that empty texts score something else."""


def broken_laws(monkeypatch, family):
    """Return the message of `check_metric` by law, and the AssertionError."""
    monkeypatch.setattr("tarocco.metrics.registry._plugins", {"Share": family})
    with pytest.raises(AssertionError) as caught:
        check_metric("Share")
    title, *lines = str(caught.value).splitlines()
    assert title.startswith("Share breaks ")
    return dict(line.split(": ", 1) for line in lines), caught.value


def test_the_correct_metric_passes(monkeypatch):
    monkeypatch.setattr("tarocco.metrics.registry._plugins", {"Share": Share})
    check_metric("Share")


def test_rows_that_depend_on_the_batch(monkeypatch):
    broken, _ = broken_laws(monkeypatch, RowOfBatch)
    row = r"the row of segment 1 is \[0\.\d+, 0\.0714286\] among 14 segments and \[0\.\d+, 1\] alone: "
    assert re.fullmatch(row + "a row must depend on its own candidate and references only", broken["batches"])


def test_rows_that_are_not_finite(monkeypatch):
    broken, _ = broken_laws(monkeypatch, NotANumber)
    assert set(broken) == {"finite", "empty texts"}
    assert broken["finite"].startswith("the row of an empty candidate is [nan, 0]: rows must be finite")
    assert broken["empty texts"] == "an empty candidate: `notes` name the score 0, but the score is NaN"


def test_a_sum_is_not_a_mean(monkeypatch):
    broken, _ = broken_laws(monkeypatch, Sum)
    assert set(broken) == {"repetition"}
    assert broken["repetition"].endswith("when every segment is listed twice")


@pytest.mark.parametrize("family", [SingleRows, WrongAxis])
def test_a_score_that_takes_single_rows_only(monkeypatch, family):
    broken, _ = broken_laws(monkeypatch, family)
    about_arrays = [text for text in broken.values() if text.startswith("score must accept arrays [..., k] and return")]
    assert about_arrays


def test_equal_exceptions_share_a_line(monkeypatch):
    broken, error = broken_laws(monkeypatch, Divides)
    (laws,) = [laws for laws in broken if laws.endswith(" laws")]
    assert int(laws.split()[0]) >= 11
    line = Divides.statistics.__code__.co_firstlineno + 1
    assert broken[laws].startswith("ZeroDivisionError: ")
    assert broken[laws].endswith(f" (test_testing.py, line {line})")
    assert isinstance(error.__cause__, ZeroDivisionError)
    assert f"breaks {int(laws.split()[0]) + len(broken) - 1} of 16 laws" in str(error)


def test_notes_must_name_empty_texts(monkeypatch):
    broken, _ = broken_laws(monkeypatch, Undocumented)
    assert broken == {
        "empty texts": 'write a sentence with the words "empty reference" into `notes`: what do such texts score?'
    }


@pytest.mark.parametrize(
    ("notes", "problem"),
    [
        (
            "An empty candidate scores 0.7, an empty reference scores 0.",
            "an empty candidate: `notes` name the score 0.7",
        ),
        ("An empty candidate scores 0; an empty reference scores 42.", "an empty reference: `notes` name the score 42"),
        ("An empty candidate or an empty reference scores 0, both -3.", None),  # not a plain sentence
        (
            "An empty candidate or an empty reference scores 0, both score -3.",
            "two empty texts: `notes` name the score -3",
        ),
        (
            "An empty candidate scores 0 and an empty reference scores 1.",
            "an empty reference: `notes` name the score 1",
        ),
        ("An empty candidate scores 0 and an empty reference scores 0.", None),
        ("An empty candidate scores 1 if there is an empty reference.", None),
    ],
)
def test_numbers_in_notes_are_compared(monkeypatch, notes, problem):
    monkeypatch.setattr(WrongNotes, "notes", notes)
    monkeypatch.setattr("tarocco.metrics.registry._plugins", {"Share": WrongNotes})
    told = LAWS["empty texts"](WrongNotes())
    assert told == (None if problem is None else f"{problem}, but the score is 0")


def test_signatures_of_raw_text(monkeypatch):
    broken, _ = broken_laws(monkeypatch, RawText)
    assert broken == {
        "signature": 'the signature says "case:lc", but uppercase candidates have other statistics: a metric that uses '
        "raw text must override `reads`"
    }
    told = LAWS["signature"](RawText(lowers=True))
    assert told.startswith('the signature says "tok:13a", but text that is tokenized before has other statistics')
    monkeypatch.setattr("tarocco.metrics.registry._plugins", {"Share": HonestRawText})
    check_metric("Share")


def test_a_class_is_not_a_metric():
    with pytest.raises(BadParameter, match=r"^expected an instance of tarocco\.Metric; did you mean Share\(\)\?$"):
        check_metric(Share)
