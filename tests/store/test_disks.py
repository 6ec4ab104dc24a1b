"""A disk without room and a directory that may not be written to: a sentence each, and what was there stays there."""

import contextlib
import os
import subprocess
import sys
import tempfile

import pytest
from conftest import ROOT
from store_trouble import mounted, without_privileges

from tarocco.cli import main
from tarocco.store import Store
from tarocco.store.maintenance import problems

DEMO = ROOT / "src" / "tarocco" / "data" / "demo"
REFERENCES = [str(DEMO / f"ref{i}.txt") for i in (1, 2, 3, 4)]
ORANGE = ["orange", str(DEMO / "nbest.txt"), "-r", *REFERENCES, "-m", "BLEUS-4", "WER", "ROUGE-L"]
TAROCCO = [sys.executable, "-m", "tarocco"]


@pytest.fixture
def full(tmp_path):
    """A file system with some hundred bytes left."""
    folder = tmp_path / "small"
    mounted(folder)
    try:
        with contextlib.suppress(OSError), (folder / "ballast").open("wb", buffering=0) as file:
            while file.write(bytes(4096)):
                pass
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def said(command):
    done = subprocess.run([*TAROCCO, *command], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_no_room_for_a_store(full):
    store = full / "s.db"
    assert said([*ORANGE, "--store", str(store), "-q"]) == (
        f"tarocco: {store}: the disk is full; earlier data is intact (database or disk is full)\n"
    )
    (full / "ballast").unlink()  # somebody makes room: the same command goes on
    subprocess.run([*TAROCCO, *ORANGE, "--store", str(store), "-q"], check=True, capture_output=True)
    with Store(store, readonly=True) as opened:
        assert problems(opened) == []


@pytest.mark.parametrize("name", ["errors.jsonl", "errors.html"])
def test_no_room_for_a_report(full, name):
    (full / name).write_bytes(b"")  # what was there before
    assert said([*ORANGE, "--errors", str(full / name), "-q"]) == (
        f"tarocco: {full / name}: the file could not be written (No space left on device)\n"
    )
    assert (full / name).read_bytes() == b""
    assert sorted(os.listdir(full)) == ["ballast", name]  # nothing half-written lies about


def test_no_room_for_the_output():
    done = subprocess.run(
        f"{sys.executable} -m tarocco {' '.join(ORANGE)} -q > /dev/full", shell=True, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (
        1,
        "tarocco: the output could not be written: No space left on device\n",
    )


def test_a_read_only_directory(capfd, tmp_path):
    main([*ORANGE, "--store", str(tmp_path / "s.db"), "--errors", str(tmp_path / "e.html"), "-q"])  # imports need root
    capfd.readouterr()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        for more, sentence in (
            (["--store", f"{folder}/s.db"], f"{folder}/s.db: cannot write to the directory {folder}"),
            (["--errors", f"{folder}/e.html"], f"{folder}/e.html: the directory {folder} is read-only"),
        ):
            assert without_privileges(lambda more=more: main([*ORANGE, *more])) == "1"
            assert capfd.readouterr() == ("", f"tarocco: {sentence}\n")
        assert os.listdir(folder) == []
