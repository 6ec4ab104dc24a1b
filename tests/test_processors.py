"""What scores owe to the processor: the last digits of logarithms, exponentials and powers, and nothing else.

NumPy computes these by different instructions on different processors. Here its wide vectors are switched off, as on an
old processor. docs/scoring.md promises what is tested.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

METRICS = ("BLEU-4", "BLEU-SBP", "NIST-5", "WER", "PER", "TER", "GRR-4", "GTM-2", "ROUGE-L", "ROUGE-W-1.2", "chrF")
RELATIVE = 1e-13  # docs/scoring.md
CODE = """
import json, sys, tarocco
from tarocco import datasets
from numpy._core._multiarray_umath import __cpu_features__ as features
demo = datasets.load("demo")
systems = {name: demo.systems[name] for name in ("careful", "literal", "brief")}
result = tarocco.compare(systems, demo.references, metrics=METRICS, all_pairs=True, jobs=1)
print(json.dumps({
    "wide": bool(features.get("X86_V4", features["AVX512_SKX"])),
    "scores": [score.score for score in result.scores.scores],
    "counts": [score.statistics.tolist() for score in result.scores.scores if str(score.metric) in COUNTED],
    "p_values": [one.p_value for one in result],
}))
"""
COUNTED = ("BLEU-4", "BLEU-SBP", "WER", "PER", "TER", "GRR-4", "ROUGE-L", "chrF")  # statistics without powers


def run(disabled=""):
    code = CODE.replace("METRICS", repr(METRICS)).replace("COUNTED", repr(COUNTED))
    environment = {**os.environ, "NPY_DISABLE_CPU_FEATURES": disabled}
    output = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    return json.loads(output.stdout)


def widest_features():
    """Return the names of the groups of features that NumPy can be told to do without, for AVX512."""
    from numpy._core._multiarray_umath import __cpu_dispatch__ as dispatched

    return " ".join(name for name in dispatched if name.startswith(("AVX512", "X86_V4")))


def test_processors_differ_in_the_last_digits_of_scores_only():
    here = run()
    if not here["wide"]:
        pytest.skip("this processor has no wide vectors that could be switched off")
    there = run(widest_features())
    assert not there["wide"]
    assert there["counts"] == here["counts"]
    assert there["p_values"] == here["p_values"]
    assert np.allclose(there["scores"], here["scores"], rtol=RELATIVE, atol=0.0)
