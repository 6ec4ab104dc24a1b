"""The small translation task of examples/tuning: phrases, features and search are what they are said to be."""

import sys
from itertools import pairwise

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "examples" / "tuning"))

import model as models
from task import GENRES, corpus

WEIGHTS = (1.0, 0.8, 0.6, 0.1, -0.7, -1.0, -0.9)


@pytest.fixture(scope="module", name="model")
def small_model():
    return models.Model([pair for pairs in corpus(1, 60, 30, 1).values() for pair in pairs])


def test_a_corpus_is_drawn_from_its_seed():
    assert corpus(5, 3, 3, 2) == corpus(5, 3, 3, 2) != corpus(6, 3, 3, 2)
    for pairs in corpus(5, 20, 20, 4).values():
        for pair in pairs:
            assert len(pair.links) == len(pair.references[0])
            assert max(pair.links) < len(pair.source)


def test_news_is_the_terse_genre():
    found = corpus(5, 200, 200, 4)
    ratio = {
        name: sum(min(map(len, pair.references)) for pair in pairs) / sum(len(pair.source) for pair in pairs)
        for name, pairs in found.items()
    }
    assert [genre.name for genre in GENRES] == ["news", "web"]
    assert ratio["news"] < ratio["web"]


def test_phrases_are_all_consistent_pairs():
    for pair in corpus(5, 10, 10, 1)["web"]:
        source, english, links = pair.source, pair.references[0], pair.links
        expected = [
            (source[i:j], english[k:m])
            for i in range(len(source))
            for j in range(i + 1, min(i + models.LONGEST, len(source)) + 1)
            for k in range(len(english))
            for m in range(k + 1, len(english) + 1)
            if any(i <= link < j for link in links[k:m])
            and all(link < 0 or i <= link < j for link in links[k:m])
            and not any(i <= link < j for link in [*links[:k], *links[m:]])
        ]
        assert sorted(models.phrases(source, english, links)) == sorted(expected)


@pytest.mark.parametrize("deletion", models.DELETION)
def test_features_are_those_of_the_text(model, deletion):
    for pairs in corpus(7, 4, 4, 1).values():
        for pair in pairs:
            found = model.translations(pair.source, WEIGHTS, deletion, 30)
            scores = [sum(w * f for w, f in zip(WEIGHTS, features, strict=True)) for _, features in found]
            assert scores == sorted(scores, reverse=True)
            assert len({words for words, _ in found}) == len(found)
            for words, features in found:
                by_name = dict(zip(models.FEATURES, features, strict=True))
                text = [models.START, *words, models.END]
                assert by_name["lm"] == pytest.approx(sum(model.lm(a, b) for a, b in pairwise(text)))
                assert by_name["w"] == len(words)
                allowed = {"none": {0}, "sentence": {0, len(pair.source)}, "word": set(range(len(pair.source) + 1))}
                assert by_name["del"] in allowed[deletion]


def test_a_beam_that_keeps_everything_finds_the_best(model, monkeypatch):
    monkeypatch.setattr(models, "BEAM", 10**6)

    def derivations(i, words, sums, options):
        if i == len(options):
            yield words, sums
            return
        for way in options[i]:
            summed = [a + b for a, b in zip(sums, way.features, strict=True)]
            yield from derivations(way.end, words + way.words, summed, options)

    def score(words, sums):
        text = [models.START, *words, models.END]
        lm = sum(model.lm(a, b) for a, b in pairwise(text))
        return sum(w * f for w, f in zip(WEIGHTS, [sums[0], lm, *sums[2:]], strict=True))

    for pair in corpus(8, 12, 12, 1)["news"]:
        source = pair.source[:3]
        options = model.options(source, True)
        best = max(score(*one) for one in derivations(0, (), [0.0] * 7, options))
        assert score(*model.translations(source, WEIGHTS, "word", 1)[0]) == pytest.approx(best)


def test_the_study_names_ten_systems():
    import study

    assert len(set(study.SYSTEMS)) == 10
    assert study.table("a | b", [["x", 1.25], ["y", "2"]]) == "| a | b |\n| --- | ---: |\n| x | 1.2 |\n| y | 2 |"
