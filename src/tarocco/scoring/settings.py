"""Settings that travel together as values: how text is read, how resamples are drawn, where work is done.

Public functions accept `text`, `resampling` and `workers`, and the fields of these values as keywords:
`score(..., tokenize="intl")` is short for `score(..., text=Text(tokenize="intl"))`. `apply_shortcuts` turns keywords
into values; no other code does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, TypeVarTuple

from tarocco.annotate.analyzers import Analyzer, register_analyzer
from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Encoding
from tarocco.encode.tokenizers import SplitFunction, register_tokenizer
from tarocco.scoring.resampling import check_resampling

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from tarocco.store import Store

SEED = 12345  # sacrebleu's default
N_RESAMPLES = 1000  # sacrebleu's default for the bootstrap

Values = TypeVarTuple("Values")


@dataclass(frozen=True)
class Text:
    """How text is read.

    tokenize
        The tokenizer: none, 13a, intl, char, zh, rouge or jiwer; ja-mecab or ko-mecab; flores101, flores200, or
        spm:FILE for a SentencePiece model; the name of a tokenizer of an installed package; or a function from a text
        to its words, a list or a string with spaces between words.
    lowercase
        Whether text is lowercased first.
    analyzer
        The source of linguistic structure, for the metrics that need it: "spacy" (the default), "spacy:PIPELINE",
        "stanza:LANGUAGE" or a registered name, each optionally followed by "+iqmt" for the labels of the IQmt manual.
        Also an object with `name`, `version`, `layers` and `annotate(texts)`, or a mapping from each text to its
        sentence, as `read_annotations` returns it.
    """

    tokenize: str | SplitFunction = "13a"
    lowercase: bool = False
    analyzer: Analyzer | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "tokenize", register_tokenizer(self.tokenize))  # a function is registered
        if self.analyzer is not None:
            object.__setattr__(self, "analyzer", register_analyzer(self.analyzer))  # an analyzer object is registered

    @property
    def encoding(self) -> Encoding:
        """The encoding that metrics and batches use."""
        return Encoding(register_tokenizer(self.tokenize), self.lowercase, analyzer=register_analyzer(self.analyzer))


@dataclass(frozen=True)
class Resampling:
    """How resamples are drawn for intervals and tests: how many, with which seed, and the confidence of intervals."""

    n_resamples: int = N_RESAMPLES
    confidence: float = 0.95
    seed: int = SEED

    def __post_init__(self) -> None:
        check_resampling(self.confidence, self.n_resamples, self.seed)


@dataclass(frozen=True)
class Workers:
    """Where work is done. Results are the same for any choice.

    jobs
        The number of threads; by default, one per processor.
    store
        A file, or an open `Store`, that caches computed blocks between runs.
    executor
        Any `concurrent.futures.Executor`, to compute blocks there instead of in threads.
    progress
        A function that is called with the number of segments, lists or lattices that were just finished.
    """

    jobs: int | None = None
    store: Store | str | Path | None = None
    executor: Executor | None = None
    progress: Callable[[int], object] | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None and not (isinstance(self.jobs, Integral) and self.jobs >= 1):
            raise BadParameter(f"jobs is an integer of at least 1, not {self.jobs!r}")


TEXT, RESAMPLING, WORKERS = Text(), Resampling(), Workers()  # the defaults of public functions


class TextShortcuts(TypedDict, total=False):
    """The fields of `Text` as keywords."""

    tokenize: str | SplitFunction
    lowercase: bool
    analyzer: Analyzer | None


class ResamplingShortcuts(TypedDict, total=False):
    """The fields of `Resampling` as keywords."""

    n_resamples: int
    confidence: float
    seed: int


class WorkerShortcuts(TypedDict, total=False):
    """The fields of `Workers` as keywords."""

    jobs: int | None
    store: Store | str | Path | None
    executor: Executor | None
    progress: Callable[[int], object] | None


class TextAndWorkerShortcuts(TextShortcuts, WorkerShortcuts, total=False):
    """The fields of `Text` and `Workers` as keywords."""


class Shortcuts(TextShortcuts, ResamplingShortcuts, WorkerShortcuts, total=False):
    """The fields of `Text`, `Resampling` and `Workers` as keywords."""


def apply_shortcuts(function: str, shortcuts: Mapping[str, Any], *values: *Values) -> tuple[*Values]:
    """Return the values with the fields that `shortcuts` names replaced.

    Each value is a dataclass, and each shortcut is the name of a field of one of them. Raises TypeError, as Python does
    for an unknown keyword of `function`, if no value has such a field.
    """
    records: list[Any] = list(values)
    known = [{field.name for field in fields(record)} for record in records]
    for name in shortcuts:
        if not any(name in names for names in known):
            from difflib import get_close_matches

            near = get_close_matches(name, sorted(set().union(*known)), 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}{hint}")
    for i, names in enumerate(known):
        new = {name: choice for name, choice in shortcuts.items() if name in names}
        records[i] = replace(records[i], **new) if new else records[i]
    changed: Any = tuple(records)
    return changed  # type: ignore[no-any-return]
