"""Scores of systems as the options ask for them, with a bar on the terminal."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tarocco.cli.options import store_of
from tarocco.metrics.external import External
from tarocco.render.terminal import progress
from tarocco.scoring.score import score_test_set

if TYPE_CHECKING:
    from tarocco.core.test_set import TestSet
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.base import Metric
    from tarocco.scoring.results import Result


def scored(
    options: argparse.Namespace, test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding, **more: Any
) -> Result:
    """What `score_test_set` gives; `more` is for it alone."""
    computed = sum(not isinstance(metric, External) for metric in metrics)
    with progress("scores", len(test_set) * len(test_set.systems) * computed, shown=not options.quiet) as advance:
        return score_test_set(
            test_set,
            metrics,
            encoding,
            jobs=options.jobs,
            advance=advance,
            store=store_of(options),
            executor=options.executor,
            **more,
        )
