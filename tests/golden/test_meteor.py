"""METEOR 1.5 (Java) on a small test set, with weights 1 and delta 0.5: every segment, and the corpus."""

import json
import re

import numpy as np
import pytest
from conftest import shared

import tarocco

# METEOR 1.5's modules, and ours. (It removes punctuation only if it tokenizes, too, which was not asked for.)
MODULES = {
    "exact": "METEOR-exact",
    "exact_nopunct": "METEOR-exact",
    "exst": "METEOR-stem",
    "exstsy": "METEOR-wnsyn:stages=exact+stem+wnsyn",
}
EMPTY = 2  # the segment in which system A has nothing


def golden(name):
    return json.loads(shared("golden", name).read_text("utf-8"))


# METEOR 1.5 was not run with all modules on all references.
RUNS = [
    (modules, references)
    for modules in MODULES
    for references in ("ref0", "4refs")
    if (modules, references) not in (("exact_nopunct", "4refs"), ("exst", "ref0"))
]


@pytest.mark.parametrize("system", "AB")
@pytest.mark.parametrize("parameters", ["p0.8_0.83_0.28", "p0.9_3.0_0.5"])
@pytest.mark.parametrize(("modules", "references"), RUNS)
def test_meteor_1_5(modules, parameters, references, system):
    entry = golden("meteor.json")[f"m15_{modules}_{parameters}_{references}_{system}"]
    texts = golden("testset.json")
    numbers = range(4) if references == "4refs" else [0]
    candidates, streams = texts[f"sys{system}_tok"], [texts["refs_tok"][number] for number in numbers]
    alpha, beta, gamma = re.fullmatch(r"p(.*)_(.*)_(.*)", parameters).groups()
    name = f"{MODULES[modules]}:alpha={alpha}:beta={beta}:gamma={gamma}"
    found = tarocco.score(candidates, list(zip(*streams, strict=True)), metrics=name, tokenize="none").scores[0]
    assert found.segments.tolist() == pytest.approx([row[3] for row in entry["seg"]], rel=1e-14, abs=1e-15)
    for row, (matches, length, other_length, _) in zip(entry["seg"], found.statistics.tolist(), strict=True):
        if matches:
            assert row[:2] == pytest.approx([matches / length, matches / other_length], rel=1e-14, abs=1e-15)
    sums = found.statistics.sum(axis=0)
    if system == "A" and references == "4refs":
        # Against nothing all references are equal: METEOR 1.5 takes the first, of 4 words, we the shortest, of 2.
        assert found.statistics[EMPTY].tolist() == [0, 0, 2, 0]
        sums += [0, 0, 2, 0]
    assert sums[1:].tolist() == [entry["Test words"], entry["Reference words"], entry["Chunks"]]
    assert float(found.metric.score(np.array(sums))) == pytest.approx(entry["Final score"], rel=1e-14, abs=1e-15)
