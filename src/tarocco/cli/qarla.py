"""`tarocco queen`, `king` and `jack`: QARLA's three measures, from the similarities of all texts to each other."""

from __future__ import annotations

import argparse
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import read_inputs, resampling_of, workers_of
from tarocco.cli.output import write, write_page

if TYPE_CHECKING:
    from tarocco.meta.qarla.similarities import TextSimilarities
    from tarocco.scoring.results import Result
    from tarocco.trials.inputs import ScoringInputs

METRICS = "BLEU-4 NIST-5 GTM-2 ROUGE-L METEOR-exact 1-WER"

ABOUT_QUEEN = """Rank systems by several metrics at once, without weights.

QUEEN of a translation is the share of samples in which, under every metric, it is at least as similar to a reference as
two other references are to each other; a system's QUEEN is the mean over its segments. It needs at least two
references. ULC, the mean of normalized scores, is printed beside it.
"""
QUEEN_EXAMPLES = """examples:
  tarocco queen ref1 ref2 ref3 ref4 -i sys/*.txt -m ROUGE-L METEOR-stem 1-WER
  tarocco queen experiment.toml --level segment --segments 1-3,10,50-60
  tarocco queen ref1 ref2 -i sys/*.txt -m chrF 1-WER --trans-topic
"""
QUEEN_LEVELS = {"system": "one row per system", "segment": "one row per segment and system"}

ABOUT_KING = """Judge metrics by how often they prefer human to machine translations.

Each reference in turn is held out and compared with the systems, by QUEEN with the other references. KING is the share
of segments and references in which the reference is at least as good as every system; strict KING counts only those in
which it is better. The difference is ties, which are no evidence for a metric. KING needs at least three references.
"""
KING_EXAMPLES = """examples:
  tarocco king ref1 ref2 ref3 ref4 -i sys/*.txt -m BLEU-4 NIST-5 ROUGE-L 1-WER
  tarocco king ref1 ref2 ref3 ref4 -i sys/*.txt --set NIST-3 1-WER --set ROUGE-L --by-reference
  tarocco king experiment.toml --level system --store scores.db
"""
KING_LEVELS = {
    "segment": "each segment and reference is one case",
    "system": "each reference is one case, compared with systems by the means over segments",
}

ABOUT_JACK = """Measure how reliable a test bed is.

JACK is the share of segments and references that have two different translations around them: both similar to the
references (QUEEN above zero), and one at least as similar to the reference as to the other, under every metric.
"""
JACK_EXAMPLES = """examples:
  tarocco jack ref1 ref2 ref3 ref4 -i sys/*.txt -m NIST-3 1-WER
  tarocco jack experiment.toml --set NIST-3 1-WER --set ROUGE-L --by-reference
"""


def configure(parser: argparse.ArgumentParser, levels: dict[str, str], default_sets: str | None = None) -> None:
    """Add all options. `levels` are the choices of --level, default first; `default_sets` describes those of --set."""
    shared.add_test_set_arguments(parser, METRICS)
    shared.add_scores_option(parser)
    group = parser.add_argument_group("comparison")
    if default_sets is not None:
        group.add_argument(
            "--set",
            nargs="+",
            action="append",
            metavar="METRIC",
            help=f"a set of metrics, instead of -m; can be repeated (default: {default_sets})",
        )
        group.add_argument("--by-reference", action="store_true", help="one row per reference")
    add_sample_options(group)
    if levels:
        meanings = "; ".join(f"{name}: {meaning}" for name, meaning in levels.items())
        first = next(iter(levels))
        group.add_argument("--level", choices=tuple(levels), default=first, help=f"{meanings} (default: {first})")
    shared.add_resampling_options(parser, always=True)
    shared.add_text_options(parser)
    shared.add_format_options(parser)
    shared.add_report_option(parser)
    shared.add_worker_options(parser)


def add_sample_options(group: argparse._ArgumentGroup) -> None:
    """Add the options that choose segments and pairs of references."""
    group.add_argument(
        "--segments", type=shared.segment_numbers, metavar="1-3,10", help="the segments to use (default: all)"
    )
    group.add_argument(
        "--trans-topic",
        action="store_true",
        help="take pairs of references from all segments, not only from the translation's segment",
    )
    group.add_argument(
        "--pairs",
        type=shared.whole_number(1),
        default=1024,
        metavar="N",
        help="number of such pairs to draw for several metrics; a single metric uses all (default: 1024)",
    )


class QarlaInputs(NamedTuple):
    """TextSimilarities of all texts, the inputs that they come from, sets of metrics by number, and scores."""

    similarities: TextSimilarities
    inputs: ScoringInputs
    sets: list[list[int]] | None
    scores: Result | None


def compare_texts(options: argparse.Namespace, name: str) -> QarlaInputs:
    """Read what the options name and compute all similarities, for QUEEN also scores, with a progress bar."""
    from tarocco.cli.terminal import progress
    from tarocco.meta.qarla.qarla import check_test_set, list_members, number_sets
    from tarocco.meta.qarla.similarities import compute_similarities, count_similarities
    from tarocco.metrics.external import External
    from tarocco.scoring.score import score_test_set

    sets = getattr(options, "set", None)
    if sets:
        options.metrics = list(map(str, list_members(sets))) or None
    inputs = read_inputs(options, METRICS.split())
    test_set, encoding = inputs.test_set, inputs.encoding
    check_test_set(test_set, name, options.segments)
    chosen, members = number_sets(sets, inputs.metrics)
    work = count_similarities(test_set, chosen, name == "JACK")
    if name == "QUEEN":
        work += len(test_set) * len(test_set.systems) * sum(not isinstance(metric, External) for metric in chosen)
    with progress("similarities", work, shown=not options.quiet) as advance:
        workers = workers_of(options, advance)
        near = compute_similarities(test_set, chosen, encoding, between_systems=name == "JACK", workers=workers)
        scores = score_test_set(test_set, chosen, encoding, workers=workers) if name == "QUEEN" else None
    return QarlaInputs(near, inputs._replace(metrics=list(chosen)), members, scores)


def run_queen(options: argparse.Namespace) -> None:
    from tarocco.meta.qarla.qarla import QarlaOptions, evaluate_queen
    from tarocco.render.results.qarla import present_queens

    texts = compare_texts(options, "QUEEN")
    assert texts.scores is not None
    settings = QarlaOptions(options.trans_topic, options.pairs, options.segments)
    result = evaluate_queen(texts.similarities, texts.scores, settings, resampling_of(options), options.jobs)
    write(present_queens(result, options.level, options.width), options)
    write_page(options, [result, texts.scores], texts.inputs)


def run_king(options: argparse.Namespace) -> None:
    from tarocco.meta.qarla.qarla import KingOptions, evaluate_king
    from tarocco.render.results.qarla import present_kings

    texts = compare_texts(options, "KING")
    settings = KingOptions(options.trans_topic, options.pairs, options.segments, options.level)
    result = evaluate_king(texts.similarities, texts.sets, settings, resampling_of(options), options.jobs)
    write(present_kings(result, options.by_reference, options.width), options)
    write_page(options, [result], texts.inputs)


def run_jack(options: argparse.Namespace) -> None:
    from tarocco.meta.qarla.qarla import QarlaOptions, evaluate_jack
    from tarocco.render.results.qarla import present_jacks

    texts = compare_texts(options, "JACK")
    settings = QarlaOptions(options.trans_topic, options.pairs, options.segments)
    result = evaluate_jack(texts.similarities, texts.sets, settings, resampling_of(options), options.jobs)
    write(present_jacks(result, options.by_reference, options.width), options)
    write_page(options, [result], texts.inputs)


def _with(levels: dict[str, str], default_sets: str | None = None) -> Any:
    return partial(configure, levels=levels, default_sets=default_sets)


QUEEN = Command(ABOUT_QUEEN, QUEEN_EXAMPLES, _with(QUEEN_LEVELS), run_queen)
KING = Command(ABOUT_KING, KING_EXAMPLES, _with(KING_LEVELS, "each metric alone, and all together"), run_king)
JACK = Command(ABOUT_JACK, JACK_EXAMPLES, _with({}, "all metrics together"), run_jack)
