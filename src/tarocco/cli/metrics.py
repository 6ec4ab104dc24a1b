"""What metrics there are: formulas, parameters, papers, agreement with other tools."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tarocco.metrics.base import Metric

EXAMPLES = """examples:
  tarocco metrics
  tarocco metrics BLEU-SBP
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="explain these metrics")


def run(options: argparse.Namespace) -> None:
    from tarocco.present.tables import Table, write_table
    from tarocco.registry import GROUPS, families, metrics

    if options.names:
        sys.stdout.write("\n".join(explain(metric) for metric in metrics(options.names)))
        return
    rows = tuple(row for family in families() for row in ((family.title, family.summary), *family.also))
    write_table(Table(("metric", "what it is"), rows, labels=2))
    sys.stdout.write("\n`tarocco metrics NAME` gives the formula, the parameters and the paper.\n")
    for group, names in GROUPS.items():
        sys.stdout.write("\n".join(wrapped(f"{group} stands for {' '.join(names)}")) + "\n")


def explain(metric: Metric) -> str:
    """All there is to know of a metric, as text."""
    import dataclasses

    from tarocco.naming import write_value

    lines = [str(metric), "=" * len(str(metric)), "", *wrapped(metric.summary), ""]
    lines += [f"    {line}" for line in metric.formula.splitlines()]
    lines += ["", f"{metric.kind}: {'lower' if metric.kind == 'error' else 'higher'} is better"]
    if metric.scale != 1:
        lines.append(f"tables show it times {metric.scale:g}")
    fields = dataclasses.fields(metric)
    if fields:
        lines += ["", "Parameters"]
    for field in fields:
        choices = field.metadata["choices"]
        values = f" ({', '.join(choices)})" if choices else ""
        value = getattr(metric, field.name)
        where = (
            "part of the name" if field.metadata["in_stem"] else f"here {'-' if value is None else write_value(value)}"
        )
        depends = f"; default: {field.metadata['depends']}" if field.metadata["depends"] else ""
        lines += wrapped(f"{field.name}: {field.metadata['meaning']}{values}{depends}; {where}", "  ")
    example = metric.example
    lines += ["", f"Worked example ({example.name})"]
    for i, (candidate, references) in enumerate(zip(example.candidates, example.references, strict=True), start=1):
        number = f" {i}" if len(example.candidates) > 1 else ""
        lines += [f"  candidate{number}: {candidate}", *(f"  reference{number}: {text}" for text in references)]
    lines += wrapped(f"score {example.score:.6g}: {example.why}", "  ")
    if metric.notes:
        lines += ["", "Notes", *wrapped(metric.notes, "  ")]
    if metric.agreement:
        lines += ["", "Agreement with other tools"]
    for one in metric.agreement:
        lines += [*wrapped(f"{one.tool}: {one.extent}", "  "), f"    {one.test}"]
    lines += ["", "Paper", *wrapped(metric.paper, "  "), ""]
    return "\n".join(lines)


def wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(" ".join(text.split()), 88, initial_indent=indent, subsequent_indent=indent)
