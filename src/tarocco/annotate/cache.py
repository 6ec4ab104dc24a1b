"""A cache of analyses: each text is analyzed once per process, and once per store.

In a store a sentence is compressed JSON.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from tarocco.annotate.analyzers import (
    DEFAULT,
    IQMT,
    LOADABLE,
    Annotator,
    IqmtAnalyzer,
    add_analyzer,
    has_analyzer,
    load_analyzer,
    report_progress,
)
from tarocco.annotate.sentence import Frame, Node, Sentence, Span, find_cycle
from tarocco.core.errors import ClusterError, InputError, StoreError
from tarocco.core.json_text import json_text
from tarocco.parallel.fan_out import map_ordered
from tarocco.store.blocks import RELEASE, Store, get_annotations, make_digest, put_annotations
from tarocco.store.database import DAMAGED

if TYPE_CHECKING:
    from concurrent.futures import Executor

_BATCH = 500  # texts that are analyzed, stored and reported together
_memory: dict[str, dict[str, Sentence]] = {}  # by the version of the analyzer, then by text
_lock = RLock()  # threads that need the same texts wait for each other; reentrant, as an analyzer may call another


def _renew_lock() -> None:
    """In a forked process: the thread that held the lock is not there, so nothing would release it."""
    global _lock
    _lock = RLock()


os.register_at_fork(after_in_child=_renew_lock)


def annotate_texts(
    texts: Sequence[str],
    analyzer: str | Annotator = DEFAULT,
    store: Store | str | Path | None = None,
    advance: Callable[[int], None] | None = None,
    executor: Executor | None = None,
) -> list[Sentence]:
    """Return one `Sentence` per text, which is a raw segment, not tokenized.

    `advance` is called with the numbers of texts just finished. The workers of an executor must have the analyzer.
    """
    if isinstance(analyzer, str):
        analyzer = load_analyzer(analyzer)
    sentences = _memory.setdefault(analyzer.version, {})
    if not all(map(sentences.__contains__, texts)):
        with _lock:
            missing = [text for text in dict.fromkeys(texts) if text not in sentences]
            if advance is not None:
                advance(len(texts) - len(missing))
            if isinstance(analyzer, IqmtAnalyzer):  # the cache holds the sentences of the analyzer that it wraps
                originals = annotate_texts(missing, analyzer.analyzer, store, advance, executor)
                sentences.update(zip(missing, analyzer.relabel(originals), strict=True))
            else:
                reports = report_progress(len(missing)) if advance is None else nullcontext(advance)
                with reports as report, _open_store(store if missing else None, analyzer) as opened:
                    _analyze(missing, analyzer, sentences, opened, report, executor)
    elif advance is not None:
        advance(len(texts))
    return [sentences[text] for text in texts]


def register(name: str, analyzer: Annotator) -> None:
    """Register an analyzer under a name, and drop the cached sentences of its version."""
    add_analyzer(name, analyzer)
    for version in (analyzer.version, analyzer.version + IQMT):
        _memory.pop(version, None)


def clear_memory() -> None:
    """Drop all sentences cached in this process; stores are not changed."""
    _memory.clear()


class Annotations(NamedTuple):
    """Sentences of texts, to be sent to a process that may not have the analyzer."""

    name: str
    version: str
    sentences: Mapping[str, Sentence]


def collect_annotations(texts: Sequence[str], name: str) -> Annotations:
    """Analyze texts with the analyzer of that name, for another process."""
    version = load_analyzer(name).version
    return Annotations(name, version, dict(zip(texts, annotate_texts(texts, name), strict=True)))


def load_annotations(annotations: Annotations) -> None:
    """Cache sentences from another process; register a stand-in if their analyzer is not loaded here."""
    name, version, sentences = annotations
    if not has_analyzer(name):
        add_analyzer(name, _AbsentAnalyzer(name, version))
    _memory.setdefault(version, {}).update(sentences)


class _AbsentAnalyzer:
    """A stand-in for an analyzer of another process, which sends its sentences."""

    layers: frozenset[str] = frozenset()

    def __init__(self, name: str, version: str) -> None:
        self.name, self.version = name, version

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        raise InputError(f"this process has neither the analyzer {self.name} nor its analyses of {len(texts)} texts")


def _open_store(store: Store | str | Path | None, analyzer: Annotator) -> AbstractContextManager[Store | None]:
    """Open a store that is a path; return no store for an analyzer whose sentences need none."""
    if store is None or not getattr(analyzer, "storable", True):
        return nullcontext(None)
    return nullcontext(store) if isinstance(store, Store) else Store(store)


class _PendingBatch(NamedTuple):
    """A batch under analysis: its size, the texts that the store does not have, and their keys in the store."""

    size: int
    new: list[str]
    keys: dict[str, bytes]


def _analyze(
    texts: Sequence[str],
    analyzer: Annotator,
    sentences: dict[str, Sentence],
    store: Store | None,
    advance: Callable[[int], None],
    executor: Executor | None,
) -> None:
    """Add the sentences of texts to `sentences`."""
    version = analyzer.version
    pending: deque[_PendingBatch] = deque()

    def batches() -> Iterator[list[str]]:
        for first in range(0, len(texts), _BATCH):
            batch = list(texts[first : first + _BATCH])
            keys: dict[str, bytes] = {}
            if store is not None:
                keys = {text: _store_key(version, text) for text in batch}
                stored = get_annotations(store, list(keys.values()))
                sentences.update((text, unpack_sentence(stored[key])) for text, key in keys.items() if key in stored)
                batch = [text for text in batch if keys[text] not in stored]
            pending.append(_PendingBatch(min(_BATCH, len(texts) - first), batch, keys))
            yield batch

    # In this process batches run one by one: analyzers have their own threads, or are not thread-safe.
    remote = executor if analyzer.name.partition(":")[0] in LOADABLE else None
    run = partial(_run_analyzer, analyzer if remote is None else analyzer.name, version)
    for results in map_ordered(run, batches(), None, 1, remote, here=lambda batch: not batch):
        size, new, keys = pending.popleft()
        if len(results) != len(new):
            raise InputError(f"{analyzer.name} returned {len(results)} sentences for {len(new)} texts")
        if store is not None and new:
            rows = [(keys[text], pack_sentence(sentence)) for text, sentence in zip(new, results, strict=True)]
            put_annotations(store, version, rows)
        sentences.update(zip(new, results, strict=True))
        advance(size)


def _run_analyzer(analyzer: Annotator | str, version: str, texts: list[str]) -> list[Sentence]:
    """Analyze texts; a name refers to the analyzer in the worker's process."""
    if not texts:
        return []
    if isinstance(analyzer, str):
        analyzer = load_analyzer(analyzer)
        if analyzer.version != version:
            raise ClusterError(f"a worker has the analyzer {analyzer.version}, this process {version}")
    return analyzer.annotate(texts)


def _store_key(version: str, text: str) -> bytes:
    return make_digest("annotation", version, RELEASE, text.encode("utf-8", "surrogatepass"))


# --- sentences as bytes ------------------------------------------------------------------------------------------

MAX_BYTES = 1 << 28  # of an unpacked sentence: a store may come from an untrusted source
_WORD_LAYERS = ("words", "lemmas", "tags", "universal", "chunks", "heads", "relations")  # one value per word


def pack_sentence(sentence: Sentence) -> bytes:
    """Return a sentence as bytes."""
    tree, entities, frames = sentence.tree, sentence.entities, sentence.frames
    value = [
        *(getattr(sentence, layer) for layer in _WORD_LAYERS),
        None if tree is None else [[node.label, node.parent, node.start, node.end] for node in tree],
        None if entities is None else _pack_spans(entities),
        None if frames is None else [[frame.predicate, frame.lemma, _pack_spans(frame.arguments)] for frame in frames],
    ]
    text = json_text(value, compact=True, ascii=True)  # ASCII, so lone surrogates survive as escapes
    return zlib.compress(text.encode("ascii"), 1)


def _pack_spans(spans: tuple[Span, ...]) -> list[list[str | int]]:
    return [[span.label, span.start, span.end] for span in spans]


def unpack_sentence(data: bytes) -> Sentence:
    """Return the sentence that `pack_sentence` turned into these bytes; raise StoreError if they are damaged."""
    try:
        return _unpack(data)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, zlib.error) as error:
        raise StoreError(f"a stored analysis cannot be read ({type(error).__name__}); {DAMAGED}") from None


def _unpack(data: bytes) -> Sentence:
    decompressor = zlib.decompressobj()
    text = decompressor.decompress(data, MAX_BYTES)
    if decompressor.unconsumed_tail or not decompressor.eof:
        raise ValueError
    *word_layers, tree, entities, frames = json.loads(text)
    layers: dict[str, Any] = {
        name: None if values is None else tuple(_intern(values))
        for name, values in zip(_WORD_LAYERS, word_layers, strict=True)
    }
    if tree is not None:
        tree = tuple([Node(sys.intern(label), *numbers) for label, *numbers in tree])
    if entities is not None:
        entities = _unpack_spans(entities)
    if frames is not None:
        frames = tuple([Frame(word, lemma, _unpack_spans(arguments)) for word, lemma, arguments in frames])
    sentence = Sentence(**layers, tree=tree, entities=entities, frames=frames)
    if not _is_valid(sentence):
        raise ValueError
    return sentence


def _unpack_spans(spans: list[Any]) -> tuple[Span, ...]:
    return tuple([Span(sys.intern(label), start, end) for label, start, end in spans])


def _intern(values: list[Any]) -> list[Any]:
    """Share equal strings between sentences, to save memory."""
    return [sys.intern(value) if isinstance(value, str) else value for value in values]


def _is_valid(sentence: Sentence) -> bool:
    """Return whether layers have the right length and indices are in range; the kernels rely on that."""
    n = len(sentence.words)
    for layer in _WORD_LAYERS:
        values = getattr(sentence, layer)
        kind = int if layer == "heads" else str
        if values is not None and (len(values) != n or any(type(value) is not kind for value in values)):
            return False
    frames = sentence.frames or ()
    spans: list[Node | Span] = [
        *(sentence.tree or ()),
        *(sentence.entities or ()),
        *(span for frame in frames for span in frame.arguments),
    ]
    return (
        all(0 <= span.start < span.end <= n for span in spans)
        and all(-1 <= node.parent < index for index, node in enumerate(sentence.tree or ()))
        and all(0 <= frame.predicate < n and isinstance(frame.lemma, str) for frame in frames)
        and all(-1 <= head < n for head in sentence.heads or ())
        and find_cycle(sentence.heads or ()) is None
    )
