"""Do n-best lists (ORANGE) or human references (KING) support a metric? Supported, refuted or open.

Both judges give a metric one number per segment, from 0 to 1, and rest on one assumption: human translations are better
than machine translations. ORANGE's number is the share of candidates that the references outrank; KING's is the share
of references that beat every system. The rules are those of `people`: better than chance, within a margin of the best
metric, above a floor. Segments are redrawn, or documents where they are known; the statement is about such segments.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tarocco.meta.support.decision import (
    Evidence,
    Support,
    SupportRules,
    decide,
    describe_needed,
    group_units,
    step_down_max,
    sum_groups,
)
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import count_draws

SUCH_SEGMENTS = "such segments"


def judge_by_segments(
    names: Sequence[str],
    values: Floats,
    chance: Floats,
    *,
    judge: str,
    coefficient: str,
    floor: float,
    labels: Sequence[str] | None = None,
    rules: SupportRules | None = None,
) -> list[Support]:
    """Judge metrics by numbers per segment.

    `values` and `chance` are [metrics, segments]: what the judge measured, and what it expects of a metric that cannot
    tell human from machine translations. `floor` is the least mean that deserves trust.
    """
    rules = rules or SupportRules()
    groups = group_units(values.shape[1], labels, rules.seed)
    sizes = sum_groups(np.ones((1, values.shape[1])), groups)[:, 0]
    redrawn = count_draws(len(sizes), rules.seed, 0, rules.n_draws).astype(float)
    totals = redrawn @ sizes
    draws = np.round((redrawn @ sum_groups(values, groups)) / totals[:, None], 10)
    excess = np.round((redrawn @ sum_groups(values - chance, groups)) / totals[:, None], 10)
    observed, above = values.mean(axis=1), (values - chance).mean(axis=1)
    p_values = {"better than chance": _p_above_chance(above, excess, len(sizes))}
    evidence = Evidence(observed, draws, p_values, rules.system_margin, floor)
    spreads, rooms = evidence.spread(rules.alpha), evidence.margin - evidence.observed_gaps()
    needed = [
        describe_needed(room, spread, spread, (0, values.shape[1])) for room, spread in zip(rooms, spreads, strict=True)
    ]
    about = {"judge": judge, "criterion": "", "level": "segment", "coefficient": coefficient}
    return decide(names, evidence, rules, needed, population=SUCH_SEGMENTS, **about)


def _p_above_chance(observed: Floats, draws: Floats, units: int) -> Floats:
    """Return one-sided p-values of "the mean exceeds chance", corrected for the number of metrics.

    The draws, shifted to a center of zero, are the null distribution of the mean; each metric's is divided by its
    standard error, so that the maximum over metrics is not that of the noisiest.
    """
    errors = draws.std(axis=0) * math.sqrt(units / max(units - 1, 1))
    known = errors > 0
    scale = np.where(known, errors, 1.0)
    statistics = np.where(known, observed / scale, np.where(observed > 0, np.inf, -np.inf))
    null = np.where(known, (draws - observed) / scale, 0.0)
    return step_down_max(statistics, null, exact=False)
