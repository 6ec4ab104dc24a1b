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
    with pytest.raises(InputError, match=r'line 2: .*sys\.sgm \("S"\) has no segment 3 of document "d"'):
        read_experiment(written(folder, text))


REFERENCES = 'references = "ref/*.txt"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"e\.toml: references are wanted, such as references = \["),
        ("references = []", r"e\.toml, line 1: references is an empty list"),
        ("references = 3", r"e\.toml, line 1: references is the name of a file, or a list of them, not 3"),
        ('references = ["ref/1.txt", 3]', r"line 1: references is the name of a file, or a list of them, not \["),
        ('references = "nix/*.txt"', r'line 1: no file matches "nix/\*\.txt"'),
        ('references = "nix.txt"', r"line 1: .*nix\.txt: there is no such file"),
        ('references = "ref"', r"line 1: .*ref: this is a directory, a file is wanted"),
        ('references = ["ref/*.txt", "ref/1.txt"]', r"line 1: .*1\.txt is there twice"),
        (REFERENCES + 'systems = ["sys/A.txt", "sys/*"]', r"line 2: .*A\.txt is there twice"),
        (REFERENCES + 'systems = [\n "sys/A.txt",\n "short.txt"\n]', r"line 4: .*1\.txt has 3 .*, .*short\.txt has 1"),
        (REFERENCES + 'source = "short.txt"', r"line 2: .*1\.txt has 3 segments, .*short\.txt has 1"),
        (REFERENCES + 'documents = "short.txt"', r"line 2: .*short\.txt has 1 labels, .*1\.txt has 3 segments"),
        (REFERENCES + 'groups = "short.txt"', r"line 2: .*short\.txt has 1 labels, .*1\.txt has 3 segments"),
        (REFERENCES + 'nbest = "nix.txt"', r"line 2: .*nix\.txt: there is no such file"),
        (REFERENCES + 'human = "ref:x"', r"line 2: .*ref: a file of human scores is wanted, not a directory"),
        (REFERENCES + "human = 3", r"line 2: human is the name of a file, .* as_rankings, not 3"),
        (
            REFERENCES + 'human = {file = "grades.tsv", judge = "mean"}',
            r'line 2: human has no key "judge" \(did you mean "judges"\?\)$',
        ),
        (REFERENCES + 'human = {column = "x"}', r'line 2: human names no file: file = "\.\.\." is wanted$'),
        (
            REFERENCES + 'human = {file = "grades.tsv", grades = [1]}',
            r"line 2: human has grades = \[1\], but grades is text, or a list of texts$",
        ),
        (
            REFERENCES + 'human = {file = "grades.tsv", as_rankings = "yes"}',
            r'line 2: human has as_rankings = "yes", but as_rankings is true or false$',
        ),
        (REFERENCES + 'human = {file = "grades.tsv", judges = "mode"}', r'line 2: judges are .* mean, not "mode"'),
        (REFERENCES + '[human]\nfile = "comet.tsv"\ncolumn = "x"', r'line 2: .*comet\.tsv has no criterion "x"'),
        (
            REFERENCES + 'systems = "sys/*"\nhuman = "late.tsv"',
            r"line 3: .*late\.tsv, line 2: segment 4 is out of range, this test set has 1 to 3",
        ),
        (REFERENCES + "system = 1", r'line 2: there is no key "system" \(did you mean "systems"\?\)'),
        (REFERENCES + "zzz = 1", r'line 2: there is no key "zzz" \(there are name, source, .*'),
        (REFERENCES + 'metrics = ["BLUE-4"]', r'line 2: there is no metric "BLUE-4" \(did you mean BLEU-4'),
        (REFERENCES + 'metrics = [\n"BLEU-4",\n"NIST-9",\n]', r"line 4: NIST-n: n is 1 to 5, not 9"),
        (REFERENCES + 'metrics = ["BLEU-4", "bleu4"]', r"line 2: the metric BLEU-4 is there twice"),
        (REFERENCES + 'tokenize = "13b"', r'line 2: there is no tokenizer "13b" \(did you mean "13a"\?\)'),
        (REFERENCES + "tokenize = 13", r"line 2: tokenize is the name of a tokenizer, not 13"),
        (REFERENCES + 'lowercase = "yes"', r'line 2: lowercase is true or false, not "yes"'),
        (REFERENCES + "analyzer = 1", r"line 2: analyzer is the name of an analyzer, not 1"),
        (REFERENCES + 'labels = "ptb"', r'line 2: labels is own or iqmt, not "ptb"'),
        (REFERENCES + 'parses = "nix/*.conllu"', r'line 2: no file matches "nix/\*\.conllu"'),
        (REFERENCES + 'parses = ["nix.conllu"]', r"line 2: .*nix\.conllu: there is no such file"),
        (REFERENCES + 'parses = {A = "nix.conllu"}', r"line 2: .*nix\.conllu: there is no such file"),
        (REFERENCES + "parses = {A = 3}", r"line 2: parses of A are a file, or a list of them, not 3"),
        (REFERENCES + "parses = 3", r"line 2: parses is the name of a file, a list of them, or a table .*, not 3"),
        (REFERENCES + 'analyzer = "spacy"\nparses = "short.txt"', r"line 3: either an analyzer .* or files do"),
        (REFERENCES + "confidence = 95", r"line 2: confidence is a number between 0 and 1, not 95"),
        (REFERENCES + "confidence = true", r"line 2: confidence is a number between 0 and 1, not true"),
        (REFERENCES + "n_resamples = 1", r"line 2: n_resamples is a whole number from 2 to 10000000, not 1"),
        (REFERENCES + "seed = 1.5", r"line 2: seed is a whole number, not 1\.5"),
        (REFERENCES + 'external = "comet.tsv"', r'line 2: external is a table with names .*, not "comet\.tsv"'),
        (REFERENCES + '[external]\nA = "comet.tsv"\nB = "x.tsv"', r"line 4: .*x\.tsv: there is no such file"),
        (REFERENCES + '[external]\nB = {file = "comet.tsv", kind = "up"}', r"line 3: external scores of B are"),
        (REFERENCES + "[external]\nB = 3", r"line 3: external scores of B are the name of a file, .*, not 3"),
        (REFERENCES + '[external]\n"a b" = "comet.tsv"', r'line 3: "a b" cannot be the name of a metric'),
        (REFERENCES + "metrics = [", r"e\.toml, line 2: this is not TOML"),
        (REFERENCES + "a b = 1", r"e\.toml, line 2: this is not TOML: Expected '=' after a key"),
        (REFERENCES + REFERENCES, r"e\.toml, line 2: this is not TOML: Cannot overwrite a value"),
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
    with pytest.raises(InputError, match=r"e\.toml, line 1, byte 9: UTF-8 text is wanted"):
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
        (("e.toml", "ref/1.txt"), "an experiment file stands alone, but e.toml and ref/1.txt were given"),
        (("none.toml",), "none.toml names no systems: give them with -i"),
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
    from tarocco.io import lines

    seen = []
    monkeypatch.setattr(lines, "bytes_of", lambda path, read=lines.bytes_of: seen.append(path) or read(path))
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
        f'{path}, line 3: {folder}/grades.tsv has no criterion "adequcy" (did you mean "adequacy"?)'
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

    read, times = external.read_scores, []
    monkeypatch.setattr(external, "read_scores", lambda path: times.append(path) or read(path))
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

    read, times = human.read_scores, []
    monkeypatch.setattr(human, "read_scores", lambda path: times.append(path) or read(path))
    for more, count in (((), 1), (("--judges", "mean"), 2), (("--human", str(folder / "grades.tsv")), 2)):
        times.clear()
        main(["correlate", path, *more])
        assert "at least 4" in capsys.readouterr().err
        assert len(times) == count


@pytest.mark.parametrize("text", ["a = " + "[" * 100_000, "a = 1" + "0" * 5000])
def test_hostile_toml_is_one_sentence(folder, text):
    with pytest.raises(InputError, match=r"e\.toml"):
        read_experiment(written(folder, text), metric)
