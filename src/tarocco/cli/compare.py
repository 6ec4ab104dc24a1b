"""Test whether systems differ significantly.

The first system after -i is the baseline. Every other system is compared with it, or all systems with each other
(--all-pairs). A p-value is the probability of a difference at least as large if the systems were equal; it is corrected
for the number of comparisons (Holm).
"""

from __future__ import annotations

import argparse

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import read_inputs, score_inputs
from tarocco.cli.output import write, write_page

EXAMPLES = """examples:
  tarocco compare ref.txt -i sysA.txt sysB.txt -m BLEU-4 chrF
  tarocco compare ref1 ref2 ref3 ref4 -i sysA sysB -m BLEU-4 TER --test randomization
  tarocco compare experiment.toml -m BLEU-SBP --all-pairs --pairs
"""


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser, systems="system files, baseline first")
    shared.add_scores_option(parser)
    group = parser.add_argument_group("test")
    group.add_argument(
        "--test",
        choices=("randomization", "bootstrap", "sign", "sacrebleu"),
        default="randomization",
        help="approximate randomization (exact where few segments differ), paired bootstrap, the sign test of Collins "
        "et al., or sacrebleu's bootstrap with its p-values (default: randomization)",
    )
    group.add_argument("--baseline", metavar="NAME", help="the system to compare with (default: the first)")
    group.add_argument("--all-pairs", action="store_true", help="compare every system with every other")
    group.add_argument(
        "--alpha",
        type=shared.share,
        default=0.05,
        metavar="0.05",
        help="p-values up to this are significant (default: 0.05)",
    )
    group.add_argument(
        "--n-resamples",
        type=shared.whole_number(2),
        metavar="N",
        help="number of resamples (default: 10000; 1000 for sacrebleu; more for many pairs)",
    )
    group.add_argument(
        "--unit",
        choices=("document", "segment"),
        help="what is swapped or drawn (default: documents where they are known, else segments)",
    )
    shared.add_seed_option(group, "resamples")
    group.add_argument("--pairs", action="store_true", help="one row per pair of systems, with all numbers of the test")
    shared.add_text_options(parser)
    shared.add_output_options(parser, levels=("corpus",))
    shared.add_report_option(parser)
    shared.add_worker_options(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.meta.significance.compare import compare_scores
    from tarocco.meta.significance.paired_tests import PairedTest
    from tarocco.render.results.score import present_comparison

    n_resamples = 0 if options.test == "sign" else options.n_resamples or 0  # 0: as many as the test needs
    inputs = read_inputs(options)
    scores = score_inputs(options, *inputs[:3])
    test = PairedTest(options.test, n_resamples, options.seed, options.alpha, options.jobs, options.unit)
    result = compare_scores(scores, test, options.baseline, options.all_pairs)
    write(present_comparison(result, options.width, options.pairs), options)
    write_page(options, [result], inputs)


COMPARE = Command(__doc__, EXAMPLES, configure, run)
