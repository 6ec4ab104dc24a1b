"""Confusion sets, segment by segment: JSON lines for programs, a page for people."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from tarocco.core.errors import InputError
from tarocco.core.json_text import json_text
from tarocco.io.files import check_writable, replace_file
from tarocco.meta.orange.confusions import Confusion, HeldOutReference, RankedText, hold_out_each, outranked
from tarocco.render.tables import NO_NUMBER, finite, number_or_dash

START = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --ink: #222; --faint: #666; --rule: #e4e4e4; --paper: #fff; --matched: #dcecf7;
  --line: #8bb8d8; --gained: #ffd98a; }}
body {{ margin: 1rem; background: var(--paper); color: var(--ink);
  font: 14px/1.45 "Liberation Sans", Arial, Helvetica, sans-serif; }}
main {{ max-width: 62rem; margin: 0 auto; overflow-wrap: anywhere; }}
h1 {{ font-size: 1.6rem; line-height: 1.2; }}
h2 {{ font-size: 1.25rem; margin: 2.5rem 0 0.5rem; border-top: 2px solid var(--rule); padding-top: 1rem; }}
h3 {{ font-size: 1rem; margin: 1.5rem 0 0.25rem; }}
h2, h3 {{ break-after: avoid; }}
p {{ margin: 0.25rem 0; }}
dl {{ display: grid; grid-template-columns: max-content 1fr; gap: 0.15rem 1rem; }}
dt, small, thead th {{ color: var(--faint); }}
dd {{ margin: 0; }}
small {{ font-size: 0.9em; }}
small b {{ color: var(--ink); }}
blockquote {{ margin: 0.5rem 0; padding-left: 0.75rem; border-left: 3px solid var(--rule); }}
table {{ border-collapse: collapse; margin: 0.5rem 0; }}
th, td {{ padding: 0.35rem 0.9rem 0.35rem 0; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: top; font-weight: normal; }}
th:last-child, td:last-child {{ padding-right: 0; }}
.text p:first-child {{ margin-top: 0; }}
.list {{ width: 100%; }}
.list tr {{ break-inside: avoid; }}
.list tbody + tbody {{ border-top: 2px solid var(--faint); }}
.list th:first-child {{ width: 6.5em; }}
.n {{ width: 3.5em; text-align: right; font-variant-numeric: tabular-nums; overflow-wrap: normal; }}
.summary {{ overflow-x: auto; overflow-wrap: normal; }}
.summary .n {{ width: auto; }}
.summary th[scope=row] {{ white-space: nowrap; }}
mark {{ background: var(--matched); color: inherit; padding: 0 0.1em; text-decoration: underline 1px var(--line);
  text-underline-offset: 0.2em; print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
mark b {{ background: var(--gained); text-decoration: underline 2px var(--ink); }}
.copy {{ font-size: 0.9em; border: 1px solid var(--faint); border-radius: 0.25em; padding: 0 0.3em;
  white-space: nowrap; }}
@media (max-width: 36rem) {{
  dl {{ grid-template-columns: 1fr; gap: 0; }}
  dd {{ margin-bottom: 0.4rem; }}
  .list, .list tbody, .list tr {{ display: block; }}
  .list thead {{ display: none; }}
  .list tr {{ border-bottom: 1px solid var(--rule); padding: 0.35rem 0; }}
  .list th, .list td {{ display: inline-block; width: auto; border: 0; padding: 0 0.75rem 0 0; }}
  .list .n::before {{ content: attr(data-label) " "; color: var(--faint); }}
  .list td.text {{ display: block; padding: 0; }}
}}
@media screen and (prefers-color-scheme: dark) {{
  :root {{ --ink: #ddd; --faint: #aaa; --rule: #383838; --paper: #181818; --matched: #1d3d52; --line: #3f7391;
    --gained: #6b4e00; }}
}}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{settings}
<div class="summary">
<table>
<thead><tr><th scope="col">metric</th><th scope="col" class="n">segments</th>
<th scope="col" class="n">with candidates above</th><th scope="col" class="n">candidates above, mean</th></tr></thead>
<tbody>
{rows}
</tbody>
</table>
</div>
<p>The oracle represents the references: its score is the mean of theirs. The metric prefers a candidate above it to the
human translations. A reference is compared with the other references, a candidate with all but the reference ranked
next below it: <mark>marked</mark> words are matched there, and <mark><b>strongly marked</b></mark> words are matched
but not in the reference below, so they raised the candidate. Texts are shown as they are tokenized.</p>
"""
END = "</main>\n</body>\n</html>\n"


class Words:
    """The words of texts, cached, because the metrics of a segment mostly show the same texts."""

    def __init__(self, tokenize: Callable[[str], Sequence[str]]) -> None:
        self.of = lru_cache(maxsize=4096)(tokenize)
        self._held_out = lru_cache(maxsize=4)(lambda texts: hold_out_each([self.of(text) for text in texts]))

    def hold_out_each(self, references: Sequence[RankedText]) -> list[HeldOutReference]:
        """Return each reference with the others."""
        return self._held_out(tuple(reference.text for reference in references))


@dataclass
class ConfusionCounts:
    """The numbers of segments, of those with a confusion set, and of candidates in it, for one metric."""

    segments: int = 0
    confused: int = 0
    above: int = 0

    def add(self, confusion: Confusion) -> None:
        """Count a segment."""
        self.segments += 1
        self.confused += confusion.above_count > 0
        self.above += confusion.above_count


def page_start(title: str, settings: Mapping[str, object], counts: Mapping[str, ConfusionCounts]) -> str:
    """Return the page up to the first segment: title, settings, and one row per metric."""
    terms = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in settings.items())
    rows = [
        f'<tr><th scope="row">{escape(metric)}</th><td class="n">{of_metric.segments}</td>'
        f'<td class="n">{of_metric.confused} ({of_metric.confused / of_metric.segments:.1%})</td>'
        f'<td class="n">{of_metric.above / of_metric.segments:.1f}</td></tr>'
        for metric, of_metric in counts.items()
    ]
    return START.format(title=escape(title), settings=f"<dl>\n{terms}\n</dl>" if terms else "", rows="\n".join(rows))


def section(confusions: Sequence[Confusion], words: Words) -> str:
    """Return a segment with the confusion sets of several metrics."""
    first = confusions[0]
    of_list = "" if first.list_id is None else f" (list {first.list_id})"
    parts = [f"<section>\n<h2>Segment {first.segment}{of_list}</h2>\n"]
    if first.source is not None:
        parts.append(f'<blockquote dir="auto">{escape(first.source)}</blockquote>\n')
    parts.extend(_confusion(confusion, words) for confusion in confusions)
    return "".join([*parts, "</section>\n"])


def _confusion(confusion: Confusion, words: Words) -> str:
    """Return one metric's references of a segment, and the candidates above the oracle, if there are any."""
    count, held = confusion.above_count, len(confusion.above)
    rank = "no candidate ranks" if count == 0 else "1 candidate ranks" if count == 1 else f"{count} candidates rank"
    shown = f", {held} {'is' if held == 1 else 'are'} shown" if held < count else ""
    sentence = (
        f"<h3>{escape(confusion.metric)}</h3>\n<p>The oracle scores {_score(confusion.oracle_score)} and ranks "
        f"{_rank(confusion.oracle_rank)} in a list of {confusion.size}: {rank} above it{shown}.</p>\n"
    )
    if not confusion.above:
        return sentence
    held_out = words.hold_out_each(confusion.references)
    references = [_reference(*pair) for pair in zip(confusion.references, held_out, strict=True)]
    candidates = [_candidate(text, words.of(text.text), confusion.references, held_out) for text in confusion.above]
    bodies = "\n".join(f"<tbody>\n{''.join(rows)}</tbody>" for rows in (references, candidates))
    return (
        f'{sentence}<table class="list">\n<thead><tr><th scope="col">whose</th><th scope="col" class="n">rank</th>'
        f'<th scope="col" class="n">score</th><th scope="col">translation</th></tr></thead>\n{bodies}\n</table>\n'
    )


def _reference(reference: RankedText, held_out: HeldOutReference) -> str:
    below = f"<small>no other has {_listed(held_out.unsupported)}</small>" if held_out.unsupported else ""
    text = _marked(held_out.words, [(matched, False) for matched in held_out.marks])
    return _row(f"reference {reference.place}", reference, text, below)


def _candidate(
    candidate: RankedText,
    words: Sequence[str],
    references: Sequence[RankedText],
    held_out: Sequence[HeldOutReference],
) -> str:
    copy = '<span class="copy">copy of a reference</span> ' if candidate.copy else ""
    below_it = [references.index(reference) for reference in outranked(candidate, references)]
    # A copy of a reference is compared with another reference.
    at = next((k for k in below_it if held_out[k].words != words), below_it[0])
    difference = held_out[at].difference(words)
    parts = [f"gains {_listed(difference.gained) if difference.gained else 'no word'}"]
    parts += [f"lacks {_listed(difference.lost)}"] if difference.lost else []
    parts += [f"alone with {_listed(difference.alone)}"] if difference.alone else []
    below = f"{copy}<small>over reference {references[at].place}: {'; '.join(parts)}</small>"
    return _row(f"candidate {candidate.place}", candidate, _marked(words, held_out[at].marks_of(words)), below)


def _row(whose: str, ranked: RankedText, text: str, below: str) -> str:
    return (
        f'<tr><th scope="row">{whose}</th><td class="n" data-label="rank">{_rank(ranked.rank)}</td>'
        f'<td class="n" data-label="score">{_score(ranked.score)}</td>'
        f'<td class="text"><p dir="auto">{text}</p>{f"<p>{below}</p>" if below else ""}</td></tr>\n'
    )


def _marked(words: Sequence[str], marks: Sequence[tuple[bool, bool]]) -> str:
    """Return the words of a text; adjacent words with the same marks (matched, gained) share an element."""
    parts = []
    for (is_matched, is_gained), run in groupby(zip(marks, words, strict=True), itemgetter(0)):
        text = escape(" ".join(word for _, word in run))
        parts.append(f"<mark><b>{text}</b></mark>" if is_gained else f"<mark>{text}</mark>" if is_matched else text)
    return " ".join(parts)


def _listed(words: Sequence[str]) -> str:
    return f"<b><bdi>{escape(' · '.join(words))}</bdi></b>"


def _rank(rank: float) -> str:
    return f"{rank:.2f}".rstrip("0").rstrip(".") if math.isfinite(rank) else NO_NUMBER


def _score(score: float | None) -> str:
    return number_or_dash(score, ".4f")


SUFFIXES = (".jsonl", ".html")


def check_confusions(path: str | os.PathLike[str]) -> None:
    """Raise InputError if no error analysis can be written to this path."""
    if Path(path).suffix.lower() not in SUFFIXES:
        raise InputError(f"{os.fspath(path)}: the name of an error analysis ends in {' or '.join(SUFFIXES)}")
    check_writable(path)


def write_confusions(
    path: str | os.PathLike[str],
    confusions: Iterable[Confusion],
    *,
    title: str,
    settings: Mapping[str, object],
    tokenize: Callable[[str], Sequence[str]],
) -> None:
    """Write confusion sets, one segment at a time, as .jsonl or as an .html page with a title and settings.

    The file is complete or absent. The page shows consecutive confusion sets of a segment together.
    """
    check_confusions(path)
    words = Words(tokenize)
    with replace_file(path) as temporary:
        if Path(path).suffix.lower() == ".jsonl":
            # A lone surrogate becomes its escape, as in JSON.
            with open(temporary, "x", encoding="utf-8", errors="backslashreplace", newline="") as file:
                file.writelines(json_text(record(confusion, words)) + "\n" for confusion in confusions)
        else:
            _write_page(temporary, confusions, title, settings, words)


def record(confusion: Confusion, words: Words) -> dict[str, Any]:
    """Return the JSON record of a confusion set; each candidate has its differences from each reference."""
    held_out = words.hold_out_each(confusion.references)
    above = []
    for candidate in confusion.above:
        differences = [reference.difference(words.of(candidate.text)) for reference in held_out]
        above.append(
            {
                **_ranked(candidate),
                "copy": candidate.copy,
                "alone": differences[0].alone,  # the same for each reference
                "differences": [
                    {"reference": reference.place, "gained": difference.gained, "lost": difference.lost}
                    for reference, difference in zip(confusion.references, differences, strict=True)
                ],
            }
        )
    return {
        "segment": confusion.segment,
        **({} if confusion.list_id is None else {"id": confusion.list_id}),
        "metric": confusion.metric,
        **({} if confusion.source is None else {"source": confusion.source}),
        "size": confusion.size,
        "oracle": {"rank": finite(confusion.oracle_rank), "score": finite(confusion.oracle_score)},
        "references": [
            {**_ranked(reference), "unsupported": counts.unsupported}
            for reference, counts in zip(confusion.references, held_out, strict=True)
        ],
        "above_count": confusion.above_count,
        "above": above,
    }


def _ranked(text: RankedText) -> dict[str, Any]:
    return {"place": text.place, "text": text.text, "score": finite(text.score), "rank": finite(text.rank)}


def _write_page(
    path: Path,
    confusions: Iterable[Confusion],
    title: str,
    settings: Mapping[str, object],
    words: Words,
) -> None:
    """Write the page; segments wait in a temporary file, because the table above them is known only at the end."""
    counts: dict[str, ConfusionCounts] = {}
    text: dict[str, Any] = {"encoding": "utf-8", "errors": "replace", "newline": ""}
    with TemporaryFile("w+", dir=path.parent, **text) as segments:
        for _, together in groupby(confusions, lambda confusion: confusion.segment):
            of_segment = list(together)
            for confusion in of_segment:
                counts.setdefault(confusion.metric, ConfusionCounts()).add(confusion)
            segments.write(section(of_segment, words))
        segments.seek(0)
        with open(path, "x", **text) as file:
            file.write(page_start(title, settings, counts))
            shutil.copyfileobj(segments, file)
            file.write(END)
