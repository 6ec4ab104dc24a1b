"""Outcomes of ORANGE in a store: where references stood in each list, never what candidates scored.

The key of a block of lists says all that it was computed from: the metric's signature, the release that has its code,
the texts of lists and references, the lengths at which ranks were taken, and for metrics that must know all references
before they score the text of all of them. The key of a stretch of a file says the same by the bytes of the stretch, how
they are read, and what takes part. A row is a list: above and level at each length, in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from tarocco.core.test_set import CandidateScores, TestSet
from tarocco.meta.orange.blocks import Contestant
from tarocco.meta.orange.cases import Chosen
from tarocco.meta.orange.hearing import Given, folded
from tarocco.metrics.base import Floats, Metric
from tarocco.metrics.registry import release_of
from tarocco.scoring.cache import WriteBuffer
from tarocco.store.blocks import Series, Store, make_digest

NAME = "ORANGE"  # in front of the metric's name, so that nobody takes these rows for its statistics
ELSEWHERE = "external"  # in place of the release of scores that were made elsewhere


class KeptOutcomes:
    """The blocks of one trial in a store, by the number of the contestant."""

    def __init__(
        self, store: Store, contestants: Sequence[Contestant], references: TestSet, how: str, subject: str
    ) -> None:
        self.store, self.subject, self.segments = store, subject, len(references)
        self.waiting, self.references = WriteBuffer(store), references.references
        self.everything = make_digest(
            np.ascontiguousarray(references.present),
            *(part for s in references.references for part in (s.text, s.starts)),
        )
        self.content: bytes | None = None
        self.made_by: dict[int, tuple[str, str, str, bytes]] = {}
        self.elsewhere: dict[int, list[str]] = {}  # the scores made elsewhere that a contestant goes by
        self.rows = 0
        for m, one in enumerate(contestants):
            releases = [release_of(scorer) if isinstance(scorer, Metric) else ELSEWHERE for scorer in one.scorers]
            if None in releases:  # nobody could tell its numbers from those of the next version
                continue
            release = " + ".join(map(str, releases))
            prepares = any(isinstance(scorer, Metric) and scorer.prepares for scorer in one.scorers)
            made_by = make_digest(NAME, how, one.scores, release, self.everything if prepares else b"")
            self.made_by[m] = (one.signature, f"{NAME} {one.name}", release, made_by)
            self.elsewhere[m] = [scorer.name for scorer in one.scorers if isinstance(scorer, CandidateScores)]

    def keys(self, chosen: Chosen, given: Given) -> dict[int, bytes]:
        """The keys of a block of lists."""
        lists = chosen.lists
        sizes = np.array([len(part) for case in chosen.cases for part in (case.candidates, case.references)])
        content = make_digest(
            *(lists.candidates.text, lists.candidates.starts, lists.references.text, lists.references.starts, sizes),
            *(np.concatenate(chosen.kept), np.concatenate(chosen.ends)),
        )
        elsewhere = {name: make_digest(*(part for pair in pairs for part in pair)) for name, pairs in given.items()}
        return self._keys(content, elsewhere)

    def keys_of_stretch(self, chunks: Iterable[bytes], how: str, segments: tuple[int, int] | None) -> dict[int, bytes]:
        """The keys of some bytes of a file: `how` they are read, and which segments they can be about, if known."""
        references = self.everything
        if segments is not None:
            own = [column.rows(*segments) for column in self.references]
            references = make_digest(str(segments), *(part for column in own for part in (column.text, column.starts)))
        return self._keys(make_digest(*map(make_digest, chunks), how, references), {})

    def _keys(self, content: bytes, elsewhere: Mapping[str, bytes]) -> dict[int, bytes]:
        self.content = self.content or make_digest(self.everything, content)
        return {
            m: make_digest(made_by + content + b"".join(elsewhere[name] for name in self.elsewhere[m]))
            for m, (*_, made_by) in self.made_by.items()
        }

    def write_down(self, keys: Mapping[int, bytes], lists: int) -> None:
        """That so many lists are the next part of the trial; parts come in order."""
        assert self.content is not None
        self.store.register(
            [
                Series(
                    *(signature, metric, release, self.subject, self.content, self.segments),
                    ((self.rows, keys[m]),),
                )
                for m, (signature, metric, release, _) in self.made_by.items()
            ],
            replace=not self.rows,  # what an earlier trial had further on may not be there any more
        )
        self.rows += lists

    def get(self, keys: Mapping[int, bytes]) -> dict[int, Floats]:
        """What the store has of a part: for each contestant a row a list."""
        found = self.store.get(keys.values())
        return {m: found[key] for m, key in keys.items() if key in found}

    def put(self, keys: Mapping[int, bytes], lengths: Sequence[int], new: Mapping[int, Floats]) -> None:
        """Store what has come out for a part, whose lists have so many ends."""
        self.waiting.put([(keys[m], folded(counts, lengths)) for m, counts in new.items() if m in keys])

    def flush(self) -> None:
        """Store what is waiting."""
        self.waiting.flush()
