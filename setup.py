"""Compile the kernels if possible; pyproject.toml has everything else.

TAROCCO_NO_COMPILE=1       Do not compile: the kernels run as plain Python.
TAROCCO_SANITIZE=1         Check memory accesses and undefined behavior at run time (gcc; see `make sanitize`).
TAROCCO_REQUIRE_COMPILE=1  Fail if a kernel does not compile (otherwise it runs as plain Python).
"""

import os
import platform
from pathlib import Path

from setuptools import Extension, setup

PROCESSORS = os.cpu_count() or 1
KERNELS = Path("src/tarocco/kernels")
NOT_KERNELS = {"__init__.py", "cython_fallback.py"}

# Results must not depend on the processor: no fused multiply-add, no -march=native.
FLAGS = ["-O3", "-ffp-contract=off", "-g0"]
LINK = []
if os.environ.get("TAROCCO_SANITIZE") == "1":
    LINK = ["-fsanitize=address,undefined"]
    FLAGS = ["-O1", "-g1", "-ffp-contract=off", "-fno-sanitize-recover=all", *LINK]

# Kernels that gain from wider vectors are also compiled for AVX2, under another name; tarocco.kernels.kernel chooses at
# import time.
WIDER = ("bit_parallel", "ngram_matches", "qarla", "statistics", "weighted_lcs")
if platform.machine() not in ("x86_64", "AMD64"):
    WIDER = ()
COPIES = Path("build/wider/tarocco/kernels")


def copy_if_changed(source, target):
    """Copy a file, but keep the target's time if it is the same: the compiler looks at times."""
    content = source.read_bytes()
    if not target.exists() or target.read_bytes() != content:
        target.write_bytes(content)


def wider_extensions():
    for package in (COPIES.parent, COPIES):
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").touch()
    for shared in ("interruption.pxd", "segments.pxd"):
        copy_if_changed(KERNELS / shared, COPIES / shared)
    for name in WIDER:
        for source in KERNELS.glob(f"{name}.p*"):
            copy_if_changed(source, COPIES / f"{name}_avx2{source.suffix}")
        copy = COPIES / f"{name}_avx2.py"
        yield Extension(
            f"tarocco.kernels.{copy.stem}",
            [copy.as_posix()],
            extra_compile_args=[*FLAGS, "-mavx2", "-mpopcnt"],
            extra_link_args=LINK,
        )


def kernel_extensions():
    if os.environ.get("TAROCCO_NO_COMPILE") == "1":
        return []
    from Cython.Build import cythonize

    extensions = [
        Extension(
            f"tarocco.kernels.{path.stem}",
            [path.as_posix()],
            extra_compile_args=FLAGS,
            extra_link_args=LINK,
        )
        for path in sorted(KERNELS.glob("*.py"))
        if path.name not in NOT_KERNELS
    ]
    extensions = cythonize(
        [*extensions, *wider_extensions()], language_level=3, build_dir="build/cython", nthreads=PROCESSORS
    )
    for extension in extensions:
        # cythonize() drops this attribute, so set it afterwards.
        extension.optional = os.environ.get("TAROCCO_REQUIRE_COMPILE") != "1"
    return extensions


# Worker processes of cythonize() import this file again.
if __name__ == "__main__":
    setup(ext_modules=kernel_extensions(), options={"build_ext": {"parallel": PROCESSORS}})
