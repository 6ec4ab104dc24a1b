"""From the options of `tarocco oracle`, or the experiment file among them, to what is searched."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from tarocco.cli.inputs import encoding_of, experiment_of, fill_in
from tarocco.core.errors import InputError
from tarocco.decode.oracle.oracle import METRIC, OracleOptions, SearchInput, open_search_input
from tarocco.io.graphs.formats import read_feature_weights
from tarocco.io.test_set import align_column, build_test_set, read_references, read_systems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tarocco.core.test_set import Segments, TestSet
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.base import Metric


class Inputs(NamedTuple):
    """What is searched, under which metric, and what oracles are compared with; `inside` is what sources consist of."""

    sources: SearchInput
    references: TestSet
    metric: Metric
    also: Sequence[Metric]
    encoding: Encoding
    best: Segments | None
    inside: str
    options: OracleOptions


def read_oracle_inputs(options: argparse.Namespace) -> Inputs:
    """Read and check all that is not a stream."""
    from dataclasses import replace

    from tarocco.metrics.registry import metrics

    experiment = experiment_of([options.file])
    fill_in(options, experiment, tokenize="none")
    encoding = encoding_of(options)
    (metric,), also = metrics([options.metric or METRIC]), metrics(options.also)
    paths = options.references or (experiment.references if experiment else ())
    if not paths:
        raise InputError("no reference file was given: name them with -r")
    path = experiment.nbest if experiment else options.file
    if path is None:
        raise InputError(f"{options.file} names no n-best lists (nbest = ...)")
    if [path, *paths, options.best].count("-") > 1:
        raise InputError("standard input can be read once, but - was given twice")
    columns = [column for one in paths for column in read_references(one, options.num_refs)]
    references = build_test_set(columns, [])
    best = None
    if options.best:
        texts = read_systems(options.best)
        if len(texts) != 1:
            raise InputError(f"{options.best}: one text is wanted to compare with, found {len(texts)}")
        best = align_column(texts[0], columns[0]).segments
    weights = read_feature_weights(options.weights) if options.weights else None
    search = OracleOptions(
        k=options.k_best,
        beam=options.beam,
        format=options.form,
        symbols=options.symbols,
        first_id=options.first_id,
        num_candidates=options.num_candidates,
    )
    sources = open_search_input(path, search, len(references))
    if sources.lists is not None:
        for name in ("weights", "without", "symbols"):
            if getattr(options, name):
                raise InputError(f"--{name} is for lattices and forests, and {path} has n-best lists")
    return Inputs(
        replace(sources, weights=weights, without=tuple(options.without)),
        references,
        metric,
        also,
        encoding,
        best,
        "arcs" if sources.lists is None else "candidates",
        search,
    )
