"""A trial as sections: tables, curves and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TextIO

from tarocco.meta.correlation.score_sources import make_human_source
from tarocco.meta.qarla.results import OptimizeResult
from tarocco.render.results import Presentation
from tarocco.render.results.correlate import correlations_table
from tarocco.render.results.score import corpus_table
from tarocco.render.tables import (
    BLOCKS,
    NO_NUMBER,
    Section,
    Table,
    blocks_for,
    number_or_dash,
    separated,
    sparkline,
    write_sections,
)
from tarocco.render.terms import TERMS
from tarocco.scoring.results import Result
from tarocco.trials.data_audit.findings import DataAudit
from tarocco.trials.findings import Findings, Judgment, MetricVerdict, PlanStep
from tarocco.trials.judgments import JUDGES, PEOPLE
from tarocco.trials.system_groups import cluster_systems

DETAILED = ("scores", "audit", "people", "references")  # steps whose data the plan names
POINTS = 12  # of a curve in a cell
SENTENCES = 6  # of a kind; JSON has all of them
STATUS_MARKS = {"supported": "+", "refuted": "-"}
TITLES = {"people within segments": "segments", "audit": "gamed"}


def present_trial(findings: Findings, digits: int | None = None, brief: bool = False) -> Presentation:
    """Present a trial; with `brief`, without curves and disagreements."""

    def show(form: str, out: TextIO) -> None:
        blocks = blocks_for(getattr(out, "encoding", None))
        write_sections(sections(findings, digits, blocks, brief), form, out)

    settings = {"seed": findings.seed, "name": findings.name, "again": findings.command}
    return Presentation(
        "trial",
        settings | {"notes": list(findings.notes)},
        findings.to_dict,
        lambda delimiter: separated(rows(findings), delimiter),
        show,
    )


def plan_sections(name: str, steps: Sequence[PlanStep]) -> Iterator[Section]:
    """Yield what the trial will do, and what other analyses need."""
    done = [
        (step.name, f"{step.question} ({step.why})" if step.name in DETAILED else step.question)
        for step in steps
        if step.possible
    ]
    yield Section(f"{name}: what the data allow", pairs=tuple(done))
    missing = [(step.name, f"{step.question} Needs {step.why}") for step in steps if not step.possible]
    if missing:
        yield Section("What other analyses need", pairs=tuple(missing))


def sections(
    findings: Findings, digits: int | None = None, blocks: str = BLOCKS, brief: bool = False
) -> Iterator[Section]:
    """Yield everything below the plan; `brief` leaves out what a first look does not need."""
    verdict = findings.verdict
    assert verdict is not None
    if findings.data_audit is not None and any(one.severity != "note" for one in findings.data_audit):
        yield Section("The data", text=tuple(describe_data(findings.data_audit)))
    yield leaderboard(findings, digits)
    if any(one.judgments for one in verdict.metrics):
        yield Section("The metrics", metrics_table(verdict.metrics), tuple(_legend(findings)))
    if not any(own.judge == PEOPLE for one in verdict.metrics for own in one.judgments):
        yield from _agreement_with_people(findings, digits)
    if not brief:
        if findings.optimal is not None:
            yield Section("The best set of metrics, by strict KING", text=tuple(set_sentences(findings.optimal)))
        curves = curves_table(findings, blocks)
        if curves is not None:
            yield Section("Curves", curves, tuple(_of_curves(findings)))
        if verdict.judges:
            yield Section("What each judge says", text=_some((*verdict.judges, *verdict.disagreements)))
    if verdict.systems:
        yield Section("Which systems differ significantly", text=verdict.systems)
    yield Section("Verdict", text=(verdict.headline,))
    if verdict.interesting:
        yield Section("Most interesting", text=verdict.interesting[:3])
    if verdict.caveats:
        yield Section("Caveats", text=verdict.caveats)


def describe_data(audit: DataAudit) -> Iterator[str]:
    """Yield severe findings and warnings of the data audit."""
    yield from (f"{one.severity}: {one.evidence} {one.advice}" for one in audit if one.severity != "note")


# --- systems ---------------------------------------------------------------------------------------------------------


def leaderboard(findings: Findings, digits: int | None = None) -> Section:
    """One row per system, best first; after each score, the system's group under that metric."""
    assert findings.scores is not None
    assert findings.verdict is not None
    groups = findings.verdict.groups
    plain = Result(tuple(replace(one, interval=None) for one in findings.scores.scores), single=False)
    table = corpus_table(plain, digits)
    rows = {row[0]: list(row) for row in table.rows}
    best = {(table.rows[r][0], c) for r, c in table.best}
    header = list(table.header)
    for title, values, sign in _beside(findings):
        header.append(title)
        known = [value for value in values.values() if not math.isnan(value)]
        for name, row in rows.items():
            value = values.get(name, math.nan)
            row.append(number_or_dash(sign * value, ".3f"))
            if known and value == max(known) and len(rows) > 1:
                best.add((name, len(header) - 1))
    order = [name for group in groups for name in group] or list(rows)
    marks = {}
    if findings.comparison is not None:
        for c, metric in enumerate(header[1:], start=1):
            for name, cluster in cluster_systems(findings.comparison, metric).items():
                marks[order.index(name), c] = f" {cluster}"
    shown = Table(
        tuple(header),
        tuple(tuple(rows[name]) for name in order),
        best=frozenset((order.index(name), c) for name, c in best),
        marks=marks,
        of="metric",
    )
    return Section("The systems", shown, tuple(_of_systems(findings, bool(marks))))


def _beside(findings: Findings) -> Iterator[tuple[str, Mapping[str, float], float]]:
    """Yield further columns: title, values (higher is better), and the sign that numbers are shown with."""
    if findings.queens is not None:
        yield "QUEEN", {one.system: one.queen for one in findings.queens}, 1.0
    human = findings.human
    if human is not None:
        first = next(iter(human.criteria))
        goodness = dict(zip(human.systems, make_human_source(human, first).systems.tolist(), strict=True))
        yield "people", goodness, -1.0 if human.kinds[first] == "error" else 1.0


def _of_systems(findings: Findings, marked: bool) -> Iterator[str]:
    assert findings.scores is not None
    if marked and findings.comparison is not None:
        yield (
            "after a score: the system's group under that metric; every pair of systems in different groups differs "
            f"significantly ({findings.comparison.test.name} test, Holm's correction)"
        )
    scaled = dict.fromkeys(str(one.metric) for one in findings.scores.scores if one.metric.scale != 1)
    errors = dict.fromkeys(str(one.metric) for one in findings.scores.scores if one.metric.kind == "error")
    if scaled:
        yield f"times 100: {', '.join(scaled)}" + (f"; lower is better: {', '.join(errors)}" if errors else "")
    elif errors:
        yield f"lower is better: {', '.join(errors)}"
    if findings.queens is not None:
        yield TERMS["QUEEN"]


# --- metrics -------------------------------------------------------------------------------------------------------


def metrics_table(metrics: Sequence[MetricVerdict]) -> Table:
    """One row per metric, one column per judge; a plus marks support, a minus that the metric is refuted."""
    judges = [judge for judge in JUDGES if any(own.judge == judge for one in metrics for own in one.judgments)]
    rows = []
    marks: dict[tuple[int, int], str] = {}
    for r, one in enumerate(metrics):
        by_judge = {judgment.judge: judgment for judgment in one.judgments}
        rows.append((one.metric, *(_cell(by_judge.get(judge)) for judge in judges), one.trust))
        for c, judge in enumerate(judges, start=1):
            if judge in by_judge and by_judge[judge].status in STATUS_MARKS:
                marks[r, c] = STATUS_MARKS[by_judge[judge].status]
    header = ("metric", *(TITLES.get(judge, judge) for judge in judges), "verdict")
    trusted = frozenset((r, len(judges) + 1) for r, one in enumerate(metrics) if one.trust.startswith("trusted"))
    return Table(header, tuple(rows), marks=marks, best=trusted)


def _agreement_with_people(findings: Findings, digits: int | None) -> Iterator[Section]:
    """Yield correlations with human scores, for a trial in which people judged too few systems for a verdict."""
    for result in findings.correlations:
        text = (
            f"over the {result.design.level}s that people judged; too few systems were judged for a verdict on metrics"
        )
        yield Section("Agreement with people", correlations_table(result, digits), (text,))


def _cell(judgment: Judgment | None) -> str:
    if judgment is None:
        return NO_NUMBER
    if judgment.support is None:
        return judgment.sentence.removeprefix("can be gamed in ").removesuffix(" ways")
    return number_or_dash(judgment.value, ".3f")


def _legend(findings: Findings) -> Iterator[str]:
    assert findings.verdict is not None
    yield "+ supported, - refuted, no mark: open"
    judgments = {own.judge: own.support for one in findings.verdict.metrics for own in one.judgments}
    for judge, support in judgments.items():
        if support is not None:
            criterion = f" with {support.criterion}" if support.criterion else ""
            yield (
                f"{TITLES.get(judge, judge)}: {support.coefficient}{criterion}; a supported metric is within "
                f"{support.margin:.2f} of the best, and at least {support.floor:.2f}"
            )
    if findings.audit is not None:
        yield "gamed: the number of checks in which worse output, such as empty segments, gets a better score"


def set_sentences(result: OptimizeResult) -> Iterator[str]:
    """Yield the best set, and its KING on unseen segments."""
    one, cross = result.chosen, result.cross_validation
    yield f"{' + '.join(one.metrics)}: strict KING {one.strict_king:.3f}, KING {one.king:.3f}"
    if cross is not None:
        yield (
            f"on unseen segments, such a set has {cross.kings[1]:.3f}, the best single metric "
            f"{cross.best_single[1]:.3f}"
        )


# --- curves --------------------------------------------------------------------------------------------------------


def curves_table(findings: Findings, blocks: str = BLOCKS) -> Table | None:
    """One row per metric: ORANGE over the length of the list, agreement over the number of references."""
    assert findings.verdict is not None
    by_orange = findings.orange.metrics if findings.orange is not None else ()
    orange = {one.metric: [value for _, value in one.curve] for one in by_orange if one.curve}
    curves = {one.metric: one for one in findings.curves.named_curves} if findings.curves is not None else {}
    names = [one.metric for one in findings.verdict.metrics if one.metric in orange or one.metric in curves]
    if not names:
        return None
    header, rows = ["metric"], {name: [name] for name in names}
    if orange:
        low, high = _ends(orange.values())
        header += ["ORANGE", "1..all"]
        for name, row in rows.items():
            curve = orange.get(name)
            row += (
                [sparkline(curve, low, high, POINTS, blocks), f"{100 * curve[0]:.0f}..{100 * curve[-1]:.0f}%"]
                if curve
                else [NO_NUMBER] * 2
            )
    if findings.curves is not None:
        means = {name: [point.mean for point in one.points] for name, one in curves.items()}
        low, high = _ends(means.values())
        header += ["references", f"{findings.curves.sizes[0]}..{findings.curves.sizes[-1]}", "enough"]
        for name, row in rows.items():
            if name not in curves:
                row += [NO_NUMBER] * 3
                continue
            first, last = (number_or_dash(means[name][i], ".3f") for i in (0, -1))
            enough = curves[name].verdict.enough
            row += [sparkline(means[name], low, high, POINTS, blocks), f"{first}..{last}", str(enough or NO_NUMBER)]
    return Table(tuple(header), tuple(map(tuple, rows.values())))


def _ends(curves: Iterable[Sequence[float]]) -> tuple[float, float]:
    known = [value for curve in curves for value in curve if not math.isnan(value)]
    return (min(known), max(known)) if known else (0.0, 0.0)


def _of_curves(findings: Findings) -> Iterator[str]:
    if findings.orange is not None and any(one.curve for one in findings.orange.metrics):
        yield "ORANGE: from only the first candidate of each list to all candidates"
    if findings.curves is not None:
        yield f"references: {findings.curves.judged_by}, by their number; enough: for 98% of the best"


def _some(sentences: Sequence[str]) -> tuple[str, ...]:
    more = len(sentences) - SENTENCES
    return (*sentences[:SENTENCES], *([f"And {more} more (-f json)."] if more > 0 else []))


# --- for programs --------------------------------------------------------------------------------------------------


def rows(findings: Findings) -> list[dict[str, Any]]:
    """Return one flat record per metric: what each judge says of it, and the verdict."""
    assert findings.verdict is not None
    records = []
    for one in findings.verdict.metrics:
        record: dict[str, Any] = {"metric": one.metric, "trust": one.trust}
        for judgment in one.judgments:
            name = judgment.judge.lower().replace(" ", "_")
            record |= {name: judgment.value, f"{name}_status": judgment.status}
        records.append(record | {"reason": one.reason})
    return records
