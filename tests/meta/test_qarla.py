"""KING of systems, trans-topic mode, JACK and ULC equal their definitions; the public functions put them together."""

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_similarities import asiya, looked_up, queen_of, references_of, same, similarities

import tarocco
from tarocco import datasets
from tarocco.core.errors import BadParameter, InputError, UnknownName
from tarocco.meta.qarla import queen as queens
from tarocco.meta.qarla.king import find_surrounded_references, king_over_segments, king_over_systems
from tarocco.meta.qarla.queen import PairSelection, sample_pairs
from tarocco.scoring.settings import Resampling
from tests.textbook import qarla
from tests.textbook.resampling import draws

DEMO = datasets.load("demo")
FEW = Resampling(7, 0.9, 5)
METRICS = ["ROUGE-L", "1-WER"]


def all_members(near):
    return list(range(len(near.metrics)))


def textbook_queens(near, members, rows=None):
    """For each segment QUEEN with each reference held out."""
    return [
        qarla.held_out(queen_of(near, s, members), range(len(near.systems)), references_of(near, s))
        for s in (range(near.n_segments) if rows is None else rows)
    ]


@given(similarities(fewest=3))
def test_king_of_systems(near):
    members = all_members(near)
    (found,) = queens.compute_held_out_queens(near, [members], PairSelection())
    outcome = king_over_systems(found, near.present, FEW)
    first = len(near.systems)
    expected = qarla.king_of_systems(textbook_queens(near, members), range(first, first + len(near.references)), first)
    for r in range(len(near.references)):
        said = expected.get(first + r, (math.nan, math.nan))
        assert np.array_equal(outcome.by_reference[r], np.array(said, float), equal_nan=True)
    if expected:
        assert outcome.king == pytest.approx(tuple(map(qarla.mean, zip(*expected.values(), strict=True))))


@given(similarities(fewest=3, most=4, segments=3), st.sampled_from(["segment", "system"]))
def test_intervals(near, level):
    """KING on each resample of segments, one by one."""
    members = all_members(near)
    (found,) = queens.compute_held_out_queens(near, [members], PairSelection())
    outcome = {"segment": king_over_segments, "system": king_over_systems}[level](found, near.present, FEW)
    drawn = []
    first = len(near.systems)
    for resample in range(FEW.n_resamples):
        own = textbook_queens(near, members, draws(near.n_segments, FEW.seed, resample))
        if level == "segment":
            kings = [king[0] for king in map(qarla.king_of_segment, own) if king]
        else:
            references = range(first, first + len(near.references))
            kings = [won for won, _ in qarla.king_of_systems(own, references, first).values()]
        if kings:
            drawn.append(qarla.mean(kings))
    if drawn:
        low, high = np.quantile(drawn, [0.05, 0.95])
        assert (outcome.intervals[0].low, outcome.intervals[0].high) == pytest.approx((low, high))


@given(similarities(fewest=3, most=4, segments=3), st.integers(0, 99), st.booleans())
def test_trans_topic(near, seed, together):
    """All pairs of all segments for a metric, those drawn for a set; pairs with the held-out reference never."""
    members = all_members(near) if together else [0]
    systems = len(near.systems)

    def similarity(s, x, a, b):
        return looked_up(near, s)(x, a, b)

    every = [
        (s, a, b)
        for s in range(near.n_segments)
        for a in references_of(near, s)
        for b in references_of(near, s)
        if a != b
    ]
    if len(members) > 1:
        if not every:
            return
        comparison = PairSelection(True, 7, seed)
        drawn = sample_pairs(near, 7, seed)
        assert len(drawn.references) == min(7, len(every))
        # Which segment a drawn pair comes from shows in its similarities.
        left = {pair: tuple(near.to_references[:, pair[0], pair[1], pair[2] - systems]) for pair in every}
        pairs = []
        for (first, second), values in zip(drawn.references + systems, drawn.similarity[:, 0].T, strict=True):
            match = next(
                pair
                for pair, own in left.items()
                if pair[1:] == (first, second) and np.array_equal(own, values, equal_nan=True)
            )
            del left[match]
            pairs.append(match)
    else:
        comparison, pairs = PairSelection(True), every
    (found,) = queens.compute_queens(near, [members], comparison)
    (held_out,) = queens.compute_held_out_queens(near, [members], comparison)
    for s in range(near.n_segments):
        references = references_of(near, s)
        for a in range(systems):
            assert same(found[s, a], qarla.queen_of_topics(similarity, s, members, a, references, pairs))
        for r in references:
            others = [other for other in references if other != r]
            kept = [pair for pair in pairs if r not in pair[1:]]
            for place, a in enumerate([*range(systems), r]):
                expected = qarla.queen_of_topics(similarity, s, members, a, others, kept)
                assert same(held_out[s, r - systems, place], expected)


@given(similarities(between_systems=True))
def test_jack(near):
    members = all_members(near)
    (found,) = queens.compute_queens(near, [members], PairSelection())
    closely = find_surrounded_references(near, members, found)
    for s in range(near.n_segments):
        expected = qarla.jack_of_segment(
            looked_up(near, s), members, range(len(near.systems)), references_of(near, s), queen_of(near, s, members)
        )
        for r in range(len(near.references)):
            said = expected.get(len(near.systems) + r)
            assert math.isnan(closely[s, r]) if said is None else closely[s, r] == said


def test_blocks_do_not_matter(monkeypatch):
    expected = tarocco.king(DEMO.systems, DEMO.references, metrics=METRICS, jobs=1).rows()
    monkeypatch.setattr(queens, "_BLOCK", 7)
    assert tarocco.king(DEMO.systems, DEMO.references, metrics=METRICS, jobs=3).rows() == expected


def test_asiya_system_level():
    near, expected = asiya()
    (found,) = queens.compute_held_out_queens(near, [[0, 1]], PairSelection())
    golden = expected["KING"]["QUEEN_all"]
    assert king_over_systems(found, near.present, FEW).king[0] == golden["sys"]["value"] == 0.75
    assert king_over_segments(found, near.present, FEW).king[0] == golden["seg"]["value"] == 0.5


# --- the public functions ------------------------------------------------------------------------------------------


def test_queen_of_the_bundled_set():
    """By hand, as the definition says, from single-reference scores."""
    result = tarocco.queen(DEMO.systems, DEMO.references, metrics=["ROUGE-L", "WER"], segments=[3, 0])

    @cache
    def near(x, a, b):
        score = tarocco.score([a], [[b]], metrics=["ROUGE-L", "WER"][x])
        value = next(iter(score.values())).score
        return 1 - value if x else value

    for place, segment in enumerate((3, 0)):
        for system in ("careful", "brief"):
            references = DEMO.references[segment]
            expected = qarla.queen(near, [0, 1], DEMO.systems[system][segment], references)
            assert result[system].segments[place] == pytest.approx(expected)
    assert result["careful"].queen == pytest.approx(result["careful"].segments.mean())
    assert result.metrics == ("ROUGE-L", "WER")


def test_ulc():
    result = tarocco.queen(DEMO.systems, DEMO.references, metrics=["ROUGE-L", "NIST-5", "WER"])
    scores = tarocco.score(DEMO.systems, DEMO.references, metrics=["ROUGE-L", "NIST-5", "WER"])

    def similarities_of(values):
        return {x: values(x) if x != "WER" else [1 - one for one in values(x)] for x in result.metrics}

    systems = similarities_of(lambda x: [scores[system][x].score for system in scores])
    assert [one.ulc for one in result] == pytest.approx(qarla.ulc(systems))
    segments = similarities_of(lambda x: [one for system in scores for one in scores[system][x].segments.tolist()])
    found = np.concatenate([one.ulc_segments for one in result])
    assert found == pytest.approx(qarla.ulc(segments))


def test_ulc_of_systems_that_share_nothing():
    result = tarocco.queen({"a": ["x y"], "b": ["z"]}, [["k l", "k m"]], metrics=["ROUGE-L", "BLEU-1:smooth=none"])
    assert np.isnan(result["a"].ulc)
    assert [record["ulc"] for record in (*result.to_dict(), *result.rows())] == [None] * 4


def test_segments_with_too_few_references_are_left_out():
    references = [list(own) for own in DEMO.references]
    references[2], references[5] = references[2][:2], references[5][:1]
    king = tarocco.king(DEMO.systems, references, metrics=METRICS)
    assert king.notes == ("2 of 60 segments have fewer than 3 references and are left out",)
    assert np.flatnonzero(np.isnan(king["ROUGE-L"].segments)).tolist() == [2, 5]
    rest = [i for i in range(60) if i not in (2, 5)]
    alone = tarocco.king(DEMO.systems, references, metrics=METRICS, segments=rest)
    assert alone["ROUGE-L"].king == king["ROUGE-L"].king
    queen = tarocco.queen(DEMO.systems, references, metrics=METRICS)
    assert queen.notes == ("1 of 60 segments have fewer than 2 references and are left out",)
    assert np.flatnonzero(np.isnan(queen["brief"].segments)).tolist() == [5]
    record = queen.to_dict("segment")[0]
    assert record["segments"][5] is None


@pytest.mark.parametrize(
    ("function", "count", "sentence"),
    [
        (tarocco.queen, 1, "QUEEN needs at least two references, .*; there is 1"),
        (tarocco.king, 2, "KING needs at least three references, because one is held out .*; there are 2"),
        (tarocco.jack, 1, "JACK needs at least two references, .*; there is 1"),
    ],
)
def test_too_few_references(function, count, sentence):
    with pytest.raises(InputError, match=sentence):
        function(DEMO.systems, [own[:count] for own in DEMO.references], metrics="ROUGE-L")


def test_two_references_are_enough_for_queen():
    result = tarocco.queen(DEMO.systems, [own[:2] for own in DEMO.references], metrics="ROUGE-L")
    assert result["careful"].queen > result["brief"].queen


def test_sets():
    result = tarocco.king(DEMO.systems, DEMO.references, sets=[["rg-l", "1-WER"], ["1-WER"]])
    assert {one.metrics for one in result} == {("ROUGE-L", "1-WER"), ("1-WER",)}
    assert result["1-WER"].king == tarocco.king(DEMO.systems, DEMO.references, metrics="1-WER")["1-WER"].king
    with pytest.raises(UnknownName, match="no result for"):
        result["BLEU-4"]
    with pytest.raises(BadParameter, match="list of lists"):
        tarocco.king(DEMO.systems, DEMO.references, sets=["ROUGE-L"])
    with pytest.raises(UnknownName, match="ROUGE-LL"):
        tarocco.king(DEMO.systems, DEMO.references, sets=[["ROUGE-LL", "1-WER"]])


def test_king_of_each_metric_and_of_all():
    result = tarocco.king(DEMO.systems, DEMO.references, metrics=METRICS)
    assert [len(one.metrics) for one in result] == [1, 1, 2]
    for one in result:
        assert one.king >= one.strict_king
        assert one.interval.low <= one.king <= one.interval.high
        assert one.king == pytest.approx(np.mean([king for king, _ in one.by_reference.values()]))
    records = result.to_dict(by_reference=True)
    assert set(records[0]["by_reference"]) == {"1", "2", "3", "4"}


def test_errors_count_as_one_minus_error():
    one = tarocco.king(DEMO.systems, DEMO.references, metrics="WER")["WER"]
    other = tarocco.king(DEMO.systems, DEMO.references, metrics="1-WER")["1-WER"]
    assert (one.king, one.strict_king) == (other.king, other.strict_king)


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"segments": [60]}, InputError, "there is no segment 61: there are 60"),
        ({"segments": []}, InputError, "no segment was selected"),
        ({"level": "corpus"}, BadParameter, "level is one of segment, system"),
        ({"n_pairs": 0}, BadParameter, "n_pairs is an integer"),
        ({"metrics": []}, InputError, "no metric was selected"),
    ],
)
def test_bad_arguments(options, error, sentence):
    with pytest.raises(error, match=sentence):
        tarocco.king(DEMO.systems, DEMO.references, **{"metrics": METRICS, **options})


def test_jack_wants_two_systems():
    with pytest.raises(InputError, match="at least two systems"):
        tarocco.jack({"careful": DEMO.systems["careful"]}, DEMO.references, metrics=METRICS)


def test_jack_of_equal_systems():
    """Two systems that say the same are nearest to each other, unless they say what a reference says."""
    same = {"a": DEMO.systems["brief"], "b": DEMO.systems["brief"]}
    assert tarocco.jack(same, DEMO.references, metrics="ROUGE-L")["ROUGE-L"].jack == 0
    copies = {"a": [own[0] for own in DEMO.references], "b": [own[0] for own in DEMO.references]}
    result = tarocco.jack(copies, DEMO.references, metrics="ROUGE-L")["ROUGE-L"]
    assert result.by_reference["1"] == 1
    assert result.close == 1


def test_trans_topic_signature():
    result = tarocco.king(DEMO.systems, DEMO.references, metrics=METRICS, trans_topic=True, n_pairs=100)
    assert "|pairs:all|" in result["ROUGE-L"].signature
    assert "|pairs:100-of-all|" in result[tuple(METRICS)].signature
    every = tarocco.king(DEMO.systems, DEMO.references, metrics=METRICS, trans_topic=True, n_pairs=10**6)
    assert "|pairs:all|" in every[tuple(METRICS)].signature
