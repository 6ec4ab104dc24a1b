"""What every metric is: a frozen record of parameters that knows its name, its statistics and its score."""

from __future__ import annotations

import dataclasses
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import BadParameter
from tarocco.core.names import MetricName, Value, read_value, write_value
from tarocco.encode.batch import Batch, Encoding

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
    """A field of a metric: its default, what it means, what it may be, and whether it is part of the name's stem.

    A default that depends on other parameters is None: `depends` says how, `kind` of which type it is, and the class
    overrides `default` and fills it in.
    """
    about = {"meaning": meaning, "choices": choices, "in_stem": in_stem, "depends": depends}
    return dataclasses.field(default=default, metadata=about | {"type": kind or type(default)})


@dataclass(frozen=True)
class Example:
    """A case small enough to check by hand: what the metric named `name` gives for it, and why."""

    name: str
    candidates: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    score: float
    why: str


@dataclass(frozen=True)
class Agreement:
    """Whose numbers a metric gives, how far the two agree and under what options, and the test that shows it."""

    tool: str
    extent: str
    test: str  # file::function, below the root of the repository


@dataclass(frozen=True)
class Metric(ABC):
    """A metric: two functions and a name.

    `statistics(batch, context)` gives a short row of numbers for each candidate; rows can be added up. `score(sums)`
    turns one row, or any array whose last axis is a row, into scores. A segment's score is the score of its row, the
    corpus score is the score of the sum.

    A subclass is a frozen dataclass whose fields are made with `parameter(...)`, and says what it is in the class
    attributes below. Its stem is matched by `pattern`, whose named groups are the fields that are part of the stem.
    """

    title: ClassVar[str]  # "BLEU-n": how the family is written
    summary: ClassVar[str]  # one sentence
    formula: ClassVar[str]
    paper: ClassVar[str]
    pattern: ClassVar[str]
    names: ClassVar[tuple[str, ...]]  # members to suggest; the laws are tested on each
    example: ClassVar[Example]
    also: ClassVar[tuple[tuple[str, str], ...]] = ()  # members with a name of their own, and what they are
    notes: ClassVar[str] = ""  # where other implementations differ, and what degenerate input gives
    agreement: ClassVar[tuple[Agreement, ...]] = ()  # with other tools; every built-in metric has some
    kind: ClassVar[Literal["similarity", "error"]] = "similarity"
    scale: ClassVar[float] = 1.0  # what the command line multiplies by when it prints a table

    # --- names ---------------------------------------------------------------------------------------------------

    @classmethod
    def read_stem(cls, stem: str) -> Mapping[str, str] | None:
        """The parameters that a stem holds, or None if it is not one of this family's."""
        match = re.fullmatch(cls.pattern, stem, re.IGNORECASE | re.ASCII)
        return {key: value for key, value in match.groupdict().items() if value} if match else None

    @classmethod
    def from_name(cls: type[Self], name: MetricName) -> Self | None:
        """The metric of that name, or None if the stem is not one of this family's."""
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
        """The canonical stem, such as BLEU-4; the title, unless parameters are part of it."""
        return self.title

    def default(self, parameter: str) -> Value | None:
        """What a parameter is if the name does not say; it may depend on other parameters."""
        defaults: dict[str, Any] = {field.name: field.default for field in dataclasses.fields(self)}
        value: Value | None = defaults[parameter]
        return value

    @property
    def after_colons(self) -> dict[str, Value]:
        """The parameters that are not part of the stem, defaults too; those that do not apply (None) are left out."""
        names = [field.name for field in dataclasses.fields(self) if not field.metadata["in_stem"]]
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    def __str__(self) -> str:
        told = ((key, value) for key, value in self.after_colons.items() if value != self.default(key))
        return str(MetricName(self.stem, tuple((key, write_value(value)) for key, value in told)))

    @property
    def sign(self) -> float:
        """What a score is multiplied with so that higher is better."""
        return -1.0 if self.kind == "error" else 1.0

    # --- numbers -------------------------------------------------------------------------------------------------

    def reads(self, asked: Encoding) -> Encoding:
        """How this metric's words are read; most read as the run asks, some have rules of their own."""
        return asked if asked.analyzer is None else dataclasses.replace(asked, analyzer=None)

    def prepare(self, references: Batch) -> Any:
        """What must be known of all references before any candidate is scored; None for most metrics.

        `references` is a batch without candidates. What is returned comes back as `context`.
        """
        return None

    @property
    def prepares(self) -> bool:
        """Whether there is anything to know of all references."""
        return type(self).prepare is not Metric.prepare

    @property
    def context_key(self) -> Hashable:
        """Metrics with equal keys share what `prepare` returns."""
        return self

    @abstractmethod
    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        """One row of numbers for each candidate of the batch: float64[candidates, k]."""

    @abstractmethod
    def score(self, sums: Floats) -> Floats:
        """The score of each row of sums[..., k]; NaN where it does not exist."""

    @property
    def pools_references(self) -> bool:
        """Whether a segment's score depends on all references together, not on one that the metric chooses."""
        return False

    def rank_references(self, rows: Floats) -> list[tuple[float, ...]]:
        """Return one sort key per row, the statistics with one reference; the metric chooses the lowest key."""
        scores: list[float] = self.score(rows).tolist()
        return [(math.inf if math.isnan(score) else -self.sign * score,) for score in scores]

    def details(self, sums: Floats) -> dict[str, Any]:
        """What else a user may want to see beside the score of one row of sums: precisions, lengths."""
        return {}


@dataclass(frozen=True)
class OnePass(Metric):
    """A family whose members are columns picked from one measurement of the text.

    Members that stand in one request are measured together.
    """

    @classmethod
    @abstractmethod
    def measure(cls, metrics: Sequence[Any], batch: Batch, context: Any) -> Any:
        """What all these members need to know of the batch; they have the same context."""

    @abstractmethod
    def columns(self, measured: Any) -> Floats:
        """This member's statistics."""

    def scores(self, measured: Any) -> Floats:
        """The score of each row of `columns`, bit for bit; a family may have a quicker way."""
        return self.score(self.columns(measured))

    def counts_as(self, family: Any) -> bool:
        """Whether statistics and score are still those of the class that has the quicker way."""
        return type(self).columns is family.columns and type(self).score is family.score

    def statistics(self, batch: Batch, context: Any = None) -> Floats:
        return self.columns(self.measure([self], batch, context))
