"""Checks of the settings and of the amount of data: tokenizer, English resources, numbers of systems and references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarocco.core.test_set import HumanScores, TestSet
from tarocco.encode.batch import Encoding
from tarocco.metrics.base import Metric
from tarocco.scoring.language import find_other_language, find_unsplit_script
from tarocco.trials.data_audit.findings import DataFinding
from tarocco.trials.data_audit.texts import TextProfiles

MIN_SYSTEMS = 6  # in the verdict; below, no test can support a metric
MANY_SYSTEMS = 12  # below, the verdict applies to these systems only
MIN_SEGMENTS = 100  # units below which resampling tests are too liberal or weak


def check_tokenizer(texts: TextProfiles, encoding: Encoding, metrics: Sequence[Metric]) -> Iterator[DataFinding]:
    """Find a tokenizer that leaves whole sentences of an unspaced script as one word."""
    unsuited = find_unsplit_script([reference.scripts for reference in texts.references], metrics, encoding)
    if unsuited:
        yield DataFinding("tokenizer", "severe", unsuited.subject, unsuited.evidence, unsuited.advice)


def check_english(texts: TextProfiles, metrics: Sequence[Metric], encoding: Encoding) -> Iterator[DataFinding]:
    """Find metrics with English stemmers or WordNet on a text that is not English."""
    unsuited = find_other_language(texts.references[0].segments, metrics, encoding)
    if unsuited:
        yield DataFinding("English resources", "warning", unsuited.subject, unsuited.evidence, unsuited.advice)


def check_amount(test_set: TestSet, human: HumanScores | None) -> Iterator[DataFinding]:
    """Name the steps of a trial for which there is too little data."""
    references = int(test_set.present.sum(axis=0).max(initial=0))
    steps = [(2, "QUEEN, JACK and ORANGE"), (3, "KING and the best set of metrics"), (4, "the number of references")]
    missing = [f"{name} ({least})" for least, name in steps if references < least]
    if missing:
        yield DataFinding(
            "amount of data",
            "note",
            ("references",),
            f"There {'is 1 reference' if references == 1 else f'are {references} references'} per segment, fewer than "
            f"some steps need: {', '.join(missing)}.",
            "Add independent references if you need these steps.",
        )
    if len(test_set) < MIN_SEGMENTS:
        yield DataFinding(
            "amount of data",
            "warning",
            ("segments",),
            f"There are {len(test_set)} segments; below {MIN_SEGMENTS}, most differences cannot be distinguished and "
            "bootstrap tests are too liberal.",
            "Add segments, or read every comparison as preliminary.",
        )
    if human is None:
        return
    for criterion, values in human.criteria.items():
        known = values[np.isfinite(values)]
        if known.size > 1 and known.min() == known.max():
            yield DataFinding(
                "amount of data",
                "severe",
                (criterion,),
                f"All human scores ({criterion}) are {known.min():g}: they cannot say which metric agrees with people.",
                "Check the column that was read.",
            )
    judged = len(human.systems)
    if judged < MANY_SYSTEMS:
        few = judged < MIN_SYSTEMS
        yield DataFinding(
            "amount of data",
            "warning" if few else "note",
            ("judged systems",),
            f"People judged {judged} system{'s' * (judged != 1)}; "
            + (
                f"with fewer than {MIN_SYSTEMS}, no metric can be supported by people."
                if few
                else f"with fewer than {MANY_SYSTEMS}, expect conclusions about these systems only."
            ),
            "Have more systems judged.",
        )
    if human.n_judges < 2:
        yield DataFinding(
            "amount of data",
            "note",
            ("raters",),
            "The human scores name one rater or none, so the agreement of raters, and the highest correlation that it "
            "allows, are unknown.",
            "Provide the scores of each rater in a column `judge`.",
        )
    if human.level == "segment":
        counts = [int(np.isfinite(scores).any(axis=0).sum()) for scores in human.criteria.values()]
        if min(counts) < MIN_SEGMENTS <= len(test_set):
            yield DataFinding(
                "amount of data",
                "warning",
                ("judged segments",),
                f"People judged {min(counts)} of {len(test_set)} segments.",
                f"Have at least {MIN_SEGMENTS} segments judged.",
            )
