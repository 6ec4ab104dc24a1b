"""List the metrics, or explain some: formulas, parameters, papers, agreement with other tools."""

from __future__ import annotations

import argparse
import sys
import textwrap
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command

if TYPE_CHECKING:
    from tarocco.metrics.base import Metric

LINGUISTIC = ("SP", "DP", "CP", "NE", "SR")  # the families whose metrics have a type

EXAMPLES = """examples:
  tarocco metrics
  tarocco metrics BLEU-SBP
  tarocco metrics SR
  tarocco metrics SR NE --seen ref.txt sysA.txt
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="NAME", help="explain these metrics, or list these families")
    group = parser.add_argument_group("types of linguistic metrics")
    group.add_argument(
        "--seen", nargs="+", metavar="TEXT", help="list the types of SP, DP, CP, NE or SR that occur in these texts"
    )
    shared.add_analyzer_options(group)
    shared.add_quiet_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.metrics.registry import GROUPS, families, metrics
    from tarocco.render.tables import Table, write_table

    if options.seen:
        list_types(options)
        return
    if options.names:
        families_listed = [list_family(name) for name in options.names]
        unlisted = [name for name, text in zip(options.names, families_listed, strict=True) if not text]
        explained = iter(metrics(unlisted))
        sys.stdout.write("\n".join(text or explain(next(explained)) for text in families_listed))
        return
    rows = tuple(row for family in families() for row in ((family.title, family.summary), *family.also))
    write_table(Table(("metric", "summary"), rows, labels=2))
    sys.stdout.write("\n`tarocco metrics NAME` prints the formula, the parameters and the paper.\n")
    for group, names in GROUPS.items():
        sys.stdout.write("\n".join(wrapped(f"{group} means {' '.join(names)}")) + "\n")


def list_family(name: str) -> str:
    """Return the members of a family such as SR or ROUGE; an empty text for a metric or an unknown name."""
    from tarocco.core.errors import TaroccoError
    from tarocco.metrics.registry import metric

    try:
        metric(name)
    except TaroccoError:
        members = members_of(name)
        lines = []
        for family in members:
            lines += [family.title, *wrapped(family.summary, "  "), *wrapped(" ".join(family.names), "  "), ""]
        return "\n".join(lines)
    return ""


def members_of(name: str) -> list[type[Metric]]:
    """Return the families whose names begin with a name and a hyphen."""
    from tarocco.metrics.registry import families

    return [family for family in families() if family.title.upper().startswith(f"{name.upper()}-")]


def list_types(options: argparse.Namespace) -> None:
    """Print the linguistic types that occur in texts."""
    from tarocco.annotate.cache import annotate_texts
    from tarocco.cli.inputs import analyzer_of
    from tarocco.core.errors import InputError
    from tarocco.io.test_set import disambiguate_names, read_systems
    from tarocco.metrics.linguistic.base import count_types
    from tarocco.render.tables import Table, write_table

    names = options.names or LINGUISTIC
    for name in names:
        if name.upper() not in LINGUISTIC:
            raise InputError(f'--seen is for {", ".join(LINGUISTIC)}: "{name}" has no types')
    columns = [column for path in options.seen for column in read_systems(path)]
    texts = {name: column.segments for name, column in zip(disambiguate_names(columns), columns, strict=True)}
    analyzer = analyzer_of(options, texts) or "spacy"
    sentences = annotate_texts([text for segments in texts.values() for text in segments], analyzer)
    rows = count_types([family for name in names for family in members_of(name)], sentences, analyzer)
    cells = tuple((row.metric, f"{row.segments}", f"{row.items}") for row in rows)
    write_table(Table(("metric", "segments", "items"), cells, labels=1))


def explain(metric: Metric) -> str:
    """Return the documentation of a metric."""
    import dataclasses

    from tarocco.metrics.names import write_value

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
    for claim in metric.agreement:
        lines += [*wrapped(f"{claim.tool}: {claim.extent}", "  "), f"    {claim.test}"]
    lines += ["", "Paper", *wrapped(metric.paper, "  "), ""]
    return "\n".join(lines)


def wrapped(text: str, indent: str = "") -> list[str]:
    tidy = " ".join(text.split())
    return textwrap.wrap(tidy, 88, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


METRICS = Command(__doc__, EXAMPLES, configure, run)
