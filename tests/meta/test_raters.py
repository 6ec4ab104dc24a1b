"""Agreement of raters, and the ceiling for metrics, against slow twins."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from textbook import ceilings
from textbook import correlations as textbook

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.test_set import RaterScores
from tarocco.meta.correlation.levels import CorrelationLevel
from tarocco.meta.correlation.raters import krippendorff_alpha, leave_one_out, measure_raters
from tarocco.meta.correlation.score_sources import make_source
from tarocco.scoring.settings import Resampling

FEW = Resampling(20, seed=1)
DEMO = datasets.load("demo")


def as_scores(table):
    """float64[raters, systems, segments] with NaN for none"""
    rater, system, segment = np.nonzero(~np.isnan(table))
    return RaterScores(tuple(map(str, range(len(table)))), rater, system, segment, table[rater, system, segment])


@st.composite
def rated(draw):
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 4))
    values = draw(st.sampled_from([st.integers(0, 5).map(float), st.integers(0, 5).map(float) | st.just(math.nan)]))
    n = math.prod(shape)
    table = np.array(draw(st.lists(values, min_size=n, max_size=n))).reshape(shape)
    if np.isnan(table).all():
        table[0, 0, 0] = 1.0
    return table


@given(rated())
def test_alpha_is_the_twins(table):
    found, low, high = krippendorff_alpha(as_scores(table), table.shape[1:], FEW)
    wanted = ceilings.krippendorff_alpha(table.reshape(len(table), -1).T.tolist())
    assert found == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    assert math.isnan(low) or low <= high


def test_alpha_of_a_known_example():
    """Three coders and 15 units, an example that many implementations share: .811 for interval data."""
    rows = """* * * * * 3 4 1 2 1 1 3 3 * 3
    1 * 2 1 3 3 4 3 * * * * * * *
    * * 2 1 3 4 4 * 2 1 1 3 3 * 4"""
    table = np.array(
        [[float("nan") if cell == "*" else float(cell) for cell in row.split()] for row in rows.split("\n")]
    )
    found = krippendorff_alpha(as_scores(table[:, None]), (1, 15), FEW)[0]
    assert found == pytest.approx(ceilings.krippendorff_alpha(table.T.tolist()))
    assert round(found, 3) == 0.811


@given(rated())
def test_one_rater_is_compared_with_the_mean_of_the_others(table):
    pairs = leave_one_out(as_scores(table), table.shape[1:])
    found = sorted((np.nansum(r.segments), np.nansum(o.segments)) for r, o in pairs)
    wanted = []
    for rater in range(len(table)):
        others = np.delete(table, rater, axis=0)
        counts = (~np.isnan(others)).sum(axis=0)
        both = ~np.isnan(table[rater]) & (counts > 0)
        if both.any():
            means = np.nansum(others, axis=0)[both] / counts[both]
            wanted.append((table[rater][both].sum(), means.sum()))
    assert [tuple(map(float, pair)) for pair in found] == [pytest.approx(pair) for pair in sorted(wanted)]


def test_the_ceiling_and_shares_of_it():
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(8, 1)) + rng.normal(0, 0.5, (8, 30))
    table = quality + rng.normal(0, 1, (3, 8, 30))
    metric = make_source("m", quality + rng.normal(0, 1, (8, 30)))
    people = make_source("h", table.mean(axis=0))
    level = CorrelationLevel("system")
    found = measure_raters(as_scores(table), [metric], people, level, "pearson", "these systems", FEW)
    loo = [np.delete(table, r, axis=0).mean(axis=0).mean(axis=1).tolist() for r in range(3)]
    ceiling = np.mean([textbook.pearson(table[r].mean(axis=1).tolist(), loo[r]) for r in range(3)])
    of_metric = np.mean([textbook.pearson(metric.systems.tolist(), others) for others in loo])
    assert found.ceiling == pytest.approx(ceiling)
    assert found.shares["m"] == pytest.approx(of_metric / ceiling)
    assert found.ceiling_low <= found.ceiling <= found.ceiling_high
    assert (found.n_raters, found.n_used, found.n_outputs) == (3, 3, 240)
    for coefficient, view in (("spa", level), ("acc-eq", CorrelationLevel("segment", "item"))):
        one = measure_raters(as_scores(table), [metric], people, view, coefficient, "such systems", FEW)
        assert 0 < one.ceiling <= 1


def test_correlate_says_what_raters_say(tmp_path, capsys):
    rng = np.random.default_rng(1)
    rows = [
        f"{rater}\t{system}\t{segment + 1}\t{grade + rng.integers(0, 2)}"
        for system, grades in DEMO.grades.items()
        for segment, (grade, _) in enumerate(grades)
        for rater in "xyz"
    ]
    path = tmp_path / "h.tsv"
    path.write_text("\n".join(["judge\tsystem\tsegment\tscore", *rows]) + "\n")
    result = tarocco.correlate(DEMO.systems, DEMO.references, path, metrics="chrF", n_resamples=20)
    (raters,) = result.raters
    assert raters.n_raters == 3
    assert raters.alpha > 0.5
    assert result.to_dict()[0]["share_of_ceiling"] == raters.shares["chrF"]
    folder = tarocco.__path__[0] + "/data/demo/"
    command = ["correlate", f"{folder}ref1.txt", "-i", *(f"{folder}{name}.txt" for name in DEMO.systems), "-m", "chrF"]
    assert main([*command, "--human", str(path)]) == 0
    out = capsys.readouterr().out
    assert "of ceiling" in out
    assert "3 raters, Krippendorff's alpha" in out
    assert main([*command, "--human", f"{folder}grades.tsv:adequacy"]) == 0
    assert "the ceiling is unknown (one rater, or raters are not named)" in capsys.readouterr().out
