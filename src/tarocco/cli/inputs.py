"""From options to what a command works on: a test set, metrics, and how text is read.

Files are named on the command line, or once in an experiment file that stands in their place. What the command line
says wins over what the file says.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from tarocco.cli.options import DEFAULTS
from tarocco.cli.running import is_experiment, say
from tarocco.core.errors import InputError

if TYPE_CHECKING:
    from tarocco.core.test_set import Segments, TestSet
    from tarocco.encode.batch import Encoding
    from tarocco.io.experiment import Experiment
    from tarocco.io.scores.external import ExternalFile
    from tarocco.metrics.base import Metric
    from tarocco.metrics.external import External

METRICS = ("BLEU-4",)  # if nobody asks for others


class Inputs(NamedTuple):
    """What most commands work on; scores made elsewhere are the last of the metrics."""

    test_set: TestSet
    metrics: list[Metric]
    encoding: Encoding
    experiment: Experiment | None


def read_inputs(options: argparse.Namespace, default: Sequence[str] = METRICS, *, piped: bool = False) -> Inputs:
    """Read and check everything that options, or the experiment file among them, name; `default` are metrics.

    `piped` is whether a system may come from standard input, where none is named. Settings that only the experiment
    file gives are filled in, so that afterwards the options tell what was used.
    """
    from tarocco.metrics.registry import metrics

    experiment = experiment_of(options.references)
    fill_in(options, experiment, default)
    chosen = metrics(options.metrics)
    encoding_of(options)  # a tokenizer that does not exist is told before anything is read
    test_set = read_texts(options, experiment, piped=piped)
    encoding = encoding_of(options, test_set)
    return Inputs(test_set, [*chosen, *external_of(options, experiment, test_set, chosen)], encoding, experiment)


def encoding_of(options: argparse.Namespace, test_set: TestSet | None = None) -> Encoding:
    """How text is read, and who tells the structure of sentences; parses are about the texts of a test set."""
    from tarocco.annotate.parses import name_texts
    from tarocco.encode.batch import Encoding

    analyzer = None if test_set is None else analyzer_of(options, name_texts(test_set))
    return Encoding(options.tokenize, options.lowercase, analyzer=analyzer)


def analyzer_of(options: argparse.Namespace, texts: Mapping[str, Segments]) -> str | None:
    """The analyzer that was asked for, or one made of files that describe texts; it shows how far it is."""
    from tarocco.annotate.analyzers import set_progress
    from tarocco.render.terminal import progress

    set_progress(None if options.quiet else lambda total: progress("texts", total))
    analyzer: str | None = options.analyzer
    if options.parses:
        from tarocco.annotate.parses import register_parses

        if analyzer:
            raise InputError("either an analyzer tells the structure of sentences (--analyzer) or files do (--parses)")
        analyzer = register_parses(options.parses, texts, partial(_note, options))
    return f"{analyzer or 'spacy'}+iqmt" if options.labels == "iqmt" else analyzer


def experiment_of(files: Sequence[str]) -> Experiment | None:
    """The experiment file that stands in place of other files, if one does."""
    if not any(map(is_experiment, files)):
        return None
    if len(files) > 1:
        raise InputError(f"an experiment file stands alone, but {' and '.join(files)} were given")
    from tarocco.io.experiment import read_experiment
    from tarocco.metrics.registry import named

    return read_experiment(files[0], named)


def fill_in(
    options: argparse.Namespace, experiment: Experiment | None, metrics: Sequence[str] = METRICS, **defaults: object
) -> None:
    """Where the command line says nothing, the experiment's settings or else the defaults, or those given here."""
    # Intervals are for corpus scores; below them only who asks on the command line is told that there are none.
    wanted = getattr(options, "always_intervals", False) or getattr(options, "level", "corpus") == "corpus"
    between = ("confidence",) if wanted else ()
    analyzing = () if options.analyzer or options.parses else ("analyzer", "parses")  # one or the other
    for name in ("metrics", *DEFAULTS, *analyzing, "documents", "groups", "store", *between):
        if getattr(options, name, None) is None:
            said = getattr(experiment, name, None)
            setattr(options, name, (DEFAULTS | defaults).get(name) if said is None else said)
    options.metrics = options.metrics or metrics


def read_texts(options: argparse.Namespace, experiment: Experiment | None, *, piped: bool = False) -> TestSet:
    """References and systems; those that were read with the experiment are not read again."""
    from tarocco.io.test_set import build_test_set, read_references, read_systems, read_test_set

    if experiment is None and not (options.input or piped):
        raise InputError("which systems? Name their files with -i, or all files in an experiment file")
    if experiment is None:
        return read_test_set(options.references, options.input or ["-"], options.documents, options.num_refs)
    references, systems = experiment.reference_columns, experiment.system_columns
    if options.num_refs is not None:
        references = tuple(one for path in experiment.references for one in read_references(path, options.num_refs))
    if options.input:
        systems = tuple(one for path in options.input for one in read_systems(path))
    if not systems:
        raise InputError(f"{experiment.path} names no systems: give them with -i")
    return build_test_set(references, systems, options.documents)


def external_of(
    options: argparse.Namespace, experiment: Experiment | None, test_set: TestSet, computed: Sequence[Metric]
) -> list[External]:
    """Scores made elsewhere: those of --scores, and of the experiment as far as they are about these systems."""
    from tarocco.metrics.external import external_metrics

    given = named_once(options.scores or ())
    found: list[External] = []
    for file in experiment.external if experiment else ():
        if file.name not in given and _is_of_use(file, options):
            try:
                read = experiment.external_scores.get(file.name) if experiment and not options.input else None
                found += external_metrics({file.name: read or file}, test_set, [*computed, *found])
            except InputError as error:
                if not options.input:  # with other systems than the experiment's, its scores may not be about them
                    raise
                _note(options, f"{file.name} is left out: {error}")
    return found + external_metrics(given, test_set, [*computed, *found])


def named_once(texts: Sequence[str]) -> dict[str, ExternalFile]:
    if not texts:
        return {}
    from tarocco.io.scores.external import parse_external_file

    files = [parse_external_file(text) for text in texts]
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--scores: {name} was given twice")
    return dict(zip(names, files, strict=True))


def _is_of_use(file: ExternalFile, options: argparse.Namespace) -> bool:
    from tarocco.io.scores.external import holds_candidate_scores

    if holds_candidate_scores(file.path):
        _note(options, f"{file.name} is left out: {file.path} has scores of candidates in n-best lists, not of systems")
        return False
    return True


def _note(options: argparse.Namespace, sentence: str) -> None:
    if not options.quiet:
        say(f"note: {sentence}")
