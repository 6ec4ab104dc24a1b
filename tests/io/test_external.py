"""Scores made elsewhere: each form, coverage, and how they stand beside computed metrics."""

import hashlib
import json
import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco.cli import main
from tarocco.core.errors import BadParameter, InputError
from tarocco.encode.batch import Encoding
from tarocco.io.scores.external import (
    ExternalFile,
    ScoresMissing,
    build_external_scores,
    holds_candidate_scores,
    parse_external_file,
    read_candidate_scores,
    read_external,
)
from tarocco.metrics.external import External

SYSTEMS = ("A", "B")


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return str(path)

    return write


def read(path, column=None, kind=None, n=3, references=(), systems=SYSTEMS):
    return read_external(ExternalFile("COMET", path, column, kind), systems, n, references)


def listed(scores):
    return {system: values.tolist() for system, values in scores.by_system.items()}


WANTED = {"A": [0.5, 0.25, 0.75], "B": [-1.0, 2.0, 0.0]}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.tsv", "system\tsegment\tscore\nA\t1\t.5\nA\t2\t.25\nB\t3\t0\nB\t2\t2\nB\t1\t-1\nA\t3\t.75\nother\t9\tx\n"),
        ("c.csv", "Doc_ID,Seg_ID,System,X\n1,1,A,.5\n1,2,A,.25\n2,3,A,.75\n1,1,B,-1\n1,2,B,2\n2,3,B,0\n"),
        ("c.csv", "segment0,note,system,COMET\n0,x,A,.5\n1,x,A,.25\n2,y,A,.75\n0,x,B,-1\n1,z,B,2\n2,z,B,0\n"),
        (
            "c.jsonl",
            "".join(
                json.dumps({"system": system, "segment": i, "value": value}) + "\n"
                for system, values in WANTED.items()
                for i, value in enumerate(values, start=1)
            ),
        ),
        ("c.seg.score", "A\t.5\nA\t.25\nA\t.75\nother\t9\nB\t-1\nB\t2\nB\t0\n"),
        ("c.score", "A .5\nB -1\nA .25\nB 2\nA .75\nB 0\n"),
        ("c", "A\t.5\nA\t.25\nA\t.75\nB\t-1\nB\t2\nB\t0\n"),
    ],
)
def test_scores_of_segments(write, name, text):
    path = write(name, text)
    scores = read(path)
    assert listed(scores) == WANTED
    assert (scores.level, scores.kind, scores.pairs) == ("segment", "similarity", {})
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    assert External(scores).signature(Encoding(), 1) == f"COMET|external|kind:similarity|file:{name}|sha256:{digest}"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.tsv", "system\tscore\nB\t2\nA\t1.5\n"),
        ("c.csv", "system,da_z\nA,1.5\nB,2\nC,x\n"),
        ("c.sys.score", "C\tNone\nA\t1.5\nB\t2\n"),
        ("c.score", "A\t1.5\nB\t2\n"),
    ],
)
def test_scores_of_systems(write, name, text):
    text = text.replace("C,x\n", "C,3\n")
    scores = read(write(name, text))
    assert listed(scores) == {"A": [1.5], "B": [2.0]}
    assert scores.level == "system"


def test_one_segment_is_not_a_system(write):
    assert read(write("c.seg.score", "A\t1\nB\t2\n"), n=1).level == "segment"


def test_a_column_of_a_wide_table(write):
    path = write("c.tsv", "system\tadequacy\trank:error\nA\t4\t1\nB\t3\t2\n")
    assert listed(read(path, "adequacy")) == {"A": [4.0], "B": [3.0]}
    ranks = read(path, "rank")
    assert (listed(ranks), ranks.kind) == ({"A": [1.0], "B": [2.0]}, "error")
    assert "|file:c.tsv|column:rank|sha256:" in External(ranks).signature(Encoding(), 1)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.tsv", "system\tscore:error\nA\t4\nB\t3\n"),
        ("c.tsv", "system\tCOMET:error\nA\t4\nB\t3\n"),
        ("c.jsonl", '{"kind": "error"}\n{"system": "A", "score": 4}\n{"system": "B", "score": 3}\n'),
    ],
)
def test_the_file_may_say_that_lower_is_better(write, name, text):
    path = write(name, text)
    assert read(path).kind == read(path, kind="error").kind == "error"
    with pytest.raises(InputError, match="expected kind similarity for COMET, found error in the file"):
        read(path, kind="similarity")


PAIRS = """target\treference\tsegment\tscore
A\tr1\t1\t0.2
A\tr2\t1\t0.6
A\tr1\t2\t0.4
A\tr2\t2\tNone
B\tr1\t1\t0.1
B\tr1\t2\t0.3
B\tr3\t2\t0.9
r1\tr2\t1\t0.8
r2\tr1\t1\t0.7
"""


def test_pairs(write):
    path = write("pairs.tsv", PAIRS)
    scores = read(path, n=2)
    assert listed(scores) == {"A": [0.6, 0.4], "B": [0.1, 0.9]}
    assert External(scores).signature(Encoding(), 1).endswith("|refs:best")
    assert scores.pairs["r1", "r2"].tolist()[0] == 0.8
    assert math.isnan(scores.pairs["r1", "r2"][1])
    # Of the references only those of the run count.
    scores = read(path, n=2, references=["r1", "r2"])
    assert listed(scores) == {"A": [0.6, 0.4], "B": [0.1, 0.3]}
    assert ("B", "r3") not in scores.pairs
    assert listed(read(path, n=2, kind="error")) == {"A": [0.2, 0.4], "B": [0.1, 0.3]}
    with pytest.raises(InputError, match=r'there are no scores of reference "r4"'):
        read(path, n=2, references=["r1", "r4"])


def test_missing_segments_are_counted(write):
    path = write("c.tsv", "system\tsegment\tscore\nA\t1\t1\nA\t2\tNone\nB\t1\t1\nB\t2\t1\nB\t3\t1\n")
    with pytest.warns(ScoresMissing, match=r"COMET: 2 of 6 scores are missing in .*c\.tsv \(2 of A\); means leave"):
        scores = read(path)
    metric = External(scores)
    assert metric.rows_of("A", 3).tolist() == [[1, 1], [0, 0], [0, 0]]
    assert metric.score(metric.rows_of("A", 3).sum(axis=0)) == 1
    assert np.isnan(metric.score(metric.rows_of("A", 3))).tolist() == [False, True, True]


HEAD = "system\tsegment\tscore\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.tsv", "system\tscore\nA\t1\n", r'c\.tsv: there are no scores of system "B" \(there is A\)'),
        ("c.tsv", "system\tscore\nA\t1\nB1\t1\n", r'no scores of system "B" \(did you mean "B1"\?\)'),
        ("c.tsv", "system\tscore\nX\t1\n", r'no scores of systems "A", "B" \(there is X\)'),
        (
            "c.tsv",
            HEAD + "A\t1\t1\nB\t4\t1\n",
            r"c\.tsv, line 3: expected segment from 1 to 3, found 4",
        ),
        (
            "c.tsv",
            HEAD + "A\t1\t1\nB\t0\t1\n",
            r"c\.tsv, line 3: expected segment from 1 to 3, found 0; rename the "
            "column to segment0 if it counts from 0",
        ),
        (
            "c.tsv",
            "system\tsegment0\tscore\nA\t3\t1\nB\t0\t1\n",
            "line 2: expected segment0 from 0 to 2, found 3",
        ),
        (
            "c.tsv",
            HEAD + "A\tone\t1\nB\t1\t1\n",
            r'c\.tsv, line 2: expected a whole number in column segment, found "one"',
        ),
        (
            "c.tsv",
            HEAD + "A\t1.5\t1\nB\t1\t1\n",
            r'c\.tsv, line 2: expected a whole number in column segment, found "1\.5"',
        ),
        ("c.tsv", HEAD + "A\t\t1\nB\t1\t1\n", r'c\.tsv, line 2: expected a whole number in column segment, found ""'),
        (
            "c.tsv",
            HEAD + "A\t1\t1\nB\t1\t1\nA\t1\t2\n",
            "line 4: expected one score for A, segment 1, found a second one; the first is on line 2",
        ),
        (
            "c.tsv",
            "system\tscore\nA\t1\nB\t1\nA\t1\n",
            "line 4: expected one score for A, found a second one; the first is on line 2",
        ),
        ("c.tsv", HEAD + "A\t1\t0,5\nB\t1\t1\n", r'c\.tsv, line 2: expected a number in column score, found "0,5"'),
        ("c.tsv", HEAD + "A\t1\tinf\nB\t1\t1\n", r'c\.tsv, line 2: expected a number in column score, found "inf"'),
        (
            "c.tsv",
            "name\tscore\tx\nA\t1\t2\n",
            "line 1: expected a column system, or columns target and reference, found name, score, x",
        ),
        ("c.tsv", "system\tword\nA\tx\nB\ty\n", "line 1: expected a column score, found system, word"),
        (
            "c.tsv",
            "system\ta\tb\nA\t1\t2\nB\t1\t2\n",
            r"c\.tsv: expected one column of numbers, found a, b; choose one, such as .*c\.tsv:a",
        ),
        (
            "c.tsv",
            "system\tsegment\tsegment0\tscore\nA\t1\t0\t2\nB\t1\t0\t2\n",
            r"line 1: expected one column segment or segment0, found [02]",
        ),
        (
            "c.tsv",
            "target\treference\tscore\nA\tr\t1\nB\tr\t1\n",
            r"line 1: expected one column segment or segment0, found [02]",
        ),
        (
            "c.seg.score",
            "A\t1\nA\t1\nB\t1\n",
            r'c\.seg\.score: expected 3 lines for system "A", one per segment, found 2',
        ),
        (
            "c.seg.score",
            "A\t1\nA\tx\nA\t1\nB\t1\nB\t1\nB\t1\n",
            r'c\.seg\.score, line 2: expected a number in column score, found "x"',
        ),
        (
            "c.jsonl",
            '{"id": 0, "scores": [1]}\n',
            r"c\.jsonl: expected scores of systems, found scores of candidates in n-best lists",
        ),
    ],
)
def test_what_goes_wrong(write, name, text, message):
    with pytest.raises(InputError, match=message):
        read(write(name, text))


def test_an_unknown_column(write):
    with pytest.raises(InputError, match=r'c\.tsv: there is no column "adequcy" \(did you mean "adequacy"\?\)'):
        read(write("c.tsv", "system\tadequacy\nA\t1\nB\t1\n"), "adequcy")


def test_how_files_are_named(write, tmp_path):
    assert parse_external_file("COMET=a/b.tsv") == ExternalFile("COMET", "a/b.tsv")
    assert parse_external_file("M:error=a=b.tsv:x") == ExternalFile("M", "a=b.tsv", "x", "error")
    colon = write("odd:name", "x")
    assert parse_external_file(f"M={colon}") == ExternalFile("M", colon)
    for text in ("COMET", "=file", "COMET=", "M:lower=file", "a b=file", "a|b=file"):
        with pytest.raises(
            InputError,
            match=r"expected (scores as NAME=FILE, NAME=FILE:COLUMN or|the name of a metric as NAME or) NAME:error",
        ):
            parse_external_file(text)


def test_files_of_mt_metrics_eval_name_themselves(write):
    assert parse_external_file("m/en-de/BLEURT-0.2-refA.seg.score") == ExternalFile(
        "BLEURT-0.2-refA", "m/en-de/BLEURT-0.2-refA.seg.score"
    )
    assert parse_external_file("COMET-refA.sys.score.gz").name == "COMET-refA"
    assert parse_external_file("X=COMET-refA.seg.score") == ExternalFile("X", "COMET-refA.seg.score")
    odd = write("a=b.seg.score", "A\t1\n")
    with pytest.raises(
        InputError, match=r'expected the name of a metric as NAME or NAME:error, without spaces, = and \|, found "a=b"'
    ):
        parse_external_file(odd)
    with pytest.raises(InputError, match=r"expected scores as NAME=FILE"):
        parse_external_file("COMET-refA.doc.score")


def test_candidates(write):
    text = '{"kind": "error"}\n{"id": 1, "scores": [1, 2, 2.5]}\n{"id": 0, "scores": [3], "references": [1, 2]}\n'
    path = write("n.jsonl", text)
    assert holds_candidate_scores(path)
    assert not holds_candidate_scores(write("s.jsonl", '{"system": "A", "score": 1}\n'))
    scores = read_candidate_scores(ExternalFile("COMET", path))
    assert scores.kind == "error"
    assert {number: [part.tolist() for part in parts] for number, parts in scores.lists.items() if number == 0} == {
        0: [[3.0], [1.0, 2.0]]
    }
    assert scores.lines == {1: 2, 0: 3}
    assert dict(scores.origin)["sha256"] == hashlib.sha256(text.encode()).hexdigest()[:12]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": 0, "scores": [1]}\n{"id": 0, "scores": [1]}\n', "line 2: expected each list once, found list 0 twice"),
        ('{"id": -1, "scores": [1]}\n', 'line 1: expected a whole number from 0 as "id", found -1'),
        ('{"id": true, "scores": [1]}\n', 'line 1: expected a whole number from 0 as "id", found true'),
        ('{"id": 0, "scores": 1}\n', 'line 1: expected a list of numbers as "scores", found 1'),
        ('{"id": 0, "scores": [1, "x"]}\n', 'line 1: expected finite numbers in "scores", found "x" as number 2 of 2'),
        (
            '{"id": 0, "scores": [1], "references": [true]}\n',
            'line 1: expected finite numbers in "references", found true as number 1 of 1',
        ),
        (
            '{"id": 0, "scores": [1], "refs": [1]}\n',
            'line 1: expected "id", "scores" and perhaps "references", found id, scores, refs',
        ),
        ('{"kind": "error"}\n', r"n\.jsonl: expected scores, found none"),
    ],
)
def test_what_goes_wrong_with_candidates(write, text, message):
    with pytest.raises(InputError, match=message):
        read_candidate_scores(ExternalFile("COMET", write("n.jsonl", text)))


# --- from Python -------------------------------------------------------------------------------------------------


def scored(external, **options):
    systems = {"A": ["a b c d", "e f g h", "a"], "B": ["a b c", "e f", "b"]}
    return tarocco.score(systems, ["a b c d", "e f g h", "a"], external=external, **options)


def test_scores_from_a_program():
    result = scored({"COMET": WANTED, "TER2:error": {"A": 1, "B": 0.5}}, documents=["x", "x", "y"], confidence=0.95)
    assert list(result["A"]) == ["BLEU-4", "COMET", "TER2"]
    comet = result["B"]["COMET"]
    assert (comet.score, comet.segments.tolist(), comet.documents) == (1 / 3, WANTED["B"], {"x": 0.5, "y": 0.0})
    assert comet.interval.low <= comet.score <= comet.interval.high
    ter = result["B"]["TER2"]
    assert (ter.score, ter.interval, ter.metric.kind) == (0.5, None, "error")
    assert np.isnan(ter.segments).all()
    assert ter.signature.startswith("TER2|external|kind:error|sha256:")


def test_computed_scores_do_not_change():
    alone, beside = scored(None, confidence=0.9), scored({"COMET": WANTED}, confidence=0.9)
    for system in SYSTEMS:
        assert alone[system]["BLEU-4"].to_dict() == beside[system]["BLEU-4"].to_dict()


def test_external_scores_alone():
    assert list(scored({"COMET": WANTED}, metrics=[])["A"]) == ["COMET"]
    one = tarocco.score(["a", "b"], ["a", "b"], metrics=[], external={"COMET": np.array([1.0, 2.0])})
    assert one["COMET"].score == 1.5


def test_a_file_from_python(write):
    path = write("c.tsv", "system\tscore\nA\t1\nB\t2\n")
    assert scored({"COMET:error": path})["B"]["COMET"].metric.kind == "error"


@pytest.mark.parametrize(
    ("external", "message"),
    [
        ({"COMET": {"A": [1, 2, 3]}}, 'external scores COMET: there are no scores of system "B"'),
        (
            {"COMET": {"A": [1, 2], "B": [1, 2, 3]}},
            'external scores COMET: expected 3 numbers for system "A", one per segment, found 2',
        ),
        (
            {"COMET": {"A": 1, "B": [1, 2, 3]}},
            'external scores COMET: expected 3 numbers for system "A", one per segment, found 1',
        ),
        (
            {"COMET": {"A": ["x", 1, 2], "B": [1, 2, 3]}},
            'external scores COMET: expected only numbers for system "A", found other values',
        ),
        (
            {"COMET": {"A": [math.inf, 1, 2], "B": [1, 2, 3]}},
            r'external scores COMET: expected finite numbers \(up to 1e\+100\) for system "A", found a larger one',
        ),
        ({"COMET": [1, 2, 3]}, "external scores COMET: expected a mapping from 2 systems, found list"),
        (
            {"COMET:lower": WANTED},
            r"expected the name of a metric as NAME or NAME:error, without spaces, = and \|, found "
            '"COMET:lower"',
        ),
    ],
)
def test_wrong_shapes(external, message):
    with pytest.raises(InputError, match=message):
        scored(external)


def test_names_are_not_given_twice():
    with pytest.raises(BadParameter, match="there are two metrics called BLEU-4"):
        scored({"BLEU-4": WANTED})


def test_they_say_nothing_of_other_texts():
    metric = External(build_external_scores("COMET", WANTED, SYSTEMS, 3))
    with pytest.raises(InputError, match="external scores exist only for the texts"):
        tarocco.statistics(metric, ["a"], ["a"])


@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=20))
def test_the_score_is_the_mean_of_what_is_there(values):
    metric = External(build_external_scores("COMET", values, ["A"], len(values)))
    there = [value for value in values if value is not None]
    score = float(metric.score(metric.rows_of("A", len(values)).sum(axis=0)))
    assert math.isnan(score) if not there else score == pytest.approx(sum(there) / len(there), abs=1e-9)


# --- from the command line ---------------------------------------------------------------------------------------


@pytest.fixture
def files(write, tmp_path):
    write("ref.txt", "a b c d\ne f g h\na\n")
    write("A.txt", "a b c d\ne f g h\na\n")
    write("B.txt", "a b c\ne f\nb\n")
    write("c.tsv", "system\tsegment\tscore\n" + "".join(f"{s}\t{i}\t{i / 4}\n" for s in SYSTEMS for i in (1, 2, 3)))
    write("s.csv", "system,score:error\nA,0.125\nB,0.25\n")

    def arguments(*more):
        return ["score", str(tmp_path / "ref.txt"), "-i", *(str(tmp_path / f"{name}.txt") for name in SYSTEMS), *more]

    return arguments


def printed(capsys, arguments):
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_every_format(files, tmp_path, capsys):
    given = ("--scores", f"C={tmp_path / 'c.tsv'}", f"S={tmp_path / 's.csv'}", "--confidence")
    answer = json.loads(printed(capsys, files(*given, "-f", "json")))
    by_metric = {(one["system"], one["metric"]): one for one in answer["results"]}
    assert by_metric["A", "C"]["score"] == 0.5
    assert "interval" in by_metric["A", "C"]
    assert "interval" not in by_metric["A", "S"]
    table = printed(capsys, files(*given))
    assert [line.split()[-1] for line in table.splitlines()[2:4]] == ["0.1250", "0.2500"]
    assert "in brackets: 95%" in table
    assert r"\textbf{0.1250}" in printed(capsys, files(*given, "-f", "latex"))  # lower is better
    rows = printed(capsys, files(*given, "-f", "tsv")).splitlines()
    assert rows[3].split("\t")[:8] == ["A", "S", "0.125", "", "", "", "", ""]
    segments = printed(capsys, files(*given[:-1], "--level", "segment"))
    assert segments.splitlines()[2].split() == ["1", "A", "100.00", "0.2500", "-"]
    assert printed(capsys, files(*given[:-1], "-b")).splitlines()[1:3] == ["0.5000", "0.1250"]


def test_on_the_command_line_mistakes_are_sentences(files, tmp_path):
    scores = tmp_path / "c.tsv"
    scores.write_text("system\tsegment\tscore\nA\t1\t1\nB\t1\t1\n")
    command = [sys.executable, "-m", "tarocco", *files("--scores")]
    note = subprocess.run([*command, f"C={scores}"], capture_output=True, text=True)
    assert note.returncode == 0
    assert note.stderr == (
        f"tarocco: note: C: 4 of 6 scores are missing in {scores} (2 of A, 2 of B); means leave them out\n"
    )
    assert subprocess.run([*command, f"C={scores}", "-q"], capture_output=True, text=True).stderr == ""
    twice = subprocess.run([*command, f"C={scores}", f"C={scores}"], capture_output=True, text=True)
    assert (twice.returncode, twice.stderr) == (1, "tarocco: --scores: C was given twice\n")
