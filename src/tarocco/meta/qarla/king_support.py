"""Does KING support a metric? By strict KING of each segment, beyond chance: supported, refuted or open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarocco.meta.qarla.results import King, set_name
from tarocco.meta.support.decision import Support, SupportRules
from tarocco.meta.support.segments import CHANCE, SegmentValues, judge_by_segments
from tarocco.metrics.base import Floats

KING_MARGIN = 0.05  # strict KING must be above chance by this, and may be below the best metric's by as much


def judge_kings(
    kings: Sequence[King], by_length: Floats | None, labels: Sequence[str] | None, rules: SupportRules
) -> list[Support]:
    """Return what KING says of each set of metrics."""
    values = np.stack([king.strict_segments for king in kings])
    chance = np.stack([_chance_of(king) for king in kings])
    usable = np.flatnonzero(~np.all(np.isnan(values), axis=0)).tolist()  # other segments have too few references
    measured = SegmentValues([set_name(king) for king in kings], values, chance, by_length).select(usable)
    if labels is not None:
        labels = [labels[segment] for segment in usable]
    about = {"judge": "KING", "coefficient": "strict KING"}
    return judge_by_segments(measured, **about, margin=KING_MARGIN, labels=labels, rules=rules)


def _chance_of(king: King) -> Floats:
    assert king.chance_segments is not None
    return np.where(np.isnan(king.strict_segments), np.nan, king.chance_segments)


def judge_sets(
    kings: Sequence[King], by_length: Floats | None, labels: Sequence[str] | None, rules: SupportRules
) -> list[King]:
    """Return the sets with their status: single metrics among single metrics, larger sets among all sets.

    `labels` are the documents of the segments, if known.
    """
    alone = [king for king in kings if len(king.metrics) == 1]
    if all(np.isnan(king.strict_segments).all() for king in kings):
        return list(kings)
    supports = {}
    if len(alone) < len(kings):
        supports = {king.metric: king for king in judge_kings(kings, by_length, labels, rules)}
    if alone:
        supports |= {king.metric: king for king in judge_kings(alone, by_length, labels, rules)}
    return [
        replace(king, status=support.status, reasons=support.reasons, p_value=support.p_values[CHANCE])
        for king in kings
        for support in [supports[set_name(king)]]
    ]
