"""Fails one allocation, read or write of a command, as SQLite's tests do, and looks at what is left.

`shim.c` is preloaded into a process that runs the command after everything is imported. A run counts the points of a
kind; further runs fail one of them each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SHIM = Path(__file__).with_name("shim.c")
KINDS = {"read": "r", "write": "w", "allocation": "m"}
DEADLINE = 300  # seconds; the machine may be busy

# Modules are imported before the first fault: a library that cannot be loaded is no concern of a command.
DRIVER = """
import ctypes, sys
from tarocco.cli import main
kind, at, marker, *arguments = sys.argv[1:]
shim = ctypes.CDLL(None)
shim.count_faults.restype = ctypes.c_long
if WARM:
    try:
        main(arguments)
    except SystemExit:
        pass
    for name in CREATED:
        import os
        if os.path.exists(name):
            os.remove(name)
    sys.stdout.flush()
code = 99
shim.arm_faults(ord(kind), ctypes.c_long(int(at)))
try:
    code = main(arguments)
except SystemExit as error:
    code = error.code
finally:
    points = shim.count_faults()
    with open(marker, "w") as file:
        file.write(str(points))
try:
    sys.stdout.flush()
except OSError:
    code = 1
sys.exit(code)
"""

COMMANDS = {
    "score": ["score", "ref.txt", "-i", "a.txt", "b.txt", "-m", "BLEU-4", "TER", "--jobs", "1"],
    "score with a store": ["score", "ref.txt", "-i", "a.txt", "-m", "BLEU-4", "--store", "s.db", "--jobs", "1"],
    "compare": ["compare", "ref.txt", "-i", "a.txt", "b.txt", "-m", "chrF", "--n-resamples", "50", "--jobs", "1"],
    "orange": ["orange", "nbest.txt", "ref.txt", "ref2.txt", "-m", "BLEUS-4", "--n-resamples", "20", "--jobs", "1"],
    "trial with a report": ["trial", "e.toml", "--report", "r.html", "--n-resamples", "20", "--jobs", "1"],
}
CREATED = ("s.db", "s.db-wal", "s.db-shm", "r.html")

FILES = {
    "ref.txt": "the cat sat on the mat\nit rained all day\nshe reads a book\n",
    "ref2.txt": "the cat was on the mat\nit rained the whole day\nshe is reading a book\n",
    "a.txt": "the cat sat on a mat\nit rained day\nshe reads book\n",
    "b.txt": "cat sat mat\nrained all the day\nhe reads a book\n",
    "nbest.txt": "".join(f"{i} ||| {text}\n" for i in range(3) for text in ("the cat", "it rained", "she reads a")),
    "e.toml": 'references = ["ref.txt", "ref2.txt"]\nsystems = ["a.txt", "b.txt"]\nmetrics = ["BLEU-4", "WER"]\n',
}


@dataclass(frozen=True)
class Outcome:
    """How a command ended, one point of which failed; `points` is None if the process died."""

    code: int
    output: str
    errors: str
    points: int | None
    files: dict[str, bytes]


def compile_shim(folder: Path) -> Path | None:
    """Return the compiled shim, None without a compiler or on another C library than glibc."""
    target = folder / "shim.so"
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        return None
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(target), str(SHIM), "-ldl"]
    return target if subprocess.run(command, capture_output=True, check=False).returncode == 0 else None


def run_with_fault(shim: Path, folder: Path, command: str, kind: str, at: int) -> Outcome:
    """Run a command whose point number `at` of this kind fails; 0 fails none."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    marker = folder.parent / "points"
    marker.unlink(missing_ok=True)
    code = DRIVER.replace("WARM", "True").replace("CREATED", repr(CREATED))
    arguments = [sys.executable, "-c", code, KINDS[kind], str(at), str(marker), *COMMANDS[command]]
    environment = {**os.environ, "LD_PRELOAD": str(shim), "PYTHONDONTWRITEBYTECODE": "1", "OPENBLAS_NUM_THREADS": "1"}
    with open(folder.parent / "output", "w+") as output, open(folder.parent / "errors", "w+") as errors:
        done = subprocess.run(
            arguments, cwd=folder, env=environment, stdout=output, stderr=errors, timeout=DEADLINE, check=False
        )
        for stream in (output, errors):
            stream.seek(0)
        written = output.read(), errors.read()
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    points = int(marker.read_text()) if marker.exists() else None
    return Outcome(done.returncode, *written, points, files)


def find_faults(outcome: Outcome, undisturbed: Outcome) -> list[str]:
    """Return what is wrong with an outcome: it must be that of an undisturbed run, or one sentence and nothing else."""
    wrong = []
    if outcome.code not in (0, 1):
        wrong.append(f"exit code {outcome.code}")
    if "Traceback" in outcome.errors:
        wrong.append(f"a traceback: {outcome.errors.strip().splitlines()[-1]}")
    if outcome.code == 1 and "tarocco: " not in outcome.errors:
        wrong.append("no message")
    if outcome.code == 0 and outcome.files.get("r.html") != undisturbed.files.get("r.html"):
        wrong.append("another report")
    for name, text in FILES.items():
        if outcome.files.get(name) != text.encode():
            wrong.append(f"{name} was changed")
    partial = set(outcome.files) - set(undisturbed.files) - {"s.db-wal", "s.db-shm"}
    if partial:
        wrong.append(f"left behind: {', '.join(sorted(partial))}")
    if outcome.code and outcome.files.get("r.html") not in (None, undisturbed.files.get("r.html")):
        wrong.append("part of a report")
    return wrong
