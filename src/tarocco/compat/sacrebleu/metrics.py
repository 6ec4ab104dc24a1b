"""BLEU, CHRF and TER with the parameters, results and signatures of sacrebleu 2.6.0."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from tarocco.core.json_text import json_text
from tarocco.core.test_set import TestSet as Texts
from tarocco.core.test_set import pack_segments
from tarocco.encode.batch import Encoding
from tarocco.encode.tokenizers import NAMES
from tarocco.metrics.base import Floats
from tarocco.metrics.base import Metric as Statistics
from tarocco.metrics.edit.ter import Ter
from tarocco.metrics.ngram.bleu import SMOOTHING_VALUES, Bleu
from tarocco.metrics.ngram.chrf import ChrF
from tarocco.metrics.one_segment import SegmentCounter
from tarocco.scoring.statistics import BlockTask, count

VERSION = "2.6.0"  # the release whose numbers these are
MAX_NGRAM_ORDER = 4

Streams = Sequence[Sequence[str | None]]

_LOG_OF_ZERO = -9999999999.0  # sacrebleu's
_TAIL = 40  # 1/40 of the resamples is outside the interval on either side


class Score:
    """A score in percent; `str(score)` is the line that sacrebleu prints."""

    def __init__(self, name: str, score: float) -> None:
        self.name = name
        self.score = score
        self._mean = -1.0
        self._ci = -1.0
        self._verbose = ""

    def format(self, width: int = 2, score_only: bool = False, signature: str = "", is_json: bool = False) -> str:
        """Return the line of the score, the number alone, or JSON."""
        rounded = f"{self.score:.{width}f}"
        fields: dict[str, Any] = {"name": self.name, "score": float(rounded), "signature": signature}
        if self._mean > 0:
            mean, interval = f"{self._mean:.{width}f}", f"{self._ci:.{width}f}"
            fields |= {"confidence_mean": float(mean), "confidence_var": float(interval)}
            fields["confidence"] = f"μ = {mean} ± {interval}"
            rounded += f" ({fields['confidence']})"
        if score_only:
            return rounded
        if self._verbose:
            fields["verbose_score"] = self._verbose
        if is_json:
            fields |= dict(part.split(":") for part in signature.split("|") if part)
            return json_text(fields, indent=1)
        name = f"{self.name}|{signature}" if signature else self.name
        return f"{name} = {rounded} {self._verbose}".rstrip()

    def estimate_ci(self, scores: Sequence[Score]) -> None:
        """Take the mean and half the width of the 95% interval from resampled scores."""
        ordered = sorted(score.score for score in scores)
        outside = len(ordered) // _TAIL
        self._ci = 0.5 * (ordered[len(ordered) - outside - 1] - ordered[outside])
        self._mean = math.fsum(ordered) / len(ordered)

    def __repr__(self) -> str:
        return self.format()


class BLEUScore(Score):
    """BLEU with its counts, totals and precisions by order, penalty and lengths."""

    def __init__(
        self,
        score: float,
        counts: list[float],
        totals: list[float],
        precisions: list[float],
        bp: float,
        sys_len: int,
        ref_len: int,
    ) -> None:
        super().__init__("BLEU", score)
        self.bp = bp
        self.counts = counts
        self.totals = totals
        self.sys_len = sys_len
        self.ref_len = ref_len
        self.precisions = precisions
        self.ratio = sys_len / ref_len if ref_len else 0
        self.prec_str = "/".join(f"{precision:.1f}" for precision in precisions)
        lengths = f"hyp_len = {sys_len:d} ref_len = {ref_len:d}"
        self._verbose = f"{self.prec_str} (BP = {bp:.3f} ratio = {self.ratio:.3f} {lengths})"


class CHRFScore(Score):
    """chrF with its parameters."""

    def __init__(self, score: float, char_order: int, word_order: int, beta: int) -> None:
        super().__init__(f"chrF{beta}{'+' * word_order}", score)
        self.beta = beta
        self.char_order = char_order
        self.word_order = word_order


class TERScore(Score):
    """TER with its edits and the mean length of the references."""

    def __init__(self, score: float, num_edits: float, ref_length: float) -> None:
        super().__init__("TER", score)
        self.num_edits = int(num_edits)
        self.ref_length = ref_length


class Signature:
    """The parameters of a score, in sacrebleu's order and with its abbreviations."""

    def __init__(self, info: dict[str, Any], abbreviations: dict[str, str]) -> None:
        self.info = info
        self._abbr = {"nrefs": "#", "bs": "bs", "seed": "rs", **abbreviations, "version": "v"}

    def format(self, short: bool = False) -> str:
        """Return `key:value` pairs, the release last."""
        pairs = []
        for key in [*(key for key in self.info if key != "version"), "version"]:
            value = self.info[key]
            if value is not None:
                written = ("yes" if value else "no") if isinstance(value, bool) else value
                pairs.append(f"{self._abbr.get(key, key) if short else key}:{written}")
        return "|".join(pairs)

    def update(self, key: str, value: Any) -> None:
        """Add or replace an item."""
        self.info[key] = value

    def __repr__(self) -> str:
        return self.format()


class Metric:
    """What BLEU, CHRF and TER share: checks, statistics of a sentence or a corpus, and signatures."""

    _abbreviations: ClassVar[dict[str, str]]
    num_refs: int | str

    def __init__(self, statistics: Statistics, encoding: Encoding, references: Streams | None) -> None:
        self.n_bootstrap: int | None = None
        self.seed: str | None = None
        self._statistics = statistics
        self._encoding = encoding
        self._counter = SegmentCounter([statistics], encoding)
        self._references = None if references is None else list(references)

    def _score(self, sums: Sequence[float]) -> Any:
        raise NotImplementedError

    def _parameters(self) -> dict[str, Any]:
        raise NotImplementedError

    def sentence_score(self, hypothesis: str, references: Sequence[str]) -> Any:
        """Score one sentence against its references."""
        name = type(self).__name__
        if not isinstance(hypothesis, str):
            raise TypeError(f"{name}: the hypothesis is a string, not {type(hypothesis).__name__}")
        if isinstance(references, str) or not isinstance(references, Sequence) or not references:
            raise TypeError(f"{name}: the references of a sentence are a list of strings, not {references!r}")
        present = [text for text in references if text is not None]
        self.num_refs = len(present)
        row = self._counter.rows(hypothesis, present)[0] if present else None
        if row is None:
            row = self._rows([hypothesis], [[text] for text in references])[0].tolist()
        return self._score(row)

    def corpus_score(self, hypotheses: Sequence[str], references: Streams | None, n_bootstrap: int = 1) -> Any:
        """Score a corpus; references[r][i] is reference r of sentence i.

        With `n_bootstrap` above 1, the score has a mean and an interval from as many resamples.
        """
        rows = self._rows(hypotheses, references)
        result = self._score(rows.sum(axis=0).tolist())
        if n_bootstrap > 1:
            self.n_bootstrap = n_bootstrap
            self.seed = os.environ.get("SACREBLEU_SEED", "12345").lower()
            generator = np.random.default_rng(None if self.seed == "none" else int(self.seed))
            draws = generator.choice(len(rows), size=(n_bootstrap, len(rows)), replace=True)
            result.estimate_ci([self._score(rows[drawn].sum(axis=0).tolist()) for drawn in draws])
        return result

    def get_signature(self) -> Signature:
        """Return the signature; there is none before the first score, because it has the number of references."""
        if not hasattr(self, "num_refs"):
            raise ValueError("the number of references is not known yet: compute a score before get_signature()")
        general = {"nrefs": self.num_refs, "bs": self.n_bootstrap, "seed": self.seed}
        return Signature({**general, **self._parameters(), "version": VERSION}, self._abbreviations)

    # --- statistics ----------------------------------------------------------------------------------------------

    def _rows(self, hypotheses: Sequence[str], references: Streams | None) -> Floats:
        """Return the statistics of each sentence. Only None is a missing reference; an empty string is a text."""
        streams = self._check(hypotheses, references)
        present = np.array([[text is not None for text in stream] for stream in streams])
        counts = {int(size) for size in present.sum(axis=0)}
        if 0 in counts:
            raise ValueError(f"sentence {int(present.sum(axis=0).argmin())} (counted from 0) has no reference")
        self.num_refs = counts.pop() if len(counts) == 1 else "var"
        packed = tuple(pack_segments([text or "" for text in stream], "references") for stream in streams)
        system, blocks = pack_segments(hypotheses, "hypotheses"), []
        for block in Texts({}, packed).blocks:
            columns = tuple(stream.rows(*block) for stream in packed)
            task = BlockTask(
                (system.rows(*block),), columns, present[:, slice(*block)], (self._statistics,), self._encoding
            )
            blocks.append(count({}, task)[0][0])
        return np.concatenate(blocks)

    def _check(self, hypotheses: Sequence[str], references: Streams | None) -> Streams:
        name = type(self).__name__
        if references is None:
            references = self._references
        if references is None:
            raise RuntimeError(f"{name}: no references here, and none when the metric was made")
        if isinstance(hypotheses, str) or not isinstance(hypotheses, Sequence) or not hypotheses:
            raise TypeError(f"{name}: the hypotheses are a list of strings, not {hypotheses!r}")
        for stream in references:
            if isinstance(stream, str) or not isinstance(stream, Sequence):
                raise TypeError(f"{name}: the references are a list of lists of strings, one list per stream")
        n, sizes = len(hypotheses), {len(stream) for stream in references}
        if sizes != {n}:
            hint = "; list(zip(*references)) transposes lists by sentence" if len(references) == n else ""
            raise ValueError(
                f"{name}: references[r][i] is reference r of sentence i: expected streams of {n} references, "
                f"found {len(references)} of {', '.join(map(str, sorted(sizes)))}{hint}"
            )
        if len(references) == n > 1:
            warnings.warn(
                f"{name}: {n} lists of {n} references may be streams or lists by sentence; they are read as streams, "
                "references[r][i] for sentence i",
                stacklevel=4,
            )
        return references


class _Tokenizer:
    """A tokenizer as sacrebleu has it: a function from a line to its words, with a signature."""

    def __init__(self, encoding: Encoding) -> None:
        self._encoding = encoding

    def signature(self) -> str:
        return self._encoding.tokenize

    def __call__(self, line: str) -> str:
        words: str = self._encoding.tokenizer(line)
        return words


class BLEU(Metric):
    """BLEU; its defaults are sacrebleu's."""

    SMOOTH_DEFAULTS: ClassVar[dict[str, float | None]] = {"none": None, **SMOOTHING_VALUES, "exp": None}
    TOKENIZERS = NAMES
    TOKENIZER_DEFAULT = "13a"
    _TOKENIZER_MAP: ClassVar[dict[str, str]] = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
    _abbreviations: ClassVar[dict[str, str]] = {"case": "c", "eff": "e", "tok": "tok", "smooth": "s"}

    def __init__(
        self,
        lowercase: bool = False,
        force: bool = False,
        tokenize: str | None = None,
        smooth_method: str = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = MAX_NGRAM_ORDER,
        effective_order: bool = False,
        trg_lang: str = "",
        references: Streams | None = None,
    ) -> None:
        _check_smoothing(smooth_method)
        encoding = Encoding(tokenize or self._TOKENIZER_MAP.get(trg_lang, self.TOKENIZER_DEFAULT), lowercase)
        super().__init__(Bleu(order=max_ngram_order), encoding, references)
        self.lowercase = lowercase
        self.smooth_method = smooth_method
        self.smooth_value = smooth_value
        self.max_ngram_order = max_ngram_order
        self.effective_order = effective_order
        self.trg_lang = trg_lang
        self.tokenizer = _Tokenizer(encoding)
        self.tokenizer_signature = encoding.tokenizer.signature

    @staticmethod
    def compute_bleu(
        correct: Sequence[float],
        total: Sequence[float],
        sys_len: int,
        ref_len: int,
        smooth_method: str = "none",
        smooth_value: float | None = None,
        effective_order: bool = False,
        max_ngram_order: int = MAX_NGRAM_ORDER,
    ) -> BLEUScore:
        """Compute BLEU from the counts of matches and n-grams and from the lengths."""
        _check_smoothing(smooth_method)
        value = BLEU.SMOOTH_DEFAULTS[smooth_method] if smooth_value is None else smooth_value
        counts, totals, precisions = list(correct), list(total), [0.0] * max_ngram_order
        penalty = 1.0
        if sys_len < ref_len:
            penalty = math.exp(1 - ref_len / sys_len) if sys_len > 0 else 0.0
        if not any(counts):
            return BLEUScore(0.0, counts, totals, precisions, penalty, sys_len, ref_len)
        halved, used = 1.0, max_ngram_order
        for n in range(max_ngram_order):
            if smooth_method == "add-k" and n:
                counts[n] += value or 0
                totals[n] += value or 0
            if totals[n] == 0:
                break
            if effective_order:
                used = n + 1
            if counts[n]:
                precisions[n] = 100.0 * counts[n] / totals[n]
            elif smooth_method == "exp":
                halved *= 2
                precisions[n] = 100.0 / (halved * totals[n])
            elif smooth_method == "floor":
                precisions[n] = 100.0 * (value or 0.0) / totals[n]
        logarithms = [math.log(precision) if precision else _LOG_OF_ZERO for precision in precisions[:used]]
        score = penalty * math.exp(sum(logarithms) / used)
        return BLEUScore(score, counts, totals, precisions, penalty, sys_len, ref_len)

    def _score(self, sums: Sequence[float]) -> BLEUScore:
        sys_len, ref_len, *counts = map(int, sums)
        order = self.max_ngram_order
        smoothing = self.smooth_method, self.smooth_value, self.effective_order
        return self.compute_bleu(counts[:order], counts[order:], sys_len, ref_len, *smoothing, order)

    def _parameters(self) -> dict[str, Any]:
        smooth, default = self.smooth_method, self.SMOOTH_DEFAULTS[self.smooth_method]
        if default is not None:
            smooth += f"[{default if self.smooth_value is None else self.smooth_value:.2f}]"
        case = "lc" if self.lowercase else "mixed"
        return {"case": case, "eff": bool(self.effective_order), "tok": self.tokenizer_signature, "smooth": smooth}


def _check_smoothing(method: str) -> None:
    if method not in BLEU.SMOOTH_DEFAULTS:
        raise ValueError(f'smooth_method is one of {", ".join(BLEU.SMOOTH_DEFAULTS)}, not "{method}"')


class CHRF(Metric):
    """chrF, or chrF++ with `word_order=2`."""

    CHAR_ORDER = 6
    WORD_ORDER = 0
    BETA = 2
    _abbreviations: ClassVar[dict[str, str]] = {"case": "c", "eff": "e", "nc": "nc", "nw": "nw", "space": "s"}

    def __init__(
        self,
        char_order: int = CHAR_ORDER,
        word_order: int = WORD_ORDER,
        beta: int = BETA,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
        references: Streams | None = None,
    ) -> None:
        metric = ChrF(
            char_order=char_order,
            word_order=word_order,
            beta=float(beta),
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=eps_smoothing,
        )
        super().__init__(metric, Encoding("none"), references)
        self.char_order = char_order
        self.word_order = word_order
        self.order = char_order + word_order
        self.beta = beta
        self.lowercase = lowercase
        self.whitespace = whitespace
        self.eps_smoothing = eps_smoothing

    def _score(self, sums: Sequence[float]) -> CHRFScore:
        form = self._counter.forms[0]
        score = form.score(list(sums)) if form else float(self._statistics.score(np.array(sums)))
        return CHRFScore(100 * score, self.char_order, self.word_order, self.beta)

    def _parameters(self) -> dict[str, Any]:
        orders = {"nc": self.char_order, "nw": self.word_order}
        case = "lc" if self.lowercase else "mixed"
        return {"case": case, "eff": not self.eps_smoothing, **orders, "space": bool(self.whitespace)}


class TER(Metric):
    """Translation edit rate."""

    _abbreviations: ClassVar[dict[str, str]] = {"case": "c", "tok": "t", "norm": "nr", "punct": "pn", "asian": "as"}

    def __init__(
        self,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
        references: Streams | None = None,
    ) -> None:
        self.normalized = normalized
        self.no_punct = no_punct
        self.asian_support = asian_support
        self.case_sensitive = case_sensitive
        rules = {"normalized": normalized, "no_punct": no_punct, "asian_support": asian_support}
        super().__init__(Ter(**rules, case_sensitive=case_sensitive), Encoding("none"), references)

    def _score(self, sums: Sequence[float]) -> TERScore:
        edits, length = sums
        return TERScore(100 * float(self._statistics.score(np.array(sums))), edits, length)

    def _parameters(self) -> dict[str, Any]:
        rules = {"norm": self.normalized, "punct": not self.no_punct, "asian": self.asian_support}
        return {"case": "mixed" if self.case_sensitive else "lc", "tok": "tercom", **rules}


METRICS = {"BLEU": BLEU, "CHRF": CHRF, "TER": TER}
