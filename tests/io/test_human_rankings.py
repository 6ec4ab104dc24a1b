"""Rankings of systems: both forms, win shares and pairs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import InputError
from tarocco.io.scores.human import read_human

WIDE = "judge\tsegment\tA\tB\tC\tnote\nx\t1\t1\t2\t2\tfine\nx\t2\t3\t\t1\t\ny\t1\t3\t1\t2\t\n"
LONG = """judge\tsegment\tsystem\trank
x\t1\tA\t1
x\t1\tB\t2
x\t1\tC\t2
x\t2\tA\t3
x\t2\tC\t1
y\t1\tA\t3
y\t1\tB\t1
y\t1\tC\t2
"""


@pytest.mark.parametrize("text", [WIDE, LONG])
@pytest.mark.parametrize("systems", [["A", "B", "C"], None])
def test_rankings_are_win_shares(tmp_path, text, systems):
    path = tmp_path / "r.tsv"
    path.write_text(text, "utf-8")
    human = read_human(str(path), systems=systems)
    assert (human.systems, human.n_judges, human.kinds) == (("A", "B", "C"), 2, {"rank": "similarity"})
    wanted = [[0.5, 0], [(0.25 + 1) / 2, math.nan], [(0.25 + 0.5) / 2, 1]]
    assert np.array_equal(human.criteria["rank"], wanted, equal_nan=True)
    assert human.comparisons.tolist() == [
        [0, 0, 0, 1, 1],
        [0, 0, 0, 2, 1],
        [0, 0, 1, 2, 0],
        [1, 0, 1, 0, 1],
        [1, 0, 1, 2, 1],
        [1, 0, 2, 0, 1],
        [0, 1, 2, 0, 1],
    ]
    assert ("scores", "win-share") in human.origin


def test_systems_that_are_left_out_stay_in_the_rankings(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text(LONG, "utf-8")
    human = read_human(str(path), systems=["C", "B"], shared_only=True)
    assert human.criteria["rank"][0].tolist() == [0.375, 1]
    assert human.comparisons.tolist() == [[0, 0, 1, 0, 0], [1, 0, 1, 0, 1]]


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("xy"), st.integers(1, 3)),
        st.lists(st.integers(1, 4), min_size=2, max_size=5),
        min_size=1,
    )
)
def test_win_shares_and_pairs_by_counting(tmp_path_factory, rankings):
    path = tmp_path_factory.mktemp("rankings") / "r.tsv"
    rows = [
        (judge, segment, f"s{at}", rank)
        for (judge, segment), ranks in rankings.items()
        for at, rank in enumerate(ranks)
    ]
    path.write_text(
        "judge\tsegment\tsystem\trank\n" + "".join("\t".join(map(str, row)) + "\n" for row in rows), "utf-8"
    )
    human = read_human(str(path), n_segments=3, judges="mean")
    for at, system in enumerate(human.systems):
        for segment in range(3):
            shares = [
                sum((rank > ranks[int(system[1:])]) + (rank == ranks[int(system[1:])]) / 2 for rank in ranks) - 0.5
                for (_, own), ranks in rankings.items()
                if own == segment + 1 and int(system[1:]) < len(ranks)
            ]
            sizes = [
                len(ranks) - 1
                for (_, own), ranks in rankings.items()
                if own == segment + 1 and int(system[1:]) < len(ranks)
            ]
            found = human.criteria["rank"][at, segment]
            if shares:
                assert found == pytest.approx(np.mean(np.array(shares) / sizes))
            else:
                assert math.isnan(found)
    assert len(human.comparisons) == sum(len(ranks) * (len(ranks) - 1) // 2 for ranks in rankings.values())
    judges = list(dict.fromkeys(judge for judge, _ in rankings))
    for judge, segment, first, second, better in human.comparisons.tolist():
        ranks = rankings[judges[judge], segment + 1]
        own, other = (ranks[int(human.systems[at][1:])] for at in (first, second))
        assert own < other if better else own == other


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "judge\tsegment\tA\tB\nx\t1\t1\t2\nx\t2\t1\t\n",
            r"r\.tsv, line 3: expected two or more systems in a ranking, found 1",
        ),
        ("judge\tsegment\tA\tB\nx\t1\t\t\nx\t2\t1\t2\n", "line 2: expected two or more systems in a ranking, found 0"),
        (
            "judge\tsegment\tsystem\trank\nx\t1\tA\t1\nx\t1\tB\t2\ny\t1\tA\t1\n",
            "line 4: expected two or more systems in a ranking, found 1",
        ),
        (
            "judge\tsegment\tA\tB\nx\t1\t1\t2\nx\t1\t1\t2\n",
            "line 3: expected one score for judge x, A, segment 1, rank, found a second one; the first is on line 2",
        ),
        ("judge\tsegment\tA\tB\nx\t1\t1\tfirst\n", 'line 2: expected a number in column score, found "first"'),
        ("judge\tsegment\tA\tB\tX\nx\t1\t1\t2\t3\n", r'line 2: there are human scores of unknown system "X"'),
        (
            "judge\tsegment\tA\tB\nx\t7\t1\t2\n",
            "line 2: expected segment from 1 to 3, found 7",
        ),
    ],
)
def test_mistakes(tmp_path, text, message):
    path = tmp_path / "r.tsv"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_human(str(path), systems=["A", "B"], n_segments=3)


WIDE_SCORES = [
    ("segment\tA\tB\n1\t1\t2\n2\t2\t\n", [[1, 2], [2, math.nan]]),  # nobody ranks without a judge
    ("judge\tsegment\tA\tB\nx\t1\t4\t5\nx\t2\t5\t\ny\t1\t2\t2\n", [[3, 5], [3.5, math.nan]]),  # beyond two systems
    ("judge\tsegment\tA\tB\nx\t1\t96.5\t1\nx\t2\t1\t2\n", [[96.5, 1], [1, 2]]),
    ("judge\tsegment\tA\tB\nx\t1\t0\t1\nx\t2\t1\t2\n", [[0, 1], [1, 2]]),
    ("judge\tsegment\tA\tB\nx\t1\tS\tD\nx\t2\tA\t\n", [[5, 4], [1, math.nan]]),
]


@pytest.mark.parametrize("systems", [["A", "B"], None])
@pytest.mark.parametrize(("text", "wanted"), WIDE_SCORES)
def test_wide_tables_of_scores_are_no_rankings(tmp_path, text, wanted, systems):
    path = tmp_path / "r.tsv"
    path.write_text(text, "utf-8")
    human = read_human(str(path), systems=systems)
    assert (human.systems, human.kinds, human.comparisons) == (("A", "B"), {"score": "similarity"}, None)
    assert np.array_equal(human.criteria["score"], wanted, equal_nan=True)


def test_wide_scores_may_be_taken_as_an_order(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text("segment\tA\tB\n1\t4\t5\n2\t5\t5\n", "utf-8")
    assert read_human(str(path), as_rankings=True).criteria["score"].tolist() == [[0, 0.5], [1, 0.5]]


def test_wide_tables_may_be_of_errors_and_of_several_criteria(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text("segment\tA:error\tB:error\n1\t4\t5\n", "utf-8")
    assert read_human(str(path)).kinds == {"score": "error"}
    path.write_text("segment\tA:error\tB\n1\t4\t5\n", "utf-8")
    with pytest.raises(
        InputError, match="line 1: expected :error after all names of systems or after none, found both"
    ):
        read_human(str(path))
    path.write_text("judge\tcriterion\tsegment\tA\tB\nx\tadequacy\t1\t1\t2\nx\tfluency\t1\t2\t1\n", "utf-8")
    human = read_human(str(path), "fluency")
    assert (human.criteria["fluency"].tolist(), human.kinds) == ([[0], [1]], {"fluency": "similarity"})
    path.write_text("judge\tsegment\tA\tB\n", "utf-8")
    with pytest.raises(InputError, match="expected scores, found none"):
        read_human(str(path), systems=["A", "B"])


def test_judges_may_rank_systems_as_a_whole(tmp_path):
    path = tmp_path / "r.tsv"
    path.write_text("judge\tsystem\trank\nx\tA\t1\nx\tB\t2\ny\tA\t1\ny\tB\t1\n", "utf-8")
    human = read_human(str(path))
    assert (human.level, human.criteria["rank"].tolist()) == ("system", [0.75, 0.25])


def test_magnitudes_as_rankings_are_the_win_rates_that_come_with_them(shared):
    folder = shared("data", "e2e-nlg-challenge", "human")
    raw = str(folder / "ratings_raw.tsv")
    for criterion in ("quality", "naturalness"):
        known = read_human(str(folder / "segment_scores.tsv"), f"{criterion}_winrate", n_segments=630)
        found = read_human(raw, criterion, known.systems, 630, as_rankings=True, judges="mean")
        rates = known.criteria[f"{criterion}_winrate"]
        assert np.array_equal(np.isnan(rates), np.isnan(found.criteria[criterion]))
        assert np.nanmax(abs(rates - found.criteria[criterion])) <= 5.1e-5  # they are written with four digits
