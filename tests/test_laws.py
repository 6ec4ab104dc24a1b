"""Laws that every registered metric obeys, unless it is exempt for a reason in this file.

The list of metrics comes from the registry, so every law applies to a new metric at once. An exempt metric must really
break the law.
"""

import dataclasses
import functools
import math
import random

import numpy as np
import pytest
from conftest import PLAIN

import tarocco
from tarocco import datasets
from tarocco.metrics.registry import families, metric
from tarocco.scoring.resampling import sum_rows
from tarocco.testing import LAWS


def members(family):
    """Return the names that a family lists, and its first member with every choice of every parameter."""
    first = metric(family.names[0])
    chosen = [
        str(dataclasses.replace(first, **{field.name: choice} | unset(first, field.name)))
        for field in dataclasses.fields(family)
        for choice in field.metadata["choices"] or ()
    ]
    # Members that differ only in a number are tested in the compiled run alone.
    return list(dict.fromkeys([*family.names[: 2 if PLAIN else None], *chosen]))


def unset(one, choice):
    """Return None for the parameters whose defaults depend on the choice."""
    depends = {"smooth": ("value", "orders"), "module": ("stages",), "variant": ("alpha", "beta", "gamma", "stemmer")}
    of_one = {field.name for field in dataclasses.fields(one) if field.metadata["depends"]}
    return {name: None for name in depends.get(choice, ()) if name in of_one}


NAMES = [name for family in families() for name in members(family)]
DEMO = datasets.load("demo")
EVERY_FIFTH = slice(None, None, 5)  # twelve segments of all genres: laws run over many metrics, also uncompiled
CANDIDATES = DEMO.systems["literal"][EVERY_FIFTH]
REFERENCES = DEMO.references[EVERY_FIFTH]
DOCUMENTS = DEMO.documents[EVERY_FIFTH]


def unsmoothed_order_4(name):
    one = metric(name)
    return getattr(one, "orders", None) == "all" and one.order == 4


def short_copies_are_perfect(name):
    """NLTK's method 6 fills in 4-grams from shorter ones, and `reweigh` leaves them out."""
    one = metric(name)
    return one.order < 4 or one.reweigh or one.smooth == "method6"


RARE = "rare n-grams weigh more, so a text made of the rarest ones can score higher than a reference"
SHORTER = "a reference that is shorter than the average is punished as too short"
CAPPED = "no more words count than the references have on average, so a copy of a longer one loses"
ALL_COUNT = "what is close to all references can score higher than a copy of one"
WEIGHED_TWICE = (
    "the reference's length is weighed twice, so that a copy does not score 1 and a longer text can score more"
)
NO_4_GRAMS = "a text of three words has no 4-grams, which counts as no match"
ADDED = "smoothing adds a constant to the counts, which matters less in a longer corpus"
NO_MATCH = "nothing matches in the longest n-grams, and smoothing counts half a match, however long the corpus is"
ONE_4_GRAM = "a text of three words has no 4-grams, and NLTK counts one without a match"
NO_PATHS = "a text of three words has no paths of this length, so no score"

# Laws of `check_metric` that are tested as they are; the other laws have stricter tests below.
SHARED = [
    *("identity", "short copies", "order of segments", "doubled references", "shapes"),
    *("batches", "repetition", "finite", "signature"),
]

# law -> {metric: why it is exempt}
EXEMPT = {
    "identity": {
        **{name: RARE for name in NAMES if name.startswith(("NIST", "SP-NIST"))},
        **{name: SHORTER for name in NAMES if "length=average" in name},
        **{name: ALL_COUNT for name in NAMES if "references=pooled" in name or "references=jackknife" in name},
        "MAXSIM": ALL_COUNT,
        **{name: WEIGHED_TWICE for name in NAMES if name.startswith("ROUGE-W") and "compat=1.5.5" in name},
        **{name: CAPPED for name in NAMES if name.startswith("GTM") and "references=joined" in name},
    },
    "doubled references": {
        **{name: "with a reference left out, its copy stays" for name in NAMES if "references=jackknife" in name},
        **{name: "its words are there twice" for name in NAMES if name.startswith("GTM") and "=joined" in name},
    },
    "repetition": {
        **{name: ADDED for name in NAMES if getattr(metric(name), "smooth", "") == "add-k" and metric(name).order > 1},
        **{f"BLEU-NLTK:smooth=method{k}": ADDED for k in (2, 6) if f"BLEU-NLTK:smooth=method{k}" in NAMES},
        **{name: NO_MATCH for name in NAMES if name in ("BLEU-10", "BLEU-11", "BLEU-12")},
    },
    "order of references": {
        name: "of equal references the first counts, as in sacrebleu"
        for name in NAMES
        if getattr(metric(name), "ties", None) == "first" and not metric(name).eps_smoothing
    },
    "short copies": {
        **{
            name: "information has no upper bound"
            for name in NAMES
            if name.startswith(("NIST", "SP-NIST")) and name != "NISTi-9"  # without information in either text
        },
        **{
            f"BLEUi-{n}": "a text of three words has no n-grams of this order"
            for n in range(4, 13)
            if f"BLEUi-{n}" in NAMES
        },
        **{name: WEIGHED_TWICE for name in NAMES if name.startswith("ROUGE-W") and "compat=1.5.5" in name},
        **{
            f"ROUGE-{n}": "a text of three words has no n-grams of this order"
            for n in range(4, 10)
            if f"ROUGE-{n}" in NAMES
        },
        **{name: NO_4_GRAMS for name in NAMES if unsmoothed_order_4(name)},
        **{name: ONE_4_GRAM for name in NAMES if name.startswith("BLEU-NLTK") and not short_copies_are_perfect(name)},
        **{name: NO_PATHS for name in NAMES if getattr(metric(name), "individual", False) and metric(name).length > 3},
    },
}


def score(name, candidates, references, **options):
    return tarocco.score(candidates, references, metrics=name, **options)[name]


@pytest.mark.parametrize("law", SHARED)
@pytest.mark.parametrize("name", NAMES)
def test_laws_of_check_metric(name, law):
    """The laws that authors of plug-ins run; an exempt metric breaks its law."""
    problem = LAWS[law](metric(name))
    assert (problem is not None) == (name in EXEMPT.get(law, {})), problem


@pytest.mark.parametrize("name", NAMES)
def test_order_of_references_does_not_matter(name):
    generator = random.Random(3)
    # The last candidate matches nothing, so that all its references are equally bad.
    candidates, references = [*CANDIDATES, "0"], [*REFERENCES, ["three small words", "one", "two words"]]
    mixed = [*(generator.sample(segment, len(segment)) for segment in REFERENCES), references[-1][::-1]]
    plain, other = score(name, candidates, references), score(name, candidates, mixed)
    assert np.array_equal(other.segments, plain.segments, equal_nan=True)
    assert (other.score == plain.score) == (name not in EXEMPT["order of references"])


@pytest.mark.parametrize("name", NAMES)
def test_pooled_statistics_give_the_corpus_score(name):
    one = metric(name)
    plain = score(name, CANDIDATES, REFERENCES, documents=DOCUMENTS)
    statistics = tarocco.statistics(name, CANDIDATES, REFERENCES)
    assert float(one.score(sum_rows(statistics))) == plain.score
    assert float(one.score(statistics.sum(axis=0))) == pytest.approx(plain.score, rel=1e-12)
    assert np.array_equal(one.score(statistics), plain.segments, equal_nan=True)
    for label in set(DOCUMENTS):
        rows = statistics[[i for i, other in enumerate(DOCUMENTS) if other == label]]
        assert plain.documents[label] == pytest.approx(float(one.score(rows.sum(axis=0))), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_threads_change_nothing(name, monkeypatch):
    monkeypatch.setattr("tarocco.core.test_set.BLOCK", 1)
    one = score(name, CANDIDATES, REFERENCES, jobs=1, confidence=0.9, n_resamples=150)
    many = score(name, CANDIDATES, REFERENCES, jobs=4, confidence=0.9, n_resamples=150)
    monkeypatch.undo()
    whole = score(name, CANDIDATES, REFERENCES, jobs=1, confidence=0.9, n_resamples=150)
    for other in (many, whole):
        assert other.statistics.tobytes() == one.statistics.tobytes()
        assert (other.score, other.interval) == (one.score, one.interval)


@functools.cache
def all_together():
    return tarocco.score(CANDIDATES, REFERENCES, metrics=NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_metrics_computed_together_are_computed_alone(name):
    alone = score(name, CANDIDATES, REFERENCES)
    assert all_together()[name].statistics.tobytes() == alone.statistics.tobytes()


# (empty candidate, empty reference, both empty) of families that do not declare `empty_values`
NO_SCORE = (0.0, 0.0, math.nan)
UNDECLARED = {
    **dict.fromkeys(("SP-Ox-t", "DP-Ox-t", "DP-HWCx-l", "CP-Ox-t", "CP-STM-l"), NO_SCORE),
    **dict.fromkeys(("NE-Oe-t", "NE-Me-t", "SR-Or-t", "SR-Mr-t", "MAXSIM"), NO_SCORE),
    "METEOR": (0.0, 0.0, 0.0),
    "Overlap": (0.0, 0.0, 1.0),
}


@pytest.mark.parametrize("name", NAMES)
def test_empty_texts_have_the_documented_value(name):
    one, title = metric(name), type(metric(name)).title
    assert one.empty_values or title in UNDECLARED, f"{title}: set empty_values, and say in the notes what they are"
    candidate, reference, both = one.empty_values or UNDECLARED[title]
    if "orders=v13a" in name and one.smooth == "exp":
        # mteval-v13a smooths even without a match: of a b, 1/2 of 2 unigrams and 1/4 of 1 bigram.
        assert reference is None
        reference = math.prod([1 / 4, 1 / 4][: one.order]) ** (1 / one.order)
    elif name == "Overlap:minimum=2":
        candidate = reference = 1.0  # no word occurs twice, so all sets are empty
    elif title == "GRR-k" and one.beta:
        assert candidate is None
        candidate = -one.beta * 10 / sum(10 - j for j in range(one.order))  # ten deleted words
    texts, references = ["", "a b", ""], [["a b c d e f g h i j"], [""], [""]]
    if title in ("ROUGE-N", "DP-HWCx-l", "CP-STM-l"):
        texts[1] = references[0][0]  # has n-grams of every order, and paths of every length
    segments = score(name, texts, references).segments
    assert segments.tolist() == pytest.approx([candidate, reference, both], nan_ok=True)
    assert LAWS["empty texts"](one) is None


@pytest.mark.parametrize("name", NAMES)
def test_names_are_values(name):
    one = metric(name)
    assert str(one) == name
    assert metric(str(one)) == one
    assert hash(metric(str(one))) == hash(one)
    assert metric(name.lower()) == one
    with pytest.raises(AttributeError):
        one.anything = 1


@pytest.mark.parametrize("family", families(), ids=lambda family: family.title)
def test_worked_example(family):
    example = family.example
    found = score(example.name, list(example.candidates), list(example.references))
    assert found.score == pytest.approx(example.score, rel=1e-12)


def test_no_metric_escapes_a_law_silently():
    """Every test above runs over all names, and every exemption names a metric that exists."""
    module = globals()
    laws = [value for name, value in module.items() if name.startswith("test_") and hasattr(value, "pytestmark")]
    assert len(laws) - 1 + len(SHARED) >= len(LAWS)
    for law in laws:
        for mark in law.pytestmark:
            if mark.name == "parametrize":
                assert list(mark.args[1]) in (NAMES, families(), SHARED), law.__name__
    for reasons in EXEMPT.values():
        assert set(reasons) <= set(NAMES)
