"""Charts of a payload: figures for papers, and small charts for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tarocco.render.plots.charts import curves, dots, heat_map

SHOWN = 8  # curves in a figure: more cannot be distinguished
Payload = Mapping[str, Any]
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Figure:
    """A chart, its place, and a description."""

    name: str  # of its file
    section: str  # of the page
    title: str
    description: str  # for readers who cannot see the chart
    chart: Any
    panels: tuple[Figure, ...] = ()  # smaller charts that the page shows instead


def figures_of(payload: Payload) -> Iterator[Figure]:
    """Yield all charts of a payload."""
    for make in (_board, _agreement, _orange, _king, _path, _people, _references, _breakdowns):
        yield from make(payload)


# --- systems ---------------------------------------------------------------------------------------------------------


def _board(payload: Payload) -> Iterator[Figure]:
    board = payload.get("board")
    if not board:
        return
    rows = [_dot(score["system"], score["metric"], score["score"], score.get("interval")) for score in board["scores"]]
    of = metrics_by_name(payload)
    note = _intervals(board)
    options: dict[str, Any] = {
        "lower_is_better": [name for name, metric in of.items() if metric["kind"] == "error"],
        "scales": {name: metric["scale"] for name, metric in of.items()},
    }

    def describe(name: str, group: Rows) -> str:
        return f"{name} of each system: " + _listed(group, of[name]["scale"], of[name]["digits"])

    panels = _panels(rows, "board", "systems", str, describe, **options)
    description = f"Scores of {', '.join(dict.fromkeys(row['system'] for row in rows))} by {', '.join(of)}"
    chart = dots(rows, **options, note=note, description=description)
    yield Figure("systems", "systems", "Systems under every metric", description, chart, panels)


def _breakdowns(payload: Payload) -> Iterator[Figure]:
    of = metrics_by_name(payload)
    for number, breakdown in enumerate(payload.get("breakdowns", ())):
        for name, table in breakdown["scores"].items():
            rows = [
                _dot(system, f"{part} ({size})", table[i][j])
                for i, (part, size) in enumerate(zip(breakdown["parts"], breakdown["sizes"], strict=True))
                for j, system in enumerate(breakdown["systems"])
            ]
            scale = of.get(name, {}).get("scale", 1)
            description = f"{name} by {breakdown['by']}; in brackets the number of segments"
            scaled = [{**row, "score": None if row["score"] is None else scale * row["score"]} for row in rows]
            chart = dots(scaled, one_range=True, note=description, description=description)
            yield Figure(f"breakdown-{number + 1}-{_file(name)}", "", description, description, chart)


# --- metrics ---------------------------------------------------------------------------------------------------------


def _agreement(payload: Payload) -> Iterator[Figure]:
    alike = payload.get("agreement")
    if not alike or len(alike["metrics"]) < 2:
        return
    description = (
        f"How similarly {', '.join(alike['metrics'])} rank segments: rank correlations, similar metrics side by side"
    )
    chart = heat_map(alike["metrics"], alike["correlation"], legend="correlation", description=description)
    yield Figure("agreement", "agreement", "Metrics that give similar scores", description, chart)


def _orange(payload: Payload) -> Iterator[Figure]:
    part = payload.get("orange")
    if not part:
        return
    rows = [
        _dot(metric["metric"], "ORANGE", metric["orange"], metric["orange_interval"])
        for metric in part["metrics"]
        if metric["orange"] is not None
    ]
    if not rows:
        return
    description = "ORANGE of each metric, in percent, lower is better: " + _listed(rows, 100, 2)
    options: dict[str, Any] = {"lower_is_better": ["ORANGE"], "scales": {"ORANGE": 100}, "description": description}
    bare = dots(rows, **options)
    panel = Figure("orange", "orange", "ORANGE of each metric", description, bare)
    yield replace(panel, chart=dots(rows, **options, note=_intervals(part)), panels=(panel,))
    points = [
        {"series": metric["metric"], "x": length, "y": 100 * value}
        for metric in part["metrics"][:SHOWN]
        for length, value in metric.get("curve", ())
        if value is not None
    ]
    if points:
        description = "ORANGE over the length of the n-best list, in percent: " + ", ".join(
            f"{metric['metric']} ends at {100 * metric['curve'][-1][1]:.2f}"
            for metric in part["metrics"][:SHOWN]
            if metric.get("curve") and metric["curve"][-1][1] is not None
        )
        chart = curves(
            points,
            x_title="length of the n-best list",
            y_title="ORANGE (%), lower is better",
            log_x=max(point["x"] for point in points) >= 100 * min(point["x"] for point in points),
            description=description,
        )
        title = "ORANGE as lists grow longer"
        yield Figure("orange-curves", "orange", title, description, chart)


def _king(payload: Payload) -> Iterator[Figure]:
    part = payload.get("king")
    if not part:
        return
    of_sets = {
        f"all {len(entry['metrics'])} together" if len(entry["metrics"]) > 1 else entry["metrics"][0]: entry
        for entry in part["sets"]
    }
    rows = [
        _dot(name, kind, entry[key], entry[between])
        for kind, key, between in (("KING", "king", "interval"), ("strict KING", "strict_king", "strict_interval"))
        for name, entry in of_sets.items()
    ]
    description = "KING of each metric, higher is better: " + _listed(
        [row for row in rows if row["metric"] == "KING"], 1, 3
    )
    panels = _panels(rows, "king", "king", str, lambda _kind, _group: description)
    chart = dots(
        rows,
        one_range=True,
        note=_intervals(part),
        description=description,
    )
    yield Figure("king", "king", "KING and strict KING of each metric", description, chart, panels)


def _path(payload: Payload) -> Iterator[Figure]:
    path = (payload.get("optimal") or {}).get("path", ())
    if not path:
        return
    rows = [
        {"series": kind, "x": step, "y": record[key]}
        for kind, key in (("KING", "king"), ("strict KING", "strict_king"))
        for step, record in enumerate(path, start=1)
        if record[key] is not None
    ]
    steps = [
        f"{step}: {record['metric']} ({record['king']:.3f})"
        for step, record in enumerate(path, start=1)
        if record["king"]
    ]
    description = "KING of the set as metrics are added, " + ", ".join(steps)
    chart = curves(rows, x_title="metrics in the set", y_title="KING", description=description)
    yield Figure("king-path", "optimal", "The best set of metrics, step by step", description, chart)


def _people(payload: Payload) -> Iterator[Figure]:
    for number, part in enumerate(payload.get("people", ())):
        title = f"{part['coefficient'].capitalize()} correlation with people, {part['level']} level"
        rows = [
            _dot(metric["metric"], metric["criterion"], metric["value"], metric["interval"])
            for metric in part["metrics"]
            if not metric["sentinel"] and metric["value"] is not None
        ]
        if not rows:
            continue
        section, titled = f"people-{number}", f"{part['level']} level: {{}}".format
        panels = _panels(rows, section, section, titled, partial(_describe_agreement, title))
        chart = dots(rows, one_range=True, note=_intervals(part), description=title)
        name = f"people-{part['level']}" + (f"-{part['grouping']}" if part["grouping"] != "none" else "")
        yield Figure(name, section, title, title, chart, panels)


def _describe_agreement(title: str, criterion: str, group: Rows) -> str:
    return f"{title} ({criterion}): {_listed(group, 1, 3)}"


def _references(payload: Payload) -> Iterator[Figure]:
    part = payload.get("curves")
    if not part:
        return
    scale = 100 if part["lower_is_better"] else 1
    rows = [
        {
            "series": metric["metric"],
            "x": point["references"],
            "y": scale * point["mean"],
            **(
                {"low": scale * (point["mean"] - point["std"]), "high": scale * (point["mean"] + point["std"])}
                if point["n_subsets"] > 1 and point["std"] is not None
                else {"low": scale * point["mean"], "high": scale * point["mean"]}
            ),
        }
        for metric in part["metrics"][:SHOWN]
        for point in metric["curve"]
        if point["mean"] is not None
    ]
    if not rows:
        return
    description = f"{part['judged_by']} over the number of references. " + ". ".join(part["advice"])
    y_title = part["judged_by"] + " (%), lower is better" * part["lower_is_better"]
    chart = curves(rows, x_title="number of references", y_title=y_title, description=description)
    yield Figure("references", "references", "More references", description, chart)


# --- shared by charts ------------------------------------------------------------------------------------------------


def _panels(
    rows: Rows,
    name: str,
    section: str,
    title: Callable[[str], str],
    describe: Callable[[str, Rows], str],
    **options: Any,
) -> tuple[Figure, ...]:
    """Return one chart per metric."""
    panels = []
    for number, metric in enumerate(dict.fromkeys(row["metric"] for row in rows)):
        group = [row for row in rows if row["metric"] == metric]
        description = describe(metric, group)
        chart = dots(group, **options, description=description)
        panels.append(Figure(f"{name}-{number}", section, title(metric), description, chart))
    return tuple(panels)


def metrics_by_name(payload: Payload) -> dict[str, Any]:
    """Return the metrics of a payload by name."""
    return {metric["name"]: metric for metric in payload.get("metrics", ())}


def _dot(system: str, metric: str, score: float | None, interval: list[float | None] | None = None) -> dict[str, Any]:
    low, high = interval or (None, None)
    return {"system": system, "metric": metric, "score": score, "low": low, "high": high}


def _listed(rows: Rows, scale: float, digits: int) -> str:
    return ", ".join(
        f"{row['system']} {'no score' if row['score'] is None else format(scale * row['score'], f'.{digits}f')}"
        for row in rows
    )


def _intervals(part: Mapping[str, Any]) -> str:
    """Return a note on the intervals of a part of the report."""
    confidence, units = part.get("confidence"), part.get("units", "segments")
    return f"Lines: {100 * confidence:g}% bootstrap intervals over {units}" if confidence else ""


def _file(name: str) -> str:
    return "".join(character if character.isalnum() or character in "-.+" else "_" for character in name)


# --- for the page ----------------------------------------------------------------------------------------------------


def page_charts(payload: Payload) -> list[dict[str, Any]]:
    """Return Vega-Lite specifications that adapt to the width of the page."""
    shown = [panel for figure in figures_of(payload) if figure.section for panel in figure.panels or (figure,)]
    return [
        {
            "name": panel.name,
            "section": panel.section,
            "title": panel.title,
            "description": panel.description,
            "spec": _fitting(panel.chart),
        }
        for panel in shown
    ]


def _fitting(chart: Any) -> dict[str, Any]:
    """Return a specification without a title, as wide as its container where possible."""
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
    spec.pop("description", None)  # the page has it as the label of the image
    return spec
