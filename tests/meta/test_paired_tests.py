"""Paired tests equal their textbook versions; error rates and power hold in small simulations."""

import json
import math
import warnings

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.meta.significance.distributions import t_quantile, upper_tail
from tarocco.meta.significance.multiple_testing import holm
from tarocco.meta.significance.paired_tests import (
    INTERVAL_DRAWS,
    Difference,
    PairedTest,
    _all_swaps,
    _tail_bound,
    _tile_pairs,
    compare_pairs,
    group_systems,
    sign_test,
    upper_tail_of_wins,
)
from tarocco.scoring.results import Score
from tests.textbook import paired_tests as textbook

WORDS = st.lists(st.sampled_from("abcd"), max_size=5).map(" ".join)
ROWS = st.tuples(WORDS, WORDS, WORDS.filter(bool), st.sampled_from("xyz"))
SEGMENTS = st.lists(ROWS, min_size=1, max_size=9)
METRICS = ("BLEU-2", "ROUGE-1", "NIST-2")
TESTS = ("randomization", "bootstrap", "sign", "sacrebleu")
DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"


def make_pair(segments, name, documents=False):
    """Return the two scores, and their rows per unit, as lists."""
    baseline, system, references, labels = (list(column) for column in zip(*segments, strict=True))
    scores = tarocco.score(
        {"base": baseline, "new": system},
        references,
        metrics=name,
        tokenize="none",
        documents=labels if documents else None,
    ).scores
    rows = [score.statistics.tolist() for score in scores]
    if documents:
        rows = [textbook.by_document(own, labels) for own in rows]
    metric = tarocco.metric(name)
    return tuple(scores), rows, lambda sums: float(metric.score(np.array(sums)))


def run_test(pair, name, n=9, seed=1, **options):
    return compare_pairs([pair], PairedTest(name, n, seed, **options))[0]


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS, st.booleans())
def test_few_differing_units_are_enumerated(name, segments, documents):
    pair, rows, score = make_pair(segments, name, documents)
    result = run_test(pair, "randomization")
    if math.isnan(result.difference):
        return
    assert result.exact
    assert result.p_value == pytest.approx(textbook.exact_randomization(*rows, score))
    assert (result.unit, result.units) == ("document" if documents else "segment", len(rows[0]))


@pytest.mark.parametrize("name", METRICS)
@given(st.lists(ROWS, min_size=13, max_size=40), st.integers(0, 2**63))
def test_randomization(name, segments, seed):
    pair, rows, score = make_pair(segments, name)
    result = run_test(pair, "randomization", seed=seed)
    if not result.exact and not math.isnan(result.difference):
        assert result.p_value == pytest.approx(textbook.randomization(*rows, score, 9, seed))


@pytest.mark.parametrize("test", ["bootstrap", "sacrebleu"])
@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS, st.integers(0, 2**70), st.booleans())
def test_bootstraps(name, test, segments, seed, documents):
    pair, rows, score = make_pair(segments, name, documents)
    result = run_test(pair, test, n=15, seed=seed)
    if not math.isnan(result.difference):
        assert result.p_value == pytest.approx(getattr(textbook, test)(*rows, score, 15, seed % 2**64))


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS, st.booleans())
def test_the_sign_test_goes_both_ways(name, segments, documents):
    pair, rows, score = make_pair(segments, name, documents)
    result = run_test(pair, "sign")
    if math.isnan(result.difference):
        return
    forth, back = textbook.signs(*rows, score), textbook.signs(*rows[::-1], score)
    assert {key: result.details[key] for key in forth} == forth
    assert {key.removeprefix("reverse_"): result.details[key] for key in result.details if "reverse" in key} == back
    assert result.p_value == pytest.approx(textbook.sign_test_both_ways(*rows, score))


@given(st.integers(0, 200), st.integers(0, 200))
def test_sign_test(wins, losses):
    assert sign_test(wins, losses) == pytest.approx(textbook.sign_test(wins, losses), abs=1e-12)
    assert upper_tail_of_wins(wins, losses) == pytest.approx(textbook.at_least(wins, losses), abs=1e-12)


def test_sign_test_of_many_segments():
    assert sign_test(1100, 950) == pytest.approx(textbook.sign_test(1100, 950), rel=1e-9)


@pytest.mark.parametrize("degrees", [1, 2, 5, 59, 2000])
@pytest.mark.parametrize("probability", [0.5, 0.8, 0.975, 0.99999])
def test_quantiles_of_t_are_scipys(degrees, probability):
    assert t_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-9, abs=1e-9)
    assert upper_tail(1.7, degrees) == pytest.approx(stats.t.sf(1.7, degrees), rel=1e-9)


def test_holm():
    """Worked by hand: 0.01 * 4, 0.02 * 3, then the larger of 0.03 * 2 and the one before, and so on."""
    assert holm(np.array([0.03, 0.01, 0.04, 0.02])).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm(np.array([0.5, 0.9])).tolist() == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("test", TESTS)
def test_interval_and_detectable_effect(test):
    """Both come from one standard error: that of the bootstrap, with t for the number of units.

    The randomization test adds the spread of its own null distribution, known in closed form for a mean of segments.
    """
    result = tarocco.compare(DEMO.systems, DEMO.references, metrics="ROUGE-L", test=test, n_resamples=20_000)
    scores = {score.system: score for score in result.scores.scores}
    one = result.differences[0]
    rows = [scores[name].statistics.tolist() for name in (one.baseline, one.system)]
    score = tarocco.metric("ROUGE-L").score
    error = textbook.standard_error(*rows, lambda sums: float(score(np.array(sums))), INTERVAL_DRAWS, 12345)
    t = stats.t.ppf([0.975, 0.8, 1 - 0.025 / len(result)], len(rows[0]) - 1)
    assert one.interval == pytest.approx((one.difference - t[0] * error, one.difference + t[0] * error))
    differences = scores[one.system].segments - scores[one.baseline].segments
    of_null = error if test != "randomization" else differences.std(ddof=1) / len(differences) ** 0.5
    tolerance = 0.02 if test == "randomization" else 1e-6  # the null's spread is estimated from 20,000 draws
    assert one.detectable == pytest.approx(t[0] * of_null + t[1] * error, rel=tolerance)
    assert one.detectable_holm == pytest.approx(t[2] * of_null + t[1] * error, rel=tolerance)


@pytest.mark.parametrize("test", TESTS)
def test_identical_outputs(test):
    careful = DEMO.systems["careful"]
    result = tarocco.compare({"one": careful, "same": list(careful)}, DEMO.references, metrics="BLEU-4", test=test)
    one = result.of("BLEU-4", "same")
    assert (one.difference, one.better, one.significant, one.testable) == (0, None, False, False)
    if test != "sacrebleu":  # whose p-value is smallest where nothing differs
        assert one.p_value == 1
    assert "BLEU-4, one and same: the outputs have equal statistics in every segment, so p = 1" in result.notes


@pytest.mark.parametrize("differing", [1, 2, 3, 5, 6])
def test_below_six_differing_segments_nothing_is_significant(differing):
    references = [f"a{i} b c d e f" for i in range(50)]
    worse = ["x y z" if i < differing else line for i, line in enumerate(references)]
    result = tarocco.compare({"worse": worse, "right": references}, references, metrics="chrF")
    one = result.of("chrF", "right")
    assert one.exact
    assert one.p_value == pytest.approx(2.0 ** (1 - differing))
    assert one.significant == one.testable == (differing == 6)
    if differing < 6:
        assert any("cannot be tested: the systems differ in" in note for note in result.notes)


@pytest.mark.parametrize("name", ["bootstrap", "sacrebleu"])
def test_what_cannot_be_tested_is_not_significant(name):
    """Five of 200 segments differ: no test of these units can reach .05, whatever a bootstrap says."""
    references = ["a b c d e"] * 200
    baseline = ["x y"] * 5 + ["a b c d e"] * 195
    result = tarocco.compare({"base": baseline, "new": references}, references, metrics="chrF", test=name)
    (difference,) = result.differences
    assert not difference.testable
    assert not difference.significant


def test_the_loser_of_sixty_to_nothing_is_not_called_the_winner():
    """In this example BLEU improves when either system's outputs replace the other's (Chiang et al. 2008)."""
    folder = ROOT / "examples" / "audit" / "signs"
    read = {path.stem: path.read_text("utf-8").splitlines() for path in folder.glob("*.txt")}
    references = read.pop(next(name for name in read if name.startswith("ref")))
    names = sorted(name for name in read if name not in ("source",))[:2]
    result = tarocco.compare({name: read[name] for name in names}, references, metrics="BLEU-4", test="sign")
    one = result.differences[0]
    assert one.details["contradicts_itself"]
    assert (one.better, one.p_value, one.significant) == (None, 1.0, False)
    assert any("the sign test contradicts itself" in note for note in result.notes)


def test_documents_are_units_where_they_are_known():
    labels = [f"d{i // 10}" for i in range(60)]
    scores = tarocco.score(
        {name: DEMO.systems[name] for name in ("careful", "mirror")}, DEMO.references, documents=labels
    )
    pair = tuple(scores.scores)
    one = compare_pairs([pair], PairedTest())[0]
    assert (one.unit, one.units, one.exact) == ("document", 6, True)
    assert one.p_value >= 2 / 64
    by_segment = compare_pairs([pair], PairedTest(n_resamples=500, unit="segment"))[0]
    assert (by_segment.unit, by_segment.units) == ("segment", 60)
    with pytest.raises(tarocco.TaroccoError, match="has no document labels"):
        tarocco.compare(DEMO.systems, DEMO.references, metrics="BLEU-4", unit="document")


# --- error rates, in small: `make calibration` has thousands of runs ---


def population(metric="chrF"):
    """Return two systems; under the null a coin decides whose output is whose."""
    systems = {name: DEMO.systems[name] for name in ("middling", "mirror")}
    return tarocco.score(systems, DEMO.references, metrics=metric).scores


def make_score(name, like, rows):
    sums = rows.sum(axis=0)
    return Score(name, like.metric, like.signature, float(like.metric.score(sums)), rows, sums)


def draw_null(pair, n, random):
    chosen, swap = random.integers(0, 60, n), random.integers(0, 2, (n, 1)).astype(bool)
    rows = [score.statistics[chosen] for score in pair]
    return tuple(make_score(name, pair[0], np.where(swap, rows[i], rows[1 - i])) for i, name in enumerate("ab"))


@pytest.mark.parametrize(("test", "most"), [("randomization", 0.085), ("bootstrap", 0.085), ("sign", 0.085)])
def test_error_rate_under_the_null(test, most):
    """Of 300 runs at .05, more than 8.5% are significant with a probability below .005."""
    pair = population()
    p_values = [
        run_test(draw_null(pair, 100, np.random.default_rng(run)), test, 200, run).p_value for run in range(300)
    ]
    assert np.mean(np.array(p_values) <= 0.05) <= most
    assert max(p_values) > 0.9


def test_sacrebleus_error_rate_is_what_the_page_says():
    pair = population()
    p_values = [
        run_test(draw_null(pair, 100, np.random.default_rng(run)), "sacrebleu", 200, run).p_value for run in range(300)
    ]
    assert np.mean(np.array(p_values) <= 0.05) > 0.06


def test_power_at_the_detectable_difference():
    pair = population("BLEU-4")
    true = pair[1].score - pair[0].score
    pilot = run_test(pair, "randomization", 100)
    n = max(13, round(60 * (pilot.detectable / abs(true)) ** 2))
    hits = 0
    for run in range(150):
        chosen = np.random.default_rng(run).integers(0, 60, n)
        drawn = tuple(make_score(score.system, score, score.statistics[chosen]) for score in pair)
        hits += run_test(drawn, "randomization", 200, run).p_value <= 0.05
    assert 0.68 <= hits / 150 <= 0.92  # .80 within 3.5 standard errors


# --- groups ---


@given(
    st.lists(st.integers(0, 4), min_size=2, max_size=6).flatmap(
        lambda scores: st.tuples(
            st.just(scores),
            st.lists(st.booleans(), min_size=len(scores) * (len(scores) - 1) // 2, max_size=30),
        )
    )
)
def test_groups_are_cut_only_where_every_pair_is_significant(drawn):
    values, significant = drawn
    metric = tarocco.metric("chrF")
    rows = np.zeros((1, 1))
    scores = [Score(f"s{i}", metric, "", float(value), rows, rows[0]) for i, value in enumerate(values)]
    differences, above = [], set()
    decisions = iter(significant)
    for i, one in enumerate(scores):
        for other in scores[i + 1 :]:
            better = other.score > one.score
            is_significant = next(decisions) and other.score != one.score
            differences.append(
                Difference(
                    "chrF", one.system, other.system, other.score - one.score, better, 0.5, significant=is_significant
                )
            )
            if is_significant:
                above.add((other.system, one.system) if better else (one.system, other.system))
    found = group_systems(scores, differences)
    order = [score.system for score in sorted(scores, key=lambda score: -score.score)]
    assert found.groups == textbook.groups(order, above)
    for name, (first, last) in found.ranks.items():
        assert first == 1 + sum(pair[1] == name for pair in above)
        assert last == len(scores) - sum(pair[0] == name for pair in above)


# --- the peer, and the interfaces ---


@pytest.mark.parametrize("test", ["sacrebleu", "randomization"])
@pytest.mark.parametrize("ours", ["BLEU-4", "chrF", "TER"])
def test_agreement_with_sacrebleu(test, ours):
    """sacrebleu 2.6.0's paired tests on the bundled set, with its own draws: within random error."""
    import sacrebleu
    from sacrebleu.significance import PairedTest as Peer

    metric = {"BLEU-4": sacrebleu.BLEU(), "chrF": sacrebleu.CHRF(), "TER": sacrebleu.TER()}[ours]
    references = [list(stream) for stream in zip(*DEMO.references, strict=True)]
    names = ["careful", "mirror", "middling"]
    kind = {"sacrebleu": "bs", "randomization": "ar"}[test]
    peers = Peer([(name, list(DEMO.systems[name])) for name in names], {"x": metric}, references, kind, 1000)()[1]
    peers = next(value for key, value in peers.items() if key not in ("System", "system"))
    result = tarocco.compare(
        {name: DEMO.systems[name] for name in names}, DEMO.references, metrics=ours, test=test, n_resamples=1000
    )
    for name, peer in zip(names[1:], peers[1:], strict=True):
        p_value = result.of(ours, name).p_value
        middle = (p_value + peer.p_value) / 2
        assert abs(p_value - peer.p_value) <= 4 * math.sqrt(2 * middle * (1 - middle) / 1000) + 1e-3


def test_threads_do_not_matter():
    options = {"metrics": ["BLEU-4", "chrF"], "n_resamples": 500}
    for test in TESTS:
        one, four = (tarocco.compare(DEMO.systems, DEMO.references, test=test, jobs=jobs, **options) for jobs in (1, 4))
        assert one.to_dict() == four.to_dict()


def test_all_pairs_and_another_baseline():
    systems = {name: DEMO.systems[name] for name in ("careful", "mirror", "brief")}
    every = tarocco.compare(systems, DEMO.references, metrics="BLEU-4", all_pairs=True)
    assert [(one.baseline, one.system) for one in every] == [
        ("careful", "mirror"),
        ("careful", "brief"),
        ("mirror", "brief"),
    ]
    assert every.groups["BLEU-4"].groups == (("careful",), ("mirror",), ("brief",))
    other = tarocco.compare(systems, DEMO.references, metrics="BLEU-4", baseline="brief")
    assert {one.baseline for one in other} == {"brief"}
    assert other.groups == {}
    assert other.of("BLEU-4", "mirror").difference == -every.of("BLEU-4", "brief", "mirror").difference
    assert other.of("BLEU-4", "mirror").p_value == every.of("BLEU-4", "brief", "mirror").p_value


def test_external_scores():
    systems = {name: DEMO.systems[name] for name in ("careful", "mirror")}
    by_segment = {"careful": [1.0, 0.5] * 30, "mirror": [0.5, 0.5] * 30}
    whole = {"careful": 0.9, "mirror": 0.1}
    result = tarocco.compare(systems, DEMO.references, metrics="WER", external={"X": by_segment, "Y": whole})
    assert result.of("X", "mirror").significant
    assert result.untested == ("Y",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "test is one of randomization, bootstrap, sign, sacrebleu, not 't'"),
        ({"baseline": "x"}, 'there is no system "x" to compare with; there are careful, '),
        ({"n_resamples": 1.5}, "n_resamples"),
        ({"alpha": 5}, "is a number between 0 and 1"),
        ({"unit": "word"}, "unit is one of document, segment, not 'word'"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(tarocco.TaroccoError, match=message):
        tarocco.compare(DEMO.systems, DEMO.references, metrics="BLEU-4", **options)


def test_a_comparison_needs_two_systems():
    with pytest.raises(tarocco.TaroccoError, match="found one system; a comparison needs at least two"):
        tarocco.compare({"a": ["x"]}, ["x"])
    with pytest.raises(tarocco.TaroccoError, match="systems must be a mapping"):
        tarocco.compare(["x"], ["x"])


def run(capsys, *arguments):
    files = [str(FOLDER / f"ref{i}.txt") for i in (1, 2)]
    systems = [str(FOLDER / f"{name}.txt") for name in ("careful", "middling", "mirror")]
    code = main(["compare", *files, "-i", *systems, *map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_command(capsys):
    code, out, _ = run(capsys, "-m", "BLEU-4", "chrF")
    assert code == 0
    assert "middling  34.37 (p=0.0002)*" in out
    assert "test:randomization|n:10000|seed:12345|unit:segment|alpha:0.05|correction:holm" in out
    _, out, _ = run(capsys, "-m", "BLEU-4", "--all-pairs")
    assert "(a) careful   54.28bc" in out
    assert "BLEU-4: careful > mirror > middling" in out
    assert "$^{bc}$" in run(capsys, "-m", "BLEU-4", "--all-pairs", "-f", "latex")[1]
    assert "<sup>bc</sup>" in run(capsys, "-m", "BLEU-4", "--all-pairs", "-f", "md")[1]
    assert "win share 0" in run(capsys, "-m", "BLEU-4", "--pairs", "--test", "bootstrap")[1]
    assert run(capsys, "-m", "BLEU-4", "-b")[1].count("\n") == 2
    assert len(run(capsys, "-m", "BLEU-4", "-f", "tsv")[1].splitlines()) == 3


def test_json_keeps_better_a_truth_value(capsys):
    answer = json.loads(run(capsys, "-m", "BLEU-4", "-f", "json", "--test", "sign")[1])
    assert (answer["command"], answer["test"], answer["n_resamples"]) == ("compare", "sign", 0)
    first = answer["results"][0]
    assert first["pair"] == ["careful", "middling"]
    assert first["better"] is False
    assert first["improved"] + first["worsened"] + first["unchanged"] == 60
    assert first["low"] < first["difference"] < first["high"]


def test_few_segments_and_the_bootstrap_are_warned_of(capsys):
    assert "are few for the bootstrap" in run(capsys, "-m", "BLEU-4", "--test", "bootstrap")[2]
    assert "sacrebleu's p-values are too small" in run(capsys, "-m", "BLEU-4", "--test", "sacrebleu")[2]
    assert run(capsys, "-m", "BLEU-4")[2] == ""


def test_many_pairs_need_many_resamples():
    """With 1000 resamples the smallest p-value is 1/1001: times 66 pairs, nothing would ever be significant."""
    systems = {f"s{i}": [line[: len(line) - i] for line in DEMO.systems["careful"]] for i in range(12)}
    with warnings.catch_warnings():
        result = tarocco.compare(systems, DEMO.references, metrics="ROUGE-1", all_pairs=True)
    assert result.test.n_resamples == 10_000
    assert result.of("ROUGE-1", "s11", "s0").significant
    few = tarocco.compare(systems, DEMO.references, metrics="ROUGE-1", all_pairs=True, n_resamples=1000)
    assert "which needs at least 1400" in few.notes[0]
    assert tarocco.compare(systems, DEMO.references, metrics="ROUGE-1", test="sign").test.n_resamples == 0


@pytest.mark.parametrize("units", [16, 20])
@given(seed=st.integers(0, 2**32))
@settings(max_examples=15)
def test_the_bound_of_the_tail_is_above_the_exact_p_value_of_all_swaps(units, seed):
    """The sums have random signs, and standard deviations as random swaps would give them."""
    random = np.random.default_rng(seed)
    rows = random.standard_normal((units, 1)) ** 3 + random.uniform(0, 3)
    observed = float(rows.sum())
    null = observed - 2 * _all_swaps(rows)[:, 0]
    exact = np.mean(np.abs(null) >= abs(observed) * (1 - 1e-12))
    assert exact <= _tail_bound(null, observed)
    assert _tail_bound(null, observed) <= 3.2 * math.erfc(abs(observed) / null.std() / math.sqrt(2))


def test_the_number_of_draws_does_not_grow_with_the_number_of_systems():
    """It grew with their square, and memory with their cube: 128 systems needed 88 s and 5.8 GB."""
    random = np.random.default_rng(1)
    names = [f"s{i}" for i in range(40)]
    systems = {
        name: [" ".join(random.choice(list("abcdefgh"), 4 + i % 20)) for _ in range(30)] for i, name in enumerate(names)
    }
    references = [" ".join(random.choice(list("abcdefgh"), 20)) for _ in range(30)]
    result = tarocco.compare(systems, references, metrics="ROUGE-1", all_pairs=True, jobs=1)
    assert (result.test.n_resamples, result.test.resolution) == (10_000, 15_600)
    assert "|n:10000|" in result.rows()[0]["signature"]
    assert "|tail:15600|" in result.rows()[0]["signature"]
    assert not any("too few" in note for note in result.notes)
    clearest = min(one.p_value for one in result)
    assert clearest == 1 / 15_601  # as if there had been so many draws
    assert any(one.significant for one in result)
    many = tarocco.compare(systems, references, metrics="ROUGE-1", all_pairs=True, n_resamples=15_600, jobs=1)
    changed = [one for one, other in zip(many, result, strict=True) if one.significant != other.significant]
    assert len(changed) < 0.02 * len(result)
    assert all(0.02 < one.p_holm < 0.15 for one in changed)  # at the border
    for one, other in zip(many, result, strict=True):
        if other.p_value > 0.01:
            assert other.p_value == pytest.approx(one.p_value, rel=0.3)


def test_pairs_in_tiles_have_the_same_results(monkeypatch):
    systems = {name: list(DEMO.systems[name]) for name in list(DEMO.systems)[:4]}
    arguments = (systems, DEMO.references)
    once = tarocco.compare(*arguments, metrics="chrF", all_pairs=True, n_resamples=200, jobs=1)
    monkeypatch.setattr("tarocco.meta.significance.paired_tests._MOST_SUMS", 1)
    tiled = tarocco.compare(*arguments, metrics="chrF", all_pairs=True, n_resamples=200, jobs=2)
    assert tiled.to_dict() == once.to_dict()
    scores = {score.system: score for score in once.scores.scores}
    pairs = [(scores[one.baseline], scores[one.system]) for one in once]
    tiles = _tile_pairs(pairs, 2)
    assert sorted(place for tile in tiles for place in tile) == list(range(len(pairs)))
    assert all(len({score.system for place in tile for score in pairs[place]}) <= 2 for tile in tiles)
