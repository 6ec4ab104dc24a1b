"""The layout of mt-metrics-eval: its names, human scores in and out of it, metrics, and what is refused."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import InputError
from tarocco.io.scores.external import parse_external_file, read_external
from tarocco.io.scores.human import read_human, read_human_folder
from tarocco.io.scores.mt_metrics_eval import (
    ScoreFileName,
    find_score_files,
    parse_score_path,
    read_score_file,
)
from tarocco.render.export import human_score_files, score_file_of, write_score_files

NAN = math.nan
TREE = {
    "human-scores/en-de.mqm.seg.score": "A\t-1.50\nA\tNone\nB\t0\nB\t-2\nrefA\tNone\nrefA\tNone\n",
    "human-scores/en-de.wmt.seg.score": "B 1e1\r\nC 20\r\nB 30\r\nC None",  # whatever was read is written
    "human-scores/en-de.mqm.sys.score": "A\t-1.50\nB\t-1\nrefA\tNone\n",
    "human-scores/en-de.mqm.domain.score": "news\tA\t-1\n",
    "human-scores/zh-en.mqm.sys.score": "X\t1\n",
    "metric-scores/en-de/COMET-22-refA.seg.score": "A\t0.5\nA\t0.25\nB\t0.1\nB\t0.2\n",
    "metric-scores/en-de/f200.spBLEU-src.sys.score": "A\t30.0\nB\t31.0\n",
}


@pytest.fixture
def folder(tmp_path):
    for place, text in TREE.items():
        path = tmp_path / "wmt" / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return str(tmp_path / "wmt")


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("x/human-scores/en-de.mqm.seg.score", ScoreFileName("en-de", "mqm", "seg")),
        ("en-de.wmt-z.1.doc.score", ScoreFileName("en-de", "wmt-z.1", "doc")),
        ("x/metric-scores/en-de/COMET-22-refA.seg.score", ScoreFileName("en-de", "COMET-22", "seg", "refA")),
        ("metric-scores/en-de/chrF.2-src.sys.score", ScoreFileName("en-de", "chrF.2", "sys", "src")),
        ("comet.seg.score", None),
        ("en-de.mqm.domain.score", None),
        ("en-de.mqm.seg.tsv", None),
    ],
)
def test_names(path, named):
    assert parse_score_path(path) == named
    assert named is None or parse_score_path(f"somewhere/{named.place}") == named


def test_what_was_read_is_written_unchanged(folder, tmp_path):
    read = [read_score_file(path) for path, _ in find_score_files(folder)]
    written = write_score_files(read, str(tmp_path / "again"))
    found = {str(Path(path).relative_to(tmp_path / "again")): Path(path).read_bytes() for path in written}
    assert found == {place: text.encode() for place, text in TREE.items() if "domain" not in place}


def test_a_folder_of_human_scores(folder):
    human = read_human_folder(folder, "en-de")
    assert (human.systems, human.level, list(human.criteria)) == (("A", "B", "C"), "segment", ["mqm", "wmt"])
    assert np.array_equal(human.criteria["mqm"], [[-1.5, NAN], [0, -2], [NAN, NAN]], equal_nan=True)
    assert np.array_equal(human.criteria["wmt"], [[NAN, NAN], [10, 30], [20, NAN]], equal_nan=True)
    assert [value for key, value in human.origin if key == "file"] == ["en-de.mqm.seg.score", "en-de.wmt.seg.score"]
    assert read_human_folder(folder, "en-de", systems=["C", "A", "X"], shared_only=True).systems == ("C", "A")
    assert read_human_folder(folder, "en-de", "sys").criteria["mqm"].tolist() == [-1.5, -1]


def test_a_single_file_is_called_by_its_name(folder):
    human = read_human(f"{folder}/human-scores/en-de.mqm.seg.score")
    assert (human.systems, list(human.criteria)) == (("A", "B"), ["mqm"])
    assert list(read_human(f"{folder}/human-scores/en-de.mqm.seg.score", "mqm").criteria) == ["mqm"]
    with pytest.raises(InputError, match='no criterion "wmt"'):
        read_human(f"{folder}/human-scores/en-de.mqm.seg.score", "wmt")


def test_metric_files_are_external_scores(folder):
    comet = parse_external_file(f"{folder}/metric-scores/en-de/COMET-22-refA.seg.score")
    assert comet.name == "COMET-22-refA"
    assert read_external(comet, ["B"], 2).by_system["B"].tolist() == [0.1, 0.2]


@given(
    st.dictionaries(st.from_regex(r"[A-Za-z0-9_.-]+", fullmatch=True), st.just(None), min_size=1, max_size=4),
    st.integers(1, 4),
    st.data(),
)
def test_numbers_come_back_as_they_were(tmp_path_factory, names, n, data):
    systems = tuple(names)
    number = st.one_of(st.just(NAN), st.floats(allow_nan=False, allow_infinity=False))
    scores = np.array([data.draw(st.lists(number, min_size=n, max_size=n)) for _ in systems])
    folder = str(tmp_path_factory.mktemp("numbers"))
    named = ScoreFileName("en-de", "BLEU", "seg", "refA")
    (path,) = write_score_files([score_file_of(named, systems, scores)], folder)
    again = read_score_file(path)
    assert (again.named, again.systems) == (named, systems)
    assert np.array_equal(again.scores, scores, equal_nan=True)
    assert again.data == Path(path).read_bytes()


def test_tables_become_score_files(tmp_path):
    table = tmp_path / "h.tsv"
    table.write_text("system\tsegment\tadequacy\tedits:error\nA\t1\t4\t2\nA\t2\t5\t\n", "utf-8")
    files = human_score_files(read_human(str(table)), "de-en")
    written = {file.named.place: file.data.decode() for file in files}
    assert written == {
        "human-scores/de-en.adequacy.seg.score": "A\t4.0\nA\t5.0\n",
        "human-scores/de-en.edits.seg.score": "A\t-2.0\nA\tNone\n",
        "human-scores/de-en.average.seg.score": "A\t1.0\nA\tNone\n",
    }


@pytest.mark.parametrize(
    ("place", "text", "message"),
    [
        (
            "human-scores/en-de.x.seg.score",
            "A\t1\nA\t2\nB\t1\n",
            r'en-de\.x\.seg\.score: expected 2 lines for system "B", one per segment, found 1',
        ),
        (
            "human-scores/en-de.x.seg.score",
            "A\t1\nA\tgood\n",
            'line 2: expected a number in column score, found "good"',
        ),
        ("human-scores/en-de.x.seg.score", "A\t1\nA\t1\t1\n", "line 2: expected a system and a score, found 3 columns"),
        (
            "human-scores/en-de.x.sys.score",
            "A\t1\nA\t2\n",
            "line 2: expected one score for A, found a second one; the first is on line 1",
        ),
        (
            "human-scores/x.score",
            "A\t1\n",
            r"x\.score: expected a name human-scores/LP\.NAME\.LEVEL\.score or "
            r"metric-scores/LP/NAME-REF\.LEVEL\.score, where LEVEL is sys, doc, seg, found another",
        ),
    ],
)
def test_mistakes(tmp_path, place, text, message):
    path = tmp_path / place
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_score_file(str(path))


def test_mistakes_of_folders(folder, tmp_path):
    with pytest.raises(
        InputError,
        match=r"wmt: expected human scores of en-dx\.seg in human-scores, found none \(did you mean "
        r'"en-de\.seg" or "en-de\.sys"\?\)',
    ):
        read_human_folder(folder, "en-dx")
    with pytest.raises(InputError, match="there are no human scores"):
        read_human_folder(str(tmp_path), "en-de")
    with pytest.raises(InputError, match='unknown system "C"'):
        read_human_folder(folder, "en-de", systems=["A", "B"])
    with pytest.raises(InputError, match='no scores of systems "refA", "D"'):
        read_human_folder(folder, "en-de", systems=["A", "B", "C", "refA", "D"])
    with pytest.raises(InputError, match='expected 3 lines for system "A", one per segment, found 2'):
        read_human_folder(folder, "en-de", n_segments=3)
    with pytest.raises(InputError, match='spaces or slashes, found "a b"'):
        score_file_of(ScoreFileName("en-de", "a b", "sys"), ["A"], np.array([1.0]))
    blocked = tmp_path / "blocked"
    blocked.write_text("", "utf-8")
    with pytest.raises(InputError, match="could not be created"):
        write_score_files([score_file_of(ScoreFileName("en-de", "a", "sys"), ["A"], np.array([1.0]))], str(blocked))
