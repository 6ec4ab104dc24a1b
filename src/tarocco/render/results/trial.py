"""A trial for people: tables, curves and sentences, one section after the other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tarocco.meta.correlation.score_sources import make_human_source
from tarocco.meta.qarla.results import OptimizeResult
from tarocco.render.results.score import corpus_table
from tarocco.render.sections import BLOCKS, Section, sparkline
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash, percent
from tarocco.scoring.results import Result
from tarocco.trials.findings import Findings, Judgment, MetricVerdict, PlanStep
from tarocco.trials.system_groups import cluster_systems

TOLD = ("scores", "audit", "people", "references")  # steps of which a plan says what they are done with
POINTS = 12  # of a curve in a cell
SENTENCES = 6  # of a kind, before the rest is left to JSON
ORANGE = (
    "ORANGE: how far down an n-best list a metric puts people's translations on average; low is good, 50% is chance"
)
KING = (
    "strict KING: how often a metric finds a person's translation, held out, nearer to the other references than every "
    "system's; high is good"
)
PEOPLE = "people: the correlation of a metric with people's scores, {}"
GAMED = "gamed: in how many checks a metric rewards what it should not, such as leaving segments out"


def plan_sections(name: str, steps: Sequence[PlanStep]) -> Iterator[Section]:
    """What will be done, and what is missing for the rest."""
    done = [
        (step.name, f"{step.question} ({step.why})" if step.name in TOLD else step.question)
        for step in steps
        if step.possible
    ]
    yield Section(f"{name}: what the data allow", pairs=tuple(done))
    missing = [(step.name, f"{step.question} It takes {step.why}") for step in steps if not step.possible]
    if missing:
        yield Section("What is missing for the rest", pairs=tuple(missing))


def sections(
    findings: Findings, width: int | None = None, blocks: str = BLOCKS, brief: bool = False
) -> Iterator[Section]:
    """Everything below the plan; `brief` leaves out what a first look does not need."""
    verdict = findings.verdict
    assert verdict is not None
    yield leaderboard(findings, width)
    if any(one.judgments for one in verdict.metrics):
        yield Section("The metrics' own trial", metrics_table(verdict.metrics), tuple(_legend(findings)))
    if not brief:
        if findings.optimal is not None:
            yield Section("The best set of metrics, by strict KING", text=tuple(set_sentences(findings.optimal)))
        curves = curves_table(findings, blocks)
        if curves is not None:
            yield Section("Curves", curves, tuple(_of_curves(findings)))
        if verdict.disagreements:
            yield Section("Where the judges disagree", text=_some(verdict.disagreements))
    if verdict.systems:
        yield Section("Which systems differ for real", text=verdict.systems)
    yield Section("Verdict", text=(verdict.headline,))
    if verdict.interesting:
        yield Section("Most interesting", text=verdict.interesting[:3])
    if verdict.caveats:
        yield Section("With care", text=verdict.caveats)


# --- systems -------------------------------------------------------------------------------------------------------


def leaderboard(findings: Findings, width: int | None = None) -> Section:
    """A row a system, the best first; behind each number the metric's own cluster of the system."""
    assert findings.scores is not None
    assert findings.verdict is not None
    groups = findings.verdict.groups
    plain = Result(tuple(replace(one, interval=None) for one in findings.scores.scores), single=False)
    table = corpus_table(plain, width)
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
    """Further columns, QUEEN and what people say: higher is better, and the sign that numbers are shown with."""
    if findings.queens is not None:
        yield "QUEEN", {one.system: one.queen for one in findings.queens}, 1.0
    human = findings.human
    if human is not None:
        first = next(iter(human.criteria))
        goodness = dict(zip(human.systems, make_human_source(human, first).systems.tolist(), strict=True))
        yield "people", goodness, -1.0 if human.kinds[first] == "error" else 1.0


def _of_systems(findings: Findings, marked: bool) -> Iterator[str]:
    assert findings.scores is not None
    if marked:
        yield (
            "behind a score: the system's group under that metric; no system of a group is significantly better than "
            "another (paired bootstrap, Holm's correction)"
        )
    scaled = dict.fromkeys(str(one.metric) for one in findings.scores.scores if one.metric.scale != 1)
    errors = dict.fromkeys(str(one.metric) for one in findings.scores.scores if one.metric.kind == "error")
    if scaled:
        yield f"times 100: {', '.join(scaled)}" + (f"; lower is better: {', '.join(errors)}" if errors else "")
    elif errors:
        yield f"lower is better: {', '.join(errors)}"
    if findings.queens is not None:
        yield (
            "QUEEN: how often a translation is as near to a reference as two references are to each other, by all "
            "metrics at once"
        )


# --- metrics -------------------------------------------------------------------------------------------------------


def metrics_table(metrics: Sequence[MetricVerdict]) -> Table:
    """A row a metric, a column a judge; a star marks a judge's best metrics."""
    judges = [
        judge
        for judge in ("ORANGE", "KING", "people", "audit")
        if any(own.judge == judge for one in metrics for own in one.judgments)
    ]
    rows = []
    marks: dict[tuple[int, int], str] = {}
    best: set[tuple[int, int]] = set()
    for r, one in enumerate(metrics):
        own = {opinion.judge: opinion for opinion in one.judgments}
        rows.append((one.metric, *(_cell(own.get(judge)) for judge in judges), one.trust))
        marks |= {(r, c): "*" for c, judge in enumerate(judges, 1) if judge in own and own[judge].standing == 1}
        best |= {(r, len(judges) + 1)} if one.trust == "trusted" else set()
    titles = {"KING": "strict KING", "audit": "gamed"}
    header = ("metric", *(titles.get(judge, judge) for judge in judges), "verdict")
    return Table(header, tuple(rows), marks=marks, best=frozenset(best))


def _cell(opinion: Judgment | None) -> str:
    if opinion is None or opinion.value is None:
        return NO_NUMBER
    if opinion.judge == "ORANGE":
        return percent(opinion.value)
    if opinion.judge == "audit":
        return opinion.sentence.removeprefix("can be gamed in ").removesuffix(" ways")
    return f"{opinion.value:.3f}"


def _legend(findings: Findings) -> Iterator[str]:
    from tarocco.trials.judgments import select_human_result

    yield "*: among the judge's best metrics, which it cannot tell apart"
    if findings.orange is not None:
        yield ORANGE
    if findings.kings is not None:
        yield KING
    result = select_human_result(findings.correlations)
    if result is not None:
        where = "over systems" if result.design.level == "system" else "within segments"
        yield PEOPLE.format(f"{result.criteria[0]}, {where}")
    if findings.audit is not None:
        yield GAMED
    yield "trusted: best for most judges, people among them, without an objection; doubted: for none; mixed: between"


def set_sentences(result: OptimizeResult) -> Iterator[str]:
    """The set, and whether it holds on segments that were not searched."""
    one, cross = result.chosen, result.cross_validation
    yield f"{' + '.join(one.metrics)}: strict KING {one.strict_king:.3f}, KING {one.king:.3f}"
    if cross is not None:
        yield (
            f"on segments that the search has not seen such a set has {cross.kings[1]:.3f}, the best single metric "
            f"{cross.best_single[1]:.3f}"
        )


# --- curves --------------------------------------------------------------------------------------------------------


def curves_table(findings: Findings, blocks: str = BLOCKS) -> Table | None:
    """A row a metric: ORANGE over the length of the list, agreement over the number of references."""
    assert findings.verdict is not None
    found = findings.orange.metrics if findings.orange is not None else ()
    orange = {one.metric: [value for _, value in one.curve] for one in found if one.curve}
    curves = {one.metric: one for one in findings.curves.named_curves} if findings.curves is not None else {}
    names = [one.metric for one in findings.verdict.metrics if one.metric in orange or one.metric in curves]
    if not names:
        return None
    header, rows = ["metric"], {name: [name] for name in names}
    if orange:
        low, high = _ends(orange.values())
        header += ["ORANGE", "1..all"]
        for name, row in rows.items():
            own = orange.get(name)
            row += (
                [sparkline(own, low, high, POINTS, blocks), f"{100 * own[0]:.0f}..{100 * own[-1]:.0f}%"]
                if own
                else [NO_NUMBER] * 2
            )
    if findings.curves is not None:
        means = {name: [point.mean for point in curve.points] for name, curve in curves.items()}
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
        yield "ORANGE: with the first candidate of each list alone, up to all of them"
    if findings.curves is not None:
        yield f"references: {findings.curves.judged_by}, with so many of them; enough: for 98% of the best"


def _some(sentences: Sequence[str]) -> tuple[str, ...]:
    more = len(sentences) - SENTENCES
    return (*sentences[:SENTENCES], *([f"And {more} more (-f json)."] if more > 0 else []))


# --- for programs --------------------------------------------------------------------------------------------------


def rows(findings: Findings) -> list[dict[str, Any]]:
    """One flat record a metric: what each judge says of it, and the verdict."""
    assert findings.verdict is not None
    found = []
    for one in findings.verdict.metrics:
        record: dict[str, Any] = {"metric": one.metric, "trust": one.trust}
        for opinion in one.judgments:
            name = opinion.judge.lower()
            record |= {name: opinion.value, f"{name}_rank": opinion.rank, f"{name}_best": opinion.standing}
        found.append(record | {"reason": one.reason})
    return found
