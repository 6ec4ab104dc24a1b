"""Audits equal their definitions, decomposable metrics cannot be gamed, and bad input is explained."""

import csv
import io
import json
from itertools import accumulate, permutations, product

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
from tarocco.meta.audit.checks import (
    MAX_LABELS,
    MAX_STEPS,
    SegmentGroups,
    check_deletion,
    check_mixing,
    check_sign_test,
    check_straw_men,
    check_trading,
)
from tarocco.meta.audit.evidence import AuditSettings, Evidence
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
DRAWS = 3


def columns(segments):
    """Systems, references and labels."""
    references, more, less, texts, labels = (list(column) for column in zip(*segments, strict=True))
    too_much = [reference + extra for reference, extra in zip(references, more, strict=True)]
    too_little = [reference[:-fewer] for reference, fewer in zip(references, less, strict=True)]
    return {"A": too_much, "B": too_little, "C": texts}, references, labels


SETTINGS = AuditSettings(alpha=0.99, share=0.3, n_draws=3, n_resamples=2, seed=5)  # an alpha that a few segments reach


class Audited:
    """Three systems and their straw men under one metric, and the same as the textbook wants it."""

    def __init__(self, segments, name):
        self.systems, references, self.labels = columns(segments)
        made = {("empty", None): [""] * len(references)}
        for system, texts in self.systems.items():
            made["first half", system] = [auditing.first_half(text) for text in texts]
            made["doubled", system] = [auditing.doubled(text) for text in texts]
        outputs = self.systems | {str(key): texts for key, texts in made.items()}
        scores = tarocco.score(outputs, references, metrics=name, tokenize="none", jobs=1).scores
        straw_men = tuple((score, *key) for score, key in zip(scores[3:], made, strict=True))
        self.evidence = Evidence(scores[:3], scores[3], straw_men)
        self.rows = dict(zip("ABC", [score.statistics.tolist() for score in scores], strict=False))
        self.empty = scores[3].statistics.tolist()
        self.sign = -1 if tarocco.metric(name).kind == "error" else 1
        self.small = 1e-12 * max(abs(score.score) for score in scores[:3])

    def good(self, sums):
        return self.sign * float(self.evidence.metric.score(np.array(sums)))

    def scores(self):
        return {name: self.good(auditing.total(rows)) for name, rows in self.rows.items()}


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS)
def test_sign_test(name, segments):
    own = Audited(segments, name)
    found = check_sign_test(own.evidence, SETTINGS)
    expected = auditing.contradictions(list(own.rows.values()), own.good, SETTINGS.alpha)
    assert found.numbers == {"contradictions": len(expected), "pairs": 3}
    named = {finding.systems: list(finding.segments) for finding in found.findings}
    assert named == {("ABC"[one], "ABC"[other]): show for one, other, show in expected}


@pytest.mark.parametrize("name", ["GTM-1", "WER"])
@given(SEGMENTS)
def test_mixing(name, segments):
    own = Audited(segments, name)
    found = check_mixing(own.evidence, SegmentGroups.of(own.labels), SETTINGS)
    if len(set(own.labels)) < 2:
        assert found.impossible == f"all segments have the label {own.labels[0]}"
    else:
        compare_with_textbook(found, list(own.rows.values()), own.labels, own.good, own.sign, own.small)


# Of so many words so many are right: in few segments with texts of very different lengths parts are reversed easily.
RATIOS = st.sampled_from([(9, 10), (80, 90), (3, 10), (20, 90)])


@given(st.lists(st.tuples(RATIOS, RATIOS, RATIOS, st.sampled_from("xyz")), min_size=2, max_size=5))
def test_mixing_of_ratios(segments):
    *systems, labels = zip(*segments, strict=True)
    metric = tarocco.metric("BLEUi-1")
    rows = [np.array(own, float) for own in systems]
    scores = [
        Score(name, metric, "", float(metric.score(own.sum(axis=0))), own, own.sum(axis=0))
        for name, own in zip("ABC", rows, strict=True)
    ]
    if len(set(labels)) > 1:
        found = check_mixing(Evidence(tuple(scores)), SegmentGroups.of(labels), SETTINGS)
        small = 1e-12 * max(score.score for score in scores)
        compare_with_textbook(found, [own.tolist() for own in rows], labels, lambda sums: sums[0] / sums[1], 1, small)


def compare_with_textbook(found, rows, labels, good, sign, small):
    """All reversals are counted, and the strongest of each kind is told with its numbers and segments."""
    expected = auditing.reversals(rows, labels, good, small)
    assert {form: found.numbers.get(form, 0) for form in expected} == {form: len(all) for form, all in expected.items()}
    told = []
    for finding in found.findings:
        numbers = finding.numbers
        differences = [part["score"] - part["beats"] for part in numbers["parts"]]
        told.append(min(sign * one for one in [*differences, numbers["loses_to"] - numbers["score"]]))
        systems = [rows["ABC".index(part["system"])] for part in numbers["parts"]]
        base = rows["ABC".index(finding.systems[1])]
        parts = [[i for i, label in enumerate(labels) if label in part["labels"]] for part in numbers["parts"]]
        assert list(finding.segments) == auditing.that_show_it(systems, base, parts, good, small)
    assert sorted(told) == pytest.approx(sorted(max(strengths) for strengths in expected.values() if strengths))


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS)
def test_deletion(name, segments):
    own = Audited(segments, name)
    blank = [np.array([not text.strip() for text in texts]) for texts in own.systems.values()]
    found = check_deletion(own.evidence, blank, SETTINGS)
    before, nothing = own.scores(), own.good(auditing.total(own.empty))
    worth = {system: score - nothing for system, score in before.items()}
    told = {record["system"]: record for record in found.numbers.get("by_system", ())}
    assert set(told) == {system for system, value in worth.items() if value > own.small}
    assert (found.impossible is None) == bool(told)
    n = len(own.labels)
    size = max(1, round(SETTINGS.share * n))
    draws = [set(auditing.drawn(n, SETTINGS.seed, draw, size)) for draw in range(SETTINGS.n_draws)]
    for system, record in told.items():
        after = [auditing.blanked(own.rows[system], own.empty, chosen, own.good) for chosen in draws]
        assert record["mean"] == pytest.approx(own.sign * sum(after) / len(after))
        assert record["lowest"] == pytest.approx(min(own.sign * score for score in after))
        assert record["highest"] == pytest.approx(max(own.sign * score for score in after))
        change = (sum(after) / len(after) - before[system]) / worth[system]
        assert record["change"] == pytest.approx(change, abs=1e-9)
    for finding in found.findings:
        (system,) = finding.systems
        may = [bool(text.strip()) for text in own.systems[system]]
        order = [segment - 1 for segment in finding.segments]
        assert auditing.is_greedy(own.rows[system], own.empty, order, may, own.good, own.small)
        assert len(order) == finding.numbers["greedy"]


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS)
def test_trading(name, segments):
    own = Audited(segments, name)
    lengths = {system: sum(map(len, texts)) for system, texts in own.systems.items()}
    found = check_trading(own.evidence, np.array(list(lengths.values())), SETTINGS)
    scores, expected = own.scores(), {}
    for one, other in permutations("ABC", 2):
        if lengths[one] > lengths[other]:
            exchanged = auditing.exchanges(own.rows[one], own.rows[other], own.good, SETTINGS.seed, SETTINGS.n_draws)
            expected[one, other] = (exchanged, exchanged - max(scores[one], scores[other]))
    if not expected:
        assert found.impossible == "all outputs have the same length"
        return
    told = {finding.systems: finding.numbers for finding in found.findings}
    assert set(told) <= {pair for pair, (_, surplus) in expected.items() if surplus > own.small / 2}
    assert set(told) >= {pair for pair, (_, surplus) in expected.items() if surplus > own.small * 2}
    for pair, numbers in told.items():
        assert own.sign * numbers["exchanged"] == pytest.approx(expected[pair][0])


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS)
def test_straw_men(name, segments):
    own = Audited(segments, name)
    found = check_straw_men(own.evidence, SETTINGS)
    expected = {}
    for score, kind, maker in own.evidence.straw:
        goodness = own.good(auditing.total(score.statistics.tolist()))
        outranked = [system for system, real in own.scores().items() if goodness - real > own.small]
        if outranked:
            expected[kind, maker] = outranked
    assert {
        (one.numbers["straw_man"], one.numbers["of"]): one.numbers["outranks"] for one in found.findings
    } == expected
    assert found.numbers["won"] == sum(map(len, expected.values()))
    assert found.numbers["above_their_own"] == sum(maker in names for (_, maker), names in expected.items())


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
    lengths = np.array([sum(map(len, texts)) for texts in own.systems.values()])
    assert not check_sign_test(own.evidence, SETTINGS).gamed
    assert not check_mixing(own.evidence, SegmentGroups.of(own.labels), SETTINGS).gamed
    assert not check_trading(own.evidence, lengths, SETTINGS).gamed


@given(st.lists(st.tuples(*[st.floats(-9, 9)] * 3, st.sampled_from("xyz")), min_size=2, max_size=12))
def test_means_of_scores_made_elsewhere_do_not_either(segments):
    *scores, labels = (list(column) for column in zip(*segments, strict=True))
    texts = {"A": ["a"] * len(labels), "B": ["b b"] * len(labels), "C": ["c c c"] * len(labels)}
    found = tarocco.audit(
        texts,
        ["a"] * len(labels),
        metrics=[],
        external={"X": dict(zip("ABC", scores, strict=True))},
        groups=labels,
        n_draws=DRAWS,
        alpha=0.9,
    )["X"]
    assert not any(outcome.gamed for outcome in found.values())
    assert found["deletion"].impossible.startswith("these scores are external")
    assert found["straw men"].impossible.startswith("these scores are external")


@pytest.mark.parametrize("name", ["WER", "GRR-4"])
@given(SEGMENTS)
def test_greedy_is_the_best_search_where_segments_do_not_pay_for_each_other(name, segments):
    """There the best that can be blanked is a matter of sorting."""
    own = Audited(segments, name)
    blank = [np.array([not text.strip() for text in texts]) for texts in own.systems.values()]
    for record in check_deletion(own.evidence, blank, SETTINGS).numbers.get("by_system", ()):
        texts, rows = own.systems[record["system"]], own.rows[record["system"]]
        gains = [
            own.sign * (empty[0] - row[0])
            for empty, row, text in zip(own.empty, rows, texts, strict=True)
            if text.strip()
        ]
        assert record["greedy"] == sum(gain >= -1e-9 for gain in accumulate(sorted(gains, reverse=True)))


def test_many_labels():
    """All two-way splits of a few labels, each against the others of many."""
    few, many = SegmentGroups.of(list("aabcd")), SegmentGroups.of([f"{i // 2}" for i in range(60)])
    assert len(many.names) > MAX_LABELS
    expected = {(tuple(one), tuple(other)) for one, other in auditing.two_parts("aabcd")}
    found = {tuple(np.flatnonzero(split[few.numbers]).tolist()) for split in few.splits}
    assert found == {one for one, _ in expected}
    assert many.splits.sum(axis=1).tolist() == [1] * 30
    result = tarocco.audit(DEMO.systems, DEMO.references, metrics="BLEU-4", groups=[f"{i // 2}" for i in range(60)])
    assert result["BLEU-4"]["mixing"].numbers["splits"] == 30


def test_long_texts_are_blanked_in_larger_steps(monkeypatch):
    """A coarser search stays a lower bound."""
    fine = tarocco.audit({"A": DEMO.systems["verbose"]}, DEMO.references, metrics="BLEU-4")["BLEU-4"]["deletion"]
    monkeypatch.setattr("tarocco.meta.audit.checks.MAX_STEPS", 9)
    coarse = tarocco.audit({"A": DEMO.systems["verbose"]}, DEMO.references, metrics="BLEU-4")["BLEU-4"]["deletion"]
    assert MAX_STEPS > 9
    assert 0.3 < coarse.size <= fine.size
    assert coarse.findings[0].numbers["greedy"] % 7 == 0


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
    assert all(test["better"] > test["worse"] and test["p_value"] <= 0.05 for test in finding.numbers["tests"])
    for name in ("BLEU-SBP", "GRR-4", "GTM-1", "WER"):
        test = tarocco.compare(texts, references, metrics=name, test="sign").of(name, "terse")
        back = tarocco.compare(texts, references, metrics=name, test="sign", baseline="terse").of(name, "wordy")
        assert test.details["worse"] > test.details["better"]
        assert back.details["better"] > back.details["worse"]
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
    assert result["BLEU-4"]["mixing"].findings[0].p_value < 0.05


def test_padded_case():
    """Section 3.3: a tenth of the segments left empty costs nothing under BLEU, and about a tenth under the others."""
    texts = case("padded", "padded")
    references = texts.pop("ref")
    result = tarocco.audit(texts, references)
    changes = {name: result[name]["deletion"].numbers["change"] for name in result}
    assert [name for name in result if result[name]["deletion"].gamed] == ["BLEU-4"]
    assert abs(changes["BLEU-4"]) < 0.005
    assert all(-0.11 < changes[name] < -0.09 for name in ("BLEU-SBP", "GRR-4", "WER"))
    told = result["BLEU-4"]["deletion"].findings[0].numbers
    assert told["forgiven"]
    assert told["reached"]
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
    assert found["BLEU-4"]["mixing"].numbers["by_one_system"] == 0
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
    assert result.to_pandas().shape == (len(rows), 11)
    text = json.dumps(result.to_dict(), allow_nan=False)
    first = json.loads(text)[0]
    assert first["metric"] == "BLEU-4"
    assert first["checks"]["straw men"]["findings"][0]["segments"]
    assert len(result.findings) == sum(row["findings"] for row in rows)
    assert result.signature("WER").endswith("|audit|alpha:0.05|share:0.1|draws:100|n:1000|seed:12345|groups:5")
    page = result._repr_html_()
    assert page.count("<tr>") == 1 + len(DEFAULTS)
    assert all(1 <= segment <= 60 for finding in result.findings for segment in finding.segments)


def test_errors_and_similarities_agree():
    """WER and 1-WER are the same metric, turned round: so are their audits."""
    found = tarocco.audit(DEMO.systems, DEMO.references, metrics=["WER", "1-WER"], groups=DEMO.documents)
    for check, outcome in found["WER"].items():
        other = found["1-WER"][check]
        assert outcome.size == pytest.approx(other.size)
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
    assert other["BLEU-4"]["deletion"].numbers != result["BLEU-4"]["deletion"].numbers


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
    found = tarocco.audit({"A": ["x", "y"]}, ["a b", "c d"], metrics=["BLEU-4", "WER"])
    assert found["BLEU-4"]["deletion"].impossible == "no system scores better than an empty output"
    assert not found["BLEU-4"]["straw men"].gamed


def test_empty_segments_cannot_be_blanked_again():
    outputs = ["", "a b c d e", "a b c d e f g h i j", " "]
    found = tarocco.audit({"A": outputs}, ["a", "a b c d e", "a b c d e", "a"], metrics="BLEU-4")
    told = found["BLEU-4"]["deletion"].numbers["by_system"][0]
    assert told["greedy"] <= 2


def test_scores_of_whole_systems_cannot_be_audited():
    systems = {name: DEMO.systems[name] for name in ("careful", "brief")}
    found = tarocco.audit(systems, DEMO.references, metrics="WER", external={"Y": {"careful": 0.9, "brief": 0.1}})
    assert found.count_possible("Y") == 0
    assert found["Y"]["mixing"].impossible == "there are only scores of whole systems"


def test_scores_made_elsewhere_may_be_missing():
    """A segment counts if all systems have scores there; gaps would decide who is better on the whole."""
    texts = {"A": ["a", "b", "c", "d"], "B": ["a b"] * 4}
    scores = {"A": [0.1, None, 0.3, 0.4], "B": [0.2, 0.3, None, 0.6]}
    found = tarocco.audit(texts, ["a"] * 4, metrics=[], external={"X": scores}, groups=list("xyyx"))
    assert found.count_possible("X") == 3
    assert found.left_out == {"X": 2}
    assert not found["X"]["mixing"].gamed
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))[0]["left_out"] == 2
    found = tarocco.audit(texts, ["a"] * 4, metrics=[], external={"X": {"A": [0.1] * 4, "B": [None] * 4}})
    assert found.count_possible("X") == 0
    assert found["X"]["trading"].impossible == "no segment has scores of all systems"


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
    assert " ".join(lines[0].split()) == "metric found sign test mixing 10% blanked greedy trading straw men"
    assert lines[2].split()[:4] == ["BLEU-4", "4", "of", "5"]
    assert any(line.startswith("BLEU-4, sign test: ") and "; segments 1, 3" in line for line in lines)
    answer = json.loads(run(capsys, "-m", "BLEU-4", "GRR-4", "-f", "json", "--seed", 3)[1])
    assert (answer["command"], answer["seed"], answer["groups"], answer["n_draws"]) == ("audit", 3, None, 100)
    assert answer["results"][0]["checks"]["mixing"] == {"possible": False, "why_not": "segments have no labels"}
    for form, delimiter in (("tsv", "\t"), ("csv", ",")):
        rows = list(csv.DictReader(io.StringIO(run(capsys, "-m", "BLEU-4", "-f", form)[1]), delimiter=delimiter))
        assert [row["check"] for row in rows] == ["sign test", "mixing", "deletion", "trading", "straw men"]
    assert run(capsys, "-m", "GRR-4", "BLEU-4", "-b")[1] == "2\n4\n"
    assert r"\begin{tabular}" in run(capsys, "-m", "BLEU-4", "-f", "latex")[1]
    assert "| BLEU-4 | 4 of 4 |" in run(capsys, "-m", "BLEU-4", "-f", "md")[1]


def test_below_the_table_are_the_legend_the_findings_and_the_signatures(capsys):
    table, legend, findings, signatures = run(capsys, "-m", "BLEU-4", "WER")[1].strip().split("\n\n")
    columns = ("found", "sign test", "mixing", "10% blanked", "greedy", "trading", "straw men")
    assert all(column in table.splitlines()[0] for column in columns)
    explained = [line.split(": ")[0] for line in legend.splitlines()]
    assert explained == ["*", *columns[1:]]
    assert findings.startswith("BLEU-4, sign test: ")
    assert "not possible: mixing (segments have no labels)" in findings.splitlines()
    assert [line.split("|")[0] for line in signatures.splitlines()] == ["BLEU-4", "WER"]


def test_all_findings(capsys):
    short, long = run(capsys, "-m", "BLEU-4")[1], run(capsys, "-m", "BLEU-4", "--findings")[1]
    assert "more finding" in short
    assert " more" not in long
    assert len(long.splitlines()) > len(short.splitlines())


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
