"""What a trial found as plain records: for each part those of the command that finds it alone."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tarocco.core.records import number_or_null
from tarocco.trials.findings import Findings


def records_of(findings: Findings) -> list[dict[str, Any]]:
    """A record a part; parts that are not there are left out."""
    found: list[dict[str, Any]] = []

    def part(name: str, **more: Any) -> None:
        found.append({"part": name, **more})

    part("plan", steps=[asdict(step) for step in findings.plan])
    if findings.scores is not None:
        part("scores", results=findings.scores.to_dict())
    if findings.comparison is not None:
        test = findings.comparison.test
        part("significance", test=test.name, n_resamples=test.n_resamples, results=findings.comparison.to_dict())
    if findings.agreement is not None:
        rows = findings.agreement.correlation.tolist()
        part(
            "agreement",
            metrics=list(findings.agreement.metrics),
            correlation=[list(map(number_or_null, row)) for row in rows],
        )
    for one in findings.breakdowns:
        scores = {name: [list(map(number_or_null, row)) for row in own.tolist()] for name, own in one.scores.items()}
        part(
            "breakdown",
            by=one.by,
            parts=list(one.parts),
            sizes=list(one.sizes),
            systems=list(one.systems),
            scores=scores,
        )
    if findings.orange is not None:
        part("ORANGE", left_out=dict(findings.orange.left_out), results=findings.orange.to_dict())
    if findings.kings is not None:
        part("KING", level=findings.kings.level, results=findings.kings.to_dict())
    if findings.queens is not None:
        part("QUEEN", results=findings.queens.to_dict())
    if findings.jack is not None:
        part("JACK", results=findings.jack.to_dict())
    if findings.optimal is not None:
        part("optimal set", results=findings.optimal.to_dict())
    for correlated in findings.correlations:
        asked = correlated.question
        about = {"level": asked.level, "grouping": asked.grouping, "coefficient": asked.coefficient}
        part("people", **about, n_resamples=asked.n_resamples, results=correlated.to_dict())
    if findings.curves is not None:
        part("references", judged_by=findings.curves.judged_by, results=findings.curves.to_dict())
    if findings.audit is not None:
        part("audit", results=findings.audit.to_dict())
    if findings.verdict is not None:
        part("verdict", **asdict(findings.verdict))
    return found
