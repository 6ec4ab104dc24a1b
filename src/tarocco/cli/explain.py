"""Show why a metric gives a segment its score: which parts of candidate and reference match.

Without --segments these are the segments where the first metric sees the largest differences between the first two
systems, or, with one system, the worst ones. With several references it is the one that the metric chose.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tarocco.cli.options import (
    add_jobs_option,
    add_test_set_arguments,
    add_text_options,
    whole_number,
)
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.cli.inputs import Inputs
    from tarocco.explanation.records import ExplainResult

EXAMPLES = """examples:
  tarocco explain ref.txt -i sysA.txt -m GTM-2 METEOR-wnsyn --segments 3,5-7
  tarocco explain ref1 ref2 ref3 ref4 -i sysA sysB -m BLEU-4 --number 1
  tarocco explain --text "the cat sat here" "here the cat was sitting" -m METEOR-stem TER
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, references="*")
    parser.add_argument(
        "--text",
        nargs="+",
        metavar=("CANDIDATE", "REFERENCE"),
        help="a text and its references, in place of files",
    )
    group = parser.add_argument_group("what is explained")
    group.add_argument("--segments", type=_segments, metavar="LIST", help="segments, counted from 1: 3,5-7")
    group.add_argument(
        "--number",
        type=whole_number(1),
        default=3,
        metavar="N",
        help="how many segments, if none are named (default: 3)",
    )
    group.add_argument(
        "--all-references", action="store_true", help="the score with each reference alone, not with the chosen one"
    )
    add_text_options(parser, documents=False)
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f",
        "--format",
        choices=("table", "json", "tsv", "csv"),
        default="table",
        help="how results are written (default: table)",
    )
    group.add_argument("-w", "--width", type=whole_number(0, 17), metavar="DIGITS", help="digits after the point")
    group.add_argument("-v", "--verbose", action="store_true", help="list all that matches, however much it is")
    group.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")
    add_jobs_option(parser)
    parser.set_defaults(scores=None, documents=None)


def _segments(text: str) -> list[int]:
    """3,5-7 as numbers."""
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        try:
            numbers = range(int(first), int(last if dash else first) + 1)
        except ValueError:
            numbers = range(0)
        if not numbers or numbers[0] < 1:
            raise argparse.ArgumentTypeError(f"segments are written like 3,5-7 and counted from 1, not {text}")
        if len(numbers) > 10_000:
            raise argparse.ArgumentTypeError(f"{part} are too many segments to look at")
        found += numbers
    return found


def run(options: argparse.Namespace) -> None:
    from tarocco.explanation.explain import explain_test_set
    from tarocco.metrics.external import External

    test_set, chosen, encoding, _ = _inputs(options)
    elsewhere = [str(metric) for metric in chosen if isinstance(metric, External)]
    if elsewhere and not options.quiet:
        say(f"note: {', '.join(elsewhere)}: computed elsewhere, and not explained")
    result = explain_test_set(
        test_set,
        [metric for metric in chosen if not isinstance(metric, External)],
        encoding,
        options.segments,
        options.number,
        all_references=options.all_references,
        jobs=options.jobs,
    )
    if result.why and not options.quiet:
        say(f"note: {result.why}")
    write(result, options)


def _inputs(options: argparse.Namespace) -> Inputs:
    """What files name, or the texts of --text."""
    from tarocco.cli.inputs import Inputs, encoding_of, fill_in, read_inputs
    from tarocco.core.errors import InputError

    if options.text is None:
        if not options.references:
            raise InputError("what is explained? Name references and systems (-i), or give texts with --text")
        return read_inputs(options)
    if options.references or options.input:
        raise InputError("--text stands in place of files: name none beside it")
    if len(options.text) < 2:
        raise InputError("--text takes a candidate and at least one reference")
    from tarocco.core.test_set import make_test_set
    from tarocco.metrics.registry import metrics

    fill_in(options, None)
    candidate, *references = options.text
    test_set = make_test_set({"text": [candidate]}, [references])
    return Inputs(test_set, list(metrics(options.metrics)), encoding_of(options, test_set), None)


def write(result: ExplainResult, options: argparse.Namespace) -> None:
    """Write explanations to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import explain as explanations
    from tarocco.render.results import score as scores

    out = sys.stdout
    if options.format == "json":
        settings = {"all_references": options.all_references, "chosen_by": result.why or None}
        out.write(scores.json_text("explain", settings, result.to_dict()))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(result.rows(), "\t" if options.format == "tsv" else ","))
    else:
        explanations.write_explanations(result, footnotes(result), out, options.width, options.verbose)


def footnotes(result: ExplainResult) -> list[str]:
    """Below the segments: what marks mean, signatures, and the printed scale."""
    from tarocco.render.results.explain import legend

    lines = [*legend(result), *dict.fromkeys(one.signature for one in result)]
    scaled = list(dict.fromkeys(str(one.metric) for one in result if one.metric.scale != 1))
    return lines + ([f"shown times 100: {', '.join(scaled)}"] if scaled else [])
