"""Find out whether metrics can be gamed on this data.

Five checks look for what no metric should reward: sign tests that contradict themselves, parts that win and lose
together, segments left empty, a long part that pays for a short one, and straw men among the systems. Labels of the
segments, such as genres, come from --groups, or else are those of the documents. Metrics that can be gamed in most ways
come first.
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
    store_of,
    whole_number,
)
from tarocco.cli.reporting import report_if_asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tarocco.core.test_set import TestSet
    from tarocco.meta.audit.audit import AuditResult

EXAMPLES = """examples:
  tarocco audit ref.txt -i sysA.txt sysB.txt
  tarocco audit ref1 ref2 -i sysA sysB -m BLEU-4 BLEU-SBP chrF --groups documents.txt
  tarocco audit experiment.toml --findings
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, "BLEU-4 BLEU-SBP GRR-4 METEOR-exact GTM-1 WER")
    add_scores_option(parser)
    group = parser.add_argument_group("audit")
    group.add_argument("--groups", metavar="FILE", help="one label a segment, such as its genre: what can be mixed")
    group.add_argument("--alpha", type=share, default=0.05, metavar="0.05", help="of the sign tests (default: 0.05)")
    group.add_argument(
        "--share", type=share, default=0.1, metavar="0.1", help="of the segments that is blanked (default: 0.1)"
    )
    group.add_argument(
        "--n-draws",
        type=whole_number(1),
        default=100,
        metavar="N",
        help="of segments to blank, and of halves to exchange (default: 100)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="what is drawn from (default: 12345)")
    group.add_argument("--findings", action="store_true", help="everything that was found, with all its segments")
    add_text_options(parser)
    add_output_options(parser, levels=("corpus",))
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.inputs import read_inputs
    from tarocco.core.errors import InputError
    from tarocco.meta.audit.audit import METRICS, audit_test_set
    from tarocco.meta.audit.evidence import Settings
    from tarocco.meta.significance.paired_tests import DEFAULT_RESAMPLES
    from tarocco.metrics.external import External
    from tarocco.render.terminal import progress

    test_set, chosen, encoding, experiment = read_inputs(options, METRICS)
    if options.parses and any(metric.reads(encoding).analyzer for metric in chosen):
        raise InputError(
            "an audit makes texts of its own out of the outputs, which no file describes: it needs an analyzer "
            "(--analyzer) in place of --parses"
        )
    settings = Settings(
        options.alpha, options.share, options.n_draws, DEFAULT_RESAMPLES["bootstrap"], options.seed, options.jobs
    )
    computed = sum(not isinstance(metric, External) for metric in chosen)
    outputs = 3 * len(test_set.systems) + 1  # each with two straw men, and the empty one
    with progress("scores", len(test_set) * outputs * computed, shown=not options.quiet) as advance:
        result = audit_test_set(
            test_set,
            chosen,
            encoding,
            settings=settings,
            groups=_groups(options, test_set),
            advance=advance,
            store=store_of(options),
            executor=options.executor,
        )
    write(result, options)
    report_if_asked(options, [result], test_set=test_set, encoding=encoding, experiment=experiment)


def _groups(options: argparse.Namespace, test_set: TestSet) -> Sequence[str] | None:
    """The labels of --groups or of the experiment, else those of the documents, else none."""
    from tarocco.io.test_set import Column, read_labels

    if options.groups is None:
        return test_set.documents
    return read_labels(options.groups, Column("references", options.references[0], test_set.references[0]))


def write(result: AuditResult, options: argparse.Namespace) -> None:
    """Write an audit to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import audit
    from tarocco.render.results import score as scores

    out = sys.stdout
    if options.score_only:
        out.writelines(f"{result.found(name)}\n" for name in result.outcomes)  # in the order of -m
    elif options.format == "json":
        own = result.settings
        settings = {
            "seed": own.seed,
            "alpha": own.alpha,
            "share": own.share,
            "n_draws": own.n_draws,
            "n_resamples": own.n_resamples,
            "groups": result.labels,
        }
        out.write(scores.json_text("audit", settings, result.to_dict()))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(result.rows(), "\t" if options.format == "tsv" else ","))
    else:
        table = audit.audit_table(result, options.width)
        tables.write_noted(table, notes(result, options), options.format, out)


def notes(result: AuditResult, options: argparse.Namespace) -> list[str]:
    """Below a table: what the columns are, what was found and what could not be, and signatures."""
    from tarocco.render.results import audit

    found = audit.sentences(result, options.findings, options.width)
    scaled = [name for name in result if result.score_of(name).metric.scale != 1]
    about = [f"in sentences times 100: {', '.join(scaled)}"] * bool(scaled) + ["segments are counted from 1"]
    return [
        *audit.legend(result),
        "",
        *(found or ["nothing was found"]),
        *audit.not_possible(result),
        *(["; ".join(about)] if found else []),
        "",
        *(result.signature(name) for name in result),
    ]
