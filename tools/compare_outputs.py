"""Compare what two installations of tarocco print for every documented command, number by number.

    python tools/compare_outputs.py record BIN before.json     BIN: the folder of the installation's programs
    python tools/compare_outputs.py record BIN after.json
    python tools/compare_outputs.py compare before.json after.json

`record` runs every command of the `console` blocks in README.md and docs/, in a copy of the bundled test set, and once
more with `-f json` where the command takes that option. `compare` reads the recordings. Exit codes, JSON values and the
sequence of numbers in every table must be equal; wording may differ. Record before a change that must not alter
results, and again afterwards with the same documentation (`--docs FOLDER`).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from console_blocks import ROOT, copy_of_the_example, examples

NUMBER = re.compile(r"-?\d*\.?\d+(?:e-?\d+)?")
DATA = ("jsonl", "json", "tsv", "csv")
# Times, sizes, process ids and ports differ from run to run; so do versions in signatures.
VOLATILE = re.compile(r"\d+(\.\d+)? ?(s|ms|MB|MiB|KiB|kB|bytes)\b|tcp://\S+|\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?|v:\S+")


def run(command: str, folder: Path, programs: Path) -> dict[str, Any]:
    """Run one command and return what it printed and its exit code."""
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100"}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    return {"command": command, "code": done.returncode, "stdout": done.stdout, "stderr": done.stderr}


def as_json(command: str) -> str | None:
    """The command with `-f json`, or None if it already has a format or runs more than one program."""
    if not command.startswith("tarocco ") or re.search(r" (-f|--format|-b)\b|[|;<>&]", command):
        return None
    return f"{command} -f json"


def record(programs: Path, docs: Path) -> dict[str, list[dict[str, Any]]]:
    """Run every documented command of the pages under `docs`; return what each printed, page by page."""
    recording = {}
    for page in (docs / "README.md", *sorted((docs / "docs").glob("*.md"))):
        with copy_of_the_example() as folder:
            runs = []
            for command, _ in (pair for block in examples(page.read_text("utf-8")) for pair in block):
                runs.append(run(command, folder, programs))
                again = as_json(command)
                if again is not None:
                    in_json = run(again, folder, programs)
                    if in_json["code"] != 2:  # 2: the command has no such option
                        runs.append(in_json)
        recording[page.name] = runs
        print(f"{page.name}: {len(runs)} commands", file=sys.stderr)
    return recording


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """What differs between two runs of one command, wording aside."""
    lines = []
    if before["code"] != after["code"]:
        lines.append(f"exit code {before['code']} became {after['code']}")
    try:
        old, new = json.loads(before["stdout"]), json.loads(after["stdout"])
    except ValueError:
        old, new = [NUMBER.findall(VOLATILE.sub("", run["stdout"])) for run in (before, after)]
    return lines + list(changes(old, new, ""))


def changes(old: Any, new: Any, where: str) -> Any:
    """Yield a line for each number, key or length that differs; strings count only by the numbers in them."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key not in old or key not in new:
                yield f"{where}.{key}: only {'before' if key in old else 'after'}"
            else:
                yield from changes(old[key], new[key], f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: {len(old)} items became {len(new)}: {old[:12]} ... {new[:12]}"
        else:
            for i, (one, other) in enumerate(zip(old, new, strict=True)):
                yield from changes(one, other, f"{where}[{i}]")
    elif isinstance(old, str) and isinstance(new, str):
        numbers = [NUMBER.findall(VOLATILE.sub("", text)) for text in (old, new)]
        if sorted(numbers[0]) != sorted(numbers[1]):
            yield f"{where}: {old!r} became {new!r}"
    elif old != new or type(old) is not type(new):
        yield f"{where}: {old!r} became {new!r}"


def compare(before: Path, after: Path) -> int:
    """Print every difference; return how many commands differ."""
    old, new = (json.loads(path.read_text("utf-8")) for path in (before, after))
    compared = differing = failed = 0
    for page, runs in old.items():
        for one, other in zip(runs, new[page], strict=True):
            compared += 1
            failed += bool(one["code"] and other["code"])
            lines = differences(one, other)
            if lines:
                differing += 1
                print(f"{page}: {one['command']}", *(f"    {line}" for line in lines[:10]), sep="\n")
    print(f"{compared} commands compared, {differing} differ in a number, a key or an exit code")
    print(f"{failed} failed both times: where the page shows no error, record again with data that both versions read")
    return differing


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    recorder = actions.add_parser("record")
    recorder.add_argument("programs", type=Path)
    recorder.add_argument("output", type=Path)
    recorder.add_argument("--docs", type=Path, default=ROOT, help="the checkout whose documentation is run")
    comparer = actions.add_parser("compare")
    comparer.add_argument("before", type=Path)
    comparer.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.action == "compare":
        return 1 if compare(options.before, options.after) else 0
    recording = record(options.programs.absolute(), options.docs)
    options.output.write_text(json.dumps(recording, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
