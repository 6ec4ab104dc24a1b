"""`tarocco init`: what is understood of a folder, that nothing is guessed in silence, and that the result is of use."""

import gzip
import os
import warnings

import pytest
from conftest import shared

from tarocco.cli import main
from tarocco.core.errors import InputError
from tarocco.io.discovery import discover, role_of
from tarocco.io.experiment import read_experiment
from tarocco.metrics.registry import metric

TEXT = "one two three\nfour five six\nseven eight nine\n"
LABELS = "a\na\nb\n"
HUMAN = "system\tda_z\nA\t1\nB\t2\n"


def fill(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


@pytest.fixture
def folder(tmp_path):
    return fill(
        tmp_path / "set",
        {
            "source.txt": TEXT,
            "ref/1.txt": TEXT,
            "ref/2.txt": TEXT,
            "ref_combined/all.txt": TEXT,
            "ref_combined/some.txt": TEXT,
            "sys/A.txt": TEXT,
            "sys/B.txt.gz": gzip.compress(TEXT.encode()),
            "nbest.txt": "0 ||| one ||| x\n",
            "documents.txt": LABELS,
            "genres.txt": LABELS,
            "human/scores.tsv": HUMAN,
            "README": "words\n",
            ".hidden/ref.txt": TEXT,
        },
    )


def init(capsys, *arguments):
    code = main(["init", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_what_is_said_and_written(folder, capsys):
    code, out, err = init(capsys, folder)
    target = folder / "experiment.toml"
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "source of 3 segments: source.txt",
        "2 references of 3 segments: ref/1.txt ref/2.txt",
        "2 systems: sys/A.txt sys/B.txt.gz",
        "documents, 2 different labels: documents.txt",
        "groups, 2 different labels: genres.txt",
        "n-best lists: nbest.txt",
        "human scores (da_z) of 2 of 2 systems: human/scores.tsv",
        "metrics: BLEU-4 BLEU-SBP NIST-5 ROUGE-S-4 GRR-4 chrF",
        "not recognized: README, ref_combined/ (2 files that look like more references; add them by hand)",
        f"written: {target}",
        f"next: tarocco score {target}",
    ]
    text = target.read_text("utf-8")
    assert 'references = ["ref/*.txt"]' in text
    assert 'systems = ["sys/*"]' in text
    assert "#   ref_combined/ (2 files that look like more references; add them by hand)\n" in text
    found = read_experiment(str(target), metric)
    assert found.name == "set"
    assert found.references == (str(folder / "ref/1.txt"), str(folder / "ref/2.txt"))
    assert [column.name for column in found.system_columns] == ["A", "B"]
    assert found.human.path == str(folder / "human/scores.tsv")
    assert found.groups == str(folder / "genres.txt")
    assert main(["score", str(target), "-b", "-m", "BLEU-4"]) == 0
    assert sorted(path.name for path in folder.iterdir() if path.name.startswith(".")) == [".hidden"]


def test_nothing_is_overwritten(folder, capsys):
    target = folder / "experiment.toml"
    target.write_text("mine")
    code, out, err = init(capsys, folder)
    assert (code, out) == (1, "")
    assert err == f"tarocco: {target} exists: overwrite it with --force, or name another file with -o\n"
    assert target.read_text() == "mine"
    code, out, _ = init(capsys, folder, "--force")
    assert code == 0
    assert "experiment.toml (" not in out
    assert "not recognized: README, ref_combined/" in out
    read_experiment(str(target), metric)


@pytest.mark.parametrize("place", ["here.toml", "elsewhere/deep/here.toml", "set/sub.toml"])
def test_paths_stay_right_elsewhere(folder, tmp_path, capsys, place, monkeypatch):
    target = tmp_path / place
    target.parent.mkdir(parents=True, exist_ok=True)
    assert init(capsys, folder, "-o", target)[0] == 0
    assert str(tmp_path) not in target.read_text("utf-8")  # they are relative
    monkeypatch.chdir("/")
    found = read_experiment(str(target), metric)
    assert [os.path.realpath(path) for path in found.references] == [str(folder / f"ref/{i}.txt") for i in (1, 2)]


def test_relative_folders(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(folder)
    assert init(capsys, ".")[1].splitlines()[-1] == "next: tarocco score experiment.toml"
    assert 'source = "source.txt"' in (folder / "experiment.toml").read_text()
    assert init(capsys, "..", "-o", "x.toml")[0] == 1  # the folder above has no references


def test_a_folder_that_looks_like_a_glob(folder, tmp_path, capsys):
    odd = tmp_path / "odd [1]"
    folder.rename(odd)
    assert init(capsys, odd, "-o", tmp_path / "x.toml")[0] == 0
    assert len(read_experiment(str(tmp_path / "x.toml"), metric).system_columns) == 2
    assert init(capsys, odd)[1].splitlines()[-1] == f"next: tarocco score '{odd}/experiment.toml'"


def test_systems_told_by_their_lines_alone(tmp_path):
    found = discover(
        str(
            fill(
                tmp_path,
                {
                    "ref1.txt": TEXT,
                    "ref2.txt": TEXT,
                    "mine.txt": TEXT,
                    "seg_ids.txt": "1\n2\n3\n",
                    "long.txt": TEXT * 2,
                },
            )
        )
    )
    assert found.systems == ("mine.txt",)
    assert found.words["systems"] == "1 system, recognized only by having 3 lines"
    assert found.not_understood == (
        "long.txt (expected 3 segments as in ref1.txt, found 6)",
        "seg_ids.txt (it has one line per segment, but no text)",
    )


def test_numbers_of_lines_have_to_agree(folder):
    fill(folder, {"ref/3.txt": TEXT * 2, "sys/C.txt": "short\n", "documents.txt": "a\n", "source.txt": "x\n"})
    found = discover(str(folder))
    assert found.references == ("ref/1.txt", "ref/2.txt")
    assert found.systems == ("sys/A.txt", "sys/B.txt.gz")
    assert (found.source, found.documents) == (None, None)
    assert "ref/3.txt (expected 3 segments as in ref/1.txt, found 6)" in found.not_understood
    assert "sys/C.txt (expected 3 segments as in ref/1.txt, found 1)" in found.not_understood
    assert "documents.txt (expected 3 lines, one per segment, found 1)" in found.not_understood
    assert "source.txt (expected 3 segments as in ref/1.txt, found 1)" in found.not_understood


def test_what_is_not_decided(folder):
    fill(folder, {"nbest.2.txt": "0 ||| x\n", "src.de": TEXT, "docs.txt": "1\n2\n3\n", "sys/bad.txt": b"\xff\n"})
    fill(folder, {"100best.txt": "no bars\n", "sys/en-de/x.txt": TEXT, "comet.tsv": "id\ttext\n1\tx\n"})
    found = discover(str(folder))
    assert (found.nbest, found.source, found.documents) == (None, None, "documents.txt")
    for line in (
        "nbest.txt (one of 2 candidates for nbest; choose one by hand)",
        "src.de (one of 2 candidates for source; choose one by hand)",
        "docs.txt (all labels are different)",
        "sys/bad.txt (line 1, byte 1: expected UTF-8 text, found the byte 0xff)",
        "100best.txt (expected n-best lists with |||, found none)",
        "sys/en-de/ (skipped: too deep)",
        "comet.tsv (a table, but not of scores)",
    ):
        assert line in found.not_understood


def test_human_scores(folder):
    fill(
        folder,
        {
            "human/raw.tsv": "system\tsegment\tjudge\tscore\nA\t1\tx\t1\nA\t1\ty\t2\n",
            "human/segments.tsv": "system\tsegment\tnote\tadequacy\tfluency\nA\t1\tx\t1\t2\nB\t1\ty\t2\t3\n",
            "human/votes.tsv": "reference\tvotes\n1\t2\n",
            "other.tsv": "system\tscore\nA\t1\n",
            "human/broken.tsv": "system\tsegment\tscore\nA\t9\t1\n",
            "strangers_scores.tsv": "system\tscore\nX\t1\n",
        },
    )
    found = discover(str(folder))
    assert found.human == "human/segments.tsv:adequacy"
    assert found.words["human"] == ("human scores (adequacy; other columns: fluency) of segments of 2 of 2 systems")
    for line in (
        "human/raw.tsv (human scores, too, but human/segments.tsv was chosen)",
        "human/scores.tsv (human scores, too, but human/segments.tsv was chosen)",
        "human/broken.tsv (line 2: expected segment from 1 to 3, found 9)",
        "human/votes.tsv (a table of scores of other systems)",
        "other.tsv (a table of scores; add it as human or external by hand)",
        "strangers_scores.tsv (a table of scores of other systems)",
    ):
        assert line in found.not_understood


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("human/x.tsv", "judge\tsegment\tA\tB\nx\t1\t1\t2\n", "(rank) of segments of 2 of 2 systems"),
        ("human_grades.csv", "system,segment,score\nA,1,S\nB,2,C\n", "(score) of segments of 2 of 2 systems"),
        ("mqm.tsv", "system\tseg_id\tcategory\tseverity\nA\t3\tOther\tMajor\n", "(MQM) of segments of 1 of 2 systems"),
        ("human-scores/en-de.wmt.seg.score", "A\t1\nA\t2\nA\tNone\n", "(wmt) of segments of 1 of 2 systems"),
        ("human-scores/en-de.wmt.sys.score", "A\t1\nB\t2\n", "(wmt) of 2 of 2 systems"),
    ],
)
def test_human_scores_in_other_forms(folder, capsys, file, text, words):
    (folder / "human/scores.tsv").unlink()
    fill(folder, {file: text})
    code, out, err = init(capsys, folder)
    assert (code, err) == (0, "")
    assert f"human scores {words}: {file}\n" in out
    with warnings.catch_warnings(action="ignore"):  # a system that nobody judged
        assert read_experiment(str(folder / "experiment.toml")).human_scores.systems[0] == "A"


def test_marked_up_files(tmp_path):
    segments = "".join(f'<seg id="{i}">some text {i}</seg>' for i in (1, 2))
    fill(
        tmp_path,
        {
            "newstest-ref.sgm": f'<refset refid="r"><doc docid="d">{segments}</doc></refset>',
            "newstest-src.sgm": f'<srcset><doc docid="d">{segments}</doc></srcset>',
            "out/all.sgm": "".join(
                f'<tstset><doc docid="d" sysid="{name}">{segments}</doc></tstset>' for name in ("A", "B")
            ),
            "broken.sgm": "<seg>",
        },
    )
    found = discover(str(tmp_path))
    assert (found.references, found.systems, found.source) == (
        ("newstest-ref.sgm",),
        ("out/all.sgm",),
        "newstest-src.sgm",
    )
    assert found.words["systems"] == "2 systems"
    assert found.not_understood == ("broken.sgm (line 1: expected </seg> after this <seg>, found the end of the file)",)


@pytest.mark.parametrize(
    ("file", "role"),
    [
        ("ref.txt", "reference"),
        ("refA.txt", "reference"),
        ("reference.1.gz", "reference"),
        ("refs.tsv", "reference"),
        ("refinement.txt", "text"),
        ("ref/anything.de", "reference"),
        ("ref/notes.md", "other"),
        ("source.en", "source"),
        ("sources", "text"),
        ("hyp/x", "system"),
        ("outputs/online-A.0.txt", "system"),
        ("sys1.txt.xz", "system"),
        ("system_scores.tsv", "table"),
        ("dev.nbest.gz", "nbest"),
        ("100-best.txt", "nbest"),
        ("doc_ids.txt", "documents"),
        ("domains.txt", "groups"),
        ("LICENSE", "other"),
        ("ref_combined/x.txt", "text"),
    ],
)
def test_roles_by_name(file, role):
    assert role_of(file) == role


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nix",), "nix: there is no such folder"),
        (("empty",), "empty: expected references in a folder called ref, refs,"),
        (("set", "-o", "x.txt"), "x.txt: expected a file that ends in .toml"),
        (("set", "-o", "no/x.toml"), "no/x.toml: there is no directory no"),
    ],
)
def test_what_goes_wrong(folder, tmp_path, capsys, monkeypatch, arguments, message):
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    code, out, err = init(capsys, *arguments)
    assert (code, out) == (1, "")
    assert err.startswith(f"tarocco: {message}")


def test_a_file_is_not_a_folder(tmp_path):
    with pytest.raises(InputError, match="there is no such folder"):
        discover(str(fill(tmp_path, {"x": "y"}) / "x"))


# Numbers from the README of each data set: references, segments, systems.
SHARED = {
    "wmt19-ende-4refs": ("4 references of 1997 segments", 22, "human/system_scores.tsv"),
    "e2e-nlg-challenge": (
        "45 references of 630 segments, 1 to 45 per segment",
        21,
        "human/segment_scores.tsv:quality_winrate",
    ),
    "mlqe-eten-2refs": ("2 references of 1000 segments", 1, "human/segment_scores.tsv"),
    "tatoeba-enfr-nbest": ("1 reference of 2500 segments", 41, None),
    "moses-fren-100best": ("1 reference of 100 segments", 0, None),
    "indian-uren-4refs-votes": ("4 references of 592 segments", 0, None),
}


@pytest.mark.parametrize("name", SHARED)
def test_real_folders(name, tmp_path, capsys):
    data = shared("data", name)
    references, systems, human = SHARED[name]
    found = discover(str(data))
    assert found.words["references"] == references
    assert len(found.systems) == systems
    assert found.human == human
    assert (found.nbest is not None) == ("best" in name)
    assert init(capsys, data, "-o", tmp_path / "x.toml")[0] == 0
    read = read_experiment(str(tmp_path / "x.toml"), metric)
    assert len(read.system_columns) == systems
    assert not any("ref_combined" in path for path in read.references)
