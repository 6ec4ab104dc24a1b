"""Sentences for tests: an analyzer that makes structure up by rule, and scores of sentences written by hand."""

import itertools
import zlib
from dataclasses import fields

from tarocco.annotate import cache as annotated
from tarocco.annotate.sentence import Frame, Node, Sentence, Span
from tarocco.core.test_set import make_test_set
from tarocco.encode.batch import Encoding
from tarocco.metrics.registry import metrics
from tarocco.scoring.score import score_test_set


def tree(text):
    """The words and the nodes of a tree in brackets: (S (NP (DT the) (NN cat)) ...)."""
    words, nodes, above = [], [], []
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()
    for before, token in itertools.pairwise(["", *tokens]):
        if before == "(":
            nodes.append([token, above[-1] if above else -1, len(words), None])
            above.append(len(nodes) - 1)
        elif token == ")":
            nodes[above.pop()][3] = len(words)
        elif token != "(":
            words.append(token)
    return tuple(words), tuple(Node(*node) for node in nodes)


def parsed(bracketed, *, tags, chunks="", heads="", relations="", universal="", lemmas="", entities=(), frames=()):
    words, nodes = tree(bracketed)
    return Sentence(
        words,
        tuple(lemmas.split()) or words,
        tuple(tags.split()),
        tuple(universal.split()),
        tuple(chunks.split()),
        tuple(map(int, heads.split())),
        tuple(relations.split()),
        nodes,
        tuple(Span(*one) for one in entities),
        tuple(Frame(verb, lemma, tuple(Span(*one) for one in arguments)) for verb, lemma, arguments in frames),
    )


def _sat(subject, article):
    return parsed(
        f"(S (NP (DT the) (NN {subject})) (VP (VBD sat) (PP (IN on) (NP (DT {article}) (NN mat)))))",
        tags="DT NN VBD IN DT NN",
        universal="DET NOUN VERB ADP DET NOUN",
        chunks="B-NP I-NP B-VP B-PP B-NP I-NP",
        heads="1 2 -1 2 5 3",
        relations="det nsubj ROOT prep det pobj",
        frames=[(2, "sit", [("A0", 0, 2), ("AM-LOC", 3, 6)])],
    )


def _killed(article):
    return parsed(
        f"(S (NP (DT the) (NNS police)) (VP (VBD killed) (NP (DT {article}) (NN gunman))))",
        tags="DT NNS VBD DT NN",
        universal="DET NOUN VERB DET NOUN",
        chunks="B-NP I-NP B-VP B-NP I-NP",
        heads="1 2 -1 4 2",
        relations="det nsubj ROOT det dobj",
        frames=[(2, "kill", [("A0", 0, 2), ("A1", 3, 5)])],
    )


def _lives(name, tags):
    first = len(name.split())
    proper = " ".join(f"(NNP {word})" for word in name.split())
    return parsed(
        f"(S (NP {proper}) (VP (VBZ lives) (PP (IN in) (NP (NNP New) (NNP York)))))",
        tags=f"{tags} VBZ IN NNP NNP",
        entities=[("PERSON", 0, first), ("GPE", first + 2, first + 4)],
    )


# What the examples of the metrics say.
KNOWN = {
    "the cat sat on the mat": _sat("cat", "the"),
    "the dog sat on a mat": _sat("dog", "a"),
    "the police killed a gunman": _killed("a"),
    "the police killed the gunman": _killed("the"),
    "John Smith lives in New York": _lives("John Smith", "NNP NNP"),
    "John lives in New York": _lives("John", "NNP"),
    "cats sat": parsed("(S (NP (NNS cats)) (VP (VBD sat)))", tags="NNS VBD"),
    "the cars began": parsed(
        "(S (NP (DT the) (NNS cars)) (VP (VBD began)))", tags="DT NNS VBD", lemmas="the car begin"
    ),
    "the automobile started": parsed(
        "(S (NP (DT the) (NN automobile)) (VP (VBD started)))", tags="DT NN VBD", lemmas="the automobile start"
    ),
    "the cat sat": parsed("(S (NP (DT the) (NN cat)) (VP (VBD sat)))", tags="DT NN VBD"),
}
TAGS = ("NN", "VBD", "DT", "IN", "NNP", "JJ")
UNIVERSAL = ("NOUN", "VERB", "DET", "ADP", "PROPN", "ADJ")
RELATIONS = ("nsubj", "root", "det", "prep", "obj")
ENTITIES = ("PERSON", "GPE", "DATE")
ROLES = ("A0", "A1", "AM-TMP", "R-A0", "C-A1")


def by_rule(text):
    """Structure that hangs together and follows from the words; the first word is a noun, a person, an A0."""
    words = tuple(text.split())
    kinds = [zlib.crc32(word.lower().encode()) % 30 if place else 0 for place, word in enumerate(words)]
    tags = tuple(TAGS[kind % len(TAGS)] for kind in kinds)
    size, above = len(words), -1
    cuts = [place for place in range(size) if place == 0 or kinds[place] % 3 == 0]
    spans = list(itertools.pairwise([*cuts, size])) if size else []
    chunks, nodes, entities, arguments = [], [], [], []
    for start, end in spans:
        label, outside = ("NP" if kinds[start] % 2 == 0 else "VP"), kinds[start] == 9
        chunks += ["O"] * (end - start) if outside else [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        nodes.append(Node("S" if start == 0 else "XP", above, start, size))  # the phrase, and all that comes after it
        above = len(nodes) - 1
        nodes.append(Node(label, above, start, end))
        if size % 2:  # some trees have tags for nodes, some have not
            of_phrase = len(nodes) - 1
            nodes += [Node(tags[place], of_phrase, place, place + 1) for place in range(start, end)]
        if kinds[start] % 4 == 0:
            entities.append(Span(ENTITIES[kinds[start] % len(ENTITIES)], start, end))
        arguments.append(Span(ROLES[kinds[start] % len(ROLES)], start, end))
    verb = size // 2
    frames = (Frame(verb, words[verb].lower(), tuple(arguments)),) if size else ()
    heads = tuple((place - 1) // 2 if place else -1 for place in range(size))
    universal = tuple(UNIVERSAL[kind % len(UNIVERSAL)] for kind in kinds)
    relations = tuple(RELATIONS[kind % len(RELATIONS)] for kind in kinds)
    lemmas = tuple(word.lower().rstrip("s") or word for word in words)
    made = (tuple(nodes), tuple(entities), frames)
    return Sentence(words, lemmas, tags, universal, tuple(chunks), heads, relations, *made)


class ByRule:
    """The analyzer of tests: what the examples want, and structure by rule for any other text."""

    name, version = "by-rule", "by-rule-1"
    layers = frozenset(field.name for field in fields(Sentence)) - {"words"}

    def annotate(self, texts):
        return [KNOWN.get(text) or by_rule(text) for text in texts]


class Given:
    """An analyzer that knows the sentences it is given."""

    name, version = "given", "given-1"
    layers = ByRule.layers

    def __init__(self, sentences):
        self.sentences = {"": Sentence(()), **sentences}  # a segment may have fewer references than others

    def annotate(self, texts):
        return [self.sentences[text] for text in texts]


def score_sentences(names, candidates, references, lowercase=False):
    """The scores of candidates against references[i][j], all of them sentences: {name: Score}."""
    given = {f"c{i}": sentence for i, sentence in enumerate(candidates)}
    given |= {f"r{i}.{j}": sentence for i, own in enumerate(references) for j, sentence in enumerate(own)}
    annotated.register("given", Given(given))
    texts = [[f"r{i}.{j}" for j in range(len(own))] for i, own in enumerate(references)]
    test_set = make_test_set([f"c{i}" for i in range(len(candidates))], texts)
    result = score_test_set(test_set, metrics(names), Encoding("none", lowercase, analyzer="given"), single=True)
    return {name: result[name] for name in names}
