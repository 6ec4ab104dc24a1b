"""Choose from each n-best list or lattice the text that is most like all the others: minimum Bayes risk.

The expected utility of a candidate is the mean of a metric's scores of it with each candidate of the list, itself too,
as its only reference; with --scale the model's scores say how much each of those weighs. What is chosen is printed, a
line a list. FILE is one as `tarocco orange` reads it: Moses, Marian, fairseq, id<TAB>text, JSON lines.
With -r the choices are scored with human references, beside the first candidates and the best there are.
From lattices and forests (PLF, SLF, OpenFst, Moses, cdec) the path is chosen whose n-grams are the most probable ones
(Tromble et al. 2008): exactly, of all paths, each of which weighs exp(S x its weight).
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tarocco.cli.choices import FORMATS
from tarocco.cli.mbr_lattices import add_lattice_options, has_lattices, run_lattices
from tarocco.cli.options import add_cluster_option, add_jobs_option, add_text_options, share, whole_number
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.decode.mbr.results import MbrResult

EXAMPLES = """examples:
  tarocco mbr nbest.txt > best.txt
  tarocco mbr nbest.txt -m BLEUS-4 --scale 0.5 -r ref1.txt ref2.txt
  tarocco mbr nbest.txt -m METEOR --prune > best.txt
  tarocco mbr nbest.txt -m chrF BLEUS-4 TER --queen -f tsv
  tarocco mbr lattices.plf --scale 0.5 -r ref.txt --by BLEU-4 WER
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", metavar="FILE", help="n-best lists, samples, lattices or forests; - is standard input")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="the utility; of several the mean of ranks counts, unless --weights or --queen is given (default: chrF)",
    )
    group = parser.add_argument_group("utility")
    both = group.add_mutually_exclusive_group()
    both.add_argument("--weights", nargs="+", type=float, metavar="W", help="add the metrics up, each times its weight")
    both.add_argument("--queen", action="store_true", help="QUEEN over the metrics, the other candidates as references")
    group.add_argument(
        "--scale",
        type=float,
        metavar="S",
        help="weigh candidates by exp(S x score), with the scores in the file (default: all weigh the same; paths: 1)",
    )
    group.add_argument("--references-from", metavar="FILE", help="other lists to compare with, for the same segments")
    group.add_argument(
        "--max-references", type=whole_number(2, 64), default=16, metavar="N", help="that --queen draws (default: 16)"
    )
    group.add_argument(
        "--prune",
        nargs="?",
        type=share,
        const=0.99,
        metavar="0.99",
        help="leave candidates out on the way that lose with this confidence",
    )
    group.add_argument("--seed", type=int, default=12345, metavar="N", help="of --queen, --prune (default: 12345)")
    lists = parser.add_argument_group("lists")
    lists.add_argument("--n-best", type=whole_number(1), metavar="N", help="use the first N candidates (default: all)")
    lists.add_argument(
        "--first-id", type=whole_number(0), default=0, metavar="N", help="the first segment's id (default: 0)"
    )
    lists.add_argument(
        "--num-candidates", type=whole_number(1), metavar="N", help="the file has no ids: every N lines are a list"
    )
    add_lattice_options(parser)
    judges = parser.add_argument_group("what it gained")
    judges.add_argument("-r", "--references", nargs="+", action="extend", metavar="REF", help="human references")
    judges.add_argument(
        "--by",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="metrics to score with (default: those of -m; BLEU-4)",
    )
    add_text_options(parser, tokenize="none", documents=False)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=("text", *FORMATS),
        help="the chosen texts alone, or with numbers (default: text, or with -r a table)",
    )
    output.add_argument("--level", choices=("corpus", "segment"), default="corpus", help="tables: all lists, or each")
    output.add_argument(
        "-w", "--width", type=whole_number(0, 17), metavar="DIGITS", help="digits after the point in tables"
    )
    output.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")
    add_jobs_option(parser)
    add_cluster_option(parser)


def run(options: argparse.Namespace) -> None:
    from dataclasses import replace

    from tarocco.annotate.parses import name_texts
    from tarocco.cli.inputs import analyzer_of, encoding_of
    from tarocco.core.errors import InputError
    from tarocco.decode.mbr.mbr import METRIC, choose, read_lists
    from tarocco.decode.mbr.utilities import MbrOptions, Utility
    from tarocco.io.test_set import build_test_set, read_references
    from tarocco.metrics.registry import metrics
    from tarocco.render.terminal import progress
    from tarocco.scoring.settings import Workers

    if options.by and not options.references:
        raise InputError("--by says what choices are scored with: give references with -r, too")
    files = [options.nbest, options.references_from, *(options.references or ())]
    if files.count("-") > 1:
        raise InputError("standard input can be read once, but - was given twice")
    if has_lattices(options):
        run_lattices(options)
        return
    options.metrics, options.tokenize = options.metrics or [METRIC], options.tokenize or "none"
    options.lowercase = bool(options.lowercase)
    encoding = encoding_of(options)  # a tokenizer that does not exist is told before anything is read
    human = None
    if options.references:
        columns = [column for path in options.references for column in read_references(path, options.num_refs)]
        human = build_test_set(columns, [])
    encoding = replace(encoding, analyzer=analyzer_of(options, {} if human is None else name_texts(human)))
    choices = MbrOptions(
        weights=None if options.weights is None else tuple(options.weights),
        queen=options.queen,
        scale=options.scale,
        n_best=options.n_best,
        prune=options.prune,
        max_references=options.max_references,
        judges=options.by or None,
        first_id=options.first_id,
        num_candidates=options.num_candidates,
        seed=options.seed,
    )
    utility = Utility(tuple(metrics(options.metrics)), encoding, choices)
    pseudo = None
    if options.references_from:
        pseudo = read_lists(options.references_from, choices, None, options.references_from)
    lists = read_lists(options.nbest, choices, None, options.nbest, human, with_scores=pseudo is None)
    with progress("lists", len(human) if human else None, shown=not options.quiet, inside="candidates") as advance:
        result = choose(
            *(lists, utility),
            pseudo=pseudo,
            references=human,
            workers=Workers(jobs=options.jobs, executor=options.executor),
            advance=advance,
        )
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    write(result, options)


def write(result: MbrResult, options: argparse.Namespace) -> None:
    """Write choices to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import mbr
    from tarocco.render.results import score as scores

    out = sys.stdout
    form = options.format or ("table" if options.references else "text")
    if form == "text":
        lines = (text.replace("\n", " ") for text in result.texts)  # JSON can have such texts
        out.writelines(f"{line}\n" for line in lines)
    elif form == "json":
        about = {
            "seed": options.seed,
            "nbest": options.nbest,
            "utility": result.utility,
            "signature": result.signature,
            "metric_signatures": list(result.metric_signatures),
            "gains": result.gain_rows(),
        }
        out.write(scores.json_text("mbr", about, result.to_dict()))
    elif form in ("tsv", "csv"):
        out.write(tables.separated(result.rows(), "\t" if form == "tsv" else ","))
    else:
        table = mbr.choices_table if options.level == "segment" else mbr.summary_table
        tables.write_noted(table(result, options.width), footnotes(result), form, out)


def footnotes(result: MbrResult) -> list[str]:
    """Below a table: what the utility is, how many choices are new, signatures."""
    scaled = [one.metric for one in result.gains if one.scale != 1]
    return [
        f"utility: {result.utility}; expected, the mean over {len(result)} lists",
        f"MBR chose another text than the first in {result.changed} of {len(result)} lists",
        result.signature,
        *result.metric_signatures,
        *(one.signature for one in result.gains),
        *([f"shown times 100: {', '.join(scaled)}"] if scaled else []),
    ]
