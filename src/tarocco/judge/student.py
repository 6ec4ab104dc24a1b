"""Student's t distribution, without SciPy, whose statistics take a second to import."""

from __future__ import annotations

from math import exp, isnan, lgamma, log, nan

_TINY = 1e-300
_CLOSE = 1e-15


def upper_tail(t: float, degrees: float) -> float:
    """The probability of a value of at least t."""
    if isnan(t) or degrees <= 0:
        return nan
    whole = degrees + t * t
    half = _incomplete_beta(degrees / 2, 0.5, degrees / whole, t * t / whole) / 2
    return half if t >= 0 else 1 - half


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularized incomplete beta function I_x(a, b), by its continued fraction (Press et al. 2007, 6.4).

    `rest` is 1 - x, which has lost its digits where x is close to 1.
    """
    if x <= 0 or rest <= 0:
        return float(x > 0)
    if x > (a + 1) / (a + b + 2):  # where the fraction converges slowly, the other tail's converges fast
        return 1 - _incomplete_beta(b, a, rest, x)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest)) / a
    return front * _fraction(a, b, x)


def _fraction(a: float, b: float, x: float) -> float:
    """By Lentz's method."""
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
