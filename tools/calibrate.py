"""Rerun every simulation of docs/calibration.md and put the tables there: `make calibration`.

The data are read from the shared folder beside the checkout. `--quick` makes a tenth of the runs, to try the script.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from studies import put

sys.path.append(str(Path(__file__).parent / "calibration"))

from audits import Population, find_easy, game, honest, known_effects
from cells import Cell
from checks import check_data
from halves import compare_halves, sources_of_campaign, sources_of_texts
from judges import of_judges
from metrics import (
    coverage_at_difference,
    coverage_of_correlations,
    error_rates_of_metrics,
    error_rates_with_documents,
)
from systems import coverage, documents, error_rates, few_differences, power_and_coverage
from verdicts import Campaign, noisier_copies, null_metrics_only, seed_stability, simulate_verdicts

import tarocco
from tarocco.scoring.results import Score

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "calibration.md"
DATA = ROOT.parent / "shared" / "data"
HEADER = "| claim | setting | nominal | observed | error | runs |\n| --- | --- | --- | --- | --- | --- |"


PAIRS = ((0, 3), (2, 9), (5, 13))  # places of systems in the sorted folder; the first pair is used where one is enough


def system_pair(metric: str, places: tuple[int, int] = PAIRS[0]) -> tuple[Score, Score]:
    """Return two systems of WMT19 whose scores differ."""
    folder = DATA / "wmt19-ende-4refs"
    paths = sorted((folder / "sys").glob("*.txt"))
    systems = {paths[place].stem: paths[place].read_text("utf-8").splitlines() for place in places}
    references = (folder / "ref" / "WMT.txt").read_text("utf-8").splitlines()
    first, second = tarocco.score(systems, references, metrics=metric).scores
    return first, second


def of_systems(runs: int) -> Iterator[Cell]:
    """Yield the cells of the tests between two systems."""
    for metric in ("BLEU-4", "chrF"):
        pair = system_pair(metric)
        for simulation in (error_rates, few_differences, coverage, documents):
            yield from simulation(pair, runs)
        for places in PAIRS:
            yield from power_and_coverage(system_pair(metric, places), runs)


def of_metrics(runs: int) -> Iterator[Cell]:
    """Yield the cells of the tests between metrics and of intervals of their agreement with people."""
    german = Campaign.read(DATA / "wmt23-mtme" / "wmt23", "en-de", "refA")
    for systems in (12, 22):
        for simulation in (error_rates_of_metrics, coverage_of_correlations, coverage_at_difference):
            yield from simulation(german, systems, 300, runs)
    yield from error_rates_with_documents(german, 12, runs)


def of_verdicts(runs: int) -> Iterator[Cell]:
    """Yield the cells of the verdict by people."""
    folder = DATA / "wmt23-mtme" / "wmt23"
    german = Campaign.read(folder, "en-de", "refA")
    hebrew = Campaign.read(folder, "he-en", "refB")
    for level in ("system", "segment"):
        for systems in (8, 12, 22):
            for segments in (60, 500, 2000):
                yield from simulate_verdicts(german, systems, segments, 8, level, runs)
    for systems in (8, 12, 22):
        yield from simulate_verdicts(german, systems, 500, 8, "system scores", runs)
    yield from simulate_verdicts(german, 12, 500, 1, "system", runs, nulls=("random", "shuffled"))
    yield from simulate_verdicts(german, 6, 500, 1, "system scores", 2 * runs, nulls=("random", "random per system"))
    yield from simulate_verdicts(german, 12, 500, 8, "system", runs, outlier=True)
    for systems in (8, 12, 22):
        yield from noisier_copies(german, systems, 300, runs)
    for n_metrics in (3, 34):
        yield from simulate_verdicts(german, 22, 500, n_metrics, "system", runs)
    yield from simulate_verdicts(german, 40, 500, 8, "system", runs)
    yield from simulate_verdicts(hebrew, 22, 500, 8, "system", runs)
    for systems in (6, 10, 22):
        for n_metrics in (6, 40):
            yield from null_metrics_only(german, systems, n_metrics, runs)
    yield from seed_stability(german, max(20, runs // 4))


def of_halves(runs: int) -> Iterator[Cell]:
    """Yield how often verdicts from one half of the systems and segments hold in the other half."""
    folder = DATA / "wmt23-mtme" / "wmt23"
    for pair, reference in (("en-de", "refA"), ("he-en", "refB")):
        sources = sources_of_campaign(Campaign.read(folder, pair, reference))
        for level in ("system", "segment"):
            for split_systems in (True, False):
                yield from compare_halves(f"WMT23 {pair}", sources, level, runs, split_systems)
    e2e = sources_of_texts(DATA / "e2e-nlg-challenge", "segment_scores.tsv:quality_winrate")
    for level in ("system", "segment"):
        for split_systems in (True, False):
            yield from compare_halves("E2E NLG challenge", e2e, level, runs, split_systems)
    wmt19 = sources_of_texts(DATA / "wmt19-ende-4refs", "system_scores.tsv:da_z")
    yield from compare_halves("WMT19 en-de", wmt19, "system", runs)


def of_audits(runs: int) -> Iterator[Cell]:
    """Yield the cells of the audit."""
    folder = DATA / "wmt19-ende-4refs"
    paths = sorted((folder / "sys").glob("*.txt"))[:6]
    systems = {path.stem: path.read_text("utf-8").splitlines() for path in paths}
    references = (folder / "ref" / "WMT.txt").read_text("utf-8").splitlines()
    first = systems[paths[0].stem]
    easy = find_easy(first, references)
    yield from known_effects(Population.make(game(first, easy), references, "BLEU-4", easy), runs)
    for metric in ("BLEU-4", "chrF", "WER", "METEOR-exact"):
        yield from honest(Population.make(systems, references, metric, easy), list(systems), runs)


def table(cells: Iterable[Cell]) -> str:
    """Return a Markdown table; each row is printed as soon as it is there."""
    rows = []
    for cell in cells:
        rows.append(cell.row())
        print(rows[-1], flush=True)
    return "\n".join([HEADER, *rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices = ["systems", "metrics", "verdicts", "judges", "audits", "checks", "halves"]
    parser.add_argument("part", nargs="*", choices=[[], *choices], help="default: all parts")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    parts = options.part or choices
    if not DATA.exists():
        raise SystemExit("the shared folder with the data is not beside this checkout")
    if "systems" in parts:
        put(PAGE, "systems", table(of_systems(200 if options.quick else 2000)))
    if "metrics" in parts:
        put(PAGE, "metrics", table(of_metrics(40 if options.quick else 400)))
    if "verdicts" in parts:
        put(PAGE, "verdicts", table(of_verdicts(40 if options.quick else 400)))
    if "judges" in parts:
        put(PAGE, "judges", table(of_judges(40 if options.quick else 400)))
    if "halves" in parts:
        put(PAGE, "halves", table(of_halves(20 if options.quick else 100)))
    if "audits" in parts:
        put(PAGE, "audits", table(of_audits(40 if options.quick else 400)))
    if "checks" in parts:
        put(PAGE, "checks", table(check_data(DATA, 40 if options.quick else 400)))


if __name__ == "__main__":
    main()
