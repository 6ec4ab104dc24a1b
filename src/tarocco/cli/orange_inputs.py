"""From the options of `tarocco orange`, or the experiment file among them, to what ORANGE evaluates."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple

from tarocco.cli.inputs import encoding_of, experiment_of, fill_in, named_once
from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.io.test_set import align_column, build_test_set, read_labels, read_references, read_source
from tarocco.meta.orange.orange import METRICS
from tarocco.meta.orange.rules import OrangeRules, Scorer, make_scorers

if TYPE_CHECKING:
    from tarocco.core.test_set import CandidateScores
    from tarocco.io.experiment import Experiment

DRAWN = 20  # candidates per list and metric from which cases are drawn, and more if there are few lists


class OrangeInputs(NamedTuple):
    """What `tarocco orange` evaluates."""

    path: str
    references: TestSet
    scorers: list[tuple[Scorer, ...]]
    rules: OrangeRules
    encoding: Encoding
    source: Segments | None


def read_orange_inputs(options: argparse.Namespace) -> OrangeInputs:
    """Read and check everything but the n-best lists."""
    from tarocco.metrics.registry import metrics

    experiment = experiment_of([options.nbest])
    has_metrics = bool(options.metrics or (experiment and experiment.metrics))
    fill_in(options, experiment, METRICS, tokenize="none")
    options.confidence = options.confidence or (experiment and experiment.confidence) or 0.95
    encoding_of(options)  # reports an unknown tokenizer before anything is read
    paths = options.references or (experiment.references if experiment else ())
    if not paths:
        raise InputError("no reference file: name reference files with -r")
    if [options.nbest, *paths].count("-") > 1:
        raise InputError("standard input (-) is named twice, but can be read only once")
    columns = [column for path in paths for column in read_references(path, options.num_refs)]
    references = build_test_set(columns, [])
    encoding = encoding_of(options, references)
    external = _read_external(options, experiment)
    # External scores need no second reference: if there is none, only they are evaluated.
    only_external = bool(external) and not has_metrics and references.present.sum(axis=0).max(initial=0) < 2
    source = options.source or (experiment.source if experiment else None)
    path = experiment.nbest if experiment else options.nbest
    if path is None:
        raise InputError(f"{options.nbest} names no n-best lists (nbest = ...)")
    return OrangeInputs(
        path,
        references,
        make_scorers([] if only_external else metrics(options.metrics), external, options.combine or ()),
        OrangeRules(
            against=options.against,
            oracle=options.oracle,
            ties=options.ties,
            short=options.short,
            n_best=options.n_best,
            unique=options.unique,
            drop_copies=options.drop_copies,
            curve=options.curve,
            pool=read_labels(options.pool, columns[0]) if options.pool else None,
            confusions=options.most if options.errors or options.report else 0,
            sampled=min(options.sample or 0, DRAWN + 4 * (options.sample or 0) // len(references)),
            first_id=options.first_id,
            num_candidates=options.num_candidates,
        ),
        encoding,
        align_column(read_source(source), columns[0]).segments if source else None,
    )


def _read_external(options: argparse.Namespace, experiment: Experiment | None) -> list[CandidateScores]:
    """Read external scores of candidates: those of --scores, and those of the experiment that are about candidates."""
    from tarocco.io.scores.external import holds_candidate_scores, read_candidate_scores

    files = named_once(options.scores or ())
    for file in experiment.external if experiment else ():
        if file.name not in files and holds_candidate_scores(file.path):
            files[file.name] = file
    return [read_candidate_scores(file) for file in files.values()]
