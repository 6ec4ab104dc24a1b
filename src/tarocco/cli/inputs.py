"""From options to what a command works on: a test set, metrics, settings.

Files are named on the command line, or once in an experiment file, which is then the only positional argument. What an
experiment file means is decided in `trials.inputs`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tarocco.cli.command import is_experiment, say
from tarocco.cli.options import store_of
from tarocco.core.errors import InputError

if TYPE_CHECKING:
    from tarocco.core.test_set import HumanScores, Segments, TestSet
    from tarocco.encode.batch import Encoding
    from tarocco.io.experiment import Experiment
    from tarocco.io.scores.external import ExternalFile
    from tarocco.io.test_set import TextColumn
    from tarocco.metrics.base import Metric
    from tarocco.metrics.external import External
    from tarocco.scoring.results import Result
    from tarocco.scoring.settings import Resampling, Workers
    from tarocco.trials.inputs import ScoringInputs

METRICS = ("BLEU-4",)  # the default


def read_inputs(
    options: argparse.Namespace, default: Sequence[str] = METRICS, *, piped: bool = False, lists: bool = False
) -> ScoringInputs:
    """Read and check all files that the options name. `default` are metrics.

    With `piped`, a system is read from standard input where none is named. With `lists`, the command also uses external
    scores of n-best candidates. Settings of the experiment file are filled into the options.
    """
    from tarocco.metrics.registry import metrics
    from tarocco.trials.inputs import ScoringInputs

    experiment = experiment_of(options.references)
    fill_in(options, experiment, default)
    chosen = metrics(options.metrics)
    encoding_of(options)  # an unknown tokenizer is an error before any text is read
    test_set = read_texts(options, experiment, piped=piped)
    encoding = encoding_of(options, test_set, chosen)
    external = external_of(options, experiment, test_set, chosen, lists)
    return ScoringInputs(test_set, [*chosen, *external], encoding, experiment)


def experiment_of(files: Sequence[str]) -> Experiment | None:
    """Return the experiment file among the positional arguments, read and checked."""
    if not any(map(is_experiment, files)):
        return None
    if len(files) > 1:
        raise InputError(f"expected one experiment file alone, found {' and '.join(files)}")
    from tarocco.trials.inputs import open_experiment

    return open_experiment(files[0])


def fill_in(
    options: argparse.Namespace, experiment: Experiment | None, metrics: Sequence[str] = METRICS, **defaults: Any
) -> None:
    """Set the options that the command line leaves open: to the experiment's settings, or to the defaults."""
    from tarocco.trials.inputs import SETTINGS, combine_settings

    defaults = {**SETTINGS, "metrics": metrics, **defaults}
    for name in ("nbest", "source"):  # for most commands these are arguments of their own
        del defaults[name]
    if experiment is None:
        settings = {name: value for name, value in defaults.items() if getattr(options, name, None) is None}
    else:
        settings = combine_settings(vars(options), experiment, defaults)
        # Only corpus scores have intervals: below that level an experiment's confidence asks for nothing.
        if not (getattr(options, "always_intervals", False) or getattr(options, "level", "corpus") == "corpus"):
            settings["confidence"] = getattr(options, "confidence", None)
    vars(options).update(settings)


def read_texts(options: argparse.Namespace, experiment: Experiment | None, *, piped: bool = False) -> TestSet:
    """Return references and systems."""
    from tarocco.io.test_set import read_test_set
    from tarocco.trials import inputs

    if experiment is not None:
        return inputs.read_texts(experiment, options.documents, options.input or (), options.num_refs)
    if not (options.input or piped):
        raise InputError("which systems? Name their files with -i, or all files in an experiment file")
    return read_test_set(options.references, options.input or ["-"], options.documents, options.num_refs)


def read_references(options: argparse.Namespace, experiment: Experiment | None = None) -> tuple[TestSet, TextColumn]:
    """Return the references of -r, or else of the experiment, as a test set without systems, and the first column."""
    from tarocco.io.test_set import build_test_set, read_references

    paths = options.references or (experiment.references if experiment else ())
    if not paths:
        raise InputError("no reference file: name them with -r")
    columns = [column for path in paths for column in read_references(path, options.num_refs)]
    return build_test_set(columns, []), columns[0]


def read_once(*files: str | None) -> None:
    """Refuse files among which standard input occurs twice."""
    if files.count("-") > 1:
        raise InputError("standard input can be read once, but - was given twice")


def encoding_of(
    options: argparse.Namespace, test_set: TestSet | None = None, metrics: Sequence[Metric] | None = None
) -> Encoding:
    """Return how text is read; with a test set, also the analyzer of its texts.

    If the metrics are known and none of them needs an analyzer, there is one only if the options name it.
    """
    from dataclasses import replace

    from tarocco.core.test_set import name_texts
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.batches import find_analyzer

    encoding = Encoding(options.tokenize, options.lowercase)
    if test_set is None:
        return encoding
    named = options.analyzer or options.parses or options.labels != "own"
    if metrics is not None and not named and find_analyzer(metrics, encoding) is None:
        return encoding
    return replace(encoding, analyzer=analyzer_of(options, name_texts(test_set)))


def analyzer_of(options: argparse.Namespace, texts: Mapping[str, Segments]) -> str | None:
    """Return the analyzer of --analyzer or --parses, which shows its progress."""
    from tarocco.annotate.analyzers import set_progress
    from tarocco.cli.terminal import progress
    from tarocco.trials.inputs import choose_analyzer

    set_progress(None if options.quiet else lambda total: progress("texts", total))
    return choose_analyzer(vars(options), texts, partial(note, options))


def external_of(
    options: argparse.Namespace,
    experiment: Experiment | None,
    test_set: TestSet,
    computed: Sequence[Metric],
    lists: bool,
) -> list[External]:
    """Return the external scores of --scores and of the experiment, as metrics."""
    scores = named_once(options.scores or ())
    if experiment is None and not scores:
        return []
    from tarocco.io.scores.external import holds_candidate_scores
    from tarocco.trials.inputs import read_external_metrics

    for file in experiment.external if experiment and not lists else ():
        if file.name not in scores and holds_candidate_scores(file.path):
            note(options, f"{file.name} is left out: {file.path} scores candidates in n-best lists, not systems")
    tell = partial(note, options)
    return read_external_metrics(experiment, scores, test_set, computed, tell, other_systems=bool(options.input))


def named_once(texts: Sequence[str]) -> dict[str, ExternalFile]:
    """Return the files of --scores by their names."""
    if not texts:
        return {}
    from tarocco.io.scores.external import parse_external_file

    files = [parse_external_file(text) for text in texts]
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--scores: {name} was given twice")
    return dict(zip(names, files, strict=True))


def read_human_scores(options: argparse.Namespace, test_set: TestSet, experiment: Experiment | None) -> HumanScores:
    """Return the human scores of --human, or of the experiment, for the systems of the run."""
    from dataclasses import replace

    from tarocco.io.scores.external import split_file_and_column
    from tarocco.io.scores.human import HumanFile
    from tarocco.meta.correlation.score_sources import require_judged_systems

    file = HumanFile(*split_file_and_column(options.human)) if options.human else experiment and experiment.human
    if not file:
        raise InputError("no human scores: give --human FILE, or name them in an experiment file")
    changes = {
        "judges": options.judges,
        "grades": options.grades and options.grades.replace(",", " ").replace(">", " "),
        "as_rankings": options.as_rankings or None,
        "mqm": options.mqm,
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    systems = list(test_set.systems)
    already = experiment.human_scores if experiment and not (options.human or options.input or changes) else None
    human = already or replace(file, **changes).read(systems, len(test_set))
    return require_judged_systems(human, systems, file.path)


def score_inputs(
    options: argparse.Namespace,
    test_set: TestSet,
    metrics: Sequence[Metric],
    encoding: Encoding,
    resampling: Resampling | None = None,
) -> Result:
    """Return the scores of all systems, with a progress bar; `resampling` adds bootstrap intervals."""
    from tarocco.cli.terminal import progress
    from tarocco.metrics.external import External
    from tarocco.scoring.score import score_test_set

    computed = sum(not isinstance(metric, External) for metric in metrics)
    with progress("scores", len(test_set) * len(test_set.systems) * computed, shown=not options.quiet) as advance:
        workers = workers_of(options, advance)
        return score_test_set(test_set, metrics, encoding, resampling=resampling, workers=workers)


def workers_of(options: argparse.Namespace, advance: Callable[..., object] | None = None) -> Workers:
    """Return threads, store, cluster and progress."""
    from tarocco.scoring.settings import Workers

    return Workers(options.jobs, store_of(options), options.executor, advance)


def resampling_of(options: argparse.Namespace) -> Resampling:
    """Return how resamples are drawn."""
    from tarocco.scoring.settings import Resampling

    return Resampling(options.n_resamples, options.confidence or 0.95, options.seed)


def note(options: argparse.Namespace, sentence: str) -> None:
    """Print a note to standard error, unless --quiet."""
    if not getattr(options, "quiet", False):
        say(f"note: {sentence}")
