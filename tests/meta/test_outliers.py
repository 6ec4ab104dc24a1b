"""Outlier systems, worked by hand."""

import numpy as np

from tarocco.meta.correlation.score_sources import find_outliers


def test_a_system_far_below_the_others_is_an_outlier():
    """The median is 3, the median distance 1: the line is at 2.5 * 1.483 = 3.7075."""
    found = find_outliers(np.array([1.0, 2.0, 3.0, 4.0, np.nan, 3.0 - 3.70, 3.0 + 3.71, 3.0]))
    assert np.flatnonzero(found).tolist() == [6]


def test_no_deviation_no_outlier():
    assert not find_outliers(np.array([1.0, 1.0, 1.0, 9.0])).any()
    assert not find_outliers(np.array([np.nan])).any()
    assert find_outliers(np.array([])).tolist() == []
