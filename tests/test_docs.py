"""The documentation's promises: every code block is run or compared, pages are current, links lead somewhere."""

import doctest
import importlib
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))

import make_pages
from blocks import DOCS, Undocumented, all_blocks, blocks_of, pages
from check_site import problems
from console_blocks import copy_of_the_example, examples, output_of, rounded, run
from executed_blocks import NOT_RUN, check_of, command_of
from make_command_pages import described

from tarocco.cli import COMMANDS
from tarocco.cli.command import Parser
from tarocco.io.experiment import KEYS

PAGES = pages()
BLOCKS = all_blocks()


def called(path):
    return path.relative_to(ROOT).as_posix()


def having(word):
    """The pages with such blocks, called by their paths."""
    return [pytest.param(path, id=called(path)) for path in PAGES if any(word in check_of(b) for b in blocks_of(path))]


# --- blocks ----------------------------------------------------------------------------------------------------------


def test_every_block_is_checked():
    """check_of refuses kinds that nothing checks; `python tools/executed_blocks.py` prints what it says."""
    checks = [check_of(block) for block in BLOCKS]
    assert sum(check.startswith("run") for check in checks) > 40


@pytest.mark.parametrize("kind", ["text", "indented", "yaml", "pycon"])
def test_a_block_that_nothing_checks_is_refused(kind, tmp_path, monkeypatch):
    monkeypatch.setattr("blocks.ROOT", tmp_path)
    text = "    tarocco demo\n" if kind == "indented" else f"```{kind}\ntarocco demo\n```\n"
    (tmp_path / "page.md").write_text(f"A paragraph.\n\n{text}")
    (block,) = blocks_of(tmp_path / "page.md")
    with pytest.raises(Undocumented, match=f"page.md, line 3: no test checks blocks of the kind {kind}"):
        check_of(block)


@pytest.mark.parametrize("path", having("output compared"))
def test_console_blocks(path):
    with copy_of_the_example() as folder:
        for commands in examples(path.read_text("utf-8")):
            assert commands[-1][1], f"a block ends with what a command prints: make docs ({commands[-1][0]})"
            for command, expected in commands:
                assert rounded(output_of(command, folder)) == rounded(expected), command


@pytest.mark.parametrize("path", having("results compared"))
@pytest.mark.usefixtures("users_analyzer")
def test_python_examples(path, monkeypatch):
    with copy_of_the_example() as folder:
        monkeypatch.chdir(folder)
        failed, tried = doctest.testfile(str(path), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert (failed, tried > 0) == (0, True)


def test_python_blocks_without_results(monkeypatch):
    for path in PAGES:
        names = {}
        with copy_of_the_example() as folder:
            monkeypatch.chdir(folder)
            monkeypatch.setattr("tarocco.metrics.registry._plugins", {})  # a page may register a metric
            for block in blocks_of(path):
                if block.kind == "python" and check_of(block) == "run":
                    exec(compile(block.text, f"{block.page}:{block.line}", "exec"), names)
        monkeypatch.undo()


def test_blocks_that_show_a_file():
    """What is shown stands in the file, in that order; lines may be left out."""
    shown = [block for block in BLOCKS if block.file]
    assert {block.page for block in shown} >= {"CONTRIBUTING.md"}
    for block in shown:
        lines = iter(block.file.read_text("utf-8").splitlines())
        for line in block.lines[1:]:
            assert line in lines, f"{block.page}: {line}"


def test_data_blocks_parse():
    for block in BLOCKS:
        if block.kind == "toml":
            assert set(tomllib.loads(block.text)) <= set(KEYS)  # of experiment files: there is no other TOML here
        if block.kind == "json":
            json.loads(block.text)


# What `--help` calls files, and what stands in for them when its examples are run.
STAND_INS = {
    **dict.fromkeys(("ref.txt", "ref", "ref1"), "ref1.txt"),
    **{f"ref{i}": f"ref{i}.txt" for i in (2, 3, 4)},
    **dict.fromkeys(("sysA", "sysA.txt"), "careful.txt"),
    **dict.fromkeys(("sysB", "sysB.txt"), "brief.txt"),
    "human.tsv": "grades.tsv",
    "experiment.toml": "demo.toml",
    **{f"sys/{name}": name for name in ("careful.txt", "middling.txt", "mirror.txt", "literal.txt", "brief.txt")},
    "data/wmt19/ref/A.txt": "ref1.txt",
    "data/wmt19/sys/online-B.0": "brief.txt",
}
FOREST = "# target ||| features ||| source-covered\n1 1\n# node 0\n1\n<s> the </s> ||| LM0=-1 ||| 1\n"
MADE = {  # a lattice and a forest for each of the 60 segments
    "lattices.plf": "((('the',-0.5,1),('a',-1,1),),)\n" * 60,
    "forests.hg": FOREST * 60,
    "moses.weights": "LM0= 0.5\n",
}
SHELL = [(block.page, command_of(line)) for block in BLOCKS if block.kind == "sh" for line in block.lines]


@pytest.mark.parametrize("page", dict.fromkeys(page for page, _ in SHELL))
def test_shell_blocks(page):
    with copy_of_the_example() as folder:
        for name, like in STAND_INS.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((folder / like).read_bytes())
        for name, text in MADE.items():
            (folder / name).write_text(text)
        for command in [command for where, command in SHELL if where == page and command not in NOT_RUN]:
            done = run(f"set -o pipefail; {command}", folder)
            assert done.returncode == 0, f"{command}\n{done.stdout}"


def test_what_is_not_run_is_there():
    written = {command for _, command in SHELL}
    assert set(NOT_RUN) <= written
    for command in NOT_RUN:
        program, target = command.split()
        assert program == "make"
        subprocess.run([program, "--dry-run", target], cwd=ROOT, check=True, capture_output=True)


def test_docstring_example():
    scoring = importlib.import_module("tarocco.scoring.score")

    failed, tried = doctest.testmod(scoring)
    assert (failed, tried > 0) == (0, True)


# --- pages -----------------------------------------------------------------------------------------------------------


def test_made_pages_are_current():
    made = make_pages.pages()
    assert not make_pages.stale(made), "make docs"
    for name, text in made.items():
        assert (DOCS / name).read_text("utf-8") == text, f"{name}: make docs"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page_and_an_example(command):
    assert (DOCS / "commands" / f"{command}.md").is_file()
    shown = [line for path in PAGES for block in examples(path.read_text("utf-8")) for line, _ in block]
    assert any(re.search(rf"\btarocco {command}\b", line) for line in shown)


def parser(**option):
    made = Parser(prog="tarocco try", description="Try something.")
    made.add_argument("--often", type=int, metavar="N", **option)
    return made


def test_a_page_tells_of_every_option():
    assert "| `--often` N | how often | `3` |" in described(parser(default=3, help="how often (default: 3)"))
    assert "| `--often` N | how often | it depends |" in described(parser(help="how often (default: it depends)"))
    assert "tarocco try [--often N]" in described(parser(help="how often"))


def test_a_page_tells_of_commands_below_a_command():
    outer = Parser(prog="tarocco try", description="Try something.")
    inner = outer.add_subparsers().add_parser("hard", description="Try hard.")
    inner.add_argument("file", metavar="FILE", help="what to try")
    lines = described(outer)
    assert lines[lines.index("## hard") + 2] == "Try hard."
    assert "| `FILE` | what to try | |" in lines


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"default": 3}, "has no help text for `--often`"),
        ({"default": 3, "help": "default: 3"}, "has no help text for `--often`"),
        ({"default": 3, "help": "how often (default: 4)"}, "documents 4 as the default of `--often`, but it is 3"),
    ],
)
def test_an_undocumented_option_is_refused(option, message):
    with pytest.raises(Undocumented, match=message):
        described(parser(**option))


@pytest.mark.parametrize(("attribute", "value"), [("examples", ""), ("description", None)])
def test_an_undocumented_command_is_refused(attribute, value, monkeypatch):
    from tarocco.cli import demo

    monkeypatch.setattr(demo, "DEMO", replace(demo.DEMO, **{attribute: value}))
    with pytest.raises(Undocumented, match="`tarocco demo"):
        make_pages.pages()


# --- links -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES, ids=called)
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#]+)", path.read_text("utf-8")):
        assert target.startswith("http") or (path.parent / target).exists(), target


def test_what_is_wrong_with_a_site_is_found(tmp_path):
    (tmp_path / "there.html").write_text('<h1 id="top">There</h1>')
    (tmp_path / "site.css").write_text("@import url('https://fonts.example/a.css');")
    (tmp_path / "index.html").write_text(
        '<a href="there.html#top"></a><a href="there.html#bottom"></a><a href="gone.html"></a><a href="https://a.example"></a>'
        '<script src="//cdn.example/a.js"></script>'
    )
    assert problems(tmp_path) == [
        "index.html fetches //cdn.example/a.js",
        "index.html links to there.html#bottom, which does not exist",
        "index.html links to gone.html, which does not exist",
        "site.css fetches https://fonts.example/a.css",
    ]


def test_the_readme_names_the_test_command_that_ci_runs():
    assert "make test" in (ROOT / "README.md").read_text("utf-8")
    assert "make test" in (ROOT / ".ci" / "run").read_text("utf-8")
