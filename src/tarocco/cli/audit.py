"""Find out whether metrics can be gamed on this data.

Five checks look for what no metric should reward: sign tests that contradict themselves, outputs that win every part
but lose on the whole, empty segments, a long part that pays for a short one, and straw men that beat the outputs they
were made of. A finding counts if it is significantly larger than a stated size. Labels of segments, such as genres,
come from --groups, or are those of the documents. The most gameable metrics come first.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tarocco.cli.command import Command
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
from tarocco.cli.output import write, write_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tarocco.core.test_set import TestSet

EXAMPLES = """examples:
  tarocco audit ref.txt -i sysA.txt sysB.txt
  tarocco audit ref1 ref2 -i sysA sysB -m BLEU-4 BLEU-SBP chrF --groups documents.txt
  tarocco audit experiment.toml --findings
"""


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, "BLEU-4 BLEU-SBP GRR-4 METEOR-exact GTM-1 WER")
    add_scores_option(parser)
    group = parser.add_argument_group("audit")
    group.add_argument(
        "--groups", metavar="FILE", help="one label per segment, such as its genre, for the check of mixing"
    )
    group.add_argument("--alpha", type=share, default=0.05, metavar="0.05", help="significance level (default: 0.05)")
    group.add_argument(
        "--share", type=share, default=0.1, metavar="0.1", help="share of the segments to blank (default: 0.1)"
    )
    group.add_argument(
        "--least",
        type=share,
        default=0.005,
        metavar="0.005",
        help="least gain that counts for mixing, trading and straw men, as a share of the distance between the scores "
        "of an empty output and of a reference (default: 0.005)",
    )
    group.add_argument(
        "--n-draws",
        type=whole_number(1),
        default=100,
        metavar="N",
        help="random blankings that show what deletion does (default: 100)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="seed for the draws (default: 12345)")
    group.add_argument(
        "--findings",
        action="store_true",
        help="print all findings with all their segments, also those that do not count",
    )
    add_text_options(parser)
    add_output_options(parser, levels=("corpus",))
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.inputs import read_inputs
    from tarocco.cli.terminal import progress
    from tarocco.core.errors import InputError
    from tarocco.meta.audit.audit import METRICS, audit_test_set
    from tarocco.meta.audit.evidence import AuditSettings
    from tarocco.metrics.external import External
    from tarocco.render.results.audit import present_audit
    from tarocco.scoring.settings import Workers

    inputs = read_inputs(options, METRICS)
    test_set, chosen, encoding, _ = inputs
    if options.parses and any(metric.reads(encoding).analyzer for metric in chosen):
        raise InputError(
            "an audit changes the outputs, and no file describes the new texts: use an analyzer (--analyzer) "
            "instead of --parses"
        )
    settings = AuditSettings(options.alpha, options.share, options.least, n_draws=options.n_draws, seed=options.seed)
    computed = sum(not isinstance(metric, External) for metric in chosen)
    outputs = 3 * len(test_set.systems) + 2  # each with two straw men, the empty one, and a reference
    with progress("scores", len(test_set) * outputs * computed, shown=not options.quiet) as advance:
        workers = Workers(options.jobs, store_of(options), options.executor, advance)
        groups = _groups(options, test_set)
        result = audit_test_set(test_set, chosen, encoding, settings=settings, workers=workers, groups=groups)
    write(present_audit(result, options.width, options.findings), options)
    write_page(options, [result], inputs)


def _groups(options: argparse.Namespace, test_set: TestSet) -> Sequence[str] | None:
    """Return the labels of --groups or of the experiment, or those of the documents, if any."""
    from tarocco.io.test_set import TextColumn, read_labels

    if options.groups is None:
        return test_set.documents
    return read_labels(options.groups, TextColumn("references", options.references[0], test_set.references[0]))


AUDIT = Command(__doc__, EXAMPLES, configure, run)
