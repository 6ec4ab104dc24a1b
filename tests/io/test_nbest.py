"""N-best lists: every form against a slow twin, in chunks of any size, from files of every kind."""

import gzip
import io
import json
import lzma
import sys
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from textbook import nbest_files

from tarocco import datasets
from tarocco.core.test_set import Segments
from tarocco.io import text as text_module
from tarocco.io.nbest.lists import NBestFile, NBestList

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("nbest")


def found(path, chunk=1 << 20, **options):
    """{segment: [(place, text), ...]} as the reader has it; places are lines."""
    with patch.object(text_module, "CHUNK", chunk):
        lists = list(NBestFile(str(path), **options))
    places = {}
    for one in lists:
        assert one.segment not in places
        assert one.candidates.starts[0] == 0
        assert one.candidates.starts[-1] == len(one.candidates.text)
        assert one.where(0) == f"{one.path}, line {one.line}"
        numbers = [int(one.where(i).removeprefix(f"{path}, line ")) for i in range(len(one.candidates))]
        places[one.segment] = list(zip(numbers, one.candidates, strict=True))
    return places


CHUNKS = st.one_of(st.integers(1, 40), st.just(1 << 20))
TRICKY = st.sampled_from(["|", "||", "|||", "||||", *" \t\r\x0b\x1c\x85\u2028\0é{7"])
TEXT = st.lists(st.one_of(TRICKY, st.characters(exclude_categories=["Cs"], exclude_characters="\n")), max_size=6)
TEXTS = st.lists(TEXT.map("".join), min_size=1, max_size=5)
LISTS = st.dictionaries(st.integers(0, 30), TEXTS, min_size=1, max_size=6)
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def files(draw, line, lists=LISTS, in_order=True, blank_end=True):
    """The bytes of a file whose lines are `line(draw, id, text)`."""
    chosen = draw(lists)
    written = []
    for which in sorted(chosen) if in_order else chosen:
        written += [line(draw, which, text) for text in chosen[which]]
    content = "".join(one + draw(ENDS) for one in written)
    if draw(st.booleans()):
        content = content.removesuffix("\n")
    elif blank_end:
        content += draw(st.sampled_from(["", "", "\n", " \n\r\n", "\n\n\t"]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + content.encode()


def with_bars(draw, which, text):
    before, between = draw(st.sampled_from(["", " ", "\t", "  "])), draw(st.sampled_from(["", " ", " \t"]))
    rest = draw(st.sampled_from(["", " ||| ", " ||| lm= -1 ||| -2.5", "|||", " ||| x=|||"]))
    return f"{before}{which:0{draw(st.integers(1, 3))}}{between}|||{between}{text}{between}{rest}"


@given(content=files(with_bars), chunk=CHUNKS)
@example(content=b"0 ||| a ||| f ||| 1\n0 ||| b\n7||| c\r\n", chunk=1)
@example(content=b"0 ||| |", chunk=3)
@example(content=b"0 ||| ||", chunk=3)
@example(content=b"0\t|||a\tb", chunk=3)
def test_bars(folder, content, chunk):
    path = folder / "nbest.txt"
    path.write_bytes(content)
    assert found(path, chunk) == nbest_files.bars(content)


def with_tab(draw, which, text):
    text = text.replace("\t", "")
    return f"{which}\t{'a' if text.strip().startswith('|||') else ''}{text}"  # a tab may stand before bars


@given(content=files(with_tab), chunk=CHUNKS)
@example(content=b"0\ta ||| b\n0\t\n12\tc", chunk=4)
def test_tabs(folder, content, chunk):
    path = folder / "nbest"
    path.write_bytes(content)
    assert found(path, chunk) == nbest_files.tabs(content)


@st.composite
def fairseq_files(draw):
    written = draw(st.lists(st.sampled_from(["2024 | INFO | loading", "", "HD-1", "S\ttest", "A-1\tx"]), max_size=3))
    with_text = draw(st.booleans())
    order = draw(st.permutations(list(draw(LISTS).items())))
    for which, texts in order:
        written += [f"S-{which}\tquelle", f"T-{which}\t"][: draw(st.integers(0, 2))]
        for text in texts:
            written.append(f"H-{which}\t-0.5\t{text}@@")
            written += [f"D-{which}\t-0.5\t{text}"] if with_text else []
            written += [f"P-{which}\t-0.1 -0.2"] if draw(st.booleans()) else []
    written += draw(st.sampled_from([[], ["Generate test with beam=5: BLEU4 = 20.0"], [""]]))
    return "".join(one + draw(ENDS) for one in written).encode()


@given(content=fairseq_files(), chunk=CHUNKS)
@example(content=b"H-3\t-1\ta", chunk=2)
def test_fairseq(folder, content, chunk):
    path = folder / "generate-test.txt"
    path.write_bytes(content)
    assert found(path, chunk) == nbest_files.fairseq(content)
    assert list(found(path, chunk)) == list(nbest_files.fairseq(content))  # in the order of the file


@given(lists=LISTS, ascii_only=st.booleans(), chunk=CHUNKS, name=st.sampled_from(["a.jsonl", "a.ndjson", "a.txt"]))
def test_json_lines(folder, lists, ascii_only, chunk, name):
    """An object a list; the candidates of a list stand where it stands."""
    records = [
        {"model": "m", "id": which, "candidates": [*texts, {"text": "".join(texts), "p": 1}, "two\nlines"]}
        for which, texts in sorted(lists.items())
    ]
    content = "\n".join(json.dumps(record, ensure_ascii=ascii_only) for record in records).encode()
    path = folder / name
    path.write_bytes(content)
    assert found(path, chunk) == nbest_files.json_lines(content)


@given(rows=st.lists(TEXT.map("".join), min_size=1, max_size=12), size=st.integers(1, 5), chunk=CHUNKS)
@example(rows=["", ""], size=2, chunk=1)
def test_flat(folder, rows, size, chunk):
    content = "".join(row + "\n" for row in (rows * size)).encode()
    path = folder / "samples.txt"
    path.write_bytes(b"x" + content)  # so that no first line looks like an id
    assert found(path, chunk, num_candidates=size) == nbest_files.flat(b"x" + content, size)
    assert len(found(path, chunk, num_candidates=size, segments=len(rows))) == len(rows)


MOSES = "0 ||| ein Haus ||| 1\n0 ||| das Haus — é ||| 2\n2 ||| \n"
EXPECTED = {0: [(1, "ein Haus"), (2, "das Haus — é")], 2: [(3, "")]}


@pytest.mark.parametrize(
    ("name", "pack"),
    [("a.txt", bytes), ("a.txt.gz", gzip.compress), ("a.xz", lzma.compress), ("a.zst", zstd.compress)],
)
@pytest.mark.parametrize("chunk", [1, 10, 1 << 20])
def test_compressed_or_not(tmp_path, name, pack, chunk):
    path = tmp_path / name
    path.write_bytes(pack(MOSES.encode()))
    assert found(path, chunk) == EXPECTED


def test_compressed_json_lines_by_their_name(tmp_path):
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(b'\n {"id": 4, "candidates": ["a"]}\n\n{"id": 5, "candidates": [""]}\n\n'))
    assert found(path) == {4: [(2, "a")], 5: [(4, "")]}


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(MOSES.encode())))
    first, second = NBestFile("-", segments=3)
    assert [first.segment, second.segment] == [0, 2]
    assert list(first.candidates) == ["ein Haus", "das Haus — é"]
    assert first.where(1) == "standard input, line 2"


def test_lists_that_count_from_one(tmp_path):
    path = tmp_path / "a"
    path.write_text("1 ||| a\n3 ||| b\n")
    assert found(path, first_id=1, segments=3) == {0: [(1, "a")], 2: [(2, "b")]}


def test_a_directory(tmp_path):
    """The last number of a name is the id, and 10 comes after 9."""
    for name, content in {
        "run2.seg10.txt": b"zehn\n",
        "run2.seg9.txt.gz": gzip.compress(b"neun\r\n\r\nnine"),
        "run2.seg011": b"\xef\xbb\xbfelf\n",
        ".hidden": b"\xff",
    }.items():
        (tmp_path / name).write_bytes(content)
    lists = list(NBestFile(str(tmp_path), first_id=1, segments=11))
    assert [(one.segment, list(one.candidates)) for one in lists] == [
        (8, ["neun", "", "nine"]),
        (9, ["zehn"]),
        (10, ["elf"]),
    ]
    assert lists[0].where(2) == f"{tmp_path / 'run2.seg9.txt.gz'}, line 3"


def test_lists_come_one_by_one(tmp_path, monkeypatch):
    """The first list is there before the last line is read: that one is wrong."""
    monkeypatch.setattr(text_module, "CHUNK", 8)
    path = tmp_path / "a"
    path.write_text("0 ||| a\n1 ||| b\n2 ||| c\nwrong\n")
    lists = iter(NBestFile(str(path)))
    assert list(next(lists).candidates) == ["a"]


def test_a_list_without_lines_counts_on():
    assert NBestList(0, Segments.from_strings(["a", "b"]), "x.txt", 7).where(1) == "x.txt, line 8"


def test_the_bundled_lists():
    path = Path(datasets.load().path) / "nbest.txt"
    assert found(path) == nbest_files.bars(path.read_bytes())


@pytest.mark.parametrize("name", ["tatoeba-enfr-nbest", "moses-fren-100best"])
def test_real_lists(shared, name):
    path = shared("data", name, "nbest.txt")
    assert found(path) == nbest_files.bars(path.read_bytes())
