"""Run all benchmarks, or those named as arguments, and print one table."""

from __future__ import annotations

import platform
import sys
from importlib import import_module

from measure import Row

from tarocco.kernels import tokenization
from tarocco.parallel.fan_out import default_jobs
from tarocco.render.tables import Table, plain

SCRIPTS = (
    "corpus",
    "kernels",
    "nbest",
    "ter",
    "meteor",
    "maxsim",
    "chrf",
    "linguistic",
    "bootstrap",
    "compare",
    "people",
    "qarla",
    "command_line",
    "worst",
    "one_pair",
    "store",
    "memory",
    "cluster",
    "orange",
    "references",
    "optimize",
    "mbr",
    "oracle",
    "analyzers",
)


def main() -> None:
    chosen = sys.argv[1:] or SCRIPTS
    measured: list[Row] = []
    for script in chosen:
        print(f"measuring: {script}", file=sys.stderr, flush=True)
        measured += import_module(script).rows()
    kernels = "compiled" if tokenization.COMPILED else "NOT COMPILED"
    print(f"Python {platform.python_version()}, {default_jobs()} processors, kernels {kernels}\n")
    header = ("what", "input", "peer", "how", "result", "goal", "met")
    cells = tuple((r.what, r.shape, r.peer, r.how, r.result, r.goal, "yes" if r.met else "NO") for r in measured)
    print(plain(Table(header, cells, labels=len(header))), end="")


if __name__ == "__main__":
    main()
