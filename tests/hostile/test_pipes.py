"""A pipe can be read once. Every input may be one, so commands never look at a file and then open it again."""

import gzip
import json
import os
import threading
from contextlib import suppress

import pytest

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.errors import InputError
from tarocco.io import files
from tarocco.io.files import open_input, read_bytes
from tarocco.io.graphs.formats import detect_kind
from tarocco.io.nbest.lists import NBestFile

DEMO = datasets.DATA / "demo"
N = 12  # segments
LATTICE = "((('the',-0.5,1),('a',-1,1),),(('cat',0,1),),)\n"
SLF = "VERSION=1.0\nN=2 L=1\nI=0\nI=1\nJ=0 S=0 E=1 W=the a=-1\n"
SYSTEMS = ("careful.txt", "brief.txt", "mirror.txt", "literal.txt")

# Every word that is a file of the folder becomes a pipe.
COMMANDS = """
score ref1.txt ref2.txt -i careful.txt brief.txt -m BLEU-4 TER --documents documents.txt -f json
score ref1.txt -i careful.txt --scores M=scores.jsonl -f json
score ref1.txt -i careful.txt --scores M=scores.tsv -f json
score ref1.txt -i careful.txt -m DP-Or-* --parses ref1=ref1.conllu careful=careful.conllu -f json
compare ref1.txt -i careful.txt brief.txt -m chrF --n-resamples 50 -f json
explain ref1.txt -i careful.txt -m BLEU-4 --segments 2
correlate ref1.txt -i careful.txt brief.txt mirror.txt literal.txt --human grades.tsv:adequacy -m chrF WER -f json
audit ref1.txt ref2.txt -i careful.txt brief.txt -m chrF -f json
check ref1.txt ref2.txt -i careful.txt brief.txt -f json
orange nbest.txt -r ref1.txt ref2.txt -m BLEUS-4 -f json
orange nbest.txt -r ref1.txt ref2.txt -m BLEUS-4 --scores M=candidates.jsonl -f json
queen ref1.txt ref2.txt ref3.txt -i careful.txt brief.txt -m ROUGE-L PER -f json
king ref1.txt ref2.txt ref3.txt -i careful.txt brief.txt -m ROUGE-L PER -f json
jack ref1.txt ref2.txt ref3.txt -i careful.txt brief.txt -m ROUGE-L PER -f json
references ref1.txt ref2.txt ref3.txt ref4.txt -i careful.txt brief.txt -m BLEU-4 --by king -f json
mbr nbest.txt -m chrF
mbr nbest.txt -m chrF --prune 0.5
mbr lists.jsonl -m chrF
mbr nbest.txt -m chrF --references-from lists.jsonl -r ref1.txt -f json
mbr lattices.plf
mbr lattice.slf
oracle nbest.txt -r ref1.txt -m chrF -f json
oracle lattices.plf -r ref1.txt -m GRR-2 -f json
rerank nbest.txt --weights weights.json
report data.json --json again.json
"""


CASES = [line.split() for line in COMMANDS.strip().splitlines()]


def first_segments(name):
    return "".join((DEMO / name).read_text("utf-8").splitlines(keepends=True)[:N])


def conllu(text):
    """An analysis in which each word depends on the one before it."""
    blocks = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        rows = [
            f"{i}\t{word}\t{word}\tX\tX\t_\t{i - 1}\t{'root' if i == 1 else 'dep'}\t_\t_"
            for i, word in enumerate(words, 1)
        ]
        blocks.append("\n".join([f"# segment = {number}", *rows, "", ""]))
    return "".join(blocks)


@pytest.fixture(scope="module")
def contents():
    texts = {
        name: first_segments(name)
        for name in (*SYSTEMS, "ref1.txt", "ref2.txt", "ref3.txt", "ref4.txt", "documents.txt")
    }
    nbest = [line for line in (DEMO / "nbest.txt").read_text("utf-8").splitlines() if int(line.split()[0]) < N]
    lists = [[line.split(" ||| ")[1] for line in nbest if int(line.split()[0]) == i][:10] for i in range(N)]
    grades = (DEMO / "grades.tsv").read_text("utf-8").splitlines()
    texts |= {
        "nbest.txt": "".join(f"{line}\n" for line in nbest),
        "lists.jsonl": "".join(
            json.dumps({"id": i, "candidates": texts}) + "\n" for i, texts in enumerate(lists) if texts
        ),
        "grades.tsv": "\n".join(row for i, row in enumerate(grades) if not i or int(row.split()[1]) <= N) + "\n",
        "scores.tsv": "segment\tsystem\tscore\n" + "".join(f"{i + 1}\tcareful\t{i / 7}\n" for i in range(N)),
        "scores.jsonl": "".join(
            json.dumps({"segment": i + 1, "system": "careful", "score": i / 7}) + "\n" for i in range(N)
        ),
        "candidates.jsonl": "".join(
            json.dumps({"id": i, "scores": [1 / (j + 1) for j in range(nbest_size(nbest, i))], "references": [2, 3]})
            + "\n"
            for i in range(N)
        ),
        "lattices.plf": LATTICE * N,
        "lattice.slf": SLF,
        "weights.json": json.dumps({"TM": 1, "D": 0.5, "E": 0.1, "WP": 0.2}),
        "ref1.conllu": conllu(texts["ref1.txt"]),
        "careful.conllu": conllu(texts["careful.txt"]),
    }
    from tarocco.render.page.payload import json_of, payload_of
    from tarocco.trials.findings import Findings

    texts["data.json"] = json_of(payload_of(Findings(name="x", command="", scores=tarocco.score(["a b"], [["a b"]]))))
    return {name: text.encode() for name, text in texts.items()}


def nbest_size(nbest, segment):
    return sum(int(line.split()[0]) == segment for line in nbest)


@pytest.fixture(scope="module")
def plain(contents, tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain")
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def pipes(contents, tmp_path):
    """A folder of pipes such as a shell's `<(command)`: what was read is gone, and no other writer comes."""
    threads, readers = [], []
    for name, data in contents.items():
        reader, writer = os.pipe()
        (tmp_path / name).symlink_to(f"/proc/self/fd/{reader}")
        readers.append(reader)
        threads.append(threading.Thread(target=feed, args=(writer, data)))
        threads[-1].start()
    yield tmp_path
    for reader in readers:
        os.close(reader)
    for thread in threads:
        thread.join()


def feed(writer, data):
    with suppress(BrokenPipeError), open(writer, "wb") as file:
        file.write(data)


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_a_pipe_is_as_good_as_a_file(case, plain, pipes, capsys, monkeypatch):
    said = []
    for folder in (plain, pipes):
        monkeypatch.chdir(folder)
        code = main([*case, *([] if case[0] == "report" else ["-q"])])
        said.append((code, *capsys.readouterr()))
    assert said[0] == said[1]
    assert said[0][0] == 0, said


def test_detection_loses_nothing(tmp_path):
    """Detection reads a megabyte at a time, of which nothing may be missing."""
    lines = [f"{i} ||| the cat number {i} sat on a mat" for i in range(60_000)]
    data = "\n".join(lines).encode()
    assert len(data) > 2 << 20
    for path, packed in ((tmp_path / "a.txt", data), (tmp_path / "a.gz", gzip.compress(data, 1))):
        os.mkfifo(path)
        thread = threading.Thread(target=path.write_bytes, args=(packed,))
        thread.start()
        assert detect_kind(str(path)) == "nbest"
        assert detect_kind(str(path)) == "nbest"
        assert sum(len(nbest.candidates) for nbest in NBestFile(str(path))) == len(lines)
        thread.join()
        assert (path.stat().st_dev, path.stat().st_ino) not in files._kept_pipes


def test_a_shell_pipe_is_opened_once():
    """`<(command)` has no second writer: without this error, the second reader would find it empty."""
    reader, writer = os.pipe()
    os.write(writer, b"a\nb\n")
    os.close(writer)
    path = f"/dev/fd/{reader}"
    with open_input(path, keep=True) as file:
        assert file.read(1) == b"a"
    assert read_bytes(path, keep=True) == read_bytes(path) == b"a\nb\n"
    with pytest.raises(InputError, match="a pipe can be read once, and this one was read already"):
        read_bytes(path)
    os.close(reader)
