"""Choose from n-best lists or lattices by minimum Bayes risk.

From each n-best list, the candidate with the highest expected utility is printed: the mean of a metric's scores with
each candidate of the list as the only reference. With --scale, the model's scores weight these references. FILE has any
format of `tarocco orange`: Moses, Marian, fairseq, id<TAB>text, JSON lines. With -r, the choices are scored with human
references, beside the first candidates and the best ones.

From lattices and forests (PLF, SLF, OpenFst, Moses, cdec), the path with the most probable n-grams is chosen (Tromble
et al. 2008): exactly, over all paths, each weighted by exp(S x its weight).
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import analyzer_of, encoding_of, read_once, read_references
from tarocco.cli.output import write

if TYPE_CHECKING:
    from tarocco.core.test_set import TestSet
    from tarocco.encode.batch import Encoding

EXAMPLES = """examples:
  tarocco mbr nbest.txt > best.txt
  tarocco mbr nbest.txt -m BLEUS-4 --scale 0.5 -r ref1.txt ref2.txt
  tarocco mbr nbest.txt -m METEOR --prune > best.txt
  tarocco mbr nbest.txt -m chrF BLEUS-4 TER --queen -f tsv
  tarocco mbr lattices.plf --scale 0.5 -r ref.txt --by BLEU-4 WER
"""

# The options of one kind of file only.
FOR_LISTS = ("metrics", "weights", "queen", "references_from", "prune", "n_best")
FOR_LATTICES = ("theta", "precision", "ratio", "feature_weights", "without", "symbols")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("nbest", metavar="FILE", help="n-best lists, samples, lattices or forests; - is standard input")
    parser.add_argument(
        "-m",
        "--metrics",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="the utility; several are combined by mean rank, unless --weights or --queen is given (default: chrF)",
    )
    group = parser.add_argument_group("utility")
    both = group.add_mutually_exclusive_group()
    both.add_argument("--weights", nargs="+", type=float, metavar="W", help="the weighted sum of the metrics")
    both.add_argument(
        "--queen", action="store_true", help="QUEEN over the metrics, with the other candidates as references"
    )
    group.add_argument(
        "--scale",
        type=float,
        metavar="S",
        help="weight candidates by exp(S x score), with the scores in the file (default: equal weights; lattices: 1)",
    )
    group.add_argument(
        "--references-from", metavar="FILE", help="compare with these lists instead, for the same segments"
    )
    group.add_argument(
        "--max-references",
        type=shared.whole_number(2, 64),
        default=16,
        metavar="N",
        help="references that --queen draws (default: 16)",
    )
    group.add_argument(
        "--prune",
        nargs="?",
        type=shared.share,
        const=0.99,
        metavar="0.99",
        help="drop candidates early that lose with this confidence",
    )
    group.add_argument(
        "--seed", type=int, default=12345, metavar="N", help="the seed of --queen and --prune (default: 12345)"
    )
    lists = parser.add_argument_group("lists")
    lists.add_argument(
        "--n-best", type=shared.whole_number(1), metavar="N", help="use the first N candidates (default: all)"
    )
    shared.add_list_options(lists)
    _add_lattice_options(parser)
    judges = parser.add_argument_group("evaluation")
    shared.add_references_option(judges)
    judges.add_argument(
        "--by",
        nargs="+",
        action="extend",
        metavar="METRIC",
        help="metrics that score the choices (default: those of -m; for lattices BLEU-4)",
    )
    shared.add_text_options(parser, tokenize="none", documents=False)
    output = parser.add_argument_group("output")
    output.add_argument(
        "-f",
        "--format",
        choices=("text", *shared.FORMATS),
        help="only the chosen texts, or also numbers (default: text, or with -r table)",
    )
    output.add_argument("--level", choices=("corpus", "segment"), default="corpus", help="one row for all, or per list")
    shared.add_width_option(output)
    shared.add_quiet_option(output)
    shared.add_jobs_option(parser)
    shared.add_cluster_option(parser)


def _add_lattice_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("lattices and forests")
    add_graph_options(group, "--feature-weights")
    group.add_argument(
        "--theta",
        nargs="+",
        type=float,
        metavar="T",
        help="the gain of a word, and of an n-gram of each order from 1 (default: from --precision and --ratio)",
    )
    group.add_argument(
        "--precision",
        type=float,
        metavar="P",
        help="unigram precision, for gains that approximate BLEU (default: 0.85)",
    )
    group.add_argument(
        "--ratio", type=float, metavar="R", help="the ratio of each precision to the one before (default: 0.72)"
    )


def add_graph_options(group: argparse._ArgumentGroup, weights: str) -> None:
    """Add the options about the format of lattices and forests; `weights` is the option for feature weights."""
    group.add_argument("--form", choices=shared.GRAPH_FORMATS, help="the format of FILE (default: from its first line)")
    group.add_argument(weights, metavar="FILE", help="feature weights: one `name weight` per line (cdec, Moses)")
    group.add_argument(
        "--without", nargs="+", action="extend", metavar="WORD", help="words that no text contains, such as '<s>'"
    )
    group.add_argument("--symbols", metavar="FILE", help="OpenFst's symbol table, for numbers instead of words")


def run(options: argparse.Namespace) -> None:
    from tarocco.core.errors import InputError

    if options.by and not options.references:
        raise InputError("--by needs references to score the choices with: give -r")
    read_once(options.nbest, options.references_from, *(options.references or ()))
    lattices = _has_lattices(options)
    options.tokenize, options.lowercase = options.tokenize or "none", bool(options.lowercase)
    if options.format is None:
        options.format = "table" if options.references else "text"
    options.score_only = options.format == "text"
    (run_lattices if lattices else run_lists)(options)


def _has_lattices(options: argparse.Namespace) -> bool:
    """Return whether the file has lattices or forests; refuse options for the other kind of file."""
    from tarocco.core.errors import InputError
    from tarocco.io.graphs.formats import NBEST, detect_kind

    lists = options.num_candidates is not None or (options.nbest == "-" and options.form is None)
    lattices = not lists and detect_kind(options.nbest, options.form) != NBEST
    for name in FOR_LISTS if lattices else FOR_LATTICES:
        if getattr(options, name) not in (None, False):
            option = "-m" if name == "metrics" else f"--{name.replace('_', '-')}"
            kinds = ("n-best lists", "lattices or forests") if lattices else ("lattices and forests", "n-best lists")
            raise InputError(f"{option} is for {kinds[0]}, and {options.nbest} has {kinds[1]}")
    return lattices


def _read_human(options: argparse.Namespace) -> tuple[TestSet | None, Encoding]:
    """Return the references of -r, and how text is read."""
    from tarocco.core.test_set import name_texts

    encoding = encoding_of(options)  # an unknown tokenizer is an error before any text is read
    human = read_references(options)[0] if options.references else None
    return human, replace(encoding, analyzer=analyzer_of(options, {} if human is None else name_texts(human)))


def run_lists(options: argparse.Namespace) -> None:
    """Choose a candidate from each n-best list."""
    from tarocco.cli.terminal import progress
    from tarocco.decode.mbr.mbr import METRIC, choose, read_lists
    from tarocco.decode.mbr.utilities import MbrOptions, Utility
    from tarocco.metrics.registry import metrics
    from tarocco.render.results.decode import present_choices
    from tarocco.scoring.settings import Workers

    human, encoding = _read_human(options)
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
    utility = Utility(tuple(metrics(options.metrics or [METRIC])), encoding, choices)
    pseudo = None
    if options.references_from:
        pseudo = read_lists(options.references_from, choices, None, options.references_from)
    lists = read_lists(options.nbest, choices, None, options.nbest, human, with_scores=pseudo is None)
    workers = Workers(options.jobs, executor=options.executor)
    with progress("lists", len(human) if human else None, shown=not options.quiet, inside="candidates") as advance:
        result = choose(lists, utility, pseudo=pseudo, references=human, workers=workers, advance=advance)
    about = {"seed": options.seed, "nbest": options.nbest}
    write(present_choices(result, options.level, options.width, **about), options)


def run_lattices(options: argparse.Namespace) -> None:
    """Choose a path from each lattice."""
    from tarocco.cli.terminal import progress
    from tarocco.core.errors import InputError
    from tarocco.decode.mbr.lattice_mbr import JUDGE, PRECISION, RATIO, LinearGain, choose_paths, thetas
    from tarocco.decode.oracle.oracle import SearchInput
    from tarocco.io.graphs.formats import read_feature_weights, read_lattices
    from tarocco.metrics.registry import metrics
    from tarocco.render.results.decode import present_paths
    from tarocco.scoring.settings import Workers

    if options.tokenize != "none":
        raise InputError(f"lattices and forests have words, which are not tokenized again with {options.tokenize}")
    theta = options.theta
    if theta is None:
        precision = PRECISION if options.precision is None else options.precision
        theta = thetas(precision, RATIO if options.ratio is None else options.ratio)
    elif options.precision is not None or options.ratio is not None:
        raise InputError("--theta sets the gains of n-grams: --precision and --ratio are for computing them")
    gain = LinearGain(tuple(theta), 1.0 if options.scale is None else options.scale, options.lowercase)
    judges = metrics(options.by or [JUDGE])
    human, encoding = _read_human(options)
    sources = SearchInput(
        options.nbest,
        graphs=read_lattices(options.nbest, format=options.form, symbols=options.symbols),
        weights=read_feature_weights(options.feature_weights) if options.feature_weights else None,
        without=tuple(options.without or ()),
    )
    with progress("lattices", len(human) if human else None, shown=not options.quiet, inside="arcs") as advance:
        result = choose_paths(
            sources,
            gain,
            references=human,
            judges=judges,
            encoding=encoding,
            workers=Workers(options.jobs, executor=options.executor),
            advance=advance,
        )
    write(present_paths(result, options.level, options.width, file=options.nbest), options)


MBR = Command(__doc__, EXAMPLES, configure, run)
