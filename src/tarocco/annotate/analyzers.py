"""Analyzers by name. One is loaded when it is first used, and once in a process.

spacy            spaCy's small English pipeline, en_core_web_sm
spacy:NAME       any installed spaCy pipeline: spacy:fr_core_news_sm
stanza:LANGUAGE  Stanza's default pipeline of a language, for people who have its models
NAME+iqmt        the same with the labels of the IQmt manual
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tarocco.annotate.sentence import Sentence
from tarocco.errors import UnknownName

DEFAULT = "spacy"
IQMT = "+iqmt"


class Annotator(Protocol):
    """Whatever tells the structure of texts.

    `version` says all that its sentences depend on, "spacy-3.8.18/en_core_web_sm-3.8.0", and is part of the signatures
    of what is computed from them.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def layers(self) -> frozenset[str]:
        """Which layers of a `Sentence` it gives, beside the words."""
        ...

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """One sentence a text, in batches; a text may hold several sentences, and then has several roots."""
        ...


_loaded: dict[str, Annotator] = {}


def make_known(name: str, analyzer: Annotator) -> None:
    """Give an analyzer of one's own a name; annotated.register does that and forgets what it said before."""
    _loaded[name] = analyzer
    _loaded.pop(name + IQMT, None)


def annotator(name: str = DEFAULT) -> Annotator:
    """An analyzer by its name, loaded once; MissingExtra says what to install, UnknownName what there is."""
    if name not in _loaded:
        _loaded[name] = _load(name)
    return _loaded[name]


def _load(name: str) -> Annotator:
    if name.endswith(IQMT):
        return _Relabeled(annotator(name.removesuffix(IQMT)))
    kind, _, which = name.partition(":")
    if kind == "spacy":
        from tarocco.annotate.spacy_pipeline import load_spacy

        return load_spacy(which)
    if kind == "stanza":
        from tarocco.annotate.stanza_pipeline import load_stanza

        return load_stanza(which or "en")
    raise UnknownName(f'there is no analyzer "{name}"; there are spacy, spacy:PIPELINE and stanza:LANGUAGE')


class _Relabeled:
    """What another analyzer says, with the labels of the IQmt manual."""

    def __init__(self, analyzer: Annotator) -> None:
        self.analyzer = analyzer
        self.name, self.version = analyzer.name + IQMT, analyzer.version + IQMT
        self.layers = analyzer.layers

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        from tarocco.annotate.labels import to_iqmt

        return [to_iqmt(sentence) for sentence in self.analyzer.annotate(texts)]
