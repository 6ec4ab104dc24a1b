"""Make a page of what a run found out: one HTML file that needs no network.

RUN is an experiment file, which is put on trial first, the data of a report as JSON (--json writes them), or a report
that was made before. Other commands write a page of what they find with --report FILE.
"""

from __future__ import annotations

import argparse
from typing import Any

from tarocco.cli.options import report_path
from tarocco.cli.running import is_experiment, say

EXAMPLES = """examples:
  tarocco report experiment.toml -o report.html
  tarocco report report.html --figures figures
  tarocco report report.html --json report.json
  tarocco report report.json -o again.html
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="RUN", help="an experiment (.toml), data of a report (.json), or a report (.html)"
    )
    parser.add_argument("-o", "--output", type=report_path, metavar="FILE", help="the page: .html")
    parser.add_argument(
        "--figures", metavar="DIR", help="every plot as SVG, PNG and PDF, and every table as LaTeX and CSV"
    )
    parser.add_argument("--json", metavar="FILE", help="the data of the page, all its numbers and texts")
    parser.add_argument("-q", "--quiet", action="store_true", help="no notes on standard error")


def run(options: argparse.Namespace) -> None:
    from tarocco.core.errors import InputError
    from tarocco.io.files import check_no_overwrite, check_writable
    from tarocco.render.page.paths import check_directory
    from tarocco.render.page.write import write_figures, write_payload, write_report

    outputs = [options.output, options.json]
    if not any([*outputs, options.figures]):
        raise InputError("what is to be made? Name a page with -o, figures with --figures, or data with --json")
    check_no_overwrite(outputs, [options.run])
    if options.json:
        check_writable(options.json)
    if options.figures:
        check_directory(options.figures)
    payload = _of_a_trial(options) if is_experiment(options.run) else _of_a_file(options.run)
    if options.output:
        write_report(payload, options.output)
    if options.json:
        write_payload(payload, options.json)
    if options.figures:
        written = write_figures(payload, options.figures)
        if not options.quiet:
            say(f"note: {len(written)} files are in {options.figures}")


def _of_a_file(path: str) -> dict[str, Any]:
    """The data of a report, from JSON or from a page."""
    from tarocco.io.files import read_bytes
    from tarocco.io.text import check_utf8
    from tarocco.render.page.payload import read_payload

    data = read_bytes(path)
    check_utf8(data, path)
    return read_payload(data.decode("utf-8"), path)


def _of_a_trial(options: argparse.Namespace) -> dict[str, Any]:
    """The data of a report of everything that an experiment's data allow."""
    from dataclasses import replace

    from tarocco.render.page.payload import MOST_ABOVE, payload_of
    from tarocco.trials.trial import trial

    findings = trial(options.run, confusions=MOST_ABOVE)
    return payload_of(replace(findings, command=options.command_line))
