"""Rank systems by several metrics at once, without weights.

QUEEN of a translation is the share of samples in which it is at least as near to a reference as two other references
are to each other, under every metric; a system has the mean over its segments. It wants two references at least. ULC,
the mean of normalized scores, stands beside it.
"""

from __future__ import annotations

import argparse
import sys

from tarocco.cli.qarla_options import configure_qarla, read_and_compare, report_judged
from tarocco.cli.running import say

EXAMPLES = """examples:
  tarocco queen ref1 ref2 ref3 ref4 -i sys/*.txt -m ROUGE-L METEOR-stem 1-WER
  tarocco queen experiment.toml --level segment --segments 1-3,10,50-60
  tarocco queen ref1 ref2 -i sys/*.txt -m chrF 1-WER --trans-topic
"""


def configure(parser: argparse.ArgumentParser) -> None:
    configure_qarla(parser, {"system": "a row a system", "segment": "a row a segment and system"})


def run(options: argparse.Namespace) -> None:
    from tarocco.meta.qarla.qarla import evaluate_queen
    from tarocco.render import tables
    from tarocco.render.results import qarla
    from tarocco.render.results import score as scores

    judged = read_and_compare(options, "QUEEN", scored=True)
    assert judged.scores is not None
    result = evaluate_queen(judged.near, judged.scores, judged.settings, judged.resampling, options.jobs)
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    by_segment = options.level == "segment"
    out = sys.stdout
    if options.score_only:
        numbers = [row["queen"] for row in (result.segments() if by_segment else result.rows())]
        out.write(qarla.lines(numbers, options.width))
    elif options.format == "json":
        out.write(scores.json_text("queen", qarla.envelope(result.setup), result.to_dict(options.level)))
    elif options.format in ("tsv", "csv"):
        records = result.segments() if by_segment else result.rows()
        out.write(tables.separated(records, "\t" if options.format == "tsv" else ","))
    else:
        table = qarla.queen_segments_table if by_segment else qarla.queen_table
        tables.write_noted(table(result, options.width), qarla.queen_notes(result), options.format, out)
    report_judged(options, result, judged)
