"""Correlate metrics with human scores.

Metrics are ranked by their agreement with human scores, beside three baselines that know nothing of quality: the length
of the output, a constant, and random numbers. The data cannot distinguish metrics in the same cluster.
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
  tarocco correlate experiment.toml --human human.tsv --pairs --test williams
"""


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser)
    shared.add_scores_option(parser)
    shared.add_human_options(parser)
    shared.add_level_options(parser)
    group = parser.add_argument_group("correlation, more")
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
    shared.add_text_options(parser, documents=False)
    shared.add_format_options(parser)
    shared.add_figure_option(parser, "the correlations (with --pairs, the tests)")
    shared.add_report_option(parser)
    shared.add_worker_options(parser)


def _add_test_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("tests of differences between metrics")
    group.add_argument(
        "--test",
        choices=("perm", "williams", "bootstrap"),
        help="permutation (PERM-BOTH, or PERM-SYS where only systems can be swapped), Williams' test, or the bootstrap "
        "(default: perm for systems, else bootstrap)",
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


def run(options: argparse.Namespace) -> None:
    from tarocco.meta.correlation.correlate import correlate_scores
    from tarocco.meta.correlation.results import CorrelationOptions
    from tarocco.meta.correlation.score_sources import LengthRatio
    from tarocco.render.results.correlate import present_correlations
    from tarocco.render.terminal import progress
    from tarocco.scoring.settings import Resampling, Workers

    test_set, chosen, encoding, experiment = read_inputs(options)
    people = read_people(options, test_set, experiment)
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
    )
    design = settings.resolve(Resampling(options.n_resamples, options.confidence or 0.95, options.seed))
    scores = scored(options, test_set, [*chosen, LengthRatio()], encoding)
    resamples = design.n_resamples * len(people.criteria)
    with progress("resamples", resamples, shown=not options.quiet) as advance:
        result = correlate_scores(
            scores, people, design, Workers(options.jobs, executor=options.executor, progress=advance)
        )
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    write(result, options)
    if options.figure:
        from tarocco.render.plots.figures import figure

        figure(result, options.figure, pairs=options.pairs)
    report_if_asked(
        options,
        [result, _without_sentinels(scores)],
        test_set=test_set,
        encoding=encoding,
        experiment=experiment,
        human=people,
    )


def _without_sentinels(scores: Result) -> Result:
    """The scores of what was asked for: a page need not tell how good the length ratio is."""
    from tarocco.meta.correlation.score_sources import LengthRatio

    return replace(scores, scores=tuple(one for one in scores.scores if not isinstance(one.metric, LengthRatio)))


def write(result: CorrelateResult, options: argparse.Namespace) -> None:
    """Write correlations to standard output as asked."""
    from dataclasses import asdict

    from tarocco.render import tables
    from tarocco.render.results import correlate as correlations
    from tarocco.render.results import score as scores

    out = sys.stdout
    records = result.pairs() if options.pairs else result.to_dict()
    if options.score_only:
        digits = 4 if options.width is None else options.width
        numbers = [one.p_holm for one in result.metric_comparisons] if options.pairs else result.metric_values()
        out.writelines("-\n" if number != number else f"{number:.{digits}f}\n" for number in numbers)
    elif options.format == "json":
        about = {"outliers_found": dict(result.outliers), "notes": list(result.notes)}
        out.write(scores.json_text("correlate", asdict(result.design) | about, records))
    elif options.format in ("tsv", "csv"):
        flat = result.pairs() if options.pairs else result.rows()
        out.write(tables.separated(flat, "\t" if options.format == "tsv" else ","))
    else:
        table = correlations.leads_table if options.pairs else correlations.correlations_table
        tables.write_noted(
            table(result, options.width), correlations.footnotes(result, options.pairs), options.format, out
        )
