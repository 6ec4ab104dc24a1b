"""What a trial works on: the texts, and whatever else there is to judge metrics by."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tarocco.annotate.analyzers import Analyzer, analyzer_name
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import (
    Candidates,
    CandidateScores,
    HumanScores,
    References,
    Segments,
    TestSet,
    as_list,
    make_test_set,
    pack_strings,
)
from tarocco.encode.batch import Encoding
from tarocco.io.experiment import Experiment, read_experiment
from tarocco.meta.correlation.score_sources import HumanInput, make_human_scores, require_judged_systems
from tarocco.meta.orange.orange import NBest
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External, ExternalSource, external_metrics, is_system_level
from tarocco.metrics.registry import metrics as find_metrics
from tarocco.metrics.registry import named

# A dozen that compare words or characters, know no language, and are quick on the odd texts that audits make up.
METRICS = (
    *("BLEU-4", "BLEU-SBP", "NIST-5", "WER", "PER", "TER", "GRR-4", "GTM-2"),
    *("ROUGE-L", "ROUGE-W-1.2", "ROUGE-S-4", "chrF"),
)


@dataclass(frozen=True, eq=False)
class Material:
    """Texts and metrics, and what there is of n-best lists, human scores, labels and a source."""

    name: str
    test_set: TestSet
    metrics: tuple[Metric, ...]  # scores made elsewhere are the last of them
    encoding: Encoding
    list_encoding: Encoding  # of n-best lists, which are tokenized already, most often
    nbest: NBest | None = None
    first_id: int = 0  # of n-best lists
    given: tuple[CandidateScores, ...] = ()  # scores of candidates that were made elsewhere
    human: HumanScores | None = None
    labels: tuple[str, ...] | None = None  # of segments, such as their genres
    source: Segments | None = None
    parsed: bool = False  # files tell the structure of the texts, and of no other texts

    def __post_init__(self) -> None:
        n = len(self.test_set)
        if self.labels is not None and len(self.labels) != n:
            raise InputError(f"there are {n} segments, but {len(self.labels)} group labels: one a segment is wanted")
        if self.source is not None and len(self.source) != n:
            raise InputError(f"the references have {n} segments, but the source has {len(self.source)}")
        if not self.metrics:
            raise InputError("no metric was asked for")

    @property
    def most_references(self) -> int:
        """How many references the segment has that has most."""
        return int(self.test_set.present.sum(axis=0).max(initial=0))

    @property
    def of_segments(self) -> list[Metric]:
        """The metrics that have scores of segments."""
        return [metric for metric in self.metrics if not is_system_level(metric)]

    @property
    def from_text(self) -> list[Metric]:
        """The metrics that can score any text."""
        return [metric for metric in self.metrics if not isinstance(metric, External)]

    @property
    def of_made_texts(self) -> list[Metric]:
        """The metrics that can score texts that no file describes."""
        return [one for one in self.from_text if not (self.parsed and one.reads(self.encoding).analyzer)]

    @property
    def of_pairs(self) -> list[Metric]:
        """The metrics that can say how near any two of the texts are to each other."""
        return [one for one in self.metrics if not isinstance(one, External) or one.scores.pairs]


def material_of_texts(
    systems: Candidates,
    references: References,
    *,
    name: str,
    metrics: Sequence[str | Metric] | str | Metric | None,
    nbest: NBest | None,
    human: HumanInput | None,
    groups: Iterable[str] | None,
    source: Iterable[str] | None,
    documents: Iterable[str] | None,
    external: Mapping[str, ExternalSource] | None,
    tokenize: str | None,
    lowercase: bool | None,
    analyzer: Analyzer | None,
) -> Material:
    """What a caller of the Python interface gave, checked."""
    if not isinstance(systems, Mapping):
        raise InputError("systems is a mapping from names to segments, or the name of an experiment file")
    test_set = make_test_set(systems, references, documents)
    chosen = _chosen(metrics, METRICS)
    encoding = Encoding(tokenize or "13a", bool(lowercase), analyzer=analyzer_name(analyzer))
    labels = groups if groups is not None else test_set.documents
    return Material(
        name,
        test_set,
        (*chosen, *external_metrics(external or {}, test_set, chosen)),
        encoding,
        Encoding(tokenize or "none", bool(lowercase), analyzer=encoding.analyzer),
        nbest if nbest is None or isinstance(nbest, str | os.PathLike) else list(nbest),
        human=None if human is None else make_human_scores(human, list(test_set.systems), len(test_set)),
        labels=None if labels is None else tuple(str(label) for label in as_list(labels, "groups")),
        source=None if source is None else pack_strings(source, "source"),
    )


def material_of_experiment(path: str | os.PathLike[str], **said: Any) -> Material:
    """What an experiment file names; what a caller of the Python interface says besides wins over it."""
    from tarocco.io.test_set import align_column, build_test_set, read_labels, read_source

    experiment = read_experiment(os.fspath(path), named)
    if not experiment.system_columns:
        raise InputError(f"{experiment.path} names no systems (systems = [...])")
    first = experiment.reference_columns[0]
    test_set = build_test_set(experiment.reference_columns, experiment.system_columns, experiment.documents)
    asked = experiment.tokenize if said["tokenize"] is None else said["tokenize"]
    lowercase = bool(experiment.lowercase if said["lowercase"] is None else said["lowercase"])
    analyzer = analyzer_name(said["analyzer"]) or experiment.analyzer
    parses = experiment.parses if said["analyzer"] is None else None
    if parses:
        from tarocco.annotate.parses import name_texts, register_parses

        analyzer = register_parses(parses, name_texts(test_set), warnings.warn)
    if experiment.labels == "iqmt":
        analyzer = f"{analyzer or 'spacy'}+iqmt"
    chosen = _chosen(said["metrics"], experiment.metrics or METRICS)
    external: dict[str, ExternalSource] = {**experiment.external_scores, **(said["external"] or {})}
    people, labels, source = said["human"], said["groups"], said["source"]
    if labels is None:
        labels = read_labels(experiment.groups, first) if experiment.groups else test_set.documents
    if source is None and experiment.source:
        source = align_column(read_source(experiment.source), first).segments
    human = None if people is None else make_human_scores(people, list(test_set.systems), len(test_set))
    if human is None and experiment.human_scores is not None:
        path_of = experiment.human.path if experiment.human else experiment.path
        human = require_judged_systems(experiment.human_scores, list(test_set.systems), path_of)
    lists = experiment.nbest if said["nbest"] is None else said["nbest"]
    return Material(
        experiment.name,
        test_set,
        (*chosen, *external_metrics(external, test_set, chosen)),
        Encoding(asked or "13a", lowercase, analyzer=analyzer),
        Encoding(asked or "none", lowercase, analyzer=analyzer),
        lists if lists is None or isinstance(lists, str | os.PathLike) else list(lists),
        given=candidate_scores(experiment),
        human=human,
        labels=None if labels is None else tuple(str(label) for label in as_list(labels, "groups")),
        source=source if source is None or isinstance(source, Segments) else pack_strings(source, "source"),
        parsed=bool(parses),
    )


def candidate_scores(experiment: Experiment) -> tuple[CandidateScores, ...]:
    """The experiment's scores made elsewhere that are about the candidates of n-best lists."""
    from tarocco.io.scores.external import holds_candidate_scores, read_candidate_scores

    return tuple(read_candidate_scores(file) for file in experiment.external if holds_candidate_scores(file.path))


def _chosen(asked: Sequence[str | Metric] | str | Metric | None, default: Sequence[str]) -> list[Metric]:
    if asked is None:
        return find_metrics(default)
    if not isinstance(asked, str | Metric | Iterable):
        raise BadParameter(f"metrics are names such as BLEU-4, or tarocco.Metric, not {asked!r}")
    return find_metrics([asked] if isinstance(asked, str | Metric) else asked)
