"""What is wrong with n-best lists is one sentence, with file and line, whatever the chunks they are read in."""

import gzip
from unittest.mock import patch

import pytest

from tarocco.core.errors import InputError
from tarocco.io import lines
from tarocco.io.nbest.lists import read_nbest

# name: (the file, how it is read, what is said after the file's name)
WRONG = {
    "empty": ("", {}, ": the file is empty, n-best lists are wanted"),
    "only a byte order mark": (b"\xef\xbb\xbf", {}, ": the file is empty, n-best lists are wanted"),
    "only blank lines": ("\n \n\n", {}, ": the file is empty, n-best lists are wanted"),
    "order": ("5 ||| a\n3 ||| b\n", {}, ", line 2: lists come in the order of their ids, but 3 comes after 5"),
    "apart": ("0\ta\n1\tb\n0\tc\n", {}, ", line 3: lists come in the order of their ids, but 0 comes after 1"),
    "no number": ("0 ||| a\nx1 ||| b ||| c\n", {}, ', line 2: an id is a whole number, not "x1"'),
    "no number at first": ("x1 ||| a\n", {}, ', line 1: an id is a whole number, not "x1"'),
    "no id": ("||| a\n", {}, ', line 1: an id is a whole number, not ""'),
    "negative": ("-1 ||| a\n", {}, ', line 1: an id is a whole number, not "-1"'),
    "huge": (f"{10**18} ||| a\n", {}, f', line 1: an id is a whole number, not "{10**18}"'),
    "fraction": ("0\ta\n0.5\tb\n", {}, ', line 2: an id is a whole number, not "0.5"'),
    "header": ("id\ttext\n0\ta\n", {}, ', line 1: an id is a whole number, not "id"'),
    "too low": ("0 ||| a\n", {"first_id": 1}, ", line 1: ids count from 1 (--first-id 1), found 0"),
    "no references": (
        "0 ||| a\n59 ||| b\n60 ||| c\n",
        {"segments": 60},
        ", line 3: the list with the id 60 has no references: they have 60 segments, and ids count from 0 "
        "(--first-id 1 for lists that count from 1)",
    ),
    "no references, from one": (
        "1 ||| a\n3 ||| b\n",
        {"segments": 2, "first_id": 1},
        ", line 2: the list with the id 3 has no references: they have 2 segments, and ids count from 1",
    ),
    "no bars": ("0 ||| a\n0 || b\n", {}, ', line 2: id ||| text is wanted, found "0 || b"'),
    "long": ("0 ||| a\n" + "x" * 41, {}, f', line 2: id ||| text is wanted, found "{"x" * 40}..."'),
    "no tab": ("0\ta\n0 b\n", {}, ', line 2: id<TAB>text is wanted, found "0 b"'),
    "three columns": (
        "0\ta\tb\n",
        {},
        ", line 1: id<TAB>text is wanted, found 3 columns: it is not clear which of them is the text",
    ),
    "three columns later": (
        "0\ta\n0\t\tb\n",
        {},
        ", line 2: id<TAB>text is wanted, found 3 columns: it is not clear which of them is the text",
    ),
    "blank": ("0 ||| a\n\n \n1 ||| b\n", {}, ", line 2: this line is blank, but the lists go on behind it"),
    "blank at first": ("\r\n0\ta\n", {}, ", line 1: this line is blank, but the lists go on behind it"),
    "blank, tabs": ("0\ta\n\t\n1\tb\n", {}, ", line 2: this line is blank, but the lists go on behind it"),
    "undecodable": (
        b"0 ||| a\n0 ||| b\n1 ||| b\xe9d\n",
        {},
        ", line 3, byte 8: UTF-8 text is wanted, found the byte 0xe9",
    ),
    "undecodable features": (
        "0 ||| é ||| a\n1 ||| ".encode() + b"b ||| \xff\n",
        {},
        ", line 2, byte 13: UTF-8 text is wanted, found the byte 0xff",
    ),
    "plain text": (
        "the cat\nsat\n",
        {},
        ": lines with id ||| text or id<TAB>text, fairseq's output or JSON lines are wanted, found "
        '"the cat" (--num-candidates N is for files in which every N lines are a list)',
    ),
    "fairseq without text": (
        "H-1\t-0.5\ta\nH-1\t-0.5\n",
        {},
        ', line 2: H-id<TAB>score<TAB>text is wanted, found "H-1\t-0.5"',
    ),
    "fairseq without id": (
        "H-1\t-1\ta\nD-1\t-1\ta\nH-x\t-1\ta\n",
        {},
        ', line 3: H-id<TAB>text is wanted, found "H-x\t-1\ta"',
    ),
    "fairseq's source": ("S-1 a\nH-1\t-1\ta\n", {}, ', line 1: S-id<TAB>text is wanted, found "S-1 a"'),
    "fairseq without hypotheses": (
        "S-1\ta\n",
        {},
        ": there are no candidates in this file: no H-id or D-id line, no object",
    ),
    "fairseq apart": (
        "log\nH-4\t-1\ta\nH-2\t-1\ta\nH-4\t-1\tb\n",
        {},
        ", line 4: the list 4 began on line 2 and was over: the lines of a list stand together",
    ),
    "fairseq without references": (
        "H-4\t-1\ta\nH-2\t-1\ta\n",
        {"segments": 4},
        ", line 1: the list with the id 4 has no references: they have 4 segments, and ids count from 0 "
        "(--first-id 1 for lists that count from 1)",
    ),
    "no JSON": ('{"id": 0, "candidates": ["a"]}\n{"id": 1', {}, ", line 2: this is not JSON: Expecting"),
    "no object": ('{"id": 0, "candidates": ["a"]}\n[1]', {}, ", line 2: a JSON object is wanted, found [1]"),
    "no JSON id": ('{"candidates": ["a"]}', {}, ', line 1: "id" is a whole number from 0 on, not missing'),
    "JSON id": ('{"id": "0", "candidates": ["a"]}', {}, ', line 1: "id" is a whole number from 0 on, not "0"'),
    "true": ('{"id": true, "candidates": ["a"]}', {}, ', line 1: "id" is a whole number from 0 on, not true'),
    "no candidates": ('{"id": 0}', {}, ', line 1: "candidates" is a list of one or more, not missing'),
    "empty list": ('{"id": 0, "candidates": []}', {}, ', line 1: "candidates" is a list of one or more, not []'),
    "no text": (
        '{"id": 0, "candidates": ["a", {"txt": "b"}]}',
        {},
        ', line 1: a candidate is a text or {"text": a text}, not {"txt": "b"}',
    ),
    "JSON twice": (
        '{"id": 3, "candidates": ["a"]}\n{"id": 3, "candidates": ["b"]}\n',
        {},
        ", line 2: lists come in the order of their ids, but 3 comes after 3",
    ),
    "flat, short": (
        "a\nb\nc\nd\ne\n",
        {"num_candidates": 3},
        ", line 4: every 3 lines are a list, but the last one, which begins here, has 2",
    ),
    "flat, empty": ("", {"num_candidates": 3}, ": the file is empty, 3 candidates a segment are wanted, one a line"),
    "flat, with ids": (
        "0 ||| a\n",
        {"num_candidates": 1},
        ": --num-candidates is for files without ids, but the lists in this one have ids",
    ),
    "flat, more": (
        "a\nb\nc\nd\n",
        {"num_candidates": 2, "segments": 1},
        ", line 3: the list that begins here has no references: they have 1 segments, and every 2 lines are a list",
    ),
    "flat, fewer": (
        "a\nb\nc\nd\n",
        {"num_candidates": 2, "segments": 4},
        ": every 2 lines are a list, which makes 2 lists, but the references have 4 segments",
    ),
}


def said(path, **options):
    with pytest.raises(InputError) as caught:
        list(read_nbest(str(path), **options))
    return str(caught.value)


@pytest.mark.parametrize("chunk", [3, 1 << 20])
@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_explained(tmp_path, case, chunk):
    content, options, sentence = WRONG[case]
    path = tmp_path / "nbest.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with patch.object(lines, "CHUNK", chunk):
        message = said(path, **options)
    assert message.startswith(f"{path}{sentence}")
    assert "Expecting" in sentence or message == f"{path}{sentence}"


def test_no_candidates_at_all(tmp_path):
    assert (
        said(tmp_path / "a", num_candidates=0)
        == "a list has at least one candidate, so --num-candidates 0 reads nothing"
    )


def test_json_lines_are_not_flat(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 0, "candidates": ["a"]}')
    assert "--num-candidates is for files without ids" in said(path, num_candidates=1)


def test_the_whole_of_a_long_text_is_not_read_to_tell_its_form(tmp_path, monkeypatch):
    monkeypatch.setattr(lines, "CHUNK", 1 << 16)
    path = tmp_path / "a"
    path.write_bytes(b"a line of text\n" * 100_000 + b"\xff")
    assert "JSON lines are wanted" in said(path)


def test_files_that_cannot_be_read(tmp_path):
    assert said(tmp_path / "no") == f"{tmp_path / 'no'}: there is no such file"
    packed = gzip.compress(b"".join(b"%d ||| some text %d\n" % (i, i * i) for i in range(1000)))
    path = tmp_path / "a.gz"
    path.write_bytes(packed[: len(packed) // 2])
    assert said(path) == f"{path}: the file is cut off, its .gz data ends too early"
    path.write_bytes(packed[: len(packed) // 2] + b"\0" * 100 + packed[len(packed) // 2 + 100 :])
    assert said(path).startswith(f"{path}: this is not valid .gz data (")
    assert said(tmp_path, num_candidates=2) == f"{tmp_path}: this is a directory, a file is wanted"


FOLDERS = {
    "no number": (
        {"a1.txt": "a\n", "notes.txt": "b\n"},
        "/notes.txt: in a directory of lists, a file's name has the number",
    ),
    "twice": ({"1.txt": "a\n", "01.txt": "b\n"}, "/1.txt: the list with the id 1 is in "),
    "hidden": ({".0.txt": "a\n"}, ": the directory is empty, one file a segment is wanted"),
    "empty file": ({"0.txt": ""}, "/0.txt: the file is empty, one candidate a line is wanted"),
    "undecodable": ({"0.txt": "a\n\udcff\n"}, "/0.txt, line 2, byte 1: UTF-8 text is wanted, found the byte 0xff"),
    "no references": ({"0": "a\n", "2": "b\n"}, "/2: the list with the id 2 has no references: they have 2 segments"),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_wrong_directories_are_explained(tmp_path, case):
    files, sentence = FOLDERS[case]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    assert said(tmp_path, segments=2).startswith(f"{tmp_path}{sentence}")


def test_a_directory_within(tmp_path):
    (tmp_path / "0").mkdir()
    assert said(tmp_path) == f"{tmp_path / '0'}: this is a directory, a file is wanted"
