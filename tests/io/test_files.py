"""Reading files: every format, and every way in which a file can be wrong."""

import gzip
import lzma
import sys

import pytest

from tarocco.core.errors import InputError
from tarocco.core.test_set import Segments
from tarocco.io.test_set import read_test_set, system_name
from tarocco.io.text import read_lines, read_tab_separated

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = "erste Zeile\nzweite Zeile — é\n\nvierte\n"
LINES = ["erste Zeile", "zweite Zeile — é", "", "vierte"]


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write


@pytest.mark.parametrize(
    ("name", "pack"),
    [("a.txt", bytes), ("a.txt.gz", gzip.compress), ("a.xz", lzma.compress), ("a.zst", zstd.compress)],
)
def test_compressed_or_not(write, name, pack):
    assert list(read_lines(write(name, pack(TEXT.encode())))) == LINES


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\rb\nc", ["a\rb", "c"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n", ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
        ("\ufeffa\n", ["a"]),
        ("\n", [""]),
        ("\n\n", ["", ""]),
        ("a\n\n", ["a", ""]),
    ],
)
def test_only_a_newline_ends_a_line(write, content, lines):
    segments = read_lines(write("a", content))
    assert list(segments) == lines
    assert len(segments) == len(lines)


def test_segments_are_a_sequence():
    segments = Segments.from_strings(["a", "b\nc", "é"])
    assert list(segments) == ["a", "b\nc", "é"]
    assert segments[-1] == "é"
    assert segments[0:2] == ["a", "b\nc"]
    assert list(segments.rows(1, 3)) == ["b\nc", "é"]
    assert list(Segments.from_strings([])) == []
    with pytest.raises(IndexError):
        segments[3]


def test_large_files_are_checked_in_parts(write, monkeypatch):
    monkeypatch.setattr("tarocco.io.text._DECODED", 16)
    monkeypatch.setattr("tarocco.core.test_set._SCAN", 10)
    lines = [f"Zeile {i} mit é" * (i % 3) for i in range(50)]
    assert list(read_lines(write("a", "\n".join(lines) + "\n"))) == lines
    broken = "\n".join(lines).encode() + b"\nab\xff\n"
    with pytest.raises(InputError, match="line 51, byte 3: expected UTF-8 text, found the byte 0xff"):
        read_lines(write("b", broken))


def test_tab_separated(write):
    path = write("refs.tsv", "a\tb\tc\nd\ne\tf\n")
    assert [list(column) for column in read_tab_separated(path)] == [["a", "d", "e"], ["b", "", "f"], ["c", "", ""]]
    assert [list(column) for column in read_tab_separated(path, 2)] == [["a", "d", "e"], ["b\tc", "", "f"]]
    test_set = read_test_set([path], [write("sys", "a\nb\nc\n")])
    assert test_set.reference_count is None
    assert test_set.present.sum(axis=0).tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("out/sysA.txt.gz", "sysA"),
        ("online-A.0", "online-A.0"),
        ("sys.v2.txt", "sys.v2"),
        ("-", "stdin"),
        (".txt", ".txt"),
        ("newstest.xml", "newstest"),
    ],
)
def test_system_names(path, name):
    assert system_name(path) == name


SGML_REFERENCES = """<refset setid="demo" srclang="any" trglang="en">
<DOC docid="d1" sysid="r1"><p><hl>
<seg id="1"> the  cat &amp; the dog </seg>
<seg id=2>a &quot;second&quot; one</seg></hl></p>
</DOC>
<doc docid="d2" sysid="r1"><seg id="1">other
document</seg></doc>
<doc docid="d1" sysid="r2"><seg id="1">cat and dog</seg><seg id="2">another one</seg></doc>
<doc docid="d2" sysid="r2"><seg id="1">AT&T</seg></doc>
</refset>
"""
SGML_SYSTEM = """<tstset setid="demo" srclang="any" trglang="en" sysid="mine">
<doc docid="d2"><seg id="1">other document</seg></doc>
<doc docid="d1"><seg id="2">one</seg><seg id="1">cat</seg></doc>
</tstset>
"""


def test_nist_sgml(write):
    test_set = read_test_set(
        [write("ref.sgm", SGML_REFERENCES)], [write("sys.sgm.gz", gzip.compress(SGML_SYSTEM.encode()))]
    )
    assert [list(stream) for stream in test_set.references] == [
        ["the cat & the dog", 'a "second" one', "other document"],
        ["cat and dog", "another one", "AT&T"],
    ]
    assert {name: list(text) for name, text in test_set.systems.items()} == {"mine": ["cat", "one", "other document"]}
    assert test_set.documents == ("d1", "d1", "d2")


WMT = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="demo"><doc origlang="de" id="d1">
<src lang="de"><p><seg id="1">Katze</seg></p><p><seg id="2">Hund</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">cat</seg></p><p><seg id="2">d&lt;og</seg></p></ref>
<ref lang="en" translator="B"><p><seg id="1">a cat</seg></p></ref>
<hyp system="one" lang="en"><p><seg id="1">the cat</seg></p><p><seg id="2">the dog</seg></p></hyp>
<hyp system="two" lang="en"><p><seg id="1">cat</seg></p><p><seg id="2">dog</seg></p></hyp>
</doc></dataset>
"""


def test_wmt_xml(write):
    path = write("set.xml", WMT)
    test_set = read_test_set([path], [path])
    assert [list(stream) for stream in test_set.references] == [["cat", "d<og"], ["a cat", ""]]
    assert {name: list(text) for name, text in test_set.systems.items()} == {
        "one": ["the cat", "the dog"],
        "two": ["cat", "dog"],
    }
    assert test_set.present.sum(axis=0).tolist() == [2, 1]


GAPS = """<dataset id="demo"><doc id="d1">
<ref translator="A"><seg id="1">one apple</seg><seg id="3">three pears here</seg></ref>
<ref translator="B"><seg id="1">an apple</seg><seg id="2">two plums</seg><seg id="3">three pears</seg></ref>
</doc><doc id="d0">
<ref translator="B"><seg id="1">other</seg></ref>
</doc></dataset>
"""


def test_a_segment_that_only_some_references_have_keeps_its_place(write):
    test_set = read_test_set(
        [write("ref.xml", GAPS)], [write("plain", "one apple\ntwo plums\nthree pears here\nother\n")]
    )
    assert [list(stream) for stream in test_set.references] == [
        ["one apple", "", "three pears here", ""],
        ["an apple", "two plums", "three pears", "other"],
    ]
    assert test_set.documents == ("d1", "d1", "d1", "d0")


def test_the_source_gives_the_order(write):
    source = '<src><seg id="0">null</seg><seg id="1">eins</seg></src>'
    path = write("ref.xml", GAPS.replace('<doc id="d1">', f'<doc id="d1">{source}'))
    assert [list(stream)[:2] for stream in read_test_set([path], []).references] == [
        ["", "one apple"],
        ["", "an apple"],
    ]


def test_systems_of_the_same_name_in_two_files(write):
    first, second = write("x.xml", WMT), write("y.xml", WMT)
    names = list(read_test_set([first], [first, second]).systems)
    assert names == [f"{path}:{name}" for path in (first, second) for name in ("one", "two")]


def test_suffixes_say_what_a_file_is(write):
    assert len(read_test_set([write("refs.tsv.old", "a\tb\n")], []).references) == 1
    assert len(read_test_set([write("refs.TSV.gz", gzip.compress(b"a\tb\n"))], []).references) == 2
    sgml = SGML_REFERENCES.replace("another one", "the <dataset of it")
    assert list(read_test_set([write("ref.sgm", sgml)], []).references[1])[1] == "the <dataset of it"
    assert len(read_test_set([write("ref.xml", SGML_REFERENCES)], []).references) == 2


def test_marked_up_and_plain_files_mix(write):
    test_set = read_test_set([write("ref.sgm", SGML_REFERENCES)], [write("plain", "a\nb\nc\n")])
    assert list(test_set.systems["plain"]) == ["a", "b", "c"]


def two(write, reference="a\nb\n", system="a\nb\n", name="ref"):
    return [write(name, reference)], [write("sys", system)]


WRONG = {
    "unequal": (lambda write: two(write, "a\nb\nc\n"), "sys: expected 3 segments as in .*ref, found 2"),
    "undecodable": (
        lambda write: two(write, b"ok\nb\xe9d\n"),
        "ref, line 2, byte 2: expected UTF-8 text, found the byte 0xe9",
    ),
    "empty": (lambda write: two(write, ""), "ref: expected one segment per line, found an empty file"),
    "only a byte order mark": (
        lambda write: two(write, b"\xef\xbb\xbf"),
        "ref: expected one segment per line, found an empty file",
    ),
    "absent": (lambda write: (["no/such/file"], []), r"no/such/file: there is no such file"),
    "no references": (lambda write: ([], [write("sys", "a\n")]), "expected a reference file, found none"),
    "truncated gzip": (
        lambda write: two(write, gzip.compress(TEXT.encode() * 100)[:60], name="ref.gz"),
        r"ref\.gz: the file is truncated, its \.gz data ends too early",
    ),
    "not gzip": (
        lambda write: two(write, "plain text", name="ref.gz"),
        r"ref\.gz: expected \.gz data, found something else \(Not a gzipped file \(b'pl'\)\)",
    ),
    "truncated xz": (
        lambda write: two(write, lzma.compress(TEXT.encode() * 100)[:60], name="ref.xz"),
        r"ref\.xz: the file is truncated, its \.xz data ends too early",
    ),
    "not xz": (
        lambda write: two(write, "plain text", name="ref.xz"),
        r"ref\.xz: expected \.xz data, found something else \(Input format not supported by decoder\)",
    ),
    "truncated zst": (
        lambda write: two(write, zstd.compress(TEXT.encode() * 100)[:30], name="ref.zst"),
        r"ref\.zst: the file is truncated, its \.zst data ends too early",
    ),
    "not zst": (
        lambda write: two(write, "plain text", name="ref.zst"),
        r"ref\.zst: expected \.zst data, found something else \(Unable to decompress Zstandard data: "
        r"Unknown frame descriptor\)",
    ),
    "stdin twice": (lambda write: (["-"], ["-"]), r"expected standard input \(-\) at most once, found it twice"),
    "same file": (
        lambda write: ([write("ref", "a\n")], [write("x.txt", "a\n"), write("x.txt", "a\n")]),
        r'expected each system once, found ".*x\.txt" 2 times',
    ),
    "no name": (lambda write: ([""], []), "expected the name of a file, found an empty one"),
    "below a file": (
        lambda write: ([write("ref", "a\n") + "/x"], []),
        r"x: the file cannot be read \(Not a directory\)",
    ),
    "long name": (
        lambda write: (["x" * 300], []),
        r"x: the file cannot be read \(File name too long\)",
    ),
    "text called sgm": (
        lambda write: ([write("ref.sgm", "text\n")], []),
        r"ref\.sgm: expected <refset> or <tstset> with <seg>, or <dataset>, found no segments",
    ),
    "no system in sgml": (
        lambda write: ([write("ref.sgm", SGML_REFERENCES)], [write("sys.sgm", SGML_REFERENCES)]),
        r"sys\.sgm: expected system outputs, found none",
    ),
    "no reference in sgml": (
        lambda write: ([write("ref.sgm", SGML_SYSTEM)], []),
        r"ref\.sgm: expected references, found none",
    ),
    "seg not closed": (
        lambda write: ([write("ref.sgm", "<refset><doc docid='d'>\n<seg id='1'>a")], []),
        r"ref\.sgm, line 2: expected </seg> after this <seg>, found the end of the file",
    ),
    "seg in seg": (
        lambda write: ([write("ref.sgm", "<refset><doc>\n\n<seg>a<seg>b</seg></seg>")], []),
        r"ref\.sgm, line 3: expected </seg>, found another <seg>",
    ),
    "seg twice": (
        lambda write: ([write("ref.sgm", "<refset><doc docid='d'><seg id=1>a</seg><seg id=1>b</seg>")], []),
        r'ref\.sgm: expected each segment once, found segment 1 of document "d" twice for "reference"',
    ),
    "nothing in xml": (
        lambda write: ([write("ref.xml", "<other/>")], []),
        r"ref\.xml: expected <refset> or <tstset> with <seg>, or <dataset>, found no segments",
    ),
    "broken xml": (
        lambda write: ([write("ref.xml", "<dataset>\n<doc></dataset>")], []),
        r"ref\.xml, line 2: expected XML \(mismatched tag\)",
    ),
    "entities": (
        lambda write: ([write("ref.xml", '<!DOCTYPE d [<!ENTITY a "b">]>\n<dataset>&a;</dataset>')], []),
        r"ref\.xml, line 1: document type definitions and entities are not supported",
    ),
    "a system lacks a segment": (
        lambda write: ([write("ref.xml", WMT)], [write("sys.xml", WMT.replace('<seg id="2">dog</seg>', ""))]),
        r'sys\.xml: "two" has no segment 2 of document "d1"',
    ),
    "other segments": (
        lambda write: (
            [write("ref.sgm", SGML_REFERENCES)],
            [write("sys.sgm", SGML_SYSTEM.replace('<seg id="1">cat</seg>', ""))],
        ),
        r'sys\.sgm: expected the segments of .*ref\.sgm, found no segment 1 of document "d1" in "mine" '
        r"\(1 missing in all\)",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_files_are_explained(write, case):
    make, message = WRONG[case]
    with pytest.raises(InputError, match=message):
        read_test_set(*make(write))


def test_files_of_the_same_name_are_called_by_their_paths(tmp_path, write):
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(write(f"{folder}/out.txt", "a\n"))
    assert list(read_test_set([write("ref", "a\n")], paths).systems) == paths


def test_a_directory_is_no_file(tmp_path):
    with pytest.raises(InputError, match="test_a_directory_is_no_file0: expected a file, found a directory"):
        read_lines(str(tmp_path))


def test_document_labels_must_fit(write):
    references, systems = two(write)
    with pytest.raises(InputError, match=r"labels: expected 2 labels, one per segment of .*ref, found 1"):
        read_test_set(references, systems, write("labels", "x\n"))
