"""Tables of a payload, for LaTeX and CSV: the numbers of the page, a file a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tarocco.render.tables import Table, number_or_dash

Payload = Mapping[str, Any]
Records = list[dict[str, Any]]


class Named(NamedTuple):
    """A table as people read it, and its numbers as programs do."""

    name: str
    table: Table
    records: Records


def tables_of(payload: Payload) -> Iterator[Named]:
    """Everything that the page has in tables, but for single segments."""
    for make in (_systems, _trial, _path, _breakdowns):
        yield from make(payload)


def _systems(payload: Payload) -> Iterator[Named]:
    board = payload.get("board")
    if not board:
        return
    of = {one["name"]: one for one in payload["metrics"]}
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
    best = _best(board["scores"], of, list(rows), names)
    body = tuple((system, *(own[name] for name in names)) for system, own in rows.items())
    yield Named("systems", Table(("system", *names), body, best=best, of="metric"), records)


def _number(value: float | None, metric: Mapping[str, Any]) -> str:
    return number_or_dash(None if value is None else value * metric["scale"], f".{metric['digits']}f")


def _best(scores: Records, of: Mapping[str, Any], systems: list[str], names: list[str]) -> frozenset[tuple[int, int]]:
    best = set()
    for column, name in enumerate(names, start=1):
        own = {one["system"]: one["score"] for one in scores if one["metric"] == name and one["score"] is not None}
        if len(own) > 1:
            top = (min if of[name]["kind"] == "error" else max)(own.values())
            best |= {(systems.index(system), column) for system, score in own.items() if score == top}
    return frozenset(best)


def trial_records(payload: Payload) -> Records:
    """A row a metric: what every judge said of it."""
    verdicts = {one["metric"]: one for one in (payload.get("verdict") or {}).get("metrics", ())}
    names = [*verdicts, *(one["name"] for one in payload.get("metrics", ()) if one["name"] not in verdicts)]
    found: dict[str, dict[str, Any]] = {name: {"metric": name} for name in names}
    for name, own in verdicts.items():
        found[name]["trust"] = own["trust"]
    for one in (payload.get("orange") or {}).get("metrics", ()):
        low, high = one["orange_interval"]
        found.setdefault(one["metric"], {"metric": one["metric"]}).update(
            {"orange": one["orange"], "orange_low": low, "orange_high": high, "as_best": one["equivalent_to_best"]}
        )
    for one in (payload.get("king") or {}).get("sets", ()):
        if len(one["metrics"]) == 1 and one["metrics"][0] in found:
            found[one["metrics"][0]] |= {"king": one["king"], "strict_king": one["strict_king"]}
    for part in payload.get("people", ()):
        for one in part["metrics"]:
            if one["metric"] in found:
                key = f"{part['coefficient']}_{part['level']}_{one['criterion']}"
                found[one["metric"]] |= {key: one["value"], f"{key}_cluster": one["cluster"]}
    for one in (payload.get("curves") or {}).get("metrics", ()):
        if one["metric"] in found:
            found[one["metric"]]["references_enough"] = one["enough"]
    for one in (payload.get("audit") or {}).get("metrics", ()):
        if one["metric"] in found:
            found[one["metric"]] |= {"gamed": one["found"], "checks": one["possible"]}
    columns = list(dict.fromkeys(key for own in found.values() for key in own))
    judged = [own for own in found.values() if len(own) > 1]
    return [{key: own.get(key) for key in columns} for own in judged]


def _trial(payload: Payload) -> Iterator[Named]:
    records = trial_records(payload)
    if not records:
        return
    columns = [key for key in records[0] if not key.endswith(("_low", "_high", "_cluster", "as_best"))]
    labels = 2 if "trust" in columns else 1
    body = tuple(tuple(_cell(record[key]) for key in columns) for record in records)
    yield Named("metrics", Table(tuple(name.replace("_", " ") for name in columns), body, labels=labels), records)


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3f}"
    return "-" if value is None else str(value)


def _path(payload: Payload) -> Iterator[Named]:
    path = (payload.get("optimal") or {}).get("path", ())
    if path:
        records = [
            {"step": step, "metric": one["metric"], "king": one["king"], "strict_king": one["strict_king"]}
            for step, one in enumerate(path, start=1)
        ]
        body = tuple(
            (str(one["step"]), one["metric"], _cell(one["king"]), _cell(one["strict_king"])) for one in records
        )
        yield Named("best-set", Table(("step", "metric", "KING", "strict KING"), body, labels=2), records)


def _breakdowns(payload: Payload) -> Iterator[Named]:
    of = {one["name"]: one for one in payload.get("metrics", ())}
    for number, one in enumerate(payload.get("breakdowns", ()), start=1):
        records, body = [], []
        for name, table in one["scores"].items():
            for part, size, row in zip(one["parts"], one["sizes"], table, strict=True):
                records.append(
                    {"metric": name, one["by"]: part, "segments": size, **dict(zip(one["systems"], row, strict=True))}
                )
                body.append((name, part, str(size), *(_number(value, of[name]) for value in row)))
        header = ("metric", one["by"], "segments", *one["systems"])
        yield Named(f"breakdown-{number}", Table(header, tuple(body), labels=2), records)
