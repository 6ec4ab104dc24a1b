"""Every public function that reads text takes an analyzer as an object, not only by its name."""

import pytest
from annotate.toys import Toy

import tarocco

TEXTS = ["the cat sat on a mat", "it rained all day"]
SYSTEMS = {"a": TEXTS, "b": ["a cat sat", "it rains"]}
REFERENCES = [["the cat sat on the mat", "a cat sat there", "cats sit"], ["it rained all day", "rain", "it poured"]]
LISTS = [["the cat sat", "a cat", "cats"], ["it rained", "it rains", "rain"]]
METRIC = "SP-Op-*"

CALLS = {
    "score": lambda analyzer: tarocco.score(SYSTEMS, REFERENCES, metrics=METRIC, analyzer=analyzer),
    "statistics": lambda analyzer: tarocco.statistics(METRIC, TEXTS, REFERENCES, analyzer=analyzer),
    "score_nbest": lambda analyzer: tarocco.score_nbest(TEXTS, REFERENCES[0], metrics=METRIC, analyzer=analyzer),
    "compare": lambda analyzer: tarocco.compare(SYSTEMS, REFERENCES, metrics=METRIC, analyzer=analyzer),
    "queen": lambda analyzer: tarocco.queen(SYSTEMS, REFERENCES, metrics=[METRIC], analyzer=analyzer),
    "king": lambda analyzer: tarocco.king(SYSTEMS, REFERENCES, metrics=[METRIC], analyzer=analyzer),
    "jack": lambda analyzer: tarocco.jack(SYSTEMS, REFERENCES, metrics=[METRIC], analyzer=analyzer),
    "optimize": lambda analyzer: tarocco.optimize(
        SYSTEMS, REFERENCES, metrics=[METRIC, "WER"], folds=2, analyzer=analyzer
    ),
    "orange": lambda analyzer: tarocco.orange(LISTS, REFERENCES, metrics=METRIC, analyzer=analyzer),
    "explain": lambda analyzer: tarocco.explain(SYSTEMS, REFERENCES, metrics=METRIC, analyzer=analyzer),
    "mbr": lambda analyzer: tarocco.mbr(LISTS, metrics=[METRIC], analyzer=analyzer),
    "oracle": lambda analyzer: tarocco.oracle(LISTS, REFERENCES, metric=METRIC, analyzer=analyzer),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_analyzer_may_be_an_object(name):
    toy = Toy(f"toy-for-{name}")
    CALLS[name](toy)
    assert toy.asked, "the analyzer was never called"
