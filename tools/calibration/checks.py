"""Measure how often the data audit raises false alarms, and how often it detects injected faults.

The data are wmt19-ende-4refs, wmt23-mtme, e2e-nlg-challenge and mlqe-eten-2refs. Each run draws systems, references and
a window of neighboring segments of one of them, injects one fault or none, and runs the audit. Files with known faults
are left out of the pool (FAULTY), since finding those is no false alarm.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from cells import Cell

import tarocco
from tarocco.core.test_set import HumanScores, Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.metrics.registry import metrics
from tarocco.scoring.results import Result, Score
from tarocco.scoring.score import score_test_set
from tarocco.trials.data_audit.check import METRICS, audit_data
from tarocco.trials.data_audit.findings import CHECKS, DataAudit

FAULTY = {
    "wmt19 en-de": {"en_de_task.6790": "tokenized", "arp": "lines 1797 to 1805 shifted"},
    "wmt23 en-de": {"synthetic_ref": "equals refA in 66% of the segments", "AIRC": "truncated paragraphs"},
    "wmt23 he-en": {"ZengHuiMT": "14 empty outputs", "refA": "at half of the usual distance from ONLINE-B"},
    "e2e": {"tr1": "lowercased", "chen": "lowercased", "adapt": "tokenized", "zhang": "tokenized"},
}
SIZES = (60, 200, 500)  # segments in a window
SHOWN = 20  # lines of text where only human scores are checked

Texts = dict[str, list[str]]


@dataclass(frozen=True, eq=False)
class Pool:
    """A data set without its faulty files: texts, source, and if there are any, human scores and metrics' scores."""

    name: str
    systems: Texts
    references: Texts
    source: list[str]
    human: HumanScores | None = None
    scores: Result | None = None


@dataclass(frozen=True, eq=False)
class Sample:
    """What one run audits."""

    systems: Texts
    references: Texts
    source: list[str]
    human: HumanScores | None = None
    scores: Result | None = None
    encoding: Encoding = Encoding()  # noqa: RUF009

    def audit(self) -> DataAudit:
        columns = {name: Segments.from_strings(texts) for name, texts in self.systems.items()}
        streams = tuple(Segments.from_strings(texts) for texts in self.references.values())
        test_set = TestSet(columns, streams, None, tuple(self.references))
        chosen = metrics(list(METRICS))
        source = Segments.from_strings(self.source)
        return audit_data(test_set, self.encoding, chosen, self.scores, self.human, source)


def read_lines(path: Path) -> list[str]:
    return path.read_text("utf-8").split("\n")[:-1]


def read_pools(data: Path) -> Iterator[Pool]:
    """Read all data sets."""
    for name, folder, human in (
        ("wmt19 en-de", "wmt19-ende-4refs", "system_scores.tsv"),
        ("e2e", "e2e-nlg-challenge", "segment_scores.tsv:quality_winrate"),
        ("mlqe et-en", "mlqe-eten-2refs", None),
    ):
        here = data / folder
        systems = {path.stem: read_lines(path) for path in sorted((here / "sys").iterdir())}
        references = {path.stem: read_lines(path) for path in sorted((here / "ref").iterdir())[:6]}
        yield make_pool(name, systems, references, read_lines(here / "source.txt"), human and here / "human" / human)
    here = data / "wmt23-mtme" / "wmt23"
    for pair in ("en-de", "he-en"):
        systems = {path.stem: read_lines(path) for path in sorted((here / "system-outputs" / pair).iterdir())}
        references = {name: systems.pop(name) for name in ("refA", "refB") if name in systems}
        source = read_lines(here / "sources" / f"{pair}.txt")
        human = here / "human-scores" / f"{pair}.mqm.seg.score"
        yield make_pool(f"wmt23 {pair}", systems, references, source, human)


def make_pool(name: str, systems: Texts, references: Texts, source: list[str], human: Path | None) -> Pool:
    faulty = FAULTY.get(name, {})
    systems = {system: texts for system, texts in systems.items() if system not in faulty}
    references = {reference: texts for reference, texts in references.items() if reference not in faulty}
    if human is None:
        return Pool(name, systems, references, source)
    path, _, column = str(human).partition(":")
    n = None if "system_scores" in path else len(source)
    judged = tarocco.read_human(path, column or None, systems=list(systems), n_segments=n, shared_only=True)
    columns = {system: Segments.from_strings(texts) for system, texts in systems.items()}
    streams = tuple(Segments.from_strings(texts) for texts in references.values())
    scores = score_test_set(TestSet(columns, streams), metrics(list(METRICS)), Encoding())
    return Pool(name, systems, references, source, judged, scores)


def draw_sample(pool: Pool, size: int, draws: random.Random, judged: bool = False) -> Sample:
    """Draw systems (six or more, if there are as many), references and a window of segments."""
    n = len(pool.source)
    size = min(size, n)
    first = draws.randrange(n - size + 1)
    window = slice(first, first + size)
    names = [name for name in pool.systems if not judged or (pool.human and name in pool.human.systems)]
    chosen = sorted(draws.sample(names, draws.randint(min(6, len(names)), len(names))))
    references = list(pool.references)
    kept = sorted(draws.sample(references, draws.randint(1, len(references))))
    # Streams are filled from the left: the first has no gaps.
    kept = sorted({references[0], *kept}) if pool.name == "e2e" else kept
    sample = Sample(
        {name: pool.systems[name][window] for name in chosen},
        {name: pool.references[name][window] for name in kept},
        pool.source[window],
    )
    if not judged or pool.human is None or pool.scores is None:
        return sample
    places = [pool.human.systems.index(name) for name in chosen]
    rows = np.arange(first, first + size)
    if pool.human.level == "segment":  # judged segments only, wherever they are
        known = np.flatnonzero(np.isfinite(next(iter(pool.human.criteria.values()))[places]).sum(axis=0) > 1)
        rows = np.array(sorted(draws.sample(known.tolist(), min(size, len(known)))))
    cut = {
        name: scores[places][:, rows] if scores.ndim > 1 else scores[places]
        for name, scores in pool.human.criteria.items()
    }
    human = replace(pool.human, criteria=cut, systems=tuple(chosen), unknown=())
    scores = Result(tuple(cut_score(score, rows) for score in pool.scores.scores if score.system in chosen), False)
    # Checks of human scores do not read the texts, so a few lines are enough, and save time.
    return replace(
        sample,
        systems={name: texts[:SHOWN] for name, texts in sample.systems.items()},
        references={name: texts[:SHOWN] for name, texts in sample.references.items()},
        source=sample.source[:SHOWN],
        human=human,
        scores=scores,
    )


def cut_score(score: Score, rows: np.ndarray) -> Score:
    statistics = score.statistics[rows]
    sums = statistics.sum(axis=0)
    return replace(score, statistics=statistics, sums=sums, score=float(score.metric.score(sums)), labels=None)


# --- faults ----------------------------------------------------------------------------------------------------------


def permuted(sample: Sample, order: list[int]) -> Sample:
    assert sample.human is not None
    criteria = {name: scores[order] for name, scores in sample.human.criteria.items()}
    return replace(sample, human=replace(sample.human, criteria=criteria))


def shuffle_labels(sample: Sample, draws: random.Random) -> Sample:
    assert sample.human is not None
    order = list(range(len(sample.human.systems)))
    draws.shuffle(order)
    return permuted(sample, order)


def swap_two(sample: Sample, draws: random.Random) -> Sample:
    assert sample.human is not None
    order = list(range(len(sample.human.systems)))
    a, b = draws.sample(order, 2)
    order[a], order[b] = b, a
    return permuted(sample, order)


def reverse_sign(sample: Sample, draws: random.Random) -> Sample:
    assert sample.human is not None
    criteria = {name: -scores for name, scores in sample.human.criteria.items()}
    return replace(sample, human=replace(sample.human, criteria=criteria))


def random_human(sample: Sample, draws: random.Random) -> Sample:
    assert sample.human is not None
    noise = np.random.default_rng(draws.randrange(2**32))
    criteria = {
        name: np.where(np.isfinite(scores), noise.normal(size=scores.shape), np.nan)
        for name, scores in sample.human.criteria.items()
    }
    return replace(sample, human=replace(sample.human, criteria=criteria))


def change_one(change: Callable[[list[str], random.Random], list[str]]) -> Callable[[Sample, random.Random], Sample]:
    """Return a fault of one system."""

    def inject(sample: Sample, draws: random.Random) -> Sample:
        name = draws.choice(list(sample.systems))
        return replace(sample, systems=sample.systems | {name: change(sample.systems[name], draws)})

    return inject


def edit(texts: list[str], share: float, draws: random.Random) -> list[str]:
    """Replace a share of the words by other words of the text."""
    words = [word for text in texts for word in text.split()] or [""]
    return [
        " ".join(word if draws.random() > share else draws.choice(words) for word in text.split()) for text in texts
    ]


def add_reference(share: float) -> Callable[[Sample, random.Random], Sample]:
    def inject(sample: Sample, draws: random.Random) -> Sample:
        reference = next(iter(sample.references.values()))
        return replace(sample, systems=sample.systems | {"added": edit(reference, share, draws)})

    return inject


def add_edited_reference(share: float) -> Callable[[Sample, random.Random], Sample]:
    def inject(sample: Sample, draws: random.Random) -> Sample:
        reference = next(iter(sample.references.values()))
        return replace(sample, references=sample.references | {"added": edit(reference, share, draws)})

    return inject


def drop_line(texts: list[str], draws: random.Random) -> list[str]:
    at = draws.randrange(len(texts) * 3 // 4)
    return [*texts[:at], *texts[at + 1 :], texts[at]]


def shift_block(texts: list[str], draws: random.Random) -> list[str]:
    at = draws.randrange(len(texts) - 20)
    return [*texts[:at], *texts[at + 1 : at + 20], texts[at], *texts[at + 20 :]]


def tokenize(texts: list[str], draws: random.Random) -> list[str]:
    for mark in ".,":
        texts = [text.replace(f"{mark} ", f" {mark} ") for text in texts]
    return [f"{text[:-1]} {text[-1]}" if text[-1:] in (".", ",") else text for text in texts]


def copy_source(share: float) -> Callable[[Sample, random.Random], Sample]:
    def inject(sample: Sample, draws: random.Random) -> Sample:
        name = draws.choice(list(sample.systems))
        pairs = zip(sample.systems[name], sample.source, strict=True)
        texts = [source if draws.random() < share else text for text, source in pairs]
        return replace(sample, systems=sample.systems | {name: texts})

    return inject


def scramble(texts: list[str], draws: random.Random) -> list[str]:
    return draws.sample(texts, len(texts))


Fault = Callable[[Sample, random.Random], Sample]
HUMAN_FAULTS: Mapping[str, tuple[str, Fault]] = {
    "all labels shuffled": ("labels", shuffle_labels),
    "two labels swapped": ("labels", swap_two),
    "human scores replaced by noise": ("labels", random_human),
    "sign reversed": ("sign", reverse_sign),
}
TEXT_FAULTS: Mapping[str, tuple[str, Fault]] = {
    "reference added as system": ("copies", add_reference(0.0)),
    "the same, 10% of its words changed": ("copies", add_reference(0.1)),
    "the same, 20% of its words changed": ("copies", add_reference(0.2)),
    "reference added, 5% of its words changed": ("edited references", add_edited_reference(0.05)),
    "the same, 10%": ("edited references", add_edited_reference(0.1)),
    "the same, 20%": ("edited references", add_edited_reference(0.2)),
    "system lowercased": ("text form", change_one(lambda texts, _: [text.lower() for text in texts])),
    "system tokenized": ("text form", change_one(tokenize)),
    "outputs cut after 12 words": ("text form", change_one(lambda texts, _: [" ".join(t.split()[:12]) for t in texts])),
    "outputs cut after 70% of their words": (
        "text form",
        change_one(lambda texts, _: [" ".join(t.split()[: round(0.7 * len(t.split()))]) for t in texts]),
    ),
    "source as output": ("language", copy_source(1.0)),
    "source as output in 20% of the segments": ("language", copy_source(0.2)),
    "one line missing, the rest shifted": ("line shifts", change_one(drop_line)),
    "20 lines shifted": ("line shifts", change_one(shift_block)),
    "lines in random order": ("line shifts", change_one(scramble)),
}
CHINESE = (
    "我们昨天在公园里看到了一只小猫。",
    "他说今天的天气很好，适合出去走走。",
    "这本书是我最喜欢的作家写的。",
) * 20


def clean_data(pools: list[Pool], runs: int, judged: bool) -> Iterator[Cell]:
    """Yield how often data without known faults raise an alarm: severe ones, and warnings of each check."""
    kinds = ("labels", "sign", "outliers", "duplicated judgments") if judged else tuple(CHECKS)[2:8]
    subject = "human scores" if judged else "texts"
    for pool in pools:
        if judged and pool.human is None:
            continue
        for size in SIZES:
            draws = random.Random(f"clean {pool.name} {size} {judged}")
            severe = 0
            warnings = dict.fromkeys(kinds, 0)
            for _ in range(runs):
                findings = [one for one in draw_sample(pool, size, draws, judged).audit() if one.kind in kinds]
                severe += any(one.severity == "severe" for one in findings)
                for kind in {one.kind for one in findings if one.severity == "warning"}:
                    warnings[kind] += 1
            setting = f"{pool.name}, {size} segments"
            yield Cell(f"severe finding, {subject} without known faults", setting, "at most .05", severe / runs, runs)
            for kind, count in warnings.items():
                if count:
                    yield Cell(f"warning ({kind}), {subject} without known faults", setting, "low", count / runs, runs)


def injected_faults(
    pools: list[Pool], faults: Mapping[str, tuple[str, Fault]], runs: int, judged: bool
) -> Iterator[Cell]:
    """Yield how often an injected fault is found, as a warning or a severe finding."""
    size = SIZES[1]
    for name, (kind, inject) in faults.items():
        for pool in pools:
            human = pool.human
            if judged and (human is None or len(human.systems) < 4):
                continue
            if human is not None and human.level == "system" and kind == "labels" and "two" in name:
                continue  # two swapped system scores cannot be seen, and the audit says so
            draws = random.Random(f"{name} {pool.name} {size}")
            found = 0
            for _ in range(runs):
                audit = inject(draw_sample(pool, size, draws, judged), draws).audit()
                found += any(one.kind == kind and one.severity != "note" for one in audit)
            yield Cell(f"fault found: {name}", f"{pool.name}, {size} segments", "power", found / runs, runs)


def tokenizers() -> Iterator[Cell]:
    """Yield whether Chinese text is found unfit for each tokenizer."""
    chinese = Sample({"a": [*CHINESE[1:], CHINESE[0]], "b": list(CHINESE)}, {"r": list(CHINESE)}, list(CHINESE))
    for name, unfit in (("13a", "1"), ("none", "1"), ("intl", "1"), ("zh", "0"), ("char", "0")):
        kinds = {finding.kind for finding in replace(chinese, encoding=Encoding(name)).audit()}
        yield Cell(f"tokenizer {name} found unfit", "Chinese", unfit, float("tokenizer" in kinds), 1)


def check_data(data: Path, runs: int) -> Iterator[Cell]:
    """Yield the cells of the data audit: false alarms with so many runs, and detection with half as many."""
    pools = list(read_pools(data))
    for judged in (False, True):
        yield from clean_data(pools, runs, judged)
    yield from injected_faults(pools, HUMAN_FAULTS, runs // 2, judged=True)
    yield from injected_faults(pools, TEXT_FAULTS, runs // 2, judged=False)
    yield from tokenizers()
