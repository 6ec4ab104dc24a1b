"""The documentation's promises: commands print what it says, Python examples give what it says, pages are current."""

import doctest
import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))

from console_blocks import examples, output_of
from make_metric_pages import page

from tarocco.cli import COMMANDS

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [(path.name, *example) for path in PAGES for example in examples(path.read_text("utf-8"))]


@pytest.mark.parametrize(("name", "command", "expected"), EXAMPLES, ids=[f"{e[0]}: {e[1]}" for e in EXAMPLES])
def test_console_example(name, command, expected):
    assert expected, "an example shows its output: make docs"
    assert output_of(command) == expected


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_python_examples(path):
    failed, _ = doctest.testfile(str(path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_docstring_example():
    from tarocco import scoring

    failed, tried = doctest.testmod(scoring)
    assert (failed, tried > 0) == (0, True)


def test_metric_pages_are_current():
    assert (ROOT / "docs" / "metrics.md").read_text("utf-8") == page(), "make docs"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_an_example(command):
    assert any(re.match(rf"tarocco {command}\b", shown) for _, shown, _ in EXAMPLES)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text("utf-8")):
        assert target.startswith("http") or (path.parent / target).exists(), target


def test_the_readme_names_the_test_command_that_ci_runs():
    assert "make test" in (ROOT / "README.md").read_text("utf-8")
    assert "make test" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_contributing_shows_the_real_example():
    """What CONTRIBUTING.md shows of the plug-in stands in the plug-in."""
    shown = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    plugin = (ROOT / "examples" / "tarocco-overlap" / "tarocco_overlap.py").read_text("utf-8")
    for line in (
        'minimum: int = parameter(1, "how often a word must occur to be in the set")',
        "for row, candidate, references in batch.each():",
        "rows[row, 0] = max(self.overlap(candidate, reference) for reference in references)",
    ):
        assert line in shown
        assert line in plugin
