"""Oracles as tables, as records and as text."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tarocco.decode.oracle.results import FIRST, ORACLE, RIVAL, OracleResult
from tarocco.io.files import check_no_overwrite, check_writable, write_atomically
from tarocco.render.results.score import corpus_table, number
from tarocco.render.tables import Table, number_or_dash, separated

ROOM = 60  # characters of a text in tables; other formats have all of it


def oracle_table(result: OracleResult, width: int | None = None) -> Table:
    """A row for the 1-best and one for the oracles, a column a metric."""
    return corpus_table(result.scores, width)


def segments_table(result: OracleResult, width: int | None = None) -> Table:
    """A row a segment: the oracle, its score and the 1-best's, and how deep it was buried; or a row a text."""
    score = result.of(ORACLE)
    name = str(score.metric)
    if result.k > 1:
        listed = result.k_best_rows()
        of_texts = tuple(
            (str(row["segment"]), str(row["place"]), short(row["text"]), number(_value(row["score"]), score, width))
            for row in listed
        )
        return Table(("segment", "place", "oracle", name), of_texts, labels=3)
    named = {"best_score": f"{name} of 1-best", "grr_score": f"{name} of GRR-4's", "score": f"{name} of oracle"}
    rows = []
    records = result.rows()
    columns = [key for key in named if key in records[0]]
    depths = [key for key in ("rank", "behind") if key in records[0]]
    for record in records:
        values = [number(_value(record[key]), score, width) for key in columns]
        depth = [number_or_dash(record[key], "d" if key == "rank" else ".4g") for key in depths]
        rows.append((str(record["segment"]), short(record["text"]), *values, *depth))
    return Table(("segment", "oracle", *(named[key] for key in columns), *depths), tuple(rows), labels=2)


def short(text: str) -> str:
    """As much of a text as a table has room for."""
    return text if len(text) <= ROOM else text[: ROOM - 1].rstrip() + "…"


def _value(value: float | None) -> float:
    return float("nan") if value is None else value


def separated_text(result: OracleResult, level: str, delimiter: str) -> str:
    """One row a system and metric, a segment, or a segment and text; with a header."""
    if level == "corpus":
        return separated(result.corpus_rows(), delimiter)
    return separated(result.k_best_rows() if result.k > 1 else result.rows(), delimiter)


def footnotes(result: OracleResult) -> list[str]:
    """Below a table: what was found and how, signatures, the printed scale."""
    first = {str(score.metric): score for score in result.scores.scores}
    lines = [_how(result), *_depth(result), *(result.signature(score) for score in first.values())]
    scaled = [name for name, score in first.items() if score.metric.scale != 1]
    if scaled:
        lines.append(f"shown times 100: {', '.join(scaled)}")
    return lines


def _how(result: OracleResult) -> str:
    metric = result.of(ORACLE).metric
    if result.exact:
        what = "candidate of its list" if result.ranks is not None else "text that a lattice or forest has"
        return f"oracle: the best {what} under {metric}, exactly"
    gap = metric.sign * (result.of(ORACLE).segments - result.of(RIVAL).segments)
    better = int((gap > 1e-12).sum())
    return (
        f"oracle: approximate, the best text under {metric} that the search met; better than the exact oracle under "
        f"GRR-4 in {better} of {len(result)} segments, by {np.nanmean(gap) * metric.scale:.4g} in the mean of all"
    )


def _depth(result: OracleResult) -> list[str]:
    lines = []
    if result.first is not None:
        lines.append(f"the oracle is the {FIRST} in {result.n_first} of {len(result)} segments")
    if result.ranks is not None:
        lines.append(
            f"rank of the oracle in its list: median {np.median(result.ranks):g}, mean {result.ranks.mean():.1f}, "
            f"largest {result.ranks.max()}"
        )
    if result.behind is not None:
        behind = result.behind
        lines.append(
            f"behind, how much less the oracle weighs than the best text: median {np.median(behind):.4g}, mean "
            f"{behind.mean():.4g}, most {behind.max():.4g}"
        )
    return lines


# --- the texts alone -----------------------------------------------------------------------------------------------


def oracle_text(result: OracleResult, first_id: int = 0) -> str:
    """A text a line; or, where several were asked for, n-best lists as Moses writes them."""
    if result.k == 1:
        return "".join(f"{_line(text)}\n" for text in result.texts)
    name = result.of(ORACLE).metric
    return "".join(
        f"{one.segment + first_id} ||| {_line(text)} ||| {name}= {score:.6g} ||| {score:.6g}\n"
        for one in result.oracles
        for text, score in one.k_best
    )


def _line(text: str) -> str:
    return text.replace("\n", " ").replace("\r", " ")


def check_output(path: str | None, inputs: Iterable[str | None]) -> None:
    """Refuse, before any work is done, what cannot be written."""
    if path is not None:
        check_writable(path)
        check_no_overwrite([path], inputs)


def write_oracles(result: OracleResult, path: str, first_id: int = 0) -> None:
    """Write the texts into a file."""
    write_atomically(path, oracle_text(result, first_id).encode("utf-8", "surrogatepass"))
