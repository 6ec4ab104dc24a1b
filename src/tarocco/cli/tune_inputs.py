"""From the options of `tarocco tune`, or the experiment file among them, to lists and settings."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from tarocco.cli.inputs import encoding_of, experiment_of, fill_in
from tarocco.core.errors import InputError
from tarocco.core.test_set import TestSet
from tarocco.decode.tuning.pool import Pool
from tarocco.decode.tuning.tune import Settings, read_pool
from tarocco.io.nbest.features import read_weights
from tarocco.io.test_set import build_test_set, read_references
from tarocco.metrics.registry import metrics


class Inputs(NamedTuple):
    """What tuning works on."""

    pool: Pool
    references: TestSet
    settings: Settings


def read_tuning(options: argparse.Namespace) -> Inputs:
    """Read and check everything that options name."""
    experiment = experiment_of(options.nbest)
    if experiment is not None and options.metrics is None:
        options.metrics = ["BLEU-4"]  # an experiment's metrics are those to look at, not to maximize together
    fill_in(options, experiment, tokenize="none")
    options.confidence = options.confidence or (experiment and experiment.confidence) or 0.95
    chosen = tuple(metrics(options.metrics))
    if options.shares and len(options.shares) != len(chosen):
        raise InputError(f"--shares: there are {len(chosen)} metrics, but {len(options.shares)} shares")
    settings = Settings(
        chosen,
        tuple(options.shares or [1.0] * len(chosen)),
        encoding_of(options),
        read_weights(options.weights) if options.weights else None,
        options.weights or "weights",
        tuple(options.fixed or ()),
        options.restarts,
        options.directions,
        options.confidence,
        options.n_resamples,
        options.seed,
    )
    paths = options.references or (experiment.references if experiment else ())
    if not paths:
        raise InputError("no reference file was given: name them with -r")
    lists = options.nbest
    if experiment is not None:
        if experiment.nbest is None:
            raise InputError(f"{options.nbest[0]} names no n-best lists (nbest = ...)")
        lists = [experiment.nbest]
    if [*lists, *paths, options.weights].count("-") > 1:
        raise InputError("standard input can be read once, but - was given twice")
    references = build_test_set([column for path in paths for column in read_references(path, options.num_refs)], [])
    return Inputs(read_pool(lists, len(references), options.first_id), references, settings)
