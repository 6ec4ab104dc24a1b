"""Audits equal their definitions, decomposable metrics cannot be gamed, and bad input is explained."""

import csv
import io
import json
from itertools import accumulate, combinations, product

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.test_set import Segments
from tarocco.meta.audit import checks as straw
from tarocco.meta.audit.audit import METRICS as DEFAULTS
from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.audit.checks import (
    MAX_LABELS,
    MAX_STEPS,
    SegmentGroups,
    blank_greedily,
    check_deletion,
    check_mixing,
    check_sign_test,
    check_straw_men,
    check_trading,
)
from tarocco.meta.audit.evidence import CHECKS, AuditFinding, AuditSettings, CheckResult, Evidence
from tarocco.meta.audit.minimum_effects import correct, find_p_by_bootstrap, find_p_of_excess
from tarocco.render.results.audit import unproven
from tarocco.scoring.resampling import bootstrap
from tarocco.scoring.results import Score
from tests.textbook import auditing

DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
# From lists, which Hypothesis draws faster than words. The first system says too much, the second too little, and the
# third says anything: so do findings come about.
TEXTS = ["", "d", *(" ".join(words) for size in (2, 3) for words in product("ab", repeat=size)), "b a c a b a"]
REFERENCES = ["a", "a b", "a b c d", "b a c a b", "a b c d e f g", "b c a"]
SEGMENTS = st.lists(
    st.tuples(
        st.sampled_from(REFERENCES),
        st.sampled_from(["", " z", " z z"]),
        st.sampled_from([2, 2, 4, 20]),
        st.sampled_from(TEXTS),
        st.sampled_from("xyz"),
    ),
    min_size=2,
    max_size=9,
)
METRICS = ("BLEU-2", "WER")
# The mean of segments with weights that do not depend on the system: section 4.3 of the paper.
DECOMPOSABLE = ("WER", "GRR-4", "TER", "ROUGE-L")
RESAMPLES = 20


def columns(segments):
    """Systems, references and labels."""
    references, more, less, texts, labels = (list(column) for column in zip(*segments, strict=True))
    too_much = [reference + extra for reference, extra in zip(references, more, strict=True)]
    too_little = [reference[:-fewer] for reference, fewer in zip(references, less, strict=True)]
    return {"A": too_much, "B": too_little, "C": texts}, references, labels


SETTINGS = AuditSettings(  # sizes and a level that a few segments reach
    alpha=0.99, share=0.3, least_gain=1e-6, least_forgiven=0.01, least_majority=0.01, n_draws=3, seed=5
)


class Audited:
    """Three systems and their straw men under one metric, and the same as the textbook wants it."""

    def __init__(self, segments, name, units=None):
        self.systems, references, self.labels = columns(segments)
        made = {("empty", None): [""] * len(references)}
        for system, texts in self.systems.items():
            made["first half", system] = [auditing.first_half(text) for text in texts]
            made["doubled", system] = [auditing.doubled(text) for text in texts]
        outputs = self.systems | {str(key): texts for key, texts in made.items()} | {"reference": references}
        scores = tarocco.score(outputs, references, metrics=name, tokenize="none", jobs=1).scores
        straw_men = tuple((score, *key) for score, key in zip(scores[3:-1], made, strict=True))
        self.units = [int(unit) for unit in np.unique(units or range(len(segments)), return_inverse=True)[1]]
        self.evidence = Evidence(scores[:3], scores[3], scores[-1], np.array(self.units), straw_men)
        self.rows = dict(zip("ABC", [score.statistics.tolist() for score in scores], strict=False))
        self.empty = scores[3].statistics.tolist()
        self.sign = -1 if tarocco.metric(name).kind == "error" else 1
        self.small = 1e-12 * max(abs(scores[3].score), abs(scores[-1].score))
        self.scale = self.sign * (scores[-1].score - scores[3].score)

    def good(self, sums):
        return self.sign * float(self.evidence.metric.score(np.array(sums)))

    def scores(self):
        return {name: self.good(auditing.total(rows)) for name, rows in self.rows.items()}

    def p(self, effect, strata=None):
        """The jackknife's p-value; an effect is a function of the rows of systems, with what is kept."""
        return auditing.jackknife(effect, self.units, self.small, strata)

    def keep(self, name, chosen):
        return [self.rows[name][i] for i in chosen] or [[0.0] * len(self.rows[name][0])]


UNITS = st.lists(st.integers(0, 6), min_size=9, max_size=9)


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS)
def test_sign_test(name, segments):
    own = Audited(segments, name)
    result = check_sign_test(own.evidence, SETTINGS)
    expected = auditing.contradictions(list(own.rows.values()), own.good, SETTINGS.least_majority)
    assert result.n_tests == 3
    findings = {finding.systems: finding for finding in result.findings}
    assert set(findings) == {("ABC"[one], "ABC"[other]) for one, other, *_ in expected}
    for one, other, size, p, show in expected:
        finding = findings["ABC"[one], "ABC"[other]]
        assert finding.size == finding.effect == pytest.approx(size)
        assert finding.p_value == pytest.approx(p)
        assert list(finding.segments) == show
        assert all(type(test["better"]) is bool for test in finding.numbers["tests"])
        assert finding.numbers["better"] is None


@pytest.mark.parametrize("name", ["GTM-1", "WER"])
@given(SEGMENTS)
def test_mixing(name, segments):
    own = Audited(segments, name)
    result = check_mixing(own.evidence, SegmentGroups.of(own.labels), SETTINGS)
    if len(set(own.labels)) < 2:
        assert result.impossible == f"all segments have the label {own.labels[0]}"
    else:
        compare_with_textbook(result, own.evidence, own.labels, own.good)


# Of so many words so many are right: in few segments with texts of very different lengths parts are reversed easily.
RATIOS = st.sampled_from([(9, 10), (80, 90), (3, 10), (20, 90)])


@given(st.lists(st.tuples(RATIOS, RATIOS, RATIOS, st.sampled_from("xyz")), min_size=2, max_size=7), UNITS)
def test_mixing_of_ratios(segments, units):
    *systems, labels = zip(*segments, strict=True)
    metric = tarocco.metric("BLEUi-1")
    perfect, nothing = [(1, 1)] * len(labels), [(0, 1)] * len(labels)
    scores = [
        Score(name, metric, "", float(metric.score(rows.sum(axis=0))), rows, rows.sum(axis=0))
        for name, rows in zip("ABC01", [np.array(own, float) for own in (*systems, nothing, perfect)], strict=True)
    ]
    if len(set(labels)) > 1:
        numbers = np.unique(units[: len(labels)], return_inverse=True)[1]
        evidence = Evidence(tuple(scores[:3]), scores[3], scores[4], numbers)
        result = check_mixing(evidence, SegmentGroups.of(labels), SETTINGS)
        compare_with_textbook(
            result, evidence, labels, lambda sums: sums[0] / sums[1] if sums[1] else float(metric.score(np.zeros(2)))
        )


def compare_with_textbook(result, evidence, labels, good):
    """The strongest reversal of each pair and trio is found, with its p-value and segments."""
    rows = [score.statistics.tolist() for score in evidence.scores]
    small, least = evidence.small, SETTINGS.least_gain * evidence.scale
    units = evidence.units.tolist()
    expected = auditing.reversals(rows, labels, good, least + small)
    names = list(dict.fromkeys(labels))
    divisions = 2 ** (len(names) - 1) - 1 + (len(names) > 2)
    assert result.numbers == {"divisions": divisions}
    assert result.n_tests == 3 * 2 + 6
    found = {}
    for finding in result.findings:
        parts = finding.numbers["parts"]
        chosen = ["ABC".index(part["system"]) for part in parts]
        base = "ABC".index(finding.systems[1])
        segments = [[i for i, label in enumerate(labels) if label in part["labels"]] for part in parts]
        found[chosen[0], chosen[1], base] = finding
        assert list(finding.segments) == auditing.that_show_it(
            [rows[s] for s in chosen], rows[base], segments, good, small
        )
        p_values = []
        for k, part in enumerate([None, *segments]):

            def effect(keep, k=k, chosen=chosen, base=base, segments=segments):
                return auditing.differences(rows, chosen, base, segments, good, keep)[k] - least

            last = {units[i]: place for place, own in enumerate(segments) for i in own}
            strata = last if part is None else {units[i]: 0 for i in part}
            p_values.append(auditing.jackknife(effect, units, small, strata))
        assert finding.p_value == pytest.approx(min(1.0, divisions * max(p_values)), rel=1e-6)
    assert set(found) == set(expected)
    for key, (strength, _) in expected.items():
        assert found[key].effect == pytest.approx(strength)
        assert found[key].size == pytest.approx(strength / evidence.scale)


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS, SEGMENTS, st.one_of(st.just([]), UNITS))
def test_deletion(name, segments, more, units):
    segments = (segments + more)[:9]
    own = Audited(segments, name, units[: len(segments)])
    blank = [np.array([not text.strip() for text in texts]) for texts in own.systems.values()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tarocco.meta.audit.checks.N_RESAMPLES", RESAMPLES)
        result = check_deletion(own.evidence, blank, SETTINGS)
    before, nothing = own.scores(), own.good(auditing.total(own.empty))
    worth = {system: score - nothing for system, score in before.items()}
    records = {record["system"]: record for record in result.numbers.get("by_system", ())}
    assert set(records) == {system for system, value in worth.items() if value > SETTINGS.least_gain * own.scale}
    assert (result.impossible is None) == bool(records)
    share, least = SETTINGS.share, SETTINGS.least_forgiven
    sizes = {}
    for system, record in records.items():
        after = auditing.blanked_on_average(own.rows[system], own.empty, share, own.good)
        assert record["after"] == pytest.approx(own.sign * after)
        assert record["change"] == pytest.approx((after - before[system]) / worth[system], abs=1e-9)
        sizes[system] = 1 + (after - before[system]) / worth[system] / share
        assert record["forgiven"] == pytest.approx(sizes[system], abs=1e-6)
    findings = {finding.systems[0]: finding for finding in result.findings}
    assert set(findings) == {system for system, size in sizes.items() if size > least}
    n = len(own.labels)
    size = max(1, round(share * n))
    draws = [set(auditing.drawn(n, SETTINGS.seed, draw, size)) for draw in range(SETTINGS.n_draws)]
    for system, finding in findings.items():

        def effect(keep, system=system):
            rows, empty = own.keep(system, keep), [own.empty[i] for i in keep] or [[0.0] * len(own.empty[0])]
            start, end = own.good(auditing.total(rows)), own.good(auditing.total(empty))
            after = auditing.blanked_on_average(rows, empty, share, own.good)
            return after - start + (1 - least) * share * (start - end)

        p = auditing.expanded_bootstrap(effect, own.units, own.small, SETTINGS.seed, RESAMPLES)
        assert finding.p_value == pytest.approx(p, rel=1e-6)
        after = [own.sign * auditing.blanked(own.rows[system], own.empty, chosen, own.good) for chosen in draws]
        assert finding.numbers["mean"] == pytest.approx(sum(after) / len(after))
        assert finding.numbers["lowest"] == pytest.approx(min(after))
        assert finding.numbers["highest"] == pytest.approx(max(after))
        may = [bool(text.strip()) for text in own.systems[system]]
        order = [segment - 1 for segment in finding.segments]
        assert auditing.is_greedy(own.rows[system], own.empty, order, may, own.good, own.small)
        assert len(order) == finding.numbers["greedy"]


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS, UNITS)
def test_trading(name, segments, units):
    own = Audited(segments, name, units[: len(segments)])
    lengths = {system: sum(map(len, texts)) for system, texts in own.systems.items()}
    result = check_trading(own.evidence, list(lengths.values()), SETTINGS)
    least = SETTINGS.least_gain * own.scale
    scores, expected = own.scores(), {}
    for one, other in combinations(sorted("ABC", key=lambda system: -lengths[system]), 2):
        mixture = auditing.exchanged_on_average(own.rows[one], own.rows[other], own.good)
        if mixture - max(scores[one], scores[other]) > max(least, own.small):
            expected[one, other] = mixture
    assert result.n_tests == 3
    assert {finding.systems for finding in result.findings} == set(expected)
    for finding in result.findings:
        pair = one, other = finding.systems
        gain = expected[pair] - max(scores[one], scores[other])
        assert own.sign * finding.numbers["exchanged"] == pytest.approx(expected[pair])
        assert finding.effect == pytest.approx(gain)
        assert finding.size == pytest.approx(gain / own.scale)
        p_values = []
        for system in pair:

            def effect(keep, system=system, one=one, other=other):
                mixture = auditing.exchanged_on_average(own.keep(one, keep), own.keep(other, keep), own.good)
                return mixture - own.good(auditing.total(own.keep(system, keep))) - least

            p_values.append(own.p(effect))
        assert finding.p_value == pytest.approx(max(p_values), rel=1e-6)


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS, UNITS, st.sets(st.sampled_from("ABC")))
def test_straw_men(name, segments, units, too_long):
    own = Audited(segments, name, units[: len(segments)])
    result = check_straw_men(own.evidence, frozenset(too_long), SETTINGS)
    least = SETTINGS.least_gain * own.scale
    assert result.n_tests == 9 - len(too_long)
    expected = {}
    for system, real in own.scores().items():
        for score, kind, maker in own.evidence.straw:
            rows = score.statistics.tolist()
            gain = own.good(auditing.total(rows)) - real
            tested = maker in (None, system) and not (kind == "first half" and system in too_long)
            if tested and gain > max(least, own.small):
                expected[system, kind] = gain, rows
    assert {(one.systems[0], one.numbers["straw_man"]) for one in result.findings} == set(expected)
    for finding in result.findings:
        (system,) = finding.systems
        gain, rows = expected[system, finding.numbers["straw_man"]]
        assert finding.size == pytest.approx(gain / own.scale)

        def effect(keep, system=system, rows=rows):
            made = own.good(auditing.total([rows[i] for i in keep] or [[0.0] * len(rows[0])]))
            return made - own.good(auditing.total(own.keep(system, keep))) - least

        assert finding.p_value == pytest.approx(own.p(effect), rel=1e-6)


@pytest.mark.parametrize("n", [6, 20, 60])
def test_a_kink_does_not_make_the_bootstrap_err(n):
    """An effect that cannot grow beyond a little, as under BLEU's brevity penalty, is at the threshold in truth."""
    runs, hits = 400, {"bootstrap": 0, "jackknife": 0}

    def excess(means):
        return np.minimum(means, 0.1 / n**0.5)

    for run in range(runs):
        values = np.random.default_rng([n, run]).normal(size=(n, 1))
        mean, resampled = float(values.mean()), bootstrap(values, 400, run, 1)[:, 0] / n
        hits["bootstrap"] += find_p_by_bootstrap(float(excess(mean)), excess(resampled), n, 1e-12) <= 0.05
        without = (values.sum() - values[:, 0]) / (n - 1)
        hits["jackknife"] += find_p_of_excess(np.array([excess(mean), *excess(without)]), 1e-12) <= 0.05
    assert hits["bootstrap"] / runs <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
    assert hits["jackknife"] / runs > 0.1


@given(st.lists(st.tuples(st.sampled_from(CHECKS), st.sampled_from(["A", "B", "AB"]), st.floats(0, 1)), max_size=12))
def test_correction(cases):
    """Holm's correction goes over the tests of one subject; a check as a whole also over its subjects."""
    tests = {frozenset("A"): 3, frozenset("B"): 2, frozenset("AB"): 4}
    kept, given = {}, {}
    for check, systems, p in cases:
        number = sum(other == systems for _, other in given)
        if number < 5 * tests[frozenset(systems)] and len(kept.setdefault(systems, [])) < 4:
            kept[systems].append(p)
            given[check, systems] = [*given.get((check, systems), []), p]
    results = [
        CheckResult(
            "X",
            check,
            tuple(
                AuditFinding("X", check, tuple(systems), 1.0, 1.0, 0.5, p, {}, ())
                for (of, systems), p_values in given.items()
                for p in p_values
                if of == check
            ),
            tests,
        )
        for check in CHECKS
    ]
    corrected = correct(results, 0.05)
    wanted = {
        (systems, p): value
        for systems, p_values in kept.items()
        for p, value in zip(p_values, auditing.holm(p_values, 5 * tests[frozenset(systems)]), strict=True)
    }
    for before, after in zip(results, corrected, strict=True):
        assert sorted(one.p_value for one in before.findings) == sorted(one.p_value for one in after.findings)
        for finding in after.findings:
            expected = wanted["".join(finding.systems), finding.p_value]
            assert finding.p_holm == pytest.approx(expected)
            assert finding.counts == (finding.p_holm <= 0.05)
        smallest = min([1.0, *(3 * finding.p_holm for finding in after.findings)])
        assert after.p_value == smallest
        assert after.gamed == (smallest <= 0.05)
        assert after.counted == sum(finding.counts for finding in after.findings)


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=9), min_size=1, max_size=5))
def test_texts_of_straw_men(texts):
    segments = Segments.from_strings(texts)
    assert list(straw.first_half(segments)) == [auditing.first_half(text) for text in texts]
    assert list(straw.doubled(segments)) == [auditing.doubled(text) for text in texts]
    assert straw.count_characters(segments) == sum(map(len, texts))


# --- laws ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DECOMPOSABLE)
@given(SEGMENTS)
def test_decomposable_metrics_do_not_contradict_themselves(name, segments):
    """Segments do not pay for each other: no contradiction, no reversal, no trade, on any text."""
    own = Audited(segments, name)
    lengths = [sum(map(len, texts)) for texts in own.systems.values()]
    assert not check_sign_test(own.evidence, SETTINGS).findings
    assert not check_mixing(own.evidence, SegmentGroups.of(own.labels), SETTINGS).findings
    assert not check_trading(own.evidence, lengths, SETTINGS).findings
    blank = [np.array([not text.strip() for text in texts]) for texts in own.systems.values()]
    if all(len(reference) for reference, *_ in segments):
        deletion = check_deletion(own.evidence, blank, SETTINGS)
        assert not deletion.findings
        for record in deletion.numbers.get("by_system", ()):
            assert record["forgiven"] == pytest.approx(0, abs=1e-6)


@given(st.lists(st.tuples(*[st.floats(-9, 9)] * 3, st.sampled_from("xyz")), min_size=2, max_size=12))
def test_means_of_scores_made_elsewhere_do_not_either(segments):
    *scores, labels = (list(column) for column in zip(*segments, strict=True))
    texts = {"A": ["a"] * len(labels), "B": ["b b"] * len(labels), "C": ["c c c"] * len(labels)}
    found = tarocco.audit(
        texts, ["a"] * len(labels), metrics=[], external={"X": dict(zip("ABC", scores, strict=True))}, groups=labels
    )["X"]
    assert not any(outcome.findings for outcome in found.values())
    if len(labels) >= 6:
        assert found["deletion"].impossible.startswith("these scores are external")
        assert found["straw men"].impossible.startswith("these scores are external")
    rows = [np.stack([column, np.ones(len(column))], axis=1) for column in (*scores, [-10] * len(labels))]
    metric = tarocco.metric("BLEUi-1")  # the ratio of two sums: here a mean
    three = [
        Score(name, metric, "", own[:, 0].mean(), own, own.sum(axis=0)) for name, own in zip("ABC0", rows, strict=True)
    ]
    best = Score("best", metric, "", 10.0, rows[0], rows[0].sum(axis=0))
    evidence = Evidence(tuple(three[:3]), three[3], best, np.arange(len(labels)))
    assert not check_sign_test(evidence, SETTINGS).findings
    assert not check_trading(evidence, [1, 2, 3], SETTINGS).findings
    if len(set(labels)) > 1:
        assert not check_mixing(evidence, SegmentGroups.of(labels), SETTINGS).findings


@pytest.mark.parametrize("name", ["WER", "GRR-4"])
@given(SEGMENTS)
def test_greedy_is_the_best_search_where_segments_do_not_pay_for_each_other(name, segments):
    """There the best that can be blanked is a matter of sorting."""
    own = Audited(segments, name)
    for score in own.evidence.scores:
        texts, rows = own.systems[score.system], own.rows[score.system]
        may = np.array([bool(text.strip()) for text in texts])
        changes = own.evidence.empty.statistics - score.statistics
        order = blank_greedily(own.evidence, score.sums, changes, may, own.sign * score.score)
        gains = [
            own.sign * (empty[0] - row[0])
            for empty, row, text in zip(own.empty, rows, texts, strict=True)
            if text.strip()
        ]
        assert len(order) == sum(gain >= -1e-9 for gain in accumulate(sorted(gains, reverse=True)))


def test_many_labels():
    """All two-way splits of a few labels, each against the others of many."""
    few, many = SegmentGroups.of(list("aabcd")), SegmentGroups.of([f"{i // 2}" for i in range(60)])
    assert len(many.names) > MAX_LABELS
    expected = {(tuple(one), tuple(other)) for one, other in auditing.two_parts("aabcd")}
    found = {tuple(np.flatnonzero(split[few.numbers]).tolist()) for split in few.splits}
    assert found == {one for one, _ in expected}
    assert many.splits.sum(axis=1).tolist() == [1] * 30
    result = tarocco.audit(DEMO.systems, DEMO.references, metrics="BLEU-4", groups=[f"{i // 2}" for i in range(60)])
    assert result["BLEU-4"]["mixing"].numbers["divisions"] == 31


def test_long_texts_are_blanked_in_larger_steps(monkeypatch):
    """A coarser search stays a lower bound."""
    fine = tarocco.audit({"A": DEMO.systems["verbose"]}, DEMO.references, metrics="BLEU-4")["BLEU-4"]["deletion"]
    monkeypatch.setattr("tarocco.meta.audit.checks.MAX_STEPS", 9)
    coarse = tarocco.audit({"A": DEMO.systems["verbose"]}, DEMO.references, metrics="BLEU-4")["BLEU-4"]["deletion"]
    assert MAX_STEPS > 9
    fine, coarse = (check.findings[0].numbers["greedy"] for check in (fine, coarse))
    assert 20 < coarse <= fine
    assert coarse % 7 == 0


# --- the constructed cases -------------------------------------------------------------------------------------------


def case(name, *systems):
    folder = ROOT / "examples" / "audit" / name
    return {system: (folder / f"{system}.txt").read_text().splitlines() for system in ("ref", *systems)}


def test_cases_are_what_their_script_writes(tmp_path, monkeypatch):
    from runpy import run_path

    script = ROOT / "examples" / "audit" / "make_cases.py"
    made = run_path(str(script))
    for name in ("signs", "genres", "padded"):
        texts = made[name]()
        assert {path.stem for path in (script.parent / name).glob("*.txt")} == set(texts)
        for column, segments in texts.items():
            assert [" ".join(words) for words in segments] == case(name, column)[column]


def test_signs_case():
    """Section 3.1: BLEU's sign test finds each better than the other, that of BLEU-SBP and the others does not."""
    texts = case("signs", "wordy", "terse")
    references = texts.pop("ref")
    result = tarocco.audit(texts, references)
    assert [name for name in result if result[name]["sign test"].gamed] == ["BLEU-4"]
    (finding,) = result["BLEU-4"]["sign test"].findings
    assert finding.systems == ("wordy", "terse")
    assert all(test["better"] is True and test["improved"] == 60 for test in finding.numbers["tests"])
    assert finding.counts
    assert finding.numbers["better"] is None
    assert result["BLEU-4"]["sign test"].numbers == {"contradicts_scores": []}
    for name in ("BLEU-SBP", "GRR-4", "GTM-1", "WER"):
        test = tarocco.compare(texts, references, metrics=name, test="sign").of(name, "terse")
        back = tarocco.compare(texts, references, metrics=name, test="sign", baseline="terse").of(name, "wordy")
        assert test.better is False
        assert back.better is True
        assert max(test.p_value, back.p_value) <= 0.05


def test_genres_case():
    """Section 3.2: better in both genres and worse on the whole under BLEU, but not under BLEU-SBP or GRR-4."""
    texts = case("genres", "mixed", "tuned", "genres")
    references, genres = texts.pop("ref"), texts.pop("genres")
    result = tarocco.audit(texts, references, groups=genres)
    assert [name for name in result if result[name]["mixing"].gamed] == ["BLEU-4"]
    (finding,) = result["BLEU-4"]["mixing"].findings
    assert finding.systems == ("tuned", "mixed")
    assert [part["labels"] for part in finding.numbers["parts"]] == [["news"], ["forums"]]
    scores = tarocco.score(texts, references, metrics=list(result), documents=genres)
    bleu, strict = ({name: scores[name][metric] for name in texts} for metric in ("BLEU-4", "BLEU-SBP"))
    for own in (bleu, strict):
        assert all(own["tuned"].documents[genre] > own["mixed"].documents[genre] for genre in ("news", "forums"))
    assert bleu["tuned"].score < bleu["mixed"].score
    assert strict["tuned"].score > strict["mixed"].score
    assert finding.numbers["score"] == pytest.approx(bleu["tuned"].score)
    assert finding.counts


def test_padded_case():
    """Section 3.3: a tenth of the segments left empty costs nothing under BLEU, and about a tenth under the others."""
    texts = case("padded", "padded")
    references = texts.pop("ref")
    result = tarocco.audit(texts, references)
    changes = {name: result[name]["deletion"].numbers["change"] for name in result}
    assert [name for name in result if result[name]["deletion"].gamed] == ["BLEU-4"]
    assert abs(changes["BLEU-4"]) < 0.005
    assert all(-0.11 < changes[name] < -0.09 for name in ("BLEU-SBP", "GRR-4", "WER"))
    finding = result["BLEU-4"]["deletion"].findings[0]
    told = finding.numbers
    assert finding.counts
    assert finding.size == pytest.approx(1)
    # The same with texts: the first draw, blanked and scored.
    chosen = auditing.drawn(60, 12345, 0, 6)
    blanked = ["" if i in chosen else text for i, text in enumerate(texts["padded"])]
    assert tarocco.score(blanked, references)["BLEU-4"].score > 0.99 * told["score"]
    assert tarocco.score(blanked, references, metrics="BLEU-SBP")["BLEU-SBP"].score < 0.92 * told["score"]


def test_systems_may_be_chosen_by_genre():
    """The paper's own form: each genre by the system that is best there, against the system for all."""
    texts = case("genres", "mixed", "tuned", "genres")
    references, genres = texts.pop("ref"), texts.pop("genres")
    half, empty = len(references) // 2, "zba"
    specific = {
        "for news": [*texts["tuned"][:half], *[empty] * half],
        "for forums": [*[empty] * half, *texts["tuned"][half:]],
        "mixed": texts["mixed"],
    }
    found = tarocco.audit(specific, references, metrics=["BLEU-4", "BLEU-SBP"], groups=genres)
    (finding,) = found["BLEU-4"]["mixing"].findings
    assert finding.systems == ("for news and for forums", "mixed")
    assert finding.counts
    assert not found["BLEU-SBP"]["mixing"].gamed


# --- results ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result():
    return tarocco.audit(DEMO.systems, DEMO.references, groups=DEMO.documents)


def test_ranking(result):
    names = list(result)
    assert names[0] == "BLEU-4"
    found = [result.count_gamed(name) for name in names]
    assert found == sorted(found, reverse=True)
    assert sorted(names) == sorted(DEFAULTS)
    with pytest.raises(tarocco.TaroccoError, match="NIST-5 was not audited; there are BLEU-4, "):
        result["NIST-5"]


def test_records(result):
    rows = result.rows()
    assert len(rows) == 5 * len(DEFAULTS)
    assert result.to_pandas().shape == (len(rows), 16)
    text = json.dumps(result.to_dict(), allow_nan=False)
    first = json.loads(text)[0]
    assert first["metric"] == "BLEU-4"
    (finding,) = first["checks"]["trading"]["findings"]
    assert finding["segments"]
    assert finding["counts"] is True
    assert finding["p_value"] < finding["p_holm"] < 0.05
    assert finding["size"] > finding["threshold"] == 0.005
    assert sum(finding.counts for finding in result.findings) == sum(row["counted"] for row in rows)
    assert result.signature("WER").endswith(
        "|audit|alpha:0.05|share:0.1|least:0.005,0.75,0.1|draws:100|seed:12345|units:60 segments|groups:5"
    )
    page = result._repr_html_()
    assert page.count("<tr>") == 1 + len(DEFAULTS)
    assert all(1 <= segment <= 60 for finding in result.findings for segment in finding.segments)


def test_errors_and_similarities_agree():
    """WER and 1-WER are the same metric, turned round: so are their audits."""
    found = tarocco.audit(DEMO.systems, DEMO.references, metrics=["WER", "1-WER"], groups=DEMO.documents)
    for check, outcome in found["WER"].items():
        other = found["1-WER"][check]
        assert outcome.size == pytest.approx(other.size)
        assert outcome.p_value == pytest.approx(other.p_value)
        assert [one.systems for one in outcome.findings] == [one.systems for one in other.findings]
        assert [one.segments for one in outcome.findings] == [one.segments for one in other.findings]


def test_jobs_do_not_matter(result):
    for jobs in (1, 3):
        other = tarocco.audit(DEMO.systems, DEMO.references, groups=DEMO.documents, jobs=jobs)
        assert other.to_dict() == result.to_dict()


def test_seed_matters_and_store_does_not(result, tmp_path):
    options = {"groups": DEMO.documents, "metrics": ["BLEU-4", "GTM-1"]}
    first = tarocco.audit(DEMO.systems, DEMO.references, store=tmp_path / "s.db", **options)
    again = tarocco.audit(DEMO.systems, DEMO.references, store=tmp_path / "s.db", **options)
    assert first.to_dict() == again.to_dict()
    assert first["BLEU-4"] == result["BLEU-4"]
    other = tarocco.audit(DEMO.systems, DEMO.references, seed=2, **options)
    one, two = (found["BLEU-4"]["deletion"].findings[0] for found in (result, other))
    assert one.numbers["mean"] != two.numbers["mean"]
    assert (one.size, one.counts) == (two.size, two.counts)  # random blankings decide nothing


def test_one_system_alone():
    found = tarocco.audit(DEMO.systems["careful"], DEMO.references, groups=DEMO.documents)
    assert found.count_possible("BLEU-4") == 2
    assert {check for check, outcome in found["BLEU-4"].items() if outcome.impossible} == {
        "sign test",
        "mixing",
        "trading",
    }


def test_nothing_to_lose():
    """Outputs that are as bad as none at all lose nothing if they are blanked: no finding, but a reason."""
    found = tarocco.audit({"A": ["x", "y"] * 3}, ["a b", "c d"] * 3, metrics=["BLEU-4", "WER"])
    assert found["BLEU-4"]["deletion"].impossible == "no system scores better than an empty output"
    assert not found["BLEU-4"]["straw men"].gamed


def test_empty_segments_cannot_be_blanked_again():
    outputs = ["", "a b c d e", "a b c d e f g h i j", " ", "a b c d e f g h i j", ""]
    found = tarocco.audit({"A": outputs}, ["a", "a b c d e", "a b c d e", "a", "a b c d e", "a"], metrics="BLEU-4")
    (finding,) = found["BLEU-4"]["deletion"].findings
    assert set(finding.segments) <= {2, 3, 5}


@pytest.mark.parametrize(
    ("n", "documents", "there"),
    [
        (5, None, "there are only 5 segments"),
        (8, "abcdeaaa", "there are only 5 documents"),
        (1, None, "there is only 1 segment"),
    ],
)
def test_few_units_cannot_be_tested(n, documents, there):
    documents = documents and list(documents)
    found = tarocco.audit({"A": ["a"] * n, "B": ["b"] * n}, ["a"] * n, metrics="WER", documents=documents)
    assert found.count_possible("WER") == 0
    reasons = {outcome.impossible for outcome in found["WER"].values()}
    assert reasons == {f"{there}, and a test needs at least 6 independent units"}


def test_six_units_can_be_tested():
    found = tarocco.audit({"A": ["a"] * 6, "B": ["b"] * 6}, ["a"] * 6, metrics="WER")
    assert found.count_possible("WER") == 4


# --- other systems do not matter -------------------------------------------------------------------------------------


def by_subject(result, systems):
    """All findings about some of the systems only, with everything that they say."""
    return {
        (finding.metric, finding.check, tuple(sorted(finding.systems)), finding.numbers.get("straw_man")): finding
        for finding in result.findings
        if {name for one in finding.systems for name in one.split(" and ")} <= set(systems)
    }


@pytest.mark.parametrize("systems", [["verbose"], ["brief", "verbose"], ["careful", "brief", "verbose"]])
def test_the_pool_does_not_matter(result, systems):
    texts = {name: DEMO.systems[name] for name in systems}
    alone = tarocco.audit(texts, DEMO.references, groups=DEMO.documents)
    assert by_subject(alone, systems) == by_subject(result, systems)
    assert any(finding.counts for finding in alone.findings)


@given(SEGMENTS, st.sampled_from(METRICS), st.sampled_from(["A", "AB", "CB", "CA"]))
def test_no_pool_matters(segments, name, systems):
    texts, references, labels = columns((segments * 5)[:12])
    options = {"metrics": name, "groups": labels, "settings": SETTINGS, "jobs": 1, "tokenize": "none"}
    pool = tarocco.audit(texts, references, **options)
    alone = tarocco.audit({system: texts[system] for system in systems}, references, **options)
    found, expected = by_subject(alone, systems), by_subject(pool, systems)
    assert set(found) == set(expected)
    for key, finding in found.items():
        other = expected[key]
        assert finding.size == pytest.approx(other.size)
        assert finding.p_value == pytest.approx(other.p_value)
        assert finding.p_holm == pytest.approx(other.p_holm)
        assert finding.threshold == other.threshold
        assert finding.counts == other.counts


def test_a_search_through_many_systems_must_be_clearer():
    """A finding keeps its numbers among harmless systems, but the check as a whole asks for a smaller p-value."""
    texts = {"verbose": DEMO.systems["verbose"], "brief": DEMO.systems["brief"]}
    few = tarocco.audit(texts, DEMO.references, metrics="BLEU-4")["BLEU-4"]["trading"]
    copies = {f"careful {i}": DEMO.systems["careful"] for i in range(8)}
    many = tarocco.audit(texts | copies, DEMO.references, metrics="BLEU-4")["BLEU-4"]["trading"]
    assert few.findings == many.findings
    assert many.p_value == pytest.approx(45 * few.p_value)
    assert many.gamed == (many.p_value <= 0.05)


def test_averages_are_those_of_many_draws(result):
    """Effects are computed at average sums, and random blankings come close."""
    for name in DEFAULTS:
        empty = tarocco.score([""] * 60, DEMO.references, metrics=name)[name].statistics
        for record in result[name]["deletion"].numbers["by_system"]:
            score = result.scores[record["system"]][name]
            draws = [auditing.drawn(60, 1, draw, 6) for draw in range(200)]
            changes = empty - score.statistics
            scores = [float(score.metric.score(score.sums + changes[chosen].sum(axis=0))) for chosen in draws]
            assert record["after"] == pytest.approx(np.mean(scores), rel=0.02)


def test_an_effect_below_the_least_size_is_no_finding():
    """However many segments show that it is above zero."""
    systems = {name: list(DEMO.systems[name]) * 40 for name in ("verbose", "brief")}
    references = list(DEMO.references) * 40
    found = {
        least: tarocco.audit(systems, references, metrics="BLEU-4", least_gain=least)["BLEU-4"]["trading"]
        for least in (0.03, 0.05)
    }
    assert not found[0.05].findings
    assert found[0.03].findings[0].counts


def test_scores_of_whole_systems_cannot_be_audited():
    systems = {name: DEMO.systems[name] for name in ("careful", "brief")}
    found = tarocco.audit(systems, DEMO.references, metrics="WER", external={"Y": {"careful": 0.9, "brief": 0.1}})
    assert found.count_possible("Y") == 0
    assert found["Y"]["mixing"].impossible == "there are only scores of whole systems"


def test_scores_made_elsewhere_may_be_missing():
    """Two systems are compared on segments that both have."""
    texts = {"A": ["a", "b", "c", "d", "e", "f"], "B": ["a b"] * 6}
    scores = {"A": [0.1, None, 0.3, 0.4, 0.5, 0.6], "B": [0.2, 0.3, None, 0.6, 0.7, 0.8]}
    found = tarocco.audit(texts, ["a"] * 6, metrics=[], external={"X": scores}, groups=list("xyyxxy"))
    assert found.count_possible("X") == 3
    assert not found["X"]["mixing"].gamed
    json.dumps(found.to_dict(), allow_nan=False)
    scores = {"A": [0.1, 0.2, None, None, None, None], "B": [None, None, 0.1, 0.1, 0.1, 0.1]}
    found = tarocco.audit(texts, ["a"] * 6, metrics=[], external={"X": scores})
    assert found.count_possible("X") == 0
    assert found["X"]["trading"].impossible == "no two systems have scores of the same segments"


def test_plugins_are_audited_as_others_are():
    found = tarocco.audit(DEMO.systems, DEMO.references, metrics="Overlap", groups=DEMO.documents)
    assert found.count_possible("Overlap") == 5
    assert found["Overlap"]["deletion"].numbers["change"] < -0.09  # a mean of segments: a tenth costs a tenth


def test_names_of_systems_do_not_matter():
    """Nor if one is called as a straw man of another would be."""
    texts = {name: DEMO.systems[name] for name in ("verbose", "brief")}
    plain = tarocco.audit(texts, DEMO.references, metrics="BLEU-4").findings
    renamed = {"x": texts["verbose"], "x, doubled": texts["brief"]}
    other = tarocco.audit(renamed, DEMO.references, metrics="BLEU-4").findings
    assert [(one.size, one.p_value, one.segments) for one in plain] == [
        (one.size, one.p_value, one.segments) for one in other
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha is a number between 0 and 1, not 0"),
        ({"share": "0.1"}, "share is a number between 0 and 1, not '0.1'"),
        ({"n_draws": 0}, "n_draws is an integer of at least 1, not 0"),
        ({"seed": None}, "seed is an integer, not None"),
        ({"groups": ["a", "b"]}, "expected one group label per segment: 60 segments, found 2 labels"),
        ({"groups": "ab"}, "groups: expected a list with one item per segment, found type str"),
        ({"metrics": []}, "no metric to audit"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(tarocco.TaroccoError, match=message):
        tarocco.audit(DEMO.systems, DEMO.references, **options)


# --- the command -----------------------------------------------------------------------------------------------------


def run(capsys, *arguments):
    files = [str(FOLDER / f"ref{i}.txt") for i in (1, 2)]
    systems = [str(FOLDER / f"{name}.txt") for name in ("careful", "brief", "verbose")]
    code = main(["audit", *files, "-i", *systems, *map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_command(capsys):
    code, out, _ = run(capsys, "--groups", FOLDER / "documents.txt")
    assert code == 0
    lines = out.splitlines()
    assert " ".join(lines[0].split()) == "metric found sign test mixing deletion trading straw men"
    assert lines[2].split()[:4] == ["BLEU-4", "2", "of", "5"]
    assert any(line.startswith("BLEU-4, trading: ") and "; segments 1, 3" in line for line in lines)
    answer = json.loads(run(capsys, "-m", "BLEU-4", "GRR-4", "-f", "json", "--seed", 3)[1])
    assert (answer["command"], answer["seed"], answer["groups"], answer["n_draws"]) == ("audit", 3, None, 100)
    assert answer["results"][0]["checks"]["mixing"] == {"possible": False, "why_not": "segments have no labels"}
    for form, delimiter in (("tsv", "\t"), ("csv", ",")):
        rows = list(csv.DictReader(io.StringIO(run(capsys, "-m", "BLEU-4", "-f", form)[1]), delimiter=delimiter))
        assert [row["check"] for row in rows] == ["sign test", "mixing", "deletion", "trading", "straw men"]
    assert run(capsys, "-m", "GRR-4", "BLEU-4", "-b")[1] == "0\n2\n"
    assert r"\begin{tabular}" in run(capsys, "-m", "BLEU-4", "-f", "latex")[1]
    assert "| BLEU-4 | 2 of 4 |" in run(capsys, "-m", "BLEU-4", "-f", "md")[1]


def test_below_the_table_are_the_legend_the_findings_and_the_signatures(capsys):
    table, legend, findings, signatures = run(capsys, "-m", "BLEU-4", "WER")[1].strip().split("\n\n")
    columns = ("found", "sign test", "mixing", "deletion", "trading", "straw men")
    assert all(column in table.splitlines()[0] for column in columns)
    explained = [line.split(": ")[0] for line in legend.splitlines()]
    assert explained == ["cells", "*", "%", *columns[1:]]
    assert findings.startswith("BLEU-4, deletion: ")
    assert "not possible: mixing (segments have no labels)" in findings.splitlines()
    assert [line.split("|")[0] for line in signatures.splitlines()] == ["BLEU-4", "WER"]


def test_all_findings(capsys):
    short, long = run(capsys, "-m", "BLEU-4")[1], run(capsys, "-m", "BLEU-4", "--findings")[1]
    assert "estimated above the least size, but not significantly: BLEU-4 (1 sign test)" in short
    assert " more\n" in short
    assert " more\n" not in long
    assert "does not count" in long
    assert "does not count" not in short
    assert len(long.splitlines()) > len(short.splitlines())


def test_findings_of_cells_without_a_star_are_significant_or_not():
    """A significant finding of a cell that is not significant as a whole is not listed as uncertain."""

    def finding(counts):
        return AuditFinding("BLEU-4", "trading", ("a", "b"), 0.02, 0.02, 0.005, 0.01, {}, (1,), 0.04, counts)

    no_scores = tarocco.score(DEMO.systems, DEMO.references, metrics="BLEU-4")

    def lines(findings, gamed=False):
        check = CheckResult("BLEU-4", "trading", tuple(findings), p_value=0.12, gamed=gamed)
        others = {kind: CheckResult("BLEU-4", kind) for kind in CHECKS if kind != "trading"}
        result = AuditResult(no_scores, {"BLEU-4": {**others, "trading": check}}, AuditSettings(), None)
        return unproven(result)

    significant = "significant, but not as the best of all systems or pairs: BLEU-4 (1 trading)"
    uncertain = "estimated above the least size, but not significantly: BLEU-4 (2 trading)"
    assert lines([finding(True), finding(False), finding(False)]) == [significant, uncertain]
    assert lines([finding(True)]) == [significant]
    assert lines([finding(False), finding(False)]) == [uncertain]
    assert lines([finding(True), finding(False)], gamed=True) == []


def test_labels_come_from_the_experiment_or_the_documents(capsys):
    main(["audit", str(FOLDER / "demo.toml"), "-m", "BLEU-4", "-f", "json"])
    assert json.loads(capsys.readouterr()[0])["groups"] == ["news", "travel", "reviews", "instructions", "letters"]
    answer = json.loads(run(capsys, "-m", "BLEU-4", "-f", "json", "--documents", FOLDER / "documents.txt")[1])
    assert len(answer["groups"]) == 5


def test_labels_that_do_not_cover_the_segments(capsys, tmp_path):
    (tmp_path / "few.txt").write_text("a\nb\n")
    code, out, error = run(capsys, "--groups", tmp_path / "few.txt")
    assert (code, out) == (1, "")
    assert "few.txt: expected 60 labels" in error
    assert error.endswith("found 2\n")
    assert run(capsys, "--groups", tmp_path / "none.txt")[0] == 1


def test_one_group(capsys, tmp_path):
    (tmp_path / "one.txt").write_text("a\n" * 60)
    code, out, _ = run(capsys, "--groups", tmp_path / "one.txt", "-m", "BLEU-4")
    assert code == 0
    assert "not possible: mixing (all segments have the label a)" in out


def test_nothing_found(capsys):
    file = str(FOLDER / "ref1.txt")
    assert main(["audit", file, "-i", file, "-m", "WER"]) == 0
    assert "no findings" in capsys.readouterr()[0]
