"""Make docs/api/index.md: signatures and docstrings of all public names. tools/make_pages.py writes it.

A public name without a docstring is an error.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from blocks import Undocumented

import tarocco
import tarocco.metrics.base

INTRODUCTION = """# Python reference

All public names of `tarocco`, generated from the code by `make docs`. [The Python interface](../python.md) shows
examples. `tarocco.__version__` is the version, a string.
"""
SECTION = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
LONGEST = 88


def pages() -> dict[str, str]:
    """Return the page by its path below docs."""
    public = {name: getattr(tarocco, name) for name in tarocco.__all__ if not name.startswith("__")}
    errors = {name: one for name, one in public.items() if isinstance(one, type) and issubclass(one, Exception)}
    classes = {name: one for name, one in public.items() if isinstance(one, type) and name not in errors}
    functions = {name: one for name, one in public.items() if not isinstance(one, type)}
    lines = [INTRODUCTION]
    for title, members, shown in (
        ("Functions", functions, function),
        ("Classes", classes, class_page),
        ("Errors", errors, error),
    ):
        lines += [f"## {title}", ""]
        for name, one in members.items():
            lines += [f"### {name}", "", *shown(name, one), ""]
    return {"api/index.md": "\n".join(lines).rstrip() + "\n"}


def documentation(one: Any, name: str) -> str:
    text = inspect.getdoc(one)
    if not text:
        raise Undocumented(f"{name} has no docstring")
    return text


def function(name: str, one: Callable[..., Any]) -> list[str]:
    lines = ["```python", *signature(f"tarocco.{name}", one), "```", "", *markdown(documentation(one, name))]
    return lines + [f"\n`{alias}` is `{meaning}`." for alias, meaning in aliases(inspect.unwrap(one))]


def aliases(one: Callable[..., Any]) -> Iterator[tuple[str, str]]:
    """Yield the type aliases in a signature, and their definitions."""
    definitions = "\n".join(inspect.getsource(module) for module in (inspect.getmodule(one), tarocco.metrics.base))
    for name in dict.fromkeys(re.findall(r"\w+", " ".join(map(str, one.__annotations__.values())))):
        definition = re.search(rf"^{name} = (?!TypeVar)(.+)$", definitions, re.MULTILINE)
        if definition:
            yield name, definition[1]


def class_page(name: str, one: type) -> list[str]:
    lines = markdown(documentation(one, name))
    attributes = list(_attributes(one))
    if attributes:
        lines += ["", "| attribute | type | meaning |", "| --- | --- | --- |"]
        lines += [f"| `{key}` | {_cell(f'`{kind}`')} | {_cell(meaning)} |" for key, kind, meaning in attributes]
    members = list(_members(one))
    if members:
        lines += ["", "| member | meaning |", "| --- | --- |"]
        lines += [f"| `{shown}` | {_cell(meaning)} |" for shown, meaning in members]
    return lines


def error(name: str, one: type[Exception]) -> list[str]:
    lines = [
        *markdown(documentation(one, name)),
        "",
        "| in `tarocco.core.errors` | also a | when |",
        "| --- | --- | --- |",
    ]
    for kind in one.__subclasses__():
        also = ", ".join(f"`{base.__name__}`" for base in kind.__bases__ if base is not one)
        lines.append(f"| `{kind.__name__}` | {also} | {_cell(documentation(kind, kind.__name__))} |")
    return lines


def signature(name: str, one: Callable[..., Any]) -> list[str]:
    """Return the signature on one line, or with one parameter per line."""
    original = inspect.signature(one)
    parameters = [str(parameter).replace("'", '"') for parameter in _unquoted(original)]
    kinds = [parameter.kind for parameter in original.parameters.values()]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        parameters.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    returned = "" if original.return_annotation is original.empty else f" -> {original.return_annotation}"
    line = f"{name}({', '.join(parameters)}){returned}"
    if len(line) <= LONGEST:
        return [line]
    return [f"{name}(", *(f"    {parameter}," for parameter in parameters), f"){returned}"]


def _unquoted(original: inspect.Signature) -> Iterator[str]:
    """Yield parameters with their annotations as in the source."""
    for parameter in original.parameters.values():
        annotation = "" if parameter.annotation is parameter.empty else f": {parameter.annotation}"
        equals = " = " if annotation else "="
        default = "" if parameter.default is parameter.empty else f"{equals}{parameter.default!r}"
        yield f"{parameter.name}{annotation}{default}"


def _attributes(one: type) -> Iterator[tuple[str, str, str]]:
    """Yield name, type and meaning of fields and class attributes; the meaning is the comment after it."""
    source = inspect.getsource(one)
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign):
            kind = re.sub(r"^ClassVar\[(.+)\]$", r"\1", ast.unparse(node.annotation))
            yield ast.unparse(node.target), kind, source.splitlines()[node.lineno - 1].partition("  # ")[2]


def _members(one: type) -> Iterator[tuple[str, str]]:
    for name, member in vars(one).items():
        if name.startswith("_"):
            continue
        inner = member.__func__ if isinstance(member, classmethod) else member
        if isinstance(member, property | cached_property):
            yield name, documentation(member, f"{one.__name__}.{name}").partition("\n\n")[0]
        elif inspect.isfunction(inner):
            taken = [key for key in inspect.signature(inner).parameters if key not in ("self", "cls")]
            yield f"{name}({', '.join(taken)})", documentation(inner, f"{one.__name__}.{name}").partition("\n\n")[0]


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def markdown(text: str) -> list[str]:
    """Return a docstring as Markdown, with bold section titles, a list of parameters, and blocks for examples."""
    opening, *rest = SECTION.split(text)
    lines = opening.strip().splitlines()
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        body = body.strip("\n")
        lines += ["", f"**{title}**", ""]
        if body.startswith(">>>"):
            lines += ["```python", *body.splitlines(), "", "```"]
        else:
            lines += [_item(*item) for item in re.findall(r"^(\S.*)\n((?:    .*\n?|\n)+)", body, re.MULTILINE)]
    return lines


def _item(names: str, meaning: str) -> str:
    what = ", ".join(f"`{name}`" for name in names.split(", "))
    return f"- {what}: {' '.join(textwrap.dedent(meaning).split())}"
