"""The bundled test set is what its data card says, and what its frozen checksums say."""

import doctest
import hashlib
import itertools
import re
import subprocess
import sys
from collections import Counter

import pytest
from conftest import ROOT

from tarocco import datasets

DEMO = datasets.load("demo")
GENRES = ("news", "travel", "reviews", "instructions", "letters")
WRITTEN_BY_HAND = {"README.md", "frozen.sha256"}


def mean_length(texts):
    return sum(len(text.split()) for text in texts) / len(texts)


def test_docstring_example():
    failed, tried = doctest.testmod(datasets)
    assert (failed, tried > 0) == (0, True)


def test_names():
    assert datasets.names() == ("demo",)
    assert all(datasets.load(name).name == name for name in datasets.names())


def test_the_build_is_current(tmp_path):
    command = [sys.executable, str(ROOT / "tools" / "make_demo_data.py"), "--into", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    built = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    shipped = {path.name: path.read_bytes() for path in DEMO.path.iterdir() if path.name not in WRITTEN_BY_HAND}
    assert built == shipped


def test_the_texts_are_the_frozen_ones():
    frozen = dict(reversed(line.split("  ")) for line in (DEMO.path / "frozen.sha256").read_text().splitlines())
    assert frozen == {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in DEMO.path.iterdir()
        if path.name not in WRITTEN_BY_HAND | {"demo.toml"}
    }


def test_counts():
    assert len(DEMO.source) == len(DEMO.references) == len(DEMO.documents) == 60
    assert DEMO.documents == [genre for genre in GENRES for _ in range(12)]
    assert {len(references) for references in DEMO.references} == {4}
    assert list(DEMO.systems) == ["careful", "middling", "mirror", "literal", "brief", "verbose"]
    assert {len(outputs) for outputs in DEMO.systems.values()} == {60}


def test_no_text_occurs_twice():
    streams = [DEMO.source, *zip(*DEMO.references, strict=True), *DEMO.systems.values()]
    times = Counter(text for stream in streams for text in stream)
    assert max(times.values()) == 1


def test_references_are_told_apart_by_more_than_a_word():
    """Good translations may be alike, but not the same; over all segments two share less than two words in three."""
    shares = []
    for references in DEMO.references:
        assert len({re.sub(r"\W", "", text).lower() for text in references}) == 4, references
        for one, other in itertools.combinations([Counter(text.lower().split()) for text in references], 2):
            shares.append((one & other).total() / min(one.total(), other.total()))
    assert sum(shares) / len(shares) < 2 / 3


def test_brief_is_shortest_and_verbose_longest():
    lengths = {system: mean_length(outputs) for system, outputs in DEMO.systems.items()}
    others = [length for system, length in lengths.items() if system not in ("brief", "verbose")]
    assert lengths["brief"] < 0.7 * min(others)
    assert lengths["verbose"] > 1.5 * max(others)


def test_systems_say_different_things():
    """Beyond lengths: in nine segments of ten, two systems differ in more than two words."""
    for one, other in itertools.combinations(DEMO.systems.values(), 2):
        pairs = [(Counter(a.split()), Counter(b.split())) for a, b in zip(one, other, strict=True)]
        alike = [a for a, b in pairs if (a - b).total() + (b - a).total() <= 2]
        same_order = [a for a, b in zip(one, other, strict=True) if a.split()[:6] == b.split()[:6]]
        assert len(alike) <= 12
        assert len(same_order) <= 30


def test_errors_quote_what_they_are_about():
    for error in DEMO.errors:
        output = DEMO.systems[error.system][error.segment]
        assert error.words in (DEMO.references[error.segment][0] if error.kind == "missing" else output)


def test_grades_follow_from_the_errors():
    """The rule of the data card, computed here once more: minor 1, major 2, from 5 down to 1."""
    lost = Counter()
    for error in DEMO.errors:
        grade = {"missing": 0, "wrong": 0, "added": 0, "order": 1, "agreement": 1}[error.kind]
        lost[error.system, error.segment, grade] += {"minor": 1, "major": 2}[error.severity]
    for system, grades in DEMO.grades.items():
        assert len(grades) == 60
        for segment, pair in enumerate(grades):
            assert pair == tuple(max(1, 5 - lost[system, segment, grade]) for grade in (0, 1))


def test_the_data_card_has_the_numbers():
    card = (DEMO.path / "README.md").read_text("utf-8")
    counts = Counter((error.system, error.kind) for error in DEMO.errors)
    for system, grades in DEMO.grades.items():
        adequacy, fluency = (sum(pair[grade] for pair in grades) / 60 for grade in (0, 1))
        found = [counts[system, kind] for kind in ("missing", "wrong", "added", "order", "agreement")]
        row = [f"{mean_length(DEMO.systems[system]):.1f}", f"{adequacy:.2f}", f"{fluency:.2f}", *map(str, found)]
        assert f"| {system} | {' | '.join(row)} |" in card
    words = [sum(len(text.split()) for text in stream) for stream in (DEMO.source, *zip(*DEMO.references, strict=True))]
    told = "{} words of source; {}, {}, {} and {} words of references".format(*words)
    assert told in " ".join(card.split())
    assert f"{sum(map(len, DEMO.nbest.values()))} candidates in lists of 30 to 60" in " ".join(card.split())


def test_grades_tell_the_systems_apart():
    adequacy, fluency = (
        {system: sum(pair[grade] for pair in grades) / 60 for system, grades in DEMO.grades.items()} for grade in (0, 1)
    )
    assert adequacy["mirror"] > adequacy["middling"] > adequacy["literal"]
    assert fluency["brief"] > fluency["middling"] > fluency["mirror"] > fluency["literal"]
    assert adequacy["careful"] > adequacy["verbose"] > adequacy["brief"]


def test_nbest_lists():
    assert Counter(DEMO.documents[index] for index in DEMO.nbest) == dict.fromkeys(GENRES, 8)
    sizes = [len(texts) for texts in DEMO.nbest.values()]
    assert 30 <= min(sizes) < max(sizes) <= 60
    for texts in DEMO.nbest.values():
        assert len(set(texts)) == len(texts)
        for text in texts:
            assert text == " ".join(text.split())
            assert text[0].isupper() or not text[0].isalpha()
            assert text[-1] in ".?!"


def test_scores_of_nbest_lists_are_sums_of_their_features():
    """The weights of the data card."""
    weights = {"TM": 1.0, "D": 0.8, "E": 1.5, "WP": 0.1}
    rows = [line.split(" ||| ") for line in (DEMO.path / "nbest.txt").read_text("utf-8").splitlines()]
    for _, text, told, score in rows:
        fields = told.split()
        features = {name.removesuffix("="): float(value) for name, value in zip(fields[::2], fields[1::2], strict=True)}
        assert float(score) == pytest.approx(sum(weights[name] * value for name, value in features.items()), abs=1e-9)
        assert features["WP"] == -len(text.split())
    for _, lines in itertools.groupby(rows, key=lambda row: row[0]):
        scores = [float(row[3]) for row in lines]
        assert scores == sorted(scores, reverse=True)


def test_the_experiment_names_files_that_are_there():
    import tomllib

    experiment = tomllib.loads((DEMO.path / "demo.toml").read_text("utf-8"))
    listed = [experiment[key] for key in ("source", "groups", "nbest")]
    listed += experiment["references"] + experiment["systems"] + [experiment["human"].split(":")[0]]
    assert all((DEMO.path / name).is_file() for name in listed)
    assert [name.removesuffix(".txt") for name in experiment["systems"]] == list(DEMO.systems)
