"""The rules of a verdict, on findings that are made by hand."""

from dataclasses import replace

import numpy as np
import pytest

import tarocco
from tarocco.core.test_set import HumanScores
from tarocco.meta.significance.compare import CompareResult
from tarocco.meta.significance.paired_tests import Difference, PairedTest
from tarocco.meta.support.assumption import HumanAdvantage
from tarocco.meta.support.decision import SUCH, THESE, Support
from tarocco.metrics.registry import metric
from tarocco.scoring.results import Result, Score
from tarocco.trials.data_audit.findings import DataAudit, DataFinding
from tarocco.trials.findings import Findings, Judgment, MetricVerdict, Verdict
from tarocco.trials.highlights import MOST, Highlight, order_highlights
from tarocco.trials.judgments import collect_judgments, find_disagreements, judge_by_support, select_support
from tarocco.trials.system_groups import cluster_systems, describe_systems, rank_systems
from tarocco.trials.verdict import judge_metric, reach_verdict


def support(judge, status="supported", population=SUCH, **changes):
    """What a judge says of metric X, with made-up numbers."""
    made = Support(
        metric="X",
        judge=judge,
        criterion="adequacy" if judge == "people" else "",
        level="system" if judge == "people" else "segment",
        coefficient="SPA" if judge == "people" else judge,
        population=population,
        value=0.9,
        low=0.8,
        high=0.95,
        status=status,
        p_values={"better than chance": 0.001},
        inferior=0.0,
        rival="Y" if status == "refuted" else None,
        beaten=1.0 if status == "refuted" else 0.0,
        reasons=() if status == "supported" else ("not shown better than chance",),
        margin=0.1,
        floor=0.7,
        refuted_by="rival" if status == "refuted" else None,
        needed="it would take about 30 such systems" if status == "open" else None,
    )
    return replace(made, **changes)


def judgments_of(*supports):
    return {one.judge: {"X": judge_by_support(one.judge, one)} for one in supports}


# --- metrics ---


@pytest.mark.parametrize(
    ("supports", "has_human", "trust"),
    [
        ([], False, "open"),
        ([support("people")], True, "trusted"),
        ([support("people", population=THESE)], True, "trusted among these systems"),
        ([support("people", "open")], True, "open"),
        ([support("people", "refuted")], True, "doubted"),
        ([support("people"), support("KING", "refuted")], True, "open"),  # no judge may refute a trusted metric
        ([support("people"), support("KING", "open")], True, "trusted"),
        ([support("people"), support("KING", "open", opposed=True)], True, "open"),
        ([support("people", "refuted"), support("KING"), support("ORANGE")], True, "doubted"),
        # Where there are human scores, other judges cannot replace people, and cannot outvote them.
        ([support("people", "open"), support("KING"), support("ORANGE")], True, "open"),
        ([support("people", "open"), support("KING", "refuted"), support("ORANGE", "refuted")], True, "open"),
        ([support("KING"), support("ORANGE")], True, "open"),
        ([support("KING")], False, "open"),  # one judge is not enough
        ([support("KING"), support("ORANGE")], False, "trusted"),
        ([support("KING"), support("ORANGE", population=THESE)], False, "trusted among these systems"),
        ([support("KING"), support("ORANGE", "open")], False, "open"),
        ([support("KING", "refuted"), support("ORANGE")], False, "open"),
        ([support("KING", "refuted"), support("ORANGE", "refuted")], False, "doubted"),
    ],
)
def test_trust(supports, has_human, trust):
    assert judge_metric("X", judgments_of(*supports), has_human).trust == trust


def test_held_back_verdicts_are_open():
    for status in ("supported", "refuted"):
        assert judge_metric("X", judgments_of(support("people", status)), True, held_back=True).trust == "open"


def test_reasons_give_numbers_and_what_it_would_take():
    one = judge_metric("X", judgments_of(support("people", "open"), support("KING", "refuted")), True)
    assert one.reason == (
        "people: open: SPA 0.900 [0.800, 0.950], not shown better than chance; it would take about 30 such systems; "
        "KING: refuted for such systems: KING 0.900 [0.800, 0.950], Y is better by more than 0.10"
    )
    assert judge_metric("X", {}, False).reason == "not enough data to judge this metric"
    below = support("people", "refuted", refuted_by="floor")
    assert "shown to be below the floor of 0.70" in judge_metric("X", judgments_of(below), True).reason


def test_the_strongest_statement_represents_a_judge():
    such, these = support("people", "open"), support("people", population=THESE)
    assert select_support([these, such]) is these
    assert select_support([these, support("people")]).population == SUCH
    refuted = support("people", "refuted", population=THESE)
    assert select_support([refuted, such]) is refuted
    assert select_support([replace(these, status="open"), such]) is such


def test_the_first_criterion_counts_and_levels_are_separate_judges():
    other = support("people", "refuted", criterion="fluency")
    within = support("people", "refuted", level="segment")
    collected = collect_judgments(Findings("x", "x", supports=(support("people"), other, within, support("KING"))))
    assert list(collected) == ["people", "people within segments", "KING"]
    assert collected["people"]["X"].status == "supported"
    assert collected["people within segments"]["X"].status == "refuted"


def test_disagreements():
    judgments = judgments_of(support("people"), support("KING", "refuted"), support("ORANGE", "open"))
    assert find_disagreements(judgments) == ("X is supported by people, but refuted by KING.",)
    assert find_disagreements(judgments_of(support("people"), support("KING", "open"))) == ()


# --- systems ---


def compared(scores, significant, names=("chrF", "WER", "BLEU-4")):
    """Return a result from scores of systems, and from (metric, better, worse) of all significant differences."""
    differences, made = [], []
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
                differences.append(
                    Difference(name, baseline, system, change, better, p, 0.0, {}, p_holm=p, significant=sure)
                )
    test = PairedTest("bootstrap", 1000, 1, 0.05)
    return CompareResult(Result(tuple(made), single=False), tuple(differences), test, True)


METRICS = ("chrF", "WER", "BLEU-4")


def test_a_pair_differs_if_every_metric_says_so():
    result = compared({"a": 3.0, "b": 2.0}, {("chrF", "a", "b"), ("WER", "a", "b")})
    assert rank_systems(result, METRICS).groups == (("a", "b"),)
    ranking = rank_systems(result, ["chrF", "WER"])
    assert ranking.groups == (("a",), ("b",))
    assert ranking.better == {("a", "b")}


def test_contradictions_are_contested_and_decide_nothing():
    result = compared({"a": 3.0, "b": 2.0}, {("chrF", "a", "b"), ("WER", "a", "b"), ("BLEU-4", "b", "a")})
    ranking = rank_systems(result, METRICS)
    assert not ranking.better
    assert ranking.contested == (("a", "b", 2, 1),)
    sentences = describe_systems(ranking, "trusted metrics", Findings("x", "x", comparison=result))
    assert sentences[0].startswith("0 of 1 pair of systems differ significantly under each of chrF, WER, BLEU-4")
    assert "For 1 pair, metrics significantly contradict each other: a and b." in sentences


def test_groups_end_only_where_every_pair_differs():
    won = {(name, one, other) for name in METRICS for one, other in ("ac", "ad", "bd", "cd")}  # b and c do not differ
    result = compared({"d": 1.0, "c": 2.0, "b": 3.0, "a": 4.0}, won)
    ranking = rank_systems(result, METRICS)
    assert ranking.groups == (("a", "b", "c"), ("d",))
    assert [ranking.rank_range(name) for name in "abcd"] == [(1, 2), (1, 3), (2, 3), (4, 4)]
    sentences = describe_systems(ranking, "trusted metrics", Findings("x", "x", comparison=result))
    assert sentences[1] == "Systems on different sides of > differ significantly: [a, b, c] > [d]."
    assert sentences[2] == "Possible ranks: a 1-2, b 1-3, c 2-3, d 4."


def test_the_same_output_twice_is_not_better_than_itself():
    texts = ["the cat sat on the mat", "it rained all day", "a book"] * 10
    result = tarocco.compare({"a": texts, "b": list(texts)}, texts[::-1], metrics="chrF", all_pairs=True)
    assert rank_systems(result, ["chrF"]).groups == (("a", "b"),)
    assert cluster_systems(result, "chrF") == {"a": 1, "b": 1}


def test_clusters_under_one_metric():
    result = compared({"a": 3.0, "b": 2.0, "c": 1.0}, {("WER", "a", "c"), ("WER", "b", "c")})
    assert cluster_systems(result, "WER") == {"a": 1, "b": 1, "c": 2}
    assert cluster_systems(result, "chrF") == {"a": 1, "b": 1, "c": 1}
    assert cluster_systems(result, "TER") == {}


def test_people_who_contradict_a_metric_are_named():
    """People find b better in every segment; the metric finds a better."""
    systems = {"a": ["x"] * 30, "b": ["y"] * 30, "c": ["z"] * 30}
    human = {"a": [1.0] * 30, "b": [2.0 + i % 2 for i in range(30)], "c": [0.0] * 30}
    findings = tarocco.trial(systems, ["x y"] * 30, metrics=["chrF"], human=human, n_resamples=50)
    result = compared({"a": 3.0, "b": 2.0, "c": 1.0}, {("chrF", "a", "b"), ("chrF", "a", "c")}, ("chrF",))
    sentences = describe_systems(
        rank_systems(result, ["chrF"]), "trusted metrics", replace(findings, comparison=result)
    )
    assert "People's scores (human) order 1 of these 2 pairs the same way." in sentences
    assert sentences[-1] == "People significantly contradict 1 pair: they put b above a."


def test_pairs_that_people_tie_are_counted_apart():
    systems = {"a": ["x"] * 30, "b": ["y"] * 30, "c": ["z"] * 30}
    findings = tarocco.trial(systems, ["x y"] * 30, metrics=["chrF"], human={"a": 2.0, "b": 2.0, "c": 1.0})
    result = compared({"a": 3.0, "b": 2.0, "c": 1.0}, {("chrF", "a", "b"), ("chrF", "a", "c")}, ("chrF",))
    sentences = describe_systems(rank_systems(result, ["chrF"]), "trusted", replace(findings, comparison=result))
    assert "People's scores (human) order 1 of these 2 pairs the same way and tie 1." in sentences


HUMAN = HumanScores({"adequacy": np.zeros(6)}, {"adequacy": "similarity"}, tuple("abcdef"), "system", 1, ())


def test_metrics_are_called_trusted_only_if_they_are():
    """The trusted metric has scores of whole systems, so the systems are compared by metrics that are open."""
    made = [Score("a", metric(name), name, 0.5, np.zeros((1, 2)), np.zeros(2)) for name in ("chrF", "BLEU-4", "WER")]
    missing = [replace(support("people", "open"), metric=name) for name in ("BLEU-4", "WER")]
    supports = [replace(support("people"), metric="chrF"), *missing]
    result = compared({"a": 3.0, "b": 2.0}, {("BLEU-4", "a", "b"), ("WER", "a", "b")}, ("BLEU-4", "WER"))
    findings = Findings(
        "x", "x", scores=Result(tuple(made), single=False), supports=supports, human=HUMAN, comparison=result
    )
    verdict = reach_verdict(findings)
    assert "BLEU-4, WER (metrics, none of them trusted)" in verdict.systems[0]
    assert verdict.open_questions == tuple(
        f"{name}: people: not shown better than chance; it would take about 30 such systems."
        for name in ("BLEU-4", "WER")
    )


@pytest.mark.parametrize(("status", "trust"), [("refuted", "trusted"), ("supported", "open"), ("open", "open")])
def test_judges_whose_assumption_is_false_do_not_decide(status, trust):
    advantage = HumanAdvantage(("r",), {"a": -1.0}, (), ("a",), status, "what people found")
    findings = findings_of(support("people"), support("KING", "refuted"), human=HUMAN, human_advantage=advantage)
    assert [one.trust for one in reach_verdict(findings).metrics] == [trust]


def test_a_trial_tests_what_king_assumes_where_people_judged_references(tmp_path):
    """People judged the first reference, too, and found it worse than every system."""
    demo = tarocco.datasets.load("demo")
    for r in range(3):
        (tmp_path / f"ref{r}.txt").write_text("\n".join(segment[r] for segment in demo.references) + "\n")
    rows = ["system\tsegment\tscore", *(f"ref0\t{i}\t0" for i in range(1, 61))]
    for name, segments in demo.systems.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(segments) + "\n")
        rows += [f"{name}\t{i}\t{grade}" for i, (grade, _) in enumerate(demo.grades[name], 1)]
    (tmp_path / "human.tsv").write_text("\n".join(rows) + "\n")
    systems = ", ".join(f'"{name}.txt"' for name in demo.systems)
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'references = ["ref?.txt"]\nsystems = [{systems}]\nhuman = "human.tsv:score"\nmetrics = ["chrF", "WER"]\n'
    )
    findings = tarocco.trial(str(experiment), n_resamples=50)
    assert findings.human_advantage.status == "refuted"
    assert any("ORANGE and KING assume what is false here" in caveat for caveat in findings.verdict.caveats)
    assert not {"ORANGE", "KING"} & {one.judge for item in findings.verdict.metrics for one in item.judgments}


# --- the whole ---


def test_the_largest_highlight_of_each_kind_comes_first():
    highlights = [
        Highlight("judges", 0.9, "one"),
        Highlight("judges", 0.8, "two"),
        Highlight("systems", 0.3, "three"),
        Highlight("gaming", 0.5, "four"),
    ]
    assert [one.sentence for one in order_highlights(highlights)] == ["one", "four", "three", "two"]


def test_nothing_can_be_said_without_a_judge():
    verdict = reach_verdict(Findings("x", "tarocco trial x.toml"))
    assert verdict.headline.startswith("No verdict: nothing here can say which metric to trust")
    assert (verdict.metrics, verdict.systems, verdict.interesting) == ((), (), ())


SCORES = Result((Score("a", metric("chrF"), "chrF", 0.5, np.zeros((1, 2)), np.zeros(2)),), single=False)
SEVERE = DataFinding("sign", "severe", ("adequacy",), "The sign is reversed.", "Reverse it.")


def findings_of(*supports, **changes):
    return Findings("x", "x", scores=SCORES, supports=[replace(one, metric="chrF") for one in supports], **changes)


def test_headlines():
    orange, king = support("ORANGE"), support("KING")
    said = reach_verdict(findings_of(orange, king)).headline
    assert said == "Trusted by ORANGE (ORANGE) and KING (KING): chrF 0.90 [0.80, 0.95] and 0.90 [0.80, 0.95]."
    said = reach_verdict(findings_of(orange, support("KING", "open"))).headline
    assert said.startswith("Open: no metric is shown to deserve trust here. The nearest is chrF; ORANGE: supported")
    said = reach_verdict(findings_of(support("KING", "refuted"))).headline
    assert said == "No metric deserves trust here: all are refuted (KING)."
    human = HumanScores({"adequacy": np.zeros(6)}, {"adequacy": "similarity"}, tuple("abcdef"), "system", 1, ())
    said = reach_verdict(findings_of(support("people"), support("KING", "refuted"), human=human)).headline
    assert said == (
        "Open, because judges disagree. Supported by people (adequacy, SPA), taking people's scores as given: chrF "
        "0.90 [0.80, 0.95]. But KING objects to it. KING assumes that texts by people are better than the systems' "
        "texts."
    )
    said = reach_verdict(findings_of(orange, king, caveats=("The data are made up.",))).headline
    assert said.endswith(". The data are made up.")


def test_severe_findings_hold_the_verdict_back_until_the_data_are_accepted():
    supports, audit = (support("ORANGE"), support("KING")), DataAudit((SEVERE,))
    held = reach_verdict(findings_of(*supports, data_audit=audit))
    assert held.headline.startswith("No verdict: the data audit has 1 severe finding. The sign is reversed. Correct")
    assert [one.trust for one in held.metrics] == ["open"]
    accepted = reach_verdict(findings_of(*supports, data_audit=audit, accept_data=True))
    assert [one.trust for one in accepted.metrics] == ["trusted"]
    assert "The data audit has 1 severe finding." in accepted.caveats[0]


def test_stability_is_in_the_headline():
    human = HumanScores({"adequacy": np.zeros(6)}, {"adequacy": "similarity"}, tuple("abcdef"), "system", 1, ())
    such = support("people", stability=0.93)
    assert "The same verdict comes out in 93% of resamples of systems and segments." in (
        reach_verdict(findings_of(such, human=human)).headline
    )
    these = support("people", population=THESE, stability=0.05, segment_stability=0.9)
    said = reach_verdict(findings_of(these, human=human)).headline
    assert "these 6 systems by people (adequacy, SPA), taking people's scores as given: chrF" in said
    assert said.endswith("in 90% of resamples of segments, and in 5% of resamples of systems and segments.")
    rarely = support("people", population=THESE, stability=0.01, segment_stability=0.9, stability_limit=0.02)
    said = reach_verdict(findings_of(rarely, human=human)).headline
    assert said.endswith("of systems and segments; only 2% of the latter have enough different systems.")


def test_the_demo_has_a_verdict():
    demo = tarocco.datasets.load("demo")
    human = {name: [adequacy for adequacy, _ in grades] for name, grades in demo.grades.items()}
    findings = tarocco.trial(
        demo.systems, demo.references, metrics=["BLEU-4", "chrF", "WER"], human=human, n_resamples=200
    )
    verdict = findings.verdict
    assert {one.metric for one in verdict.metrics} == {"BLEU-4", "chrF", "WER"}
    assert len(verdict.interesting) <= MOST
    assert len(set(verdict.interesting)) == len(verdict.interesting)
    assert verdict.groups[0] == ("careful",)
    assert findings.data_audit is not None
    assert {one.judge for one in findings.supports} == {"people", "KING"}
    assert repr(findings) == f"<trial of trial: {verdict.headline}>"


def test_json_has_judgments_without_repeating_their_tests():
    judgment = Judgment("KING", "A", "supported", 0.5, "is best", support("KING"))
    verdict = Verdict("x", (MetricVerdict("A", "trusted", "best", (judgment,)),))
    (record,) = [part for part in Findings("x", "x", verdict=verdict).to_dict() if part["part"] == "verdict"]
    assert record["metrics"][0]["judgments"][0]["status"] == "supported"
    assert record["metrics"][0]["judgments"][0]["support"] is None
