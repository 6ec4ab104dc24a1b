"""List, describe, export, check or prune a store, which caches computed scores between runs.

A store is the file that --store or $TAROCCO_STORE named when scores were computed.
"""

from __future__ import annotations

import argparse
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from tarocco.cli import options as shared
from tarocco.cli.command import Command, say

if TYPE_CHECKING:
    from tarocco.store import Store
    from tarocco.store.maintenance import SeriesEntry

EXAMPLES = """examples:
  tarocco score ref.txt -i sysA -m BLEU-4 --store scores.db
  tarocco store ls scores.db
  tarocco store export scores.db -o scores.parquet
  tarocco store prune scores.db --older-than 30
"""


HEADER = ("metric", "read as", "system", "text", "segments", "size", "computed by", "last used (UTC)")

ACTIONS = {
    "ls": "list what was scored, and how much of it is stored",
    "info": "summarize the store",
    "export": "write every segment's score and statistics as CSV, JSONL or Parquet",
    "prune": "delete what was not used recently, what other releases computed, or everything",
    "check": "check that the store is intact; the exit code is 1 if it is not",
}


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing, about, export, prune, check = (
        actions.add_parser(name, help=meaning, description=meaning[0].upper() + meaning[1:] + ".")
        for name, meaning in ACTIONS.items()
    )
    for action in (listing, about, export, prune, check):
        action.add_argument("file", nargs="?", metavar="FILE", help="the store (default: $TAROCCO_STORE)")
    for action in (listing, export, prune):
        action.add_argument("-m", "--metrics", nargs="+", metavar="PATTERN", help="only these metrics, such as 'BLEU*'")
        action.add_argument("-i", "--input", nargs="+", metavar="PATTERN", help="only these systems, such as 'sys*'")
    for action in (listing, about):
        action.add_argument(
            "-f", "--format", choices=("table", "json"), default="table", help="the output format (default: table)"
        )
    export.add_argument("-o", "--output", metavar="FILE", help="the file to write (default: standard output)")
    export.add_argument(
        "-f",
        "--format",
        choices=("csv", "jsonl", "parquet"),
        help="the output format (default: from the suffix of the file, or csv)",
    )
    prune.add_argument(
        "--older-than", type=shared.whole_number(0), metavar="DAYS", help="delete what was not used for this many days"
    )
    prune.add_argument("--other-releases", action="store_true", help="delete what other releases computed")
    prune.add_argument("--all", action="store_true", help="delete everything that matches the patterns")
    prune.add_argument("-n", "--dry-run", action="store_true", help="only print what would be deleted")


def run(options: argparse.Namespace) -> int:
    import os

    from tarocco.core.errors import StoreError
    from tarocco.store import Store

    path = options.file or os.environ.get("TAROCCO_STORE")
    if not path:
        raise StoreError("which store? Name its file, or set $TAROCCO_STORE")
    action = {"ls": ls, "info": info, "export": export, "prune": prune, "check": check}[options.action]
    with Store(path, readonly=options.action != "prune") as store:
        return action(store, options) or 0


def chosen(store: Store, options: argparse.Namespace) -> list[SeriesEntry]:
    """Return the series that match the patterns."""
    from tarocco.store.maintenance import list_series

    def fits(text: str, patterns: list[str] | None) -> bool:
        return patterns is None or any(fnmatchcase(text.lower(), pattern.lower()) for pattern in patterns)

    return [
        entry
        for entry in list_series(store)
        if fits(entry.metric, options.metrics) and fits(entry.subject, options.input)
    ]


def ls(store: Store, options: argparse.Namespace) -> None:
    import dataclasses

    from tarocco.render.results import json_of_command
    from tarocco.render.tables import Table, write_table

    listed = chosen(store, options)
    if options.format == "json":
        sys.stdout.write(json_of_command("store ls", {}, [dataclasses.asdict(entry) for entry in listed]))
        return
    rows = tuple(
        (
            entry.metric,
            how_read(entry.signature),
            entry.subject,
            entry.text,
            f"{entry.done}" if entry.done == entry.rows else f"{entry.done} of {entry.rows}",
            size_text(entry.stored_bytes),
            entry.release,
            entry.used.replace("T", " ").removesuffix("Z"),
        )
        for entry in listed
    )
    write_table(Table(HEADER, rows, labels=4))


def how_read(signature: str) -> str:
    """Return how a signature says that text is read: 13a mixed 4 refs."""
    parts = dict(part.partition(":")[::2] for part in signature.split("|"))
    return f"{parts.get('tok')} {parts.get('case')} {parts.get('nrefs')} ref{'s' * (parts.get('nrefs') != '1')}"


def info(store: Store, options: argparse.Namespace) -> None:
    import dataclasses

    from tarocco.render.results import json_of_command
    from tarocco.store.maintenance import summarize

    about = summarize(store)
    if options.format == "json":
        sys.stdout.write(json_of_command("store info", {}, [dataclasses.asdict(about)]))
        return
    lines = {
        "file": about.path,
        "size": size_text(about.file_bytes),
        "schema": about.schema,
        "series": f"{about.series} (one per metric and system)",
        "blocks": f"{about.blocks}, {about.rows} segments",
        "analyzed": f"{about.annotations} texts",
        "computed by": ", ".join(about.releases) or "-",
        "used (UTC)": f"{about.first_used} to {about.last_used}" if about.first_used else "-",
    }
    sys.stdout.writelines(f"{name:<12} {value}\n" for name, value in lines.items())


def export(store: Store, options: argparse.Namespace) -> None:
    from tarocco.render.export import export, format_of

    export(store, chosen(store, options), format_of(options.output, options.format), options.output, sys.stdout)


def prune(store: Store, options: argparse.Namespace) -> None:
    from tarocco.core.errors import BadParameter
    from tarocco.render.export import of_this_release
    from tarocco.store.blocks import prune_annotations
    from tarocco.store.maintenance import days_ago, prune

    if not (options.all or options.other_releases or options.older_than is not None):
        raise BadParameter(
            "prune what? Give --older-than DAYS, --other-releases or --all (with -n, nothing is deleted)"
        )
    old = days_ago(options.older_than) if options.older_than is not None else ""
    unwanted = [
        entry
        for entry in chosen(store, options)
        if options.all or entry.used < old or (options.other_releases and not of_this_release(entry))
    ]
    if options.dry_run:
        sys.stdout.writelines(f"{entry.metric} on {entry.subject}, last used {entry.used}\n" for entry in unwanted)
        say(f"{len(unwanted)} series would be deleted")
        return
    dropped = prune(store, [entry.number for entry in unwanted])
    message = f"deleted {len(unwanted)} series and {dropped} blocks"
    if options.metrics is None and options.input is None:  # analyses of texts belong to no metric or system
        texts = prune_annotations(store, None if options.all else old, options.other_releases)
        message += f", and {texts} analyzed texts" if texts else ""
    say(message)


def check(store: Store, options: argparse.Namespace) -> int:
    from tarocco.store.maintenance import problems, summarize

    damage = problems(store)
    sys.stdout.writelines(f"{problem}\n" for problem in damage)
    if not damage:
        blocks = summarize(store).blocks
        sys.stdout.write(f"{store.path}: intact, {blocks} blocks checked\n")
    return 1 if damage else 0


def size_text(size: float) -> str:
    """Return a readable number of bytes: 3.2 MB."""
    for unit in ("B", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"


STORE = Command(__doc__, EXAMPLES, configure, run)
