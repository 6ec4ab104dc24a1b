"""What a metric says of its agreement with other tools stands in a test that is there and names the tool."""

import ast
import re

import pytest
from conftest import ROOT

from tarocco.metrics.registry import built_in_families

FAMILIES = built_in_families()
CLAIMS = [(family, claim) for family in FAMILIES for claim in family.agreement]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.title)
def test_every_built_in_metric_tells_what_it_agrees_with(family):
    """In its own words: a subclass is another metric, and what its parent was compared with says nothing of it."""
    assert vars(family).get("agreement")


def function(test):
    """The function that a claim names, with its decorators, and the file it stands in; by reading, not by importing."""
    file, _, name = test.partition("::")
    text = (ROOT / file).read_text("utf-8")
    (found,) = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == name)
    return "\n".join(text.splitlines()[found.lineno - 1 : found.end_lineno]), text


@pytest.mark.parametrize(("family", "claim"), CLAIMS, ids=[f"{one.title}: {claim.tool}" for one, claim in CLAIMS])
def test_the_test_is_there_and_names_tool_and_metric(family, claim):
    shown, file = function(claim.test)
    assert "assert" in shown or "agree" in shown or "check_" in shown
    for tool in re.split(", | and ", claim.tool):
        name = tool.split()[0].removesuffix("'s").removesuffix(".perl")
        assert name.lower().replace("-", "_") in file.lower().replace("-", "_"), f"{claim.test} does not name {tool}"
    beginning = re.match(r"(?:1-)?[A-Za-z]+", family.title)[0].removeprefix("1-")
    assert beginning.lower() in file.lower(), f"{claim.test} does not name {family.title}"


def test_versions_are_those_that_are_pinned():
    """A tool that tests run, or that made golden numbers, is named with the release that constraints.txt pins."""
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines())
    pinned = {name.lower(): version for name, version in pinned.items()}
    named = {tuple(claim.tool.split(" ")) for _, claim in CLAIMS if claim.tool.split(" ")[0].lower() in pinned}
    assert {name for name, _ in named} == {"sacrebleu", "NLTK", "jiwer", "rouge-score", "RapidFuzz", "SciPy"}
    assert {(name, pinned[name.lower()]) for name, _ in named} == named
