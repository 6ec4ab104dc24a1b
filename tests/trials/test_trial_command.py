"""`tarocco trial` and `tarocco demo`: what they print, at which width, what they write, and what stops them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from test_cli import on_terminal, run

from tarocco import datasets
from tarocco.render.page.payload import read_payload
from tarocco.trials.verdict import TRUST

FOLDER = datasets.load("demo").path
FILE = FOLDER / "demo.toml"
SMALL = ("-m", "BLEU-4", "chrF", "WER", "--n-resamples", "100")
WORKER = ROOT / "tests" / "trial_worker.py"


def results(text):
    return {part["part"]: part for part in json.loads(text)["results"]}


@pytest.fixture(scope="module")
def printed():
    return subprocess.run(
        [sys.executable, "-m", "tarocco", "trial", FILE, *SMALL], capture_output=True, text=True, check=True
    )


def test_the_sections_of_a_trial(printed):
    text = printed.stdout
    titles = re.findall(r"^[A-Z][A-Z':, ]+$", text, re.MULTILINE)
    assert titles == [
        "DEMO: WHAT THE DATA ALLOW",
        "THE DATA",
        "THE SYSTEMS",
        "THE METRICS",
        "THE BEST SET OF METRICS, BY STRICT KING",
        "CURVES",
        "WHAT EACH JUDGE SAYS",
        "WHICH SYSTEMS DIFFER SIGNIFICANTLY",
        "VERDICT",
        "MOST INTERESTING",
        "CAVEATS",
    ]
    assert max(map(len, text.splitlines())) <= 80
    assert "note: ORANGE: 20 of 60 segments have no list" in printed.stderr
    for term in ("ORANGE: ", "KING: strict KING", "people: SPA", "gamed: ", "QUEEN is ", "+ supported"):
        assert f"  {term}" in text  # every term is explained where it stands


def test_what_is_missing_is_told_first(capsys):
    code, out, _ = run(capsys, "trial", FOLDER / "ref1.txt", "-i", FOLDER / "careful.txt", *SMALL)
    assert code == 0
    begin, rest = out.split("THE SYSTEMS")
    assert "WHAT OTHER ANALYSES NEED" in begin
    assert "Needs three" in " ".join(begin.split())
    assert "nothing here can say which metric to trust" in " ".join(rest.split())


def test_json_has_what_single_commands_print(capsys):
    code, out, err = run(capsys, "trial", FILE, *SMALL, "-f", "json", "-q")
    assert (code, err) == (0, "")
    envelope = json.loads(out)
    assert (envelope["command"], envelope["seed"], envelope["name"]) == ("trial", 12345, "demo")
    assert envelope["again"].startswith("tarocco trial ")
    parts = results(out)
    assert list(parts) == [
        *("plan", "data", "scores", "significance", "agreement", "breakdown", "ORANGE", "KING", "QUEEN", "JACK"),
        *("optimal set", "people", "support", "references", "audit", "verdict"),
    ]
    within = next(part for part in envelope["results"] if part["part"] == "people" and part["level"] == "segment")
    singles = {
        "scores": ("score", FILE, *SMALL, "--confidence"),
        "KING": ("king", FILE, *SMALL),
        "QUEEN": ("queen", FILE, *SMALL),
        "JACK": ("jack", FILE, *SMALL),
        "optimal set": ("optimize", FILE, *SMALL),
        "ORANGE": ("orange", FILE, *SMALL, "--curve"),
        "audit": ("audit", FILE, *SMALL[:4]),
        "data": ("check", FILE, *SMALL[:4]),
        "references": ("references", FILE, *SMALL[:4], "--subsets", "10"),
        "significance": ("compare", FILE, *SMALL[:4], "--all-pairs"),
    }
    for part, command in singles.items():
        code, single, _ = run(capsys, *command, "-f", "json", "-q")
        assert code == 0
        assert json.loads(single)["results"] == parts[part]["results"], part
    _, single, _ = run(
        capsys, "correlate", FILE, *SMALL, "--level", "segment", "--grouping", "item", "-f", "json", "-q"
    )
    assert json.loads(single)["results"] == within["results"]
    assert all(one["trust"] in TRUST for one in parts["verdict"]["metrics"])


def test_the_plan_goes_to_people_where_programs_read(capsys):
    _, out, err = run(capsys, "trial", FILE, *SMALL, "-f", "tsv")
    header, *rows = out.splitlines()
    assert header.split("\t")[:3] == ["metric", "trust", "people"]
    assert {row.split("\t")[0] for row in rows} == {"BLEU-4", "chrF", "WER"}
    assert "WHAT THE DATA ALLOW" in err


@pytest.mark.parametrize(("form", "sign"), [("md", "## The metrics\n\n| metric |"), ("latex", "\\toprule")])
def test_formats_for_papers(capsys, form, sign):
    code, out, _ = run(capsys, "trial", FILE, *SMALL, "-f", form, "-q")
    assert code == 0
    assert sign in out


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_terminals_of_any_width(columns):
    shown = on_terminal("trial", FILE, *SMALL, columns=columns)
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    body = [line for line in plain.splitlines() if "note:" not in line]
    assert max(len(line.rstrip()) for line in body) <= columns
    assert "\x1b[1mVERDICT\x1b[0m" in shown  # bold, and not told as a hostile text would be


def test_a_bar_for_each_step():
    impatient = (
        sys.executable,
        "-c",
        "import sys; from tarocco.cli import main; from tarocco.cli import terminal; terminal.PATIENCE = -1; "
        "sys.exit(main(sys.argv[1:]))",
    )
    shown = on_terminal("trial", FILE, *SMALL, program=impatient)
    assert "2/13 scores" in shown
    assert "8/13 KING" in shown
    assert "KING" in shown
    assert "13 references" not in on_terminal("trial", FILE, *SMALL, "-q", program=impatient)


def test_a_stopped_trial_goes_on(tmp_path):
    """Killed behind any block, and once more: the same bytes as a trial that was never stopped."""

    def hold(folder, blocks):
        (tmp_path / folder).mkdir(exist_ok=True)
        done = subprocess.run([sys.executable, WORKER, "s.db", "out.json", str(blocks)], cwd=tmp_path / folder)
        return done.returncode, (tmp_path / folder / "out.json").read_bytes()

    code, whole = hold("whole", 0)
    assert code == 0
    for blocks in (5, 60):
        assert hold(f"killed-{blocks}", blocks)[0] == 9
        assert hold(f"killed-{blocks}", 0) == (0, whole)
    assert hold("killed-5", 0) == (0, whole)  # all of it from the store


def test_the_page_and_the_figures_are_those_of_the_trial(capsys, tmp_path):
    report, figures = tmp_path / "r.html", tmp_path / "figures"
    code, _, _ = run(capsys, "trial", FILE, *SMALL, "-q", "--report", report, "--figures", figures)
    assert code == 0
    payload = read_payload(report.read_text("utf-8"), "page")
    assert payload["verdict"]["headline"]
    assert payload["orange"]["confusions"]
    assert {"systems.svg", "orange.pdf", "metrics.tex"} <= {path.name for path in figures.iterdir()}


def test_a_page_that_cannot_be_written_is_refused_before_the_work(capsys):
    with pytest.raises(SystemExit):
        run(capsys, "trial", FILE, "--report", "/no/such/place.html")
    assert "there is no directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (("nothing.toml",), "nothing.toml"),
        ((FILE, "-m", "BLUE-4"), 'there is no metric "BLUE-4"'),
        ((FILE, "--groups", FOLDER / "errors.tsv"), "errors.tsv"),
        ((FOLDER / "ref1.txt",), "which systems?"),
        ((FILE, "--human", FOLDER / "nothing.tsv"), "nothing.tsv"),
    ],
)
def test_what_is_wrong_is_one_sentence(capsys, command, message):
    code, _, err = run(capsys, "trial", *command)
    assert code == 1
    assert message in err
    assert "Traceback" not in err


def test_a_list_that_cannot_be_read_takes_orange_alone(capsys, tmp_path):
    lists = tmp_path / "nbest.txt"
    lists.write_text("0 ||| a b ||| x\nthis is no list\n")
    code, out, err = run(capsys, "trial", FILE, *SMALL, "--nbest", lists)
    assert code == 0
    assert "note: ORANGE was not possible:" in err
    assert "VERDICT" in out
    assert "line 2" in err


def test_demo(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)  # without a page
    code, out, err = run(capsys, "demo")
    assert (code, err) == (0, "")
    assert out.startswith("Six made-up systems")
    told = out.split("MOST INTERESTING\n")[1].split("\n\n")[0]
    assert told.count("- ") >= 3
    assert "no person judged anything" in " ".join(out.split("VERDICT\n")[1].split())
    assert out.endswith("For your files: tarocco init FOLDER, then tarocco trial FOLDER/experiment.toml\n")
    assert list(Path(tmp_path).iterdir()) == []


def test_demo_writes_a_page(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "demo", "--n-resamples", "50")
    assert code == 0
    assert "The whole trial, as a page for a browser: report.html\n" in out
    assert read_payload((tmp_path / "report.html").read_text("utf-8"), "page")["verdict"]["headline"] in " ".join(
        out.split()
    )


def test_demo_for_programs(capsys):
    code, out, _ = run(capsys, "demo", "-f", "json", "--n-resamples", "50")
    assert code == 0
    assert set(results(out)) >= {"plan", "scores", "ORANGE", "KING", "people", "audit", "verdict"}
