"""Small lattices and forests by a seed, as many as one likes, and the best of all their texts."""

from lattices_drawn import PLACE
from test_graphs import edges_of
from textbook import oracles, paths

from tarocco.core.graphs import Forest
from tarocco.io.graphs.builder import ForestBuilder, LatticeBuilder

WORDS = "abc"


def random_lattice(rng, most=5):
    """Up to `most` nodes, a fifth of the arcs without a word."""
    n = rng.randint(1, most)
    ends = {(rng.randrange(node), node) for node in range(1, n)}
    ends |= {(node, rng.randrange(node + 1, n)) for node in range(n - 1)}
    ends = sorted(ends) + [tuple(sorted(rng.sample(range(n), 2))) for _ in range(rng.randint(0, 3)) if n > 1]
    arcs = LatticeBuilder(PLACE)
    for source, target in ends:
        arcs.add(source, target, rng.choice(["", "a", "b", "a b", "c"]), rng.choice([-1.0, -0.5, 0.25]))
    return arcs.lattice(0, {n - 1: 0.0})


def random_forest(rng, most=4):
    """Up to `most` nodes; edges have up to two tails, anywhere among their words."""
    n = rng.randint(1, most)
    edges, unused = ForestBuilder(PLACE, n), set(range(n - 1))
    for head in range(n):
        for number in range(rng.randint(1, 2)):
            tails = [rng.randrange(head) for _ in range(rng.randint(0, 2))] if head else []
            if head == n - 1 and number == 0:
                tails = sorted(unused - set(tails)) + tails
            unused -= set(tails)
            items = [*range(-len(tails), 0), *rng.choices(WORDS, k=rng.randint(0, 2))]
            rng.shuffle(items)
            edges.add(head, tails, items, [("LM", rng.choice([-1.0, -0.5, 0.25]))])
    return edges.forest(n - 1).weighted({"LM": 1.0})


def random_references(rng, most=3, longest=5):
    """Some texts, empty ones among them."""
    return [" ".join(rng.choices(WORDS + "d", k=rng.randint(0, longest))) for _ in range(rng.randint(1, most))]


def all_texts(graph):
    forest = graph if isinstance(graph, Forest) else Forest.of(graph)
    return {tuple(words) for _, words in paths.derivations(edges_of(forest), forest.n_nodes - 1)}


def words_of(references):
    return [text.split() for text in references if text] or [[]]


def best_rate(texts, references, setting):
    return max(oracles.rate(list(text), words_of(references), *setting) for text in texts)
