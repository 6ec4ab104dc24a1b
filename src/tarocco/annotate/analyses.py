"""An analyzer made of what is known already: files that any parser wrote, or sentences that a program has.

It looks a text up, white space aside, and knows no other texts. So metrics, signatures and stores need not know where
sentences come from; the version is a digest of the files, or of the sentences.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property

from tarocco.annotate.completing import completing
from tarocco.annotate.files import read_annotations
from tarocco.annotate.packing import packed
from tarocco.annotate.sentence import Sentence
from tarocco.errors import TextRefused
from tarocco.read.bytes_of import bytes_of

NAME = "parses"
_DIGITS = 12


@dataclass(frozen=True)
class Described:
    """A text, one string a segment, and the files that say what is known of it."""

    name: str
    texts: Sequence[str]
    files: Sequence[str]


class TwoAnalyses(UserWarning):
    """Some texts have two analyses that differ."""


class Analyses:
    """Texts and what is known of them. English sentences are completed as those of any analyzer are."""

    name = NAME
    kept = False  # in no store: whoever has the sentences does not need them a second time

    def __init__(
        self, sentences: Mapping[str, Sentence], version: str = "", origins: Mapping[str, str] | None = None
    ) -> None:
        """`origins` are what error messages say of where a text's sentence comes from."""
        self._sentences = {_key(text): sentence for text, sentence in sentences.items()}
        self._origins = {_key(text): origin for text, origin in (origins or {}).items()}
        self.version = version or f"{NAME}-{_digest_of(sentences)}"
        full = [sentence for sentence in self._sentences.values() if sentence.words]
        self._completed = completing(full)

    @cached_property
    def layers(self) -> frozenset[str]:
        """The layers that all sentences have, or that can be told."""
        layers = [self._completed(sentence).layers for sentence in self._sentences.values() if sentence.words]
        return frozenset.intersection(*layers) if layers else frozenset()

    def __contains__(self, text: str) -> bool:
        return not text.strip() or _key(text) in self._sentences

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """The sentence of each text; InputError where there is none."""
        return [self._sentence(text) for text in texts]

    def _sentence(self, text: str) -> Sentence:
        if not text.strip():
            return Sentence((), **dict.fromkeys((field.name for field in fields(Sentence)[1:]), ()))
        found = self._sentences.get(_key(text))
        if found is None:
            raise TextRefused(text, f'no parse was given of the text "{begun(text)}"')
        return self._completed(found)

    def without(self, layer: str) -> str:
        """Who is to blame that a layer is missing, as the beginning of a sentence that goes on with its name."""
        for key, sentence in self._sentences.items():
            if sentence.words and key in self._origins and layer not in self._completed(sentence).layers:
                return f"{self._origins[key]} gives no"
        return "the parses give no"


def analyses_of_files(described: Sequence[Described]) -> Analyses:
    """What files say of texts. Where a text has two analyses, the first one counts, and a warning tells how many."""
    sentences: dict[str, Sentence] = {}
    origins: dict[str, str] = {}
    whole = hashlib.sha256()
    differ = 0
    for one in described:
        for text, sentence in zip(one.texts, read_annotations(one.files, one.texts), strict=True):
            key = _key(text)
            differ += sentences.setdefault(key, sentence) != sentence
            origins.setdefault(key, " with ".join(one.files))
        for path in one.files:
            whole.update(hashlib.sha256(bytes_of(path)).digest())
    if differ:
        said = f"{differ} segments have another analysis than the same text elsewhere: the first one counts"
        warnings.warn(said, TwoAnalyses, stacklevel=2)
    return Analyses(sentences, f"{NAME}-{whole.hexdigest()[:_DIGITS]}", origins)


def begun(text: str) -> str:
    """A text, as much of it as a sentence has room for."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def _key(text: str) -> str:
    return " ".join(text.split())


def _digest_of(sentences: Mapping[str, Sentence]) -> str:
    whole = hashlib.sha256()
    for text, sentence in sorted(sentences.items()):
        for part in (_key(text).encode("utf-8", "surrogatepass"), packed(sentence)):
            whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()[:_DIGITS]
