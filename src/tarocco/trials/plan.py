"""Which steps of a trial the data allow, what each step answers, and what is missing for the others."""

from __future__ import annotations

from tarocco.meta.correlation.score_sources import MIN_SYSTEMS
from tarocco.trials.findings import PlanStep
from tarocco.trials.inputs import Material

QUESTIONS = {
    "data": "do texts and human scores have faults that would mislead the judges?",
    "scores": "how good is each system, by every metric?",
    "significance": "which systems differ significantly?",
    "agreement": "which metrics give similar scores?",
    "breakdown": "where is a system good: in which groups, at which lengths?",
    "audit": "can a metric be gamed on this data?",
    "ORANGE": "does a metric rank human translations above machine translations?",
    "KING": "does a metric distinguish a human translation from all systems?",
    "QUEEN": "which system is most similar to the references, by all metrics at once?",
    "JACK": "are references surrounded by different translations?",
    "optimal set": "which set of metrics has the highest strict KING?",
    "people": "which metrics agree with people?",
    "references": "how many references are enough?",
}
LARGEST = 1 << 28  # numbers that JACK, or words of bits that the search for a set, may need: 2 GB


def make_plan(material: Material) -> tuple[PlanStep, ...]:
    """Return all steps in the order in which they run."""
    return tuple(_step(name, material) for name in QUESTIONS)


def _step(name: str, material: Material) -> PlanStep:
    missing = _missing(name, material)
    return PlanStep(name, QUESTIONS[name], missing is None, _with(name, material) if missing is None else missing)


def _missing(name: str, material: Material) -> str | None:
    """Return what is missing for a step, or None."""
    return {
        "data": lambda _: None,
        "scores": lambda _: None,
        "significance": _no_pair,
        "agreement": lambda material: (
            None if len(material.segment_metrics) > 1 else "a second metric with scores of segments"
        ),
        "breakdown": lambda material: None if material.segment_metrics else "a metric with scores of segments",
        "audit": _no_pair,
        "ORANGE": _no_lists,
        "KING": lambda material: _too_few(material, 3) or _no_pairs(material, 1),
        "QUEEN": lambda material: _too_few(material, 2) or _no_pairs(material, 1),
        "JACK": lambda material: (
            _too_few(material, 2) or _no_pair(material) or _no_pairs(material, 1) or _too_large(material)
        ),
        "optimal set": lambda material: (
            _too_few(material, 3) or _no_pairs(material, 2) or _too_many_references(material)
        ),
        "people": _no_people,
        "references": _no_judge,
    }[name](material)


def _with(name: str, material: Material) -> str:
    """Return the data that a step uses."""
    test_set, references = material.test_set, material.most_references
    systems = counted(len(test_set.systems), "system")
    return {
        "data": "twelve checks",
        "scores": f"{systems}, {counted(len(test_set), 'segment')}, {counted(references, 'reference')}",
        "significance": f"all pairs of {systems}",
        "agreement": counted(len(material.segment_metrics), "metric"),
        "breakdown": f"{counted(len(set(material.labels)), 'group')}, and length" if material.labels else "length",
        "audit": "five checks" if material.labels else "four checks; group labels would add mixing",
        "ORANGE": "n-best lists",
        "people": counted(len(material.human.systems), "judged system") if material.human else "",
        "references": f"up to {references}, judged by {choose_judge_of_references(material)}",
    }.get(name, counted(references, "reference"))


def choose_judge_of_references(material: Material) -> str:
    """Return who judges metrics with fewer references: people if they judged enough systems, else ORANGE or KING."""
    if material.human is not None and len(material.human.systems) >= MIN_SYSTEMS:
        return "people"
    return "ORANGE" if material.nbest is not None else "KING"


def _no_pair(material: Material) -> str | None:
    return None if len(material.test_set.systems) > 1 else "a second system"


def _too_few(material: Material, least: int) -> str | None:
    most = material.most_references
    return None if most >= least else f"{['', '', 'two', 'three', 'four'][least]} references (there {_are(most)})"


def _no_pairs(material: Material, least: int) -> str | None:
    if len(material.pairwise_metrics) >= least:
        return None
    return "a metric that can compare any two texts" if least == 1 else "a second metric that can compare any two texts"


def _too_large(material: Material) -> str | None:
    texts = len(material.test_set.systems) + len(material.test_set.references)
    needed = len(material.pairwise_metrics) * len(material.test_set) * texts**2
    return None if needed <= LARGEST else f"memory: every text with every other takes {needed:,} numbers"


def _too_many_references(material: Material) -> str | None:
    """A search keeps a bit for each text, reference and pair of references."""
    references = len(material.test_set.references)
    words = references * -(-references * (references - 1) // 64)
    texts = len(material.test_set.systems) + references
    needed = len(material.pairwise_metrics) * len(material.test_set) * texts * words
    return None if needed <= LARGEST else f"memory: decisions with so many references are {64 * needed:,} bits"


def _no_lists(material: Material) -> str | None:
    if material.nbest is None:
        return "n-best lists (nbest)"
    if material.most_references < 2 and not material.candidate_scores:
        return "two references (there is 1): one is scored against the others"
    return None if material.audit_metrics or material.candidate_scores else "a metric that can score any text"


def _no_people(material: Material) -> str | None:
    human = material.human
    if human is None:
        return "human scores (human)"
    if human.level == "segment" or len(human.systems) >= MIN_SYSTEMS:
        return None
    return f"scores of {MIN_SYSTEMS} systems, or of segments (people judged {len(human.systems)} whole systems)"


def _no_judge(material: Material) -> str | None:
    if not material.audit_metrics:
        return "a metric that can score any text"
    judge = choose_judge_of_references(material)
    few = _too_few(material, {"people": 2, "ORANGE": 3, "KING": 4}[judge])
    if few is None or judge != "KING":
        return few
    return f"four references, or fewer and human scores of {MIN_SYSTEMS} systems or n-best lists"


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def counted(count: int, what: str) -> str:
    """1 system, 2 systems"""
    return f"{count} {what}{'s' * (count != 1)}"
