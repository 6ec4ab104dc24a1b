"""What one sentence in a file says, where it stands there, and how several become one segment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from tarocco.annotate.sentence import Frame, Node, Sentence, Span
from tarocco.core.errors import InputError
from tarocco.io.files import display_name, read_bytes
from tarocco.io.text import normalize_lines

TOP = "TOP"


@dataclass(frozen=True)
class Block:
    """A sentence of a file. `surface` is its text without spaces where that is known better than by its words."""

    sentence: Sentence
    lines: tuple[int, ...]  # of each word, from 1; where it begins, if it has none
    surface: str


def lines_of(path: str, wanted: str) -> list[str]:
    """The lines of a text file, without their ends."""
    return normalize_lines(read_bytes(path), path, wanted).decode("utf-8").split("\n")[:-1]


def error_at(path: str, line: int, sentence: str) -> InputError:
    """One sentence about a line of a file."""
    return InputError(f"{display_name(path)}, line {line}: {sentence}")


def comparable(text: str) -> str:
    """Text without white space, brackets and quotation marks as they are written outside of treebanks."""
    text = "".join(text.split())
    return text.replace("-LRB-", "(").replace("-RRB-", ")").replace("``", '"').replace("''", '"')


def joined(sentences: Sequence[Sentence]) -> Sentence:
    """Several sentences as one segment: several roots, and one node TOP above their trees."""
    if len(sentences) == 1:
        return sentences[0]
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence.words))
    pairs = [(sentence, start) for sentence, start in zip(sentences, starts[:-1], strict=True) if sentence.words]
    if len(pairs) < 2:
        return pairs[0][0] if pairs else sentences[0] if sentences else Sentence(())
    layers: dict[str, Any] = {}
    for field in fields(Sentence):
        values = [(getattr(sentence, field.name), start) for sentence, start in pairs]
        if any(value is None for value, _ in values):
            layers[field.name] = None
        elif field.name == "tree":
            layers["tree"] = _one_tree(values, starts[-1])
        else:
            layers[field.name] = tuple(_moved(field.name, one, start) for value, start in values for one in value)
    return Sentence(**layers)


def _moved(layer: str, value: Any, start: int) -> Any:
    """A value of a layer whose words begin at another place."""
    if layer == "heads":
        return value + start if value >= 0 else -1
    if layer == "entities":
        return Span(value.label, value.start + start, value.end + start)
    if layer == "frames":
        arguments = tuple(Span(span.label, span.start + start, span.end + start) for span in value.arguments)
        return Frame(value.predicate + start, value.lemma, arguments)
    return value


def _one_tree(trees: Sequence[tuple[tuple[Node, ...], int]], size: int) -> tuple[Node, ...]:
    nodes = [Node(TOP, -1, 0, size)]
    for tree, start in trees:
        own_top = len(tree) > 1 and tree[0].label == TOP  # it becomes the one above all of them
        first = len(nodes) - own_top
        for node in tree[own_top:]:
            parent = 0 if node.parent < own_top else node.parent + first
            nodes.append(Node(node.label, parent, node.start + start, node.end + start))
    return tuple(nodes)
