"""Put metrics on trial with n-best lists: does a metric rank human translations above machine ones?

The references of each segment are ranked within its list of candidates; ORANGE is their average rank divided by the
length of the list plus one, and the lower it is, the better the metric.
NBEST is a file in the format of Moses or Marian (id ||| text ||| ...), fairseq's output, id<TAB>text, JSON lines, a
directory with a file a segment, or with --num-candidates any file with that many lines a segment. An experiment file
may stand in its place. References come with -r, and a segment needs two at least.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tarocco.cli.options import (
    add_cluster_option,
    add_figure_option,
    add_jobs_option,
    add_output_options,
    add_report_option,
    add_resampling_options,
    add_scores_option,
    add_store_option,
    add_text_options,
    store_of,
    whole_number,
)
from tarocco.cli.reporting import report_if_asked
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.core.test_set import Segments, TestSet
    from tarocco.meta.orange.confusions import Confusion
    from tarocco.meta.orange.hearing import Lists
    from tarocco.meta.orange.results import OrangeResult
    from tarocco.meta.orange.rules import Panel, Rules

EXAMPLES = """examples:
  tarocco orange nbest.txt -r ref1 ref2 ref3 ref4 -m BLEUS-4 WER ROUGE-L ROUGE-S-4
  tarocco orange nbest.txt -r ref1 ref2 ref3 ref4 --n-best 30 --curve --figure curve.svg
  tarocco orange nbest.txt -r ref1 ref2 -m BLEUS-4 ROUGE-L --combine BLEUS-4 ROUGE-L --short keep
  tarocco orange nbest.txt -r ref1 ref2 ref3 ref4 -m ROUGE-L --errors errors.html --sample 50 --sheet sheet.tsv
"""

SHEET = "orange-sample.tsv"
DRAWN = 20


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", nargs="*", metavar="NBEST", help="n-best lists, or an experiment file (.toml)")
    parser.add_argument("-r", "--references", nargs="+", action="extend", metavar="REF", help="reference files")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="names as `tarocco metrics` lists them (default: BLEUS-4, NIST-5, PER, WER, some ROUGE, chrF)",
    )
    parser.add_argument(
        "--combine",
        nargs="+",
        action="append",
        metavar="METRIC",
        help="metrics that judge together, by the mean of their ranks (may be given several times)",
    )
    add_scores_option(parser)
    _add_list_options(parser)
    _add_rules(parser)
    add_text_options(parser, tokenize="none", documents=False)
    add_resampling_options(parser, always=True)
    _add_analysis_options(parser)
    add_output_options(parser, levels=("corpus", "segment"))
    add_figure_option(parser, "ORANGE, or the curves")
    add_report_option(parser)
    add_jobs_option(parser)
    add_cluster_option(parser)
    add_store_option(parser)


def _add_list_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("lists")
    group.add_argument(
        "--first-id", type=whole_number(0), default=0, metavar="N", help="the first segment's id (default: 0)"
    )
    group.add_argument(
        "--num-candidates", type=whole_number(1), metavar="N", help="the file has no ids: every N lines are a list"
    )
    group.add_argument(
        "--n-best", type=whole_number(1), metavar="N", help="use the first N candidates (default: the longest list's)"
    )
    group.add_argument(
        "--short", choices=("skip", "keep"), default="skip", help="lists with fewer candidates (default: skip)"
    )
    group.add_argument("--unique", action="store_true", help="the same text counts once in a list")
    group.add_argument("--drop-copies", action="store_true", help="leave out candidates that are a reference")
    group.add_argument(
        "--pool", metavar="FILE", help="a label a segment: segments with the same one are pooled (a source file, say)"
    )


def _add_rules(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("rules")
    group.add_argument(
        "--against",
        choices=("fair", "all"),
        default="fair",
        help="score candidates as references are, against all sets that leave one out, or against all (default: fair)",
    )
    group.add_argument(
        "--oracle",
        choices=("average-score", "average-rank", "combined"),
        default="average-score",
        help="rank the mean score of the references, or take the mean of their ranks among the candidates, or among "
        "candidates and references (default: average-score)",
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
        help="ORANGE over the first k candidates: a step, or lengths as in 1,10,100",
    )


def _add_analysis_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("error analysis")
    group.add_argument(
        "--errors", metavar="FILE", help="which candidates stand above the references: .jsonl, or a page (.html)"
    )
    group.add_argument(
        "--most", type=whole_number(1), default=10, metavar="N", help="candidates told a list (default: 10)"
    )
    group.add_argument("--source", metavar="FILE", help="the source text, for people who read pages and sheets")
    group.add_argument(
        "--sample", type=whole_number(1), metavar="K", help="draw K cases in which a machine beat the references"
    )
    group.add_argument("--sheet", metavar="FILE", help=f"where the cases go, for a person to judge (default: {SHEET})")
    group.add_argument("--judged", metavar="FILE", help="read a judged sheet, and nothing else")


def _lengths(text: str) -> Any:
    try:
        lengths = tuple(int(part) for part in text.split(","))
    except ValueError:
        lengths = (0,)
    if min(lengths) < 1:
        raise argparse.ArgumentTypeError(f"a step, or lengths as in 1,10,100, is wanted, not {text}")
    return lengths[0] if len(lengths) == 1 and "," not in text else lengths


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.orange_inputs import read_trial
    from tarocco.core.errors import InputError

    if options.judged:
        tell_judged(options)
        return
    if len(options.nbest) != 1:
        raise InputError(
            "which n-best lists? name a file (- is standard input), or give --judged FILE to read a judged sheet"
            if not options.nbest
            else f"one file of n-best lists is wanted, found {' '.join(options.nbest)}: references come with -r"
        )
    options.nbest = options.nbest[0]
    if options.sheet and not options.sample:
        raise InputError("--sheet says where cases go: give --sample K, too, which draws them")
    _check_outputs(options)
    lists, references, panel, rules, source = read_trial(options)
    result = trial(lists, references, panel, rules, source, options)
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
        if options.curve and not options.figure and options.format not in ("json", "tsv", "csv"):
            say("note: curves are drawn with --figure FILE, and printed with -f tsv, csv or json")
    write(result, options)
    if options.figure:
        from tarocco.render.plots.figures import figure

        figure(result, options.figure)
    report_if_asked(options, [result], encoding=rules.encoding)


def trial(
    lists: Lists, references: TestSet, panel: Panel, rules: Rules, source: Segments | None, options: argparse.Namespace
) -> OrangeResult:
    """Run the trial, and write what was asked for of the candidates that stand above references."""
    from dataclasses import replace

    from tarocco.meta.orange.confusions import Wanted
    from tarocco.meta.orange.trial import run_trial
    from tarocco.render.results.confusions import write_confusions
    from tarocco.render.terminal import progress

    # Some of each list, from which cases are then drawn: more where there are few lists.
    drawn = min(options.sample or 0, DRAWN + 4 * (options.sample or 0) // len(references))
    wanted = Wanted(options.most if options.errors or options.report else 0, drawn, options.seed, options.first_id)
    found: list[Confusion] = []

    def keep(confusion: Confusion) -> None:
        found.append(replace(confusion, source=source[confusion.segment - 1]) if source is not None else confusion)

    with progress("lists", len(references), shown=not options.quiet, inside="candidates") as advance:
        result = run_trial(
            lists,
            references,
            panel,
            rules,
            confusions=wanted if options.errors or options.sample or options.report else None,
            on_confusion=keep,
            advance=advance,
            jobs=options.jobs,
            store=store_of(options),
            executor=options.executor,
        )
    counting = set(result.segments.tolist())
    found = [one for one in found if one.segment - 1 in counting]
    if options.errors:
        settings = {one.metric: one.signature for one in result.metrics}
        write_confusions(
            options.errors, found, title=f"ORANGE: {lists.name}", settings=settings, tokenize=rules.encoding.words
        )
    if options.sample:
        note = _sample(found, options)
        if not options.quiet:
            say(f"note: {note}")
    return replace(result, confusions=tuple(found)) if options.report else result


def _sample(found: list[Confusion], options: argparse.Namespace) -> str:
    """Draw cases for a person to judge, and say where they are."""
    from tarocco.meta.orange.blind_sheet import draw_cases, write_sheet

    cases, sheet = draw_cases(found, options.sample, options.seed), options.sheet or SHEET
    if not cases:
        return f"no candidate stands above the references, so that there is no case to judge, and no {sheet}"
    write_sheet(sheet, cases, options.seed)
    return f"{len(cases)} cases are in {sheet}: fill in A, B or = and read it back with --judged {sheet}"


def _check_outputs(options: argparse.Namespace) -> None:
    """All that can be refused is refused before the work."""
    from tarocco.cli.inputs import named_once
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
    scores = [file.path for file in named_once(options.scores or ()).values()]
    inputs = [options.nbest, *(options.references or ()), *scores, options.pool, options.source]
    check_no_overwrite([options.errors, options.figure, options.report, *sheets, store_of(options)], inputs)


def tell_judged(options: argparse.Namespace) -> None:
    """What a judged sheet says."""
    from tarocco.meta.orange.blind_sheet import CAVEAT, read_judged
    from tarocco.render.results.score import json_text

    judged = read_judged(options.judged, confidence=options.confidence or 0.95)
    if options.format == "json":
        sys.stdout.write(json_text("orange", {"sheet": options.judged}, [judged.to_dict()]))
    else:
        of_each = [f"{metric}: {one}\n" for metric, one in judged.by_metric.items() if one.judged]
        sys.stdout.write("".join([f"{judged}\n", *of_each * (len(of_each) > 1), f"{CAVEAT}\n"]))


def write(result: OrangeResult, options: argparse.Namespace) -> None:
    """Write a trial to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import orange
    from tarocco.render.results import score as scores
    from tarocco.render.tables import number_or_dash

    out = sys.stdout
    if options.score_only:
        digits = 2 if options.width is None else options.width
        asked = sorted(result.values(), key=lambda one: one.place)  # as asked for, so that scripts know which is which
        out.writelines(f"{number_or_dash(100 * one.orange, f'.{digits}f')}\n" for one in asked)
    elif options.format == "json":
        settings = {"seed": options.seed, "confidence": options.confidence, "n_resamples": options.n_resamples}
        about = {"nbest": options.nbest, "references": options.references}
        about |= {"left_out": dict(result.left_out), "found": dict(result.found)}
        if options.level == "segment":
            about["segments"] = (result.segments + 1).tolist()
        out.write(scores.json_text("orange", settings | about, result.to_dict(options.level)))
    elif options.format in ("tsv", "csv"):
        out.write(orange.separated_text(result, options.level, "\t" if options.format == "tsv" else ","))
    else:
        by_list = options.level == "segment"
        table = orange.ranks_table(result) if by_list else orange.orange_table(result, options.width)
        tables.write_noted(table, footnotes(result), options.format, out)


def footnotes(result: OrangeResult) -> list[str]:
    """Below a table: what was ranked, signatures, what the marks mean."""
    interval = result.metrics[0].interval
    lines = [
        f"{result.about}; the lower ORANGE, the better the metric",
        *(one.signature for one in result.metrics),
        f"{100 * interval.confidence:g}%-CI: bootstrap interval of the average rank over segments, "
        f"{interval.n_resamples} resamples, seed {interval.seed}",
    ]
    if len(result.segments) == 1:
        lines.append("one segment alone: intervals say nothing, and no metric can be told from another")
    elif any(one.equivalent_to_best for one in result.metrics[1:]):
        lines.append("=: the interval of its difference from the best, over the same resamples, has zero in it")
    return lines
