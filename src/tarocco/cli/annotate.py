"""Analyze texts and write the analyses as files.

For each text, which has one segment per line, three files are written beside it: text.conllu (words, lemmas, tags,
dependencies, chunks, entities), text.trees (bracketed trees) and text.props (roles in columns). With --parses, files of
these kinds from another parser are read, checked against the text and completed.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command

if TYPE_CHECKING:
    from tarocco.annotate.sentence import Sentence

EXAMPLES = """examples:
  tarocco annotate ref.txt sys/*.txt
  tarocco annotate ref.txt -f conllu | less -S
  tarocco annotate ref.txt --labels iqmt -o parses
  tarocco annotate ref.txt --parses ref.conllu ref.props -o checked
"""

FORMATS = ("conllu", "trees", "props")  # repeated from annotate/parses.py, so that --help imports no NumPy


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE", help="texts, one segment per line; - is standard input")
    parser.add_argument(
        "--analyzer",
        metavar="NAME",
        help="spacy, spacy:PIPELINE or stanza:LANGUAGE (default: spacy)",
    )
    parser.add_argument(
        "--labels",
        choices=shared.LABELS,
        default="own",
        help="the analyzer's labels, or the IQmt manual's (default: own)",
    )
    parser.add_argument(
        "--parses",
        nargs="+",
        metavar="FILE",
        help="read the analysis of the text from these files instead",
    )
    parser.add_argument(
        "-f", "--format", choices=FORMATS, help="only this format; for a single text, to standard output (default: all)"
    )
    parser.add_argument("-o", "--output", metavar="DIR", help="the folder to write to (default: the text's)")
    shared.add_cluster_option(parser)
    shared.add_store_option(parser)
    shared.add_quiet_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.annotate.parses import format_sentences, list_formats
    from tarocco.core.errors import BadParameter, InputError
    from tarocco.io.files import check_no_overwrite, check_writable, write_atomically

    if options.parses and options.analyzer:
        raise BadParameter("--analyzer and --parses exclude each other: both describe the structure of sentences")
    if options.parses and len(options.files) != 1:
        raise BadParameter(f"--parses describes one text, found {len(options.files)}")
    to_output = options.format is not None and len(options.files) == 1 and options.output is None
    if "-" in options.files and not to_output:
        raise BadParameter("the analysis of standard input goes to standard output: give - alone, and -f")
    formats = FORMATS if options.format is None else (options.format,)
    targets = {} if to_output else {file: _targets(file, options.output, formats) for file in options.files}
    written = [str(path) for paths in targets.values() for path in paths.values()]
    check_no_overwrite(written, [*options.files, *(options.parses or ())])
    folder = None if options.output is None or Path(options.output).is_dir() else Path(options.output)
    if folder is not None and folder.exists():
        raise InputError(f"{folder}: expected a directory, found a file")
    for path in written if folder is None else [folder]:
        check_writable(path)
    rows = []
    for file in options.files:
        sentences = _sentences(file, options)
        available = list_formats(sentences[0].layers) if sentences else []
        if to_output:
            if options.format not in available:
                raise InputError(f"the analysis has no {options.format}: it has {', '.join(available)}")
            sys.stdout.write(format_sentences(sentences, options.format))
            return
        names = []
        if folder is not None:
            folder.mkdir(exist_ok=True)
        for name, target in targets[file].items():
            if name in available:
                write_atomically(target, format_sentences(sentences, name).encode("utf-8", "surrogatepass"))
                names.append(target.name)
        rows.append(
            (file, " ".join(names), f"{len(sentences)}", f"{sum(len(sentence.words) for sentence in sentences)}")
        )
    _report(rows)


def _targets(file: str, folder: str | None, formats: tuple[str, ...]) -> dict[str, Path]:
    """Return the files to write for a text, beside it or in a folder; those of sys.txt.gz are called sys."""
    from tarocco.io.files import COMPRESSED

    text = Path(file)
    name = text.name.removesuffix(text.suffix) if text.suffix in COMPRESSED else text.name
    name = name.removesuffix(".txt")
    return {suffix: Path(folder or text.parent) / f"{name}.{suffix}" for suffix in formats}


def _sentences(file: str, options: argparse.Namespace) -> list[Sentence]:
    from tarocco.annotate.analyzers import DEFAULT
    from tarocco.annotate.cache import annotate_texts
    from tarocco.annotate.derivation import choose_derivation
    from tarocco.annotate.iqmt_labels import to_iqmt
    from tarocco.annotate.parses import read_annotations
    from tarocco.cli.terminal import progress
    from tarocco.core.errors import InputError, TextRefused
    from tarocco.io.files import display_name
    from tarocco.io.text import read_lines

    texts = list(read_lines(file))
    if options.parses:
        sentences = read_annotations(options.parses, texts)
        sentences = list(map(choose_derivation(sentences), sentences))
    else:
        with progress("texts", len(texts), shown=not options.quiet) as advance:
            try:
                sentences = annotate_texts(
                    texts, options.analyzer or DEFAULT, shared.store_of(options), advance, options.executor
                )
            except TextRefused as refused:
                where = f"{display_name(file)}, line {texts.index(refused.text) + 1}"
                raise InputError(f"{where}: {refused.reason}") from None
    return [to_iqmt(sentence) for sentence in sentences] if options.labels == "iqmt" else sentences


def _report(rows: list[tuple[str, str, str, str]]) -> None:
    from tarocco.render.tables import Table, write_table

    write_table(Table(("text", "written", "segments", "words"), tuple(rows), labels=2))


ANNOTATE = Command(__doc__, EXAMPLES, configure, run)
