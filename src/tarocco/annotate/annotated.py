"""Texts to sentences: a text is analyzed once in a process, and once in the life of a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock

from tarocco.annotate.analyzers import DEFAULT, IQMT, Annotator, annotator, make_known
from tarocco.annotate.packing import packed, unpacked
from tarocco.annotate.sentence import Sentence
from tarocco.errors import InputError
from tarocco.store.annotations import RELEASE, get_annotations, put_annotations
from tarocco.store.blocks import Store, digest

__all__ = ["annotated", "annotator", "forget", "register"]

_BATCH = 500  # texts that are analyzed, stored and reported together
_known: dict[str, dict[str, Sentence]] = {}  # by the analyzer's version, and by text
_one_at_a_time = Lock()  # threads that need the same texts wait for them


def annotated(
    texts: Sequence[str],
    analyzer: str | Annotator = DEFAULT,
    store: Store | str | Path | None = None,
    advance: Callable[[int], None] | None = None,
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
    """
    chosen = annotator(analyzer) if isinstance(analyzer, str) else analyzer
    known = _known.setdefault(chosen.version, {})
    with _one_at_a_time:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if advance is not None:
            advance(len(texts) - len(missing))
        if store is None:
            _analyze(missing, chosen, known, None, advance)
        elif isinstance(store, Store):
            _analyze(missing, chosen, known, store, advance)
        elif missing:
            with Store(store) as opened:
                _analyze(missing, chosen, known, opened, advance)
    return [known[text] for text in texts]


def register(name: str, analyzer: Annotator) -> None:
    """Make an analyzer of one's own known under a name; what one of that version said before is forgotten."""
    make_known(name, analyzer)
    for version in (analyzer.version, analyzer.version + IQMT):
        _known.pop(version, None)


def forget() -> None:
    """Forget what this process has analyzed; stores keep what they have."""
    _known.clear()


def _analyze(
    texts: Sequence[str],
    analyzer: Annotator,
    known: dict[str, Sentence],
    store: Store | None,
    advance: Callable[[int], None] | None,
) -> None:
    name = analyzer.version
    for first in range(0, len(texts), _BATCH):
        batch = texts[first : first + _BATCH]
        new = batch
        if store is not None:
            keys = {text: digest("annotation", name, RELEASE, text.encode("utf-8", "surrogatepass")) for text in batch}
            stored = get_annotations(store, list(keys.values()))
            known.update((text, unpacked(stored[key])) for text, key in keys.items() if key in stored)
            new = [text for text in batch if keys[text] not in stored]
        found = analyzer.annotate(new) if new else []
        if len(found) != len(new):
            raise InputError(f"{analyzer.name} gave {len(found)} sentences for {len(new)} texts")
        known.update(zip(new, found, strict=True))
        if store is not None and new:
            put_annotations(store, name, [(keys[text], packed(known[text])) for text in new])
        if advance is not None:
            advance(len(batch))
