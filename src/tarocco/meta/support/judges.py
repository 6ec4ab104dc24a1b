"""What ORANGE and KING say of each metric, with the documents and the rules of a trial."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarocco.meta.orange.results import OrangeResult, judge_orange, measure_lists
from tarocco.meta.qarla.king_support import judge_kings
from tarocco.meta.qarla.results import KingResult
from tarocco.meta.support.decision import Support, SupportRules


def support_orange(
    result: OrangeResult, labels: Sequence[str] | None = None, rules: SupportRules | None = None
) -> list[Support]:
    """Return what ORANGE says of each metric, the best first. `labels` are the documents of all segments."""
    ranks = np.stack([metric.ranks for metric in result.metrics])
    by_chance = np.stack([metric.chance_ranks for metric in result.metrics])
    sizes = result.sizes.astype(np.float64) + 1.0
    measured = measure_lists(list(result), ranks, by_chance, result.length_ranks, sizes)
    of_lists = None if labels is None else [labels[segment] for segment in result.segments]
    return judge_orange(measured, of_lists, rules or SupportRules())


def support_king(
    result: KingResult, labels: Sequence[str] | None = None, rules: SupportRules | None = None
) -> list[Support]:
    """Return what KING says of each metric alone; none at system level, where each reference is a single case."""
    alone = [metric for metric in result if len(metric.metrics) == 1 and metric.status]
    if not alone:
        return []
    of_segments = None if labels is None else [labels[segment] for segment in result.setup.segments]
    return judge_kings(alone, result.length_segments, of_segments, rules or SupportRules())
