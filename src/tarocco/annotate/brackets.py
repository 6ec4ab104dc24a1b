"""Constituency trees in brackets, one segment a line: (S (NP (DT The) (NN captain)) (VP (VBD left)) (. .)).

Brackets that are words or tags are written -LRB- and -RRB-. A line may have several trees: they are joined under one
node TOP. Traces (-NONE-) are left out, since no text has them. Nothing here recurses, so trees may be very deep.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tarocco.annotate.file_sentence import TOP, Block, comparable, error_at, lines_of
from tarocco.annotate.sentence import Node, Sentence

_PIECES = re.compile(r"[()]|[^\s()]+")
_NO_TAG = "X"
LONGEST = 1 << 22  # characters of a line


def tree_lines(sentences: Iterable[Sentence]) -> Iterator[str]:
    """A line a sentence; one without words is an empty line."""
    for sentence in sentences:
        size = len(sentence.words)
        opened: list[list[str]] = [[] for _ in range(size)]
        closed = [0] * size
        for node in sentence.tree or ():
            opened[node.start].append(f"({node.label} ")
            closed[node.end - 1] += 1
        tags = map(_without_brackets, sentence.tags or (_NO_TAG,) * size)
        words = map(_without_brackets, sentence.words)
        yield " ".join(
            f"{''.join(before)}({tag} {word}){')' * after}"
            for before, tag, word, after in zip(opened, tags, words, closed, strict=True)
        )


def _without_brackets(text: str) -> str:
    return text.replace("(", "-LRB-").replace(")", "-RRB-")


def read_trees(path: str) -> list[Block]:
    """The trees of a file, a line each; InputError names the line of what is wrong."""
    return [_block(text, path, line) for line, text in enumerate(lines_of(path, "one tree a line"), 1)]


def tree_of_text(text: str) -> tuple[Node, ...]:
    """The tree that a text in brackets describes."""
    tree = _block(text, "a tree", 1).sentence.tree
    return () if tree is None else tree


def _block(text: str, path: str, line: int) -> Block:
    words: list[str] = []
    tags: list[str] = []
    labels: list[str] = []
    parents: list[int] = []
    ends: list[list[int]] = []
    open_nodes: list[int] = []
    if len(text) > LONGEST:
        raise error_at(path, line, f"the tree of a segment has at most {LONGEST} characters, found {len(text)}")
    pieces = _PIECES.findall(text)
    pieces += [""] * 3
    place = 0
    while pieces[place]:
        piece = pieces[place]
        if piece == "(":
            label, word, end = pieces[place + 1 : place + 4]
            if label not in ("(", ")", "") and word not in ("(", ")", "") and end == ")":
                if label != "-NONE-":
                    tags.append(label)
                    words.append(word.replace("-LRB-", "(").replace("-RRB-", ")"))
                place += 4
                continue
            named = label not in ("(", ")", "")
            parents.append(open_nodes[-1] if open_nodes else -1)
            open_nodes.append(len(labels))
            labels.append(label if named else TOP)
            ends.append([len(words)])
            place += 1 + named
        elif piece == ")":
            if not open_nodes:
                raise error_at(path, line, f"a closing bracket without an opening one, after {len(words)} words")
            ends[open_nodes.pop()].append(len(words))
            place += 1
        else:
            raise error_at(path, line, f'a bracket is wanted, found "{piece[:40]}"; a word stands as (NN word)')
    if open_nodes:
        raise error_at(
            path, line, f"{len(open_nodes)} opening brackets are not closed, the first one of {labels[open_nodes[0]]}"
        )
    if text.strip() and not words:
        raise error_at(path, line, "the tree has no words")
    tree = _nodes(labels, parents, ends)
    if words and not (tree and tree[0].start == 0 and tree[0].end == len(words)):  # several trees
        tree = (Node(TOP, -1, 0, len(words)), *(Node(n.label, n.parent + 1, n.start, n.end) for n in tree))
    sentence = Sentence(tuple(words), tags=tuple(tags), tree=tree)
    return Block(sentence, (line,) * (len(words) or 1), comparable("".join(words)))


def _nodes(labels: list[str], parents: list[int], ends: list[list[int]]) -> tuple[Node, ...]:
    """Nodes without those that cover no word, since traces are gone."""
    places: list[int] = []  # where a node stands among those that stay
    nodes: list[Node] = []
    for label, parent, (start, end) in zip(labels, parents, ends, strict=True):
        places.append(len(nodes))
        if end > start:
            nodes.append(Node(label, places[parent] if parent >= 0 else -1, start, end))
    return tuple(nodes)
