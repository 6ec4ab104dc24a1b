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
LIKE_THESE = "systems like these"  # the population that the library calls such systems
ACCURACIES = {"accuracy": "accuracy", "soft_accuracy": "SPA", "accuracy_with_ties": "acc. with ties"}


def present_correlations(result: CorrelateResult, digits: int | None = None, pairs: bool = False) -> Presentation:
    """Present correlations; with `pairs`, the tests of all pairs of metrics."""
    if result.design.at_differences is not None:
        return _present_differences(result)
    form = f".{4 if digits is None else digits}f"
    table = leads_table if pairs else correlations_table

    def lines() -> list[str]:
        numbers = [comparison.p_holm for comparison in result.metric_comparisons] if pairs else result.metric_values()
        return [number_or_dash(number, form) for number in numbers]

    return Presentation(
        "correlate",
        asdict(result.design)
        | {"outliers_found": dict(result.outliers), "notes": list(result.notes)}
        | {"raters": [raters.to_dict() for raters in result.raters]}
        | {"unit": result.units.name, "n_units": result.units.count},
        result.pairs if pairs else result.to_dict,
        lambda delimiter: separated(result.pairs() if pairs else result.rows(), delimiter),
        show_tables(lambda: [table(result, digits)], lambda: footnotes(result, pairs)),
        lines,
        result.notes,
    )


def _present_differences(result: CorrelateResult) -> Presentation:
    """Present how often people agree with differences under each metric."""
    rows = [difference.to_dict() for difference in result.differences]
    return Presentation(
        "correlate",
        asdict(result.design) | {"notes": list(result.notes), "unit": result.units.name, "n_units": result.units.count},
        lambda: rows,
        lambda delimiter: separated(rows, delimiter),
        show_tables(lambda: [differences_table(result)], lambda: _differences_footnotes(result)),
        lambda: [number_or_dash(difference.share, ".4f") for difference in result.differences],
        result.notes,
    )


def differences_table(result: CorrelateResult) -> Table:
    """One row per metric and difference."""
    several = len(result.criteria) > 1
    rows = [
        (
            *([difference.criterion] if several else []),
            *(difference.metric, f"{difference.difference:.4g}", number_or_dash(difference.share, ".3f")),
            f"[{number_or_dash(difference.low, '.3f')}, {number_or_dash(difference.high, '.3f')}]",
            *(number_or_dash(difference.near, ".3f"), str(difference.n_near), str(difference.n_pairs)),
        )
        for difference in result.differences
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
        "people agree: the estimated share of pairs of systems with this difference under the metric that people order "
        "the same way (logistic curve through all pairs)",
        f"{100 * result.design.confidence:g}%: {result.design.n_resamples} resamples of systems and {result.units}, "
        f"seed {result.design.seed}; applies to {LIKE_THESE}",
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
        if title != TITLES[main]
        and any(number(correlation.accuracies.to_dict().get(key)) != NO_NUMBER for correlation in result)
    ]
    outliers = any(correlation.pearson_without_outliers is not None for correlation in result)
    shares = any(result.share_of_ceiling(correlation) is not None for correlation in result)
    confidence = f"{100 * result.design.confidence:g}%"

    def row(correlation: Correlation) -> tuple[str, ...]:
        low, high = number(correlation.interval.low), number(correlation.interval.high)
        return (
            *([correlation.criterion] if several else []),
            correlation.metric,
            number(result.value(correlation)),
            low if low == NO_NUMBER else f"[{low}, {high}]",
            *(number(correlation.coefficients[name].value) for name in others),
            *([number(correlation.pearson_without_outliers)] if outliers else []),
            *(number(correlation.accuracies.to_dict().get(key)) for key in accuracies),
            *([number_or_dash(result.share_of_ceiling(correlation), ".0%")] if shares else []),
            str(correlation.cluster or NO_NUMBER),
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
    best = {
        (r, column)
        for r, correlation in enumerate(result.correlations)
        if correlation.cluster == 1 and not correlation.sentinel
    }
    return Table(header, tuple(map(row, result.correlations)), labels=column, best=frozenset(best))


def leads_table(result: CorrelateResult, digits: int | None = None) -> Table:
    """One row per pair of metrics, the one that agrees better with human scores first."""
    decimals = 3 if digits is None else digits
    several = len(result.criteria) > 1
    rows = [
        (
            *([comparison.criterion] if several else []),
            *(comparison.metric, comparison.other, f"{comparison.difference:.{decimals}f}", comparison.test),
            *(number_or_dash(p, ".4f") for p in (comparison.p_value, comparison.p_holm)),
            number_or_dash(comparison.williams_t, ".2f"),
            number_or_dash(comparison.williams_p, ".4f"),
        )
        for comparison in result.metric_comparisons
    ]
    labels = 3 if several else 2
    header = (
        *(["criterion"] if several else []),
        *("metric", "ahead of", "lead", "test", "p", "p (Holm)", "Williams t", "p (Williams)"),
    )
    marks = {(r, labels + 3): "*" for r, comparison in enumerate(result.metric_comparisons) if comparison.significant}
    return Table(header, tuple(rows), labels=labels, marks=marks)


def footnotes(result: CorrelateResult, pairs: bool) -> list[str]:
    """Return the lines below a table: signatures, meanings of columns, undefined values, outliers."""
    question = result.design
    lines = list(dict.fromkeys(correlation.metric_signature for correlation in result if not correlation.sentinel))
    lines += result.human_signatures.values()
    sentinels = list(dict.fromkeys(correlation.metric for correlation in result if correlation.sentinel))
    lines.append(f"baselines that contain no information about quality: {', '.join(sentinels)}")
    if pairs:
        lines.append(f"*: significant; two-sided p-values with Holm's correction for {_count(result)}")
    else:
        lines.append(_describe_interval(result))
        lines.append(
            f"cluster: each metric of a cluster is significantly better than each of the next ({_tests(result)}, "
            f"Holm's correction for {_count(result)})"
        )
    lines += _describe_populations(result)
    lines += _describe_documents(result)
    lines += _describe_groups(result)
    lines += describe_raters(result)
    reasons: dict[str, list[str]] = {}
    for correlation in result:
        why = correlation.coefficients[question.coefficient].why
        if why is not None:
            reasons.setdefault(why, []).append(correlation.metric)
    lines += [f"no correlation for {', '.join(dict.fromkeys(names))}: {why}" for why, names in reasons.items()]
    dropped = question.outliers == "dropped"
    for criterion, names in result.outliers.items():
        if names:
            what = "left out" if dropped else "without outliers: Pearson of the other systems"
            lines.append(f"{criterion}: far from the other systems: {', '.join(names)} ({what})")
    return lines


def _describe_interval(result: CorrelateResult) -> str:
    question = result.design
    drawn = f"systems and {result.units}" if question.population == SUCH else str(result.units)
    if question.coefficient == "spa":
        how = "; p-values on resamples are normal approximations"
    elif question.coefficient == "acc-eq":
        how = "; resamples keep the calibrated epsilon"
    else:
        how = ""
    if result.human_level == "system":
        how += "; human scores are of whole systems, so that segments are resampled for metrics only"
    return (
        f"{100 * question.confidence:g}%: bootstrap interval of {TITLES[question.coefficient]} over {drawn}, "
        f"{question.n_resamples} resamples, seed {question.seed}; applies to "
        f"{_about(result, question.population)}{how}"
    )


def _about(result: CorrelateResult, population: str) -> str:
    if population == SUCH:
        return LIKE_THESE
    return "this system only" if result.n_systems == 1 else f"these {result.n_systems} systems only"


def _describe_populations(result: CorrelateResult) -> list[str]:
    """Say to which population each test applies."""
    tests: dict[str, list[str]] = {}
    for comparison in result.metric_comparisons:
        names = tests.setdefault(comparison.population, [])
        if comparison.test not in names:
            names.append(comparison.test)
    return [
        f"{' and '.join(names)} {'applies' if len(names) == 1 else 'apply'} to {_about(result, population)}"
        for population, names in tests.items()
    ]


def _describe_documents(result: CorrelateResult) -> list[str]:
    """Say what whole documents change, where they are known."""
    if result.units.name != "document":
        return []
    soft = "; so do the p-values of SPA, which published tools compute by swapping segments"
    has_soft = result.design.level == "system" and result.human_level == "segment"
    return [f"tests swap and intervals redraw whole documents ({result.units})" + soft * has_soft]


def describe_raters(result: CorrelateResult) -> list[str]:
    """Say how far raters agree and what ceiling this sets; without several raters, that it is unknown."""
    lines = []
    title, confidence = TITLES[result.design.coefficient], f"{100 * result.design.confidence:g}%"
    for raters in result.raters:
        alpha, alpha_low, alpha_high, ceiling_low, ceiling_high = (
            number_or_dash(value, ".3f")
            for value in (raters.alpha, raters.alpha_low, raters.alpha_high, raters.ceiling_low, raters.ceiling_high)
        )
        agreement = (
            f"{raters.criterion}: {raters.n_raters} raters, Krippendorff's alpha {alpha} [{alpha_low}, {alpha_high}] "
            f"over {raters.n_outputs} outputs with two raters or more"
        )
        if raters.n_used:
            ceiling = (
                f"ceiling: a rater agrees with the mean of the others by {title} {raters.ceiling:.3f} "
                f"[{ceiling_low}, {ceiling_high}] ({confidence}, mean over {raters.n_used} raters); "
                "of ceiling: metrics' agreement with the same means, as a share of it"
            )
        else:
            ceiling = "the ceiling is unknown: no two raters scored enough of the same outputs"
        lines.append(f"{agreement}; {ceiling}")
    return lines or ["the ceiling is unknown (one rater, or raters are not named)"]


def _describe_groups(result: CorrelateResult) -> list[str]:
    """Say how many groups a mean is over, and how many were left out."""
    mains = [(correlation.metric, correlation.coefficients[result.design.coefficient]) for correlation in result]
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
    return (
        " and ".join(dict.fromkeys(comparison.test for comparison in result.metric_comparisons)) or result.design.test
    )


def _count(result: CorrelateResult) -> str:
    """Return the two families of tests that Holm's correction is for."""
    sentinels = {correlation.metric for correlation in result if correlation.sentinel}
    first = [comparison for comparison in result.metric_comparisons if comparison.criterion == result.criteria[0]]
    with_sentinel = sum(bool({comparison.metric, comparison.other} & sentinels) for comparison in first)
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
        lambda: [support.status for support in result],
        result.notes,
    )


def support_table(result: SupportResult) -> Table:
    """One row per criterion, level and metric: agreement with people, and the status for each population."""
    populations = list(dict.fromkeys(support.population for support in result))[::-1]
    by_row: dict[tuple[str, str, str], dict[str, Support]] = {}
    for support in result:
        by_row.setdefault((support.criterion, support.level, support.metric), {})[support.population] = support
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


def describe_status(support: Support) -> str:
    """Return the status, and how stable it is where that was measured."""
    return support.status if support.stability is None else f"{support.status} ({100 * support.stability:.0f}%)"


def support_footnotes(result: SupportResult) -> list[str]:
    """Return the rules, what the columns mean, and what it would take to decide open questions."""
    rules = result.rules
    coefficients = list(dict.fromkeys(f"{support.coefficient} ({support.level} level)" for support in result))
    lines = [
        f"agreement: {', '.join(coefficients)}",
        f"supported: better than chance and than output length (p <= {rules.alpha:g}, corrected for the number of "
        f"metrics), within {rules.system_margin:g} of the best metric ({rules.segment_margin:g} at segment level) in "
        f"{100 * (1 - rules.alpha):g}% of draws, and at least {rules.system_floor:g} ({rules.segment_floor:g})",
        "refuted: a metric is better by more than the margin, or agreement is below the floor; open: neither was shown",
        "such systems (systems like these): systems and segments are resampled; these systems: only segments are",
    ]
    if any(support.stability is not None for support in result):
        lines.append(f"in parentheses: the same status on {rules.n_stability} resamples of systems and segments")
    needed = [
        f"{support.metric} ({support.level} level): {support.needed}"
        for support in result
        if support.needed and support.population == SUCH
    ]
    return [*lines, *dict.fromkeys(needed)]
