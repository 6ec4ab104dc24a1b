"""Run a trial of the bundled test set: six systems, sixty segments, four references, n-best lists and grades.

It does what `tarocco trial` does, prints less, and writes a page for browsers.
"""

from __future__ import annotations

import argparse
import sys

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import fill_in
from tarocco.cli.trial import add_trial_output_options, check_figures, conduct_of, run_trial, write_trial

EXAMPLES = """examples:
  tarocco demo
  tarocco demo -f json
"""

REPORT = "report.html"

INTRODUCTION = """Six made-up systems, sixty segments, four references, n-best lists and grades:
"careful" translates well and "middling" with mistakes, "mirror" keeps the
German order of words, "literal" goes word for word, "brief" leaves things out,
"verbose" pads. Language models wrote the texts, and the grades of "people"
follow rules. Which of twelve metrics should be trusted here?

"""


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_resampling_options(parser, always=True)
    add_trial_output_options(parser)
    shared.add_jobs_option(parser)
    shared.add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from importlib.util import find_spec

    from tarocco.datasets import DATA
    from tarocco.render.page.report import check_report
    from tarocco.render.plots.files import NAMES
    from tarocco.trials.inputs import METRICS, material_of_experiment, open_experiment

    check_figures(options)
    shown = options.format == "table"
    if shown and options.report is None and all(map(find_spec, NAMES)):  # without plotting libraries, no page
        check_report(REPORT)
        options.report = REPORT
    fill_in(options, None)
    experiment = open_experiment(DATA / "demo" / "demo.toml")
    material = material_of_experiment(experiment, {"metrics": METRICS, "tokenize": "13a"})
    talks = shown and not options.quiet
    if talks:
        sys.stdout.write(INTRODUCTION)
    write_trial(run_trial(material, conduct_of(options), options, announce=False), options, brief=True)
    if talks:
        if options.report:
            sys.stdout.write(f"The whole trial, as a page for a browser: {options.report}\n")
        sys.stdout.write("For your files: tarocco init FOLDER, then tarocco trial FOLDER/experiment.toml\n")


DEMO = Command(__doc__, EXAMPLES, configure, run)
