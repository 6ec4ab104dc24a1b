"""A few points of each kind fail in two commands; `make faults` fails them all."""

from __future__ import annotations

import pytest

from tests.faults.injection import compile_shim, find_faults, run_with_fault

# (command, kind, points): the first read is that of the first file, and the last write is that of the output.
CASES = [
    ("score", "read", (1, 4)),
    ("score with a store", "write", (1,)),
    ("score", "allocation", (100,)),
]


@pytest.mark.parametrize(("command", "kind", "points"), CASES)
def test_a_failing_point_is_one_sentence_and_leaves_nothing_behind(command, kind, points, tmp_path):
    shim = compile_shim(tmp_path)
    if shim is None:
        pytest.skip("there is no C compiler, or no glibc")
    undisturbed = run_with_fault(shim, tmp_path / "work", command, kind, 0)
    assert undisturbed.code == 0
    assert undisturbed.points >= max(points)
    for at in points:
        outcome = run_with_fault(shim, tmp_path / "work", command, kind, at)
        assert find_faults(outcome, undisturbed) == []
        assert outcome.code == 1
