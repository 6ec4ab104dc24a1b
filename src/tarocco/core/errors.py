"""The exceptions that tarocco raises on purpose.

    TaroccoError
    ├── InputError        the data is wrong: a file, a line, a shape
    ├── UnknownName       a metric, tokenizer or system that does not exist
    ├── BadParameter      an unknown parameter of a metric, or a value out of range
    ├── PluginError       a user-defined metric that lacks a required part
    ├── StoreError        a store that cannot be opened, read or written
    ├── ClusterError      a cluster that cannot be reached or stops working
    └── MissingExtra      an optional library that is not installed

A message is one sentence that a user can act on. It names the file and line, what was expected and what was found.
"""

from __future__ import annotations


class TaroccoError(Exception):
    """The base of all errors that tarocco raises on purpose."""


class InputError(TaroccoError, ValueError):
    """The data is wrong: a file, a line, a shape."""


class TextRefused(InputError):
    """A text that an analyzer or a metric rejects; the caller that knows its position adds it to the reason."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(reason)
        self.text, self.reason = text, reason

    def __reduce__(self) -> tuple[type[TextRefused], tuple[str, str]]:  # a worker in another process may raise it
        return type(self), (self.text, self.reason)


class UnknownName(TaroccoError, KeyError):
    """A metric, tokenizer or system that does not exist."""

    __str__ = Exception.__str__  # KeyError's would put quotation marks around the sentence


class BadParameter(TaroccoError, ValueError):
    """An unknown parameter of a metric, or a value out of range."""


class PluginError(TaroccoError, TypeError):
    """A user-defined metric that lacks a required part."""


class StoreError(TaroccoError, OSError):
    """A store that cannot be opened, read or written."""


class ClusterError(TaroccoError, RuntimeError):
    """A cluster that cannot be reached or stops working."""


class MissingExtra(TaroccoError, ImportError):
    """An optional library that is not installed."""
