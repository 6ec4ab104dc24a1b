"""Running one command: its parser, and what users see when something goes wrong."""

from __future__ import annotations

import argparse
import io
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tarocco.cli import COMMANDS
from tarocco.errors import TaroccoError


def say(message: object) -> None:
    """Words go to standard error, data to standard output."""
    print(f"tarocco: {message}", file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """argparse, without guessing: an option is written out, -l is not short for -lc."""

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        # What remains are one-letter options with their value attached, such as -w3.
        return [found for found in super()._get_option_tuples(option_string) if found[1] == option_string[:2]]


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command."""
    module = import_module(f"tarocco.cli.{command}")
    parser = Parser(
        prog=f"tarocco {command}",
        description=module.__doc__,
        epilog=getattr(module, "EXAMPLES", None),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.configure(parser)
    return parser


def run_command(command: str, arguments: Sequence[str]) -> int:
    """Parse and run; errors that tarocco raises on purpose become one sentence and exit code 1."""
    assert command in COMMANDS
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to stop
    try:
        options = parser_of(command).parse_args(arguments)
        if getattr(options, "quiet", False):
            warnings.simplefilter("ignore")
        import_module(f"tarocco.cli.{command}").run(options)
    except TaroccoError as error:
        say(error)
        return 1
    except KeyboardInterrupt:
        say("stopped")
        return 130
    return 0


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    say(f"note: {message}")
