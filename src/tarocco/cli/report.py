"""Write the results of a run as one HTML page that needs no network.

RUN is an experiment file, for which `tarocco trial` is run first; the data of a report as JSON, which --json writes; or
an earlier report. Other commands write a page of their results with --report FILE.
"""

from __future__ import annotations

import argparse
from typing import Any

from tarocco.cli import options as shared
from tarocco.cli.command import Command, is_experiment
from tarocco.cli.inputs import note

EXAMPLES = """examples:
  tarocco report experiment.toml -o report.html
  tarocco report report.html --figures figures
  tarocco report report.html --json report.json
  tarocco report report.json -o again.html
"""


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run", metavar="RUN", help="an experiment (.toml), the data of a report (.json), or a report (.html)"
    )
    parser.add_argument("-o", "--output", type=shared.report_path, metavar="FILE", help="write the page to FILE: .html")
    shared.add_figures_option(parser)
    parser.add_argument("--json", metavar="FILE", help="write the data of the page, all numbers and texts, to FILE")
    shared.add_quiet_option(parser)


def run(options: argparse.Namespace) -> None:
    from tarocco.core.errors import InputError
    from tarocco.io.files import check_no_overwrite, check_writable
    from tarocco.render.page.payload import read_report
    from tarocco.render.page.report import check_directory, write_figures, write_payload, write_report

    outputs = [options.output, options.json]
    if not any([*outputs, options.figures]):
        raise InputError("expected an output: a page with -o, figures with --figures, or data with --json")
    check_no_overwrite(outputs, [options.run])
    if options.json:
        check_writable(options.json)
    if options.figures:
        check_directory(options.figures)
    payload = _run_trial(options) if is_experiment(options.run) else read_report(options.run)
    if options.output:
        write_report(payload, options.output)
    if options.json:
        write_payload(payload, options.json)
    if options.figures:
        written = write_figures(payload, options.figures)
        note(options, f"{len(written)} files are in {options.figures}")


def _run_trial(options: argparse.Namespace) -> dict[str, Any]:
    """Return the data of a report of an experiment's trial."""
    from dataclasses import replace

    from tarocco.render.page.payload import MOST_ABOVE, payload_of
    from tarocco.trials.trial import trial

    findings = trial(options.run, confusions=MOST_ABOVE)
    return payload_of(replace(findings, command=options.command_line))


REPORT = Command(__doc__, EXAMPLES, configure, run)
