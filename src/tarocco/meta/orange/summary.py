"""What a trial came to: the blocks put together, the lists that count, and what a user should know of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tarocco.core.errors import InputError
from tarocco.meta.orange.blocks import Contestant
from tarocco.meta.orange.cases import Counted
from tarocco.meta.orange.hearing import Judged
from tarocco.meta.orange.results import OrangeResult, Ranked, verdicts
from tarocco.meta.orange.rules import Rules

ONE_REFERENCE = (
    "no segment has two references, and with one alone a reference cannot be scored: "
    "there is no other to compare it with (more files with -r; --num-refs N if tabs separate references; "
    "--pool FILE if sources repeat)"
)


def summed_up(
    judged: Judged,
    contestants: Sequence[Contestant],
    segments: int,
    rules: Rules,
    counted: Counted,
    name: str,
    jobs: int | None,
) -> OrangeResult:
    """The verdict on all lists that count, and notes on those that do not."""
    if not judged:
        raise InputError(_nothing_to_judge(counted, name))
    ranked = judged.ranked()
    long_enough = _long_enough(rules, ranked, np.frombuffer(judged.sizes, np.int64))
    kept = np.flatnonzero(long_enough) if rules.short == "skip" else np.arange(len(ranked.sizes))
    kept = kept[np.argsort(ranked.segments[kept], kind="stable")]  # files of some tools have lists in any order
    if not len(kept):
        raise InputError(
            f"{name}: no list has {rules.selection.n_best} candidates, the longest has {ranked.sizes.max()}: "
            "lower --n-best, or keep short lists (--short keep)"
        )
    n_best = rules.selection.n_best or int(ranked.sizes[kept].max())
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
    about = {
        "candidates": counted.candidates,
        "copies_of_references": counted.copies,
        "empty": counted.empty,
        "pooled": counted.pooled,
    }
    notes = []
    if len(short):
        where = judged.where(int(short[0]))
        size, most = _some(int(ranked.sizes[short[0]]), "candidate"), rules.selection.n_best or ranked.sizes.max()
        notes.append(f"{where}: this list has {size}, fewer than {most}; {_short(len(short), len(kept), rules.short)}")
    notes += _notes(rules, counted, left_out, segments)
    if len(kept) > 1 and all((one.ranks[~np.isnan(one.ranks)] == 1).all() for one in found):
        notes.append("every metric ranks the references first in every list: do lists and references belong together?")
    return OrangeResult(found, ranked.segments[kept], ranked.sizes[kept], left_out, about, tuple(notes))


def _long_enough(rules: Rules, ranked: Ranked, as_read: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which lists have n_best candidates or, where nobody says how many, as many as the longest.

    In that case lists count as they were read: that a text stands in a list twice, or is a copy, makes it no shorter.
    """
    n_best = rules.selection.n_best
    enough: NDArray[np.bool_] = as_read == as_read.max() if n_best is None else ranked.sizes >= n_best
    return enough


def _short(short: int, kept: int, what: str) -> str:
    if what == "keep":
        return f"{_some(short, 'such list')} kept, each with its own length"
    most = f", so that {_some(kept, 'list')} count{'s' * (kept == 1)}" if short > kept else ""
    return f"{_some(short, 'such list')} left out{most} (--short keep keeps them, --n-best N cuts lists to N)"


def _nothing_to_judge(counted: Counted, name: str) -> str:
    if counted.one_reference:
        return ONE_REFERENCE
    if counted.without_candidates:
        return f"{name}: no list has a candidate that takes part"
    return f"{name}: there are no lists"


def _notes(rules: Rules, counted: Counted, left_out: Mapping[str, int], segments: int) -> list[str]:
    """What a user should know of the lists, a sentence each."""
    alone, none, copies = left_out["one_reference"], left_out["no_candidates"], counted.copies
    notes = []
    if left_out["without_list"]:
        of = f"{left_out['without_list']} of {segments} segments have no list"
        begins = 0 not in counted.seen and 1 in counted.seen
        notes.append(f"{of}, nor does the first: do ids count from 1 (--first-id 1)?" if begins else of)
    if alone:
        notes.append(f"{_some(alone, 'list')} left out, with one reference, which has no other to be scored against")
    if counted.same_references:
        notes.append(
            f"{_some(counted.same_references, 'segment')} with the same reference twice, which are sure to rank high"
        )
    if none:
        notes.append(f"{_some(none, 'list')} left out, without a candidate that takes part")
    if counted.first_empty is not None:
        path, line = counted.first_empty
        in_all = _some(counted.empty, "empty candidate")
        notes.append(f"{path}, line {line}: the candidate is empty; {in_all} in all")
    if copies:
        told = "left out" if rules.selection.drop_copies else "taking part (--drop-copies leaves such candidates out)"
        notes.append(f"{_some(copies, 'candidate')} word for word a reference, {told}")
    if counted.from_store:
        notes.append(f"{_some(counted.from_store, 'list')} found in the store")
    return notes


def _some(count: int, what: str) -> str:
    return f"{count} {what}" + "s" * (count != 1)
