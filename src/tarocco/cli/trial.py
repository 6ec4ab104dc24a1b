"""Put everything on trial: which metric should I trust, and which system is better?

From an experiment file, or from the files that options name, it works out what the data allow, says what is missing for
the rest, and does it: scores and their significance always; audits from two systems on; QUEEN and JACK from two
references on, KING and the best set of metrics from three; ORANGE from n-best lists; correlation with people from human
scores; how many references are enough, by people, ORANGE or KING. At the end stands a verdict in plain words.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tarocco.cli.choices import FORMATS
from tarocco.cli.human_options import add_human_options
from tarocco.cli.options import (
    add_cluster_option,
    add_jobs_option,
    add_resampling_options,
    add_scores_option,
    add_store_option,
    add_test_set_arguments,
    add_text_options,
    report_path,
    store_of,
    whole_number,
)
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.trials.findings import Findings
    from tarocco.trials.inputs import Material
    from tarocco.trials.trial import Advance, TrialOptions

EXAMPLES = """examples:
  tarocco trial experiment.toml
  tarocco trial experiment.toml -m BLEU-4 chrF TER --store trial.db
  tarocco trial ref1 ref2 ref3 -i sys/*.txt --human human.tsv:adequacy -f json
"""

SHOWN_CONFUSIONS = 3  # of each list and metric, on a page


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, "the experiment's, or a dozen of words and characters")
    add_scores_option(parser)
    group = parser.add_argument_group("what metrics are judged by, besides the references")
    group.add_argument("--nbest", metavar="FILE", help="n-best lists, as for `tarocco orange`")
    group.add_argument(
        "--first-id", type=whole_number(0), default=0, metavar="N", help="the id of the first list (default: 0)"
    )
    group.add_argument("--groups", metavar="FILE", help="one label a segment, such as its genre")
    group.add_argument("--source", metavar="FILE", help="the source text, for people who read the page")
    add_human_options(parser)
    add_text_options(parser, "13a; none for n-best lists")
    add_resampling_options(parser, always=True)
    add_writing_options(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def add_writing_options(parser: argparse.ArgumentParser) -> None:
    """What a trial writes, and where."""
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f", "--format", choices=FORMATS, default="table", help="how results are written (default: table)"
    )
    group.add_argument(
        "-w",
        "--width",
        type=whole_number(0, 17),
        metavar="DIGITS",
        help="digits after the point in the table of scores",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no plan, no notes and no progress")
    group.add_argument(
        "--report", type=report_path, metavar="FILE", help="a page of everything that was found, too: one .html file"
    )
    group.add_argument(
        "--figures", metavar="DIR", help="every plot as SVG, PNG and PDF, and every table as LaTeX and CSV, too"
    )


def run(options: argparse.Namespace) -> None:
    from tarocco.io.files import check_no_overwrite
    from tarocco.render.page.paths import check_directory
    from tarocco.trials.trial import TrialOptions

    if options.figures:
        check_directory(options.figures)
    material = read_material(options)
    check_no_overwrite(
        [options.report, store_of(options)], [*options.references, *(options.input or ()), options.nbest]
    )
    conduct = TrialOptions(
        options.confidence or 0.95,
        options.n_resamples,
        options.seed,
        SHOWN_CONFUSIONS if options.report else 0,
        options.jobs,
        store_of(options),
        options.executor,
    )
    write(held(material, conduct, options), options)


def read_material(options: argparse.Namespace) -> Material:
    """What the options, or the experiment file among them, name."""
    from tarocco.cli.human_options import read_people
    from tarocco.cli.inputs import read_inputs
    from tarocco.io.test_set import TextColumn, align_column, read_labels, read_source
    from tarocco.trials.inputs import METRICS, Material, candidate_scores

    asked = options.tokenize
    test_set, chosen, encoding, experiment = read_inputs(options, METRICS)
    first = TextColumn("references", options.references[0], test_set.references[0])
    nbest = options.nbest or (experiment.nbest if experiment else None)
    source = options.source or (experiment.source if experiment else None)
    tokenize = asked or (experiment.tokenize if experiment else None) or "none"
    return Material(
        experiment.name if experiment else "trial",
        test_set,
        tuple(chosen),
        encoding,
        replace(encoding, tokenize=tokenize),
        nbest,
        options.first_id,
        candidate_scores(experiment) if experiment and nbest else (),
        read_people(options, test_set, experiment) if options.human or (experiment and experiment.human) else None,
        read_labels(options.groups, first) if options.groups else test_set.documents,
        align_column(read_source(source), first).segments if source else None,
        bool(options.parses),
    )


def held(material: Material, conduct: TrialOptions, options: argparse.Namespace) -> Findings:
    """Say what will be done, and do it, with a bar a step; then say what else there is to know."""
    from tarocco.render.results.trial import plan_sections
    from tarocco.render.sections import write_sections
    from tarocco.render.terminal import progress
    from tarocco.trials.plan import plan
    from tarocco.trials.trial import conduct_trial

    if not options.quiet:
        # For people it is part of what they read; programs read standard output, and find the plan in the results.
        shown = sys.stdout if options.format == "table" else sys.stderr
        write_sections(plan_sections(material.name, plan(material)), "table", shown)

    @contextmanager
    def watch(step: str, items: str, total: int | None, inside: str | None) -> Iterator[Advance]:
        with progress(items, total, not options.quiet, inside, step) as advance:
            yield advance

    findings = conduct_trial(material, conduct, options.command_line, watch)
    if not options.quiet:
        planned = {step.name for step in plan(material) if step.possible}
        refused = [step for step in findings.plan if not step.possible and step.name in planned]
        for note in [*findings.notes, *(f"{step.name} was not possible: {step.why}" for step in refused)]:
            say(f"note: {note}")
    return findings


def write(findings: Findings, options: argparse.Namespace, brief: bool = False) -> None:
    """Write a trial to standard output as asked, and a page and figures where they are wanted."""
    from tarocco.render import tables
    from tarocco.render.results import score as scores
    from tarocco.render.results import trial
    from tarocco.render.sections import blocks_for, write_sections

    out = sys.stdout
    if options.format == "json":
        settings: dict[str, Any] = {"seed": findings.seed, "name": findings.name, "again": findings.command}
        out.write(scores.json_text("trial", settings | {"notes": list(findings.notes)}, findings.to_dict()))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(trial.rows(findings), "\t" if options.format == "tsv" else ","))
    else:
        blocks = blocks_for(getattr(out, "encoding", None))
        write_sections(trial.sections(findings, options.width, blocks, brief), options.format, out)
    if options.report or options.figures:
        _write_page(findings, options.report, options.figures)


def _write_page(findings: Findings, report: str | None, figures: str | None) -> None:
    """The page and the figures of a trial, from the same data."""
    from tarocco.render.page.payload import payload_of
    from tarocco.render.page.write import write_figures, write_report

    payload = payload_of(findings)
    if report:
        write_report(payload, report)
    if figures:
        write_figures(payload, figures)
