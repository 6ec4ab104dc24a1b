"""JSON is strict whatever the data: NaN and infinite numbers are null, and no warning of NumPy reaches users."""

import json
import math
import re
import warnings

import pytest
from test_architecture import FILES, SOURCE

from tarocco import datasets
from tarocco.cli import main
from tarocco.core.errors import InputError
from tarocco.core.json_text import json_text
from tarocco.io.scores.external import build_external_scores
from tarocco.io.tables import LARGEST

DEMO = datasets.DATA / "demo"
SYSTEMS = ("careful", "middling", "mirror", "literal", "brief", "verbose")
REFERENCES = ("ref1", "ref2", "ref3", "ref4")
NAMES = " ".join(f"{name}.txt" for name in SYSTEMS)
TEXTS = "ref1.txt ref2.txt ref3.txt ref4.txt -i " + NAMES
LISTS = "nbest.txt -r ref1.txt ref2.txt ref3.txt ref4.txt"
COMMANDS = f"""
score {TEXTS} -m BLEU-4 TER NIST-5 -ci --n-resamples 20
score {TEXTS} --scores X=x.tsv -ci --n-resamples 20
compare {TEXTS} -m BLEU-4 TER --n-resamples 20
compare {TEXTS} --scores X=x.tsv --n-resamples 20
correlate {TEXTS} -m BLEU-4 TER --human human.tsv --n-resamples 20
correlate {TEXTS} -m BLEU-4 TER --human human.tsv --n-resamples 20 --level segment --grouping item
correlate {TEXTS} -m BLEU-4 TER --human human.tsv --support
check {TEXTS} --source ref1.txt --human human.tsv -m BLEU-4
explain {TEXTS} -m BLEU-4 GTM-1
orange {LISTS} -m BLEUS-4 NIST-5 -ci --n-resamples 20
king {TEXTS} -m ROUGE-L PER
mbr {LISTS} --by BLEU-4 NIST-5
oracle {LISTS} -m chrF --also BLEU-4 NIST-5
trial {TEXTS} -m BLEU-4 TER --human human.tsv --nbest nbest.txt --n-resamples 20
"""


def lines_of(name, n):
    return (DEMO / f"{name}.txt").read_text("utf-8").splitlines()[:n]


CASES = {
    "one segment": {name: lines_of(name, 1) for name in (*SYSTEMS, *REFERENCES)},
    "equal outputs": {
        **dict.fromkeys(SYSTEMS, lines_of("careful", 5)),
        **{name: lines_of(name, 5) for name in REFERENCES},
    },
    "empty lines": dict.fromkeys((*SYSTEMS, *REFERENCES), [""] * 5),
}


@pytest.mark.parametrize("case", CASES)
def test_degenerate_data(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = CASES[case]
    n = len(texts["ref1"])
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in text), "utf-8")
    for file, number in (("human.tsv", 3), ("x.tsv", LARGEST)):
        rows = "".join(f"{system}\t{segment + 1}\t{number}\n" for system in SYSTEMS for segment in range(n))
        (tmp_path / file).write_text(f"system\tsegment\tscore\n{rows}")
    lists = "".join(f"{i} ||| {texts[system][i]}\n" for i in range(n) for system in SYSTEMS)
    (tmp_path / "nbest.txt").write_text(lists, "utf-8")
    results = 0
    for command in COMMANDS.strip().splitlines():
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)  # they would be raised, as errors
            code = main([*command.split(), "-f", "json", "-j", "1"])
        out, err = capsys.readouterr()
        assert code in (0, 1), command
        assert (code == 1) == (not out), f"{command}: {err}"
        if out:
            json.loads(out, parse_constant=lambda constant: pytest.fail(f"{constant} in {command}"))  # noqa: B023
            results += 1
    assert results >= 8


def test_numbers_that_json_does_not_have():
    value = {"a": [math.nan, math.inf, (-math.inf, 1.5)], "b": {"c": math.nan}, "d": "NaN"}
    for options in ({}, {"compact": True}, {"indent": 1}, {"ascii": True}):
        assert json.loads(json_text(value, **options)) == {"a": [None, None, [None, 1.5]], "b": {"c": None}, "d": "NaN"}


def test_one_writer():
    """Nothing else writes JSON, except values in the messages of errors."""
    users = {
        f"{path.relative_to(SOURCE).as_posix()}: {found}"
        for path in FILES
        for found in re.findall(r"json\.(?:dumps?|JSONEncoder)|import .*\bdumps?\b", path.read_text("utf-8"))
    }
    assert users == {
        "core/json_text.py: import dumps",
        "io/tables.py: json.dumps",  # for messages
        "io/graphs/cdec.py: json.dumps",  # for messages
        "io/nbest/features.py: json.dumps",  # a record that was just read, to be read again
    }


def test_numbers_whose_sum_is_infinite(tmp_path):
    """A mean of 1e308 and 1e308 is not a number, so files cannot have such scores."""
    with pytest.raises(InputError, match=r'finite numbers \(up to 1e\+100\) for system "a", found a larger one'):
        build_external_scores("X", {"a": [1e308, 1e308]}, ["a"], 2)
    path = tmp_path / "n.txt"
    path.write_text("system\tsegment\tscore\na\t1\t1e308\n")
    assert main(["score", str(DEMO / "ref1.txt"), "-i", str(DEMO / "brief.txt"), "--scores", f"X={path}"]) == 1
