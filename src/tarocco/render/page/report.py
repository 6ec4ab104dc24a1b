"""`tarocco.report`: a page of whatever was found out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from tarocco.core.errors import InputError
from tarocco.core.test_set import Candidates, References, Segments, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.explanation.records import ExplainResult
from tarocco.meta.audit.audit import AuditResult
from tarocco.meta.correlation.results import CorrelateResult
from tarocco.meta.orange.results import OrangeResult
from tarocco.meta.qarla.results import JackResult, KingResult, OptimizeResult, QueenResult
from tarocco.meta.references.curves import ReferencesResult
from tarocco.meta.significance.compare import CompareResult
from tarocco.render.page.paths import check_directory, check_report
from tarocco.render.page.write import write_figures, write_report
from tarocco.scoring.results import Result
from tarocco.trials.findings import Findings

# Where in `Findings` each kind of result has its place.
PLACES: tuple[tuple[type, str], ...] = (
    (CompareResult, "comparison"),
    (OrangeResult, "orange"),
    (KingResult, "kings"),
    (QueenResult, "queens"),
    (JackResult, "jack"),
    (OptimizeResult, "optimal"),
    (CorrelateResult, "correlations"),
    (ReferencesResult, "curves"),
    (AuditResult, "audit"),
    (ExplainResult, "explanations"),
    (Result, "scores"),
)


def report(
    found: Any,
    path: str | os.PathLike[str],
    *,
    name: str = "report",
    systems: Candidates | None = None,
    references: References | None = None,
    source: Sequence[str] | None = None,
    groups: Sequence[str] | None = None,
    tokenize: str = "13a",
    lowercase: bool = False,
    command: str = "",
    figures: str | os.PathLike[str] | None = None,
) -> None:
    """Write one HTML file that shows what was found, and needs neither a network nor anything else.

    Parameters
    ----------
    found
        What a trial or any other function of tarocco returned, several of them in a list, or the data of a report as
        `json.load` reads them.
    path
        The file, whose name ends in .html.
    name
        What the report is called.
    systems, references, source, groups
        The texts, for a browser of segments, as for `tarocco.score`; and a label a segment.
    tokenize, lowercase
        How the texts were read, so that highlighted words are those that metrics saw.
    command
        What repeats the run; it stands at the foot.
    figures
        A directory that gets every plot as SVG, PNG and PDF, too, and every table as LaTeX and CSV.

    Raises
    ------
    InputError
        For what is no result, and for a path at which no file can be written.
    MissingExtra
        Without the libraries that draw: `pip install "tarocco[plots]"`.

    Example
    -------
    >>> import tarocco
    >>> demo = tarocco.datasets.load("demo")
    >>> scores = tarocco.score(demo.systems, demo.references, metrics=["BLEU-4", "chrF"], confidence=0.95)
    >>> tarocco.report(scores, "report.html", systems=demo.systems, references=demo.references)  # doctest: +SKIP
    """
    check_report(path)
    if figures is not None:
        check_directory(figures)
    shown: Findings | Mapping[str, Any]
    if isinstance(found, Findings) or (isinstance(found, dict) and "form" in found):
        shown = found
    else:
        if (systems is None) != (references is None):
            raise InputError("systems and references come together: a browser of segments shows both")
        texts: dict[str, Any] = {}
        if systems is not None and references is not None:
            texts = {"test_set": make_test_set(systems, references), "encoding": Encoding(tokenize, lowercase)}
            texts["source"] = None if source is None else Segments.from_strings(list(source))
            texts["groups"] = None if groups is None else tuple(map(str, groups))
        results = list(found) if isinstance(found, list | tuple) else [found]
        shown = Findings(name=name, command=command, **texts, **placed(results))
    write_report(shown, path)
    if figures is not None:
        write_figures(shown, figures)


def placed(results: Sequence[Any]) -> dict[str, Any]:
    """Results by the name of their place in `Findings`."""
    found: dict[str, Any] = {}
    for one in results:
        place = next((place for kind, place in PLACES if isinstance(one, kind)), None)
        if place is None:
            raise InputError(
                f"there are reports of what functions of tarocco return, and none of a {type(one).__name__}"
            )
        if place == "correlations":
            found[place] = (*found.get(place, ()), one)
        elif place in found:
            raise InputError(f"a report has room for one {type(one).__name__}, and there are two")
        else:
            found[place] = one
    if not found:
        raise InputError("there is nothing to report")
    return found
