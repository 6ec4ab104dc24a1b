"""Make docs/commands/*.md from the parsers of the commands. tools/make_pages.py writes them.

Every command needs a description, an example and a page that runs it, and every option needs a help text.
"""

from __future__ import annotations

import argparse
import os
import re
import textwrap

from blocks import DOCS, GENERATED, Undocumented, title_of
from blocks import pages as all_pages
from console_blocks import examples

from tarocco.cli import COMMANDS
from tarocco.cli.command import declaration_of, make_parser

DEFAULT = re.compile(r"\s*\(?default: ([^)]+)\)?$")


def pages() -> dict[str, str]:
    """Return all pages by their paths below docs."""
    made = {f"commands/{command}.md": page(command) for command in COMMANDS}
    lines = [
        "# Commands",
        "",
        "Generated from the parsers by `make docs`; `tarocco COMMAND --help` prints the same.",
        "",
    ]
    lines += ["| command | what it does |", "| --- | --- |"]
    lines += [f"| [`tarocco {command}`]({command}.md) | {meaning} |" for command, meaning in COMMANDS.items()]
    lines += [
        "",
        "Exit codes: 0 for success, 1 for bad data (standard error names the file and line), 2 for a wrong command.",
    ]
    lines += ["", "```{toctree}", ":hidden:", "", *COMMANDS, "```"]
    return {"commands/index.md": "\n".join(lines) + "\n"} | made


def page(command: str) -> str:
    parser = make_parser(command)
    lines = [f"# tarocco {command}", "", *described(parser)]
    lines += ["", "## Examples", "", "```sh", *example_lines(command), "```", "", at_work(command)]
    return "\n".join(lines) + "\n"


def described(parser: argparse.ArgumentParser, level: str = "##") -> list[str]:
    """Return the description, the usage and the arguments of a parser."""
    if not parser.description:
        raise Undocumented(f"`{parser.prog}` has no description")
    lines = [parser.description.strip(), "", "```text", *usage(parser), "```"]
    below = {}
    for group in parser._action_groups:
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]
        below |= next((action.choices for action in actions if isinstance(action, argparse._SubParsersAction)), {})
        rows = [row(parser, action) for action in actions if not _is_simple(action)]
        if rows:
            title = {"positional arguments": "arguments"}.get(group.title or "", group.title or "options")
            lines += ["", f"{level} {title[0].upper()}{title[1:]}", ""]
            lines += ["| option | meaning | default |", "| --- | --- | --- |", *rows]
    for name, inner in below.items():
        lines += ["", f"{level} {name}", "", *described(inner, level + "#")]
    return lines


def _is_simple(action: argparse.Action) -> bool:
    return isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


def row(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    name = ", ".join(f"`{option}`" for option in action.option_strings)
    taken = arguments(action)
    stated = DEFAULT.search(action.help or "")
    meaning = DEFAULT.sub("", action.help or "").strip()
    default = parser.get_default(action.dest)
    if not meaning:
        raise Undocumented(f"`{parser.prog}` has no help text for {name or taken}")
    if action.choices:
        meaning += ": " + ", ".join(f"`{choice}`" for choice in action.choices)
    known = default not in (None, False, argparse.SUPPRESS) and default != []
    if known and stated and str(default) != stated[1]:
        raise Undocumented(
            f"`{parser.prog}` documents {stated[1]} as the default of {name or taken}, but it is {default}"
        )
    shown = f"`{default}`" if known else stated[1] if stated else ""
    what = name if action.choices else f"{name} {taken}".strip() if name else f"`{taken}`"
    return f"| {what} | {meaning} | {shown} |".replace("  ", " ")


def arguments(action: argparse.Action) -> str:
    """Return the arguments of an option as in a usage line: FILE, [FILE], FILE [FILE ...]."""
    if action.nargs == 0:
        return ""
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(action.nargs, int):
        return " ".join([value] * action.nargs)
    forms = {None: "{}", "?": "[{}]", "*": "[{} ...]", "+": "{} [{} ...]"}
    return forms.get(action.nargs, "{} ...").replace("{}", value)


def usage(parser: argparse.ArgumentParser) -> list[str]:
    """Return the usage of a command in short lines; argparse's usage differs between versions of Python."""
    actions = [
        one for one in parser._actions if one.help != argparse.SUPPRESS and not isinstance(one, argparse._HelpAction)
    ]
    placed = [arguments(action) for action in actions if not action.option_strings]
    options = [f"{action.option_strings[0]} {arguments(action)}".strip() for action in actions if action.option_strings]
    required = {action.option_strings[0] for action in actions if action.option_strings and action.required}
    options = [one if one.split()[0] in required else f"[{one}]" for one in options]
    whole = " ".join(part.replace(" ", "\0") for part in [parser.prog, *placed, *options])
    lines = textwrap.wrap(whole, 88, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def example_lines(command: str) -> list[str]:
    """Return the examples that --help shows, without their heading."""
    text = declaration_of(command).examples
    lines = textwrap.dedent(text.partition("\n")[2]).strip().splitlines()
    if not lines:
        raise Undocumented(f"`tarocco {command} --help` shows no example (add one to its declaration)")
    return lines


def at_work(command: str) -> str:
    """Return links to the pages that run the command and show its output."""
    links = []
    for path in all_pages():
        by_hand = path.is_relative_to(DOCS) and path.parent.name not in GENERATED and path != DOCS / "index.md"
        shown = examples(path.read_text("utf-8")) if by_hand else []
        if any(re.search(rf"\btarocco {command}\b", line) for block in shown for line, _ in block):
            links.append(f"[{title_of(path)}]({os.path.relpath(path, DOCS / 'commands')})")
    if not links:
        raise Undocumented(f"no page below docs runs `tarocco {command}`")
    return f"Examples with output: {', '.join(links)}."
