"""Sets of metrics as a user names them."""

from __future__ import annotations

from collections.abc import Sequence

from tarocco.core.errors import BadParameter, UnknownName
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metric as find_metric

MetricSets = Sequence[Sequence[str | Metric]]


def members_first(sets: MetricSets) -> list[str | Metric]:
    """The metrics of all sets that are computed, each once; other names may be those of scores made elsewhere."""
    found: dict[str, Metric] = {}
    for one in _members(sets):
        try:
            metric = find_metric(one)
        except UnknownName:
            continue
        found.setdefault(str(metric), metric)
    return list(found.values())


def chosen_sets(sets: MetricSets | None, metrics: Sequence[Metric]) -> tuple[list[Metric], list[list[int]] | None]:
    """The metrics that sets are made of, and the sets by their numbers; all metrics and None without any sets."""
    if sets is None:
        return list(metrics), None
    places = {str(metric): place for place, metric in enumerate(metrics)}

    def place(one: str | Metric) -> int:
        name = one if isinstance(one, str) and one in places else str(find_metric(one))
        if name not in places:
            raise UnknownName(f"{name} is not among the metrics; there are {', '.join(places)}")
        return places[name]

    numbered = [list(dict.fromkeys(place(one) for one in members)) for members in _checked(sets)]
    used = list(dict.fromkeys(number for members in numbered for number in members))
    return [metrics[number] for number in used], [[used.index(number) for number in members] for members in numbered]


def _members(sets: MetricSets) -> list[str | Metric]:
    return [one for members in _checked(sets) for one in members]


def _checked(sets: MetricSets) -> MetricSets:
    if isinstance(sets, str) or any(isinstance(members, str | Metric) for members in sets):
        raise BadParameter('sets are lists of lists, such as [["NIST-3", "1-WER"], ["ROUGE-L"]]')
    if not sets or not all(sets):
        raise BadParameter("a set of metrics has at least one")
    return sets
