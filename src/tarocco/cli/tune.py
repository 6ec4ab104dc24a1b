"""Find weights of features that make the best candidates of n-best lists come out on top (MERT, Och 2003).

NBEST are n-best lists with features, as Moses writes them (id ||| text ||| LM0= -4.1 ... ||| score), or JSON lines;
several files, of several rounds of decoding, are merged. An experiment file may stand in their place. References come
with -r. What is maximized is the metric behind -m, or a weighted sum of several (--shares). Scores are those of the
lists that were tuned on: on other text the gain is smaller, so keep some lists apart and rerank them.
"""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING

from tarocco.cli.options import (
    add_format_options,
    add_jobs_option,
    add_resampling_options,
    add_text_options,
    whole_number,
)
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.decode.tuning.results import TuneResult

EXAMPLES = """examples:
  tarocco tune nbest.txt -r ref1 ref2 ref3 ref4 -m BLEU-4 -o weights.json
  tarocco tune nbest.txt -r ref1 ref2 -m BLEU-4 TER --shares 2 1 -o weights.ini --best tuned.txt
  tarocco tune nbest.txt -r ref1 -m BLEU-SBP --weights weights.json --fixed WP --restarts 5
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "nbest", nargs="+", metavar="NBEST", help="n-best lists with features, or an experiment file (.toml)"
    )
    parser.add_argument("-r", "--references", nargs="+", action="extend", metavar="REF", help="reference files")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="names as `tarocco metrics` lists them (default: BLEU-4)",
    )
    group = parser.add_argument_group("search")
    group.add_argument(
        "--shares",
        nargs="+",
        type=_share,
        metavar="N",
        help="how much each metric counts in a weighted sum of several (default: all the same)",
    )
    group.add_argument(
        "--weights",
        metavar="FILE",
        help="where to begin: .json, or a Moses configuration (default: what the lists' scores reveal, or equal ones)",
    )
    group.add_argument(
        "--fixed", nargs="+", action="extend", metavar="FEATURE", help="features whose weights do not change"
    )
    group.add_argument(
        "--restarts", type=whole_number(0), default=20, metavar="N", help="random starts besides (default: 20)"
    )
    group.add_argument(
        "--directions",
        type=whole_number(0),
        default=10,
        metavar="N",
        help="random directions in each step, besides the features (default: 10)",
    )
    group.add_argument(
        "--first-id", type=whole_number(0), default=0, metavar="N", help="the first segment's id (default: 0)"
    )
    add_text_options(parser, tokenize="none", documents=False)
    add_resampling_options(parser, always=True)
    output = add_format_options(parser)
    output.add_argument("-o", "--output", metavar="FILE", help="where the weights go: .json, or .ini as Moses has it")
    output.add_argument("--best", metavar="FILE", help="what the tuned weights choose, a line a segment")
    add_jobs_option(parser)


def _share(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not (number > 0 and math.isfinite(number)):
        raise argparse.ArgumentTypeError(f"a number above 0 is wanted, not {text}")
    return number


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.tune_inputs import read_tuning
    from tarocco.decode.tuning.tune import tune_pool
    from tarocco.io.files import check_no_overwrite, check_writable, write_atomically
    from tarocco.render.results.tune import check_weights, write_weights
    from tarocco.render.terminal import progress
    from tarocco.scoring.settings import Workers

    if options.output:
        check_weights(options.output)
    if options.best:
        check_writable(options.best)
    check_no_overwrite([options.output, options.best], [*options.nbest, *(options.references or ()), options.weights])
    inputs = read_tuning(options)
    with progress("starts", options.restarts + 1, shown=not options.quiet) as advance:
        workers = Workers(jobs=options.jobs, progress=advance)
        result = tune_pool(*inputs, workers=workers, weights_name=options.weights or "weights")
    if options.output:
        write_weights(options.output, result)
    if options.best:
        write_atomically(options.best, "".join(f"{line}\n" for line in result.lines()).encode())
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    write(result, options)


def write(result: TuneResult, options: argparse.Namespace) -> None:
    """Write what was found to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import score as scores
    from tarocco.render.results import tune as tuning
    from tarocco.render.tables import number_or_dash

    out = sys.stdout
    if options.score_only:
        digits = [tuning.digits(one, options.width) for one in result.metrics]
        shown = zip(result.metrics, digits, strict=True)
        out.writelines(f"{number_or_dash(one.tuned * one.scale, f'.{wide}f')}\n" for one, wide in shown)
    elif options.format == "json":
        about = {
            "seed": options.seed,
            "confidence": options.confidence,
            "n_resamples": options.n_resamples,
            "nbest": options.nbest,
            "references": options.references,
            "found": dict(result.counts),
            "origin": result.origin,
            "start": result.start,
            "weights": result.weights,
            "objective": [_finite(result.start_objective), _finite(result.objective)],
            "starts": [
                {"start": one.number, "objective": _finite(one.objective), "steps": one.steps} for one in result.starts
            ],
        }
        out.write(scores.json_text("tune", about, result.to_dict()))
    elif options.format in ("tsv", "csv"):
        out.write(tables.separated(result.rows(), "\t" if options.format == "tsv" else ","))
    else:
        tables.write_noted(tuning.scores_table(result, options.width), [], options.format, out)
        tables.write_noted(tuning.weights_table(result, options.width), footnotes(result), options.format, out)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def footnotes(result: TuneResult) -> list[str]:
    """Below the tables: what was tuned on, where starts led, signatures, and what intervals are of."""
    counts = result.counts
    best = max(result.starts, key=lambda one: (one.objective, -one.number))
    between = result.metrics[0].interval
    steps = f"{best.steps} step{'s' * (best.steps != 1)}"
    lines = [
        f"{counts['lists']} lists, {counts['candidates']} candidates; best of {len(result.starts)} starts: number "
        f"{best.number}, {steps}, objective {best.objective:.6g} (the worst led to "
        f"{min(one.objective for one in result.starts):.6g})",
        *(one.signature for one in result.metrics),
        f"[low, high]: {100 * between.confidence:g}% bootstrap intervals over segments, {between.n_resamples} "
        f"resamples, seed {between.seed}; of the lists that were tuned on",
    ]
    scaled = [one.metric for one in result.metrics if one.scale != 1]
    return [*lines, f"shown times 100: {', '.join(scaled)}"] if scaled else lines
