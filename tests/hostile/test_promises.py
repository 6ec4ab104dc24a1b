"""SECURITY.md and docs/faults.md name a test for each promise and each fault: they exist."""

import ast
import re

import pytest
from conftest import ROOT

PAGES = {"SECURITY.md": 4, "docs/faults.md": 3}  # and how many tables they have


def text_of(page):
    return (ROOT / page).read_text("utf-8")


NAMED = sorted({found for page in PAGES for found in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text_of(page))})


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_a_promise_has_its_test(file, test):
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("page", PAGES)
def test_every_row_names_a_test(page):
    rows = [line for line in text_of(page).splitlines() if line.startswith("| ") and not line.startswith("| ---")]
    assert len([row for row in rows if "::" not in row]) == PAGES[page]  # the headers
    assert len(rows) > 20
