"""`--report FILE`: from what a command has at hand to a page. One function for all commands."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.core.test_set import Segments, TestSet
    from tarocco.encode.batch import Encoding
    from tarocco.io.experiment import Experiment
    from tarocco.metrics.base import Metric
    from tarocco.scoring.results import Result


def report_if_asked(
    options: argparse.Namespace,
    results: Sequence[Any],
    *,
    test_set: TestSet | None = None,
    metrics: Sequence[Metric] = (),
    encoding: Encoding | None = None,
    experiment: Experiment | None = None,
    **more: Any,
) -> None:
    """Write the page of a command's results, if --report asks for one.

    Where there are systems and metrics but no scores among the results, they are computed: a page without them has
    nothing to sort segments by. `more` are further parts of `Findings`.
    """
    if not options.report:
        return
    from tarocco.render.page.report import placed
    from tarocco.render.page.write import write_report
    from tarocco.trials.findings import Findings

    parts = placed(results) | more
    if test_set is not None and not test_set.systems:
        test_set = None
    if test_set is not None and encoding is not None:
        scores = _scores(parts)
        parts["scores"] = scores or _computed(test_set, metrics, encoding, options)
        parts.setdefault("source", _source(experiment, test_set))
        parts.setdefault("groups", _groups(options, test_set))
    write_report(
        Findings(
            name=experiment.name if experiment else options.command_line.split(" -")[0],
            command=options.command_line,
            encoding=encoding,
            seed=getattr(options, "seed", None),
            test_set=test_set,
            **parts,
        ),
        options.report,
    )
    say_where(options)


def say_where(options: argparse.Namespace) -> None:
    """Where the page is."""
    if not getattr(options, "quiet", False):
        say(f"note: the report is {options.report}")


def _scores(parts: dict[str, Any]) -> Result | None:
    if parts.get("scores") is not None:
        found: Result = parts["scores"]
        return found
    for place in ("comparison", "audit"):
        if parts.get(place) is not None:
            scores: Result = parts[place].scores
            return scores
    return None


def _computed(
    test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding, options: argparse.Namespace
) -> Result | None:
    from tarocco.cli.scored import scored

    return scored(options, test_set, metrics, encoding) if metrics else None


def _source(experiment: Experiment | None, test_set: TestSet) -> Segments | None:
    from tarocco.io.test_set import align_column, read_source

    if experiment is None or experiment.source is None:
        return None
    source = align_column(read_source(experiment.source), experiment.reference_columns[0]).segments
    return source if len(source) == len(test_set) else None


def _groups(options: argparse.Namespace, test_set: TestSet) -> tuple[str, ...] | None:
    from tarocco.io.test_set import TextColumn, read_labels

    path = getattr(options, "groups", None)
    return None if path is None else read_labels(path, TextColumn("references", path, test_set.references[0]))
