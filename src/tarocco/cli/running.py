"""Running one command: its parser, and what users see when something goes wrong."""

from __future__ import annotations

import argparse
import io
import os
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

from tarocco.cli import COMMANDS
from tarocco.cli.options import store_of
from tarocco.core.errors import ClusterError, TaroccoError
from tarocco.render.terminal import shielded, visible_message


def say(message: object, program: str = "tarocco") -> None:
    """Words go to standard error, data to standard output."""
    if sys.stderr is not None:  # closed by the shell: 2>&-
        print(f"{program}: {visible_message(message)}", file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """argparse, without guessing: an option is written out, -l is not short for -lc."""

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        # What remains are one-letter options with their value attached, such as -w3.
        return [found for found in super()._get_option_tuples(option_string) if found[1] == option_string[:2]]

    # argparse makes a formatter to check each option; how wide the terminal is matters only for one that is shown.
    def format_help(self) -> str:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def format_usage(self) -> str:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_usage()


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of a command."""
    module = import_module(f"tarocco.cli.{command}")
    parser = Parser(
        prog=f"tarocco {command}",
        description=module.__doc__,
        epilog=getattr(module, "EXAMPLES", None),
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=80),
    )
    module.configure(parser)
    return parser


def run_command(command: str, arguments: Sequence[str]) -> int:
    """Parse and run a command of tarocco."""
    assert command in COMMANDS

    def run(options: argparse.Namespace) -> int | None:
        options.command_line = shlex.join(["tarocco", command, *arguments])
        code: int | None = import_module(f"tarocco.cli.{command}").run(options)
        return code

    return attempt(
        lambda: parser_of(command),
        lambda options: with_workers(run, options),
        arguments,
        lambda options: _farewell(options, command, arguments),
    )


def with_workers(run: Callable[[argparse.Namespace], int | None], options: argparse.Namespace) -> int | None:
    """Run a command with the workers of the cluster that it was given, if it was."""
    options.executor = None
    if getattr(options, "cluster", None) is None:
        return run(options)
    from tarocco.parallel.cluster import cluster

    quiet = getattr(options, "quiet", False)
    tell = (lambda _sentence: None) if quiet else (lambda sentence: say(f"note: {sentence}"))
    with cluster(options.cluster, tell=tell) as workers:
        options.executor = workers
        return run(options)


def attempt(
    parser: Callable[[], argparse.ArgumentParser],
    run: Callable[[argparse.Namespace], int | None],
    arguments: Sequence[str],
    farewell: Callable[[argparse.Namespace], str],
    program: str = "tarocco",
) -> int:
    """Parse and run; errors that tarocco raises on purpose become one sentence and exit code 1."""
    warnings.showwarning = partial(_show_warning, program)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to stop
    options = argparse.Namespace()
    with shielded(), _stoppable() as asked:
        try:
            parser().parse_args(arguments, options)
            if getattr(options, "quiet", False):
                warnings.simplefilter("ignore")
            return run(options) or 0
        except (KeyboardInterrupt, Exception) as error:
            if asked or isinstance(error, KeyboardInterrupt):  # whatever a library made of it on its way
                say(farewell(options), program)
                return 128 + (asked[0] if asked else signal.SIGINT)
            if not isinstance(error, TaroccoError):
                raise
            goes_on = f"; {farewell(options)}" if isinstance(error, ClusterError) else ""
            say(f"{error}{goes_on}", program)
            return 1


@contextmanager
def _stoppable() -> Iterator[list[int]]:
    """SIGINT and SIGTERM stop the work as Ctrl-C does; gives a list in which the signal is noted."""
    asked: list[int] = []

    def stop(number: int, _frame: object) -> None:
        asked.append(number)
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # as for a command that nohup started
                before[number] = signal.signal(number, stop)
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _farewell(options: argparse.Namespace, command: str, arguments: Sequence[str]) -> str:
    """What was kept of the work that was stopped, and how to go on."""
    if not hasattr(options, "store"):
        return "stopped"
    store = store_of(options)
    again = shlex.join(["tarocco", command, *arguments])
    named = [getattr(options, "nbest", None), *(getattr(options, "references", None) or [])]
    files = [file for file in named if isinstance(file, str)]
    experiment = any(map(is_experiment, files))
    systems = getattr(options, "input", files) or ["-"] * (bool(files) and not experiment)  # None: standard input
    if "-" in [*files, *systems]:
        again += " (with the same standard input)"
    if store is not None and os.path.exists(store):
        return f"stopped; what is finished is kept in {store}, and this goes on: {again}"
    if store is not None or experiment:
        return f"stopped before anything was finished; once more: {again}"
    return "stopped, and nothing is kept; with --store FILE a run can be taken up again"


def is_experiment(path: str) -> bool:
    """Whether a file's name says that it is an experiment."""
    return path.lower().endswith(".toml")


def _show_warning(program: str, message: Warning | str, *_where: Any, **_more: Any) -> None:
    say(f"note: {message}", program)
