"""Charts of a payload: whole figures for papers, and small ones that fit a phone for the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tarocco.render.plots.charts import curves, dots, heat_map

SHOWN = 8  # curves in a figure: more cannot be told apart
Payload = Mapping[str, Any]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Figure:
    """A chart, where it belongs, and what it shows in words."""

    name: str  # of its file
    section: str  # of the page
    title: str
    told: str  # the same for readers who cannot see it
    chart: Any
    panels: tuple[Figure, ...] = ()  # what the page shows in its place, where that is not the chart itself


def figures(payload: Payload) -> Iterator[Figure]:
    """Everything that there is to draw."""
    for make in (_board, _agreement, _orange, _king, _path, _people, _references, _breakdowns):
        yield from make(payload)


# --- systems ---------------------------------------------------------------------------------------------------------


def _board(payload: Payload) -> Iterator[Figure]:
    board = payload.get("board")
    if not board:
        return
    rows = [_dot(one["system"], one["metric"], one["score"], one.get("interval")) for one in board["scores"]]
    of = _metrics(payload)
    note = _intervals(board.get("confidence"))
    options: dict[str, Any] = {
        "lower_is_better": [name for name, metric in of.items() if metric["kind"] == "error"],
        "scales": {name: metric["scale"] for name, metric in of.items()},
    }
    panels = []
    for number, name in enumerate(dict.fromkeys(row["metric"] for row in rows)):
        own = [row for row in rows if row["metric"] == name]
        told = f"{name} of each system: " + _listed(own, of[name]["scale"], of[name]["digits"])
        panels.append(Figure(f"board-{number}", "systems", name, told, dots(own, **options, description=told)))
    told = f"Scores of {', '.join(dict.fromkeys(row['system'] for row in rows))} by {', '.join(of)}"
    chart = dots(rows, **options, note=note, description=told)
    yield Figure("systems", "systems", "Systems under every metric", told, chart, tuple(panels))


def _breakdowns(payload: Payload) -> Iterator[Figure]:
    of = _metrics(payload)
    for number, one in enumerate(payload.get("breakdowns", ())):
        for name, table in one["scores"].items():
            rows = [
                _dot(system, f"{part} ({size})", table[i][j])
                for i, (part, size) in enumerate(zip(one["parts"], one["sizes"], strict=True))
                for j, system in enumerate(one["systems"])
            ]
            scale = of.get(name, {}).get("scale", 1)
            told = f"{name} by {one['by']}; in brackets the number of segments"
            scaled = [{**row, "score": None if row["score"] is None else scale * row["score"]} for row in rows]
            chart = dots(scaled, one_range=True, note=told, description=told)
            yield Figure(f"breakdown-{number + 1}-{_file(name)}", "", told, told, chart)


# --- metrics ---------------------------------------------------------------------------------------------------------


def _agreement(payload: Payload) -> Iterator[Figure]:
    alike = payload.get("agreement")
    if not alike or len(alike["metrics"]) < 2:
        return
    told = (
        f"How alike {', '.join(alike['metrics'])} rank segments: rank correlations, metrics that are alike side by side"
    )
    chart = heat_map(alike["metrics"], alike["correlation"], legend="correlation", description=told)
    yield Figure("agreement", "agreement", "Metrics that judge alike", told, chart)


def _orange(payload: Payload) -> Iterator[Figure]:
    part = payload.get("orange")
    if not part:
        return
    rows = [
        _dot(one["metric"], "ORANGE", one["orange"], one["orange_interval"])
        for one in part["metrics"]
        if one["orange"] is not None
    ]
    if not rows:
        return
    told = "ORANGE of each metric, in percent, lower is better: " + _listed(rows, 100, 2)
    options: dict[str, Any] = {"lower_is_better": ["ORANGE"], "scales": {"ORANGE": 100}, "description": told}
    bare = dots(rows, **options)
    panel = Figure("orange", "orange", "ORANGE of each metric", told, bare)
    yield Figure(*_named(panel), dots(rows, **options, note=_intervals(part["confidence"])), (panel,))
    points = [
        {"series": one["metric"], "x": length, "y": 100 * value}
        for one in part["metrics"][:SHOWN]
        for length, value in one.get("curve", ())
        if value is not None
    ]
    if points:
        told = "ORANGE over the length of the n-best list, in percent: " + ", ".join(
            f"{one['metric']} ends at {100 * one['curve'][-1][1]:.2f}"
            for one in part["metrics"][:SHOWN]
            if one.get("curve") and one["curve"][-1][1] is not None
        )
        chart = curves(
            points,
            x_title="length of the n-best list",
            y_title="ORANGE (%), lower is better",
            log_x=max(point["x"] for point in points) >= 100 * min(point["x"] for point in points),
            description=told,
        )
        title = "ORANGE as lists grow longer"
        yield Figure("orange-curves", "orange", title, told, chart)


def _king(payload: Payload) -> Iterator[Figure]:
    part = payload.get("king")
    if not part:
        return
    of_sets = {
        f"all {len(one['metrics'])} together" if len(one["metrics"]) > 1 else one["metrics"][0]: one
        for one in part["sets"]
    }
    rows = [
        _dot(name, kind, one[key], one[between])
        for kind, key, between in (("KING", "king", "interval"), ("strict KING", "strict_king", "strict_interval"))
        for name, one in of_sets.items()
    ]
    told = "KING of each metric, higher is better: " + _listed([row for row in rows if row["metric"] == "KING"], 1, 3)
    panels = tuple(
        Figure(
            f"king-{number}", "king", kind, told, dots([row for row in rows if row["metric"] == kind], description=told)
        )
        for number, kind in enumerate(("KING", "strict KING"))
    )
    chart = dots(rows, one_range=True, note=_intervals(part["confidence"]), description=told)
    yield Figure("king", "king", "KING and strict KING of each metric", told, chart, panels)


def _path(payload: Payload) -> Iterator[Figure]:
    path = (payload.get("optimal") or {}).get("path", ())
    if not path:
        return
    rows = [
        {"series": kind, "x": step, "y": one[key]}
        for kind, key in (("KING", "king"), ("strict KING", "strict_king"))
        for step, one in enumerate(path, start=1)
        if one[key] is not None
    ]
    steps = [f"{step}: {one['metric']} ({one['king']:.3f})" for step, one in enumerate(path, start=1) if one["king"]]
    told = "KING of the set as metrics are added, " + ", ".join(steps)
    chart = curves(rows, x_title="metrics in the set", y_title="KING", description=told)
    yield Figure("king-path", "optimal", "The best set of metrics, step by step", told, chart)


def _people(payload: Payload) -> Iterator[Figure]:
    for number, part in enumerate(payload.get("people", ())):
        title = f"{part['coefficient'].capitalize()} correlation with people, {part['level']} level"
        rows = [
            _dot(one["metric"], one["criterion"], one["value"], one["interval"])
            for one in part["metrics"]
            if not one["sentinel"] and one["value"] is not None
        ]
        if not rows:
            continue
        panels = []
        for at, criterion in enumerate(dict.fromkeys(row["metric"] for row in rows)):
            own = [row for row in rows if row["metric"] == criterion]
            told = f"{title} ({criterion}): {_listed(own, 1, 3)}"
            name = f"people-{number}-{at}"
            panels.append(
                Figure(
                    name, f"people-{number}", f"{part['level']} level: {criterion}", told, dots(own, description=told)
                )
            )
        chart = dots(rows, one_range=True, note=_intervals(part["confidence"]), description=title)
        name = f"people-{part['level']}" + (f"-{part['grouping']}" if part["grouping"] != "none" else "")
        yield Figure(name, f"people-{number}", title, title, chart, tuple(panels))


def _references(payload: Payload) -> Iterator[Figure]:
    part = payload.get("curves")
    if not part:
        return
    scale = 100 if part["lower_is_better"] else 1
    rows = [
        {
            "series": one["metric"],
            "x": point["references"],
            "y": scale * point["mean"],
            **(
                {"low": scale * (point["mean"] - point["std"]), "high": scale * (point["mean"] + point["std"])}
                if point["n_subsets"] > 1
                else {"low": scale * point["mean"], "high": scale * point["mean"]}
            ),
        }
        for one in part["metrics"][:SHOWN]
        for point in one["curve"]
        if point["mean"] is not None
    ]
    if not rows:
        return
    told = f"{part['judged_by']} over the number of references. " + ". ".join(part["advice"])
    y_title = part["judged_by"] + " (%), lower is better" * part["lower_is_better"]
    chart = curves(rows, x_title="number of references", y_title=y_title, description=told)
    yield Figure("references", "references", "More references", told, chart)


# --- what charts have in common --------------------------------------------------------------------------------------


def _metrics(payload: Payload) -> dict[str, Any]:
    return {one["name"]: one for one in payload.get("metrics", ())}


def _dot(system: str, metric: str, score: float | None, interval: list[float | None] | None = None) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {"system": system, "metric": metric, "score": score, "low": low, "high": high}


def _listed(rows: Rows, scale: float, digits: int) -> str:
    return ", ".join(
        f"{row['system']} {'no score' if row['score'] is None else format(scale * row['score'], f'.{digits}f')}"
        for row in rows
    )


def _intervals(confidence: float | None) -> str:
    return f"Lines: {100 * confidence:g}% bootstrap intervals over segments" if confidence else ""


def _named(one: Figure) -> tuple[str, str, str, str]:
    return one.name, one.section, one.title, one.told


def _file(name: str) -> str:
    return "".join(character if character.isalnum() or character in "-.+" else "_" for character in name)


# --- for the page ----------------------------------------------------------------------------------------------------


def page_charts(payload: Payload) -> list[dict[str, Any]]:
    """Specifications that take the width that they are given, for the page to draw."""
    shown = [panel for one in figures(payload) if one.section for panel in one.panels or (one,)]
    return [
        {"name": one.name, "section": one.section, "title": one.title, "told": one.told, "spec": _fitting(one.chart)}
        for one in shown
    ]


def _fitting(chart: Any) -> dict[str, Any]:
    """A specification without a title of its own, whose width is its container's where it can be."""
    spec: dict[str, Any] = chart.to_dict()
    if len(spec.get("concat", ())) == 1:
        (panel,) = spec.pop("concat")
        spec = {key: value for key, value in spec.items() if key not in ("columns", "spacing", "align")} | panel
        subtitle = spec.pop("title", {}).get("subtitle", "")
        if isinstance(subtitle, str) and subtitle.strip():
            spec["title"] = {"text": subtitle, "fontWeight": "normal"}
    spec["config"] = spec["config"] | {"background": None, "padding": 2}
    spec["config"]["legend"] = spec["config"]["legend"] | {"orient": "bottom", "columns": 3, "labelLimit": 130}
    if isinstance(spec.get("height"), dict) and not isinstance(spec.get("width"), dict):
        spec["height"] = spec["height"]["step"] * len(spec["layer"][1]["encoding"]["y"]["scale"]["domain"])
    if not isinstance(spec.get("width"), dict):
        spec["width"] = "container"
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec.pop("$schema", None)
    spec.pop("description", None)  # the page says it, in words that everybody gets
    return spec
