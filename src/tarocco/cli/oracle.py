"""Find the best text that a lattice, a forest or an n-best list has, under a metric.

How good could the system be, had it chosen well? FILE has lattices (PLF, SLF, OpenFst, Moses), forests (Moses, cdec) or
n-best lists, one for each line of the references, which come with -r. Under GRR-k, WER and 1-WER (WRR) the oracles of
lattices and forests are exact; under BLEU they are approximate; n-best lists have oracles under any metric.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tarocco.cli.options import add_cluster_option, add_jobs_option, add_text_options, whole_number
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.decode.oracle.results import OracleResult

EXAMPLES = """examples:
  tarocco oracle lattices.plf -r ref.txt -m GRR-4 --also WER BLEU-4
  tarocco oracle forests.hg -r ref.txt --weights moses.weights --without '<s>' '</s>' --level segment
  tarocco oracle lattices.plf -r ref1 ref2 -m BLEUS-4 --beam 64
  tarocco oracle nbest.txt -r ref.txt -m chrF --output oracles.txt
"""

FORMS = ("nbest", "plf", "slf", "openfst", "moses-searchgraph", "moses-hypergraph", "cdec")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="lattices, forests or n-best lists, or an experiment file (.toml)")
    parser.add_argument("-r", "--references", nargs="+", action="extend", metavar="REF", help="reference files")
    parser.add_argument("-m", "--metric", metavar="METRIC", help="what oracles are best under (default: GRR-4)")
    parser.add_argument(
        "--also", nargs="+", action="extend", default=[], metavar="METRIC", help="metrics that score the texts, too"
    )
    group = parser.add_argument_group("search")
    group.add_argument(
        "--best",
        metavar="FILE",
        help="what oracles are compared with (default: the best by weight, the first of lists)",
    )
    group.add_argument(
        "--k-best", type=whole_number(1, 10_000), default=1, metavar="N", help="the N best texts (default: 1)"
    )
    group.add_argument(
        "--beam",
        type=whole_number(1, 10_000),
        default=16,
        metavar="N",
        help="texts kept of each node where oracles are approximate (default: 16)",
    )
    group = parser.add_argument_group("input")
    group.add_argument("--form", choices=FORMS, help="what FILE has, where its first line does not tell")
    group.add_argument("--weights", metavar="FILE", help="weights of features: `name weight` a line (cdec, Moses)")
    group.add_argument(
        "--without", nargs="+", action="extend", default=[], metavar="WORD", help="no part of any text, such as '<s>'"
    )
    group.add_argument("--symbols", metavar="FILE", help="OpenFst's table of symbols, for numbers in place of words")
    group.add_argument(
        "--first-id", type=whole_number(0), default=0, metavar="N", help="the first segment's id in n-best lists"
    )
    group.add_argument(
        "--num-candidates", type=whole_number(1), metavar="N", help="the file has no ids: every N lines are a list"
    )
    add_text_options(parser, tokenize="none", documents=False)
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f",
        "--format",
        choices=("table", "json", "tsv", "csv", "latex", "md"),
        default="table",
        help="how results are written (default: table)",
    )
    group.add_argument(
        "--level", choices=("corpus", "segment"), default="corpus", help="what is told (default: corpus)"
    )
    group.add_argument("--output", metavar="FILE", help="write the oracles there, a text a line, or N-best lists")
    group.add_argument("-b", "--text-only", action="store_true", help="print the oracles alone, a text a line")
    group.add_argument(
        "-w", "--width", type=whole_number(0, 17), metavar="DIGITS", help="digits after the point in tables"
    )
    group.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")
    add_jobs_option(parser)
    add_cluster_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.oracle_inputs import read_oracle_inputs
    from tarocco.decode.oracle.oracle import find_oracles
    from tarocco.render.results.oracle import check_output, oracle_text, write_oracles
    from tarocco.render.terminal import progress
    from tarocco.scoring.settings import Workers

    check_output(options.output, [options.file, *(options.references or ()), options.best, options.weights])
    inputs = read_oracle_inputs(options)
    with progress("segments", len(inputs.references), shown=not options.quiet, inside=inputs.inside) as advance:
        result = find_oracles(
            inputs.sources,
            inputs.references,
            inputs.metric,
            inputs.also,
            inputs.encoding,
            best=inputs.best,
            options=inputs.options,
            workers=Workers(jobs=options.jobs, executor=options.executor),
            advance=advance,
        )
    if options.output:
        write_oracles(result, options.output, options.first_id)
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    if options.text_only:
        sys.stdout.write(oracle_text(result, options.first_id))
    else:
        write(result, options)


def write(result: OracleResult, options: argparse.Namespace) -> None:
    """Write what was found to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import oracle
    from tarocco.render.results import score as scores

    out, by_segment = sys.stdout, options.level == "segment"
    if options.format == "json":
        about = {"file": options.file, "references": options.references, **result.about()}
        out.write(scores.json_text("oracle", about, result.to_dict(options.level)))
    elif options.format in ("tsv", "csv"):
        out.write(oracle.separated_text(result, options.level, "\t" if options.format == "tsv" else ","))
    else:
        table = (
            oracle.segments_table(result, options.width) if by_segment else oracle.oracle_table(result, options.width)
        )
        tables.write_noted(table, oracle.footnotes(result), options.format, out)
