"""Stanza's pipelines as analyzers, for people who have its models; its own constituency trees are taken if it has them.

Nothing is downloaded: `stanza.download("en")` does that, once.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Any

from tarocco.annotate.brackets import tree_of_text
from tarocco.annotate.derived_layers import MADE, NEEDED, completed
from tarocco.annotate.file_sentence import joined
from tarocco.annotate.sentence import Sentence, Span
from tarocco.core.errors import MissingExtra, UnknownName

_PROCESSORS = {  # what a processor of Stanza gives
    "pos": ("universal", "tags"),
    "lemma": ("lemmas",),
    "depparse": ("heads", "relations"),
    "ner": ("entities",),
    "constituency": ("tree",),
}


def load_stanza(language: str) -> StanzaAnnotator:
    """The default pipeline of a language, from models that are there already."""
    try:
        stanza = importlib.import_module("stanza")
    except ImportError:
        raise MissingExtra("stanza: pip install stanza, and get its models with stanza.download") from None
    if not re.fullmatch("[A-Za-z]+(?:-[A-Za-z]+)*", language):  # it becomes a folder's name
        raise UnknownName(f'a language of Stanza is written en or zh-hans, not "{language}"')
    try:
        pipeline = stanza.Pipeline(language, download_method=None, verbose=False)
    except Exception as error:  # it raises its own kinds, and others, when models are missing
        raise UnknownName(f'Stanza has no models of "{language}" here ({str(error).splitlines()[0]})') from None
    return StanzaAnnotator(pipeline, language, str(stanza.__version__))


class StanzaAnnotator:
    """A Stanza pipeline; what it gives is what its processors say of a text."""

    def __init__(self, pipeline: Any, language: str, version: str) -> None:
        self.pipeline = pipeline
        self.name = f"stanza:{language}"
        self.version = f"stanza-{version}/{language}"
        self.own = frozenset(
            layer for name, layers in _PROCESSORS.items() if name in pipeline.processors for layer in layers
        )
        self.english = language == "en" and self.own >= NEEDED
        self.layers = self.own | MADE if self.english else self.own

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """One sentence a text, all texts as one batch."""
        tidy = [" ".join(text.split()) for text in texts]
        documents = iter(self.pipeline.bulk_process([text for text in tidy if text]))
        empty = Sentence((), **dict.fromkeys(self.layers, ()))
        return [self.segment(next(documents)) if text else empty for text in tidy]

    def segment(self, document: Any) -> Sentence:
        """A Stanza document in our structure."""
        sentence = joined([self.sentence(one) for one in document.sentences])
        return completed(sentence) if self.english else sentence

    def sentence(self, found: Any) -> Sentence:
        """One sentence of a document."""
        own, words = self.own, found.words
        return Sentence(
            tuple([word.text.replace(" ", "_") for word in words]),
            lemmas=tuple([word.lemma or word.text for word in words]) if "lemmas" in own else None,
            tags=tuple([word.xpos or "_" for word in words]) if "tags" in own else None,
            universal=tuple([word.upos or "_" for word in words]) if "universal" in own else None,
            heads=tuple([word.head - 1 for word in words]) if "heads" in own else None,
            relations=tuple([word.deprel for word in words]) if "heads" in own else None,
            entities=self.entities(found) if "entities" in own else None,
            tree=tree_of_text(str(found.constituency)) if "tree" in own else None,
        )

    def entities(self, found: Any) -> tuple[Span, ...]:
        """Entities as spans of words; Stanza counts them in tokens, which may be several words."""
        return tuple(
            Span(entity.type, entity.tokens[0].words[0].id - 1, entity.tokens[-1].words[-1].id) for entity in found.ents
        )
