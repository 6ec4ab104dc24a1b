"""Where a metric puts machines above people, segment by segment: JSON lines for programs, a page for people."""

from __future__ import annotations

import json
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
from tarocco.io.files import check_writable, replace_file
from tarocco.meta.orange.confusions import Confusion, Opponent, Scored, opponents, outranked
from tarocco.render.tables import NO_NUMBER, number_or_dash

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
<p>The oracle stands for the references: it has the mean of their scores. A candidate above it is one that the metric
takes for better than the human translations. A reference is held against the other references, a candidate against all
but the one that stands next below it: <mark>marked</mark> words are matched there, and
<mark><b>strongly marked</b></mark> ones are matched and not in the reference below, so they lifted the candidate.
The texts are shown as words are counted.</p>
"""
END = "</main>\n</body>\n</html>\n"


class Words:
    """The words of texts; the metrics of a segment mostly show the same ones, so they are kept for a while."""

    def __init__(self, tokenize: Callable[[str], Sequence[str]]) -> None:
        self.of = lru_cache(maxsize=4096)(tokenize)
        self._opponents = lru_cache(maxsize=4)(lambda texts: opponents([self.of(text) for text in texts]))

    def opponents(self, references: Sequence[Scored]) -> list[Opponent]:
        """Each reference, held against the others."""
        return self._opponents(tuple(reference.text for reference in references))


@dataclass
class Summary:
    """What all segments together say of a metric."""

    segments: int = 0
    confused: int = 0
    above: int = 0

    def add(self, confusion: Confusion) -> None:
        self.segments += 1
        self.confused += confusion.above_count > 0
        self.above += confusion.above_count


def page_start(title: str, settings: Mapping[str, object], summaries: Mapping[str, Summary]) -> str:
    """The page up to the first segment: title, settings, and a row a metric."""
    told = "\n".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in settings.items())
    rows = [
        f'<tr><th scope="row">{escape(metric)}</th><td class="n">{one.segments}</td>'
        f'<td class="n">{one.confused} ({one.confused / one.segments:.1%})</td>'
        f'<td class="n">{one.above / one.segments:.1f}</td></tr>'
        for metric, one in summaries.items()
    ]
    return START.format(title=escape(title), settings=f"<dl>\n{told}\n</dl>" if told else "", rows="\n".join(rows))


def section(views: Sequence[Confusion], words: Words) -> str:
    """A segment as some metrics see it."""
    of_list = "" if views[0].list_id is None else f" (list {views[0].list_id})"
    parts = [f"<section>\n<h2>Segment {views[0].segment}{of_list}</h2>\n"]
    if views[0].source is not None:
        parts.append(f'<blockquote dir="auto">{escape(views[0].source)}</blockquote>\n')
    parts.extend(_view(view, words) for view in views)
    return "".join([*parts, "</section>\n"])


def _view(view: Confusion, words: Words) -> str:
    """What a metric says of a segment: the references, and the candidates above the oracle if there are any."""
    count, held = view.above_count, len(view.above)
    stand = "no candidate stands" if count == 0 else "1 candidate stands" if count == 1 else f"{count} candidates stand"
    shown = f", {held} {'is' if held == 1 else 'are'} shown" if held < count else ""
    told = (
        f"<h3>{escape(view.metric)}</h3>\n<p>The oracle scores {_score(view.oracle_score)} and ranks "
        f"{_rank(view.oracle_rank)} in a list of {view.size}: {stand} above it{shown}.</p>\n"
    )
    if not view.above:
        return told
    opponents = words.opponents(view.references)
    references = [_reference(*one) for one in zip(view.references, opponents, strict=True)]
    candidates = [_candidate(one, words.of(one.text), view.references, opponents) for one in view.above]
    bodies = "\n".join(f"<tbody>\n{''.join(rows)}</tbody>" for rows in (references, candidates))
    return (
        f'{told}<table class="list">\n<thead><tr><th scope="col">whose</th><th scope="col" class="n">rank</th>'
        f'<th scope="col" class="n">score</th><th scope="col">translation</th></tr></thead>\n{bodies}\n</table>\n'
    )


def _reference(one: Scored, opponent: Opponent) -> str:
    below = f"<small>no other has {_listed(opponent.unsupported)}</small>" if opponent.unsupported else ""
    text = _marked(opponent.words, [(matched, False) for matched in opponent.marks])
    return _row(f"reference {one.place}", one, text, below)


def _candidate(one: Scored, own: Sequence[str], references: Sequence[Scored], opponents: Sequence[Opponent]) -> str:
    copy = '<span class="copy">copy of a reference</span> ' if one.copy else ""
    below_it = [references.index(reference) for reference in outranked(one, references)]
    at = next((k for k in below_it if opponents[k].words != own), below_it[0])  # a copy is shown beside another one
    difference = opponents[at].difference(own)
    parts = [f"gains {_listed(difference.gained) if difference.gained else 'no word'}"]
    parts += [f"lacks {_listed(difference.lost)}"] if difference.lost else []
    parts += [f"alone with {_listed(difference.alone)}"] if difference.alone else []
    below = f"{copy}<small>over reference {references[at].place}: {'; '.join(parts)}</small>"
    return _row(f"candidate {one.place}", one, _marked(own, opponents[at].marks_of(own)), below)


def _row(whose: str, one: Scored, text: str, below: str) -> str:
    return (
        f'<tr><th scope="row">{whose}</th><td class="n" data-label="rank">{_rank(one.rank)}</td>'
        f'<td class="n" data-label="score">{_score(one.score)}</td>'
        f'<td class="text"><p dir="auto">{text}</p>{f"<p>{below}</p>" if below else ""}</td></tr>\n'
    )


def _marked(words: Sequence[str], marks: Sequence[tuple[bool, bool]]) -> str:
    """The words of a text; those that follow each other with the same marks (matched, gained) share an element."""
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
    """Refuse, before any work is done, a path at which no error analysis can be written."""
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
    """Write confusions as they come, a segment at a time: as .jsonl, or as .html, which has a title and settings.

    The file is whole or not there. The page shows the metrics of a segment together where they follow each other.
    """
    check_confusions(path)
    words = Words(tokenize)
    with replace_file(path) as temporary:
        if Path(path).suffix.lower() == ".jsonl":
            # A lone surrogate becomes its escape, which is what JSON writes for it.
            with open(temporary, "x", encoding="utf-8", errors="backslashreplace", newline="") as file:
                file.writelines(json.dumps(record(one, words), ensure_ascii=False) + "\n" for one in confusions)
        else:
            _write_page(temporary, confusions, title, settings, words)


def record(confusion: Confusion, words: Words) -> dict[str, Any]:
    """One metric's view of one segment; each candidate has its words of difference from each reference."""
    opponents = words.opponents(confusion.references)
    above = []
    for candidate in confusion.above:
        own = words.of(candidate.text)
        found = [opponent.difference(own) for opponent in opponents]
        differences = [
            {"reference": reference.place, "gained": one.gained, "lost": one.lost}
            for reference, one in zip(confusion.references, found, strict=True)
        ]
        alone = found[0].alone  # the same for each reference
        above.append({**_scored(candidate), "copy": candidate.copy, "alone": alone, "differences": differences})
    return {
        "segment": confusion.segment,
        **({} if confusion.list_id is None else {"id": confusion.list_id}),
        "metric": confusion.metric,
        **({} if confusion.source is None else {"source": confusion.source}),
        "size": confusion.size,
        "oracle": {"rank": _number(confusion.oracle_rank), "score": _number(confusion.oracle_score)},
        "references": [
            {**_scored(reference), "unsupported": opponent.unsupported}
            for reference, opponent in zip(confusion.references, opponents, strict=True)
        ],
        "above_count": confusion.above_count,
        "above": above,
    }


def _scored(one: Scored) -> dict[str, Any]:
    return {"place": one.place, "text": one.text, "score": _number(one.score), "rank": _number(one.rank)}


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _write_page(
    path: Path,
    confusions: Iterable[Confusion],
    title: str,
    settings: Mapping[str, object],
    words: Words,
) -> None:
    """The summary stands above the segments and is known after them: they wait in a file of their own."""
    summaries: dict[str, Summary] = {}
    text: dict[str, Any] = {"encoding": "utf-8", "errors": "replace", "newline": ""}
    with TemporaryFile("w+", dir=path.parent, **text) as segments:
        for _, together in groupby(confusions, lambda one: one.segment):
            views = list(together)
            for one in views:
                summaries.setdefault(one.metric, Summary()).add(one)
            segments.write(section(views, words))
        segments.seek(0)
        with open(path, "x", **text) as file:
            file.write(page_start(title, settings, summaries))
            shutil.copyfileobj(segments, file)
            file.write(END)
