"""From the options of `tarocco orange`, or the experiment file among them, to a trial."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from tarocco.cli.inputs import encoding_of, experiment_of, fill_in, named_once
from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.io.nbest.lists import NBestFile
from tarocco.io.test_set import align_column, build_test_set, read_labels, read_references, read_source
from tarocco.meta.orange.cases import Selection
from tarocco.meta.orange.hearing import Lists
from tarocco.meta.orange.orange import METRICS, curve_of, members_of
from tarocco.meta.orange.rules import Panel, Resampling, Rules

if TYPE_CHECKING:
    from tarocco.core.test_set import CandidateScores
    from tarocco.io.experiment import Experiment


class Inputs(NamedTuple):
    """What a trial works on."""

    lists: Lists
    references: TestSet
    panel: Panel
    rules: Rules
    source: Segments | None


def read_trial(options: argparse.Namespace) -> Inputs:
    """Read and check all that is not a stream."""
    from tarocco.metrics.registry import metrics

    experiment = experiment_of([options.nbest])
    asked = bool(options.metrics or (experiment and experiment.metrics))
    fill_in(options, experiment, METRICS, tokenize="none")
    options.confidence = options.confidence or (experiment and experiment.confidence) or 0.95
    encoding_of(options)  # a tokenizer that does not exist is told before anything is read
    paths = options.references or (experiment.references if experiment else ())
    if not paths:
        raise InputError("no reference file was given: name them with -r")
    if [options.nbest, *paths].count("-") > 1:
        raise InputError("standard input can be read once, but - was given twice")
    columns = [column for path in paths for column in read_references(path, options.num_refs)]
    references = build_test_set(columns, [])
    encoding = encoding_of(options, references)
    given = _given(options, experiment)
    # Scores made elsewhere need no second reference: where there is none, they stand trial alone.
    alone = bool(given) and not asked and references.present.sum(axis=0).max(initial=0) < 2
    chosen = [] if alone else metrics(options.metrics)
    source = options.source or (experiment.source if experiment else None)
    path = experiment.nbest if experiment else options.nbest
    if path is None:
        raise InputError(f"{options.nbest} names no n-best lists (nbest = ...)")
    stream = NBestFile(path, len(references), options.first_id, options.num_candidates)
    return Inputs(
        Lists(stream, path, options.first_id, read_labels(options.pool, columns[0]) if options.pool else None),
        references,
        Panel(chosen, given, [members_of(group, given) for group in options.combine or ()]),
        Rules(
            encoding,
            Selection(options.n_best, options.unique, options.drop_copies, curve_of(options.curve)),
            options.against,
            options.oracle,
            options.ties,
            options.short,
            Resampling(options.confidence, options.n_resamples, options.seed),
        ),
        align_column(read_source(source), columns[0]).segments if source else None,
    )


def _given(options: argparse.Namespace, experiment: Experiment | None) -> Sequence[CandidateScores]:
    """Scores of candidates that were made elsewhere; the experiment's are those that are about candidates."""
    from tarocco.io.scores.external import holds_candidate_scores, read_candidate_scores

    files = named_once(options.scores or ())
    for file in experiment.external if experiment else ():
        if file.name not in files and holds_candidate_scores(file.path):
            files[file.name] = file
    return [read_candidate_scores(file) for file in files.values()]
