"""`tarocco mbr` for lattices and forests: options, what goes with what, and what is written."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tarocco.cli.oracle import FORMS
from tarocco.cli.running import say

if TYPE_CHECKING:
    from tarocco.decode.mbr.results import LatticeMbrResult

# What is not for the other kind of file, and what it is called.
_OF_LISTS = ("metrics", "weights", "queen", "references_from", "prune", "n_best")
_OF_LATTICES = ("theta", "precision", "ratio", "feature_weights", "without", "symbols")


def add_lattice_options(parser: argparse.ArgumentParser) -> None:
    """What lattices and forests can have."""
    group = parser.add_argument_group("lattices and forests")
    group.add_argument("--form", choices=FORMS, help="what FILE has, where its first line does not tell")
    group.add_argument(
        "--theta",
        nargs="+",
        type=float,
        metavar="T",
        help="what a word gains, and an n-gram of each order from 1 on (default: from --precision and --ratio)",
    )
    group.add_argument(
        "--precision", type=float, metavar="P", help="of words, where gains are to be BLEU's (default: 0.85)"
    )
    group.add_argument(
        "--ratio", type=float, metavar="R", help="of each precision to that of one order less (default: 0.72)"
    )
    group.add_argument(
        "--feature-weights", metavar="FILE", help="weights of features: `name weight` a line (Moses, cdec)"
    )
    group.add_argument(
        "--without", nargs="+", action="extend", metavar="WORD", help="no part of any text, such as '<s>'"
    )
    group.add_argument("--symbols", metavar="FILE", help="OpenFst's table of symbols, for numbers in place of words")


def has_lattices(options: argparse.Namespace) -> bool:
    """Whether the file has lattices or forests; options for the other kind of file are refused."""
    from tarocco.core.errors import InputError
    from tarocco.io.graphs.formats import NBEST, detect_kind

    lists = options.num_candidates is not None or (options.nbest == "-" and options.form is None)
    found = not lists and detect_kind(options.nbest, options.form) != NBEST
    for name in _OF_LISTS if found else _OF_LATTICES:
        if getattr(options, name) not in (None, False):
            option = {"metrics": "-m", "references_from": "--references-from"}.get(name, f"--{name.replace('_', '-')}")
            own, has = ("n-best lists", "lattices or forests") if found else ("lattices and forests", "n-best lists")
            raise InputError(f"{option} is for {own}, and {options.nbest} has {has}")
    return found


def run_lattices(options: argparse.Namespace) -> None:
    """Choose a path from each lattice and write what was asked for."""
    from dataclasses import replace

    from tarocco.annotate.parses import name_texts
    from tarocco.cli.inputs import analyzer_of, encoding_of
    from tarocco.core.errors import InputError
    from tarocco.decode.mbr.lattice_mbr import JUDGE, PRECISION, RATIO, LinearGain, choose_paths, thetas
    from tarocco.decode.oracle.oracle import SearchInput
    from tarocco.io.graphs.formats import read_feature_weights, read_lattices
    from tarocco.io.test_set import build_test_set, read_references
    from tarocco.metrics.registry import metrics
    from tarocco.render.terminal import progress
    from tarocco.scoring.settings import Workers

    options.tokenize, options.lowercase = options.tokenize or "none", bool(options.lowercase)
    if options.tokenize != "none":
        raise InputError(
            f"the words of lattices and forests are taken as they are (--tokenize none), not with {options.tokenize}"
        )
    if options.theta is not None and (options.precision is not None or options.ratio is not None):
        raise InputError("--theta says what n-grams gain: --precision and --ratio are for gains made from them")
    theta = options.theta
    if theta is None:
        own = (options.precision, PRECISION), (options.ratio, RATIO)
        theta = thetas(*(default if given is None else given for given, default in own))
    gain = LinearGain(tuple(theta), 1.0 if options.scale is None else options.scale, options.lowercase)
    judges = metrics(options.by or [JUDGE])
    human = None
    if options.references:
        columns = [column for path in options.references for column in read_references(path, options.num_refs)]
        human = build_test_set(columns, [])
    encoding = encoding_of(options)
    encoding = replace(encoding, analyzer=analyzer_of(options, {} if human is None else name_texts(human)))
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
            workers=Workers(jobs=options.jobs, executor=options.executor),
            advance=advance,
        )
    if not options.quiet:
        for note in result.notes:
            say(f"note: {note}")
    write(result, options)


def write(result: LatticeMbrResult, options: argparse.Namespace) -> None:
    """Write choices to standard output as asked."""
    from tarocco.render import tables
    from tarocco.render.results import mbr
    from tarocco.render.results import score as scores

    out = sys.stdout
    form = options.format or ("table" if options.references else "text")
    if form == "text":
        out.writelines(f"{text}\n" for text in result.texts)
    elif form == "json":
        about = {
            "file": options.nbest,
            "utility": "linear gain",
            "theta": list(result.theta),
            "signature": result.signature,
            "scores": result.score_rows(),
        }
        out.write(scores.json_text("mbr", about, result.to_dict()))
    elif form in ("tsv", "csv"):
        out.write(tables.separated(result.rows(), "\t" if form == "tsv" else ","))
    else:
        table = mbr.paths_table if options.level == "segment" else mbr.paths_summary
        tables.write_noted(table(result, options.width), footnotes(result), form, out)


def footnotes(result: LatticeMbrResult) -> list[str]:
    """Below a table: what the gain is, how many choices are new, signatures."""
    first = {} if result.scores is None else {str(score.metric): score for score in result.scores.scores}
    scaled = [name for name, score in first.items() if score.metric.scale != 1]
    return [
        f"gain: linear in n-grams by their posteriors, exact; expected, the mean over {len(result)} lattices",
        f"MBR chose another text than the 1-best in {result.changed} of {len(result)} lattices",
        result.signature,
        *(score.signature for score in first.values()),
        *([f"shown times 100: {', '.join(scaled)}"] if scaled else []),
    ]
