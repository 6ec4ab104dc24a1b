"""Options that mean the same for every command, with one spelling each."""

from __future__ import annotations

import argparse

from tarocco.cli.choices import FORMATS, LEVELS, TOKENIZERS


def add_text_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("text")
    group.add_argument(
        "--tokenize", "-tok", default="13a", metavar="NAME", help=f"{', '.join(TOKENIZERS)} (default: 13a)"
    )
    group.add_argument("-lc", "--lowercase", action="store_true", help="compare in lower case")
    group.add_argument(
        "--num-refs",
        "-nr",
        type=int,
        metavar="N",
        help="the reference file has up to N references a line, tabs between them (.tsv files are read so anyway)",
    )
    group.add_argument("--documents", metavar="FILE", help="one document label a segment")


def add_output_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("-f", "--format", choices=FORMATS, default="table", help="default: table")
    group.add_argument("--level", choices=LEVELS, default="corpus", help="default: corpus")
    group.add_argument("-w", "--width", type=_digits, metavar="DIGITS", help="digits after the point in tables")
    group.add_argument("-b", "--score-only", action="store_true", help="print the numbers alone, one a line")
    group.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")


def add_resampling_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("confidence intervals")
    group.add_argument(
        "--confidence",
        "-ci",
        nargs="?",
        type=float,
        const=0.95,
        metavar="0.95",
        help="give bootstrap intervals over segments",
    )
    group.add_argument("--n-resamples", "-cin", type=int, default=1000, metavar="N", help="default: 1000")
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="default: 12345")


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="threads (default: all processors)")


def _digits(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 17:
        raise argparse.ArgumentTypeError(f"0 to 17 digits, not {number}")
    return number


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"at least 1, not {number}")
    return number
