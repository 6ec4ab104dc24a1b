"""Find the set of metrics that tells human translations best from automatic ones.

A set's KING is the share of cases in which a reference, held out, is at least as good as every system by the other
references (QUEEN), strict KING that in which it is better. The set is searched for on all segments, which makes its
KING optimistic, and once more without each of some folds, for a KING on segments that the search has not seen.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from typing import TYPE_CHECKING

from tarocco.cli.options import (
    add_cluster_option,
    add_figure_option,
    add_format_options,
    add_jobs_option,
    add_report_option,
    add_resampling_options,
    add_scores_option,
    add_store_option,
    add_test_set_arguments,
    add_text_options,
    store_of,
    whole_number,
)
from tarocco.cli.qarla_options import segment_numbers
from tarocco.cli.reporting import report_if_asked
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.meta.qarla.results import OptimizeResult

EXAMPLES = """examples:
  tarocco optimize ref1 ref2 ref3 ref4 -i sys/*.txt
  tarocco optimize ref1 ref2 ref3 ref4 -i sys/*.txt -m BLEU-4 NIST-5 WER ROUGE-L METEOR --method exhaustive
  tarocco optimize experiment.toml -m lexical METEOR --by-reference --redundancy --figure alike.svg
  tarocco optimize ref1 ref2 ref3 -i sys/*.txt --method greedy --ties count
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, "lexical, which stands for many")
    add_scores_option(parser)
    group = parser.add_argument_group("search")
    group.add_argument(
        "--method",
        choices=("greedy", "forward", "beam", "exhaustive"),
        default="greedy",
        help="greedy: metrics in the order of their own KING, each kept if it raises the set's (IQmt); forward: the "
        "best addition at each step; beam: the best sets of each size; exhaustive: all sets (default: greedy)",
    )
    group.add_argument(
        "--ties",
        choices=("strict", "count"),
        default="strict",
        help="look for the highest strict KING, or for the highest KING, in which ties count (default: strict)",
    )
    group.add_argument(
        "--beam",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="sets of each size that a beam keeps (default: 10)",
    )
    group.add_argument(
        "--most", type=whole_number(1), metavar="K", help="up to K metrics in a set, for beam and exhaustive"
    )
    group.add_argument(
        "--folds",
        type=whole_number(0),
        metavar="N",
        help="parts of the segments, on each of which a set chosen without it is judged; 0: none (default: 10)",
    )
    group = parser.add_argument_group("judging")
    group.add_argument("--by-reference", action="store_true", help="KING for each reference held out")
    group.add_argument("--redundancy", action="store_true", help="which metrics decide alike, as a clustered matrix")
    group.add_argument(
        "--segments", type=segment_numbers, metavar="1-3,10", help="the segments that take part (default: all)"
    )
    group.add_argument(
        "--trans-topic",
        action="store_true",
        help="take pairs of references from all segments, a sample of them, and not from a segment's own",
    )
    group.add_argument(
        "--pairs",
        type=whole_number(1),
        default=1024,
        metavar="N",
        help="how many pairs that sample has (default: 1024)",
    )
    add_resampling_options(parser, always=True)
    add_text_options(parser, documents=False)
    add_format_options(parser)
    add_figure_option(parser, "how alike metrics decide")
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.inputs import read_inputs
    from tarocco.meta.qarla.optimize import METRICS, check_search, run_optimize
    from tarocco.meta.qarla.qarla import QarlaOptions, check_test_set
    from tarocco.meta.qarla.set_search import SetSearch
    from tarocco.meta.qarla.similarities import compute_similarities, count_similarities
    from tarocco.render.terminal import progress
    from tarocco.scoring.settings import Resampling, Workers

    options.documents = None
    test_set, chosen, encoding, experiment = read_inputs(options, METRICS)
    redundancy = options.redundancy or options.figure is not None
    search = SetSearch(options.method, options.ties, options.beam, options.most, options.folds, redundancy)
    settings = QarlaOptions(options.trans_topic, options.pairs, options.segments)
    resampling = Resampling(options.n_resamples, options.confidence or 0.95, options.seed)
    check_search(search, chosen)
    check_test_set(test_set, "KING", settings.segments)
    with progress("similarities", count_similarities(test_set, chosen), shown=not options.quiet) as advance:
        near = compute_similarities(
            test_set,
            chosen,
            encoding,
            workers=Workers(options.jobs, store_of(options), options.executor, advance),
        )
    with progress("sets", search.count_sets(len(chosen)), shown=not options.quiet) as advance:
        result = run_optimize(near, search, settings, resampling, Workers(options.jobs, progress=advance))
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    write(result, options)
    if options.figure:
        from tarocco.render.plots.figures import figure

        figure(result, options.figure)
    report_if_asked(options, [result], test_set=test_set, metrics=chosen, encoding=encoding, experiment=experiment)


def write(result: OptimizeResult, options: argparse.Namespace) -> None:
    """Write what was found to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import optimize
    from tarocco.render.results import score as scores

    out, width = sys.stdout, 4 if options.width is None else options.width
    if options.score_only:
        out.writelines(f"{value:.{width}f}\n" for value in optimize.numbers(result))
    elif options.format == "json":
        settings = {
            "seed": result.seed,
            "method": result.search.method,
            "ties": result.search.ties,
            "n_segments": result.chosen.n_segments,
            "notes": list(result.notes),
        }
        out.write(scores.json_text("optimize", settings, result.to_dict(options.by_reference)))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(result.rows(), "\t" if options.format == "tsv" else ","))
    else:
        columns = shutil.get_terminal_size().columns if out.isatty() and options.format == "table" else None
        shown = [optimize.metrics_table(result, width, columns)]
        if options.by_reference:
            shown.append(optimize.references_table(result, width))
        if options.redundancy and result.redundancy is not None:
            shown.append(optimize.redundancy_table(result.redundancy, columns))
        for table in shown[:-1]:
            tables.write_noted(table, [], options.format, out)
        notes = optimize.footnotes(result, width, options.redundancy)
        tables.write_noted(shown[-1], notes, options.format, out)
