"""Texts chosen from n-best lists, lattices and forests: by minimum Bayes risk, and by an oracle."""

from __future__ import annotations

from typing import Any

import numpy as np

from tarocco.decode.mbr.results import CHOICE, FIRST, LatticeMbrResult, MbrResult
from tarocco.decode.oracle.results import FIRST as ONE_BEST
from tarocco.decode.oracle.results import ORACLE, RIVAL, OracleResult
from tarocco.render.results import Presentation, scale_note, show_tables
from tarocco.render.results.score import corpus_table, number
from tarocco.render.tables import NO_NUMBER, Table, number_or_dash, separated

ROOM = 60  # characters of a text in tables; other formats have the whole text


def short(text: str) -> str:
    """Return the beginning of a text that fits a table."""
    return text if len(text) <= ROOM else text[: ROOM - 1].rstrip() + "…"


def on_one_line(text: str) -> str:
    """Return a text without line breaks, which JSON lists can contain."""
    return text.replace("\n", " ").replace("\r", " ")


# --- minimum Bayes risk in n-best lists ------------------------------------------------------------------------------


def present_choices(result: MbrResult, level: str, digits: int | None = None, **settings: Any) -> Presentation:
    """Present choices by minimum Bayes risk from n-best lists."""
    table = choices_table if level == "segment" else summary_table
    about = {
        "utility": result.utility,
        "signature": result.signature,
        "metric_signatures": list(result.metric_signatures),
        "gains": result.gain_rows(),
    }
    return Presentation(
        "mbr",
        settings | about,
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        show_tables(lambda: [table(result, digits)], lambda: mbr_notes(result)),
        lambda: [text.replace("\n", " ") for text in result.texts],
        result.notes,
    )


def summary_table(result: MbrResult, digits: int | None = None) -> Table:
    """One row each for the first candidates, the choices and, with references, the best candidates."""

    def corpus(value: float, scale: float) -> str:
        return f"{scale * value:.{(1 if scale != 1 else 4) if digits is None else digits}f}"

    header = ("candidates", "mean rank", "utility", *(gain.metric for gain in result.gains))
    ranks = sum(choice.rank for choice in result.choices) / len(result)
    rows = [
        ("first of the list", "1.0", _utility(result.mean_first_utility, digits)),
        ("MBR", f"{ranks:.1f}", _utility(result.mean_utility, digits)),
    ]
    of_gains = [
        tuple(corpus(value, gain.scale) for gain, value in zip(result.gains, values, strict=True))
        for values in ([gain.first for gain in result.gains], [gain.chosen for gain in result.gains])
    ]
    table = [(*row, *more) for row, more in zip(rows, of_gains, strict=True)]
    for i, gain in enumerate(result.gains):
        cells = [NO_NUMBER] * len(result.gains)
        cells[i] = corpus(gain.oracle, gain.scale)
        table.append((f"best by {gain.metric}", f"{gain.oracle_rank:.1f}", NO_NUMBER, *cells))
    return Table(header, tuple(table))


def choices_table(result: MbrResult, digits: int | None = None) -> Table:
    """One row per list."""
    rows = (
        (
            *(str(choice.segment + 1), f"{choice.rank} of {choice.n_candidates}"),
            *(_utility(value, digits) for value in (choice.utility, choice.first_utility)),
            choice.text,
        )
        for choice in result.choices
    )
    return Table(("segment", "rank", "utility", "first's", "text"), tuple(rows))


def _utility(value: float, digits: int | None) -> str:
    return number_or_dash(value, f".{4 if digits is None else digits}f")


def mbr_notes(result: MbrResult) -> list[str]:
    """Return the lines below a table: the utility, the number of changed choices, signatures."""
    return [
        f"utility: {result.utility}; expected utility, mean over {len(result)} lists",
        f"MBR changed the first choice in {result.changed} of {len(result)} lists",
        result.signature,
        *result.metric_signatures,
        *(gain.signature for gain in result.gains),
        *scale_note(gain.metric for gain in result.gains if gain.scale != 1),
    ]


# --- minimum Bayes risk in lattices ----------------------------------------------------------------------------------


def present_paths(result: LatticeMbrResult, level: str, digits: int | None = None, **settings: Any) -> Presentation:
    """Present choices by minimum Bayes risk from lattices and forests."""
    table = paths_table if level == "segment" else paths_summary
    about = {
        "utility": "linear gain",
        "theta": list(result.theta),
        "signature": result.signature,
        "scores": result.score_rows(),
    }
    return Presentation(
        "mbr",
        settings | about,
        result.to_dict,
        lambda delimiter: separated(result.rows(), delimiter),
        show_tables(lambda: [table(result, digits)], lambda: path_notes(result)),
        lambda: result.texts,
        result.notes,
    )


def paths_summary(result: LatticeMbrResult, digits: int | None = None) -> Table:
    """One row each for the best paths by weight and the choices: gains and, with references, scores."""
    scores = () if result.scores is None else result.scores.scores
    rows = []
    for system, gain in ((FIRST, result.mean_first_gain), (CHOICE, result.mean_gain)):
        cells = [number(score.score, score, digits) for score in scores if score.system == system]
        rows.append((system, _utility(gain, digits), *cells))
    return Table(("paths", "gain", *dict.fromkeys(str(score.metric) for score in scores)), tuple(rows))


def paths_table(result: LatticeMbrResult, digits: int | None = None) -> Table:
    """One row per lattice."""
    rows = (
        (
            str(choice.segment + 1),
            short(choice.text),
            *(_utility(value, digits) for value in (choice.gain, choice.first_gain)),
        )
        for choice in result.choices
    )
    return Table(("segment", "MBR", "gain of MBR", "gain of 1-best"), tuple(rows), labels=2)


def path_notes(result: LatticeMbrResult) -> list[str]:
    """Return the lines below a table: the gain, the number of changed choices, signatures."""
    first = {} if result.scores is None else {str(score.metric): score for score in result.scores.scores}
    return [
        f"gain: linear in n-grams, weighted by exact posteriors; expected gain, mean over {len(result)} lattices",
        f"MBR changed the 1-best in {result.changed} of {len(result)} lattices",
        result.signature,
        *(score.signature for score in first.values()),
        *scale_note(name for name, score in first.items() if score.metric.scale != 1),
    ]


# --- oracles ---------------------------------------------------------------------------------------------------------


def present_oracles(
    result: OracleResult, level: str, digits: int | None = None, first_id: int = 0, **settings: Any
) -> Presentation:
    """Present oracles of lattices, forests or n-best lists."""
    rows = result.corpus_rows if level == "corpus" else result.k_best_rows if result.k > 1 else result.rows

    def table() -> Table:
        return corpus_table(result.scores, digits) if level == "corpus" else segments_table(result, digits)

    return Presentation(
        "oracle",
        settings | result.about(),
        lambda: result.to_dict(level),
        lambda delimiter: separated(rows(), delimiter),
        show_tables(lambda: [table()], lambda: oracle_notes(result)),
        lambda: oracle_lines(result, first_id),
        result.notes,
    )


def segments_table(result: OracleResult, digits: int | None = None) -> Table:
    """One row per segment: the oracle, its score and the 1-best's, and its rank; or one row per oracle text."""
    score = result.of(ORACLE)
    name = str(score.metric)
    if result.k > 1:
        texts = tuple(
            (str(row["segment"]), str(row["place"]), short(row["text"]), number(_value(row["score"]), score, digits))
            for row in result.k_best_rows()
        )
        return Table(("segment", "place", "oracle", name), texts, labels=3)
    titles = {"best_score": f"{name} of 1-best", "grr_score": f"{name} of GRR-4's", "score": f"{name} of oracle"}
    rows = []
    records = result.rows()
    columns = [key for key in titles if key in records[0]]
    depths = [key for key in ("rank", "behind") if key in records[0]]
    for record in records:
        values = [number(_value(record[key]), score, digits) for key in columns]
        depth = [number_or_dash(record[key], "d" if key == "rank" else ".4g") for key in depths]
        rows.append((str(record["segment"]), short(record["text"]), *values, *depth))
    return Table(("segment", "oracle", *(titles[key] for key in columns), *depths), tuple(rows), labels=2)


def _value(value: float | None) -> float:
    return float("nan") if value is None else value


def oracle_notes(result: OracleResult) -> list[str]:
    """Return the lines below a table: how oracles were found, their ranks, signatures, the printed scale."""
    first = {str(score.metric): score for score in result.scores.scores}
    return [
        _method(result),
        *_depth(result),
        *(result.signature(score) for score in first.values()),
        *scale_note(name for name, score in first.items() if score.metric.scale != 1),
    ]


def _method(result: OracleResult) -> str:
    metric = result.of(ORACLE).metric
    if result.exact:
        what = "candidate of its list" if result.ranks is not None else "text of its lattice or forest"
        return f"oracle: the best {what} under {metric}, exact"
    gap = metric.sign * (result.of(ORACLE).segments - result.of(RIVAL).segments)
    better = int((gap > 1e-12).sum())
    return (
        f"oracle: approximate, the best text under {metric} that the search visited; better than the exact oracle "
        f"under GRR-4 in {better} of {len(result)} segments, by {np.nanmean(gap) * metric.scale:.4g} on average"
    )


def _depth(result: OracleResult) -> list[str]:
    lines = []
    if result.first is not None:
        lines.append(f"the oracle is the {ONE_BEST} in {result.n_first} of {len(result)} segments")
    if result.ranks is not None:
        lines.append(
            f"rank of the oracle in its list: median {np.median(result.ranks):g}, mean {result.ranks.mean():.1f}, "
            f"largest {result.ranks.max()}"
        )
    if result.behind is not None:
        behind = result.behind
        lines.append(
            f"behind: how much less the oracle weighs than the best path: median {np.median(behind):.4g}, mean "
            f"{behind.mean():.4g}, largest {behind.max():.4g}"
        )
    return lines


def oracle_lines(result: OracleResult, first_id: int = 0) -> list[str]:
    """Return one text per line, or n-best lists in the format of Moses where the N best texts were requested."""
    if result.k == 1:
        return list(map(on_one_line, result.texts))
    name = result.of(ORACLE).metric
    return [
        f"{oracle.segment + first_id} ||| {on_one_line(text)} ||| {name}= {score:.6g} ||| {score:.6g}"
        for oracle in result.oracles
        for text, score in oracle.k_best
    ]
