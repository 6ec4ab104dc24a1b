"""Is the difference between two systems significant? Paired tests on a metric's statistics; no text is read again.

randomization  The default. Outputs of the two systems are swapped at random (Riezler and Maxwell 2005). Where at most
               12 units differ, all swaps are enumerated and the p-value is exact.
bootstrap      Units are drawn with replacement, the same for both systems (Koehn 2004). The differences are shifted so
               that their center is zero, which makes them a null distribution (Efron and Tibshirani 1993, 16.4).
sign           One unit of one system at a time is replaced by the other system's, in both directions. Each replacement
               raises or lowers the corpus score, and both are equally likely if the systems are equal (Collins et al.
               2005).
sacrebleu      sacrebleu's paired bootstrap. Its p-value is too small: see docs/compare.md.

The units are documents where the test set has document labels, because segments of one document are not independent;
otherwise they are segments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.meta.significance.distributions import t_quantile
from tarocco.meta.significance.multiple_testing import holm
from tarocco.metrics.base import Floats, Metric
from tarocco.parallel.fan_out import map_ordered
from tarocco.scoring.resampling import bootstrap, check_resampling, swap_randomly
from tarocco.scoring.results import Score
from tarocco.scoring.settings import SEED

TESTS = ("randomization", "bootstrap", "sign", "sacrebleu")
DEFAULT_RESAMPLES = {"randomization": 10_000, "bootstrap": 10_000, "sign": 0, "sacrebleu": 1000}
UNITS = ("document", "segment")
INTERVAL_DRAWS = 2000  # bootstrap draws for the standard error of a difference
SPREAD_DRAWS = 1000  # fewer draws do not estimate the spread of a null distribution well
POWER = 0.80  # at which the minimum detectable effect is stated (Card et al. 2020)
ENUMERATED = 12  # up to so many differing units, all 2**12 swaps are enumerated
FEW_UNITS = 100  # below this the bootstrap rejects too often
ScorePair = tuple[Score, Score]  # the baseline, and the system compared with it
_CLOSE = 1e-12  # relative: scores that are equal but for rounding count as equal
_RADEMACHER = 1 / (2 * math.erfc(1))  # 3.178: tails of sums with random signs, in tails of the normal distribution
_FIRST_DRAWS = 1000  # after which pairs that differ very clearly are decided
_DRAWS_TOGETHER = 3000  # few enough for the processor's cache
_MOST_SUMS = 1 << 25  # numbers of swapped sums that are kept: 256 MiB


@dataclass(frozen=True)
class Difference:
    """The result of one paired test: two systems under one metric.

    Attributes
    ----------
    difference, interval
        The system's score minus the baseline's, and its confidence interval: t times the bootstrap's standard error.
    better
        Whether the system is better than the baseline. It follows the scores; for the sign test it follows the test's
        counts, and is None where they are equal or contradict each other.
    p_value, p_holm, significant
        The p-value, the same after Holm's correction for all pairs tested under this metric, and whether that is at
        most alpha.
    detectable, detectable_holm
        The difference that this test would find significant with 80% probability: alone, and as one of all pairs.
    unit, units, differing
        What was swapped or drawn, how many of them there are, and in how many the two systems differ.
    testable
        Whether any outcome could have been significant. Below six differing units none can.
    null_error
        The standard deviation of the randomization test's null distribution, without the observed difference.
    details
        For the bootstraps the share of resamples that the system won; for the sign test the counts.
    """

    metric: str
    baseline: str
    system: str
    difference: float
    better: bool | None
    p_value: float
    interval: tuple[float, float] = (math.nan, math.nan)
    detectable: float = math.nan
    detectable_holm: float = math.nan
    unit: str = "segment"
    units: int = 0
    differing: int = 0
    exact: bool = False
    testable: bool = True
    null_error: float = math.nan
    details: dict[str, float | bool] = field(default_factory=dict)
    p_holm: float = math.nan
    significant: bool = False


@dataclass(frozen=True)
class PairedTest:
    """Which test, with which settings. `unit` None stands for documents where they are known, else segments.

    `resolution` is how many draws the smallest p-value needs. If there are fewer, a bound of the tail replaces the
    count where no draw is as extreme as the observed difference.
    """

    name: str = "randomization"
    n_resamples: int = 0  # 0 stands for the default of the test
    seed: int = SEED
    alpha: float = 0.05
    jobs: int | None = None
    unit: str | None = None
    resolution: int = 0

    def __post_init__(self) -> None:
        if self.name not in TESTS:
            raise BadParameter(f"test is one of {', '.join(TESTS)}, not {self.name!r}")
        if self.unit not in (None, *UNITS):
            raise BadParameter(f"unit is one of {', '.join(UNITS)}, not {self.unit!r}")
        if not (isinstance(self.alpha, Real) and 0 < self.alpha < 1):
            raise BadParameter(f"alpha is a number between 0 and 1, not {self.alpha!r}")
        check_resampling(0.95, self.n_resamples or 2, self.seed)


def required_draws(comparisons: int, alpha: float) -> int:
    """Return how many draws, in round numbers, make the smallest p-value significant among so many comparisons."""
    return 100 * math.ceil(comparisons / alpha / 100)


def compare_pairs(pairs: Sequence[ScorePair], test: PairedTest) -> list[Difference]:
    """Test every pair (baseline, system) of one metric, with Holm's correction over the pairs."""
    scores = {score.system: score for pair in pairs for score in pair}
    if any(score.labels is None for score in scores.values()) and test.unit is None:
        test = replace(test, unit="segment")
    units = {name: unit_statistics(score, test.unit) for name, score in scores.items()}
    results = _TESTS[test.name](pairs, units, test)
    spread = _spread(pairs, results, units, test)
    corrected = holm(np.array([result.p_value for result in results])).tolist()
    return [
        replace(result, **spread[i], p_holm=p, significant=_is_significant(result, p, test.alpha))
        for i, (result, p) in enumerate(zip(results, corrected, strict=True))
    ]


def _is_significant(result: Difference, p_holm: float, alpha: float) -> bool:
    """Equal scores do not differ, and neither do systems with too few different units, whatever a test's p-value is."""
    return result.testable and p_holm <= alpha and result.difference != 0 and result.better is not None


def unit_statistics(score: Score, unit: str | None = None) -> Floats:
    """Return a system's statistics with one row per unit: documents where they are labeled, else segments."""
    if score.labels is None or unit == "segment":
        if unit == "document" and score.labels is None:
            raise BadParameter("unit is document, but the test set has no document labels")
        return score.statistics
    numbers = {name: i for i, name in enumerate(dict.fromkeys(score.labels))}
    sums = np.zeros((len(numbers), score.statistics.shape[1]))
    np.add.at(sums, [numbers[label] for label in score.labels], score.statistics)
    return sums


def unit_of(score: Score, unit: str | None = None) -> str:
    """Return what the units of a test are: "document" or "segment"."""
    return unit or ("segment" if score.labels is None else "document")


def _difference(
    baseline: Score, system: Score, units: dict[str, Floats], test: PairedTest, p_value: float, **more: Any
) -> Difference:
    """Fill in what all tests have in common."""
    difference = system.score - baseline.score
    rows = units[system.system], units[baseline.system]
    differing = int((rows[0] != rows[1]).any(axis=1).sum())
    fields: dict[str, Any] = {
        "better": bool(system.metric.sign * difference > 0) if difference else None,
        "testable": 2.0 ** (1 - differing) <= test.alpha,
        "details": {},
    }
    names = str(system.metric), baseline.system, system.system
    return Difference(
        *names,
        difference,
        p_value=p_value,
        unit=unit_of(system, test.unit),
        units=len(rows[0]),
        differing=differing,
        **(fields | more),
    )


# --- randomization ---


def _randomization(pairs: Sequence[ScorePair], units: dict[str, Floats], test: PairedTest) -> list[Difference]:
    # The sums over swapped units are linear in the statistics: computed per system, they serve every pair.
    draws = test.n_resamples or DEFAULT_RESAMPLES[test.name]
    width = next(iter(units.values())).shape[1]
    results: dict[int, Difference] = {}
    for places in _tile_pairs(pairs, max(2, _MOST_SUMS // (draws * width))):
        names = list(dict.fromkeys(score.system for place in places for score in pairs[place]))
        random = swap_randomly(np.concatenate([units[name] for name in names], axis=1), draws, test.seed, test.jobs)
        swapped = {name: random[:, i * width : (i + 1) * width] for i, name in enumerate(names)}
        swap = partial(_swap, units=units, swapped=swapped, test=test)
        tested = map_ordered(swap, [pairs[place] for place in places], len(places), test.jobs)
        results.update(zip(places, tested, strict=True))
    return [results[place] for place in range(len(pairs))]


def _tile_pairs(pairs: Sequence[ScorePair], most: int) -> list[list[int]]:
    """Return the places of the pairs in groups, such that a group has at most `most` systems."""
    number = {name: i for i, name in enumerate(dict.fromkeys(score.system for pair in pairs for score in pair))}
    if len(number) <= most:
        return [list(range(len(pairs)))]
    tiles: dict[tuple[int, ...], list[int]] = {}
    for place, pair in enumerate(pairs):
        tiles.setdefault(tuple(sorted(number[score.system] // (most // 2) for score in pair)), []).append(place)
    return list(tiles.values())


def _swap(pair: ScorePair, units: dict[str, Floats], swapped: dict[str, Floats], test: PairedTest) -> Difference:
    """Test one pair, from the sums over random units of each system."""
    baseline, system = pair
    rows, others = units[system.system], units[baseline.system]
    differing = np.flatnonzero((rows != others).any(axis=1))
    observed, rounding = system.score - baseline.score, _rounding(baseline, system)
    draws = len(swapped[system.system])
    if len(differing) <= ENUMERATED:
        null = _score_swapped(baseline, system, _all_swaps(rows[differing] - others[differing]))
        p, exact = count_extreme(null, observed, rounding) / len(null), True
    else:
        null, exact = np.empty(0), False
        for first, last in pairwise([0, *range(_FIRST_DRAWS, draws, _DRAWS_TOGETHER), draws]):
            gained = swapped[system.system][first:last] - swapped[baseline.system][first:last]
            null = np.concatenate([null, _score_swapped(baseline, system, gained)])
            if last < test.resolution and _is_clear(null, observed, len(rows), test.resolution):
                break  # no other draw would matter
        extreme = count_extreme(null, observed, rounding)
        p = (1 + extreme) / (1 + len(null))
        if not extreme and len(null) < test.resolution:  # as if none of `resolution` draws were extreme
            p = min(p, max(_tail_bound(null, observed), 1 / (1 + test.resolution)))
    enough = exact or draws >= SPREAD_DRAWS
    null_error = _null_error(null, observed, len(rows)) if enough else math.nan
    return _difference(baseline, system, units, test, p, exact=exact, null_error=null_error)


def _score_swapped(baseline: Score, system: Score, gained: Floats) -> Floats:
    """Return the differences of the scores after swaps that take `gained` from the system's sums."""
    score = system.metric.score
    null: Floats = score(system.sums - gained) - score(baseline.sums + gained)
    return null


def _is_clear(null: Floats, observed: float, g: int, resolution: int) -> bool:
    """Return whether these draws suffice: none of the others would be extreme, and the spread is known well."""
    return _tail_bound(null, 0.9 * observed) * resolution < 1 and float(null.var()) > 2 * observed**2 / g


def _tail_bound(null: Floats, observed: float) -> float:
    """Return a bound of the exact p-value of all swaps, from the standard deviation of random ones.

    The difference of two means is a sum over units with random signs, whose tail is at most 3.178 times that of a
    normal distribution (Bentkus and Dzindzalieta 2015). For other metrics this is an approximation.
    """
    spread = math.sqrt(float(np.mean(null * null)))
    return 1.0 if spread == 0 else _RADEMACHER * math.erfc(abs(observed) / spread / math.sqrt(2))


def _all_swaps(differences: Floats) -> Floats:
    """Return the sums of all subsets of the rows, in 2**rows rows; the first is the empty subset."""
    sums = np.zeros((1, differences.shape[1]))
    for row in differences:
        sums = np.concatenate([sums, sums + row])
    return sums


def _null_error(null: Floats, observed: float, g: int) -> float:
    """Return the standard deviation that swapped differences would have if the systems were equal.

    Swapping g differences whose mean is not zero adds the square of the observed difference, divided by g, to the
    variance.
    """
    return math.sqrt(max(float(null.var()) - observed**2 / g, 0.0) * g / (g - 1)) if g > 1 else math.nan


def count_extreme(null: Floats, observed: float, rounding: float) -> int:
    """Count null differences at least as large as the observed one; one that cannot be computed counts as well."""
    return int((~(np.abs(null) < abs(observed) - rounding)).sum())


def _rounding(baseline: Score, system: Score) -> float:
    return _CLOSE * max(abs(baseline.score), abs(system.score))


# --- bootstrap ---


def _drawn_scores(units: dict[str, Floats], metric: Metric, n: int, test: PairedTest) -> dict[str, Floats]:
    """Return each system's corpus scores on the same resamples of units."""
    width = next(iter(units.values())).shape[1]
    sums = bootstrap(np.concatenate(list(units.values()), axis=1), n, test.seed, test.jobs)
    return {name: metric.score(sums[:, i * width : (i + 1) * width]) for i, name in enumerate(units)}


def _bootstrap(pairs: Sequence[ScorePair], units: dict[str, Floats], test: PairedTest) -> list[Difference]:
    def p_value(draws: Floats, observed: float, rounding: float) -> float:
        return (1 + count_extreme(draws - observed, observed, rounding)) / (1 + len(draws))

    return _resampled(pairs, units, test, p_value)


def _sacrebleu(pairs: Sequence[ScorePair], units: dict[str, Floats], test: PairedTest) -> list[Difference]:
    def p_value(draws: Floats, observed: float, rounding: float) -> float:
        sizes = np.abs(draws)
        return (1 + int((sizes - sizes.mean() > abs(observed)).sum())) / (1 + len(draws))

    return _resampled(pairs, units, test, p_value)


def _resampled(
    pairs: Sequence[ScorePair],
    units: dict[str, Floats],
    test: PairedTest,
    p_value: Callable[[Floats, float, float], float],
) -> list[Difference]:
    metric = pairs[0][0].metric
    scores = _drawn_scores(units, metric, test.n_resamples or DEFAULT_RESAMPLES[test.name], test)
    results = []
    for baseline, system in pairs:
        draws = scores[system.system] - scores[baseline.system]
        p = p_value(draws, system.score - baseline.score, _rounding(baseline, system))
        won = float((metric.sign * draws > 0).mean())
        results.append(_difference(baseline, system, units, test, p, details={"win_share": won}))
    return results


# --- intervals and detectable effects ---


def _spread(
    pairs: Sequence[ScorePair], results: Sequence[Difference], units: dict[str, Floats], test: PairedTest
) -> list[dict[str, Any]]:
    """Return the interval and the minimum detectable effects of each difference.

    A test rejects where the difference exceeds t(1 - alpha/2) standard deviations of its null distribution, and the
    difference varies by its standard error: an effect of t(1 - alpha/2) * null_error + t(power) * se is detected with
    that power. The two differ where a metric is not linear, as BLEU is not where one of two systems is too short.

    The interval is t * se to both sides, with the bootstrap's standard error. In simulations its coverage was .94 to
    .96 from 10 units on, where percentile and BCa intervals had .85 to .90 (docs/calibration.md).
    """
    metric = pairs[0][0].metric
    g = len(next(iter(units.values())))
    if g < 2:
        return [{} for _ in pairs]
    scores = _drawn_scores(units, metric, INTERVAL_DRAWS, test)
    t, t_power = t_quantile(1 - 0.05 / 2, g - 1), t_quantile(POWER, g - 1)
    t_alpha, t_holm = (t_quantile(1 - test.alpha / 2 / m, g - 1) for m in (1, len(pairs)))
    spread: list[dict[str, Any]] = []
    for (baseline, system), result in zip(pairs, results, strict=True):
        draws = scores[system.system] - scores[baseline.system]
        error = float(draws.std()) * math.sqrt(g / (g - 1))  # the bootstrap divides by g
        null_error = error if math.isnan(result.null_error) else result.null_error
        difference = system.score - baseline.score
        spread.append(
            {
                "interval": (difference - t * error, difference + t * error),
                "detectable": t_alpha * null_error + t_power * error,
                "detectable_holm": t_holm * null_error + t_power * error,
            }
        )
    return spread


# --- sign test ---


def _sign(pairs: Sequence[ScorePair], units: dict[str, Floats], test: PairedTest) -> list[Difference]:
    return [compare_signs(baseline, system, units, test) for baseline, system in pairs]


def compare_signs(baseline: Score, system: Score, units: dict[str, Floats], test: PairedTest) -> Difference:
    """Run the sign test in both directions and require that both agree.

    "The system is better" is shown only if its outputs improve the baseline *and* the baseline's outputs worsen the
    system, so the one-sided p-value is the larger of the two (an intersection-union test, Berger 1982). Two directions
    that contradict each other have p = 1.
    """
    rows, others = units[system.system], units[baseline.system]
    changes = _signs(baseline, others, rows), _signs(system, rows, others)
    forth, back = ({sign: int((change == sign).sum()) for sign in (1, -1, 0)} for change in changes)
    p_better = max(upper_tail_of_wins(forth[1], forth[-1]), upper_tail_of_wins(back[-1], back[1]))
    p_worse = max(upper_tail_of_wins(forth[-1], forth[1]), upper_tail_of_wins(back[1], back[-1]))
    direction = _sign_of(forth[1] - forth[-1]), _sign_of(back[-1] - back[1])
    agreed = 0 if direction[0] * direction[1] < 0 else direction[0] or direction[1]
    by_score = _sign_of(float(system.metric.sign * (system.score - baseline.score)))
    details: dict[str, float | bool] = {
        "improved": forth[1],
        "worsened": forth[-1],
        "unchanged": forth[0],
        "reverse_improved": back[1],
        "reverse_worsened": back[-1],
        "reverse_unchanged": back[0],
        "contradicts_itself": direction[0] * direction[1] < 0,
        "contradicts_scores": agreed * by_score < 0,
    }
    return _difference(
        *(baseline, system, units, test, min(1.0, 2 * min(p_better, p_worse))),
        better=agreed > 0 if agreed else None,
        exact=True,
        details=details,
    )


def _sign_of(number: float) -> int:
    return (number > 0) - (number < 0)


def segment_signs(baseline: Score, system: Score) -> NDArray[np.int8]:
    """Return for each segment 1 if the system's output raises the baseline's score, -1 if it lowers it, else 0."""
    return _signs(baseline, baseline.statistics, system.statistics)


def _signs(baseline: Score, rows: Floats, replacements: Floats) -> NDArray[np.int8]:
    metric = baseline.metric
    change = metric.sign * (metric.score(baseline.sums + (replacements - rows)) - baseline.score)
    # Where nothing changed, the sums are the same bit for bit; other equal scores may differ by rounding.
    small = _CLOSE * abs(baseline.score)
    return (change > small).astype(np.int8) - (change < -small).astype(np.int8)


def sign_test(wins: int, losses: int) -> float:
    """Return the exact two-sided p-value of so many wins and losses, if both are equally likely."""
    return min(1.0, 2.0 * upper_tail_of_wins(max(wins, losses), min(wins, losses)))


def upper_tail_of_wins(wins: int, losses: int) -> float:
    """Return the probability of at least so many wins in wins + losses fair tosses."""
    n = wins + losses
    if 2 * wins <= n:  # the sum over the other tail is shorter and as exact
        return 1.0 - (upper_tail_of_wins(n - wins + 1, wins - 1) if wins else 0.0)
    terms = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in range(losses + 1)]
    return min(1.0, math.fsum(math.exp(term - n * math.log(2)) for term in terms))


_TESTS = {"randomization": _randomization, "bootstrap": _bootstrap, "sign": _sign, "sacrebleu": _sacrebleu}


# --- groups ---


@dataclass(frozen=True)
class SystemGroups:
    """The order that the tests of one metric allow.

    groups
        Systems from best to worst. A boundary between two groups means that every system before it is significantly
        better than every system after it, each pair by a test of its own.
    ranks
        For each system the range of ranks that the tests allow: 1 plus the number of systems significantly better, to
        the number of systems minus those significantly worse.
    """

    metric: str
    groups: tuple[tuple[str, ...], ...]
    ranks: dict[str, tuple[int, int]]


def group_systems(scores: Sequence[Score], differences: Sequence[Difference]) -> SystemGroups:
    """Group the systems of one metric. `differences` are the tests of all pairs under it."""
    metric = scores[0].metric
    order = [score.system for score in sorted(scores, key=lambda score: _descending(metric.sign * score.score))]
    above: set[tuple[str, str]] = set()
    for test in differences:
        if test.significant and test.better is not None:
            above.add((test.system, test.baseline) if test.better else (test.baseline, test.system))
    n = len(order)
    ranks = {
        name: (1 + sum((other, name) in above for other in order), n - sum((name, other) in above for other in order))
        for name in order
    }
    cuts = [k for k in range(n) if all((better, worse) in above for better in order[:k] for worse in order[k:])]
    groups = tuple(tuple(order[first:last]) for first, last in pairwise([*cuts, n]))
    return SystemGroups(str(metric), groups, ranks)


def _descending(score: float) -> float:
    return math.inf if math.isnan(score) else -score
