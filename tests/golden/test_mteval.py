"""Numbers of mteval-v11b, mteval-v13a, mteval-v14, mteval-v11b_sbp and multi-bleu, to the digits they print.

The numbers are in the shared folder's golden/mteval.json, with tool, version and options of each; 8 decimals.
"""

import json
import re

import pytest
from conftest import SHARED, shared

import tarocco

DIGITS = 6e-9  # half a unit of the eighth decimal, and a little for binary fractions
SYSTEMS = {"sysA": "sysA_raw", "sysB": "sysB_raw"}


def golden(name):
    return json.loads(shared("golden", name).read_text("utf-8"))


def entries(tool):
    """The names of a tool's entries; one placeholder without the shared folder, so that the skip is seen."""
    path = SHARED / "golden" / "mteval.json"
    if not path.exists():
        return ["absent"]
    return [name for name, entry in json.loads(path.read_text("utf-8")).items() if tool in entry["tool"]]


def references_of(options, texts):
    one = re.search(r"reference (\d)", options)
    streams = texts["refs_raw"]
    return [[line] for line in streams[int(one[1])]] if one else list(zip(*streams, strict=True))


def scored(entry, texts, metrics):
    options = entry["options"]
    return tarocco.score(
        texts[SYSTEMS[entry["system"]]],
        references_of(options, texts),
        metrics=metrics,
        tokenize="intl" if "international" in options else "13a",
        lowercase="lower-cas" in options,
    )


def check_orders(found, expected, name):
    """The script prints nine orders."""
    assert len(expected) == 9
    for n, (value, wanted) in enumerate(zip(found, expected, strict=True), start=1):
        assert value == pytest.approx(wanted, abs=DIGITS), f"{name}-{n}"


@pytest.mark.parametrize("name", [*entries("v13a"), *entries("v14")])
def test_v13a_and_v14(name):
    entry, texts = golden("mteval.json")[name], golden("testset.json")
    smooth = "none" if "no smoothing" in entry["options"] else "exp"
    length = "shortest" if "shortest" in entry["options"] else "closest"
    parameters = f":smooth={smooth}:length={length}:orders={'all' if smooth == 'none' else 'v13a'}"
    bleu = [f"BLEU-{n}{parameters}" for n in range(1, 10)]
    individual = [f"BLEUi-{n}" for n in range(1, 10)]
    nist = [f"NIST-{n}" for n in range(1, 10)]
    nist_individual = [f"NISTi-{n}" for n in range(1, 10)]
    result = scored(entry, texts, [*bleu, *individual, *nist, *nist_individual])

    check_orders([result[m].score for m in bleu], entry["BLEU"]["cumulative"], "BLEU")
    check_orders([result[m].score for m in nist], entry["NIST"]["cumulative"], "NIST")
    check_orders([result[m].score for m in nist_individual], entry["NIST"]["individual"], "NISTi")
    # Where an order has no match, the script prints the smoothed precision as the individual score.
    unsmoothed = [(result[m].score, value) for m, value in zip(individual, entry["BLEU"]["individual"], strict=True)]
    assert all(found == pytest.approx(value, abs=DIGITS) for found, value in unsmoothed if found > 0)
    assert sum(found > 0 for found, _ in unsmoothed) >= 4
    for metric, segments in ((bleu[3], entry["BLEU"]["seg"]), (nist[4], entry["NIST"]["seg"])):
        found = result[metric].segments.tolist()
        expected = [segments[str(i)] for i in range(1, 13)]
        assert found == pytest.approx(expected, abs=DIGITS), metric


@pytest.mark.parametrize("name", entries("mteval-v11b.pl"))
def test_v11b(name):
    entry, texts = golden("mteval.json")[name], golden("testset.json")
    bleu = "BLEU-4:smooth=none:length=shortest"
    individual = [f"BLEUi-{n}" for n in range(1, 10)]
    result = scored(entry, texts, [bleu, *individual, "NIST-5"])
    if "BLEU_score" in entry:
        assert result[bleu].score == pytest.approx(entry["BLEU_score"], abs=DIGITS)
        check_orders([result[m].score for m in individual], entry["BLEU"]["individual"], "BLEUi")
    if "NIST_score" in entry:
        assert result["NIST-5"].score == pytest.approx(entry["NIST_score"], abs=DIGITS)
    # The script stops at the first empty line when it prints segment scores; those before it are there.
    checked = 0
    for metric, part in ((bleu, "BLEU"), ("NIST-5", "NIST")):
        found = result[metric].segments
        checked += len(entry.get(part, {}).get("seg", {}))
        for segment, value in entry.get(part, {}).get("seg", {}).items():
            assert found[int(segment) - 1] == pytest.approx(value, abs=DIGITS), (metric, segment)
    assert checked == (2 if "error" in entry else 12)


@pytest.mark.parametrize("name", entries("BLEU-SBP"))
def test_strict_brevity_penalty(name):
    entry, texts = golden("mteval.json")[name], golden("testset.json")
    metrics = [f"BLEU-SBP-{n}" for n in range(1, 10)]
    result = scored(entry, texts, metrics)
    assert "cumulative" in entry["BLEU"] or "seg" in entry["BLEU"]
    if "cumulative" in entry["BLEU"]:
        check_orders([score.score for score in result.scores], entry["BLEU"]["cumulative"], "BLEU-SBP")
        assert result["BLEU-SBP"].score == pytest.approx(entry["BLEU_score"], abs=DIGITS)
    for segment, value in entry["BLEU"].get("seg", {}).items():
        assert result["BLEU-SBP"].segments[int(segment) - 1] == pytest.approx(value, abs=DIGITS)


@pytest.mark.parametrize("name", entries("multi-bleu"))
def test_multi_bleu(name):
    entry, texts = golden("mteval.json")[name], golden("testset.json")
    printed = re.match(r"BLEU = ([\d.]+), ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ", entry["multi-bleu"])
    individual = [f"BLEUi-{n}" for n in (1, 2, 3, 4)]
    result = scored(entry, texts, ["BLEU-4:smooth=none", *individual])
    assert f"{100 * result['BLEU-4:smooth=none'].score:.2f}" == printed[1]
    assert [f"{100 * result[m].score:.1f}" for m in individual] == list(printed.groups()[1:])


def test_v12_is_another_tokenizer():
    """mteval-v12 tokenizes by rules of its own (its README says so): the numbers differ, and we do not claim them."""
    entry = golden("mteval.json")["v12_ci_A"]
    texts = golden("testset.json")
    assert scored(entry, texts, "BLEU-4")["BLEU-4"].score != pytest.approx(entry["BLEU_score"], abs=1e-4)
