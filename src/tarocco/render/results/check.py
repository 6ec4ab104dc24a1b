"""A data audit as a table, one row per finding, with evidence and advice as sentences below it."""

from __future__ import annotations

from collections import Counter

from tarocco.render.results import Presentation, show_tables
from tarocco.render.tables import Table, separated
from tarocco.scoring.language import join_subjects
from tarocco.trials.data_audit.findings import CHECKS, SEVERITIES, DataAudit

CAUTION = "A check that finds nothing does not show that the data are correct."


def findings_table(audit: DataAudit) -> Table:
    """Return one row per finding, severe ones first."""
    rows = [
        (str(number), finding.severity, finding.kind, join_subjects(finding.subject))
        for number, finding in enumerate(audit, start=1)
    ]
    return Table(("no.", "severity", "finding", "about"), tuple(rows), labels=4)


def describe_findings(audit: DataAudit) -> list[str]:
    """Return evidence and advice of each finding, which checks found nothing, and which were not possible."""
    lines = [f"{number}. {finding.evidence} {finding.advice}" for number, finding in enumerate(audit, start=1)]
    lines = lines or ["no findings"]
    if audit.passed:
        lines += ["", f"nothing found by {len(audit.passed)} of {len(CHECKS)} checks: {', '.join(audit.passed)}"]
    by_reason: dict[str, list[str]] = {}
    for kind, why in audit.skipped:
        by_reason.setdefault(why, []).append(kind)
    lines += [f"not checked ({why}): {', '.join(kinds)}" for why, kinds in by_reason.items()]
    return [*lines, *audit.notes, CAUTION]


def count_severities(audit: DataAudit) -> dict[str, int]:
    """Return the number of findings of each severity."""
    counts = Counter(finding.severity for finding in audit)
    return {severity: counts[severity] for severity in SEVERITIES}


def present_check(audit: DataAudit, seed: int) -> Presentation:
    """Present a data audit."""
    settings = {
        "seed": seed,
        **count_severities(audit),
        "nothing_found": list(audit.passed),
        "not_checked": dict(audit.skipped),
    }
    return Presentation(
        "check",
        settings,
        audit.to_dict,
        lambda delimiter: separated(audit.rows(), delimiter),
        show_tables(lambda: [findings_table(audit)], lambda: describe_findings(audit)),
        lambda: [finding.kind for finding in audit],
    )
