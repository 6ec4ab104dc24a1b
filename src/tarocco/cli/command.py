"""A command: its declaration, its parser, and what users see when something goes wrong."""

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
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

from tarocco.cli.options import store_of
from tarocco.cli.terminal import shielded, visible_message
from tarocco.core.errors import ClusterError, TaroccoError

MODULES = {"queen": "qarla", "king": "qarla", "jack": "qarla", "rerank": "tune"}  # others have the command's name

Run = Callable[[argparse.Namespace], int | None]


@dataclass(frozen=True)
class Command:
    """The declaration of a command. Its one-line summary is in `tarocco.cli.COMMANDS`."""

    description: str | None
    examples: str
    configure: Callable[[argparse.ArgumentParser], None]  # adds the arguments
    run: Run


def declaration_of(name: str) -> Command:
    """Return the declaration of a command: SCORE in the module `score` is that of `tarocco score`."""
    module = import_module(f"tarocco.cli.{MODULES.get(name, name)}")
    command: Command = getattr(module, name.upper())
    return command


def say(message: object, program: str = "tarocco") -> None:
    """Print a message to standard error; standard output is for results."""
    if sys.stderr is not None:  # closed by the shell: 2>&-
        print(f"{program}: {visible_message(message)}", file=sys.stderr)


class Parser(argparse.ArgumentParser):
    """argparse without abbreviated options: -l is not short for -lc."""

    def __init__(self, prog: str, description: str | None = None, examples: str | None = None) -> None:
        # The width is fixed for argparse's checks of each option; help is printed as wide as the terminal.
        narrow = partial(argparse.RawDescriptionHelpFormatter, width=80)
        super().__init__(prog=prog, description=description, epilog=examples, formatter_class=narrow)

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        # One-letter options with their value attached, such as -w3, remain.
        return [match for match in super()._get_option_tuples(option_string) if match[1] == option_string[:2]]

    def format_help(self) -> str:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def format_usage(self) -> str:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_usage()


def make_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of a command of tarocco."""
    command = declaration_of(name)
    parser = Parser(f"tarocco {name}", command.description, command.examples)
    command.configure(parser)
    return parser


def run_command(name: str, arguments: Sequence[str]) -> int:
    """Parse and run a command of tarocco."""

    def run(options: argparse.Namespace) -> int | None:
        options.command_line = shlex.join(["tarocco", name, *arguments])
        return declaration_of(name).run(options)

    return attempt(
        lambda: make_parser(name),
        lambda options: run_with_workers(run, options),
        arguments,
        lambda options: _explain_stop(options, name, arguments),
    )


def run_with_workers(run: Run, options: argparse.Namespace) -> int | None:
    """Run a command, on a Dask cluster if --cluster names one."""
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
    run: Run,
    arguments: Sequence[str],
    explain_stop: Callable[[argparse.Namespace], str],
    program: str = "tarocco",
) -> int:
    """Parse and run; errors that tarocco raises on purpose become one sentence and exit code 1."""
    warnings.showwarning = partial(_show_warning, program)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names that the terminal cannot show must not stop a run
    options = argparse.Namespace()
    with shielded(), _handle_signals() as signals:
        try:
            parser().parse_args(arguments, options)
            if getattr(options, "quiet", False):
                warnings.simplefilter("ignore")
            return run(options) or 0
        except (KeyboardInterrupt, Exception) as error:
            if signals or isinstance(error, KeyboardInterrupt):  # a library may have raised another exception instead
                say(explain_stop(options), program)
                return 128 + (signals[0] if signals else signal.SIGINT)
            if isinstance(error, MemoryError):
                say(str(error) or "there is not enough memory", program)
                return 1
            if not isinstance(error, TaroccoError):
                raise
            resume = f"; {explain_stop(options)}" if isinstance(error, ClusterError) else ""
            say(f"{error}{resume}", program)
            return 1


@contextmanager
def _handle_signals() -> Iterator[list[int]]:
    """Let SIGINT and SIGTERM stop the work as Ctrl-C does; yield a list that receives the signal's number."""
    received: list[int] = []

    def stop(number: int, _frame: object) -> None:
        received.append(number)
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) is not signal.SIG_IGN:  # ignored, for example, under nohup
                before[number] = signal.signal(number, stop)
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _explain_stop(options: argparse.Namespace, command: str, arguments: Sequence[str]) -> str:
    """Return what a stopped command has saved, and the command that continues it."""
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
        return f"stopped; finished work is saved in {store}, and this command continues: {again}"
    if store is not None or experiment:
        return f"stopped before any work was finished; to start again: {again}"
    return "stopped, and no work is saved; with --store FILE a run can be continued"


def is_experiment(path: str) -> bool:
    """Return whether a file's name says that it is an experiment."""
    return path.lower().endswith(".toml")


def _show_warning(program: str, message: Warning | str, *_where: Any, **_more: Any) -> None:
    say(f"note: {message}", program)
