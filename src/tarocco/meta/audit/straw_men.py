"""Do straw men outrank real systems? (Chiang et al. 2008, section 5)

Of every output three are made that nobody should prefer: its first half, the same twice, and nothing at all. A metric
can be gamed if one of them scores higher than a real system, the one that it was made of or another.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tarocco.core.test_set import NEWLINE, Segments
from tarocco.meta.audit.evidence import Evidence, Finding, Outcome, Settings, numbered, p_values

CHECK = "straw men"
EMPTY = "empty"
_SPACE = 32


def straw_men(systems: Mapping[str, Segments]) -> dict[tuple[str, str | None], Segments]:
    """Outputs by (what they are, the system they were made of): the empty one, then two of each system."""
    n = len(next(iter(systems.values())))
    made: dict[tuple[str, str | None], Segments] = {(EMPTY, None): Segments.from_strings([""] * n)}
    for name, segments in systems.items():
        made["first half", name] = first_half(segments)
        made["doubled", name] = doubled(segments)
    return made


def first_half(segments: Segments) -> Segments:
    """The first half of each segment's bytes, rounded up to whole characters."""
    text, begins = segments.text, segments.starts[:-1]
    ends = begins + (segments.lengths + 1) // 2
    for _ in range(3):  # a character has at most three bytes that continue it
        ends = ends + (text[ends] & 0xC0 == 0x80)
    return _pieces(text, begins, ends - begins)


def doubled(segments: Segments) -> Segments:
    """Each segment twice, a space between; an empty one stays empty."""
    begins, lengths = np.repeat(segments.starts[:-1], 2), np.repeat(segments.lengths, 2)
    pieces = _pieces(segments.text, begins, lengths)
    text = pieces.text.copy()
    text[pieces.starts[1::2] - 1] = _SPACE
    return Segments(text, pieces.starts[::2].copy())


def _pieces(text: NDArray[np.uint8], begins: NDArray[np.intp], lengths: NDArray[np.intp]) -> Segments:
    """Some stretches of a text as segments."""
    starts = np.concatenate([np.zeros(1, np.intp), np.cumsum(lengths + 1)])
    places = np.arange(starts[-1]) + np.repeat(begins - starts[:-1], lengths + 1)
    pieces = text[places]
    pieces[starts[1:] - 1] = NEWLINE
    return Segments(pieces, starts)


def characters(segments: Segments) -> int:
    """How many there are."""
    return int((segments.text & 0xC0 != 0x80).sum()) - len(segments)  # each segment ends with a newline


def ranking(evidence: Evidence, settings: Settings) -> Outcome:
    """A finding a straw man; the size is the share of comparisons with real systems that straw men win."""
    if not evidence.straw:
        return Outcome(evidence.name, CHECK, impossible="these scores were made elsewhere: other outputs have none")
    scores, found, won, beaten = evidence.of_systems, [], 0, 0
    names = [score.system for score in evidence.scores]
    for straw, kind, maker in evidence.straw:
        goodness = evidence.sign * straw.score
        outranked = goodness - scores > evidence.small
        won += int(outranked.sum())
        if outranked.any():
            own = maker is not None and bool(outranked[names.index(maker)])
            beaten += own
            # The system it was made of, or else the best of those that it outranks.
            against = names.index(maker) if own and maker else int(np.where(outranked, scores, -np.inf).argmax())
            found.append((straw, kind, maker, outranked, own, evidence.scores[against]))
    by_luck = p_values([(real, straw) for straw, _, _, _, _, real in found], settings)
    findings = [
        Finding(
            evidence.name,
            CHECK,
            tuple(dict.fromkeys(name for name in (maker, real.system) if name is not None)),
            float(outranked.mean()),
            {
                "straw_man": kind,
                "of": maker,
                "score": straw.score,
                "rank": 1 + int((scores > evidence.sign * straw.score).sum()),
                "outranks": [name for name, lower in zip(names, outranked.tolist(), strict=True) if lower],
                "outranks_its_own": own,
                "compared_with": real.system,
                "beats": real.score,
            },
            numbered(evidence.sign * (straw.segments - real.segments) > evidence.small),
            p,
        )
        for (straw, kind, maker, outranked, own, real), p in zip(found, by_luck, strict=True)
    ]
    findings.sort(key=lambda finding: (not finding.numbers["outranks_its_own"], -finding.size))
    total = len(evidence.straw) * len(names)
    numbers = {"won": won, "comparisons": total, "above_their_own": beaten}
    return Outcome(evidence.name, CHECK, won / total, numbers, tuple(findings))
