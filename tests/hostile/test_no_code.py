"""No code comes from data: what the sources themselves never do."""

import ast

import pytest
from test_architecture import FILES, SOURCE

NEVER_IMPORTED = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "joblib",
    "marshal",
    "shelve",
    "yaml",
    "subprocess",
    "multiprocessing",
    "code",
}
NEVER_CALLED = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "os.system",
    "os.popen",
    "pickle.load",
    "pickle.loads",
    "yaml.load",
}
# What a run sends to its own workers, and starting those of this machine: nothing of it comes from a file.
WORKERS = {"parallel/cluster.py": {"subprocess", "pickle", "cloudpickle"}}
# Modules are imported by names that stand in the source; these lines, where they are not tarocco's own, were looked at.
IMPORTING = {
    "__init__.py",  # a table of our own names
    "kernels/__init__.py",  # our own modules
    "render/plots/files.py",  # altair and vl_convert
    "cli/options.py",  # our modules that check arguments
    "encode/tokenizer_plugins.py",  # MeCab and its dictionaries
    "annotate/pipelines.py",  # spacy, its English pipeline, and stanza
}


def name_of(node):
    """`os.system` for a call of it; the last part alone where the rest is an expression."""
    if isinstance(node, ast.Attribute):
        return f"{node.value.id}.{node.attr}" if isinstance(node.value, ast.Name) else node.attr
    return getattr(node, "id", "")


def is_ours(arguments):
    """Whether a module is named right there, or at least where it is: below tarocco."""
    named = arguments[0] if arguments else None
    beginning = named.values[0] if isinstance(named, ast.JoinedStr) else named
    return isinstance(beginning, ast.Constant) and str(beginning.value).startswith("tarocco.")


@pytest.mark.parametrize("path", [*FILES, SOURCE / "__init__.py"], ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_runs_what_it_reads(path):
    relative = path.relative_to(SOURCE).as_posix()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        where = f"{relative}, line {getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            allowed = WORKERS.get(relative, set())
            assert not ({name.partition(".")[0] for name in names} & NEVER_IMPORTED) - allowed, where
        if isinstance(node, ast.Call):
            called = name_of(node.func)
            assert called not in NEVER_CALLED or (called.startswith("pickle.") and relative in WORKERS), where
            assert not called.startswith(("os.exec", "os.spawn", "os.posix_spawn", "os.fork", "ProcessPool")), where
            assert "import_module" not in called or relative in IMPORTING or is_ours(node.args), where
            for keyword in node.keywords:
                assert keyword.arg not in ("shell", "allow_pickle"), where


def test_plugins_are_installed_ones():
    """Code of others comes in by entry points of installed packages alone: of metrics and of tokenizers."""
    users = [path for path in FILES if "entry_points" in path.read_text("utf-8")]
    assert {path.name for path in users} == {"registry.py", "tokenizer_plugins.py"}
