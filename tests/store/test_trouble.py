"""Whatever is wrong with a store's file is one sentence, and what was there stays."""

import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys

import numpy as np
import pytest
from store_trouble import mounted, without_privileges

from tarocco.cli import main
from tarocco.core.errors import StoreError
from tarocco.store import Store, database
from tarocco.store.maintenance import problems, summarize


@pytest.fixture
def stored(tmp_path):
    path = tmp_path / "s.db"
    with Store(path) as store:
        store.put([(f"key {i}".encode(), np.arange(300.0).reshape(100, 3) / 7) for i in range(20)])
    return path


def refused(path, **options):
    with pytest.raises(StoreError) as caught:
        Store(path, **options).close()
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence
    return sentence


def test_a_directory_or_nowhere(tmp_path):
    assert "found a directory" in refused(tmp_path)
    assert "there is no directory" in refused(tmp_path / "no" / "s.db")
    assert "there is no such store" in refused(tmp_path / "s.db", readonly=True)
    assert not (tmp_path / "s.db").exists()


def test_a_file_that_is_something_else(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("some words, quite a few of them, that are no database\n" * 50)
    before = path.read_bytes()
    assert "not a tarocco store" in refused(path)
    assert path.read_bytes() == before


def test_somebody_elses_database(tmp_path):
    path = tmp_path / "photos.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE photos (name)")
    connection.close()
    before = path.read_bytes()
    assert "not a tarocco store; it was not changed" in refused(path)
    assert path.read_bytes() == before


def test_a_store_of_a_newer_release(stored):
    connection = sqlite3.connect(stored)
    connection.execute(f"PRAGMA user_version = {database.SCHEMA + 1}")
    connection.close()
    before = stored.read_bytes()
    sentence = refused(stored)
    assert f"newer release (expected schema {database.SCHEMA} or lower, found {database.SCHEMA + 1})" in sentence
    assert stored.read_bytes() == before


def test_an_older_store_is_brought_up_to_date(stored, monkeypatch):
    added = ("ALTER TABLE series ADD COLUMN note TEXT", "CREATE TABLE more (x)")
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, added))
    monkeypatch.setattr(database, "SCHEMA", database.SCHEMA + 1)
    assert "older release" in refused(stored, readonly=True)
    with Store(stored) as store:
        assert store.connection.execute("SELECT count(*) FROM more").fetchone() == (0,)
        assert summarize(store).blocks == 20
    with Store(stored, readonly=True) as store:  # and once is enough
        assert problems(store) == []


def test_a_migration_that_fails_changes_nothing(stored, monkeypatch):
    broken = ("CREATE TABLE more (x)", "CREATE TABLE blocks (x)")
    monkeypatch.setattr(database, "MIGRATIONS", (*database.MIGRATIONS, broken))
    monkeypatch.setattr(database, "SCHEMA", database.SCHEMA + 1)
    assert "already exists" in refused(stored)
    monkeypatch.undo()
    with Store(stored) as store:
        assert summarize(store).blocks == 20
        assert store.connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'more'").fetchone() == (0,)


def test_a_store_that_was_never_finished_is_finished(tmp_path):
    path = tmp_path / "s.db"
    path.touch()
    with Store(path, readonly=True) as store:
        assert problems(store) == []


def test_damage_is_found(stored, capsys):
    data = bytearray(stored.read_bytes())
    at = data.index(np.arange(300.0)[100:103].__truediv__(7).tobytes())
    data[at] ^= 1
    stored.write_bytes(data)
    with Store(stored, readonly=True) as store:
        assert len(problems(store)) == 1
        with pytest.raises(StoreError, match="damaged"):
            store.get(f"key {i}".encode() for i in range(20))
    assert main(["store", "check", str(stored)]) == 1
    assert "the numbers do not match their checksum" in capsys.readouterr().out


def test_a_file_cut_short_is_one_sentence(stored, capsys):
    data = stored.read_bytes()
    stored.write_bytes(data[: len(data) // 2])
    assert main(["store", "check", str(stored)]) == 1
    captured = capsys.readouterr()
    assert "SQLite: " in captured.out or "the store is damaged" in captured.err


def test_a_block_of_the_wrong_size_is_one_sentence(stored, capsys):
    connection = sqlite3.connect(stored)
    connection.execute("UPDATE blocks SET kinds = 'dddd' WHERE id = 3")
    connection.commit()
    connection.close()
    with Store(stored) as store, pytest.raises(StoreError, match="damaged"):
        store.get([b"key 2"])
    assert main(["store", "check", str(stored)]) == 1
    assert "block 3: expected 100 rows of type dddd, found 2400 bytes" in capsys.readouterr().out


WRITE = """if True:
    import sys
    import numpy as np
    from tarocco.core.errors import StoreError
    from tarocco.store import Store
    try:
        with Store(sys.argv[1]) as store:
            for i in range(2000):
                store.put([(f"new {i}".encode(), np.random.default_rng(i).random((100, 8)))])
                print(i, flush=True)
    except StoreError as error:
        print(error, file=sys.stderr)
"""


def test_no_room_for_more(stored):
    """A limit on the size of files stands in for a disk that is full; what was stored before is still there."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    done = subprocess.run(
        [sys.executable, "-c", WRITE, stored], preexec_fn=limit, capture_output=True, text=True, check=True
    )
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"{stored}: ")
    assert "earlier data is intact" in done.stderr
    with Store(stored) as store:
        assert problems(store) == []
        written = len(done.stdout.split())
        assert 0 < written < 2000
        assert summarize(store).blocks == 20 + written


def test_a_full_disk(tmp_path):
    folder = tmp_path / "small"
    mounted(folder)
    try:
        done = subprocess.run(
            [sys.executable, "-c", WRITE, folder / "s.db"], capture_output=True, text=True, check=True
        )
        assert "s.db: the disk is full; earlier data is intact" in done.stderr
        assert done.stderr.count("\n") == 1
        with Store(folder / "s.db", readonly=True) as store:
            assert problems(store) == []
            assert summarize(store).blocks == len(done.stdout.split()) > 0
    finally:
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def reachable(tmp_path):
    """A folder that anybody can reach."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield folder


def test_what_may_not_be_written(reachable, stored):
    path = os.path.join(reachable, "s.db")
    shutil.copy(stored, path)
    os.chmod(path, 0o644)
    os.chmod(reachable, 0o555)
    try:
        new = os.path.join(reachable, "new.db")
        assert without_privileges(lambda: Store(new)) == f"StoreError: {new}: cannot write to the directory {reachable}"
        if os.geteuid() == 0:  # the file is root's
            assert (
                without_privileges(lambda: Store(path))
                == f"StoreError: {path}: cannot write to this store (permission denied)"
            )

        def look():
            with Store(path, readonly=True) as store:
                return f"{summarize(store).blocks} blocks, {problems(store)}"

        assert without_privileges(look) == "20 blocks, []"
        os.chmod(path, 0o000)
        assert without_privileges(look) == f"StoreError: {path}: cannot read this file (permission denied)"
    finally:
        os.chmod(reachable, 0o755)
