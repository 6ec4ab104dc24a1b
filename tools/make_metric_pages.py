"""Write docs/metrics.md from the registry: what every metric is, in its own words.

python tools/make_metric_pages.py > docs/metrics.md
"""

from __future__ import annotations

import dataclasses

from tarocco.naming import write_value
from tarocco.registry import built_in_families


def one_line(text: str) -> str:
    return " ".join(text.split())


def page() -> str:
    lines = [
        "# Metrics",
        "",
        "Made from the registry by `make docs`; `tarocco metrics NAME` prints the same. Parameters follow the name",
        "after colons: `BLEU-4:smooth=none:length=shortest`. Names are read in any case, and `BLEU`, `BLEU4`,",
        "`BLEUS6`, `NIST` mean what the papers mean by them.",
    ]
    for family in built_in_families():
        lines += [
            "",
            f"## {family.title}",
            "",
            one_line(family.summary),
            "",
            "```text",
            *family.formula.splitlines(),
            "```",
        ]
        lines += ["", f"A {family.kind}: {'lower' if family.kind == 'error' else 'higher'} is better."]
        if family.scale != 1:
            lines[-1] += f" Tables show it times {family.scale:g}; JSON, TSV and CSV do not."
        default = family()
        fields = [field for field in dataclasses.fields(family) if not field.metadata["in_stem"]]
        if fields:
            lines += ["", "| parameter | meaning | values | default |", "| --- | --- | --- | --- |"]
            for field in fields:
                values = ", ".join(field.metadata["choices"] or [field.metadata["type"].__name__])
                lines.append(
                    f"| `{field.name}` | {field.metadata['meaning']} | {values} "
                    f"| {field.metadata['depends'] or write_value(getattr(default, field.name))} |"
                )
        example = family.example
        lines += ["", f"Worked example, `{example.name}`:", "", "| candidate | references |", "| --- | --- |"]
        lines += [
            f"| {candidate} | {' / '.join(references)} |"
            for candidate, references in zip(example.candidates, example.references, strict=True)
        ]
        lines += ["", f"{example.score:.6g}: {example.why}."]
        lines += ["", one_line(family.notes), "", f"Paper: {one_line(family.paper)}"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
