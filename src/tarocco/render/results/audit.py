"""An audit as a table, a row a metric and a column a check, and what was found in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.audit.evidence import CHECKS, Finding, Outcome
from tarocco.render.results.score import number
from tarocco.render.tables import NO_NUMBER, Table, percent
from tarocco.scoring.results import Score

FEW = 8  # segments, labels or systems that a sentence names before it only counts


def audit_table(result: AuditResult, width: int | None = None) -> Table:
    """The most gameable metric first; a star marks what a check found."""
    blanked = f"{100 * result.settings.share:g}% blanked"
    header = ("metric", "found", "sign test", "mixing", blanked, "greedy", "trading", "straw men")
    digits = 1 if width is None else width
    rows, marks = [], dict[tuple[int, int], str]()
    for r, name in enumerate(result):
        outcomes = result[name]
        cells = [_cells(outcomes[check], digits) for check in CHECKS]
        rows.append(
            (name, f"{result.found(name)} of {result.possible(name)}", *(cell for own in cells for cell in own))
        )
        stars = [outcomes[check].found for check in CHECKS]
        told = outcomes["deletion"].numbers
        stars[2:3] = [bool(told.get("forgiven")), bool(told.get("reached"))]
        marks |= {(r, c): "*" for c, star in enumerate(stars, start=2) if star}
    return Table(header, tuple(rows), marks=marks)


def _cells(outcome: Outcome, digits: int) -> tuple[str, ...]:
    if outcome.impossible is not None:
        return (NO_NUMBER,) * (2 if outcome.check == "deletion" else 1)
    told = outcome.numbers
    if outcome.check == "sign test":
        return (f"{told['contradictions']} of {told['pairs']}",)
    if outcome.check == "mixing":
        return (percent(outcome.size, digits) if outcome.found else "no",)
    if outcome.check == "deletion":
        return percent(told["change"], digits, signed=True), percent(outcome.size, digits)
    if outcome.check == "trading":
        return (percent(outcome.size, digits, signed=True),)
    return (f"{told['won']} of {told['comparisons']}",)


def legend(result: AuditResult) -> list[str]:
    """What the columns are."""
    own = result.settings
    share, draws = f"{100 * own.share:g}%", f"{own.n_draws} draws"
    return [
        "*: found; %: of the distance between an output's score and an empty output's; +: better, -: worse",
        f"sign test: pairs of systems that are each significantly better than the other (p up to {own.alpha:g})",
        "mixing: an output is better in each part and worse on the whole; the smallest of these differences",
        f"{share} blanked: how the score changes with {share} of the segments empty (mean of {draws}), for the system "
        "that loses least",
        "greedy: the share of segments, chosen one by one, that can be empty without a worse score, for the system "
        "with the most",
        f"trading: how two systems with halves exchanged compare with the better one (mean of {draws}), for the pair "
        "that gains most",
        "straw men: how often half an output, an output twice, or nothing at all scores better than a real system",
    ]


def not_possible(result: AuditResult) -> list[str]:
    """Which checks there could not be, and why."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for name in result:
        for check, outcome in result[name].items():
            if outcome.impossible is not None:
                reasons.setdefault((outcome.impossible, check), []).append(name)
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (why, check), names in reasons.items():
        together.setdefault((why, tuple(names)), []).append(check)
    gaps = [
        f"{name}: {count} segments are left out, as not all systems have scores there"
        for name, count in result.left_out.items()
        if result.possible(name)
    ]
    return gaps + [
        f"not possible{'' if len(names) == len(result) else f' for {_listed(names)}'}: {', '.join(checks)} ({why})"
        for (why, names), checks in together.items()
    ]


def sentences(result: AuditResult, every: bool = False, width: int | None = None) -> list[str]:
    """The strongest finding of each metric and check, or all of them with all their segments."""
    found = []
    for name in result:
        score = result.score_of(name)
        for outcome in result[name].values():
            shown = outcome.findings if every else outcome.findings[:1]
            found += [sentence(finding, score, every, width) for finding in shown]
            others = len(outcome.findings) - len(shown)
            if others:
                found[-1] += f" [{others} more finding{'s' * (others > 1)}]"
    return found


def sentence(finding: Finding, score: Score, every: bool = False, width: int | None = None) -> str:
    """A finding in words, numbers on the metric's printed scale; `score` knows the scale."""

    def shown(value: float) -> str:
        return number(value, score, width)

    told = _TOLD[finding.check](finding, shown)
    return f"{finding.metric}, {finding.check}: {told}; {_segments(finding.segments, every)}"


def _sign_test(finding: Finding, shown: Callable[[float], str]) -> str:
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


def _mixing(finding: Finding, shown: Callable[[float], str]) -> str:
    mixed, system = finding.systems
    parts = finding.numbers["parts"]
    several = len({part["system"] for part in parts}) > 1
    beats, loses = ("beat", "lose") if several else ("beats", "loses")
    told = [
        f"in {_listed(part['labels'], ' + ')} {shown(part['score'])} to {shown(part['beats'])} ({_p(part['p_value'])}"
        + (f"; {part['system']})" if several else ")")
        for part in parts
    ]
    return (
        f"{mixed} {beats} {system} {', '.join(told)}, but {loses} on the whole, "
        f"{shown(finding.numbers['score'])} to {shown(finding.numbers['loses_to'])} (bootstrap {_p(finding.p_value)})"
    )


def _deletion(finding: Finding, shown: Callable[[float], str]) -> str:
    told = finding.numbers
    score, mean, low, high = (shown(told[name]) for name in ("score", "mean", "lowest", "highest"))
    return (
        f"{told['system']} scores {score}, and with {told['blanked']} random segments empty {mean} on average "
        f"({low} to {high}; bootstrap of the first draw {_p(finding.p_value)}); with {told['greedy']} chosen ones "
        f"empty ({percent(told['greedy_share'], 1)}) it is no worse"
    )


def _trading(finding: Finding, shown: Callable[[float], str]) -> str:
    told = finding.numbers
    (one, other), (long, short) = finding.systems, told["lengths"]
    return (
        f"{one} ({long} characters) and {other} ({short}) score {shown(told['scores'][0])} and "
        f"{shown(told['scores'][1])}, half of each scores {shown(told['exchanged'])} on average "
        f"(their mean is {shown(told['expected'])}; bootstrap of the first draw {_p(finding.p_value)})"
    )


def _straw_men(finding: Finding, shown: Callable[[float], str]) -> str:
    told = finding.numbers
    name = "an empty output" if told["of"] is None else f"{told['of']}, {told['straw_man']},"
    against = "the system it was made of" if told["outranks_its_own"] else told["compared_with"]
    others = len(told["outranks"]) - 1
    return (
        f"{name} scores {shown(told['score'])} and outranks {against} ({shown(told['beats'])}; bootstrap "
        f"{_p(finding.p_value)})" + (f" and {others} other{'s' * (others > 1)}" if others else "")
    )


_TOLD: dict[str, Callable[[Finding, Callable[[float], str]], str]] = {
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
        return "no segment shows it alone"
    return f"segment{'s' * (len(segments) > 1)} {_listed([str(one) for one in segments], most=None if every else FEW)}"


def _listed(names: Sequence[str], between: str = ", ", most: int | None = FEW) -> str:
    if most is None or len(names) <= most:
        return between.join(names)
    return f"{between.join(names[:most])} and {len(names) - most} more"
