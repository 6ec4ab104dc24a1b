"""The corridor has one direction: a room imports only from rooms before it."""

import ast
import io
import re
import subprocess
import sys
import tokenize

import pytest
from conftest import ROOT

SOURCE = ROOT / "src" / "tarocco"

# Top to bottom. Modules of one room may import each other.
ROOMS = (
    "_version",
    "kernels",
    "core",
    "parallel",
    "store",
    "encode",
    "io",
    "annotate",
    "metrics",
    "scoring",
    "explanation",
    "meta",
    "decode",
    "trials",
    "datasets",
    "testing",
    "render",
    "iqmt",
    "compat",
    "cli",
    "__main__",
)


def room_of(path):
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path):
    """The rooms that a file imports from, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "tarocco":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tarocco."):
            yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("tarocco."))


FILES = [path for path in sorted(SOURCE.rglob("*.py")) if path != SOURCE / "__init__.py"]


def test_every_room_has_its_place():
    assert {room_of(path) for path in FILES} == set(ROOMS)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_a_room_imports_only_from_rooms_before_it(path):
    here = ROOMS.index(room_of(path))
    for room in imported_rooms(path):
        assert ROOMS.index(room) <= here, f"{path.name} imports from {room}"


def test_no_package_has_the_name_of_a_public_function():
    import tarocco

    modules = {room_of(path) for path in FILES}
    assert not modules & set(tarocco.__all__) - {"__version__"}


def loaded_by(code):
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_version_imports_nothing_heavy():
    loaded = loaded_by("from tarocco.cli import main; main(['--version'])")
    assert not loaded & {"numpy", "scipy", "rich", "argparse", "tarocco.core.test_set", "importlib.metadata"}


def test_importing_tarocco_imports_nothing_heavy():
    assert not loaded_by("import tarocco") & {"numpy", "rich", "pandas", "pyarrow", "altair", "vl_convert"}


def test_scoring_imports_no_optional_library():
    loaded = loaded_by("import tarocco; tarocco.score(['a b c d'], ['a b c d'])")
    assert not loaded & {"rich", "pandas", "pyarrow", "altair", "vl_convert", "scipy", "cython", "Cython", "sacrebleu"}
    assert "importlib.metadata" not in loaded


def test_the_score_command_imports_only_what_it_uses(tmp_path):
    """Each of these takes milliseconds, and the whole command takes a hundred."""
    (tmp_path / "text.txt").write_text("a b c d\n")
    arguments = ["score", str(tmp_path / "text.txt"), "-i", str(tmp_path / "text.txt")]
    loaded = loaded_by(f"from tarocco.cli import main; main({arguments!r})")
    assert not loaded & {"json", "hashlib", "html", "difflib", "tarocco.annotate.parses", "tarocco.io.scores.external"}


def test_correlating_imports_no_scipy():
    loaded = loaded_by("from tarocco.meta.correlation import agreement, levels, metric_tests")
    assert "scipy" not in loaded


def test_versions_agree():
    import tarocco

    assert f'version = "{tarocco.__version__}"' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert f"## {tarocco.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_parser_knows_the_real_choices():
    """cli/options.py repeats them so that --help needs no NumPy."""
    from tarocco.cli import options
    from tarocco.encode.tokenizers import NAMES
    from tarocco.meta.correlation import agreement as correlation
    from tarocco.meta.correlation import levels as groupings
    from tarocco.render.results.score import LEVELS

    assert options.TOKENIZERS == NAMES
    assert options.LEVELS == LEVELS
    assert (options.ITEMS, options.GROUPINGS) == (groupings.LEVELS, groupings.GROUPINGS)
    assert tuple(correlation.COEFFICIENTS) == options.COEFFICIENTS


# --- file names in prose ---------------------------------------------------------------------------------------------

FOLDERS = ("src", "docs", "tests", "bench", "tools", "examples")
PYTHON_FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))] + [ROOT / "setup.py"]
MARKDOWN_FILES = [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.md")))]
OTHER_TOOLS = {"chrF++.py"}  # not files of this repository


def prose_of(path):
    """The docstrings and comments of a Python file, or all of a Markdown page."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return text
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    comments = [token.string for token in tokens if token.type == tokenize.COMMENT]
    return "\n".join([*(ast.get_docstring(node) or "" for node in nodes), *comments])


def missing_files(prose, folder):
    """The Python files that prose names and that are neither in the repository nor beside the page."""
    known = [f"/{path.relative_to(ROOT).as_posix()}" for path in PYTHON_FILES]
    names = set(re.findall(r"[\w./+-]*\w[+]*\.py\b(?![\w(])", prose)) - OTHER_TOOLS
    return sorted(
        name
        for name in names
        if not (folder / name).exists() and not any(path.endswith(f"/{name.removeprefix('./')}") for path in known)
    )


@pytest.mark.parametrize("path", PYTHON_FILES + MARKDOWN_FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_named_in_prose_exist(path):
    assert missing_files(prose_of(path), path.parent) == []


def test_a_stale_file_name_is_reported():
    prose = "The rules are in trials/verdict.py, verdict.py and trials/standings.py; scores agree with chrF++.py."
    assert missing_files(prose, ROOT) == ["trials/standings.py"]
