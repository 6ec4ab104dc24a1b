"""What `queen`, `king` and `jack` have in common: options, and similarities of everything to everything."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tarocco.cli.options import (
    add_cluster_option,
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
from tarocco.cli.reporting import report_if_asked

if TYPE_CHECKING:
    from tarocco.cli.inputs import Inputs
    from tarocco.meta.qarla.qarla import QarlaOptions
    from tarocco.meta.qarla.similarities import Similarities
    from tarocco.scoring.results import Result
    from tarocco.scoring.settings import Resampling

METRICS = "BLEU-4 NIST-5 GTM-2 ROUGE-L METEOR-exact 1-WER"


def configure_qarla(parser: argparse.ArgumentParser, levels: dict[str, str], sets: str | None = None) -> None:
    """All options. `levels` are what --level may be and means, the default first; `sets`, what is judged without."""
    add_test_set_arguments(parser, METRICS)
    add_scores_option(parser)
    group = parser.add_argument_group("judging")
    if sets is not None:
        group.add_argument(
            "--set",
            nargs="+",
            action="append",
            metavar="METRIC",
            help=f"a set of metrics, in place of -m; may be given several times (default: {sets})",
        )
        group.add_argument("--by-reference", action="store_true", help="a row a reference")
    group.add_argument(
        "--segments", type=segment_numbers, metavar="1-3,10", help="the segments that take part (default: all)"
    )
    group.add_argument(
        "--trans-topic",
        action="store_true",
        help="take pairs of references from all segments, and not from a translation's own",
    )
    group.add_argument(
        "--pairs",
        type=whole_number(1),
        default=1024,
        metavar="N",
        help="how many of these are drawn for several metrics; a single one takes all (default: 1024)",
    )
    if levels:
        told = "; ".join(f"{name}: {meaning}" for name, meaning in levels.items())
        first = next(iter(levels))
        group.add_argument("--level", choices=tuple(levels), default=first, help=f"{told} (default: {first})")
    add_resampling_options(parser, always=True)
    add_text_options(parser, documents=False)
    add_format_options(parser)
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def segment_numbers(text: str) -> list[int]:
    """`1-3,10,50-100`: segments counted from 1, as numbers from 0."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*([1-9]\d*)(?:\s*-\s*([1-9]\d*))?\s*", part)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if last < first:
            raise argparse.ArgumentTypeError(f"segments are written 1-3,10,50-100, counted from 1, not {text}")
        if last > 10**9:
            raise argparse.ArgumentTypeError(f"there is no segment {last}")
        found += range(first - 1, last)
    return found


class Judged(NamedTuple):
    """What is judged: similarities and their origin, sets of metrics by numbers, scores where wanted, and how."""

    near: Similarities
    inputs: Inputs
    sets: list[list[int]] | None
    scores: Result | None
    settings: QarlaOptions
    resampling: Resampling


def read_and_compare(options: argparse.Namespace, name: str, *, scored: bool = False) -> Judged:
    """Read what the options name and compute all similarities, with a progress bar; `scored` asks for scores, too."""
    from tarocco.cli.inputs import read_inputs
    from tarocco.meta.qarla.qarla import QarlaOptions, check_test_set, list_members, number_sets
    from tarocco.meta.qarla.similarities import compute_similarities, count_similarities
    from tarocco.metrics.external import External
    from tarocco.render.terminal import progress
    from tarocco.scoring.score import score_test_set
    from tarocco.scoring.settings import Resampling, Workers

    sets = getattr(options, "set", None)
    if sets:
        options.metrics = list(map(str, list_members(sets))) or None
    inputs = read_inputs(options, METRICS.split())
    test_set, chosen, encoding, _ = inputs
    settings = QarlaOptions(options.trans_topic, options.pairs, options.segments)
    resampling = Resampling(options.n_resamples, options.confidence or 0.95, options.seed)
    check_test_set(test_set, name, settings.segments)
    chosen, members = number_sets(sets, chosen)
    work = count_similarities(test_set, chosen, name == "JACK")
    if scored:
        work += len(test_set) * len(test_set.systems) * sum(not isinstance(metric, External) for metric in chosen)
    with progress("similarities", work, shown=not options.quiet) as advance:
        how: dict[str, Any] = {
            "jobs": options.jobs,
            "advance": advance,
            "store": store_of(options),
            "executor": options.executor,
        }
        near = compute_similarities(
            test_set,
            chosen,
            encoding,
            between_systems=name == "JACK",
            workers=Workers(options.jobs, store_of(options), options.executor, advance),
        )
        scores = score_test_set(test_set, chosen, encoding, **how) if scored else None
    return Judged(near, inputs._replace(metrics=list(chosen)), members, scores, settings, resampling)


def report_judged(options: argparse.Namespace, result: Any, judged: Judged) -> None:
    """The page of a result, if one is asked for."""
    results = [result] if judged.scores is None else [result, judged.scores]
    report_if_asked(options, results, **judged.inputs._asdict())
