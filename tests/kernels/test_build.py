"""The kernels are compiled, or not, as the run expects."""

import os
import subprocess
import sys
from importlib import import_module

import pytest
from conftest import PLAIN, ROOT

KERNELS = sorted(path.stem for path in (ROOT / "src/tarocco/kernels").glob("*.py"))
MODULES = [import_module(f"tarocco.kernels.{name}") for name in KERNELS if name not in ("__init__", "cython_fallback")]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_compiled_as_expected(module):
    if PLAIN:
        assert not module.COMPILED
        assert module.__file__.endswith(".py")
    elif os.environ.get("TAROCCO_REQUIRE_COMPILE") == "1":
        assert module.COMPILED
        assert not module.__file__.endswith(".py")


def test_uncompiled_kernels_warn_once():
    """One warning, however many kernels are asked for; none where they are compiled."""
    code = "import warnings; warnings.simplefilter('always'); import tarocco; tarocco.score(['a'], ['a'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.count("not compiled") == (0 if MODULES[0].COMPILED else 1)


@pytest.mark.skipif(PLAIN, reason="building is tested once, in the compiled run")
@pytest.mark.parametrize(("required", "fails"), [("0", False), ("1", True)])
def test_without_a_compiler(tmp_path, required, fails):
    """A missing compiler leaves plain Python, unless compilation is required."""
    environment = os.environ | {"CC": "no-such-compiler", "TAROCCO_REQUIRE_COMPILE": required}
    environment.pop("TAROCCO_NO_COMPILE", None)
    command = [sys.executable, "setup.py", "-q", "build_ext", "-f", "-b", str(tmp_path), "-t", str(tmp_path / "t")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode != 0) == fails, done.stderr
    assert not list(tmp_path.rglob("*.so"))
