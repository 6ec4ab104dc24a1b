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
from typing import Any, NoReturn

from tarocco.cli import sacrebleu_options
from tarocco.cli.options import store_of
from tarocco.cli.terminal import shielded, visible_message
from tarocco.core.errors import ClusterError, InputError, PluginError, TaroccoError

MODULES = {"queen": "qarla", "king": "qarla", "jack": "qarla", "rerank": "tune"}  # others have the command's name

# What people type for a choice, from other tools or plain habit.
SYNONYMS = {
    "ar": "randomization",
    "paired-ar": "randomization",
    "permutation": "randomization",
    "bs": "bootstrap",
    "paired-bs": "bootstrap",
    "binomial": "sign",
    "sentence": "segment",
    "sent": "segment",
    "seg": "segment",
    "doc": "document",
    "sys": "corpus",
    "system": "corpus",
    "text": "table",
    "markdown": "md",
    "tex": "latex",
    "jsonl": "json",
    "list": "ls",
    "delete": "prune",
    "rm": "prune",
    "show": "info",
}

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

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse all arguments; those that the command does not take are an error that names similar ones."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error(self._describe_unknown(unknown))
        return options

    def _describe_unknown(self, arguments: Sequence[str]) -> str:
        """Return the message about arguments that the command does not take, with options of similar names."""
        message = f"unrecognized arguments: {' '.join(arguments)}"
        if not arguments[0].startswith("--"):
            return message
        from difflib import get_close_matches

        known = [option for option in self._option_string_actions if option.startswith("--")]
        near = get_close_matches(arguments[0].partition("=")[0], known, n=2, cutoff=0.7)
        return f"{message} (did you mean {' or '.join(near)}?)" if near else message

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = [] if action.choices is None else [str(choice) for choice in action.choices]
        if action.choices is None or value in action.choices:
            return
        from difflib import get_close_matches

        near = [SYNONYMS[value]] if SYNONYMS.get(value) in choices else get_close_matches(str(value), choices, n=2)
        hint = f"did you mean {' or '.join(near)}?" if near else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"invalid choice: {value!r} ({hint})")

    def error(self, message: str) -> NoReturn:
        """Print one sentence and where the help is; the usage would push the sentence off the screen."""
        say(f"error: {message}; `{self.prog} --help` shows all options", self.prog)
        raise SystemExit(2)

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
    if name in sacrebleu_options.COMMANDS:
        try:
            translation = sacrebleu_options.translate(name, arguments)
        except sacrebleu_options.NotHere as instead:
            say(f"error: {instead}", f"tarocco {name}")
            return 2
        if translation.command != name:
            say(f"note: running {shlex.join(['tarocco', translation.command, *translation.arguments])}")
        name, arguments = translation.command, translation.arguments

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
    tls = getattr(options, "cluster_tls", None)
    if getattr(options, "cluster", None) is None:
        if tls:
            raise InputError("--cluster-tls is for --cluster tls://HOST:PORT")
        return run(options)
    from tarocco.parallel.cluster import cluster

    quiet = getattr(options, "quiet", False)
    tell = (lambda _sentence: None) if quiet else (lambda sentence: say(f"note: {sentence}"))
    with cluster(options.cluster, tls=tls, tell=tell) as workers:
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
            check_outputs(options)
            return _run_to_its_end(run, options)
        except (KeyboardInterrupt, Exception) as error:
            if signals or isinstance(error, KeyboardInterrupt):  # a library may have raised another exception instead
                say(explain_stop(options), program)
                return 128 + (signals[0] if signals else signal.SIGINT)
            if isinstance(error, MemoryError):
                detail = f" ({error})" if str(error) else ""
                say(f"there is not enough memory{detail}; {explain_stop(options)}", program)
                return 1
            if not isinstance(error, TaroccoError):
                raise
            resume = f"; {explain_stop(options)}" if isinstance(error, ClusterError) else ""
            say(f"{error}{resume}", program)
            return 1


def _run_to_its_end(run: Run, options: argparse.Namespace) -> int:
    """Run a command; only the code of others calls sys.exit, and that is not success, whatever its exit code is."""
    try:
        return run(options) or 0
    except SystemExit as error:
        raise PluginError(f"a plug-in or a library ended the command (sys.exit({error.code!r}))") from None


OUTPUTS = ("figure", "report", "errors", "sheet")  # options of several commands; `orange` checks its own


def check_outputs(options: argparse.Namespace) -> None:
    """Refuse, before any work is done, a figure or a page that would replace an input of the command."""
    outputs = [getattr(options, name, None) for name in ("figure", "report")]
    if not any(outputs):
        return
    from tarocco.io.files import check_no_overwrite

    values = [value for name, value in vars(options).items() if name not in OUTPUTS]
    texts = [text for value in values for text in (value if isinstance(value, list) else [value])]
    inputs = [part for text in texts if isinstance(text, str) for part in _files_in(text)]
    for path in filter(is_experiment, inputs):
        if os.path.isfile(path):
            from tarocco.trials.inputs import open_experiment

            inputs = [*inputs, *open_experiment(path).files]
    check_no_overwrite(outputs, inputs)


def _files_in(text: str) -> Iterator[str]:
    """Yield what may be a file in an argument such as NAME=FILE:COLUMN."""
    for part in (text, text.partition("=")[2]):
        yield from (part, part.rpartition(":")[0])


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


def _show_warning(program: str, message: Warning | str, category: type[Warning], *_where: Any, **_more: Any) -> None:
    if issubclass(category, RuntimeWarning):  # NumPy's, about single operations: nothing that users can act on
        return
    say(f"note: {message}", program)
