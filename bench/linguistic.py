"""All metrics over linguistic elements, on synthetic sentences whose analysis is not timed."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from typing import Any

from measure import Row, at_most, in_fresh_process, seconds, show
from text import segments

LINES, REFERENCES, SYSTEMS = 1000, 4, 10


def listed(labels: str) -> list[str]:
    return labels.split()


TAGS = listed("""
    CC CD DT EX FW IN JJ JJR JJS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP VBZ
    WDT WP WP$ WRB . , '' `` -LRB- -RRB-
""")
UNIVERSAL = listed("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X")
RELATIONS = listed("""
    acl advcl advmod agent amod appos attr aux auxpass cc ccomp compound conj cop csubj dative dep det dobj expl mark
    neg nmod npadvmod nsubj nsubjpass nummod oprd pcomp pobj poss preconj prep prt punct quantmod relcl root xcomp
""")
CHUNKS = listed("NP VP PP ADJP ADVP SBAR PRT")
PHRASES = listed("NP VP PP ADJP ADVP SBAR S SINV SQ WHNP WHPP PRN QP UCP FRAG")
ENTITIES = listed("PERSON NORP FAC ORG GPE LOC PRODUCT EVENT WORK_OF_ART LAW LANGUAGE DATE TIME PERCENT MONEY CARDINAL")
ROLES = listed("A0 A1 A2 A3 AM-ADV AM-CAU AM-DIR AM-DIS AM-LOC AM-MNR AM-MOD AM-NEG AM-PNC AM-TMP R-A0 C-A1")


class Synthetic:
    """An analyzer that draws a random structure for each text: a binary tree, a dependency tree, and spans."""

    name, version = "synthetic", "synthetic-1"
    layers = frozenset(("lemmas", "tags", "universal", "chunks", "heads", "relations", "tree", "entities", "frames"))

    def annotate(self, texts: Sequence[str]) -> list[Any]:
        return list(map(self.sentence, texts))

    def sentence(self, text: str) -> Any:
        from tarocco.annotate.sentence import Frame, Node, Sentence, Span

        generator = random.Random(text)
        words = tuple(text.split())
        size = len(words)
        nodes: list[Node] = []

        def grow(parent: int, start: int, end: int) -> None:
            nodes.append(Node(generator.choice(PHRASES), parent, start, end))
            place = len(nodes) - 1
            middle = generator.randint(start + 1, end - 1) if end - start > 2 else end
            for first, last in ((start, middle), (middle, end)):
                if last - first > 2:
                    grow(place, first, last)
                else:
                    nodes.extend(Node(tags[word], place, word, word + 1) for word in range(first, last))

        def some(labels: Sequence[str], count: int) -> tuple[Span, ...]:
            cuts = sorted(generator.sample(range(size + 1), min(2 * count, size // 2 * 2)))
            return tuple(Span(generator.choice(labels), *cuts[i : i + 2]) for i in range(0, len(cuts), 2))

        tags, universal, relations = (
            tuple(generator.choices(labels, range(len(labels), 0, -1), k=size))
            for labels in (TAGS, UNIVERSAL, RELATIONS)
        )
        chunks = tuple(f"{generator.choice('BI')}-{generator.choice(CHUNKS)}" for _ in words)
        heads = tuple(generator.randrange(max(place - 4, 0), place) if place else -1 for place in range(size))
        if size:
            grow(-1, 0, size)
        frames = tuple(Frame(verb, words[verb], some(ROLES, 3)) for verb in range(0, size, 10))
        made = (tuple(nodes), some(ENTITIES, 2), frames)
        return Sentence(words, words, tags, universal, chunks, heads, relations, *made)


def names() -> list[str]:
    """Return all metrics of the five families, for all types that occur."""
    metrics = [f"SP-Op-{tag}" for tag in [*TAGS, *"NVJRPWF", "*"]] + [f"SP-Oc-{chunk}" for chunk in [*CHUNKS, "*"]]
    metrics += [f"SP-Oiob-{place}-{chunk}" for place in "BI" for chunk in CHUNKS] + ["SP-Oiob-*"]
    metrics += [f"SP-NIST{i}{x}-{n}" for i in ("", "i") for x in ("l", "p", "c", "iob") for n in range(1, 6)]
    metrics += [f"DP-Oc-{one}" for one in [*UNIVERSAL, "*"]] + [f"DP-Or-{one}" for one in [*RELATIONS, "*"]]
    metrics += [f"DP-Ol-{level}" for level in [*range(1, 10), "*"]]
    metrics += [f"DP-HWC{i}{x}-{n}" for i in ("", "i") for x in "wcr" for n in range(1, 10)]
    metrics += [f"CP-Op-{tag}" for tag in [*TAGS, *"NVJRPWF", "*"]] + [f"CP-Oc-{one}" for one in [*PHRASES, "*"]]
    metrics += [f"CP-STM{i}-{n}" for i in ("", "i") for n in range(1, 10)]
    metrics += [f"NE-Oe-{one}" for one in [*ENTITIES, "O", "*", "**"]] + [f"NE-Me-{one}" for one in [*ENTITIES, "*"]]
    plain = [role for role in ROLES if role[1] != "-"] + ["*"]
    metrics += [f"SR-{x}-{role}" for x in ("Or", "Orv", "Mr", "Mrv") for role in plain] + ["SR-Or", "SR-Orv"]
    return metrics


VARIANTS = (
    *("SP-Op-*:variant=literal", "DP-HWCw-4:variant=precision", "DP-HWCw-4:variant=gapped", "DP-HWCr-4:variant=gapped"),
    *("CP-STM-9:variant=pooled", "CP-STM-9:variant=subtrees"),
)


def ours(jobs: int | None) -> float:
    import tarocco
    from tarocco.annotate.cache import annotate_texts, register

    register("spacy", Synthetic())
    columns = segments(LINES, REFERENCES + SYSTEMS)
    annotate_texts([text for column in columns for text in column], "spacy")
    references = list(zip(*columns[:REFERENCES], strict=True))
    systems = {f"system {i}": column for i, column in enumerate(columns[REFERENCES:])}
    chosen = [*names(), *VARIANTS]
    print(f"{len(chosen)} metrics", file=sys.stderr)
    return seconds(lambda: tarocco.score(systems, references, metrics=chosen, jobs=jobs))


def rows() -> list[Row]:
    shape = f"{LINES} segments, {REFERENCES} references, {SYSTEMS} systems"
    what = f"all {len(names()) + len(VARIANTS)} metrics of SP, DP, CP, NE, SR"
    return [
        at_most(what, shape, "annotation excluded, all threads", in_fresh_process("linguistic", "ours", None), 60, "s"),
        at_most(what, shape, "annotation excluded, one thread", in_fresh_process("linguistic", "ours", 1), 60, "s"),
    ]


if __name__ == "__main__":
    show(rows())
