"""The command line: one file a command, imported when that command is called."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Callable, Sequence

from tarocco._version import __version__

COMMANDS = {
    "trial": "everything that the data allow, and a verdict: which metric to trust, which system is better",
    "score": "score systems against references",
    "compare": "is the difference between systems luck?",
    "explain": "which parts of candidate and reference make a segment's score?",
    "correlate": "how well do metrics agree with people?",
    "audit": "can this metric be gamed on this data?",
    "orange": "put metrics on trial: do they rank human translations above machine ones?",
    "optimize": "which set of metrics tells people's translations best from systems'?",
    "queen": "rank systems by several metrics at once, without weights",
    "king": "put metrics on trial: do they tell human translations from automatic ones?",
    "jack": "how reliable is a test bed: are references surrounded by different translations?",
    "references": "how many references are enough?",
    "mbr": "choose from n-best lists what is most like all the others",
    "oracle": "the best text that a lattice, a forest or an n-best list has",
    "tune": "find weights that make the best of n-best lists come out on top",
    "rerank": "the best of n-best lists with given weights",
    "report": "make a page, figures and tables of what a run found out",
    "annotate": "analyze texts: tags, chunks, dependencies, trees, entities, roles",
    "init": "write an experiment file for a folder of files",
    "metrics": "what metrics there are: formulas, parameters, papers",
    "demo": "a trial of the bundled test set",
    "store": "what is kept between runs: list, export, check, prune",
}

USAGE = """usage: tarocco COMMAND ...

which metric should I trust, and what does it say?

commands:
{commands}

options:
  -h, --help   show this help; `tarocco COMMAND --help` shows a command's
  --version    show the version
"""


def usage() -> str:
    return USAGE.format(commands="\n".join(f"  {name:<10} {meaning}" for name, meaning in COMMANDS.items()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Exit codes: 0 fine, 1 the data is bad, 2 the command is wrong."""
    return guarded(run, arguments)


def guarded(work: Callable[[list[str]], int], arguments: Sequence[str] | None, program: str = "tarocco") -> int:
    """Do what the arguments ask for; output that cannot be written is one sentence, or none if nobody reads it."""
    if sys.stdout is None:  # closed by the shell: >&-
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if arguments is None:
        _be_quick()
    try:
        code = work(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:  # before a command had begun
        print(f"{program}: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output went away: nothing is wrong with us
        _close_output()
        return 0
    except OSError as error:
        _close_output()
        what = error.filename or "the output could not be written"
        print(f"{program}: {what}: {error.strerror or error}", file=sys.stderr)
        return 1
    return code


def run(given: list[str]) -> int:
    first = given[0] if given else ""
    if first in ("--version", "-V"):
        print(f"tarocco {__version__}")
        return 0
    if first in ("-h", "--help", "help", ""):
        print(usage(), end="", file=sys.stdout if first else sys.stderr)
        return 0 if first else 2
    if first not in COMMANDS:
        return _unknown(first)
    from tarocco.cli.running import run_command

    return run_command(first, given[1:])


def _be_quick() -> None:
    """What a command need not do on its way: a fifth of the time of a short one."""
    gc.set_threshold(100_000)  # imports make many objects and no garbage
    atexit.register(gc.freeze)  # nor is any worth looking for when everything goes
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # we have threads of our own, NumPy's wait by spinning


def _close_output() -> None:
    """Whatever is still to be written goes nowhere, so that Python does not complain about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unknown(command: str) -> int:
    from difflib import get_close_matches

    from tarocco.render.terminal import visible_message

    near = get_close_matches(command, COMMANDS, n=1)
    hint = f'did you mean "{near[0]}"?' if near else f"there are {', '.join(COMMANDS)}"
    print(visible_message(f'tarocco: there is no command "{command}" ({hint})'), file=sys.stderr)
    return 2
