"""Score systems against references.

Name the references first and the systems after -i; without -i, the system is read from standard input. An experiment
file (see `tarocco init`) can replace all of them. Files are plain text with one segment per line, .gz, .xz, .zst, .tsv
(several references per line), NIST SGML or WMT XML.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command, is_experiment, say
from tarocco.cli.inputs import note, read_inputs, resampling_of, score_inputs
from tarocco.cli.output import draw, write, write_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tarocco.core.test_set import TestSet
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.base import Metric

EXAMPLES = """examples:
  tarocco score ref.txt -i sysA.txt sysB.txt -m BLEU-4 NIST-5
  tarocco score ref1 ref2 ref3 ref4 -i sysA -m BLEU-4 BLEU-SBP --confidence
  cat sysA | tarocco score ref.txt -b
  tarocco score experiment.toml -m BLEU-4 GRR-4
  tarocco score ref.txt -i sysA -m BLEU-4:smooth=none:length=shortest --level segment -f tsv
"""

MANY_TOKENIZED = 100  # lines that end in " .": sacrebleu's threshold for the same warning


def configure(parser: argparse.ArgumentParser) -> None:
    shared.add_test_set_arguments(parser, systems="system files (default: standard input)")
    shared.add_scores_option(parser)
    shared.add_text_options(parser)
    shared.add_resampling_options(parser)
    shared.add_output_options(parser)
    shared.add_figure_option(parser)
    shared.add_report_option(parser)
    shared.add_worker_options(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.core.errors import InputError
    from tarocco.render.results.score import present_scores

    if not options.input and sys.stdin is not None and sys.stdin.isatty() and not is_experiment(options.references[0]):
        if len(options.references) > 1:
            raise InputError(_describe_missing_systems(options.references))
        say("note: reading the system from the keyboard; name system files with -i")
    try:
        inputs = read_inputs(options, piped=True)
    except InputError as error:
        if options.input or len(options.references) == 1 or not str(error).startswith("standard input: "):
            raise
        raise InputError(f"{error}; {_describe_missing_systems(options.references)}") from None
    if options.level == "document" and inputs.test_set.documents is None:
        raise InputError("--level document needs document labels: give --documents FILE, one label per segment")
    if options.level != "corpus" and options.confidence is not None and options.format != "json":
        note(options, f"only corpus scores have intervals: there are none at --level {options.level}")
    if options.tokenize != "none":
        warn_of_tokenized_text(inputs.test_set, options)
    warn_of_other_languages(*inputs[:3], options)
    intervals = ("confidence", "n_resamples") if options.confidence is not None else ()
    result = score_inputs(options, *inputs[:3], resampling_of(options) if intervals else None)
    settings = {name: getattr(options, name) for name in ("seed", *intervals)}
    write(present_scores(result, options.level, options.width, options.verbose, **settings), options)
    draw(result, options)
    write_page(options, [result], inputs)


def _describe_missing_systems(references: Sequence[str]) -> str:
    """Return what to write if the last file before -i was meant as a system."""
    *first, last = references
    example = shlex.join(["tarocco", "score", *first, "-i", last])
    return f"without -i, all files are references and the system is standard input; if {last} is a system: {example}"


def warn_of_tokenized_text(test_set: TestSet, options: argparse.Namespace) -> None:
    """Print a note if outputs look tokenized: tokenized twice, their scores compare with no other scores."""
    for name, segments in test_set.systems.items():
        n_tokenized = segments.text.tobytes().count(b" .\n")
        if n_tokenized >= MANY_TOKENIZED:
            note(
                options,
                f'{n_tokenized} lines of "{name}" end in " .": the text looks tokenized, but scores are comparable '
                "only on detokenized text; use --tokenize none to score it as it is",
            )


def warn_of_other_languages(
    test_set: TestSet, metrics: Sequence[Metric], encoding: Encoding, options: argparse.Namespace
) -> None:
    """Print notes on tokenizers that do not split the references' script, and on English resources for other texts."""
    from tarocco.scoring.language import find_language_notes

    for sentence in find_language_notes(test_set, metrics, encoding):
        note(options, sentence)


SCORE = Command(__doc__, EXAMPLES, configure, run)
