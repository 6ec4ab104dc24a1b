"""`tarocco correlate`: the numbers are SciPy's of the scores, and what cannot be said is said."""

import json
import math
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st
from textbook import correlations as textbook
from textbook import resampling

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.errors import BadParameter, InputError, UnknownName
from tarocco.core.test_set import HumanScores, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.meta.correlation.levels import CorrelationLevel
from tarocco.meta.correlation.metric_tests import MetricTestInput, compare_metrics
from tarocco.meta.correlation.score_sources import LengthRatio, make_source
from tarocco.scoring.score import score_test_set
from tarocco.scoring.settings import Resampling

DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
ADEQUACY = {system: [float(one) for one, _ in own] for system, own in DEMO.grades.items()}
METRICS = ["BLEU-4", "TER", "chrF", "ROUGE-L"]
NO_SENTINELS = np.zeros(2, bool)
QUICK = {"n_resamples": 20, "n_permutations": 300}
SCIPY = {"pearson": scipy.stats.pearsonr, "spearman": scipy.stats.spearmanr, "kendall": scipy.stats.kendalltau}


@cache
def correlated(**options):
    return tarocco.correlate(DEMO.systems, DEMO.references, ADEQUACY, metrics=METRICS, **QUICK | options)


def goodness(metric, of):
    """What a metric says of each system, higher being better."""
    scores = tarocco.score(DEMO.systems, DEMO.references, metrics=metric)
    return np.array(
        [(-1 if metric == "TER" else 1) * np.asarray(of(scores[system][metric])) for system in DEMO.systems]
    )


@pytest.mark.parametrize("coefficient", SCIPY)
@pytest.mark.parametrize("metric", METRICS)
def test_systems_are_correlated_as_scipy_does(metric, coefficient):
    people = [np.mean(ADEQUACY[system]) for system in DEMO.systems]
    wanted = SCIPY[coefficient](goodness(metric, lambda score: score.score), people).statistic
    assert correlated()[metric].coefficients[coefficient].value == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("coefficient", SCIPY)
@pytest.mark.parametrize("metric", METRICS)
def test_segments_are_correlated_as_scipy_does(metric, coefficient):
    segments, people = goodness(metric, lambda score: score.segments), np.array(list(ADEQUACY.values()))
    of = SCIPY[coefficient]
    found = {
        grouping: correlated(level="segment", grouping=grouping)[metric].coefficients[coefficient].value
        for grouping in ("none", "item", "system")
    }
    assert found["none"] == pytest.approx(of(segments.ravel(), people.ravel()).statistic, abs=1e-12)
    for grouping, x, y in (("item", segments.T, people.T), ("system", segments, people)):
        varied = [(a, b) for a, b in zip(x, y, strict=True) if np.ptp(a) > 0 and np.ptp(b) > 0]
        wanted = np.mean([of(a, b).statistic for a, b in varied])
        assert found[grouping] == pytest.approx(wanted, abs=1e-12)


def test_documents_are_scored_as_texts_are():
    result = correlated(level="document", n_documents=40, document_size=10, seed=3)
    again = correlated(level="document", n_documents=40, document_size=10, seed=3, jobs=1)
    assert result.to_dict() == again.to_dict()
    assert result.to_dict() != correlated(level="document", n_documents=40, document_size=10, seed=4).to_dict()
    assert "documents:40x10" in result["BLEU-4"].signature
    within = correlated(level="document", grouping="item", n_documents=40, document_size=10, seed=3)
    assert within["BLEU-4"].coefficients["kendall"].groups == 40
    assert within["BLEU-4"].accuracies.to_dict() == {}


def test_wmt19(shared):
    """Kendall's tau-b of BLEU with the human scores, .755 with WMT's reference and .764 with all."""
    folder = shared("data", "wmt19-ende-4refs")
    systems = {path.name.removesuffix(".txt"): path.read_text().splitlines() for path in (folder / "sys").iterdir()}
    streams = {path.stem: path.read_text().splitlines() for path in (folder / "ref").iterdir()}
    found = [
        tarocco.correlate(
            systems, list(references), folder / "human" / "system_scores.tsv", coefficient="kendall", **QUICK
        )["BLEU-4"]
        for references in (zip(streams["WMT"], strict=True), zip(*streams.values(), strict=True))
    ]
    assert [round(one.coefficients["kendall"].value, 3) for one in found] == [0.755, 0.764]


def test_sentinels_stand_in_every_table():
    result = correlated()
    assert [one.metric for one in result if one.sentinel] == ["length ratio", "random", "constant"]
    assert result["constant"].coefficients["pearson"].why == "all scores of the metric are equal"
    assert result["constant"].cluster == 0
    words = {
        system: sum(len(tarocco.tokenizer("13a")(line).split()) for line in own) for system, own in DEMO.systems.items()
    }
    people = [np.mean(ADEQUACY[system]) for system in DEMO.systems]
    wanted = scipy.stats.pearsonr(list(words.values()), people).statistic
    assert result["length ratio"].coefficients["pearson"].value == pytest.approx(wanted)
    assert result["random"].interval != correlated(seed=5)["random"].interval


@given(
    st.lists(st.tuples(st.integers(0, 4), st.lists(st.integers(1, 4), min_size=1, max_size=3)), min_size=1, max_size=5)
)
def test_length_ratio(segments):
    candidates = [" ".join("a" * words) for words, _ in segments]
    references = [[" ".join("b" * words) for words in lengths] for _, lengths in segments]
    test_set = make_test_set(candidates, references)
    found = score_test_set(test_set, [LengthRatio()], Encoding("none")).scores[0].score
    wanted = sum(words for words, _ in segments) / sum(sum(lengths) / len(lengths) for _, lengths in segments)
    assert found == pytest.approx(wanted)


def test_scores_of_people_may_come_in_any_form():
    human = HumanScores(
        {"human": np.array(list(ADEQUACY.values()))}, {"human": "similarity"}, tuple(ADEQUACY), "segment", 1, ()
    )
    whole = {system: float(np.mean(scores)) for system, scores in ADEQUACY.items()}
    reference = correlated()
    results = [
        tarocco.correlate(DEMO.systems, DEMO.references, given, metrics=METRICS, **QUICK)
        for given in (human, f"{FOLDER}/grades.tsv:adequacy", FOLDER / "grades.tsv", whole)
    ]
    for result in results:
        for metric in METRICS:
            assert result[metric].coefficients == reference[metric].coefficients
    assert results[2].criteria == ["adequacy", "fluency", "average"]
    assert results[3]["BLEU-4"].accuracies.soft is None
    assert results[3]["BLEU-4"].accuracies.pairwise == reference["BLEU-4"].accuracies.pairwise
    errors = HumanScores({"mqm": -human.criteria["human"]}, {"mqm": "error"}, tuple(ADEQUACY), "segment", 1, ())
    other = tarocco.correlate(DEMO.systems, DEMO.references, errors, metrics="chrF", **QUICK)
    assert other["chrF"].coefficients == reference["chrF"].coefficients


def test_metrics_are_swapped_in_segments_where_a_system_has_their_mean():
    by_pair = {(one.metric, one.other): one for one in correlated(population="these").metric_comparisons}
    tests = {frozenset(pair): one.test for pair, one in by_pair.items()}
    assert tests[frozenset(("ROUGE-L", "random"))] == "perm-both"
    assert tests[frozenset(("ROUGE-L", "BLEU-4"))] == "perm-sys"
    assert {one.population for one in by_pair.values() if one.test == "perm-both"} == {"these systems"}
    assert {one.population for one in by_pair.values() if one.test == "perm-sys"} == {"such systems"}
    assert {(one.test, one.population) for one in correlated().metric_comparisons} == {("perm-sys", "such systems")}
    means = correlated(system_scores="mean", population="these")
    assert {one.test for one in means.metric_comparisons} == {"perm-both"}
    assert "system:mean" in means["BLEU-4"].signature
    segments = goodness("BLEU-4", lambda score: score.segments).mean(axis=1)
    people = [np.mean(ADEQUACY[system]) for system in DEMO.systems]
    assert means["BLEU-4"].coefficients["pearson"].value == pytest.approx(scipy.stats.pearsonr(segments, people)[0])


@st.composite
def rivals(draw):
    shape = draw(st.integers(3, 5)), draw(st.integers(2, 6))
    table = st.lists(st.integers(0, 6), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1])
    return [np.array(draw(table), float).reshape(shape) for _ in range(3)]


@given(rivals(), st.integers(0, 9))
def test_bootstrapped_differences_are_divided_by_their_error(sides, seed):
    """Student's t of the difference over its standard deviation on resamples of segments."""
    *metrics, people = (make_source(name, side) for name, side in zip("abh", sides, strict=True))
    view = CorrelationLevel("segment", "none")
    drawn = view.resampled("pearson", metrics, people, Resampling(9, seed=seed))
    agreements = np.array([view.agreement("pearson", side.segments, people.segments).value for side in metrics])
    found = compare_metrics(
        MetricTestInput(metrics, people, view, "pearson", agreements, NO_SENTINELS, drawn), "bootstrap", 0.05, 1, seed
    )
    if np.isnan(agreements).any():
        assert not found.pairs
        return
    gaps = []
    for number in range(9):
        chosen = resampling.draws(sides[0].shape[1], seed, number)
        first, second = (
            textbook.ungrouped(textbook.pearson, side[:, chosen].tolist(), sides[2][:, chosen].tolist())
            for side in sides[:2]
        )
        gaps += [first - second] if not math.isnan(first - second) else []
    units = sides[0].shape[1]
    error = np.std(gaps) * math.sqrt(units / (units - 1)) if len(gaps) > 1 else 0
    if error > 1e-9:
        t = abs(agreements[0] - agreements[1]) / error
        assert found.pairs[0].p_value == pytest.approx(2 * scipy.stats.t.sf(t, units - 1), abs=1e-6)
    elif len(gaps) > 1 and abs(agreements[0] - agreements[1]) < 1e-12:
        assert found.pairs[0].p_value in (1.0, pytest.approx(1.0))


def test_leads_make_clusters():
    result = correlated(level="segment", n_resamples=500)
    for criterion in result.criteria:
        order = [one for one in result if one.criterion == criterion and one.cluster]
        values = [result.value(one) for one in order]
        assert values == sorted(values, reverse=True)
        assert order[0].cluster == 1
        beaten = {(one.metric, one.other) for one in result.metric_comparisons if one.significant}
        for above, below in pairwise(order):
            assert below.cluster - above.cluster in (0, 1)
        for one in order:
            for other in order:
                if one.cluster < other.cluster:
                    assert (one.metric, other.metric) in beaten
    assert result["chrF"].cluster < result["random"].cluster
    few = correlated(system_scores="mean", population="these", n_permutations=100)
    assert few.notes == (
        "with 100 permutations, no difference between metrics can be significant after Holm's correction for 6 pairs "
        "of metrics: at least 200 are needed",
    )
    assert not any(one.significant for one in few.metric_comparisons if "random" not in (one.metric, one.other))
    assert correlated().notes == (
        "with 6 systems, no difference between metrics can be significant by perm-sys after Holm's correction for 6 "
        "pairs of metrics: at least 8 systems are needed",
    )


def test_many_metrics_can_be_told_from_random_numbers():
    """The bootstrap needs no more resamples for more comparisons."""
    many = [f"BLEU-{order}" for order in range(1, 10)] + ["chrF"]
    result = tarocco.correlate(
        DEMO.systems, DEMO.references, ADEQUACY, metrics=many, level="segment", grouping="item", n_resamples=50
    )
    assert not result.notes
    assert result["random"].cluster > result["chrF"].cluster


def test_there_are_enough_permutations_for_all_pairs():
    many = [f"BLEU-{order}" for order in range(1, 13)]
    result = tarocco.correlate(DEMO.systems, DEMO.references, ADEQUACY, metrics=many, n_resamples=20)
    assert result.design.n_permutations == 1400  # 12 metrics are 66 pairs, and 66 / 0.05 is 1320
    assert correlated(n_permutations=None).design.n_permutations == 1000


def test_holm_is_for_pairs_of_metrics_and_by_itself_for_pairs_with_a_sentinel():
    result = correlated()
    families = {True: [], False: []}
    for one in result.metric_comparisons:
        families[bool({one.metric, one.other} & {"length ratio", "random", "constant"})].append(one)
    assert (len(families[False]), len(families[True])) == (6, 9)  # four metrics, and two sentinels with a correlation
    for family in families.values():
        assert [one.p_holm for one in family] == pytest.approx(textbook.holm([one.p_value for one in family]))


def test_leads_are_of_systems_that_both_metrics_have():
    whole = {system: float(np.mean(own)) for system, own in ADEQUACY.items()}
    gaps = {"A": {**whole, "brief": None}, "B": {**whole, "brief": -50.0, "literal": 9.0}, "C": dict.fromkeys(whole)}
    gaps["C"] |= {"careful": 1.0, "mirror": 2.0, "brief": 1.5}
    result = tarocco.correlate(DEMO.systems, DEMO.references, ADEQUACY, metrics=[], external=gaps, **QUICK)
    assert result["C"].coefficients["pearson"].why == "scores of 3 systems; a correlation needs at least 4"
    assert "A has scores of 5 of 6 systems" in result.notes
    assert "C has scores of 3 of 6 systems" in result.notes
    (lead,) = [one for one in result.metric_comparisons if {one.metric, one.other} == {"A", "B"}]
    five = [system for system in whole if system != "brief"]
    people, b = ([side[system] for system in five] for side in (whole, gaps["B"]))
    assert lead.difference == pytest.approx(1 - scipy.stats.pearsonr(b, people).statistic)


def test_whole_systems_on_both_sides_have_nothing_to_draw_from():
    whole = {system: float(np.mean(own)) for system, own in ADEQUACY.items()}
    external = {"A": whole, "B": {system: value + 1 if system == "brief" else value for system, value in whole.items()}}
    result = tarocco.correlate(
        DEMO.systems,
        DEMO.references,
        whole,
        metrics=[],
        external=external,
        test="bootstrap",
        n_resamples=300,
        population="these",
    )
    assert math.isnan(result["A"].interval.low)
    assert [math.isnan(one.p_value) for one in result.metric_comparisons if {one.metric, one.other} == {"A", "B"}] == [
        True
    ]


def test_a_criterion_with_few_systems_does_not_stop_the_others(tmp_path):
    rows = [f"{system}\t{1 + i}\t{i * i if i < 3 else ''}" for i, system in enumerate(DEMO.systems)]
    (tmp_path / "h.tsv").write_text("\n".join(["system\tgood\tbad", *rows]) + "\n")
    result = tarocco.correlate(DEMO.systems, DEMO.references, tmp_path / "h.tsv", metrics="chrF", **QUICK)
    assert result.criteria == ["good"]
    assert any(note.startswith("bad: a correlation of systems needs at least 4") for note in result.notes)


def test_names_of_sentinels_are_taken():
    with pytest.raises(BadParameter, match="random is the name of a row"):
        tarocco.correlate(DEMO.systems, DEMO.references, ADEQUACY, metrics=[], external={"random": ADEQUACY})


def test_outliers_are_named_and_dropped_if_asked():
    kept = tarocco.correlate(DEMO.systems, DEMO.references, f"{FOLDER}/grades.tsv:fluency", metrics="chrF", **QUICK)
    assert kept.outliers == {"fluency": ("literal",)}
    dropped = tarocco.correlate(
        DEMO.systems, DEMO.references, f"{FOLDER}/grades.tsv:fluency", metrics="chrF", drop_outliers=True, **QUICK
    )
    rest = {name: own for name, own in DEMO.systems.items() if name != "literal"}
    alone = tarocco.correlate(rest, DEMO.references, f"{FOLDER}/grades.tsv:fluency", metrics="chrF", **QUICK)
    assert dropped["chrF"].coefficients == alone["chrF"].coefficients
    assert kept["chrF"].coefficients != alone["chrF"].coefficients
    assert "outliers:dropped(literal)" in dropped["chrF"].signature


def test_pearson_without_outliers_is_shown_beside():
    kept = tarocco.correlate(DEMO.systems, DEMO.references, f"{FOLDER}/grades.tsv:fluency", metrics="chrF", **QUICK)
    rest = {name: own for name, own in DEMO.systems.items() if name != "literal"}
    alone = tarocco.correlate(rest, DEMO.references, f"{FOLDER}/grades.tsv:fluency", metrics="chrF", **QUICK)
    assert kept["chrF"].pearson_without_outliers == pytest.approx(alone["chrF"].coefficients["pearson"].value)
    assert kept.to_dict()[0]["pearson_without_outliers"] == kept.correlations[0].pearson_without_outliers
    assert correlated()["chrF"].pearson_without_outliers is None


def test_two_judged_systems_count():
    two = {name: DEMO.systems[name] for name in ("mirror", "careful")}
    result = tarocco.correlate(
        two, DEMO.references, ADEQUACY, metrics="chrF", level="segment", grouping="item", **QUICK
    )
    tau = result["chrF"].coefficients["kendall"]
    x, y = (np.array(side) for side in (goodness("chrF", lambda score: score.segments), list(ADEQUACY.values())))
    place = list(DEMO.systems).index
    order = np.sign(x[place("mirror")] - x[place("careful")]) * np.sign(y[place("mirror")] - y[place("careful")])
    assert (tau.value, tau.defined, tau.groups) == (pytest.approx(order[order != 0].mean()), (order != 0).sum(), 60)


@pytest.mark.parametrize(
    ("options", "value"),
    [
        ({"coefficient": "accuracy"}, lambda one: one.accuracies.pairwise),
        ({"coefficient": "spa"}, lambda one: one.accuracies.soft),
        ({"level": "segment", "coefficient": "acc-eq"}, lambda one: one.accuracies.ties.accuracy),
    ],
)
def test_pairwise_coefficients_rank_metrics(options, value):
    result = correlated(**options)
    values = [result.value(one) for one in result]
    assert values == sorted(values, reverse=True)
    for one in result:
        assert result.value(one) == value(one)
        assert one.interval.low <= one.interval.high
    again = correlated(**options, jobs=1)
    assert result.to_dict() == again.to_dict()


def test_what_people_did_not_judge_is_told():
    some = {system: [None, *scores[1:]] for system, scores in ADEQUACY.items() if system != "mirror"}
    result = tarocco.correlate(DEMO.systems, DEMO.references, some, metrics="chrF", **QUICK)
    assert result.notes == (
        'there are no human scores of system "mirror" (there are careful, middling, literal, brief, verbose)',
        "human: people judged 59 of 60 segments",
    )
    some["brief"] = [None, None, *some["brief"][2:]]
    result = tarocco.correlate(DEMO.systems, DEMO.references, some, metrics="chrF", **QUICK)
    assert result.notes[1].startswith("human: people judged 58 segments of brief and 59 of careful, so their means")
    people = [np.nanmean(np.array(scores, float)) for scores in some.values()]
    scores = tarocco.score(DEMO.systems, DEMO.references, metrics="chrF")
    wanted = scipy.stats.pearsonr([scores[system]["chrF"].score for system in some], people)[0]
    assert result["chrF"].coefficients["pearson"].value == pytest.approx(wanted)


def test_external_scores_are_metrics_too():
    segments = {system: [score + i % 3 for i, score in enumerate(own)] for system, own in ADEQUACY.items()}
    whole = {system: float(np.mean(own)) for system, own in ADEQUACY.items()}
    external = {"ours": segments, "theirs:error": {system: -value for system, value in whole.items()}}
    result = tarocco.correlate(DEMO.systems, DEMO.references, ADEQUACY, metrics=[], external=external, **QUICK)
    assert result["ours"].coefficients["pearson"].value == pytest.approx(1)
    assert result["theirs"].coefficients["pearson"].value == pytest.approx(1)
    below = tarocco.correlate(
        DEMO.systems, DEMO.references, ADEQUACY, metrics=[], external=external, level="segment", **QUICK
    )
    assert "theirs has scores for whole systems only: left out at segment level" in below.notes
    assert "ours" in [one.metric for one in below]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"level": "corpus"}, "level is one of"),
        ({"grouping": "item"}, "at system level there is nothing to group"),
        ({"coefficient": "tau"}, "a coefficient is one of pearson"),
        ({"system_scores": "median"}, "system_scores is one of corpus, mean"),
        ({"test": "sign"}, "test is one of perm, williams, bootstrap"),
        ({"level": "segment", "test": "perm"}, "the permutation test is for the system level"),
        ({"level": "segment", "grouping": "item", "test": "williams"}, "Williams' test is for points in one list"),
        ({"coefficient": "kendall", "test": "williams"}, "Williams' test is for Pearson's correlation"),
        ({"level": "document", "test": "williams", "coefficient": "pearson"}, "pseudo-documents share segments"),
        ({"level": "segment", "coefficient": "spa"}, "spa is a coefficient of the system level"),
        ({"coefficient": "acc-eq"}, "acc-eq is a coefficient of the segment level"),
        ({"level": "segment", "grouping": "none", "coefficient": "acc-eq"}, "its grouping is item"),
        ({"population": "all"}, "population is one of such, these"),
        ({"population": "such", "coefficient": "kendall-a"}, "kendall-a does not correct for ties"),
        ({"level": "document", "population": "such"}, "only segments are resampled"),
        ({"at_differences": (0,)}, "at_differences are numbers above 0"),
        ({"alpha": 5}, "alpha is a number between 0 and 1"),
        ({"n_permutations": 0}, "n_permutations is an integer of at least 1"),
        ({"level": "document", "document_size": 0}, "document_size is an integer"),
        ({"level": "segment", "drop_outliers": True}, "outliers are systems"),
        ({"n_resamples": 1}, "n_resamples"),
        ({"n_documents": 0}, "n_documents is an integer"),
    ],
)
def test_wrong_questions(options, said):
    with pytest.raises(BadParameter, match=said):
        correlated(**options)


def test_wrong_data():
    three = dict(list(DEMO.systems.items())[:3])
    with pytest.raises(InputError, match="needs at least 4 that people judged, and there are 3 systems; scores of seg"):
        tarocco.correlate(three, DEMO.references, ADEQUACY, metrics="chrF")
    with pytest.raises(InputError, match=r'^human scores: expected only numbers for system "careful"'):
        tarocco.correlate(DEMO.systems, DEMO.references, dict.fromkeys(DEMO.systems, "good"))
    with pytest.raises(InputError, match="people judged a, b, but the systems are careful"):
        tarocco.correlate(DEMO.systems, DEMO.references, {"a": 1, "b": 2}, metrics="chrF")
    whole = dict.fromkeys(DEMO.systems, 1.0)
    with pytest.raises(InputError, match="people judged whole systems only"):
        tarocco.correlate(DEMO.systems, DEMO.references, whole, metrics="chrF", level="segment")
    with pytest.raises(InputError, match="a mapping from names to segments"):
        tarocco.correlate(DEMO.systems["mirror"], DEMO.references, ADEQUACY, metrics="chrF")
    with pytest.raises(InputError, match="expected at least 300 segments to draw sets of 300, found 60"):
        correlated(level="document", document_size=300)
    with pytest.raises(UnknownName, match='"COMET" was not correlated'):
        correlated()["COMET"]
    one = {"mirror": DEMO.systems["mirror"]}
    with pytest.raises(InputError, match="there is 1 system within each item, and a correlation needs at least 2"):
        tarocco.correlate(one, DEMO.references, ADEQUACY, metrics="chrF", level="segment", grouping="item")
    with pytest.raises(InputError, match="soft pairwise accuracy needs human scores of segments"):
        tarocco.correlate(DEMO.systems, DEMO.references, whole, metrics="chrF", coefficient="spa")
    with pytest.raises(InputError, match="no metric was selected"):
        tarocco.correlate(DEMO.systems, DEMO.references, ADEQUACY, metrics=[])
    constant = tarocco.correlate(DEMO.systems, DEMO.references, whole, metrics="chrF", **QUICK)
    assert constant["chrF"].coefficients["pearson"].why == "all human scores are equal"
    assert constant.metric_comparisons == ()


# --- the command ---------------------------------------------------------------------------------------------------

SYSTEMS = [str(FOLDER / f"{name}.txt") for name in DEMO.systems]
COMMAND = ["correlate", *(str(FOLDER / f"ref{r}.txt") for r in range(1, 5)), "-i", *SYSTEMS]
FEW = ["--n-resamples", "20", "--n-permutations", "300", "-m", *METRICS]
GRADES = ["--human", str(FOLDER / "grades.tsv:adequacy")]


def run(capsys, *more):
    code = main([*COMMAND, *FEW, *more])
    out, err = capsys.readouterr()
    return code, out, err


def test_the_command_prints_what_the_function_gives(capsys):
    code, out, err = run(capsys, *GRADES, "-f", "json")
    assert code == 0
    assert err.startswith("tarocco: note: with 6 systems, no difference between metrics can be")
    answer = json.loads(out, parse_constant=lambda name: pytest.fail(name))
    wanted = tarocco.correlate(DEMO.systems, DEMO.references, f"{FOLDER}/grades.tsv:adequacy", metrics=METRICS, **QUICK)
    assert answer["results"] == json.loads(json.dumps(wanted.to_dict()))
    assert (answer["command"], answer["level"], answer["seed"]) == ("correlate", "system", 12345)
    pairs = json.loads(run(capsys, *GRADES, "-f", "json", "--pairs")[1])["results"]
    assert pairs == json.loads(json.dumps(wanted.pairs()))


def test_tables(capsys):
    _, out, _ = run(capsys, *GRADES)
    lines = out.splitlines()
    assert lines[0].split() == ["metric", "Pearson", "95%", "Spearman", "Kendall", "b", "accuracy", "SPA", "cluster"]
    assert lines[2].split()[0] == "chrF"
    assert "baselines that contain no information about quality: length ratio, random, constant" in out
    assert "no correlation for constant: all scores of the metric are equal" in out
    _, out, _ = run(capsys, "--human", str(FOLDER / "grades.tsv"), "-f", "md")
    assert out.startswith("| criterion | metric | Pearson |")
    _, out, _ = run(capsys, *GRADES, "--pairs", "-f", "latex", "--level", "segment")
    assert r"$^{*}$" in out
    _, out, _ = run(capsys, *GRADES, "-f", "tsv", "--level", "segment")
    header, first = (line.split("\t") for line in out.splitlines()[:2])
    assert dict(zip(header, first, strict=True))["metric"] == "chrF"
    _, out, _ = run(capsys, *GRADES, "-b", "-w", "2")
    assert out == "0.86\n0.47\n0.91\n0.90\n"  # as asked for
    _, out, _ = run(capsys, *GRADES, "-b", "--pairs")
    assert len(out.splitlines()) == 15


ALL_GRADES = ["--human", str(FOLDER / "grades.tsv")]


def drawn(capsys, path, *more):
    assert run(capsys, *ALL_GRADES, *more, "--figure", str(path))[0] == 0
    return json.loads(path.read_text("utf-8"))


def told(capsys, *more):
    return json.loads(run(capsys, *ALL_GRADES, *more, "-f", "json")[1])["results"]


def test_figures_leave_out_what_knows_nothing_of_quality(capsys, tmp_path):
    chart = drawn(capsys, tmp_path / "c.json")
    answer = told(capsys)
    shown = {
        (*panel["title"]["text"], row["system"], row["score"])
        for panel in chart["concat"]
        for row in panel["data"]["values"]
    }
    assert shown == {
        (f"Pearson: {one['criterion']}", one["metric"], one["pearson"]) for one in answer if not one["sentinel"]
    }
    assert len(chart["concat"]) == 3
    assert len({tuple(panel["layer"][1]["encoding"]["x"]["scale"]["domain"]) for panel in chart["concat"]}) == 1
    for one in answer:
        if one["sentinel"]:
            value = "-" if one["pearson"] is None else f"{one['pearson']:.3f}"
            (note,) = (note for note in chart["title"]["text"] if f"Not shown ({one['criterion']}): " in note)
            assert f"{one['metric']} {value}" in note


def test_figures_of_pairs(capsys, tmp_path):
    chart = drawn(capsys, tmp_path / "p.json", "--pairs")
    compare_metrics, ranked = told(capsys, "--pairs"), told(capsys)
    matrices = [line | matrix for line in chart["vconcat"] for matrix in line["hconcat"]]  # one alone has data above it
    assert [matrix["title"]["text"] for matrix in matrices] == [["adequacy"], ["fluency"], ["average"]]
    for matrix in matrices:
        (title,) = matrix["title"]["text"]
        found = {
            (cell["row"], cell["column"]): cell["value"]
            for cell in matrix["data"]["values"]
            if cell["value"] is not None
        }
        assert found == {
            (one["metric"], one["other"]): one["p_holm"] for one in compare_metrics if one["criterion"] == title
        }
        names = [one["metric"] for one in ranked if one["criterion"] == title and one["pearson"] is not None]
        assert matrix["layer"][0]["encoding"]["y"]["scale"]["domain"] == names
    assert chart["title"]["text"][-1] == "Not shown, without a correlation: constant"


def test_human_scores_of_an_experiment(capsys, tmp_path):
    experiment = tmp_path / "e.toml"
    experiment.write_text(
        f'references = ["{FOLDER}/ref*.txt"]\nsystems = {json.dumps(SYSTEMS)}\nhuman = "{FOLDER}/grades.tsv:adequacy"\n'
    )
    assert main(["correlate", str(experiment), *FEW, "-f", "json"]) == 0
    from_file = json.loads(capsys.readouterr().out)["results"]
    assert from_file == json.loads(run(capsys, *GRADES, "-f", "json")[1])["results"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([], "no human scores: give --human FILE, or name them in an experiment file"),
        (["--human", "nowhere.tsv"], "nowhere.tsv: there is no such file"),
        (["--human", str(FOLDER)], f"{FOLDER}: expected a file of human scores, found a directory"),
        ([*GRADES, "--level", "segment", "--test", "perm"], "the permutation test is for the system level"),
        (
            [*GRADES, "--level", "document", "--document-size", "61"],
            "expected at least 61 segments",
        ),
    ],
)
def test_wrong_commands(capsys, more, said):
    code, out, err = run(capsys, *more)
    assert (code, out) == (1, "")
    assert said in err
    assert len(err.splitlines()) == 1
