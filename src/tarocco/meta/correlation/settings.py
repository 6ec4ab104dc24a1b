"""What is asked of metrics and people: how agreement is measured, and how luck is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real

from tarocco.core.errors import BadParameter
from tarocco.meta.correlation.coefficients import COEFFICIENTS
from tarocco.meta.correlation.levels import View
from tarocco.meta.correlation.metric_tests import check_test
from tarocco.scoring.resampling import check_resampling

SYSTEM_SCORES = ("corpus", "mean")
SOFT_PERMUTATIONS = 1000  # of soft pairwise accuracy, as in Thompson et al. 2024


@dataclass(frozen=True)
class Question:
    """How agreement is measured, and how luck is."""

    level: str
    grouping: str
    coefficient: str
    system_scores: str  # corpus or mean
    outliers: str  # kept or dropped
    test: str
    alpha: float
    n_permutations: int
    confidence: float
    n_resamples: int
    seed: int
    documents: tuple[int, int]  # how many, and of how many segments

    def signature(self, tests: Iterable[str], dropped: Sequence[str]) -> str:
        """What signatures of all metrics have in common: the question, which tests it led to, and who was left out."""
        parts: list[tuple[str, object]] = [("level", self.level)]
        if self.level != "system":
            parts.append(("grouping", self.grouping))
        if self.level == "document":
            parts.append(("documents", f"{self.documents[0]}x{self.documents[1]}"))
        if self.level == "segment":
            parts.append(("ties", "calibrated"))
        if self.level == "system":
            outliers = f"dropped({','.join(dropped)})" if dropped else self.outliers
            parts += [("system", self.system_scores), ("outliers", outliers), ("spa", SOFT_PERMUTATIONS)]
        parts += [("coefficient", self.coefficient), ("test", "+".join(sorted(set(tests))) or self.test)]
        if self.test == "perm":
            parts.append(("permutations", self.n_permutations))
        parts += [("alpha", f"{self.alpha:g}"), ("correction", "holm")]
        parts += [("confidence", f"{self.confidence:g}"), ("n", self.n_resamples), ("seed", self.seed)]
        return "|".join(f"{key}:{value}" for key, value in parts)


def make_question(
    *,
    level: str,
    grouping: str | None,
    coefficient: str | None,
    system_scores: str,
    drop_outliers: bool,
    test: str | None,
    alpha: float,
    n_permutations: int | None,
    confidence: float,
    n_resamples: int,
    seed: int,
    documents: tuple[int, int],
) -> Question:
    """What was asked, checked before anything is computed, with what follows where it was left open."""
    view = View(level, grouping or "none")
    chosen = coefficient or ("pearson" if level == "system" else "kendall")
    if chosen not in COEFFICIENTS:
        raise BadParameter(f"a correlation is one of {', '.join(COEFFICIENTS)}, not {chosen!r}")
    if system_scores not in SYSTEM_SCORES:
        raise BadParameter(f"system_scores is one of {', '.join(SYSTEM_SCORES)}, not {system_scores!r}")
    if drop_outliers and level != "system":
        raise BadParameter("outliers are systems, and are dropped at system level alone")
    if not (isinstance(alpha, Real) and 0 < alpha < 1):
        raise BadParameter(f"alpha is a number between 0 and 1, not {alpha!r}")
    counts = {"n_permutations": n_permutations, "n_documents": documents[0], "document_size": documents[1]}
    for name, number in counts.items():
        if number is not None and not (isinstance(number, Integral) and number >= 1):
            raise BadParameter(f"{name} is an integer of at least 1, not {number!r}")
    check_resampling(confidence, n_resamples, seed)
    tested = check_test(test, view)
    if tested == "williams" and chosen != "pearson":
        raise BadParameter(f"Williams' test is for Pearson's correlation, not for {chosen}")
    return Question(
        level=level,
        grouping=view.grouping,
        coefficient=chosen,
        system_scores=system_scores,
        outliers="dropped" if drop_outliers else "kept",
        test=tested,
        alpha=float(alpha),
        n_permutations=0 if n_permutations is None else int(n_permutations),
        confidence=float(confidence),
        n_resamples=int(n_resamples),
        seed=int(seed),
        documents=(int(documents[0]), int(documents[1])),
    )
