"""`tarocco.testing.check_metric`, as an author of a metric uses it."""

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
    with pytest.raises(AssertionError, match=r"NIST-5 breaks 2 of 12 laws\nidentity: .*\nshort copies: copies score"):
        check_metric("NIST-5")
    check_metric("NIST-5", exempt={"identity": "rare n-grams weigh more", "short copies": "no upper bound"})
    with pytest.raises(AssertionError, match=r"WER breaks 1 of 12 laws\nidentity: the law holds, so the exemption"):
        check_metric("WER", exempt={"identity": "no reason"})
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


def test_an_unregistered_metric_breaks_the_law_of_names():
    with pytest.raises(AssertionError, match=r'names: UnknownName: there is no metric "Broken"'):
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
    assert broken == {"identity", "order of segments", "empty texts", "example"}
    assert "the example scores 0.0, not 7.0" in str(caught.value)
    assert broken < set(LAWS)
