"""Correlations of metrics with human scores."""

from __future__ import annotations

from dataclasses import asdict

from tarocco.meta.correlation.results import CorrelateResult, Correlation
from tarocco.meta.support.decision import SUCH, Support
from tarocco.meta.support.support import SupportResult
from tarocco.render.results import Presentation, show_tables
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash, separated

TITLES = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall b",
    "kendall-a": "Kendall a",
    "kendall-c": "Kendall c",
    "accuracy": "accuracy",
    "spa": "SPA",
    "spa-symmetric": "symmetric SPA",
    "acc-eq": "acc. with ties",
}
ACCURACIES = {"accuracy": "accuracy", "soft_accuracy": "SPA", "accuracy_with_ties": "acc. with ties"}


def present_correlations(result: CorrelateResult, digits: int | None = None, pairs: bool = False) -> Presentation:
    """Present correlations; with `pairs`, the tests of all pairs of metrics."""
    if result.design.at_differences is not None:
        return _present_differences(result)
    form = f".{4 if digits is None else digits}f"
    table = leads_table if pairs else correlations_table

    def lines() -> list[str]:
        numbers = [one.p_holm for one in result.metric_comparisons] if pairs else result.metric_values()
        return [number_or_dash(number, form) for number in numbers]

    return Presentation(
        "correlate",
        asdict(result.design)
        | {"outliers_found": dict(result.outliers), "notes": list(result.notes)}
        | {"raters": [one.to_dict() for one in result.raters]},
        result.pairs if pairs else result.to_dict,
        lambda delimiter: separated(result.pairs() if pairs else result.rows(), delimiter),
        show_tables(lambda: [table(result, digits)], lambda: footnotes(result, pairs)),
        lines,
        result.notes,
    )


def _present_differences(result: CorrelateResult) -> Presentation:
    """Present how often people agree with differences under each metric."""
    rows = [one.to_dict() for one in result.differences]
    return Presentation(
        "correlate",
        asdict(result.design) | {"notes": list(result.notes)},
        lambda: rows,
        lambda delimiter: separated(rows, delimiter),
        show_tables(lambda: [differences_table(result)], lambda: _differences_footnotes(result)),
        lambda: [number_or_dash(one.share, ".4f") for one in result.differences],
        result.notes,
    )


def differences_table(result: CorrelateResult) -> Table:
    """One row per metric and difference."""
    several = len(result.criteria) > 1
    rows = [
        (
            *([one.criterion] if several else []),
            *(one.metric, f"{one.difference:.4g}", number_or_dash(one.share, ".3f")),
            f"[{number_or_dash(one.low, '.3f')}, {number_or_dash(one.high, '.3f')}]",
            *(number_or_dash(one.near, ".3f"), str(one.n_near), str(one.n_pairs)),
        )
        for one in result.differences
    ]
    header = (
        *(["criterion"] if several else []),
        *("metric", "difference", "people agree", f"{100 * result.design.confidence:g}%"),
        *("observed", "near", "pairs"),
    )
    return Table(header, tuple(rows), labels=2 if several else 1)


def _differences_footnotes(result: CorrelateResult) -> list[str]:
    return [
        *result.human_signatures.values(),
        "people agree with a difference of so much between two systems under the metric: the share of pairs of systems "
        "that people order alike, by a logistic curve through all pairs",
        f"{100 * result.design.confidence:g}%: systems and segments redrawn, {result.design.n_resamples} resamples, "
        f"seed {result.design.seed}: a statement about such systems",
        "observed: the share among pairs that differ by half to twice as much; near: how many these are. Where there "
        "are none, the estimate is extrapolated",
    ]


def correlations_table(result: CorrelateResult, digits: int | None = None) -> Table:
    """One row per criterion and metric, best first; the coefficient that ranks metrics has an interval."""
    decimals = 3 if digits is None else digits

    def number(value: float | None) -> str:
        return number_or_dash(value, f".{decimals}f")

    main = result.design.coefficient
    several = len(result.criteria) > 1
    first = result.correlations[0]
    others = [name for name in first.coefficients if name != main]
    accuracies = [
        key
        for key, title in ACCURACIES.items()
        if title != TITLES[main] and any(number(one.accuracies.to_dict().get(key)) != NO_NUMBER for one in result)
    ]
    outliers = any(one.pearson_without_outliers is not None for one in result)
    shares = any(result.share_of_ceiling(one) is not None for one in result)
    confidence = f"{100 * result.design.confidence:g}%"

    def row(one: Correlation) -> tuple[str, ...]:
        low, high = number(one.interval.low), number(one.interval.high)
        return (
            *([one.criterion] if several else []),
            one.metric,
            number(result.value(one)),
            low if low == NO_NUMBER else f"[{low}, {high}]",
            *(number(one.coefficients[name].value) for name in others),
            *([number(one.pearson_without_outliers)] if outliers else []),
            *(number(one.accuracies.to_dict().get(key)) for key in accuracies),
            *([number_or_dash(result.share_of_ceiling(one), ".0%")] if shares else []),
            str(one.cluster or NO_NUMBER),
        )

    header = (
        *(["criterion"] if several else []),
        "metric",
        TITLES[main],
        confidence,
        *(TITLES[name] for name in others),
        *(["without outliers"] if outliers else []),
        *(ACCURACIES[key] for key in accuracies),
        *(["of ceiling"] if shares else []),
        "cluster",
    )
    column = 2 if several else 1
    best = {(r, column) for r, one in enumerate(result.correlations) if one.cluster == 1 and not one.sentinel}
    return Table(header, tuple(map(row, result.correlations)), labels=column, best=frozenset(best))


def leads_table(result: CorrelateResult, digits: int | None = None) -> Table:
    """One row per pair of metrics, the one that agrees better with human scores first."""
    decimals = 3 if digits is None else digits
    several = len(result.criteria) > 1
    rows = [
        (
            *([one.criterion] if several else []),
            *(one.metric, one.other, f"{one.difference:.{decimals}f}", one.test),
            *(number_or_dash(p, ".4f") for p in (one.p_value, one.p_holm)),
            number_or_dash(one.williams_t, ".2f"),
            number_or_dash(one.williams_p, ".4f"),
        )
        for one in result.metric_comparisons
    ]
    labels = 3 if several else 2
    header = (
        *(["criterion"] if several else []),
        *("metric", "ahead of", "lead", "test", "p", "p (Holm)", "Williams t", "p (Williams)"),
    )
    marks = {(r, labels + 3): "*" for r, one in enumerate(result.metric_comparisons) if one.significant}
    return Table(header, tuple(rows), labels=labels, marks=marks)


def footnotes(result: CorrelateResult, pairs: bool) -> list[str]:
    """Return the lines below a table: signatures, meanings of columns, undefined values, outliers."""
    question = result.design
    lines = list(dict.fromkeys(one.metric_signature for one in result if not one.sentinel))
    lines += result.human_signatures.values()
    sentinels = list(dict.fromkeys(one.metric for one in result if one.sentinel))
    lines.append(f"baselines that know nothing of quality: {', '.join(sentinels)}")
    if pairs:
        lines.append(f"*: significant; two-sided p-values with Holm's correction for {_count(result)}")
    else:
        lines.append(_describe_interval(result))
        lines.append(
            f"cluster: each metric of a cluster is significantly better than each of the next ({_tests(result)}, "
            f"Holm's correction for {_count(result)})"
        )
    lines += _describe_populations(result)
    lines += _describe_groups(result)
    lines += describe_raters(result)
    reasons: dict[str, list[str]] = {}
    for one in result:
        why = one.coefficients[question.coefficient].why
        if why is not None:
            reasons.setdefault(why, []).append(one.metric)
    lines += [f"no correlation for {', '.join(dict.fromkeys(names))}: {why}" for why, names in reasons.items()]
    dropped = question.outliers == "dropped"
    for criterion, names in result.outliers.items():
        if names:
            what = "left out" if dropped else "without outliers: Pearson of the other systems"
            lines.append(f"{criterion}: far from the other systems: {', '.join(names)} ({what})")
    return lines


def _describe_interval(result: CorrelateResult) -> str:
    question = result.design
    drawn = "systems and segments" if question.population == SUCH else "segments"
    if question.coefficient == "spa":
        how = "; p-values on resamples are normal approximations"
    elif question.coefficient == "acc-eq":
        how = "; resamples keep the calibrated epsilon"
    else:
        how = ""
    if result.human_level == "system":
        how += "; human scores are of whole systems, so that segments are redrawn for metrics only"
    return (
        f"{100 * question.confidence:g}%: bootstrap interval of {TITLES[question.coefficient]} over {drawn}, "
        f"{question.n_resamples} resamples, seed {question.seed}: a statement about "
        f"{_about(result, question.population)}{how}"
    )


def _about(result: CorrelateResult, population: str) -> str:
    if population == SUCH:
        return population
    return "this system only" if result.n_systems == 1 else f"these {result.n_systems} systems only"


def _describe_populations(result: CorrelateResult) -> list[str]:
    """Say which population each test speaks of."""
    tests: dict[str, list[str]] = {}
    for one in result.metric_comparisons:
        names = tests.setdefault(one.population, [])
        if one.test not in names:
            names.append(one.test)
    return [
        f"{' and '.join(names)} speak{'s' * (len(names) == 1)} of {_about(result, population)}"
        for population, names in tests.items()
    ]


def describe_raters(result: CorrelateResult) -> list[str]:
    """Say how far raters agree and what ceiling this sets; without several raters, that it is unknown."""
    lines = []
    title, confidence = TITLES[result.design.coefficient], f"{100 * result.design.confidence:g}%"
    for one in result.raters:
        alpha = (
            f"{one.criterion}: {one.n_raters} raters, Krippendorff's alpha {number_or_dash(one.alpha, '.3f')} "
            f"[{number_or_dash(one.alpha_low, '.3f')}, {number_or_dash(one.alpha_high, '.3f')}] over {one.n_outputs} "
            "outputs with two raters or more"
        )
        if one.n_used:
            ceiling = (
                f"ceiling: a rater agrees with the mean of the others by {title} {one.ceiling:.3f} "
                f"[{number_or_dash(one.ceiling_low, '.3f')}, {number_or_dash(one.ceiling_high, '.3f')}] ({confidence}, "
                f"mean over {one.n_used} raters); of ceiling: metrics' agreement with the same means, as a share of it"
            )
        else:
            ceiling = "the ceiling is unknown: no two raters scored enough of the same outputs"
        lines.append(f"{alpha}; {ceiling}")
    return lines or ["the ceiling is unknown (one rater, or raters are not named)"]


def _describe_groups(result: CorrelateResult) -> list[str]:
    """Say how many groups a mean is over, and how many were left out."""
    mains = [(one.metric, one.coefficients[result.design.coefficient]) for one in result]
    mains = [(name, main) for name, main in mains if main.groups > 1 and main.defined]
    if not mains:
        return []
    least, most = min(main.defined for _, main in mains), max(main.defined for _, main in mains)
    groups = mains[0][1].groups
    counts = f"{least}" if least == most else f"{least} to {most}"
    left = f"{groups - least}" if least == most else f"{groups - most} to {groups - least}"
    why = "fewer than two judged systems" if result.design.coefficient == "acc-eq" else "all scores equal or too few"
    return [f"mean over {counts} of {groups} groups, by metric; {left} left out ({why})"]


def _tests(result: CorrelateResult) -> str:
    return " and ".join(dict.fromkeys(one.test for one in result.metric_comparisons)) or result.design.test


def _count(result: CorrelateResult) -> str:
    """Return the two families of tests that Holm's correction is for."""
    sentinels = {one.metric for one in result if one.sentinel}
    first = [one for one in result.metric_comparisons if one.criterion == result.criteria[0]]
    with_sentinel = sum(bool({one.metric, one.other} & sentinels) for one in first)
    count = len(first) - with_sentinel
    each = " under each criterion" if len(result.criteria) > 1 else ""
    return f"{count} pair{'s' * (count != 1)} of metrics and {with_sentinel} with a baseline{each}"


# --- support ---


def present_support(result: SupportResult) -> Presentation:
    """Present which metrics people support, refute, or leave open."""
    return Presentation(
        "support",
        asdict(result.rules) | {"n_systems": result.n_systems, "n_segments": result.n_segments},
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        show_tables(lambda: [support_table(result)], lambda: support_footnotes(result)),
        lambda: [one.status for one in result],
        result.notes,
    )


def support_table(result: SupportResult) -> Table:
    """One row per criterion, level and metric: agreement with people, and the status for each population."""
    populations = list(dict.fromkeys(one.population for one in result))[::-1]
    by_row: dict[tuple[str, str, str], dict[str, Support]] = {}
    for one in result:
        by_row.setdefault((one.criterion, one.level, one.metric), {})[one.population] = one
    rows, best = [], set()
    for r, ((criterion, level, metric), supports) in enumerate(by_row.items()):
        first = supports[populations[0]]
        rows.append(
            (
                *(criterion, level, metric, f"{first.value:.3f}", f"[{first.low:.3f}, {first.high:.3f}]"),
                *(describe_status(supports[population]) for population in populations),
                "; ".join(first.reasons),
            )
        )
        best |= {(r, c) for c, name in enumerate(populations, 5) if supports[name].status == "supported"}
    header = ("criterion", "level", "metric", "agreement", "95%", *populations, "why not")
    return Table(header, tuple(rows), labels=3, best=frozenset(best))


def describe_status(one: Support) -> str:
    """Return the status, and how stable it is where that was measured."""
    return one.status if one.stability is None else f"{one.status} ({100 * one.stability:.0f}%)"


def support_footnotes(result: SupportResult) -> list[str]:
    """Return the rules, what the columns mean, and what it would take to decide open questions."""
    rules = result.rules
    coefficients = list(dict.fromkeys(f"{one.coefficient} ({one.level} level)" for one in result))
    lines = [
        f"agreement: {', '.join(coefficients)}",
        f"supported: better than chance and than output length (p <= {rules.alpha:g}, corrected for the number of "
        f"metrics), within {rules.system_margin:g} of the best metric ({rules.segment_margin:g} at segment level) in "
        f"{100 * (1 - rules.alpha):g}% of draws, and at least {rules.system_floor:g} ({rules.segment_floor:g})",
        "refuted: a metric is better by more than the margin, or agreement is below the floor; open: neither was shown",
        "such systems: systems and segments are redrawn; these systems: only segments are",
    ]
    if any(one.stability is not None for one in result):
        lines.append(f"in parentheses: the same status on {rules.n_stability} resamples of systems and segments")
    needed = [
        f"{one.metric} ({one.level} level): {one.needed}" for one in result if one.needed and one.population == SUCH
    ]
    return [*lines, *dict.fromkeys(needed)]
