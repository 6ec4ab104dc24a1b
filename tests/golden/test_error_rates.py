"""Numbers printed by WER.pl, PER.pl, jiwer, Moses, cdec and odashi's mteval on the shared golden set."""

import json

import pytest
from conftest import shared

import tarocco


def golden(name):
    return json.loads(shared("golden", name).read_text("utf-8"))


def scored(metric, system, references=(0,), **options):
    texts = golden("testset.json")
    streams = [texts["refs_tok"][number] for number in references]
    candidates = texts[f"sys{system}_tok"]
    return tarocco.score(
        candidates, list(zip(*streams, strict=True)), metrics=metric, tokenize="none", **options
    ).scores[0]


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("system", "AB")
def test_perl_scripts(system, number):
    """WER.pl and PER.pl 1.0, one reference: 15 digits; PER.pl's total is no mean of segments."""
    entries = golden("gtm_wer_per.json")
    wer, per = (entries[script][f"{system}_ref{number}"] for script in ("WER.pl", "PER.pl"))
    found = scored("WER", system, [number])
    assert found.segments.tolist() == pytest.approx(wer["seg"], abs=1e-14)
    assert found.score == pytest.approx(wer["sys"], abs=1e-14)
    assert scored("PER", system, [number]).segments.tolist() == pytest.approx(per["seg"], abs=1e-14)


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("system", "AB")
def test_jiwer(system, number):
    entry = golden("python_packages.json")["jiwer"]["scores"][system][f"ref{number}"]
    found = scored("WER", system, [number])
    assert found.segments.tolist() == pytest.approx(entry["wer_sent"])
    assert found.score == pytest.approx(entry["wer_corpus"])


@pytest.mark.parametrize("system", "AB")
def test_other_tools_with_one_reference(system):
    """Moses prints 1 - error; odashi's empty line scores 0 (its README says so), ours 1."""
    entries = golden("moses_cdec_odashi.json")
    wer, per = scored("WER", system), scored("PER", system)
    assert f"{1 - wer.score:.4f}" == entries[f"moses/WER_ref0_{system}"]["out"][0]
    if system == "B":  # Moses's total for A is PER.pl's, no mean of segments
        assert f"{1 - per.score:.4f}" == entries[f"moses/PER_ref0_{system}"]["out"][0]
    assert f"WER={wer.score:.6g}" == entries[f"cdec/WER_ref0_{system}"]["out"][0]
    odashi = [float(line.removeprefix("WER=")) for line in entries[f"odashi/sentence_WER_ref0_{system}"]["out"]]
    found = wer.segments.tolist()
    if system == "A":
        assert (found.pop(2), odashi.pop(2)) == (1.0, 0.0)
    assert found == pytest.approx(odashi, abs=5.1e-7)


def test_cdec_with_several_references():
    """cdec takes the fewest edits and sums the chosen references' lengths; of equals the first, we the longest."""
    entries = golden("moses_cdec_odashi.json")
    found = scored("WER:select=distance:weights=chosen", "B", range(4))
    assert f"WER={found.score:.6g}" == entries["cdec/WER_4refs_B"]["out"][0]
    found = scored("WER:select=distance:weights=chosen", "A", range(4))
    assert found.score < float(entries["cdec/WER_4refs_A"]["out"][1])
