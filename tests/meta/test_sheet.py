"""The blind sheet: fair draws, sides that tell nothing, judgments that come back, and Wilson's interval."""

import csv
from collections import Counter
from dataclasses import replace
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import BadParameter, InputError
from tarocco.meta.orange.blind_sheet import (
    SheetCase,
    SheetJudgments,
    draw_cases,
    key_path,
    read_judgments,
    wilson,
    write_sheet,
)
from tarocco.meta.orange.confusions import Confusion, RankedText


def confusion(segment, metric="M", candidates=4, references=2, **more):
    """Candidates above the oracle, and references of which the first outranks all candidates."""
    own = [RankedText(f"human {segment}.{r}", 0.5, 0.5 if r == 1 else 50 + r, r) for r in range(1, references + 1)]
    above = [RankedText(f"machine {segment}.{c}", 0.9, float(c), c) for c in range(1, candidates + 1)]
    return Confusion(segment, metric, 10.0, 100, 0.5, tuple(own), tuple(above), 9, **more)


def pair(case):
    return case.segment, case.candidate, case.reference


# --- drawing ---------------------------------------------------------------------------------------------------------


def test_a_draw_depends_on_the_seed_alone():
    confusions = [confusion(segment) for segment in range(1, 40)]
    drawn = draw_cases(confusions, 20, seed=1)
    assert drawn == draw_cases(iter(confusions[::-1]), 20, seed=1)
    assert drawn != draw_cases(confusions, 20, seed=2)
    assert drawn == draw_cases(confusions, 30, seed=1)[:20]
    assert draw_cases(confusions, 3, seed=-1)


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 4), st.integers(2, 4)), max_size=6, unique_by=lambda s: s[0]),
    st.integers(1, 60),
)
def test_no_pair_comes_twice_and_segments_take_turns(shape, count):
    drawn = draw_cases([confusion(*one[:1], "M", *one[1:]) for one in shape], count, seed=3)
    available = {segment: candidates * (references - 1) for segment, candidates, references in shape}
    assert len(drawn) == min(count, sum(available.values()))
    assert len(set(map(pair, drawn))) == len(drawn)
    for upto in range(len(drawn) + 1):
        times = Counter(case.segment for case in drawn[:upto])
        for segment, possible in available.items():  # nobody is ahead by more than one of a segment that has more
            assert times[segment] == possible or all(other - times[segment] <= 1 for other in times.values())


def test_a_candidate_comes_twice_only_after_all_of_its_segment():
    drawn = draw_cases([confusion(1, candidates=5, references=4)], 15, seed=0)
    turns = [sorted(case.place for case in drawn[i : i + 5]) for i in (0, 5, 10)]
    assert turns == [[1, 2, 3, 4, 5]] * 3


def test_every_segment_and_candidate_is_as_likely_as_another():
    confusions = [confusion(segment, candidates=3) for segment in range(1, 6)]
    firsts = Counter(pair(draw_cases(confusions, 1, seed)[0]) for seed in range(3000))
    assert len(firsts) == 15
    assert all(150 < times < 250 for times in firsts.values())  # 200 are expected, 50 are 3.7 standard deviations


def test_what_is_no_case():
    """Copies, candidates that read like the reference, and references that stand above the candidate."""
    view = confusion(1, candidates=3)
    copy = replace(view.above[0], copy=True)
    same = replace(view.above[1], text="human   1.2 ")
    drawn = draw_cases([replace(view, above=(copy, same, view.above[2]))], 10, seed=0)
    assert [pair(case) for case in drawn] == [(1, "machine 1.3", "human 1.2")]
    assert draw_cases([confusion(1, candidates=0)], 10, seed=0) == []


def test_metrics_that_agree_share_a_case():
    views = [confusion(1, metric, candidates=1, source="Quelle") for metric in ("BLEU-4", "TER", "BLEU-4")]
    (case,) = draw_cases(views, 10, seed=0)
    assert case == SheetCase(1, "machine 1.1", 1, "human 1.2", 2, ("BLEU-4", "TER"), "Quelle")


def test_a_draw_of_nothing_is_refused():
    with pytest.raises(BadParameter, match="the number of cases is an integer of at least 1, not 0"):
        draw_cases([], 0, seed=1)


# --- writing and reading back ----------------------------------------------------------------------------------------


def cells(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def judge(path, judgments):
    """Fill in judgments by the number of the case, as a spreadsheet would."""
    rows = cells(path)
    for row in rows:
        row["judgment"] = judgments.get(int(row["case"].partition("-")[0]), "")
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter="\t" if path.suffix == ".tsv" else ",")
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture(params=[".tsv", ".csv"])
def sheet(request, tmp_path):
    path = tmp_path / f"sample{request.param}"
    cases = draw_cases([confusion(segment, source=f"source {segment}") for segment in range(1, 41)], 30, seed=7)
    write_sheet(str(path), cases, seed=7)
    return path


def key(path):
    return path.with_name(f"sample.key{path.suffix}")


def test_the_sheet_shows_both_texts_and_the_key_tells_them_apart(sheet):
    rows, keys = cells(sheet), cells(key(sheet))
    assert list(rows[0]) == ["case", "source", "A", "B", "judgment"]
    assert list(keys[0]) == ["case", "machine", "segment", "place", "reference", "metrics"]
    assert [row["case"] for row in rows] == [row["case"] for row in keys]
    for row, told in zip(rows, keys, strict=True):
        human = "B" if told["machine"] == "A" else "A"
        assert row[told["machine"]] == f"machine {told['segment']}.{told['place']}"
        assert row[human] == f"human {told['segment']}.{told['reference']}"
        assert (row["source"], row["judgment"], told["metrics"]) == (f"source {told['segment']}", "", "M")


def test_sides_are_balanced_and_random(tmp_path):
    cases = draw_cases([confusion(segment) for segment in range(1, 22)], 21, seed=0)
    first_sides, patterns, extra = Counter(), set(), Counter()
    for seed in range(60):
        path = tmp_path / "sample.tsv"
        write_sheet(str(path), cases, seed)
        sides = [row["machine"] for row in cells(key(path))]
        assert sides.count("A") in (10, 11)
        first_sides[sides[0]] += 1
        extra[sides.count("A")] += 1
        patterns.add("".join(sides))
    assert len(patterns) == 60
    assert min(first_sides["A"], first_sides["B"]) > 15
    assert min(extra[10], extra[11]) > 15


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    cases = draw_cases([confusion(segment) for segment in range(1, 9)], 8, seed=5)
    for name in ("one.tsv", "two.tsv"):
        write_sheet(str(tmp_path / name), cases, 5)
    assert (tmp_path / "one.tsv").read_bytes() == (tmp_path / "two.tsv").read_bytes()
    assert (tmp_path / "one.key.tsv").read_bytes() == (tmp_path / "two.key.tsv").read_bytes()


def test_judgments_come_back(sheet):
    machine = {int(row["case"].partition("-")[0]): row["machine"] for row in cells(key(sheet))}
    human = {number: "B" if side == "A" else "A" for number, side in machine.items()}
    said = {1: machine[1], 2: machine[2].lower(), 3: "=", 4: " Same ", 5: "tie", 6: "EQUAL"}
    said |= {number: human[number] for number in range(7, 27)}
    judge(sheet, said)
    judged = read_judgments(str(sheet))
    assert (judged.machine_better, judged.equal, judged.human_better, judged.blank) == (2, 4, 20, 4)
    assert (judged.judged, judged.as_good, judged.share) == (26, 6, 6 / 26)
    assert judged.interval == wilson(6, 26, 0.95)
    assert read_judgments(str(sheet), confidence=0.5).interval == wilson(6, 26, 0.5)


def test_rows_may_be_sorted_changed_or_taken_out(sheet):
    judge(sheet, dict.fromkeys(range(1, 31), "="))
    whole = sheet.read_text("utf-8")
    header, *rows = whole.splitlines()
    blank = ("\t" if sheet.suffix == ".tsv" else ",") * 4
    changed = [row.replace("human", "HUMAN") for row in rows[:3:-1]]
    sheet.write_text("\n".join([header, *changed, blank]) + "\n", "utf-8")
    judged = read_judgments(str(sheet))
    assert (judged.equal, judged.blank) == (26, 4)


def test_a_sheet_may_come_back_in_the_other_format_or_elsewhere(sheet, tmp_path):
    judge(sheet, {1: "="})
    other = sheet.with_suffix(".csv" if sheet.suffix == ".tsv" else ".tsv")
    delimiter = "\t" if other.suffix == ".tsv" else ","
    other.write_text(
        "\n".join(
            delimiter.join((row["case"], row["judgment"]))
            for row in [{"case": "case", "judgment": "judgment"}, *cells(sheet)]
        )
        + "\n",
        "utf-8",
    )
    assert read_judgments(str(other)).equal == 1
    moved = other.rename(tmp_path / f"elsewhere{other.suffix}")
    assert read_judgments(str(moved), str(key(sheet))).equal == 1


def test_each_metric_has_its_own_share(tmp_path):
    both = SheetCase(1, "machine", 1, "human", 1, ("BLEU-4", "TER"))
    one = replace(both, segment=2, metrics=("TER",))
    never = replace(both, segment=3, metrics=("NIST-5",))
    path = tmp_path / "sample.tsv"
    write_sheet(str(path), [both, one, never], seed=1)
    human = {n: "B" if row["machine"] == "A" else "A" for n, row in enumerate(cells(key(path)), start=1)}
    judge(path, {1: "=", 2: human[2]})
    judged = read_judgments(str(path))
    assert {name: (own.as_good, own.judged) for name, own in judged.by_metric.items()} == {
        "BLEU-4": (1, 1),
        "TER": (1, 2),
    }
    assert (judged.as_good, judged.judged, judged.blank) == (1, 2, 1)


HOSTILE = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    'say "no"',
    '"open',
    "tab\tand\nline\r\nend",
    "  spaces  ",
    "\u2028x",
    "\ud800",
]


@pytest.mark.parametrize("suffix", [".tsv", ".csv"])
def test_no_text_breaks_a_sheet_or_becomes_a_formula(tmp_path, suffix):
    cases = [SheetCase(i, text, 1, f"human, {i}", 1, ("M",), text) for i, text in enumerate(HOSTILE, start=1)]
    path = tmp_path / f"sample{suffix}"
    write_sheet(str(path), cases, seed=1)
    rows, keys = cells(path), cells(key(path))
    found = [row[told["machine"]] for row, told in zip(rows, keys, strict=True)]
    assert found == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", 'say "no"', '"open', "tab and line end", "spaces", "x", "?"]
    assert [row["source"] for row in rows] == found
    judge(path, dict.fromkeys(range(1, len(HOSTILE) + 1), "="))
    assert read_judgments(str(path)).equal == len(HOSTILE)


def test_there_is_no_source_column_without_sources(tmp_path):
    path = tmp_path / "sample.tsv"
    write_sheet(str(path), draw_cases([confusion(1)], 1, seed=1), seed=1)
    assert list(cells(path)[0]) == ["case", "A", "B", "judgment"]


# --- what is refused -------------------------------------------------------------------------------------------------


def refused(path, *lines, said=read_judgments):
    """Write a sheet with these lines and give the sentence with which it is refused."""
    if lines:
        path.write_text("\n".join(lines) + "\n", "utf-8")
    with pytest.raises(InputError) as error:
        said(str(path))
    return str(error.value).replace(str(path.parent), "DIR")


@pytest.fixture
def judged_sheet(tmp_path):
    (tmp_path / "s.key.tsv").write_text("case\tmachine\tmetrics\n1-x\tA\tM\n2-x\tB\tM\n", "utf-8")
    return tmp_path / "s.tsv"


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["case\tjudgment", "1-x\tA", "2-x\tboth"], 'DIR/s.tsv, line 3: a judgment is A, B or =, not "both"'),
        (
            ["case\tjudgment", "1-x\tA", "2-y\tA"],
            'DIR/s.tsv, line 3: case "2-y" is not in DIR/s.key.tsv, which is the key of another sheet',
        ),
        (["case\tjudgment", "1-x\tA", "1-x\tB"], 'DIR/s.tsv, line 3: case "1-x" is listed twice'),
        (
            ["case\tjudgment", "1-x\t", "2-x\t "],
            "DIR/s.tsv: no case has been judged: expected A, B or = in the column judgment",
        ),
        (
            ["case\tjudgement", "1-x\tA"],
            'DIR/s.tsv, line 1: expected a column "judgment"; did you mean "judgement"?',
        ),
        (["case\tjudgment", "1-x\tA\tB"], "DIR/s.tsv, line 2: expected 2 columns as on line 1, found 3"),
    ],
)
def test_bad_sheets(judged_sheet, lines, sentence):
    assert refused(judged_sheet, *lines) == sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("case\tmachine\tmetrics\n1-x\tC\tM\n", 'DIR/s.key.tsv, line 2: the machine\'s side is A or B, not "C"'),
        ("case\tmachine\tmetrics\n1-x\tA\tM\n1-x\tA\tM\n", 'DIR/s.key.tsv, line 3: case "1-x" is listed twice'),
        ("case\tmetrics\n1-x\tM\n", 'DIR/s.key.tsv, line 1: expected a column "machine"; there are case, metrics'),
    ],
)
def test_bad_keys(judged_sheet, text, sentence):
    judged_sheet.with_name("s.key.tsv").write_text(text, "utf-8")
    assert refused(judged_sheet, "case\tjudgment", "1-x\tA") == sentence


def test_a_sheet_without_its_key_is_refused(tmp_path):
    path = tmp_path / "s.tsv"
    assert refused(path, "case\tjudgment", "1-x\tA") == (
        "DIR/s.tsv: there is no key DIR/s.key.tsv, which says which side is the machine's"
    )
    assert refused(tmp_path / "none.tsv") == "DIR/none.tsv: there is no such file"


def test_the_key_of_another_draw_is_noticed(tmp_path):
    confusions = [confusion(segment) for segment in range(1, 9)]
    for seed in (1, 2):
        write_sheet(str(tmp_path / f"{seed}.tsv"), draw_cases(confusions, 5, seed), seed)
    judge(tmp_path / "1.tsv", {1: "A"})
    with pytest.raises(InputError, match="which is the key of another sheet"):
        read_judgments(str(tmp_path / "1.tsv"), str(tmp_path / "2.key.tsv"))


def test_what_no_sheet_is_written_to(sheet):
    cases = draw_cases([confusion(1)], 1, seed=1)

    def write(path):
        write_sheet(path, cases, seed=1)

    assert refused(sheet.with_name("s.xlsx"), said=write) == "DIR/s.xlsx: the name of a sheet ends in .tsv or .csv"
    nowhere = sheet.parent / "nowhere" / "s.tsv"
    assert refused(nowhere, said=write) == "DIR/s.tsv: there is no directory DIR"
    with pytest.raises(InputError, match="there is no case to judge, because no candidate ranks above the references"):
        write_sheet(str(sheet), [], seed=1)
    write(str(sheet))  # nobody has judged anything there
    judge(sheet, {1: "A"})
    before = sheet.read_bytes(), key(sheet).read_bytes()
    assert refused(sheet, said=write) == (
        f"DIR/{sheet.name}: this sheet has judgments, which would be lost; name another file"
    )
    assert (sheet.read_bytes(), key(sheet).read_bytes()) == before


def test_a_file_that_is_no_sheet_is_left_alone(tmp_path):
    path = tmp_path / "s.tsv"
    for content in (b"", b"\xff", b"a\tb\n1\t2\n"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="this file exists and is not a sheet; name another file"):
            write_sheet(str(path), draw_cases([confusion(1)], 1, seed=1), seed=1)
        assert path.read_bytes() == content


def test_confidence_is_a_share(judged_sheet):
    with pytest.raises(BadParameter, match="confidence is a number between 0 and 1, not 95"):
        read_judgments(str(judged_sheet), confidence=95)


def test_where_keys_are():
    assert key_path("some/dir.d/sample.tsv") == "some/dir.d/sample.key.tsv"


# --- Wilson's interval and the sentence ------------------------------------------------------------------------------


def test_wilson_by_hand():
    """z = 2 and 4 of 8: the center is 1/2, half the width 2 sqrt(8 * 1/4 + 1) / (8 + 4) = sqrt(3) / 6."""
    z_is_two = 0.9544997361036416  # the normal distribution between -2 and 2
    assert wilson(4, 8, z_is_two) == pytest.approx((0.5 - sqrt(3) / 6, 0.5 + sqrt(3) / 6), abs=1e-12)
    # 0 of n: from 0 to z^2 / (n + z^2); n of n is its mirror.
    assert wilson(0, 12, z_is_two) == pytest.approx((0, 4 / 16), abs=1e-12)
    assert wilson(12, 12, z_is_two) == pytest.approx((12 / 16, 1), abs=1e-12)


@given(st.integers(1, 500), st.data(), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]))
def test_wilson_inverts_the_score_test(trials, data, confidence):
    """At each end, the observed share is exactly z standard errors of that end away; (low, high) mirror each other."""
    z = {0.5: 0.6744897502, 0.8: 1.2815515655, 0.9: 1.6448536270, 0.95: 1.9599639845, 0.99: 2.5758293035}[confidence]
    successes = data.draw(st.integers(0, trials))
    share = successes / trials
    low, high = wilson(successes, trials, confidence)
    assert 0 <= low <= share <= high <= 1
    for end, is_end in ((low, successes > 0), (high, successes < trials)):
        if is_end:
            assert abs(share - end) / sqrt(end * (1 - end) / trials) == pytest.approx(z, rel=1e-7)
        else:
            assert end == share
    assert wilson(trials - successes, trials, confidence) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_the_sentence():
    judged = SheetJudgments(machine_better=5, equal=9, human_better=36, blank=0, confidence=0.95)
    assert str(judged) == (
        "In 14 of 50 cases (28%, 95% interval 17% to 42%) the machine's translation was judged as good as the human "
        "one, in 5 of them better."
    )
    assert str(SheetJudgments(0, 0, 1, 2, 0.9)) == (
        "In 0 of 1 case (0%, 90% interval 0% to 73%) the machine's translation was judged as good as the human one. "
        "2 cases are not judged."
    )
    assert str(SheetJudgments(0, 1, 0, 1, 0.9)).endswith("one. 1 case is not judged.")
