"""How many references are enough?

Metrics are computed with 1, 2, 3, ... of the references, on subsets of each size, and judged by how well they agree
with people (--human), by ORANGE (--nbest), or by KING (--by king). The table has the mean over subsets and its standard
deviation; below it is told which metric gains from more references, which saturates, which degrades, and how many are
enough.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tarocco.cli.human_options import add_human_options, add_level_options, read_people
from tarocco.cli.options import (
    add_cluster_option,
    add_figure_option,
    add_format_options,
    add_jobs_option,
    add_report_option,
    add_store_option,
    add_test_set_arguments,
    add_text_options,
    share,
    store_of,
    whole_number,
)
from tarocco.cli.reporting import report_if_asked
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.io.experiment import Experiment
    from tarocco.meta.references.curves import ReferencesResult
    from tarocco.meta.references.judges import Judge
    from tarocco.meta.references.subsets import Pool

EXAMPLES = """examples:
  tarocco references ref1 ref2 ref3 ref4 -i sys/*.txt -m BLEU-4 NIST-5 --human human.tsv:adequacy
  tarocco references ref1 ref2 ref3 ref4 -i sys/*.txt --human human.tsv:adequacy --coefficient kendall --list
  tarocco references experiment.toml --most 3 --orders --figure curve.svg
  tarocco references ref1 ref2 ref3 ref4 --nbest nbest.txt -m BLEUS-4 ROUGE-L
  tarocco references ref1 ref2 ref3 ref4 -i sys/*.txt -m BLEU-4 TER --by king
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, "BLEU-4, NIST-5, WER, GTM-1, chrF")
    group = parser.add_argument_group("references")
    group.add_argument(
        "--most",
        type=whole_number(2),
        metavar="K",
        help="up to K references; segments that have fewer take no part (default: as many as every segment has)",
    )
    group.add_argument(
        "--subsets",
        type=whole_number(1),
        default=20,
        metavar="N",
        help="subsets of each size: all if there are no more than N, else N drawn at random (default: 20)",
    )
    group.add_argument("--list", action="store_true", help="a row a subset of references, with their names")
    group.add_argument(
        "--orders",
        action="store_true",
        help="lower orders of BLEU and NIST, too, and what each order contributes to the score",
    )
    group.add_argument(
        "--enough",
        type=lambda text: 1.0 if text in ("1", "1.0") else share(text),
        default=0.98,
        metavar="0.98",
        help="the share of the best agreement that is enough (default: 0.98)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="what subsets are drawn from (default: 12345)")
    add_human_options(parser)
    add_level_options(parser)
    group = parser.add_argument_group("without people")
    group.add_argument(
        "--nbest",
        metavar="FILE",
        help="n-best lists, as for `tarocco orange`: ORANGE judges, and text is not tokenized unless asked for",
    )
    group.add_argument(
        "--by",
        choices=("people", "orange", "king"),
        help="who judges; KING asks how often a held-out reference is told from all systems, as `tarocco king` does "
        "(default: people, or with --nbest orange)",
    )
    add_text_options(parser, documents=False)
    add_format_options(parser)
    add_figure_option(parser, "the curves")
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.inputs import encoding_of, experiment_of, fill_in, read_texts
    from tarocco.meta.references.study import METRICS, run_references, subsets_of
    from tarocco.metrics.registry import metrics
    from tarocco.render.terminal import progress

    experiment = experiment_of(options.references)
    by = _judge_of(options)
    options.documents = None
    fill_in(options, experiment, METRICS, **({"tokenize": "none"} if by == "orange" else {}))
    chosen = metrics(options.metrics)
    pool, judge = {"people": _people, "orange": _orange, "king": _king}[by](options, experiment)
    count = len(subsets_of(pool, judge, options.subsets, options.seed))
    with progress("subsets", count, shown=not options.quiet) as advance:
        result = run_references(
            pool,
            chosen,
            judge,
            n_subsets=options.subsets,
            orders=options.orders,
            enough=options.enough,
            seed=options.seed,
            jobs=options.jobs,
            store=store_of(options),
            executor=options.executor,
            advance=advance,
        )
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    write(result, options)
    if options.figure:
        from tarocco.render.plots.figures import figure

        figure(result, options.figure)
    if options.report:
        texts = read_texts(options, experiment) if by == "people" else None
        encoding = None if texts is None else encoding_of(options, texts)
        report_if_asked(options, [result], test_set=texts, metrics=chosen, encoding=encoding, experiment=experiment)


def _judge_of(options: argparse.Namespace) -> str:
    from tarocco.core.errors import InputError

    if options.by == "king" and (options.human or options.nbest):
        raise InputError("KING needs neither human scores (--human) nor n-best lists (--nbest)")
    if options.nbest and (options.human or options.by == "people"):
        raise InputError("either people judge (--human) or ORANGE does (--nbest), not both")
    if options.human and options.by == "orange":
        raise InputError("ORANGE needs n-best lists (--nbest) and no human scores (--human)")
    by: str = options.by or ("orange" if options.nbest else "people")
    if by != "people" and (options.level != "system" or options.grouping or options.coefficient):
        raise InputError(f"--level, --grouping and --coefficient are about people, and {by.upper()} judges here")
    return by


def _people(options: argparse.Namespace, experiment: Experiment | None) -> tuple[Pool, Judge]:
    from dataclasses import replace

    from tarocco.cli.inputs import encoding_of, read_texts
    from tarocco.meta.correlation.score_sources import describe_judged_systems
    from tarocco.meta.references.judges import by_people
    from tarocco.meta.references.subsets import pool_of

    test_set = read_texts(options, experiment)
    human = read_people(options, test_set, experiment)
    pool = pool_of(replace(test_set, systems={name: test_set.systems[name] for name in human.systems}), options.most)
    encoding = encoding_of(options, test_set)
    view = options.level, options.grouping, options.coefficient
    notes = describe_judged_systems(human, list(test_set.systems))
    return pool, by_people(human, pool, encoding, *view, options.seed, notes)


def _orange(options: argparse.Namespace, experiment: Experiment | None) -> tuple[Pool, Judge]:
    from tarocco.cli.inputs import encoding_of
    from tarocco.core.errors import InputError
    from tarocco.io.test_set import assemble, reference_columns
    from tarocco.meta.references.judges import by_orange
    from tarocco.meta.references.subsets import pool_of

    path: str | None = options.nbest or (experiment.nbest if experiment else None)
    if path is None:
        raise InputError("which n-best lists? Name them with --nbest FILE")
    files = experiment.references if experiment else options.references
    columns = [column for file in files for column in reference_columns(file, options.num_refs)]
    test_set = assemble(columns, [])
    pool = pool_of(test_set, options.most, least=3)
    return pool, by_orange(path, pool, encoding_of(options, test_set), options.seed)


def _king(options: argparse.Namespace, experiment: Experiment | None) -> tuple[Pool, Judge]:
    from tarocco.cli.inputs import encoding_of, read_texts
    from tarocco.meta.references.judges import by_king
    from tarocco.meta.references.subsets import pool_of

    test_set = read_texts(options, experiment)
    pool = pool_of(test_set, options.most, least=4)
    return pool, by_king(pool, encoding_of(options, test_set), options.jobs)


def write(result: ReferencesResult, options: argparse.Namespace) -> None:
    """Write curves to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import references
    from tarocco.render.results import score as scores

    out, width = sys.stdout, 4 if options.width is None else options.width
    if options.score_only:
        numbers = result.subsets() if options.list else result.rows()
        key = "value" if options.list else "mean"
        out.writelines("-\n" if row[key] is None else f"{row[key]:.{width}f}\n" for row in numbers)
    elif options.format == "json":
        settings = {"seed": options.seed, "judged_by": result.judged_by, "n_segments": result.n_segments}
        out.write(scores.json_text("references", settings, result.to_dict(options.list)))
    elif options.format in ("tsv", "csv"):
        rows = result.subsets() if options.list else result.rows()
        out.write(tables.separated(rows, "\t" if options.format == "tsv" else ","))
    else:
        *first, last = references.tables_of(result, options.list, width)
        for table in first:
            tables.write_noted(table, [], options.format, out)
        tables.write_noted(last, references.footnotes(result), options.format, out)
