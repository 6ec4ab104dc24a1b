"""The rules of a verdict, on findings that are made by hand."""

from dataclasses import replace

import numpy as np
import pytest

import tarocco
from tarocco.core.records import Interval
from tarocco.meta.qarla.results import King, KingResult, QarlaSetup
from tarocco.meta.significance.compare import CompareResult
from tarocco.meta.significance.paired_tests import Difference, PairedTest
from tarocco.metrics.registry import metric
from tarocco.scoring.results import Result, Score
from tarocco.trials.findings import Findings, Judgment, MetricVerdict, Verdict
from tarocco.trials.highlights import MOST, Highlight, order_highlights
from tarocco.trials.judgments import differ_significantly, format_ordinal, judge_by_king, rank_values
from tarocco.trials.system_groups import cluster_systems, describe_systems, rank_systems
from tarocco.trials.verdict import find_disagreements, judge_metric, reach_verdict

BETWEEN = Interval(0.0, 1.0, 0.95, 200, 1)


def said(judge, standing=1, rank=1, value=0.5, objection=None):
    return Judgment(judge, standing, rank, value, f"{judge} says so", objection)


def opinions(*own):
    return {one.judge: {"X": one} for one in own}


# --- metrics -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("own", "trust"),
    [
        ([], "unjudged"),
        ([said("audit")], "unjudged"),  # an audit alone makes no trust
        ([said("KING")], "trusted"),
        ([said("KING", 0)], "doubted"),
        ([said("KING"), said("ORANGE", 0)], "mixed"),  # one of two is not most
        ([said("KING"), said("ORANGE")], "trusted"),
        ([said("KING"), said("ORANGE", 0), said("people")], "trusted"),
        ([said("KING"), said("ORANGE"), said("people", 0)], "mixed"),  # people must be among them
        ([said("KING", 0), said("ORANGE", 0), said("people")], "mixed"),
        ([said("KING", 0), said("ORANGE", 0), said("people", 0)], "doubted"),
        ([said("KING"), said("people"), said("audit", 0, 2)], "trusted"),  # others are gamed less: no objection
        ([said("KING"), said("people"), said("audit", 0, 2, objection="it can be gamed")], "mixed"),
        ([said("KING"), said("ORANGE", objection="chance")], "mixed"),
        ([said("KING"), said("ORANGE"), said("people", objection="-0.1")], "doubted"),
    ],
)
def test_trust(own, trust):
    assert judge_metric("X", opinions(*own)).trust == trust


def test_reasons_name_judges_and_ranks():
    one = judge_metric("X", opinions(said("KING"), said("ORANGE", 0, 7), said("audit", 0, 3)))
    assert one.reason == "among the best for KING; not among the best for ORANGE (7th); audit says so"
    assert judge_metric("X", {}).reason == "no judge of metrics knows it"


def test_disagreements():
    """Whole orders, and single metrics that one judge calls best and another ranks low or objects to."""
    names = "ABCD"
    up = {name: said("KING", int(i == 0), i + 1) for i, name in enumerate(names)}
    down = {name: said("people", int(i == 3), 4 - i) for i, name in enumerate(names)}
    found = find_disagreements({"KING": up, "people": down})
    assert found[0] == "KING and people order the metrics in opposite ways (rank correlation -1.00)."
    assert found[1] == "A is among the best for KING, but for people it is 4th of 4."
    assert len(found) == 3
    same = {name: replace(one, judge="people") for name, one in up.items()}
    assert find_disagreements({"KING": up, "people": same}) == ()
    gamed = {"A": said("audit", 0, 2, objection="it can be gamed in 3 of 4 ways")}
    assert find_disagreements({"KING": up, "audit": gamed}) == (
        "A is among the best for KING, but it can be gamed in 3 of 4 ways.",
    )


def king(name, strict):
    strict = np.array(strict, float)
    mean = float(np.nanmean(strict))
    return King((name,), mean, mean, BETWEEN, BETWEEN, {}, strict, strict, len(strict), "")


def test_kings_are_compared_segment_by_segment():
    best = king("A", [1, 0] * 50)
    near = king("B", [1, 0] * 48 + [0, 1] * 2)  # as often, elsewhere
    far = king("C", [1, 0, 0, 0] * 25)
    assert not differ_significantly(best, best)
    assert not differ_significantly(best, near)
    assert differ_significantly(best, far)
    found = judge_by_king(KingResult((best, near, far), QarlaSetup({}, (), (), (), 1)))
    assert {name: (one.standing, one.rank) for name, one in found.items()} == {"A": (1, 1), "B": (1, 1), "C": (0, 3)}


def test_a_king_that_is_always_zero_has_no_opinion():
    assert judge_by_king(KingResult((king("A", [0, 0]), king("B", [0, 0])), QarlaSetup({}, (), (), (), 1))) == {}


def test_ranks_and_ordinals():
    assert rank_values({"a": 2.0, "b": 3.0, "c": 2.0, "d": 1.0}) == {"a": 2, "b": 1, "c": 2, "d": 4}
    assert [format_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 22, 103, 111)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd", "103rd", "111th"]
    )


# --- systems -------------------------------------------------------------------------------------------------------


def compared(scores, significant, names=("chrF", "WER", "BLEU-4")):
    """Scores a system, and (metric, better, worse) of all significant differences; errors are negated scores."""
    found, made = [], []
    for name in names:
        one = metric(name)
        for system, value in scores.items():
            made.append(Score(system, one, name, one.sign * value, np.zeros((1, 2)), np.zeros(2)))
        systems = list(scores)
        for i, baseline in enumerate(systems):
            for system in systems[i + 1 :]:
                pairs = [(name, system, baseline), (name, baseline, system)]
                sure = any(pair in significant for pair in pairs)
                better = pairs[0] in significant if sure else scores[system] > scores[baseline]
                p = 0.01 if sure else 0.5
                change = one.sign * (scores[system] - scores[baseline])
                found.append(Difference(name, baseline, system, change, better, p, 0.0, {}, p, sure))
    return CompareResult(Result(tuple(made), single=False), tuple(found), PairedTest("bootstrap", 1000, 1, 0.05), True)


METRICS = ("chrF", "WER", "BLEU-4")


def test_most_metrics_and_none_against_it_is_for_real():
    result = compared({"a": 3.0, "b": 2.0}, {("chrF", "a", "b"), ("WER", "a", "b")})
    found = rank_systems(result, METRICS)
    assert found.groups == (("a",), ("b",))
    assert found.better == {("a", "b")}
    one = compared({"a": 3.0, "b": 2.0}, {("chrF", "a", "b")})
    assert rank_systems(one, METRICS).groups == (("a", "b"),)
    assert rank_systems(one, ["chrF"]).groups == (("a",), ("b",))


def test_contradictions_are_contested_and_decide_nothing():
    result = compared({"a": 3.0, "b": 2.0}, {("chrF", "a", "b"), ("WER", "a", "b"), ("BLEU-4", "b", "a")})
    found = rank_systems(result, METRICS)
    assert not found.better
    assert found.contested == (("a", "b", 2, 1),)
    assert "on 1 the metrics contradict each other" in " ".join(describe_systems(found, "all metrics", None))


def test_groups_begin_where_one_is_beaten():
    won = {(name, one, other) for name in METRICS for one, other in ("ac", "ad", "bd", "cd")}
    found = rank_systems(compared({"d": 1.0, "c": 2.0, "b": 3.0, "a": 4.0}, won), METRICS)
    assert found.groups == (("a", "b"), ("c",), ("d",))
    first = describe_systems(found, "all metrics", None)[0]
    assert first.endswith("[a, b] > [c] > [d].")


def test_the_same_output_twice_is_not_better_than_itself():
    """Where there is no difference at all the p-value is the smallest there is, as in sacrebleu."""
    texts = ["the cat sat on the mat", "it rained all day", "a book"] * 10
    result = tarocco.compare({"a": texts, "b": list(texts)}, texts[::-1], metrics="chrF", all_pairs=True)
    assert rank_systems(result, ["chrF"]).groups == (("a", "b"),)
    assert cluster_systems(result, "chrF") == {"a": 1, "b": 1}


def test_clusters_under_one_metric():
    result = compared({"a": 3.0, "b": 2.0, "c": 1.0}, {("WER", "a", "c"), ("WER", "b", "c")})
    assert cluster_systems(result, "WER") == {"a": 1, "b": 1, "c": 2}
    assert cluster_systems(result, "chrF") == {"a": 1, "b": 1, "c": 1}
    assert cluster_systems(result, "TER") == {}


# --- the whole -----------------------------------------------------------------------------------------------------


def test_interesting_is_the_largest_of_each_kind_and_then_the_rest():
    found = [
        Highlight("judges", 0.9, "one"),
        Highlight("judges", 0.8, "two"),
        Highlight("systems", 0.3, "three"),
        Highlight("gaming", 0.5, "four"),
    ]
    assert [one.sentence for one in order_highlights(found)] == ["one", "four", "three", "two"]


def test_nothing_can_be_said_without_a_judge():
    verdict = reach_verdict(Findings("x", "tarocco trial x.toml"))
    assert verdict.headline.startswith("Nothing here can say which metric to trust")
    assert (verdict.metrics, verdict.systems, verdict.interesting) == ((), (), ())


def test_one_judge_alone_is_told():
    result = KingResult((king("A", [1, 1, 1, 0]), king("B", [0, 0, 0, 0])), QarlaSetup({}, (), (), (), 1))
    scores = compared({"a": 1.0}, set(), ("chrF",)).scores
    verdict = reach_verdict(Findings("x", "", kings=result, scores=scores))
    assert "KING is the only judge of metrics here: nobody could contradict." in verdict.caveats
    assert [one.trust for one in verdict.metrics] == ["unjudged"]  # of chrF, which no judge knows


def test_the_demo_has_a_verdict():
    demo = tarocco.datasets.load("demo")
    human = {name: [adequacy for adequacy, _ in own] for name, own in demo.grades.items()}
    found = tarocco.trial(
        demo.systems, demo.references, metrics=["BLEU-4", "chrF", "WER"], human=human, n_resamples=200
    )
    verdict = found.verdict
    assert {one.metric for one in verdict.metrics} == {"BLEU-4", "chrF", "WER"}
    assert 3 <= len(verdict.interesting) <= MOST
    assert len(set(verdict.interesting)) == len(verdict.interesting)
    assert verdict.groups[0] == ("careful",)
    assert any(caveat.startswith("60 segments are few") for caveat in verdict.caveats)
    assert repr(found) == f"<trial of trial: {verdict.headline}>"


def test_json_calls_judgments_opinions():
    """Programs read this key; the attribute has another name."""
    judgment = Judgment("KING", 1, 1, 0.5, "is best")
    verdict = Verdict("x", (MetricVerdict("A", "trusted", "best", (judgment,)),), (), (), ())
    (record,) = [part for part in Findings("x", "x", verdict=verdict).to_dict() if part["part"] == "verdict"]
    assert record["metrics"][0]["opinions"][0]["judge"] == "KING"
