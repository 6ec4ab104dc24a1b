"""Texts to sentences: a text is analyzed once in a process, and once in the life of a store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from tarocco.annotate.analyzers import (
    DEFAULT,
    IQMT,
    LOADED,
    Annotator,
    Relabeled,
    annotator,
    is_known,
    make_known,
    watched,
)
from tarocco.annotate.sentence import Sentence
from tarocco.annotate.serialization import packed, unpacked
from tarocco.core.errors import ClusterError, InputError
from tarocco.parallel.fan_out import map_ordered
from tarocco.store.blocks import RELEASE, Store, get_annotations, make_digest, put_annotations

if TYPE_CHECKING:
    from concurrent.futures import Executor

__all__ = ["Told", "annotated", "annotator", "forget", "learn", "register", "told"]

_BATCH = 500  # texts that are analyzed, stored and reported together
_known: dict[str, dict[str, Sentence]] = {}  # by the analyzer's version, and by text
_one_at_a_time = RLock()  # threads that need the same texts wait for them; an analyzer may ask another one


def annotated(
    texts: Sequence[str],
    analyzer: str | Annotator = DEFAULT,
    store: Store | str | Path | None = None,
    advance: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> list[Sentence]:
    """What an analyzer says of texts, one sentence a text.

    Parameters
    ----------
    texts
        Segments as they are, not tokenized.
    analyzer
        A name, such as "spacy:en_core_web_sm", or an object that has what every `Annotator` has.
    store
        A store, or the name of its file, in which what is found is kept and looked for.
    advance
        Called with the number of texts that were done, several times.
    executor
        Where texts are analyzed, such as `tarocco.cluster`, whose workers have the analyzer; here by default.
    """
    chosen = annotator(analyzer) if isinstance(analyzer, str) else analyzer
    known = _known.setdefault(chosen.version, {})
    if not all(map(known.__contains__, texts)):
        with _one_at_a_time:
            missing = [text for text in dict.fromkeys(texts) if text not in known]
            if advance is not None:
                advance(len(texts) - len(missing))
            if isinstance(chosen, Relabeled):  # the other analyzer's sentences are what is kept
                found = annotated(missing, chosen.analyzer, store, advance, executor)
                known.update(zip(missing, chosen.relabeled(found), strict=True))
            elif advance is not None:
                _analyze(missing, chosen, known, store, advance, executor)
            else:
                with watched(len(missing)) as advance:
                    _analyze(missing, chosen, known, store, advance, executor)
    elif advance is not None:
        advance(len(texts))
    return [known[text] for text in texts]


def register(name: str, analyzer: Annotator) -> None:
    """Make an analyzer of one's own known under a name; what one of that version said before is forgotten."""
    make_known(name, analyzer)
    for version in (analyzer.version, analyzer.version + IQMT):
        _known.pop(version, None)


def forget() -> None:
    """Forget what this process has analyzed; stores keep what they have."""
    _known.clear()


class Told(NamedTuple):
    """What an analyzer said of some texts, for another process that need not have the analyzer."""

    name: str
    version: str
    sentences: Mapping[str, Sentence]


def told(texts: Sequence[str], name: str) -> Told:
    """What the analyzer of that name says of texts."""
    return Told(name, annotator(name).version, dict(zip(texts, annotated(texts, name), strict=True)))


def learn(from_elsewhere: Told) -> None:
    """Know what an analyzer said in another process; if it is not here, its name stands for what it said."""
    name, version, sentences = from_elsewhere
    if not is_known(name):
        make_known(name, _Elsewhere(name, version))
    _known.setdefault(version, {}).update(sentences)


class _Elsewhere:
    """An analyzer of another process, of which only its name and version are here."""

    layers: frozenset[str] = frozenset()

    def __init__(self, name: str, version: str) -> None:
        self.name, self.version = name, version

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        raise InputError(f"{self.name} is in another process, which has not said anything of {len(texts)} texts")


def _analyze(
    texts: Sequence[str],
    analyzer: Annotator,
    known: dict[str, Sentence],
    store: Store | str | Path | None,
    advance: Callable[[int], None],
    executor: Executor | None,
) -> None:
    if store is None or not texts or not getattr(analyzer, "kept", True):
        _in_batches(texts, analyzer, known, None, advance, executor)
    elif isinstance(store, Store):
        _in_batches(texts, analyzer, known, store, advance, executor)
    else:
        with Store(store) as opened:
            _in_batches(texts, analyzer, known, opened, advance, executor)


class _Batch(NamedTuple):
    """Texts that are analyzed together: how many were asked for, those that no store has, and their keys there."""

    size: int
    new: list[str]
    keys: dict[str, bytes]


def _in_batches(
    texts: Sequence[str],
    analyzer: Annotator,
    known: dict[str, Sentence],
    store: Store | None,
    advance: Callable[[int], None],
    executor: Executor | None,
) -> None:
    name = analyzer.version
    waiting: deque[_Batch] = deque()

    def batches() -> Iterator[list[str]]:
        for first in range(0, len(texts), _BATCH):
            batch = list(texts[first : first + _BATCH])
            keys: dict[str, bytes] = {}
            if store is not None:
                keys = {text: _key(name, text) for text in batch}
                stored = get_annotations(store, list(keys.values()))
                known.update((text, unpacked(stored[key])) for text, key in keys.items() if key in stored)
                batch = [text for text in batch if keys[text] not in stored]
            waiting.append(_Batch(min(_BATCH, len(texts) - first), batch, keys))
            yield batch

    # Here one batch after the other: analyzers have threads of their own, or cannot be shared by threads.
    there = executor if analyzer.name.partition(":")[0] in LOADED else None
    said = partial(_said, analyzer if there is None else analyzer.name, name)
    for found in map_ordered(said, batches(), None, 1, there, here=lambda batch: not batch):
        size, new, keys = waiting.popleft()
        if len(found) != len(new):
            raise InputError(f"{analyzer.name} gave {len(found)} sentences for {len(new)} texts")
        if store is not None and new:
            put_annotations(store, name, [(keys[text], packed(one)) for text, one in zip(new, found, strict=True)])
        known.update(zip(new, found, strict=True))
        advance(size)


def _said(analyzer: Annotator | str, version: str, texts: list[str]) -> list[Sentence]:
    """What an analyzer says; one that is called by its name is that of the process where the work is done."""
    if not texts:
        return []
    if isinstance(analyzer, str):
        analyzer = annotator(analyzer)
        if analyzer.version != version:
            raise ClusterError(f"a worker has the analyzer {analyzer.version}, this process {version}")
    return analyzer.annotate(texts)


def _key(version: str, text: str) -> bytes:
    return make_digest("annotation", version, RELEASE, text.encode("utf-8", "surrogatepass"))
