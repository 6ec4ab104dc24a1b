"""Sentences that anybody might read from a file, made by Hypothesis."""

from hypothesis import strategies as st

from tarocco.annotate.sentence import Frame, Node, Sentence, Span

LETTERS = "abcdeABC012.,;:'\"%$é漢-_()[]"
words = st.text(LETTERS, min_size=1, max_size=6).filter(lambda w: "LRB" not in w and "RRB" not in w)
labels = st.sampled_from(["A0", "A1", "AM-TMP", "R-A0", "C-A1"])


@st.composite
def heads_of(draw, size):
    """Any forest: words take their heads in a random order, so that nothing is a circle."""
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place in range(1, size):
        heads[order[place]] = draw(st.sampled_from([-1, *order[:place]]))
    return tuple(heads)


@st.composite
def spans_of(draw, size, names):
    spans, start = [], 0
    while start < size and draw(st.booleans()):
        first = draw(st.integers(start, size - 1))
        end = draw(st.integers(first + 1, size))
        spans.append(Span(draw(names), first, end))
        start = end
    return tuple(spans)


@st.composite
def trees_of(draw, size):
    nodes = [Node(draw(st.sampled_from(["S", "TOP", "NP"])), -1, 0, size)]
    place = 0
    while place < len(nodes) and len(nodes) < 12:
        node = nodes[place]
        below = draw(spans_of(node.end - node.start, st.sampled_from(["NP", "VP", "PP", "S"])))
        nodes += [Node(span.label, place, node.start + span.start, node.start + span.end) for span in below]
        place += 1
    return from_the_top(nodes)


def from_the_top(nodes):
    """The same nodes, a parent before its children and these from left to right."""
    order, places = [], {}
    stack = [0]
    while stack:
        place = stack.pop()
        places[place] = len(order)
        node = nodes[place]
        order.append(Node(node.label, places.get(node.parent, -1), node.start, node.end))
        children = [child for child, other in enumerate(nodes) if other.parent == place]
        stack.extend(sorted(children, key=lambda child: -nodes[child].start))
    return tuple(order)


@st.composite
def sentences(draw, max_size=8):
    size = draw(st.integers(0, max_size))

    def column(values):
        return tuple(draw(st.lists(values, min_size=size, max_size=size)))

    predicates = sorted(draw(st.sets(st.integers(0, size - 1), max_size=3))) if size else []
    frames = []
    for predicate in predicates:
        arguments = draw(spans_of(size, labels))
        kept = tuple(span for span in arguments if not span.start <= predicate < span.end)
        frames.append(Frame(predicate, draw(words), kept))
    chunks = column(st.sampled_from(["B-NP", "I-NP", "B-VP", "O"]))
    return Sentence(
        column(words),
        lemmas=column(words.filter(lambda w: w != "_")),
        tags=column(st.sampled_from(["NN", "DT", "VBD", "."])),
        universal=column(st.sampled_from(["NOUN", "DET", "VERB", "PUNCT"])),
        chunks=chunks,
        heads=draw(heads_of(size)),
        relations=column(st.sampled_from(["nsubj", "dobj", "ROOT", "nmod:poss"])),
        tree=draw(trees_of(size)) if size else (),
        entities=draw(spans_of(size, st.sampled_from(["PERSON", "DATE", "WORK_OF_ART"]))),
        frames=tuple(frames),
    )
