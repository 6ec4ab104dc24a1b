"""What IQmt called BLEU and NIST: the numbers that mteval-v11b prints without options, in the XML files."""

import json
import re

import pytest
from conftest import shared

from tarocco.cli import iqsetup
from tests.textbook.iq_files import scores

DIGITS = 6e-9  # half a unit of the eighth decimal, and a little for binary fractions


@pytest.mark.parametrize(("system", "letter"), [("S0", "A"), ("S1", "B")])
@pytest.mark.parametrize(("metric", "kind"), [("BLEU-4", "BLEU"), ("NIST-5", "NIST")])
def test_mteval_v11b(tmp_path, system, letter, metric, kind):
    texts = json.loads(shared("golden", "testset.json").read_text("utf-8"))
    entry = json.loads(shared("golden", "mteval.json").read_text("utf-8"))[f"v11b_ci_{kind[0].lower()}_{letter}"]
    named = {"A": texts["sysA_raw"], "B": texts["sysB_raw"], **dict(zip("0123", texts["refs_raw"], strict=True))}
    for name, lines in named.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    files = "ref=0\nref=1\nref=2\nref=3\nsystem=A\nsystem=B\n"
    (tmp_path / "IQsetup.config").write_text(f"{files}do{kind} {metric}\n")
    assert iqsetup.main([str(tmp_path / "IQsetup.config"), str(tmp_path / "IQeval.config")]) == 0
    found = scores(tmp_path, system, "R0_R1_R2_R3", metric)
    for number, value in entry[kind]["seg"].items():
        assert found[int(number)] == pytest.approx(value, abs=DIGITS)
    text = (tmp_path / system / "R0_R1_R2_R3" / f"{metric}.xml").read_text()
    if "error" not in entry:  # the script stops at an empty line when it prints segments of BLEU
        assert float(re.search(r' score="(.*?)"', text)[1]) == pytest.approx(entry[f"{kind}_score"], abs=DIGITS)
