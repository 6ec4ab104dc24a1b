"""Options that mean the same for every command, with one spelling each.

What an experiment file can say, too, has no default here: `inputs.fill_in` takes it from there, or else from DEFAULTS.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Sequence

from tarocco.cli.choices import FORMATS, LABELS, LEVELS, TOKENIZERS

DEFAULTS = {"labels": "own", "tokenize": "13a", "lowercase": False, "n_resamples": 1000, "seed": 12345}


def add_test_set_arguments(
    parser: argparse.ArgumentParser, metrics: str = "BLEU-4", systems: str = "system files", references: str = "+"
) -> None:
    """References, systems and metrics: what most commands work on. `metrics` are those if nobody asks for others."""
    parser.add_argument(
        "references", nargs=references, metavar="REF", help="reference files, or an experiment file (.toml) instead"
    )
    parser.add_argument("-i", "--input", nargs="+", action="extend", metavar="SYS", help=systems)
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help=f"names as `tarocco metrics` lists them (default: {metrics})",
    )


def add_text_options(parser: argparse.ArgumentParser, tokenize: str = "13a", documents: bool = True) -> None:
    group = parser.add_argument_group("text")
    group.add_argument(
        "--tokenize",
        "-tok",
        metavar="NAME",
        help=f"how text becomes words: {', '.join(TOKENIZERS)} (default: {tokenize})",
    )
    group.add_argument("-lc", "--lowercase", action=argparse.BooleanOptionalAction, help="compare in lower case")
    group.add_argument(
        "--num-refs",
        "-nr",
        type=whole_number(1),
        metavar="N",
        help="the reference file has up to N references a line, tabs between them (.tsv files are read so anyway)",
    )
    add_analyzer_options(group)
    if documents:
        group.add_argument("--documents", metavar="FILE", help="one document label a segment")


def add_analyzer_options(group: argparse._ArgumentGroup) -> None:
    """Who tells the structure of sentences."""
    group.add_argument(
        "--analyzer",
        metavar="NAME",
        help="what tells the structure of sentences, for linguistic metrics: spacy, spacy:PIPELINE or stanza:LANGUAGE "
        "(default: spacy)",
    )
    group.add_argument(
        "--labels",
        choices=LABELS,
        help="the analyzer's own labels, or those of the IQmt manual (default: own)",
    )
    group.add_argument(
        "--parses",
        nargs="+",
        action="extend",
        metavar="[TEXT=]FILE",
        help="take what these files say of the texts, in place of an analyzer: sys.conllu, sys.trees, sys.props "
        "describe sys.txt",
    )


def add_scores_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scores",
        nargs="+",
        action="extend",
        metavar="NAME=FILE[:COLUMN]",
        help="scores made elsewhere, as one more metric (NAME:error=FILE: lower is better); files of mt-metrics-eval, "
        "NAME.seg.score, need no NAME=",
    )


def add_output_options(parser: argparse.ArgumentParser, levels: Sequence[str] = LEVELS) -> None:
    group = add_format_options(parser)
    group.add_argument("--level", choices=levels, default="corpus", help="what is scored (default: corpus)")
    if levels == LEVELS:
        group.add_argument("-v", "--verbose", action="store_true", help="below a table: precisions, lengths, penalties")


def add_format_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f", "--format", choices=FORMATS, default="table", help="how results are written (default: table)"
    )
    group.add_argument(
        "-w", "--width", type=whole_number(0, 17), metavar="DIGITS", help="digits after the point in tables"
    )
    group.add_argument("-b", "--score-only", action="store_true", help="print the numbers alone, one a line")
    group.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")
    return group


def add_resampling_options(parser: argparse.ArgumentParser, always: bool = False) -> None:
    group = parser.add_argument_group("confidence intervals")
    parser.set_defaults(always_intervals=always)
    group.add_argument(
        "--confidence",
        "-ci",
        nargs="?",
        type=share,
        const=0.95,
        metavar="0.95",
        help="of bootstrap intervals over segments (default: 0.95)"
        if always
        else "give bootstrap intervals over segments",
    )
    group.add_argument(
        "--n-resamples",
        "-cin",
        type=whole_number(2),
        metavar="N",
        help="how many resamples (default: 1000)",
    )
    group.add_argument("--seed", type=int, metavar="N", help="what resamples are drawn from (default: 12345)")


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-j", "--jobs", type=whole_number(1), metavar="N", help="threads (default: all processors)")


def add_cluster_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster",
        type=_cluster_address,
        metavar="WHERE",
        help="let a Dask cluster do the work: its scheduler's address, tcp://HOST:8786, or local:4, four processes",
    )


def _cluster_address(text: str) -> str:
    from tarocco.core.errors import BadParameter
    from tarocco.parallel.cluster import check_cluster

    try:
        check_cluster(text)
    except BadParameter as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def add_store_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="keep what is computed in FILE and compute nothing twice (default: $TAROCCO_STORE, or no store)",
    )


def store_of(options: argparse.Namespace) -> str | None:
    """The store that a command was given, on the command line or by the environment; an empty name means none."""
    given: str | None = options.store
    return (os.environ.get("TAROCCO_STORE") if given is None else given) or None


def add_figure_option(parser: argparse.ArgumentParser, what: str = "the corpus scores") -> None:
    parser.add_argument(
        "--figure",
        type=_figure_path,
        metavar="FILE",
        help=f"draw {what}, too: .html, .svg, .png, .pdf or .json (Vega-Lite)",
    )


def add_report_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--report", type=report_path, metavar="FILE", help="a page of everything that was found, too: one .html file"
    )


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """A type for argparse: a whole number in a range, refused with a sentence otherwise."""
    wanted = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"{wanted} is wanted, not {text}")
        return number

    return read


def share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"a number between 0 and 1 is wanted, not {text}")
    return number


def report_path(text: str) -> str:
    """A path at which a page can be written; found out before there is anything to show."""
    from tarocco.core.errors import InputError
    from tarocco.render.page.paths import check_report

    try:
        check_report(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def _figure_path(text: str) -> str:
    """A path at which a figure can be written; found out before there is anything to draw."""
    from tarocco.core.errors import InputError
    from tarocco.render.plots.files import check_figure

    try:
        check_figure(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text
