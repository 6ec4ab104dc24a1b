"""Score the bundled test set: six systems, sixty segments, four references."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING

from tarocco.cli.options import DEFAULTS, add_output_options, add_resampling_options, add_store_option, store_of

if TYPE_CHECKING:
    from tarocco.results import Result

EXAMPLES = """examples:
  tarocco demo
  tarocco demo --level document -f md
"""

METRICS = ("BLEU-4", "NIST-5", "TER", "chrF")


def configure(parser: argparse.ArgumentParser) -> None:
    add_resampling_options(parser)
    add_output_options(parser)
    add_store_option(parser)
    parser.set_defaults(**DEFAULTS, confidence=0.95)


def opinions(result: Result) -> str:
    """Which system each metric likes least."""
    worst: dict[str, tuple[str, float]] = {}
    for score in result.scores:
        quality = score.metric.sign * score.score
        if quality < worst.get(str(score.metric), ("", math.inf))[1]:
            worst[str(score.metric)] = score.system, quality
    return ", ".join(f"{system} ({metric})" for metric, (system, _) in worst.items())


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.score import write
    from tarocco.datasets import load
    from tarocco.scoring import score

    data = load("demo")
    options.confidence = options.confidence if options.level == "corpus" else None
    result = score(
        data.systems,
        data.references,
        metrics=METRICS,
        documents=data.documents,
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
        store=store_of(options),
    )
    words = options.format == "table" and not options.score_only and not options.quiet
    if words:
        sys.stdout.write(
            f"{len(data.systems)} made-up systems, {len(data.references)} segments, "
            f"{len(data.references[0])} references.\n"
            '"careful" translates well and "middling" with mistakes, "mirror" keeps the order of the German source,\n'
            '"literal" goes word for word, "brief" leaves things out, "verbose" pads.\n\n'
        )
    write(result, options, "demo")
    if words:
        sys.stdout.write(
            f"\nWho is worst? {opinions(result)}. Your own files:\n"
            "  tarocco score REF [REF ...] -i SYS [SYS ...] -m BLEU-4 NIST-5 --confidence\n"
        )
