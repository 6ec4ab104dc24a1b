"""Accuracy of the analyzers on gold annotation of English web text, and their speed.

The gold data are not part of the project: ../shared/data/ewt-gold, or the folder in $TAROCCO_GOLD, with CoNLL-U (UD
dependencies), trees and roles of the same sentences. Rules were developed on the first half; the second half was only
measured, more than once. Each converter also runs on the gold dependencies, which gives its ceiling.

    python bench/analyzers.py    print a table with both halves
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any

from measure import Row, in_turns
from measure import seconds as timed

GOLD = Path(os.environ.get("TAROCCO_GOLD", Path(__file__).parents[2] / "shared" / "data" / "ewt-gold"))
# Like EVALB, ignore the top node and punctuation.
TOP = frozenset(("TOP", "S1", "ROOT"))
PUNCTUATION = frozenset((".", ",", ":", "``", "''"))
GOALS = {"tags": 93.0, "constituency": 78.0, "roles": 62.0}
SENTENCES = 1000  # for the speed
SAMPLES = 5

Counts = list[tuple[int, int, int]]  # per sentence: correct, predicted, gold


def gold_sentences() -> list[Any]:
    from tarocco.annotate.parses import read_annotations

    return read_annotations([GOLD / name for name in ("ewt.conllu", "ewt.trees", "ewt.props")])


def parsed(gold: Sequence[Any]) -> list[Any]:
    """Return the same words, analyzed by spaCy."""
    from spacy.tokens import Doc

    from tarocco.annotate.analyzers import load_analyzer

    analyzer: Any = load_analyzer("spacy")
    vocabulary = analyzer.pipeline.vocab
    documents = [Doc(vocabulary, words=list(sentence.words)) for sentence in gold]
    return [analyzer.sentence(document) for document in analyzer.documents(documents)]


def counted(predicted: Iterable[Iterable[Hashable]], gold: Iterable[Iterable[Hashable]]) -> Counts:
    pairs = [(Counter(ours), Counter(theirs)) for ours, theirs in zip(predicted, gold, strict=True)]
    return [((ours & theirs).total(), ours.total(), theirs.total()) for ours, theirs in pairs]


def f1(counts: Counts) -> float:
    right, predicted, gold = map(sum, zip(*counts, strict=True))
    return 200 * right / (predicted + gold) if predicted + gold else 100.0


def tags(sentence: Any) -> list[Hashable]:
    return list(enumerate(sentence.tags))


def brackets(sentence: Any, gold_tags: Sequence[str]) -> list[Hashable]:
    """Return labeled spans, counted in words without punctuation."""
    place = [0]
    for tag in gold_tags:
        place.append(place[-1] + (tag not in PUNCTUATION))
    return [
        (node.label, place[node.start], place[node.end])
        for node in sentence.tree
        if node.label not in TOP and place[node.end] > place[node.start]
    ]


def chunks(sentence: Any, gold_tags: Sequence[str]) -> list[Hashable]:
    from tarocco.annotate.chunks import derive_chunks
    from tarocco.annotate.formats import decode_iob

    return list(decode_iob(sentence.chunks or derive_chunks(sentence.tree, gold_tags)))


def roles(frames: Sequence[Any], tags: Sequence[str], verbs_only: bool) -> list[Hashable]:
    """Return arguments with predicates and exact spans; PRP is PNC in CoNLL-2005, and C-V is not an argument."""
    return [
        (frame.predicate, span.label.replace("AM-PRP", "AM-PNC").removesuffix("-DSP"), span.start, span.end)
        for frame in frames
        if not verbs_only or tags[frame.predicate].startswith(("VB", "MD"))
        for span in frame.arguments
        if span.label != "C-V"
    ]


def accuracy() -> dict[str, tuple[Counts, Counts | None]]:
    """Return (counts with spaCy, counts of the ceiling) for each kind of annotation."""
    from dataclasses import replace

    from tarocco.annotate.dependencies import Dependencies
    from tarocco.annotate.derivation import derive_layers
    from tarocco.annotate.roles import derive_frames

    gold = gold_sentences()
    with_spacy = parsed(gold)
    ceiling = [derive_layers(replace(sentence, tree=None, chunks=None, frames=None)) for sentence in gold]

    def against(measured: Callable[[Any, Sequence[str]], list[Hashable]]) -> tuple[Counts, Counts]:
        wanted = [measured(sentence, sentence.tags) for sentence in gold]
        sides = [
            counted([measured(ours, theirs.tags) for ours, theirs in zip(side, gold, strict=True)], wanted)
            for side in (with_spacy, ceiling)
        ]
        return sides[0], sides[1]

    def predicted(side: Sequence[Any]) -> list[Any]:
        trees = [Dependencies(s.words, s.lemmas, s.tags, s.heads, s.relations) for s in side]
        return [derive_frames(tree, [f.predicate for f in s.frames]) for tree, s in zip(trees, gold, strict=True)]

    frames = [predicted(side) for side in (with_spacy, gold)]

    def of_roles(verbs_only: bool) -> tuple[Counts, Counts]:
        wanted = [roles(sentence.frames, sentence.tags, verbs_only) for sentence in gold]
        sides = [
            counted([roles(ours, s.tags, verbs_only) for ours, s in zip(side, gold, strict=True)], wanted)
            for side in frames
        ]
        return sides[0], sides[1]

    return {
        "tags": (counted(map(tags, with_spacy), map(tags, gold)), None),
        "chunks": against(chunks),
        "constituency": against(brackets),
        "roles": of_roles(False),
        "roles of verbs": of_roles(True),
    }


def speed() -> tuple[float, float]:
    """Return the processor time for some sentences: of our analyzer, and of spaCy's pipeline alone."""
    import time

    from tarocco.annotate.analyzers import load_analyzer

    analyzer: Any = load_analyzer("spacy")
    texts = [" ".join(sentence.words) for sentence in gold_sentences()[:SENTENCES]]

    def spent(function: Callable[[], object]) -> float:
        start = time.process_time()
        function()
        return time.process_time() - start

    timed(lambda: analyzer.annotate(texts[:50]))  # imports, and spaCy's caches
    ours, alone = in_turns(
        [lambda: spent(lambda: analyzer.annotate(texts)), lambda: spent(lambda: list(analyzer.pipeline.pipe(texts)))],
        SAMPLES,
        min,
    )
    return ours, alone


def rows() -> list[Row]:
    """Return the rows of the table of all benchmarks."""
    table = []
    if not GOLD.is_dir():
        print(f"{GOLD} does not exist: the accuracy of analyzers is not measured", file=sys.stderr)
    else:
        for what, (counts, ceiling) in accuracy().items():
            how = "accuracy" if what == "tags" else "F1"
            beside = f", ceiling {f1(ceiling):.1f}" if ceiling else ""
            goal = GOALS.get(what)
            number = f1(counts)
            shape = f"{len(counts)} sentences"
            table.append(
                Row(
                    f"analyzer: {what}",
                    shape,
                    "gold",
                    how,
                    f"{number:.1f}{beside}",
                    f">= {goal:.0f}" if goal else "-",
                    goal is None or number >= goal,
                )
            )
        ours, alone = speed()
        table.append(
            Row(
                "annotating",
                f"{SENTENCES} sentences",
                "spaCy alone",
                "processor time",
                f"{ours / alone:.2f}x",
                "<= 1.3x",
                ours <= 1.3 * alone,
            )
        )
    return table


def main() -> None:
    from tarocco.render.tables import Table, plain

    lines = []
    for what, (counts, ceiling) in accuracy().items():
        half = len(counts) // 2
        cells = [f"{f1(part):.1f}" for part in (counts, counts[:half], counts[half:])]
        cells += [f"{f1(part):.1f}" for part in (ceiling, ceiling[:half], ceiling[half:])] if ceiling else ["-"] * 3
        lines.append((what, *cells, f"{GOALS[what]:.0f}" if what in GOALS else "-"))
    header = ("what", "spaCy", "developed on", "held out", "ceiling", "developed on", "held out", "goal")
    print(plain(Table(header, tuple(lines), labels=1)), end="")
    ours, alone = speed()
    print(f"\nannotating {SENTENCES} sentences: {ours / alone:.2f} times the processor time of spaCy alone")


if __name__ == "__main__":
    main()
