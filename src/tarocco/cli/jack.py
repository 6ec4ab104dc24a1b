"""Ask how reliable a test bed is: are the references surrounded by different translations?

JACK is the share of segments and references for which two systems have translations that are both near the references
(QUEEN above zero), one of which is at least as near to the reference as to the other, under every metric.
"""

from __future__ import annotations

import argparse
import sys

from tarocco.cli.qarla_options import configure_qarla, read_and_compare, report_judged
from tarocco.cli.running import say

EXAMPLES = """examples:
  tarocco jack ref1 ref2 ref3 ref4 -i sys/*.txt -m NIST-3 1-WER
  tarocco jack experiment.toml --set NIST-3 1-WER --set ROUGE-L --by-reference
"""


def configure(parser: argparse.ArgumentParser) -> None:
    configure_qarla(parser, {}, "all metrics together")


def run(options: argparse.Namespace) -> None:
    from tarocco.meta.qarla.qarla import evaluate_jack
    from tarocco.render import tables
    from tarocco.render.results import qarla
    from tarocco.render.results import score as scores

    judged = read_and_compare(options, "JACK")
    result = evaluate_jack(judged.near, judged.sets, judged.settings, judged.resampling, options.jobs)
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    by_reference = options.by_reference
    records = result.references() if by_reference else result.rows()
    out = sys.stdout
    if options.score_only:
        out.write(qarla.lines([row["jack"] for row in records], options.width))
    elif options.format == "json":
        out.write(scores.json_text("jack", qarla.envelope(result.setup), result.to_dict(by_reference)))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(records, "\t" if options.format == "tsv" else ","))
    else:
        table = qarla.jack_references_table if by_reference else qarla.jack_table
        tables.write_noted(table(result, options.width), qarla.jack_notes(result), options.format, out)
    report_judged(options, result, judged)
