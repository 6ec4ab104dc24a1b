"""Files that were made to do harm: each is read, or refused with one sentence, soon and in little memory."""

import gzip
import json
import lzma
import os
import sys
import time

import pytest
from fuzz.targets import TARGETS, Bench, seeds_of

import tarocco
from tarocco.core.errors import InputError, TaroccoError
from tarocco.io import files as reading
from tarocco.io.files import read_bytes
from tarocco.io.nbest.features import read_weights
from tarocco.io.nbest.lists import NBestFile
from tarocco.io.scores.external import ExternalFile, read_candidate_scores, read_external
from tarocco.io.scores.human import read_human
from tarocco.io.test_set import read_references, read_systems
from tarocco.io.text import read_blocks, read_lines, read_tab_separated

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SOON = 5.0  # seconds


@pytest.fixture
def soon():
    """The whole test takes no longer than anyone would wait."""
    begun = time.process_time()
    yield
    assert time.process_time() - begun < SOON


@pytest.fixture(scope="module")
def bench():
    with Bench() as made:
        yield made


# --- compressed ----------------------------------------------------------------------------------------------------

PACK = {
    ".gz": lambda data: gzip.compress(data, 1),
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zst": zstd.compress,
}


@pytest.mark.parametrize("suffix", PACK)
def test_a_bomb_is_not_unpacked(tmp_path, suffix, monkeypatch, soon):
    bomb = tmp_path / f"bomb.txt{suffix}"
    bomb.write_bytes(PACK[suffix](bytes(reading.ALWAYS_ALLOWED)) * 3)  # several members, each of which is small enough
    for read in (read_bytes, lambda path: list(read_blocks(path))):
        with pytest.raises(
            InputError, match=r"decompresses to more than 64 MiB and 200 times its size, .* TAROCCO_MAX_EXPANSION=0"
        ):
            read(str(bomb))
    assert len(read_bytes(str(bomb), 1000)) == 1000
    monkeypatch.setenv("TAROCCO_MAX_EXPANSION", "0")
    assert len(read_bytes(str(bomb))) == 3 * reading.ALWAYS_ALLOWED


def test_ordinary_text_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "ALWAYS_ALLOWED", 1000)
    text = "".join(f"segment {i} has words {i * i}\n" for i in range(20000)).encode()
    for suffix, pack in PACK.items():
        path = tmp_path / f"a{suffix}"
        path.write_bytes(pack(text))
        assert read_bytes(str(path)) == text


@pytest.mark.parametrize("written", ["many", "-1", "nan"])
def test_the_limit_is_a_number(tmp_path, monkeypatch, written):
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a\n"))
    monkeypatch.setenv("TAROCCO_MAX_EXPANSION", written)
    with pytest.raises(InputError, match="TAROCCO_MAX_EXPANSION: expected a number"):
        read_bytes(str(tmp_path / "a.gz"))


# --- markup --------------------------------------------------------------------------------------------------------

LAUGHS = "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10 if i else "ha"}">' for i in range(12))


@pytest.mark.parametrize(
    "head",
    [
        f"<!DOCTYPE d [{LAUGHS}]>",
        '<!DOCTYPE d SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE d [<!ENTITY x SYSTEM "/etc/passwd">]>',
    ],
)
def test_entities_and_document_types_are_refused(bench, head, soon):
    body = '<dataset><doc id="1"><ref><seg id="1">&a11;</seg></ref></doc></dataset>'
    said = bench.try_one("xml", f'<?xml version="1.0"?>{head}{body}'.encode())
    assert (
        said.endswith("line 1: document type definitions and entities are not supported")
        or "expected a reference file" in said
    )
    (tmp := bench.path("iq_scores"))
    with open(tmp, "w") as file:
        file.write(f'<?xml version="1.0"?>{head}<IQ metric="BLEU-4" ref="R0" target="S0" score="1"><S n="1">1</S></IQ>')
    with pytest.raises(InputError, match="document type definitions and entities are not supported"):
        TARGETS["iq_scores"].run(tmp)


def test_an_encoding_that_nobody_knows(tmp_path):
    path = tmp_path / "a.xml"
    for name in ("klingon", "utf-16", "utf-7", "rot13"):
        path.write_text(f'<?xml version="1.0" encoding="{name}"?><dataset><doc><ref><seg>a</seg></ref></doc></dataset>')
        assert list(read_references(str(path))[0].segments) == ["a"]


def test_tags_without_end(tmp_path, soon):
    path = tmp_path / "a.sgm"
    for text in ("<seg " * 200_000, f"<seg {'a' * 1_000_000}>x</seg>", '<doc a="' * 100_000, "<tstset>" * 100_000):
        path.write_text(text)
        with pytest.raises(InputError):
            read_references(str(path))


def test_segments_in_the_worst_order(tmp_path, soon):
    segments = "".join(f'<seg id="{i}">x</seg>' for i in range(40_000))
    turned = "".join(f'<seg id="{i}">x</seg>' for i in reversed(range(40_000, 80_000)))
    both = "".join(
        f'<tstset><doc docid="d" sysid="{i}">{one}</doc></tstset>' for i, one in enumerate((segments, turned))
    )
    (tmp_path / "a.sgm").write_text(both)
    with pytest.raises(InputError, match="has no segment"):
        read_systems(str(tmp_path / "a.sgm"))


# --- deep and long -------------------------------------------------------------------------------------------------

DEEP = 100_000
DEPTHS = {
    "trees": b"(S " * DEEP + b"(NN word)" + b")" * DEEP,
    "plf": b"(" * DEEP,
    "cdec": b'{"rules":' + b"[" * DEEP + b"]" * DEEP + b"}",
    "nbest_jsonl": b'{"id": 0, "candidates": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "human_jsonl": b'{"system": ' + b'{"a":' * DEEP + b"1" + b"}" * DEEP + b"}",
    "external_jsonl": b'{"id": 0, "scores": ' + b"[" * DEEP + b"]" * DEEP + b"}",
    "weights_json": b"[" * DEEP + b"]" * DEEP,
    "experiment": b"references = " + b"[" * DEEP + b"]" * DEEP,
    "xml": b"<dataset>" * DEEP + b"</dataset>" * DEEP,
    "sgml": b"<refset><doc>" * DEEP,
    "iq_scores": b"<IQ>" * DEEP,
    "metric_names": b":" * DEEP,
    "props": b"a b " + b"(A0*" * DEEP,
    "searchgraph": b"0 hyp=0 " + b"scores=[" * DEEP,
    "openfst": b"0 1 a a " + b"9" * DEEP + b"x",
    "nbest": b"0 ||| " + b"a b ||| " * DEEP,
}


@pytest.mark.parametrize("name", DEPTHS)
def test_a_hundred_thousand_brackets(bench, name, soon):
    bench.try_one(name, DEPTHS[name])


@pytest.mark.parametrize("key", ["human.a", "a.a", "external.x", "[a.a"])
def test_a_key_of_thousands_of_parts(bench, key, soon):
    said = bench.try_one("experiment", f"{key}{'.a' * 50_000} = 1".encode())
    assert said.endswith("line 1: expected a key with one or two parts, found 50002")


@pytest.mark.parametrize("depth", range(100, 1000, 60))
def test_values_that_can_hardly_be_read(bench, depth):
    """What parses at one depth of calls may be too deep for repr or json.dumps at another."""
    nested = "[" * depth + "]" * depth
    for name, text in {
        "weights_json": f'{{"a": {nested}}}',
        "experiment": f"seed = {nested}\nhuman.file = {nested}",
        "human_jsonl": f'{{"system": "a", "score": {nested}}}',
        "external_jsonl": f'{{"id": {nested}, "scores": {nested}}}',
        "nbest_jsonl": f'{{"id": 0, "candidates": [{{"text": "a", "score": {nested}, "features": {nested}}}]}}',
    }.items():
        bench.try_one(name, text.encode())


@pytest.mark.parametrize("piece", ["[", "[!", "*", "**/", "?"])
def test_a_pattern_of_thousands_of_brackets(bench, piece, soon):
    assert bench.try_one("experiment", f'references = "ref.tx{piece * 50_000}"'.encode())


LONG = 100_000_000


def test_a_line_of_a_hundred_megabytes(tmp_path, soon):
    path = tmp_path / "long.txt"
    path.write_bytes(b"word " * (LONG // 5) + b"\nshort\n")
    assert read_lines(str(path)).lengths.tolist() == [LONG, 5]
    path.write_bytes(b"0 ||| " + b"word " * (LONG // 5) + b"\n")
    (one,) = NBestFile(str(path))
    assert one.candidates.lengths.tolist() == [LONG - 1]
    path = path.with_suffix(".trees")
    path.write_bytes(b"(" * (LONG // 10))
    with pytest.raises(InputError, match="line 1: expected a tree of at most 4194304 characters"):
        tarocco.read_annotations(str(path))


# --- bytes that are no text ----------------------------------------------------------------------------------------

WRONG = {
    "nul": (b"\n", b"\0\n"),
    "nul everywhere": (b" ", b"\0"),
    "not utf-8": (b"a", b"\xe9"),
    "surrogates": (b"a", b"\xed\xa0\x80"),
    "escaped surrogates": (b"a", b"\\ud800"),
    "two bytes a character": (b"a", b"a\0"),
    "a mark in the middle": (b"a", b"\xef\xbb\xbfa"),
    "lines of another kind": (b"\n", b"\xe2\x80\xa8\r\x0b\x0c\xc2\x85\n"),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("name", TARGETS)
def test_bytes_that_are_no_text(bench, name, wrong):
    for data in seeds_of(name):
        bench.try_one(name, data.replace(*WRONG[wrong]))


def test_texts_with_nul_bytes_are_scored():
    assert tarocco.score(["a \0 b c d"], ["a \0 b c d"], metrics="BLEU-4").scores[0].score == 1


# --- numbers and counts --------------------------------------------------------------------------------------------


def test_ids_of_eighteen_digits_allocate_nothing(tmp_path, soon):
    path = tmp_path / "nbest.txt"
    path.write_text("999999999999999999 ||| a ||| w= 1 ||| 1\n")
    assert [one.segment for one in NBestFile(str(path))] == [10**18 - 1]
    result = tarocco.rerank(path, {"w": 1})
    with pytest.raises(InputError, match="nearly all lines would be empty"):
        result.lines()
    assert result.rows()[0]["segment"] == 10**18
    assert len(tarocco.mbr(path, metrics="WER").choices) == 1
    with pytest.raises(
        InputError,
        match=r"nbest\.txt, line 1: expected ids from 0 to 0, one per reference segment, found 999999999999999999 "
        r"\(use --first-id 1 if ids count from 1\)",
    ):
        tarocco.orange(path, [["a", "b"]])
    path.write_text("1000000000000000000 ||| a\n")
    with pytest.raises(InputError, match="expected a whole number as id"):
        list(NBestFile(str(path)))
    path = tmp_path / "nbest.jsonl"
    path.write_text('{"id": 1000000000000000000, "candidates": ["a"]}\n')
    with pytest.raises(InputError, match='expected a whole number from 0 as "id"'):
        list(NBestFile(str(path)))


HUGE = ("1e400", "-1e400", "Infinity", "NaN", "9" * 400, "9" * 5000)


@pytest.mark.parametrize("number", HUGE)
def test_numbers_that_are_none(tmp_path, number):
    scores, weights, nbest = (tmp_path / name for name in ("scores.jsonl", "weights.json", "nbest.jsonl"))
    scores.write_text(f'{{"id": 0, "scores": [{number}], "references": [1]}}\n')
    weights.write_text(f'{{"lm": {number}}}')
    nbest.write_text(f'{{"id": 0, "candidates": [{{"text": "a", "features": {{"w": {number}}}}}]}}\n')
    for work in (
        lambda: read_candidate_scores(ExternalFile("M", str(scores))),
        lambda: read_weights(str(weights)),
        lambda: tarocco.rerank(nbest, {"w": 1}),
    ):
        with pytest.raises(InputError):
            work()
    table = tmp_path / "human.tsv"
    table.write_text(f"system\tscore\na\t{number}\nb\t1\n")
    if number == "NaN":  # this is how tables say that there is none
        assert read_human(table).systems == ("b",)
    else:
        with pytest.raises(InputError, match="line 2: expected a number in column score"):
            read_human(table)


def test_tables_that_are_nearly_empty(tmp_path, soon):
    wide, sparse, judged = (tmp_path / name for name in ("wide.tsv", "sparse.jsonl", "judged.tsv"))
    wide.write_text("\t" * 300_000 + "\n" * 300_000)
    with pytest.raises(
        InputError,
        match="line 1: expected about as many references as on other lines, found 300001, which are empty for "
        "almost all of 300000 segments",
    ):
        read_tab_separated(str(wide))
    sparse.write_text("".join(json.dumps({f"k{i}": 1}) + "\n" for i in range(20_000)))
    with pytest.raises(InputError, match="almost all empty"):
        read_human(sparse)
    judged.write_text("system\tsegment\tscore\n" + "".join(f"{i}\t1000000\t1\n" for i in range(10_000)))
    with pytest.raises(InputError, match="found 10000 scores of 10000 systems and 1000000 segments"):
        read_human(judged)


def test_many_systems_and_columns(tmp_path, soon):
    n = 30_000
    table = tmp_path / "scores.tsv"
    table.write_text("system\tscore\n" + "".join(f"s{i}\t{i}\n" for i in range(n)))
    systems = [f"s{i}" for i in range(n)]
    assert len(read_human(table, systems=systems).systems) == n
    assert len(read_external(ExternalFile("M", str(table)), systems, 1).by_system) == n
    table.write_text("\t".join(["segment", *systems]) + "\n" + "\t".join(["1"] * (n + 1)) + "\n")
    assert len(read_human(table).systems) == n
    table.write_text("\t".join(["segment", "judge", *systems]) + "\n" + "\t".join(["1"] * (n + 2)) + "\n")
    with pytest.raises(
        InputError,
        match=r"scores\.tsv: expected at most 20000000 pairs of systems, found more in 1 rankings of up to "
        "30000 systems",
    ):
        read_human(table)
    texts = "".join(f'<tstset sysid="{name}"><doc><seg id="1">x</seg></doc></tstset>' for name in systems[:10_000])
    (tmp_path / "a.sgm").write_text(texts)
    assert len(read_systems(str(tmp_path / "a.sgm"))) == 10_000


# --- what is no file -----------------------------------------------------------------------------------------------


def test_devices_are_not_read_to_their_end():
    for path in ("/dev/zero", "/dev/urandom"):
        with pytest.raises(InputError, match="expected a file or a pipe, found a device"):
            read_lines(path)
    with pytest.raises(InputError, match="found an empty file"):
        read_lines("/dev/null")


@pytest.mark.parametrize("name", ["", "a\0b", "\ud800", "x" * 5000, "/", "."])
def test_what_cannot_be_the_name_of_a_file(name):
    with pytest.raises(TaroccoError):
        read_lines(name)


def test_pipes_are_read_and_not_waited_for_in_folders(tmp_path):
    os.mkfifo(tmp_path / "0.txt")
    with pytest.raises(
        InputError, match=r"0\.txt: expected an ordinary file in a directory of lists, found a device or a pipe"
    ):
        list(NBestFile(str(tmp_path)))
    reader, writer = os.pipe()
    os.write(writer, b"a\nb\n")
    os.close(writer)
    assert len(read_lines(f"/dev/fd/{reader}")) == 2
    os.close(reader)
