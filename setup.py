"""Compile the kernels when that is possible; everything else is in pyproject.toml.

TAROCCO_NO_COMPILE=1       do not compile: the kernels run as plain Python.
TAROCCO_REQUIRE_COMPILE=1  a kernel that does not compile is an error (otherwise it is left as plain Python).
"""

import os
from pathlib import Path

from setuptools import Extension, setup

KERNELS = Path("src/tarocco/kernels")
NOT_KERNELS = {"__init__.py", "standin.py"}


def kernel_extensions():
    if os.environ.get("TAROCCO_NO_COMPILE") == "1":
        return []
    from Cython.Build import cythonize

    extensions = [
        Extension(
            f"tarocco.kernels.{path.stem}",
            [path.as_posix()],
            # The same numbers on every processor: no fused multiply-add, no -march=native.
            extra_compile_args=["-O3", "-ffp-contract=off"],
        )
        for path in sorted(KERNELS.glob("*.py"))
        if path.name not in NOT_KERNELS
    ]
    extensions = cythonize(extensions, language_level=3, build_dir="build/cython")
    for extension in extensions:
        # cythonize() drops this attribute, so it is set on what it returns.
        extension.optional = os.environ.get("TAROCCO_REQUIRE_COMPILE") != "1"
    return extensions


setup(ext_modules=kernel_extensions())
