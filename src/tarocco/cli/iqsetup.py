"""Compute the similarities of systems and references, as IQsetup of IQmt 2.0 does.

IQsetup.config names the files and metrics of a test bed. IQsetup writes IQeval.config, with the names of everything,
and beside it one XML file per metric and pair of texts, TARGET/REFERENCE/metric.xml. Existing files are not computed
again, so a stopped run can be continued.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tarocco.cli import guard
from tarocco.cli.command import Parser, attempt, say

PROGRAM = "IQsetup"
EXAMPLES = """example:
  IQsetup IQsetup.config IQeval.config
"""


def parser() -> argparse.ArgumentParser:
    made = Parser(PROGRAM, __doc__, EXAMPLES)
    made.add_argument("setup", metavar="IQsetup.config", help="the files and metrics of the test bed")
    made.add_argument("config", metavar="IQeval.config", help="the file to write; XML files are written beside it")
    made.add_argument("-JACK", action="store_true", help="also compare systems with each other, for -doJACK")
    made.add_argument("-remake", action="store_true", help="compute existing files again")
    return made


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.terminal import progress
    from tarocco.iqmt.configs import read_setup
    from tarocco.iqmt.setup import set_up

    made = set_up(read_setup(options.setup), options.config, options.JACK, options.remake, progress)
    there = f", {made.there} existed" if made.there else ""
    say(f"{made.computed} XML files computed{there}; wrote {options.config}", PROGRAM)
    if made.older:
        say(f"note: {', '.join(made.older)} changed after files were computed; -remake computes them again", PROGRAM)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run IQsetup. Exit codes: 0 success, 1 bad data, 2 wrong usage."""

    def explain_stop(_options: argparse.Namespace) -> str:
        return "stopped; finished XML files are saved, and the same command continues"

    return guard(lambda words: attempt(parser, run, words, explain_stop, PROGRAM), arguments, PROGRAM)
