"""The records of a data audit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from tarocco.core.records import Record, ResultTable

Severity = Literal["severe", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("severe", "warning", "note")

CHECKS = {
    "labels": "human scores fit the systems better than shuffled labels do",
    "sign": "metrics and people do not point in opposite directions",
    "copies": "no system is nearly equal to a reference or to another system",
    "edited references": "no reference is an edited copy of another",
    "text form": "case, tokenization, length and empty lines are similar in all files",
    "tokenizer": "the tokenizer fits the script",
    "language": "outputs are in the language of the references and not copies of the source",
    "line shifts": "outputs match their own lines better than neighboring ones",
    "outliers": "no outlier system decides the correlation with people",
    "amount of data": "there are enough systems, raters, segments and references",
    "duplicated judgments": "no human scores occur twice",
    "English resources": "metrics with English resources score English text",
}


@dataclass(frozen=True, eq=False)
class DataFinding(Record):
    """One problem in the data: what it is about, the evidence, and what to do. Severe ones hold a verdict back."""

    kind: str  # a key of CHECKS
    severity: Severity
    subject: tuple[str, ...]  # systems, references, criteria or metrics
    evidence: str  # one sentence with numbers
    advice: str  # one sentence


@dataclass(frozen=True, eq=False)
class DataAudit(ResultTable, Sequence[DataFinding]):
    """The findings of all checks, severe ones first.

    `passed` names the checks that found nothing, and `skipped` those that the data do not allow, each with a reason. A
    check that found nothing does not show that the data are correct.
    """

    record_field = "findings"

    findings: tuple[DataFinding, ...]
    passed: tuple[str, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.findings[index]

    def __len__(self) -> int:
        return len(self.findings)

    def __iter__(self) -> Iterator[DataFinding]:
        return iter(self.findings)

    @property
    def severe(self) -> tuple[DataFinding, ...]:
        """The findings that hold a verdict back until the user confirms the data."""
        return tuple(finding for finding in self.findings if finding.severity == "severe")
