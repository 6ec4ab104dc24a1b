"""Outcomes of ORANGE in a store: where references stood in each list, never what candidates scored.

The key of a block says all that it was computed from: the metric's signature, the release that has its code, the texts
of lists and references, the lengths at which ranks were taken, and for metrics that must know all references before
they score the text of all of them. A row is a list: above and level at each length, in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tarocco.judge.block import Contestant
from tarocco.judge.cases import Chosen
from tarocco.keeping import Waiting
from tarocco.metrics.base import Floats, Metric
from tarocco.model import CandidateScores, TestSet
from tarocco.registry import release_of
from tarocco.store.blocks import Series, Store, digest

Given = Mapping[str, Sequence[tuple[Floats, Floats]]]

NAME = "ORANGE"  # in front of the metric's name, so that nobody takes these rows for its statistics
ELSEWHERE = "external"  # in place of the release of scores that were made elsewhere


class KeptOutcomes:
    """The blocks of one trial in a store, by the number of the contestant."""

    def __init__(
        self, store: Store, contestants: Sequence[Contestant], references: TestSet, how: str, subject: str
    ) -> None:
        self.store, self.subject, self.segments = store, subject, len(references)
        self.waiting = Waiting(store)
        self.everything = digest(
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
            made_by = digest(NAME, how, one.scores, release, self.everything if prepares else b"")
            self.made_by[m] = (one.signature, f"{NAME} {one.name}", release, made_by)
            self.elsewhere[m] = [scorer.name for scorer in one.scorers if isinstance(scorer, CandidateScores)]

    def keys(self, chosen: Chosen, given: Given) -> dict[int, bytes]:
        """The keys of a block, which is then written down as part of the trial; blocks come in order."""
        lists = chosen.lists
        sizes = np.array([len(part) for case in chosen.cases for part in (case.candidates, case.references)])
        content = digest(
            *(lists.candidates.text, lists.candidates.starts, lists.references.text, lists.references.starts, sizes),
            *(np.concatenate(chosen.kept), np.concatenate(chosen.ends)),
        )
        begins = self.content is None
        self.content = self.content or digest(self.everything, content)
        elsewhere = {name: digest(*(part for pair in pairs for part in pair)) for name, pairs in given.items()}
        keys = {
            m: digest(made_by + content + b"".join(elsewhere[name] for name in self.elsewhere[m]))
            for m, (*_, made_by) in self.made_by.items()
        }
        self.store.register(
            [
                Series(
                    *(signature, metric, release, self.subject, self.content, self.segments),
                    ((self.rows, keys[m]),),
                )
                for m, (signature, metric, release, _) in self.made_by.items()
            ],
            anew=begins,  # what an earlier trial had further on may not be there any more
        )
        self.rows += len(chosen.cases)
        return keys

    def get(self, keys: Mapping[int, bytes], chosen: Chosen) -> dict[int, Floats]:
        """What the store has of a block."""
        found = self.store.get(keys.values())
        return {m: _unfolded(found[key], chosen) for m, key in keys.items() if key in found}

    def put(self, keys: Mapping[int, bytes], chosen: Chosen, new: Mapping[int, Floats]) -> None:
        """Store what has come out for a block."""
        self.waiting.put([(keys[m], _folded(counts, chosen)) for m, counts in new.items() if m in keys])

    def flush(self) -> None:
        """Store what is waiting."""
        self.waiting.flush()


def _places(chosen: Chosen) -> tuple[np.ndarray[tuple[int], np.dtype[np.intp]], int]:
    """Where each row of counts goes in a table with a row a list, and how wide that is."""
    lengths = [len(ends) for ends in chosen.ends]
    widest = max(lengths)
    return np.concatenate([s * widest + np.arange(n) for s, n in enumerate(lengths)]), widest


def _folded(counts: Floats, chosen: Chosen) -> Floats:
    places, widest = _places(chosen)
    table = np.zeros((len(chosen.cases) * widest, 2))
    table[places] = counts
    return table.reshape(len(chosen.cases), 2 * widest)


def _unfolded(table: Floats, chosen: Chosen) -> Floats:
    return table.reshape(-1, 2)[_places(chosen)[0]]
