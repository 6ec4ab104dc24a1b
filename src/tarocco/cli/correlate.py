"""Correlate metrics with human scores.

Metrics are ranked by their agreement with human scores, beside three baselines that contain no information about
quality: the length of the output, a constant, and random numbers. The data cannot distinguish metrics in the same
cluster.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import read_human_scores, read_inputs, score_inputs
from tarocco.cli.output import draw, write, write_page

EXAMPLES = """examples:
  tarocco correlate ref.txt -i sys/*.txt --human human.tsv -m BLEU-4 chrF TER
  tarocco correlate ref1 ref2 -i sys/*.txt --human grades.tsv:adequacy -m BLEU-4 ROUGE-L --level segment --grouping item
  tarocco correlate experiment.toml --human human.tsv --level document --coefficient spearman --n-resamples 100
  tarocco correlate experiment.toml --human human.tsv --coefficient spa --pairs
  tarocco correlate experiment.toml --human human.tsv --level segment --coefficient acc-eq
  tarocco correlate experiment.toml --human human.tsv --at-difference 1
"""


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser)
    shared.add_scores_option(parser)
    shared.add_human_options(parser)
    shared.add_level_options(parser, pairwise=True)
    group = parser.add_argument_group("correlation, more")
    group.add_argument(
        "--population",
        choices=("such", "these"),
        help="what intervals and tests apply to: systems like these, called such systems (systems and segments are "
        "resampled; the default for systems), or these systems only (segments are resampled; the default below)",
    )
    group.add_argument(
        "--at-difference",
        nargs="*",
        type=float,
        metavar="D",
        help="how often people agree with a difference of D between two systems under each metric (default: the "
        "quartiles of the differences here)",
    )
    group.add_argument(
        "--system-scores",
        choices=("corpus", "mean"),
        default="corpus",
        help="a system's score is the corpus score, or the mean of its segments' scores (default: corpus)",
    )
    group.add_argument(
        "--drop-outliers", action="store_true", help="leave out systems far from the others (Mathur et al. 2020)"
    )
    group.add_argument(
        "--n-documents",
        type=shared.whole_number(1),
        default=1000,
        metavar="N",
        help="number of pseudo-documents (default: 1000)",
    )
    group.add_argument(
        "--document-size", type=shared.whole_number(1), default=30, metavar="N", help="their segments (default: 30)"
    )
    _add_test_options(parser)
    shared.add_resampling_options(parser, always=True)
    shared.add_text_options(parser)
    shared.add_format_options(parser)
    shared.add_figure_option(parser, "the correlations (with --pairs, the tests)")
    shared.add_report_option(parser)
    shared.add_worker_options(parser)


def _add_test_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tests of differences between metrics")
    group.add_argument(
        "--test",
        choices=("perm", "williams", "bootstrap"),
        help="permutation (PERM-SYS; for these systems PERM-BOTH, or PERM-INPUT within segments), Williams' test, or "
        "the bootstrap (default: perm where it applies, else bootstrap)",
    )
    group.add_argument(
        "--alpha",
        type=shared.share,
        default=0.05,
        metavar="0.05",
        help="p-values up to this are significant (default: 0.05)",
    )
    group.add_argument(
        "--n-permutations",
        type=shared.whole_number(1),
        metavar="N",
        help="number of permutations (default: 1000, or as many as significance needs)",
    )
    group.add_argument("--pairs", action="store_true", help="one row per pair of metrics, with the result of the test")
    group.add_argument(
        "--support",
        action="store_true",
        help="decide for each metric whether people support it, refute it, or leave the question open",
    )
    group.add_argument(
        "--stability",
        type=shared.whole_number(0),
        default=0,
        metavar="N",
        help="with --support: repeat each decision on N resamples of systems and segments (default: 0)",
    )


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.terminal import progress
    from tarocco.meta.correlation.correlate import correlate_scores
    from tarocco.meta.correlation.results import CorrelationOptions
    from tarocco.meta.correlation.score_sources import LengthRatio
    from tarocco.render.results.correlate import present_correlations
    from tarocco.scoring.settings import Resampling, Workers

    inputs = read_inputs(options)
    human = read_human_scores(options, inputs.test_set, inputs.experiment)
    settings = CorrelationOptions(
        level=options.level,
        grouping=options.grouping,
        coefficient=options.coefficient,
        system_scores=options.system_scores,
        drop_outliers=options.drop_outliers,
        test=options.test,
        alpha=options.alpha,
        n_permutations=options.n_permutations,
        n_documents=options.n_documents,
        document_size=options.document_size,
        population=options.population,
        at_differences=options.at_difference,
    )
    design = settings.resolve(Resampling(options.n_resamples, options.confidence or 0.95, options.seed))
    scores = score_inputs(options, inputs.test_set, [*inputs.metrics, LengthRatio()], inputs.encoding)
    if options.support:
        from tarocco.meta.support.decision import SupportRules
        from tarocco.meta.support.support import support_scores
        from tarocco.render.results.correlate import present_support

        rules = SupportRules(alpha=options.alpha, seed=options.seed, n_stability=options.stability)
        write(present_support(support_scores(scores, human, rules)), options)
        return
    resamples = design.n_resamples * len(human.criteria)
    with progress("resamples", resamples, shown=not options.quiet) as advance:
        result = correlate_scores(
            scores, human, design, Workers(options.jobs, executor=options.executor, progress=advance)
        )
    write(present_correlations(result, options.width, options.pairs), options)
    draw(result, options, pairs=options.pairs)
    requested = tuple(score for score in scores.scores if not isinstance(score.metric, LengthRatio))
    write_page(options, [result, replace(scores, scores=requested)], inputs, human=human)


CORRELATE = Command(__doc__, EXAMPLES, configure, run)
