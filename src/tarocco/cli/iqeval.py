"""Evaluate systems and metrics with QARLA, as IQeval of IQmt 2.0 does.

IQsetup writes IQeval.config and the XML files beside it. IQeval.config has sets of metrics, systems, references and
segments; more sets can be added to it. Scores that the XML files lack are computed if the texts are available.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tarocco.cli import guard
from tarocco.cli.command import Parser, attempt, say

if TYPE_CHECKING:
    from tarocco.iqmt.evaluate import IQTestBed

PROGRAM = "IQeval"
ACTIONS = ("doKING", "doQUEEN", "doJACK", "doOQ", "optimizeKING", "TRY", "TRYoq", "TRYall")
EXAMPLES = """examples:
  IQeval -doOQ -doQUEEN -G sys -O 0 IQeval.config
  IQeval -doQUEEN -G seg -M some_metrics -S some_systems -R some_refs -T some_segs IQeval.config
  IQeval -doKING -O 1 IQeval.config
"""


def parser() -> argparse.ArgumentParser:
    parser = Parser(PROGRAM, __doc__, EXAMPLES)
    parser.add_argument("config", metavar="IQeval.config", help="the file that IQsetup wrote")
    group = parser.add_argument_group("actions")
    group.add_argument("-doKING", action="store_true", help="how often metrics prefer references to systems")
    group.add_argument("-doQUEEN", action="store_true", help="the quality of systems by all metrics together")
    group.add_argument("-doJACK", action="store_true", help="how reliable the test bed is")
    group.add_argument("-doOQ", action="store_true", help="the scores of the metrics, without QARLA")
    group.add_argument("-optimizeKING", action="store_true", help="search for the set of metrics with the best KING")
    group.add_argument("-TRY", metavar="FILE", help="QUEEN with a new system, without saving it")
    group.add_argument("-TRYoq", metavar="FILE", help="the scores of the metrics with a new system")
    group.add_argument("-TRYall", metavar="FILE", help="both with a new system")
    group = parser.add_argument_group("sets, by their names in IQeval.config")
    group.add_argument("-M", metavar="SET", help="metrics (default: all, the set metrics)")
    group.add_argument("-S", metavar="SET", help="systems (default: all, the set systems)")
    group.add_argument("-R", metavar="SET", help="references (default: all, the set refs)")
    group.add_argument("-T", metavar="SET", help="segments (default: all)")
    group = parser.add_argument_group("options")
    group.add_argument("-G", choices=("sys", "seg"), default="sys", help="scores of systems or segments (default: sys)")
    group.add_argument(
        "-O", choices=("0", "1"), default="0", help="0: a matrix; 1: one ranking per column (default: 0)"
    )
    group.add_argument("-TT", action="store_true", help="trans-topic mode: pairs of references of all segments")
    group.add_argument("-doref", action="store_true", help="also scores of references, each against the others")
    group.add_argument("-remake", action="store_true", help="compute existing XML files again")
    return parser


def run(options: argparse.Namespace) -> int | None:
    tried = [file for file in (options.TRY, options.TRYoq, options.TRYall) if file]
    if not any(getattr(options, action) for action in ACTIONS):
        say(f"nothing to do: give one of {', '.join(f'-{action}' for action in ACTIONS)}", PROGRAM)
        return 2
    if len(set(tried)) > 1:
        say(f"expected one new system, found {' '.join(dict.fromkeys(tried))}", PROGRAM)
        return 2
    from tarocco.cli.terminal import progress
    from tarocco.iqmt.configs import read_eval
    from tarocco.iqmt.evaluate import EvalOptions, IQTestBed

    evaluation = EvalOptions(
        metrics=options.M,
        systems=options.S,
        references=options.R,
        segments=options.T,
        of_references=options.doref,
        trans_topic=options.TT,
        tried=tried[0] if tried else None,
        remake=options.remake,
    )
    bed = IQTestBed(read_eval(options.config), evaluation, progress)
    tables = []
    outside = options.doOQ or bool(options.TRYoq or options.TRYall)
    inside = options.doQUEEN or bool(options.TRY or options.TRYall)
    if outside or inside:
        tables.append(scores_table(bed, outside, inside, options))
    if options.doKING:
        tables.append(king_table(bed, options))
    if options.doJACK:
        tables.append(jack_table(bed, options))
    if options.optimizeKING:
        tables.append(search_table(bed))
    sys.stdout.write("\n".join(tables))
    for note in bed.notes:
        say(f"note: {note}", PROGRAM)
    return None


def scores_table(bed: IQTestBed, outside: bool, inside: bool, options: argparse.Namespace) -> str:
    """Return the table of metric scores, with QUEEN as the last column."""
    import numpy as np

    from tarocco.iqmt.evaluate import matrix, rankings, with_segments
    from tarocco.meta.qarla.queen import mean_ignoring_nan

    names: list[str] = []
    columns = []
    if outside:
        scores = bed.outside(by_segment=options.G == "seg")
        names += bed.metrics
        columns += list(np.moveaxis(scores, 1, 0).reshape(len(bed.metrics), -1))
    if inside:
        queens = bed.queens()
        names.append("QUEEN")
        columns.append(queens.ravel() if options.G == "seg" else mean_ignoring_nan(queens, 1))
    rows = with_segments(bed.rows, bed.numbers) if options.G == "seg" else bed.rows
    write = rankings if options.O == "1" else matrix
    return write("SYS", names, rows, np.column_stack(columns))


def king_table(bed: IQTestBed, options: argparse.Namespace) -> str:
    """Return KING, strict KING and the share of ties, of each metric and of all together."""
    import numpy as np

    from tarocco.iqmt.evaluate import matrix

    columns = ["KING", "STRICT", "TIES"]
    if options.G == "seg":
        (together,) = bed.kings([bed.every])
        rows, values = list(map(str, bed.numbers)), together.by_segment
    else:
        sets = [[metric] for metric in bed.every] + [bed.every] * (len(bed.metrics) > 1)
        rows = [*bed.metrics, options.M or "metrics"][: len(sets)]
        values = np.array([king.together for king in bed.kings(sets)])
    if options.O == "1":
        order = np.argsort(np.where(np.isnan(values[:, 0]), np.inf, -values[:, 0]), kind="stable")
        rows, values = [rows[i] for i in order], values[order]
    return matrix("SEG" if options.G == "seg" else "METRIC", columns, rows, values)


def search_table(bed: IQTestBed) -> str:
    """Return the metrics in the order of their addition, with the set's KING after each, and the set as a line."""
    import numpy as np

    from tarocco.iqmt.evaluate import matrix

    best = bed.best_set()
    kings = bed.kings([best[: size + 1] for size in range(len(best))])
    names = [bed.metrics[metric] for metric in best]
    table = matrix("ADDED", ["KING", "STRICT", "TIES"], names, np.array([king.together for king in kings]))
    return f"{table}\noptimal_metrics= {' '.join(names)}\n"


def jack_table(bed: IQTestBed, options: argparse.Namespace) -> str:
    """Return JACK, of all segments or of each."""
    import numpy as np

    from tarocco.iqmt.evaluate import matrix
    from tarocco.meta.qarla.queen import mean_ignoring_nan

    by_segment = bed.jacks()
    if options.G == "seg":
        return matrix("SEG", ["JACK"], list(map(str, bed.numbers)), by_segment[:, None])
    return matrix("SET", ["JACK"], [options.M or "metrics"], np.array([[mean_ignoring_nan(by_segment, 0)]]))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run IQeval. Exit codes: 0 success, 1 bad data, 2 wrong usage."""

    def work(words: list[str]) -> int:
        return attempt(parser, run, words, lambda _options: "stopped", PROGRAM)

    return guard(work, arguments, PROGRAM)
