"""From the options of `tarocco tune`, or the experiment file among them, to lists and settings."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from tarocco.cli.inputs import encoding_of, experiment_of, fill_in
from tarocco.core.errors import InputError
from tarocco.core.test_set import TestSet
from tarocco.decode.tuning.pool import CandidatePool, read_pool
from tarocco.decode.tuning.tune import TuneOptions
from tarocco.encode.batch import Encoding
from tarocco.io.nbest.features import read_weights
from tarocco.io.test_set import build_test_set, read_references
from tarocco.metrics.base import Metric
from tarocco.metrics.registry import metrics
from tarocco.scoring.settings import Resampling


class Inputs(NamedTuple):
    """What tuning works on."""

    pool: CandidatePool
    references: TestSet
    metrics: list[Metric]
    encoding: Encoding
    options: TuneOptions
    resampling: Resampling


def read_tuning(options: argparse.Namespace) -> Inputs:
    """Read and check everything that options name."""
    experiment = experiment_of(options.nbest)
    if experiment is not None and options.metrics is None:
        options.metrics = ["BLEU-4"]  # an experiment's metrics are those to look at, not to maximize together
    fill_in(options, experiment, tokenize="none")
    options.confidence = options.confidence or (experiment and experiment.confidence) or 0.95
    chosen = metrics(options.metrics)
    if options.shares and len(options.shares) != len(chosen):
        raise InputError(f"--shares: there are {len(chosen)} metrics, but {len(options.shares)} shares")
    encoding = encoding_of(options)
    settings = TuneOptions(
        shares=options.shares or None,
        weights=read_weights(options.weights) if options.weights else None,
        fixed=tuple(options.fixed or ()),
        restarts=options.restarts,
        directions=options.directions,
    )
    resampling = Resampling(options.n_resamples, options.confidence, options.seed)
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
    pool = read_pool(lists, len(references), options.first_id)
    return Inputs(pool, references, chosen, encoding, settings, resampling)
