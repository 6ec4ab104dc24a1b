"""Analyzers by name. One is loaded when it is first used, and once in a process.

spacy            spaCy's small English pipeline, en_core_web_sm
spacy:NAME       any installed spaCy pipeline: spacy:fr_core_news_sm
stanza:LANGUAGE  Stanza's default pipeline of a language, for people who have its models
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Protocol

from tarocco.annotate.sentence import Sentence
from tarocco.errors import UnknownName

DEFAULT = "spacy"


class Annotator(Protocol):
    """Whatever tells the structure of texts.

    `name` and `version` are part of the signatures of what is computed from it: the same two give the same sentences.
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


@cache
def annotator(name: str = DEFAULT) -> Annotator:
    """An analyzer by its name, loaded once; MissingExtra says what to install, UnknownName what there is."""
    kind, _, which = name.partition(":")
    if kind == "spacy":
        from tarocco.annotate.spacy_pipeline import load_spacy

        return load_spacy(which)
    if kind == "stanza":
        from tarocco.annotate.stanza_pipeline import load_stanza

        return load_stanza(which or "en")
    raise UnknownName(f'there is no analyzer "{name}"; there are spacy, spacy:PIPELINE and stanza:LANGUAGE')
