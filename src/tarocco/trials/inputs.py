"""What a run works on: texts, metrics and settings, from an experiment file and from what the caller says.

Every command, `tarocco trial` and `tarocco.trial` read experiment files through this module, so that a file means the
same everywhere. A setting is the caller's, else the file's, else the default.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tarocco.core.errors import BadParameter, InputError
from tarocco.encode.batch import Encoding
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External, ExternalSource, external_metrics, is_system_level
from tarocco.metrics.registry import metrics as find_metrics

if TYPE_CHECKING:
    from tarocco.core.test_set import Candidates, CandidateScores, HumanScores, References, Segments, TestSet
    from tarocco.io.experiment import Experiment
    from tarocco.io.test_set import TextColumn
    from tarocco.meta.orange.orange import NBest

# Twelve metrics that compare words or characters, need no language resources, and are fast on the texts of audits.
METRICS = (
    *("BLEU-4", "BLEU-SBP", "NIST-5", "WER", "PER", "TER", "GRR-4", "GTM-2"),
    *("ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF"),
)

# The settings that an experiment file and a caller can both make, with their defaults.
SETTINGS: Mapping[str, Any] = {
    **dict.fromkeys(("metrics", "analyzer", "parses", "documents", "groups", "source", "nbest", "store")),
    "labels": "own",
    "tokenize": "13a",
    "lowercase": False,
    "confidence": None,
    "n_resamples": 1000,
    "seed": 12345,
}

Note = Callable[[str], None]  # receives a sentence for the user


# --- experiment files ------------------------------------------------------------------------------------------------


def open_experiment(path: str | os.PathLike[str]) -> Experiment:
    """Read and check an experiment file, its metrics included."""
    from tarocco.io.experiment import read_experiment
    from tarocco.metrics.registry import named

    return read_experiment(os.fspath(path), named)


def combine_settings(
    requested: Mapping[str, Any], experiment: Experiment | None, defaults: Mapping[str, Any] = SETTINGS
) -> dict[str, Any]:
    """Return each setting of `defaults`: what the caller requests, else what the file says, else the default.

    None in `requested` means that the caller says nothing. A caller who names an analyzer or parses overrides both keys
    of the file, because only one of them can describe the texts.
    """
    settings = {}
    described = any(requested.get(name) for name in ("analyzer", "parses"))
    for name, default in defaults.items():
        value = requested.get(name)
        if value is None and not (described and name in ("analyzer", "parses")):
            value = getattr(experiment, name, None)
            value = None if value == () else value
        settings[name] = default if value is None else value
    return settings


class ScoringInputs(NamedTuple):
    """Texts, metrics and the reading of text. Metrics with external scores come last."""

    test_set: TestSet
    metrics: list[Metric]
    encoding: Encoding
    experiment: Experiment | None


def read_texts(
    experiment: Experiment, documents: str | None, systems: Sequence[str] = (), num_refs: int | None = None
) -> TestSet:
    """Return the texts of an experiment, or with `systems`, which are files, those instead of the experiment's.

    Columns that were read with the experiment are not read again.
    """
    from tarocco.io.test_set import build_test_set, read_references, read_systems

    references, outputs = experiment.reference_columns, experiment.system_columns
    if num_refs is not None:
        references = tuple(column for path in experiment.references for column in read_references(path, num_refs))
    if systems:
        outputs = tuple(column for path in systems for column in read_systems(path))
    if not outputs:
        raise InputError(f"{experiment.path} names no systems: add systems = [...] or use -i")
    return build_test_set(references, outputs, documents)


def choose_analyzer(settings: Mapping[str, Any], texts: Mapping[str, Segments], note: Note) -> str | None:
    """Return the name of the analyzer that the settings ask for; parses become an analyzer of these texts."""
    from tarocco.annotate.analyzers import register_analyzer

    analyzer = register_analyzer(settings["analyzer"])
    if settings["parses"]:
        from tarocco.annotate.parses import register_parses

        if analyzer:
            raise InputError("--analyzer and --parses exclude each other: both describe the structure of sentences")
        analyzer = register_parses(settings["parses"], texts, note)
    if settings["labels"] == "iqmt" and not (analyzer or "").endswith("+iqmt"):
        analyzer = f"{analyzer or 'spacy'}+iqmt"
    return analyzer


def read_external_metrics(
    experiment: Experiment | None,
    given: Mapping[str, ExternalSource],
    test_set: TestSet,
    computed: Sequence[Metric],
    note: Note,
    *,
    other_systems: bool = False,
) -> list[External]:
    """Return metrics with external scores: the experiment's, then those in `given`, which win over the same names.

    With `other_systems`, the systems are not the experiment's, so its scores are left out, with a note, where they do
    not cover them. Files with scores of n-best candidates are for `read_candidate_scores`.
    """
    from tarocco.io.scores.external import holds_candidate_scores

    external: list[External] = []
    for file in experiment.external if experiment else ():
        if file.name in given or holds_candidate_scores(file.path):
            continue
        scores: ExternalSource = file
        if experiment is not None and not other_systems:
            scores = experiment.external_scores.get(file.name, file)
        try:
            external += external_metrics({file.name: scores}, test_set, [*computed, *external])
        except InputError as error:
            if not other_systems:
                raise
            note(f"{file.name} is left out: {error}")
    return external + external_metrics(given, test_set, [*computed, *external])


def read_candidate_scores(
    experiment: Experiment | None, given: Mapping[str, Any] | None = None
) -> tuple[CandidateScores, ...]:
    """Return external scores of the candidates in n-best lists: those in `given`, then the experiment's."""
    from tarocco.io.scores import external

    files = dict(given or {})
    for file in experiment.external if experiment else ():
        if external.holds_candidate_scores(file.path):
            files.setdefault(file.name, file)
    return tuple(external.read_candidate_scores(file) for file in files.values())


# --- trials ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Material:
    """What a trial works on: texts and metrics, and n-best lists, human scores, labels and a source where there are."""

    name: str
    test_set: TestSet
    metrics: tuple[Metric, ...]  # metrics with external scores come last
    encoding: Encoding
    list_encoding: Encoding  # n-best lists are usually tokenized already
    nbest: NBest | None = None
    first_id: int = 0  # of n-best lists
    candidate_scores: tuple[CandidateScores, ...] = ()  # external scores of candidates in the lists
    human: HumanScores | None = None
    labels: tuple[str, ...] | None = None  # of segments, such as their genres
    source: Segments | None = None
    caveats: tuple[str, ...] = ()  # what the experiment file says of its data
    parsed: bool = False  # parse files describe these texts, and no others

    def __post_init__(self) -> None:
        n = len(self.test_set)
        if self.labels is not None and len(self.labels) != n:
            raise InputError(f"expected one group label per segment, found {len(self.labels)} for {n} segments")
        if self.source is not None and len(self.source) != n:
            raise InputError(f"the references have {n} segments, but the source has {len(self.source)}")
        if not self.metrics:
            raise InputError("expected at least one metric, found none")

    @property
    def most_references(self) -> int:
        """The largest number of references that a segment has."""
        return int(self.test_set.present.sum(axis=0).max(initial=0))

    @property
    def segment_metrics(self) -> list[Metric]:
        """The metrics that score segments."""
        return [metric for metric in self.metrics if not is_system_level(metric)]

    @property
    def computed_metrics(self) -> list[Metric]:
        """The metrics that can score any text."""
        return [metric for metric in self.metrics if not isinstance(metric, External)]

    @property
    def audit_metrics(self) -> list[Metric]:
        """The metrics that can score the texts that an audit makes, which no parse file describes."""
        return [
            metric for metric in self.computed_metrics if not (self.parsed and metric.reads(self.encoding).analyzer)
        ]

    @property
    def pairwise_metrics(self) -> list[Metric]:
        """The metrics that can compare any two of the texts."""
        return [metric for metric in self.metrics if not isinstance(metric, External) or metric.scores.pairs]


def material_of_texts(
    systems: Candidates,
    references: References,
    name: str,
    documents: Iterable[str] | None,
    requested: Mapping[str, Any],
) -> Material:
    """Return the material of a caller of the Python interface, who passes texts."""
    from tarocco.core.test_set import make_test_set

    if not isinstance(systems, Mapping):
        raise InputError("systems is a mapping from names to segments, or the name of an experiment file")
    test_set = make_test_set(systems, references, documents)
    return _material(name, test_set, None, requested, combine_settings(requested, None), METRICS)


def material_of_experiment(
    experiment: Experiment, requested: Mapping[str, Any], default: Sequence[str] = METRICS
) -> Material:
    """Return the material of an experiment; what the caller requests wins over what the file says.

    `requested` has the keys of SETTINGS, `human` and `external`, each of them None or absent where the caller says
    nothing.
    """
    settings = combine_settings(requested, experiment)
    test_set = read_texts(experiment, settings["documents"])
    return _material(experiment.name, test_set, experiment, requested, settings, default)


def _material(
    name: str,
    test_set: TestSet,
    experiment: Experiment | None,
    requested: Mapping[str, Any],
    settings: Mapping[str, Any],
    default: Sequence[str],
) -> Material:
    from tarocco.core.test_set import name_texts
    from tarocco.meta.correlation.score_sources import make_human_scores, require_judged_systems

    chosen = _chosen(default if settings["metrics"] is None else settings["metrics"])
    external = read_external_metrics(experiment, requested.get("external") or {}, test_set, chosen, warnings.warn)
    analyzer = choose_analyzer(settings, name_texts(test_set), warnings.warn)
    human, systems = requested.get("human"), list(test_set.systems)
    if human is not None:
        human = make_human_scores(human, systems, len(test_set))
    elif experiment is not None and experiment.human is not None and experiment.human_scores is not None:
        human = require_judged_systems(experiment.human_scores, systems, experiment.human.path)
    inputs = ScoringInputs(
        test_set,
        [*chosen, *external],
        Encoding(settings["tokenize"], bool(settings["lowercase"]), analyzer=analyzer),
        experiment,
    )
    first = experiment.reference_columns[0] if experiment else None
    return assemble_material(name, inputs, settings, requested.get("tokenize"), first, human=human)


def assemble_material(
    name: str,
    inputs: ScoringInputs,
    settings: Mapping[str, Any],
    tokenize: str | None,
    first: TextColumn | None,
    **parts: Any,
) -> Material:
    """Return material from inputs and settings, whose groups and source are files, or lists of strings.

    `tokenize` is the tokenizer that the caller requests, `first` the column of the first reference, and `parts` are
    further fields of `Material`.
    """
    from tarocco.core.test_set import as_list, pack_strings
    from tarocco.io.test_set import align_column, read_labels, read_source

    test_set, chosen, encoding, experiment = inputs
    labels, source, nbest = settings["groups"], settings["source"], settings["nbest"]
    if labels is None:
        labels = test_set.documents
    elif isinstance(labels, str) and first is not None:
        labels = read_labels(labels, first)
    if isinstance(source, str) and first is not None:
        source = align_column(read_source(source), first).segments
    elif source is not None:
        source = pack_strings(source, "source")
    on_lists = tokenize or (experiment.tokenize if experiment else None) or "none"
    return Material(
        name,
        test_set,
        tuple(chosen),
        encoding,
        replace(encoding, tokenize=on_lists),
        nbest if nbest is None or isinstance(nbest, str | os.PathLike) else list(nbest),
        candidate_scores=read_candidate_scores(experiment) if nbest is not None else (),
        labels=None if labels is None else tuple(str(label) for label in as_list(labels, "groups")),
        source=source,
        caveats=experiment.caveats if experiment else (),
        parsed=bool(settings["parses"]),
        **parts,
    )


def _chosen(names: Sequence[str | Metric] | str | Metric) -> list[Metric]:
    if not isinstance(names, str | Metric | Iterable):
        raise BadParameter(f"metrics are names such as BLEU-4, or tarocco.Metric, not {names!r}")
    return find_metrics([names] if isinstance(names, str | Metric) else names)
