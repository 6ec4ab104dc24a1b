"""Print the best candidate of each n-best list with given weights, a line a segment.

NBEST are n-best lists with features, as for `tarocco tune`; several files are merged. A segment without a list has an
empty line, so that lines belong to the lines of references.
"""

from __future__ import annotations

import argparse
import sys

from tarocco.cli.options import whole_number
from tarocco.cli.running import say

EXAMPLES = """examples:
  tarocco tune nbest.txt -r ref1 ref2 -o weights.json
  tarocco rerank nbest.txt --weights weights.json > best.txt
  tarocco rerank nbest.txt --weights weights.json -f tsv
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", nargs="+", metavar="NBEST", help="n-best lists with features")
    parser.add_argument(
        "--weights", required=True, metavar="FILE", help="weights of all features: .json, or a Moses configuration"
    )
    parser.add_argument(
        "--first-id", type=whole_number(0), default=0, metavar="N", help="the first segment's id (default: 0)"
    )
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "tsv", "csv"),
        default="text",
        help="texts alone, or with segments, places in the lists and scores (default: text)",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")


def run(options: argparse.Namespace) -> None:
    from tarocco.core.errors import InputError
    from tarocco.decode.tuning.pool import read_pool
    from tarocco.decode.tuning.tune import rerank_pool
    from tarocco.io.nbest.features import read_weights
    from tarocco.render import tables
    from tarocco.render.results import score as scores

    if [*options.nbest, options.weights].count("-") > 1:
        raise InputError("standard input can be read once, but - was given twice")
    weights = read_weights(options.weights)
    result = rerank_pool(read_pool(options.nbest, None, options.first_id), weights, options.weights)
    lines = result.lines()
    missing = len(lines) - len(result.texts)
    if missing and not options.quiet:
        empty = "" if options.format != "text" else ": their lines are empty"
        say(f"note: {missing} of {len(lines)} segments have no list{empty}")
    if options.format == "text":
        sys.stdout.writelines(f"{line}\n" for line in lines)
    elif options.format == "json":
        about = {"nbest": options.nbest, "weights": result.weights}
        sys.stdout.write(scores.json_text("rerank", about, result.to_dict()))
    else:
        sys.stdout.write(tables.separated(result.rows(), "\t" if options.format == "tsv" else ","))
