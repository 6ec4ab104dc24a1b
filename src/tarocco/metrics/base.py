"""The base class of all metrics: a frozen record of parameters with a name, statistics and a score."""

from __future__ import annotations

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.core.errors import BadParameter
from tarocco.encode.batch import Batch, Encoding
from tarocco.metrics.names import MetricName, Value, read_value, write_signature, write_value

if TYPE_CHECKING:
    from tarocco.metrics.edit.rates import Automaton

Floats = NDArray[np.float64]
Self = TypeVar("Self", bound="Metric")


def parameter(
    default: Any,
    meaning: str,
    *,
    choices: Sequence[str] | None = None,
    in_stem: bool = False,
    kind: type | None = None,
    depends: str = "",
) -> Any:
    """Return a dataclass field for a parameter of a metric.

    Parameters
    ----------
    default
        The default; None if it depends on other parameters. The class then overrides `Metric.default`.
    meaning
        One phrase for the documentation.
    choices
        The allowed values, if they are few.
    in_stem
        Whether the parameter is part of the name's stem, like the 4 of BLEU-4.
    kind
        The type of the value, if the default is None.
    depends
        One phrase on how the default depends on other parameters.
    """
    about = {"meaning": meaning, "choices": choices, "in_stem": in_stem, "depends": depends}
    return dataclasses.field(default=default, metadata=about | {"type": kind or type(default)})


@dataclass(frozen=True)
class Example:
    """A worked example, small enough to check by hand: the score of the metric `name`, and why."""

    name: str
    candidates: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    score: float
    why: str


@dataclass(frozen=True)
class Agreement:
    """A tool whose numbers a metric reproduces, to what extent and with which options, and the test that shows it."""

    tool: str
    extent: str
    test: str  # file::function, relative to the root of the repository


class EmptyValues(NamedTuple):
    """The segment scores of empty texts: NaN if there is no score, None if the score depends on the other text."""

    candidate: float | None  # an empty candidate, against a reference with words
    reference: float | None  # a candidate with words, against an empty reference
    both: float | None  # an empty candidate, against an empty reference


@dataclass(frozen=True)
class Metric(ABC):
    """A metric: two functions and a name.

    `statistics(batch, context)` returns a short row of numbers for each candidate; rows can be added up. `score(sums)`
    turns one row, or any array whose last axis is a row, into scores. A segment's score is the score of its row, and
    the corpus score is the score of the sum.

    A subclass is a frozen dataclass. Its fields are made with `parameter(...)`, and the class attributes below describe
    it. Its stem is matched by `pattern`, whose named groups are the fields that are part of the stem.
    """

    title: ClassVar[str]  # the name of the family, such as BLEU-n
    summary: ClassVar[str]  # one sentence
    formula: ClassVar[str]
    paper: ClassVar[str]
    pattern: ClassVar[str]
    names: ClassVar[tuple[str, ...]]  # members to suggest; the laws are tested on each of them
    example: ClassVar[Example]
    also: ClassVar[tuple[tuple[str, str], ...]] = ()  # other names of members, and their meaning
    notes: ClassVar[str] = ""  # differences from other tools, and degenerate input
    agreement: ClassVar[tuple[Agreement, ...]] = ()  # required for built-in metrics
    kind: ClassVar[Literal["similarity", "error"]] = "similarity"
    scale: ClassVar[float] = 1.0  # the factor of scores in tables
    empty_values: ClassVar[EmptyValues | None] = None  # None: not declared
    has_linear_approximation: ClassVar[bool] = False  # whether oracles can be searched by a sum of n-gram gains

    # --- names ---------------------------------------------------------------------------------------------------

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        """Return the parameters in a stem, or None if the stem does not belong to this family."""
        match = re.fullmatch(cls.pattern, stem, re.IGNORECASE | re.ASCII)
        return {key: value for key, value in match.groupdict().items() if value} if match else None

    @classmethod
    def from_name(cls: type[Self], name: MetricName) -> Self | None:
        """Return the metric of that name, or None if the stem does not belong to this family."""
        in_stem = cls.read_stem(name.stem)
        if in_stem is None:
            return None
        fields = {field.name: field for field in dataclasses.fields(cls)}
        takes = [key for key, field in fields.items() if not field.metadata["in_stem"]]
        for key, text in name.parameters:
            if in_stem.get(key, text) != text:
                raise BadParameter(f'"{name}": {name.stem} already says {key}={in_stem[key]}')
            if key not in takes:
                raise BadParameter(
                    f'"{name}": {name.stem} has no parameter "{key}" (it takes {", ".join(takes) or "none"})'
                )
        values: dict[str, Value] = {}
        for key, text in {**in_stem, **dict(name.parameters)}.items():
            kind = fields[key].metadata["type"]
            try:
                values[key] = read_value(text, kind)
            except (ValueError, KeyError, TypeError, OverflowError):
                raise BadParameter(f'"{name}": the parameter "{key}" is a {kind.__name__}, not "{text}"') from None
        return cls(**values)

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            choices, value = field.metadata["choices"], getattr(self, field.name)
            if choices is not None and value not in choices:
                raise BadParameter(
                    f'{type(self).title}: the parameter "{field.name}" is one of {", ".join(choices)}, not "{value}"'
                )

    @property
    def stem(self) -> str:
        """The canonical stem, such as BLEU-4; by default the title."""
        return self.title

    def default(self, parameter: str) -> Value | None:
        """Return the value of a parameter that the name does not mention; it may depend on other parameters."""
        defaults: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(self)}
        value: Value | None = defaults[parameter]
        return value

    @property
    def after_colons(self) -> dict[str, Value]:
        """All parameters that are not part of the stem, without those that do not apply (None)."""
        names = [field.name for field in dataclasses.fields(self) if not field.metadata["in_stem"]]
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def __str__(self) -> str:
        changed = ((key, value) for key, value in self.after_colons.items() if value != self.default(key))
        return str(MetricName(self.stem, tuple((key, write_value(value)) for key, value in changed)))

    @property
    def sign(self) -> float:
        """The factor that makes higher scores better: -1 for errors, else 1."""
        return -1.0 if self.kind == "error" else 1.0

    def signature(
        self, encoding: Encoding, reference_count: int | None, more: Sequence[tuple[str, object]] = ()
    ) -> str:
        """Return the signature of a score: the metric and all settings. `more` is what another result adds."""
        encoding = self.reads(encoding)
        parts: list[tuple[str, object]] = [
            ("nrefs", "var" if reference_count is None else reference_count),
            ("case", "lc" if encoding.lowercase else "mixed"),
            ("tok", encoding.tokenizer.signature)
            if encoding.analyzer is None
            else ("analyzer", _version_of(encoding.analyzer)),
            *((key, write_value(value)) for key, value in self.after_colons.items()),
            *more,
            ("v", __version__),
        ]
        return write_signature(self.stem, parts)

    # --- numbers -------------------------------------------------------------------------------------------------

    def reads(self, requested: Encoding) -> Encoding:
        """Return how this metric reads text: by default as requested, without linguistic analysis."""
        return requested if requested.analyzer is None else dataclasses.replace(requested, analyzer=None)

    def prepare(self, references: Batch) -> Any:
        """Return whatever the metric needs to know about all references before it scores any candidate.

        `references` is a batch without candidates. The returned object is passed to `statistics` as `context`.
        """
        return None

    @property
    def prepares(self) -> bool:
        """Whether the metric overrides `prepare`."""
        return type(self).prepare is not Metric.prepare

    @property
    def context_key(self) -> Hashable:
        """Metrics with equal keys share the result of `prepare`."""
        return self

    @abstractmethod
    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        """Return one row of numbers for each candidate of the batch: float64[candidates, k]."""

    @abstractmethod
    def score(self, sums: Floats) -> Floats:
        """Return the score of each row of sums[..., k]; NaN if it does not exist."""

    @property
    def pools_references(self) -> bool:
        """Whether a segment's score depends on all references together, not on one that the metric chooses."""
        return False

    def rank_references(self, rows: Floats) -> list[tuple[float, ...]]:
        """Return one sort key per row, the statistics with one reference; the metric chooses the lowest key."""
        scores: list[float] = self.score(rows).tolist()
        return [(math.inf if math.isnan(score) else -self.sign * score,) for score in scores]

    def details(self, sums: Floats) -> dict[str, Any]:
        """Return more numbers for the user about one row of sums, such as precisions and lengths."""
        return {}

    # --- capabilities --------------------------------------------------------------------------------------------

    def automaton(self, several_references: bool) -> Automaton | None:
        """Return the automaton that finds exact oracles in lattices and forests; None if the metric has none.

        `several_references` says whether any segment has more than one reference.
        """
        return None

    def order_shares(self, sums: Floats) -> dict[str, Floats]:
        """Return the share of each n-gram order ("1", "2", ...) and of the penalty in the score of each row of sums.

        Shares add up to 1. They are NaN if the score is 0, and the dictionary is empty if the metric has no orders.
        """
        return {}

    def lower_orders(self) -> list[Metric]:
        """Return this metric with fewer n-gram orders, from 1 up; nothing if the metric has no orders."""
        return []


@dataclass(frozen=True)
class OnePassMetric(Metric):
    """A family whose members take their statistics, as columns, from one measurement of the text.

    The members in a request are measured together.
    """

    @classmethod
    @abstractmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Any:
        """Return what these members, which share a context, need to know about the batch."""

    @abstractmethod
    def columns(self, measured: Any) -> Floats:
        """Return this member's statistics: the columns that it takes from the measurement, float64[candidates, k]."""

    def scores(self, measured: Any) -> Floats:
        """Return the score of each row of `columns`, bit for bit; a family may override this with a faster way."""
        return self.score(self.columns(measured))

    def counts_as(self, family: Any) -> bool:
        """Return whether statistics and score are inherited from `family`, so that its faster way is valid."""
        return type(self).columns is family.columns and type(self).score is family.score

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        return self.columns(self.measure([self], batch, context))


def _version_of(analyzer: str) -> str:
    from tarocco.annotate.analyzers import load_analyzer

    return load_analyzer(analyzer).version


PENALTY = "penalty"  # the key of the brevity penalty in `order_shares`


def divide_parts(parts: dict[str, Floats], whole: Floats) -> dict[str, Floats]:
    """Return each part divided by the whole; NaN if the whole is 0 or not finite."""
    exists = np.isfinite(whole) & (whole != 0)
    return {
        name: np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=exists) for name, part in parts.items()
    }
