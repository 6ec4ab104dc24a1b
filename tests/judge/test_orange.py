"""ORANGE equals its definition, in every option."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tests.textbook import edit_metrics, ngram_metrics, orange_trial, resampling, rouge_metrics

WORDS = st.sampled_from(["a", "b", "c", "d", "e"])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
REFERENCES = st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=4)
CASES = st.lists(st.tuples(st.lists(TEXTS, max_size=7), REFERENCES), min_size=1, max_size=5)


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
    assert [one.orange for one in found.metrics] == sorted(one.orange for one in found.metrics)
    for name, wanted in expected.items():
        one = found[name]
        assert one.ranks.tolist() == pytest.approx(wanted["ranks"], abs=1e-12), name
        assert one.orange == pytest.approx(wanted["orange"])
        assert one.average_rank == pytest.approx(wanted["average_rank"])
        assert one.n_best == wanted["n_best"]
        assert one.n_segments == len(wanted["ranks"])
        assert [k for k, _ in one.curve] == [k for k, _ in wanted["curve"]]
        assert [value for _, value in one.curve] == pytest.approx([value for _, value in wanted["curve"]])


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
        assert found[name].ranks.tolist() == pytest.approx(wanted["ranks"], abs=1e-12)


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
    assert best.equivalent
    assert other.equivalent == (low <= 0 <= high)


@pytest.mark.parametrize("jobs", [1, 3])
def test_blocks_and_threads_do_not_matter(jobs, monkeypatch):
    generator = np.random.default_rng(1)
    texts = [[" ".join(generator.choice(list("abcd"), 5)) for _ in range(10)] for _ in range(20)]
    lists, references = [own[3:] for own in texts], [own[:3] for own in texts]
    whole = tarocco.orange(lists, references, curve=True, jobs=1)
    monkeypatch.setattr("tarocco.judge.cases._TEXT", 100)
    parts = tarocco.orange(iter(lists), references, curve=True, jobs=jobs)
    assert parts.to_dict() == whole.to_dict()
