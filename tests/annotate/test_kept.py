"""What analyzers say in a run: kept in its store, the same with any number of workers, shown on a terminal alone."""

import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest
from annotate.test_parses import ByThatRule
from conftest import ROOT
from test_cli import on_terminal, run

import tarocco
from tarocco.annotate import cache as module
from tarocco.annotate.analyzers import set_progress
from tarocco.annotate.cache import annotate_texts, clear_memory, collect_annotations, load_annotations, register
from tarocco.core import test_set as model
from tarocco.core.errors import InputError
from tarocco.store import Store
from tarocco.store.maintenance import summarize

METRICS = ["SP-Op-*", "SP-NISTp-3", "DP-HWCw-4", "CP-STM-4", "NE-Oe-**", "SR-Or-*", "BLEU-4"]
WORDS = ["the", "cat", "sat", "on", "a", "mat", "while", "John", "Smith", "saw", "two", "dogs"]
REFERENCES = [[" ".join(WORDS[i % 5 : 4 + i % 7]), " ".join(WORDS[i % 3 : 5 + i % 6])] for i in range(40)]
SYSTEMS = {
    "one": [" ".join(WORDS[i % 4 : 6 + i % 5]) for i in range(40)],
    "two": [" ".join(WORDS[i % 6 : 7 + i % 3]) for i in range(40)],
}


class Counting(ByThatRule):
    """An analyzer that can be asked what it was asked, and stopped."""

    def __init__(self, stop_after=None):
        self.asked, self.stop_after = [], stop_after

    def annotate(self, texts):
        if self.stop_after is not None and len(self.asked) >= self.stop_after:
            raise KeyboardInterrupt
        self.asked += texts
        return super().annotate(texts)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(model, "BLOCK", 8)
    monkeypatch.setattr(module, "_BATCH", 5)
    clear_memory()
    yield
    clear_memory()
    set_progress(None)


def scored(analyzer, **options):
    clear_memory()  # as in another process
    found = tarocco.score(SYSTEMS, REFERENCES, metrics=METRICS, analyzer=analyzer, **options)
    return [(one.system, one.signature, one.statistics.tobytes(), one.score) for one in found.scores]


def test_the_same_bytes_with_and_without_a_store(tmp_path):
    store = tmp_path / "scores.db"
    once = Counting()
    expected = scored(once, jobs=1)
    assert len(once.asked) == len(set(once.asked))  # each text once, though every metric wants it
    assert scored(Counting(), jobs=2) == expected
    first = Counting()
    assert scored(first, jobs=2, store=store) == expected
    assert first.asked == once.asked
    with Store(store) as opened:
        assert summarize(opened).annotations == len(once.asked)
        opened.connection.execute("DELETE FROM blocks")  # statistics are gone, what was analyzed is not
    for jobs in (1, 2):
        second = Counting()
        assert scored(second, jobs=jobs, store=store) == expected
        assert second.asked == []


def test_another_metric_of_the_same_texts(tmp_path):
    store = tmp_path / "scores.db"
    scored(Counting(), store=store)
    clear_memory()
    later = Counting()
    tarocco.score(SYSTEMS, REFERENCES, metrics="DP-Or-*", analyzer=later, store=store)
    assert later.asked == []


def test_a_run_that_was_stopped(tmp_path):
    """What was analyzed before is kept, and the rest is done when the run goes on."""
    store = tmp_path / "scores.db"
    everything = Counting()
    expected = scored(everything)
    stopped = Counting(stop_after=20)
    with pytest.raises(KeyboardInterrupt):
        scored(stopped, store=store)
    rest = Counting()
    assert scored(rest, store=store) == expected
    assert stopped.asked + rest.asked == everything.asked


def test_orange_keeps_it_too(tmp_path):
    lists, store = [own[:2] + SYSTEMS["one"][i : i + 3] for i, own in enumerate(REFERENCES[:20])], tmp_path / "s.db"
    results = []
    for kept in (None, store, store):
        clear_memory()
        analyzer = Counting()
        # Statistics of lists are kept as well: another rule asks for them anew, and for no analysis.
        options = {"against": "all"} if len(results) == 2 else {}
        found = tarocco.orange(lists, REFERENCES[:20], metrics=["SP-Op-*", "SP-NISTp-2"], analyzer=analyzer, store=kept)
        tarocco.orange(lists, REFERENCES[:20], metrics="SP-Oc-*", analyzer=analyzer, store=kept, **options)
        results.append(([found[name].orange for name in ("SP-Op-*", "SP-NISTp-2")], len(analyzer.asked)))
    assert results[0] == results[1]
    assert results[2] == (results[0][0], 0)
    assert results[0][1] > 0


def test_workers_elsewhere_are_told():
    """An object that this program made is in no other process: what it said goes there with the work."""
    expected = scored(Counting())
    with ThreadPoolExecutor(2) as threads:
        assert scored(Counting(), executor=threads) == expected
    with ProcessPoolExecutor(1, get_context("spawn")) as processes:
        assert scored(Counting(), executor=processes) == expected
        lists = [own[:2] + SYSTEMS["one"][i : i + 2] for i, own in enumerate(REFERENCES[:4])]
        ranks = [
            tarocco.orange(lists, REFERENCES[:4], metrics="SP-Op-*", analyzer=Counting(), executor=executor)["SP-Op-*"]
            for executor in (None, processes)
        ]
        assert ranks[0].orange == ranks[1].orange


def test_what_a_process_was_not_told():
    register("mine", Counting())
    _, version, sentences = collect_annotations(["a b"], "mine")
    load_annotations(module.Annotations("elsewhere", f"{version}-x", sentences))
    assert annotate_texts(["a b"], "elsewhere") == [sentences["a b"]]
    with pytest.raises(InputError, match="this process has neither the analyzer elsewhere nor its analyses of 1 texts"):
        annotate_texts(["a b", "c"], "elsewhere")


def test_a_program_may_look_on():
    seen = []

    class Bar:
        def __init__(self, total):
            seen.append(f"of {total}")

        def __enter__(self):
            return seen.append

        def __exit__(self, *_):
            seen.append("done")

    set_progress(Bar)
    scored(Counting())
    assert seen[0] == f"of {sum(one for one in seen if isinstance(one, int))}"
    assert seen[-1] == "done"
    assert sum(isinstance(one, str) for one in seen) == 2  # one bar for all texts, before anything is counted


IMPATIENT = f"""if True:
    import sys
    sys.path.insert(0, {str(ROOT / "tests")!r})
    from annotate.test_kept import Counting
    from tarocco.annotate.cache import register
    from tarocco.cli import main
    from tarocco.cli import terminal as progress
    register("rule", Counting())
    progress.PATIENCE = -1
    sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("command", ["score", "compare", "audit", "metrics"])
def test_progress_on_a_terminal_and_nowhere_else(tmp_path, command):
    text, other = tmp_path / "a.txt", tmp_path / "b.txt"
    text.write_text("".join(f"the cat {i}\n" for i in range(1200)))
    other.write_text("".join(f"a cat {i}\n" for i in range(1200)))
    python = (sys.executable, "-c", IMPATIENT)
    files = ("SP", "--seen", text, other) if command == "metrics" else (text, "-i", text, other, "-m", "SP-Op-*")
    arguments = (command, *files, "--analyzer", "rule")
    shown = on_terminal(*arguments, program=python)
    assert "texts/s" in shown
    assert "/2400" in shown
    assert "texts/s" not in on_terminal(*arguments, "-q", program=python)
    piped = subprocess.run([*python, *arguments], capture_output=True, text=True, check=True)
    assert piped.stderr == ""


def test_a_text_that_the_analyzer_refuses(capsys, tmp_path, monkeypatch, users_analyzer):
    from tarocco.annotate.analyzers import load_analyzer

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(load_analyzer("spacy").pipeline, "max_length", 30)
    (tmp_path / "a.txt").write_text("short\n" + "long " * 10 + "\n")
    (tmp_path / "b.txt").write_text("short\nshort\n")
    said = 'a segment has 49 characters, spaCy accepts up to 30: "long long long long long long long long ..."\n'
    assert run(capsys, "score", "b.txt", "-i", "a.txt", "-m", "SP-Op-*") == (1, "", f"tarocco: a, segment 2: {said}")
    assert run(capsys, "annotate", "b.txt", "a.txt", "-o", ".")[2] == f"tarocco: a.txt, line 2: {said}"


def test_a_sentence_of_a_thousand_words(capsys, tmp_path, monkeypatch, users_analyzer):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text(" ".join(["the old captain saw a dog and"] * 143) + "\n")
    code, out, err = run(capsys, "score", "a.txt", "-i", "a.txt", "-m", *METRICS[2:6], "SP-Op-*", "-b", "-q")
    assert (code, err) == (0, "")
    assert out.split() == ["1.0000", "1.0000", "-", "1.0000", "1.0000"]  # the captain and the dog have no names
