"""The five checks of an audit, after Chiang et al. (2008).

sign test   does the sign test contradict itself? (section 3.1)
mixing      does an output that is better in each part lose on the whole? (section 3.2)
deletion    what does it cost to leave segments out? (section 3.3)
trading     does a long part pay for a short one? (section 2)
straw men   do outputs that no metric should prefer outrank real systems? (section 5)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import NEWLINE, Segments
from tarocco.meta.audit.evidence import AuditFinding, AuditSettings, CheckResult, Evidence, segment_numbers
from tarocco.meta.significance.paired_tests import segment_signs, sign_test
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import draw_random_sets
from tarocco.scoring.results import Score

ONE_SYSTEM = "there is only one system"
EXTERNAL = "these scores are external: other outputs have none"

# --- sign test --------------------------------------------------------------------------------------------------------


def check_sign_test(evidence: Evidence, settings: AuditSettings) -> CheckResult:
    """Look for pairs of systems that are each significantly better than the other by the sign test.

    The sign test of Collins et al. (2005) replaces one segment of a baseline at a time, with either system as the
    baseline. If segments do not influence each other's contribution, both tests agree. One finding per pair; the size
    is the share of pairs that contradict themselves.
    """
    pairs = list(combinations(evidence.scores, 2))
    if not pairs:
        return CheckResult(evidence.name, "sign test", impossible=ONE_SYSTEM)
    contradictions = []
    for one, other in pairs:
        forth, back = segment_signs(one, other), segment_signs(other, one)
        direction = np.sign(int(forth.sum()))
        if direction and direction == np.sign(int(back.sum())):
            tests = [_test(forth), _test(back)]
            if all(test["p_value"] <= settings.alpha for test in tests):
                segments = segment_numbers((forth == direction) & (back == direction))
                contradictions.append(((one, other), tests, segments))
    significance = evidence.p_values([pair for pair, _, _ in contradictions], settings)
    findings = [
        AuditFinding(
            evidence.name,
            "sign test",
            (one.system, other.system),
            len(segments) / evidence.n_segments,
            {"scores": [one.score, other.score], "tests": tests},
            segments,
            p,
        )
        for ((one, other), tests, segments), p in zip(contradictions, significance, strict=True)
    ]
    findings.sort(key=lambda finding: -finding.size)
    numbers = {"contradictions": len(findings), "pairs": len(pairs)}
    return CheckResult(evidence.name, "sign test", len(findings) / len(pairs), numbers, tuple(findings))


def _test(signs: NDArray[np.int8]) -> dict[str, Any]:
    """Return the numbers of segments with a better and with a worse output, and the p-value."""
    better, worse = int((signs > 0).sum()), int((signs < 0).sum())
    return {"better": better, "worse": worse, "p_value": sign_test(better, worse)}


# --- mixing ----------------------------------------------------------------------------------------------------------

MAX_LABELS = 10  # up to so many labels all two-way splits are searched: 511
MAX_SPLITS = 1000  # with more labels, each of the largest groups against the others
_COMPARISONS = 1 << 16  # per step


@dataclass(frozen=True, eq=False)
class SegmentGroups:
    """The groups of segments: their names, and the number of each segment's group."""

    names: tuple[str, ...]
    numbers: NDArray[np.intp]

    @classmethod
    def of(cls, labels: Sequence[str]) -> SegmentGroups:
        """Return the groups of segments with the same label."""
        names = tuple(dict.fromkeys(labels))
        number = {name: i for i, name in enumerate(names)}
        return cls(names, np.array([number[label] for label in labels], np.intp))

    @cached_property
    def splits(self) -> NDArray[np.bool_]:
        """bool[splits, labels]: the labels of the first part. Up to MAX_LABELS it always has the first label."""
        count = len(self.names)
        if count <= MAX_LABELS:
            chosen = np.arange(2 ** (count - 1) - 1)[:, None] >> np.arange(count - 1) & 1
            return np.concatenate([np.ones((len(chosen), 1)), chosen], axis=1).astype(np.bool_)
        sizes = np.bincount(self.numbers, minlength=count)
        largest = np.argsort(-sizes, kind="stable")[:MAX_SPLITS]
        return np.equal(largest[:, None], np.arange(count))

    def sums(self, rows: Floats) -> Floats:
        """Return the sums of each group's rows."""
        sums = np.zeros((len(self.names), *rows.shape[1:]))
        np.add.at(sums, self.numbers, rows)
        return sums


@dataclass(frozen=True)
class Reversal:
    """The outputs of `chosen`, one per part, beat `system` in every part, and lose to it on the whole."""

    chosen: tuple[int, ...]
    system: int
    parts: tuple[NDArray[np.bool_], ...]  # the labels of each part
    strength: float  # the smallest of the differences


def check_mixing(evidence: Evidence, groups: SegmentGroups | None, settings: AuditSettings) -> CheckResult:
    """Look for an output that is better than a system's in each of two parts of the test set, but worse on the whole.

    Parts are made of the labels of segments, such as genres. The output is another system's or, as in the paper, one
    system's in one part and another's in the other. The findings are the strongest reversals of each kind; their size
    is the smallest of their differences, as a share of the worth.
    """
    if groups is None:
        return CheckResult(evidence.name, "mixing", impossible="segments have no labels")
    if len(groups.names) < 2:
        return CheckResult(evidence.name, "mixing", impossible=f"all segments have the label {groups.names[0]}")
    if len(evidence.scores) < 2:
        return CheckResult(evidence.name, "mixing", impossible=ONE_SYSTEM)
    sums = groups.sums(evidence.rows)
    reversals, numbers = _reversals_of_parts(evidence, groups, sums)
    if len(groups.names) > 2:
        of_all, numbers["in_every_group"] = _reversals_of_groups(evidence, sums)
        reversals += of_all
    findings = [_mixing_finding(evidence, groups, reversal, settings) for reversal in reversals]
    findings.sort(key=lambda finding: -finding.size)
    return CheckResult(evidence.name, "mixing", findings[0].size if findings else 0.0, numbers, tuple(findings))


def exchanged(evidence: Evidence, first: Floats, second: Floats) -> Floats:
    """Return [..., a, b]: the goodness of a in the first part with b in the second, from sums[..., systems, k]."""
    return evidence.goodness(first[..., :, None, :] + second[..., None, :, :])


def _reversals_of_parts(
    evidence: Evidence, groups: SegmentGroups, sums: Floats
) -> tuple[list[Reversal], dict[str, Any]]:
    """Return the strongest reversals by the output of one system, and by those of two, over all splits."""
    splits, systems = groups.splits, len(evidence.scores)
    same = np.eye(systems, dtype=np.bool_)[:, :, None]
    best: dict[bool, Reversal] = {}
    counts = {True: 0, False: 0}
    step = max(1, _COMPARISONS // systems**3)
    for start in range(0, len(splits), step):
        of_step = splits[start : start + step]
        first, second = (np.einsum("pg,gsk->psk", part.astype(float), sums) for part in (of_step, ~of_step))
        mixed = exchanged(evidence, first, second)
        alone = np.einsum("pss->ps", mixed)
        gains = [part[:, :, None] - part[:, None, :] for part in map(evidence.goodness, (first, second))]
        lost = alone[:, None, None, :] - mixed[:, :, :, None]
        strength = np.minimum(np.minimum(gains[0][:, :, None, :], gains[1][:, None, :, :]), lost)
        strength = np.where(strength > evidence.small, strength, 0.0)  # [split, a, b, the system that they lose to]
        for by_one in (True, False):
            of_kind = np.where(same == by_one, strength, 0.0)
            counts[by_one] += int((of_kind > 0).sum())
            place = np.unravel_index(of_kind.argmax(), of_kind.shape)
            if of_kind[place] > (best[by_one].strength if by_one in best else 0.0):
                split, a, b, system = map(int, place)
                best[by_one] = Reversal((a, b), system, (of_step[split], ~of_step[split]), float(of_kind[place]))
    numbers = {"splits": len(splits), "by_one_system": counts[True], "by_two_systems": counts[False]}
    return list(best.values()), numbers


def _reversals_of_groups(evidence: Evidence, sums: Floats) -> tuple[list[Reversal], int]:
    """Return the strongest reversal by an output that is better in every single group, and the number of reversals."""
    by_group = evidence.goodness(sums)
    gains = (by_group[:, :, None] - by_group[:, None, :]).min(axis=0)
    whole = evidence.goodness(sums.sum(axis=0))
    strength = np.minimum(gains, whole[None, :] - whole[:, None])
    strength = np.where(strength > evidence.small, strength, 0.0)
    place = np.unravel_index(strength.argmax(), strength.shape)
    if not strength[place]:
        return [], 0
    system, other = map(int, place)
    parts = tuple(np.eye(len(sums), dtype=np.bool_))
    return [Reversal((system,) * len(parts), other, parts, float(strength[place]))], int((strength > 0).sum())


def _mixing_finding(
    evidence: Evidence, groups: SegmentGroups, reversal: Reversal, settings: AuditSettings
) -> AuditFinding:
    base = evidence.scores[reversal.system]
    members = [part[groups.numbers] for part in reversal.parts]
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
                "labels": [groups.names[i] for i in np.flatnonzero(part).tolist()],
                "system": name,
                "score": pair[1].score,
                "beats": pair[0].score,
            }
        )
        pairs.append((pair[0], pair[1]))
    # Parts have different segments, so each is resampled separately.
    significance = [evidence.p_values([pair], settings)[0] for pair in pairs]
    for part_record, p in zip(parts, significance[1:], strict=True):
        part_record["p_value"] = p
    return AuditFinding(
        evidence.name,
        "mixing",
        (mixed.system, base.system),
        evidence.relative(reversal.strength, evidence.sign * base.score),
        {"parts": parts, "score": mixed.score, "loses_to": base.score},
        segment_numbers(better_in_its_part & worse_on_the_whole),
        significance[0],
    )


def _change(evidence: Evidence, sums: Floats, changes: Floats) -> Floats:
    """Return how much each segment's change alone improves the score of the sums."""
    return evidence.goodness(sums + changes) - evidence.goodness(sums)


# --- deletion --------------------------------------------------------------------------------------------------------

FORGIVEN = 0.1  # blanking is forgiven if it costs less than this part of the blanked share
MAX_STEPS = 4000  # of the search: with more segments, each step takes several


def check_deletion(evidence: Evidence, blank: list[NDArray[np.bool_]], settings: AuditSettings) -> CheckResult:
    """Look for systems whose score barely changes if segments are empty; `blank` marks those that are empty already.

    Two numbers per system: the mean change of the score if a random share of the segments is blanked, and the share
    that can be blanked without a lower score if segments are chosen greedily, which is a lower bound. The size is the
    largest share that the search blanks.
    """
    empty = evidence.empty
    if empty is None:
        return CheckResult(evidence.name, "deletion", impossible=EXTERNAL)
    n = evidence.n_segments
    size = max(1, round(settings.share * n))
    chosen = draw_random_sets(settings.seed, n, settings.n_draws, size)
    worst = evidence.sign * empty.score
    records, gamed = [], []
    for score, before, already in zip(evidence.scores, evidence.of_systems.tolist(), blank, strict=True):
        if not before - worst > evidence.small:
            continue  # no better than an empty output
        changes = empty.statistics - score.statistics
        after = evidence.goodness(score.sums + changes[chosen].sum(axis=1))
        order = blank_greedily(evidence, score.sums, changes, ~already, before)
        record: dict[str, Any] = {
            "system": score.system,
            "score": score.score,
            "blanked": size,
            "mean": evidence.sign * float(after.mean()),
            "lowest": float((evidence.sign * after).min()),
            "highest": float((evidence.sign * after).max()),
            "change": evidence.relative(float(after.mean()) - before, before),
            "greedy": len(order),
            "greedy_share": len(order) / n,
            "reached": len(order) >= size,
        }
        record["forgiven"] = record["change"] > -FORGIVEN * size / n
        records.append(record)
        if record["forgiven"] or record["reached"]:
            gamed.append((score, record, order, chosen[0]))
    if not records:
        return CheckResult(evidence.name, "deletion", impossible="no system scores better than an empty output")
    return _deletion_result(evidence, empty, records, gamed, settings)


def _deletion_result(
    evidence: Evidence,
    empty: Score,
    records: list[dict[str, Any]],
    gamed: list[tuple[Score, dict[str, Any], NDArray[np.intp], NDArray[np.intp]]],
    settings: AuditSettings,
) -> CheckResult:
    pairs = []
    for score, _, _, first in gamed:
        rows = score.statistics.copy()
        rows[first] = empty.statistics[first]
        pairs.append((score, evidence.made(f"{score.system}, blanked", rows)))
    findings = [
        AuditFinding(
            evidence.name,
            "deletion",
            (score.system,),
            len(order) / evidence.n_segments,
            record,
            tuple((order + 1).tolist()),
            p,
        )
        for (score, record, order, _), p in zip(gamed, evidence.p_values(pairs, settings), strict=True)
    ]
    findings.sort(key=lambda finding: (-finding.size, -finding.numbers["change"]))
    kindest = max(record["change"] for record in records)
    most = max(record["greedy_share"] for record in records)
    numbers = {
        "change": kindest,
        "forgiven": sum(record["forgiven"] for record in records),
        "reached": sum(record["reached"] for record in records),
        "by_system": records,
    }
    return CheckResult(evidence.name, "deletion", most, numbers, tuple(findings))


def blank_greedily(
    evidence: Evidence, sums: Floats, changes: Floats, may: NDArray[np.bool_], before: float
) -> NDArray[np.intp]:
    """Return the segments to blank, in order of choice; row i of `changes` is the effect of segment i on the sums."""
    left = np.flatnonzero(may)
    rows = changes[left]
    together = -(-len(left) // MAX_STEPS)
    taken: list[NDArray[np.intp]] = []
    while len(left):
        after = evidence.goodness(sums + rows)
        best = np.argsort(-after, kind="stable")[:together] if together > 1 else np.array([after.argmax()])
        sums = sums + rows[best].sum(axis=0)
        if not evidence.goodness(sums) >= before - evidence.small:
            break
        taken.append(left[best])
        left, rows = np.delete(left, best), np.delete(rows, best, axis=0)
    return np.concatenate(taken) if taken else np.empty(0, np.intp)


# --- trading ---------------------------------------------------------------------------------------------------------


def check_trading(evidence: Evidence, lengths: NDArray[np.intp], settings: AuditSettings) -> CheckResult:
    """Look for pairs of systems that score higher with halves exchanged than either system.

    `lengths` are those of the outputs, in characters. A random half of the segments comes from the longer output and
    the rest from the shorter one, and vice versa. If segments do not influence each other's contribution, the exchanges
    score what the systems score, on average. The size is the largest mean gain over the better system, as a share of
    its worth; without a finding it is 0 or less.
    """
    n = evidence.n_segments
    if len(evidence.scores) < 2:
        return CheckResult(evidence.name, "trading", impossible=ONE_SYSTEM)
    if n < 2:
        return CheckResult(evidence.name, "trading", impossible="there is only one segment")
    longer, shorter = np.nonzero(lengths[:, None] > lengths[None, :])
    if not len(longer):
        return CheckResult(evidence.name, "trading", impossible="all outputs have the same length")
    halves = draw_random_sets(settings.seed, n, settings.n_draws, n // 2)
    whole = evidence.rows.sum(axis=0)
    total = np.zeros((len(lengths), len(lengths)))
    for half in halves:
        first = evidence.rows[half].sum(axis=0)
        total += exchanged(evidence, first, whole - first)
    exchanges = (total + total.T)[longer, shorter] / (2 * len(halves))
    scores = evidence.of_systems
    better = np.where(scores[longer] > scores[shorter], longer, shorter)
    surplus = exchanges - scores[better]
    order = [i for i in np.argsort(-surplus, kind="stable").tolist() if surplus[i] > evidence.small]
    in_first = np.zeros((n, 1), np.bool_)
    in_first[halves[0]] = True
    rewarded = []
    for i in order:
        one, other = (evidence.scores[pair[i]] for pair in (longer, shorter))
        rows = np.where(in_first, one.statistics, other.statistics)
        rewarded.append((i, one, other, evidence.made(f"{one.system} and {other.system}, exchanged", rows)))
    pairs = [(evidence.scores[better[i]], exchange) for i, _, _, exchange in rewarded]
    findings = [
        AuditFinding(
            evidence.name,
            "trading",
            (one.system, other.system),
            evidence.relative(float(surplus[i]), float(scores[better[i]])),
            {
                "scores": [one.score, other.score],
                "lengths": [int(lengths[longer[i]]), int(lengths[shorter[i]])],
                "expected": (one.score + other.score) / 2,
                "exchanged": evidence.sign * float(exchanges[i]),
            },
            segment_numbers((segment_signs(one, other) > 0) & (segment_signs(other, one) > 0)),
            p,
        )
        for (i, one, other, _), p in zip(rewarded, evidence.p_values(pairs, settings), strict=True)
    ]
    kindest = int(surplus.argmax())
    size = evidence.relative(float(surplus[kindest]), float(scores[better[kindest]]))
    return CheckResult(
        evidence.name, "trading", size, {"rewarded": len(rewarded), "pairs": len(longer)}, tuple(findings)
    )


# --- straw men -------------------------------------------------------------------------------------------------------

EMPTY = "empty"
_SPACE = 32


def make_straw_men(systems: Mapping[str, Segments]) -> dict[tuple[str, str | None], Segments]:
    """Return outputs by (what they are, the system they were made of): the empty one, then two per system."""
    n = len(next(iter(systems.values())))
    made: dict[tuple[str, str | None], Segments] = {(EMPTY, None): Segments.from_strings([""] * n)}
    for name, segments in systems.items():
        made["first half", name] = first_half(segments)
        made["doubled", name] = doubled(segments)
    return made


def first_half(segments: Segments) -> Segments:
    """Return the first half of each segment's bytes, rounded up to whole characters."""
    text, begins = segments.text, segments.starts[:-1]
    ends = begins + (segments.lengths + 1) // 2
    for _ in range(3):  # a character has at most three continuation bytes
        ends = ends + (text[ends] & 0xC0 == 0x80)
    return _pieces(text, begins, ends - begins)


def doubled(segments: Segments) -> Segments:
    """Return each segment twice, separated by a space; an empty one stays empty."""
    begins, lengths = np.repeat(segments.starts[:-1], 2), np.repeat(segments.lengths, 2)
    pieces = _pieces(segments.text, begins, lengths)
    text = pieces.text.copy()
    text[pieces.starts[1::2] - 1] = _SPACE
    return Segments(text, pieces.starts[::2].copy())


def _pieces(text: NDArray[np.uint8], begins: NDArray[np.intp], lengths: NDArray[np.intp]) -> Segments:
    """Return ranges of a text as segments."""
    starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(lengths + 1)])
    places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths + 1)
    pieces = text[places]
    pieces[starts[1:] - 1] = NEWLINE
    return Segments(pieces, starts)


def count_characters(segments: Segments) -> int:
    """Return the number of characters."""
    return int((segments.text & 0xC0 != 0x80).sum()) - len(segments)  # each segment ends with a newline


def check_straw_men(evidence: Evidence, settings: AuditSettings) -> CheckResult:
    """Look for straw men that outrank real systems: half an output, an output twice, and an empty output.

    One finding per straw man; the size is the share of comparisons with real systems that straw men win.
    """
    if not evidence.straw:
        return CheckResult(evidence.name, "straw men", impossible=EXTERNAL)
    scores, winners, won, above_own = evidence.of_systems, [], 0, 0
    names = [score.system for score in evidence.scores]
    for straw, kind, maker in evidence.straw:
        goodness = evidence.sign * straw.score
        outranked = goodness - scores > evidence.small
        won += int(outranked.sum())
        if outranked.any():
            beats_own = maker is not None and bool(outranked[names.index(maker)])
            above_own += beats_own
            # The system it was made of, or the best of those that it outranks.
            against = names.index(maker) if beats_own and maker else int(np.where(outranked, scores, -np.inf).argmax())
            winners.append((straw, kind, maker, outranked, beats_own, evidence.scores[against]))
    significance = evidence.p_values([(real, straw) for straw, _, _, _, _, real in winners], settings)
    findings = [
        AuditFinding(
            evidence.name,
            "straw men",
            tuple(dict.fromkeys(name for name in (maker, real.system) if name is not None)),
            float(outranked.mean()),
            {
                "straw_man": kind,
                "of": maker,
                "score": straw.score,
                "rank": 1 + int((scores > evidence.sign * straw.score).sum()),
                "outranks": [name for name, lower in zip(names, outranked.tolist(), strict=True) if lower],
                "outranks_its_own": beats_own,
                "compared_with": real.system,
                "beats": real.score,
            },
            segment_numbers(evidence.sign * (straw.segments - real.segments) > evidence.small),
            p,
        )
        for (straw, kind, maker, outranked, beats_own, real), p in zip(winners, significance, strict=True)
    ]
    findings.sort(key=lambda finding: (not finding.numbers["outranks_its_own"], -finding.size))
    total = len(evidence.straw) * len(names)
    numbers = {"won": won, "comparisons": total, "above_their_own": above_own}
    return CheckResult(evidence.name, "straw men", won / total, numbers, tuple(findings))
