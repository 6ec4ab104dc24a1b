"""Does an output that is better in each part lose on the whole? (Chiang et al. 2008, section 3.2)

Segments have labels, such as genres. In two parts of the test set an output is better than a system's, in each part by
itself, and yet worse on both together. The output is another system's, or, as in the paper, one system's in one part
and another's in the other: systems made for their genre against a system for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.meta.audit.evidence import Evidence, Finding, Outcome, Settings, numbered, p_values
from tarocco.metrics.base import Floats

CHECK = "mixing"
MOST_LABELS = 10  # all two-way splits of so many labels are searched: 511
MOST_SPLITS = 1000  # of one label against the others, the largest groups first, where there are more labels
_ROOM = 1 << 16  # comparisons that are made together


@dataclass(frozen=True, eq=False)
class Labels:
    """The groups of segments: a name each, and the number of each segment's group."""

    names: tuple[str, ...]
    numbers: NDArray[np.intp]

    @classmethod
    def of(cls, labels: Sequence[str]) -> Labels:
        names = tuple(dict.fromkeys(labels))
        number = {name: i for i, name in enumerate(names)}
        return cls(names, np.array([number[label] for label in labels], np.intp))

    @cached_property
    def splits(self) -> NDArray[np.bool_]:
        """bool[splits, labels]: the labels of the first part; the first label is always there, unless it is alone."""
        count = len(self.names)
        if count <= MOST_LABELS:
            chosen = np.arange(2 ** (count - 1) - 1)[:, None] >> np.arange(count - 1) & 1
            return np.concatenate([np.ones((len(chosen), 1)), chosen], axis=1).astype(np.bool_)
        sizes = np.bincount(self.numbers, minlength=count)
        largest = np.argsort(-sizes, kind="stable")[:MOST_SPLITS]
        return np.equal(largest[:, None], np.arange(count))

    def sums(self, rows: Floats) -> Floats:
        """The sums of each group's rows."""
        sums = np.zeros((len(self.names), *rows.shape[1:]))
        np.add.at(sums, self.numbers, rows)
        return sums


@dataclass(frozen=True)
class Reversal:
    """Outputs of `chosen`, one a part, beat `system` in every part, and lose to it on the whole."""

    chosen: tuple[int, ...]
    system: int
    parts: tuple[NDArray[np.bool_], ...]  # the labels of each part
    strength: float  # the smallest of the differences


def mixing(evidence: Evidence, labels: Labels | None, settings: Settings) -> Outcome:
    """The strongest reversal of each kind; its size is the smallest of its differences, as a share of the worth."""
    if labels is None:
        return Outcome(evidence.name, CHECK, impossible="segments have no labels")
    if len(labels.names) < 2:
        return Outcome(evidence.name, CHECK, impossible=f"all segments have the label {labels.names[0]}")
    if len(evidence.scores) < 2:
        return Outcome(evidence.name, CHECK, impossible="there is one system, and two are compared")
    groups = labels.sums(evidence.rows)
    found, numbers = _of_two_parts(evidence, labels, groups)
    if len(labels.names) > 2:
        of_all, numbers["in_every_group"] = _of_all_groups(evidence, groups)
        found += of_all
    findings = [_finding(evidence, labels, reversal, settings) for reversal in found]
    findings.sort(key=lambda finding: -finding.size)
    return Outcome(evidence.name, CHECK, findings[0].size if findings else 0.0, numbers, tuple(findings))


def exchanged(evidence: Evidence, first: Floats, second: Floats) -> Floats:
    """[..., a, b]: the goodness of a's output in the first part with b's in the second, from sums[..., systems, k]."""
    return evidence.goodness(first[..., :, None, :] + second[..., None, :, :])


def _of_two_parts(evidence: Evidence, labels: Labels, groups: Floats) -> tuple[list[Reversal], dict[str, Any]]:
    """The strongest reversals by one system's output, and by two systems', over all splits."""
    splits, systems = labels.splits, len(evidence.scores)
    same = np.eye(systems, dtype=np.bool_)[:, :, None]
    best: dict[bool, Reversal] = {}
    counts = {True: 0, False: 0}
    step = max(1, _ROOM // systems**3)
    for start in range(0, len(splits), step):
        of_step = splits[start : start + step]
        first, second = (np.einsum("pg,gsk->psk", part.astype(float), groups) for part in (of_step, ~of_step))
        mixed = exchanged(evidence, first, second)
        alone = np.einsum("pss->ps", mixed)
        gains = [part[:, :, None] - part[:, None, :] for part in map(evidence.goodness, (first, second))]
        lost = alone[:, None, None, :] - mixed[:, :, :, None]
        strength = np.minimum(np.minimum(gains[0][:, :, None, :], gains[1][:, None, :, :]), lost)
        strength = np.where(strength > evidence.small, strength, 0.0)  # [split, a, b, the system that they lose to]
        for one in (True, False):
            own = np.where(same == one, strength, 0.0)
            counts[one] += int((own > 0).sum())
            place = np.unravel_index(own.argmax(), own.shape)
            if own[place] > (best[one].strength if one in best else 0.0):
                split, a, b, system = map(int, place)
                best[one] = Reversal((a, b), system, (of_step[split], ~of_step[split]), float(own[place]))
    numbers = {"splits": len(splits), "by_one_system": counts[True], "by_two_systems": counts[False]}
    return list(best.values()), numbers


def _of_all_groups(evidence: Evidence, groups: Floats) -> tuple[list[Reversal], int]:
    """The strongest reversal by an output that is better in every single group, and how many there are."""
    by_group = evidence.goodness(groups)
    gains = (by_group[:, :, None] - by_group[:, None, :]).min(axis=0)
    whole = evidence.goodness(groups.sum(axis=0))
    strength = np.minimum(gains, whole[None, :] - whole[:, None])
    strength = np.where(strength > evidence.small, strength, 0.0)
    place = np.unravel_index(strength.argmax(), strength.shape)
    if not strength[place]:
        return [], 0
    system, other = map(int, place)
    parts = tuple(np.eye(len(groups), dtype=np.bool_))
    return [Reversal((system,) * len(parts), other, parts, float(strength[place]))], int((strength > 0).sum())


def _finding(evidence: Evidence, labels: Labels, reversal: Reversal, settings: Settings) -> Finding:
    base = evidence.scores[reversal.system]
    members = [part[labels.numbers] for part in reversal.parts]
    rows = base.statistics.copy()
    for member, system in zip(members, reversal.chosen, strict=True):
        rows[member] = evidence.rows[member, system]
    names = [evidence.scores[system].system for system in reversal.chosen]
    mixed = evidence.made(names[0] if len(set(names)) == 1 else " and ".join(names), rows)
    changes = rows - base.statistics
    worse_on_the_whole = _change(evidence, base.sums, changes) < -evidence.small
    better_in_its_part = np.zeros(evidence.n_segments, np.bool_)
    parts, pairs = [], [(base, mixed)]
    for member, part, name in zip(members, reversal.parts, names, strict=True):
        pair = [evidence.made(score.system, score.statistics[member]) for score in (base, mixed)]
        better_in_its_part[member] = _change(evidence, pair[0].sums, changes[member]) > evidence.small
        parts.append(
            {
                "labels": [labels.names[i] for i in np.flatnonzero(part).tolist()],
                "system": name,
                "score": pair[1].score,
                "beats": pair[0].score,
            }
        )
        pairs.append((pair[0], pair[1]))
    # Parts have different segments, so each has resamples of its own.
    by_luck = [p_values([pair], settings)[0] for pair in pairs]
    for part_record, p in zip(parts, by_luck[1:], strict=True):
        part_record["p_value"] = p
    return Finding(
        evidence.name,
        CHECK,
        (mixed.system, base.system),
        evidence.relative(reversal.strength, evidence.sign * base.score),
        {"parts": parts, "score": mixed.score, "loses_to": base.score},
        numbered(better_in_its_part & worse_on_the_whole),
        by_luck[0],
    )


def _change(evidence: Evidence, sums: Floats, changes: Floats) -> Floats:
    """How much better the score of some sums is with each segment's change by itself."""
    return evidence.goodness(sums + changes) - evidence.goodness(sums)
