"""How many references are enough?

Metrics are computed with 1, 2, 3, ... of the references, on subsets of each size, and judged by how well they agree
with people (--human), by ORANGE (--nbest), or by KING (--by king). The table has the mean over subsets and its standard
deviation; the lines below it say which metric gains from more references, which saturates, which degrades, and how many
references are enough.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tarocco.cli.command import Command
from tarocco.cli.inputs import read_human_scores
from tarocco.cli.options import (
    add_cluster_option,
    add_figure_option,
    add_format_options,
    add_human_options,
    add_jobs_option,
    add_level_options,
    add_report_option,
    add_store_option,
    add_test_set_arguments,
    add_text_options,
    share,
    store_of,
    whole_number,
)
from tarocco.cli.output import draw, write, write_page

if TYPE_CHECKING:
    from tarocco.io.experiment import Experiment
    from tarocco.meta.references.study import Judge, ReferenceStudy
    from tarocco.meta.references.subsets import ReferencePool
    from tarocco.scoring.settings import Workers

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
        help="use up to K references; segments with fewer are not used (default: as many as every segment has)",
    )
    group.add_argument(
        "--subsets",
        type=whole_number(1),
        default=20,
        metavar="N",
        help="subsets per size: all if there are at most N, otherwise N drawn at random (default: 20)",
    )
    group.add_argument(
        "--list", action="store_true", help="print one row per subset of the references, with their names"
    )
    group.add_argument(
        "--orders",
        action="store_true",
        help="also the lower orders of BLEU and NIST, and what each order contributes to the score",
    )
    group.add_argument(
        "--enough",
        type=lambda text: 1.0 if text in ("1", "1.0") else share(text),
        default=0.98,
        metavar="0.98",
        help="the share of the best agreement that is enough (default: 0.98)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="seed for drawing subsets (default: 12345)")
    add_human_options(parser)
    add_level_options(parser)
    group = parser.add_argument_group("without people")
    group.add_argument(
        "--nbest",
        metavar="FILE",
        help="n-best lists, as for `tarocco orange`: ORANGE is the judge, and text is not tokenized by default",
    )
    group.add_argument(
        "--by",
        choices=("people", "orange", "king"),
        help="the judge; KING is how often a held-out reference is better than all systems, as in `tarocco king` "
        "(default: people, or orange with --nbest)",
    )
    add_text_options(parser)
    add_format_options(parser)
    add_figure_option(parser, "the curves")
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.inputs import encoding_of, experiment_of, fill_in, read_texts
    from tarocco.cli.terminal import progress
    from tarocco.meta.references.study import METRICS, ReferenceStudy, draw_subsets, run_references
    from tarocco.metrics.registry import metrics
    from tarocco.render.results.references import present_references
    from tarocco.scoring.settings import Workers
    from tarocco.trials.inputs import ScoringInputs

    experiment = experiment_of(options.references)
    by = _choose_judge(options)
    fill_in(options, experiment, METRICS, **({"tokenize": "none"} if by == "orange" else {}))
    chosen = metrics(options.metrics)
    study = ReferenceStudy(
        most=options.most,
        n_subsets=options.subsets,
        orders=options.orders,
        enough=options.enough,
        level=options.level,
        grouping=options.grouping,
        coefficient=options.coefficient,
        seed=options.seed,
    )
    workers = Workers(options.jobs, store_of(options), options.executor)
    pool, judge = _read_judge(by, options, experiment, study, workers)
    with progress("subsets", len(draw_subsets(pool, judge, study)), shown=not options.quiet) as advance:
        result = run_references(pool, chosen, judge, study, replace(workers, progress=advance))
    write(present_references(result, options.width, subsets=options.list, seed=options.seed), options)
    draw(result, options)
    inputs = None
    if options.report and by == "people":
        texts = read_texts(options, experiment)
        inputs = ScoringInputs(texts, list(chosen), encoding_of(options, texts), experiment)
    write_page(options, [result], inputs)


def _choose_judge(options: argparse.Namespace) -> str:
    from tarocco.core.errors import InputError

    if options.by == "king" and (options.human or options.nbest):
        raise InputError("KING needs neither human scores (--human) nor n-best lists (--nbest)")
    if options.nbest and (options.human or options.by == "people"):
        raise InputError("the judge is either people (--human) or ORANGE (--nbest), not both")
    if options.human and options.by == "orange":
        raise InputError("ORANGE needs n-best lists (--nbest) and no human scores (--human)")
    by: str = options.by or ("orange" if options.nbest else "people")
    if by != "people" and (options.level != "system" or options.grouping or options.coefficient):
        raise InputError(f"--level, --grouping and --coefficient need human scores, but the judge is {by.upper()}")
    return by


def _read_judge(
    by: str, options: argparse.Namespace, experiment: Experiment | None, study: ReferenceStudy, workers: Workers
) -> tuple[ReferencePool, Judge]:
    from tarocco.cli.inputs import encoding_of, read_texts
    from tarocco.core.errors import InputError
    from tarocco.io.test_set import build_test_set, read_references
    from tarocco.meta.references.study import KingJudge, judge_by_orange, judge_by_people
    from tarocco.meta.references.subsets import make_pool

    if by == "orange":
        path: str | None = options.nbest or (experiment.nbest if experiment else None)
        if path is None:
            raise InputError("no n-best lists: name a file with --nbest")
        files = experiment.references if experiment else options.references
        test_set = build_test_set(
            [column for file in files for column in read_references(file, options.num_refs)], [], options.documents
        )
        pool = make_pool(test_set, study.most, least=3)
        return pool, judge_by_orange(path, pool, encoding_of(options, test_set), study.seed)
    test_set = read_texts(options, experiment)
    if by == "king":
        pool = make_pool(test_set, study.most, least=4)
        return pool, KingJudge(encoding_of(options, test_set), pool, workers)
    human = read_human_scores(options, test_set, experiment)
    return judge_by_people(test_set, human, encoding_of(options, test_set), study)


REFERENCES = Command(__doc__, EXAMPLES, configure, run)
