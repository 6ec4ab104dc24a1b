"""An audit as a table, one row per metric and one column per check, and its findings as sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.audit.evidence import CHECKS, AuditFinding, CheckResult
from tarocco.render.results import Presentation, show_tables
from tarocco.render.results.score import number
from tarocco.render.tables import NO_NUMBER, Table, percent, separated
from tarocco.scoring.results import Score

FEW = 8  # segments, labels or systems that a sentence names; it only counts the others


def audit_table(result: AuditResult, digits: int | None = None) -> Table:
    """Return the table, the most gameable metric first; a star marks the checks in which a metric can be gamed."""
    rows, marks = [], dict[tuple[int, int], str]()
    for r, name in enumerate(result):
        checks = [result[name][kind] for kind in CHECKS]
        count = f"{result.count_gamed(name)} of {result.count_possible(name)}"
        rows.append((name, count, *map(_cell, checks)))
        marks |= {(r, c): "*" for c, check in enumerate(checks, start=2) if check.gamed}
    return Table(("metric", "found", *CHECKS), tuple(rows), marks=marks)


def _cell(check: CheckResult) -> str:
    return NO_NUMBER if check.impossible is not None else f"{check.counted} of {check.n_tests}"


def legend(result: AuditResult) -> list[str]:
    """Return explanations of the columns, with the least sizes that count."""
    settings = result.settings
    share, gain = f"{100 * settings.share:g}%", f"{100 * settings.least_gain:g}%"
    return [
        "cells: significant findings, of all tests; the effect must significantly exceed the size stated below "
        f"(p up to {settings.alpha:g}, Holm; {result.n_units} {result.unit}s as units)",
        "*: the metric can be gamed: significant even as the best of all systems or pairs in the cell",
        "%: of the distance between the scores of an empty output and of a reference",
        f"sign test: each of two systems is better than the other, both by a majority above "
        f"{100 * settings.least_majority:g}% (55:45 is 10%)",
        f"mixing: an output is better in each part, but worse on the whole; every difference above {gain}",
        f"deletion: with {share} of the text empty, the score loses less than "
        f"{100 * (1 - settings.least_forgiven):g}% of what a mean of segment scores loses",
        f"trading: half of one output with half of another scores above both, by more than {gain}",
        f"straw men: half an output, an output twice, or an empty output scores above the output, by more than {gain}",
    ]


def not_possible(result: AuditResult) -> list[str]:
    """Return sentences on the checks that were not possible, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name in result:
        for kind, check in result[name].items():
            if check.impossible is not None:
                reasons.setdefault((check.impossible, kind), []).append(name)
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (why, kind), names in reasons.items():
        together.setdefault((why, tuple(names)), []).append(kind)
    return [
        f"not possible{'' if len(names) == len(result) else f' for {_listed(names)}'}: {', '.join(checks)} ({why})"
        for (why, names), checks in together.items()
    ]


def unproven(result: AuditResult) -> list[str]:
    """Return sentences on findings in cells without a star, and on sign tests that contradict the scores."""
    counted, uncertain = [], []
    for name in result:
        checks = [check for check in result[name].values() if check.findings and not check.gamed]
        counted += _describe_counts(name, {check.check: check.counted for check in checks})
        uncertain += _describe_counts(name, {check.check: len(check.findings) - check.counted for check in checks})
    lines = [f"significant, but not as the best of all systems or pairs: {', '.join(counted)}"] if counted else []
    if uncertain:
        lines.append(f"estimated above the least size, but not significantly: {', '.join(uncertain)}")
    for name in result:
        for pair in result[name]["sign test"].numbers.get("contradicts_scores", ()):
            winner, loser = pair["systems"] if pair["better"] is False else reversed(pair["systems"])
            lines.append(
                f"{name}: by the sign test {winner} is better than {loser} ({_p(pair['p_value'])}), "
                f"but {loser} has the better score"
            )
    return lines


def _describe_counts(name: str, counts: dict[str, int]) -> list[str]:
    """Return a metric with its number of findings per check, such as ["BLEU-4 (2 sign test)"]; [] without findings."""
    parts = [f"{count} {check}" for check, count in counts.items() if count]
    return [f"{name} ({', '.join(parts)})"] if parts else []


def sentences(result: AuditResult, every: bool = False, digits: int | None = None) -> list[str]:
    """Return the largest finding of each check in which a metric can be gamed, or all findings, as sentences."""
    lines = []
    for name in result:
        score = result.score_of(name)
        for check in result[name].values():
            shown = check.findings if every else check.findings[: int(check.gamed)]
            lines += [sentence(finding, score, every, digits) for finding in shown]
            others = check.counted - len(shown)
            if shown and others > 0:
                lines[-1] += f" [{others} more finding{'s' * (others > 1)}]"
    return lines


def sentence(finding: AuditFinding, score: Score, every: bool = False, digits: int | None = None) -> str:
    """Return a finding in words, with scores on the printed scale of `score`."""

    def shown(value: float) -> str:
        return number(value, score, digits)

    words = _SENTENCES[finding.check](finding, shown)
    evidence = f"{percent(finding.size, 1)}, above {percent(finding.threshold, 1)}: {_p(finding.p_holm)}"
    without = "" if finding.counts else ", does not count"
    return f"{finding.metric}, {finding.check}: {words} ({evidence}{without}); {_segments(finding.segments, every)}"


def _sign_test(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    forward, backward = map(_verdict, finding.numbers["tests"])
    first, second = finding.systems
    scores = finding.numbers["scores"]
    return f"{forward}, and {backward}; {first} scores {shown(scores[0])} and {second} {shown(scores[1])}"


def _verdict(test: dict[str, Any]) -> str:
    names = test["system"], test["baseline"]
    better, worse = names if test["better"] else names[::-1]
    most, least = sorted((test["improved"], test["worsened"]), reverse=True)
    return f"{better} is better than {worse} ({most} to {least})"


def _mixing(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    mixed, system = finding.systems
    parts = finding.numbers["parts"]
    several = len({part["system"] for part in parts}) > 1
    beats, loses = ("beat", "lose") if several else ("beats", "loses")
    wins = [
        f"in {_listed(part['labels'], ' + ')} {shown(part['score'])} to {shown(part['beats'])}"
        + (f" ({part['system']})" if several else "")
        for part in parts
    ]
    return (
        f"{mixed} {beats} {system} {', '.join(wins)}, but {loses} on the whole, "
        f"{shown(finding.numbers['score'])} to {shown(finding.numbers['loses_to'])}"
    )


def _deletion(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    numbers = finding.numbers
    score, mean, low, high = (shown(numbers[name]) for name in ("score", "mean", "lowest", "highest"))
    return (
        f"{numbers['system']} scores {score}, and with {numbers['blanked']} random segments empty {mean} on average "
        f"({low} to {high}); with {numbers['greedy']} segments empty "
        f"({percent(numbers['greedy_share'], 1)}, chosen by a search), it scores no worse"
    )


def _trading(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    numbers = finding.numbers
    (first, second), (long, short) = finding.systems, numbers["lengths"]
    return (
        f"{first} ({long} characters) and {second} ({short}) score {shown(numbers['scores'][0])} and "
        f"{shown(numbers['scores'][1])}, half of each scores {shown(numbers['exchanged'])} on average "
        f"(their mean is {shown(numbers['expected'])})"
    )


def _straw_men(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    numbers = finding.numbers
    what = "an empty output" if numbers["of"] is None else f"{numbers['of']}, {numbers['straw_man']},"
    against = "the system it was made from" if numbers["outranks_its_own"] else numbers["compared_with"]
    return f"{what} scores {shown(numbers['score'])}, better than {against} ({shown(numbers['beats'])})"


_SENTENCES: dict[str, Callable[[AuditFinding, Callable[[float], str]], str]] = {
    "sign test": _sign_test,
    "mixing": _mixing,
    "deletion": _deletion,
    "trading": _trading,
    "straw men": _straw_men,
}


def _p(value: float) -> str:
    return "p < 0.0001" if value < 0.00005 else f"p = {value:.4f}"


def _segments(segments: Sequence[int], every: bool) -> str:
    if not segments:
        return "no single segment shows it"
    return f"segment{'s' * (len(segments) > 1)} {_listed(list(map(str, segments)), most=None if every else FEW)}"


def _listed(names: Sequence[str], between: str = ", ", most: int | None = FEW) -> str:
    if most is None or len(names) <= most:
        return between.join(names)
    return f"{between.join(names[:most])} and {len(names) - most} more"


def present_audit(result: AuditResult, digits: int | None = None, detailed: bool = False) -> Presentation:
    """Present an audit; `detailed` lists all findings with their segments."""
    names = ("seed", "alpha", "share", "least_gain", "least_forgiven", "least_majority", "n_draws")
    settings = {name: getattr(result.settings, name) for name in names}
    settings |= {"groups": result.labels, "unit": result.unit, "n_units": result.n_units}
    return Presentation(
        "audit",
        settings,
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        show_tables(lambda: [audit_table(result, digits)], lambda: footnotes(result, digits, detailed)),
        lambda: [str(result.count_gamed(name)) for name in result.checks],  # in the order of -m
    )


def footnotes(result: AuditResult, digits: int | None, detailed: bool) -> list[str]:
    """Return the lines below a table: columns, findings, checks that were not possible, and signatures."""
    findings = sentences(result, detailed, digits)
    scaled = [name for name in result if result.score_of(name).metric.scale != 1]
    about = [f"in sentences times 100: {', '.join(scaled)}"] * bool(scaled) + ["segments are counted from 1"]
    return [
        *legend(result),
        "",
        *(findings or ["no findings"]),
        *unproven(result),
        *not_possible(result),
        *(["; ".join(about)] if findings else []),
        "",
        *(result.signature(name) for name in result),
    ]
