"""From `--parses` to an analyzer: which file describes which text of a run.

`careful.conllu`, wherever it is, describes the text careful.txt; `TEXT=FILE` says so of any other. TEXT is the name of
a system or a reference, or a text file that has what the run has as something else, such as an n-best list.
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.annotate.derived_layers import completing
from tarocco.annotate.files import read_annotations
from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import InputError, TextRefused
from tarocco.io.files import read_bytes
from tarocco.io.test_set import system_name
from tarocco.io.text import read_lines

if TYPE_CHECKING:
    from tarocco.core.test_set import Segments, TestSet

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
            whole.update(hashlib.sha256(read_bytes(path)).digest())
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
    from tarocco.annotate.serialization import packed  # SQLite, which a run without parses does not need

    whole = hashlib.sha256()
    for text, sentence in sorted(sentences.items()):
        for part in (_key(text).encode("utf-8", "surrogatepass"), packed(sentence)):
            whole.update(len(part).to_bytes(8, "big") + part)
    return whole.hexdigest()[:_DIGITS]


REFERENCE = "reference "  # in front of its name, where a system has the same one


def analyzer_of_parses(entries: Sequence[str], texts: Mapping[str, Segments], note: Callable[[str], None]) -> str:
    """The name of an analyzer that knows what files say of texts, of every one of their segments."""
    from tarocco.annotate.analyzers import analyzer_name

    files: dict[str, list[str]] = {}
    of_no_use = []
    for entry in entries:
        text, file = _divided(entry, texts)
        if Path(file).is_dir():
            raise InputError(f"--parses {entry}: {file} is a directory; name its files, as {Path(file) / '*'} does")
        if not Path(file).is_file():
            raise InputError(f"--parses {entry}: there is no file {file}")
        if text is None:
            of_no_use.append(file)
        else:
            files.setdefault(text, []).append(file)
    if of_no_use:
        said = f"--parses: {', '.join(of_no_use)} {'has' if len(of_no_use) == 1 else 'have'} the name of no text here"
        note(said)
    order = [*(text for text in texts if text in files), *(text for text in files if text not in texts)]
    described = [
        Described(text, list(texts[text] if text in texts else read_lines(text)), files[text]) for text in order
    ]
    analyses = analyses_of_files(described)
    _check_complete(analyses, texts)
    name = analyzer_name(analyses)
    assert name is not None
    return name


def texts_of(test_set: TestSet) -> dict[str, Segments]:
    """Systems and references by name; a system and a reference of the same name are both there."""
    found = dict(test_set.systems)
    for name, segments in zip(test_set.reference_names, test_set.references, strict=False):
        found[name if name not in found else f"{REFERENCE}{name}"] = segments
    return found


def _divided(entry: str, texts: Mapping[str, Segments]) -> tuple[str | None, str]:
    """A text and the file that describes it; no text for a file that has the name of none."""
    from tarocco.annotate.files import text_name

    text, equals, file = entry.partition("=")
    if not equals or Path(entry).exists():
        return _meant(text_name(entry), texts), entry
    found = text if text in texts or Path(text).is_file() else _meant(text, texts)
    if found is None:
        raise InputError(f'--parses {entry}: there is no text "{text}"; there are {", ".join(texts)}')
    return found, file


def _meant(written: str, texts: Mapping[str, Segments]) -> str | None:
    """The text of the run that a path without its suffix means."""
    found = [name for name in texts if system_name(name.removeprefix(REFERENCE)) == system_name(written)]
    if len(found) > 1:  # texts of one name are called by their paths, if they are all systems or all references
        found = [name for name in found if Path(name).parent / system_name(name) == Path(written)] or found
    if len(found) > 1:
        raise InputError(f'--parses: "{written}" may be {" or ".join(found)}: write TEXT=FILE, with the path of TEXT')
    return found[0] if found else None


def _check_complete(analyses: Analyses, texts: Mapping[str, Segments]) -> None:
    """Before anything is computed: whether every segment has a parse."""

    for name, segments in texts.items():
        for number, text in enumerate(segments, 1):
            if text not in analyses:
                what = f'segment {number} of {name}, "{begun(text)}"'
                raise InputError(f"no file of --parses describes {what}: {name}.conllu is wanted, or {name}=FILE")
