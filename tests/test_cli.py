"""The command line: what is printed, where, and with which exit code."""

import csv
import io
import json
import os
import pty
import subprocess
import sys

import pytest
from conftest import ROOT, shared

import tarocco
from tarocco import datasets
from tarocco.cli import COMMANDS, main

DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"
REFERENCES = [str(FOLDER / f"ref{i}.txt") for i in (1, 2, 3, 4)]
SYSTEMS = [str(FOLDER / f"{name}.txt") for name in DEMO.systems]


def run(capsys, *arguments):
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def expected(*metrics, **options):
    return tarocco.score(DEMO.systems, DEMO.references, metrics=metrics, **options)


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"tarocco {tarocco.__version__}\n", "")


def test_help_names_every_command(capsys):
    code, out, _ = run(capsys, "--help")
    assert code == 0
    for command in COMMANDS:
        assert f"  {command} " in out
    code, out, err = run(capsys)
    assert (code, out) == (2, "")
    assert "usage" in err


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help(capsys, command):
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"usage: tarocco {command}" in capsys.readouterr().out


def test_unknown_command(capsys):
    code, out, err = run(capsys, "scores")
    assert (code, out) == (2, "")
    assert err == 'tarocco: there is no command "scores" (did you mean "score" or "store"?)\n'


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_two_spellings(capsys, command):
    shown = []
    for arguments in (["help", command], [command, "--help"]):
        with pytest.raises(SystemExit) as stop:
            main(arguments)
        assert stop.value.code == 0
        shown.append(capsys.readouterr())
    assert shown[0] == shown[1]
    assert shown[0].out.startswith(f"usage: tarocco {command}")


def test_help_of_an_action(capsys):
    with pytest.raises(SystemExit):
        main(["help", "store", "prune"])
    assert capsys.readouterr().out.startswith("usage: tarocco store prune")


def test_help_alone_is_the_general_help(capsys):
    assert run(capsys, "help") == run(capsys, "--help")


def test_help_of_an_unknown_command(capsys):
    error = 'tarocco: there is no command "scor" (did you mean "score" or "store"?)\n'
    assert run(capsys, "help", "scor") == (1, "", error)
    code, out, err = run(capsys, "help", "nonsense")
    assert (code, out) == (1, "")
    assert err.startswith('tarocco: there is no command "nonsense" (the commands are trial, check, score, ')
    assert err.count("\n") == 1


def test_wrong_option_is_exit_code_2(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["score", "ref", "--level", "word"])
    assert stop.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--confidence", "95"), "expected a number between 0 and 1, found 95"),
        (("--n-resamples", "1"), "expected a whole number of at least 2, found 1"),
        (("-w", "abc"), "expected a whole number from 0 to 17, found abc"),
        (("-j", "0"), "expected a whole number of at least 1, found 0"),
        (("--num-refs", "0"), "expected a whole number of at least 1, found 0"),
        (("-x",), "unrecognized arguments: -x"),
        (("-lx",), "unrecognized arguments: -lx"),
        (("--conf",), "unrecognized arguments: --conf"),
    ],
)
def test_wrong_option_values(capsys, arguments, message):
    with pytest.raises(SystemExit) as stop:
        main(["score", REFERENCES[0], "-i", SYSTEMS[0], *arguments])
    assert stop.value.code == 2
    assert message in capsys.readouterr().err


def test_options_given_twice_add_up(capsys):
    twice = run(
        capsys, "score", REFERENCES[0], "-i", SYSTEMS[0], "-i", SYSTEMS[1], "-m", "BLEU-4", "-m", "NIST-5", "-w3"
    )
    once = run(capsys, "score", REFERENCES[0], "-i", *SYSTEMS[:2], "-m", "BLEU-4", "NIST-5", "-w", "3")
    assert twice == once
    assert "middling" in once[1]


def test_intervals_are_for_corpus_scores(capsys):
    arguments = ("score", REFERENCES[0], "-i", SYSTEMS[0], "--level", "segment", "--confidence")
    _, out, err = run(capsys, *arguments)
    assert "in brackets" not in out
    assert err == "tarocco: note: only corpus scores have intervals: there are none at --level segment\n"


def test_verbose(capsys):
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", FOLDER / "brief.txt", "-m", "BLEU-4", "NIST-5", "-v")
    details = expected("BLEU-4")["brief"]["BLEU-4"].details
    precisions = "/".join(f"{value:.4g}" for value in details["precisions"])
    assert f"brief, BLEU-4: precisions {precisions}, brevity penalty {details['brevity_penalty']:.4g}, " in out
    assert "brief, NIST-5: by order " in out


def test_a_name_that_the_terminal_cannot_show(tmp_path):
    path = tmp_path / "système"
    path.write_text("\n".join(DEMO.systems["brief"]))
    done = tarocco_command("score", REFERENCES[0], "-i", path, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    assert "syst\\xe8me" in done.stdout


def test_wide_characters_are_aligned(tmp_path):
    path = tmp_path / "日本"
    path.write_text("\n".join(DEMO.systems["brief"]))
    lines = tarocco_command("score", REFERENCES[0], "-i", path, SYSTEMS[0]).stdout.splitlines()
    one = [
        tarocco.score(DEMO.systems[system], [segment[0] for segment in DEMO.references])["BLEU-4"].score
        for system in ("brief", "careful")
    ]
    assert lines[2] == f"日本     {100 * one[0]:6.2f}"
    assert lines[3] == f"careful  {100 * one[1]:6.2f}"


def test_json(capsys):
    code, out, err = run(
        capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-m", "BLEU-4", "NIST-5", "-f", "json", "--confidence"
    )
    assert (code, err) == (0, "")
    answer = json.loads(out)
    result = expected("BLEU-4", "NIST-5", confidence=0.95)
    assert {key: answer[key] for key in ("tarocco", "command", "seed", "confidence", "n_resamples")} == {
        "tarocco": tarocco.__version__,
        "command": "score",
        "seed": 12345,
        "confidence": 0.95,
        "n_resamples": 1000,
    }
    assert answer["results"] == result.to_dict()
    assert [one["interval"] for one in answer["results"]] == [[s.interval.low, s.interval.high] for s in result.scores]


def test_json_at_segment_level(capsys):
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-f", "json", "--level", "segment")
    first = json.loads(out)["results"][0]
    assert first["segments"] == expected("BLEU-4")["careful"]["BLEU-4"].segments.tolist()
    assert "interval" not in first


@pytest.mark.parametrize(("form", "delimiter"), [("tsv", "\t"), ("csv", ",")])
def test_separated_values(capsys, form, delimiter):
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-m", "BLEU-4", "BLEUS-4", "-f", form)
    rows = list(csv.DictReader(io.StringIO(out), delimiter=delimiter))
    result = expected("BLEU-4", "BLEUS-4")
    assert [float(row["score"]) for row in rows] == [score.score for score in result.scores]
    assert [row["signature"] for row in rows] == [score.signature for score in result.scores]
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-f", form, "--level", "segment")
    rows = list(csv.DictReader(io.StringIO(out), delimiter=delimiter))
    assert len(rows) == 360
    assert (rows[181]["system"], rows[181]["segment"]) == ("literal", "2")
    assert float(rows[181]["score"]) == expected("BLEU-4")["literal"]["BLEU-4"].segments[1]


def test_documents(capsys):
    arguments = ("score", *REFERENCES, "-i", *SYSTEMS, "--level", "document")
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (1, "")
    assert "--documents FILE" in err
    _, out, _ = run(capsys, *arguments, "--documents", FOLDER / "documents.txt", "-f", "json")
    result = expected("BLEU-4", documents=DEMO.documents)
    assert json.loads(out)["results"][4]["documents"] == result["brief"]["BLEU-4"].documents


def test_plain_table(capsys):
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-m", "BLEU-4", "NIST-5", "-w", "3")
    lines = out.splitlines()
    scores = expected("BLEU-4", "NIST-5")["careful"]
    assert lines[0].split() == ["system", "BLEU-4", "NIST-5"]
    assert lines[2].split() == ["careful", f"{100 * scores['BLEU-4'].score:.3f}", f"{scores['NIST-5'].score:.3f}"]
    assert scores["BLEU-4"].signature in lines
    assert "shown times 100: BLEU-4" in lines
    assert "\x1b" not in out


def test_markdown_and_latex(capsys):
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-f", "md", "--level", "segment")
    assert out.splitlines()[:2] == ["| segment | system | BLEU-4 |", "| --- | --- | ---: |"]
    assert len([line for line in out.splitlines() if line.startswith("|")]) == 362
    assert f"- {expected('BLEU-4').scores[0].signature}" in out
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-f", "latex")
    best = expected("BLEU-4")["careful"]["BLEU-4"].score
    assert rf"careful & \textbf{{{100 * best:.2f}}} \\" in out
    assert f"% {expected('BLEU-4').scores[0].signature}" in out


def test_score_only(capsys):
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", *SYSTEMS, "-b", "-w", "4")
    assert out.splitlines() == [f"{100 * score.score:.4f}" for score in expected("BLEU-4").scores]
    _, out, _ = run(capsys, "score", *REFERENCES, "-i", SYSTEMS[0], "-b", "--level", "segment")
    assert len(out.splitlines()) == 60


def tarocco_command(*arguments, **options):
    command = [sys.executable, "-m", "tarocco", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.mark.parametrize("command", ["compare", "correlate", "audit", "references"])
def test_commands_about_several_systems_do_not_wait_for_standard_input(capsys, command):
    assert run(capsys, command, *REFERENCES) == (
        1,
        "",
        "tarocco: which systems? Name their files with -i, or all files in an experiment file\n",
    )


def test_standard_input():
    done = tarocco_command("score", *REFERENCES, "-b", input="\n".join(DEMO.systems["brief"]))
    assert done.stdout == f"{100 * expected('BLEU-4')['brief']['BLEU-4'].score:.2f}\n"


def test_a_reader_that_goes_away_is_no_error():
    command = f"{sys.executable} -m tarocco score {' '.join(REFERENCES)} -i {SYSTEMS[0]} --level segment -f tsv"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command} | head -1"], capture_output=True, text=True)
    assert done.stdout == "system\tmetric\tsegment\tscore\n"
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [f"score {REFERENCES[0]} -i {SYSTEMS[0]}", "--help", "--version"])
def test_a_full_disk_is_said(arguments):
    command = f"{sys.executable} -m tarocco {arguments} > /dev/full"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "tarocco: the output could not be written: No space left on device\n"


def test_closed_streams():
    command = f"{sys.executable} -m tarocco score {REFERENCES[0]}"
    done = subprocess.run(["bash", "-c", f"{command} <&-"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (
        1,
        "tarocco: standard input: expected an open stream, found a closed one\n",
    )
    done = subprocess.run(["bash", "-c", f"{command} -i {SYSTEMS[0]} >&-"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no-such-file", "-i", SYSTEMS[0]), "no-such-file: there is no such file"),
        ((REFERENCES[0], "-i", SYSTEMS[0], "-m", "BLUE", "NIST-9"), "did you mean"),
        ((REFERENCES[0], "-i", SYSTEMS[0], "--tokenize", "13b"), 'did you mean "13a"'),
    ],
)
def test_bad_input_is_one_sentence(arguments, message):
    done = tarocco_command("score", *arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("tarocco: ")
    assert message in done.stderr


def test_lines_of_different_numbers_name_both_files(tmp_path):
    short = tmp_path / "short.txt"
    short.write_text("one line\n")
    done = tarocco_command("score", REFERENCES[0], "-i", short)
    assert done.stderr == f"tarocco: {short}: expected 60 segments as in {REFERENCES[0]}, found 1\n"


def test_a_script_that_the_tokenizer_does_not_split_is_noticed(tmp_path):
    text = tmp_path / "japanese"
    text.write_text("昨日、公園で小さな猫を見ました。\n" * 3)
    noticed, quiet = (tarocco_command("score", text, "-i", text, "--tokenize", name) for name in ("13a", "char"))
    assert "is 13a, which does not split them. Use --tokenize ja-mecab (pip install" in noticed.stderr
    assert quiet.stderr == ""


def test_english_stems_on_german_text_are_noticed(tmp_path):
    text = tmp_path / "german"
    text.write_text("Der Mann sah gestern den alten Hund im Garten seiner Eltern.\n" * 20)
    noticed, quiet = (
        tarocco_command("score", text, "-i", text, "-m", name) for name in ("ROUGE-1:stemmer=porter-nltk", "ROUGE-1")
    )
    assert "uses English stems or synonyms, but only 0% of the references' words are frequent English" in noticed.stderr
    assert quiet.stderr == ""


def test_tokenized_text_is_noticed(tmp_path):
    text = tmp_path / "tokenized"
    text.write_text("it is tokenized .\n" * 120)
    done = tarocco_command("score", text, "-i", text, "-b")
    assert done.stdout == "100.00\n"
    assert '120 lines of "tokenized" end in " ."' in done.stderr
    assert tarocco_command("score", text, "-i", text, "-b", "-q").stderr == ""
    assert tarocco_command("score", text, "-i", text, "-b", "--tokenize", "none").stderr == ""


def on_terminal(*arguments, columns=100, program=(sys.executable, "-m", "tarocco")):
    """What a command shows on a terminal of so many columns."""
    master, slave = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm-256color"}
    with subprocess.Popen([*program, *map(str, arguments)], stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        process.wait()
    os.close(master)
    return shown.decode()


def test_terminals_wide_and_narrow():
    command = ("score", FOLDER / "demo.toml", "-m", "BLEU-4", "NIST-5", "TER", "chrF", "--confidence")
    wide = on_terminal(*command, columns=120)
    assert "\x1b[1m" in wide  # the best of each column is bold
    assert "NIST-5" in wide
    narrow = on_terminal(*command, columns=50)
    assert "metric" in narrow
    rows = [line for line in narrow.splitlines() if line.split()[1:2] and line.split()[1] in DEMO.systems]
    assert len(rows) == 24


IMPATIENT = """if True:
    import sys
    from tarocco.cli import main
    from tarocco.cli import terminal as progress
    progress.PATIENCE = -1
    sys.exit(main(sys.argv[1:]))
"""


def test_progress_only_on_a_terminal(tmp_path):
    text = tmp_path / "long"
    text.write_text("a few words\n" * 120_000)
    python = (sys.executable, "-c", IMPATIENT)
    command = ("score", text, "-i", text, "-b")
    shown = on_terminal(*command, program=python)
    assert "/120000" in shown
    assert "scores/s" in shown
    assert "scores/s" not in on_terminal(*command, "-q", program=python)
    piped = subprocess.run([*python, *command], capture_output=True, text=True, check=True)
    assert (piped.stdout, piped.stderr) == ("100.00\n", "")


def test_metrics(capsys):
    code, out, _ = run(capsys, "metrics")
    assert code == 0
    for title in ("BLEU-n", "BLEU-SBP", "BLEUi-n", "NIST-n", "NISTi-n"):
        assert f"\n{title} " in out
    _, out, _ = run(capsys, "metrics", "BLEU-4:smooth=none", "NIST-3")
    for part in ("BLEU-4:smooth=none\n", "smooth: ", "here none", "Papineni", "NIST-3\n", "Doddington", "log2"):
        assert part in out
    code, _, err = run(capsys, "metrics", "BLUE")
    assert code == 1
    assert "did you mean" in err


def test_golden_numbers_from_the_command_line(tmp_path, capsys):
    """The shared golden set as files: the numbers of mteval-v13a and of the strict-brevity script."""
    texts = json.loads(shared("golden", "testset.json").read_text("utf-8"))
    golden = json.loads(shared("golden", "mteval.json").read_text("utf-8"))
    for number, stream in enumerate(texts["refs_raw"], start=1):
        (tmp_path / f"ref{number}").write_text("\n".join(stream) + "\n", "utf-8")
    for system in ("sysA", "sysB"):
        (tmp_path / system).write_text("\n".join(texts[f"{system}_raw"]) + "\n", "utf-8")
    references = [tmp_path / f"ref{i}" for i in (1, 2, 3, 4)]
    systems = [tmp_path / "sysA", tmp_path / "sysB"]
    code, out, _ = run(capsys, "score", *references, "-i", *systems, "-m", "BLEU-4", "BLEU-SBP", "NIST-5", "-f", "json")
    assert code == 0
    found = {(one["system"], one["metric"]): round(one["score"], 8) for one in json.loads(out)["results"]}
    assert found == {
        (f"sys{letter}", metric): golden[entry.format(letter)][key]
        for letter in "AB"
        for metric, entry, key in (
            ("BLEU-4", "v13a_cs_{}", "BLEU_score"),
            ("BLEU-SBP", "v11b_sbp_cs_{}", "BLEU_score"),
            ("NIST-5", "v13a_cs_{}", "NIST_score"),
        )
    }
