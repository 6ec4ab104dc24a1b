"""SECURITY.md names a test for each promise: they exist."""

import ast
import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "SECURITY.md").read_text("utf-8")
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)))


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_promise_has_its_test(file, test):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_row_names_a_test():
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    assert len([row for row in rows if "::" not in row]) == 3  # the headers
    assert len(NAMED) > 25
