"""Charts and tables of a payload: figures and tables for papers, and small charts for the page."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from tarocco.render.plots.charts import curves, dots, heat_map
from tarocco.render.tables import Table, number_or_dash

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
    rows = [_dot(one["system"], one["metric"], one["score"], one.get("interval")) for one in board["scores"]]
    of = _metrics(payload)
    note = _intervals(board.get("confidence"))
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
    of = _metrics(payload)
    for number, one in enumerate(payload.get("breakdowns", ())):
        for name, table in one["scores"].items():
            rows = [
                _dot(system, f"{part} ({size})", table[i][j])
                for i, (part, size) in enumerate(zip(one["parts"], one["sizes"], strict=True))
                for j, system in enumerate(one["systems"])
            ]
            scale = of.get(name, {}).get("scale", 1)
            description = f"{name} by {one['by']}; in brackets the number of segments"
            scaled = [{**row, "score": None if row["score"] is None else scale * row["score"]} for row in rows]
            chart = dots(scaled, one_range=True, note=description, description=description)
            yield Figure(f"breakdown-{number + 1}-{_file(name)}", "", description, description, chart)


# --- metrics ---------------------------------------------------------------------------------------------------------


def _agreement(payload: Payload) -> Iterator[Figure]:
    alike = payload.get("agreement")
    if not alike or len(alike["metrics"]) < 2:
        return
    description = (
        f"How alike {', '.join(alike['metrics'])} rank segments: rank correlations, metrics that are alike side by side"
    )
    chart = heat_map(alike["metrics"], alike["correlation"], legend="correlation", description=description)
    yield Figure("agreement", "agreement", "Metrics that judge alike", description, chart)


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
    description = "ORANGE of each metric, in percent, lower is better: " + _listed(rows, 100, 2)
    options: dict[str, Any] = {"lower_is_better": ["ORANGE"], "scales": {"ORANGE": 100}, "description": description}
    bare = dots(rows, **options)
    panel = Figure("orange", "orange", "ORANGE of each metric", description, bare)
    yield replace(panel, chart=dots(rows, **options, note=_intervals(part["confidence"])), panels=(panel,))
    points = [
        {"series": one["metric"], "x": length, "y": 100 * value}
        for one in part["metrics"][:SHOWN]
        for length, value in one.get("curve", ())
        if value is not None
    ]
    if points:
        description = "ORANGE over the length of the n-best list, in percent: " + ", ".join(
            f"{one['metric']} ends at {100 * one['curve'][-1][1]:.2f}"
            for one in part["metrics"][:SHOWN]
            if one.get("curve") and one["curve"][-1][1] is not None
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
        f"all {len(one['metrics'])} together" if len(one["metrics"]) > 1 else one["metrics"][0]: one
        for one in part["sets"]
    }
    rows = [
        _dot(name, kind, one[key], one[between])
        for kind, key, between in (("KING", "king", "interval"), ("strict KING", "strict_king", "strict_interval"))
        for name, one in of_sets.items()
    ]
    description = "KING of each metric, higher is better: " + _listed(
        [row for row in rows if row["metric"] == "KING"], 1, 3
    )
    panels = _panels(rows, "king", "king", str, lambda _kind, _group: description)
    chart = dots(rows, one_range=True, note=_intervals(part["confidence"]), description=description)
    yield Figure("king", "king", "KING and strict KING of each metric", description, chart, panels)


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
    description = "KING of the set as metrics are added, " + ", ".join(steps)
    chart = curves(rows, x_title="metrics in the set", y_title="KING", description=description)
    yield Figure("king-path", "optimal", "The best set of metrics, step by step", description, chart)


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
        section, titled = f"people-{number}", f"{part['level']} level: {{}}".format
        panels = _panels(rows, section, section, titled, partial(_describe_agreement, title))
        chart = dots(rows, one_range=True, note=_intervals(part["confidence"]), description=title)
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
            "series": one["metric"],
            "x": point["references"],
            "y": scale * point["mean"],
            **(
                {"low": scale * (point["mean"] - point["std"]), "high": scale * (point["mean"] + point["std"])}
                if point["n_subsets"] > 1 and point["std"] is not None
                else {"low": scale * point["mean"], "high": scale * point["mean"]}
            ),
        }
        for one in part["metrics"][:SHOWN]
        for point in one["curve"]
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


def _file(name: str) -> str:
    return "".join(character if character.isalnum() or character in "-.+" else "_" for character in name)


# --- for the page ----------------------------------------------------------------------------------------------------


def page_charts(payload: Payload) -> list[dict[str, Any]]:
    """Return Vega-Lite specifications that adapt to the width of the page."""
    shown = [panel for one in figures_of(payload) if one.section for panel in one.panels or (one,)]
    return [
        {
            "name": one.name,
            "section": one.section,
            "title": one.title,
            "description": one.description,
            "spec": _fitting(one.chart),
        }
        for one in shown
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


# --- tables ----------------------------------------------------------------------------------------------------------


class PageTable(NamedTuple):
    """A table for LaTeX, and its unrounded numbers for CSV."""

    name: str
    table: Table
    records: Rows


def tables_of(payload: Payload) -> Iterator[PageTable]:
    """Yield all tables of a payload, except those of single segments."""
    for make in (_systems_table, _trial_table, _path_table, _breakdowns_table):
        yield from make(payload)


def _systems_table(payload: Payload) -> Iterator[PageTable]:
    board = payload.get("board")
    if not board:
        return
    of = _metrics(payload)
    names = list(dict.fromkeys(one["metric"] for one in board["scores"]))
    rows: dict[str, dict[str, str]] = {}
    for one in board["scores"]:
        metric = of[one["metric"]]
        shown = _number(one["score"], metric)
        if "interval" in one:
            shown += f" [{_number(one['interval'][0], metric)}, {_number(one['interval'][1], metric)}]"
        rows.setdefault(one["system"], {})[one["metric"]] = shown
    records = [
        {
            "system": one["system"],
            "metric": one["metric"],
            "score": one["score"],
            "low": one.get("interval", (None, None))[0],
            "high": one.get("interval", (None, None))[1],
            "cluster": one.get("cluster"),
            "signature": of[one["metric"]]["signature"],
        }
        for one in board["scores"]
    ]
    best = _best_cells(board["scores"], of, list(rows), names)
    body = tuple((system, *(values[name] for name in names)) for system, values in rows.items())
    yield PageTable("systems", Table(("system", *names), body, best=best, of="metric"), records)


def _number(value: float | None, metric: Mapping[str, Any]) -> str:
    return number_or_dash(None if value is None else value * metric["scale"], f".{metric['digits']}f")


def _best_cells(
    scores: Rows, of: Mapping[str, Any], systems: list[str], names: list[str]
) -> frozenset[tuple[int, int]]:
    best = set()
    for column, name in enumerate(names, start=1):
        values = {one["system"]: one["score"] for one in scores if one["metric"] == name and one["score"] is not None}
        if len(values) > 1:
            top = (min if of[name]["kind"] == "error" else max)(values.values())
            best |= {(systems.index(system), column) for system, score in values.items() if score == top}
    return frozenset(best)


def trial_records(payload: Payload) -> Rows:
    """Return one row per metric: what every judge says of it."""
    verdicts = {one["metric"]: one for one in (payload.get("verdict") or {}).get("metrics", ())}
    names = [*verdicts, *(one["name"] for one in payload.get("metrics", ()) if one["name"] not in verdicts)]
    records: dict[str, dict[str, Any]] = {name: {"metric": name} for name in names}
    for name, values in verdicts.items():
        records[name]["trust"] = values["trust"]
    for one in (payload.get("orange") or {}).get("metrics", ()):
        low, high = one["orange_interval"]
        records.setdefault(one["metric"], {"metric": one["metric"]}).update(
            {"orange": one["orange"], "orange_low": low, "orange_high": high, "worse_than_best": one["worse_than_best"]}
        )
    for one in (payload.get("king") or {}).get("sets", ()):
        if len(one["metrics"]) == 1 and one["metrics"][0] in records:
            records[one["metrics"][0]] |= {"king": one["king"], "strict_king": one["strict_king"]}
    for part in payload.get("people", ()):
        for one in part["metrics"]:
            if one["metric"] in records:
                key = f"{part['coefficient']}_{part['level']}_{one['criterion']}"
                records[one["metric"]] |= {key: one["value"], f"{key}_cluster": one["cluster"]}
    for one in (payload.get("curves") or {}).get("metrics", ()):
        if one["metric"] in records:
            records[one["metric"]]["references_enough"] = one["enough"]
    for one in (payload.get("audit") or {}).get("metrics", ()):
        if one["metric"] in records:
            records[one["metric"]] |= {"gamed": one["found"], "checks": one["possible"]}
    columns = list(dict.fromkeys(key for values in records.values() for key in values))
    judged = [values for values in records.values() if len(values) > 1]
    return [{key: values.get(key) for key in columns} for values in judged]


def _trial_table(payload: Payload) -> Iterator[PageTable]:
    records = trial_records(payload)
    if not records:
        return
    columns = [key for key in records[0] if not key.endswith(("_low", "_high", "_cluster", "worse_than_best"))]
    labels = 2 if "trust" in columns else 1
    body = tuple(tuple(_cell(record[key]) for key in columns) for record in records)
    yield PageTable("metrics", Table(tuple(name.replace("_", " ") for name in columns), body, labels=labels), records)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else str(value)


def _path_table(payload: Payload) -> Iterator[PageTable]:
    path = (payload.get("optimal") or {}).get("path", ())
    if path:
        records = [
            {"step": step, "metric": one["metric"], "king": one["king"], "strict_king": one["strict_king"]}
            for step, one in enumerate(path, start=1)
        ]
        body = tuple(
            (str(one["step"]), one["metric"], _cell(one["king"]), _cell(one["strict_king"])) for one in records
        )
        yield PageTable("best-set", Table(("step", "metric", "KING", "strict KING"), body, labels=2), records)


def _breakdowns_table(payload: Payload) -> Iterator[PageTable]:
    of = _metrics(payload)
    for number, one in enumerate(payload.get("breakdowns", ()), start=1):
        records, body = [], []
        for name, table in one["scores"].items():
            for part, size, row in zip(one["parts"], one["sizes"], table, strict=True):
                records.append(
                    {"metric": name, one["by"]: part, "segments": size, **dict(zip(one["systems"], row, strict=True))}
                )
                body.append((name, part, str(size), *(_number(value, of[name]) for value in row)))
        header = ("metric", one["by"], "segments", *one["systems"])
        yield PageTable(f"breakdown-{number}", Table(header, tuple(body), labels=2), records)
