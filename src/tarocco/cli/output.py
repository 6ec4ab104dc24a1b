"""From a result to what users get: standard output in the chosen format, a figure, a page."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tarocco.cli.inputs import note, score_inputs

if TYPE_CHECKING:
    from tarocco.core.test_set import Segments, TestSet
    from tarocco.io.experiment import Experiment
    from tarocco.render.results import Presentation
    from tarocco.trials.inputs import ScoringInputs


def write(presentation: Presentation, options: argparse.Namespace) -> None:
    """Write a result to standard output in the format of the options, and its notes to standard error."""
    for sentence in presentation.notes:
        note(options, sentence)
    form = "lines" if getattr(options, "score_only", False) else options.format
    presentation.write(form, sys.stdout)


def draw(result: Any, options: argparse.Namespace, **settings: Any) -> None:
    """Draw the figure of a result if --figure asks for one."""
    if options.figure:
        from tarocco.render.plots.figures import figure

        figure(result, options.figure, **settings)


def write_page(
    options: argparse.Namespace, results: Sequence[Any], inputs: ScoringInputs | None = None, **parts: Any
) -> None:
    """Write the page of a command's results if --report asks for one; `parts` are further parts of `Findings`.

    Where there are systems and metrics but no scores among the results, they are computed, because the page sorts
    segments by scores.
    """
    if not options.report:
        return
    from tarocco.render.page.report import place_results, write_report
    from tarocco.trials.findings import Findings

    parts = place_results(results) | parts
    experiment = inputs.experiment if inputs else None
    if inputs is not None and inputs.test_set.systems:
        test_set = inputs.test_set
        parts |= {"test_set": test_set, "encoding": inputs.encoding}
        scored = [parts[name].scores for name in ("comparison", "audit") if parts.get(name) is not None]
        if parts.get("scores") is None:
            parts["scores"] = scored[0] if scored else _computed(options, inputs)
        parts.setdefault("source", _source(experiment, test_set))
        parts.setdefault("groups", _groups(options, test_set))
    write_report(
        Findings(
            name=experiment.name if experiment else options.command_line.split(" -")[0],
            command=options.command_line,
            seed=getattr(options, "seed", None),
            **parts,
        ),
        options.report,
    )
    note(options, f"the report is {options.report}")


def _computed(options: argparse.Namespace, inputs: ScoringInputs) -> Any:
    return score_inputs(options, *inputs[:3]) if inputs.metrics else None


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
