"""Human scores: tables, grades, judges and criteria, and every mistake as one sentence."""

import hashlib
import json
import math
import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco.core.errors import BadParameter, InputError
from tarocco.io.scores.human import read_human

HEAD = "system\tsegment\tscore\n"
NAN = math.nan


@pytest.fixture
def write(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return str(path)

    return write


def same(scores, wanted):
    return np.array_equal(scores, np.array(wanted, float), equal_nan=True)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("h.tsv", HEAD + "A\t1\t.5\nA\t3\t2\nB\t1\t-1\nB\t2\tNone\nB\t3\t0\n"),
        ("h.csv", "segment0,note,score,system\n0,fine,.5,A\n2,,2,A\n0,,-1,B\n2,,0,B\n"),
        (
            "h.jsonl",
            "".join(
                json.dumps({"system": system, "segment": segment, "score": score}) + "\n"
                for system, segment, score in [("A", 1, 0.5), ("A", 3, 2), ("B", 3, 0), ("B", 1, -1), ("B", 2, None)]
            ),
        ),
        ("h.seg.score", "A\t.5\nA\tNone\nA\t2\nB\t-1\nB\tNone\nB\t0\n"),
    ],
)
def test_scores_of_segments(write, name, text):
    human = read_human(write(name, text), systems=["B", "A"], n_segments=3)
    assert (human.systems, human.level, human.n_judges) == (("B", "A"), "segment", 1)
    (scores,) = human.criteria.values()
    assert same(scores, [[-1, NAN, 0], [0.5, NAN, 2]])
    assert human.origin == (("file", name), ("sha256", hashlib.sha256(text.encode()).hexdigest()[:12]))


@pytest.mark.parametrize(("name", "text"), [("h.tsv", "system\tDA\nA\t1\nB\t2\n"), ("h.sys.score", "A\t1\nB\t2\n")])
def test_scores_of_systems(write, name, text):
    human = read_human(write(name, text))
    (scores,) = human.criteria.values()
    assert human.level == "system"
    assert same(scores, [1, 2])


def test_without_a_test_set_the_file_says_how_many_segments_and_which_systems(write):
    human = read_human(write("h.tsv", HEAD + "B\t4\t1\nA\t2\t1\nref\t1\tNone\n"))
    assert human.systems == ("B", "A")  # nobody judged "ref"
    assert human.criteria["score"].shape == (2, 4)


def test_several_criteria_have_an_average_in_which_ranks_count_backwards(write):
    path = write("h.tsv", "system\tadequacy\trank\tMQM:error\tnote\nA\t5\t1\t3\tx\nB\t4\t2\tNone\ty\n")
    human = read_human(path)
    assert list(human.criteria) == ["adequacy", "rank", "MQM", "average"]
    assert [human.kinds[name] for name in human.criteria] == ["similarity", "error", "error", "similarity"]
    assert same(human.criteria["rank"], [1, 2])
    assert same(human.higher_is_better("rank"), [-1, -2])
    assert same(human.criteria["average"], [(5 - 1 - 3) / 3, NAN])


def test_a_column_picks_a_criterion(write):
    path = write("h.tsv", "system\tadequacy\tfluency\nA\t5\t1\nB\t4\t2\n")
    assert {name: scores.tolist() for name, scores in read_human(path, "fluency").criteria.items()} == {
        "fluency": [1, 2]
    }
    assert {name: scores.tolist() for name, scores in read_human(path, "average").criteria.items()} == {
        "average": [3, 3]
    }
    assert ("column", "fluency") in read_human(path, "fluency").origin


def test_criteria_may_stand_in_rows(write):
    path = write("h.tsv", "criterion\tsystem\tscore\nadequacy\tA\t5\nfluency\tA\t3\nadequacy\tB\t1\n")
    human = read_human(path)
    assert same(human.criteria["adequacy"], [5, 1])
    assert same(human.criteria["fluency"], [3, NAN])
    assert same(human.criteria["average"], [4, NAN])
    assert list(read_human(path, "fluency").criteria) == ["fluency"]


def test_grades_are_numbers(write):
    path = write("h.tsv", HEAD + "A\t1\tS\nA\t2\tD\nB\t1\tB\nB\t2\t\n")
    human = read_human(path)
    assert same(human.criteria["score"], [[5, 1], [3, NAN]])
    assert ("grades", "S>A>B>C>D") in human.origin


def test_grades_of_ones_own(write):
    path = write("h.tsv", "system\tquality\nA\tfine\nB\tbad\nC\tso-so\n")
    for grades in (["fine", "so-so", "bad"], "fine so-so bad"):
        assert same(read_human(path, grades=grades).criteria["quality"], [3, 1, 2])


@pytest.mark.parametrize(("judges", "wanted"), [("median", [2, 4]), ("mean", [3, 4])])
def test_judges_become_one(write, judges, wanted):
    path = write("h.tsv", "judge\tsystem\tscore\nx\tA\t1\ny\tA\t2\nz\tA\t6\nx\tB\t3\ny\tB\t5\nz\tB\tNone\n")
    human = read_human(path, judges=judges)
    assert same(human.criteria["score"], wanted)
    assert human.n_judges == 3
    assert ("judges", judges) in human.origin


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("xyz"), st.sampled_from("AB"), st.integers(1, 3)),
        st.integers(-5, 5),
        min_size=1,
    ),
    st.sampled_from(["median", "mean"]),
)
def test_judges_as_the_standard_library_has_them(tmp_path_factory, given_scores, judges):
    path = tmp_path_factory.mktemp("judges") / "h.tsv"
    rows = (f"{judge}\t{system}\t{segment}\t{score}\n" for (judge, system, segment), score in given_scores.items())
    path.write_text("annotator\tsystem\tsegment\tscore\n" + "".join(rows), "utf-8")
    human = read_human(str(path), n_segments=3, judges=judges)
    for at, system in enumerate(human.systems):
        for segment in range(3):
            own = [given_scores[key] for key in given_scores if key[1:] == (system, segment + 1)]
            found = human.criteria["score"][at, segment]
            assert found == pytest.approx(getattr(statistics, judges)(own)) if own else math.isnan(found)


def test_numbers_of_judgments_are_no_criteria(write):
    path = write("h.tsv", "system\tsegment\tquality\tquality_n\tn_quality\tcount\nA\t1\t0.5\t3\t3\t3\n")
    assert list(read_human(path).criteria) == ["quality"]
    assert read_human(path, "quality_n").criteria["quality_n"].tolist() == [[3]]


def test_systems_that_both_have(write):
    path = write("h.tsv", HEAD + "A\t1\t1\nB\t1\t2\nC\t1\tNone\n")
    human = read_human(path, systems=["D", "C", "B"], shared_only=True)
    assert human.systems == ("B",)
    assert same(human.criteria["score"], [[2]])
    none = read_human(path, systems=["D"], shared_only=True)
    assert (none.systems, none.unknown, none.criteria["score"].shape) == ((), ("A", "B"), (0, 1))


@pytest.mark.parametrize("inside", ["", "human-scores"])
def test_a_folder_is_no_file(tmp_path, inside):
    with pytest.raises(InputError, match=r": expected a file of human scores, found a directory$"):
        read_human(tmp_path)
    there = tmp_path / "human-scores" / "en-de.mqm.seg.score"
    there.parent.mkdir()
    there.write_text("A\t1\n")
    with pytest.raises(InputError, match=r"found a folder of mt-metrics-eval with .*en-de\.mqm\.seg"):
        read_human(tmp_path / inside)


MISTAKES = [
    (HEAD + "A\t1\t1\nX\t1\t1\nY\t2\t1\nB\t1\t1\n", r'h\.tsv, line 3: .* unknown systems "X", "Y" \(there are A, B\)'),
    (
        HEAD + "".join(f"x{i}\t1\t1\n" for i in range(9)),
        r'line 2: .* unknown systems "x0", .*"x5", \.\.\. \(9 in all\)',
    ),
    (HEAD + "A\t1\t1\n", r'h\.tsv: there are no scores of system "B" \(there is A\)'),
    (HEAD + "A\t1\t1\nB\t1\tNone\n", r'h\.tsv: there are no scores of system "B" \(there is A\)'),
    (
        HEAD + "A\t1\t1\nB\t9\t1\nB\t8\t1\n",
        "line 3: expected segment from 1 to 3, found 9, also 8",
    ),
    (HEAD + "A\tone\t1\nB\t1\t1\n", 'line 2: expected a whole number in column segment, found "one"'),
    (
        HEAD + "A\t1\t1\nB\t1\t1\nA\t1\t2\n",
        "line 4: expected one score for A, segment 1, score, found a second one; the first is on line 2",
    ),
    (
        "judge\t" + HEAD + "x\tA\t1\t1\nx\tB\t1\t1\nx\tB\t1\t2\n",
        "line 4: expected one score for judge x, B, segment 1, score, found a second one; the first is on line 3",
    ),
    (HEAD + "A\t1\tS\nB\t1\tE\n", 'line 3: expected one of S, A, B, C, D in column score, found "E"'),
    (HEAD + "A\t1\tS\nB\t1\t4\n", 'line 3: expected one of S, A, B, C, D in column score, found "4"'),
    (HEAD + "A\t1\t4\nB\t1\tgood\n", 'line 3: expected a number in column score, found "good"'),
    (HEAD + "A\t1\tNone\nB\t1\t\n", r"h\.tsv: expected scores of score, found none"),
    ("system\tadequacy\tfluency\nA\t1\t\nB\t2\t\n", r"h\.tsv: expected scores of fluency, found none"),
    ("segment\tscore\n1\t1\n", "line 1: expected a column system, found segment, score"),
    ("segment\tadequacy\tfluency\n1\t1\t2\n", r"line 1: expected a column system, found "),
    (
        "system\tsegment\tnote\nA\t1\tx\nB\t1\ty\n",
        "line 1: expected a column score or columns of numbers, found system, segment, note",
    ),
    (HEAD, r"h\.tsv: expected scores, found none"),
]


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes(write, text, message):
    with pytest.raises(InputError, match=message) as error:
        read_human(write("h.tsv", text), systems=["A", "B"], n_segments=3)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("names", ["adequacy\tfluency", "Adequacy\tFluency"])
def test_criteria_are_not_taken_for_systems(write, names):
    with pytest.raises(InputError, match="line 1: expected a column system, found "):
        read_human(write("h.tsv", f"judge\tsegment\t{names}\nx\t1\t1\t2\n"))


def test_documents_and_numbers_of_segments_are_no_criteria(write):
    path = write("h.tsv", "system\tdoc_id\tdocID\tseg_id\tglobalSegId\tDA\nA\t3\t4\t2\t70\t0.5\n")
    human = read_human(path)
    assert list(human.criteria) == ["DA"]
    assert same(human.criteria["DA"], [[NAN, 0.5]])
    path = write("h.tsv", "system\tseg_id\tsegment0\tDA\nA\t3\t0\t0.5\n")
    assert read_human(path).criteria["DA"].tolist() == [[0.5]]


def test_known_columns_may_be_written_in_any_case(write):
    human = read_human(write("h.csv", "Judge,System,SEGMENT,Score\nx,A,1,2\ny,A,1,4\nx,B,1,5\n"), "Score")
    assert (human.criteria["score"].tolist(), human.n_judges) == ([[3], [5]], 2)
    ranks = read_human(write("h.csv", "Rater,System,Segment,Rank\nx,A,1,2\nx,B,1,1\n"))
    assert ranks.criteria["rank"].tolist() == [[0], [1]]
    path = write("h.csv", "System,Adequacy,Score:error\nA,5,2\n")
    assert read_human(path).kinds == {"score": "error"}
    assert read_human(path, "adequacy").criteria["Adequacy"].tolist() == [5]


def test_columns_may_be_separated_by_spaces(write):
    """As in the averages that come with MQM ratings."""
    path = write("h.tsv", "system mqm_avg_score seg_id\nA -5.1 1\nA None 2\nB\t0.0\t1\n")
    assert same(read_human(path).criteria["mqm_avg_score"], [[-5.1, NAN], [0, NAN]])
    with pytest.raises(
        InputError, match=r"line 2: expected 3 columns as on line 1, found 4 \(are they separated by spaces\?\)"
    ):
        read_human(write("h.tsv", "system score note\nA 1 rather good\n"))
    with pytest.raises(
        InputError, match=r"line 2: expected 2 columns as on line 1, found 1 \(are they separated by spaces\?\)"
    ):
        read_human(write("h.tsv", "system\tscore\nA 1\n"))


@pytest.mark.parametrize("segment", ["4000000000", "1e300"])
def test_segments_that_nobody_has(write, segment):
    path = write("h.tsv", HEAD + f"A\t1\t1\nA\t{segment}\t1\n")
    with pytest.raises(InputError, match=r"h\.tsv, line 3: expected segment from 1 to 1000000, found [e+0-9]*$"):
        read_human(path)


@pytest.mark.parametrize("judges", ["median", "mean"])
def test_huge_scores_stay_finite(write, judges):
    path = write("h.tsv", "judge\tsystem\tscore\nx\tA\t1e308\ny\tA\t1.5e308\n")
    assert read_human(path, judges=judges).criteria["score"].tolist() == [1.25e308]
    path = write("h.tsv", "system\tadequacy\tfluency\nA\t1e308\t1.5e308\n")
    assert read_human(path).criteria["average"].tolist() == [1.25e308]


@pytest.mark.parametrize("n", [3, None])
def test_who_counts_from_0_is_told_how_to_say_so(write, n):
    with pytest.raises(
        InputError, match=r"line 2: expected segment from 1 to .*, found 0; rename the column to segment0 if it counts"
    ):
        read_human(write("h.tsv", HEAD + "A\t0\t1\n"), n_segments=n)


def test_a_criterion_that_is_not_there(write):
    path = write("h.tsv", "system\tadequacy\tfluency\nA\t5\t1\nB\t4\t2\n")
    with pytest.raises(InputError, match=r'h\.tsv: there is no criterion "fluent" \(did you mean "fluency"\?\)'):
        read_human(path, "fluent")
    with pytest.raises(BadParameter, match="median or mean"):
        read_human(path, judges="mode")
    with pytest.raises(BadParameter, match="grades: expected each grade once, found a, a"):
        read_human(path, grades=["a", "a"])


def test_the_bundled_grades():
    folder = Path(tarocco.__file__).parent / "data" / "demo"
    human = read_human(str(folder / "grades.tsv"), n_segments=60)
    assert list(human.criteria) == ["adequacy", "fluency", "average"]
    assert human.criteria["average"].shape == (6, 60)
    both = human.criteria["adequacy"] + human.criteria["fluency"]
    assert np.array_equal(human.criteria["average"], both / 2)


def test_votes_are_of_references(shared):
    votes = read_human(str(shared("data", "indian-uren-4refs-votes", "human", "votes.tsv")))
    assert votes.systems == ("R0", "R1", "R2", "R3")
    assert list(votes.criteria) == ["votes"]


def test_direct_assessments(shared):
    scores = read_human(str(shared("data", "mlqe-eten-2refs", "human", "segment_scores.tsv")), None, ["MT"], 1000)
    assert scores.criteria["da_z"][0, 0] == 0.9213345501671756
    assert not np.isnan(scores.criteria["da_z"]).any()
    systems = read_human(str(shared("data", "wmt19-ende-4refs", "human", "system_scores.tsv")))
    assert (systems.level, systems.criteria["da_z"].shape) == ("system", (22,))
