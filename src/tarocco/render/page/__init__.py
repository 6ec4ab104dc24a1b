"""The report: what a run found out becomes one page that holds everything it needs and asks for nothing.

payload    `Findings` -> plain data, as JSON: the only source of every number on the page
judged     the metrics' own trial: ORANGE, KING, people, references, audits
browsing   texts and scores of all segments, as columns
marking    which words of a text a metric matched: explanations as short lists of numbers
terms      what a word such as ORANGE or p-value means, in a sentence
charts     payload -> Altair charts, for the page and for papers
tabular    payload -> tables, for LaTeX and CSV
paths      where files may go
write      payload -> page, figures and tables as files
report     whatever was found -> a page: `tarocco.report`
template.html, page.css, script/   the page itself, written by hand
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tarocco.render.page.report import report
    from tarocco.render.page.write import write_figures, write_payload, write_report

__all__ = ["report", "write_figures", "write_payload", "write_report"]


def __getattr__(name: str) -> Any:
    """Found when first used: whoever asks where a page may go needs nothing of the rest."""
    if name not in __all__:
        raise AttributeError(f"module 'tarocco.render.page' has no attribute {name!r}")
    from importlib import import_module

    home = "report" if name == "report" else "write"
    return getattr(import_module(f"tarocco.render.page.{home}"), name)
