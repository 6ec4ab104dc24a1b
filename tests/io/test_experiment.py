"""Experiment files: what they say, every mistake at once, and that the command line wins."""

import gzip
import json
import os

import pytest

import tarocco
from tarocco.cli import main
from tarocco.core.errors import InputError
from tarocco.io.experiment import KEYS, read_experiment
from tarocco.io.scores.external import ExternalFile
from tarocco.io.scores.human import HumanFile
from tarocco.metrics.registry import metric

REFERENCE = "a b c d\ne f g h\ni j k l m\n"


@pytest.fixture
def folder(tmp_path):
    for name, text in {
        "source.txt": "x\ny\nz\n",
        "ref/1.txt": REFERENCE,
        "ref/2.txt": REFERENCE.upper(),
        "sys/A.txt": REFERENCE,
        "sys/B.txt": "a b c\ne f\ni j\n",
        "documents.txt": "one\none\ntwo\n",
        "genres.txt": "p\nq\nq\n",
        "nbest.txt": "0 ||| a\n",
        "grades.tsv": "system\tadequacy\nA\t5\nB\t3\nC\t4\n",
        "comet.tsv": "system\tscore\nA\t0.9\nB\t0.7\nC\t0.1\n",
        "short.txt": "only one\n",
        "strangers.tsv": "system\tscore\nX\t1\n",
        "late.tsv": "system\tsegment\tscore\nA\t4\t1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    (tmp_path / "sys/C.txt.gz").write_bytes(gzip.compress(b"a\nb\nc\n"))
    return tmp_path


def written(folder, text, name="e.toml"):
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


FULL = """
name = "all there is"
source = "source.txt"
references = ["ref/*.txt"]
systems = ["sys/B.txt", "sys/[AC]*"]
metrics = ["BLEU-4", "chrF"]
tokenize = "none"
lowercase = true
analyzer = "spacy:fr_core_news_sm"
labels = "iqmt"
documents = "documents.txt"
groups = "genres.txt"
nbest = "nbest.txt"
human = "grades.tsv:adequacy"
confidence = 0.9
n_resamples = 50
seed = 3
store = "scores.db"

[external]
COMET = "comet.tsv"
"E:error" = "comet.tsv:score"
F = {file = "comet.tsv", kind = "error", column = "score"}
"""


def test_everything_that_can_be_said(folder):
    found = read_experiment(written(folder, FULL), metric)
    assert found.name == "all there is"
    assert found.references == tuple(str(folder / "ref" / name) for name in ("1.txt", "2.txt"))
    assert found.systems == tuple(str(folder / "sys" / name) for name in ("B.txt", "A.txt", "C.txt.gz"))
    assert found.metrics == ("BLEU-4", "chrF")
    assert (found.tokenize, found.lowercase) == ("none", True)
    assert (found.confidence, found.n_resamples, found.seed) == (0.9, 50, 3)
    paths = (found.source, found.documents, found.groups, found.nbest, found.store)
    assert paths == tuple(
        str(folder / name) for name in ("source.txt", "documents.txt", "genres.txt", "nbest.txt", "scores.db")
    )
    comet = str(folder / "comet.tsv")
    assert found.human == HumanFile(str(folder / "grades.tsv"), "adequacy")
    assert found.human_scores.systems == ("B", "A", "C")
    assert found.human_scores.criteria["adequacy"].tolist() == [3, 5, 4]
    assert found.external == (
        ExternalFile("COMET", comet),
        ExternalFile("E", comet, "score", "error"),
        ExternalFile("F", comet, "score", "error"),
    )
    assert [column.name for column in found.system_columns] == ["B", "A", "C"]
    values = {key: getattr(found, key) for key in KEYS}
    assert [key for key, value in values.items() if value is None] == ["parses"]  # in place of an analyzer
    assert (found.analyzer, found.labels) == ("spacy:fr_core_news_sm", "iqmt")


def test_parses(folder):
    (folder / "A.conllu").write_text("")
    (folder / "B.props").write_text("")
    start = 'references = "ref/1.txt"\n'
    assert read_experiment(written(folder, start + 'parses = "*.conllu"')).parses == (str(folder / "A.conllu"),)
    table = start + '[parses]\nA = ["A.conllu", "B.props"]\n"sys/B.txt" = "B.props"\n'
    files = [str(folder / name) for name in ("A.conllu", "B.props")]
    assert read_experiment(written(folder, table)).parses == (
        *(f"A={file}" for file in files),
        f"{folder / 'sys/B.txt'}={files[1]}",
    )


def test_only_references_are_needed(folder):
    found = read_experiment(written(folder, 'references = "ref/1.txt"'), metric)
    assert (found.name, found.systems, found.metrics, found.tokenize) == ("e", (), (), None)


def test_paths_are_relative_to_the_file(folder, monkeypatch):
    written(folder, 'references = "ref/1.txt"')
    monkeypatch.chdir(folder)
    assert read_experiment("e.toml").references == (os.path.join("ref", "1.txt"),)
    monkeypatch.chdir(folder / "sys")
    assert read_experiment("../e.toml").references == ("../ref/1.txt",)


def test_a_name_that_looks_like_a_glob(folder):
    (folder / "ref[1].txt").write_text(REFERENCE)
    found = read_experiment(written(folder, 'references = "ref[1].txt"'))
    assert found.references == (str(folder / "ref[1].txt"),)


def test_a_folder_that_looks_like_a_glob(folder):
    odd = folder / "odd[1]"
    (folder / "ref").rename(odd)
    found = read_experiment(written(odd, 'references = "*.txt"'))
    assert found.references == (str(odd / "1.txt"), str(odd / "2.txt"))


def test_marked_up_files(folder):
    segments = "".join(f'<seg id="{i}">text {i}</seg>' for i in (1, 2, 3))
    (folder / "ref.sgm").write_text(f'<refset refid="r"><doc docid="d">{segments}</doc></refset>')
    (folder / "src.sgm").write_text(f'<srcset><doc docid="d">{segments}</doc></srcset>')
    (folder / "sys.sgm").write_text(f'<tstset><doc docid="d" sysid="S">{segments}</doc></tstset>')
    text = 'references = "ref.sgm"\nsystems = ["sys.sgm", "sys/A.txt"]\nsource = "src.sgm"\n'
    found = read_experiment(written(folder, text))
    assert [column.name for column in found.system_columns] == ["S", "A"]
    fewer = segments.replace('id="3"', 'id="4"')
    (folder / "sys.sgm").write_text(f'<tstset><doc docid="d" sysid="S">{fewer}</doc></tstset>')
    with pytest.raises(
        InputError,
        match=r'line 2: .*sys\.sgm: expected the segments of .*ref\.sgm, found no segment 3 of document "d" in '
        r'"S" \(1 missing in all\)',
    ):
        read_experiment(written(folder, text))


REFERENCES = 'references = "ref/*.txt"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r'e\.toml: expected references, such as references = \["ref/\*\.txt"\], found none'),
        (
            "references = []",
            r"e\.toml, line 1: references: expected the name of a file, or a list of them, found an empty list",
        ),
        ("references = 3", r"e\.toml, line 1: references: expected the name of a file, or a list of them, found 3"),
        (
            'references = ["ref/1.txt", 3]',
            r"line 1: references: expected the name of a file, or a list of them, found \['ref/1\.txt', 3\]",
        ),
        ('references = "nix/*.txt"', r'line 1: no file matches "nix/\*\.txt"'),
        ('references = "nix.txt"', r"line 1: .*nix\.txt: there is no such file"),
        ('references = "ref"', "line 1: .*ref: expected a file, found a directory"),
        ('references = ["ref/*.txt", "ref/1.txt"]', r"line 1: expected each file once, found .*1\.txt twice"),
        (REFERENCES + 'systems = ["sys/A.txt", "sys/*"]', r"line 2: expected each file once, found .*A\.txt twice"),
        (
            REFERENCES + 'systems = [\n "sys/A.txt",\n "short.txt"\n]',
            r"line 4: .*short\.txt: expected 3 segments as in .*1\.txt, found 1",
        ),
        (REFERENCES + 'source = "short.txt"', r"line 2: .*short\.txt: expected 3 segments as in .*1\.txt, found 1"),
        (
            REFERENCES + 'documents = "short.txt"',
            r"line 2: .*short\.txt: expected 3 labels, one per segment of .*1\.txt, found 1",
        ),
        (
            REFERENCES + 'groups = "short.txt"',
            r"line 2: .*short\.txt: expected 3 labels, one per segment of .*1\.txt, found 1",
        ),
        (REFERENCES + 'nbest = "nix.txt"', r"line 2: .*nix\.txt: there is no such file"),
        (REFERENCES + 'human = "ref:x"', "line 2: .*ref: expected a file of human scores, found a directory"),
        (
            REFERENCES + "human = 3",
            "line 2: human: expected the name of a file, perhaps with :COLUMN, or a table with file, column, "
            "judges, grades, as_rankings, mqm, found 3",
        ),
        (
            REFERENCES + 'human = {file = "grades.tsv", judge = "mean"}',
            r'line 2: human: there is no key "judge" \(did you mean "judges"\?\)$',
        ),
        (REFERENCES + 'human = {column = "x"}', r'line 2: human: expected file = "\.\.\.", found none$'),
        (
            REFERENCES + 'human = {file = "grades.tsv", grades = [1]}',
            r"line 2: human: grades: expected text, or a list of texts, found \[1\]$",
        ),
        (
            REFERENCES + 'human = {file = "grades.tsv", as_rankings = "yes"}',
            'line 2: human: as_rankings: expected true or false, found "yes"$',
        ),
        (
            REFERENCES + 'human = {file = "grades.tsv", judges = "mode"}',
            'line 2: judges: expected median or mean, found "mode"',
        ),
        (
            REFERENCES + '[human]\nfile = "comet.tsv"\ncolumn = "x"',
            r'line 2: .*comet\.tsv: there is no criterion "x" \(there is score\)',
        ),
        (
            REFERENCES + 'systems = "sys/*"\nhuman = "late.tsv"',
            r"line 3: .*late\.tsv, line 2: expected segment from 1 to 3, found 4",
        ),
        (REFERENCES + "system = 1", r'line 2: there is no key "system" \(did you mean "systems"\?\)'),
        (REFERENCES + "zzz = 1", r'line 2: there is no key "zzz" \(there are name, caveats, source, .*'),
        (REFERENCES + 'metrics = ["BLUE-4"]', r'line 2: there is no metric "BLUE-4" \(did you mean BLEU-4'),
        (REFERENCES + 'metrics = [\n"BLEU-4",\n"NIST-10",\n]', r"line 4: NIST-n: n is 1 to 9, not 10"),
        (REFERENCES + 'metrics = ["BLEU-4", "bleu4"]', "line 2: expected each metric once, found BLEU-4 twice"),
        (REFERENCES + 'tokenize = "13b"', r'line 2: there is no tokenizer "13b" \(did you mean "13a"\?\)'),
        (REFERENCES + "tokenize = 13", "line 2: tokenize: expected the name of a tokenizer, found 13"),
        (REFERENCES + 'lowercase = "yes"', 'line 2: lowercase: expected true or false, found "yes"'),
        (REFERENCES + "analyzer = 1", "line 2: analyzer: expected the name of an installed analyzer, found 1"),
        (REFERENCES + 'labels = "ptb"', 'line 2: labels: expected "own" or "iqmt", found "ptb"'),
        (REFERENCES + 'parses = "nix/*.conllu"', r'line 2: no file matches "nix/\*\.conllu"'),
        (REFERENCES + 'parses = ["nix.conllu"]', r"line 2: .*nix\.conllu: there is no such file"),
        (REFERENCES + 'parses = {A = "nix.conllu"}', r"line 2: .*nix\.conllu: there is no such file"),
        (
            REFERENCES + "parses = {A = 3}",
            "line 2: parses of A: expected the name of a file, or a list of them, found 3",
        ),
        (
            REFERENCES + "parses = 3",
            "line 2: parses: expected the name of a file, a list of them, or a table that maps texts to "
            "their files, found 3",
        ),
        (
            REFERENCES + 'analyzer = "spacy"\nparses = "short.txt"',
            "line 3: expected either analyzer or parses, found both",
        ),
        (REFERENCES + "confidence = 95", "line 2: confidence: expected a number between 0 and 1, found 95"),
        (REFERENCES + "confidence = true", "line 2: confidence: expected a number between 0 and 1, found true"),
        (REFERENCES + "n_resamples = 1", "line 2: n_resamples: expected a whole number from 2 to 10000000, found 1"),
        (REFERENCES + "seed = 1.5", r"line 2: seed: expected a whole number, found 1\.5"),
        (
            REFERENCES + 'external = "comet.tsv"',
            r'line 2: external: expected a table that maps metrics to their files, found "comet\.tsv"',
        ),
        (REFERENCES + '[external]\nA = "comet.tsv"\nB = "x.tsv"', r"line 4: .*x\.tsv: there is no such file"),
        (
            REFERENCES + '[external]\nB = {file = "comet.tsv", kind = "up"}',
            r'line 3: external: B: expected the name of a file, or \{file = "\.\.\.", kind = "error" or '
            r""""similarity", column = "\.\.\."\}, found \{'file': 'comet\.tsv', 'kind': 'up'\}""",
        ),
        (
            REFERENCES + "[external]\nB = 3",
            r'line 3: external: B: expected the name of a file, or \{file = "\.\.\.", kind = "error" or '
            r'"similarity", column = "\.\.\."\}, found 3',
        ),
        (
            REFERENCES + '[external]\n"a b" = "comet.tsv"',
            r'line 3: expected the name of a metric as NAME or NAME:error, without spaces, = and \|, found "a '
            'b"',
        ),
        (REFERENCES + "metrics = [", r"e\.toml, line 2: expected TOML \(Invalid value\)"),
        (REFERENCES + "a b = 1", r"e\.toml, line 2: expected TOML \(Expected '=' after a key in a key/value pair\)"),
        (REFERENCES + REFERENCES, r"e\.toml, line 2: expected TOML \(Cannot overwrite a value\)"),
    ],
)
def test_each_mistake_is_a_sentence_with_its_line(folder, text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_experiment(written(folder, text), metric)
    assert "\n" not in str(caught.value)


def test_all_mistakes_are_told_at_once(folder):
    text = 'nam = "x"\nreferences = "ref/*.txt"\nsystems = ["short.txt", "nix.txt"]\nmetrics = "BLUE"\nseed = "x"\n'
    with pytest.raises(InputError) as caught:
        read_experiment(written(folder, text), metric)
    first, *others = str(caught.value).splitlines()
    path = folder / "e.toml"
    assert first == f"{path} has 5 mistakes:"
    assert [line.split(":")[0] for line in others] == [f"  {path}, line {line}" for line in (1, 3, 3, 4, 5)]


def test_not_utf8(folder):
    (folder / "e.toml").write_bytes(b'name = "\xff"\n')
    with pytest.raises(InputError, match=r"e\.toml, line 1, byte 9: expected UTF-8 text, found the byte 0xff"):
        read_experiment(str(folder / "e.toml"))


def test_no_such_experiment(tmp_path):
    with pytest.raises(InputError, match=r"e\.toml: there is no such file"):
        read_experiment(str(tmp_path / "e.toml"))


# --- in place of the file arguments ------------------------------------------------------------------------------


def answer(capsys, *arguments):
    assert main([*map(str, arguments), "-f", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def by_name(found):
    return {(one["system"], one["metric"]): one for one in found["results"]}


def test_score_takes_an_experiment(folder, capsys):
    found = answer(capsys, "score", written(folder, FULL))
    assert (found["seed"], found["confidence"], found["n_resamples"]) == (3, 0.9, 50)
    results = by_name(found)
    assert list(results)[:5] == [("B", "BLEU-4"), ("B", "chrF"), ("B", "COMET"), ("B", "E"), ("B", "F")]
    systems = {"B": ["a b c", "e f", "i j"]}
    references = list(zip(REFERENCE.splitlines(), REFERENCE.upper().splitlines(), strict=True))
    expected = tarocco.score(
        systems, references, tokenize="none", lowercase=True, confidence=0.9, n_resamples=50, seed=3
    )
    assert results["B", "BLEU-4"] == expected.to_dict()[0]


def test_the_command_line_wins(folder, capsys):
    path = written(folder, FULL)
    given = ("-m", "NIST-5", "--tokenize", "13a", "--no-lowercase", "--seed", "9", "--confidence", "0.5")
    found = answer(capsys, "score", path, *given, "--scores", f"COMET:error={folder / 'comet.tsv'}")
    assert (found["seed"], found["confidence"]) == (9, 0.5)
    results = by_name(found)
    assert list(results)[:4] == [("B", "NIST-5"), ("B", "E"), ("B", "F"), ("B", "COMET")]
    assert "|case:mixed|tok:13a|" in results["B", "NIST-5"]["signature"]
    assert "kind:error" in results["B", "COMET"]["signature"]


def test_documents_come_from_the_experiment(folder, capsys):
    found = answer(capsys, "score", written(folder, FULL), "--level", "document")
    assert list(by_name(found)["A", "BLEU-4"]["documents"]) == ["one", "two"]


def test_other_systems(folder, capsys):
    (folder / "other.txt").write_text(REFERENCE)
    assert main(["score", written(folder, FULL), "-i", str(folder / "other.txt"), "-b"]) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines() == ["100.00", "100.00"]
    assert "note: COMET is left out: " in captured.err
    assert 'there are no scores of system "other"' in captured.err


def test_scores_of_candidates_are_for_other_commands(folder, capsys):
    (folder / "n.jsonl").write_text('{"id": 0, "scores": [1]}\n')
    text = REFERENCES + 'systems = "sys/A.txt"\nexternal = {N = "n.jsonl"}\n'
    assert main(["score", written(folder, text), "-b"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "100.00\n"
    assert "note: N is left out: " in captured.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("e.toml", "ref/1.txt"), "expected one experiment file alone, found e.toml and ref/1.txt"),
        (("none.toml",), "none.toml names no systems: add systems = [...] or use -i"),
        (("nix.toml",), "nix.toml: there is no such file"),
    ],
)
def test_what_goes_wrong_on_the_command_line(folder, capsys, monkeypatch, arguments, message):
    written(folder, FULL)
    written(folder, REFERENCES, "none.toml")
    monkeypatch.chdir(folder)
    assert main(["score", *arguments]) == 1
    assert capsys.readouterr().err == f"tarocco: {message}\n"


def test_texts_are_read_once(folder, capsys, monkeypatch):
    """What was read to check the experiment is what is scored."""
    from tarocco.io import text

    seen = []
    monkeypatch.setattr(text, "read_bytes", lambda path, read=text.read_bytes: seen.append(path) or read(path))
    answer(capsys, "score", written(folder, REFERENCES + 'systems = "sys/*"\n'))
    assert sorted(seen) == sorted({*seen})
    assert len(seen) == 5


def test_mistakes_in_tables_of_scores_are_told_with_the_others(folder):
    (folder / "seg.tsv").write_text("system\tsegment\tscore\nA\t1\t0.5\nB\t9\t0.5\nC\t1\t0.5\n")
    (folder / "half.tsv").write_text("system\tscore\nA\t0.5\n")
    text = 'references = "ref/1.txt"\nsystems = "sys/*"\nhuman = "grades.tsv:adequcy"\n[external]\n'
    path = written(folder, text + 'one = "seg.tsv"\ntwo = "half.tsv"\n')
    with pytest.raises(InputError) as caught:
        read_experiment(path, metric)
    head, human, one, two = str(caught.value).split("\n  ")
    assert head == f"{path} has 3 mistakes:"
    assert human.startswith(
        f'{path}, line 3: {folder}/grades.tsv: there is no criterion "adequcy" (did you mean "adequacy"?)'
    )
    assert one.startswith(f"{path}, line 5: {folder}/seg.tsv, line 3: ")
    assert two == f'{path}, line 6: {folder}/half.tsv: there are no scores of systems "B", "C" (there is A)'


def test_human_scores_are_read_as_the_file_wants_it(folder):
    (folder / "h.tsv").write_text("judge\tsystem\tsegment\tfluency\nx\tA\t1\tfine\ny\tA\t1\tbad\nz\tA\t1\tbad\n")
    for grades, wanted in (('"fine bad"', "fine bad"), ('["fine", "bad"]', ("fine", "bad"))):
        human = f'human = {{file = "h.tsv", column = "fluency", judges = "mean", grades = {grades}}}\n'
        found = read_experiment(written(folder, REFERENCES + 'systems = "sys/A.txt"\n' + human))
        assert found.human == HumanFile(str(folder / "h.tsv"), "fluency", "mean", wanted)
        assert found.human_scores.criteria["fluency"][0, 0] == 4 / 3
    (folder / "h.tsv").write_text("judge\tsystem\tscore\nx\tA\t50\nx\tB\t70\ny\tA\t1\ny\tB\t2\n")
    text = REFERENCES + 'systems = ["sys/A.txt", "sys/B.txt"]\n[human]\nfile = "h.tsv"\nas_rankings = true\n'
    assert read_experiment(written(folder, text)).human_scores.criteria["score"].tolist() == [0, 1]


def test_systems_that_nobody_judged_are_left_out(folder):
    (folder / "grades.tsv").write_text("system\tadequacy\nA\t5\nb\t3\nref\t5\n")
    path = written(folder, REFERENCES + 'systems = "sys/*"\nhuman = "grades.tsv"\n')
    assert read_experiment(path).human_scores.systems == ("A",)


def test_without_systems_human_scores_are_those_of_all(folder):
    found = read_experiment(written(folder, REFERENCES + 'human = "grades.tsv"\n'))
    assert found.human_scores.systems == ("A", "B", "C")


def test_scores_that_were_read_with_the_experiment_are_not_read_again(folder, monkeypatch, capsys):
    path = written(folder, 'references = "ref/1.txt"\nsystems = "sys/*"\nexternal = {COMET = "comet.tsv"}\n')
    from tarocco.io.scores import external

    read, times = external.read_score_table, []
    monkeypatch.setattr(external, "read_score_table", lambda path: times.append(path) or read(path))
    assert main(["score", path, "-f", "tsv"]) == 0
    assert len(times) == 1
    assert "\nB\tCOMET\t0.7\t" in capsys.readouterr().out


def test_who_needs_no_people_is_not_kept_by_strangers(folder, capsys):
    path = written(folder, 'references = "ref/1.txt"\nsystems = "sys/*"\nhuman = "strangers.tsv"\n')
    assert main(["score", path]) == 0
    assert main(["correlate", path]) == 1
    assert capsys.readouterr().err == (
        f"tarocco: {folder}/strangers.tsv: people judged X, but the systems are A, B, C\n"
    )
    # With other systems, or other people, it is not the experiment's people that are asked.
    (folder / "X.txt").write_text(REFERENCE)
    assert main(["correlate", path, "-i", str(folder / "X.txt")]) == 1
    err = capsys.readouterr().err
    assert "at least 4" in err
    assert "but the systems are" not in err
    assert main(["correlate", path, "--human", str(folder / "grades.tsv")]) == 1
    err = capsys.readouterr().err
    assert "at least 4" in err
    assert "but the systems are" not in err


def test_people_that_were_read_with_the_experiment_are_not_read_again(folder, monkeypatch, capsys):
    path = written(folder, 'references = "ref/*"\nsystems = "sys/*"\nhuman = "grades.tsv"\n')
    from tarocco.io.scores import human

    read, times = human.read_score_table, []
    monkeypatch.setattr(human, "read_score_table", lambda path: times.append(path) or read(path))
    for more, count in (((), 1), (("--judges", "mean"), 2), (("--human", str(folder / "grades.tsv")), 2)):
        times.clear()
        main(["correlate", path, *more])
        assert "at least 4" in capsys.readouterr().err
        assert len(times) == count


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = 1" + "0" * 5000])
def test_hostile_toml_is_one_sentence(folder, text):
    with pytest.raises(InputError, match=r"e\.toml"):
        read_experiment(written(folder, text), metric)
