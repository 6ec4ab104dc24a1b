"""What a caller gives as human scores: a file, what was read from one, or numbers; for the systems of a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tarocco.core.errors import InputError
from tarocco.core.test_set import HumanScores
from tarocco.io.tables import describe_unscored, join_names
from tarocco.metrics.base import Floats

Human = HumanScores | Mapping[str, Any] | str | os.PathLike[str]
FEWEST_SYSTEMS = 4  # for a correlation of systems; Williams' test needs as many


def human_scores(given: Human, systems: Sequence[str], n_segments: int) -> HumanScores:
    """The scores of those systems of a run that people judged, in the run's order.

    A path may have :COLUMN behind it. Numbers are a mapping from systems to a number, or to one a segment, None where
    nobody judged.
    """
    if isinstance(given, HumanScores):
        return _of_systems(given, systems, n_segments)
    if isinstance(given, Mapping):
        return _of_numbers(given, systems, n_segments)
    if not isinstance(given, str | os.PathLike):
        raise InputError(f"human is a file, HumanScores or a mapping from systems to numbers, not {given!r}")
    from tarocco.io.scores.external import split_file_and_column
    from tarocco.io.scores.human import HumanFile

    file = HumanFile(*split_file_and_column(os.fspath(given)))
    return some_judged(file.read(systems, n_segments), systems, file.path)


def _of_systems(human: HumanScores, systems: Sequence[str], n_segments: int) -> HumanScores:
    found = next(iter(human.criteria.values()))
    if human.level == "segment" and found.shape[1] != n_segments:
        raise InputError(f"there are {n_segments} segments, but human scores of {found.shape[1]}")
    shared, unknown = _shared(human.systems, systems, human.unknown)
    places = [human.systems.index(system) for system in shared]
    criteria = {name: scores[places] for name, scores in human.criteria.items()}
    return replace(human, criteria=criteria, systems=shared, comparisons=None, unknown=unknown)


def _of_numbers(given: Mapping[str, Any], systems: Sequence[str], n_segments: int) -> HumanScores:
    from tarocco.io.scores.external import build_external_scores

    shared, unknown = _shared([str(system) for system in given], systems)
    scores = build_external_scores("human", given, shared, n_segments, "human scores")
    rows = np.stack([scores.by_system[system] for system in shared])
    values = rows[:, 0] if scores.level == "system" else rows
    origin = scores.origin[1:]
    return HumanScores({"human": values}, {"human": scores.kind}, shared, scores.level, 1, origin, unknown=unknown)


def _shared(
    judged: Sequence[str], systems: Sequence[str], others: Sequence[str] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Systems of the run that people judged, and judged ones that the run does not have; `others` have no scores."""
    shared = tuple(system for system in systems if system in set(judged))
    unknown = tuple(system for system in (*judged, *others) if system not in set(systems))
    if not shared:
        raise InputError(_strangers(unknown, systems))
    return shared, unknown


def some_judged(human: HumanScores, systems: Sequence[str], path: str) -> HumanScores:
    """The scores that a file has of a run's systems; InputError where it has none of them."""
    if not human.systems:
        raise InputError(f"{path}: {_strangers(human.unknown, systems)}")
    return human


def _strangers(judged: Sequence[str], systems: Sequence[str]) -> str:
    return f"people judged {join_names(judged) or 'no system'}, but the systems are {join_names(systems)}"


def criterion_of(human: HumanScores) -> str:
    """The one criterion there is; where there are several, one must be named."""
    names = list(human.criteria)
    if len(names) > 1:
        raise InputError(
            f"people judged by several criteria, {', '.join(names)}: name one behind the file, as in FILE:{names[0]}"
        )
    return names[0]


def who_was_judged(human: HumanScores, systems: Sequence[str]) -> list[str]:
    """Which systems of the run people did not judge, and whom they judged that is not there."""
    found = []
    unjudged = describe_unscored(systems, (*human.systems, *human.unknown))
    if unjudged:
        found.append(f"people did not judge all systems: {unjudged}")
    if human.unknown:
        found.append(f"people judged systems that are not here: {join_names(human.unknown)}")
    return found


def what_was_judged(human: HumanScores) -> list[str]:
    """Where people judged more segments of one system than of another, or not all."""
    said: dict[str, list[str]] = {}
    for name, scores in human.criteria.items() if human.level == "segment" else ():
        said.setdefault(_coverage(scores, human.systems), []).append(name)
    return [f"{', '.join(names)}: {sentence}" for sentence, names in said.items() if sentence]


def _coverage(scores: Floats, systems: Sequence[str]) -> str:
    """How much of the segments people judged, if not all; systems that differ in that are compared with care."""
    counts = (~np.isnan(scores)).sum(axis=1)
    least, most = int(counts.argmin()), int(counts.argmax())
    if counts[least] < counts[most]:
        return (
            f"people judged {counts[least]} segments of {systems[least]} and {counts[most]} of {systems[most]}: "
            "their means are not of the same segments"
        )
    return f"people judged {counts[most]} of {scores.shape[1]} segments" if counts[most] < scores.shape[1] else ""
