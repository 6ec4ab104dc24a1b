"""What is wrong with n-best lists is one sentence, with file and line, whatever the chunks they are read in."""

import gzip
from unittest.mock import patch

import pytest

from tarocco.core.errors import InputError
from tarocco.io import text as text_module
from tarocco.io.nbest.lists import NBestFile

# name: (the file, how it is read, what is said after the file's name)
WRONG = {
    "empty": ("", {}, ": expected n-best lists, found an empty file"),
    "only a byte order mark": (b"\xef\xbb\xbf", {}, ": expected n-best lists, found an empty file"),
    "only blank lines": ("\n \n\n", {}, ": expected n-best lists, found an empty file"),
    "order": ("5 ||| a\n3 ||| b\n", {}, ", line 2: expected lists in the order of their ids, found 3 after 5"),
    "apart": ("0\ta\n1\tb\n0\tc\n", {}, ", line 3: expected lists in the order of their ids, found 0 after 1"),
    "no number": ("0 ||| a\nx1 ||| b ||| c\n", {}, ', line 2: expected a whole number as id, found "x1"'),
    "no number at first": ("x1 ||| a\n", {}, ', line 1: expected a whole number as id, found "x1"'),
    "no id": ("||| a\n", {}, ', line 1: expected a whole number as id, found ""'),
    "negative": ("-1 ||| a\n", {}, ', line 1: expected a whole number as id, found "-1"'),
    "huge": (f"{10**18} ||| a\n", {}, f', line 1: expected a whole number as id, found "{10**18}"'),
    "fraction": ("0\ta\n0.5\tb\n", {}, ', line 2: expected a whole number as id, found "0.5"'),
    "header": ("id\ttext\n0\ta\n", {}, ', line 1: expected a whole number as id, found "id"'),
    "too low": ("0 ||| a\n", {"first_id": 1}, ", line 1: expected ids from 1 (--first-id), found 0"),
    "no references": (
        "0 ||| a\n59 ||| b\n60 ||| c\n",
        {"segments": 60},
        ", line 3: expected ids from 0 to 59, one per reference segment, found 60 (use --first-id 1 if "
        "ids count from 1)",
    ),
    "no references, from one": (
        "1 ||| a\n3 ||| b\n",
        {"segments": 2, "first_id": 1},
        ", line 2: expected ids from 1 to 2, one per reference segment, found 3",
    ),
    "no bars": ("0 ||| a\n0 || b\n", {}, ', line 2: expected id ||| text, found "0 || b"'),
    "long": ("0 ||| a\n" + "x" * 41, {}, f', line 2: expected id ||| text, found "{"x" * 40}..."'),
    "no tab": ("0\ta\n0 b\n", {}, ', line 2: expected id<TAB>text, found "0 b"'),
    "three columns": (
        "0\ta\tb\n",
        {},
        ", line 1: expected the two columns id<TAB>text, found 3 columns",
    ),
    "three columns later": (
        "0\ta\n0\t\tb\n",
        {},
        ", line 2: expected the two columns id<TAB>text, found 3 columns",
    ),
    "blank": ("0 ||| a\n\n \n1 ||| b\n", {}, ", line 2: expected a candidate, found a blank line inside the file"),
    "blank at first": ("\r\n0\ta\n", {}, ", line 1: expected a candidate, found a blank line inside the file"),
    "blank, tabs": ("0\ta\n\t\n1\tb\n", {}, ", line 2: expected a candidate, found a blank line inside the file"),
    "undecodable": (
        b"0 ||| a\n0 ||| b\n1 ||| b\xe9d\n",
        {},
        ", line 3, byte 8: expected UTF-8 text, found the byte 0xe9",
    ),
    "undecodable features": (
        "0 ||| é ||| a\n1 ||| ".encode() + b"b ||| \xff\n",
        {},
        ", line 2, byte 13: expected UTF-8 text, found the byte 0xff",
    ),
    "plain text": (
        "the cat\nsat\n",
        {},
        ': expected n-best lists (id ||| text, id<TAB>text, fairseq output or JSON lines), found "the '
        'cat" (use --num-candidates N if every N lines are a list)',
    ),
    "fairseq without text": (
        "H-1\t-0.5\ta\nH-1\t-0.5\n",
        {},
        ', line 2: expected H-id<TAB>score<TAB>text, found "H-1\t-0.5"',
    ),
    "fairseq without id": (
        "H-1\t-1\ta\nD-1\t-1\ta\nH-x\t-1\ta\n",
        {},
        ', line 3: expected H-id<TAB>text, found "H-x\t-1\ta"',
    ),
    "fairseq's source": ("S-1 a\nH-1\t-1\ta\n", {}, ', line 1: expected S-id<TAB>text, found "S-1 a"'),
    "fairseq without hypotheses": (
        "S-1\ta\n",
        {},
        ": expected candidates (H-id or D-id lines, or JSON objects), found none",
    ),
    "fairseq apart": (
        "log\nH-4\t-1\ta\nH-2\t-1\ta\nH-4\t-1\tb\n",
        {},
        ", line 4: expected the lines of a list together, found list 4 again, which began on line 2",
    ),
    "fairseq without references": (
        "H-4\t-1\ta\nH-2\t-1\ta\n",
        {"segments": 4},
        ", line 1: expected ids from 0 to 3, one per reference segment, found 4 (use --first-id 1 if ids count from 1)",
    ),
    "no JSON": (
        '{"id": 0, "candidates": ["a"]}\n{"id": 1',
        {},
        ", line 2: expected JSON (Expecting ',' delimiter: line 1 column 9 (char 8))",
    ),
    "no object": ('{"id": 0, "candidates": ["a"]}\n[1]', {}, ", line 2: expected a JSON object, found [1]"),
    "no JSON id": ('{"candidates": ["a"]}', {}, ', line 1: expected a whole number from 0 as "id", found none'),
    "JSON id": ('{"id": "0", "candidates": ["a"]}', {}, ', line 1: expected a whole number from 0 as "id", found "0"'),
    "true": ('{"id": true, "candidates": ["a"]}', {}, ', line 1: expected a whole number from 0 as "id", found true'),
    "no candidates": ('{"id": 0}', {}, ', line 1: expected a non-empty list as "candidates", found none'),
    "empty list": ('{"id": 0, "candidates": []}', {}, ', line 1: expected a non-empty list as "candidates", found []'),
    "no text": (
        '{"id": 0, "candidates": ["a", {"txt": "b"}]}',
        {},
        ', line 1: expected a string or {"text": ...} as candidate, found {"txt": "b"}',
    ),
    "JSON twice": (
        '{"id": 3, "candidates": ["a"]}\n{"id": 3, "candidates": ["b"]}\n',
        {},
        ", line 2: expected lists in the order of their ids, found 3 after 3",
    ),
    "flat, short": (
        "a\nb\nc\nd\ne\n",
        {"num_candidates": 3},
        ", line 4: expected 3 lines in the list that begins here, found 2",
    ),
    "flat, empty": (
        "",
        {"num_candidates": 3},
        ": expected 3 candidates per segment, one per line, found an empty file",
    ),
    "flat, with ids": (
        "0 ||| a\n",
        {"num_candidates": 1},
        ": expected lines without ids because of --num-candidates, found ids",
    ),
    "flat, more": (
        "a\nb\nc\nd\n",
        {"num_candidates": 2, "segments": 1},
        ", line 3: expected 1 lists of 2 lines, one per reference segment, found more",
    ),
    "flat, fewer": (
        "a\nb\nc\nd\n",
        {"num_candidates": 2, "segments": 4},
        ": expected 4 lists of 2 lines, one per reference segment, found 2",
    ),
}


def said(path, **options):
    with pytest.raises(InputError) as caught:
        list(NBestFile(str(path), **options))
    return str(caught.value)


@pytest.mark.parametrize("chunk", [3, 1 << 20])
@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_explained(tmp_path, case, chunk):
    content, options, sentence = WRONG[case]
    path = tmp_path / "nbest.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with patch.object(text_module, "CHUNK", chunk):
        message = said(path, **options)
    assert message.startswith(f"{path}{sentence}")
    assert "Expecting" in sentence or message == f"{path}{sentence}"


def test_no_candidates_at_all(tmp_path):
    assert (
        said(tmp_path / "a", num_candidates=0) == "--num-candidates: expected at least one candidate per list, found 0"
    )


def test_json_lines_are_not_flat(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 0, "candidates": ["a"]}')
    assert "expected lines without ids because of --num-candidates, found ids" in said(path, num_candidates=1)


def test_the_whole_of_a_long_text_is_not_read_to_tell_its_form(tmp_path, monkeypatch):
    monkeypatch.setattr(text_module, "CHUNK", 1 << 16)
    path = tmp_path / "a"
    path.write_bytes(b"a line of text\n" * 100_000 + b"\xff")
    assert "expected n-best lists" in said(path)


def test_files_that_cannot_be_read(tmp_path):
    assert said(tmp_path / "no") == f"{tmp_path / 'no'}: there is no such file"
    packed = gzip.compress(b"".join(b"%d ||| some text %d\n" % (i, i * i) for i in range(1000)))
    path = tmp_path / "a.gz"
    path.write_bytes(packed[: len(packed) // 2])
    assert said(path) == f"{path}: the file is truncated, its .gz data ends too early"
    path.write_bytes(packed[: len(packed) // 2] + b"\0" * 100 + packed[len(packed) // 2 + 100 :])
    assert said(path).startswith(f"{path}: expected .gz data, found something else (")
    assert said(tmp_path, num_candidates=2) == f"{tmp_path}: expected a file, found a directory"


FOLDERS = {
    "no number": (
        {"a1.txt": "a\n", "notes.txt": "b\n"},
        "/notes.txt: expected the number of a segment in the file's name, found none",
    ),
    "twice": ({"1.txt": "a\n", "01.txt": "b\n"}, "/1.txt: expected each id once, found 1 in "),
    "hidden": ({".0.txt": "a\n"}, ": expected one file per segment, found an empty directory"),
    "empty file": ({"0.txt": ""}, "/0.txt: expected one candidate per line, found an empty file"),
    "undecodable": ({"0.txt": "a\n\udcff\n"}, "/0.txt, line 2, byte 1: expected UTF-8 text, found the byte 0xff"),
    "no references": ({"0": "a\n", "2": "b\n"}, "/2: expected ids from 0 to 1, one per reference segment, found 2"),
}


@pytest.mark.parametrize("case", FOLDERS)
def test_wrong_directories_are_explained(tmp_path, case):
    files, sentence = FOLDERS[case]
    for name, content in files.items():
        (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    assert said(tmp_path, segments=2).startswith(f"{tmp_path}{sentence}")


def test_a_directory_within(tmp_path):
    (tmp_path / "0").mkdir()
    assert said(tmp_path) == f"{tmp_path / '0'}: expected a file, found a directory"
