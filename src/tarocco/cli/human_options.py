"""Options about what people say, and the scores that they name."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tarocco.cli.choices import COEFFICIENTS, GROUPINGS, ITEMS
from tarocco.core.errors import InputError

if TYPE_CHECKING:
    from tarocco.core.test_set import HumanScores, TestSet
    from tarocco.io.experiment import Experiment


def add_human_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("people")
    group.add_argument(
        "--human",
        metavar="FILE[:COLUMN]",
        help="human scores: a table with a header (system, score; segment, too, for scores of segments), a file of "
        "mt-metrics-eval, or MQM ratings; COLUMN is the one criterion that is wanted",
    )
    group.add_argument(
        "--judges",
        choices=("median", "mean"),
        help="how the scores of several judges become one (default: median; mean for MQM)",
    )
    group.add_argument("--grades", metavar="GRADES", help='the order of grades, best first (default: "S A B C D")')
    group.add_argument(
        "--as-rankings", action="store_true", help="take a judge's scores as an order alone: the share of wins counts"
    )


def add_level_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("correlation")
    group.add_argument(
        "--level",
        choices=ITEMS,
        default="system",
        help="what is correlated: systems, segments, or pseudo-documents drawn from them (default: system)",
    )
    group.add_argument(
        "--grouping",
        choices=GROUPINGS,
        help="below system level: all points in one list, or a correlation for each item (segment or document), or "
        "for each system, averaged (default: none)",
    )
    group.add_argument(
        "--coefficient",
        choices=COEFFICIENTS,
        help="what metrics are ranked by; kendall is tau-b (default: pearson for systems, else kendall)",
    )


def read_people(options: argparse.Namespace, test_set: TestSet, experiment: Experiment | None) -> HumanScores:
    """The human scores of those systems of a run that people judged; named by --human, or by the experiment."""
    from dataclasses import replace

    from tarocco.io.scores.external import split_file_and_column
    from tarocco.io.scores.human import HumanFile
    from tarocco.meta.correlation.score_sources import require_judged_systems

    file = HumanFile(*split_file_and_column(options.human)) if options.human else experiment and experiment.human
    if not file:
        raise InputError("human scores are wanted: give --human FILE, or name them in an experiment file")
    said = {
        "judges": options.judges,
        "grades": options.grades and options.grades.replace(",", " ").replace(">", " "),
        "as_rankings": options.as_rankings or None,
    }
    said = {name: value for name, value in said.items() if value is not None}
    systems = list(test_set.systems)
    as_it_was = experiment.human_scores if experiment and not (options.human or options.input or said) else None
    human = as_it_was or replace(file, **said).read(systems, len(test_set))
    return require_judged_systems(human, systems, file.path)
