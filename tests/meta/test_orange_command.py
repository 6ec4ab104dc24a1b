"""`tarocco orange`: what is printed, what is refused and how, and what is written beside."""

import csv
import gzip
import io
import json
import math
import re

import pytest
from conftest import ROOT

import tarocco
from tarocco.cli import main

DEMO = ROOT / "src" / "tarocco" / "data" / "demo"
NBEST = str(DEMO / "nbest.txt")
REFERENCES = [str(DEMO / f"ref{i}.txt") for i in (1, 2, 3, 4)]
LISTS = [["a b", "b a", "a b c"], ["c", "a b c d", "b"]]
STREAMS = [["a b c", "c d"], ["a c", "b c d"]]


def run(capsys, *arguments):
    code = main(["orange", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two small lists with two references, as files."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{i} ||| {text} ||| f= 1 ||| -1" for i, own in enumerate(LISTS) for text in own]
    (tmp_path / "nbest.txt").write_text("\n".join(lines) + "\n")
    for r, own in enumerate(STREAMS, start=1):
        (tmp_path / f"r{r}").write_text("\n".join(own) + "\n")
    return tmp_path


FILES = ("nbest.txt", "-r", "r1", "r2")


def from_python(**options):
    return tarocco.orange(LISTS, list(zip(*STREAMS, strict=True)), **options)


def test_the_papers_table(capsys):
    code, out, err = run(capsys, NBEST, "-r", *REFERENCES, "-m", "PER", "BLEUS-4", "--n-best", 30, "-tok", "13a")
    lines = out.splitlines()
    assert code == 0
    assert re.split(" {2,}", lines[0]) == [
        *("Method", "ORANGE", "chance", "Avg Rank", "95%-CI-L", "95%-CI-U", "vs best", "status")
    ]
    assert [line.split()[0] for line in lines[2:4]] == ["BLEUS-4", "PER"]
    assert lines[2].split()[-2:] == ["best", "open"]
    assert "40 segments, lists of 30 candidates" in out
    assert "20 of 60 segments have no list" in err


def test_json_is_what_python_gives(capsys, folder):
    code, out, _ = run(capsys, *FILES, "-m", "WER", "ROUGE-L", "--combine", "WER", "ROUGE-L", "--curve", "-f", "json")
    answer = json.loads(out)
    found = from_python(metrics=["WER", "ROUGE-L"], combine=[("WER", "ROUGE-L")], curve=True)
    assert code == 0
    assert answer["command"] == "orange"
    assert answer["results"] == json.loads(json.dumps(found.to_dict()))
    assert [one["metric"] for one in answer["results"]].count("WER + ROUGE-L") == 1
    assert answer["results"][0]["curve"][-1] == [3, answer["results"][0]["orange"]]
    assert answer["left_out"] == {"without_list": 0, "one_reference": 0, "no_candidates": 0, "short": 0}


def test_tsv_has_metrics_or_curves(capsys, folder):
    _, out, _ = run(capsys, *FILES, "-m", "WER", "PER", "-f", "tsv")
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    assert {row["metric"]: float(row["orange"]) for row in rows} == {
        name: one.orange for name, one in from_python(metrics=["WER", "PER"]).items()
    }
    _, out, _ = run(capsys, *FILES, "-m", "WER", "-f", "csv", "--curve", "1,3")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["metric"], row["n_best"]) for row in rows] == [("WER", "1"), ("WER", "3")]


@pytest.mark.parametrize("form", ["table", "md", "latex"])
def test_no_metric_is_lost_in_a_table(capsys, folder, form):
    _, out, _ = run(capsys, *FILES, "-m", "WER", "PER", "-f", form)
    assert all(out.count(name) >= 2 for name in ("WER", "PER"))  # its row, and its signature


def test_numbers_alone(capsys, folder):
    """In percent, as the table has them, and in the order they were asked for."""
    _, out, _ = run(capsys, *FILES, "-m", "WER", "PER", "-b", "-w", 6)
    found = from_python(metrics=["WER", "PER"])
    assert list(map(float, out.split())) == pytest.approx([100 * found["WER"].orange, 100 * found["PER"].orange])


def test_compressed_lists_and_flat_ones(capsys, folder):
    plain = run(capsys, *FILES, "-m", "WER", "-b")
    (folder / "nbest.txt.gz").write_bytes(gzip.compress((folder / "nbest.txt").read_bytes()))
    (folder / "flat").write_text("\n".join(text for own in LISTS for text in own) + "\n")
    assert run(capsys, "nbest.txt.gz", *FILES[1:], "-m", "WER", "-b") == plain
    assert run(capsys, "flat", *FILES[1:], "--num-candidates", 3, "-m", "WER", "-b") == plain


def test_an_experiment_in_place_of_the_lists(capsys, folder):
    (folder / "x.toml").write_text('references = ["r1", "r2"]\nnbest = "nbest.txt"\nmetrics = ["WER"]\n')
    assert run(capsys, "x.toml", "-b") == run(capsys, *FILES, "-m", "WER", "-b")


def scores(folder, *records):
    (folder / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return ["--scores", "COMET=x.jsonl"]


def test_scores_made_elsewhere(capsys, folder):
    """Worked by hand: the oracles are 0.5 and 2, so that they rank 2 of 3 (one above) and 1.5 (one level)."""
    given = scores(
        folder,
        {"id": 0, "scores": [1, 0, 0.25], "references": [1, 0]},
        {"id": 1, "scores": [2, 1, -3], "references": [2, 2]},
    )
    code, out, _ = run(capsys, *FILES, "-m", "WER", *given, "--combine", "WER", "COMET", "-f", "json")
    found = {one["metric"]: one for one in json.loads(out)["results"]}
    assert code == 0
    assert found["COMET"]["average_rank"] == (2 + 1.5) / 2
    assert found["COMET"]["orange"] == (2 / 4 + 1.5 / 4) / 2
    assert "|external|" in found["COMET"]["signature"]
    assert "WER + COMET" in found


def test_one_reference_is_enough_for_scores_made_elsewhere(capsys, folder):
    lists = [{"id": i, "scores": [1, 2, 3], "references": [2.5]} for i in range(2)]
    (folder / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in lists))
    python = tarocco.orange(LISTS, [[own] for own in STREAMS[0]], metrics=[], external={"COMET": "x.jsonl"})
    assert python["COMET"].average_rank == 2


TWO = [{"id": i, "scores": [1, 2, 3], "references": [1, 2]} for i in range(2)]


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        ([TWO[0]], ": no scores for list 1, which begins at nbest.txt, line 4 (ids are those of the lists)"),
        (
            [TWO[0], TWO[1] | {"scores": [1, 2]}],
            ", line 2: expected 3 scores of candidates for list 1, found 2",
        ),
        (
            [TWO[0], {"id": 1, "scores": [1, 2, 3]}],
            ", line 2: expected 2 scores of references for list 1, found 0",
        ),
        (
            [TWO[0] | {"scores": [1, math.nan, 3]}],
            ', line 1: expected finite numbers in "scores", found NaN as number 2 of 3',
        ),
        (
            [TWO[0] | {"references": [1, None]}],
            ', line 1: expected finite numbers in "references", found null as number 2 of 2',
        ),
    ],
)
def test_bad_scores_made_elsewhere(capsys, folder, records, sentence):
    assert run(capsys, *FILES, "-m", "WER", *scores(folder, *records)) == (1, "", f"tarocco: x.jsonl{sentence}\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1 ||| a\n0 ||| b\n", "nbest.txt, line 2: "),
        ("0 ||| a\n2 ||| b\n", "nbest.txt, line 2: expected ids from 0 to 1, one per reference segment, found 2"),
        ("0 ||| a\nb\n", "nbest.txt, line 2: "),
        ("", "nbest.txt: expected n-best lists, found an empty file"),
    ],
)
def test_bad_lists(capsys, folder, text, sentence):
    """One sentence with file and line, nothing on standard output, and nothing written."""
    (folder / "nbest.txt").write_text(text)
    more = ["--errors", "e.jsonl", "--sample", 5, "--sheet", "s.tsv", "--figure", "f.svg"]
    code, out, err = run(capsys, *FILES, "-m", "WER", *more)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith(f"tarocco: {sentence}")
    assert sorted(path.name for path in folder.iterdir()) == ["nbest.txt", "r1", "r2"]


def test_one_reference_cannot_be_scored(capsys, folder):
    code, out, err = run(capsys, "nbest.txt", "-r", "r1", "-m", "WER")
    assert (code, out) == (1, "")
    assert err == (
        "tarocco: no segment has two references, and a single reference has no other to be scored against "
        "(name more files with -r; --num-refs N if tabs separate references; "
        "--pool FILE if sources repeat)\n"
    )


def test_some_segments_with_one_reference(capsys, folder):
    (folder / "r2").write_text("a c\n\n")
    code, _, err = run(capsys, *FILES, "-m", "WER")
    assert code == 0
    assert "1 list left out, because the segment has only one reference" in err


def test_empty_candidates_and_short_lists_are_told(capsys, folder):
    (folder / "nbest.txt").write_text("0 ||| a b\n0 ||| \n0 ||| c\n1 ||| c\n")
    code, out, err = run(capsys, *FILES, "-m", "WER")
    assert code == 0
    assert "1 segment, lists of 3 candidates" in out
    assert "note: nbest.txt, line 2: the candidate is empty; 1 empty candidate in all" in err
    assert "note: nbest.txt, line 4: this list has 1 candidate, fewer than 3; 1 such list left out" in err
    code, out, _ = run(capsys, *FILES, "-m", "WER", "--short", "keep")
    assert "2 segments, lists of 1 to 3 candidates" in out
    code, _, err = run(capsys, *FILES, "-m", "WER", "--n-best", 4)
    assert code == 1
    assert "no list has 4 candidates, the longest has 3" in err


def test_copies_of_references(capsys, folder):
    (folder / "nbest.txt").write_text("0 ||| a b c\n0 ||| a c\n1 ||| c\n1 ||| d\n")
    _, _, err = run(capsys, *FILES, "-m", "WER")
    assert "2 candidates are identical to a reference (--drop-copies leaves such candidates out)" in err
    _, out, err = run(capsys, *FILES, "-m", "WER", "--drop-copies")
    assert "1 segment, lists of 2 candidates" in out
    assert "1 list left out, because no candidates remain" in err


def test_error_analysis(capsys, folder):
    code, _, _ = run(capsys, *FILES, "-m", "WER", "PER", "--errors", "e.jsonl", "--source", "r1")
    records = [json.loads(line) for line in (folder / "e.jsonl").read_text().splitlines()]
    assert code == 0
    assert [(one["segment"], one["metric"]) for one in records] == [(1, "WER"), (1, "PER"), (2, "WER"), (2, "PER")]
    found = from_python(metrics=["WER", "PER"])
    for one in records:
        assert one["oracle"]["rank"] == found[one["metric"]].ranks[one["segment"] - 1]
        assert len(one["above"]) <= one["oracle"]["rank"]
        assert one["source"] == STREAMS[0][one["segment"] - 1]
    assert run(capsys, *FILES, "-m", "WER", "--errors", "e.html")[0] == 0
    assert "<html" in (folder / "e.html").read_text()
    code, out, err = run(capsys, *FILES, "--errors", "e.txt")
    assert (code, out) == (1, "")
    assert "e.txt" in err


SHEET = ("s.tsv", "s.key.tsv")


def test_a_sheet_and_back(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = (NBEST, "-r", *REFERENCES, "-tok", "13a", "--short", "keep", "-m", "ROUGE-L")
    code, _, err = run(capsys, *files, "--sample", 12, "--sheet", "s.tsv")
    assert code == 0
    assert "12 cases are in s.tsv" in err
    rows, keys = (list(csv.reader(io.StringIO((tmp_path / name).read_text()), delimiter="\t")) for name in SHEET)
    key = {row[0]: row for row in keys[1:]}
    assert len(rows) == 13
    for row in rows[1:4]:
        row[-1] = "="
    for row in rows[4:]:  # always for the human side
        row[-1] = "B" if "A" in key[row[0]][1:3] else "A"
    with (tmp_path / "s.tsv").open("w") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    code, out, _ = run(capsys, "--judged", "s.tsv")
    assert code == 0
    assert out.startswith("In 3 of 12 cases (25%, 95% interval 9% to 53%) the machine's translation was judged as good")
    answer = json.loads(run(capsys, "--judged", "s.tsv", "-f", "json")[1])["results"][0]
    assert (answer["judged"], answer["human_better"], answer["as_good"]) == (12, 9, 0.25)


def test_figures(capsys, folder):
    assert run(capsys, *FILES, "-m", "WER", "PER", "--figure", "dots.svg")[0] == 0
    assert run(capsys, *FILES, "-m", "WER", "PER", "--curve", "--figure", "curve.svg")[0] == 0
    assert "length of the n-best list" in (folder / "curve.svg").read_text()
    assert "WER" in (folder / "dots.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nbest.txt",), "no reference file: name them with -r"),
        ((), "no n-best lists: name a file (- is standard input), or read a judged sheet with --judged FILE"),
        (
            ("nbest.txt", "r1", "r2"),
            "expected one file of n-best lists, found nbest.txt r1 r2: references come with -r",
        ),
        ((*FILES, "--sheet", "s.tsv"), "--sheet names the file for the cases that --sample K draws: add --sample K"),
        ((*FILES, "-m", "WER", "mWER"), "metrics listed twice: WER"),
        ((*FILES, "--combine", "WER"), "a combination is two or more different metrics"),
        ((*FILES, "--pool", "r1", "--first-id", "1"), "nbest.txt, line 1: "),
    ],
)
def test_what_is_refused(capsys, folder, arguments, sentence):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"tarocco: {sentence}")


def test_pooled_segments(capsys, folder):
    (folder / "labels").write_text("same\nsame\n")
    code, out, _ = run(capsys, "nbest.txt", "-r", "r1", "--pool", "labels", "-m", "WER")
    assert code == 0
    assert "1 segment, lists of 6 candidates; 1 pooled with others" in out
    assert "|pooled:yes|" in out


@pytest.mark.parametrize(
    ("outputs", "sentence"),
    [
        (("--errors", "nbest.jsonl"), "nbest.jsonl: this file is an input and would be overwritten"),
        (("--errors", "o.html", "--figure", "o.html"), "o.html: two outputs would be written to this file"),
        (("--sample", 3, "--sheet", "r.tsv"), "r.tsv: this file exists and is not a sheet"),
    ],
)
def test_nothing_that_is_read_is_written_over(capsys, folder, outputs, sentence):
    records = [json.dumps({"id": i, "candidates": own}) for i, own in enumerate(LISTS)]
    (folder / "nbest.jsonl").write_text("\n".join(records) + "\n")
    (folder / "r.tsv").write_text("a\tb\nc\td\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    code, out, err = run(capsys, "nbest.jsonl", "-r", "r1", "r.tsv", "-m", "WER", *outputs)
    assert (code, out) == (1, "")
    assert err.startswith(f"tarocco: {sentence}")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_looks_wrong_is_told(capsys, folder):
    """Ids that seem to count from 1, references that are the same, references of other lists."""
    (folder / "one").write_text("1 ||| x\n1 ||| y\n")
    _, _, err = run(capsys, "one", "-r", "r1", "r2", "-m", "WER")
    assert "1 of 2 segments have no list, nor does the first: do ids count from 1 (--first-id 1)?" in err
    (folder / "other").write_text("0 ||| x\n0 ||| y\n1 ||| x\n1 ||| y\n")
    _, _, err = run(capsys, "other", "-r", "r1", "r1", "-m", "WER")
    assert "2 segments with a duplicate reference, which is certain to rank high" in err
    assert "every metric ranks the references first in every list" in err


def test_no_case_to_judge_is_no_error(capsys, folder):
    """A metric that ranks every reference first."""
    (folder / "nbest.txt").write_text("0 ||| x\n0 ||| y\n1 ||| x\n1 ||| y\n")
    code, out, err = run(capsys, *FILES, "-m", "WER", "--sample", 3, "--sheet", "s.tsv")
    assert code == 0
    assert out.startswith("Method")
    assert "no candidate ranks above the references" in err
    assert not (folder / "s.tsv").exists()


def test_ranks_of_segments(capsys, folder):
    found = from_python(metrics=["WER", "PER"])
    _, out, _ = run(capsys, *FILES, "-m", "WER", "PER", "--level", "segment", "-f", "tsv")
    rows = list(csv.DictReader(io.StringIO(out), delimiter="\t"))
    assert [(row["metric"], int(row["segment"]), float(row["rank"])) for row in rows] == [
        (one.metric, i + 1, rank) for one in found.metrics for i, rank in enumerate(one.ranks)
    ]
    answer = json.loads(run(capsys, *FILES, "-m", "WER", "--level", "segment", "-f", "json")[1])
    assert answer["segments"] == [1, 2]
    assert answer["results"][0]["ranks"] == found["WER"].ranks.tolist()
    _, out, _ = run(capsys, *FILES, "-m", "WER", "--level", "segment")
    assert out.splitlines()[0].split() == ["segment", "candidates", "WER"]


def test_scores_made_elsewhere_stand_alone_where_there_is_one_reference(capsys, folder):
    lists = [{"id": i, "scores": [1, 2, 3], "references": [2.5], "src": "kept"} for i in range(2)]
    code, out, _ = run(capsys, "nbest.txt", "-r", "r1", *scores(folder, *lists), "-b")
    assert (code, out) == (0, "50.00\n")
