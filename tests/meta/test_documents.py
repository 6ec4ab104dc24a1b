"""Segments of one document are not independent: documents are redrawn and swapped as wholes wherever they are known."""

import json
from functools import cache

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import correlations as textbook
from textbook import resampling

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.test_set import RaterScores
from tarocco.meta.correlation.agreement import soft_pairwise_accuracy, soft_signs
from tarocco.meta.correlation.levels import CorrelationLevel
from tarocco.meta.correlation.metric_tests import perm_both, perm_input, perm_sys_pairwise
from tarocco.meta.correlation.pairwise import resample_pairwise
from tarocco.meta.correlation.raters import krippendorff_alpha
from tarocco.meta.correlation.score_sources import make_source
from tarocco.meta.support.people import PairAgreement, one_sided_p
from tarocco.scoring.settings import Resampling

DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
ADEQUACY = {system: [float(adequacy) for adequacy, _ in pairs] for system, pairs in DEMO.grades.items()}
QUICK = {"n_resamples": 20, "n_permutations": 300}
DOCUMENTS = [f"d{i // 5}" for i in range(60)]  # 12 documents
SINGLE = [str(i) for i in range(60)]  # every segment is a document
LABELS = st.lists(st.sampled_from("abc"), min_size=6, max_size=6)


@cache
def correlated(documents=None, **options):
    return tarocco.correlate(
        *(DEMO.systems, DEMO.references, ADEQUACY), metrics=["BLEU-4", "chrF"], documents=documents, **QUICK | options
    )


def intervals(result):
    return [(record.interval.low, record.interval.high) for record in result]


def p_values(result):
    return [comparison.p_value for comparison in result.metric_comparisons]


def draw_dependent(random, shape, documents, size, rho):
    """Return scores whose correlation within a document is rho."""
    shared = np.repeat(random.normal(0, 1, (*shape, documents)), size, axis=-1)
    return np.sqrt(rho) * shared + np.sqrt(1 - rho) * random.normal(0, 1, shared.shape)


# --- definitions ---


@settings(max_examples=20)
@given(LABELS, st.integers(0, 3))
def test_one_coin_per_document(labels, seed):
    """Coins that are equal within a document, given to the twins, which know nothing of documents."""
    names = list(dict.fromkeys(labels))
    places = [names.index(label) for label in labels]
    masks = [[mask[place] for place in places] for mask in resampling.coins(seed, 9, len(names))]
    swaps = [[row[place] < 0 for place in places] for row in soft_signs(seed, 9, len(names)).tolist()]
    metric, human, other = np.random.default_rng(seed).integers(0, 4, (3, 3, 6)).astype(float)
    metric[0, 1] = human[1, 2] = np.nan
    soft = soft_pairwise_accuracy(metric, human, 9, seed, labels)
    assert soft == pytest.approx(textbook.soft_pairwise_accuracy(metric, human, swaps), nan_ok=True)
    test = perm_input(np.stack([metric[0], other[0]]), 9, seed, labels)
    expected = textbook.perm_input(metric[0].tolist(), other[0].tolist(), masks)
    assert (test.difference[0, 1], test.extreme[0, 1]) == pytest.approx(expected, nan_ok=True)


@settings(max_examples=20)
@given(LABELS, st.booleans(), st.integers(0, 9))
def test_swapped_systems_have_p_values_of_documents(labels, missing, seed):
    """Each system's effect on SPA is from sums over documents: the sum of effects is the difference of the two SPAs."""
    metrics = np.random.default_rng(seed).normal(0, 1, (3, 4, 6))
    *_, human = metrics
    if missing:
        human[0, 0] = human[2, 3] = np.nan
    sources = [make_source(name, rows) for name, rows in zip("abh", metrics, strict=True)]
    values = PairAgreement(sources[:2], sources[2], "system", labels).observed()
    test = perm_sys_pairwise(metrics[:2], human, "spa", 3, 0, labels)
    by_hand = [1 - np.abs(soft_p(rows, human, labels) - soft_p(human, human, labels)).mean() for rows in metrics[:2]]
    assert values == pytest.approx(by_hand, abs=1e-6)
    assert test.difference[0, 1] == pytest.approx(by_hand[0] - by_hand[1], abs=1e-6) or missing


def soft_p(rows, human, labels):
    first, second = np.triu_indices(len(rows), 1)
    differences = np.nan_to_num(rows[first] - rows[second] + 0 * (human[first] - human[second]))
    sums = np.stack([differences[:, np.array(labels) == label].sum(axis=1) for label in dict.fromkeys(labels)])
    return one_sided_p(sums.sum(axis=0), (sums**2).sum(axis=0))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"coefficient": "kendall", "population": "these"},
        {"population": "these", "system_scores": "mean"},
        {"coefficient": "spa"},
        {"coefficient": "accuracy", "population": "these"},
        {"level": "segment"},
        {"level": "segment", "coefficient": "pearson", "grouping": "system"},
        {"level": "segment", "grouping": "item"},
        {"level": "segment", "grouping": "item", "population": "such", "coefficient": "pearson"},
        {"level": "segment", "coefficient": "acc-eq"},
        {"level": "document", "n_documents": 20, "document_size": 10, "coefficient": "pearson"},
    ],
    ids=str,
)
def test_documents_of_one_segment_change_nothing(options):
    """And longer ones change intervals, but no coefficient, except SPA, whose p-values swap documents."""
    plain, single, documents = (correlated(labels, **options) for labels in (None, tuple(SINGLE), tuple(DOCUMENTS)))
    np.testing.assert_allclose(intervals(single), intervals(plain), atol=2e-6)
    np.testing.assert_allclose(p_values(single), p_values(plain), atol=1e-12)
    assert any(one != other for one, other in zip(intervals(documents), intervals(plain), strict=True))
    if options.get("coefficient") != "spa":
        assert documents.value(documents["chrF"]) == plain.value(plain["chrF"])
    else:
        assert documents.value(documents["chrF"]) != plain.value(plain["chrF"])
    assert (plain.units.name, plain.units.count) == ("segment", 60)
    assert str(documents.units) == "12 documents"
    assert "unit:" not in plain["chrF"].signature
    assert "unit:document" in documents["chrF"].signature


def test_documents_of_different_lengths_are_redrawn_whole():
    """Resamples then differ in length; their Pearson is that of the points of the drawn documents."""
    labels = ["a"] * 5 + ["b"] + ["c"] * 2
    metric, people = (make_source("m", rows) for rows in np.random.default_rng(1).normal(0, 1, (2, 3, 8)))
    level = CorrelationLevel("segment", labels=labels)
    (values,) = level.resampled("pearson", [metric], people, Resampling(6, seed=4))
    for number, value in enumerate(values):
        drawn = [["abc"[place]] for place in resampling.draws(3, 4, number)]
        segments = [i for (label,) in drawn for i in range(8) if labels[i] == label]
        x, y = metric.segments[:, segments].ravel(), people.segments[:, segments].ravel()
        assert value == pytest.approx(np.corrcoef(x, y)[0, 1])


# --- error rates ---


def test_swaps_of_documents_keep_their_level():
    """Two equal metrics, 20 documents of 10 segments, correlation .5 within a document: p <= .05 in 5% of runs."""
    random, labels = np.random.default_rng(3), np.repeat(np.arange(20), 10).astype(str).tolist()
    rejected = np.zeros((2, 2))
    for run in range(120):
        values = draw_dependent(random, (2,), 20, 10, 0.5)
        tables = draw_dependent(random, (2, 6), 20, 10, 0.5)
        human = tables.mean(axis=(0, 2)) + random.normal(0, 0.2, 6)
        for k, known in enumerate((labels, None)):
            rejected[0, k] += perm_input(values, 200, run, known).p_values[0, 1] <= 0.05
            rejected[1, k] += (
                perm_both(tables, human, n_permutations=200, seed=run, labels=known).p_values[0, 1] <= 0.05
            )
    by_document, by_segment = rejected.T / 120
    assert (by_document < 0.11).all()  # .05, and three standard errors
    assert by_segment[0] > 0.3


def test_soft_p_values_of_documents_are_not_extreme():
    """Equal systems whose differences depend on the document: 5% of p-values are below .025 or above .975."""
    random, labels = np.random.default_rng(4), np.repeat(np.arange(20), 10).astype(str).tolist()
    shares = []
    for known in (labels, None):
        extreme = []
        for _ in range(40):
            people = make_source("human", draw_dependent(random, (6,), 20, 10, 0.5))
            agreement = PairAgreement([], people, "system", known)
            p = one_sided_p(agreement.human.sum(axis=1), (agreement.human**2).sum(axis=1))
            extreme.append(np.abs(p - 0.5) > 0.475)
        shares.append(np.mean(extreme))
    assert shares[0] < 0.08
    assert shares[1] > 0.3


def test_intervals_of_documents_are_wider():
    """Dependent segments: intervals from segments are too narrow by the square root of the design effect, 2.3."""
    random, labels = np.random.default_rng(5), np.repeat(np.arange(40), 10).astype(str).tolist()
    quality = random.normal(0, 1, (6, 1))
    metric, people = (make_source("m", quality + draw_dependent(random, (6,), 40, 10, 0.5)) for _ in range(2))
    many = Resampling(200, seed=1)
    for coefficient in ("spa", "pearson"):
        if coefficient == "spa":
            errors = [
                resample_pairwise("spa", [metric], people, many, "these systems", labels=known).std()
                for known in (labels, None)
            ]
        else:
            levels = (CorrelationLevel(labels=known) for known in (labels, None))
            errors = [level.resampled("pearson", [metric], people, many).std() for level in levels]
        assert errors[0] > 1.5 * errors[1]


def test_alpha_of_raters_redraws_documents():
    table = np.random.default_rng(6).normal(0, 1, (3, 2, 12)) + np.repeat([0.0, 3.0, 1.0, 5.0], 3)
    scores = RaterScores(("r1", "r2", "r3"), *map(np.ravel, np.indices(table.shape)), table.ravel())
    few = Resampling(50, seed=2)
    value, *segments = krippendorff_alpha(scores, (2, 12), few)
    again, *documents = krippendorff_alpha(scores, (2, 12), few, np.repeat(list("abcd"), 3).tolist())
    assert value == again
    assert documents[0] < segments[0]


# --- references and QARLA ---


def test_references_redraw_documents():
    options = {"metrics": ["BLEU-2"], "most": 2, "n_subsets": 1}
    for more in ({"human": ADEQUACY}, {"human": ADEQUACY, "level": "segment"}, {"by": "king"}):
        if more.get("by"):
            more = {**more, "most": 4}
        plain, single, documents = (
            tarocco.references(DEMO.systems, DEMO.references, documents=labels, **options | more)["BLEU-2"]
            for labels in (None, SINGLE, DOCUMENTS)
        )
        first, same, other = (curve.points[-1].redrawn for curve in (plain, single, documents))
        np.testing.assert_allclose(first, same)
        assert other[0] == first[0]
        assert (other[1:] != first[1:]).any()
        assert "unit:document" in documents.signature
        assert documents.n_units == 12


def test_references_with_orange_redraw_documents():
    lists = str(FOLDER / "nbest.txt")
    plain, documents = (
        tarocco.references(None, DEMO.references, nbest=lists, metrics="BLEU-2", documents=labels, most=3, n_subsets=1)
        for labels in (None, DOCUMENTS)
    )
    first, other = (result["BLEU-2"].points[-1].redrawn for result in (plain, documents))
    assert other[0] == first[0]
    assert (other[1:] != first[1:]).any()
    assert "200 resamples of 12 documents" in documents.tested
    assert "200 resamples of 60 segments" in plain.tested


def test_qarla_redraws_documents():
    systems = {name: segments[:30] for name, segments in DEMO.systems.items()}
    options = {"metrics": ["ROUGE-L"], "n_resamples": 200}
    for measure, more in (
        (tarocco.queen, {}),
        (tarocco.king, {}),
        (tarocco.king, {"level": "system"}),
        (tarocco.jack, {}),
        (tarocco.optimize, {}),
    ):
        plain, single, documents = (
            measure(systems, DEMO.references[:30], documents=labels, **options | more).to_dict()
            for labels in (None, SINGLE[:30], DOCUMENTS[:30])
        )
        first, same, other = (
            records[0] if isinstance(records, list) else records for records in (plain, single, documents)
        )
        assert first["interval"] == same["interval"]
        if more.get("level") != "system":
            assert first["interval"] != other["interval"]
        if measure is tarocco.king and not more:
            assert first["p_value"] == same["p_value"]


# --- what is said ---


def run_json(capsys, *arguments):
    assert main([*arguments, "-f", "json", "-q"]) == 0
    return json.loads(capsys.readouterr().out)


def test_commands_read_documents_and_say_how_many_there_are(capsys, tmp_path):
    labels, demo = tmp_path / "documents.txt", str(FOLDER / "demo.toml")
    labels.write_text("\n".join(DOCUMENTS) + "\n")
    quick = ["-m", "BLEU-2", "--documents", str(labels)]
    for command in (
        ["correlate", demo, "--n-resamples", "10"],
        ["correlate", demo, "--n-resamples", "10", "--at-difference", "1"],
        ["references", demo, "--most", "2", "--subsets", "1"],
        ["queen", demo, "--n-resamples", "10"],
        ["king", demo, "--n-resamples", "10"],
        ["jack", demo, "--n-resamples", "10"],
    ):
        answer = run_json(capsys, *command, *quick)
        assert (answer["unit"], answer["n_units"]) == ("document", 12), command
        assert main([*command, *quick, "-q"]) == 0
        assert "12 documents" in capsys.readouterr().out, command
    assert run_json(capsys, "correlate", demo, "--n-resamples", "10", "-m", "BLEU-2")["n_units"] == 60


def test_few_documents_are_said():
    few = tuple(f"d{i // 20}" for i in range(60))
    result = correlated(few, level="segment", grouping="item")
    assert any("3 documents are few" in note for note in result.notes)
    assert any("swaps of 3 documents are too few" in note for note in result.notes)
    assert min(p_values(result)) > 0.2  # eight swaps
    williams = correlated(few, level="segment", coefficient="pearson", test="williams")
    assert any("Williams' test takes segments of one document as independent" in note for note in williams.notes)
    single = correlated(("d",) * 60, population="these")
    assert np.isnan(intervals(single)).all()
    assert any("1 document is few" in note for note in single.notes)
