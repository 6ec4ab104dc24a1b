"""Put the bundled test set on trial: six systems, sixty segments, four references, n-best lists and grades.

It is what `tarocco trial` does, told shortly, with a page for browsers at the end.
"""

from __future__ import annotations

import argparse
import sys

from tarocco.cli.options import DEFAULTS, add_jobs_option, add_resampling_options, add_store_option, store_of

EXAMPLES = """examples:
  tarocco demo
  tarocco demo -f json
"""

REPORT = "report.html"


def configure(parser: argparse.ArgumentParser) -> None:
    from tarocco.cli.trial import add_writing_options

    add_resampling_options(parser, always=True)
    add_writing_options(parser)
    add_jobs_option(parser)
    add_store_option(parser)
    parser.set_defaults(**DEFAULTS)


def run(options: argparse.Namespace) -> None:
    from importlib.util import find_spec

    from tarocco.cli.trial import SHOWN_CONFUSIONS, write
    from tarocco.datasets import DATA
    from tarocco.render.page.paths import check_report
    from tarocco.render.plots.files import NAMES
    from tarocco.render.terminal import progress
    from tarocco.trials.inputs import METRICS, material_of_experiment
    from tarocco.trials.trial import TrialOptions, conduct_trial

    shown = options.format == "table"
    if shown and options.report is None and all(map(find_spec, NAMES)):  # else there is a demo without a page
        check_report(REPORT)
        options.report = REPORT
    unsaid = ("nbest", "human", "groups", "source", "external", "lowercase", "analyzer")
    said = dict.fromkeys(unsaid) | {"metrics": METRICS, "tokenize": "13a"}
    material = material_of_experiment(DATA / "demo" / "demo.toml", **said)
    confusions = SHOWN_CONFUSIONS if options.report else 0
    conduct = TrialOptions(
        options.confidence or 0.95, options.n_resamples, options.seed, confusions, options.jobs, store_of(options)
    )
    if shown and not options.quiet:
        sys.stdout.write(INTRODUCTION)
    findings = conduct_trial(
        material,
        conduct,
        options.command_line,
        lambda step, items, total, inside: progress(items, total, not options.quiet, inside, step),
    )
    write(findings, options, brief=True)
    if shown and not options.quiet:
        if options.report:
            sys.stdout.write(f"The whole trial, to look at in a browser: {options.report}\n")
        sys.stdout.write("Your own files: tarocco init FOLDER, then tarocco trial FOLDER/experiment.toml\n")


INTRODUCTION = """Six made-up systems, sixty segments, four references, n-best lists and grades:
"careful" translates well and "middling" with mistakes, "mirror" keeps the
German order of words, "literal" goes word for word, "brief" leaves things out,
"verbose" pads. Which of twelve metrics should be trusted here?

"""
