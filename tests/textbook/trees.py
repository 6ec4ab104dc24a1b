"""Bracketed trees and dependency trees, as a textbook would treat them: by recursion and by definition."""


def parse(text):
    """A bracketed tree as (label, children) with words as strings."""
    pieces = text.replace("(", " ( ").replace(")", " ) ").split()

    def node(at):
        label, at = pieces[at + 1], at + 2
        children = []
        while pieces[at] != ")":
            if pieces[at] == "(":
                child, at = node(at)
            else:
                child, at = pieces[at], at + 1
            children.append(child)
        return (label, children), at + 1

    return node(0)[0]


def phrases(tree, start=0):
    """(label, first word, word after the last) of every phrase from the top down, the tags and the words."""
    label, children = tree
    if isinstance(children[0], str):
        return [], [label], children
    spans, tags, words = [], [], []
    for child in children:
        more, more_tags, more_words = phrases(child, start + len(words))
        spans, tags, words = spans + more, tags + more_tags, words + more_words
    return [(label, start, start + len(words)), *spans], tags, words


def descendants(heads, word):
    return {word}.union(*(descendants(heads, child) for child, head in enumerate(heads) if head == word))


def is_projective(heads):
    """Every word's part of the tree is one stretch of words."""
    parts = [sorted(descendants(heads, word)) for word in range(len(heads))]
    return all(part == list(range(part[0], part[-1] + 1)) for part in parts)
