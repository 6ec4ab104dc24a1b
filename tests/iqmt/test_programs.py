"""IQsetup and IQeval from end to end: the manual's configuration and command lines give the manual's tables."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from iqmt_beds import DEMO, TABLE_1, copy_texts

import tarocco
from tarocco.cli import iqeval, iqsetup
from tarocco.core.errors import InputError
from tarocco.iqmt.configs import ENCODING, FAMILIES, find_computed
from tests.textbook.iq_files import Bed, scores

SETS = """some_metrics= BLEU-4 NIST-5
some_systems= S0 S1
some_refs= R0 R1 R2
two_refs= R2 R0
some_segs= 1-3, 10, 50-55
"""
SEGMENTS = (1, 2, 3, 10, 50, 51, 52, 53, 54, 55)
TABLE_3 = "-doOQ -doQUEEN -G seg -O 0 -M some_metrics -S some_systems -R some_refs -T some_segs"


@pytest.fixture(scope="module", name="made")
def made_by_iqsetup(tmp_path_factory):
    """A folder in which the manual's Table 1 was set up, with sets added to IQeval.config."""
    folder = tmp_path_factory.mktemp("made")
    copy_texts(folder)
    (folder / "IQsetup.config").write_text(TABLE_1)
    assert iqsetup.main([str(folder / "IQsetup.config"), str(folder / "IQeval.config"), "-JACK"]) == 0
    with open(folder / "IQeval.config", "a") as file:
        file.write(SETS)
    return folder


def evaluated(folder, capsys, options):
    """Code, rows of cells, and what was said."""
    code = iqeval.main([*options.split(), str(folder / "IQeval.config")])
    out, err = capsys.readouterr()
    return code, [line.split() for line in out.splitlines()], err


def texts(*names):
    return [(DEMO / f"{name}.txt").read_text("utf-8").splitlines() for name in names]


def test_the_tree_of_table_1(made):
    config = (made / "IQeval.config").read_text()
    assert "refs= R0 R1 R2\nsystems= S0 S1\nsegs= 1-60\nmetrics_BLEU= BLEU-1" in config
    assert "ref=R0 ref1.txt\n" in config
    assert "metrics= BLEU-1 BLEU-2 BLEU-3 BLEU-4 BLEUi-2 BLEUi-3 BLEUi-4 GTM-1\n        GTM-2" in config
    folders = {str(file.parent.relative_to(made)) for file in made.rglob("*.xml")}
    pairs = {"R0/R1", "R0/R2", "R1/R0", "R1/R2", "R2/R0", "R2/R1"}
    pairs |= {"S0/R0", "S0/R1", "S0/R2", "S1/R0", "S1/R1", "S1/R2"}
    assert folders == pairs | {"S0/S1", "S1/S0", "S0/R0_R1_R2", "S1/R0_R1_R2", "R0/R1_R2", "R1/R0_R2", "R2/R0_R1"}
    for folder in folders:
        assert len(list((made / folder).glob("*.xml"))) == 31
    assert (made / "S0/R0/RG-SUs.xml").exists()


@pytest.mark.parametrize("family", ["BLEU", "NIST", "GTM", "METEOR", "ROUGE"])
@pytest.mark.parametrize(
    ("target", "folder", "references"),
    [
        ("careful", "S0/R0", ["ref1"]),
        ("ref2", "R1/R2", ["ref3"]),
        ("middling", "S1/R0_R1_R2", ["ref1", "ref2", "ref3"]),
    ],
)
def test_files_have_the_scores_of_the_metrics(made, family, target, folder, references):
    (candidates,) = texts(target)
    streams = list(zip(*texts(*references), strict=True))
    metrics = {name: find_computed(name) for name in FAMILIES[family]}
    result = tarocco.score(candidates, streams, metrics=list(metrics.values()), tokenize="13a", lowercase=True)
    for name, metric in metrics.items():
        found = scores(made, *folder.split("/"), name)
        assert list(found) == list(range(1, 61))
        assert list(found.values()) == result[str(metric)].segments.tolist()
        head = (made / folder / f"{name}.xml").read_text().partition("\n")[0]
        assert float(re.search(r' score="(.*?)"', head)[1]) == result[str(metric)].score


def test_table_3(made, capsys):
    code, rows, err = evaluated(made, capsys, TABLE_3)
    assert (code, err) == (0, "")
    assert rows[0] == ["SYS", "BLEU-4", "NIST-5", "QUEEN"]
    assert [row[0] for row in rows[1:]] == [f"{s}:{n}" for s in ("S0", "S1") for n in SEGMENTS]
    bed = Bed(made, ["BLEU-4", "NIST-5"], ["S0", "S1"], ["R0", "R1", "R2"])
    for label, bleu, nist, queen in rows[1:]:
        system, _, number = label.partition(":")
        for shown, metric in ((bleu, "BLEU-4"), (nist, "NIST-5")):
            assert shown == f"{scores(made, system, 'R0_R1_R2', metric)[int(number)]:.4f}"
        expected = bed.queen(system, int(number), bed.references)
        assert queen == f"{float(expected):.4f}"
        assert (expected * 18).denominator == 1  # multiples of 1/18, as in the manual's table


def test_the_layout(made, capsys):
    """Columns below each other, numbers to the right, four decimals; nothing else on standard output."""
    iqeval.main([*TABLE_3.split(), str(made / "IQeval.config")])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "SYS    BLEU-4   NIST-5   QUEEN"
    assert lines[4] == "S0:10  0.6614  10.0802  0.7222"
    assert len(set(map(len, lines))) == 1


def test_table_2(made, capsys):
    code, rows, _ = evaluated(made, capsys, "-doOQ -doQUEEN -M some_metrics")
    assert code == 0
    bed = Bed(made, ["BLEU-4", "NIST-5"], ["S0", "S1"], ["R0", "R1", "R2"])
    references = list(zip(*texts("ref1", "ref2", "ref3"), strict=True))
    for row, name, system in zip(rows[1:], ("careful", "middling"), ("S0", "S1"), strict=True):
        (candidates,) = texts(name)
        metrics = [find_computed("BLEU-4"), find_computed("NIST-5")]
        result = tarocco.score(candidates, references, metrics=metrics, lowercase=True)
        queens = [float(bed.queen(system, n, bed.references)) for n in range(1, 61)]
        numbers = [*(result[str(metric)].score for metric in metrics), np.mean(queens)]
        assert row == [system, *(f"{value:.4f}" for value in numbers)]


def test_chosen_segments_have_a_score_of_their_own(made, capsys):
    """A corpus score is no mean: it is computed from the texts for the segments chosen."""
    _, rows, err = evaluated(made, capsys, "-doOQ -M some_metrics -T some_segs")
    assert err == ""
    places = [n - 1 for n in SEGMENTS]
    references = [segment for i, segment in enumerate(zip(*texts("ref1", "ref2", "ref3"), strict=True)) if i in places]
    candidates = [line for i, line in enumerate(texts("careful")[0]) if i in places]
    bleu = find_computed("BLEU-4")
    expected = tarocco.score(candidates, references, metrics=bleu, lowercase=True)[str(bleu)].score
    assert rows[1][1] == f"{expected:.4f}"


def test_king(made, capsys):
    _, rows, _ = evaluated(made, capsys, "-doKING -M some_metrics -T some_segs")
    assert rows[0] == ["METRIC", "KING", "STRICT", "TIES"]
    for row, metrics in zip(rows[1:], (["BLEU-4"], ["NIST-5"], ["BLEU-4", "NIST-5"]), strict=True):
        king, strict = Bed(made, metrics, ["S0", "S1"], ["R0", "R1", "R2"]).king(SEGMENTS)
        assert row[1:] == [f"{float(value):.4f}" for value in (king, strict, king - strict)]
    assert [row[0] for row in rows[1:]] == ["BLEU-4", "NIST-5", "some_metrics"]
    _, rows, _ = evaluated(made, capsys, "-doKING -M some_metrics -T some_segs -G seg")
    bed = Bed(made, ["BLEU-4", "NIST-5"], ["S0", "S1"], ["R0", "R1", "R2"])
    assert [row[:2] for row in rows[1:]] == [[str(n), f"{float(bed.king([n])[0]):.4f}"] for n in SEGMENTS]


def test_jack(made, capsys):
    bed = Bed(made, ["BLEU-1", "GTM-1"], ["S0", "S1"], ["R0", "R1", "R2"], between_systems=True)
    with open(made / "IQeval.config", "a") as file:
        file.write("two_metrics= BLEU-1 GTM-1\n")
    _, rows, _ = evaluated(made, capsys, "-doJACK -M two_metrics")
    found = [float(bed.jack([n])) for n in range(1, 61)]
    assert 0 < np.mean(found) < 1
    assert rows == [["SET", "JACK"], ["two_metrics", f"{np.mean(found):.4f}"]]
    _, rows, _ = evaluated(made, capsys, "-doJACK -M two_metrics -G seg -T some_segs")
    assert rows[1:] == [[str(n), f"{found[n - 1]:.4f}"] for n in SEGMENTS]


def test_trans_topic(made, capsys):
    """Pairs of references come from all segments that were chosen."""
    bed = Bed(made, ["BLEU-4", "NIST-5"], ["S0", "S1"], ["R0", "R1", "R2"])
    _, rows, err = evaluated(made, capsys, "-doQUEEN -TT -M some_metrics -T some_segs -G seg")
    assert "note: trans-topic mode: pairs:all" in err
    for label, queen in rows[1:]:
        system, _, number = label.partition(":")
        assert queen == f"{float(bed.queen(system, int(number), bed.references, SEGMENTS)):.4f}"


def test_the_manuals_search(made, capsys):
    names = ["BLEU-1", "GTM-1", "MTR-exact", "NIST-2", "RG-L"]
    with open(made / "IQeval.config", "a") as file:
        file.write(f"five= {' '.join(names)}\n")
    beds = {}

    def king(*metrics):
        if metrics not in beds:
            beds[metrics] = Bed(made, metrics, ["S0", "S1"], ["R0", "R1", "R2"]).king(range(1, 61))
        return beds[metrics][0]

    chosen = []
    for metric in sorted(names, key=king, reverse=True):
        if not chosen or king(*chosen, metric) > king(*chosen):
            chosen.append(metric)
    _, rows, _ = evaluated(made, capsys, "-optimizeKING -M five")
    expected = [[name, f"{float(king(*chosen[: i + 1])):.4f}"] for i, name in enumerate(chosen)]
    assert [row[:2] for row in rows[1 : len(chosen) + 1]] == expected
    assert rows[len(chosen) + 1 :] == [[], ["optimal_metrics=", *chosen]]


def test_references_are_scored_by_the_others(made, capsys):
    _, rows, _ = evaluated(made, capsys, "-doOQ -doQUEEN -doref -M some_metrics -G seg -T some_segs")
    bed = Bed(made, ["BLEU-4", "NIST-5"], ["S0", "S1"], ["R0", "R1", "R2"])
    found = {row[0]: row[1:] for row in rows[1:]}
    for reference, others in (("R0", ["R1", "R2"]), ("R1", ["R0", "R2"]), ("R2", ["R0", "R1"])):
        for n in SEGMENTS:
            bleu = scores(made, reference, "_".join(others), "BLEU-4")[n]
            queen = float(bed.queen(reference, n, others))
            assert found[f"{reference}:{n}"][::2] == [f"{bleu:.4f}", f"{queen:.4f}"]


def test_rankings(made, capsys):
    code = iqeval.main(["-doOQ", "-doQUEEN", "-O", "1", "-M", "some_metrics", str(made / "IQeval.config")])
    lists = [part.splitlines() for part in capsys.readouterr().out.split("\n\n")]
    assert code == 0
    assert [part[0].split() for part in lists] == [["SYS", "BLEU-4"], ["SYS", "NIST-5"], ["SYS", "QUEEN"]]
    for part in lists:
        values = [float(line.split()[1]) for line in part[1:]]
        assert values == sorted(values, reverse=True)


def test_other_references(made, capsys):
    """Which are compared with together was not known to IQsetup: those files are made when they are wanted."""
    assert not (made / "S0/R2_R0").exists()
    _, rows, _ = evaluated(made, capsys, "-doOQ -R two_refs -M some_metrics")
    references = list(zip(*texts("ref3", "ref1"), strict=True))
    bleu = find_computed("BLEU-4")
    expected = tarocco.score(texts("careful")[0], references, metrics=bleu, lowercase=True)[str(bleu)].score
    assert rows[1][1] == f"{expected:.4f}"
    assert sorted(file.name for file in (made / "S0/R2_R0").iterdir()) == ["BLEU-4.xml", "NIST-5.xml"]


@pytest.mark.parametrize(("option", "header"), [("TRY", ["QUEEN"]), ("TRYoq", ["BLEU-4", "NIST-5"])])
def test_a_new_system(made, capsys, option, header):
    before = {file: file.stat().st_mtime_ns for file in made.rglob("*")}
    _, rows, _ = evaluated(made, capsys, f"-{option} {made / 'middling.txt'} -M some_metrics -T some_segs -G seg")
    assert rows[0] == ["SYS", *header]
    found = {row[0]: row[1:] for row in rows[1:]}
    for n in SEGMENTS:
        assert found[f"TRY:{n}"] == found[f"S1:{n}"]  # it is the same text
    assert {file: file.stat().st_mtime_ns for file in made.rglob("*")} == before
    _, rows, _ = evaluated(made, capsys, f"-TRYall {made / 'middling.txt'} -M some_metrics")
    assert rows[3][1:] == rows[2][1:]
    assert len(rows[3]) == 4


def write_metric(folder, name, value, pairs):
    for target, reference in pairs:
        (folder / target / reference).mkdir(parents=True, exist_ok=True)
        lines = [f'<IQ metric="{name}" ref="{reference}" score="0.5" target="{target}">']
        lines += [f'<S n="{n}">{value(target, n)}</S>' for n in range(1, 61)]
        (folder / target / reference / f"{name}.xml").write_text("\n".join([*lines, "</IQ>"]))


PAIRS = [("R0", "R1"), ("R0", "R2"), ("R1", "R0"), ("R1", "R2"), ("R2", "R0"), ("R2", "R1")]
PAIRS += [(system, reference) for system in ("S0", "S1") for reference in ("R0", "R1", "R2")]


@pytest.fixture(name="small")
def a_small_bed(tmp_path):
    copy_texts(tmp_path)
    (tmp_path / "IQsetup.config").write_text(TABLE_1.replace("doNIST\ndoGTM\ndoMETEOR\ndoROUGE\n", ""))
    assert iqsetup.main([str(tmp_path / "IQsetup.config"), str(tmp_path / "IQeval.config")]) == 0
    return tmp_path


def test_a_metric_of_ones_own(small, capsys):
    """Section 4.1.2: 12 files, and a name in the configuration."""
    write_metric(small, "NEWMETRIC", lambda target, n: n if target == "S0" else 0, PAIRS)
    with open(small / "IQeval.config", "a") as file:
        file.write("metrics_NEWMETRIC= NEWMETRIC\nsegs_5= 1-5\n")
    code, rows, _ = evaluated(small, capsys, "-doQUEEN -M metrics_NEWMETRIC")
    assert (code, rows[1:]) == (0, [["S0", "1.0000"], ["S1", "1.0000"]])  # 0 >= 0
    code, rows, err = evaluated(small, capsys, "-doOQ -M metrics_NEWMETRIC")
    assert code == 1
    assert "S0/R0_R1_R2/NEWMETRIC.xml: expected NEWMETRIC of S0 against R0, R1, R2, but there is no such file" in err
    write_metric(small, "NEWMETRIC", lambda target, n: n, [("S0", "R0_R1_R2"), ("S1", "R0_R1_R2")])
    code, rows, err = evaluated(small, capsys, "-doOQ -M metrics_NEWMETRIC -T segs_5")
    assert (code, rows[1]) == (0, ["S0", "3.0000"])
    assert "NEWMETRIC: the score of the chosen segments is the mean over them" in err
    code, _, err = evaluated(small, capsys, f"-TRY {small / 'brief.txt'} -M metrics_NEWMETRIC")
    assert code == 1
    assert "expected metrics that can be computed for a new system, found NEWMETRIC" in err


def test_a_tree_without_texts(small, capsys):
    """Files of somebody else, and a configuration that names no texts."""
    for target, reference in PAIRS:
        for file in (small / target / reference).glob("*.xml"):
            if file.name != "BLEU-4.xml":
                file.unlink()
    (small / "IQeval.config").write_text("refs= R0 R1 R2\nsystems= S0 S1\nmetrics= BLEU-4\nother= BLEU-2\n")
    assert evaluated(small, capsys, "-doQUEEN -doKING")[0] == 0
    code, _, err = evaluated(small, capsys, "-doQUEEN -M other")
    assert code == 1
    assert "S0/R0/BLEU-2.xml: expected BLEU-2 of S0 against R0, but there is no such file" in err
    code, _, err = evaluated(small, capsys, f"-TRY {small / 'brief.txt'}")
    assert "expected the files of all references, such as ref=R0 FILE, to try a new system" in err


def test_files_that_are_there_stay(small, capsys):
    file = small / "S0/R0/BLEU-4.xml"
    good = file.read_text()
    file.write_text(good.replace('score="', 'score="9', 1))
    run = [str(small / "IQsetup.config"), str(small / "IQeval.config")]
    assert iqsetup.main(run) == 0
    assert "0 XML files computed, 119 existed" in capsys.readouterr().err
    assert file.read_text() != good
    os.utime(small / "careful.txt", (time.time() + 9, time.time() + 9))
    assert iqsetup.main(run) == 0
    assert "careful.txt changed after files were computed; -remake computes them again" in capsys.readouterr().err
    assert iqsetup.main([*run, "-remake"]) == 0
    assert file.read_text() == good
    file.write_text(good.replace('score="', 'score="9', 1))
    assert evaluated(small, capsys, "-doQUEEN -remake")[0] == 0
    assert file.read_text() == good


def test_names_that_become_another_texts(small, capsys):
    """A system put before the others would be S0, whose files are those of another one."""
    setup, config = small / "IQsetup.config", small / "IQeval.config"
    before = {file: file.read_bytes() for file in small.rglob("*") if file.is_file() and file != setup}
    setup.write_text(setup.read_text().replace("system=", "system=brief.txt\nsystem=", 1))
    assert iqsetup.main([str(setup), str(config)]) == 1
    said = capsys.readouterr().err
    assert f"expected {small / 'careful.txt'} as S0, as in its XML files, found {small / 'brief.txt'}" in said
    assert {file: file.read_bytes() for file in before} == before
    assert iqsetup.main([str(setup), str(config), "-remake"]) == 0
    (_, _, *shown), own = evaluated(small, capsys, "-doOQ")[1], evaluated(small, capsys, "-TRYoq brief.txt")[1]
    assert [row[0] for row in shown] == ["S1", "S2"]
    assert own[1][1:] == own[-1][1:]  # S0 has the scores of the same text, tried out
    setup.write_text(setup.read_text().replace("doBLEU", "system=verbose.txt\ndoBLEU", 1))
    assert iqsetup.main([str(setup), str(config)]) == 0  # behind the others


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        ("-doOQ -M nope", 1, 'expected a set "nope" of metrics, found refs, systems, segs, metrics_BLEU, metrics'),
        ("-doQUEEN -R one_ref", 1, "QUEEN: expected at least 2 references, found 1"),
        ("-doKING -R two_refs", 1, "KING: expected at least 3 references, found 2"),
        ("-optimizeKING -R two_refs", 1, "KING: expected at least 3 references, found 2"),
        ("-doJACK -R one_ref", 1, "JACK: expected at least 2 references, found 1"),
        ("-doJACK -S one_system", 1, "JACK: expected at least two systems, found S0 alone"),
        ("-doQUEEN -S refs", 1, "expected systems in the set refs, found R0, which is one of the references"),
        ("-doQUEEN -M one_system", 1, "expected metrics in the set one_system, found S0, which is one of the systems"),
        (
            "-doQUEEN -R metrics_BLEU",
            1,
            "expected references in the set metrics_BLEU, found BLEU-1, which is one of the metrics",
        ),
        ("-doQUEEN -S mixed", 1, "expected systems that are not references, found R9 in both sets"),
        ("-doQUEEN -T far", 1, "expected segments from 1 to 60, found 5-61"),
        (
            "-doQUEEN -doref -R two_refs",
            1,
            "QUEEN of a reference by the others: expected at least 3 references, found 2",
        ),
        ("-doOQ -doref -R one_ref", 1, "-doref: expected two or more references"),
        ("-TRY gone.txt", 1, "gone.txt: there is no such file"),
        ("", 2, "nothing to do: give one of -doKING, -doQUEEN"),
        ("-TRY a -TRYoq b", 2, "expected one new system, found a b"),
    ],
)
def test_what_is_refused(small, capsys, options, code, sentence):
    with open(small / "IQeval.config", "a") as file:
        file.write("one_ref= R0\none_system= S0\ntwo_refs= R0 R1\nfar= 5-61\nmixed= R9\n")
    found = evaluated(small, capsys, options + " -R mixed" * ("mixed" in options))
    assert found[:2] == (code, [])
    assert sentence in found[2]
    assert found[2].startswith("IQeval: ")
    assert found[2].count("\n") == 1


@pytest.mark.parametrize("option", ["-G x", "-O 2", "-doQUEENS", "-Z"])
def test_wrong_options(small, capsys, option):
    with pytest.raises(SystemExit) as caught:
        iqeval.main([*option.split(), "-doOQ", str(small / "IQeval.config")])
    assert caught.value.code == 2


def test_references_that_a_segment_does_not_have(tmp_path, capsys):
    """A blank line beside other references is none: its scores are empty, and samples with it are left out."""
    copy_texts(tmp_path)
    lines = texts("ref2")[0]
    lines[4] = ""
    (tmp_path / "ref2.txt").write_text("\n".join(lines) + "\n")
    (tmp_path / "IQsetup.config").write_text(TABLE_1.partition("doBLEU")[0] + "doGTM GTM-1 GTM-2\n")
    assert iqsetup.main([str(tmp_path / "IQsetup.config"), str(tmp_path / "IQeval.config")]) == 0
    assert '<S n="5"/>' in (tmp_path / "S0/R1/GTM-1.xml").read_text()
    assert '<S n="5"/>' in (tmp_path / "R1/R0_R2/GTM-1.xml").read_text()
    assert '<S n="5"/>' not in (tmp_path / "S0/R0_R1_R2/GTM-1.xml").read_text()
    _, rows, _ = evaluated(tmp_path, capsys, "-doQUEEN -G seg")
    assert round(float(rows[5][1]) * 4, 3).is_integer()  # two references: 2 x 2 samples
    _, _, err = evaluated(tmp_path, capsys, "-doKING -optimizeKING")
    assert err == "IQeval: note: 1 of 60 segments have no KING\n"  # once, whatever metrics there are


def test_linguistic_metrics(tmp_path, capsys):
    """Segments in which a metric has nothing to compare are empty in files, and told where they matter."""
    copy_texts(tmp_path)
    (tmp_path / "IQsetup.config").write_text(TABLE_1.partition("doBLEU")[0] + "doSP SP-Op-* SP-Op-RB\ndoNE NE-Oe-*\n")
    assert iqsetup.main([str(tmp_path / "IQsetup.config"), str(tmp_path / "IQeval.config")]) == 0
    (candidates, reference) = texts("careful", "ref1")
    options = {"metrics": "SP-Op-*", "lowercase": True, "analyzer": "spacy+iqmt"}
    expected = tarocco.score(candidates, reference, **options)["SP-Op-*"].segments.tolist()
    assert list(scores(tmp_path, "S0", "R0", "SP-Op-*").values()) == expected
    assert '<S n="1"/>' in (tmp_path / "S0/R0/SP-Op-RB.xml").read_text()
    code, rows, err = evaluated(tmp_path, capsys, "-doKING -doOQ -doQUEEN")
    assert (code, rows[0]) == (0, ["SYS", "NE-Oe-*", "SP-Op-*", "SP-Op-RB", "QUEEN"])
    assert re.search(r"note: SP-Op-RB: \d+ of 60 segments have no KING", err)


# --- kills -----------------------------------------------------------------------------------------------------------


def files_of(folder):
    return {str(file.relative_to(folder)): file for file in folder.rglob("*.xml")}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there are no such signals here")
def test_killed_and_run_again(tmp_path):
    """After kill -9 every file is whole; the next run makes those that are missing and leaves the others alone."""
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    for folder in (killed, whole):
        folder.mkdir()
        copy_texts(folder, 4)
        (folder / "IQsetup.config").write_text(TABLE_1.replace("doMETEOR\n", ""))
    command = [sys.executable, "-c", "import sys; from tarocco.cli.iqsetup import main; sys.exit(main())"]
    command += ["IQsetup.config", "IQeval.config"]
    process = subprocess.Popen(command, cwd=killed, stderr=subprocess.DEVNULL)
    while process.poll() is None and len(files_of(killed)) < 20:
        time.sleep(0.002)
    process.kill()
    process.wait()
    before = files_of(killed)
    assert 20 <= len(before) < 27 * 17
    assert (killed / "IQeval.config").exists()
    stamps = {name: file.stat().st_mtime_ns for name, file in before.items()}
    for folder in (killed, whole):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
        assert done.stdout == ""
    assert f"{27 * 17} XML files computed;" in done.stderr
    again, expected = files_of(killed), files_of(whole)
    assert {name: file.read_bytes() for name, file in again.items()} == {
        name: file.read_bytes() for name, file in expected.items()
    }
    assert {name: again[name].stat().st_mtime_ns for name in stamps} == stamps
    assert (killed / "IQeval.config").read_bytes() == (whole / "IQeval.config").read_bytes()


# --- Similarities ----------------------------------------------------------------------------------------------------


def test_similarities_to_and_from_files(made, tmp_path):
    near = tarocco.read_iq(made, metrics="some_metrics", between_systems=True)
    assert near.metrics == ("BLEU-4", "NIST-5")
    assert (near.systems, near.references) == (("S0", "S1"), ("R0", "R1", "R2"))
    assert near.to_references.shape == (2, 60, 5, 3)
    tarocco.write_iq(near, tmp_path)
    again = tarocco.read_iq(tmp_path / "IQeval.config", between_systems=True)
    for one, other in ((near.to_references, again.to_references), (near.to_systems, again.to_systems)):
        assert np.array_equal(one, other, equal_nan=True)
    assert np.array_equal(near.present, again.present)
    with pytest.raises(
        InputError,
        match="expected a name without slashes, colons, spaces or a leading "
        'period, as it becomes a file name, found "a/b"',
    ):
        tarocco.write_iq(type(near)(("a/b",), ("",), *([()] * 2), near.present, near.to_references), tmp_path)


def test_files_are_what_similarities_are_without_them(made):
    """The same bits as if nothing had been written, so that the same samples pass."""
    from tarocco.core.test_set import Segments, TestSet
    from tarocco.meta.qarla.similarities import compute_similarities

    near = tarocco.read_iq(Path(made), metrics="some_metrics")
    systems = {
        name: Segments.from_strings(text) for name, text in zip(("S0", "S1"), texts("careful", "middling"), strict=True)
    }
    references = tuple(Segments.from_strings(text) for text in texts("ref1", "ref2", "ref3"))
    computed_now = compute_similarities(
        TestSet(systems, references), [find_computed(name) for name in near.metrics], ENCODING
    )
    assert np.array_equal(near.to_references, computed_now.to_references, equal_nan=True)
