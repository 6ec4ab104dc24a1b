"""A file cut into stretches: every byte is in one, every list in one, and nobody has read the file for it."""

import json
import os
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import InputError
from tarocco.io.nbest import byte_ranges
from tarocco.io.nbest.lists import ByteRangeLists, NBestFile

TEXTS = st.text(alphabet="ab ü|\u2028", max_size=8)
FORMS = {
    "bars": lambda which, text: f"{which} ||| {text} ||| LM: -1",
    "spaced": lambda which, text: f" {which:02} ||| {text}",
    "tight": lambda which, text: f"{which}||| {text}",
    "tabs": lambda which, text: f"{which}\t{text}",
}


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(byte_ranges, "MIN_SIZE", 20)
    monkeypatch.setattr(byte_ranges, "MAX_SIZE", 40)
    monkeypatch.setattr(byte_ranges, "_FIRST_READ", 3)
    monkeypatch.setattr(byte_ranges, "_FIRST_STEP", 7)


def told(one):
    lines = one.lines.tolist() if one.lines is not None else [one.line]
    return one.segment, list(one.candidates), lines


def cut_up(path):
    """Return the lists of all byte ranges, with lines as the file has them."""
    cut = NBestFile(str(path)).cut()
    found, line = [], 1
    for stretch in cut:
        reading = ByteRangeLists(cut, stretch, line)
        own = list(map(told, reading))
        if stretch.ids is not None:
            assert stretch.ids[0] == own[0][0]
            assert all(stretch.ids[0] <= which < stretch.ids[1] for which, *_ in own)
        found += own
        line += reading.lines
    return found


@given(
    st.lists(st.tuples(st.integers(1, 3), st.lists(TEXTS, min_size=1, max_size=12)), min_size=1, max_size=8),
    st.sampled_from([*FORMS, "json", "json with blanks", "mixed"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["", "\n", "\n\n \n"]),
)
def test_lists_by_their_stretches(tmp_path_factory, lists, form, newline, mark, tail):
    path = tmp_path_factory.mktemp("cut") / "nbest"
    which, lines = 0, []
    for more, texts in lists:
        which += more
        if form.startswith("json"):
            written = json.dumps({"id": which, "candidates": texts}, ensure_ascii=False)
            lines += [written] if form == "json" else [f" {written}", "", " "]
        else:
            forms = [FORMS[one] for one in (("bars", "spaced", "tight") if form == "mixed" else (form,))]
            lines += [forms[i % len(forms)](which, text) for i, text in enumerate(texts)]
    # What is behind the last newline is the end of the file, and no line.
    data = "\ufeff" * mark + newline.join([*lines, ""]).removesuffix("" if tail else newline) + tail
    path.write_bytes(data.encode())
    cut = list(NBestFile(str(path)).cut())
    assert b"".join(chunk for one in cut for chunk in one.chunks()) == path.read_bytes()
    assert [one.start for one in cut] == [0, *(one.stop for one in cut[:-1])]
    assert cut_up(path) == list(map(told, NBestFile(str(path))))


def test_a_file_of_many_lists_has_many_stretches(tmp_path):
    """Lists as long as a stretch or shorter: each stretch ends with the list in which its bytes are full."""
    path = tmp_path / "nbest"
    path.write_text("".join(f"{which} ||| {'a' * 10}\n" for which in range(100) for _ in range(2)))
    assert len(list(NBestFile(str(path)).cut())) > 20


def test_blank_lines_between_objects(tmp_path):
    path = tmp_path / "nbest.jsonl"
    path.write_text("".join(f' {{"id": {which}, "candidates": ["a"]}}\n\n' for which in range(100)))
    assert len(list(NBestFile(str(path)).cut())) > 20


def test_one_list_is_one_stretch_however_long(tmp_path):
    path = tmp_path / "nbest"
    path.write_text("7 ||| abc\n" * 1000)
    (one,) = NBestFile(str(path)).cut()
    assert (one.start, one.stop) == (0, 10_000)


def test_no_cut_beside_a_line_that_is_not_clear(tmp_path):
    """What is wrong with it is told by whoever reads the stretch."""
    path = tmp_path / "nbest"
    path.write_text("".join(f"{which} ||| text\n{'' if which % 2 else 'oops'}\n" for which in range(50)))
    data = path.read_bytes()
    for one in NBestFile(str(path)).cut():
        assert not one.start or data[one.start :].split(b" ", 1)[0].isdigit()


@pytest.mark.parametrize("name", ["nbest.gz", "nbest.xz", "nbest.zst"])
def test_what_is_not_cut(tmp_path, name):
    (tmp_path / name).write_bytes(b"whatever it is")
    assert NBestFile(str(tmp_path / name)).cut() is None
    assert NBestFile(str(tmp_path)).cut() is None
    assert NBestFile("-").cut() is None
    os.mkfifo(tmp_path / "pipe")
    assert NBestFile(str(tmp_path / "pipe")).cut() is None
    (tmp_path / "flat").write_text("a\nb\n")
    assert NBestFile(str(tmp_path / "flat"), num_candidates=1).cut() is None
    (tmp_path / "fairseq").write_text("S-1\ta\nH-1\t-1\tb\nH-0\t-1\tc\n")  # whose lists come in any order
    assert NBestFile(str(tmp_path / "fairseq")).cut() is None


def test_a_file_that_changes(tmp_path, monkeypatch):
    """A stretch of a file that is another one by now is nobody's."""
    path = tmp_path / "nbest"
    path.write_text("".join(f"{which} ||| text\n" for which in range(50)))
    first, second, *_ = NBestFile(str(path)).cut()
    assert second.is_here
    with monkeypatch.context() as patched:  # somebody else's file, which others can see
        patched.setattr(byte_ranges, "open", mock.Mock(side_effect=PermissionError), raising=False)
        assert not second.is_here
    path.write_text("".join(f"{which} ||| other\n" for which in range(50)))
    assert not second.is_here
    with pytest.raises(InputError, match="nbest: the file changed while it was read"):
        list(second.chunks())
    path.unlink()
    assert not first.is_here
    with pytest.raises(InputError, match="there is no such file"):
        first.with_data()


def test_a_stretch_without_a_list(tmp_path):
    """Blank lines before the first object: nobody says that the file has no lists."""
    path = tmp_path / "nbest.jsonl"
    path.write_text("\n" * 22 + '{"id": 3, "candidates": ["a"]}\n')
    assert len(list(NBestFile(str(path)).cut())) > 1
    assert cut_up(path) == [(3, ["a"], [23])]
