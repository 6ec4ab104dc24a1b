"""Test whether differences between systems are luck.

The first system behind -i is the baseline; every other one is compared with it, or all with each other (--all-pairs).
A p-value says how often chance alone makes a difference as large; it is corrected for the number of comparisons (Holm).
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tarocco.cli.options import (
    add_cluster_option,
    add_jobs_option,
    add_output_options,
    add_report_option,
    add_scores_option,
    add_store_option,
    add_test_set_arguments,
    add_text_options,
    share,
    whole_number,
)
from tarocco.cli.reporting import report_if_asked
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.meta.significance.compare import CompareResult

EXAMPLES = """examples:
  tarocco compare ref.txt -i sysA.txt sysB.txt -m BLEU-4 chrF
  tarocco compare ref1 ref2 ref3 ref4 -i sysA sysB -m BLEU-4 TER --test randomization
  tarocco compare experiment.toml -m BLEU-SBP --all-pairs --pairs
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, systems="system files, baseline first")
    add_scores_option(parser)
    group = parser.add_argument_group("test")
    group.add_argument(
        "--test",
        choices=("bootstrap", "randomization", "sign"),
        default="bootstrap",
        help="paired bootstrap, approximate randomization, or the sign test of Collins et al. (default: bootstrap)",
    )
    group.add_argument("--baseline", metavar="NAME", help="the system to compare with (default: the first)")
    group.add_argument("--all-pairs", action="store_true", help="compare every system with every other")
    group.add_argument(
        "--alpha", type=share, default=0.05, metavar="0.05", help="p-values up to this are significant (default: 0.05)"
    )
    group.add_argument(
        "--n-resamples",
        type=whole_number(2),
        metavar="N",
        help="how many (default: 1000 for the bootstrap, 10000 for randomization; more if so many pairs need it)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="what resamples are drawn from (default: 12345)")
    group.add_argument("--pairs", action="store_true", help="a row a pair of systems, with all that the test found")
    add_text_options(parser)
    add_output_options(parser, levels=("corpus",))
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.inputs import read_inputs
    from tarocco.cli.scored import scored
    from tarocco.meta.significance.compare import compare_scores
    from tarocco.meta.significance.paired_tests import PairedTest

    given = options.n_resamples
    test_set, chosen, encoding, experiment = read_inputs(options)
    scores = scored(options, test_set, chosen, encoding)
    drawn = (given or 0) * (options.test != "sign")
    test = PairedTest(options.test, drawn, options.seed, options.alpha, options.jobs)
    result = compare_scores(scores, test, options.baseline, options.all_pairs)
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    write(result, options)
    report_if_asked(options, [result], test_set=test_set, encoding=encoding, experiment=experiment)


def write(result: CompareResult, options: argparse.Namespace) -> None:
    """Write a comparison to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import compare as comparison
    from tarocco.render.results import score as scores

    out = sys.stdout
    if options.score_only:
        out.writelines(f"{one.p_holm:.{4 if options.width is None else options.width}f}\n" for one in result)
    elif options.format == "json":
        test = result.test
        settings = {"seed": test.seed, "test": test.name, "n_resamples": test.n_resamples, "alpha": test.alpha}
        out.write(scores.json_text("compare", settings, result.to_dict()))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(result.rows(), "\t" if options.format == "tsv" else ","))
    else:
        table = comparison.pairs_table if options.pairs else comparison.compare_table
        tables.write_noted(table(result, options.width), footnotes(result, options.pairs), options.format, out)


def footnotes(result: CompareResult, pairs: bool) -> list[str]:
    """Below a table: signatures, the printed scale, and what the marks mean."""
    first = {str(score.metric): score for score in result.scores.scores}
    lines = [result.signature(score) for score in first.values() if str(score.metric) not in result.untested]
    scaled = [name for name, score in first.items() if score.metric.scale != 1]
    if scaled:
        lines.append(f"shown times 100: {', '.join(scaled)}")
    count = len(result.differences) // max(1, len(first) - len(result.untested))
    p_values = f"p-values with Holm's correction for {count} comparison{'s' * (count != 1)} under each metric"
    if pairs:
        lines += [
            f"*: significant; {p_values}",
            "detectable: the least that this test would have called significant, alone",
        ]
    elif result.all_pairs:
        lines.append(f"letters: significantly better than those systems; {p_values}")
    elif result.differences:
        lines.append(f"*: significantly different from {result.differences[0].baseline}; {p_values}")
    return lines
