"""Features and their weights: by name for people and files, as a vector for arithmetic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import InputError
from tarocco.metrics.base import Floats

Weights = Mapping[str, tuple[float, ...]]

_DIGITS = 6  # of weights that are found by fitting: what rounded scores can tell
_LIKE = 0.01  # how far a fit may be from the scores that it explains, in standard deviations of theirs


@dataclass(frozen=True)
class Layout:
    """Which features lists have, in their order, and how many values each has."""

    names: tuple[str, ...]
    sizes: tuple[int, ...]

    def __str__(self) -> str:
        return ", ".join(f"{name} ({size})" for name, size in zip(self.names, self.sizes, strict=True))

    @property
    def labels(self) -> tuple[str, ...]:
        """What each value is called: lm.1, lm.2, w."""
        return tuple(
            name if size == 1 else f"{name}.{i}"
            for name, size in zip(self.names, self.sizes, strict=True)
            for i in range(1, size + 1)
        )

    def vector(self, weights: Weights, where: str = "weights") -> Floats:
        """Weights by name as a vector; every feature has as many as it has values, and no other feature has any."""
        for name in weights:
            if name not in self.names:
                raise InputError(
                    f"{where}: there is a weight for {name}, but the lists have no such feature; they have {self}"
                )
        for name, size in zip(self.names, self.sizes, strict=True):
            count = len(weights.get(name, ()))
            if count != size:
                wanted = "one weight" if size == 1 else f"{size} weights"
                found = "there is none" if count == 0 else "there is one" if count == 1 else f"there are {count}"
                raise InputError(f"{where}: the feature {name} of the lists wants {wanted}, but {found}")
        return np.array([weight for name in self.names for weight in weights.get(name, ())], np.float64)

    def by_name(self, vector: Floats) -> dict[str, tuple[float, ...]]:
        """A vector as weights by name."""
        parts = np.split(vector, np.cumsum(self.sizes)[:-1])
        return {name: tuple(part.tolist()) for name, part in zip(self.names, parts, strict=True)}

    def free(self, fixed: Sequence[str]) -> NDArray[np.bool_]:
        """Which weights may change, if these are held: features with all their values, or single ones (lm.2)."""
        free = np.ones(len(self.labels), np.bool_)
        owners = np.repeat(np.array(self.names, object), self.sizes)
        for name in fixed:
            held = (owners == name) | (np.array(self.labels, object) == name)
            if not held.any():
                raise InputError(f"{name} cannot be held: the lists have no such feature; they have {self}")
            free &= ~held
        return free


def revealed(lists: Sequence[tuple[Floats, Floats]]) -> Floats | None:
    """The weights that the model had, if its scores are a weighted sum of the features; None if they are not.

    A list is the features of its candidates and their scores. What matters is how candidates of one list differ, so
    both are taken from the list's mean.
    """
    features = np.concatenate([rows - rows.mean(axis=0) for rows, _ in lists])
    scores = np.concatenate([own - own.mean() for _, own in lists])
    found = np.linalg.lstsq(features, scores, rcond=None)[0]
    apart = np.abs(features @ found - scores).max()
    largest = np.abs(found).max()
    if largest == 0 or apart > _LIKE * scores.std():
        return None
    weights: Floats = np.round(found / largest, _DIGITS) + 0.0  # there is no -0
    return weights
