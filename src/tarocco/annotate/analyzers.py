"""Analyzers by name. One is loaded when it is first used, and once in a process.

spacy            spaCy's small English pipeline, en_core_web_sm
spacy:NAME       any installed spaCy pipeline: spacy:fr_core_news_sm
stanza:LANGUAGE  Stanza's default pipeline of a language, for people who have its models
NAME+iqmt        the same with the labels of the IQmt manual

Any other analyzer comes as an object, or as a mapping from texts to sentences, and is known by its version then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from tarocco.annotate.sentence import Sentence
from tarocco.core.errors import BadParameter, UnknownName

DEFAULT = "spacy"
IQMT = "+iqmt"
LOADED = ("spacy", "stanza")  # by their names, in any process


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


Analyzer = str | Annotator | Mapping[str, Sentence]  # a name, an object, or texts and what is known of them

_loaded: dict[str, Annotator] = {}


def make_known(name: str, analyzer: Annotator) -> None:
    """Give an analyzer of one's own a name; annotated.register does that and forgets what it said before."""
    _loaded[name] = analyzer
    _loaded.pop(name + IQMT, None)


def is_known(name: str) -> bool:
    """Whether an analyzer was loaded, or made known, under a name."""
    return name in _loaded


def analyzer_name(analyzer: Analyzer | None) -> str | None:
    """The name by which an analyzer is found; one that has none yet is called by its version."""
    if analyzer is None or isinstance(analyzer, str):
        return analyzer
    if isinstance(analyzer, Mapping):
        from tarocco.annotate.parses import Analyses

        analyzer = Analyses(analyzer)
    if not (callable(getattr(analyzer, "annotate", None)) and isinstance(getattr(analyzer, "version", None), str)):
        raise BadParameter(
            'analyzer is a name such as "spacy", an object with name, version, layers and annotate, or a mapping from '
            f"texts to sentences, not {analyzer!r}"
        )
    make_known(analyzer.version, analyzer)
    return analyzer.version


def without(name: str, layer: str) -> str:
    """Who gives no such layer, as the beginning of a sentence: 'the analyzer "spacy:xx" gives no'."""
    analyzer = annotator(name)
    while isinstance(analyzer, Relabeled):
        analyzer = analyzer.analyzer
    tell = getattr(analyzer, "without", None)
    return str(tell(layer)) if tell is not None else f'the analyzer "{name}" gives no'


def annotator(name: str = DEFAULT) -> Annotator:
    """An analyzer by its name, loaded once; MissingExtra says what to install, UnknownName what there is."""
    if name not in _loaded:
        _loaded[name] = _load(name)
    return _loaded[name]


def _load(name: str) -> Annotator:
    if name.endswith(IQMT):
        return Relabeled(annotator(name.removesuffix(IQMT)))
    kind, _, which = name.partition(":")
    if kind == "spacy":
        from tarocco.annotate.spacy_pipeline import load_spacy

        return load_spacy(which)
    if kind == "stanza":
        from tarocco.annotate.stanza_pipeline import load_stanza

        return load_stanza(which or "en")
    raise UnknownName(f'there is no analyzer "{name}"; there are spacy, spacy:PIPELINE and stanza:LANGUAGE')


class Relabeled:
    """What another analyzer says, with the labels of the IQmt manual."""

    def __init__(self, analyzer: Annotator) -> None:
        self.analyzer = analyzer
        self.name, self.version = analyzer.name + IQMT, analyzer.version + IQMT
        self.layers = analyzer.layers

    def annotate(self, texts: Sequence[str]) -> list[Sentence]:
        """One sentence a text."""
        return self.relabeled(self.analyzer.annotate(texts))

    def relabeled(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """What the other analyzer said, with the manual's labels."""
        from tarocco.annotate.labels import to_iqmt

        return list(map(to_iqmt, sentences))


Watching = Callable[[int], AbstractContextManager[Callable[[int], None]]]  # told of how many texts, then how many more


@contextmanager
def _nobody(_total: int) -> Iterator[Callable[[int], None]]:
    yield lambda _done: None


_watching: Watching = _nobody


def watch(watching: Watching | None) -> None:
    """Let somebody look on from now on, or nobody."""
    global _watching
    _watching = watching or _nobody


def watched(total: int) -> AbstractContextManager[Callable[[int], None]]:
    """What is told of texts that are analyzed."""
    return _watching(total)
