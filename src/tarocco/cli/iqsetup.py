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
    parser = Parser(PROGRAM, __doc__, EXAMPLES)
    parser.add_argument("setup", metavar="IQsetup.config", help="the files and metrics of the test bed")
    parser.add_argument("config", metavar="IQeval.config", help="the file to write; XML files are written beside it")
    parser.add_argument("-JACK", action="store_true", help="also compare systems with each other, for -doJACK")
    parser.add_argument("-remake", action="store_true", help="compute existing files again")
    return parser


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.terminal import progress
    from tarocco.iqmt.configs import read_setup
    from tarocco.iqmt.setup import set_up

    written = set_up(read_setup(options.setup), options.config, options.JACK, options.remake, progress)
    there = f", {written.there} existed" if written.there else ""
    say(f"{written.computed} XML files computed{there}; wrote {options.config}", PROGRAM)
    if written.older:
        say(f"note: {', '.join(written.older)} changed after files were computed; -remake computes them again", PROGRAM)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run IQsetup. Exit codes: 0 success, 1 bad data, 2 wrong usage."""

    def explain_stop(_options: argparse.Namespace) -> str:
        return "stopped; finished XML files are saved, and the same command continues"

    return guard(lambda words: attempt(parser, run, words, explain_stop, PROGRAM), arguments, PROGRAM)
