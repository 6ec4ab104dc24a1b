"""Score systems against references.

References come first, systems behind -i; without -i the system is read from standard input.
An experiment file, which names all of them, may stand in place of the references (see `tarocco init`).
Files may be plain text (one segment a line), .gz, .xz, .zst, .tsv (several references a line), NIST SGML or WMT XML.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tarocco.cli.options import (
    add_cluster_option,
    add_figure_option,
    add_jobs_option,
    add_output_options,
    add_report_option,
    add_resampling_options,
    add_scores_option,
    add_store_option,
    add_test_set_arguments,
    add_text_options,
)
from tarocco.cli.reporting import report_if_asked
from tarocco.cli.running import is_experiment, say

if TYPE_CHECKING:
    from tarocco.core.test_set import TestSet
    from tarocco.scoring.results import Result

EXAMPLES = """examples:
  tarocco score ref.txt -i sysA.txt sysB.txt -m BLEU-4 NIST-5
  tarocco score ref1 ref2 ref3 ref4 -i sysA -m BLEU-4 BLEU-SBP --confidence
  cat sysA | tarocco score ref.txt -b
  tarocco score experiment.toml -m BLEU-4 GRR-4
  tarocco score ref.txt -i sysA -m BLEU-4:smooth=none:length=shortest --level segment -f tsv
"""

# sacrebleu warns from here on, too.
MANY_TOKENIZED = 100


def configure(parser: argparse.ArgumentParser) -> None:
    add_test_set_arguments(parser, systems="system files (default: standard input)")
    add_scores_option(parser)
    add_text_options(parser)
    add_resampling_options(parser)
    add_output_options(parser)
    add_figure_option(parser)
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.inputs import read_inputs
    from tarocco.cli.scored import scored
    from tarocco.core.errors import InputError

    if not options.input and sys.stdin is not None and sys.stdin.isatty() and not is_experiment(options.references[0]):
        say("note: reading the system from the keyboard; files of systems are named with -i")
    test_set, chosen, encoding, experiment = read_inputs(options, piped=True)
    if options.level == "document" and test_set.documents is None:
        raise InputError("--level document needs document labels: give --documents FILE, one label a segment")
    if options.level != "corpus" and options.confidence is not None and options.format != "json" and not options.quiet:
        say(f"note: intervals are for corpus scores: there are none at --level {options.level}")
    if not options.quiet and options.tokenize != "none":
        warn_of_tokenized_text(test_set)
    result = scored(
        options,
        test_set,
        chosen,
        encoding,
        confidence=options.confidence,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    write(result, options, "score")
    if not options.quiet:
        for note in notes_on_types(result):
            say(f"note: {note}")
    if options.figure:
        from tarocco.render.plots.figures import figure

        figure(result, options.figure)
    report_if_asked(options, [result], test_set=test_set, encoding=encoding, experiment=experiment)


def warn_of_tokenized_text(test_set: TestSet) -> None:
    """Say so if the outputs look tokenized already: tokenizing them again makes scores that compare with nobody's."""
    for name, segments in test_set.systems.items():
        ends = segments.starts[1:] - 1
        ends = ends[segments.lengths >= 2]
        period = (segments.text[ends - 1] == ord(".")) & (segments.text[ends - 2] == ord(" "))
        if period.sum() >= MANY_TOKENIZED:
            say(
                f'note: {period.sum()} lines of "{name}" end in " .": the text looks tokenized, but scores compare '
                "only on detokenized text; use --tokenize none if it is meant to be as it is"
            )


def notes_on_types(result: Result) -> list[str]:
    """Metrics over linguistic elements that found none in any text, as when a type is asked for that nobody has."""
    found: dict[str, bool] = {}
    for score in result.scores:
        name = str(score.metric)
        found[name] = found.get(name, False) or score.details.get("segments") != 0
    return [
        f"{name} has no score, since no text has what it looks at; `tarocco metrics {name[:2]} --seen FILE` lists the "
        "types of a text"
        for name, any_segment in found.items()
        if not any_segment
    ]


def write(result: Result, options: argparse.Namespace, command: str) -> None:
    """Write scores to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import score as scores

    out = sys.stdout
    if options.score_only:
        lines = [scores.number(score.score, score, options.width) for score in result.scores]
        if options.level != "corpus":
            table = scores.parts_table(result, options.level, options.width)
            lines = [number for row in table.rows for number in row[table.labels :]]
        out.writelines(f"{line}\n" for line in lines)
    elif options.format == "json":
        settings = {"seed": options.seed}
        if options.confidence is not None:
            settings |= {"confidence": options.confidence, "n_resamples": options.n_resamples}
        out.write(scores.json_text(command, settings, result.to_dict(options.level)))
    elif options.format in ("tsv", "csv"):
        out.write(scores.separated_text(result, options.level, "\t" if options.format == "tsv" else ","))
    else:
        if options.level == "corpus":
            table = scores.corpus_table(result, options.width)
        else:
            table = scores.parts_table(result, options.level, options.width)
        tables.write_noted(table, footnotes(result, options), options.format, out)


def footnotes(result: Result, options: argparse.Namespace) -> list[str]:
    """Below a table: details, signatures, the printed scale, and how intervals were made."""
    from tarocco.render.tables import told

    lines = []
    if options.verbose:
        lines += [f"{score.system}, {score.metric}: {told(score.details)}" for score in result.scores if score.details]
    lines += dict.fromkeys(score.signature for score in result.scores)
    scaled = list(dict.fromkeys(str(score.metric) for score in result.scores if score.metric.scale != 1))
    if scaled:
        lines.append(f"shown times 100: {', '.join(scaled)}")
    interval = next((score.interval for score in result.scores if score.interval), None)
    if interval and options.level == "corpus":
        lines.append(
            f"in brackets: {100 * interval.confidence:g}% bootstrap interval over segments, "
            f"{interval.n_resamples} resamples, seed {interval.seed}"
        )
    return lines
