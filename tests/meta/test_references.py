"""How many references are enough: subsets, curves and verdicts equal their definitions, and known answers are found."""

import json
import math
import shutil
from itertools import pairwise

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from textbook import correlations
from textbook import reference_curves as textbook

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.errors import BadParameter, InputError, UnknownName
from tarocco.core.test_set import HumanScores, Segments, TestSet, make_test_set
from tarocco.meta.correlation.score_sources import make_human_scores
from tarocco.meta.references.curves import Curve, Point
from tarocco.meta.references.subsets import make_pool
from tarocco.meta.significance.distributions import t_quantile

DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
TWINS = {"pearson": correlations.pearson, "kendall": correlations.kendall}
TEXT = st.lists(st.sampled_from("abcd"), min_size=1, max_size=5).map(" ".join)
SEEDS = st.integers(0, 2**70)


def adequacy(level="segment"):
    human = make_human_scores(str(FOLDER / "grades.tsv:adequacy"), list(DEMO.systems), 60).criteria["adequacy"]
    return dict(zip(DEMO.systems, human.tolist() if level == "segment" else human.mean(axis=1).tolist(), strict=True))


# --- subsets -------------------------------------------------------------------------------------------------------


@given(st.integers(2, 7), st.integers(1, 30), SEEDS)
def test_subsets_of_streams(count, limit, seed):
    references = [[f"r{r}" for r in range(count)]] * 3
    pool = make_pool(make_test_set({"a": ["x"] * 3}, references))
    assert pool.by_stream
    assert pool.most == count
    for size in range(1, count + 1):
        found = pool.subsets(size, limit, seed)
        expected = textbook.subsets_of_streams(count, size, limit, seed % 2**64)
        assert [tuple(one.chosen[:, 1].tolist()) for one in found] == expected
        assert [one.name for one in found] == [" + ".join(str(r + 1) for r in one) for one in expected]
        texts = [[list(stream) for stream in pool.test_set_of(one).references] for one in found]
        assert texts == [[[f"r{r}"] * 3 for r in one] for one in expected]


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6).filter(lambda has: sum(has) >= 2)), SEEDS)
def test_subsets_of_segments(has, seed):
    if not has:
        return
    references = [[f"s{s}r{r}" if there else "" for r, there in enumerate(own)] for s, own in enumerate(has)]
    pool = make_pool(make_test_set({"a": ["x"] * len(has)}, references))
    used = [r for r in range(6) if any(own[r] for own in has)]
    has = [[own[r] for r in used] for own in has]
    assert pool.most == min(map(sum, has))
    for size in range(1, pool.most + 1):
        found = pool.subsets(size, 4, seed)
        if pool.by_stream:
            continue
        expected = textbook.subsets_of_segments(has, size, 4, seed % 2**64)
        for one, chosen in zip(found, expected, strict=True):
            texts = list(zip(*map(list, pool.test_set_of(one).references), strict=True))
            assert texts == [tuple(f"s{s}r{used[r]}" for r in own) for s, own in enumerate(chosen)]


def test_a_longer_draw_has_the_shorter_one_in_it():
    """From one number of references to the next, one reference comes in: it is not drawn anew."""
    references = [["a", "b", "c", "d", "e"], ["a", "b", "c", "d"], ["a", "b", "c", "d", "e"]]
    pool = make_pool(make_test_set({"x": ["a"] * 3}, references))
    by_size = [pool.subsets(size, 10, 1) for size in range(1, 5)]
    for fewer, more in pairwise(by_size):
        for one, other in zip(fewer, more, strict=True):
            assert all(set(one.chosen[:, i]) < set(other.chosen[:, i]) for i in range(3))


def test_segments_with_fewer_references_take_no_part():
    references = [["a"], ["b", "c"], ["d", "e", "f"], ["g", "h"]]
    test_set = make_test_set({"x": ["1", "2", "3", "4"]}, references)
    pool = make_pool(test_set, 2)
    assert pool.rows.tolist() == [1, 2, 3]
    assert list(pool.test_set.systems["x"]) == ["2", "3", "4"]
    with pytest.raises(InputError, match=r"only 1 reference; --most K .* of 4 segments 3 have 2 or more"):
        make_pool(test_set)
    with pytest.raises(InputError, match="no segment has 4 references: the most that one has is 3"):
        make_pool(test_set, 4)
    with pytest.raises(BadParameter, match="most is an integer of at least 2"):
        make_pool(test_set, 1)
    with pytest.raises(InputError, match="there is one reference"):
        make_pool(make_test_set({"x": ["1"]}, ["a"]))


@given(st.lists(st.text("aé中\n", max_size=4), min_size=1, max_size=6), st.data())
def test_taken_segments(texts, data):
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1)))
    taken = Segments.from_strings(texts).taken(np.array(rows, np.intp))
    assert list(taken) == [texts[row] for row in rows]


# --- curves --------------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@pytest.mark.parametrize("coefficient", TWINS)
@given(st.data(), st.sampled_from(["BLEU-2", "NIST-2", "WER"]), st.booleans(), st.integers(0, 9))
def test_values_are_those_of_scoring_afresh(coefficient, data, name, even, seed):
    """Each subset gives what a test set with these references alone gives, NIST's information and all."""
    n = data.draw(st.integers(1, 3))
    sizes = [4] * n if even else data.draw(st.lists(st.integers(2, 4), min_size=n, max_size=n))
    references = [data.draw(st.lists(TEXT, min_size=size, max_size=size)) for size in sizes]
    systems = {letter: data.draw(st.lists(TEXT, min_size=n, max_size=n)) for letter in "pqrs"}
    human = {"p": 1.0, "q": 2.5, "r": 2.0, "s": 4.0}
    result = tarocco.references(
        systems,
        references,
        human,
        metrics=name,
        coefficient=coefficient,
        tokenize="none",
        n_subsets=3,
        seed=seed,
    )

    def score(some):
        found = tarocco.score(systems, some, metrics=name, tokenize="none")
        sign = -1 if name == "WER" else 1
        return [sign * round(found[system][name].score, 13) for system in systems]  # equal but for rounding is equal

    def correlate(x, y):
        if max(x) - min(x) <= 1e-12 * max(abs(min(x)), abs(max(x))):
            return math.nan
        return TWINS[coefficient](x, y)

    has = [[r < size for r in range(max(sizes))] for size in sizes]
    for point in result[name].points:
        if result.drawn == "streams":
            subsets = [[one] * n for one in textbook.subsets_of_streams(sizes[0], point.size, 3, seed)]
        else:
            subsets = textbook.subsets_of_segments(has, point.size, 3, seed)
        expected = textbook.curve(references, subsets, score, correlate, list(human.values()))
        assert point.values == pytest.approx(expected, nan_ok=True, abs=1e-9)
        known = [value for value in expected if not math.isnan(value)]
        if known:
            assert (point.low, point.high) == pytest.approx((min(known), max(known)), abs=1e-12)
            assert point.mean == pytest.approx(sum(known) / len(known), abs=1e-12)


def test_all_references_give_what_scoring_gives():
    result = tarocco.references(DEMO.systems, DEMO.references, adequacy(), metrics=["BLEU-4", "TER"])
    for name, sign in (("BLEU-4", 1), ("TER", -1)):
        scores = tarocco.score(DEMO.systems, DEMO.references, metrics=name)
        metric = [sign * scores[system][name].score for system in DEMO.systems]
        people = list(adequacy("system").values())
        assert result[name].at(4).mean == pytest.approx(correlations.pearson(metric, people))
        assert result[name].at(4).std == 0


def test_wmt19(shared):
    """Kendall's tau-b of BLEU with one reference each, and with all four: figures that others found."""
    folder = shared("data", "wmt19-ende-4refs")
    systems = {path.stem: path.read_text("utf-8").splitlines() for path in sorted(folder.glob("sys/*.txt"))}
    streams = [
        (folder / "ref" / f"{name}.txt").read_text("utf-8").splitlines() for name in ("WMT", "ar", "wmtp", "arp")
    ]
    human = folder / "human" / "system_scores.tsv"
    result = tarocco.references(
        systems, list(zip(*streams, strict=True)), human, metrics="BLEU-4", coefficient="kendall"
    )
    curve = result["BLEU-4"]
    assert curve.at(1).values.round(3).tolist() == [0.755, 0.790, 0.850, 0.824]
    assert curve.at(4).values.round(3).tolist() == [0.764]


def test_every_level():
    options = {"metrics": "chrF", "n_subsets": 2, "most": 3}
    for level, grouping in (("segment", None), ("segment", "item"), ("segment", "system"), ("document", "item")):
        result = tarocco.references(
            DEMO.systems, DEMO.references, adequacy(), level=level, grouping=grouping, **options
        )
        assert 0 < result["chrF"].at(3).mean < 1
        assert f"|level:{level}|grouping:{grouping or 'none'}|" in result["chrF"].signature
        assert "|corr:kendall|" in result["chrF"].signature


def test_orange():
    lists = [["it rains", "it rained", "all day it rain"], ["a dog", "the dogs", "dog"]]
    references = [
        ["it rained all day", "it rained the whole day", "all day it rained"],
        ["a dog", "the dog", "one dog"],
    ]
    result = tarocco.references(None, references, nbest=lists, metrics=["ROUGE-L", "BLEUS-2"])
    curve = result["ROUGE-L"]
    assert [point.size for point in curve.points] == [2, 3]
    pairs = [(0, 1), (0, 2), (1, 2)]
    expected = [
        tarocco.orange(lists, [[own[r] for r in pair] for own in references], metrics="ROUGE-L", short="keep")
        for pair in pairs
    ]
    assert curve.at(2).values.tolist() == [one["ROUGE-L"].orange for one in expected]
    whole = tarocco.orange(lists, references, metrics="ROUGE-L", short="keep")
    assert curve.at(3).mean == whole["ROUGE-L"].orange
    assert "|by:orange|" in curve.signature


def test_orange_leaves_out_lists_of_segments_that_take_no_part():
    lists = [["x y"], ["a b", "a c"]]
    references = [["x"], ["a b", "a d", "a e"]]
    result = tarocco.references(None, references, nbest=lists, metrics="ROUGE-L", most=3)
    alone = tarocco.references(None, references[1:], nbest=lists[1:], metrics="ROUGE-L")
    assert result["ROUGE-L"].at(2).values.tolist() == alone["ROUGE-L"].at(2).values.tolist()
    assert result.n_segments == 1


# --- verdicts ------------------------------------------------------------------------------------------------------


def make_curve(means, spread=0.0, wanted=0.98, lower=False, seed=0):
    """A curve with these means, and with draws around them."""
    noise = np.random.default_rng(seed).normal(size=(50, len(means))) * spread
    draws = np.concatenate([[means], means + noise])
    points = tuple(
        Point(k + 1, ("all",), np.array([1 - mean if lower else mean]), {}, draws[:, k]) for k, mean in enumerate(means)
    )
    return Curve("M", "M", points, wanted, lower), draws


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=6),
    st.sampled_from([0.0, 0.01, 0.1]),
    st.sampled_from([0.9, 0.98, 1.0]),
    st.booleans(),
    st.integers(0, 20),
)
def test_verdicts(means, spread, wanted, lower, seed):
    curve, draws = make_curve(means, spread, wanted, lower, seed)
    goodness = [1 - point.mean if lower else point.mean for point in curve.points]
    kind, enough = textbook.verdict(means, draws[1:].tolist(), wanted, lambda p: t_quantile(p, 49))
    if max(goodness) <= 0 or kind == "none":
        assert curve.verdict.kind in ("none", "open")
    else:
        assert (curve.verdict.kind, curve.verdict.enough) == (kind, None if enough is None else enough + 1)


@pytest.mark.parametrize(
    ("means", "sentence"),
    [
        ([0.5, 0.7, 0.9], "M gains: 2 references are shown to give less than 98% of what 3 give"),
        ([0.5, 0.89, 0.9], "M saturates: 2 references are shown to give at least 98% of what 3 give"),
        ([0.89, 0.9, 0.9], "M is flat: 1 reference is shown to give at least 98% of what 3 give"),
        ([0.7, 0.8, 0.6], "M degrades: 3 references are shown to give less than 98% of what 1 gives"),
        ([-0.1, -0.2], "M does not agree with the judge at any number of references"),
    ],
)
def test_sentences(means, sentence):
    assert make_curve(means, 1e-6)[0].verdict.sentence == sentence


def test_what_was_not_shown_is_open():
    curve, _ = make_curve([0.5, 0.7, 0.7], 0.3)
    words = "M is open: it is not shown whether 2 references give at least 98% of what 3 give"
    assert (curve.verdict.kind, curve.verdict.enough, curve.verdict.sentence) == ("open", None, words)
    untested = tuple(Point(k, ("all",), np.array([0.5])) for k in (1, 2))
    assert Curve("M", "M", untested).verdict.kind == "open"


# --- KING as a judge -----------------------------------------------------------------------------------------------


def test_strict_king_of_every_subset():
    """What `tarocco.king` says of the subset as if there were no other references."""
    found = tarocco.references(DEMO.systems, DEMO.references, by="king", metrics=["NIST-5", "TER"])
    assert found.judged_by == "strict KING"
    for size in (3, 4):
        point = found["TER"].at(size)
        for number, name in enumerate(point.subsets):
            chosen = [int(one.removeprefix("ref")) - 1 for one in name.split(" + ")]
            references = [[own[r] for r in chosen] for own in DEMO.references]
            kings = tarocco.king(DEMO.systems, references, metrics=["NIST-5", "TER"], n_resamples=2)
            for metric in ("NIST-5", "TER"):
                assert found[metric].at(size).values[number] == kings[metric].strict_king


def test_king_where_segments_have_different_references():
    """Subsets are drawn for each segment; one that takes all references is the whole."""
    references = [list(own) for own in DEMO.references]
    references[3][1] = references[7][0] = ""
    references = [[*own, "one more" if i in (3, 7) else ""] for i, own in enumerate(references)]
    found = tarocco.references(DEMO.systems, references, by="king", metrics="ROUGE-L", n_subsets=3)
    assert found.drawn == "segments"
    assert [len(point.values) for point in found["ROUGE-L"].points] == [3, 1]
    assert all(0 < value < 1 for point in found["ROUGE-L"].points for value in point.values)


@pytest.mark.parametrize(
    "wrong",
    [
        {"by": "jack"},
        {"by": "king", "human": adequacy()},
        {"by": "orange", "human": adequacy()},
        {"by": "people"},
        {},
        {"by": "king", "coefficient": "kendall"},
    ],
)
def test_one_judge_is_wanted(wrong):
    with pytest.raises(BadParameter):
        tarocco.references(DEMO.systems, DEMO.references, **wrong)


# --- orders --------------------------------------------------------------------------------------------------------

SEGMENTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=7),
        st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=7), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=3,
)


@pytest.mark.parametrize(("name", "twin"), [("NIST", textbook.nist_shares), ("BLEU", textbook.bleu_shares)])
@given(SEGMENTS, st.integers(1, 4))
def test_shares(name, twin, segments, order):
    metric = tarocco.metric(f"BLEU-{order}:smooth=none" if name == "BLEU" else f"NIST-{order}")
    candidates = [" ".join(candidate) for candidate, _ in segments]
    references = [[" ".join(one) for one in own] for _, own in segments]
    rows = tarocco.statistics(metric, candidates, references, tokenize="none")
    found = list(metric.order_shares(rows.sum(axis=0)).values())
    expected = twin(segments, order)
    if expected is None:
        assert np.isnan(found).all()
    else:
        assert found == pytest.approx(expected, abs=1e-9)


def test_lower_orders():
    assert [str(one) for one in tarocco.metric("NIST-3").lower_orders()] == ["NIST-1", "NIST-2"]
    assert [str(one) for one in tarocco.metric("BLEU-SBP:length=closest").lower_orders()] == [
        f"BLEU-SBP-{n}:length=closest" for n in (1, 2, 3)
    ]
    for name in ("NISTi-3", "BLEUi-3", "chrF", "WER"):
        assert tarocco.metric(name).lower_orders() == []
        assert tarocco.metric(name).order_shares(np.ones((2, 30))) == {}


def test_orders_as_references_are_added():
    """What the paper saw of NIST: the more references, the more of the score comes from longer n-grams."""
    result = tarocco.references(
        DEMO.systems, DEMO.references, adequacy(), metrics=["NIST-5", "NIST-2", "BLEU-2"], orders=True
    )
    assert list(result) == ["NIST-5", "NIST-2", "BLEU-2", "NIST-1", "NIST-3", "NIST-4", "BLEU-1"]
    assert [curve.named for curve in result.curves] == [True] * 3 + [False] * 4
    assert [[curve.metric for curve in own] for own in result.by_order()] == [
        ["NIST-1", "NIST-2", "NIST-3", "NIST-4", "NIST-5"],
        ["NIST-1", "NIST-2"],
        ["BLEU-1", "BLEU-2"],
    ]
    above = 100 * (1 - result["NIST-5"].at(1).shares["1"])
    assert f"NIST-5: orders above 1 make {above:.1f}% of the score with 1 reference" in "\n".join(result.advice)
    shares = [point.shares["1"] for point in result["NIST-5"].points]
    assert all(more < fewer for fewer, more in pairwise(shares))
    assert sum(result["NIST-5"].at(2).shares.values()) == pytest.approx(1)
    assert sum(result["BLEU-2"].at(2).shares.values()) == pytest.approx(1)
    alone = tarocco.references(DEMO.systems, DEMO.references, adequacy(), metrics="NIST-3")
    assert alone["NIST-3"].at(2).values.tolist() == result["NIST-3"].at(2).values.tolist()
    assert not alone["NIST-3"].at(2).shares


# --- the rest ------------------------------------------------------------------------------------------------------


def test_people_in_every_form():
    options = {"metrics": "chrF", "n_subsets": 2}
    by_list = tarocco.references(DEMO.systems, DEMO.references, adequacy(), **options)
    by_file = tarocco.references(DEMO.systems, DEMO.references, FOLDER / "grades.tsv:adequacy", **options)
    human = make_human_scores(str(FOLDER / "grades.tsv:adequacy"), list(DEMO.systems), 60)
    by_scores = tarocco.references(DEMO.systems, DEMO.references, human, **options)
    by_number = tarocco.references(DEMO.systems, DEMO.references, adequacy("system"), **options)
    values = by_list["chrF"].at(1).values
    assert values.tolist() == by_file["chrF"].at(1).values.tolist() == by_scores["chrF"].at(1).values.tolist()
    assert by_number["chrF"].at(1).values == pytest.approx(values)


def test_systems_that_people_did_not_judge_take_no_part():
    human = adequacy()
    del human["verbose"]
    systems = {name: own for name, own in DEMO.systems.items() if name != "verbose"}
    one = tarocco.references(DEMO.systems, DEMO.references, human, metrics="chrF")
    other = tarocco.references(systems, DEMO.references, human, metrics="chrF")
    assert one["chrF"].at(2).values.tolist() == other["chrF"].at(2).values.tolist()


def test_people_are_asked_about_the_segments_that_take_part():
    references = [own if i % 2 else own[:1] for i, own in enumerate(DEMO.references)]
    half = {name: own[1::2] for name, own in DEMO.systems.items()}
    people = {name: own[1::2] for name, own in adequacy().items()}
    whole = tarocco.references(DEMO.systems, references, adequacy(), metrics="BLEU-2", most=4)
    alone = tarocco.references(half, [own for own in references if len(own) == 4], people, metrics="BLEU-2")
    assert whole["BLEU-2"].at(3).values.tolist() == alone["BLEU-2"].at(3).values.tolist()
    assert whole.notes == ("30 of 60 segments have 4 or more references and are used",)
    whole_systems = tarocco.references(DEMO.systems, references, adequacy("system"), metrics="BLEU-2", most=4)
    assert "people judged whole systems" in whole_systems.notes[1]


def test_what_people_did_not_judge_is_told():
    human = {name: [None, *own[1:]] for name, own in adequacy().items()}
    human["brief"][7] = None
    result = tarocco.references(DEMO.systems, DEMO.references, human, metrics="chrF")
    assert result.notes == ("people judged 58 to 59 of 60 segments of a system; metrics score all of them",)


@pytest.mark.parametrize("even", [True, False])
def test_jobs_and_stores_change_nothing(tmp_path, even):
    references = DEMO.references if even else [own[: 2 + i % 3] for i, own in enumerate(DEMO.references)]
    options = {"metrics": ["BLEU-4", "NIST-5"], "orders": True, "n_subsets": 3}
    found = [
        tarocco.references(DEMO.systems, references, adequacy(), **options, **more).to_dict(subsets=True)
        for more in ({"jobs": 1}, {"jobs": 3}, {"store": tmp_path / "store"}, {"store": tmp_path / "store", "jobs": 1})
    ]
    assert found[0] == found[1] == found[2] == found[3]
    other = tarocco.references(DEMO.systems, references, adequacy(), **options, seed=1).to_dict(subsets=True)
    assert json.dumps(other) != json.dumps(found[0])


def test_undefined_correlations():
    same = dict(zip("abcd", [["x y"] * 3] * 4, strict=True))
    human = {"a": 1, "b": 2, "c": 3, "d": 4}
    result = tarocco.references(same, [["x", "y"]] * 3, human, metrics="BLEU-1")
    assert math.isnan(result["BLEU-1"].at(1).mean)
    assert result["BLEU-1"].verdict.sentence.endswith("(all scores of the metric are equal)")
    assert result.notes == ("BLEU-1 is undefined for 3 of 3 subsets: all scores of the metric are equal",)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))[0]["curve"][0]["mean"] is None


def test_tables_for_other_libraries():
    result = tarocco.references(DEMO.systems, DEMO.references, adequacy(), metrics=["chrF", "NIST-2"], orders=True)
    frame = result.to_pandas()
    assert len(frame) == 3 * 4
    assert list(frame["references"].unique()) == [1, 2, 3, 4]
    assert result.to_arrow().num_rows == 12
    with pytest.raises(UnknownName, match='no curve of "BLEU"'):
        result["BLEU"]
    with pytest.raises(UnknownName, match="no point with 5 references"):
        result["chrF"].at(5)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"human": {"a": 1}}, InputError, "a correlation needs 4 systems or more"),
        ({"human": {"z": 1}}, InputError, "but the systems are"),
        ({"human": 3}, InputError, "human must be a file"),
        ({"human": None}, BadParameter, "expected one judge"),
        ({"level": "segment"}, InputError, "whole systems only, not for segments"),
        ({"level": "word"}, BadParameter, "level is one of"),
        ({"coefficient": "r"}, BadParameter, "coefficient is one of pearson"),
        ({"n_subsets": 0}, BadParameter, "n_subsets is an integer"),
        ({"enough": 0}, BadParameter, "enough is a number"),
        ({"most": 3}, InputError, "no segment has 3 references"),
        ({"references": ["x", "y"]}, InputError, "there is one reference"),
        ({"systems": ["x", "y"]}, InputError, "systems is a mapping"),
        ({"human": None, "nbest": [["x"], ["y"]]}, BadParameter, "nbest needs no systems"),
        ({"human": None, "nbest": [["x"], ["y"]], "systems": None}, InputError, "more than 2 references: .* 3 or more"),
        ({"human": {"a": [1, 2, 3], "b": [1, 2, 3]}}, InputError, "expected 2 numbers"),
    ],
)
def test_bad_arguments(change, error, message):
    arguments = {
        "systems": {name: ["x", "y"] for name in "abcd"},
        "references": [["x", "y"], ["y", "z"]],
        "human": {"a": 1, "b": 2, "c": 3, "d": 4},
    } | change
    systems, references, human = (arguments.pop(key) for key in ("systems", "references", "human"))
    with pytest.raises(error, match=message):
        tarocco.references(systems, references, human, **arguments)


def test_several_criteria_are_not_guessed():
    human = HumanScores(
        {"one": np.zeros(4), "two": np.ones(4)},
        dict.fromkeys(("one", "two"), "similarity"),
        tuple("abcd"),
        "system",
        1,
        (),
    )
    with pytest.raises(InputError, match="several criteria, one, two: select one"):
        tarocco.references({name: ["x"] for name in "abcd"}, [["x", "y"]], human)


# --- many references -----------------------------------------------------------------------------------------------


def test_sixteen_human_references_and_a_hundred_paraphrases(tmp_path, monkeypatch, capsys):
    """A file with any number of references a segment: scored, and its curve drawn from segments that have enough."""
    monkeypatch.chdir(tmp_path)
    for name in DEMO.systems:
        shutil.copy(FOLDER / f"{name}.txt", tmp_path)
    many = []
    for i, own in enumerate(DEMO.references):
        words = [text.split() for text in own]
        made = [" ".join(text[j:] + text[:j]) for j in range(29) for text in words]  # rotated, 116 in all
        many.append(made[: 116 if i % 3 else 16 + i])
    (tmp_path / "many.tsv").write_text("".join("\t".join(own) + "\n" for own in many), "utf-8")
    names = ["BLEU-4", "NIST-5", "WER", "PER", "CDER", "GTM-1", "GRR-4", "ROUGE-L", "ROUGE-S-4", "chrF", "TER"]
    files = [f"{name}.txt" for name in DEMO.systems]
    assert main(["score", "many.tsv", "-i", *files, "-m", *names, "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["results"]
    expected = tarocco.score(DEMO.systems, many, metrics=names)
    assert [one["score"] for one in found] == [score.score for score in expected.scores]
    options = ["--most", "16", "--subsets", "2", "--human", str(FOLDER / "grades.tsv:adequacy"), "-f", "json"]
    assert main(["references", "many.tsv", "-i", *files, "-m", "BLEU-4", "WER", *options]) == 0
    told = capsys.readouterr()
    assert len(json.loads(told.out)["results"][0]["curve"]) == 16
    assert "drawn for each segment separately" in told.err


def test_a_reference_twice_changes_nothing():
    """116 references that are four, 29 times over, score as the four do, but for NIST, which counts them."""
    names = ["BLEU-4", "BLEU-SBP", "WER", "GTM-2", "GRR-4", "ROUGE-S-4", "ROUGE-W-1.2", "chrF", "TER"]
    one = tarocco.score(DEMO.systems, DEMO.references, metrics=names)
    other = tarocco.score(DEMO.systems, [list(own) * 29 for own in DEMO.references], metrics=names)
    for few, many in zip(one.scores, other.scores, strict=True):
        assert many.score == pytest.approx(few.score, rel=1e-12), few.metric


def test_pools_keep_texts_that_hold_newlines():
    test_set = TestSet(
        {"a": Segments.from_strings(["x\ny", "z"])},
        (Segments.from_strings(["a\nb", "c"]), Segments.from_strings(["d", "e"]), Segments.from_strings(["", "f\n"])),
    )
    pool = make_pool(test_set)
    for subset in pool.subsets(1, 5, 3):
        (stream,) = pool.test_set_of(subset).references
        assert stream[0] in ("a\nb", "d")
        assert stream[1] in ("c", "e", "f\n")
