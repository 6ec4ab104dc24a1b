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
    """Return the table, the most gameable metric first; a star marks findings."""
    blanked = f"{100 * result.settings.share:g}% blanked"
    header = ("metric", "found", "sign test", "mixing", blanked, "greedy", "trading", "straw men")
    decimals = 1 if digits is None else digits
    rows, marks = [], dict[tuple[int, int], str]()
    for r, name in enumerate(result):
        checks = result[name]
        cells = [_cells(checks[kind], decimals) for kind in CHECKS]
        rows.append(
            (
                name,
                f"{result.count_gamed(name)} of {result.count_possible(name)}",
                *(cell for of_check in cells for cell in of_check),
            )
        )
        stars = [checks[kind].gamed for kind in CHECKS]
        deletion = checks["deletion"].numbers
        stars[2:3] = [bool(deletion.get("forgiven")), bool(deletion.get("reached"))]
        marks |= {(r, c): "*" for c, star in enumerate(stars, start=2) if star}
    return Table(header, tuple(rows), marks=marks)


def _cells(check: CheckResult, digits: int) -> tuple[str, ...]:
    if check.impossible is not None:
        return (NO_NUMBER,) * (2 if check.check == "deletion" else 1)
    numbers = check.numbers
    if check.check == "sign test":
        return (f"{numbers['contradictions']} of {numbers['pairs']}",)
    if check.check == "mixing":
        return (percent(check.size, digits) if check.gamed else "no",)
    if check.check == "deletion":
        return percent(numbers["change"], digits, signed=True), percent(check.size, digits)
    if check.check == "trading":
        return (percent(check.size, digits, signed=True),)
    return (f"{numbers['won']} of {numbers['comparisons']}",)


def legend(result: AuditResult) -> list[str]:
    """Return explanations of the columns."""
    settings = result.settings
    share, draws = f"{100 * settings.share:g}%", f"{settings.n_draws} draws"
    return [
        "*: a finding; %: of the distance between an output's score and an empty output's; +: better, -: worse",
        f"sign test: pairs of systems that are each significantly better than the other (p up to {settings.alpha:g})",
        "mixing: an output is better in each part but worse on the whole; the smallest of these differences",
        f"{share} blanked: how the score changes with {share} of the segments empty (mean of {draws}), for the system "
        "that loses least",
        "greedy: the share of segments, chosen one by one, that can be empty without a worse score, for the system "
        "with the most",
        f"trading: how two systems with halves exchanged compare with the better one (mean of {draws}), for the pair "
        "that gains most",
        "straw men: how often half an output, an output twice, or an empty output scores better than a real system",
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
    gaps = [
        f"{name}: {count} segments are left out, because not all systems have scores there"
        for name, count in result.left_out.items()
        if result.count_possible(name)
    ]
    return gaps + [
        f"not possible{'' if len(names) == len(result) else f' for {_listed(names)}'}: {', '.join(checks)} ({why})"
        for (why, names), checks in together.items()
    ]


def sentences(result: AuditResult, every: bool = False, digits: int | None = None) -> list[str]:
    """Return the strongest finding per metric and check as a sentence, or all findings with all their segments."""
    lines = []
    for name in result:
        score = result.score_of(name)
        for check in result[name].values():
            shown = check.findings if every else check.findings[:1]
            lines += [sentence(finding, score, every, digits) for finding in shown]
            others = len(check.findings) - len(shown)
            if others:
                lines[-1] += f" [{others} more finding{'s' * (others > 1)}]"
    return lines


def sentence(finding: AuditFinding, score: Score, every: bool = False, digits: int | None = None) -> str:
    """Return a finding in words, with scores on the printed scale of `score`."""

    def shown(value: float) -> str:
        return number(value, score, digits)

    words = _SENTENCES[finding.check](finding, shown)
    return f"{finding.metric}, {finding.check}: {words}; {_segments(finding.segments, every)}"


def _sign_test(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    one, other = finding.systems
    first, second = finding.numbers["tests"]
    scores = finding.numbers["scores"]
    return (
        f"{_verdict(first, one, other)}, and {_verdict(second, other, one)}; "
        f"scores {shown(scores[0])} and {shown(scores[1])} (bootstrap {_p(finding.p_value)})"
    )


def _verdict(test: dict[str, Any], baseline: str, system: str) -> str:
    better, worse = (system, baseline) if test["better"] > test["worse"] else (baseline, system)
    most, least = sorted((test["better"], test["worse"]), reverse=True)
    return f"{better} is better than {worse} ({most} segments to {least}, {_p(test['p_value'])})"


def _mixing(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    mixed, system = finding.systems
    parts = finding.numbers["parts"]
    several = len({part["system"] for part in parts}) > 1
    beats, loses = ("beat", "lose") if several else ("beats", "loses")
    wins = [
        f"in {_listed(part['labels'], ' + ')} {shown(part['score'])} to {shown(part['beats'])} ({_p(part['p_value'])}"
        + (f"; {part['system']})" if several else ")")
        for part in parts
    ]
    return (
        f"{mixed} {beats} {system} {', '.join(wins)}, but {loses} on the whole, "
        f"{shown(finding.numbers['score'])} to {shown(finding.numbers['loses_to'])} (bootstrap {_p(finding.p_value)})"
    )


def _deletion(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    numbers = finding.numbers
    score, mean, low, high = (shown(numbers[name]) for name in ("score", "mean", "lowest", "highest"))
    return (
        f"{numbers['system']} scores {score}, and with {numbers['blanked']} random segments empty {mean} on average "
        f"({low} to {high}; bootstrap of the first draw {_p(finding.p_value)}); with {numbers['greedy']} chosen ones "
        f"empty ({percent(numbers['greedy_share'], 1)}) it is no worse"
    )


def _trading(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    numbers = finding.numbers
    (one, other), (long, short) = finding.systems, numbers["lengths"]
    return (
        f"{one} ({long} characters) and {other} ({short}) score {shown(numbers['scores'][0])} and "
        f"{shown(numbers['scores'][1])}, half of each scores {shown(numbers['exchanged'])} on average "
        f"(their mean is {shown(numbers['expected'])}; bootstrap of the first draw {_p(finding.p_value)})"
    )


def _straw_men(finding: AuditFinding, shown: Callable[[float], str]) -> str:
    numbers = finding.numbers
    name = "an empty output" if numbers["of"] is None else f"{numbers['of']}, {numbers['straw_man']},"
    against = "the system it was made of" if numbers["outranks_its_own"] else numbers["compared_with"]
    others = len(numbers["outranks"]) - 1
    return (
        f"{name} scores {shown(numbers['score'])} and outranks {against} ({shown(numbers['beats'])}; bootstrap "
        f"{_p(finding.p_value)})" + (f" and {others} other{'s' * (others > 1)}" if others else "")
    )


_SENTENCES: dict[str, Callable[[AuditFinding, Callable[[float], str]], str]] = {
    "sign test": _sign_test,
    "mixing": _mixing,
    "deletion": _deletion,
    "trading": _trading,
    "straw men": _straw_men,
}


def _p(value: float | None) -> str:
    return "p = -" if value is None else "p < 0.0001" if value < 0.00005 else f"p = {value:.4f}"


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
    names = ("seed", "alpha", "share", "n_draws", "n_resamples")
    settings = {name: getattr(result.settings, name) for name in names} | {"groups": result.labels}
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
        *not_possible(result),
        *(["; ".join(about)] if findings else []),
        "",
        *(result.signature(name) for name in result),
    ]
