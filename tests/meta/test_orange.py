"""ORANGE equals its definition, in every option."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco.render.results.orange import orange_table
from tarocco.render.tables import write_table
from tests.textbook import edit_metrics, ngram_metrics, orange_trial, resampling, rouge_metrics

WORDS = st.sampled_from(["a", "b", "c", "d", "e"])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
REFERENCES = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4)
REPEATED = st.lists(TEXTS, min_size=1, max_size=3).flatmap(lambda own: st.lists(st.sampled_from(own), max_size=8))
LISTS = st.one_of(st.lists(TEXTS, max_size=7), REPEATED)
CASES = st.lists(st.tuples(LISTS, REFERENCES), min_size=1, max_size=5)


def per(candidate, references):
    return -edit_metrics.error_rate([(candidate, references)], edit_metrics.position_independent_errors)


def bleus_2(candidate, references):
    return ngram_metrics.bleu([(candidate, references)], order=2, smooth="add-k", value=1)


def rouge(shared):
    return lambda candidate, references: rouge_metrics.segment_score(candidate, references, shared)


def subsequence(a, b):
    return rouge_metrics.subsequence(a, b), len(a), len(b)


def nist(references):
    weights = ngram_metrics.information([text.split() for own in references for text in own])
    return lambda candidate, own: ngram_metrics.nist([(candidate, own)], weights, range(1, 6))


def scorers(references):
    return {
        "PER": per,
        "BLEUS-2": bleus_2,
        "ROUGE-L": rouge(subsequence),
        "ROUGE-S-1": rouge(lambda a, b: rouge_metrics.shared_skip_bigrams(a, b, 1)),  # short texts have no score
        "NIST-5": nist(references),
    }


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "against": st.sampled_from(["fair", "all"]),
        "oracle": st.sampled_from(["average-score", "average-rank", "combined"]),
        "ties": st.sampled_from(["average", "best", "worst"]),
        "short": st.sampled_from(["skip", "keep"]),
        "n_best": st.integers(1, 5),
        "unique": st.booleans(),
        "drop_copies": st.booleans(),
    },
)
GROUPS = (("PER", "ROUGE-L"), ("BLEUS-2", "ROUGE-S-1", "PER"))


@given(CASES, OPTIONS, st.one_of(st.just(()), st.lists(st.integers(1, 8), min_size=1, max_size=3)))
def test_the_definition(cases, options, lengths):
    lists, references = [list(texts) for texts, _ in cases], [list(own) for _, own in cases]
    own = scorers(references)
    by_name = {name: [scorer] for name, scorer in own.items()}
    by_name |= {" + ".join(group): [own[name] for name in group] for group in GROUPS}
    expected = {
        name: orange_trial.trial(lists, references, group, lengths=lengths, **options)
        for name, group in by_name.items()
    }

    def run():
        return tarocco.orange(
            lists, references, metrics=list(own), combine=GROUPS, curve=lengths or False, n_resamples=10, **options
        )

    if None in expected.values():
        with pytest.raises(tarocco.TaroccoError):
            run()
        return
    found = run()
    assert set(found) == set(expected)
    known = [one.orange for one in found.metrics if one.n_segments]
    assert [one.orange for one in found.metrics][: len(known)] == sorted(known)
    for name, wanted in expected.items():
        one = found[name]
        assert one.ranks.tolist() == pytest.approx(numbers(wanted["ranks"]), abs=1e-12, nan_ok=True), name
        scores = [one.orange, one.average_rank]
        assert scores == pytest.approx(numbers([wanted["orange"], wanted["average_rank"]]), nan_ok=True)
        assert one.n_best == wanted["n_best"]
        assert one.n_segments == sum(rank is not None for rank in wanted["ranks"])
        assert [k for k, _ in one.curve] == [k for k, _ in wanted["curve"]]
        values = [value for _, value in wanted["curve"]]
        assert [value for _, value in one.curve] == pytest.approx(numbers(values), nan_ok=True)


def numbers(values):
    return [np.nan if value is None else value for value in values]


@given(CASES, st.data())
def test_pooled_segments(cases, data):
    lists, references = [list(texts) for texts, _ in cases], [list(own) for _, own in cases]
    labels = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(cases), max_size=len(cases)))
    together = orange_trial.pooled(lists, references, labels)
    own = scorers(references)  # what is rare is counted in the references as they are given
    expected = {name: orange_trial.trial(*together, [scorer], short="keep") for name, scorer in own.items()}
    if None in expected.values():
        return
    found = tarocco.orange(lists, references, metrics=list(own), pool=labels, short="keep", n_resamples=10)
    for name, wanted in expected.items():
        assert found[name].ranks.tolist() == pytest.approx(numbers(wanted["ranks"]), abs=1e-12, nan_ok=True)


# ROUGE-S has no score of two single words, so no reference of the second list has one.
SINGLE = [["a b", "b a", "c"], ["c", "a b", "b"], ["b", "a b c", "b b"]]
SINGLE_REFERENCES = [["a b", "a b c"], ["c", "b"], ["b a", "c a b"]]


def test_a_list_without_scores_is_left_out_for_that_metric_alone():
    found = tarocco.orange(SINGLE, SINGLE_REFERENCES, metrics=["ROUGE-S*:empty=skip", "PER"], n_resamples=50)
    one, other = found["ROUGE-S*:empty=skip"], found["PER"]
    assert np.isnan(one.ranks).tolist() == [False, True, False]
    assert (one.n_segments, other.n_segments) == (2, 3)
    alone = tarocco.orange(SINGLE[::2], SINGLE_REFERENCES[::2], metrics=["ROUGE-S*:empty=skip", "PER"])
    assert (one.orange, one.average_rank) == (
        alone["ROUGE-S*:empty=skip"].orange,
        alone["ROUGE-S*:empty=skip"].average_rank,
    )
    assert "left out, without a score: 1 for ROUGE-S*" in found.about
    assert [row["segment"] for row in found.ranks() if row["metric"] == "ROUGE-S*:empty=skip"] == [1, 3]
    assert one.to_dict("segment")["ranks"][1] is None


def test_differences_are_those_on_lists_that_both_have():
    found = tarocco.orange(SINGLE, SINGLE_REFERENCES, metrics=["ROUGE-S*:empty=skip", "PER"], n_resamples=50, seed=3)
    best, other = found.metrics
    both = [i for i in range(3) if not np.isnan(best.ranks[i] + other.ranks[i])]
    assert both == [0, 2]
    assert other.difference == pytest.approx(np.mean([(other.ranks[i] - best.ranks[i]) / 4 for i in both]))
    drawn = [[i for i in resampling.draws(3, 3, resample) if i in both] for resample in range(50)]
    means = [np.mean([(other.ranks[i] - best.ranks[i]) / 4 for i in own]) for own in drawn if own]
    interval = other.difference_interval
    assert (interval.low, interval.high) == pytest.approx(np.quantile(means, [0.025, 0.975]))


def test_a_metric_without_any_score_comes_last(capsys):
    found = tarocco.orange(
        [["c", "b"]], [["c", "b"]], metrics=["ROUGE-S*:empty=skip", "PER"], n_resamples=10, curve=True
    )
    assert list(found) == ["PER", "ROUGE-S*:empty=skip"]
    last = found["ROUGE-S*:empty=skip"]
    assert (last.n_segments, last.worse_than_best) == (0, False)
    assert last.to_dict()["orange"] is None
    assert json.loads(json.dumps(found.to_dict("segment"), allow_nan=False))
    write_table(orange_table(found))
    assert capsys.readouterr().out.splitlines()[-1].split() == ["ROUGE-S*:empty=skip", *"-----", "open"]


def test_lists_without_scores_have_no_confusion_set():
    found = tarocco.orange(SINGLE, SINGLE_REFERENCES, metrics=["ROUGE-S*:empty=skip", "PER"], confusions=5)
    told = {(one.metric, one.segment) for one in found.confusions}
    assert told == {("PER", 1), ("PER", 2), ("PER", 3), ("ROUGE-S*:empty=skip", 1), ("ROUGE-S*:empty=skip", 3)}


def test_intervals_and_equivalence():
    """The intervals are percentiles of means over the draws that every bootstrap of tarocco has."""
    lists = [["a b", "b a", "c", "a c b"], ["a", "a b c", "b b", "c a"], ["c c", "a b", "b", "a a"]]
    references = [["a b", "a b c"], ["a b b", "c b a"], ["b a", "c a b"]]
    found = tarocco.orange(lists, references, metrics=["PER", "ROUGE-L"], n_resamples=200, seed=5)
    drawn = [resampling.draws(3, 5, resample) for resample in range(200)]
    for one in found.metrics:
        means = [np.mean([one.ranks[i] for i in own]) for own in drawn]
        assert (one.interval.low, one.interval.high) == pytest.approx(np.quantile(means, [0.025, 0.975]))
        between = np.quantile(np.array(means) / 5, [0.025, 0.975])
        assert (one.orange_interval.low, one.orange_interval.high) == pytest.approx(between)
    best, other = found.metrics
    differences = [np.mean([other.ranks[i] - best.ranks[i] for i in own]) for own in drawn]
    low, high = np.quantile(differences, [0.025, 0.975])
    assert not best.worse_than_best
    assert (other.difference_interval.low * 5, other.difference_interval.high * 5) == pytest.approx((low, high))
    assert np.isnan(other.p_best)  # three segments are too few for a test
    assert not other.worse_than_best


@pytest.mark.parametrize("jobs", [1, 3])
def test_blocks_and_threads_do_not_matter(jobs, monkeypatch):
    generator = np.random.default_rng(1)
    texts = [[" ".join(generator.choice(list("abcd"), 5)) for _ in range(10)] for _ in range(20)]
    lists, references = [own[3:] for own in texts], [own[:3] for own in texts]
    whole = tarocco.orange(lists, references, curve=True, jobs=1)
    monkeypatch.setattr("tarocco.meta.orange.lists._TEXT", 100)
    parts = tarocco.orange(iter(lists), references, curve=True, jobs=jobs)
    assert parts.to_dict() == whole.to_dict()


LISTS_OF_TWO = [["a b", "b a c"], ["c d", "a"]]
TWO_REFERENCES = [["a b c", "a c"], ["c d d", "d"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_best": -1}, "n_best is an integer of at least 1, not -1"),
        ({"n_best": 2.5}, r"n_best is an integer of at least 1, not 2\.5"),
        ({"curve": 5.5}, "curve is a step or lengths of lists"),
        ({"curve": [0]}, "curve is a step or lengths of lists"),
        ({"confusions": -1}, "confusions is an integer of at least 0"),
        ({"jobs": 0}, "jobs is an integer of at least 1"),
        ({"ties": "first"}, "ties is one of average, best, worst"),
        ({"combine": ["WER", "PER"]}, "a combination is a list of metrics"),
        ({"combine": [["WER", "WER"]]}, "two or more different metrics"),
        ({"pool": ["a"]}, "pool has 1 labels, but the references have 2 segments"),
        ({"confidence": 95}, "confidence is a number between 0 and 1"),
    ],
)
def test_arguments_are_checked(options, message):
    with pytest.raises(tarocco.TaroccoError, match=message):
        tarocco.orange(LISTS_OF_TWO, TWO_REFERENCES, metrics="WER", **options)


@pytest.mark.parametrize("ties", ["average", "best", "worst"])
@pytest.mark.parametrize("oracle", ["average-score", "average-rank", "combined"])
def test_confusions_say_what_the_trial_says(ties, oracle):
    """The same ranks, and with one oracle every candidate that is told stands above it."""
    generator = np.random.default_rng(3)
    texts = [[" ".join(generator.choice(list("abc"), 4)) for _ in range(12)] for _ in range(8)]
    lists, references = [own[3:] for own in texts], [own[:3] for own in texts]
    lists[1] = lists[1][:4]  # too short to count
    metrics = {"metrics": ["WER", "ROUGE-L"], "combine": [("WER", "ROUGE-L")]}
    found = tarocco.orange(lists, references, **metrics, ties=ties, oracle=oracle, confusions=20)
    assert {one.segment for one in found.confusions} == {1, *range(3, 9)}
    for one in found.confusions:
        assert one.oracle_rank == found[one.metric].ranks[found.segments.tolist().index(one.segment - 1)]
        assert len({scored.text for scored in one.above}) == len(one.above) <= one.above_count
        if oracle == "average-score":
            lower = one.metric != "ROUGE-L"
            assert all((scored.score < one.oracle_score) == lower for scored in one.above)


def test_the_same_lists_in_another_order(tmp_path):
    """fairseq writes lists in any order; the verdict is the same."""
    generator = np.random.default_rng(4)
    texts = [[" ".join(generator.choice(list("abc"), 4)) for _ in range(9)] for _ in range(6)]
    references = [own[:2] for own in texts]
    answers = []
    for order in (range(6), [3, 0, 5, 1, 4, 2]):
        path = tmp_path / "fairseq.txt"
        path.write_text("".join(f"H-{i}\t-0.5\t{text}\n" for i in order for text in texts[i][2:]))
        answers.append(tarocco.orange(path, references, metrics=["WER", "PER"], curve=True).to_dict())
    assert answers[0] == answers[1]


def test_one_segment_tells_no_metric_from_another():
    found = tarocco.orange(LISTS_OF_TWO[:1], TWO_REFERENCES[:1], metrics=["WER", "ROUGE-L", "PER"])
    assert not any(one.worse_than_best for one in found.metrics)
