"""How every code block of the documentation is checked: page, line, kind, first line, and the check.

    python tools/executed_blocks.py            the list
    python tools/executed_blocks.py --count    how many there are on each page

tests/test_docs.py does what is said here. A block that nothing checks is refused: show what a command prints in a
`console` block, and a file with `$ head FILE` in one.
"""

from __future__ import annotations

import sys
from collections import Counter

from blocks import ROOT, Block, Undocumented, all_blocks

# Lines of `sh` blocks that tests do not run. A target of make is at least there: tests run `make --dry-run`.
NOT_RUN = {
    "make demo": "it makes an environment first; `tarocco demo` is run by itself",
    "make test": "it is what runs the tests",
    "make test-browser": "it needs Chromium; continuous integration runs it",
    "make screenshots": "it needs Chromium, and rewrites pictures",
    "make lint": "continuous integration runs it",
    "make bench": "it takes minutes, and measures rather than checks",
    "make docs": "it rewrites what is tested",
    "make site": "it needs Sphinx, which tests do not",
    "make fuzz": "half an hour; tests/hostile/test_fuzz.py is a short run",
    "make sanitize": "it takes ten minutes",
}
MADE = "made from the code, compared with it"


def command_of(line: str) -> str:
    """A line of a `sh` block without its comment."""
    return line.partition("  #")[0].strip()


def check_of(block: Block) -> str:
    """How a block is checked, in a few words."""
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
    raise Undocumented(f"{block.page}, line {block.line}: nothing checks a block of the kind {block.kind}")


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
        print(f"{len(blocks):>5}  blocks, each checked by tests (python tools/executed_blocks.py tells how)")
        return
    for block, check in zip(blocks, checks, strict=True):
        first = next((line for line in block.lines if line), "")
        print(f"{block.page}:{block.line}", block.kind, first[:60], check, sep="\t")


if __name__ == "__main__":
    main()
