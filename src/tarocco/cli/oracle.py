"""Find the best text in a lattice, a forest or an n-best list, under a metric.

It shows how good a system could be if it chose well. FILE has lattices (PLF, SLF, OpenFst, Moses), forests (Moses,
cdec) or n-best lists, one per line of the references, which come with -r. Oracles of lattices and forests are exact
under GRR-k, WER and 1-WER (WRR), and approximate under BLEU; n-best lists have oracles under any metric.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tarocco.cli import options as shared
from tarocco.cli.command import Command
from tarocco.cli.inputs import encoding_of, experiment_of, fill_in, read_once, read_references
from tarocco.cli.mbr import add_graph_options
from tarocco.cli.output import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tarocco.core.test_set import Segments, TestSet
    from tarocco.decode.oracle.oracle import OracleOptions, SearchInput
    from tarocco.encode.batch import Encoding
    from tarocco.metrics.base import Metric

EXAMPLES = """examples:
  tarocco oracle lattices.plf -r ref.txt -m GRR-4 --also WER BLEU-4
  tarocco oracle forests.hg -r ref.txt --weights moses.weights --without '<s>' '</s>' --level segment
  tarocco oracle lattices.plf -r ref1 ref2 -m BLEUS-4 --beam 64
  tarocco oracle nbest.txt -r ref.txt -m chrF --output oracles.txt
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="lattices, forests or n-best lists, or an experiment file (.toml)")
    shared.add_references_option(parser)
    parser.add_argument("-m", "--metric", metavar="METRIC", help="the metric that oracles maximize (default: GRR-4)")
    parser.add_argument(
        "--also", nargs="+", action="extend", default=[], metavar="METRIC", help="more metrics that score the texts"
    )
    group = parser.add_argument_group("search")
    group.add_argument(
        "--best",
        metavar="FILE",
        help="texts to compare oracles with (default: the best by weight, the first of lists)",
    )
    group.add_argument(
        "--k-best", type=shared.whole_number(1, 10_000), default=1, metavar="N", help="the N best texts (default: 1)"
    )
    group.add_argument(
        "--beam",
        type=shared.whole_number(1, 10_000),
        default=16,
        metavar="N",
        help="texts per node in approximate searches (default: 16)",
    )
    group = parser.add_argument_group("input")
    add_graph_options(group, "--weights")
    shared.add_list_options(group)
    shared.add_text_options(parser, tokenize="none", documents=False)
    group = parser.add_argument_group("output")
    shared.add_format_option(group)
    group.add_argument(
        "--level", choices=("corpus", "segment"), default="corpus", help="what is printed (default: corpus)"
    )
    group.add_argument("--output", metavar="FILE", help="write the oracles to FILE, one text per line, or N-best lists")
    group.add_argument(
        "-b", "--text-only", dest="score_only", action="store_true", help="print only the oracles, one text per line"
    )
    shared.add_width_option(group)
    shared.add_quiet_option(group)
    shared.add_jobs_option(parser)
    shared.add_cluster_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.cli.terminal import progress
    from tarocco.decode.oracle.oracle import find_oracles
    from tarocco.io.files import check_no_overwrite, check_writable, write_atomically
    from tarocco.render.results.decode import oracle_lines, present_oracles
    from tarocco.scoring.settings import Workers

    if options.output:
        check_writable(options.output)
        check_no_overwrite([options.output], [options.file, *(options.references or ()), options.best, options.weights])
    inputs = read_oracle_inputs(options)
    inside = "arcs" if inputs.sources.lists is None else "candidates"
    with progress("segments", len(inputs.references), shown=not options.quiet, inside=inside) as advance:
        result = find_oracles(
            inputs.sources,
            inputs.references,
            inputs.metric,
            inputs.also,
            inputs.encoding,
            best=inputs.best,
            options=inputs.options,
            workers=Workers(options.jobs, executor=options.executor),
            advance=advance,
        )
    if options.output:
        lines = "".join(f"{line}\n" for line in oracle_lines(result, options.first_id))
        write_atomically(options.output, lines.encode("utf-8", "surrogatepass"))
    about = {"file": options.file, "references": options.references}
    write(present_oracles(result, options.level, options.width, options.first_id, **about), options)


class OracleInputs(NamedTuple):
    """What is searched, the metrics, and the texts that oracles are compared with."""

    sources: SearchInput
    references: TestSet
    metric: Metric
    also: Sequence[Metric]
    encoding: Encoding
    best: Segments | None
    options: OracleOptions


def read_oracle_inputs(options: argparse.Namespace) -> OracleInputs:
    """Read and check everything but the lattices, forests or lists, which are read one at a time."""
    from tarocco.core.errors import InputError
    from tarocco.decode.oracle.oracle import METRIC, OracleOptions, open_search_input
    from tarocco.io.graphs.formats import read_feature_weights
    from tarocco.io.test_set import align_column, read_systems
    from tarocco.metrics.registry import metrics

    experiment = experiment_of([options.file])
    fill_in(options, experiment, tokenize="none")
    encoding = encoding_of(options)
    (metric,), also = metrics([options.metric or METRIC]), metrics(options.also)
    path = experiment.nbest if experiment else options.file
    if path is None:
        raise InputError(f"{options.file} names no n-best lists (nbest = ...)")
    read_once(path, *(options.references or ()), options.best)
    references, first = read_references(options, experiment)
    best = None
    if options.best:
        texts = read_systems(options.best)
        if len(texts) != 1:
            raise InputError(f"{options.best}: expected one text to compare with, found {len(texts)}")
        best = align_column(texts[0], first).segments
    weights = read_feature_weights(options.weights) if options.weights else None
    search = OracleOptions(
        k=options.k_best,
        beam=options.beam,
        format=options.form,
        symbols=options.symbols,
        first_id=options.first_id,
        num_candidates=options.num_candidates,
    )
    sources = open_search_input(path, search, len(references))
    if sources.lists is not None:
        for name in ("weights", "without", "symbols"):
            if getattr(options, name):
                raise InputError(f"--{name} is for lattices and forests, and {path} has n-best lists")
    sources = replace(sources, weights=weights, without=tuple(options.without or ()))
    return OracleInputs(sources, references, metric, also, encoding, best, search)


ORACLE = Command(__doc__, EXAMPLES, configure, run)
