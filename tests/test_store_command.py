"""`--store` on the commands that compute, and `tarocco store`."""

import csv
import io
import json
import os

import pytest
from test_cli import REFERENCES, SYSTEMS, run, tarocco_command

import tarocco
from tarocco import datasets
from tarocco.cli.command import make_parser
from tarocco.store.blocks import pack_numbers
from tarocco.store.database import SCHEMA

DEMO = datasets.load("demo")
SCORE = ("score", *REFERENCES, "-i", *SYSTEMS, "-m", "BLEU-4", "ROUGE-L")
N = len(DEMO.references)


@pytest.fixture
def store(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("TAROCCO_STORE", raising=False)
    path = tmp_path / "scores.db"
    assert run(capsys, *SCORE, "--store", path)[0] == 0
    return path


@pytest.mark.parametrize("command", ["score", "demo"])
def test_every_command_that_computes_takes_a_store(command):
    assert "--store FILE" in make_parser(command).format_help()


@pytest.mark.parametrize("form", ["table", "json", "tsv"])
def test_output_is_the_same_with_and_without_a_store(capsys, store, form):
    plain = run(capsys, *SCORE, "-f", form, "--confidence", "--n-resamples", 50)
    stored = run(capsys, *SCORE, "-f", form, "--confidence", "--n-resamples", 50, "--store", store)
    assert plain == stored
    assert plain[0] == 0


def test_the_environment_names_a_store(capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("TAROCCO_STORE", str(tmp_path / "e.db"))
    assert run(capsys, *SCORE)[0] == 0
    assert (tmp_path / "e.db").exists()
    assert run(capsys, "store", "check")[1] == f"{tmp_path / 'e.db'}: intact, {2 * len(SYSTEMS)} blocks checked\n"
    assert run(capsys, *SCORE, "--store", tmp_path / "f.db")[0] == 0
    assert (tmp_path / "f.db").exists()


def test_no_store_unless_asked_for(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TAROCCO_STORE", raising=False)
    assert run(capsys, *SCORE)[0] == 0
    assert list(tmp_path.iterdir()) == []


def test_ls_and_info(capsys, store):
    code, out, err = run(capsys, "store", "ls", store)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()[2:]]
    wanted = [[metric, system, str(N)] for metric in ("BLEU-4", "ROUGE-L") for system in DEMO.systems]
    assert [[row[0], row[5], row[7]] for row in rows] == wanted
    assert {" ".join(row[1:5]) for row in rows} == {"13a mixed 4 refs"}
    assert len({row[6] for row in rows}) == len(DEMO.systems)  # each has text of its own
    code, out, _ = run(capsys, "store", "ls", store, "-f", "json", "-m", "BL*", "-i", "care*")
    (found,) = json.loads(out)["results"]
    assert (found["metric"], found["subject"], found["rows"], found["done"]) == ("BLEU-4", "careful", N, N)
    code, out, _ = run(capsys, "store", "info", store, "-f", "json")
    (found,) = json.loads(out)["results"]
    assert (found["series"], found["blocks"], found["schema"]) == (2 * len(SYSTEMS), 2 * len(SYSTEMS), SCHEMA)
    assert found["releases"] == [f"tarocco {tarocco.__version__}"]
    assert "computed by  tarocco" in run(capsys, "store", "info", store)[1]


def test_export(capsys, store, tmp_path):
    from pyarrow import parquet

    expected = tarocco.score(DEMO.systems, DEMO.references, metrics=["BLEU-4", "ROUGE-L"])
    wanted = [
        (str(score.metric), score.system, i + 1, value, score.statistics[i].tolist())
        for score in sorted(expected.scores, key=lambda score: str(score.metric))
        for i, value in enumerate(score.segments.tolist())
    ]
    assert run(capsys, "store", "export", store, "-o", tmp_path / "s.parquet") == (0, "", "")
    table = parquet.read_table(tmp_path / "s.parquet").to_pylist()
    _, lines, _ = run(capsys, "store", "export", store, "-f", "jsonl")
    assert run(capsys, "store", "export", store, "-o", tmp_path / "s.csv")[0] == 0
    with (tmp_path / "s.csv").open() as file:
        rows = list(csv.DictReader(file))
    for found in (
        [(r["metric"], r["system"], r["segment"], r["score"], r["statistics"]) for r in table],
        [
            tuple(json.loads(line)[key] for key in ("metric", "system", "segment", "score", "statistics"))
            for line in io.StringIO(lines)
        ],
        [
            (
                r["metric"],
                r["system"],
                int(r["segment"]),
                float(r["score"]),
                [float(x) for x in r["statistics"].split()],
            )
            for r in rows
        ],
    ):
        assert found == wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.csv", "s.parquet", "scores.db"]


def test_export_says_what_it_cannot_do(capsys, store, tmp_path):
    assert "ends in .csv, .jsonl or .parquet" in run(capsys, "store", "export", store, "-o", tmp_path / "s.xls")[2]
    assert "name a file with -o" in run(capsys, "store", "export", store, "-f", "parquet")[2]
    assert "there is no directory" in run(capsys, "store", "export", store, "-o", tmp_path / "no" / "s.csv")[2]
    assert "could not be written" in run(capsys, "store", "export", store, "-f", "csv", "-o", "/proc/s.csv")[2]


def test_prune(capsys, store):
    assert "prune what?" in run(capsys, "store", "prune", store)[2]
    code, out, err = run(capsys, "store", "prune", store, "--all", "-i", "brief", "-n")
    assert (code, err, len(out.splitlines())) == (0, "tarocco: 2 series would be deleted\n", 2)
    assert run(capsys, "store", "prune", store, "--older-than", 1)[2] == "tarocco: deleted 0 series and 0 blocks\n"
    assert run(capsys, "store", "prune", store, "--other-releases")[2] == "tarocco: deleted 0 series and 0 blocks\n"
    assert run(capsys, "store", "prune", store, "--all", "-i", "brief")[2] == "tarocco: deleted 2 series and 2 blocks\n"
    assert "brief" not in run(capsys, "store", "ls", store)[1]


def test_pruning_other_releases(capsys, store, monkeypatch):
    monkeypatch.setattr("tarocco.metrics.registry.__version__", "99.0")
    deleted = f"tarocco: deleted {2 * len(SYSTEMS)} series and {2 * len(SYSTEMS)} blocks\n"
    assert run(capsys, "store", "prune", store, "--other-releases")[2] == deleted


def test_which_store(capsys, monkeypatch, tmp_path):
    monkeypatch.delenv("TAROCCO_STORE", raising=False)
    assert run(capsys, "store", "ls") == (1, "", "tarocco: which store? Name its file, or set $TAROCCO_STORE\n")
    assert run(capsys, "store", "ls", tmp_path)[2] == f"tarocco: {tmp_path}: expected a file, found a directory\n"


def test_a_store_is_not_mentioned_in_a_pipe(tmp_path):
    """No bar, no notes: a pipe and a file get the table alone."""
    done = tarocco_command(*SCORE, "--store", str(tmp_path / "s.db"))
    assert done.stderr == ""
    assert "s.db" not in done.stdout


def test_export_leaves_the_store_and_the_unusual_alone(capsys, store, tmp_path):
    before = store.read_bytes()
    assert "is the store: name another file" in run(capsys, "store", "export", store, "-f", "csv", "-o", store)[2]
    assert store.read_bytes() == before
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "expected an ordinary file" in run(capsys, "store", "export", store, "-f", "csv", "-o", pipe)[2]
    assert not pipe.is_file()


def test_test_sets_are_told_apart(capsys, tmp_path):
    """The same system against other references, or other text under the same name, is another series."""
    path = tmp_path / "s.db"
    for reference in REFERENCES[:2]:
        assert run(capsys, "score", reference, "-i", SYSTEMS[0], "--store", path)[0] == 0
    rows = csv.DictReader(io.StringIO(run(capsys, "store", "export", path)[1]))
    assert len({(row["text"], row["segment"]) for row in rows}) == 2 * N


def test_looking_writes_nothing(capsys, tmp_path):
    path = tmp_path / "empty"
    path.touch()
    assert run(capsys, "store", "check", path) == (0, f"{path}: intact, 0 blocks checked\n", "")
    assert path.read_bytes() == b""


def test_statistics_of_another_release_have_no_score(capsys, store, monkeypatch):
    monkeypatch.setattr("tarocco.render.export.__version__", "99.0")
    rows = list(csv.DictReader(io.StringIO(run(capsys, "store", "export", store)[1])))
    assert {row["score"] for row in rows} == {""}
    assert all(row["statistics"] for row in rows)


def test_a_damaged_store_gives_no_wrong_numbers(capsys, store):
    data = bytearray(store.read_bytes())
    for score in tarocco.score(DEMO.systems, DEMO.references, metrics="BLEU-4")["careful"].values():
        at = data.index(pack_numbers(score.statistics)[1])
    data[at] ^= 1
    store.write_bytes(data)
    code, out, err = run(capsys, *SCORE, "--store", store)
    assert (code, out) == (1, "")
    assert "the store is damaged" in err
