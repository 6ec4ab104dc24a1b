"""Put metrics on trial: do they tell human translations from automatic ones?

KING is the share of segments and references in which the reference, held out, is at least as good as every system by
the other references (QUEEN); strict KING that in which it is better. What lies between are ties, which say nothing for
the metrics. Three references are wanted at least.
"""

from __future__ import annotations

import argparse
import sys

from tarocco.cli.qarla_options import configure_qarla, read_and_compare, report_judged
from tarocco.cli.running import say

EXAMPLES = """examples:
  tarocco king ref1 ref2 ref3 ref4 -i sys/*.txt -m BLEU-4 NIST-5 ROUGE-L 1-WER
  tarocco king ref1 ref2 ref3 ref4 -i sys/*.txt --set NIST-3 1-WER --set ROUGE-L --by-reference
  tarocco king experiment.toml --level system --store scores.db
"""


def configure(parser: argparse.ArgumentParser) -> None:
    levels = {
        "segment": "each segment and reference is a case",
        "system": "each reference is, compared with systems by the means over segments",
    }
    configure_qarla(parser, levels, "every metric by itself, and all of them together")


def run(options: argparse.Namespace) -> None:
    from tarocco.meta.qarla.qarla import KingOptions, evaluate_king
    from tarocco.render import tables
    from tarocco.render.results import qarla
    from tarocco.render.results import score as scores

    judged = read_and_compare(options, "KING")
    settings = KingOptions(options.trans_topic, options.pairs, options.segments, options.level)
    result = evaluate_king(judged.near, judged.sets, settings, judged.resampling, options.jobs)
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    by_reference = options.by_reference
    records = result.references() if by_reference else result.rows()
    out = sys.stdout
    if options.score_only:
        out.write(qarla.lines([row["king"] for row in records], options.width))
    elif options.format == "json":
        about = qarla.envelope(result.setup) | {"level": result.level}
        out.write(scores.json_text("king", about, result.to_dict(by_reference)))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(records, "\t" if options.format == "tsv" else ","))
    else:
        table = qarla.king_references_table if by_reference else qarla.king_table
        tables.write_noted(table(result, options.width), qarla.king_notes(result), options.format, out)
    report_judged(options, result, judged)
