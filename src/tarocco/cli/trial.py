"""Run every analysis that the data allow: which metric can be trusted, and which system is better?

From an experiment file, or from the files that the options name, it works out what the data allow, prints what the
other analyses need, and runs: scores and their significance always; audits with two systems or more; QUEEN and JACK
with two references or more, KING and the best set of metrics with three; ORANGE with n-best lists; correlation with
human scores where there are some; how many references are enough, by human scores, ORANGE or KING. It ends with a
verdict.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import note, read_human_scores, read_inputs
from tarocco.cli.output import write

if TYPE_CHECKING:
    from tarocco.trials.findings import Findings
    from tarocco.trials.inputs import Material
    from tarocco.trials.trial import Advance, TrialOptions

EXAMPLES = """examples:
  tarocco trial experiment.toml
  tarocco trial experiment.toml -m BLEU-4 chrF TER --store trial.db
  tarocco trial ref1 ref2 ref3 -i sys/*.txt --human human.tsv:adequacy -f json
"""

SHOWN_CONFUSIONS = 3  # per list and metric, on a page


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser, "the experiment's, or twelve that compare words and characters")
    shared.add_scores_option(parser)
    group = parser.add_argument_group("evidence besides the references")
    group.add_argument("--nbest", metavar="FILE", help="n-best lists, as for `tarocco orange`")
    shared.add_first_id_option(group)
    group.add_argument(
        "--short",
        choices=("skip", "keep"),
        default="skip",
        help="n-best lists that are shorter than others (default: skip)",
    )
    group.add_argument(
        "--accept-data",
        action="store_true",
        help="give a verdict in spite of severe findings of the data audit",
    )
    group.add_argument("--groups", metavar="FILE", help="one label per segment, such as its genre")
    group.add_argument("--source", metavar="FILE", help="the source text, which the page shows")
    shared.add_human_options(parser)
    shared.add_text_options(parser, "13a; none for n-best lists")
    shared.add_resampling_options(parser, always=True)
    add_trial_output_options(parser)
    shared.add_worker_options(parser)


def add_trial_output_options(parser: argparse.ArgumentParser) -> None:
    """Add what a trial writes, and where."""
    group = parser.add_argument_group("output")
    shared.add_format_option(group)
    shared.add_width_option(group, "in the table of scores")
    group.add_argument("-q", "--quiet", action="store_true", help="no plan, no notes and no progress")
    shared.add_report_option(group)
    shared.add_figures_option(group)


def run(options: argparse.Namespace) -> None:
    from tarocco.io.files import check_no_overwrite

    check_figures(options)
    material = read_material(options)
    files = [*options.references, *(options.input or ()), options.nbest]
    check_no_overwrite([options.report, shared.store_of(options)], files)
    write_trial(run_trial(material, conduct_of(options), options), options)


def check_figures(options: argparse.Namespace) -> None:
    """Refuse, before any work is done, a directory of figures that cannot be made."""
    if options.figures:
        from tarocco.render.page.report import check_directory

        check_directory(options.figures)


def read_material(options: argparse.Namespace) -> Material:
    """Return what the options, or the experiment file among them, name."""
    from tarocco.io.test_set import TextColumn
    from tarocco.trials.inputs import METRICS, assemble_material

    tokenize = options.tokenize
    inputs = read_inputs(options, METRICS, lists=True)
    experiment = inputs.experiment
    settings = vars(options) | {
        name: getattr(options, name) or getattr(experiment, name, None) for name in ("nbest", "source")
    }
    human = None
    if options.human or (experiment and experiment.human):
        human = read_human_scores(options, inputs.test_set, experiment)
    first = TextColumn("references", options.references[0], inputs.test_set.references[0])
    if experiment is not None:
        first = experiment.reference_columns[0]
    name = experiment.name if experiment else "trial"
    return assemble_material(name, inputs, settings, tokenize, first, first_id=options.first_id, human=human)


def conduct_of(options: argparse.Namespace) -> TrialOptions:
    """Return how the trial is run."""
    from tarocco.trials.trial import TrialOptions

    return TrialOptions(
        options.confidence or 0.95,
        options.n_resamples,
        options.seed,
        SHOWN_CONFUSIONS if options.report else 0,
        options.jobs,
        shared.store_of(options),
        options.executor,
        getattr(options, "short", "keep"),  # the demo keeps them: its lists have different lengths
        getattr(options, "accept_data", False),
    )


def run_trial(
    material: Material, conduct: TrialOptions, options: argparse.Namespace, announce: bool = True
) -> Findings:
    """Print the plan if `announce`, run it with one progress bar per step, and print notes."""
    from tarocco.cli.terminal import progress
    from tarocco.render.results.trial import plan_sections
    from tarocco.render.tables import write_sections
    from tarocco.trials.plan import make_plan
    from tarocco.trials.trial import conduct_trial

    if announce and not options.quiet:
        # Readers of a table want the plan above it. Programs read standard output, whose results contain the plan.
        shown = sys.stdout if options.format == "table" else sys.stderr
        write_sections(plan_sections(material.name, make_plan(material)), "table", shown)

    @contextmanager
    def watch(step: str, items: str, total: int | None, inside: str | None) -> Iterator[Advance]:
        with progress(items, total, not options.quiet, inside, step) as advance:
            yield advance

    findings = conduct_trial(material, conduct, options.command_line, watch)
    if announce:
        planned = {step.name for step in make_plan(material) if step.possible}
        failed = [step for step in findings.plan if not step.possible and step.name in planned]
        for sentence in [*findings.notes, *(f"{step.name} was not possible: {step.why}" for step in failed)]:
            note(options, sentence)
    return findings


def write_trial(findings: Findings, options: argparse.Namespace, brief: bool = False) -> None:
    """Write a trial to standard output, and its page and figures where the options name them."""
    from tarocco.render.results.trial import present_trial

    write(present_trial(findings, options.width, brief), options)
    if options.report or options.figures:
        from tarocco.render.page.payload import payload_of
        from tarocco.render.page.report import write_figures, write_report

        payload = payload_of(findings)
        if options.report:
            write_report(payload, options.report)
        if options.figures:
            write_figures(payload, options.figures)


TRIAL = Command(__doc__, EXAMPLES, configure, run)
