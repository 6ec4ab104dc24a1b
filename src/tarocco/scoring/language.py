"""Does text suit the metrics? Scripts that a tokenizer does not split, and English resources for other languages."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.metrics.base import Metric
from tarocco.metrics.external import External

# Scripts that write words without spaces between them.
UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "BOPOMOFO"}
SPLIT_AT_SPACES = {"none", "13a", "intl", "zh", "rouge", "jiwer"}  # tokenizers; zh splits only Chinese
MIN_UNSPACED = 0.3  # share of letters
FREQUENT = "the of and to in a is that for it was on with as be at by this are from or have an not"
ENGLISH_WORDS = frozenset(FREQUENT.split(" "))
MIN_ENGLISH = 0.15  # share of such words; English text has .27 or more, German .03
MIN_WORDS = 100
MAX_WORDS = 20_000
MAX_SEGMENTS = 500  # whose scripts notes on scores look at, spread evenly
_MAYBE_UNSPACED = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


@dataclass(frozen=True)
class Unsuited:
    """Tokenizers or metrics that do not suit the text: which, why, and what to use."""

    subject: tuple[str, ...]
    evidence: str
    advice: str

    def __str__(self) -> str:
        return f"{self.evidence} {self.advice}"


def find_language_notes(test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding) -> tuple[str, ...]:
    """Return notes on the references of a test set, for a reader of its scores."""
    shares = []
    if _unfit_tokenizers(metrics, encoding, SPLIT_AT_SPACES):
        shares = [script_shares(Counter(_sample(column))) for column in test_set.references]
    words = test_set.references[0] if any(reads_english(metric, encoding) for metric in metrics) else ()
    found = find_unsplit_script(shares, metrics, encoding), find_other_language(words, metrics, encoding)
    return tuple(str(unsuited) for unsuited in found if unsuited)


def find_segment_notes(references: Sequence[str], metrics: Sequence[Metric], encoding: Encoding) -> tuple[str, ...]:
    """Return notes on the references of one segment, which are too short to tell whether they are English."""
    if not any(_maybe_unspaced(text) for text in references):
        return ()
    unsuited = find_unsplit_script([script_shares(Counter(text)) for text in references], metrics, encoding)
    return (str(unsuited),) if unsuited else ()


def find_unsplit_script(
    shares: Sequence[Mapping[str, float]], metrics: Sequence[Metric], encoding: Encoding
) -> Unsuited | None:
    """Find a tokenizer that leaves whole sentences of an unspaced script as one word.

    `shares` has the share of each script among the letters of each reference. Without metrics, the tokenizer is that
    of `encoding`.
    """
    total: Counter[str] = Counter()
    for of_reference in shares:
        total.update({script: share for script, share in of_reference.items() if script in UNSPACED})
    unspaced = {script: share / len(shares) for script, share in total.items()}
    if sum(unspaced.values()) < MIN_UNSPACED:
        return None
    script = max(unspaced, key=lambda name: unspaced[name])
    chinese = unspaced.get("CJK", 0.0) > 0.9 * sum(unspaced.values())
    japanese = not chinese and {"HIRAGANA", "KATAKANA"} & set(unspaced)
    advised = "zh" if chinese else "ja-mecab (pip install 'tarocco[ja]') or char" if japanese else "char"
    unfit = _unfit_tokenizers(metrics, encoding, SPLIT_AT_SPACES - {"zh"} if chinese else SPLIT_AT_SPACES)
    if not unfit:
        return None
    tokenizers = sorted(set(unfit.values()))
    scored = f" for {join_subjects(sorted(unfit))}" if "" not in unfit else ""
    return Unsuited(
        tuple(tokenizers),
        f"{100 * sum(unspaced.values()):.0f}% of the references' letters belong to scripts without spaces between "
        f"words (most to {script.capitalize()}), and the tokenizer{scored} is {join_subjects(tokenizers)}, which "
        "does not split them.",
        f"Use --tokenize {advised}, a metric of characters such as chrF, or text that is segmented into words.",
    )


def _unfit_tokenizers(metrics: Sequence[Metric], encoding: Encoding, splitting: set[str]) -> dict[str, str]:
    """Return the tokenizers that split at spaces only, by the metrics that use them; analyzers split words."""
    computed = [metric for metric in metrics if not isinstance(metric, External)]
    read = {str(metric): metric.reads(encoding) for metric in computed} or {"": encoding}
    return {name: how.tokenize for name, how in read.items() if how.analyzer is None and how.tokenize in splitting}


def find_other_language(references: Iterable[str], metrics: Sequence[Metric], encoding: Encoding) -> Unsuited | None:
    """Find metrics with English stemmers or WordNet on a text that is not English."""
    english = [str(metric) for metric in metrics if reads_english(metric, encoding)]
    share = english_share(references) if english else None
    if share is None or share >= MIN_ENGLISH:
        return None
    return Unsuited(
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


def english_share(texts: Iterable[str]) -> float | None:
    """Return the share of frequent English words; None if there are too few words."""
    words: list[str] = []
    for text in texts:
        words += text.lower().split()
        if len(words) > MAX_WORDS:
            break
    if len(words) < MIN_WORDS:
        return None
    return sum(word in ENGLISH_WORDS for word in words) / len(words)


def script_shares(characters: Mapping[str, int]) -> dict[str, float]:
    """Return the share of each script among the letters of counted characters; empty without letters."""
    counts: Counter[str] = Counter()
    for character, count in characters.items():
        if character.isalpha():
            counts[script_of(character)] += count
    total = sum(counts.values())
    return {script: count / total for script, count in counts.items()}


@cache
def script_of(character: str) -> str:
    """Return the first word of a character's name, which is its script for letters: LATIN, CJK, THAI."""
    return unicodedata.name(character, "UNKNOWN").replace("-", " ").split()[0]


def join_subjects(names: Sequence[str], most: int = 4) -> str:
    """Return names in one phrase; of many names, only the first ones and the number of the others."""
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most} others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _sample(column: Segments) -> str:
    """Return text from all parts of a column, or nothing if it has no letters of unspaced scripts."""
    step = max(1, len(column) // MAX_SEGMENTS)
    text = "".join(column[i] for i in range(0, len(column), step))
    return text if _maybe_unspaced(text) else ""


def _maybe_unspaced(text: str) -> bool:
    return not text.isascii() and _MAYBE_UNSPACED.search(text) is not None
