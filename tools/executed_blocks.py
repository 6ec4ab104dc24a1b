"""List how tests check each code block of the documentation: page, line, kind, first line, and the check.

    python tools/executed_blocks.py            print the list
    python tools/executed_blocks.py --count    print the number of blocks per page

tests/test_docs.py runs the checks. A block that no test checks is an error: show the output of a command in a
`console` block, and a file with `$ head FILE`.
"""

from __future__ import annotations

import sys
from collections import Counter

from blocks import ROOT, Block, Undocumented, all_blocks

# Lines of `sh` blocks that tests do not run. For make, tests run `make --dry-run`, so the target must exist.
NOT_RUN = {
    "make demo": "it creates an environment first; tests run `tarocco demo` directly",
    "make test": "it runs the tests",
    "make test-browser": "it needs Chromium; continuous integration runs it",
    "make screenshots": "it needs Chromium and overwrites pictures",
    "make lint": "continuous integration runs it",
    "make bench": "it takes minutes and measures",
    "make growth": "it takes minutes and measures",
    "make faults": "it takes minutes; tests fail some points",
    "make fuzz-guided": "it takes minutes and needs an environment of its own",
    "make docs": "it overwrites the tested pages",
    "make site": "it needs Sphinx, which is not a test dependency",
    "make fuzz": "it takes half an hour; tests/hostile/test_fuzz.py is a short run",
    "make sanitize": "it takes ten minutes",
}
MADE = "generated from the code, compared with it"


def command_of(line: str) -> str:
    """Return a line of a `sh` block without its comment."""
    return line.partition("  #")[0].strip()


def check_of(block: Block) -> str:
    """Return how a block is checked, in a few words."""
    if block.kind == "console":
        return "run, output compared"
    if block.kind == "python" and ">>>" in block.text:
        return "run, results compared"
    if block.kind in ("python", "toml") and block.file:
        return f"compared with {block.file.relative_to(ROOT).as_posix()}, line by line"
    if block.is_generated and block.kind in ("text", "python"):
        return MADE
    if block.kind == "sh":
        return _check_of_shell(block)
    known = {"python": "run", "toml": "parsed", "json": "parsed", "{toctree}": "followed by Sphinx"}
    if block.kind in known:
        return known[block.kind]
    raise Undocumented(f"{block.page}, line {block.line}: no test checks blocks of the kind {block.kind}")


def _check_of_shell(block: Block) -> str:
    left_out = [command for command in map(command_of, block.lines) if command in NOT_RUN]
    ways = [f"{command}: {NOT_RUN[command]}" for command in left_out]
    return "; ".join([*["run, exit code 0"] * (len(left_out) < len(block.lines)), *ways])


def main() -> None:
    blocks = all_blocks()
    try:
        checks = [check_of(block) for block in blocks]
    except Undocumented as error:
        sys.exit(str(error))
    if sys.argv[1:] == ["--count"]:
        for page, number in Counter(block.page for block in blocks).items():
            print(f"{number:>5}  {page}")
        print(f"{len(blocks):>5}  blocks, each checked by tests (python tools/executed_blocks.py lists how)")
        return
    for block, check in zip(blocks, checks, strict=True):
        first = next((line for line in block.lines if line), "")
        print(f"{block.page}:{block.line}", block.kind, first[:60], check, sep="\t")


if __name__ == "__main__":
    main()
