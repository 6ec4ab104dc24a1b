"""Evaluate metrics on n-best lists: does a metric rank human translations above machine translations?

The references of each segment are ranked within its list of candidates. ORANGE is their average rank divided by the
length of the list plus one; the lower it is, the better the metric.
NBEST is a file in the format of Moses or Marian (id ||| text ||| ...), fairseq's output, id<TAB>text, JSON lines, a
directory with one file per segment, or with --num-candidates any file with that many lines per segment. It may also be
an experiment file. References come with -r; a segment needs at least two.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import (
    encoding_of,
    experiment_of,
    fill_in,
    named_once,
    note,
    read_once,
    read_references,
    resampling_of,
    workers_of,
)
from tarocco.cli.output import draw, write, write_page
from tarocco.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tarocco.core.test_set import CandidateScores, Segments, TestSet
    from tarocco.encode.batch import Encoding
    from tarocco.io.experiment import Experiment
    from tarocco.meta.orange.confusions import Confusion
    from tarocco.meta.orange.results import OrangeResult
    from tarocco.meta.orange.rules import OrangeRules, Scorer

EXAMPLES = """examples:
  tarocco orange nbest.txt -r ref1 ref2 ref3 ref4 -m BLEUS-4 WER ROUGE-L ROUGE-S-4
  tarocco orange nbest.txt -r ref1 ref2 ref3 ref4 --n-best 30 --curve --figure curve.svg
  tarocco orange nbest.txt -r ref1 ref2 -m BLEUS-4 ROUGE-L --combine BLEUS-4 ROUGE-L --short keep
  tarocco orange nbest.txt -r ref1 ref2 ref3 ref4 -m ROUGE-L --errors errors.html --sample 50 --sheet sheet.tsv
"""

SHEET = "orange-sample.tsv"
DRAWN = 20  # candidates per list and metric from which cases are drawn, and more if there are few lists


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", nargs="*", metavar="NBEST", help="n-best lists, or an experiment file (.toml)")
    shared.add_references_option(parser)
    shared.add_metrics_option(parser, "BLEUS-4, NIST-5, PER, WER, some ROUGE, chrF")
    parser.add_argument(
        "--combine",
        nargs="+",
        action="append",
        metavar="METRIC",
        help="a combination of metrics, which ranks by the mean of their ranks (may be repeated)",
    )
    shared.add_scores_option(parser)
    _add_list_options(parser)
    _add_rules(parser)
    shared.add_text_options(parser, tokenize="none", documents=False)
    shared.add_resampling_options(parser, always=True)
    _add_analysis_options(parser)
    shared.add_output_options(parser, levels=("corpus", "segment"))
    shared.add_figure_option(parser, "ORANGE, or the curves")
    shared.add_report_option(parser)
    shared.add_worker_options(parser)


def _add_list_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("lists")
    shared.add_list_options(group)
    group.add_argument(
        "--n-best",
        type=shared.whole_number(1),
        metavar="N",
        help="use the first N candidates of each list (default: all)",
    )
    group.add_argument(
        "--short",
        choices=("skip", "keep"),
        default="skip",
        help="lists with fewer candidates than N or the longest list (default: skip)",
    )
    group.add_argument("--unique", action="store_true", help="count the same text once per list")
    group.add_argument("--drop-copies", action="store_true", help="leave out candidates that equal a reference")
    group.add_argument(
        "--pool",
        metavar="FILE",
        help="one label per segment, such as the source: segments with the same label are pooled",
    )


def _add_rules(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("rules")
    group.add_argument(
        "--against",
        choices=("fair", "all"),
        default="fair",
        help="score candidates against every set of references that leaves one out, as references are scored, or "
        "against all references (default: fair)",
    )
    group.add_argument(
        "--oracle",
        choices=("average-score", "average-rank", "combined"),
        default="average-score",
        help="rank the mean score of the references, or average their ranks among the candidates, or among candidates "
        "and references (default: average-score)",
    )
    group.add_argument(
        "--ties", choices=("average", "best", "worst"), default="average", help="rank among equals (default: average)"
    )
    group.add_argument(
        "--curve",
        nargs="?",
        const=True,
        type=_lengths,
        metavar="STEP",
        help="ORANGE over the first k candidates: a step, or values of k such as 1,10,100",
    )


def _add_analysis_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("error analysis")
    group.add_argument(
        "--errors",
        metavar="FILE",
        help="write the candidates that rank above the references: .jsonl, or a page (.html)",
    )
    group.add_argument(
        "--most",
        type=shared.whole_number(1),
        default=10,
        metavar="N",
        help="candidates to write per list and metric (default: 10)",
    )
    group.add_argument("--source", metavar="FILE", help="the source text, shown in pages and sheets")
    group.add_argument(
        "--sample",
        type=shared.whole_number(1),
        metavar="K",
        help="draw K cases in which a candidate ranks above the references",
    )
    group.add_argument(
        "--sheet", metavar="FILE", help=f"write the cases here, for a person to judge (default: {SHEET})"
    )
    group.add_argument("--judged", metavar="FILE", help="read a judged sheet, and do nothing else")


def _lengths(text: str) -> Any:
    try:
        lengths = tuple(int(part) for part in text.split(","))
    except ValueError:
        lengths = (0,)
    if min(lengths) < 1:
        raise argparse.ArgumentTypeError(f"expected a step, or lengths such as 1,10,100, found {text}")
    return lengths[0] if len(lengths) == 1 and "," not in text else lengths


class OrangeInputs(NamedTuple):
    """What `tarocco orange` evaluates."""

    path: str
    references: TestSet
    scorers: list[tuple[Scorer, ...]]
    rules: OrangeRules
    encoding: Encoding
    source: Segments | None


def read_orange_inputs(options: argparse.Namespace) -> OrangeInputs:
    """Read and check everything but the n-best lists."""
    from tarocco.io.test_set import align_column, read_labels, read_source
    from tarocco.meta.orange.orange import METRICS
    from tarocco.meta.orange.rules import OrangeRules, make_scorers
    from tarocco.metrics.base import Metric
    from tarocco.metrics.registry import metrics

    experiment = experiment_of([options.nbest])
    has_metrics = bool(options.metrics or (experiment and experiment.metrics))
    fill_in(options, experiment, METRICS, tokenize="none")
    options.confidence = options.confidence or (experiment and experiment.confidence) or 0.95
    encoding_of(options)  # reports an unknown tokenizer before anything is read
    read_once(options.nbest, *(options.references or ()))
    references, first = read_references(options, experiment)
    external = _read_external(options, experiment)
    # External scores need no second reference: if there is none, only they are evaluated.
    only_external = bool(external) and not has_metrics and references.present.sum(axis=0).max(initial=0) < 2
    source = options.source or (experiment.source if experiment else None)
    path = experiment.nbest if experiment else options.nbest
    if path is None:
        raise InputError(f"{options.nbest} names no n-best lists (nbest = ...)")
    scorers = make_scorers([] if only_external else metrics(options.metrics), external, options.combine or ())
    computed = [scorer for group in scorers for scorer in group if isinstance(scorer, Metric)]
    return OrangeInputs(
        path,
        references,
        scorers,
        OrangeRules(
            against=options.against,
            oracle=options.oracle,
            ties=options.ties,
            short=options.short,
            n_best=options.n_best,
            unique=options.unique,
            drop_copies=options.drop_copies,
            curve=options.curve,
            pool=read_labels(options.pool, first) if options.pool else None,
            confusions=options.most if options.errors or options.report else 0,
            sampled=min(options.sample or 0, DRAWN + 4 * (options.sample or 0) // len(references)),
            first_id=options.first_id,
            num_candidates=options.num_candidates,
        ),
        encoding_of(options, references, computed),
        align_column(read_source(source), first).segments if source else None,
    )


def _read_external(options: argparse.Namespace, experiment: Experiment | None) -> list[CandidateScores]:
    """Read external scores of candidates: those of --scores, and those of the experiment that are about candidates."""
    files = named_once(options.scores or ())
    if experiment is None and not files:
        return []
    from tarocco.io.scores.external import holds_candidate_scores, read_candidate_scores

    for file in experiment.external if experiment else ():
        if file.name not in files and holds_candidate_scores(file.path):
            files[file.name] = file
    return [read_candidate_scores(file) for file in files.values()]


def run(options: argparse.Namespace) -> None:
    from tarocco.render.results.orange import present_orange

    if options.judged:
        print_judgments(options)
        return
    if len(options.nbest) != 1:
        raise InputError(
            f"expected one file of n-best lists, found {' '.join(options.nbest)}: references come with -r"
            if options.nbest
            else "no n-best lists: name a file (- is standard input), or read a judged sheet with --judged FILE"
        )
    options.nbest = options.nbest[0]
    if options.sheet and not options.sample:
        raise InputError("--sheet names the file for the cases that --sample K draws: add --sample K")
    _check_outputs(options)
    inputs = read_orange_inputs(options)
    result = evaluate(inputs, options)
    if options.curve and not options.figure and options.format not in ("json", "tsv", "csv"):
        note(options, "curves are drawn with --figure FILE, and printed with -f tsv, csv or json")
    names = ("seed", "confidence", "n_resamples", "nbest", "references")
    settings = {name: getattr(options, name) for name in names}
    write(present_orange(result, options.level, options.width, **settings), options)
    draw(result, options)
    write_page(options, [result], encoding=inputs.encoding)


def evaluate(inputs: OrangeInputs, options: argparse.Namespace) -> OrangeResult:
    """Run ORANGE, and write the error analysis and the sample if requested."""
    from dataclasses import replace

    from tarocco.cli.terminal import progress
    from tarocco.meta.orange.orange import open_lists, run_orange
    from tarocco.render.results.confusions import write_confusions

    resampling, workers = resampling_of(options), workers_of(options)
    with progress("lists", len(inputs.references), shown=not options.quiet, inside="candidates") as advance:
        result = run_orange(
            *open_lists(inputs.path, len(inputs.references), inputs.rules),
            inputs.references,
            inputs.scorers,
            rules=inputs.rules,
            encoding=inputs.encoding,
            resampling=resampling,
            workers=workers,
            advance=advance,
        )
    if inputs.source is not None:
        sources = inputs.source
        confusions = tuple(replace(confusion, source=sources[confusion.segment - 1]) for confusion in result.confusions)
        result = replace(result, confusions=confusions)
    if options.errors:
        write_confusions(
            options.errors,
            result.confusions,
            title=f"ORANGE: {inputs.path}",
            settings={metric.metric: metric.signature for metric in result.metrics},
            tokenize=inputs.encoding.words,
        )
    if options.sample:
        note(options, _write_sample(result.confusions, options))
    return result if options.report else replace(result, confusions=())


def _write_sample(confusions: Sequence[Confusion], options: argparse.Namespace) -> str:
    """Draw cases for a person to judge, and return a note on where they are."""
    from tarocco.meta.orange.blind_sheet import draw_cases, write_sheet

    cases, sheet = draw_cases(confusions, options.sample, options.seed), options.sheet or SHEET
    if not cases:
        return f"no candidate ranks above the references, so there is no case to judge and no {sheet}"
    write_sheet(sheet, cases, options.seed)
    return f"{len(cases)} cases are in {sheet}: fill in A, B or = and read it back with --judged {sheet}"


def _check_outputs(options: argparse.Namespace) -> None:
    """Raise an error for outputs that cannot be written, before any work is done."""
    from tarocco.io.files import check_no_overwrite
    from tarocco.meta.orange.blind_sheet import check_sheet, key_path
    from tarocco.render.results.confusions import check_confusions

    if options.errors:
        check_confusions(options.errors)
    sheets = []
    if options.sample:
        sheet = options.sheet or SHEET
        check_sheet(sheet)
        sheets = [sheet, key_path(sheet)]
    outputs = [options.errors, options.figure, options.report, *sheets, shared.store_of(options)]
    if any(outputs):
        scores = [file.path for file in named_once(options.scores or ()).values()]
        check_no_overwrite(outputs, [options.nbest, *(options.references or ()), *scores, options.pool, options.source])


def print_judgments(options: argparse.Namespace) -> None:
    """Print a summary of a judged sheet."""
    from tarocco.meta.orange.blind_sheet import CAVEAT, read_judgments
    from tarocco.render.results import json_of_command

    judgments = read_judgments(options.judged, confidence=options.confidence or 0.95)
    if options.format == "json":
        sys.stdout.write(json_of_command("orange", {"sheet": options.judged}, [judgments.to_dict()]))
    else:
        by_metric = [f"{metric}: {part}\n" for metric, part in judgments.by_metric.items()]
        sys.stdout.write("".join([f"{judgments}\n", *by_metric * (len(by_metric) > 1), f"{CAVEAT}\n"]))


ORANGE = Command(__doc__, EXAMPLES, configure, run)
