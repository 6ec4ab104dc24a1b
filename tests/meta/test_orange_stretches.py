"""A file that is judged in stretches: the same result, the same errors and the same store as read in one go."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco.core.errors import InputError
from tarocco.io.nbest import byte_ranges as stretches
from tarocco.io.nbest.lists import ByteRangeLists, NBestFile
from tarocco.meta.orange import ranking as block
from tarocco.store import Store
from tarocco.store.maintenance import list_series, problems

METRICS = ["BLEUS-4", "NIST-5", "WER", "ROUGE-L"]
N = 40


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(stretches, "MIN_SIZE", 300)
    monkeypatch.setattr(stretches, "MAX_SIZE", 300)


@pytest.fixture
def whole(monkeypatch):
    """Calls something while nothing is cut."""

    def call(function):
        with monkeypatch.context() as patched:
            patched.setattr(NBestFile, "cut", lambda self: None)
            return function()

    return call


@pytest.fixture(scope="module")
def texts():
    generator = np.random.default_rng(3)
    lists = [[" ".join(generator.choice(list("abcdef"), 7)) for _ in range(13)] for _ in range(N)]
    return [own[3:] for own in lists], [own[:3] for own in lists]


@pytest.fixture
def path(texts, tmp_path):
    lists = [own[: 6 + s % 5] for s, own in enumerate(texts[0])]
    lists[17][2] = " "
    lists[18][0] = texts[1][18][1]  # a copy of a reference
    lines = [f"{s} ||| {text} ||| LM: -1\n" for s, own in enumerate(lists) for text in own]
    (tmp_path / "nbest.txt").write_text("".join(lines))
    return tmp_path / "nbest.txt"


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"curve": True, "short": "keep"},
        {"unique": True, "drop_copies": True, "n_best": 6},
        {"against": "all", "oracle": "combined", "ties": "worst"},
        {"combine": [("WER", "ROUGE-L")], "confusions": 3, "short": "keep"},
        {"pool": [str(s // 2) for s in range(N)], "short": "keep"},
    ],
)
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_same_result(texts, path, whole, options, jobs):
    def run():
        return tarocco.orange(path, texts[1], metrics=METRICS, jobs=jobs, **options)

    assert len(list(NBestFile(str(path)).cut())) > 15
    expected = whole(run)
    assert run().to_dict() == expected.to_dict()
    assert run().notes == expected.notes
    assert run().confusions == expected.confusions


def test_notes_speak_of_lines_of_the_file(texts, path):
    """The blank candidate is the third of list 17, far from the beginning of its stretch's file."""
    found = tarocco.orange(path, texts[1], metrics=["WER"])
    line = 1 + next(n for n, text in enumerate(path.read_text().splitlines()) if text.startswith("17 |||   |||"))
    assert any(note.startswith(f"{path}, line {line}: the candidate is empty") for note in found.notes)
    assert any(note.startswith(f"{path}, line 1: this list has 6 candidates") for note in found.notes)


@given(data=st.data())
def test_the_same_errors(tmp_path_factory, data):
    """Lines that are blank, broken, out of order or of no segment: the first one is told, with its line."""
    path = tmp_path_factory.mktemp("wrong") / "nbest"
    lines = [f"{s} ||| a b{' c' * (k % 3)}" for s in range(N) for k in range(5)]
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(lines) - 1))
        what = data.draw(
            st.sampled_from(["", "nothing", "x ||| a", "3 ||| a", "39 ||| a", "77 ||| a", "38 ||| \udcff"])
        )
        lines[at : at + data.draw(st.integers(0, 1))] = [what]
    path.write_bytes("".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape"))
    references = [["a b", "b c"]] * N

    def told():
        try:
            return tarocco.orange(path, references, metrics=["WER"], jobs=2).to_dict()
        except InputError as error:
            return str(error)

    found = told()
    cut = NBestFile.cut
    try:
        NBestFile.cut = lambda self: None
        assert found == told()
    finally:
        NBestFile.cut = cut


def test_the_store(texts, path, tmp_path, monkeypatch):
    """What is stored is not computed again; a list that changed is, with its neighbors, and so is a reference."""
    scored = []
    original = block.score_batch
    monkeypatch.setattr(
        block, "score_batch", lambda metrics, *rest: scored.extend(map(str, metrics)) or original(metrics, *rest)
    )
    options = {"metrics": METRICS, "store": tmp_path / "store", "short": "keep"}
    first = tarocco.orange(path, texts[1], **options)
    n_stretches = len(list(NBestFile(str(path)).cut()))
    assert len(scored) == len(METRICS) * n_stretches
    scored.clear()
    again = tarocco.orange(path, texts[1], **options)
    assert scored == []
    assert again.to_dict() == first.to_dict()
    assert f"{N} lists read from the store" in again.notes
    tarocco.orange(path, texts[1], **(options | {"metrics": [*METRICS, "PER"]}))
    assert scored == ["PER"] * n_stretches
    scored.clear()
    path.write_text(path.read_text().replace("20 |||", "20 ||| changed", 1))
    changed = tarocco.orange(path, texts[1], **options)
    assert 1 <= scored.count("WER") <= 2 * 3  # cuts may move until they meet those from before
    assert changed.to_dict() == tarocco.orange(path, texts[1], metrics=METRICS, short="keep").to_dict()
    scored.clear()
    references = [["f f f f", *own[1:]] if s == 5 else own for s, own in enumerate(texts[1])]
    changed = tarocco.orange(path, references, **options)
    assert scored.count("NIST-5") == len(list(NBestFile(str(path)).cut()))
    assert scored.count("WER") == 1
    with Store(tmp_path / "store") as store:
        assert problems(store) == []
        assert {entry.done for entry in list_series(store)} == {N}


def test_another_selection_is_another_key(texts, path, tmp_path):
    """Bytes are the same, but not what takes part."""
    for options in ({}, {"n_best": 3}, {"unique": True}, {"drop_copies": True}, {"curve": 2}, {"first_id": 0}):
        given = {"metrics": METRICS, "short": "keep"} | options
        kept = tarocco.orange(path, texts[1], **given, store=tmp_path / "store")
        assert kept.to_dict() == tarocco.orange(path, texts[1], **given).to_dict()


class Together(ThreadPoolExecutor):
    """As a cluster does it: what items have in common is there once, and several of them are sent together."""

    together = 1

    def submit_many(self, function, items):
        return self.submit(lambda: [function(item) for item in items])


@pytest.mark.parametrize("some_have_it", [False, True])
def test_workers_that_do_not_have_the_file(texts, path, whole, monkeypatch, some_have_it):
    """All stretches are sent; where the first to be asked has the file, after those that were on their way."""
    here, sent, missed = threading.get_ident(), [], []
    is_here = stretches.ByteRange.is_here.fget

    def elsewhere(self):
        if threading.get_ident() == here or (some_have_it and not missed and not self.start):
            missed.append(self.start)
            return is_here(self)
        (missed if self.data is None else sent).append(self.start)
        return self.data is not None

    expected = whole(lambda: tarocco.orange(path, texts[1], metrics=METRICS, short="keep"))
    monkeypatch.setattr(stretches.ByteRange, "is_here", property(elsewhere))
    with Together(2) as pool:
        found = tarocco.orange(path, texts[1], metrics=METRICS, short="keep", executor=pool)
    assert found.to_dict() == expected.to_dict()
    assert 1 <= len(missed) <= (7 if some_have_it else 1)
    assert sorted(sent) == [one.start for one in NBestFile(str(path)).cut()]


def test_an_executor_that_sends_everything_with_every_item_gets_blocks(texts, path, monkeypatch):
    """Else every stretch would come with all references."""
    monkeypatch.setattr(NBestFile, "cut", lambda self: 1 / 0)
    with ThreadPoolExecutor(2) as pool:
        tarocco.orange(path, texts[1], metrics=["WER"], executor=pool)


def test_a_file_that_grows_keeps_its_cuts(texts, path, tmp_path, monkeypatch):
    """Up to twice its size."""
    monkeypatch.setattr(stretches, "MIN_SIZE", 10)
    monkeypatch.setattr(stretches, "MAX_SIZE", 10**6)
    before = list(NBestFile(str(path)).cut())
    with path.open("a") as file:
        file.write(f"{N} ||| more\n" * 20)
    after = list(NBestFile(str(path)).cut())
    assert [(one.start, one.stop) for one in after[: len(before) - 1]] == [(one.start, one.stop) for one in before[:-1]]


@pytest.mark.parametrize("kept", [False, True])
def test_a_file_that_changes_meanwhile(texts, path, tmp_path, monkeypatch, kept):
    """Nothing is made of two versions of a file."""
    read = ByteRangeLists.__iter__

    def changed(self):
        if self.byte_range.start:
            path.write_bytes(path.read_bytes() + b"\n")
        return read(self)

    monkeypatch.setattr(ByteRangeLists, "__iter__", changed)
    with pytest.raises(InputError, match=r"nbest.txt: the file changed while it was read"):
        tarocco.orange(path, texts[1], metrics=["WER"], jobs=1, store=tmp_path / "store" if kept else None)
