"""Look for faults in texts and human scores before judging anything.

Twelve checks look for what makes scores and verdicts wrong: human scores with swapped labels or a reversed sign, a
reference among the systems, references that are edits of one another, files in another case, tokenization, language or
line order, a tokenizer that does not fit the script, and too little data. Each finding has its evidence and what to do.
A check that finds nothing does not show that the data are correct.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import read_human_scores, read_inputs, score_inputs
from tarocco.cli.output import write

if TYPE_CHECKING:
    from tarocco.core.test_set import Segments
    from tarocco.trials.inputs import ScoringInputs

EXAMPLES = """examples:
  tarocco check experiment.toml
  tarocco check ref1 ref2 -i sys/*.txt --source source.txt
  tarocco check ref.txt -i sys/*.txt --human human.tsv:adequacy --strict -f json
"""
SEVERE = 3  # the exit code of --strict


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser, "the experiment's, or BLEUS-4 chrF ROUGE-L; needed for human scores")
    shared.add_scores_option(parser)
    group = parser.add_argument_group("check")
    group.add_argument("--source", metavar="FILE", help="the source text, to find outputs that copy it")
    group.add_argument("--strict", action="store_true", help="exit with code 3 if there are severe findings")
    group.add_argument("--seed", type=int, metavar="N", help="seed for shuffled labels (default: 12345)")
    shared.add_human_options(parser)
    shared.add_text_options(parser)
    group = parser.add_argument_group("output")
    shared.add_format_option(group)
    shared.add_quiet_option(group)
    shared.add_worker_options(parser)


def run(options: argparse.Namespace) -> int:
    from tarocco.render.results.check import present_check
    from tarocco.trials.data_audit.check import METRICS, audit_data

    inputs = read_inputs(options, METRICS)
    human = scores = None
    if options.human or (inputs.experiment and inputs.experiment.human):
        human = read_human_scores(options, inputs.test_set, inputs.experiment)
        scores = score_inputs(options, *inputs[:3])
    test_set, metrics, encoding, _ = inputs
    audit = audit_data(test_set, encoding, metrics, scores, human, _source(options, inputs), seed=options.seed)
    write(present_check(audit, options.seed), options)
    return SEVERE if options.strict and audit.severe else 0


def _source(options: argparse.Namespace, inputs: ScoringInputs) -> Segments | None:
    """Return the source text of --source or of the experiment."""
    from tarocco.io.test_set import TextColumn, align_column, read_source

    path = options.source or (inputs.experiment and inputs.experiment.source)
    if not path:
        return None
    if inputs.experiment is not None:
        first = inputs.experiment.reference_columns[0]
    else:
        first = TextColumn("references", options.references[0], inputs.test_set.references[0])
    return align_column(read_source(path), first).segments


CHECK = Command(__doc__, EXAMPLES, configure, run)
