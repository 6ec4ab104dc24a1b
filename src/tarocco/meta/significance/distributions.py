"""Student's t distribution: tail probabilities, quantiles and normal scores, without SciPy."""

from __future__ import annotations

from math import copysign, exp, isinf, isnan, lgamma, log, nan
from statistics import NormalDist

_TINY = 1e-300
_CLOSE = 1e-15


def upper_tail(t: float, degrees: float) -> float:
    """Return the probability that Student's t with these degrees of freedom is at least `t`."""
    if isnan(t) or degrees <= 0:
        return nan
    whole = degrees + t * t
    half = _incomplete_beta(degrees / 2, 0.5, degrees / whole, t * t / whole) / 2
    return half if t >= 0 else 1 - half


def to_normal_score(t: float, degrees: float) -> float:
    """Return the value of a normal distribution that is exceeded as often as this value of Student's t.

    A mean divided by its estimated standard error is compared with draws that know the standard error.
    """
    if isnan(t) or isinf(t):
        return t
    tail = max(upper_tail(abs(t), degrees), _TINY)
    return copysign(-NormalDist().inv_cdf(tail), t) if tail < 0.5 else 0.0


def t_quantile(probability: float, degrees: float) -> float:
    """Return the value that Student's t stays below with this probability (at least one half)."""
    if degrees <= 0:
        return nan
    low, high = 0.0, 1.0
    while upper_tail(high, degrees) > 1 - probability:
        low, high = high, 2 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if upper_tail(middle, degrees) > 1 - probability else (low, middle)
    return high


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b), by its continued fraction (Press et al. 2007, 6.4).

    `rest` is 1 - x, computed by the caller because the subtraction loses digits where x is close to 1.
    """
    if x <= 0 or rest <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):  # the fraction converges slowly here, and the other tail's converges fast
        return 1 - _incomplete_beta(b, a, rest, x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    return front * _continued_fraction(a, b, x)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function by Lentz's method."""
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _TINY)
    value = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            c = 1 + term / c or _TINY
            d = 1 / (1 + term * d or _TINY)
            value *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return value
