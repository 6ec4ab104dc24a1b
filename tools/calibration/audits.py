"""Simulations of the audit: how often findings count by mistake, and how often real ones are found.

The population is all segments of a test set, with outputs whose effects are known: real systems, which are not gamed,
and systems that were shortened or lengthened to game BLEU. A run draws segments, or documents of ten neighbors.

honest     the true effects of all systems are below the least sizes: no check should find anything
threshold  the least size is the true effect, the worst case of the null hypothesis
power      the least sizes are the default, and the true effect is above them
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from cells import Cell

import tarocco
from tarocco.core.test_set import Segments
from tarocco.meta.audit.audit import SETTINGS
from tarocco.meta.audit.checks import (
    SegmentGroups,
    check_deletion,
    check_mixing,
    check_sign_test,
    check_straw_men,
    check_trading,
    make_straw_men,
)
from tarocco.meta.audit.evidence import CHECKS, AuditFinding, AuditSettings, CheckResult, Evidence
from tarocco.meta.audit.minimum_effects import correct
from tarocco.scoring.results import Score

DOCUMENT = 10  # segments
ANYTHING = replace(SETTINGS, least_gain=1e-9, least_forgiven=1e-9, least_majority=1e-9)


def cut(text: str, share: float) -> str:
    """Return the first words of a text."""
    words = text.split()
    return " ".join(words[: max(1, round(share * len(words)))])


def pad(text: str, share: float) -> str:
    """Return a text with its first words repeated at the end."""
    return f"{text} {cut(text, share)}"


def game(texts: Sequence[str], easy: np.ndarray) -> dict[str, list[str]]:
    """Return outputs made of one system's that game BLEU; `easy` marks one of the two parts for mixing."""
    return {
        "short": [cut(text, 0.45) for text in texts],
        "long": [pad(text, 0.5) for text in texts],
        "padded": [pad(text, 0.1) for text in texts],
        "uneven": [pad(text, 0.3) if part else cut(text, 0.7) for text, part in zip(texts, easy, strict=True)],
        "even": [cut(text, 0.85) for text in texts],
    }


def find_easy(texts: Sequence[str], references: Sequence[str]) -> np.ndarray:
    """Mark the half of the segments with the higher chrF."""
    scores = tarocco.score(list(texts), list(references), metrics="chrF")["chrF"].segments
    return scores > np.median(scores)


@dataclass(frozen=True, eq=False)
class Population:
    """The statistics of all segments, by output, under one metric."""

    scores: Mapping[str, Score]
    straw: Mapping[str, tuple[str, str | None]]
    lengths: Mapping[str, np.ndarray]
    labels: np.ndarray

    @classmethod
    def make(
        cls, systems: Mapping[str, Sequence[str]], references: Sequence[str], metric: str, labels: np.ndarray
    ) -> Population:
        columns = {name: Segments.from_strings(list(texts)) for name, texts in systems.items()}
        made = {
            f"{kind} of {maker}": ((kind, maker), texts) for (kind, maker), texts in make_straw_men(columns).items()
        }
        outputs = {name: list(texts) for name, texts in systems.items()}
        outputs |= {name: list(texts) for name, (_, texts) in made.items()} | {"reference": list(references)}
        scores = {score.system: score for score in tarocco.score(outputs, list(references), metrics=metric).scores}
        lengths = {name: np.array([len(text) for text in texts]) for name, texts in outputs.items()}
        return cls(scores, {name: key for name, (key, _) in made.items()}, lengths, labels)

    @property
    def size(self) -> int:
        return len(self.lengths["reference"])

    @property
    def metric(self) -> str:
        return str(self.scores["reference"].metric)

    def audit(
        self, systems: Sequence[str], chosen: np.ndarray, units: np.ndarray, labels: np.ndarray, settings: AuditSettings
    ) -> dict[str, CheckResult]:
        """Run all checks on the chosen segments."""

        def take(name: str) -> Score:
            like = self.scores[name]
            rows = like.statistics[chosen]
            sums = rows.sum(axis=0)
            return Score(name, like.metric, "", float(like.metric.score(sums)), rows, sums)

        straw = tuple((take(name), *key) for name, key in self.straw.items() if key[1] is None or key[1] in systems)
        evidence = Evidence(tuple(map(take, systems)), straw[0][0], take("reference"), units, straw)
        blank = [self.lengths[name][chosen] == 0 for name in systems]
        totals = {name: int(self.lengths[name][chosen].sum()) for name in (*systems, "reference")}
        too_long = frozenset(name for name in systems if totals[name] > 1.1 * totals["reference"])
        results = correct(
            [
                check_sign_test(evidence, settings),
                check_mixing(evidence, SegmentGroups.of([str(label) for label in labels]), settings),
                check_deletion(evidence, blank, settings),
                check_trading(evidence, [totals[name] for name in systems], settings),
                check_straw_men(evidence, too_long, settings),
            ],
            settings.alpha,
        )
        return dict(zip(CHECKS, results, strict=True))

    def audit_all(
        self, systems: Sequence[str], settings: AuditSettings, documents: bool = False
    ) -> dict[str, CheckResult]:
        """Audit the population: the true effects."""
        everything = np.arange(self.size // DOCUMENT * DOCUMENT)
        units = everything // DOCUMENT if documents else everything
        return self.audit(systems, everything, units, self.labels[everything], settings)

    def draw(self, n: int, random: np.random.Generator, documents: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Draw n units: segments or documents, their units, and their labels."""
        if not documents:
            chosen = random.integers(0, self.size, n)
            return chosen, np.arange(n), self.labels[chosen]
        starts = random.integers(0, self.size // DOCUMENT, n) * DOCUMENT
        chosen = (starts[:, None] + np.arange(DOCUMENT)).ravel()
        return chosen, np.repeat(np.arange(n), DOCUMENT), self.labels[chosen]


def name_units(n: int, documents: bool) -> str:
    return f"{n} documents" if documents else f"{n} segments"


SIZES = ((60, False), (200, False), (1000, False), (6, True), (20, True))


def honest(population: Population, systems: Sequence[str], runs: int) -> Iterator[Cell]:
    """Count runs in which any check finds something in systems that do not game the metric."""
    true = population.audit_all(systems, SETTINGS)
    if any(result.findings for result in true.values()):
        raise ValueError(f"{population.metric}: these systems have effects above the least sizes")
    for n, documents in SIZES:
        hits = 0
        for run in range(runs):
            random = np.random.default_rng([5, run])
            results = population.audit(systems, *population.draw(n, random, documents), SETTINGS)
            hits += any(result.gamed for result in results.values())
        yield Cell(
            "audit: any check finds something, systems that game nothing",
            f"{population.metric}, {len(systems)} systems, {name_units(n, documents)}",
            "at most .05",
            hits / runs,
            runs,
        )


def find_case(result: CheckResult, systems: frozenset[str], kind: str | None = None) -> AuditFinding | None:
    """Return the finding of these systems, if there is one."""
    for finding in result.findings:
        if frozenset(finding.systems) == systems and finding.numbers.get("straw_man") == kind:
            return finding
    return None


CASES = (
    ("sign test", ("long", "short"), None),
    ("mixing", ("uneven", "even"), None),
    ("deletion", ("padded",), None),
    ("trading", ("long", "short"), None),
    ("straw men", ("short",), "doubled"),
)


def known_effects(population: Population, runs: int, sizes: Sequence[tuple[int, bool]] = SIZES) -> Iterator[Cell]:
    """Measure errors where the least size is the true effect, and power at the default sizes."""
    for check, systems, kind in CASES:
        for n, documents in sizes:
            true = population.audit_all(systems, ANYTHING, documents)[check]
            case = find_case(true, frozenset(systems), kind)
            if case is None or case.size >= 1:
                raise ValueError(f"{population.metric}, {check}: the effect is not between 0 and 1")
            least = {"sign test": "least_majority", "deletion": "least_forgiven"}.get(check, "least_gain")
            worst = replace(ANYTHING, **{least: case.size})
            errors = found = 0
            for run in range(runs):
                drawn = population.draw(n, np.random.default_rng([6, run]), documents)
                at_worst = find_case(population.audit(systems, *drawn, worst)[check], frozenset(systems), kind)
                errors += at_worst is not None and at_worst.p_value <= SETTINGS.alpha
                found += population.audit(systems, *drawn, SETTINGS)[check].gamed
            setting = f"{population.metric}, {check}, {name_units(n, documents)}"
            claim = "audit: p <= .05 where the effect is the least size"
            yield Cell(claim, setting, "at most .05", errors / runs, runs)
            size = f"effect {100 * case.size:.3g}%, least {100 * SETTINGS.threshold(check):g}%"
            yield Cell("audit: finds the effect", f"{setting}, {size}", "(power)", found / runs, runs)
