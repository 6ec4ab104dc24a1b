"""Tables of a payload: LaTeX for papers, and CSV with all digits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tarocco.render.page.figures import Payload, Rows, metrics_by_name
from tarocco.render.tables import Table, number_or_dash


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
    of = metrics_by_name(payload)
    names = list(dict.fromkeys(score["metric"] for score in board["scores"]))
    rows: dict[str, dict[str, str]] = {}
    for score in board["scores"]:
        metric = of[score["metric"]]
        shown = _number(score["score"], metric)
        if "interval" in score:
            shown += f" [{_number(score['interval'][0], metric)}, {_number(score['interval'][1], metric)}]"
        rows.setdefault(score["system"], {})[score["metric"]] = shown
    records = [
        {
            "system": score["system"],
            "metric": score["metric"],
            "score": score["score"],
            "low": score.get("interval", (None, None))[0],
            "high": score.get("interval", (None, None))[1],
            "cluster": score.get("cluster"),
            "signature": of[score["metric"]]["signature"],
        }
        for score in board["scores"]
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
        values = {
            score["system"]: score["score"]
            for score in scores
            if score["metric"] == name and score["score"] is not None
        }
        if len(values) > 1:
            top = (min if of[name]["kind"] == "error" else max)(values.values())
            best |= {(systems.index(system), column) for system, score in values.items() if score == top}
    return frozenset(best)


def trial_records(payload: Payload) -> Rows:
    """Return one row per metric: what every judge says of it."""
    verdicts = {metric["metric"]: metric for metric in (payload.get("verdict") or {}).get("metrics", ())}
    names = [*verdicts, *(metric["name"] for metric in payload.get("metrics", ()) if metric["name"] not in verdicts)]
    records: dict[str, dict[str, Any]] = {name: {"metric": name} for name in names}
    for name, values in verdicts.items():
        records[name]["trust"] = values["trust"]
    for metric in (payload.get("orange") or {}).get("metrics", ()):
        low, high = metric["orange_interval"]
        records.setdefault(metric["metric"], {"metric": metric["metric"]}).update(
            {
                "orange": metric["orange"],
                "orange_low": low,
                "orange_high": high,
                "worse_than_best": metric["worse_than_best"],
            }
        )
    for entry in (payload.get("king") or {}).get("sets", ()):
        if len(entry["metrics"]) == 1 and entry["metrics"][0] in records:
            records[entry["metrics"][0]] |= {"king": entry["king"], "strict_king": entry["strict_king"]}
    for part in payload.get("people", ()):
        for metric in part["metrics"]:
            if metric["metric"] in records:
                key = f"{part['coefficient']}_{part['level']}_{metric['criterion']}"
                records[metric["metric"]] |= {key: metric["value"], f"{key}_cluster": metric["cluster"]}
    for curve in (payload.get("curves") or {}).get("metrics", ()):
        if curve["metric"] in records:
            records[curve["metric"]]["references_enough"] = curve["enough"]
    for finding in (payload.get("audit") or {}).get("metrics", ()):
        if finding["metric"] in records:
            records[finding["metric"]] |= {"gamed": finding["found"], "checks": finding["possible"]}
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
            {"step": step, "metric": record["metric"], "king": record["king"], "strict_king": record["strict_king"]}
            for step, record in enumerate(path, start=1)
        ]
        body = tuple(
            (str(record["step"]), record["metric"], _cell(record["king"]), _cell(record["strict_king"]))
            for record in records
        )
        yield PageTable("best-set", Table(("step", "metric", "KING", "strict KING"), body, labels=2), records)


def _breakdowns_table(payload: Payload) -> Iterator[PageTable]:
    of = metrics_by_name(payload)
    for number, breakdown in enumerate(payload.get("breakdowns", ()), start=1):
        records, body = [], []
        for name, table in breakdown["scores"].items():
            for part, size, row in zip(breakdown["parts"], breakdown["sizes"], table, strict=True):
                records.append(
                    {
                        "metric": name,
                        breakdown["by"]: part,
                        "segments": size,
                        **dict(zip(breakdown["systems"], row, strict=True)),
                    }
                )
                body.append((name, part, str(size), *(_number(value, of[name]) for value in row)))
        header = ("metric", breakdown["by"], "segments", *breakdown["systems"])
        yield PageTable(f"breakdown-{number}", Table(header, tuple(body), labels=2), records)
