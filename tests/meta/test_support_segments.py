"""ORANGE and KING support, refute or leave open."""

import numpy as np
import pytest

import tarocco
from tarocco.meta.correlation.score_sources import ScoreSource, make_source
from tarocco.meta.support.assumption import check_assumption
from tarocco.meta.support.decision import OPEN, REFUTED, SUPPORTED, SupportRules
from tarocco.meta.support.judges import support_king, support_orange
from tarocco.meta.support.segments import CHANCE, LENGTH, SegmentValues, judge_by_segments

RULES = SupportRules(n_draws=400, most_draws=400, caution=0.0)


def judge(values, chance=0.5, by_length=None, labels=None, margin=0.1):
    rows = np.stack([np.asarray(row, float) for row in values.values()])
    measured = SegmentValues(list(values), rows, np.full(rows.shape, chance), by_length)
    found = judge_by_segments(measured, judge="J", coefficient="c", margin=margin, labels=labels, rules=RULES)
    return {one.metric: one for one in found}


def uniform(seed, n=200, shift=0.0):
    return np.clip(np.random.default_rng(seed).random(n) + shift, 0, 1)


def test_statuses():
    found = judge({"good": uniform(1, shift=0.3), "random": uniform(2), "bad": 1 - uniform(1, shift=0.3)})
    assert [one.status for one in found.values()] == [SUPPORTED, REFUTED, REFUTED]
    good = found["good"]
    assert good.value == pytest.approx(uniform(1, shift=0.3).mean())
    assert (good.chance, good.floor, good.margin) == (0.5, 0.6, 0.1)
    assert good.low < good.value < good.high
    assert good.reasons == ()
    assert "not shown better than chance" in found["random"].reasons
    assert found["bad"].refuted_by == "rival"


def test_more_metrics_do_not_silence_an_opponent():
    """A rival needs more draws to refute where there are more metrics; the metric stays opposed all the same."""
    weak, strong = uniform(1, 40, 0.2), uniform(1, 40, 0.2) - 0.1 + 0.5 * uniform(9, 40)
    others = {f"random {k}": uniform(20 + k, 40) for k in range(60)}
    alone, among = judge({"weak": weak, "strong": strong}), judge({"weak": weak, "strong": strong, **others})
    assert (alone["weak"].status, among["weak"].status) == (REFUTED, OPEN)
    assert alone["weak"].opposed
    assert among["weak"].opposed
    assert not among["strong"].opposed


def test_a_constant_is_not_better_than_chance():
    found = judge({"constant": np.full(100, 0.5), "other": uniform(3, 100)})
    assert found["constant"].p_values[CHANCE] == 1
    assert found["constant"].status != SUPPORTED


def test_less_evidence_is_not_more():
    many = judge({"m": uniform(4, 400, 0.25)})["m"]
    few = judge({"m": uniform(4, 400, 0.25)[:19]})["m"]
    assert (many.status, few.status) == (SUPPORTED, OPEN)
    assert few.reasons[0] == "19 segments are too few: at least 20 are needed"


def test_documents_are_the_units():
    """Segments of a document repeat it: 10 documents are 10 units, not 200."""
    values = np.repeat(uniform(5, 10, 0.3), 20)
    labels = [str(i // 20) for i in range(200)]
    assert judge({"m": values})["m"].status == SUPPORTED
    assert judge({"m": values}, labels=labels)["m"].reasons[0] == "10 documents are too few: at least 20 are needed"


def test_a_metric_must_know_more_than_length():
    long = uniform(6, shift=0.3)
    found = judge({"length": long, "better": np.clip(long + 0.15, 0, 1)}, by_length=np.stack([long, 1 - long]) - 0.5)
    assert found["better"].status == SUPPORTED
    assert found["length"].status != SUPPORTED
    assert found["length"].p_values[LENGTH] == 1


def test_missing_values_do_not_count():
    values = uniform(7, shift=0.3)
    gaps = values.copy()
    gaps[::3] = np.nan
    nothing = np.full(200, np.nan)
    found = judge({"m": gaps, "nothing": nothing})
    assert found["m"].value == pytest.approx(np.nanmean(gaps))
    assert found["m"].status == SUPPORTED
    assert found["nothing"].status == OPEN


def test_more_metrics_never_help():
    values = {"m": uniform(8, 60, 0.12)}
    alone = judge(values)["m"]
    beside = judge(values | {f"r{k}": uniform(20 + k, 60) for k in range(8)})["m"]
    assert beside.p_values[CHANCE] >= alone.p_values[CHANCE]
    assert beside.inferior >= alone.inferior


@pytest.fixture(scope="module")
def demo():
    return tarocco.datasets.load("demo")


def test_orange_and_king_of_the_demo(demo):
    kings = tarocco.king(demo.systems, demo.references, metrics=["1-WER", "BLEU-4"])
    assert all(0 < one.strict_chance < one.chance < 1 for one in kings)
    found = support_king(kings, rules=SupportRules(n_draws=1000))
    assert [(one.metric, one.status) for one in found] == [(one.metrics[0], one.status) for one in kings.sets[:2]]
    assert all(one.judge == "KING" for one in found)
    labels = [f"d{i // 3}" for i in range(60)]
    assert len(support_king(kings, labels)) == 2
    assert support_king(tarocco.king(demo.systems, demo.references, metrics="1-WER", level="system")) == []


def test_orange_says_what_its_support_says(demo):
    generator = np.random.default_rng(2)
    texts = [[" ".join(generator.choice(list("abcdef"), 7)) for _ in range(13)] for _ in range(30)]
    lists, references = [own[3:] for own in texts], [own[:3] for own in texts]
    result = tarocco.orange(lists, references, metrics=["WER", "ROUGE-L", "PER"])
    found = {one.metric: one for one in support_orange(result, rules=SupportRules(n_draws=1000))}
    for name in result:
        assert result[name].status == found[name].status != SUPPORTED
        assert result[name].orange == pytest.approx(1 - found[name].value)
        assert result[name].chance == pytest.approx(1 - found[name].chance)
    assert sum(result.by_length) == pytest.approx(12 / 11)


def people_of(scores):
    return make_source("human", np.array(scores, float))


def test_references_that_people_judged():
    generator = np.random.default_rng(3)
    base = generator.normal(size=(4, 100)) + np.array([[2.0], [1.0], [0.0], [1.9]])
    names = ["ref", "a", "b", "c"]
    found = check_assumption(people_of(base), names, ["ref"])
    assert (found.status, found.worse, found.better) == (OPEN, ("a", "b"), ())
    assert found.differences["a"] == pytest.approx((base[0] - base[1]).mean())
    assert check_assumption(people_of(base[:3]), names[:3], ["ref"]).status == SUPPORTED
    turned = check_assumption(people_of(-base), names, ["ref"])
    assert (turned.status, turned.better) == (REFUTED, ("a", "b"))
    assert "assume what is false here" in turned.sentence
    assert check_assumption(people_of(base), names, ["other"]) is None
    few = check_assumption(people_of(base[:3, :10]), names[:3], ["ref"])
    assert (few.status, few.worse) == (OPEN, ())


def test_references_scored_as_wholes():
    names = ["r1", "r2", *"abcdef"]
    scores = ScoreSource("human", np.array([9.0, 8, 1, 2, 3, 4, 5, 6]), None, lambda sums: sums[..., 0])
    found = check_assumption(scores, names, ["r1", "r2"])
    assert (found.status, found.p_value) == (SUPPORTED, pytest.approx(1 / 28))
    assert check_assumption(scores.select(range(1, 8)), names[1:], ["r2"]).status == OPEN
