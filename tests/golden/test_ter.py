"""Numbers printed by sacrebleu and by TERCOM on the shared golden set."""

import json

import pytest
from conftest import shared

import tarocco

NAMES = {
    "TER_default": "TER",
    "TER_normalized": "TER:normalized=yes",
    "TER_no_punct": "TER:no_punct=yes",
    "TER_cased": "TER:case_sensitive=yes",
}


def golden(name):
    return json.loads(shared("golden", name).read_text("utf-8"))


def scored(metric, system, references):
    texts = golden("testset.json")
    streams = [texts["refs_tok"][number] for number in references]
    return tarocco.score(texts[f"sys{system}_tok"], list(zip(*streams, strict=True)), metrics=metric).scores[0]


@pytest.mark.parametrize("entry", NAMES)
@pytest.mark.parametrize("system", "AB")
def test_sacrebleu(system, entry):
    """sacrebleu 2.6.0."""
    expected = golden("python_packages.json")["sacrebleu"]["scores"][system][entry]
    for references, suffix in ((range(4), ""), ([0], "_ref0")):
        score = scored(NAMES[entry], system, references)
        assert 100 * score.score == pytest.approx(expected[f"corpus{suffix}"], rel=1e-14)
        assert (100 * score.segments).tolist() == pytest.approx(expected[f"sent{suffix}"], rel=1e-14)


@pytest.mark.parametrize("option", ["", "b20", "N", "P", "s"])
@pytest.mark.parametrize("references", ["ref0", "refs"])
@pytest.mark.parametrize("system", "AB")
def test_tercom(system, references, option):
    """TERCOM, the jar distributed with TERp v1: edits and reference words of every segment and in total."""
    entry = golden("tercom.json")[f"tercom_{option}_{references}_{system}"]
    name = NAMES[{"N": "TER_normalized", "P": "TER_no_punct", "s": "TER_cased"}.get(option, "TER_default")]
    score = scored(name, system, [0] if references == "ref0" else range(4))
    assert score.sums.tolist() == pytest.approx(entry["total"][1:])
    assert score.score == pytest.approx(entry["total"][0])
    assert score.statistics.tolist() == [
        pytest.approx([float(edits), float(words)]) for _, edits, words, _ in entry["seg"]
    ]
