"""Everything tarocco raises on purpose.

    TaroccoError
    ├── InputError        the data is wrong: a file, a line, a shape
    ├── UnknownName       a metric, tokenizer or system that does not exist
    ├── BadParameter      a parameter that a metric does not have, or a value it does not take
    ├── PluginError       a metric of the user's own that lacks something every metric has
    ├── StoreError        a store that cannot be opened, read or written
    ├── ClusterError      a cluster that cannot be reached, or does not do the work
    └── MissingExtra      an optional library that is not installed

A message is one sentence a user can act on: which file and line, what was expected, what was found.
"""

from __future__ import annotations


class TaroccoError(Exception):
    """The base of all errors that tarocco raises on purpose."""


class InputError(TaroccoError, ValueError):
    """The data is wrong: a file, a line, a shape."""


class TextRefused(InputError):
    """A text that an analyzer or a metric does not take; whoever knows where it stands says so before the reason."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(reason)
        self.text, self.reason = text, reason

    def __reduce__(self) -> tuple[type[TextRefused], tuple[str, str]]:  # a worker in another process may raise it
        return type(self), (self.text, self.reason)


class UnknownName(TaroccoError, KeyError):
    """A metric, tokenizer or system that does not exist."""

    __str__ = Exception.__str__  # KeyError's would put quotation marks around the sentence


class BadParameter(TaroccoError, ValueError):
    """A parameter that a metric does not have, or a value that it does not take."""


class PluginError(TaroccoError, TypeError):
    """A metric of the user's own that lacks something every metric has."""


class StoreError(TaroccoError, OSError):
    """A store that cannot be opened, read or written."""


class ClusterError(TaroccoError, RuntimeError):
    """A cluster that cannot be reached, or does not do the work."""


class MissingExtra(TaroccoError, ImportError):
    """An optional library that is not installed."""
