"""Running one command: its parser, and what users see when something goes wrong."""

from __future__ import annotations

import argparse
import io
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from tarocco.cli import COMMANDS
from tarocco.cli.options import store_of
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
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _stop)
    options = argparse.Namespace()
    try:
        parser_of(command).parse_args(arguments, options)
        if getattr(options, "quiet", False):
            warnings.simplefilter("ignore")
        return import_module(f"tarocco.cli.{command}").run(options) or 0
    except TaroccoError as error:
        say(error)
        return 1
    except KeyboardInterrupt as stopped:
        say(_farewell(options, command, arguments))
        return 128 + (signal.SIGTERM if isinstance(stopped, Terminated) else signal.SIGINT)


class Terminated(KeyboardInterrupt):
    """SIGTERM: the work stops as it does for Ctrl-C, and what is finished is kept."""


def _stop(_signal: int, _frame: object) -> None:
    raise Terminated


def _farewell(options: argparse.Namespace, command: str, arguments: Sequence[str]) -> str:
    """What was kept of the work that was stopped, and how to go on."""
    if not hasattr(options, "store"):
        return "stopped"
    store = store_of(options)
    if store is None:
        return "stopped, and nothing is kept; with --store FILE a run can be taken up again"
    again = shlex.join(["tarocco", command, *arguments])
    return f"stopped; what is finished is kept in {store}, and this goes on: {again}"


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    say(f"note: {message}")
