"""Numbers printed by GTM 1.4 (Java) on the shared golden set, with one reference and with four joined ones."""

import json

import pytest
from conftest import shared

import tarocco


def golden(name):
    return json.loads(shared("golden", name).read_text("utf-8"))


EXPONENTS = ("1", "1.5", "2", "3")


@pytest.mark.parametrize("references", ["4refs", "ref0", "ref1", "ref2", "ref3"])
@pytest.mark.parametrize("system", "AB")
def test_gtm_1_4(system, references):
    """All 15 digits of matchings, precision, recall and F; the exponents in one request."""
    entries, texts = golden("gtm_wer_per.json")["gtm-1.4"], golden("testset.json")
    numbers = range(4) if references == "4refs" else [int(references[-1])]
    streams = [texts["refs_tok"][number] for number in numbers]
    names = [f"GTM-{exponent}:references=joined" for exponent in EXPONENTS]
    names += [f"GTM-{exponent}" for exponent in EXPONENTS] if len(streams) == 1 else []
    found = tarocco.score(texts[f"sys{system}_tok"], list(zip(*streams, strict=True)), metrics=names, tokenize="none")
    for name in names:
        exponent = name.partition(":")[0].removeprefix("GTM-")
        entry, ours = entries[f"{system}_e{exponent}_{references}"], found[name]
        sizes, lengths, other_lengths = ours.statistics.T.tolist()
        segments = entry["seg"]
        assert sizes == pytest.approx([one["(maximum matching)^(1/exponent)"] for one in segments], rel=1e-13)
        assert lengths == [one["length of test segment"] for one in segments]
        assert other_lengths == [one["mean length of reference segments"] for one in segments]
        assert ours.segments.tolist() == pytest.approx([one["F"] for one in segments], rel=1e-13)
        assert ours.score == pytest.approx(entry["doc"]["F"], rel=1e-13)
        assert ours.details["precision"] == pytest.approx(entry["doc"]["document precision"], rel=1e-13)
        assert ours.details["recall"] == pytest.approx(entry["doc"]["document recall"], rel=1e-13)
