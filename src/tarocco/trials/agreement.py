"""How alike metrics judge segments."""

from __future__ import annotations

import numpy as np

from tarocco.judge.clustering import clustered, order_of
from tarocco.judge.correlation import spearman
from tarocco.judge.sides import snapped
from tarocco.metrics.external import of_whole_systems
from tarocco.results import Result
from tarocco.trials.findings import Agreement


def agreement_of(scores: Result) -> Agreement:
    """Spearman's correlation of all pairs of metrics over the segments of all systems, errors negated.

    A pair of metrics is correlated over the segments of which both have a score. Metrics with scores of whole systems
    alone are left out. The order is that of average linkage.
    """
    metrics = [one for one in dict.fromkeys(score.metric for score in scores.scores) if not of_whole_systems(one)]
    values = [
        snapped(np.concatenate([metric.sign * one.segments for one in scores.scores if one.metric == metric]))
        for metric in metrics
    ]
    found = np.full((len(metrics), len(metrics)), np.nan)
    for i, own in enumerate(values):
        for j in range(i, len(values)):
            found[i, j] = found[j, i] = spearman(own, values[j])
    order = order_of(clustered(found))
    return Agreement(tuple(str(metrics[i]) for i in order), found[np.ix_(order, order)])
