"""Checks for authors of metrics: `check_metric` runs the laws that every built-in metric obeys.

In the tests of a plug-in::

    @pytest.mark.parametrize("name", Overlap.names)
    def test_laws(name):
        check_metric(name)

A metric that breaks a law by design says so: `check_metric("MyNist", exempt={"identity": "rare n-grams weigh more"})`.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from traceback import walk_tb
from types import FrameType
from typing import Any

import numpy as np

from tarocco import datasets
from tarocco.core.errors import BadParameter
from tarocco.core.test_set import make_test_set
from tarocco.encode.batch import Encoding
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.batches import prepare_contexts
from tarocco.metrics.registry import metric as find_metric
from tarocco.scoring.results import Score
from tarocco.scoring.score import score, statistics
from tarocco.scoring.settings import TEXT
from tarocco.scoring.statistics import BlockTask, analyze_texts, count

__all__ = ["LAWS", "check_metric"]

EMPTY_CASES = ("an empty candidate", "an empty reference", "two empty texts")
EMPTY_WORDS = ("empty candidate", "empty reference", r"\bboth\b|two empty")  # how notes name these cases
TOLERANCE = 1e-12  # relative, for sums that are added in another order
ROUNDED = 0.005  # of scores in notes, which may have two decimals
LONG_TEXT = 12  # words; the identity law needs texts with n-grams of every usual order

VECTORIZED = "score must accept arrays [..., k] and return one score per row"

Law = Callable[[Metric], str | None]


def check_metric(metric: str | Metric, *, exempt: Mapping[str, str] | None = None) -> None:
    """Check that a metric obeys every law of `LAWS`, on the bundled test set and a few short texts.

    The metric must be registered: by the entry point of its package, or by `tarocco.metric_plugin`. `LAWS` maps the
    name of each law to the function that checks it, whose docstring is the law.

    Parameters
    ----------
    metric
        A metric or its name. Check every name in the `names` of its class.
    exempt
        The laws that this metric breaks by design, each with the reason. An exemption from a law that holds is a
        failure too.

    Raises
    ------
    AssertionError
        If the metric breaks a law, or is exempt from a law that holds. The message has one line per problem; laws that
        fail with the same exception share a line. The first exception is the cause of the AssertionError.
    BadParameter
        If `metric` is a class, or `exempt` has a law that does not exist.

    Example
    -------
    >>> from tarocco.testing import check_metric
    >>> check_metric("WER")
    """
    if isinstance(metric, type) and issubclass(metric, Metric):
        raise BadParameter(f"expected an instance of tarocco.Metric; did you mean {metric.__name__}()?")
    checked = find_metric(metric)
    reasons = exempt or {}
    unknown = sorted(set(reasons) - set(LAWS))
    if unknown:
        raise BadParameter(f"there is no law {', '.join(unknown)}; the laws are {', '.join(LAWS)}")
    problems: dict[str, list[str]] = {}  # what went wrong -> the laws that it breaks
    needless: list[str] = []
    cause: Exception | None = None
    for law, check in LAWS.items():
        try:
            problem = check(checked)
        except Exception as error:  # the metric may raise anything
            problem = _describe_error(checked, error)
            cause = cause or (None if law in reasons else error)
        if problem is not None and law not in reasons:
            problems.setdefault(problem, []).append(law)
        elif problem is None and law in reasons:
            needless.append(f"{law}: the law holds; remove the exemption ({reasons[law]})")
    if not problems and not needless:
        return
    titles = []
    if problems:
        titles.append(f"breaks {sum(map(len, problems.values()))} of {len(LAWS)} laws")
    if needless:
        titles.append(f"has {len(needless)} needless exemption{'s' * (len(needless) > 1)}")
    lines = [f"{laws[0] if len(laws) == 1 else f'{len(laws)} laws'}: {text}" for text, laws in problems.items()]
    raise AssertionError("\n".join([f"{checked} {' and '.join(titles)}", *lines, *needless])) from cause


def _describe_error(metric: Metric, error: Exception) -> str:
    """Return an exception with the file and line of the metric that raised it."""
    frames = list(walk_tb(error.__traceback__))
    modules = {base.__module__ for base in type(metric).__mro__} - {Metric.__module__}
    places = [(frame.f_code.co_filename, line) for frame, line in frames if frame.f_globals["__name__"] in modules]
    where = f" ({Path(places[-1][0]).name}, line {places[-1][1]})" if places else ""
    text = f"{type(error).__name__}: {error}{where}"
    return f"{VECTORIZED}; {text}" if any(_scores_single_rows(metric, frame) for frame, _ in frames) else text


def _scores_single_rows(metric: Metric, frame: FrameType) -> bool:
    """Return whether a frame is a call of `score` with several rows, and a call with one of them succeeds."""
    code = getattr(type(metric).score, "__code__", None)
    if frame.f_code is not code or frame.f_code.co_argcount < 2:
        return False
    sums = frame.f_locals.get(frame.f_code.co_varnames[1])
    if not isinstance(sums, np.ndarray) or sums.ndim < 2 or not sums.size:
        return False
    try:
        metric.score(sums.reshape(-1, sums.shape[-1])[0])
    except Exception:  # then the number of rows is not the problem
        return False
    return True


@cache
def _sample() -> tuple[list[str], list[list[str]], list[str]]:
    """Return candidates, references and document labels: twelve segments of the bundled test set, from all genres."""
    demo = datasets.load("demo")
    every_fifth = slice(None, None, 5)
    references = [list(segment) for segment in demo.references[every_fifth]]
    return list(demo.systems["literal"][every_fifth]), references, list(demo.documents[every_fifth])


def _score(metric: Metric, candidates: list[str], references: list[list[str]], **options: Any) -> Score:
    result: Score = score(candidates, references, metrics=metric, **options)[str(metric)]
    return result


def _differ(first: float, second: float) -> bool:
    if math.isnan(first) or math.isnan(second):
        return math.isnan(first) != math.isnan(second)
    return abs(first - second) > TOLERANCE * max(abs(first), abs(second))


def copies_score_best(metric: Metric) -> str | None:
    """No candidate scores better than a copy of one of its references."""
    generator = random.Random(1)
    long = ([text for text in segment if len(text.split()) >= LONG_TEXT] for segment in _sample()[1])
    for segment in [texts for texts in long if len(texts) > 1][:4]:
        for reference in segment:
            others = [*_edits(reference.split(), generator), *(text for text in segment if text != reference)]
            scores = metric.sign * _score(metric, [reference, *others], [segment] * (len(others) + 1)).segments
            best = int(np.argmax(scores[1:]))
            if scores[1 + best] > scores[0] + TOLERANCE:
                return f'"{others[best]}" scores better than the reference "{reference}"'
    return None


def _edits(words: list[str], generator: random.Random) -> Iterator[str]:
    """Yield thirty edited texts: words dropped, doubled, swapped, or replaced by rare ones."""
    for _ in range(30):
        changed = list(words)
        for _ in range(generator.randint(1, 4)):
            i = generator.randrange(len(changed))
            edit = generator.choice(["drop", "double", "swap", "replace"])
            if edit == "drop" and len(changed) > 1:
                del changed[i]
            elif edit == "double":
                changed.insert(i, changed[i])
            elif edit == "swap":
                j = generator.randrange(len(changed))
                changed[i], changed[j] = changed[j], changed[i]
            else:
                changed[i] = generator.choice(["zebra", "the", "a"])
        yield " ".join(changed)


def short_copies_score_as_long_ones(metric: Metric) -> str | None:
    """A copy of a short reference scores the same as a copy of a long one."""
    long, short = "to be or not to be or not to be or else to go", "the cat slept"
    scores = [_score(metric, [text], [[text]]).score for text in (long, short)]
    return f"copies score {scores[0]:g} and {scores[1]:g}" if _differ(*scores) else None


def segment_order_is_irrelevant(metric: Metric) -> str | None:
    """Scores do not depend on the order of the segments."""
    candidates, references, _ = _sample()
    order = random.Random(2).sample(range(len(candidates)), len(candidates))
    plain = _score(metric, candidates, references)
    mixed = _score(metric, [candidates[i] for i in order], [references[i] for i in order])
    if not np.array_equal(mixed.segments, plain.segments[order], equal_nan=True):
        return "segment scores change with the order of the segments"
    return f"the corpus score {plain.score:g} becomes {mixed.score:g}" if _differ(mixed.score, plain.score) else None


def reference_order_is_irrelevant(metric: Metric) -> str | None:
    """Scores do not depend on the order of a segment's references."""
    candidates, references, _ = _sample()
    generator = random.Random(3)
    # The last candidate matches nothing, so all its references are equally bad.
    last = ["three small words", "one", "two words"]
    mixed = [*(generator.sample(segment, len(segment)) for segment in references), last[::-1]]
    plain = _score(metric, [*candidates, "0"], [*references, last])
    other = _score(metric, [*candidates, "0"], mixed)
    if not np.array_equal(other.segments, plain.segments, equal_nan=True):
        return "segment scores change with the order of the references"
    return f"the corpus score {plain.score!r} becomes {other.score!r}" if other.score != plain.score else None


def doubled_references_change_nothing(metric: Metric) -> str | None:
    """Scores stay the same when every reference is listed twice."""
    candidates, references, _ = _sample()
    texts, once = [*candidates, "the the"], [*references, ["the end"]]
    plain, doubled = _score(metric, texts, once), _score(metric, texts, [[*segment, *segment] for segment in once])
    if _differ(doubled.score, plain.score):
        return f"the corpus score {plain.score:g} becomes {doubled.score:g}"
    return None


def sums_give_corpus_scores(metric: Metric) -> str | None:
    """The score of summed statistics is the corpus score, and of documents the document score."""
    candidates, references, documents = _sample()
    plain = _score(metric, candidates, references, documents=documents)
    rows = statistics(metric, candidates, references)
    if _differ(float(metric.score(rows.sum(axis=0))), plain.score):
        return f"the sum of the statistics scores {float(metric.score(rows.sum(axis=0))):g}, the corpus {plain.score:g}"
    if not np.array_equal(metric.score(rows), plain.segments, equal_nan=True):
        return "rows of statistics do not give the segment scores"
    for label in plain.documents:
        members = [i for i, document in enumerate(documents) if document == label]
        if _differ(plain.documents[label], float(metric.score(rows[members].sum(axis=0)))):
            return f'the rows of document "{label}" do not give its score'
    return None


def score_takes_any_leading_axes(metric: Metric) -> str | None:
    """`score` accepts sums of any shape [..., k] and returns one score per row."""
    candidates, references, _ = _sample()
    rows = statistics(metric, candidates, references)
    scores = np.asarray(metric.score(rows.reshape(2, 3, 2, -1)))
    if scores.shape != (2, 3, 2):
        sums = f"sums of shape (2, 3, 2, {rows.shape[1]})"
        return f"{VECTORIZED}; {sums} give scores of shape {scores.shape}, not (2, 3, 2)"
    if not np.array_equal(scores.ravel(), metric.score(rows), equal_nan=True):
        return f"{VECTORIZED}; the scores change with the shape of the sums"
    return None


def threads_change_nothing(metric: Metric) -> str | None:
    """Statistics, scores and intervals have the same bits for any number of threads."""
    candidates, references, _ = _sample()
    texts, answers = candidates * 100, references * 100  # more than one block of segments
    single, many = (_score(metric, texts, answers, jobs=jobs, confidence=0.9, n_resamples=100) for jobs in (1, 4))
    same = single.statistics.tobytes() == many.statistics.tobytes() and single.interval == many.interval
    return None if same else "one thread and four threads give different bits"


def companions_change_nothing(metric: Metric) -> str | None:
    """A metric gives the same statistics alone and beside other metrics."""
    candidates, references, _ = _sample()
    alone = _score(metric, candidates, references)
    companions = [name for name in ("BLEU-4", "NIST-5", "WER", "ROUGE-L", "chrF") if name != str(metric)]
    together = score(candidates, references, metrics=[metric, *companions])[str(metric)]
    same = together.statistics.tobytes() == alone.statistics.tobytes()
    return None if same else "the statistics differ when other metrics are computed in the same run"


def batches_change_nothing(metric: Metric) -> str | None:
    """The statistics of a segment do not depend on the segments that are counted with it.

    Only `context`, the result of `prepare`, may depend on all references.
    """
    candidates, references, _ = _sample()
    test_set = make_test_set([*candidates, "", "a b"], [*references, ["a b"], [""]])
    analyze_texts((*test_set.references, *test_set.systems.values()), [metric], TEXT.encoding, None)
    contexts = dict(zip([metric], prepare_contexts(test_set, [metric], TEXT.encoding), strict=True))

    def count_rows(first: int, last: int) -> Floats:
        texts = tuple(column.rows(first, last) for column in test_set.systems.values())
        streams = tuple(column.rows(first, last) for column in test_set.references)
        (by_system,) = count(
            contexts, BlockTask(texts, streams, test_set.present[:, first:last], (metric,), TEXT.encoding)
        )
        rows: Floats = by_system[0]
        return rows

    together = count_rows(0, len(test_set))
    for i, row in enumerate(together):
        (alone,) = count_rows(i, i + 1)
        if not np.array_equal(row, alone, equal_nan=True):
            return (
                f"the row of segment {i + 1} is {_write_row(row)} among {len(together)} segments and "
                f"{_write_row(alone)} alone: a row must depend on its own candidate and references only"
            )
    return None


def _write_row(row: Floats) -> str:
    """Return the first numbers of a row."""
    return f"[{', '.join(f'{value:.6g}' for value in row[:8])}{', ...' * (len(row) > 8)}]"


def repetition_changes_nothing(metric: Metric) -> str | None:
    """The corpus score stays the same when every segment is listed twice."""
    candidates, references, _ = _sample()
    once, twice = (_score(metric, candidates * times, references * times).score for times in (1, 2))
    if _differ(once, twice):
        return f"the corpus score {once:g} becomes {twice:g} when every segment is listed twice"
    return None


def statistics_are_finite(metric: Metric) -> str | None:
    """Rows of statistics hold neither NaN nor infinity, also for empty texts: they would spoil every sum."""
    candidates, references, _ = _sample()
    text = "a b c d e f g h i j"
    rows = statistics(metric, [*candidates, "", text, ""], [*references, [text], [""], [""]])
    cases = [*(f"segment {n}" for n in range(1, len(candidates) + 1)), *EMPTY_CASES]
    for case, row in zip(cases, rows, strict=True):
        if not np.isfinite(row).all():
            return f"the row of {case} is {_write_row(row)}: rows must be finite, and `score` returns NaN for no score"
    return None


def empty_texts_are_scored(metric: Metric) -> str | None:
    """Empty texts have finite scores or none, as `empty_values` or else the notes say; notes must mention both sides.

    Of the notes, only plain sentences can be checked, such as "an empty candidate scores 0".
    """
    text = " ".join(["a b c d e f g h i j"] * 2)  # some metrics count repeated words only
    scores = _score(metric, ["", text, ""], [[text], [""], [""]]).segments.tolist()
    if any(map(math.isinf, scores)):
        return f"an empty candidate, an empty reference and both score {scores}"
    declared = metric.empty_values or (None, None, None)
    for case, value, actual in zip(EMPTY_CASES, declared, scores, strict=True):
        if value is not None and not (abs(value - actual) <= TOLERANCE or (math.isnan(value) and math.isnan(actual))):
            return f"{case}: empty_values says {value:g}, but the score is {actual:g}"
    notes = " ".join(metric.notes.lower().split())
    missing = [f'"{words}"' for words in ("empty candidate", "empty reference") if words not in notes]
    if missing:
        return f"write a sentence with the words {' and '.join(missing)} into `notes`: what do such texts score?"
    for case, words, actual in zip(EMPTY_CASES, EMPTY_WORDS, scores, strict=True):
        # Notes are of a family; for its members, which may differ, `empty_values` says more.
        named = _score_in_notes(notes, words) if metric.empty_values is None else None
        if named is not None and not abs(float(named) - actual) <= ROUNDED:
            score = "NaN" if math.isnan(actual) else f"{actual:g}"
            return f"{case}: `notes` name the score {named}, but the score is {score}"
    return None


def _score_in_notes(notes: str, words: str) -> str | None:
    """Return the number that notes give as the score of an empty text, described by a regular expression.

    Clauses that mention no score, or a condition, are ignored.
    """
    for clause in re.split(r"[.;,:](?:\s|$)", notes):
        number = re.search(rf"(?:{words}).*?\bscores? (?:is )?(-?\d+(?:\.\d+)?)", clause)
        if number and not re.search(r"\b(no score|nan|if|unless|against|with)\b", clause):
            return number[1]
    return None


def signatures_are_true(metric: Metric) -> str | None:
    """If the signature says that texts are lowercased, case changes nothing; if it names a tokenizer, only words count.

    A metric that uses raw text, which is neither lowercased nor tokenized, breaks this law unless it overrides `reads`.
    """
    candidates, references, _ = _sample()
    lowercased, tokenized, raw = Encoding("none", lowercase=True), Encoding("13a"), Encoding("none")
    signed = [metric.reads(encoding) for encoding in (lowercased, tokenized, raw)]
    if any(encoding.analyzer for encoding in signed):
        return None

    def count_rows(texts: list[str], answers: list[list[str]], encoding: Encoding) -> Floats:
        return statistics(metric, texts, answers, tokenize=encoding.tokenize, lowercase=encoding.lowercase)

    advice = "a metric that uses raw text must override `reads`"
    if signed[0].lowercase:
        uppercase = [text.upper() for text in candidates]
        first, second = (count_rows(texts, references, lowercased) for texts in (candidates, uppercase))
        if not np.array_equal(first, second, equal_nan=True):
            return f'the signature says "case:lc", but uppercase candidates have other statistics: {advice}'
    if signed[1:] == [tokenized, raw]:
        split = tokenized.tokenizer
        before = [split(text) for text in candidates], [[split(text) for text in segment] for segment in references]
        first, second = count_rows(candidates, references, tokenized), count_rows(*before, raw)
        if not np.array_equal(first, second, equal_nan=True):
            return f'the signature says "tok:13a", but text that is tokenized before has other statistics: {advice}'
    return None


def names_are_values(metric: Metric) -> str | None:
    """A metric cannot be changed, and its name reads back as an equal metric, in any case, with the same hash."""
    try:
        metric.changed = True  # type: ignore[attr-defined]
    except AttributeError:
        pass
    else:
        return "the metric can be changed: its class must be a frozen dataclass"
    name = str(metric)
    for spelling in (name, name.lower()):
        again = find_metric(spelling)
        if again != metric or hash(again) != hash(metric) or str(again) != name:
            return f'"{spelling}" is read as {again!r}, not as {metric!r}'
    return None


def worked_example_holds(metric: Metric) -> str | None:
    """The worked example of the metric's family gives the documented score."""
    example = type(metric).example
    worked = find_metric(example.name)
    references = [[segment] if isinstance(segment, str) else list(segment) for segment in example.references]
    value = _score(worked, list(example.candidates), references).score
    return f"the example scores {value!r}, not {example.score!r}" if _differ(value, example.score) else None


LAWS: Mapping[str, Law] = {
    "identity": copies_score_best,
    "short copies": short_copies_score_as_long_ones,
    "order of segments": segment_order_is_irrelevant,
    "order of references": reference_order_is_irrelevant,
    "doubled references": doubled_references_change_nothing,
    "sums": sums_give_corpus_scores,
    "shapes": score_takes_any_leading_axes,
    "threads": threads_change_nothing,
    "companions": companions_change_nothing,
    "batches": batches_change_nothing,
    "repetition": repetition_changes_nothing,
    "finite": statistics_are_finite,
    "empty texts": empty_texts_are_scored,
    "signature": signatures_are_true,
    "names": names_are_values,
    "example": worked_example_holds,
}
