"""Running one command: its parser, and what users see when something goes wrong."""

from __future__ import annotations

import argparse
import os
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


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command."""
    module = import_module(f"tarocco.cli.{command}")
    parser = argparse.ArgumentParser(
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
    options = parser_of(command).parse_args(arguments)
    if getattr(options, "quiet", False):
        warnings.simplefilter("ignore")
    try:
        import_module(f"tarocco.cli.{command}").run(options)
        sys.stdout.flush()
    except TaroccoError as error:
        say(error)
        return 1
    except BrokenPipeError:  # the reader of our output went away: nothing is wrong with us
        _close_output()
        return 0
    except OSError as error:
        _close_output()
        say(f"{error.filename or 'the output could not be written'}: {error.strerror}")
        return 1
    except KeyboardInterrupt:
        say("stopped")
        return 130
    return 0


def _close_output() -> None:
    """Whatever is still to be written goes nowhere, so that Python does not complain about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, *_where: Any, **_more: Any) -> None:
    say(f"note: {message}")
