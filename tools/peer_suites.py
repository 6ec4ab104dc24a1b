"""Runs another tool's own test suite, and compares every score that it computes on the way with tarocco's.

    git clone --branch v2.6.0 https://github.com/mjpost/sacrebleu
    python tools/peer_suites.py sacrebleu FOLDER/test/FILE ...

The tool's scoring functions are wrapped: each call is answered by the tool, and computed by tarocco as well. A case of
the suite is equal if all its calls are, different if any is not, not expressible if tarocco has no such setting, and
not compared if it computes no score. docs/peers.md has the results.
"""

from __future__ import annotations

import functools
import math
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tarocco
from tarocco.core.test_set import Segments
from tarocco.encode.tokenizers import normalize_for_ter

EQUAL, DIFFERENT, NOT_EXPRESSIBLE, NOT_COMPARED = "equal", "different", "not expressible", "not compared"
TOLERANCE = 1e-9

Numbers = Sequence[float]


class NotExpressible(Exception):
    """Raised by a comparison if tarocco cannot express a call."""


class Recorder:
    """A pytest plugin that compares calls and counts cases."""

    def __init__(self) -> None:
        self.busy = False
        self.calls: dict[str, Counter[str]] = defaultdict(Counter)
        self.case = ""
        self.reasons: dict[str, str] = {}
        self.values = Counter[str]()

    def wrap(self, owner: Any, name: str, compute: Callable[..., tuple[Numbers, Numbers]]) -> None:
        """Replace a function of a module or class by one that also calls compute(result, *arguments)."""
        original = getattr(owner, name)

        @functools.wraps(original)
        def call(*arguments: Any, **options: Any) -> Any:
            if self.busy:  # a scoring function that calls another one
                return original(*arguments, **options)
            self.busy = True
            try:
                result = original(*arguments, **options)
                self.compare(compute, result, arguments, options)
                return result
            finally:
                self.busy = False

        setattr(owner, name, call)

    def compare(
        self, compute: Callable[..., tuple[Numbers, Numbers]], result: Any, arguments: Any, options: Any
    ) -> None:
        try:
            with warnings.catch_warnings(action="ignore"):
                theirs, ours = compute(result, *arguments, **options)
        except (NotExpressible, tarocco.TaroccoError) as error:
            self.calls[self.case][NOT_EXPRESSIBLE] += 1
            self.reasons[self.case] = str(error)
            return
        for one, other in zip(theirs, ours, strict=True):
            same = one == other or abs(one - other) <= TOLERANCE * max(1.0, abs(one))
            self.calls[self.case][EQUAL if same else DIFFERENT] += 1
            self.values[EQUAL if same else DIFFERENT] += 1
            if not same:
                self.reasons[self.case] = f"{one!r}, tarocco {other!r}"

    def pytest_runtest_setup(self, item: Any) -> None:
        self.case = item.nodeid.split("/")[-1]
        self.calls[self.case]

    def summary(self) -> Counter[str]:
        """Return the number of cases by outcome."""
        outcomes = Counter[str]()
        for calls in self.calls.values():
            order = (DIFFERENT, NOT_EXPRESSIBLE, EQUAL)
            outcomes[next((outcome for outcome in order if calls[outcome]), NOT_COMPARED)] += 1
        return outcomes


def score(metrics: Any, candidates: Sequence[str], references: Sequence[Any], **text: Any) -> list[Any]:
    """Return tarocco's scores."""
    scores: list[Any] = tarocco.score(list(candidates), list(references), metrics=metrics, jobs=1, **text).scores
    return scores


# --- sacrebleu -------------------------------------------------------------------------------------------------------


def wrap_sacrebleu(recorder: Recorder) -> None:
    from sacrebleu.metrics import BLEU, CHRF, TER
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    for family in (BLEU, CHRF, TER):
        recorder.wrap(family, "corpus_score", compare_sacrebleu)
        recorder.wrap(family, "sentence_score", compare_sacrebleu_sentence)
    recorder.wrap(BLEU, "compute_bleu", compare_counts)
    BLEU.compute_bleu = staticmethod(BLEU.compute_bleu)
    recorder.wrap(TercomTokenizer, "__call__", compare_words)


def sacrebleu_name(metric: Any) -> tuple[str, dict[str, Any]]:
    """Return tarocco's name and text options for a metric of sacrebleu."""
    kind = type(metric).__name__
    if kind == "BLEU":
        return bleu_name(metric.max_ngram_order, metric.smooth_method, metric.smooth_value, metric.effective_order), {
            "tokenize": metric.tokenizer.signature(),
            "lowercase": metric.lowercase,
        }
    if kind == "CHRF":
        names = ("char_order", "word_order", "beta", "lowercase", "whitespace", "eps_smoothing")
    else:
        names = ("normalized", "no_punct", "asian_support", "case_sensitive")
    options = {name: getattr(metric, name) for name in names}
    written = {
        name: ("yes" if value else "no") if isinstance(value, bool) else value for name, value in options.items()
    }
    return ":".join(["chrF" if kind == "CHRF" else "TER", *(f"{name}={value}" for name, value in written.items())]), {}


def bleu_name(order: int, smooth: str, value: float | None, effective: bool) -> str:
    value = {"floor": 0.1, "add-k": 1}.get(smooth) if value is None else value
    given = f":value={value}" if smooth in ("floor", "add-k") else ""
    return f"BLEU-{order}:smooth={smooth}{given}:orders={'effective' if effective else 'all'}"


def compare_sacrebleu(result: Any, metric: Any, hypotheses: Any, references: Any, *_: Any, **__: Any) -> Any:
    if references is None:
        raise NotExpressible("references that were cached beforehand")
    name, text = sacrebleu_name(metric)
    columns = [[reference or "" for reference in segment] for segment in zip(*references, strict=False)]
    (found,) = score(name, hypotheses, columns[: len(hypotheses)], **text)
    return [result.score], [100 * found.score]


def compare_sacrebleu_sentence(result: Any, metric: Any, hypothesis: str, references: Any) -> Any:
    return compare_sacrebleu(result, metric, [hypothesis], [[reference] for reference in references])


def compare_counts(
    result: Any,
    correct: Any,
    total: Any,
    sys_len: int,
    ref_len: int,
    smooth_method: str = "none",
    smooth_value: float | None = None,
    effective_order: bool = False,
    max_ngram_order: int = 4,
) -> Any:
    metric = tarocco.metric(bleu_name(max_ngram_order, smooth_method, smooth_value, effective_order))
    return [result.score], [100 * float(metric.score(np.array([sys_len, ref_len, *correct, *total], float)))]


def compare_words(result: str, tokenizer: Any, line: str) -> Any:
    rules = (not tokenizer._case_sensitive, tokenizer._normalized, tokenizer._no_punct, tokenizer._asian_support)
    return [result], [" ".join(normalize_for_ter(Segments.from_strings([line]), *rules)[0].split())]


# --- rouge-score -----------------------------------------------------------------------------------------------------


def wrap_rouge_score(recorder: Recorder) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    recorder.wrap(RougeScorer, "score", compare_rouge)


def compare_rouge(result: Any, scorer: Any, target: str, prediction: str) -> Any:
    if scorer._split_summaries:
        raise NotExpressible("split_summaries splits sentences with NLTK's models")
    names = [f"ROUGE-{kind.removeprefix('rouge')}" for kind in result]
    if type(scorer._tokenizer).__name__ == "DefaultTokenizer":
        stemmer = "none" if scorer._tokenizer._stemmer is None else "porter-nltk"
        names = [f"{name}:compat=rouge-score:stemmer={stemmer}" for name in names]
        found = score(names, [prediction], [target])
    else:
        found = score(names, [prediction], [target], tokenize=scorer._tokenizer.tokenize)
    theirs = [value for one in result.values() for value in (one.fmeasure, one.recall, one.precision)]
    return theirs, [float(value) for one in found for value in one.statistics[0][:3]]


# --- jiwer -----------------------------------------------------------------------------------------------------------


def wrap_jiwer(recorder: Recorder) -> None:
    import jiwer
    from jiwer import measures, process

    recorder.wrap(process, "process_words", compare_words_of_jiwer)
    recorder.wrap(process, "process_characters", compare_characters)
    for module in (jiwer, measures):
        module.process_words, module.process_characters = process.process_words, process.process_characters


MEASURES = ("wer", "mer", "wil", "wip")
COUNTS = {"hits": "matches", "substitutions": "substitutions", "deletions": "deletions", "insertions": "insertions"}


def compare_words_of_jiwer(
    result: Any, reference: Any, hypothesis: Any, reference_transform: Any = None, hypothesis_transform: Any = None
) -> Any:
    from jiwer.transformations import wer_default

    names = ["WER:counts=yes", "MER", "WIL", "WIP"]
    default = {None, wer_default} >= {reference_transform, hypothesis_transform}
    if default:
        references, hypotheses = ([text] if isinstance(text, str) else text for text in (reference, hypothesis))
        found = score(names, hypotheses, references, tokenize="jiwer")
    else:  # the words that its transforms make
        found = score(names, *map(join_words, (result.hypotheses, result.references)), tokenize=split_words)
    theirs = [getattr(result, name) for name in MEASURES] + [getattr(result, name) for name in COUNTS]
    return theirs, [one.score for one in found] + [found[0].details[name] for name in COUNTS.values()]


def compare_characters(
    result: Any, reference: Any, hypothesis: Any, reference_transform: Any = None, hypothesis_transform: Any = None
) -> Any:
    from jiwer.transformations import cer_default

    references, hypotheses = (["".join(text) for text in side] for side in (result.references, result.hypotheses))
    if {None, cer_default} >= {reference_transform, hypothesis_transform}:
        references, hypotheses = ([text] if isinstance(text, str) else text for text in (reference, hypothesis))
    (found,) = score("CER:counts=yes", hypotheses, references)
    theirs = [result.cer] + [getattr(result, name) for name in COUNTS]
    return theirs, [found.score] + [found.details[name] for name in COUNTS.values()]


def join_words(texts: Sequence[Sequence[str]]) -> list[str]:
    return ["\x1f".join(words) for words in texts]


def split_words(text: str) -> list[str]:
    return text.split("\x1f")


# --- NLTK ------------------------------------------------------------------------------------------------------------


def wrap_nltk(recorder: Recorder) -> None:
    import nltk.translate
    from nltk.translate import bleu_score, chrf_score, nist_score

    wrapped = (
        (bleu_score, ("corpus_bleu",), compare_bleu_of_nltk),
        (bleu_score, ("sentence_bleu",), compare_sentence_bleu),
        (nist_score, ("corpus_nist",), compare_nist),
        (nist_score, ("sentence_nist",), compare_sentence_nist),
        (chrf_score, ("sentence_chrf",), compare_chrf),
    )
    for module, names, compare in wrapped:
        for name in names:
            recorder.wrap(module, name, compare)
            if hasattr(nltk.translate, name):
                setattr(nltk.translate, name, getattr(module, name))


def compare_bleu_of_nltk(
    result: Any,
    list_of_references: Any,
    hypotheses: Any,
    weights: Any = (0.25, 0.25, 0.25, 0.25),
    smoothing_function: Any = None,
    auto_reweigh: bool = False,
) -> Any:
    several = isinstance(result, list)
    method = "method0" if smoothing_function is None else smoothing_function.__name__
    if not method.startswith("method"):
        raise NotExpressible("a smoothing function of the user")
    settings = getattr(smoothing_function, "__self__", None)
    more = f":epsilon={settings.epsilon}:alpha={settings.alpha}:k={settings.k}" if settings else ""
    more += ":reweigh=yes" if auto_reweigh else ""
    names = [
        f"BLEU-NLTK-{len(row)}:smooth={method}{more}"
        + ("" if tuple(row) == (0.25,) * 4 else f":weights={'/'.join(map(repr, row))}")
        for row in (weights if several else [weights])
    ]
    found = [score(name, *to_texts(hypotheses, list_of_references), tokenize=split_words)[0].score for name in names]
    return (result if several else [result]), found


def to_texts(hypotheses: Any, list_of_references: Any) -> tuple[list[str], list[list[str]]]:
    """Return texts whose words are separated by a control character; words of NLTK can be any strings."""
    return join_words(hypotheses), [join_words(references) for references in list_of_references]


def compare_sentence_bleu(result: Any, references: Any, hypothesis: Any, *arguments: Any, **options: Any) -> Any:
    return compare_bleu_of_nltk(result, [references], [hypothesis], *arguments, **options)


def compare_nist(result: float, list_of_references: Any, hypotheses: Any, n: int = 5) -> Any:
    (found,) = score(f"NIST-{n}", *to_texts(hypotheses, list_of_references), tokenize=split_words)
    return [result], [found.score]


def compare_sentence_nist(result: float, references: Any, hypothesis: Any, n: int = 5) -> Any:
    return compare_nist(result, [references], [hypothesis], n)


def compare_chrf(
    result: float,
    reference: Any,
    hypothesis: Any,
    min_len: int = 1,
    max_len: int = 6,
    beta: float = 3.0,
    ignore_whitespace: bool = True,
) -> Any:
    texts = [text if isinstance(text, str) else " ".join(text) for text in (hypothesis, reference)]
    space = "no" if ignore_whitespace else "yes"
    name = f"chrF:char_order={max_len}:min_char_order={min_len}:beta={beta}:eps_smoothing=yes:whitespace={space}"
    (found,) = score(name, texts[:1], texts[1:])
    return [result], [found.score if not math.isnan(found.score) else 0.0]


WRAP = {"sacrebleu": wrap_sacrebleu, "rouge-score": wrap_rouge_score, "jiwer": wrap_jiwer, "nltk": wrap_nltk}


def main() -> None:
    peer, *arguments = sys.argv[1:]
    recorder = Recorder()
    WRAP[peer](recorder)
    pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", *arguments], plugins=[recorder])
    for case, reason in recorder.reasons.items():
        print(f"{case}: {reason}")
    print(peer, dict(recorder.summary()), "values:", dict(recorder.values))


if __name__ == "__main__":
    main()
