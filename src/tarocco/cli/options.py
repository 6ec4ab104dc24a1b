"""Options that mean the same for every command, with one spelling each.

Options that an experiment file can also set have no default here: `inputs.fill_in` takes them from the file, or else
from `trials.inputs.SETTINGS`. Choices are repeated here so that --help imports no NumPy; a test compares them.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Sequence

MORE_TOKENIZERS = "ja-mecab, ko-mecab, flores101, flores200, spm:FILE, or that of an installed package"
TOKENIZERS = ("none", "13a", "intl", "char", "zh", "rouge", "jiwer")
LEVELS = ("corpus", "document", "segment")
FORMATS = ("table", "json", "tsv", "csv", "latex", "md")
ITEMS = ("system", "segment", "document")  # the levels of a correlation
GROUPINGS = ("none", "item", "system")
COEFFICIENTS = ("pearson", "spearman", "kendall", "kendall-a", "kendall-c")
PAIRWISE = ("accuracy", "spa", "spa-symmetric", "acc-eq")
LABELS = ("own", "iqmt")
GRAPH_FORMATS = ("nbest", "plf", "slf", "openfst", "moses-searchgraph", "moses-hypergraph", "cdec")
MOST_SEGMENTS = 10_000_000  # in a list of segments: more would fill the memory


# --- texts and metrics -----------------------------------------------------------------------------------------------


def add_metrics_option(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help=f"names as in `tarocco metrics` (default: {default})",
    )


def add_test_set_arguments(
    parser: argparse.ArgumentParser, metrics: str = "BLEU-4", systems: str = "system files", references: str = "+"
) -> None:
    """Add references, systems and metrics, which most commands take. `metrics` are the default ones."""
    parser.add_argument(
        "references", nargs=references, metavar="REF", help="reference files, or one experiment file (.toml)"
    )
    parser.add_argument("-i", "--input", nargs="+", action="extend", metavar="SYS", help=systems)
    add_metrics_option(parser, metrics)


def add_references_option(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("-r", "--references", nargs="+", action="extend", metavar="REF", help="reference files")


def add_text_options(parser: argparse.ArgumentParser, tokenize: str = "13a", documents: bool = True) -> None:
    group = parser.add_argument_group("text")
    group.add_argument(
        "--tokenize",
        "-tok",
        metavar="NAME",
        help=f"the tokenizer: {', '.join(TOKENIZERS)}, {MORE_TOKENIZERS} (default: {tokenize})",
    )
    group.add_argument("-lc", "--lowercase", action=argparse.BooleanOptionalAction, help="lowercase all text")
    group.add_argument(
        "--num-refs",
        "-nr",
        type=whole_number(1),
        metavar="N",
        help="the reference file has up to N tab-separated references per line (implied by .tsv)",
    )
    add_analyzer_options(group)
    if documents:
        group.add_argument("--documents", metavar="FILE", help="a file with one document label per segment")


def add_analyzer_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that say where the linguistic structure of sentences comes from."""
    group.add_argument(
        "--analyzer",
        metavar="NAME",
        help="the parser for linguistic metrics: spacy, spacy:PIPELINE, spacy:FILE.whl or stanza:LANGUAGE "
        "(default: spacy)",
    )
    group.add_argument(
        "--labels", choices=LABELS, help="the analyzer's own labels, or those of the IQmt manual (default: own)"
    )
    group.add_argument(
        "--parses",
        nargs="+",
        action="extend",
        metavar="[TEXT=]FILE",
        help="read the analyses of the texts from files instead: sys.conllu, sys.trees, sys.props describe sys.txt",
    )


def add_scores_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scores",
        nargs="+",
        action="extend",
        metavar="NAME=FILE[:COLUMN]",
        help="external scores, as one more metric (NAME:error=FILE: lower is better); files of mt-metrics-eval, "
        "NAME.seg.score, need no NAME=",
    )


def add_list_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that say how segments are found in a file of n-best lists."""
    add_first_id_option(group)
    group.add_argument(
        "--num-candidates", type=whole_number(1), metavar="N", help="the file has no ids: every N lines are one list"
    )


def add_first_id_option(group: argparse._ActionsContainer) -> None:
    group.add_argument(
        "--first-id",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="the id of the first segment in n-best lists (default: 0)",
    )


# --- human scores ----------------------------------------------------------------------------------------------------


def add_human_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("human scores")
    group.add_argument(
        "--human",
        metavar="FILE[:COLUMN]",
        help="human scores: a table with a header (system, score; also segment, for scores of segments), a file of "
        "mt-metrics-eval, or MQM ratings; COLUMN selects one criterion",
    )
    group.add_argument(
        "--judges",
        choices=("median", "mean"),
        help="how the scores of several judges are combined (default: median; mean for MQM)",
    )
    group.add_argument(
        "--mqm",
        choices=("all", "no-source"),
        help="MQM ratings: whether source errors count like any other (all, the default), or not at all",
    )
    group.add_argument("--grades", metavar="GRADES", help='the order of grades, best first (default: "S A B C D")')
    group.add_argument(
        "--as-rankings", action="store_true", help="use only the order of a judge's scores: the share of wins"
    )


def add_level_options(parser: argparse.ArgumentParser, pairwise: bool = False) -> None:
    """Add the level, the grouping and the coefficient; with `pairwise`, also coefficients that count pairs."""
    group = parser.add_argument_group("correlation")
    group.add_argument(
        "--level",
        choices=ITEMS,
        default="system",
        help="what is correlated: systems, segments, or pseudo-documents drawn from them (default: system)",
    )
    group.add_argument(
        "--grouping",
        choices=GROUPINGS,
        help="below system level: one correlation over all points, or the mean of one per item (segment or document) "
        "or per system (default: none)",
    )
    group.add_argument(
        "--coefficient",
        choices=(*COEFFICIENTS, *PAIRWISE) if pairwise else COEFFICIENTS,
        help="the coefficient that ranks metrics; kendall is tau-b"
        + (", spa soft pairwise accuracy, acc-eq accuracy with calibrated ties" if pairwise else "")
        + " (default: pearson for systems, else kendall)",
    )


# --- resampling ------------------------------------------------------------------------------------------------------


def add_resampling_options(parser: argparse.ArgumentParser, always: bool = False) -> None:
    """Add the options of bootstrap intervals; with `always`, results have intervals without --confidence."""
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
        else "add bootstrap intervals over segments",
    )
    group.add_argument(
        "--n-resamples", "-cin", type=whole_number(2), metavar="N", help="number of resamples (default: 1000)"
    )
    add_seed_option(group, "resamples")


def add_seed_option(group: argparse._ActionsContainer, draws: str) -> None:
    group.add_argument("--seed", type=int, metavar="N", help=f"the seed of {draws} (default: 12345)")


# --- workers ---------------------------------------------------------------------------------------------------------


def add_worker_options(parser: argparse.ArgumentParser) -> None:
    """Add threads, cluster and store."""
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def add_jobs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-j", "--jobs", type=whole_number(1), metavar="N", help="threads (default: all processors)")


def add_cluster_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster",
        type=_checked("tarocco.parallel.cluster", "check_cluster"),
        metavar="WHERE",
        help="compute on a Dask cluster: its scheduler's address, tcp://HOST:8786, or local:4 for four processes",
    )
    parser.add_argument(
        "--cluster-tls",
        nargs=3,
        metavar=("CA", "CERT", "KEY"),
        help="the certificates for --cluster tls://HOST:8786: three PEM files (default: those in Dask's configuration)",
    )


def add_store_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--store",
        metavar="FILE",
        help="cache computed scores in FILE and reuse them (default: $TAROCCO_STORE, or no store)",
    )


def store_of(options: argparse.Namespace) -> str | None:
    """Return the store of --store or of the environment; an empty name means none."""
    named: str | None = options.store
    return (os.environ.get("TAROCCO_STORE") if named is None else named) or None


# --- output ----------------------------------------------------------------------------------------------------------


def add_output_options(parser: argparse.ArgumentParser, levels: Sequence[str] = LEVELS) -> None:
    group = add_format_options(parser)
    group.add_argument("--level", choices=levels, default="corpus", help="what is scored (default: corpus)")
    if levels == LEVELS:
        group.add_argument("-v", "--verbose", action="store_true", help="below a table: precisions, lengths, penalties")


def add_format_options(parser: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("output")
    add_format_option(group)
    add_width_option(group)
    group.add_argument("-b", "--score-only", action="store_true", help="print only the numbers, one per line")
    add_quiet_option(group)
    return group


def add_format_option(
    group: argparse._ActionsContainer, formats: Sequence[str] = FORMATS, default: str = "table"
) -> None:
    group.add_argument(
        "-f", "--format", choices=formats, default=default, help=f"the output format (default: {default})"
    )


def add_width_option(group: argparse._ActionsContainer, where: str = "in tables") -> None:
    group.add_argument("-w", "--width", type=whole_number(0, 17), metavar="DIGITS", help=f"decimal places {where}")


def add_quiet_option(group: argparse._ActionsContainer) -> None:
    group.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")


def add_figure_option(parser: argparse.ArgumentParser, what: str = "the corpus scores") -> None:
    parser.add_argument(
        "--figure",
        type=_checked("tarocco.render.plots.files", "check_figure"),
        metavar="FILE",
        help=f"also plot {what}: .html, .svg, .png, .pdf or .json (Vega-Lite)",
    )


def add_report_option(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--report", type=report_path, metavar="FILE", help="also write all results as one .html page")


def add_figures_option(parser: argparse._ActionsContainer) -> None:
    parser.add_argument(
        "--figures", metavar="DIR", help="write every plot as SVG, PNG and PDF, and every table as LaTeX and CSV"
    )


# --- types of values -------------------------------------------------------------------------------------------------


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a type for argparse: a whole number in a range."""
    expected = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"expected {expected}, found {text}")
        return number

    return read


def share(text: str) -> float:
    """Return a number between 0 and 1, both excluded."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"expected a number between 0 and 1, found {text}")
    return number


def segment_numbers(text: str) -> list[int]:
    """Return the segments of `1-3,10,50-100`, which counts from 1, as numbers from 0."""
    numbers: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*([1-9]\d*)(?:\s*-\s*([1-9]\d*))?\s*", part)
        first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
        if last < first:
            raise argparse.ArgumentTypeError(f"expected segments such as 1-3,10,50-100, counted from 1, found {text}")
        if last > MOST_SEGMENTS:
            raise argparse.ArgumentTypeError(f"there is no segment {last}")
        numbers += range(first - 1, last)
    return numbers


def _checked(module: str, function: str) -> Callable[[str], str]:
    """Return a type for argparse that refuses, before any work is done, what a function of a module refuses."""

    def read(text: str) -> str:
        from importlib import import_module

        from tarocco.core.errors import BadParameter, InputError

        try:
            getattr(import_module(module), function)(text)
        except (BadParameter, InputError) as error:
            raise argparse.ArgumentTypeError(str(error)) from None
        return text

    return read


report_path = _checked("tarocco.render.page.report", "check_report")
