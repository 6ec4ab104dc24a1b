"""Support by people equals its textbook version, and the laws of the verdict hold in small simulations."""

import json
import math
import re
import tracemalloc
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.meta.correlation.score_sources import ScoreSource, make_source
from tarocco.meta.support import people as support_by_people
from tarocco.meta.support.decision import (
    OPEN,
    REFUTED,
    SUPPORTED,
    SupportRules,
    describe_needed,
    group_units,
    step_down_max,
)
from tarocco.meta.support.people import (
    SUCH,
    THESE,
    PairAgreement,
    PartialRanks,
    Sources,
    draw_systems,
    judge_by_people,
    measure_stability,
    normal_cdf,
    permutation_test,
)
from tarocco.meta.support.support import find_copies
from tests.textbook import support as textbook

DEMO = datasets.load("demo")
GRADES = {system: [adequacy for adequacy, _ in pairs] for system, pairs in DEMO.grades.items()}

ADAPTIVE = SupportRules(n_draws=200, most_draws=1600, n_permutations=500)
QUICK = SupportRules(n_draws=200, most_draws=200, n_permutations=200, caution=0.0)
VALUES = st.sampled_from([0.0, 1.0, 2.0, 5.0, -1.0])
MISSING = st.one_of(VALUES, st.just(math.nan))


def tables(values, systems=(2, 5), segments=(1, 6)):
    """Draw human scores and those of two metrics, [systems][segments] each; people may leave gaps."""
    return st.tuples(st.integers(*systems), st.integers(*segments)).flatmap(
        lambda shape: st.tuples(
            *(
                st.lists(st.lists(kind, min_size=shape[1], max_size=shape[1]), min_size=shape[0], max_size=shape[0])
                for kind in (values, VALUES, VALUES)
            )
        )
    )


def sources(drawn):
    human, *metrics = (np.array(rows, float) for rows in drawn)
    return [make_source(f"m{i}", rows) for i, rows in enumerate(metrics)], make_source("human", human)


@given(tables(MISSING))
@pytest.mark.parametrize(("level", "coefficient"), [("system", textbook.spa), ("segment", textbook.segment_accuracy)])
def test_coefficients_equal_the_textbook(level, coefficient, drawn):
    metrics, people = sources(drawn)
    observed = PairAgreement(metrics, people, level).observed()
    for value, rows in zip(observed, drawn[1:], strict=True):
        assert value == pytest.approx(coefficient(rows, drawn[0]), abs=1e-6, nan_ok=True)


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(*[st.lists(VALUES, min_size=n, max_size=n)] * 2)))
def test_accuracy_of_system_scores_equals_the_textbook(drawn):
    metric, human = (np.array(values) for values in drawn)
    agreement = PairAgreement(
        [ScoreSource("m", metric, None, lambda sums: sums)], ScoreSource("h", human, None, lambda sums: sums), "system"
    )
    assert agreement.coefficient == "accuracy"
    assert agreement.observed()[0] == pytest.approx(textbook.accuracy(*drawn), nan_ok=True)


@given(tables(VALUES, systems=(3, 4)))
@pytest.mark.parametrize(("level", "coefficient"), [("system", textbook.spa), ("segment", textbook.segment_accuracy)])
def test_permuted_labels_equal_the_textbook(level, coefficient, drawn):
    """The lookup gives what relabeled human scores give."""
    metrics, people = sources(drawn)
    orders = np.array(list(permutations(range(len(drawn[0])))))
    permuted = PairAgreement(metrics, people, level).permuted(orders)
    for order, values in zip(orders, permuted, strict=True):
        relabeled = [drawn[0][i] for i in order]
        for value, rows in zip(values, drawn[1:], strict=True):
            expected = coefficient(rows, relabeled)
            if not math.isnan(expected):
                assert value == pytest.approx(expected, abs=1e-6)


def test_copies_of_a_system_do_not_count():
    random = np.random.default_rng(1)
    rows, human = random.normal(size=(4, 9)), random.normal(size=(4, 9))
    alone = PairAgreement([make_source("m", rows)], make_source("h", human), "system")
    places = [0, 1, 1, 2, 3]
    copied = PairAgreement([make_source("m", rows[places])], make_source("h", human[places]), "system", origins=places)
    pairs = dict(zip(combinations(range(4), 2), _agreement(alone), strict=True))
    weights = {pair: (2 if 1 in pair else 1) for pair in pairs}
    expected = sum(weights[pair] * pairs[pair] for pair in pairs) / sum(weights.values())
    assert copied.observed()[0] == pytest.approx(expected)
    orders = np.array(list(permutations(range(4))))
    assert copied.permuted(orders)[0, 0] == pytest.approx(expected)


@pytest.mark.parametrize(("level", "by_segment"), [("system", True), ("system", False), ("segment", True)])
def test_pairs_in_parts_have_the_same_results(level, by_segment, monkeypatch):
    random = np.random.default_rng(2)
    rows, human = random.integers(0, 5, (2, 12, 7)).astype(float)
    judge = make_source("h", human) if by_segment else ScoreSource("h", human.sum(axis=1), None, lambda sums: sums)
    agreement = PairAgreement([make_source("m", rows)], judge, level)
    orders = support_by_people.random_orders(12, 1, 0, 40)
    whole = agreement.permuted(orders), agreement.redraw(1, 40, True)
    monkeypatch.setattr(support_by_people, "MOST_CELLS", 1)
    assert len(support_by_people.split(66, 66)) == 5
    for parts, expected in zip((agreement.permuted(orders), agreement.redraw(1, 40, True)), whole, strict=True):
        np.testing.assert_allclose(parts, expected, rtol=0, atol=2e-10)


@pytest.mark.parametrize("by_segment", [True, False])
def test_permuting_many_systems_takes_no_table_of_pairs_by_pairs(by_segment):
    """Of 80 systems it had 3160 x 3160 numbers, 80 MB per metric; of 200 systems 3 GB."""
    human = np.tile(np.arange(80.0)[:, None], 4)
    judge = make_source("h", human) if by_segment else ScoreSource("h", human.sum(axis=1), None, lambda sums: sums)
    agreement = PairAgreement([make_source("m", human)], judge, "segment" if by_segment else "system")
    orders = np.array([range(80), range(79, -1, -1)])
    tracemalloc.start()
    try:
        values = agreement.permuted(orders)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert values.ravel().tolist() == [1, 0]
    assert peak < 20e6


def _agreement(agreement):
    return agreement._agreement(0, np.ones((1, 9)), agreement._human_side(np.ones((1, 9)))[0])[0]


@given(
    st.lists(st.lists(VALUES, min_size=2, max_size=2), min_size=1, max_size=12),
    st.lists(VALUES, min_size=2, max_size=2),
)
def test_step_down_maximum_equals_the_textbook(null, observed):
    found = step_down_max(np.array(observed), np.array(null), exact=True)
    assert found.tolist() == pytest.approx(textbook.step_down_max(observed, null))


def test_step_down_maximum_is_never_below_a_single_test():
    random = np.random.default_rng(2)
    observed, null = random.normal(size=5), random.normal(size=(500, 5))
    single = [(null[:, m] >= observed[m]).mean() for m in range(5)]
    assert (step_down_max(observed, null, exact=True) >= single).all()
    assert step_down_max(np.array([np.nan, 1.0]), np.array([[0.0, 0.0]]), exact=True).tolist() == [1.0, 0.0]


def test_the_normal_distribution():
    z = np.linspace(-6, 6, 101)
    expected = [0.5 * (1 + math.erf(value / math.sqrt(2))) for value in z]
    assert normal_cdf(z).tolist() == pytest.approx(expected, abs=1e-7)


def test_a_metric_that_is_length_knows_nothing_beyond_length():
    random = np.random.default_rng(3)
    length = random.normal(size=10)
    human = length + 2 * random.normal(size=10)
    knows = human + 0.01 * random.normal(size=10)
    ranks = PartialRanks(np.stack([length, length**3, knows]), human, length[None])
    rules = SupportRules(n_permutations=2000, most_draws=2000, seed=1)
    p, _ = permutation_test(ranks.observed(), ranks.permuted, 10, rules)
    assert p[0] == p[1] == 1.0
    assert p[2] < 0.01


def test_without_covariates_it_is_the_rank_correlation():
    metric, human = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 4])
    ranks = PartialRanks(metric[None], human, np.zeros((0, 4)))
    p, undecided = permutation_test(ranks.observed(), ranks.permuted, 4, SupportRules(n_permutations=100))
    assert p[0] == pytest.approx(1 / 24)
    assert not undecided.any()


def test_draws_of_systems_have_half_of_them_at_least():
    drawn = draw_systems(5, 7, 400)
    assert drawn.shape == (400, 5)
    assert (drawn.sum(axis=1) == 5).all()
    assert ((drawn > 0).sum(axis=1) >= 3).all()


def test_units_are_documents_and_at_most_400_groups():
    assert group_units(4, ["a", "b", "a", "b"]).tolist() == [0, 1, 0, 1]
    sizes = np.bincount(group_units(1000, None))
    assert len(sizes) == 400
    assert set(sizes.tolist()) == {2, 3}


def simulate(seed, systems=10, segments=120, noise=(0.3, 0.5, 3.0), good=0.7):
    """Human scores with real differences between systems, metrics of rising noise, and sentinels."""
    random = np.random.default_rng(seed)
    truth = np.sort(random.normal(size=(systems, 1)) * good, axis=0) + random.normal(size=(systems, segments))
    metrics = {f"noise {level}": truth + level * random.normal(size=truth.shape) for level in noise}
    # Noise of a system as a whole does not average out over its segments.
    metrics |= {
        "random": random.normal(size=truth.shape),
        "random per system": random.normal(size=(systems, 1)) + 0.2 * random.normal(size=truth.shape),
        "constant": np.ones(truth.shape),
        "inverted": -truth,
        "shuffled": truth[random.permutation(systems)],
    }
    return [make_source(name, rows) for name, rows in metrics.items()], make_source("human", truth)


def statuses(metrics, people, population=SUCH, **options):
    results = judge_by_people(Sources(metrics, people), rules=QUICK, **options)
    return {one.metric: one.status for one in results if one.population == population}


NULLS = ("random", "random per system", "constant", "inverted", "shuffled")


@pytest.mark.parametrize("level", ["system", "segment"])
def test_useless_metrics_are_supported_in_at_most_five_percent_of_runs(level):
    runs = 60
    counts = dict.fromkeys(NULLS, 0)
    for seed in range(runs):
        found = statuses(*simulate(seed, systems=8, segments=40), THESE, level=level)
        for name in NULLS:
            counts[name] += found[name] == SUPPORTED
    # 60 runs at a rate of .05 have more than 7 with a probability below .01.
    assert max(counts.values()) <= 7, counts


def test_a_perfect_metric_is_supported_once_the_data_suffice():
    metrics, people = simulate(1, systems=12, segments=200, noise=())
    perfect = make_source("perfect", people.segments)
    assert statuses([*metrics, perfect], people)["perfect"] == SUPPORTED
    few = [source.select(range(5)) for source in (*metrics, perfect, people)]
    results = judge_by_people(Sources(few[:-1], few[-1]), rules=QUICK)
    assert all(one.status != SUPPORTED for one in results)
    assert any("at least 6 are needed" in reason for one in results for reason in one.reasons)


def test_cleaner_metrics_are_supported_more_often():
    counts = dict.fromkeys(("noise 0.3", "noise 0.5", "noise 3.0"), 0)
    for seed in range(25):
        found = statuses(*simulate(seed, systems=12, segments=60))
        for name in counts:
            counts[name] += found[name] == SUPPORTED
    assert counts["noise 0.3"] >= counts["noise 3.0"]
    assert counts["noise 0.3"] > 0


def test_more_segments_support_more_metrics():
    few = many = 0
    for seed in range(20):
        few += list(statuses(*simulate(seed, segments=12)).values()).count(SUPPORTED)
        many += list(statuses(*simulate(seed, segments=200)).values()).count(SUPPORTED)
    assert many >= few


def test_adding_metrics_helps_none():
    for seed in range(12):
        metrics, people = simulate(seed, systems=9)
        random = np.random.default_rng(seed)
        others = [make_source(f"more {i}", random.normal(size=people.segments.shape)) for i in range(10)]
        before, after = statuses(metrics, people), statuses([*metrics, *others], people)
        assert not [name for name in before if before[name] != SUPPORTED and after[name] == SUPPORTED]


def test_a_much_better_metric_refutes():
    metrics, people = simulate(4, systems=14, segments=300, noise=(0.3,))
    results = {
        one.metric: one for one in judge_by_people(Sources(metrics, people), rules=QUICK) if one.population == THESE
    }
    assert results["inverted"].status == REFUTED
    assert results["inverted"].rival is not None
    assert results["inverted"].beaten == 1.0


def test_the_order_of_metrics_and_unrelated_ones_change_no_draw():
    metrics, people = simulate(5)
    one = {r.metric: r for r in judge_by_people(Sources(metrics, people), rules=QUICK) if r.population == SUCH}
    other = {r.metric: r for r in judge_by_people(Sources(metrics[::-1], people), rules=QUICK) if r.population == SUCH}
    assert {name: (r.value, r.low, r.high) for name, r in one.items()} == {
        name: (r.value, r.low, r.high) for name, r in other.items()
    }


def test_stability_counts_equal_verdicts():
    metrics, people = simulate(6, systems=12, segments=150, noise=(0.3,))
    observed = statuses(metrics, people)
    shares, limit = measure_stability(Sources(metrics, people), observed, rules=replace(QUICK, n_stability=10))
    assert set(shares) == set(observed)
    assert all(0 <= share <= 1 for share in shares.values())
    assert shares["inverted"] == 1.0
    assert limit == 1.0


def test_resamples_of_few_systems_seldom_have_enough_different_ones():
    """With six systems, a resample can support a metric only if it has all six: 6! of 6**6 resamples do."""
    metrics, people = simulate(6, systems=6, segments=30, noise=(0.3,))
    _, limit = measure_stability(Sources(metrics, people), {}, rules=replace(QUICK, n_stability=400))
    assert limit == pytest.approx(0.0155, abs=0.015)


def test_what_it_would_take():
    assert "only if the gap to the best metric turns out smaller" in describe_needed(-0.01, 0.1, 0.05, (12, 500))
    assert describe_needed(0.05, 0.1, 0.0, (12, 500)) == "it would take about 48 such systems"
    assert "segments" in describe_needed(0.05, 0.1, 0.1, (12, 500))
    assert "will not help" in describe_needed(0.001, 0.1, 0.0, (12, 500))


def test_open_says_what_it_would_take():
    metrics, people = simulate(7, systems=7, segments=20)
    results = judge_by_people(Sources(metrics, people), rules=QUICK)
    assert all((one.needed is None) == (one.status != OPEN) for one in results)


def test_what_it_would_take_is_about_the_test_that_failed():
    random = np.random.default_rng(5)
    truth = np.sort(random.normal(size=(3, 1)), axis=0) + 0.01 * random.normal(size=(3, 30))
    (perfect, *_) = judge_by_people(Sources([make_source("perfect", truth)], make_source("human", truth)), rules=QUICK)
    assert perfect.needed is not None
    assert int(re.search(r"about (\d+) such systems", perfect.needed)[1]) >= 6
    useless = judge_by_people(
        Sources([make_source("inverted", -truth)], make_source("human", truth)), rules=replace(QUICK, system_floor=0.0)
    )[0]
    assert useless.needed in (None, "more systems will help only if it turns out better than chance")


def test_ties_with_the_observed_value_count_against_it():
    """All 720 orders of six systems, accuracy 13 of 15: 20 orders have two inversions or fewer."""
    human, metric = np.arange(6.0), np.array([1.0, 0, 2, 4, 3, 5])
    (result, *_) = judge_by_people(
        Sources([ScoreSource("m", metric, None, lambda sums: sums)], ScoreSource("h", human, None, lambda sums: sums)),
        rules=QUICK,
    )
    assert result.value == pytest.approx(13 / 15)
    at_least = sum(sum(a > b for a, b in combinations(order, 2)) <= 2 for order in permutations(range(6)))
    assert result.p_values["better than chance"] == pytest.approx(at_least / 720)


def test_permutations_are_added_near_the_level():
    """An observed value whose true p-value is .05 stays undecided; one far from it takes no more permutations."""
    calls = []

    def permuted(orders):
        calls.append(len(orders))
        return orders[:, :1] + 0.0  # the first system's place: uniform from 0 to 19

    rules = SupportRules(n_permutations=1000, most_draws=8000)
    p, undecided = permutation_test(np.array([19.0]), permuted, 20, rules)
    assert sum(calls) == 8000
    assert undecided.tolist() == [True]
    assert p[0] == pytest.approx(0.05, abs=0.01)
    calls.clear()
    p, undecided = permutation_test(np.array([10.0]), permuted, 20, rules)
    assert (sum(calls), undecided.tolist()) == (1000, [False])


@pytest.mark.parametrize("extra", [1, 5])
def test_more_metrics_never_help_one(extra):
    """Support that a metric lacks, it does not gain because other metrics take part (law 2)."""
    for seed in range(12):
        metrics, people = simulate(seed, systems=9, segments=60, noise=(0.5, 1.5), good=0.5)
        alone = {one.metric: one.status for one in judge_by_people(Sources(metrics[:2], people), rules=ADAPTIVE)}
        more = judge_by_people(Sources(metrics[: 2 + extra], people), rules=ADAPTIVE)
        for one in more:
            if one.metric in alone and one.status == SUPPORTED:
                assert alone[one.metric] == SUPPORTED


def test_copies_of_a_system_count_as_one():
    rows = make_source("m", np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 1.0]]))
    assert find_copies([rows], 3) == [0, 0, 2]
    assert find_copies([], 3) == [0, 1, 2]
    systems = {**DEMO.systems, "copy": DEMO.systems["careful"]}
    grades = {**GRADES, "copy": GRADES["careful"]}
    result = tarocco.support(systems, DEMO.references, grades, metrics=["BLEU-4", "TER"], n_draws=200)
    plain = tarocco.support(DEMO.systems, DEMO.references, GRADES, metrics=["BLEU-4", "TER"], n_draws=200)
    assert any("copy: the same output as another system" in note for note in result.notes)
    assert result.of("TER", THESE) == plain.of("TER", THESE)


# --- the public function and the command ---


def test_the_public_function():
    result = tarocco.support(DEMO.systems, DEMO.references, GRADES, metrics=["BLEU-4", "TER"], n_draws=200)
    assert {one.level for one in result} == {"system", "segment"}
    assert {one.population for one in result} == {SUCH, THESE}
    assert result.of("TER", THESE).coefficient == "SPA"
    rows = result.rows()
    assert len(rows) == len(result) == 8
    with pytest.raises(tarocco.TaroccoError, match="NIST-5 was not judged"):
        result.of("NIST-5", SUCH)


def test_human_scores_of_whole_systems_are_taken_as_given():
    means = {system: sum(grades) / len(grades) for system, grades in GRADES.items()}
    result = tarocco.support(DEMO.systems, DEMO.references, means, metrics=["BLEU-4", "TER"], n_draws=200)
    assert {(one.population, one.level, one.coefficient) for one in result} == {(SUCH, "system", "accuracy")}
    assert any("taken as given" in note for note in result.notes)


def test_documents_are_redrawn_as_wholes():
    options = {"metrics": "BLEU-4", "n_draws": 200}
    documents = [f"d{i // 20}" for i in range(60)]
    one = tarocco.support(DEMO.systems, DEMO.references, GRADES, **options)
    other = tarocco.support(DEMO.systems, DEMO.references, GRADES, documents=documents, **options)
    first, second = (result.of("BLEU-4", THESE) for result in (one, other))
    assert first.value != second.value  # the p-values of SPA swap documents
    assert (first.low, first.high) != (second.low, second.high)


def test_the_command(capsys):
    path = str(ROOT / "src" / "tarocco" / "data" / "demo" / "demo.toml")
    assert main(["correlate", path, "-m", "BLEU-4", "TER", "--support", "--stability", "3", "-q"]) == 0
    out = capsys.readouterr().out
    assert "such systems" in out
    assert "(" in out
    assert main(["correlate", path, "-m", "BLEU-4", "TER", "--support", "-f", "json", "-q"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["command"] == "support"
    assert {record["status"] for record in answer["results"]} <= {OPEN, REFUTED, SUPPORTED}
    assert set(answer["results"][0]["p_values"]) == {"better than chance", "better than output length"}
