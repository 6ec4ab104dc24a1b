"""The whole trial of metrics and systems: `tarocco.trial`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarocco.annotate.analyzers import Analyzer
from tarocco.core.arguments import Candidates, References
from tarocco.core.errors import InputError
from tarocco.meta.correlation.human import Human
from tarocco.meta.orange.orange import NBest
from tarocco.metrics.base import Metric
from tarocco.metrics.external import ExternalSource
from tarocco.scoring.settings import SEED
from tarocco.trials.findings import Findings
from tarocco.trials.inputs import material_of_experiment, material_of_texts
from tarocco.trials.run import Conduct, hold

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store


def trial(
    systems: Candidates | str | os.PathLike[str],
    references: References | None = None,
    *,
    metrics: Sequence[str | Metric] | str | Metric | None = None,
    nbest: NBest | None = None,
    human: Human | None = None,
    groups: Iterable[str] | None = None,
    source: Iterable[str] | None = None,
    documents: Iterable[str] | None = None,
    external: Mapping[str, ExternalSource] | None = None,
    name: str = "trial",
    tokenize: str | None = None,
    lowercase: bool | None = None,
    analyzer: Analyzer | None = None,
    confusions: int = 0,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = SEED,
    jobs: int | None = None,
    store: Store | str | Path | None = None,
    executor: Executor | None = None,
) -> Findings:
    """Which metric should I trust, and which system is better? Everything that the data allow, and a verdict.

    Scores and their significance always; audits from two systems on; QUEEN and JACK from two references on, KING and
    the best set of metrics from three; ORANGE from n-best lists; correlation with people from human scores; how many
    references are enough, by people, ORANGE or KING. `result.plan` says what was done and what was missing for the
    rest, `result.verdict` what it all means; every other part is what the function of that name returns.

    Parameters
    ----------
    systems, references
        The name of an experiment file, and no references; or a mapping from system names to their segments, and the
        references of each segment. What is said besides wins over what the file says.
    metrics
        Names or metric objects; by default the experiment's, or a dozen that compare words and characters.
    nbest
        N-best lists, a file or lists, as for `tarocco.orange`. They are not tokenized unless `tokenize` says so.
    human
        What people said, as for `tarocco.correlate`.
    groups
        A label a segment, such as its genre; the documents by default.
    source
        The source text, which is shown beside segments.
    documents, external, tokenize, lowercase, analyzer, jobs, store, executor
        As for `tarocco.score`. With a store a trial that was stopped goes on where it was.
    confusions
        How many candidates that stand above the references are kept of each list and metric.
    confidence, n_resamples, seed
        Of all intervals and tests.

    Raises
    ------
    InputError
        If the shapes do not fit, or nothing can be scored. What is wrong for one step alone stands in the plan.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> result = tarocco.trial(demo.systems, demo.references, metrics=["BLEU-4", "chrF", "WER"])
    >>> [step.name for step in result.plan if not step.possible]
    ['ORANGE', 'people']
    >>> result.verdict.groups[0]
    ('careful',)
    """
    conduct = Conduct(confidence, n_resamples, seed, confusions, jobs, store, executor)
    said: dict[str, Any] = {
        "metrics": metrics,
        "nbest": nbest,
        "human": human,
        "groups": groups,
        "source": source,
        "external": external,
        "tokenize": tokenize,
        "lowercase": lowercase,
        "analyzer": analyzer,
    }
    if isinstance(systems, str | os.PathLike):
        if references is not None or documents is not None:
            raise InputError("an experiment file names references and documents: give it alone")
        return hold(material_of_experiment(systems, **said), conduct, f"tarocco trial {os.fspath(systems)}")
    if references is None:
        raise InputError("references are wanted beside systems, or the name of an experiment file alone")
    material = material_of_texts(systems, references, name=name, documents=documents, **said)
    return hold(material, conduct, "tarocco.trial(...)")
