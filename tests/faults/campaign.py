"""Fail every read and write, and every k-th allocation, of the main commands: `make faults`.

python tests/faults/campaign.py                     all commands, all reads and writes, 200 allocations each
python tests/faults/campaign.py --most 20           at most 20 points per command and kind
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from faults.injection import COMMANDS, KINDS, compile_shim, find_faults, run_with_fault


def choose_points(count: int, most: int) -> list[int]:
    """Return at most `most` of the points 1 .. count, evenly spaced."""
    step = max(1, -(-count // most))
    return list(range(1, count + 1, step))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=200, help="points per command and kind")
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--commands", nargs="*", choices=list(COMMANDS), default=list(COMMANDS))
    options = parser.parse_args()
    broken = 0
    with tempfile.TemporaryDirectory(prefix="tarocco-faults-") as temporary:
        shim = compile_shim(Path(temporary))
        if shim is None:
            print("expected a C compiler and glibc, found none", file=sys.stderr)
            return 1
        for command in options.commands:
            for kind in options.kinds:
                undisturbed = run_with_fault(shim, Path(temporary, "work"), command, kind, 0)
                points = choose_points(undisturbed.points or 0, options.most)
                wrong: Counter[str] = Counter()
                codes: Counter[int] = Counter()
                for at in points:
                    outcome = run_with_fault(shim, Path(temporary, "work"), command, kind, at)
                    codes[outcome.code] += 1
                    wrong.update(find_faults(outcome, undisturbed))
                broken += bool(wrong)
                ended = ", ".join(f"{count} ended with {code}" for code, count in sorted(codes.items()))
                print(f"{command}, {kind}: {len(points)} of {undisturbed.points} points failed: {ended}", flush=True)
                for what, count in wrong.most_common():
                    print(f"    {count} x {what}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
