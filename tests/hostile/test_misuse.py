"""What is not a mistake in a file: no memory, broken pipes, plug-ins that end the program, outputs that are inputs."""

import argparse
import os
import subprocess
import sys
import threading

import pytest

import tarocco
from tarocco import datasets
from tarocco.annotate import cache
from tarocco.cli import command as command_module
from tarocco.cli import main
from tarocco.metrics import registry
from tarocco.render.tables import MAX_CELL, Table, latex, markdown, plain

DEMO = datasets.DATA / "demo"
SCORE = ["score", str(DEMO / "ref1.txt"), "-i", str(DEMO / "brief.txt")]


def attempt(run):
    return command_module.attempt(argparse.ArgumentParser, run, [], lambda _options: "stopped")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (MemoryError(), "tarocco: there is not enough memory; stopped\n"),
        (
            MemoryError("Unable to allocate 7 GiB"),
            "tarocco: there is not enough memory (Unable to allocate 7 GiB); stopped\n",
        ),
        (SystemExit(0), "tarocco: a plug-in or a library ended the command (sys.exit(0))\n"),
        (SystemExit("bye"), "tarocco: a plug-in or a library ended the command (sys.exit('bye'))\n"),
    ],
)
def test_one_sentence(error, sentence, capsys):
    def run(_options):
        raise error

    assert attempt(run) == 1
    assert capsys.readouterr().err == sentence


@pytest.mark.parametrize("closed", [False, True])
def test_a_broken_pipe_is_success_only_if_it_is_standard_output(closed):
    """`head` closes the pipe of standard output; a plug-in may write to another pipe."""
    code = "import sys\nfrom tarocco.cli import guard\n\ndef work(_):\n    raise BrokenPipeError(32, 'Broken pipe')\n"
    process = subprocess.Popen(
        [sys.executable, "-c", f"{code}\nsys.stdin.readline()\nsys.exit(guard(work, []))"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        if closed:
            process.stdout.close()
        process.stdin.write("\n")
        process.stdin.close()
        said = process.stderr.read()
        code = process.wait()
    assert (code, said) == ((0, "") if closed else (1, "tarocco: a pipe: Broken pipe\n"))


def test_a_plug_in_that_ends_the_program_when_it_is_imported(monkeypatch):
    class Entry:
        name, value, dist = "X", "x:X", None

        def load(self):
            sys.exit(0)

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry()])
    registry._installed.cache_clear()
    with pytest.warns(UserWarning, match=r'the metric "X" of x:X is left out: it calls sys\.exit\(0\)'):
        registry._installed()
    registry._installed.cache_clear()


@pytest.mark.parametrize("option", ["--figure", "--report"])
@pytest.mark.parametrize("named", ["i", "scores", "human", "experiment"])
def test_outputs_never_replace_inputs(tmp_path, capsys, option, named):
    """Whatever option names the input, and under whatever name; the suffix says what an output is, not an input."""
    file = tmp_path / "x.html"
    text = (DEMO / "brief.txt").read_text("utf-8")
    file.write_text(text, "utf-8")
    (tmp_path / "link.html").symlink_to(file)
    (tmp_path / "e.toml").write_text(f'references = ["{DEMO}/ref1.txt"]\nsystems = ["x.html"]\n')
    commands = {
        "i": ["score", str(DEMO / "ref1.txt"), "-i", str(file)],
        "scores": [*SCORE, "--scores", f"M={file}:score"],
        "human": ["correlate", *SCORE[1:], "--human", f"{file}:adequacy"],
        "experiment": ["score", str(tmp_path / "e.toml")],
    }
    assert main([*commands[named], option, str(tmp_path / "link.html")]) == 1
    assert "this file is an input and would be overwritten" in capsys.readouterr().err
    assert file.read_text("utf-8") == text


def test_names_of_a_megabyte():
    name = "a" + "x" * 1_000_000 + "z"
    table = Table(("system", "M"), ((name, "1"),))
    for text in (plain(table), markdown(table), latex(table)):
        assert len(text) < 10 * MAX_CELL
        assert "xxx...xxx" in text


def test_forking_while_another_thread_analyzes():
    """The lock of the cache of analyses is free in the child, whoever holds it here."""
    held, over = threading.Event(), threading.Event()

    def hold():
        with cache._lock:
            held.set()
            over.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:
        os._exit(0 if cache._lock.acquire(timeout=5) else 1)
    _, status = os.waitpid(child, 0)
    over.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 0


def test_explanations_as_arrow():
    metrics = ["BLEU-4", "chrF", "METEOR-exact", "TER", "GTM-1", "ROUGE-L"]
    result = tarocco.explain(["the cat sat", "a b"], [["the cat slept"], ["a c"]], metrics=metrics)
    table = result.to_arrow()
    assert table.num_rows == len(result.rows())
    assert str(table.schema.field("reference").type) == "int64"
    assert table.column("reference").null_count == sum(row["reference"] == "" for row in result.rows()) > 0


def test_without_docstrings():
    """PYTHONOPTIMIZE=2 removes docstrings and assertions."""
    code = """
import sys
from tarocco.cli import main
ref, brief = sys.argv[1:]
codes = [
    main(["score", ref, "-i", brief, "-m", "BLEU-4", "METEOR-exact", "TER", "-f", "json"]),
    main(["explain", ref, "-i", brief, "--segments", "2"]),
    main(["metrics", "BLEU-4"]),
    main(["help", "score"]),
]
assert False, "there are no assertions"
sys.exit(codes != [0, 0, 0, 0])
"""
    texts = [str(DEMO / "ref1.txt"), str(DEMO / "brief.txt")]
    done = subprocess.run([sys.executable, "-OO", "-B", "-c", code, *texts], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    figure = [sys.executable, "-OO", "-B", "-m", "tarocco", "score", texts[0], "-i", texts[1], "--figure", "/tmp/x.svg"]
    done = subprocess.run(figure, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("tarocco: figures and pages need docstrings")
