"""The five checks of an audit, after Chiang et al. (2008).

sign test   does the sign test contradict itself? (section 3.1)
mixing      does an output that is better in each part lose on the whole? (section 3.2)
deletion    what does it cost to leave segments out? (section 3.3)
trading     does a long part pay for a short one? (section 2)
straw men   do outputs that no metric should prefer score higher than those they were made of? (section 5)

Every effect is one of a system, a pair or a trio, and no other system has a part in it.
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
from tarocco.meta.audit.minimum_effects import (
    N_RESAMPLES,
    find_p_by_bootstrap,
    find_p_of_excess,
    find_p_of_majority,
)
from tarocco.meta.significance.paired_tests import PairedTest, compare_signs, segment_signs
from tarocco.metrics.base import Floats
from tarocco.scoring.resampling import bootstrap, draw_random_sets
from tarocco.scoring.results import Score

ONE_SYSTEM = "there is only one system"
EXTERNAL = "these scores are external: other outputs have none"

# --- sign test --------------------------------------------------------------------------------------------------------


def check_sign_test(evidence: Evidence, settings: AuditSettings) -> CheckResult:
    """Look for pairs of systems that are each better than the other by the sign test.

    The sign test of Collins et al. (2005) replaces one unit of a baseline at a time, with either system as the
    baseline. If segments do not influence each other's contribution, both directions agree. The size is the smaller of
    the two majorities. Both must be shown to be large enough, so the p-value is the larger one, doubled because
    either system may be the one that gains (an intersection-union test, Berger 1982).
    """
    name, least = evidence.name, settings.least_majority
    pairs = list(combinations(evidence.scores, 2))
    if not pairs:
        return CheckResult(name, "sign test", impossible=ONE_SYSTEM)
    units = {score.system: evidence.sum_units(score.statistics) for score in evidence.scores}
    findings, against_scores = [], []
    for first, second in pairs:
        test = compare_signs(first, second, units, PairedTest("sign", alpha=settings.alpha, unit="segment"))
        details = {key: int(value) for key, value in test.details.items()}
        directions = [
            _direction(details["improved"], details["worsened"], second, first),
            _direction(details["reverse_improved"], details["reverse_worsened"], first, second),
        ]
        if test.details["contradicts_scores"] and test.p_value <= settings.alpha:
            against_scores.append(
                {"systems": [first.system, second.system], "better": test.better, "p_value": test.p_value}
            )
        majorities = [_majority(direction) for direction in directions]
        size = min(map(abs, majorities))
        if not test.details["contradicts_itself"] or size <= least:
            continue
        tails = [
            find_p_of_majority(max(_counts(direction)), min(_counts(direction)), least) for direction in directions
        ]
        gains = majorities[0] > 0
        shown = (1, 1) if gains else (-1, -1)
        signs = np.stack([segment_signs(first, second), segment_signs(second, first)], axis=1)
        findings.append(
            AuditFinding(
                name,
                "sign test",
                (first.system, second.system),
                size,
                size,
                least,
                min(1.0, 2 * max(tails)),
                {"scores": [first.score, second.score], "tests": directions, "better": test.better},
                segment_numbers((signs == shown).all(axis=1)),
            )
        )
    tests = {frozenset((first.system, second.system)): 1 for first, second in pairs}
    return CheckResult(name, "sign test", tuple(findings), tests, {"contradicts_scores": against_scores})


def _direction(improved: int, worsened: int, system: Score, baseline: Score) -> dict[str, Any]:
    """Return one direction: outputs of the system replace those of the baseline."""
    better = improved > worsened if improved != worsened else None
    return {
        "system": system.system,
        "baseline": baseline.system,
        "improved": improved,
        "worsened": worsened,
        "better": better,
    }


def _counts(direction: dict[str, Any]) -> tuple[int, int]:
    return direction["improved"], direction["worsened"]


def _majority(direction: dict[str, Any]) -> float:
    improved, worsened = _counts(direction)
    return (improved - worsened) / max(1, improved + worsened)


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

    @property
    def n_divisions(self) -> int:
        """The number of divisions that are searched: in two parts, and with more labels into single groups."""
        return len(self.splits) + (len(self.names) > 2)

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
    """Look for an output that is better than a system's in each part of the test set, but worse on the whole.

    Parts are made of the labels of segments, such as genres. The output is another system's or, as in the paper, one
    system's in one part and another's in the other. The size is the smallest of the differences. All of them must be
    shown to be large enough, so the p-value is the largest, times the number of divisions that were searched.
    """
    name = evidence.name
    if groups is None:
        return CheckResult(name, "mixing", impossible="segments have no labels")
    if len(groups.names) < 2:
        return CheckResult(name, "mixing", impossible=f"all segments have the label {groups.names[0]}")
    if len(evidence.scores) < 2:
        return CheckResult(name, "mixing", impossible=ONE_SYSTEM)
    findings = [
        _mixing_finding(evidence, groups, reversal, settings)
        for reversal in find_reversals(evidence, groups, settings.least_gain * evidence.scale)
    ]
    names = [score.system for score in evidence.scores]
    # Either system of a pair may win the parts. In a trio, any may win the whole, and the others have two orders.
    tests = {frozenset(pair): 2 for pair in combinations(names, 2)}
    tests |= {frozenset(trio): 6 for trio in combinations(names, 3)}
    return CheckResult(name, "mixing", tuple(findings), tests, {"divisions": groups.n_divisions})


def exchanged(evidence: Evidence, first: Floats, second: Floats) -> Floats:
    """Return [..., a, b]: the goodness of a in the first part with b in the second, from sums[..., systems, k]."""
    return evidence.goodness(first[..., :, None, :] + second[..., None, :, :])


def find_reversals(evidence: Evidence, groups: SegmentGroups, least: float) -> list[Reversal]:
    """Return the strongest reversal of each pair and trio of systems, if all its differences exceed `least`."""
    splits, n = groups.splits, len(evidence.scores)
    sums = groups.sums(evidence.rows)
    best, best_split = np.zeros((n, n, n)), np.zeros((n, n, n), np.intp)
    step = max(1, _COMPARISONS // n**3)
    for start in range(0, len(splits), step):
        of_step = splits[start : start + step]
        first, second = (np.einsum("pg,gsk->psk", part.astype(float), sums) for part in (of_step, ~of_step))
        mixed = exchanged(evidence, first, second)
        alone = np.einsum("pss->ps", mixed)
        gains = [part[:, :, None] - part[:, None, :] for part in map(evidence.goodness, (first, second))]
        lost = alone[:, None, None, :] - mixed[:, :, :, None]
        strength = np.minimum(np.minimum(gains[0][:, :, None, :], gains[1][:, None, :, :]), lost)
        strength = np.nan_to_num(strength, nan=-np.inf)  # [split, a, b, the system that they lose to]
        place = strength.argmax(axis=0)
        strongest = np.take_along_axis(strength, place[None], axis=0)[0]
        better = strongest > best
        best[better], best_split[better] = strongest[better], start + place[better]
    reversals = {
        (a, b, system): Reversal((a, b), system, (splits[split], ~splits[split]), float(best[a, b, system]))
        for a, b, system in np.argwhere(best > max(least, evidence.small)).tolist()
        for split in [best_split[a, b, system]]
    }
    for reversal in _reversals_of_groups(evidence, sums) if len(groups.names) > 2 else ():
        key = reversal.chosen[0], reversal.chosen[1], reversal.system
        if reversal.strength > max(least, evidence.small, best[key]):
            reversals[key] = reversal
    return list(reversals.values())


def _reversals_of_groups(evidence: Evidence, sums: Floats) -> list[Reversal]:
    """Return what every output that is better in every single group loses on the whole."""
    by_group = evidence.goodness(sums)
    gains = (by_group[:, :, None] - by_group[:, None, :]).min(axis=0)
    whole = evidence.goodness(sums.sum(axis=0))
    strength = np.minimum(gains, whole[None, :] - whole[:, None])
    parts = tuple(np.eye(len(sums), dtype=np.bool_))
    return [
        Reversal((system,) * len(parts), other, parts, float(strength[system, other]))
        for system, other in np.argwhere(strength > evidence.small).tolist()
    ]


def _mixing_finding(
    evidence: Evidence, groups: SegmentGroups, reversal: Reversal, settings: AuditSettings
) -> AuditFinding:
    base = evidence.scores[reversal.system]
    members = [part[groups.numbers] for part in reversal.parts]
    rows = base.statistics.copy()
    for member, system in zip(members, reversal.chosen, strict=True):
        rows[member] = evidence.rows[member, system]
    names = [evidence.scores[system].system for system in reversal.chosen]
    least = settings.least_gain * evidence.scale
    changes = rows - base.statistics
    worse_on_the_whole = _change(evidence, base.sums, changes) < -evidence.small
    better_in_its_part = np.zeros(evidence.n_segments, np.bool_)
    of_base, of_mixed = (evidence.goodness(evidence.leave_out(statistics)) for statistics in (base.statistics, rows))
    strata = np.full(evidence.n_units, -1)  # how much text belongs to each part is no accident
    for i, member in enumerate(members):
        strata[evidence.units[member]] = i
    differences = [of_base - of_mixed]
    parts, p_values = [], [find_p_of_excess(differences[0] - least, evidence.small, strata)]
    for member, part, name in zip(members, reversal.parts, names, strict=True):
        sums = [evidence.leave_out(np.where(member[:, None], texts, 0.0)) for texts in (rows, base.statistics)]
        better_in_its_part[member] = _change(evidence, sums[1][0], changes[member]) > evidence.small
        score, beats = map(evidence.goodness, sums)
        differences.append(score - beats)
        in_part = np.full(evidence.n_units, -1)
        in_part[evidence.units[member]] = 0
        p_values.append(find_p_of_excess(differences[-1] - least, evidence.small, in_part))
        parts.append(
            {
                "labels": [groups.names[i] for i in np.flatnonzero(part).tolist()],
                "system": name,
                "score": evidence.sign * float(score[0]),
                "beats": evidence.sign * float(beats[0]),
            }
        )
    smallest = float(min(difference[0] for difference in differences))
    return AuditFinding(
        evidence.name,
        "mixing",
        (names[0] if len(set(names)) == 1 else " and ".join(names), base.system),
        smallest,
        smallest / evidence.scale,
        settings.least_gain,
        min(1.0, groups.n_divisions * max(p_values)),
        {"parts": parts, "score": evidence.sign * float(of_mixed[0]), "loses_to": base.score},
        segment_numbers(better_in_its_part & worse_on_the_whole),
    )


def _change(evidence: Evidence, sums: Floats, changes: Floats) -> Floats:
    """Return how much each segment's change alone improves the score of the sums."""
    return evidence.goodness(sums + changes) - evidence.goodness(sums)


# --- deletion --------------------------------------------------------------------------------------------------------

MAX_STEPS = 4000  # of the search: with more segments, each step takes several


def check_deletion(evidence: Evidence, blank: list[NDArray[np.bool_]], settings: AuditSettings) -> CheckResult:
    """Look for systems whose score barely changes if segments are empty; `blank` marks those that are empty already.

    If a share of the text is left out, a mean of segment scores loses that share of the output's worth, its distance
    from an empty output: the fair price. The size is the part of the fair price that the metric does not charge. It is
    computed at the sums that a random blanking has on average.
    """
    name, share, least = evidence.name, settings.share, settings.least_forgiven
    nothing = evidence.sum_units(evidence.empty.statistics)
    records, findings = [], []
    for score, already in zip(evidence.scores, blank, strict=True):
        units = evidence.sum_units(score.statistics)
        before, after, worth = _blank_on_average(evidence, units.sum(axis=0), nothing.sum(axis=0), share)
        if not worth > settings.least_gain * evidence.scale:
            continue  # nothing to lose
        forgiven = after - before + share * worth
        record: dict[str, Any] = {
            "system": score.system,
            "score": score.score,
            "after": evidence.sign * float(after),
            "change": float((after - before) / worth),
            "forgiven": float(forgiven / (share * worth)),
        }
        records.append(record)
        if record["forgiven"] > least:
            p = _test_deletion(evidence, units, nothing, settings)
            more, order = _show_deletion(evidence, score, already, settings)
            findings.append(
                AuditFinding(
                    name,
                    "deletion",
                    (score.system,),
                    float(forgiven),
                    record["forgiven"],
                    least,
                    p,
                    record | more,
                    tuple((order + 1).tolist()),
                )
            )
    if not records:
        return CheckResult(name, "deletion", impossible="no system scores better than an empty output")
    numbers = {"change": max(record["change"] for record in records), "by_system": records}
    return CheckResult(name, "deletion", tuple(findings), {frozenset((r["system"],)): 1 for r in records}, numbers)


def _blank_on_average(evidence: Evidence, sums: Floats, nothing: Floats, share: float) -> tuple[Floats, Floats, Floats]:
    """Return the goodness before and after a share is blanked, and the distance from an output without words."""
    before = evidence.goodness(sums)
    return before, evidence.goodness(sums + share * (nothing - sums)), before - evidence.goodness(nothing)


def _test_deletion(evidence: Evidence, units: Floats, nothing: Floats, settings: AuditSettings) -> float:
    """Return the p-value of "blanking is spared at most the least share", from resampled units."""
    share, k = settings.share, units.shape[1]
    rows = np.concatenate([units, nothing], axis=1)
    resampled = bootstrap(rows, N_RESAMPLES, settings.seed, jobs=1)
    sums = np.concatenate([rows.sum(axis=0, keepdims=True), resampled])
    before, after, worth = _blank_on_average(evidence, sums[:, :k], sums[:, k:], share)
    excesses = after - before + (1 - settings.least_forgiven) * share * worth
    return find_p_by_bootstrap(float(excesses[0]), excesses[1:], evidence.n_units, evidence.small)


def _show_deletion(
    evidence: Evidence, score: Score, already: NDArray[np.bool_], settings: AuditSettings
) -> tuple[dict[str, Any], NDArray[np.intp]]:
    """Blank segments, at random and well chosen: what a user can repeat with texts."""
    n = evidence.n_segments
    size = max(1, round(settings.share * n))
    chosen = draw_random_sets(settings.seed, n, settings.n_draws, size)
    changes = evidence.empty.statistics - score.statistics
    scores = evidence.metric.score(score.sums + changes[chosen].sum(axis=1))
    before = evidence.sign * score.score
    order = blank_greedily(evidence, score.sums, changes, ~already, before)
    numbers = {
        "blanked": size,
        "mean": float(scores.mean()),
        "lowest": float(scores.min()),
        "highest": float(scores.max()),
        "greedy": len(order),
        "greedy_share": len(order) / n,
    }
    return numbers, order


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


def check_trading(evidence: Evidence, lengths: Sequence[int], settings: AuditSettings) -> CheckResult:
    """Look for pairs of systems that score higher with halves exchanged than either system.

    A random half of the segments comes from one output and the rest from the other. On average, the sums of this
    mixture are the means of the systems' sums. If segments do not influence each other's contribution, it scores what
    the systems score on average. The size is its gain over the better system. The gain over either system must be
    shown, so the p-value is the larger one. `lengths` are those of the outputs, in characters.
    """
    name, least = evidence.name, settings.least_gain
    if len(evidence.scores) < 2:
        return CheckResult(name, "trading", impossible=ONE_SYSTEM)
    sums = [evidence.leave_out(score.statistics) for score in evidence.scores]
    scores = [evidence.goodness(rows) for rows in sums]
    findings = []
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    for i, k in combinations(order, 2):
        first, second = evidence.scores[i], evidence.scores[k]
        middle = evidence.goodness((sums[i][0] + sums[k][0]) / 2)
        gain = float(middle - max(scores[i][0], scores[k][0]))
        if not gain > max(least * evidence.scale, evidence.small):
            continue
        mixture = evidence.goodness((sums[i] + sums[k]) / 2)
        excesses = [mixture - scores[place] - least * evidence.scale for place in (i, k)]
        findings.append(
            AuditFinding(
                name,
                "trading",
                (first.system, second.system),
                gain,
                gain / evidence.scale,
                least,
                max(find_p_of_excess(excess, evidence.small) for excess in excesses),
                {
                    "scores": [first.score, second.score],
                    "lengths": [int(lengths[i]), int(lengths[k])],
                    "expected": (first.score + second.score) / 2,
                    "exchanged": evidence.sign * float(middle),
                },
                segment_numbers((segment_signs(first, second) > 0) & (segment_signs(second, first) > 0)),
            )
        )
    tests = {frozenset(score.system for score in pair): 1 for pair in combinations(evidence.scores, 2)}
    return CheckResult(name, "trading", tuple(findings), tests)


# --- straw men -------------------------------------------------------------------------------------------------------

EMPTY, HALF, DOUBLED = "empty", "first half", "doubled"
TOO_LONG = 1.1  # times the longest reference: the first half of a longer output may well be better than the whole
_SPACE = 32


def make_straw_men(systems: Mapping[str, Segments]) -> dict[tuple[str, str | None], Segments]:
    """Return outputs by (what they are, the system they were made of): the empty one, then two per system."""
    n = len(next(iter(systems.values())))
    outputs: dict[tuple[str, str | None], Segments] = {(EMPTY, None): Segments.from_strings([""] * n)}
    for name, segments in systems.items():
        outputs[HALF, name] = first_half(segments)
        outputs[DOUBLED, name] = doubled(segments)
    return outputs


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


def check_straw_men(evidence: Evidence, too_long: frozenset[str], settings: AuditSettings) -> CheckResult:
    """Look for straw men that score higher than the output they were made of.

    Straw men are the first half of an output, the output twice, and an empty output. An output that is `too_long` has
    no first half among them, because a person may prefer it. The size is the gain over the system.
    """
    name, least = evidence.name, settings.least_gain
    findings, tests = [], dict[frozenset[str], int]()
    for score in evidence.scores:
        real = evidence.goodness(evidence.leave_out(score.statistics))
        subject = frozenset((score.system,))
        for straw, kind, maker in evidence.straw:
            if maker not in (None, score.system) or (kind == HALF and score.system in too_long):
                continue
            tests[subject] = tests.get(subject, 0) + 1
            gain = evidence.sign * (straw.score - score.score)
            if not gain > max(least * evidence.scale, evidence.small):
                continue
            scores = evidence.goodness(evidence.leave_out(straw.statistics))
            findings.append(
                AuditFinding(
                    name,
                    "straw men",
                    (score.system,),
                    gain,
                    gain / evidence.scale,
                    least,
                    find_p_of_excess(scores - real - least * evidence.scale, evidence.small),
                    {
                        "straw_man": kind,
                        "of": maker,
                        "score": straw.score,
                        "outranks": [score.system],
                        "outranks_its_own": maker is not None,
                        "compared_with": score.system,
                        "beats": score.score,
                    },
                    segment_numbers(evidence.sign * (straw.segments - score.segments) > evidence.small),
                )
            )
    numbers = {"too_long": [score.system for score in evidence.scores if score.system in too_long]}
    return CheckResult(name, "straw men", tuple(findings), tests, numbers)
