"""Make docs/metrics/*.md from the descriptions of metrics in the registry.

tools/make_pages.py writes them.
"""

from __future__ import annotations

import dataclasses

from tarocco.metrics.base import Metric
from tarocco.metrics.names import write_value
from tarocco.metrics.registry import built_in_families

INTRODUCTION = """# Metrics

Generated from the registry by `make docs`; `tarocco metrics NAME` prints the same. Parameters follow the name
after colons: `BLEU-4:smooth=none:length=shortest`. Case does not matter, and `BLEU`, `BLEU4`, `BLEUS6`, `NIST`
have the meaning of the papers. Each statement about agreement names the test that checks it.
"""


def pages() -> dict[str, str]:
    """Return all pages by their paths below docs."""
    families = built_in_families()
    return {"metrics/index.md": overview(families)} | {
        f"metrics/{file_of(family)}": page(family) for family in families
    }


def file_of(family: type[Metric]) -> str:
    return f"{family.title.lower()}.md"


def one_line(text: str) -> str:
    return " ".join(text.split())


def cell(text: str) -> str:
    """Return text for a cell of a table."""
    return one_line(text).replace("|", "\\|").replace("*", "\\*")


def table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return ["", *(f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows))]


def overview(families: list[type[Metric]]) -> str:
    lines = table(
        ("metric", "what it is", "agrees with"),
        [
            (f"[{one.title}]({file_of(one)})", cell(one.summary), ", ".join(dict.fromkeys(_tools(one))))
            for one in families
        ],
    )
    contents = ["", "```{toctree}", ":hidden:", "", *(file_of(one).removesuffix(".md") for one in families), "```"]
    return INTRODUCTION + "\n".join([*lines, *contents]) + "\n"


def _tools(family: type[Metric]) -> list[str]:
    return [tool for one in family.agreement for tool in one.tool.split(", ")]


def page(family: type[Metric]) -> str:
    lines = [f"# {family.title}", "", one_line(family.summary), "", "```text", *family.formula.splitlines(), "```"]
    lines += ["", "An error: lower is better." if family.kind == "error" else "A similarity: higher is better."]
    if family.scale != 1:
        lines[-1] += f" Tables show it times {family.scale:g}; JSON, TSV and CSV do not."
    lines += _names(family) + _parameters(family) + _example(family)
    lines += ["", "## Notes", "", one_line(family.notes).replace("*", "\\*")]
    lines += ["", "## Agreement with other tools"]
    lines += table(
        ("tool", "how far", "test"), [(one.tool, cell(one.extent), _test(one.test)) for one in family.agreement]
    )
    return "\n".join([*lines, "", "## Paper", "", one_line(family.paper)]) + "\n"


def _test(name: str) -> str:
    file, _, function = name.partition("::")
    return f"`{function}` in `{file}`"


def _names(family: type[Metric]) -> list[str]:
    names = [name for name in family.names if ":" not in name]
    lines = ["", "Names: " + ", ".join(f"`{name}`" for name in names) + "."]
    if family.also:
        lines += ["", *(f"- `{name}`: {one_line(meaning)}" for name, meaning in family.also)]
    return lines


def _parameters(family: type[Metric]) -> list[str]:
    rows = []
    for field in dataclasses.fields(family):
        about = field.metadata
        values = ", ".join(f"`{choice}`" for choice in about["choices"] or []) or about["type"].__name__
        default = about["depends"] or f"`{write_value(getattr(family(), field.name))}`"
        if about["in_stem"]:
            values, default = "part of the name", ""
        rows.append((f"`{field.name}`", cell(about["meaning"]), values, default))
    head = ("parameter", "meaning", "values", "default")
    return ["", "## Parameters", *(table(head, rows) if rows else ["", "None."])]


def _example(family: type[Metric]) -> list[str]:
    example = family.example
    rows = [
        (cell(candidate), "<br>".join(map(cell, references)))
        for candidate, references in zip(example.candidates, example.references, strict=True)
    ]
    lines = ["", f"## Worked example: {example.name}", *table(("candidate", "references"), rows), ""]
    lines += [f"{example.score:.6g}: {example.why}.".replace("*", "\\*"), "", "```python"]
    lines += [">>> import tarocco", f">>> candidates = {_quoted(example.candidates)}"]
    lines += [f">>> references = [{', '.join(_quoted(texts) for texts in example.references)}]"]
    lines += [f'>>> result = tarocco.score(candidates, references, metrics="{example.name}")']
    lines += [f'>>> round(result["{example.name}"].score, 6)', repr(round(float(example.score), 6)), "", "```"]
    return lines


def _quoted(texts: tuple[str, ...]) -> str:
    escaped = [text.replace("\n", "\\n") for text in texts]
    return "[" + ", ".join(f'"{text}"' for text in escaped) + "]"
