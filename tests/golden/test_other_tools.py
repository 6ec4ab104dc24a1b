"""Numbers printed by cdec, Moses and odashi's mteval, and by sacrebleu, on the shared golden set."""

import json
import re

import pytest
from conftest import shared

import tarocco


def golden(name):
    return json.loads(shared("golden", name).read_text("utf-8"))


def number(line):
    """The number a tool printed, and half a unit of its last digit."""
    digits = re.search(r"(\d+\.(\d+))\s*$", line)
    return float(digits[1]), 0.5000001 * 10 ** -len(digits[2])


def scored(entry, metric, texts):
    system = texts[f"{entry['system']}_tok"]
    streams = texts["refs_tok"] if entry["references"] == "all 4" else texts["refs_tok"][:1]
    return tarocco.score(system, list(zip(*streams, strict=True)), metrics=metric, tokenize="none")[metric]


CORPUS = {
    "cdec/IBM_BLEU": "BLEU-4:smooth=none",
    "cdec/NIST_BLEU": "BLEU-4:smooth=none:length=shortest",
    "cdec/KOEHN_BLEU": "BLEU-4:smooth=none:length=average",
    "moses/BLEU": "BLEU-4:smooth=none",
    "moses/BLEU_reflen_shortest": "BLEU-4:smooth=none:length=shortest",
    "moses/BLEU_reflen_closest": "BLEU-4:smooth=none:length=closest",
    "odashi/corpus_BLEU_ngram_4_smooth_0": "BLEU-4:smooth=none",
    "odashi/corpus_BLEU_ngram_4_smooth_1": "BLEUS-4",
}


@pytest.mark.parametrize("tool", CORPUS)
def test_corpus_bleu(tool):
    texts, entries = golden("testset.json"), golden("moses_cdec_odashi.json")
    names = [f"{tool}_{references}_{system}" for references in ("4refs", "ref0") for system in "AB"]
    found = [name for name in names if name in entries]
    assert len(found) >= 2
    for name in found:
        value, tolerance = number(entries[name]["out"][-1])
        if tool.startswith("cdec"):
            tolerance += value * 2**-24  # it computes in single precision, and one value is a rounding away from a half
        assert scored(entries[name], CORPUS[tool], texts).score == pytest.approx(value, abs=tolerance), name


def test_average_length_is_the_true_mean():
    """Moses cuts each segment's mean length to an integer, cdec does not, and neither do we."""
    texts, entries = golden("testset.json"), golden("moses_cdec_odashi.json")
    entry = entries["moses/BLEU_reflen_average_4refs_B"]
    moses, _ = number(entry["out"][0])
    assert scored(entry, "BLEU-4:smooth=none:length=average", texts).score < moses - 0.01


@pytest.mark.parametrize("smooth", [0, 1])
@pytest.mark.parametrize("system", "AB")
def test_odashi_sentence_bleu(smooth, system):
    texts, entries = golden("testset.json"), golden("moses_cdec_odashi.json")
    entry = entries[f"odashi/sentence_BLEU_ngram_4_smooth_{smooth}_ref0_{system}"]
    metric = "BLEUS-4" if smooth else "BLEU-4:smooth=none"
    found = scored(entry, metric, texts).segments.tolist()
    for i, (value, line) in enumerate(zip(found, entry["out"], strict=True)):
        expected, tolerance = number(line)
        assert value == pytest.approx(expected, abs=tolerance), i


@pytest.mark.parametrize("system", "AB")
def test_odashi_nist_with_one_reference(system):
    """Its "ngram 5" sums up to order 4 (the golden README says so)."""
    texts, entries = golden("testset.json"), golden("moses_cdec_odashi.json")
    entry = entries[f"odashi/corpus_NIST_ngram_5_ref0_{system}"]
    value, tolerance = number(entry["out"][0])
    assert scored(entry, "NIST-4", texts).score == pytest.approx(value, abs=tolerance)


SACREBLEU = {
    "BLEU_13a": ("BLEU-4:orders=all", {}),
    "BLEU_13a_lc": ("BLEU-4:orders=all", {"lowercase": True}),
    "BLEU_none_tok": ("BLEU-4:orders=all", {"tokenize": "none"}),
    "BLEU_intl": ("BLEU-4:orders=all", {"tokenize": "intl"}),
    "BLEU_eff_exp": ("BLEU-4", {}),
    "BLEU_floor0.1": ("BLEU-4:smooth=floor", {}),
    "BLEU_addk1": ("BLEUS-4", {}),
    "BLEU_smooth_none": ("BLEU-4:smooth=none", {}),
}


@pytest.mark.parametrize("system", "AB")
@pytest.mark.parametrize("name", SACREBLEU)
def test_sacrebleu(name, system):
    texts = golden("testset.json")
    entry = golden("python_packages.json")["sacrebleu"]["scores"][system][name]
    metric, options = SACREBLEU[name]
    view = "tok" if name.endswith("_tok") else "raw"
    streams = texts[f"refs_{view}"]
    for suffix, references in (("", list(zip(*streams, strict=True))), ("_ref0", streams[0])):
        score = tarocco.score(texts[f"sys{system}_{view}"], references, metrics=metric, **options)[metric]
        assert 100 * score.score == pytest.approx(entry[f"corpus{suffix}"], rel=1e-12)
        assert (100 * score.segments).tolist() == pytest.approx(entry[f"sent{suffix}"], rel=1e-12, abs=1e-12)
    individual = [f"BLEUi-{n}" for n in (1, 2, 3, 4)]
    result = tarocco.score(
        texts[f"sys{system}_{view}"], list(zip(*streams, strict=True)), metrics=individual, **options
    )
    if name != "BLEU_addk1":
        assert [100 * result[m].score for m in individual] == pytest.approx(entry["precisions"])


@pytest.mark.parametrize("system", "AB")
@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_sacrebleu_orders(order, system):
    texts = golden("testset.json")
    entry = golden("python_packages.json")["sacrebleu"]["scores"][system][f"BLEU_order{order}_tok"]
    references = list(zip(*texts["refs_tok"], strict=True))
    score = tarocco.score(texts[f"sys{system}_tok"], references, metrics=f"BLEU-{order}", tokenize="none")
    assert 100 * score[f"BLEU-{order}"].score == pytest.approx(entry["corpus"], rel=1e-12)
