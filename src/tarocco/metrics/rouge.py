"""The ROUGE family: recall, precision and F of shared n-grams, subsequences and skip-bigrams."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Batch, Encoding
from tarocco.encode.vocabulary import Ragged
from tarocco.metrics.base import Agreement, EmptyValues, Example, Floats, parameter
from tarocco.metrics.names import Value, write_value
from tarocco.metrics.ngram.counts import share
from tarocco.metrics.text_pairs import (
    AS_IN_155,
    OPTIMUM,
    RECURRENCE,
    Comparison,
    PairwiseMetric,
    TextPairs,
)

HIGHEST_ORDER = 9
REFERENCES = ("best", "pooled", "best-recall", "jackknife")
STEMMERS = ("none", "porter", "porter-nltk")
COMPATS = ("none", "1.5.5", "rouge-score")

LIN_2004 = """
        Lin (2004), ROUGE: A Package for Automatic Evaluation of Summaries, workshop Text Summarization Branches Out.
"""
LIN_OCH_2004 = """
        Lin and Och (2004), Automatic Evaluation of Machine Translation Quality Using Longest Common Subsequence and
        Skip-Bigram Statistics, ACL.
"""
ROUGE_SCORE = Agreement(
    "rouge-score 0.1.2",
    "12 digits of recall, precision and F of every segment, with compat=rouge-score, with and without stems",
    "tests/peers/test_rouge_score.py::test_scores",
)
COMPAT = """
        RG- is another way to write ROUGE-, as in IQmt. compat=rouge-score reads text as rouge-score does (lower case,
        letters a to z and digits only), and its stems are NLTK's, of words of more than three letters:
        stemmer=porter-nltk (stemmer=porter means the same there). compat=1.5.5 gives the segment scores of ROUGE-1.5.5:
        its words (the same), rounding to five digits before F, and pooled references. With references=best-recall (its
        -f B) it uses the first of equal recalls, tarocco the one with the best F. Its averages are means of random
        resamples; tarocco's are means of the segments.
"""


@dataclass(frozen=True)
class SharedUnits:
    """The number of units that each pair shares, and that its candidate and reference have."""

    hits: Floats
    candidate: Floats
    reference: Floats
    criterion: Floats | None = None  # the criterion of best-recall, if it is not recall


@dataclass(frozen=True)
class Rouge(PairwiseMetric):
    """Recall, precision and F of shared units; the corpus score is the mean F."""

    beta: str = parameter("1", "how much more recall counts than precision: a number, inf (recall alone) or P/R")
    stemmer: str = parameter(
        "none", "compare words, or their stems (Porter, or NLTK's variant of it)", choices=STEMMERS
    )
    references: str = parameter(
        None,
        "several references: best F, pooled counts, best recall, or the mean over all sets without one reference",
        choices=REFERENCES,
        kind=str,
        depends="best, or pooled for compat=1.5.5",
    )
    compat: str = parameter(
        "none", "follow ROUGE-1.5.5 where it differs from the papers, or read text as rouge-score does", choices=COMPATS
    )
    empty: str = parameter("zero", "a segment without units on either side: 0, or left out", choices=("zero", "skip"))

    def __post_init__(self) -> None:
        # The dataclass is frozen, so derived values are set like this.
        if self.compat == "rouge-score" and self.stemmer == "porter":
            object.__setattr__(self, "stemmer", "porter-nltk")
        if self.references is None:
            object.__setattr__(self, "references", self.default("references"))
        object.__setattr__(self, "beta", _write_beta(self.beta, self.title))
        super().__post_init__()

    def default(self, parameter: str) -> Value | None:
        if parameter == "references":
            return "pooled" if self.compat == "1.5.5" else "best"
        return super().default(parameter)

    @property
    def empty_values(self) -> EmptyValues:  # type: ignore[override]
        """Two empty texts have no score if they are to be left out."""
        return EmptyValues(0.0, 0.0, math.nan if self.empty == "skip" else 0.0)

    def reads(self, requested: Encoding) -> Encoding:
        stem = "" if self.stemmer == "none" else self.stemmer
        if self.compat != "none":
            return Encoding("rouge", lowercase=True, stem=stem)
        return Encoding(requested.tokenize, requested.lowercase, stem)

    @property
    def pools_references(self) -> bool:
        return self.references in ("pooled", "jackknife")

    def rank_references(self, rows: Floats) -> list[tuple[float, ...]]:
        keys = super().rank_references(rows)
        if self.references != "best-recall":
            return keys
        return [(-row[1], *key) for row, key in zip(rows.tolist(), keys, strict=True)]

    @abstractmethod
    def shared_units(self, comparison: Comparison) -> SharedUnits:
        """Return the units of each pair."""

    def ratios(self, part: Floats, whole: Floats) -> Floats:
        """Return the recall or precision of these sums."""
        return share(part, whole)

    def columns(self, measured: Comparison) -> Floats:
        """[F, recall, precision, 1], all 0 if there is no score"""
        pairs, units = measured.pairs, self.shared_units(measured)
        if self.references == "pooled":
            columns, exists = self._scores(_pool(pairs, units))
        else:
            scores, existing = self._scores(units)
            criterion = scores[1] if units.criterion is None else units.criterion
            first = [criterion] if self.references == "best-recall" else []
            best = _best(pairs, [*first, *scores], existing)
            exists, columns = existing[best], [of_pairs[best] for of_pairs in scores]
            if self.references == "jackknife":
                columns = _jackknife(pairs, scores, existing)
        return np.column_stack([np.where(exists, column, 0.0) for column in columns] + [exists])

    def scores(self, measured: Comparison) -> Floats:
        """Return the scores; if the best F counts, the other columns are not needed to break ties."""
        if self.references != "best" or not self.counts_as(Rouge):
            return super().scores(measured)
        (f, *_), existing = self._scores(self.shared_units(measured))
        best = _best(measured.pairs, [f], existing)
        exists = existing[best]
        with np.errstate(invalid="ignore"):
            return np.where(exists, f[best], 0.0) / exists

    def _scores(self, units: SharedUnits) -> tuple[list[Floats], NDArray[np.bool_]]:
        """Return F, recall and precision, and whether they count."""
        counted = units.candidate + units.reference > 0 if self.empty == "skip" else np.ones(len(units.hits), np.bool_)
        recall = self.ratios(units.hits, units.reference)
        precision = self.ratios(units.hits, units.candidate)
        if self.compat == "1.5.5":
            recall, precision = np.round(recall, 5), np.round(precision, 5)
            rounded = [np.round(f_measure(recall, precision, self.beta), 5), recall, precision]
            return rounded, counted
        return [f_measure(recall, precision, self.beta), recall, precision], counted

    def score(self, sums: Floats) -> Floats:
        with np.errstate(invalid="ignore"):
            return sums[..., 0] / sums[..., 3]

    def details(self, sums: Floats) -> dict[str, Any]:
        """Return mean recall and precision, and the number of segments."""
        count = float(sums[3])
        share = [float(part) / count if count else None for part in sums[1:3]]
        return {"recall": share[0], "precision": share[1], "segments": int(count)}


def _pool(pairs: TextPairs, units: SharedUnits) -> SharedUnits:
    """Return the sums over the references of each candidate, whose rounding does not depend on their order."""
    parts = [part[pairs.choices] for part in (units.hits, units.candidate, units.reference)]
    order = np.lexsort((*parts, pairs.owners))
    return SharedUnits(*(np.add.reduceat(part[order], pairs.starts[:-1]) for part in parts))


def _best(pairs: TextPairs, keys: list[Floats], exists: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the pair of each candidate with the highest keys."""
    return pairs.least(*(np.where(exists, -key, np.inf) for key in keys))


def _jackknife(pairs: TextPairs, scores: list[Floats], exists: NDArray[np.bool_]) -> list[Floats]:
    """Return the means over all sets without one reference; the second best counts if the best one is left out."""
    scores, left = [column[pairs.choices] for column in scores], exists[pairs.choices]
    best = _best(pairs.apart, scores, left)
    left[best] = False
    second = _best(pairs.apart, scores, left)
    second = np.where(left[second], second, best)
    counts = pairs.counts
    return [(column[best] * (counts - 1) + column[second]) / counts for column in scores]


def f_measure(recall: Floats, precision: Floats, beta: str) -> Floats:
    """Return F; beta is a number, inf, or P/R for the papers' beta = precision / recall."""
    if beta == "inf":
        return recall
    with np.errstate(divide="ignore", invalid="ignore"):
        square = (precision / recall) ** 2 if beta == "P/R" else float(beta) ** 2
        f: Floats = (1 + square) * recall * precision / (recall + square * precision)
    return np.where((recall > 0) & (precision > 0), f, 0.0)


def _write_beta(beta: object, title: str) -> str:
    if str(beta).upper() == "P/R":
        return "P/R"
    try:
        number = float(str(beta))
    except ValueError:
        number = math.nan
    if not (0 <= number <= 1e6 or number == math.inf):
        raise BadParameter(f'{title}: beta is a number from 0 to 1000000, inf or P/R, not "{beta}"')
    return write_value(number)


@dataclass(frozen=True)
class RougeN(Rouge):
    """N-gram overlap."""

    order: int = parameter(2, "the length of the n-grams", in_stem=True)

    title: ClassVar[str] = "ROUGE-N"
    summary: ClassVar[str] = "F of the n-grams that candidate and reference share."
    formula: ClassVar[str] = (
        "R = (shared n-grams) / (n-grams of r), P = (shared n-grams) / (n-grams of c)\n"
        "F = (1 + beta^2) R P / (R + beta^2 P); corpus: the mean of the segments' F"
    )
    paper: ClassVar[str] = LIN_2004
    pattern: ClassVar[str] = r"(?:ROUGE|RG)-?(?P<order>\d+)"
    names: ClassVar[tuple[str, ...]] = (
        *(f"ROUGE-{n}" for n in (2, 1, *range(3, HIGHEST_ORDER + 1))),
        "ROUGE-1:beta=inf",
        "ROUGE-1:beta=P/R",
        "ROUGE-1:stemmer=porter",
        "ROUGE-1:stemmer=porter-nltk:compat=rouge-score",
    )
    example: ClassVar[Example] = Example(
        name="ROUGE-2",
        candidates=("the cat sat on it",),
        references=(("the cat sat",),),
        score=2 * 1 * 0.5 / 1.5,
        why="the cat, cat sat: all 2 bigrams of the reference, 2 of 4 of the candidate",
    )
    notes: ClassVar[str] = f"""
        Equal to rouge1 to rouge9 of rouge-score 0.1.2 with compat=rouge-score. {COMPAT.strip()} An empty candidate
        scores 0, and so does any candidate against an empty reference. If neither text has n-grams, the score is 0;
        with empty=skip there is none.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        ROUGE_SCORE,
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, orders 1 to 4, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= HIGHEST_ORDER:
            raise BadParameter(f"{self.title}: N is 1 to {HIGHEST_ORDER}, not {self.order}")

    @property
    def stem(self) -> str:
        return f"ROUGE-{self.order}"

    def requests(self) -> tuple[tuple[str, Hashable], ...]:
        return (("n-grams", self.order),)

    def shared_units(self, comparison: Comparison) -> SharedUnits:
        totals = comparison.pairs.of_lengths(lambda lengths: np.maximum(lengths - (self.order - 1), 0.0))
        return SharedUnits(comparison.shared_ngrams(self.order), *totals)


@dataclass(frozen=True)
class RougeL(Rouge):
    """The longest common subsequence."""

    title: ClassVar[str] = "ROUGE-L"
    summary: ClassVar[str] = "F of the longest common subsequence: words in the same order, with gaps."
    formula: ClassVar[str] = (
        "R = LCS(c, r) / |r|, P = LCS(c, r) / |c|, LCS = length of the longest common subsequence\n"
        "F = (1 + beta^2) R P / (R + beta^2 P); corpus: the mean of the segments' F"
    )
    paper: ClassVar[str] = LIN_OCH_2004
    pattern: ClassVar[str] = "(?:ROUGE|RG)-?L"
    names: ClassVar[tuple[str, ...]] = ("ROUGE-L", "ROUGE-L:beta=inf", "ROUGE-L:beta=P/R", "ROUGE-L:beta=3")
    example: ClassVar[Example] = Example(
        name="ROUGE-L",
        candidates=("police kill the gunman",),
        references=(("police killed the gunman",),),
        score=0.75,
        why="police the gunman: 3 of 4 words on both sides",
    )
    notes: ClassVar[str] = f"""
        Equal to rougeL of rouge-score 0.1.2 with compat=rouge-score. {COMPAT.strip()} An empty candidate scores 0, and
        so does any candidate against an empty reference. Two empty texts score 0; with empty=skip there is no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        ROUGE_SCORE,
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
        Agreement(
            "Lin and Och (2004)",
            "the examples of the paper",
            "tests/golden/test_rouge.py::test_examples_of_the_paper",
        ),
    )

    def shared_units(self, comparison: Comparison) -> SharedUnits:
        pairs = comparison.pairs
        lengths = (pairs.candidate_lengths, pairs.reference_lengths)
        return SharedUnits(*(counts.astype(np.float64) for counts in (comparison.subsequences, *lengths)))


@dataclass(frozen=True)
class RougeLsum(RougeL):
    """The longest common subsequences of sentences, united."""

    compat: str = parameter("none", "read text as rouge-score does", choices=("none", "rouge-score"))

    title: ClassVar[str] = "ROUGE-Lsum"
    summary: ClassVar[str] = (
        "ROUGE-L of texts of several sentences, one per line: the words in any sentence's subsequence."
    )
    formula: ClassVar[str] = (
        "H = sum over the sentences of r of |union of LCS(sentence of r, sentence of c) over the sentences of c|,\n"
        "  where a word counts at most as often as it occurs in c and in r\n"
        "R = H / |r|, P = H / |c|, F = (1 + beta^2) R P / (R + beta^2 P); corpus: the mean of the segments' F"
    )
    paper: ClassVar[str] = LIN_2004
    pattern: ClassVar[str] = "(?:ROUGE|RG)-?Lsum"
    names: ClassVar[tuple[str, ...]] = ("ROUGE-Lsum", "ROUGE-Lsum:stemmer=porter-nltk:compat=rouge-score")
    example: ClassVar[Example] = Example(
        name="ROUGE-Lsum",
        candidates=("w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5",),
        references=(("w1 w2 w3 w4 w5",),),
        score=2 * 4 / 5 * 4 / 10 / (4 / 5 + 4 / 10),
        why="the paper's example: w1 w2 and w1 w3 w5 unite to w1 w2 w3 w5, 4 of 5 words of the reference and 4 of 10",
    )
    notes: ClassVar[str] = """
        Equal to rougeLsum of rouge-score 0.1.2 with compat=rouge-score (without its split_summaries). Sentences end at
        newlines within a text, so they exist only in texts from Python or JSON lines; for texts of one line the score
        is that of ROUGE-L. Each sentence is tokenized by itself. As in rouge-score, the subsequences that are united
        are those traced from the ends of both sentences. An empty candidate scores 0, and so does any candidate against
        an empty reference. Two empty texts score 0; with empty=skip there is no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (ROUGE_SCORE,)

    def shared_units(self, comparison: Comparison) -> SharedUnits:
        return SharedUnits(*(counts.astype(np.float64) for counts in comparison.united_subsequences))


LARGEST_GAP = 1_000_000


def skip_bigram_totals(lengths: NDArray[np.intp], gap: int | None) -> Floats:
    """Return the number of skip-bigrams with gaps up to this one (None: any) in texts of these lengths."""
    n = lengths.astype(np.float64)
    largest = n - 2 if gap is None else np.minimum(n - 2, float(gap))
    return np.where(n < 2, 0.0, (largest + 1) * (n - 1) - largest * (largest + 1) / 2)


@dataclass(frozen=True)
class RougeS(Rouge):
    """Skip-bigram overlap."""

    gap: int | None = parameter(None, "the most words between the two; * for any number", in_stem=True, kind=int)

    title: ClassVar[str] = "ROUGE-S-d"
    summary: ClassVar[str] = "F of shared skip-bigrams: pairs of words in order with at most d words between them."
    formula: ClassVar[str] = (
        "R = (shared skip-bigrams) / (skip-bigrams of r), P = (shared skip-bigrams) / (skip-bigrams of c)\n"
        "gaps of at most d words; ROUGE-S* any gap, |c| (|c| - 1) / 2 skip-bigrams\n"
        "F = (1 + beta^2) R P / (R + beta^2 P); corpus: the mean of the segments' F"
    )
    paper: ClassVar[str] = LIN_OCH_2004
    pattern: ClassVar[str] = r"(?:ROUGE|RG)-?S(?P<any>\*|-\*)|(?:ROUGE|RG)-?S-?(?P<gap>\d+)"
    names: ClassVar[tuple[str, ...]] = ("ROUGE-S*", *(f"ROUGE-S-{d}" for d in range(10)))
    also: ClassVar[tuple[tuple[str, str], ...]] = (("ROUGE-S*", "The same with any number of words between the two."),)
    example: ClassVar[Example] = Example(
        name="ROUGE-S*",
        candidates=("the gunman kill police",),
        references=(("police killed the gunman",),),
        score=1 / 6,
        why="of 6 skip-bigrams on both sides, only the gunman is shared",
    )
    notes: ClassVar[str] = f"""
        A pair counts as often as it occurs in both texts. ROUGE-S-0 is ROUGE-2. {COMPAT.strip()} An empty candidate
        scores 0, and so does any candidate against an empty reference. If neither text has skip-bigrams, the score is
        0; with empty=skip there is none.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, gaps of 4 and any, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
        Agreement(
            "Lin and Och (2004)",
            "the examples of the paper",
            "tests/golden/test_rouge.py::test_examples_of_the_paper",
        ),
    )

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        in_stem = super().read_stem(stem)
        return None if in_stem is None else {key: value for key, value in in_stem.items() if key == "gap"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gap is not None and not 0 <= self.gap <= LARGEST_GAP:
            raise BadParameter(f"{self.title}: d is 0 to {LARGEST_GAP}, or * for any gap, not {self.gap}")

    @property
    def stem(self) -> str:
        title = self.title.removesuffix("-d")
        return f"{title}*" if self.gap is None else f"{title}-{self.gap}"

    def requests(self) -> tuple[tuple[str, Hashable], ...]:
        return (("gap", self.gap),)

    def shared_units(self, comparison: Comparison) -> SharedUnits:
        totals = comparison.pairs.of_lengths(lambda lengths: skip_bigram_totals(lengths, self.gap))
        return SharedUnits(comparison.skip_bigrams(self.gap).astype(np.float64), *totals)


@dataclass(frozen=True)
class RougeSU(RougeS):
    """Skip-bigrams and words."""

    title: ClassVar[str] = "ROUGE-SU-d"
    summary: ClassVar[str] = "F of shared skip-bigrams and single words."
    formula: ClassVar[str] = "As ROUGE-S-d, with single words as additional units; ROUGE-SU* with any gap"
    pattern: ClassVar[str] = r"(?:ROUGE|RG)-?SU(?P<any>\*|-\*)|(?:ROUGE|RG)-?SU-?(?P<gap>\d+)"
    names: ClassVar[tuple[str, ...]] = ("ROUGE-SU*", *(f"ROUGE-SU-{d}" for d in range(10)))
    also: ClassVar[tuple[tuple[str, str], ...]] = (("ROUGE-SU*", "The same with any number of words between the two."),)
    example: ClassVar[Example] = Example(
        name="ROUGE-SU*",
        candidates=("the gunman kill police",),
        references=(("police killed the gunman",),),
        score=4 / 10,
        why="the gunman, and the words the, gunman and police: 4 of 6 skip-bigrams and 4 words on both sides",
    )
    notes: ClassVar[str] = f"""
        {COMPAT.strip()} It also does not count the last word of either text as a unit. An empty candidate scores 0, and
        so does any candidate against an empty reference. Two empty texts score 0; with empty=skip there is no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, gaps of 4 and any, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
    )

    def shared_units(self, comparison: Comparison) -> SharedUnits:
        skips = super().shared_units(comparison)
        if self.compat == "1.5.5":
            comparison = Comparison(_without_last_words(comparison.batch))
        pairs = comparison.pairs
        words = (comparison.hits, pairs.candidate_lengths, pairs.reference_lengths)
        parts = (skips.hits, skips.candidate, skips.reference)
        return SharedUnits(*(part + more for part, more in zip(parts, words, strict=True)))


def _without_last_words(batch: Batch) -> Batch:
    def shortened(texts: Ragged) -> Ragged:
        filled = texts.lengths > 0
        values = np.delete(texts.values, texts.offsets[1:][filled] - 1)
        return Ragged(values, texts.offsets - np.concatenate([np.zeros(1, np.intp), np.cumsum(filled)]))

    return replace(batch, candidates=shortened(batch.candidates), references=shortened(batch.references))


@dataclass(frozen=True)
class Weighting:
    """An increasing function of the length of a run, its inverse and its name; the empty run is worth 0."""

    weight: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    text: str

    def __call__(self, runs: Floats) -> Floats:
        return np.where(runs > 0, self.weight(runs), 0.0)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Power:
    """f(k) = k^a"""

    exponent: float

    def __call__(self, runs: Floats) -> Floats:
        return runs**self.exponent

    def inverse(self, values: Floats) -> Floats:
        return values ** (1 / self.exponent)


@dataclass(frozen=True)
class RougeW(Rouge):
    """The weighted longest common subsequence."""

    exponent: float = parameter(1.2, "a run of k words is worth k^a", in_stem=True)
    variant: str = parameter("paper", "the paper's recurrence, or the optimum", choices=("paper", "exact"))
    weighting: Weighting | None = parameter(  # noqa: RUF009
        None, "another function than k^a (only in Python)", kind=Weighting, depends="k^a"
    )

    title: ClassVar[str] = "ROUGE-W-a"
    summary: ClassVar[str] = "F of the longest common subsequence, where consecutive words count more."
    formula: ClassVar[str] = (
        "R = f^-1(WLCS(c, r) / f(|r|)), P = f^-1(WLCS(c, r) / f(|c|)), f(k) = k^a\n"
        "WLCS = the sum of f(k) over the runs of a common subsequence, k consecutive words on both sides\n"
        "F = (1 + beta^2) R P / (R + beta^2 P); corpus: the mean of the segments' F"
    )
    paper: ClassVar[str] = LIN_OCH_2004
    pattern: ClassVar[str] = r"(?:ROUGE|RG)-?W(?:-(?P<exponent>\d+(?:\.\d+)?))?"
    names: ClassVar[tuple[str, ...]] = (
        "ROUGE-W-1.2",
        *(f"ROUGE-W-{a}" for a in ("1", "1.1", "1.3", "1.4", "1.5", "1.6", "1.7", "1.8", "1.9", "2")),
    )
    example: ClassVar[Example] = Example(
        name="ROUGE-W-2",
        candidates=("A H B K C I D",),
        references=(("A B C D E F G",),),
        score=2 / 7,
        why="four runs of one word: WLCS = 4; both sides have f(7) = 49, sqrt(4 / 49) = 2/7",
    )
    notes: ClassVar[str] = f"""
        The paper's recurrence always takes a match, so it can miss the best subsequence: for the reference a b b and
        the candidate a b it finds runs worth 2, not 4. variant=exact gives the optimum. ROUGE-W-1 equals ROUGE-L.
        {COMPAT.strip()} It also applies f twice to the reference's length (f(f(|r|))) and looks for runs in the
        reference only. An empty candidate scores 0, and so does any candidate against an empty reference. Two empty
        texts score 0; with empty=skip there is no score.
    """
    agreement: ClassVar[tuple[Agreement, ...]] = (
        Agreement(
            "ROUGE-1.5.5",
            "the 5 digits printed of recall, precision and F of every segment, a = 1.2 and 2, with compat=1.5.5",
            "tests/golden/test_rouge.py::test_rouge_155",
        ),
        Agreement(
            "Lin and Och (2004)",
            "the examples of the paper",
            "tests/golden/test_rouge.py::test_examples_of_the_paper",
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        most = 5 if self.compat == "1.5.5" else 10  # so that lengths to this power do not overflow
        if not 1 <= self.exponent <= most:
            raise BadParameter(f"{self.title}: a is 1 to {most}, not {write_value(self.exponent)}")
        if self.compat == "1.5.5" and self.variant == "exact":
            raise BadParameter(
                f"{self.title}: compat=1.5.5 uses another recurrence and cannot be combined with variant=exact"
            )

    @property
    def stem(self) -> str:
        return f"ROUGE-W-{write_value(self.exponent)}" if self.weighting is None else "ROUGE-W"

    @property
    def worth(self) -> Any:
        """The function from the length of a run to its worth."""
        return self.weighting or Power(self.exponent)

    @property
    def _kernel_variant(self) -> int:
        if self.compat == "1.5.5":
            return AS_IN_155
        return OPTIMUM if self.variant == "exact" else RECURRENCE

    def requests(self) -> tuple[tuple[str, Hashable], ...]:
        return (("worth", (self._kernel_variant, self.worth)),)

    def shared_units(self, comparison: Comparison) -> SharedUnits:
        pairs, worth = comparison.pairs, self.worth
        candidate, reference = pairs.of_lengths(lambda lengths: worth(lengths.astype(np.float64)))
        hits = comparison.weighted_subsequences(self._kernel_variant, worth)
        if self.compat == "1.5.5":
            return SharedUnits(hits, candidate, worth(reference), criterion=super().ratios(hits, reference))
        return SharedUnits(hits, candidate, reference)

    def ratios(self, part: Floats, whole: Floats) -> Floats:
        ratios = super().ratios(part, whole)
        return np.where(ratios > 0, self.worth.inverse(ratios), 0.0)
