"""IQ XML: what is written is read again bit for bit, and what strangers send is read or refused in one sentence."""

import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import InputError
from tarocco.iqmt.tree import ScoreTree, TargetScores, _parse_plain, _ScoresReader, format_scores, read_scores

VALUES = st.floats(allow_nan=True, allow_infinity=False)
NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc", "Cn", "Z")), min_size=1, max_size=8)
MANUAL = """<IQ metric="BLEU-4" ref="R0" score="0.3945" target="S0">
  <S n="1">0.3033</S>
  <S n="2">0.5833</S>
</IQ>
"""


def read(path, text, metric="BLEU-4", reference="R0", target="S0"):
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_scores(path, target, reference, (metric,))


def test_the_manuals_file(tmp_path):
    found = read(tmp_path / "BLEU-4.xml", MANUAL)
    assert found.score == 0.3945
    assert found.segments.tolist() == [0.3033, 0.5833]


def test_as_in_the_manual():
    text = format_scores("S0", "R0", "BLEU-4", TargetScores(0.3945, np.array([0.3033, np.nan, 0.5833])))
    assert text == MANUAL.replace('  <S n="2">', '  <S n="2"/>\n  <S n="3">')


@given(NAMES, NAMES, NAMES, VALUES, st.lists(VALUES, min_size=1, max_size=9))
def test_round_trip(tmp_path_factory, target, reference, metric, score, segments):
    path = tmp_path_factory.mktemp("iq") / "file.xml"
    written = TargetScores(score, np.array(segments))
    found = read(path, format_scores(target, reference, metric, written), metric, reference, target)
    assert np.array([found.score]).tobytes() == np.array([score if score == score else np.nan]).tobytes()
    assert np.array_equal(found.segments, written.segments, equal_nan=True)


PIECES = [
    MANUAL,
    "<IQ>",
    "<IQ score='1' ",
    "</IQ>",
    '<S n="1">0.5</S>',
    '<S n="2">',
    "</S>",
    "1e5",
    "1e5e5",
    "-",
    " ",
    "\n",
]
PIECES += [
    '<IQ metric="BLEU-4" ref="R0" score="0.5" target="S0">',
    '<IQ target="S0" ref="R0" metric="BLEU-4" score="1">',
]
PIECES += [
    ' score="2"',
    "9" * 65,
    "1e999",
    '<S n="2">+.5e-3</S>',
    '<S n="02">1</S>',
    '<S n="3">7.</S>',
    "<!-- -->",
    "\x01",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), st.booleans())
def test_plain_files_are_read_as_the_parser_reads_them(text, closed):
    data = f"{text}{'</IQ>' * closed}".encode()
    wanted = {"target": ("S0",), "ref": ("R0",), "metric": ("BLEU-4",)}
    quick = _parse_plain(data, wanted)
    if quick is not None:
        found = _ScoresReader(Path("file"), wanted).read(data)
        assert (quick.score, quick.segments.tolist()) == (found.score, found.segments.tolist())


def test_plain_files_are_plain():
    wanted = {"target": ("S0",), "ref": ("R0",), "metric": ("BLEU-4",)}
    assert _parse_plain(MANUAL.encode(), wanted).segments.tolist() == [0.3033, 0.5833]
    assert (
        _parse_plain(
            format_scores("S0", "R0", "BLEU-4", TargetScores(1e-7, np.array([-1e-9, 3]))).encode(), wanted
        ).score
        == 1e-7
    )
    for change in (("0.3033", "1e5e5"), ('n="2"', 'n="3"'), ("S0", "S1"), (' score="0.3945"', ""), ("0.3945", "inf")):
        assert _parse_plain(MANUAL.replace(*change).encode(), wanted) is None


@given(st.lists(st.sampled_from(["<S n='1'>", "</S>", "<IQ>", "0.5", MANUAL, "<S n='2'/>", "&amp;", "<!--x-->", "\n"])))
def test_garbage(tmp_path_factory, pieces):
    path = tmp_path_factory.mktemp("iq") / "file.xml"
    with suppress(InputError):
        assert not np.isinf(read(path, "".join(pieces)).segments).any()


@given(st.binary(max_size=60))
def test_bytes(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("iq") / "file.xml"
    with pytest.raises(InputError):
        read(path, data)


BOMB = '<!DOCTYPE IQ [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>\n'
OUTSIDE = '<!DOCTYPE IQ [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n'


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("<IQ", BOMB + "<IQ", ", line 1: document type definitions and entities are not supported"),
        ("<IQ", OUTSIDE + "<IQ", ", line 1: document type definitions and entities are not supported"),
        ("0.3033", "&b;", ", line 2: expected XML (undefined entity)"),
        ("0.3033", "much", ', line 2: segment 1: expected a number, found "much"'),
        ("0.3033", "nan", ', line 2: segment 1: expected a number, found "nan"'),
        ("0.3033", "inf", ', line 2: segment 1: expected a number, found "inf"'),
        ("0.3033", "1_0", ', line 2: segment 1: expected a number, found "1_0"'),
        ("0.3033", "1e999", ', line 2: segment 1: expected a number, found "1e999"'),
        ("0.3033", "٣", ', line 2: segment 1: expected a number, found "٣"'),
        (
            "0.3033",
            "9" * 1000,
            ", line 2: segment 1: expected a number, found "
            '"999999999999999999999999999999999999999999999999999999999999"',
        ),
        ('n="2"', 'n="1"', ", line 3: expected each segment once, found segment 1 twice"),
        ('n="2"', 'n="3"', ": expected all segments from 1, found 2 segments without number 2"),
        ('n="2"', 'n="0"', ', line 3: expected a segment with a number from 1, such as <S n="1">, found "0"'),
        ('n="2"', 'n="-2"', "expected a segment with a number from 1"),
        ('n="2"', 'n="99999999999"', "expected a segment with a number from 1"),
        (' n="2"', "", "expected a segment with a number from 1"),
        ("BLEU-4", "BLEU-3", ', line 1: expected metric="BLEU-4" in this file, found "BLEU-3"'),
        ('ref="R0"', "", ', line 1: expected ref="R0" in this file, found none'),
        ("S0", "S1", ', line 1: expected target="S0" in this file, found "S1"'),
        ("0.3945", "high", ', line 1: score=: expected a number, found "high"'),
        ("<S ", "<T ", ", line 2: expected <S>, found <T>"),
        ("0.3033", "<S n='9'/>", ", line 2: expected </S>, found <S>"),
        ("</S>\n  <S", "</S> or so <S", ', line 2: expected nothing between segments, found "or so"'),
        ("</IQ>", "", ", line 5: expected XML (no element found)"),
        ("<IQ", "<Q", ", line 1: expected <IQ>, found <Q>"),
    ],
)
def test_what_is_refused(tmp_path, old, new, sentence):
    path = tmp_path / "BLEU-4.xml"
    with pytest.raises(InputError) as caught:
        read(path, MANUAL.replace(old, new, 1))
    assert str(caught.value).startswith(str(path))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_does_not_stop_it(tmp_path):
    os.mkfifo(tmp_path / "BLEU-4.xml")
    with pytest.raises(
        InputError, match=r"BLEU-4\.xml: expected an ordinary file, found a device, a pipe or a directory"
    ):
        read_scores(tmp_path / "BLEU-4.xml", "S0", "R0", ("BLEU-4",))


# --- the tree --------------------------------------------------------------------------------------------------------


def test_nothing_leads_out_of_the_tree(tmp_path):
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder in (inside, outside / "R0"):
        folder.mkdir(parents=True)
    (outside / "R0" / "BLEU-4.xml").write_text(MANUAL)
    (inside / "S0").symlink_to(outside)
    tree = ScoreTree(inside)
    for work in (
        lambda: tree.read("S0", ["R0"], "BLEU-4"),
        lambda: tree.write("S0", ["R1"], "X", TargetScores(0, np.zeros(1))),
    ):
        with pytest.raises(InputError, match=r"expected a path inside .*inside, found a link to .*outside"):
            work()
    assert not (outside / "R1").exists()
    for target, metric in (("..", "BLEU-4"), ("S0/..", "BLEU-4"), ("S0", "../../outside/R0/BLEU-4")):
        with pytest.raises(InputError, match="expected a name without slashes"):
            tree.read(target, ["R0"], metric)


def test_a_link_within_the_tree_is_fine(tmp_path):
    (tmp_path / "there" / "R0").mkdir(parents=True)
    (tmp_path / "there" / "R0" / "BLEU-4.xml").write_text(MANUAL)
    (tmp_path / "S0").symlink_to("there")
    assert ScoreTree(tmp_path).read("S0", ["R0"], "BLEU-4").score == 0.3945


def test_files_with_other_numbers_of_segments(tmp_path):
    tree = ScoreTree(tmp_path)
    tree.write("S0", ["R0"], "X", TargetScores(0.0, np.zeros(3)))
    tree.write("S0", ["R1"], "X", TargetScores(0.0, np.zeros(4)))
    tree.read("S0", ["R0"], "X")
    with pytest.raises(InputError, match=r"X\.xml: expected 3 segments as in .*X\.xml, found 4"):
        tree.read("S0", ["R1"], "X")


def test_both_names_of_skip_bigrams(tmp_path):
    (tmp_path / "S0" / "R0").mkdir(parents=True)
    (tmp_path / "S0" / "R0" / "RG-Ss.xml").write_text(MANUAL.replace("BLEU-4", "RG-S*"))
    assert ScoreTree(tmp_path).read("S0", ["R0"], "RG-S*").score == 0.3945
    assert ScoreTree(tmp_path).path("S0", ["R0"], "RG-SU*").name == "RG-SUs.xml"


def test_a_disk_that_is_read_only(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(InputError, match="is read-only"):
        ScoreTree(tmp_path).write("S0", ["R0"], "X", TargetScores(0.0, np.zeros(1)))


def test_a_disk_that_is_full(tmp_path, monkeypatch):
    def full(*_arguments, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(InputError, match=r"X\.xml: the file could not be written \(No space left on device\)"):
        ScoreTree(tmp_path).write("S0", ["R0"], "X", TargetScores(0.0, np.zeros(1)))
    assert not list((tmp_path / "S0" / "R0").iterdir())
