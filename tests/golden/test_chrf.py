"""Numbers printed by sacrebleu 2.6.0 and NLTK 3.10.4 on the shared golden set."""

import json

import pytest
from conftest import shared

import tarocco

SACREBLEU = {
    "CHRF_chrF2": "chrF",
    "CHRF_chrF1": "chrF:beta=1",
    "CHRF_chrF3": "chrF:beta=3",
    "CHRF_chrF++": "chrF++",
    "CHRF_chrF2_ws": "chrF:whitespace=yes",
    "CHRF_chrF2_eps": "chrF:eps_smoothing=yes",
    "CHRF_chrF2_lc": "chrF:lowercase=yes",
}


def golden(name):
    return json.loads(shared("golden", name).read_text("utf-8"))


@pytest.mark.parametrize("system", "AB")
def test_every_golden_number_is_tested(system):
    found = golden("python_packages.json")["sacrebleu"]["scores"][system]
    assert {name for name in found if name.startswith("CHRF")} == set(SACREBLEU)


def scored(metric, system, references):
    return tarocco.score(golden("testset.json")[f"sys{system}_raw"], references, metrics=metric).scores[0]


@pytest.mark.parametrize("name", SACREBLEU)
@pytest.mark.parametrize("system", "AB")
def test_sacrebleu(system, name):
    entry = golden("python_packages.json")["sacrebleu"]["scores"][system][name]
    streams = golden("testset.json")["refs_raw"]
    for suffix, references in (("", list(zip(*streams, strict=True))), ("_ref0", streams[0])):
        found = scored(SACREBLEU[name], system, references)
        assert 100 * found.score == pytest.approx(entry[f"corpus{suffix}"], rel=1e-12)
        assert (100 * found.segments).tolist() == pytest.approx(entry[f"sent{suffix}"], rel=1e-12, abs=1e-12)


def test_ties():
    """A's third candidate is empty: every reference scores 0, and the shortest costs least."""
    references = list(zip(*golden("testset.json")["refs_raw"], strict=True))
    for system, same in (("A", False), ("B", True)):
        shortest, first = (scored(name, system, references) for name in ("chrF:ties=shortest", "chrF"))
        assert shortest.segments.tolist() == first.segments.tolist()
        assert (shortest.score == first.score) == same
        assert shortest.score >= first.score


@pytest.mark.parametrize("system", "AB")
def test_nltk(system):
    """sentence_chrf: beta 3, smoothed as chrF++.py does."""
    texts = golden("testset.json")
    entry = golden("python_packages.json")["nltk"]["scores"][system]["sentence_chrf_ref0"]
    metric = "chrF:beta=3:eps_smoothing=yes"
    found = tarocco.score(texts[f"sys{system}_tok"], texts["refs_tok"][0], metrics=metric)[metric]
    assert found.segments.tolist() == pytest.approx(entry, rel=1e-12)
