"""All checks of the data together: the first step of a trial, and the public function `tarocco.check`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from tarocco.core.errors import InputError
from tarocco.core.test_set import Candidates, HumanScores, References, Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External, ExternalSource
from tarocco.scoring.results import Result
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import SEED, TEXT, WORKERS, Text, TextAndWorkerShortcuts, Workers, apply_shortcuts
from tarocco.trials.data_audit import label_checks, setup_checks, text_checks
from tarocco.trials.data_audit.findings import CHECKS, SEVERITIES, DataAudit, DataFinding
from tarocco.trials.data_audit.texts import TextProfiles

if TYPE_CHECKING:
    from tarocco.meta.correlation.score_sources import HumanInput

METRICS = ("BLEUS-4", "chrF", "ROUGE-L")  # the default: fast, with scores of segments, and not all of one family

Checks = Mapping[str, Callable[[], Iterable[DataFinding]]]


def audit_data(
    test_set: TestSet,
    encoding: Encoding,
    metrics: Sequence[Metric] = (),
    scores: Result | None = None,
    human: HumanScores | None = None,
    source: Segments | None = None,
    *,
    seed: int = SEED,
) -> DataAudit:
    """Run all checks that the data allow.

    Parameters
    ----------
    test_set, encoding
        The texts, and how metrics read them.
    metrics
        The metrics of the run, whose tokenizers and resources are checked; by default those of `scores`.
    scores
        Scores of all systems. Without them, human scores cannot be checked against metrics.
    human
        Human scores of systems or segments, in any order of systems.
    source
        The source text.
    seed
        For permutations of labels.
    """
    if scores is not None and not metrics:
        metrics = list(dict.fromkeys(score.metric for score in scores.scores))
    texts = TextProfiles(test_set, source)
    skipped = _missing(test_set, scores, human, source, metrics)
    judged = []
    tests = {}
    if human is not None and scores is not None:
        judged = list(label_checks.judged_scores(scores, human, test_set.documents))
        tests = {scores.criterion: label_checks.compare_labels(scores, seed) for scores in judged if scores.metrics}
        if not any(tests.values()):
            why = f"needs scores of {label_checks.MIN_SYSTEMS} judged systems that differ"
            skipped |= {kind: why for kind in ("labels", "sign") if kind not in skipped}
    checks: Checks = {
        "labels": lambda: label_checks.check_labels(tests, human.level if human else "segment"),
        "sign": lambda: label_checks.check_sign(tests),
        "copies": lambda: text_checks.check_copies(texts),
        "edited references": lambda: text_checks.check_edited_references(texts),
        "text form": lambda: text_checks.check_form(texts, encoding.lowercase),
        "tokenizer": lambda: setup_checks.check_tokenizer(texts, encoding, metrics),
        "language": lambda: text_checks.check_language(texts),
        "line shifts": lambda: text_checks.check_line_shifts(texts),
        "outliers": lambda: label_checks.check_outliers(judged),
        "amount of data": lambda: setup_checks.check_amount(test_set, human),
        "duplicated judgments": lambda: label_checks.check_duplicates(human, _equal_outputs(texts)) if human else (),
        "English resources": lambda: setup_checks.check_english(texts, metrics, encoding),
    }
    findings: list[DataFinding] = []
    passed = []
    for kind in CHECKS:
        if kind in skipped:
            continue
        of_check = list(checks[kind]())
        findings += of_check
        if not of_check:
            passed.append(kind)
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))  # stable: checks stay in order
    notes = []
    if source is None:
        notes.append("language: only scripts were compared, because there is no source text")
    if len(texts.rows) < texts.n_segments:
        notes.append(f"texts were compared in {len(texts.rows)} of {texts.n_segments} segments")
    return DataAudit(tuple(findings), tuple(passed), tuple(skipped.items()), tuple(notes))


def _missing(
    test_set: TestSet,
    scores: Result | None,
    human: HumanScores | None,
    source: Segments | None,
    metrics: Sequence[Metric],
) -> dict[str, str]:
    """Return the checks that the data do not allow, and what they need."""
    skipped = {}
    for kind in ("labels", "sign", "outliers"):
        if human is None or scores is None:
            skipped[kind] = "needs human scores" if human is None else "needs scores of metrics"
    if human is None:
        skipped["duplicated judgments"] = "needs human scores"
    if len(test_set.references) < 2:
        skipped["edited references"] = "needs two references"
    if not any(not isinstance(metric, External) for metric in metrics):
        skipped["English resources"] = "needs metrics that tarocco computes"
    return skipped


def _equal_outputs(texts: TextProfiles) -> dict[tuple[str, str], float]:
    names = [system.name for system in texts.systems]
    return {(a, b): float(texts.equal[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}


def check(
    systems: Candidates | str | os.PathLike[str],
    references: References | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    human: HumanInput | None = None,
    source: Iterable[str] | None = None,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    text: Text = TEXT,
    workers: Workers = WORKERS,
    **shortcuts: Unpack[TextAndWorkerShortcuts],
) -> DataAudit:
    """Audit texts and human scores before judging anything.

    Parameters
    ----------
    systems, references
        A mapping from system names to their segments, and the references of each segment; or the name of an experiment
        file and no references.
    metrics
        The metrics to compare human scores with, and whose settings are checked: by default those of the experiment, or
        BLEUS-4, chrF and ROUGE-L.
    human
        Human scores, as for `tarocco.correlate`.
    source
        The source text, one item per segment.
    documents, external, text, workers, **shortcuts
        As for `tarocco.score`.

    Returns
    -------
    DataAudit
        The findings, severe ones first; which checks found nothing, and which the data do not allow.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> systems = {**demo.systems, "new": [references[0] for references in demo.references]}
    >>> audit = tarocco.check(systems, demo.references)
    >>> [(finding.kind, finding.subject) for finding in audit.severe]
    [('copies', ('new', 'reference 1'))]
    """
    from tarocco.trials.inputs import material_of_experiment, material_of_texts, open_experiment

    requested = {
        "metrics": metrics,
        "human": human,
        "source": source,
        "external": external,
        "tokenize": shortcuts.get("tokenize", None if text == TEXT else text.tokenize),
        "lowercase": shortcuts.get("lowercase", None if text == TEXT else text.lowercase),
        "analyzer": shortcuts.get("analyzer", text.analyzer),
    }
    _, workers = apply_shortcuts("check", shortcuts, text, workers)
    if isinstance(systems, str | os.PathLike):
        if references is not None or documents is not None:
            raise InputError("an experiment file names references and documents: pass it alone")
        material = material_of_experiment(open_experiment(systems), requested, METRICS)
    elif references is None:
        raise InputError("expected references beside systems, or the name of an experiment file alone")
    else:
        requested["metrics"] = METRICS if metrics is None else metrics
        material = material_of_texts(systems, references, "check", documents, requested)
    scores = None
    if material.human is not None:
        scores = score_test_set(material.test_set, material.metrics, material.encoding, workers=workers)
    return audit_data(material.test_set, material.encoding, material.metrics, scores, material.human, material.source)
