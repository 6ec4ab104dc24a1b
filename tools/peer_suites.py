"""Runs another tool's own test suite, and compares every score that it computes on the way with tarocco's.

    git clone --branch v2.6.0 https://github.com/mjpost/sacrebleu
    python tools/peer_suites.py sacrebleu FOLDER/test/FILE ...

The tool's scoring functions are wrapped: each call is answered by the tool, and computed by tarocco as well. A case of
the suite is equal if all its calls are, different if any is not, not expressible if tarocco has no such setting, and
not compared if it computes no score. docs/peers.md has the results.

torchmetrics and mbrs need torch. Their suites run without it, on tarocco in place of the tool: a case is equal if it
passes.
"""

from __future__ import annotations

import functools
import math
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from peer_stand_ins import NotExpressible, stand_in_for_mbrs, stand_in_for_torchmetrics

import tarocco
from tarocco.core.test_set import Segments
from tarocco.encode.tokenizers import normalize_for_ter
from tarocco.meta.correlation.agreement import (
    MIN_GROUP,
    calibrated_ties,
    correlation,
    correlations,
    pairwise_accuracy,
    soft_pairwise_accuracy,
)
from tarocco.meta.correlation.metric_tests import williams

EQUAL, DIFFERENT, NOT_EXPRESSIBLE, NOT_COMPARED = "equal", "different", "not expressible", "not compared"
COMPUTED = "computed"  # in place of the tool
TOLERANCE = 1e-9

Numbers = Sequence[float]


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

    def stand_in(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        """Return a computation in place of the tool's that says which cases use it."""

        @functools.wraps(compute)
        def call(*arguments: Any, **options: Any) -> Any:
            self.calls[self.case][COMPUTED] += 1
            try:
                return compute(*arguments, **options)
            except (NotExpressible, tarocco.TaroccoError) as error:
                self.calls[self.case][NOT_EXPRESSIBLE] += 1
                self.reasons[self.case] = str(error)
                raise

        return call

    def record(self, one: Any, other: Any) -> None:
        """Count the values that a case of a stand-in compares; its own assertions decide whether they are equal."""
        self.values[COMPUTED] += np.size(one)

    def pytest_runtest_logreport(self, report: Any) -> None:
        calls = self.calls[self.case]
        if report.when == "call" and calls[COMPUTED]:
            calls[EQUAL if report.passed else DIFFERENT] += 1
            if report.failed and self.case not in self.reasons:
                self.reasons[self.case] = report.longrepr.reprcrash.message.splitlines()[0]

    def pytest_runtest_setup(self, item: Any) -> None:
        self.case = item.nodeid.split("/")[-1]
        self.calls[self.case]

    def summary(self) -> Counter[str]:
        """Return the number of cases by outcome."""
        outcomes = Counter[str]()
        for calls in self.calls.values():
            order = (NOT_EXPRESSIBLE, DIFFERENT, EQUAL) if calls[COMPUTED] else (DIFFERENT, NOT_EXPRESSIBLE, EQUAL)
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


# --- mt-metrics-eval -------------------------------------------------------------------------------------------------

COEFFICIENTS = {"pearsonr": "pearson", "spearmanr": "spearman", "kendalltau": "kendall", "KendallVariants": "kendall"}


def wrap_mt_metrics_eval(recorder: Recorder) -> None:
    from mt_metrics_eval import stats, tau_optimization

    recorder.wrap(stats.AverageCorrelation, "Corr", compare_average)
    recorder.wrap(stats, "KendallVariants", compare_kendall)
    recorder.wrap(stats, "KendallWithTiesOpt", compare_ties)
    recorder.wrap(stats, "PairwiseConfidenceError", compare_soft)
    recorder.wrap(stats, "Agreement", compare_agreement)
    recorder.wrap(stats, "WilliamsSigDiff", compare_williams)
    recorder.wrap(tau_optimization, "tau_optimization", compare_tau_optimization)
    for name in ("KendallLike", "PermutationSigDiff", "PairwisePermutationSigDiff"):
        recorder.wrap(stats, name, compare_with_nothing(name))


def to_rows(scores: Any, n_systems: int, average_by: str) -> Any:
    """Return scores as float64[groups, scores], with NaN for missing ones."""
    values = np.array(scores, float)
    if average_by == "none":
        return values.reshape(1, -1)
    return values.reshape(n_systems, -1) if average_by == "sys" else values.reshape(n_systems, -1).T


def average(coefficient: str, metric: Any, gold: Any, n_systems: int, average_by: str) -> float:
    """Return the mean correlation over groups, as tarocco takes it."""
    rows = [to_rows(side, n_systems, average_by) for side in (metric, gold)]
    return float(np.nanmean(correlations(coefficient, *rows, MIN_GROUP)))


def compare_average(result: Any, average_of: Any, gold: Any, metric: Any) -> Any:
    name, options = average_of._corr_fcn.__name__, average_of._corr_fcn_args
    if name == "KendallWithTiesOpt":
        grouping = average_of._num_sys, average_of._average_by
        return compare_ties(result, gold, metric, options.get("variant", "acc23"), *grouping, options["sample_rate"])
    if name == "PairwiseConfidenceError":
        return compare_soft(result, gold, metric, average_of._num_sys, filter_nones=average_of._filter_nones)
    variant = options.get("variant", "b")
    wanted = {"pdp": options.get("pdp"), "zeros for NaN": average_of._replace_nans_with_zeros}
    wanted |= {f"variant {variant}": variant not in ("b", "c"), "epsilon": options.get("epsilon")}
    wanted["micro averages"] = not average_of._macro
    unknown = [option for option, given in wanted.items() if given]
    if unknown or name not in COEFFICIENTS:
        raise NotExpressible(", ".join(unknown) or name)
    coefficient = COEFFICIENTS[name] + ("-c" if variant == "c" else "")
    return [result[0]], [average(coefficient, metric, gold, average_of._num_sys, average_of._average_by)]


def compare_kendall(
    result: Any,
    gold: Any,
    metric: Any,
    preproc: Any = None,
    variant: str = "b",
    epsilon: float = 0.0,
    metric_preproc: Any = None,
) -> Any:
    if epsilon or variant not in ("b", "c", "acc23"):
        raise NotExpressible(f"variant {variant} with epsilon {epsilon}")
    gold = preproc.y if gold is None else gold
    if metric is None:
        raise NotExpressible("differences in place of scores")
    if variant == "acc23":
        return [result[0]], [pairwise_accuracy(np.array(metric, float), np.array(gold, float))]
    return [result[0]], [correlation("kendall" + ("-c" if variant == "c" else ""), metric, gold)]


def compare_ties(
    result: Any,
    gold: Any,
    metric: Any,
    variant: str = "acc23",
    num_sys: int = 1,
    average_by: str = "none",
    sample_rate: float = 0.1,
) -> Any:
    if variant != "acc23" or sample_rate != 1:
        raise NotExpressible(f"variant {variant} on a share of {sample_rate} of the pairs")
    rows = [to_rows(side, num_sys, average_by) for side in (metric, gold)]
    return [result[0]], [calibrated_ties(rows[0].T, rows[1].T).accuracy]


def compare_tau_optimization(
    result: Any, metric: Any, human: Any, statistic: Any, sample_rate: float = 1.0, filter_nones: bool = True
) -> Any:
    if statistic.__name__ != "acc_23" or sample_rate != 1:
        raise NotExpressible(f"{statistic.__name__} on a share of {sample_rate} of the pairs")
    rows = [np.atleast_2d(np.array(side, float)) for side in (metric, human)]
    found = calibrated_ties(rows[0].T, rows[1].T)
    return [result.best_tau, result.best_threshold], [found.accuracy, found.epsilon]


def compare_soft(
    result: Any, gold: Any, metric: Any, num_sys: int, num_permutations: int = 1000, filter_nones: bool = False
) -> Any:
    known = np.array([score is not None or not filter_nones for score in gold])
    rows = [to_rows(np.array(side)[known], num_sys, "sys") for side in (metric, gold)]
    return [result[0]], [soft_pairwise_accuracy(*rows, num_permutations)]


def compare_agreement(result: Any, gold: Any, metric: Any) -> Any:
    agree, pairs = result
    return [agree / pairs], [pairwise_accuracy(np.array(metric, float), np.array(gold, float))]


def compare_williams(result: Any, one: Any, other: Any, coefficient: Any, one_sided: bool = True) -> Any:
    if getattr(coefficient, "__name__", "") != "pearsonr" or not one_sided:
        raise NotExpressible("Williams' test on averaged correlations")
    scores = np.array([one.metric_scores, other.metric_scores], float)
    people = np.array(one.gold_scores, float)
    found = williams(scores, people)
    ours = [found.p_values[0, 1] / 2, correlation("pearson", scores[0], people)]
    return list(result), [*ours, correlation("pearson", scores[1], people)]


def compare_with_nothing(name: str) -> Callable[..., tuple[Numbers, Numbers]]:
    """Return a comparison for a function that tarocco does not have."""

    def compare(*_: Any, **__: Any) -> tuple[Numbers, Numbers]:
        raise NotExpressible(name)

    return compare


WRAP = {
    "sacrebleu": wrap_sacrebleu,
    "rouge-score": wrap_rouge_score,
    "jiwer": wrap_jiwer,
    "nltk": wrap_nltk,
    "mt-metrics-eval": wrap_mt_metrics_eval,
}
STAND_INS = {"torchmetrics": stand_in_for_torchmetrics, "mbrs": stand_in_for_mbrs}


def find_checkout(peer: str, tests: Sequence[str]) -> Path:
    """Return the directory of a clone that holds the test files."""
    paths = [Path(test.split("::")[0]).resolve() for test in tests]
    for folder in (folder for path in paths if path.exists() for folder in path.parents):
        if (folder / "pyproject.toml").exists() or (folder / "src" / peer).is_dir():
            return folder
    raise SystemExit(f"name test files in a clone of {peer}")


def main() -> None:
    peer, *arguments = sys.argv[1:]
    recorder = Recorder()
    if peer in STAND_INS:
        STAND_INS[peer](find_checkout(peer, arguments), recorder.stand_in, recorder.record)
        arguments += ["--noconftest", "-p", "no:randomly"]
    else:
        WRAP[peer](recorder)
    pytest.main(["-q", "-p", "no:cacheprovider", "--no-header", *arguments], plugins=[recorder])
    for case, reason in recorder.reasons.items():
        print(f"{case}: {reason}")
    print(peer, dict(recorder.summary()), "values:", dict(recorder.values))


if __name__ == "__main__":
    main()
