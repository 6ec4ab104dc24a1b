"""Analyzers by name. An analyzer is loaded on first use, once per process.

spacy            spaCy's small English pipeline, en_core_web_sm
spacy:NAME       any installed spaCy pipeline: spacy:fr_core_news_sm
stanza:LANGUAGE  Stanza's default pipeline for a language, if its models are installed
NAME+iqmt        the same analyzer with the labels of the IQmt manual

Any other analyzer is passed as an object, or as a mapping from texts to sentences, and is registered under its version.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import BadParameter, UnknownName

DEFAULT = "spacy"
IQMT = "+iqmt"
LOADABLE = ("spacy", "stanza")  # any process can load these by name


class Annotator(Protocol):
    """The interface of an analyzer.

    `version` identifies everything that its sentences depend on, such as "spacy-3.8.18/en_core_web_sm-3.8.0". It
    becomes part of the signatures of scores computed from them.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def layers(self) -> frozenset[str]:
        """The layers of a `Sentence` that this analyzer provides, words excluded."""
        ...

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """Return one `Sentence` per text; a text of several sentences has several roots."""
        ...


Analyzer = str | Annotator | Mapping[str, Sentence]  # a name, an object, or the sentence of each text

_loaded: dict[str, Annotator] = {}


def add_analyzer(name: str, analyzer: Annotator) -> None:
    """Register an analyzer under a name, without clearing its cached sentences (`cache.register` clears them)."""
    _loaded[name] = analyzer
    _loaded.pop(name + IQMT, None)


def has_analyzer(name: str) -> bool:
    """Return whether an analyzer was loaded or registered under a name."""
    return name in _loaded


def register_analyzer(analyzer: Analyzer | None) -> str | None:
    """Register an analyzer that is an object or a mapping, under its version, and return the name of any analyzer."""
    if analyzer is None or isinstance(analyzer, str):
        return analyzer
    if isinstance(analyzer, Mapping):
        from tarocco.annotate.parses import ParsedTexts

        analyzer = ParsedTexts(analyzer)
    if not (callable(getattr(analyzer, "annotate", None)) and isinstance(getattr(analyzer, "version", None), str)):
        raise BadParameter(
            'analyzer is a name such as "spacy", an object with name, version, layers and annotate, or a mapping from '
            f"texts to sentences, not {analyzer!r}"
        )
    add_analyzer(analyzer.version, analyzer)
    return analyzer.version


def describe_source(name: str, layer: str) -> str:
    """Return what an error message calls the source of sentences that lack a layer: a parse file or the analyzer."""
    analyzer = load_analyzer(name)
    while isinstance(analyzer, IqmtAnalyzer):
        analyzer = analyzer.analyzer
    describe = getattr(analyzer, "source_without", None)
    return str(describe(layer)) if describe is not None else f'the output of the analyzer "{name}"'


def load_analyzer(name: str = DEFAULT) -> Annotator:
    """Return the analyzer of a name, loading it on first use; raises MissingExtra or UnknownName if it cannot."""
    if name not in _loaded:
        _loaded[name] = _load(name)
    return _loaded[name]


def _load(name: str) -> Annotator:
    if name.endswith(IQMT):
        return IqmtAnalyzer(load_analyzer(name.removesuffix(IQMT)))
    kind, _, model = name.partition(":")
    if kind == "spacy":
        from tarocco.annotate.pipelines import load_spacy

        return load_spacy(model)
    if kind == "stanza":
        from tarocco.annotate.pipelines import load_stanza

        return load_stanza(model or "en")
    raise UnknownName(f'there is no analyzer "{name}"; use spacy, spacy:PIPELINE, spacy:FILE.whl or stanza:LANGUAGE')


class IqmtAnalyzer:
    """Another analyzer with the labels of the IQmt manual."""

    def __init__(self, analyzer: Annotator) -> None:
        self.analyzer = analyzer
        self.name, self.version = analyzer.name + IQMT, analyzer.version + IQMT
        self.layers = analyzer.layers

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """Return one relabeled sentence per text."""
        return self.relabel(self.analyzer.annotate(texts))

    def relabel(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return sentences of the other analyzer with the labels of the manual."""
        from tarocco.annotate.iqmt_labels import to_iqmt

        return list(map(to_iqmt, sentences))


# Called with a number of texts; the context gives a function that is called with the number of texts just finished.
ProgressReporter = Callable[[int], AbstractContextManager[Callable[[int], None]]]


_reporter: ProgressReporter | None = None


def set_progress(reporter: ProgressReporter | None) -> None:
    """Report the progress of all later analyses to `reporter`; None turns reports off."""
    global _reporter
    _reporter = reporter


def report_progress(total: int) -> AbstractContextManager[Callable[[int], None]]:
    """Open a progress report about `total` texts."""
    return nullcontext(lambda _done: None) if _reporter is None else _reporter(total)
