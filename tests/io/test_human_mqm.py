"""MQM: errors that raters marked become scores of segments."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import BadParameter, InputError
from tarocco.io.scores.human import read_human
from tests.textbook.mqm import segment_score

HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
ROWS = """A\td\t1\t1\tr1\tx\t<v>"y\tAccuracy/Mistranslation\tMajor
A\td\t1\t1\tr1\tx\ty <v>,</v>\tFluency/Punctuation\tMinor
A\td\t1\t1\tr2\tx\ty\tStyle/Awkward\tMinor
A\td\t1\t1\tr3\tx\ty\tno-error\tno-error
A\td\t2\t2\tr1\tx\ty\tNon-translation!\tMajor
B\td\t1\t1\tr1\tx\ty\tFluency/Punctuation\tMajor
B\td\t1\t1\tr1\tx\ty\tSource error/-\tMinor
B\td\t1\t1\tr1\tx\ty\tFluency/Register\tNeutral
B\td\t3\t3\tr2\tx\ty\tNo-error\tNo-error
"""


@pytest.fixture
def mqm(tmp_path):
    def write(text):
        path = tmp_path / "mqm.tsv"
        path.write_text(text, "utf-8")
        return str(path)

    return write


def test_errors_are_added_up_and_raters_averaged(mqm):
    human = read_human(mqm(HEAD + ROWS), systems=["B", "A"], n_segments=4)
    assert (human.systems, human.level, human.n_judges) == (("B", "A"), "segment", 3)
    assert human.kinds == {"MQM": "error"}
    wanted = [[6, math.nan, 0, math.nan], [(5.1 + 1 + 0) / 3, 25, math.nan, math.nan]]
    assert np.array_equal(human.criteria["MQM"], wanted, equal_nan=True)
    assert human.origin[-2:] == (("scores", "mqm"), ("judges", "mean"))
    assert read_human(mqm(HEAD + ROWS), judges="median").criteria["MQM"][0, 0] == 1


@pytest.mark.parametrize(
    ("there", "segment"), [("seg_id", "globalSegId"), ("rater", "annotator"), ("Minor", "minor"), ("Major", "CRITICAL")]
)
def test_later_files_are_written_otherwise(mqm, there, segment):
    text = "\n".join(line for line in (HEAD + ROWS).split("\n") if "Non-translation" not in line)
    same, other = read_human(mqm(text)), read_human(mqm(text.replace(there, segment)))
    assert np.array_equal(same.criteria["MQM"], other.criteria["MQM"], equal_nan=True)


@pytest.mark.parametrize("planted", ["\tFound\tHOTW-test", "\tMissed\tHOTW-test", "\tHOTW\tMajor"])
def test_planted_errors_do_not_count(mqm, planted):
    same = read_human(mqm(HEAD + ROWS))
    more = "".join(f"{system}\td\t2\t2\t{rater}\tx\ty{planted}\n" for system in "AB" for rater in ("r1", "r2"))
    other = read_human(mqm(HEAD + ROWS + more))
    assert np.array_equal(same.criteria["MQM"], other.criteria["MQM"], equal_nan=True)
    with pytest.raises(InputError, match=r"mqm\.tsv: expected scores, found none"):
        read_human(mqm(HEAD + more))


def test_source_errors_count_unless_the_user_says_otherwise(mqm):
    path = mqm(HEAD + ROWS)
    assert read_human(path, systems=["B", "A"]).criteria["MQM"][0, 0] == 6
    without = read_human(path, systems=["B", "A"], mqm="no-source")
    assert without.criteria["MQM"][0, 0] == 5
    assert ("scores", "mqm-no-source") in without.origin
    with pytest.raises(BadParameter, match='mqm: expected all or no-source, found "none"'):
        read_human(path, mqm="none")


def test_without_raters_there_is_one(mqm):
    path = mqm("system\tsegment0\tcategory\tseverity\nA\t0\tx\tMinor\nA\t0\tx\tMinor\nB\t0\tx\tMajor\n")
    human = read_human(path)
    assert (human.criteria["MQM"].tolist(), human.n_judges) == ([[2], [5]], 1)


def test_equal_sums_are_equal_in_any_order(mqm):
    kinds = ["Fluency/Punctuation", "Fluency/Punctuation", "Style/Awkward"]
    errors = [("A", kind) for kind in kinds] + [("B", kind) for kind in reversed(kinds)]
    rows = (f"{system}\td\t1\t1\tr\tx\ty\t{kind}\tMinor\n" for system, kind in errors)
    assert read_human(mqm(HEAD + "".join(rows))).criteria["MQM"].tolist() == [[1.2], [1.2]]


CATEGORIES = ["Accuracy/Omission", "Fluency/Punctuation", "Non-translation!", "Source error/-", "Other"]


@pytest.mark.parametrize("mqm", [None, "no-source"])
@given(
    errors=st.lists(
        st.tuples(
            st.sampled_from("AB"),
            st.integers(1, 3),
            st.sampled_from(["r1", "r2", "r3"]),
            st.sampled_from(CATEGORIES),
            st.sampled_from(["Major", "Minor", "Neutral", "no-error"]),
        ),
        min_size=1,
        max_size=20,
    )
)
def test_scores_as_the_textbook_has_them(tmp_path_factory, mqm, errors):
    path = tmp_path_factory.mktemp("mqm") / "mqm.tsv"
    rows = (
        f"{system}\td\t1\t{segment}\t{rater}\tx\ty\t{kind}\t{how}\n" for system, segment, rater, kind, how in errors
    )
    path.write_text(HEAD + "".join(rows), "utf-8")
    human = read_human(str(path), n_segments=3, mqm=mqm)
    for system, scores in zip(human.systems, human.criteria["MQM"].tolist(), strict=True):
        for segment, found in enumerate(scores, start=1):
            own = [error[2:] for error in errors if error[:2] == (system, segment)]
            assert (
                found == pytest.approx(float(segment_score(own, mqm != "no-source")), abs=1e-12)
                if own
                else math.isnan(found)
            )


@pytest.mark.parametrize(
    ("there", "written", "message"),
    [
        (
            "Neutral",
            "Grave",
            r"mqm\.tsv, line 9: expected a severity of major, critical, minor, neutral, no-error, found "
            '"Grave"',
        ),
        ("\t3\tr2", "\t7\tr2", "line 10: expected segment from 1 to 3, found 7"),
        ("\t3\tr2", "\tthree\tr2", 'line 10: expected a whole number in column segment, found "three"'),
        ("B\td\t3", "C\td\t3", r'line 10: there are human scores of unknown system "C"'),
    ],
)
def test_mistakes(mqm, there, written, message):
    with pytest.raises(InputError, match=message):
        read_human(mqm(HEAD + ROWS.replace(there, written)), systems=["A", "B"], n_segments=3)


def test_a_table_with_scores_is_no_list_of_errors(mqm):
    human = read_human(mqm("system\tsegment\tcategory\tseverity\tscore\nA\t1\tx\tMinor\t3\n"))
    assert human.criteria["score"].tolist() == [[3]]
