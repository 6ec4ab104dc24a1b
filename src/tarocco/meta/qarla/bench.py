"""From similarities to QUEEN, KING and JACK: what the public functions and the commands have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from tarocco._version import __version__
from tarocco.core.errors import BadParameter, InputError
from tarocco.core.test_set import TestSet
from tarocco.meta.qarla import king as kings
from tarocco.meta.qarla import queen as queens
from tarocco.meta.qarla.king import Resampling, surrounded
from tarocco.meta.qarla.queen import N_PAIRS, Comparison, Sets, mean_of_known
from tarocco.meta.qarla.results import Jack, JackResult, King, KingResult, Queen, QueenResult, TestBed
from tarocco.meta.qarla.similarities import Similarities
from tarocco.meta.qarla.ulc import ulc_of
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import check_resampling
from tarocco.scoring.results import Result
from tarocco.scoring.settings import SEED

LEVELS = tuple(kings.LEVELS)
_WANTED = {
    "QUEEN": (2, "two references: how near they are to each other is what translations are measured by"),
    "KING": (
        3,
        "three references: one is held out, and how near the others are to each other is what it is measured by",
    ),
    "JACK": (2, "two references: how near they are to each other is what translations are measured by"),
}


@dataclass(frozen=True)
class Settings:
    """How it is judged, whatever the texts are."""

    comparison: Comparison
    resampling: Resampling
    segments: tuple[int, ...] | None = None  # those that take part, counted from 0; None: all


def make_settings(
    *,
    trans_topic: bool = False,
    n_pairs: int = N_PAIRS,
    segments: Sequence[int] | None = None,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    seed: int = SEED,
    jobs: int | None = None,
) -> Settings:
    """Check what can be checked before anything is scored."""
    check_resampling(confidence, n_resamples, seed)
    if not (isinstance(n_pairs, Integral) and n_pairs >= 1):
        raise BadParameter(f"n_pairs is an integer of at least 1, not {n_pairs!r}")
    chosen = None
    if segments is not None:
        chosen = tuple(dict.fromkeys(int(one) for one in segments))
        if not chosen:
            raise InputError("no segment was asked for")
    return Settings(
        Comparison(bool(trans_topic), int(n_pairs), int(seed)),
        Resampling(float(confidence), int(n_resamples), int(seed), jobs),
        chosen,
    )


def check_level(level: str) -> None:
    if level not in LEVELS:
        raise BadParameter(f"level is one of {', '.join(LEVELS)}, not {level!r}")


def check_texts(test_set: TestSet, name: str, segments: Sequence[int] | None = None) -> None:
    """Refuse, before anything is scored, what has too few references, systems or segments for a measure."""
    least, why = _WANTED[name]
    _check_segments(segments or (), len(test_set))
    most = int(test_set.present.sum(axis=0).max(initial=0))
    if most < least:
        there = "there is 1" if most == 1 else f"there are {most}"
        raise InputError(f"{name} wants at least {why}; {there}")
    if name == "JACK" and len(test_set.systems) < 2:
        raise InputError("JACK wants at least two systems: how different their translations are is what it is about")


# --- what takes part -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Bench:
    """The similarities of segments that take part, and their places among those that were asked about."""

    near: Similarities
    rows: NDArray[np.intp]  # of the segments asked about, those that have enough references
    asked: tuple[int, ...]
    notes: tuple[str, ...]

    def spread(self, values: Floats) -> Floats:
        """Values of segments, along the first axis, for all that were asked about; NaN for those that take no part."""
        found = np.full((len(self.asked), *values.shape[1:]), np.nan)
        found[self.rows] = values
        return found

    def bed(self, settings: Settings) -> TestBed:
        signatures = dict(zip(self.near.metrics, self.near.signatures, strict=True))
        seed = settings.resampling.seed
        return TestBed(signatures, self.near.systems, self.near.references, self.asked, seed, self.notes)


def bench_of(near: Similarities, settings: Settings, name: str) -> Bench:
    """Leave out segments that nobody asked for, or that have too few references."""
    least, why = _WANTED[name]
    asked = tuple(range(near.n_segments)) if settings.segments is None else settings.segments
    _check_segments(asked, near.n_segments)
    enough = near.present.sum(axis=1)[list(asked)] >= least
    rows = np.flatnonzero(enough)
    if not len(rows):
        raise InputError(f"{name} wants at least {why}; no segment of those asked for has so many")
    segments = np.array(asked)[rows]
    notes = []
    if left_out := len(asked) - len(rows):
        notes.append(f"{left_out} of {len(asked)} segments have fewer than {least} references and are left out")
    whole = len(segments) == near.n_segments and (segments == np.arange(near.n_segments)).all()
    return Bench(near if whole else near.chosen(segments=segments.tolist()), rows, asked, tuple(notes))


def _check_segments(asked: Sequence[int], count: int) -> None:
    if wrong := [one for one in asked if not 0 <= one < count]:
        raise InputError(f"there is no segment {wrong[0] + 1}: there are {count}")


def _signature(name: str, near: Similarities, settings: Settings, members: Sequence[int], more: str = "") -> str:
    counts, drawn = near.present.sum(axis=1), settings.resampling
    references = int(counts[0]) if (counts == counts[0]).all() else "var"
    pairs = settings.comparison.told(near, members)
    return (
        f"{name}{more}|nrefs:{references}|systems:{len(near.systems)}|segments:{near.n_segments}|{pairs}|"
        f"confidence:{drawn.confidence:g}|n:{drawn.n_resamples}|seed:{drawn.seed}|v:{__version__}"
    )


# --- the three measures ----------------------------------------------------------------------------------------------


def queens_of(near: Similarities, scores: Result, settings: Settings) -> QueenResult:
    """QUEEN of every system under all metrics together, and ULC of the same metrics' scores."""
    bench = bench_of(near, settings, "QUEEN")
    near, resampling = bench.near, settings.resampling
    everything = list(range(len(near.metrics)))
    (found,) = queens.queens(near, [everything], settings.comparison, resampling.jobs)
    means, intervals = resampling.mean(found)
    by_segment = bench.spread(found)
    ulc = ulc_of(scores, np.array(bench.asked))
    told = tuple(
        Queen(system, float(means[a]), intervals[a], by_segment[:, a], float(ulc.systems[a]), ulc.segments[a])
        for a, system in enumerate(near.systems)
    )
    signature = _signature("QUEEN", near, settings, everything)
    return QueenResult(told, near.metrics, signature, bench.bed(settings))


def kings_of(near: Similarities, sets: Sets | None, level: str, settings: Settings) -> KingResult:
    """KING of sets of metrics, the best first; without any, of each metric by itself, and then of all together."""
    check_level(level)
    bench = bench_of(near, settings, "KING")
    near, resampling = bench.near, settings.resampling
    every = list(range(len(near.metrics)))
    together = [every] if sets is None and len(every) > 1 else []
    alone = [[m] for m in every] if sets is None else list(sets)
    found = queens.held_out_queens(near, [*alone, *together], settings.comparison, resampling.jobs)
    outcomes = kings.outcomes(level, found, near.present, resampling)
    told = [
        King(
            tuple(near.metrics[m] for m in members),
            *one.king,
            *one.intervals,
            {name: (float(k), float(s)) for name, (k, s) in zip(near.references, one.by_reference, strict=True)},
            bench.spread(one.by_segment[:, 0]),
            bench.spread(one.by_segment[:, 1]),
            one.n_segments,
            _signature("KING", near, settings, members, f"|level:{level}"),
        )
        for members, one in zip([*alone, *together], outcomes, strict=True)
    ]
    told[: len(alone)] = sorted(told[: len(alone)], key=_place)
    return KingResult(tuple(told), bench.bed(settings), level)


def _place(one: King) -> tuple[bool, float, float]:
    """From the best down; what has no KING comes last."""
    return np.isnan(one.king), -one.strict_king, -one.king


def jacks_of(near: Similarities, sets: Sets | None, settings: Settings) -> JackResult:
    """JACK under sets of metrics; without any, under all metrics together."""
    bench = bench_of(near, settings, "JACK")
    near, resampling = bench.near, settings.resampling
    members = [list(range(len(near.metrics)))] if sets is None else list(sets)
    told = []
    for own, of_set in zip(members, queens.queens(near, members, settings.comparison, resampling.jobs), strict=True):
        found = surrounded(near, own, of_set)
        by_segment, by_reference = mean_of_known(found, 1), mean_of_known(found, 0)
        (jack,), (interval,) = resampling.mean(by_segment[:, None])
        told.append(
            Jack(
                tuple(near.metrics[m] for m in own),
                float(jack),
                interval,
                float((np.nan_to_num(of_set) > 0).mean()),
                dict(zip(near.references, by_reference.tolist(), strict=True)),
                bench.spread(by_segment),
                int((~np.isnan(by_segment)).sum()),
                _signature("JACK", near, settings, own),
            )
        )
    return JackResult(tuple(told), bench.bed(settings))
