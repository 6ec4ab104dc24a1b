"""Checks of the texts alone: copies, edited references, form, language, and lines that are shifted.

Thresholds were set on WMT19 en-de, WMT23 en-de and he-en, E2E and MLQE; `tools/calibration/checks.py` measures how
often each check raises a false alarm there and how often it detects injected faults.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tarocco.scoring.language import join_subjects
from tarocco.trials.data_audit.findings import DataFinding
from tarocco.trials.data_audit.texts import ColumnProfile, Floats, TextProfiles

EQUAL = 0.5  # share of equal segments that makes a system a copy of a reference, or a reference one of another
NEAR_REFERENCE = 0.95  # similarity that does the same
SAME_SYSTEM, NEAR_SYSTEM = 0.9, 0.97  # the same for two systems, which are often more alike
CLOSER = 0.5  # a text this much closer to a reference than the median system is suspicious
EDITED = 0.6  # a reference this much closer to another than the better systems are is an edited copy
FEW = 20  # segments, below which texts are compared for equality only
LOWERCASED = 1 / 3  # of the references' share of uppercase letters
SEPARATED = 0.5  # share of punctuation with a space before it
SHORT = 0.6  # of the references' length
SHORTER = 0.95  # of the other systems' length, for outputs that look truncated
UNFINISHED = 0.3  # share of long segments without final punctuation
EMPTY = 0.2  # share of empty outputs that is severe
COPIED, MOSTLY_COPIED = 0.1, 0.5  # share of outputs equal to the source
SCRIPT = 0.5  # share of letters in the same scripts
OFFSETS = (-3, -2, -1, 1, 2, 3)  # of lines
SHIFTED = 2.0  # excess similarity, summed over a run of shifted lines
SEVERE_SHIFT = 0.02  # of all segments: fewer shifted lines hardly change a score
SHIFTED_LINES = 6  # the shortest run
UNRELATED = 3.0  # standard errors by which a text is more similar to its own lines than to neighboring ones
FINAL = frozenset(".!?…。！？؟।॥։።:;)]}»”\"'’」』）")


def check_copies(texts: TextProfiles) -> Iterator[DataFinding]:
    """Find systems that are nearly equal to a reference or to another system."""
    n_systems, names = len(texts.systems), [column.name for column in texts.columns]
    references = range(n_systems, n_systems + len(texts.references))
    for r in references:
        distances = 1 - texts.similar[:n_systems, r]
        for s in range(n_systems):
            equal, similar = texts.equal[s, r], texts.similar[s, r]
            others = np.delete(distances, s)
            others = others[~np.isnan(others)]
            if equal >= EQUAL or similar >= NEAR_REFERENCE:
                yield DataFinding(
                    "copies",
                    "severe",
                    (names[s], names[r]),
                    f"{names[s]} equals {names[r]} in {_percent(equal)} of the segments (similarity {similar:.2f}).",
                    f"Leave {names[s]} out, or do not use {names[r]} as a reference.",
                )
            elif len(others) > 1 and texts.count_shared(s, r) >= FEW and distances[s] < CLOSER * np.median(others):
                yield DataFinding(
                    "copies",
                    "warning",
                    (names[s], names[r]),
                    f"{names[s]} is unusually close to {names[r]}: similarity {similar:.2f}, equal in "
                    f"{_percent(equal)} of the segments; the median of the other systems is "
                    f"{1 - np.median(others):.2f}.",
                    f"Find out whether {names[r]} was made from {names[s]}; if so, it favors that system.",
                )
    for s in range(n_systems):
        for t in range(s + 1, n_systems):
            equal, similar = texts.equal[s, t], texts.similar[s, t]
            if equal >= SAME_SYSTEM or (similar >= NEAR_SYSTEM and texts.n_segments >= FEW):
                yield DataFinding(
                    "copies",
                    "warning",
                    (names[s], names[t]),
                    f"{names[s]} and {names[t]} are equal in {_percent(equal)} of the segments "
                    f"(similarity {similar:.2f}).",
                    "Leave one of them out: together they count the same evidence twice.",
                )


def _of_known(statistic: Callable[[Floats], np.floating], values: Floats) -> float:
    """Return a statistic of the numbers that are not NaN; NaN if all are."""
    known = values[~np.isnan(values)]
    return float(statistic(known)) if known.size else np.nan


def check_edited_references(texts: TextProfiles) -> Iterator[DataFinding]:
    """Find references that are edited copies of one another: closer than systems are to references."""
    n_systems, names = len(texts.systems), [column.name for column in texts.columns]
    references = range(n_systems, n_systems + len(texts.references))
    for r in references:
        for q in range(r + 1, references.stop):
            equal, similar = texts.equal[r, q], texts.similar[r, q]
            distances = 1 - texts.similar[:n_systems, [r, q]]
            usual = _of_known(partial(np.quantile, q=0.25), distances)  # systems may be poor: take the better ones
            close = 1 - similar < EDITED * usual and texts.count_shared(r, q) >= FEW
            if equal >= EQUAL or close:
                yield DataFinding(
                    "edited references",
                    "severe",
                    (names[r], names[q]),
                    f"{names[r]} and {names[q]} have a similarity of {similar:.2f} and are equal in {_percent(equal)} "
                    f"of the segments; of the systems, only a quarter has a similarity above {1 - usual:.2f} to them.",
                    "Use one of them: KING, QUEEN, JACK and ORANGE take references for independent translations.",
                )


def check_form(texts: TextProfiles, lowercase: bool) -> Iterator[DataFinding]:
    """Find texts that are lowercased, tokenized, truncated or empty while others are not."""
    if not lowercase:
        yield from _check_case(texts)
    yield from _check_tokenization(texts)
    yield from _check_length(texts)
    yield from _check_empty(texts)


def _check_case(texts: TextProfiles) -> Iterator[DataFinding]:
    shares = np.array([column.uppercase for column in (*texts.systems, *texts.references)])
    n = len(texts.systems)
    usual = np.nan
    if np.isfinite(shares[n:]).any():
        low, middle, high = np.nanmin(shares[n:]), np.nanmedian(shares[n:]), np.nanmax(shares[n:])
        usual = float(high if low < LOWERCASED * high else middle)
    lowered = [c for c in range(len(shares)) if shares[c] < LOWERCASED * usual]
    capitals = [c for c in range(len(shares)) if shares[c] > 0.5 > 2 * usual]
    names = [column.name for column in texts.columns]
    cased = [s for s in range(n) if shares[s] * LOWERCASED > usual]  # the references are lowercased
    for places, what in ((lowered, "lowercased"), (capitals, "in capitals")):
        if places:
            subject = tuple(names[c] for c in places)
            yield DataFinding(
                "text form",
                "severe",
                subject,
                f"{join_subjects(subject)} {_are(subject)} mostly {what}: {_percents(shares[places])} of the letters "
                f"are uppercase, and {_percent(usual)} in the references.",
                "Restore the case of these files, or compare all texts in lower case (--lowercase).",
            )
    if cased:
        subject = tuple(column.name for column in texts.references)
        yield DataFinding(
            "text form",
            "severe",
            subject,
            f"The references are mostly lowercased: {_percent(usual)} of their letters are uppercase, and "
            f"{_percents(shares[cased])} in {join_subjects([names[s] for s in cased])}.",
            "Restore the case of the references, or compare all texts in lower case (--lowercase).",
        )


def _check_tokenization(texts: TextProfiles) -> Iterator[DataFinding]:
    columns = [*texts.systems, *texts.references]
    shares = np.array([column.separated_marks for column in columns])
    marks = np.array([column.subword_marks for column in columns])
    usual = float(np.nanmedian(shares[len(texts.systems) :])) if np.isfinite(shares[len(texts.systems) :]).any() else 0
    odd = np.flatnonzero(shares > SEPARATED if usual < SEPARATED / 2 else shares < SEPARATED / 2)
    if len(odd):
        subject = tuple(columns[c].name for c in odd)
        kind = "tokenized" if usual < SEPARATED / 2 else "not tokenized"
        yield DataFinding(
            "text form",
            "warning",
            subject,
            f"{join_subjects(subject)} {_are(subject)} {kind}: {_percents(shares[odd])} of the commas and full stops "
            f"have a space before them, and {_percent(usual)} in the references.",
            "Use detokenized files: metrics that do not tokenize, such as chrF and TER, punish the spaces.",
        )
    usual_marks = float(np.median(marks))
    odd = np.flatnonzero((marks > 0.05) & (marks > 5 * usual_marks))
    if len(odd):
        subject = tuple(columns[c].name for c in odd)
        yield DataFinding(
            "text form",
            "warning",
            subject,
            f"{_percents(marks[odd])} of the segments of {join_subjects(subject)} have traces of a tokenizer, such as "
            f"@@, @-@ or &quot;; the median of all files is {_percent(usual_marks)}.",
            "Join subwords and undo the escapes before scoring.",
        )


def _check_length(texts: TextProfiles) -> Iterator[DataFinding]:
    n = len(texts.systems)
    lengths = np.array([column.segments.lengths for column in (*texts.systems, *texts.references)], np.float64)
    present = texts.present[n : n + len(texts.references)]
    counts = np.maximum(present.sum(axis=0), 1)
    expected = (lengths[n:] * present).sum(axis=0) / counts
    if expected.sum() == 0:
        return
    finished = _finished(texts.references[0])
    long = (expected >= np.median(expected)) & finished
    ratios = lengths[:n].sum(axis=1) / expected.sum()
    few = int(long.sum()) < FEW
    unfinished = np.array([0.0 if few else 1 - _finished(system)[long].mean() for system in texts.systems])
    for s, system in enumerate(texts.systems):
        others = np.median(np.delete(unfinished, s)) if n > 1 else 0.0
        usual = np.median(np.delete(ratios, s)) if n > 1 else 1.0
        stopped = unfinished[s] > UNFINISHED and unfinished[s] > 2 * others + 0.1 and ratios[s] < SHORTER * usual
        if stopped or (ratios[s] < SHORT and texts.n_segments >= FEW):
            what = f"{system.name} looks truncated" if stopped else f"{system.name} is short"
            evidence = f"{what}: it has {_percent(ratios[s])} of the references' length"
            if stopped:
                evidence += (
                    f", and {_percent(unfinished[s])} of the longer outputs lack the final punctuation that the "
                    f"reference has (median of the other systems: {_percent(others)})"
                )
            yield DataFinding(
                "text form",
                "warning",
                (system.name,),
                f"{evidence}.",
                "Look for a limit on the output length when this file was written.",
            )


def _finished(column: ColumnProfile) -> NDArray[np.bool_]:
    """Return which segments end with punctuation."""
    return np.array([text.rstrip()[-1:] in FINAL and bool(text.strip()) for text in column.segments])


def _check_empty(texts: TextProfiles) -> Iterator[DataFinding]:
    n = len(texts.systems)
    needed = texts.present[n : n + len(texts.references)].any(axis=0)
    for s, system in enumerate(texts.systems):
        empty = int((needed & ~texts.present[s]).sum())
        share = empty / max(1, int(needed.sum()))
        if empty:
            yield DataFinding(
                "text form",
                "severe" if share > EMPTY else "warning",
                (system.name,),
                f"{empty} of {int(needed.sum())} outputs of {system.name} are empty ({_percent(share)}).",
                "Find out whether the system failed there or the file is incomplete.",
            )


def check_language(texts: TextProfiles) -> Iterator[DataFinding]:
    """Find outputs that copy the source, or that are in another script than the references."""
    names, n = [column.name for column in texts.columns], len(texts.systems)
    references = slice(n, n + len(texts.references))
    if texts.source is not None:
        at = len(texts.columns) - 1
        usual = _of_known(np.max, texts.equal[at, references])
        for c in range(at):
            share = texts.equal[c, at]
            nearest = _of_known(np.max, np.delete(texts.similar[c, :at], c)) if at > 1 else 1.0
            like_source = texts.n_segments >= FEW and texts.similar[c, at] > nearest
            if share >= MOSTLY_COPIED or like_source or (c < n and share >= COPIED and share > 3 * usual):
                yield DataFinding(
                    "language",
                    "severe" if share >= MOSTLY_COPIED or like_source else "warning",
                    (names[c],),
                    f"{_percent(share)} of the segments of {names[c]} equal the source; its similarity to the source "
                    f"is {texts.similar[c, at]:.2f}, and at most {nearest:.2f} to any other text.",
                    "Check whether source and output files were mixed up, or whether the system copies.",
                )
    profile: dict[str, float] = {}
    for reference in texts.references:
        for script, share in reference.scripts.items():
            profile[script] = profile.get(script, 0.0) + share / len(texts.references)
    for system in texts.systems:
        if not (profile and system.scripts) or sum(map(len, (system.raw, texts.references[0].raw))) < 200:
            continue
        shared = sum(min(share, profile.get(script, 0.0)) for script, share in system.scripts.items())
        if shared < SCRIPT:
            yield DataFinding(
                "language",
                "severe",
                (system.name,),
                f"{system.name} is written in {_scripts(system.scripts)}, the references in {_scripts(profile)}; "
                f"the shares of scripts overlap by {_percent(shared)}.",
                "Check whether this file is in the target language.",
            )


def check_line_shifts(texts: TextProfiles) -> Iterator[DataFinding]:
    """Find runs of lines that match a neighboring line of the reference better than their own."""
    n = len(texts.systems)
    shifted: dict[tuple[int, ...], list[int]] = {}
    first = n  # the first reference
    for c in [*range(n), *range(n + 1, n + len(texts.references))]:
        aligned = texts.similarity_at(c, first, 0)
        neighbors = {offset: texts.similarity_at(c, first, offset) for offset in OFFSETS}
        best = max(((_longest_run(neighbor - aligned), offset) for offset, neighbor in neighbors.items()))
        (excess, begin, end), offset = best
        if excess >= SHIFTED and end - begin >= SHIFTED_LINES:
            place = (offset, int(texts.rows[begin]) + 1, int(texts.rows[end - 1]) + 1)
            shifted.setdefault(place, []).append(c)
        elif c < n and _unrelated(aligned, neighbors):
            name, mean = texts.columns[c].name, np.nanmean(aligned)
            yield DataFinding(
                "line shifts",
                "severe",
                (name,),
                f"{name} does not match the references: its similarity to the reference line is {mean:.2f}, and to "
                f"neighboring lines {np.nanmean(list(neighbors.values())):.2f}.",
                "Check that this file belongs to this test set, in the same order and language.",
            )
    columns = [c for places in shifted.values() for c in places]
    systems = sum(c < n for c in columns)
    if n > 1 and systems == n:
        offset, begin, end = next(iter(shifted))
        yield DataFinding(
            "line shifts",
            "severe",
            (texts.columns[first].name,),
            f"All {n} systems match another line of {texts.columns[first].name} better than their own; those of "
            f"{texts.columns[columns[0]].name} in lines {begin} to {end} match the line {_distance(offset)}.",
            f"Look for a missing or additional line in {texts.columns[first].name}.",
        )
        return
    for (offset, begin, end), places in shifted.items():
        subject = tuple(texts.columns[c].name for c in places)
        in_place = np.nanmean(
            [np.nanmean(texts.similarity_at(c, first, 0)[_between(texts, begin, end)]) for c in places]
        )
        other = np.nanmean(
            [np.nanmean(texts.similarity_at(c, first, offset)[_between(texts, begin, end)]) for c in places]
        )
        yield DataFinding(
            "line shifts",
            "severe" if end - begin + 1 >= SEVERE_SHIFT * texts.n_segments else "warning",
            subject,
            f"Lines {begin} to {end} of {join_subjects(subject)} match the reference line {_distance(offset)} better "
            f"than their own (similarity {other:.2f} instead of {in_place:.2f}).",
            f"Look for a missing or additional line near line {begin}.",
        )


def _between(texts: TextProfiles, begin: int, end: int) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (texts.rows + 1 >= begin) & (texts.rows + 1 <= end)
    return inside


def _longest_run(gains: Floats) -> tuple[float, int, int]:
    """Return the largest sum of neighboring gains, and the lines [begin, end) that it comes from."""
    sums = np.concatenate([[0.0], np.cumsum(np.where(np.isnan(gains), 0.0, gains))])
    lowest = np.minimum.accumulate(sums)
    end = int(np.argmax(sums - lowest))
    begin = int(np.flatnonzero(sums[: end + 1] == lowest[end])[-1])
    return float(sums[end] - lowest[end]), begin, end


def _unrelated(aligned: Floats, neighbors: dict[int, Floats]) -> bool:
    """Return whether a text matches its own lines no better than neighboring ones."""
    others = np.stack(list(neighbors.values()))
    counts = np.isfinite(others).sum(axis=0)
    gains = aligned - np.where(counts > 0, np.nansum(others, axis=0) / np.maximum(counts, 1), np.nan)
    gains = gains[np.isfinite(gains)]
    return len(gains) >= 2 * FEW and bool(gains.mean() < UNRELATED * gains.std(ddof=1) / np.sqrt(len(gains)))


def _distance(offset: int) -> str:
    lines = f"{abs(offset)} line{'s' * (abs(offset) > 1)}"
    return f"{lines} {'below' if offset > 0 else 'above'}"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.095 or share == 0 else f"{100 * share:.1f}%"


def _percents(shares: Floats) -> str:
    low, high = _percent(float(np.min(shares))), _percent(float(np.max(shares)))
    return low if low == high else f"{low} to {high}"


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _scripts(shares: object) -> str:
    assert isinstance(shares, dict)
    main = max(shares, key=lambda script: shares[script])
    return f"{main.capitalize()} ({_percent(shares[main])})"
