"""What the data allow: every combination of references, systems, lists, people and labels."""

import numpy as np
import pytest

from tarocco import datasets
from tarocco.core.errors import InputError
from tarocco.core.test_set import ExternalScores, HumanScores, Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.metrics.external import External
from tarocco.metrics.registry import metrics
from tarocco.trials.inputs import METRICS, Material
from tarocco.trials.plan import QUESTIONS, make_plan

DEMO = datasets.load("demo")
ALWAYS = {"data", "scores", "agreement", "breakdown"}


def people(systems, level="system"):
    shape = (systems,) if level == "system" else (systems, 60)
    return HumanScores({"x": np.ones(shape)}, {"x": "similarity"}, tuple(DEMO.systems)[:systems], level, 1, ())


def material(references=1, systems=2, names=("BLEU-4", "chrF"), more=(), **others):
    columns = {name: Segments.from_strings(DEMO.systems[name]) for name in list(DEMO.systems)[:systems]}
    streams = tuple(Segments.from_strings(stream) for stream in list(zip(*DEMO.references, strict=True))[:references])
    plain = Encoding()
    return Material("x", TestSet(columns, streams), (*metrics(names), *more), plain, plain, **others)


def possible(own):
    return {step.name for step in make_plan(own) if step.possible}


def why(own, name):
    return next(step.why for step in make_plan(own) if step.name == name)


def test_every_step_has_a_question_and_a_reason():
    for own in (material(), material(4, 6, nbest="x", human=people(6))):
        steps = make_plan(own)
        assert [step.name for step in steps] == list(QUESTIONS)
        assert all(step.question.endswith("?") and step.why for step in steps)


@pytest.mark.parametrize(
    ("own", "more"),
    [
        (material(1, 1), set()),
        (material(1, 2), {"significance", "audit"}),
        (material(2, 1), {"QUEEN"}),
        (material(2, 2), {"significance", "audit", "QUEEN", "JACK"}),
        (material(3, 1), {"QUEEN", "KING", "optimal set"}),
        (material(3, 2), {"significance", "audit", "QUEEN", "JACK", "KING", "optimal set"}),
        (material(4, 1), {"QUEEN", "KING", "optimal set", "references"}),
        (material(1, 1, nbest="x"), set()),
        (material(2, 1, nbest="x"), {"QUEEN", "ORANGE"}),
        (material(3, 1, nbest="x"), {"QUEEN", "KING", "optimal set", "ORANGE", "references"}),
        (material(1, 4, human=people(4)), {"significance", "audit", "people"}),
        (material(1, 4, human=people(3)), {"significance", "audit"}),
        (material(1, 4, human=people(3, "segment")), {"significance", "audit", "people"}),
        (material(2, 4, human=people(4)), {"significance", "audit", "people", "QUEEN", "JACK", "references"}),
    ],
)
def test_what_the_data_allow(own, more):
    assert possible(own) == ALWAYS | more


def test_one_metric_agrees_with_nobody_and_is_no_set():
    assert possible(material(3, 1, ["chrF"])) == {"data", "scores", "breakdown", "QUEEN", "KING"}


def test_what_is_missing_is_told():
    own = material(1, 1)
    assert why(own, "KING") == "three references (there is 1)"
    assert why(own, "ORANGE") == "n-best lists (nbest)"
    assert why(own, "people") == "human scores (human)"
    assert why(own, "significance") == "a second system"
    assert why(material(2, 1, nbest="x"), "references") == "three references (there are 2)"
    assert why(material(3, 1), "references").startswith("four references, or fewer and human scores")
    assert why(material(4, 1), "references") == "up to 4, judged by KING"
    assert why(material(1, 4, human=people(3)), "people").startswith("scores of 4 systems")
    assert "mixing" in why(material(1, 2), "audit")
    assert why(material(1, 2, labels=("a",) * 60), "audit") == "five checks"


def test_scores_made_elsewhere_are_no_similarities():
    """Of whole systems there is nothing to correlate, and nothing to compare two texts by."""
    whole = External(ExternalScores("COMET", "similarity", "system", {"careful": np.ones(1)}, ()))
    alone = material(4, 1, [], [whole])
    assert possible(alone) == {"data", "scores"}
    assert why(alone, "KING") == "a metric that can compare any two texts"
    beside = material(4, 1, ["chrF"], [whole])
    assert "KING" in possible(beside)
    assert "optimal set" not in possible(beside)


def test_a_large_test_bed_has_no_jack(monkeypatch):
    monkeypatch.setattr("tarocco.trials.plan.LARGEST", 1000)
    own = material(2, 2)
    assert "JACK" not in possible(own)
    assert why(own, "JACK").startswith("memory")
    many = material(3, 2)
    assert "optimal set" not in possible(many)
    assert why(many, "optimal set").startswith("memory")


def test_material_is_checked():
    with pytest.raises(InputError, match="found 3 for 60 segments"):
        material(labels=("a",) * 3)
    with pytest.raises(InputError, match="the source has 1"):
        material(source=Segments.from_strings(["a"]))
    with pytest.raises(InputError, match="expected at least one metric"):
        material(names=[])


def test_the_default_metrics_are_a_dozen():
    assert len(metrics(METRICS)) == 12
