"""All paths of a lattice and all derivations of a forest, one by one."""


def paths(arcs, start, final):
    """Every path, as the numbers of its arcs; arcs are (source, target, ...)."""
    if start == final:
        yield []
    for number, (source, target, *_) in enumerate(arcs):
        if source == start:
            yield from ([number, *rest] for rest in paths(arcs, target, final))


def derivations(edges, node):
    """Every derivation of a node, as (its edges from the node down, its words); edges are (head, tails, items, ...).

    Items are words, and -1, -2, ... for the tails.
    """
    for number, (head, tails, items, *_) in enumerate(edges):
        if head == node:
            for below in _choices([list(derivations(edges, tail)) for tail in tails]):
                steps = [number, *(step for some, _ in below for step in some)]
                words = []
                for item in items:
                    words += [item] if isinstance(item, str) else below[-1 - item][1]
                yield steps, words


def _choices(lists):
    """One of each list, in all ways."""
    if not lists:
        yield []
    else:
        yield from ([first, *others] for first in lists[0] for others in _choices(lists[1:]))
