"""Run the studies of docs/references.md and put their tables and figures there: `make study`.

The data are read from the shared folder next to the checkout; without it, only the study of the bundled data runs.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from studies import put

from tarocco.core.test_set import Segments, TestSet
from tarocco.encode.batch import Encoding
from tarocco.io.scores.human import read_human
from tarocco.io.test_set import read_test_set
from tarocco.meta.correlation.agreement import correlation
from tarocco.metrics.registry import metrics
from tarocco.render.plots import curves, write_chart
from tarocco.render.plots.charts import arrange
from tarocco.scoring.score import score_test_set

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "references.md"
FIGURES = ROOT / "docs" / "_static"
DATA = ROOT.parent / "shared" / "data"
WMT19 = DATA / "wmt19-ende-4refs"
E2E = DATA / "e2e-nlg-challenge"
DEMO = ROOT / "src" / "tarocco" / "data" / "demo"

ALPHAS = [-1.5 + 0.25 * i for i in range(13)]
BETAS = [0.0, 0.5, 1.0]
DEFAULT, BEST = (1.0, 0.0), (-0.9, 1.0)  # the paper's default, and its best setting


def study(name: str, folder: Path, *arguments: str) -> None:
    """Run `tarocco references`, and put its first table and notes between the marks; write its figure."""
    files = [*sorted(folder.glob("ref/*.txt")), "-i", *sorted(folder.glob("sys/*.txt"))]
    if folder == DEMO:
        files = [folder / "demo.toml"]
    command = [sys.executable, "-m", "tarocco", "references", *map(str, files), *arguments, "-q", "-f", "md"]
    command += ["--figure", str(FIGURES / f"references-{name}.svg")]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    table, *_, notes = out.strip().split("\n\n")  # the figure shows the other tables
    kept_notes = [line for line in notes.splitlines() if not re.search(r"\|v:\d", line)]  # signatures are long
    put(PAGE, name, "\n".join([table, "", *kept_notes]))


# --- insertions and deletions in 4-GRR (Chiang et al. 2008, section 5) ------------------------------------------------


def sweep(folder: Path, human: str, title: str) -> list[list[dict[str, Any]]]:
    """Return Spearman's correlation over alpha, one line per beta: of the systems, and with straw men added."""
    test_set = read_test_set(
        [str(path) for path in sorted(folder.glob("ref/*.txt"))],
        [str(path) for path in sorted(folder.glob("sys/*.txt"))],
    )
    path, column = human.split(":")
    people = read_human(str(folder / "human" / path), column, list(test_set.systems), shared_only=True)
    judged = dict(zip(people.systems, people.higher_is_better(column).tolist(), strict=True))
    systems = {name: test_set.systems[name] for name in judged}
    straw = straw_men(next(iter(systems.values())))
    lowest = min(judged.values()) - 1
    scores = scored(TestSet({**systems, **straw}, test_set.references))
    print(f"sweep: {title}", flush=True)
    return [
        [
            {"series": f"β = {beta:g}", "x": alpha, "y": correlated(scores[alpha, beta], human_scores)}
            for beta in BETAS
            for alpha in sorted([*ALPHAS, BEST[0]])
        ]
        for human_scores in (judged, judged | dict.fromkeys(straw, lowest))
    ]


def straw_men(system: Segments) -> dict[str, Segments]:
    """Return bad systems: a third of each text, each text three times, and empty texts."""
    return {
        "too short": Segments.from_strings([" ".join(text.split()[: len(text.split()) // 3]) for text in system]),
        "too long": Segments.from_strings([" ".join([text] * 3) for text in system]),
        "nothing": Segments.from_strings([""] * len(system)),
    }


def scored(test_set: TestSet) -> dict[tuple[float, float], dict[str, float]]:
    names = {(alpha, beta): f"GRR-4:alpha={alpha:g}:beta={beta:g}" for alpha in [*ALPHAS, BEST[0]] for beta in BETAS}
    chosen = metrics(list(names.values()))
    scores = score_test_set(test_set, chosen, Encoding()).scores
    by_metric: dict[str, dict[str, float]] = {}
    for score in scores:
        by_metric.setdefault(str(score.metric), {})[score.system] = score.score
    return {place: by_metric[str(metric)] for place, metric in zip(names, chosen, strict=True)}


def correlated(scores: Mapping[str, float], judged: Mapping[str, float]) -> float:
    return correlation("spearman", np.array([scores[name] for name in judged]), np.array(list(judged.values())))


def sweeps(results: Mapping[str, Sequence[list[dict[str, Any]]]]) -> None:
    """Draw one row of plots for the systems and one with straw men; write some settings as a table."""
    lines = ["| | α = 1, β = 0 | α = −0.9, β = 1 | best on the grid |", "| --- | ---: | ---: | --- |"]
    rows = []
    for which, label in enumerate(("the systems", "with three straw men")):
        pictures = []
        for title, series in results.items():
            drawn = [row for row in series[which] if row["x"] in ALPHAS]
            across = f"α, the price of an inserted word ({label})"
            pictures.append(curves(drawn, x_title=across, y_title=f"Spearman, {title}"))
            values = {(row["x"], row["series"]): row["y"] for row in series[which]}
            best = max(values, key=lambda place, values=values: values[place])  # type: ignore[misc]
            cells = [f"{values[alpha, f'β = {beta:g}']:.3f}" for alpha, beta in (DEFAULT, BEST)]
            cells.append(f"{values[best]:.3f} with α = {best[0]:g}, {best[1]}")
            lines.append(f"| {title}, {label} | {' | '.join(cells)} |".replace(" -", " −"))
        rows.append(pictures)
    about = "Spearman correlation of GRR-4 with human scores over alpha, one line per beta"
    write_chart(arrange(rows, about), FIGURES / "references-grr.svg")
    put(PAGE, "grr", "\n".join(lines))


def main() -> None:
    study("demo", DEMO, "-m", "BLEU-4", "NIST-5", "WER", "GTM-1", "chrF", "--orders")
    if not DATA.exists():
        print("no shared data next to this checkout: their studies are left unchanged")
        return
    people = ["--human", f"{WMT19}/human/system_scores.tsv:da_z"]
    study("wmt19", WMT19, *people, "--coefficient", "kendall", "--orders")
    people = ["--human", f"{E2E}/human/segment_scores.tsv:quality_winrate"]
    study("e2e-8", E2E, *people, "--most", "8", "--orders")
    study("e2e-16", E2E, *people, "--most", "16", "--level", "document", "--coefficient", "spearman", "--orders")
    sweeps(
        {
            "WMT19 en-de": sweep(WMT19, "system_scores.tsv:da_z", "WMT19 en-de"),
            "E2E": sweep(E2E, "system_scores.tsv:quality_winrate", "E2E"),
        }
    )


if __name__ == "__main__":
    main()
