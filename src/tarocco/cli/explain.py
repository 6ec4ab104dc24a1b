"""Show which parts of candidate and reference make a segment's score.

Without --segments, these are the segments on which the first metric sees the largest differences between the first two
systems or, with one system, the lowest scores. Of several references, the one that the metric chose is shown.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import encoding_of, fill_in, note, read_inputs
from tarocco.cli.output import write

if TYPE_CHECKING:
    from tarocco.trials.inputs import ScoringInputs

EXAMPLES = """examples:
  tarocco explain ref.txt -i sysA.txt -m GTM-2 METEOR-wnsyn --segments 3,5-7
  tarocco explain ref1 ref2 ref3 ref4 -i sysA sysB -m BLEU-4 --number 1
  tarocco explain --text "the cat sat here" "here the cat was sitting" -m METEOR-stem TER
"""


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser, references="*")
    parser.add_argument(
        "--text",
        nargs="+",
        metavar=("CANDIDATE", "REFERENCE"),
        help="a text and its references, instead of files",
    )
    group = parser.add_argument_group("segments")
    group.add_argument(
        "--segments", type=shared.segment_numbers, metavar="LIST", help="segments, counted from 1: 3,5-7"
    )
    group.add_argument(
        "--number",
        type=shared.whole_number(1),
        default=3,
        metavar="N",
        help="number of segments without --segments (default: 3)",
    )
    group.add_argument(
        "--all-references", action="store_true", help="the score with each reference alone, not only the chosen one"
    )
    shared.add_text_options(parser, documents=False)
    group = parser.add_argument_group("output")
    shared.add_format_option(group, ("table", "json", "tsv", "csv"))
    shared.add_width_option(group, "of scores")
    group.add_argument("-v", "--verbose", action="store_true", help="list all matches, however many")
    shared.add_quiet_option(group)
    shared.add_jobs_option(parser)
    parser.set_defaults(scores=None, documents=None)


def run(options: argparse.Namespace) -> None:
    from tarocco.explanation.explain import explain_test_set
    from tarocco.metrics.external import External
    from tarocco.render.results.explain import present_explanations

    inputs = _read_inputs(options)
    external = [str(metric) for metric in inputs.metrics if isinstance(metric, External)]
    if external:
        note(options, f"{', '.join(external)}: external scores cannot be explained")
    result = explain_test_set(
        inputs.test_set,
        [metric for metric in inputs.metrics if not isinstance(metric, External)],
        inputs.encoding,
        None if options.segments is None else [number + 1 for number in options.segments],
        options.number,
        all_references=options.all_references,
        jobs=options.jobs,
    )
    write(present_explanations(result, options.width, options.verbose, options.all_references), options)


def _read_inputs(options: argparse.Namespace) -> ScoringInputs:
    """Return what the files name, or the texts of --text."""
    from tarocco.core.errors import InputError
    from tarocco.core.test_set import make_test_set
    from tarocco.metrics.registry import metrics
    from tarocco.trials.inputs import ScoringInputs

    if options.text is None:
        if not options.references:
            raise InputError("expected references and systems (-i), or texts with --text")
        return read_inputs(options)
    if options.references or options.input:
        raise InputError("--text replaces files: name none beside it")
    if len(options.text) < 2:
        raise InputError("--text takes a candidate and at least one reference")
    fill_in(options, None)
    candidate, *references = options.text
    test_set = make_test_set({"text": [candidate]}, [references])
    return ScoringInputs(test_set, list(metrics(options.metrics)), encoding_of(options, test_set), None)


EXPLAIN = Command(__doc__, EXAMPLES, configure, run)
