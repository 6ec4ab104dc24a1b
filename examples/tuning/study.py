"""What you tune for is what you get: the experiments of Chiang et al. (2008) in miniature. `python study.py`

A phrase model (model.py) learns from a small generated corpus (task.py). Its weights are tuned as in the paper: decode
the development set, tune on all lists so far with `tarocco.tune`, and again, for BLEU and for BLEU-SBP; on both genres
together or on one, and with rules that delete nothing, words or whole sentences. Then the test set is translated, and
the paper's tables are printed, with a line each on whether its findings hold here. Some five minutes on two processors.
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

from model import DELETION, FEATURES, Model
from task import Pair, corpus

import tarocco

BLEU, SBP = "BLEU-4:smooth=none:length=shortest", "BLEU-SBP"  # the paper's: NIST's reference length, no smoothing
OTHERS = ["METEOR-wnsyn", "GTM-1.2", "MAXSIM", "GRR-4"]
GENRES = ("news", "web")

TRAINING, DEVELOPMENT, TEST = (1, 600, 200, 1), (2, 160, 160, 4), (3, 200, 200, 4)  # seed, news, web, references
START = (1.0, 1.0, 1.0, 0.0, -1.0, -1.0, -3.0)  # of FEATURES, in every tuning
MOST_ROUNDS, N_BEST = 15, 50


class System(NamedTuple):
    """What is tuned: for which metric, on what (a genre, or both: "mixed"), and what may be deleted."""

    metric: str
    genre: str = "mixed"
    deletion: str = "none"


class Output(NamedTuple):
    """Translations of a set, genre by genre, and how many source words were deleted."""

    texts: dict[str, list[str]]
    deleted: int


SYSTEMS = [
    System(metric, genre, deletion)
    for metric in (BLEU, SBP)
    for genre, deletion in [
        ("mixed", "none"),
        *((genre, "none") for genre in GENRES),
        *(("mixed", d) for d in DELETION[1:]),
    ]
]


@cache
def data() -> tuple[Model, dict[str, list[Pair]], dict[str, list[Pair]]]:
    training, development, test = (corpus(*numbers) for numbers in (TRAINING, DEVELOPMENT, TEST))
    return Model([pair for pairs in training.values() for pair in pairs]), development, test


def references(pairs: list[Pair]) -> list[list[str]]:
    return [[" ".join(one) for one in pair.references] for pair in pairs]


# --- systems ---------------------------------------------------------------------------------------------------------


def tuned(system: System) -> tuple[list[float], int]:
    """Decode, tune on all lists so far, and again, until decoding finds nothing new."""
    model, development, _ = data()
    pairs = [pair for genre in GENRES if system.genre in ("mixed", genre) for pair in development[genre]]
    names = FEATURES[: -1 if system.deletion == "none" else None]
    weights = list(START)
    with tempfile.TemporaryDirectory() as folder:
        rounds: list[Path] = []
        known = 0
        for number in range(MOST_ROUNDS):
            rounds.append(Path(folder) / f"round{number}.txt")
            with open(rounds[-1], "w") as file:
                for i, pair in enumerate(pairs):
                    for words, features in model.translations(pair.source, weights, system.deletion, N_BEST):
                        told = " ".join(f"{name}= {value!r}" for name, value in zip(names, features, strict=False))
                        file.write(f"{i} ||| {' '.join(words)} ||| {told} ||| 0\n")
            result = tarocco.tune(
                rounds,
                references(pairs),
                metrics=system.metric,
                weights=dict(zip(names, weights, strict=False)),
                restarts=3,
                directions=4,
                n_resamples=2,
                jobs=1,
            )
            weights = [result.weights[name][0] for name in names] + [START[-1]] * (len(FEATURES) - len(names))
            if result.found["candidates"] == known:
                break
            known = result.found["candidates"]
    return weights, len(rounds)


def translated(system: System, weights: list[float], pairs: dict[str, list[Pair]]) -> Output:
    model = data()[0]
    texts: dict[str, list[str]] = {}
    deleted = 0
    for genre in GENRES:
        best = [model.translations(pair.source, weights, system.deletion, 1)[0] for pair in pairs[genre]]
        texts[genre] = [" ".join(words) for words, _ in best]
        deleted += sum(features[-1] for _, features in best)
    return Output(texts, deleted)


def run(system: System) -> tuple[Output, Output]:
    """The development set and the test set, as a tuned system translates them."""
    weights, rounds = tuned(system)
    print(
        f"{system}: {rounds} rounds, {dict(zip(FEATURES, (round(w, 3) for w in weights), strict=True))}",
        file=sys.stderr,
        flush=True,
    )
    return translated(system, weights, data()[1]), translated(system, weights, data()[2])


# --- tables ----------------------------------------------------------------------------------------------------------


class Results:
    """Scores of all systems, by set and genre."""

    def __init__(self, outputs: dict[System, tuple[Output, Output]]) -> None:
        _, development, test = data()
        self.pairs = {"dev": development, "test": test}
        self.outputs = {
            (system, name): output
            for system, both in outputs.items()
            for name, output in zip(("dev", "test"), both, strict=True)
        }
        # The genre-specific translation of everything: each genre by its own system.
        for metric in (BLEU, SBP):
            for name in ("dev", "test"):
                texts = {genre: self.outputs[System(metric, genre), name].texts[genre] for genre in GENRES}
                self.outputs[System(metric, "specific"), name] = Output(texts, 0)

    def score(self, system: System, metric: str, name: str = "test", genres: tuple[str, ...] = GENRES) -> tarocco.Score:
        texts = [text for genre in genres for text in self.outputs[system, name].texts[genre]]
        pairs = [pair for genre in genres for pair in self.pairs[name][genre]]
        return tarocco.score(texts, references(pairs), metrics=metric, tokenize="none")[metric]

    def shown(self, system: System, metric: str, name: str = "test", genres: tuple[str, ...] = GENRES) -> float:
        return round(100 * self.score(system, metric, name, genres).score, 1)

    def length(self, system: System, genres: tuple[str, ...]) -> float:
        """How long the translations are, compared with the shortest references."""
        return self.score(system, BLEU, genres=genres).details["length_ratio"]

    def deleted(self, system: System, name: str) -> float:
        """The percentage of source words that were deleted."""
        words = sum(len(pair.source) for pairs in self.pairs[name].values() for pair in pairs)
        return 100 * self.outputs[system, name].deleted / words

    def mark(self, system: System, metric: str, name: str) -> str:
        """+ or -, doubled below 0.01: a significant difference from the same tuning without deletion."""
        systems = {
            one.deletion: [text for genre in GENRES for text in self.outputs[one, name].texts[genre]]
            for one in (System(system.metric), system)
        }
        pairs = [pair for genre in GENRES for pair in self.pairs[name][genre]]
        found = tarocco.compare(systems, references(pairs), metrics=metric, tokenize="none").of(metric, system.deletion)
        sign = "+" if found.difference > 0 else "−"
        return sign * ((found.p_value < 0.05) + (found.p_value < 0.01))


SETS = (("news", ("news",)), ("web", ("web",)), ("news + web", GENRES))


def table(header: str, rows: list[list[object]]) -> str:
    cells = [part.strip() for part in header.split("|")]
    lines = [cells, ["---", *["---:"] * (len(cells) - 1)], *rows]
    return "\n".join(
        f"| {' | '.join(f'{c:.1f}' if isinstance(c, float) else str(c) for c in line)} |" for line in lines
    )


def genre_table(results: Results, metric: str) -> str:
    """Tables 3 and 5."""
    mixed, own = System(metric), System(metric, "specific")
    rows = []
    for name, genres in SETS:
        scores = [results.shown(one, metric, genres=genres) for one in (mixed, own)]
        lengths = [f"{results.length(one, genres):.2f}" for one in (mixed, own)]
        rows.append([name, scores[0], lengths[0], scores[1], lengths[1], f"{scores[1] - scores[0]:+.1f}"])
    short = metric.partition(":")[0]
    return table(f"test set | mixed: {short} | length | genre-specific: {short} | length | Δ", rows)


def table_4(results: Results) -> str:
    mixed, own = System(BLEU), System(BLEU, "specific")
    rows: list[list[object]] = []
    for name, genres in SETS:
        gains = [results.shown(own, m, genres=genres) - results.shown(mixed, m, genres=genres) for m in OTHERS]
        rows.append([name, *(f"{gain:+.1f}" for gain in gains)])
    return table(f"test set | {' | '.join(f'Δ {name}' for name in OTHERS)}", rows)


def deletion_table(results: Results, tuned_for: str, metric: str) -> str:
    """Tables 6 and 8."""
    rows = []
    for deletion in DELETION:
        system = System(tuned_for, deletion=deletion)
        row: list[object] = [deletion]
        for name in ("dev", "test"):
            mark = results.mark(system, metric, name) if deletion != "none" else ""
            row += [results.deleted(system, name), f"{results.shown(system, metric, name):.1f} {mark}".strip()]
        rows.append(row)
    short = metric.partition(":")[0]
    return table(f"deletion | dev: del% | {short} | test: del% | {short}", rows)


def table_7(results: Results) -> str:
    systems = [System(BLEU, deletion=deletion) for deletion in DELETION]
    return table(
        f"deletion | {' | '.join(OTHERS)}",
        [[one.deletion, *(results.shown(one, metric) for metric in OTHERS)] for one in systems],
    )


def findings(results: Results) -> list[tuple[str, bool]]:
    """What the paper found, and whether it is so here."""

    def gains(metric: str) -> list[float]:
        scores = [[results.shown(System(metric, g), metric, genres=s) for _, s in SETS] for g in ("mixed", "specific")]
        return [own - mixed for mixed, own in zip(*scores, strict=True)]

    bleu, sbp = gains(BLEU), gains(SBP)
    mixed, own = ([results.length(System(BLEU, g), (genre,)) for genre in GENRES] for g in ("mixed", "specific"))
    none, word, sentence = (System(BLEU, deletion=deletion) for deletion in DELETION)
    words, sentences = (System(SBP, deletion=deletion) for deletion in DELETION[1:])
    falls = {m: [results.shown(one, m) < results.shown(none, m) for one in (word, sentence)] for m in OTHERS}
    return [
        ("Table 3: tuned for BLEU, genre-specific systems are better on their own genres", min(bleu[:2]) > 0),
        ("Table 3: and yet worse on both genres together", min(bleu[:2]) > 0 > bleu[2]),
        (
            "Table 3: what changes on both together is not between what changes on each",
            not min(bleu[:2]) <= bleu[2] <= max(bleu[:2]),
        ),
        (
            "Table 3: the mixed system writes more where that is easy and less where it is hard",
            mixed[0] > own[0] and mixed[1] < own[1],
        ),
        (
            "Table 5: tuned for BLEU-SBP, it is",
            min(sbp[:2]) <= sbp[2] <= max(sbp[:2]),
        ),
        ("Table 6: word deletion raises BLEU significantly on the test set", "+" in results.mark(word, BLEU, "test")),
        ("Table 6: sentence deletion is used heavily (5% and more)", results.deleted(sentence, "test") >= 5),
        ("Table 6: and does not lower BLEU significantly", "−" not in results.mark(sentence, BLEU, "test")),
        *((f"Table 7: {metric} punishes both", all(fell)) for metric, fell in falls.items()),
        (
            "Table 8: BLEU-SBP punishes the sentence deletion of max-BLEU significantly",
            "−" in results.mark(sentence, SBP, "test"),
        ),
        (
            "Table 8: tuned for BLEU-SBP, fewer words are deleted",
            results.deleted(words, "test") < results.deleted(word, "test"),
        ),
        (
            "Table 8: tuned for BLEU-SBP, sentence deletion is nearly unused (below 0.5%)",
            results.deleted(sentences, "test") < 0.5,
        ),
    ]


def report(results: Results) -> str:
    parts = [
        "**Table 3, tuned for BLEU**\n\n" + genre_table(results, BLEU),
        "**Table 4, other metrics of the same systems**\n\n" + table_4(results),
        "**Table 5, tuned for BLEU-SBP**\n\n" + genre_table(results, SBP),
        "**Table 6, tuned for BLEU**\n\n" + deletion_table(results, BLEU, BLEU),
        "**Table 7, other metrics of the same systems**\n\n" + table_7(results),
        "**Table 8, BLEU-SBP of the systems tuned for BLEU**\n\n" + deletion_table(results, BLEU, SBP),
        "**and of systems tuned for BLEU-SBP**\n\n" + deletion_table(results, SBP, SBP),
        table("what the paper found | here", [[claim, "yes" if so else "no"] for claim, so in findings(results)]),
    ]
    return "\n\n".join(parts)


def main() -> None:
    try:
        tarocco.score(["a"], ["a"], metrics="MAXSIM")
    except tarocco.TaroccoError as error:
        OTHERS.remove("MAXSIM")
        print(f"without MAXSIM: {error}", file=sys.stderr)
    with ProcessPoolExecutor() as pool:
        outputs = dict(zip(SYSTEMS, pool.map(run, SYSTEMS), strict=True))
    print(report(Results(outputs)))


if __name__ == "__main__":
    main()
