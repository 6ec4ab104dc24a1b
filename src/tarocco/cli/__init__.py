"""The command line. A command's module is imported when the command is called.

command    the declaration of a command, its parser, and running it: errors, signals, notes
options    options that several commands share
inputs     from options and experiment files to texts, metrics and settings
output     a result in the chosen format, its figure and its page
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Sequence

from tarocco._version import __version__

COMMANDS = {
    "trial": "run every analysis that the data allow, and give a verdict",
    "check": "look for faults in texts and human scores before judging anything",
    "score": "score systems against references",
    "compare": "test whether systems differ significantly",
    "explain": "show which words make a segment's score",
    "correlate": "correlate metrics with human scores",
    "audit": "test whether metrics can be gamed on this data",
    "orange": "judge metrics by where they rank human translations in n-best lists",
    "optimize": "search for the set of metrics that best separates human from machine translations",
    "queen": "rank systems by several metrics at once, without weights",
    "king": "judge metrics by how often they prefer human to machine translations",
    "jack": "measure how reliable a test bed is",
    "references": "find how many references are enough",
    "mbr": "choose from n-best lists or lattices by minimum Bayes risk",
    "oracle": "find the best text in a lattice, a forest or an n-best list",
    "tune": "tune feature weights on n-best lists (MERT)",
    "rerank": "print the best candidate of each n-best list under feature weights",
    "report": "write the results of a run as a page, figures and tables",
    "annotate": "analyze texts: tags, chunks, dependencies, trees, entities, roles",
    "init": "write an experiment file for a folder of files",
    "metrics": "list the metrics, or explain some: formulas, parameters, papers",
    "demo": "run a trial of the bundled test set",
    "store": "list, export, check or prune the cache of computed scores",
}

USAGE = """usage: tarocco COMMAND ...

which metric should I trust, and what does it say?

commands:
{commands}

options:
  -h, --help   show this help; `tarocco COMMAND --help` and `tarocco help COMMAND` show a command's
  --version    show the version
"""


def usage() -> str:
    """Return the general help."""
    return USAGE.format(commands="\n".join(f"  {name:<10} {summary}" for name, summary in COMMANDS.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Exit codes: 0 success, 1 bad data, 2 wrong usage, 3 severe findings of `check --strict`."""
    return guard(run, arguments)


def guard(work: Callable[[list[str]], int], arguments: Sequence[str] | None, program: str = "tarocco") -> int:
    """Call `work` with the arguments; return its exit code, or that of output that could not be written."""
    if sys.stdout is None:  # closed by the shell: >&-
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if arguments is None:
        _speed_up()
    try:
        code = work(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:  # before the command handles signals
        print(f"{program}: stopped", file=sys.stderr)
        return 130
    except OSError as error:
        if isinstance(error, BrokenPipeError) and _reader_is_gone():  # as `head` does: not an error
            _discard_output()
            return 0
        what = error.filename or ("a pipe" if isinstance(error, BrokenPipeError) else "the output could not be written")
        _discard_output()
        print(f"{program}: {what}: {error.strerror or error}", file=sys.stderr)
        return 1
    return code


def run(arguments: list[str]) -> int:
    """Run the command that the first argument names, or print the version or a help text."""
    first = arguments[0] if arguments else ""
    if first in ("--version", "-V"):
        print(f"tarocco {__version__}")
        return 0
    if first == "help" and len(arguments) > 1:
        _, first, *rest = arguments
        if first not in COMMANDS:
            return _refuse(first, code=1)
        arguments = [first, *rest, "--help"]
    if first in ("-h", "--help", "help", ""):
        print(usage(), end="", file=sys.stdout if first else sys.stderr)
        return 0 if first else 2
    if first not in COMMANDS:
        return _refuse(first, code=2)
    from tarocco.cli.command import run_command

    return run_command(first, arguments[1:])


def _speed_up() -> None:
    """Save a fifth of the time of a short command."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage
    atexit.register(gc.freeze)  # the process ends, so there is no need to collect
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # tarocco has its own threads, and NumPy's would spin


def _reader_is_gone() -> bool:
    """Return whether standard output is a pipe without a reader; another pipe may be broken, too."""
    import select

    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _discard_output() -> None:
    """Send buffered output nowhere, so that Python does not complain about it at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(command: str, code: int) -> int:
    from difflib import get_close_matches

    from tarocco.cli.terminal import visible_message

    near = " or ".join(f'"{name}"' for name in get_close_matches(command, COMMANDS, n=2))
    hint = f"did you mean {near}?" if near else f"the commands are {', '.join(COMMANDS)}"
    print(visible_message(f'tarocco: there is no command "{command}" ({hint})'), file=sys.stderr)
    return code
