"""How often people agree with a difference: the fit against a slow twin, and what it says of made-up systems."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textbook.ceilings import slope_by_bisection

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.meta.correlation.accuracy_at_difference import fit_slopes, measure_accuracy_at
from tarocco.meta.correlation.score_sources import make_source
from tarocco.scoring.settings import Resampling

DEMO = datasets.load("demo")
GRADES = {system: [float(one) for one, _ in own] for system, own in DEMO.grades.items()}
FEW = Resampling(50, seed=3)


@given(
    st.lists(st.tuples(st.integers(0, 8), st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 3)), min_size=1, max_size=9)
)
def test_the_slope_is_the_twins(pairs):
    rows = [np.array([column], float) for column in zip(*pairs, strict=True)]
    rows[0] /= 4
    (found,) = fit_slopes(*rows)
    assert found == pytest.approx(slope_by_bisection(*(row[0].tolist() for row in rows)), abs=1e-6)


def test_larger_differences_are_agreed_with_more_often():
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(12, 1))
    metric, people = (make_source(name, quality + rng.normal(0, 2, (12, 40))) for name in "mh")
    few, many = measure_accuracy_at(metric, people, (0.1, 2.0), FEW)
    assert 0.5 < few.share < many.share < 1
    for one in (few, many):
        assert one.low <= one.share <= one.high
        assert one.n_pairs == 66
    assert few.n_near + many.n_near <= 66
    assert [one.difference for one in measure_accuracy_at(metric, people, resampling=FEW)] == pytest.approx(
        np.quantile(
            np.abs(np.subtract.outer(metric.systems, metric.systems))[np.triu_indices(12, 1)], (0.25, 0.5, 0.75)
        )
    )


def test_nothing_to_fit():
    flat = make_source("m", np.ones((4, 3)))
    people = make_source("h", np.arange(12.0).reshape(4, 3))
    assert measure_accuracy_at(flat, people, resampling=FEW) == []
    missing = make_source("m", np.full((4, 3), np.nan))
    (one,) = measure_accuracy_at(missing, people, (1.0,), FEW)
    assert math.isnan(one.share)
    assert one.n_pairs == 0
    (same,) = measure_accuracy_at(people, people, (1.0,), FEW)
    assert same.share > 0.6


def test_correlate_has_them(capsys):
    options = {"metrics": ["BLEU-4", "chrF"], "n_resamples": 50}
    result = tarocco.correlate(DEMO.systems, DEMO.references, GRADES, at_differences=[1.0, 5.0], **options)
    assert [(one.metric, one.difference) for one in result.differences] == [
        (name, d) for name in ("BLEU-4", "chrF") for d in (1.0, 5.0)
    ]
    assert result.differences[1].n_near > 0  # five points of BLEU, not five times all of it
    assert tarocco.correlate(DEMO.systems, DEMO.references, GRADES, **options).differences == ()
    folder = tarocco.__path__[0] + "/data/demo/"
    arguments = ["correlate", f"{folder}ref1.txt", "-i", *(f"{folder}{name}.txt" for name in DEMO.systems)]
    arguments += ["--human", f"{folder}grades.tsv:adequacy", "-m", "chrF", "--at-difference", "2"]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split()[:2] == ["metric", "difference"]
    assert "people agree: the estimated share" in out
