"""What each order of n-grams contributes to a score, for metrics that are made of orders.

NIST is a sum over orders, times a penalty: the share of order n is its term over the sum of all. BLEU is a product, so
that its logarithm is a sum, of orders and of the penalty: the share of order n is what it takes from the logarithm,
(ln p_n / N) / ln BLEU. Shares of NIST say where the score comes from, shares of BLEU where it is lost. Both add up to
1.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.ngram.bleu import Bleu
from tarocco.metrics.ngram.counts import share
from tarocco.metrics.ngram.nist import Nist

PENALTY = "penalty"


def shares_of(metric: Metric, sums: Floats) -> dict[str, Floats]:
    """The share of each order, "1", "2", ..., and for BLEU of the penalty, for each row of sums.

    NaN where the score is 0, and for BLEU where it is 1; empty for metrics that are not made of orders.
    """
    if type(metric) is Nist:
        terms = share(sums[..., 2 : 2 + metric.order], sums[..., 2 + metric.order :])
        return _divided({str(n + 1): terms[..., n] for n in range(metric.order)}, terms.sum(axis=-1))
    if isinstance(metric, Bleu):
        by_order = np.moveaxis(sums[..., 2:], -1, 0)
        logarithms = metric.logarithms(by_order[: metric.order], by_order[metric.order :])
        with np.errstate(divide="ignore", invalid="ignore"):  # an order without a match makes the score 0
            whole = np.log(metric.score(sums))
            within = np.stack(logarithms.sums) / logarithms.used[-1]  # of orders 1, 1 to 2, ...
            parts = {str(n + 1): within[n] - (within[n - 1] if n else 0.0) for n in range(metric.order)}
            return _divided({**parts, PENALTY: whole - within[-1]}, whole)
    return {}


def lower_orders(metric: Metric) -> list[Metric]:
    """The same metric with fewer orders, from 1 up; none for metrics that are not made of orders."""
    if type(metric) is Nist or isinstance(metric, Bleu):
        return [replace(metric, order=order) for order in range(1, metric.order)]
    return []


def _divided(parts: dict[str, Floats], whole: Floats) -> dict[str, Floats]:
    there = np.isfinite(whole) & (whole != 0)
    return {
        name: np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=there) for name, part in parts.items()
    }
