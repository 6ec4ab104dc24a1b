"""sacrebleu's options on our command line: the same results as its own command, or one sentence."""

import json

import pytest
import sacrebleu

from tarocco.cli import main

REFERENCE = ["the cat sat on the mat", "a dog barked at him , loudly", "c d e f", "one two three four"]
SYSTEMS = {
    "a": ["the cat sat on a mat", "a dog barked at her", "c d f g", "one two four"],
    "b": ["the cat is on the mat", "the dog barked at him, loudly", "c d e f", "one three four"],
}


@pytest.fixture
def files(tmp_path, monkeypatch):
    for name, lines in {"ref": REFERENCE, **SYSTEMS}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    monkeypatch.chdir(tmp_path)


def run(capsys, *arguments):
    try:
        code = main(list(arguments))
    except SystemExit as stop:
        code = stop.code
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def scores(capsys, *arguments):
    code, out, _ = run(capsys, "score", "ref", "-i", "a", *arguments, "-f", "json")
    assert code == 0
    return json.loads(out)["results"]


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        (["--smooth-method", "floor"], sacrebleu.BLEU(smooth_method="floor", effective_order=True)),
        (["-s", "add-k", "-sv", "2"], sacrebleu.BLEU(smooth_method="add-k", smooth_value=2, effective_order=True)),
        (["--smooth-method=none", "-m", "bleu"], sacrebleu.BLEU(smooth_method="none")),
        (["-m", "chrf", "--chrf-word-order", "2"], sacrebleu.CHRF(word_order=2)),
        (["-cc", "4", "--chrf-beta", "3", "-m", "chrf"], sacrebleu.CHRF(char_order=4, beta=3)),
        (
            ["-m", "chrf", "--chrf-whitespace", "--chrf-eps-smoothing"],
            sacrebleu.CHRF(whitespace=True, eps_smoothing=True),
        ),
        (
            ["-m", "ter", "--ter-normalized", "--ter-case-sensitive"],
            sacrebleu.TER(normalized=True, case_sensitive=True),
        ),
        (["--force", "-nc"], sacrebleu.BLEU(force=True, effective_order=True)),
    ],
)
def test_parameters_of_metrics(files, capsys, options, metric):
    (result,) = scores(capsys, *options)
    assert 100 * result["score"] == pytest.approx(metric.corpus_score(SYSTEMS["a"], [REFERENCE]).score)


def test_parameters_concern_their_metric_only(files, capsys):
    names = [result["metric"] for result in scores(capsys, "-m", "bleu", "chrF", "WER", "-cw", "1", "-s", "floor")]
    assert names == ["BLEU-4:smooth=floor", "chrF+", "WER"]


def test_sentence_level(files, capsys):
    (result,) = scores(capsys, "-sl")
    metric = sacrebleu.BLEU(effective_order=True)
    expected = [
        metric.sentence_score(text, [reference]).score / 100
        for text, reference in zip(SYSTEMS["a"], REFERENCE, strict=True)
    ]
    assert result["segments"] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "same"),
    [
        (["--paired-bs", "--paired-bs-n", "200"], ["--test", "sacrebleu", "--n-resamples", "200"]),
        (["-par", "-parn", "300"], ["--test", "randomization", "--n-resamples", "300"]),
    ],
)
def test_paired_tests_are_those_of_compare(files, capsys, options, same):
    code, out, err = run(capsys, "score", "ref", "-i", "a", "b", *options)
    assert code == 0
    assert f"note: running tarocco compare ref -i a b {' '.join(same)}\n" in err
    assert out == run(capsys, "compare", "ref", "-i", "a", "b", *same)[1]


def test_text_is_a_table(files, capsys):
    assert run(capsys, "score", "ref", "-i", "a", "-f", "text")[1] == run(capsys, "score", "ref", "-i", "a")[1]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("score ref -i a --short", "--short: signatures have one form; -b prints only the scores"),
        ("score ref -i a -o out", "-o: results go to standard output"),
        ("score -t wmt20 -l en-de -i a", "-t: test sets are not downloaded"),
        ("score ref -i a --chrf-word-order 2", "--chrf-word-order is about chrF, which is not among the metrics"),
        ("score ref -i a -s", "-s: expected a value after it"),
        ("score ref -i a --metric BLEU", "did you mean --metrics?"),
        ("score ref -i a --level sentence", "(did you mean segment?)"),
        ("score ref -i a -f markdown", "(did you mean md?)"),
        ("compare ref -i a b --test ar", "(did you mean randomization?)"),
        ("compare ref -i a b --test bs", "(did you mean bootstrap?)"),
        ("compare ref -i a b --test bootstrp", "(did you mean bootstrap?)"),
        ("store list", "(did you mean ls?)"),
        ("score", "the following arguments are required: REF"),
    ],
)
def test_what_is_wrong_takes_one_line(files, capsys, arguments, sentence):
    """Never a usage dump: the sentence, and where the help is."""
    code, out, err = run(capsys, *arguments.split())
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_systems_named_like_references(files, capsys, monkeypatch):
    """`score ref sys` without -i reads the system from standard input, and says so if there is nothing."""
    with open("empty", "w+") as empty:
        monkeypatch.setattr("sys.stdin", empty)
        code, _, err = run(capsys, "score", "ref", "a")
    assert code == 1
    assert "without -i, all files are references" in err
    assert "if a is a system: tarocco score ref -i a" in err
