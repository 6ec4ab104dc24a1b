"""`tarocco tune`, which finds weights of features on n-best lists, and `tarocco rerank`, which applies them."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, NamedTuple

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import encoding_of, experiment_of, fill_in, note, read_once, read_references, resampling_of
from tarocco.cli.output import write

if TYPE_CHECKING:
    from tarocco.core.test_set import TestSet
    from tarocco.decode.tuning.pool import CandidatePool
    from tarocco.decode.tuning.tune import TuneOptions
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.base import Metric
    from tarocco.scoring.settings import Resampling

ABOUT_TUNE = """Tune feature weights so that the best candidates of n-best lists rank first (MERT, Och 2003).

NBEST are n-best lists with features, in the format of Moses (id ||| text ||| LM0= -4.1 ... ||| score) or as JSON lines.
Several files, from several rounds of decoding, are merged. An experiment file can name them instead. References come
with -r. The search maximizes the metric of -m, or a weighted sum of several (--shares). The scores are those of the
lists that were tuned on, and the gain is smaller on other text: set some lists apart and rerank them.
"""
TUNE_EXAMPLES = """examples:
  tarocco tune nbest.txt -r ref1 ref2 ref3 ref4 -m BLEU-4 -o weights.json
  tarocco tune nbest.txt -r ref1 ref2 -m BLEU-4 TER --shares 2 1 -o weights.ini --best tuned.txt
  tarocco tune nbest.txt -r ref1 -m BLEU-SBP --weights weights.json --fixed WP --restarts 5
"""
ABOUT_RERANK = """Print the best candidate of each n-best list under feature weights, one line per segment.

NBEST are n-best lists with features, as for `tarocco tune`; several files are merged. A segment without a list has an
empty line, so that the lines match those of the references.
"""
RERANK_EXAMPLES = """examples:
  tarocco tune nbest.txt -r ref1 ref2 -o weights.json
  tarocco rerank nbest.txt --weights weights.json > best.txt
  tarocco rerank nbest.txt --weights weights.json -f tsv
"""


# --- tune ------------------------------------------------------------------------------------------------------------


def configure_tune(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "nbest", nargs="+", metavar="NBEST", help="n-best lists with features, or one experiment file (.toml)"
    )
    shared.add_references_option(parser)
    shared.add_metrics_option(parser, "BLEU-4")
    group = parser.add_argument_group("search")
    group.add_argument(
        "--shares",
        nargs="+",
        type=positive,
        metavar="N",
        help="the weight of each metric in the sum of several (default: equal weights)",
    )
    group.add_argument(
        "--weights",
        metavar="FILE",
        help="the weights to start from: .json, or a Moses configuration (default: those of the scores in the "
        "lists, or equal ones)",
    )
    group.add_argument(
        "--fixed", nargs="+", action="extend", metavar="FEATURE", help="features whose weights do not change"
    )
    group.add_argument(
        "--restarts", type=shared.whole_number(0), default=20, metavar="N", help="more, random starts (default: 20)"
    )
    group.add_argument(
        "--directions",
        type=shared.whole_number(0),
        default=10,
        metavar="N",
        help="random directions per step, besides the features (default: 10)",
    )
    shared.add_first_id_option(group)
    shared.add_text_options(parser, tokenize="none", documents=False)
    shared.add_resampling_options(parser, always=True)
    output = shared.add_format_options(parser)
    output.add_argument(
        "-o", "--output", metavar="FILE", help="write the weights to FILE: .json, or .ini for the format of Moses"
    )
    output.add_argument(
        "--best", metavar="FILE", help="write the candidates that the tuned weights choose to FILE, one per line"
    )
    shared.add_jobs_option(parser)


def positive(text: str) -> float:
    """Return a number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return number


def run_tune(options: argparse.Namespace) -> None:
    from tarocco.cli.terminal import progress
    from tarocco.decode.tuning.tune import tune_pool
    from tarocco.io.files import check_no_overwrite, check_writable, write_atomically
    from tarocco.render.results.tune import check_weights, present_tuning, write_weights
    from tarocco.scoring.settings import Workers

    if options.output:
        check_weights(options.output)
    if options.best:
        check_writable(options.best)
    check_no_overwrite([options.output, options.best], [*options.nbest, *(options.references or ()), options.weights])
    inputs = read_tuning_inputs(options)
    with progress("starts", options.restarts + 1, shown=not options.quiet) as advance:
        workers = Workers(options.jobs, progress=advance)
        result = tune_pool(*inputs, workers=workers, weights_name=options.weights or "weights")
    if options.output:
        write_weights(options.output, result)
    if options.best:
        write_atomically(options.best, "".join(f"{line}\n" for line in result.lines()).encode())
    about = {name: getattr(options, name) for name in ("seed", "confidence", "n_resamples", "nbest", "references")}
    write(present_tuning(result, options.width, **about), options)


class TuningInputs(NamedTuple):
    """Lists, references, metrics, and how the search is done."""

    pool: CandidatePool
    references: TestSet
    metrics: list[Metric]
    encoding: Encoding
    options: TuneOptions
    resampling: Resampling


def read_tuning_inputs(options: argparse.Namespace) -> TuningInputs:
    """Read and check everything that the options name."""
    from tarocco.core.errors import InputError
    from tarocco.decode.tuning.pool import read_pool
    from tarocco.decode.tuning.tune import TuneOptions
    from tarocco.io.nbest.features import read_weights
    from tarocco.metrics.registry import metrics

    experiment = experiment_of(options.nbest)
    # The metrics of an experiment are for evaluation, not for maximizing their sum.
    options.metrics = options.metrics or ["BLEU-4"]
    fill_in(options, experiment, tokenize="none", confidence=0.95)
    chosen = metrics(options.metrics)
    if options.shares and len(options.shares) != len(chosen):
        raise InputError(f"--shares: there are {len(chosen)} metrics, but {len(options.shares)} shares")
    encoding = encoding_of(options)
    search = TuneOptions(
        shares=options.shares or None,
        weights=read_weights(options.weights) if options.weights else None,
        fixed=tuple(options.fixed or ()),
        restarts=options.restarts,
        directions=options.directions,
    )
    lists = options.nbest
    if experiment is not None:
        if experiment.nbest is None:
            raise InputError(f"{options.nbest[0]} names no n-best lists (nbest = ...)")
        lists = [experiment.nbest]
    read_once(*lists, *(options.references or ()), options.weights)
    references, _ = read_references(options, experiment)
    pool = read_pool(lists, len(references), options.first_id)
    return TuningInputs(pool, references, chosen, encoding, search, resampling_of(options))


# --- rerank ----------------------------------------------------------------------------------------------------------


def configure_rerank(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", nargs="+", metavar="NBEST", help="n-best lists with features")
    parser.add_argument(
        "--weights", required=True, metavar="FILE", help="weights of all features: .json, or a Moses configuration"
    )
    shared.add_first_id_option(parser)
    group = parser.add_argument_group("output")
    group.add_argument(
        "-f",
        "--format",
        choices=("text", "json", "tsv", "csv"),
        default="text",
        help="only texts, or also segments, places in the lists and scores (default: text)",
    )
    shared.add_quiet_option(group)


def run_rerank(options: argparse.Namespace) -> None:
    from tarocco.decode.tuning.pool import read_pool
    from tarocco.decode.tuning.tune import rerank_pool
    from tarocco.io.nbest.features import read_weights
    from tarocco.render.results.tune import present_reranking

    read_once(*options.nbest, options.weights)
    weights = read_weights(options.weights)
    result = rerank_pool(read_pool(options.nbest, None, options.first_id), weights, options.weights)
    lines = result.lines()
    missing = len(lines) - len(result.texts)
    options.score_only = options.format == "text"
    if missing:
        empty = ": their lines are empty" if options.score_only else ""
        note(options, f"{missing} of {len(lines)} segments have no list{empty}")
    write(present_reranking(result, nbest=options.nbest), options)


TUNE = Command(ABOUT_TUNE, TUNE_EXAMPLES, configure_tune, run_tune)
RERANK = Command(ABOUT_RERANK, RERANK_EXAMPLES, configure_rerank, run_rerank)
