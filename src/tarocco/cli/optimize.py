"""Search for the set of metrics that best separates human from machine translations.

A set's KING is the share of cases in which a held-out reference is at least as good as every system, by QUEEN with the
other references; strict KING is the share in which it is better. The search uses all segments, so the KING that it
reports is optimistic. Cross-validation repeats the search without each fold and gives the KING on unseen segments.
"""

from __future__ import annotations

import argparse
import shutil
import sys

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import read_inputs, resampling_of, workers_of
from tarocco.cli.output import draw, write, write_page
from tarocco.cli.qarla import add_sample_options

EXAMPLES = """examples:
  tarocco optimize ref1 ref2 ref3 ref4 -i sys/*.txt
  tarocco optimize ref1 ref2 ref3 ref4 -i sys/*.txt -m BLEU-4 NIST-5 WER ROUGE-L METEOR --method exhaustive
  tarocco optimize experiment.toml -m lexical METEOR --by-reference --redundancy --figure alike.svg
  tarocco optimize ref1 ref2 ref3 -i sys/*.txt --method greedy --ties count
"""


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser, "lexical, a group of many metrics")
    shared.add_scores_option(parser)
    group = parser.add_argument_group("search")
    group.add_argument(
        "--method",
        choices=("greedy", "forward", "beam", "exhaustive"),
        default="greedy",
        help="greedy: metrics in the order of their KING, each added if it raises the set's (IQmt); forward: the best "
        "addition at each step; beam: the best sets of each size; exhaustive: all sets (default: greedy)",
    )
    group.add_argument(
        "--ties",
        choices=("strict", "count"),
        default="strict",
        help="maximize strict KING, or KING, which counts ties (default: strict)",
    )
    group.add_argument(
        "--beam",
        type=shared.whole_number(1),
        default=10,
        metavar="N",
        help="sets of each size in the beam (default: 10)",
    )
    group.add_argument(
        "--most", type=shared.whole_number(1), metavar="K", help="at most K metrics in a set (beam and exhaustive)"
    )
    group.add_argument(
        "--folds",
        type=shared.whole_number(0),
        metavar="N",
        help="folds of the cross-validation; 0: none (default: 10)",
    )
    group = parser.add_argument_group("comparison")
    group.add_argument("--by-reference", action="store_true", help="also KING per held-out reference")
    group.add_argument(
        "--redundancy", action="store_true", help="also which metrics make the same decisions, as a clustered matrix"
    )
    add_sample_options(group)
    shared.add_resampling_options(parser, always=True)
    shared.add_text_options(parser)
    shared.add_format_options(parser)
    shared.add_figure_option(parser, "how similar the decisions of metrics are")
    shared.add_report_option(parser)
    shared.add_worker_options(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.terminal import progress
    from tarocco.meta.qarla.optimize import METRICS, check_search, run_optimize
    from tarocco.meta.qarla.qarla import QarlaOptions, check_test_set
    from tarocco.meta.qarla.set_search import SetSearch
    from tarocco.meta.qarla.similarities import compute_similarities, count_similarities
    from tarocco.render.results.qarla import present_best_set
    from tarocco.scoring.settings import Workers

    inputs = read_inputs(options, METRICS)
    test_set, chosen, encoding, _ = inputs
    redundancy = options.redundancy or options.figure is not None
    search = SetSearch(options.method, options.ties, options.beam, options.most, options.folds, redundancy)
    settings = QarlaOptions(options.trans_topic, options.pairs, options.segments)
    resampling = resampling_of(options)
    check_search(search, chosen)
    check_test_set(test_set, "KING", settings.segments)
    with progress("similarities", count_similarities(test_set, chosen), shown=not options.quiet) as advance:
        similarities = compute_similarities(test_set, chosen, encoding, workers=workers_of(options, advance))
    with progress("sets", search.count_sets(len(chosen)), shown=not options.quiet) as advance:
        workers = Workers(options.jobs, progress=advance)
        result = run_optimize(similarities, search, settings, resampling, workers)
    columns = shutil.get_terminal_size().columns if sys.stdout.isatty() and options.format == "table" else None
    shown = present_best_set(
        result, options.width, by_reference=options.by_reference, redundancy=options.redundancy, columns=columns
    )
    write(shown, options)
    draw(result, options)
    write_page(options, [result], inputs)


OPTIMIZE = Command(__doc__, EXAMPLES, configure, run)
