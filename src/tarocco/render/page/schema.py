"""The schema of a report's data, which may come from a file of others: `check_payload` refuses anything else.

A number may be null, which stands for a missing one. Keys that the schema does not name are kept and ignored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tarocco.core.errors import InputError
from tarocco.io.tables import format_value

MAX_DEPTH = 50  # of lists and objects: a page needs ten, and Python can write a thousand
MAX_NUMBER = 1e300


class Schema:
    """What a value may be; `check` raises InputError if it is something else. `where` is the place of the value."""

    expected = ""

    def check(self, value: Any, where: str) -> None:
        if not self.fits(value):
            raise InputError(f"{where}: expected {self.expected}, found {format_value(value)}")

    def fits(self, value: Any) -> bool:
        raise NotImplementedError


@dataclass(frozen=True)
class AnyText(Schema):
    expected: str = "a text"

    def fits(self, value: Any) -> bool:
        return isinstance(value, str)


@dataclass(frozen=True)
class Number(Schema):
    expected: str = "a number or null"

    def fits(self, value: Any) -> bool:
        if value is None:
            return True
        return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER


@dataclass(frozen=True)
class Whole(Schema):
    most: int = 10**15

    @property
    def expected(self) -> str:  # type: ignore[override]
        return f"a whole number up to {self.most}"

    def fits(self, value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and -self.most <= value <= self.most


@dataclass(frozen=True)
class Scale(Schema):
    expected: str = "a number from 0.001 to 1000"

    def fits(self, value: Any) -> bool:
        return Number().fits(value) and value is not None and 0.001 <= value <= 1000


@dataclass(frozen=True)
class Digits(Schema):
    expected: str = "a whole number from 0 to 17"

    def fits(self, value: Any) -> bool:
        return Whole().fits(value) and 0 <= value <= 17


@dataclass(frozen=True)
class Flag(Schema):
    expected: str = "true or false"

    def fits(self, value: Any) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True)
class Choice(Schema):
    values: tuple[str, ...]

    @property
    def expected(self) -> str:  # type: ignore[override]
        return ", ".join(self.values[:-1]) + f" or {self.values[-1]}"

    def fits(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.values


@dataclass(frozen=True)
class Maybe(Schema):
    """A value or null."""

    schema: Schema

    def check(self, value: Any, where: str) -> None:
        if value is not None:
            self.schema.check(value, where)


@dataclass(frozen=True)
class ListOf(Schema):
    item: Schema
    size: int | None = None
    least: int = 0

    @property
    def expected(self) -> str:  # type: ignore[override]
        number = f"{self.size} items" if self.size is not None else f"at least {self.least} items" if self.least else ""
        return f"a list of {number}" if number else "a list"

    def check(self, value: Any, where: str) -> None:
        super().check(value, where)
        for place, item in enumerate(value):
            self.item.check(item, f"{where}[{place}]")

    def fits(self, value: Any) -> bool:
        return isinstance(value, list) and len(value) >= self.least and self.size in (None, len(value))


@dataclass(frozen=True)
class MapOf(Schema):
    """An object with any keys and values of one kind."""

    item: Schema
    expected: str = "an object"

    def check(self, value: Any, where: str) -> None:
        super().check(value, where)
        for key, item in value.items():
            self.item.check(item, f"{where}.{_short(key)}")

    def fits(self, value: Any) -> bool:
        return isinstance(value, dict)


class Object(Schema):
    """An object with known keys, of which `optional` ones may be missing."""

    expected = "an object"

    def __init__(self, optional: Mapping[str, Schema] | None = None, /, **required: Schema) -> None:
        self.required, self.optional = required, dict(optional or {})

    def check(self, value: Any, where: str) -> None:
        super().check(value, where)
        for key, schema in self.required.items():
            if key not in value:
                raise InputError(f'{where}: expected the key "{key}", found none')
            schema.check(value[key], f"{where}.{key}")
        for key, schema in self.optional.items():
            if key in value:
                schema.check(value[key], f"{where}.{key}")

    def fits(self, value: Any) -> bool:
        return isinstance(value, dict)


def _short(key: str) -> str:
    return key if len(key) <= 40 else f"{key[:40]}..."


TEXT, NUMBER, WHOLE, FLAG = AnyText(), Number(), Whole(), Flag()
TEXTS, NUMBERS, WHOLES = ListOf(TEXT), ListOf(NUMBER), ListOf(WHOLE)
INTERVAL, TABLE = ListOf(NUMBER, 2), ListOf(NUMBERS)
NOTES = {"notes": TEXTS}
MARKED = {"m": WHOLES, "t": TEXT, "l": MapOf(TEXT)}
RANKED = Object({**MARKED, "copy": FLAG, "below": WHOLE}, text=TEXT, score=NUMBER, rank=NUMBER, place=WHOLE)
KINGS = {"king": NUMBER, "strict_king": NUMBER}
METRIC = Object(
    {"summary": TEXT, "paper": TEXT},
    name=TEXT,
    kind=Choice(("similarity", "error")),
    scale=Scale(),
    digits=Digits(),
    signature=Maybe(TEXT),
)
JUDGMENT = Object(judge=TEXT, status=TEXT, sentence=TEXT)
CONFUSION = Object(
    {"source": TEXT},
    segment=WHOLE,
    rank=NUMBER,
    size=WHOLE,
    count=WHOLE,
    references=ListOf(RANKED),
    above=ListOf(RANKED),
)
PAYLOAD = Object(
    {
        "tarocco": TEXT,
        "command": TEXT,
        "seed": Maybe(WHOLE),
        "reading": Object(tokenize=Maybe(TEXT), lowercase=FLAG, analyzer=Maybe(TEXT)),
        "counts": MapOf(WHOLE),
        "systems": TEXTS,
        "references": TEXTS,
        "metrics": ListOf(METRIC),
        "plan": ListOf(Object(name=TEXT, question=TEXT, possible=FLAG, why=TEXT)),
        "verdict": Object(
            {"open_questions": TEXTS},
            headline=TEXT,
            metrics=ListOf(Object(metric=TEXT, trust=TEXT, reason=TEXT, judgments=ListOf(JUDGMENT))),
            judges=TEXTS,
            disagreements=TEXTS,
            systems=TEXTS,
            interesting=TEXTS,
            caveats=TEXTS,
        ),
        "data": Object(
            findings=ListOf(Object(severity=TEXT, kind=TEXT, evidence=TEXT, advice=TEXT)),
            passed=TEXTS,
            skipped=MapOf(TEXT),
        ),
        "board": Object(
            {
                **NOTES,
                "test": Object(name=TEXT, alpha=NUMBER, n_resamples=Maybe(WHOLE), seed=Maybe(WHOLE), all_pairs=FLAG),
                "pairs": ListOf(
                    Object(
                        metric=TEXT,
                        baseline=TEXT,
                        system=TEXT,
                        difference=NUMBER,
                        better=Maybe(FLAG),
                        p_holm=NUMBER,
                        significant=Maybe(FLAG),
                    )
                ),
            },
            scores=ListOf(
                Object({"interval": INTERVAL, "cluster": WHOLE}, system=TEXT, metric=TEXT, score=NUMBER), least=1
            ),
            confidence=NUMBER,
        ),
        "agreement": Object(metrics=TEXTS, correlation=TABLE),
        "breakdowns": ListOf(Object(by=TEXT, parts=TEXTS, sizes=WHOLES, systems=TEXTS, scores=MapOf(TABLE))),
        "orange": Object(
            {
                **NOTES,
                "about": Maybe(TEXT),
                "n_best": Maybe(WHOLE),
                "confusions": ListOf(Object(metric=TEXT, confused=WHOLE, lists=ListOf(CONFUSION))),
            },
            confidence=NUMBER,
            metrics=ListOf(
                Object(
                    {"curve": ListOf(INTERVAL), "signature": Maybe(TEXT), "status": TEXT, "reasons": TEXTS},
                    metric=TEXT,
                    orange=NUMBER,
                    orange_interval=INTERVAL,
                    worse_than_best=Maybe(FLAG),
                ),
            ),
        ),
        "king": Object(
            {**NOTES, "units": TEXT},
            confidence=NUMBER,
            sets=ListOf(
                Object(
                    {"signature": Maybe(TEXT), "status": TEXT, "reasons": TEXTS},
                    metrics=ListOf(TEXT, least=1),
                    interval=INTERVAL,
                    strict_interval=INTERVAL,
                    **KINGS,
                ),
                least=1,
            ),
        ),
        "queen": Object(
            NOTES, metrics=TEXTS, systems=ListOf(Object({"ulc": NUMBER}, system=TEXT, queen=NUMBER, interval=INTERVAL))
        ),
        "jack": Object(NOTES, sets=ListOf(Object(metrics=TEXTS, jack=NUMBER, interval=INTERVAL, close=NUMBER))),
        "optimal": Object(
            {
                **NOTES,
                "path": ListOf(Object(metric=TEXT, **KINGS)),
                "candidates": ListOf(Object(metric=TEXT, **KINGS)),
                "cross_validation": Maybe(Object(**KINGS)),
            },
            metrics=TEXTS,
            interval=INTERVAL,
            strict_interval=INTERVAL,
            **KINGS,
        ),
        "people": ListOf(
            Object(
                {**NOTES, "units": TEXT},
                level=Choice(("system", "segment", "document")),
                grouping=Choice(("none", "item", "system")),
                coefficient=Choice(
                    (
                        "pearson",
                        "spearman",
                        "kendall",
                        "kendall-a",
                        "kendall-c",
                        "accuracy",
                        "spa",
                        "spa-symmetric",
                        "acc-eq",
                    )
                ),
                confidence=NUMBER,
                criteria=TEXTS,
                metrics=ListOf(
                    Object(
                        {"signature": Maybe(TEXT)},
                        metric=TEXT,
                        criterion=TEXT,
                        value=NUMBER,
                        interval=INTERVAL,
                        cluster=Maybe(WHOLE),
                        sentinel=FLAG,
                    )
                ),
            )
        ),
        "curves": Object(
            NOTES,
            judged_by=TEXT,
            lower_is_better=FLAG,
            n_segments=WHOLE,
            metrics=ListOf(
                Object(
                    {"verdict": TEXT, "advice": TEXT, "signature": Maybe(TEXT)},
                    metric=TEXT,
                    curve=ListOf(Object(references=WHOLE, n_subsets=WHOLE, mean=NUMBER, std=NUMBER)),
                    enough=Maybe(WHOLE),
                )
            ),
            advice=TEXTS,
        ),
        "audit": Object(
            NOTES,
            checks=TEXTS,
            header=TEXTS,
            metrics=ListOf(
                Object(
                    {"signature": Maybe(TEXT)},
                    metric=TEXT,
                    found=WHOLE,
                    possible=WHOLE,
                    cells=TEXTS,
                    starred=WHOLES,
                    sentences=TEXTS,
                )
            ),
            legend=TEXTS,
        ),
        "segments": Object(
            {"source": TEXTS, "groups": Object(names=TEXTS, of=WHOLES), "human": MapOf(TABLE), "queen": TABLE},
            references=ListOf(TEXTS),
            systems=ListOf(TEXTS),
            scores=MapOf(TABLE),
        ),
        "notes": TEXTS,
        "terms": ListOf(Object(term=TEXT, forms=TEXTS, sentence=TEXT)),
    },
    name=TEXT,
)


def check_payload(payload: Mapping[str, Any], origin: str) -> None:
    """Raise InputError unless a page can be made of the payload. `origin` is the name of its file."""
    _check_depth(payload, origin)
    PAYLOAD.check(payload, origin)
    known = {metric["name"] for metric in payload.get("metrics", ())}
    board = payload.get("board") or {"scores": ()}
    pairs = {(score["system"], score["metric"]) for score in board["scores"]}
    systems, metrics = {system for system, _ in pairs}, {metric for _, metric in pairs}
    if len(pairs) != len(systems) * len(metrics):
        raise InputError(f"{origin}.board.scores: expected a score of each system under each metric, found fewer")
    agreement = payload.get("agreement") or {"metrics": (), "correlation": ()}
    _check_shape(agreement["correlation"], (len(agreement["metrics"]),) * 2, f"{origin}.agreement.correlation")
    for number, part in enumerate(payload.get("breakdowns", ())):
        where = f"{origin}.breakdowns[{number}]"
        if len(part["sizes"]) != len(part["parts"]):
            raise InputError(f"{where}.sizes: expected {len(part['parts'])} items, found {len(part['sizes'])}")
        for name, table in part["scores"].items():
            _check_shape(table, (len(part["parts"]), len(part["systems"])), f"{where}.scores.{_short(name)}")
        metrics |= set(part["scores"])
    for name in sorted(metrics - known):
        raise InputError(f'{origin}.metrics: expected a metric "{_short(name)}", which has scores, found none')


def _check_shape(table: Any, shape: tuple[int, int], where: str) -> None:
    rows, columns = shape
    if len(table) != rows or any(len(row) != columns for row in table):
        raise InputError(f"{where}: expected {rows} rows of {columns} numbers, found another shape")


def _check_depth(payload: Any, origin: str) -> None:
    level = [payload]
    for _ in range(MAX_DEPTH):
        level = [
            item
            for value in level
            if isinstance(value, dict | list)
            for item in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return
    raise InputError(f"{origin}: expected at most {MAX_DEPTH} nested lists and objects, found more")
