"""The options of sacrebleu's command: taken where they mean the same here, otherwise answered with one sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

COMMANDS = ("score", "compare")  # that take these options

# Options that mean the same under another name.
_SAME: dict[str, tuple[str, ...]] = {
    "--sentence-level": ("--level", "segment"),
    "--confidence-n": ("--n-resamples",),
    "--paired-bs-n": ("--n-resamples",),
    "--paired-ar-n": ("--n-resamples",),
    "--paired-jobs": ("--jobs",),
    "--force": (),  # here a note about tokenized text does not have to be suppressed
    "--no-color": (),
}

# Tests that `tarocco compare` makes.
_TESTS = {"--paired-bs": "sacrebleu", "--paired-ar": "randomization"}

# Parameters of a metric: which metric, which parameter, and the value of an option without one.
_PARAMETERS: dict[str, tuple[str, str, str | None]] = {
    "--smooth-method": ("BLEU", "smooth", None),
    "--smooth-value": ("BLEU", "value", None),
    "--chrf-char-order": ("chrF", "char_order", None),
    "--chrf-word-order": ("chrF", "word_order", None),
    "--chrf-beta": ("chrF", "beta", None),
    "--chrf-whitespace": ("chrF", "whitespace", "yes"),
    "--chrf-lowercase": ("chrF", "lowercase", "yes"),
    "--chrf-eps-smoothing": ("chrF", "eps_smoothing", "yes"),
    "--ter-case-sensitive": ("TER", "case_sensitive", "yes"),
    "--ter-asian-support": ("TER", "asian_support", "yes"),
    "--ter-no-punct": ("TER", "no_punct", "yes"),
    "--ter-normalized": ("TER", "normalized", "yes"),
}
_FAMILIES = {"BLEU": r"bleu(-?\d+)?(:|$)", "chrF": "chrf", "TER": "ter(:|$)"}

_NO_TEST_SETS = "test sets are not downloaded; name the files: tarocco score REF -i SYS"
_INSTEAD = {
    "--short": "signatures have one form; -b prints only the scores, and -q no notes",
    "--output": "results go to standard output; write them to a file with > FILE",
    "--encoding": "files are read as UTF-8; convert others with iconv",
    "--detail": "--documents FILE and --level document give a score per document",
    **dict.fromkeys(("--test-set", "--language-pair", "--origlang", "--subset", "--list", "--echo"), _NO_TEST_SETS),
    **dict.fromkeys(("--download",), _NO_TEST_SETS),
    **dict.fromkeys(("--citation", "--cite"), "`tarocco metrics NAME` names the papers of a metric"),
}

_SHORT = {
    "-sl": "--sentence-level",
    "-s": "--smooth-method",
    "-sv": "--smooth-value",
    "-cc": "--chrf-char-order",
    "-cw": "--chrf-word-order",
    "-pbs": "--paired-bs",
    "-par": "--paired-ar",
    "-pbsn": "--paired-bs-n",
    "-parn": "--paired-ar-n",
    "-nc": "--no-color",
    "-sh": "--short",
    "-o": "--output",
    "-e": "--encoding",
    "-d": "--detail",
    "-t": "--test-set",
    "-l": "--language-pair",
    "-ol": "--origlang",
}


class NotHere(Exception):
    """An option of sacrebleu that has no counterpart; the message says what to do instead."""


@dataclass
class Translation:
    """A command and its arguments, with options of sacrebleu replaced."""

    command: str
    arguments: list[str] = field(default_factory=list)


def translate(command: str, arguments: Sequence[str]) -> Translation:
    """Replace the options of sacrebleu; raises NotHere for those that have no counterpart."""
    result = Translation(command)
    parameters: list[tuple[str, str, str, str]] = []  # option, metric, parameter, value
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument == "--":
            result.arguments += ["--", *rest]
            break
        written, equals, value = argument.partition("=") if argument.startswith("-") else (argument, "", "")
        option = _SHORT.get(written, written)
        if option in _INSTEAD:
            raise NotHere(f"{written}: {_INSTEAD[option]}")
        if option in _TESTS:
            result.command = "compare"
            result.arguments += ["--test", _TESTS[option]]
        elif option in _PARAMETERS:
            metric, parameter, fixed = _PARAMETERS[option]
            if fixed is None and not equals:
                if not rest:
                    raise NotHere(f"{written}: expected a value after it")
                value = rest.pop(0)
            parameters.append((written, metric, parameter, fixed or value))
        elif option in _SAME:
            result.arguments += [*_SAME[option], *([value] if equals else [])]
        else:
            result.arguments.append(argument)
    for entry in parameters:
        _set_parameter(result.arguments, *entry)
    _replace_format(result.arguments)
    return result


def _set_parameter(arguments: list[str], option: str, metric: str, parameter: str, value: str) -> None:
    """Add a parameter to the names of the metrics after -m, or to BLEU, the default."""
    names = _metric_places(arguments)
    if not names and metric == "BLEU":
        arguments += ["-m", "BLEU-4"]
        names = [len(arguments) - 1]
    of_family = [i for i in names if re.match(_FAMILIES[metric], arguments[i], re.IGNORECASE)]
    if not of_family:
        raise NotHere(f"{option} is about {metric}, which is not among the metrics: add it with -m {metric}")
    for i in of_family:
        if f":{parameter}=" not in arguments[i]:
            arguments[i] += f":{parameter}={value}"


def _metric_places(arguments: Sequence[str]) -> list[int]:
    """Return where the names of metrics are."""
    places, after = [], False
    for i, argument in enumerate(arguments):
        if argument.startswith("-"):
            after = argument in ("-m", "--metrics")
        elif after:
            places.append(i)
    return places


def _replace_format(arguments: list[str]) -> None:
    """Make `-f text` a table."""
    for i, argument in enumerate(arguments):
        if argument == "text" and i and arguments[i - 1] in ("-f", "--format"):
            arguments[i] = "table"
        elif argument == "--format=text":
            arguments[i] = "--format=table"
