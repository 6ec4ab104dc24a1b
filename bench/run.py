"""Run every measurement and print one table."""

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
    found: list[Row] = []
    for script in chosen:
        print(f"measuring: {script}", file=sys.stderr, flush=True)
        found += import_module(script).rows()
    kernels = "compiled" if tokenization.COMPILED else "NOT COMPILED"
    print(f"Python {platform.python_version()}, {default_jobs()} processors, kernels {kernels}\n")
    header = ("what", "input", "peer", "how", "found", "goal", "met")
    cells = tuple((r.what, r.shape, r.peer, r.how, r.found, r.goal, "yes" if r.met else "NO") for r in found)
    print(plain(Table(header, cells, labels=len(header))), end="")


if __name__ == "__main__":
    main()
