"""What a trial came to: the blocks put together, the lists that count, and what a user should know of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarocco.errors import InputError
from tarocco.judge.block import Contestant
from tarocco.judge.cases import Counted
from tarocco.judge.rules import Rules
from tarocco.judge.verdict import OrangeResult, Ranked, verdicts
from tarocco.metrics.base import Floats

ONE_REFERENCE = (
    "no segment has two references, and with one alone a reference cannot be scored: "
    "there is no other to compare it with"
)


class Part(NamedTuple):
    """What is left of a block when it was judged."""

    segments: list[int]
    first_lines: list[str]
    ends: list[NDArray[np.intp]]
    counts: list[Floats]


def summed_up(
    parts: Sequence[Part],
    contestants: Sequence[Contestant],
    segments: int,
    rules: Rules,
    counted: Counted,
    name: str,
    jobs: int | None,
) -> OrangeResult:
    if not parts:
        raise InputError(_nothing_to_judge(counted, name))
    ends = [one for part in parts for one in part.ends]
    offsets = np.concatenate([np.zeros(1, np.intp), np.cumsum([len(one) for one in ends], dtype=np.intp)])
    ranked = Ranked(
        np.array([segment for part in parts for segment in part.segments], np.intp),
        np.array([one[-1] for one in ends], np.intp),
        np.concatenate(ends),
        offsets,
        [np.concatenate([part.counts[m] for part in parts]) for m in range(len(contestants))],
    )
    n_best = rules.selection.n_best or int(ranked.sizes.max())
    long_enough = ranked.sizes >= n_best
    kept = np.flatnonzero(long_enough) if rules.short == "skip" else np.arange(len(ranked.sizes))
    where = [line for part in parts for line in part.first_lines]
    if not len(kept):
        raise InputError(
            f"{name}: no list has {n_best} candidates, the longest has {ranked.sizes.max()}: "
            "lower --n-best, or keep short lists (--short keep)"
        )
    grid = rules.selection.ends(n_best).tolist() if rules.selection.curve is not None else []
    names = [(one.name, one.signature) for one in contestants]
    found = verdicts(ranked, names, kept, n_best, grid, rules.ties, rules.resampling, jobs)
    short = np.flatnonzero(~long_enough)
    left_out = {
        "without_list": segments - len(counted.seen),
        "one_reference": counted.one_reference,
        "no_candidates": counted.without_candidates,
        "short": len(short) if rules.short == "skip" else 0,
    }
    about = {"candidates": counted.candidates, "copies_of_references": counted.copies, "empty": counted.empty}
    notes = _notes(rules, counted, left_out, segments)
    if len(short):
        s = int(short[0])
        notes.append(
            f"{where[s]}: the list of segment {ranked.segments[s] + 1} has {_some(int(ranked.sizes[s]), 'candidate')}, "
            f"fewer than {n_best}; {_some(len(short), 'such list')} "
            + ("left out (--short keep keeps them, --n-best N cuts lists to N)" if rules.short == "skip" else "kept")
        )
    return OrangeResult(found, ranked.segments[kept], ranked.sizes[kept], left_out, about, tuple(notes))


def _nothing_to_judge(counted: Counted, name: str) -> str:
    if counted.one_reference:
        return ONE_REFERENCE
    if counted.without_candidates:
        return f"{name}: no list has a candidate that takes part"
    return f"{name}: there are no lists"


def _notes(rules: Rules, counted: Counted, left_out: Mapping[str, int], segments: int) -> list[str]:
    """What a user should know of the lists, a sentence each."""
    notes = []
    if left_out["without_list"]:
        notes.append(f"{left_out['without_list']} of {segments} segments have no list")
    if left_out["one_reference"] == 1:
        notes.append("1 list is left out: its segment has one reference, and there is no other to score it against")
    elif left_out["one_reference"]:
        notes.append(
            f"{left_out['one_reference']} lists are left out: their segments have one reference, "
            "and there is no other to score it against"
        )
    if left_out["no_candidates"] == 1:
        notes.append("1 list is left out: it has no candidate that takes part")
    elif left_out["no_candidates"]:
        notes.append(f"{left_out['no_candidates']} lists are left out: they have no candidate that takes part")
    if counted.empty:
        notes.append(f"{counted.first_empty}: the candidate is empty; {_some(counted.empty, 'empty candidate')} in all")
    if counted.copies:
        notes.append(
            f"{_some(counted.copies, 'candidate')} {'is' if counted.copies == 1 else 'are'} word for word a reference, "
            + ("and left out" if rules.selection.drop_copies else "and take part (--drop-copies leaves them out)")
        )
    return notes


def _some(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count != 1)
