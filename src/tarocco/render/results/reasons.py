"""Why metrics are not supported, as lines below a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def list_reasons(reasons: Mapping[str, Sequence[str]]) -> list[str]:
    """Return one line per reason, with the metrics that it holds for; `reasons` are by metric."""
    metrics: dict[str, list[str]] = {}
    for metric, of_metric in reasons.items():
        for reason in of_metric:
            metrics.setdefault(reason, []).append(metric)
    return [f"{reason}: {', '.join(names)}" for reason, names in metrics.items()]
