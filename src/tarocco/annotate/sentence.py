"""What an analyzer says of a sentence: one frozen structure, whoever made it.

Words are counted from 0 and spans are half open. A layer that an analyzer does not have is None, which is not the same
as one that is empty: a sentence without entities has `entities == ()`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a constituency tree. Words are no nodes: word i hangs from the last node of a tree that covers it."""

    label: str
    parent: int  # its place in the tree; -1 for the root
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Span:
    """An entity, or an argument of a predicate: words start .. end - 1 and what they are."""

    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A predicate and its arguments, whose labels are PropBank's: A0, A1, AM-TMP, C-A1, R-A0."""

    predicate: int  # the word
    lemma: str
    arguments: tuple[Span, ...]


@dataclass(frozen=True)
class Sentence:
    """A segment's words and what is known of them. A segment may hold several sentences: then there are several roots.

    `chunks` are IOB tags (B-NP, I-NP, O), `heads` the place of each word's head (-1 for a root), `tree` its nodes from
    the top down and from left to right, so that a parent stands before its children.
    """

    words: tuple[str, ...]
    lemmas: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None  # of the Penn Treebank
    universal: tuple[str, ...] | None = None  # universal parts of speech
    chunks: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    relations: tuple[str, ...] | None = None
    tree: tuple[Node, ...] | None = None
    entities: tuple[Span, ...] | None = None
    frames: tuple[Frame, ...] | None = None

    @property
    def layers(self) -> frozenset[str]:
        """The layers that are there, beside the words."""
        return frozenset(
            field.name for field in fields(self) if field.name != "words" and getattr(self, field.name) is not None
        )
