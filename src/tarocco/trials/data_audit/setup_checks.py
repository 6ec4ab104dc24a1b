"""Checks of the settings and of the amount of data: tokenizer, English resources, numbers of systems and references."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarocco.core.test_set import HumanScores, TestSet
from tarocco.encode.batch import Encoding
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External
from tarocco.trials.data_audit.findings import DataFinding, join_subjects
from tarocco.trials.data_audit.texts import TextProfiles

# Scripts that write words without spaces between them.
UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "BOPOMOFO"}
SPLIT_AT_SPACES = {"none", "13a", "intl", "zh", "rouge", "jiwer"}  # tokenizers; zh splits only Chinese
MIN_UNSPACED = 0.3  # share of letters
FREQUENT = "the of and to in a is that for it was on with as be at by this are from or have an not"
ENGLISH_WORDS = frozenset(FREQUENT.split(" "))
MIN_ENGLISH = 0.15  # share of such words; English text has .27 or more, German .03
MIN_WORDS = 100
MIN_SYSTEMS = 6  # in the verdict; below, no test can support a metric
MANY_SYSTEMS = 12  # below, the verdict applies to these systems only
MIN_SEGMENTS = 100  # units below which resampling tests are too liberal or weak


def check_tokenizer(texts: TextProfiles, encoding: Encoding, metrics: Sequence[Metric]) -> Iterator[DataFinding]:
    """Find a tokenizer that leaves whole sentences of an unspaced script as one word."""
    shares: dict[str, float] = {}
    for reference in texts.references:
        for script, share in reference.scripts.items():
            shares[script] = shares.get(script, 0.0) + share / len(texts.references)
    unspaced = {script: share for script, share in shares.items() if script in UNSPACED}
    if sum(unspaced.values()) < MIN_UNSPACED:
        return
    computed = [metric for metric in metrics if not isinstance(metric, External)]
    read = {str(metric): metric.reads(encoding) for metric in computed} or {"": encoding}
    used = {name: how.tokenize for name, how in read.items() if how.analyzer is None}  # analyzers split words
    script = max(unspaced, key=lambda name: unspaced[name])
    chinese = unspaced.get("CJK", 0.0) > 0.9 * sum(unspaced.values())
    japanese = not chinese and {"HIRAGANA", "KATAKANA"} & set(unspaced)
    advised = "zh" if chinese else "ja-mecab (pip install 'tarocco[ja]') or char" if japanese else "char"
    splitting = SPLIT_AT_SPACES - {"zh"} if chinese else SPLIT_AT_SPACES
    unfit = sorted(name for name, tokenize in used.items() if tokenize in splitting)
    if unfit:
        tokenizers = sorted({used[name] for name in unfit})
        scored = f" for {join_subjects(unfit)}" if unfit != [""] else ""
        yield DataFinding(
            "tokenizer",
            "severe",
            tuple(tokenizers),
            f"{100 * sum(unspaced.values()):.0f}% of the references' letters belong to scripts without spaces between "
            f"words (most to {script.capitalize()}), and the tokenizer{scored} is {join_subjects(tokenizers)}, which "
            "does not split them.",
            f"Use --tokenize {advised}, a metric of characters such as chrF, or text that is segmented into words.",
        )


def check_english(texts: TextProfiles, metrics: Sequence[Metric], encoding: Encoding) -> Iterator[DataFinding]:
    """Find metrics with English stemmers or WordNet on a text that is not English."""
    english = [str(metric) for metric in metrics if reads_english(metric, encoding)]
    share = english_share(texts)
    if english and share is not None and share < MIN_ENGLISH:
        yield DataFinding(
            "English resources",
            "warning",
            tuple(english),
            f"{join_subjects(english)} {'use' if len(english) > 1 else 'uses'} English stems or synonyms, but only "
            f"{100 * share:.0f}% of the references' words are frequent English ones (in English text, 27% or more).",
            "Use METEOR-exact, or metrics without stemming.",
        )


def reads_english(metric: Metric, encoding: Encoding) -> bool:
    """Return whether a metric uses an English stemmer or WordNet."""
    if isinstance(metric, External):
        return False
    stages = str(getattr(metric, "stages", ""))
    stems = metric.reads(encoding).stem != "" or any(stage in stages for stage in ("stem", "wn"))
    return stems or metric.stem == "MAXSIM"


def english_share(texts: TextProfiles) -> float | None:
    """Return the share of frequent English words in the references; None if there are too few words."""
    words: list[str] = []
    for text in texts.references[0].segments:
        words += text.lower().split()
        if len(words) > 20_000:
            break
    if len(words) < MIN_WORDS:
        return None
    return sum(word in ENGLISH_WORDS for word in words) / len(words)


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
