"""Compute how similar systems and references are, as IQsetup of IQmt 2.0 does.

IQsetup.config names the files and metrics of a test bed. For each metric and pair of texts an XML file is written,
TARGET/REFERENCE/metric.xml, beside IQeval.config, which has the names of everything and is made as well. Files that are
there already are not computed again, so a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial

from tarocco.cli import guarded
from tarocco.cli.running import Parser, attempt, say

PROGRAM = "IQsetup"
EXAMPLES = """example:
  IQsetup IQsetup.config IQeval.config
"""


def parser() -> argparse.ArgumentParser:
    found = Parser(
        prog=PROGRAM,
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=80),
    )
    found.add_argument("setup", metavar="IQsetup.config", help="the files and metrics of the test bed")
    found.add_argument("config", metavar="IQeval.config", help="the file to write; XML files are written beside it")
    found.add_argument("-JACK", action="store_true", help="compare systems with each other, too, as -doJACK needs")
    found.add_argument("-remake", action="store_true", help="compute files again that are there already")
    return found


def run(options: argparse.Namespace) -> None:
    from tarocco.iqmt.configs import read_setup
    from tarocco.iqmt.setup import set_up
    from tarocco.render.terminal import progress

    made = set_up(read_setup(options.setup), options.config, options.JACK, options.remake, progress)
    there = f", {made.there} were there" if made.there else ""
    say(f"{made.computed} XML files computed{there}; wrote {options.config}", PROGRAM)
    if made.older:
        say(f"note: {', '.join(made.older)} changed since files were computed; -remake computes them again", PROGRAM)


def main(arguments: Sequence[str] | None = None) -> int:
    """IQsetup. Exit codes: 0 fine, 1 the data is bad, 2 the command is wrong."""

    def farewell(_options: argparse.Namespace) -> str:
        return "stopped; XML files that are finished are kept, and the same command goes on"

    return guarded(lambda given: attempt(parser, run, given, farewell, PROGRAM), arguments, PROGRAM)
