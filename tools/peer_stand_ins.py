"""Puts tarocco in the place of torchmetrics or mbrs, so that their test suites run without torch and test tarocco.

tools/peer_suites.py uses it. Modules that the suites import are replaced in `sys.modules`: torch by a few functions of
NumPy, and the tool's metrics by tarocco's. The suites' own inputs, expected values and reference functions stay in
their place, in the checkout that the user names.
"""

from __future__ import annotations

import ast
import importlib.metadata
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest

import tarocco

Close = Callable[[Any, Any], None]


class NotExpressible(Exception):
    """Raised by a stand-in if tarocco cannot express a call."""


class Tensor(np.ndarray):
    """An array with the calls of torch that the suites make; torch has single precision too."""

    def __new__(cls, values: Any, **_: Any) -> Tensor:
        return np.array(values, np.float32).view(cls)

    def mean(self, dim: int | None = None) -> Any:
        return super().mean(axis=dim)

    def repeat(self, count: int) -> Any:
        return np.tile(np.asarray(self), count).view(Tensor)

    def clone(self) -> Any:
        return self.copy()


def provide(name: str, **members: Any) -> ModuleType:
    """Put a module into sys.modules, and into the module that contains it."""
    module = ModuleType(name)
    module.__dict__.update(members)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules.get(parent) or provide(parent, __path__=[]), child, module)
    return module


def provide_torch(record: Close) -> None:
    """Provide what the suites use of torch; `record` sees each comparison of an expected with a computed value."""

    def close(one: Any, other: Any, atol: float = 1e-8, rtol: float = 1e-5) -> bool:
        record(one, other)
        return bool(np.allclose(one, other, atol=atol, rtol=rtol))

    def assert_close(one: Any, other: Any, **tolerances: float) -> None:
        assert close(one, other, **tolerances), f"{one} and {other}"

    testing = provide("torch.testing", assert_close=assert_close)
    provide(
        "torch",
        Tensor=Tensor,
        argmax=np.argmax,
        float=float,
        float32=float,
        float64=float,
        isclose=close,
        rand=lambda *shape, **_: Tensor(np.zeros(shape)),
        randint=lambda *, high, size: Tensor(np.zeros(size)),
        tensor=Tensor,
        testing=testing,
    )


def score(names: Any, candidates: Any, references: Any, **text: Any) -> list[Any]:
    """Return tarocco's scores."""
    empty = [[], None]
    if not len(candidates) or any(one in empty for one in (*candidates, *references)):
        raise NotExpressible("no segments, or segments without any reference")
    found: list[Any] = tarocco.score(list(candidates), list(references), metrics=names, jobs=1, **text).scores
    return found


def name_of(family: str, **options: Any) -> str:
    """Return a metric's name with its options."""
    written = {
        name: ("yes" if value else "no") if isinstance(value, bool) else value for name, value in options.items()
    }
    return ":".join([family, *(f"{name}={value}" for name, value in written.items() if value is not None)])


# --- torchmetrics ----------------------------------------------------------------------------------------------------


def score_bleu(preds: Any, target: Any, n_gram: int = 4, smooth: bool = False, weights: Any = None) -> float:
    weighted = "/".join(map(repr, weights)) if weights else None
    if n_gram != 4 and not weights:
        weighted = "/".join([repr(1 / n_gram)] * n_gram)
    name = name_of(f"BLEU-NLTK-{n_gram}", smooth="method2" if smooth else "method0", weights=weighted)
    return score(name, preds, target, tokenize=str.split)[0].score


def score_sacre_bleu(
    preds: Any,
    target: Any,
    n_gram: int = 4,
    smooth: bool = False,
    tokenize: str = "13a",
    lowercase: bool = False,
    weights: Any = None,
) -> float:
    options = {"smooth": "add-k" if smooth else "none", "orders": "all"}
    if weights:
        options["weights"] = "/".join(map(repr, weights))
    return score(name_of(f"BLEU-{n_gram}", **options), preds, target, tokenize=tokenize, lowercase=lowercase)[0].score


def score_chrf(
    preds: Any,
    target: Any,
    n_char_order: int = 6,
    n_word_order: int = 2,
    beta: float = 2.0,
    lowercase: bool = False,
    whitespace: bool = False,
    return_sentence_level_score: bool = False,
) -> Any:
    options = {"beta": beta, "lowercase": lowercase, "whitespace": whitespace, "eps_smoothing": True}
    (found,) = score(name_of("chrF", char_order=n_char_order, word_order=n_word_order, **options), preds, target)
    return (found.score, found.segments) if return_sentence_level_score else found.score


def score_ter(
    preds: Any,
    target: Any,
    normalize: bool = False,
    no_punctuation: bool = False,
    lowercase: bool = True,
    asian_support: bool = False,
    return_sentence_level_score: bool = False,
) -> Any:
    options = {"normalized": normalize, "no_punct": no_punctuation, "asian_support": asian_support}
    (found,) = score(name_of("TER", case_sensitive=not lowercase, **options), preds, target)
    return (found.score, found.segments) if return_sentence_level_score else found.score


def score_rouge(
    preds: Any,
    target: Any,
    accumulate: str = "best",
    use_stemmer: bool = False,
    normalizer: Any = None,
    tokenizer: Any = None,
    rouge_keys: Any = ("rouge1", "rouge2", "rougeL", "rougeLsum"),
) -> dict[str, float]:
    keys = [rouge_keys] if isinstance(rouge_keys, str) else rouge_keys
    if isinstance(preds, str):
        preds, target = [preds], [target]
    names, text = [f"ROUGE-{key.removeprefix('rouge')}" for key in keys], {}
    if tokenizer:
        text["tokenize"] = lambda line: tokenizer(normalizer(line))
    else:
        stemmer = "porter-nltk" if use_stemmer else "none"
        names = [name_of(name, compat="rouge-score", stemmer=stemmer) for name in names]
    pairs = [(one, [texts] if isinstance(texts, str) else texts) for one, texts in zip(preds, target, strict=True)]
    candidates = [one for one, texts in pairs for _ in texts]
    found = score(names, candidates, [reference for _, texts in pairs for reference in texts], **text)
    rows = np.stack([one.statistics[:, :3] for one in found])  # keys x pairs x (F, recall, precision)
    ends = np.cumsum([len(texts) for _, texts in pairs])[:-1]
    groups = np.split(rows, ends, axis=1)
    if accumulate == "best":  # the reference with the highest F of each key
        best = [np.take_along_axis(group, group[:, :, :1].argmax(axis=1)[:, None], axis=1) for group in groups]
        means = np.concatenate(best, axis=1).mean(axis=1)
    else:
        means = np.stack([group.mean(axis=1) for group in groups]).mean(axis=0)
    parts = ("fmeasure", "recall", "precision")
    return {f"{key}_{part}": means[k, p] for k, key in enumerate(keys) for p, part in enumerate(parts)}


def score_edits(preds: Any, target: Any, substitution_cost: int = 1, reduction: str = "mean") -> Any:
    if substitution_cost != 1:
        raise NotExpressible("substitutions that cost more than insertions")
    texts = [[one] if isinstance(one, str) else one for one in (preds, target)]
    (found,) = score("WER:counts=yes", *texts, tokenize=list)
    costs = [sum(found.metric.details(row)[name] for name in EDITS) for row in found.statistics]
    return {"mean": np.mean, "sum": np.sum, "none": list}[reduction](costs)


EDITS = ("substitutions", "deletions", "insertions")


def rate(name: str, **text: Any) -> Callable[[Any, Any], float]:
    """Return a function that computes one of jiwer's rates."""

    def compute(preds: Any, target: Any) -> float:
        texts = [[one] if isinstance(one, str) else one for one in (preds, target)]
        return score(name, *texts, **text)[0].score

    return compute


TORCHMETRICS = {  # module: (function, class, tarocco's computation)
    "bleu": ("bleu_score", "BLEUScore", score_bleu),
    "cer": ("char_error_rate", "CharErrorRate", rate("CER")),
    "chrf": ("chrf_score", "CHRFScore", score_chrf),
    "edit": ("edit_distance", "EditDistance", score_edits),
    "mer": ("match_error_rate", "MatchErrorRate", rate("MER", tokenize="jiwer")),
    "rouge": ("rouge_score", "ROUGEScore", score_rouge),
    "sacre_bleu": ("sacre_bleu_score", "SacreBLEUScore", score_sacre_bleu),
    "ter": ("translation_edit_rate", "TranslationEditRate", score_ter),
    "wer": ("word_error_rate", "WordErrorRate", rate("WER", tokenize="jiwer")),
    "wil": ("word_information_lost", "WordInfoLost", rate("WIL", tokenize="jiwer")),
    "wip": ("word_information_preserved", "WordInfoPreserved", rate("WIP", tokenize="jiwer")),
}


class Inputs(NamedTuple):
    preds: Any
    target: Any


def make_class(name: str, compute: Callable[..., Any]) -> type:
    """Return a class with the calls of a metric of torchmetrics."""

    def __init__(self: Any, **options: Any) -> None:
        self.options, self.preds, self.target = options, [], []

    def update(self: Any, preds: Any, target: Any) -> None:
        self.preds += [preds] if isinstance(preds, str) else preds
        self.target += [target] if isinstance(target, str) else target

    members = {
        "__init__": __init__,
        "__call__": lambda self, preds, target: compute(preds, target, **self.options),
        "update": update,
        "compute": lambda self: compute(self.preds, self.target, **self.options),
    }
    return type(name, (), members)


def make_tester(assert_close: Callable[[Any, Any], None]) -> type:
    """Return a class like torchmetrics' TextTester, whose cases derive from it."""

    def run(
        preds: Any, targets: Any, compute: Callable[..., Any], reference: Callable[..., Any], arguments: Any, key: str
    ) -> None:
        batches = [*zip(preds, targets, strict=True), (sum(preds, type(preds)()), sum(targets, type(targets)()))]
        for one, other in batches:
            found = compute(one, other, **arguments or {})
            assert_close(reference(one, other), found[key] if key else found)

    class TextTester:
        def run_class_metric_test(
            self, ddp, preds, targets, metric_class, reference_metric, metric_args=None, key=None, **_
        ):  # type: ignore[no-untyped-def]
            if ddp:
                pytest.skip("several processes of torch")
            run(
                preds,
                targets,
                lambda one, other, **arguments: metric_class(**arguments)(one, other),
                reference_metric,
                metric_args,
                key,
            )

        def run_functional_metric_test(
            self, preds, targets, metric_functional, reference_metric, metric_args=None, key=None, **_
        ):  # type: ignore[no-untyped-def]
            run(preds, targets, metric_functional, reference_metric, metric_args, key)

        def run_differentiability_test(self, **_: Any) -> None:
            pytest.skip("gradients")

    return TextTester


def installed(name: str) -> bool:
    return name in {one.metadata["Name"] for one in importlib.metadata.distributions()}


def stand_in_for_torchmetrics(checkout: Path, wrap: Callable[..., Any], record: Close) -> None:
    provide_torch(record)
    provide("torchmetrics.utilities.imports", _NLTK_AVAILABLE=True, _ROUGE_SCORE_AVAILABLE=True)
    provide("lightning_utilities.core.imports", RequirementCache=installed)
    for module, (function, class_name, compute) in TORCHMETRICS.items():
        computed = wrap(compute)
        extra: dict[str, Any] = {}
        if module == "sacre_bleu":
            tokenizers = read_constant(
                checkout / "src/torchmetrics/functional/text/sacre_bleu.py", "AVAILABLE_TOKENIZERS"
            )
            extra = {"AVAILABLE_TOKENIZERS": tokenizers, "_TokenizersLiteral": Literal[tokenizers]}
        provide(f"torchmetrics.functional.text.{module}", **{function: computed}, **extra)
        provide(f"torchmetrics.text.{module}", **{class_name: make_class(class_name, computed)})
    tests = checkout / "tests/unittests"
    sizes = dict.fromkeys(("BATCH_SIZE", "EXTRA_DIM", "NUM_BATCHES", "NUM_CLASSES"), 2)
    provide("unittests", __path__=[str(tests)], _Input=Inputs, **sizes)
    provide("unittests._helpers", seed_all=lambda _: None, skip_on_connection_issues=lambda **_: lambda case: case)
    provide("unittests.text", __path__=[str(tests / "text")])
    assert_close = sys.modules["torch.testing"].assert_close
    provide("unittests.text._helpers", TextTester=make_tester(assert_close))


def read_constant(path: Path, name: str) -> Any:
    """Return the value of a constant without importing its module."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise SystemExit(f"{path} has no constant {name}")


# --- mbrs ------------------------------------------------------------------------------------------------------------


class Metric:
    """The calls of a metric of mbrs."""

    defaults: Mapping[str, Any] = {}
    Config = SimpleNamespace

    def __init__(self, config: SimpleNamespace) -> None:
        self.options = {**self.defaults, **vars(config)}
        self.text = {"tokenize": self.options.pop("tokenize", None) or "13a"} if "smooth" in self.options else {}
        if self.options.pop("fastchrf", False) and self.options.get("word_order"):
            raise ValueError("fastchrf has no words")

    @property
    def name(self) -> str:
        raise NotImplementedError

    def score(self, hypothesis: str, reference: str) -> float:
        return 100 * score(self.name, [hypothesis], [reference], **self.text)[0].score

    def scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Tensor:
        return Tensor([100 * value for value in score(self.name, hypotheses, references, **self.text)[0].segments])

    def expected_scores(self, hypotheses: Sequence[str], references: Sequence[str]) -> Tensor:
        return Tensor([np.mean([self.score(one, other) for other in references]) for one in hypotheses])

    def corpus_score(self, hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
        columns = list(zip(*references, strict=True))
        return 100 * score(self.name, hypotheses, columns, **self.text)[0].score

    def expected_scores_reference_aggregation(self, *_: Any, **__: Any) -> Tensor:
        raise NotExpressible("references that are merged into one")


class MetricBLEU(Metric):
    defaults: Mapping[str, Any] = {"smooth": "exp", "effective_order": True}

    @property
    def name(self) -> str:
        options = dict(self.options)
        orders = "effective" if options.pop("effective_order") else "all"
        return name_of("BLEU-4", orders=orders, **options)


class MetricChrF(Metric):
    @property
    def name(self) -> str:
        return name_of("chrF", **self.options)


class MetricTER(Metric):
    @property
    def name(self) -> str:
        return name_of("TER", **self.options)


METRICS = {"bleu": MetricBLEU, "chrf": MetricChrF, "ter": MetricTER}


class DecoderMBR:
    """The calls of the decoder of mbrs that compares all pairs."""

    Config = SimpleNamespace

    def __init__(self, _: SimpleNamespace, metric: Metric) -> None:
        self.metric = metric

    def decode(self, hypotheses: Any, references: Any, nbest: int = 1, reference_lprobs: Any = None) -> Any:
        weights = {} if reference_lprobs is None else {"pseudo_scores": [list(reference_lprobs)], "scale": 1.0}
        metric = self.metric
        found = tarocco.mbr(
            [hypotheses], pseudo_references=[references], metrics=metric.name, jobs=1, **metric.text, **weights
        )
        choice = found.choices[0]
        value = abs(100 * choice.utility)
        rest = [text for i, text in enumerate(hypotheses) if i != choice.rank - 1][: nbest - 1]  # their order is unused
        return SimpleNamespace(
            idx=[choice.rank - 1], sentence=[choice.text, *rest], score=[value, *[value] * len(rest)]
        )


def stand_in_for_mbrs(checkout: Path, wrap: Callable[..., Any], record: Close) -> None:
    provide_torch(record)
    package = checkout / "mbrs"
    provide("mbrs", __path__=[str(package)])
    provide("mbrs.metrics", __path__=[str(package / "metrics")], get_metric=METRICS.get, MetricCOMET=None)
    for module, metric in METRICS.items():
        for call in ("score", "scores", "expected_scores", "corpus_score", "expected_scores_reference_aggregation"):
            setattr(metric, call, wrap(getattr(metric, call)))
        provide(f"mbrs.metrics.{module}", **{metric.__name__: metric})
    DecoderMBR.decode = wrap(DecoderMBR.decode)  # type: ignore[method-assign]
    provide("mbrs.selectors", Selector=object)
    provide("mbrs.decoders", __path__=[str(package / "decoders")])
    provide("mbrs.decoders.mbr", DecoderMBR=DecoderMBR)
