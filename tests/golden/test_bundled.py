"""BLEU and NIST of other tools for the bundled test set, kept here so that no other tool is needed to check them.

demo.json names tool, version and options of each; tools/make_golden_numbers.py made it.
"""

import json
from pathlib import Path

import pytest

import tarocco
from tarocco import datasets

GOLDEN = json.loads(Path(__file__).with_name("demo.json").read_text("utf-8"))
DEMO = datasets.load("demo")


@pytest.mark.parametrize("entry", GOLDEN, ids=lambda entry: f"{entry['tool']}: {entry['metric']}, {entry['options']}")
def test_number(entry):
    references = DEMO.references
    if entry["references"] == "the first":
        references = [segment[0] for segment in references]
    for system, expected in entry["scores"].items():
        score = tarocco.score(DEMO.systems[system], references, metrics=entry["metric"], **entry["tarocco"]).scores[0]
        assert score.score == pytest.approx(expected["corpus"], rel=1e-12)
        if "segments" in expected:
            assert score.segments.tolist() == pytest.approx(expected["segments"], rel=1e-12, abs=1e-12)


def test_there_are_numbers():
    assert {entry["tool"] for entry in GOLDEN} == {"sacrebleu", "nltk"}
    assert len(GOLDEN) >= 15
