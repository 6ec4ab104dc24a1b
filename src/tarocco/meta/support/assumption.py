"""Are people's translations better than the systems'? ORANGE and KING rest on that, and human scores can test it.

Where people also judged references, each system is compared with them on the segments that both have: a reference's
score minus the system's, on average over references and segments. Segments, or documents where known, are redrawn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tarocco.core.records import Record
from tarocco.meta.correlation.agreement import mid_ranks
from tarocco.meta.correlation.score_sources import ScoreSource
from tarocco.meta.support.decision import OPEN, REFUTED, SUPPORTED, SupportRules
from tarocco.meta.support.segments import LEAST_UNITS, MeanDraws, p_above_zero
from tarocco.metrics.base import Floats

MOST_CHOICES = 200_000  # of references among all judged texts that are enumerated


@dataclass(frozen=True, eq=False)
class HumanAdvantage(Record):
    """What human scores say of "people's translations are better than the systems'".

    `differences` are the references' mean score minus each system's. `worse` are the systems that were shown to be
    worse than the references, `better` those shown to be better; both are corrected for the number of systems. The
    assumption is supported if every system is worse, refuted if any is better, and open otherwise. Without scores of
    segments, `p_value` is that of a rank test of all references against all systems.
    """

    references: tuple[str, ...]
    differences: Mapping[str, float]
    worse: tuple[str, ...]
    better: tuple[str, ...]
    status: str
    sentence: str
    p_value: float | None = None


def check_assumption(
    people: ScoreSource,
    names: Sequence[str],
    references: Sequence[str],
    labels: Sequence[str] | None = None,
    rules: SupportRules | None = None,
) -> HumanAdvantage | None:
    """Compare references and systems that people judged; None if they judged no reference or no system.

    `names` are those of the judged texts, in the order of `people`; `references` are the ones that people wrote, and
    `labels` the documents of the segments.
    """
    rules = rules or SupportRules()
    written = [i for i, name in enumerate(names) if name in set(references)]
    systems = [i for i, name in enumerate(names) if name not in set(references)]
    if not written or not systems:
        return None
    ours = tuple(names[i] for i in written)
    theirs = [names[i] for i in systems]
    if people.statistics is None:
        return _compare_means(people.systems[written], people.systems[systems], ours, theirs, rules.alpha)
    scores = people.segments
    pairs = scores[written][:, None] - scores[systems][None]  # [references, systems, segments]
    known = ~np.isnan(pairs)
    rows = np.full(pairs.shape[1:], np.nan)
    np.divide(np.where(known, pairs, 0.0).sum(axis=0), known.sum(axis=0), out=rows, where=known.any(axis=0))
    means = MeanDraws(rows, labels, rules.seed)
    observed, draws = means.observed(), means.redraw(rules.seed, rules.n_draws)
    enough = means.units >= LEAST_UNITS
    worse = enough & (p_above_zero(observed, draws, means.units) <= rules.alpha)
    better = enough & (p_above_zero(-observed, -draws, means.units) <= rules.alpha)
    status = REFUTED if better.any() else SUPPORTED if worse.all() else OPEN
    differences = dict(zip(theirs, observed.tolist(), strict=True))
    shown_worse, shown_better = (
        tuple(name for name, is_shown in zip(theirs, shown, strict=True) if is_shown) for shown in (worse, better)
    )
    counts = f"{len(shown_worse)} of {len(theirs)} systems are shown to be worse, {len(shown_better)} to be better"
    return HumanAdvantage(ours, differences, shown_worse, shown_better, status, _describe(ours, status, counts))


def _compare_means(
    of_references: Floats, of_systems: Floats, ours: tuple[str, ...], theirs: Sequence[str], alpha: float
) -> HumanAdvantage:
    """Compare scores of whole texts by their ranks: no difference between two of them can be tested."""
    ranks = mid_ranks(np.concatenate([of_references, of_systems])[None])[0]
    r = len(of_references)
    observed = ranks[:r].sum()
    p_value = math.nan
    if math.comb(len(ranks), r) <= MOST_CHOICES:
        choices = [ranks[list(chosen)].sum() for chosen in combinations(range(len(ranks)), r)]
        p_value = float(np.mean(np.array(choices) >= observed - 1e-9))
    status = SUPPORTED if p_value <= alpha and of_references.min() > of_systems.max() else OPEN
    differences = dict(zip(theirs, (of_references.mean() - of_systems).tolist(), strict=True))
    lower = sum(difference > 0 for difference in differences.values())
    counts = f"{lower} of {len(theirs)} systems score lower; scores of whole systems test no single system"
    return HumanAdvantage(ours, differences, (), (), status, _describe(ours, status, counts), p_value)


def _describe(references: Sequence[str], status: str, counts: str) -> str:
    verdicts = {
        SUPPORTED: "people's translations are better than the systems', as ORANGE and KING assume",
        REFUTED: "people's translations are not better than every system's: ORANGE and KING assume what is false here",
        OPEN: "it is open whether people's translations are better than the systems', as ORANGE and KING assume",
    }
    return f"{verdicts[status]} (against {', '.join(references)}, {counts})"
