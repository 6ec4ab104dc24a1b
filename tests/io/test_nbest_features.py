"""Scores and features of n-best lists: against a slow reading, and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarocco.core.errors import InputError
from tarocco.io import text as text_module
from tarocco.io.nbest.features import parse_features, parse_scores
from tarocco.io.nbest.lists import NBestFile

NUMBERS = st.floats(-1e6, 1e6).map(lambda x: round(x, 4))
WORDS = st.text("ab|=: é", max_size=8).filter(lambda text: "|||" not in f" {text} " and "||" not in text)


def lists_in(tmp_path, content, name="n.txt"):
    path = tmp_path / name
    path.write_text(content, "utf-8")
    return list(NBestFile(str(path)))


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), WORDS, st.tuples(NUMBERS, NUMBERS, NUMBERS), NUMBERS), min_size=1),
    form=st.sampled_from(["{}: ", "{}= ", "{}="]),
    tail=st.sampled_from(["", " ||| 0-0 1-1", "|||"]),
    chunk=st.sampled_from([7, 1 << 20]),
)
def test_what_is_written_is_read(tmp_path_factory, rows, form, tail, chunk):
    rows.sort(key=lambda row: row[0])
    a, b = form.format("lm"), form.format("TM_0")
    content = "".join(
        f"{which} ||| {text} ||| {a}{x!r} {y!r} {b}{z!r} ||| {score!r}{tail}\n"
        for which, text, (x, y, z), score in rows
    )
    folder = tmp_path_factory.mktemp("features")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_module, "CHUNK", chunk)
        found = lists_in(folder, content)
    assert [x for one in found for x in parse_scores(one)] == [score for *_, score in rows]
    features = [parse_features(one) for one in found]
    assert {(one.names, one.sizes) for one in features} == {(("lm", "TM_0"), (2, 1))}
    assert [tuple(row) for one in features for row in one.values] == [values for _, _, values, _ in rows]


def test_a_score_alone(tmp_path):
    (one,) = lists_in(tmp_path, "0 ||| a b ||| -1.5\n0 ||| c ||| -2e0 \n")
    assert parse_scores(one).tolist() == [-1.5, -2.0]


def test_fairseq(tmp_path):
    content = "S-0\tx\nT-0\ty\nH-0\t-0.5\ta @@b\nD-0\t-0.5\tab\nP-0\t-1 -2\nH-0\t-0.75\tc\nD-0\t-0.75\tc\n"
    (one,) = lists_in(tmp_path, content)
    assert list(one.candidates) == ["ab", "c"]
    assert parse_scores(one).tolist() == [-0.5, -0.75]


def test_json(tmp_path):
    candidates = [
        {"text": "a", "score": -1, "features": {"lm": [-4.1, -2], "w": -9}},
        {"text": "b", "score": -2.5, "features": {"lm": [1, 2], "w": 3}},
    ]
    one, _ = lists_in(
        tmp_path, "".join(json.dumps({"id": i, "candidates": candidates}) + "\n" for i in range(2)), "n.jsonl"
    )
    assert parse_scores(one).tolist() == [-1, -2.5]
    assert parse_features(one).names == ("lm", "w")
    assert parse_features(one).values.tolist() == [[-4.1, -2, -9], [1, 2, 3]]


def test_old_moses_lists(shared):
    lists = list(NBestFile(str(shared("data", "moses-fren-100best", "nbest.txt"))))
    assert len(lists) == 100
    assert parse_scores(lists[0])[:2].tolist() == [-14.6262, -14.6848]
    features = parse_features(lists[0])
    assert (features.names, features.sizes) == (("d", "lm", "tm", "w"), (7, 2, 5, 1))
    assert all(np.isfinite(parse_features(one).values).all() for one in lists)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 ||| a ||| f= 1 ||| -1\n0 ||| b\n", r"n\.txt, line 2: expected a number as score, found none"),
        ("0 ||| a ||| f= 1 ||| nan\n", r'n\.txt, line 1: expected a number as score, found "nan"'),
        ("0 ||| a ||| f= 1 ||| -inf\n", r'n\.txt, line 1: expected a number as score, found "-inf"'),
        ("0 ||| a ||| f= 1 ||| 1 2\n", r"n\.txt, line 1: expected a number as score, found none"),
        ("0 ||| a ||| s=x rank=1\n", r"n\.txt, line 1: expected a number as score, found none"),
        ("0\ta\n0\tb\n", r"n\.txt, line 1: expected a model score per candidate, found only texts"),
        ("S-0\tx\nH-0\tone\ta\nH-0\t2\tb\n", r'n\.txt, line 2: expected a number as score, found "one"'),
        ('{"id": 0, "candidates": ["a"]}\n', r"n\.txt, line 1: expected a number as score, found none"),
        ('{"id": 0, "candidates": [{"text": "a", "score": NaN}]}\n', r"line 1"),
    ],
)
def test_scores_that_are_none(tmp_path, content, message):
    (one,) = lists_in(tmp_path, content)
    with pytest.raises(InputError, match=message):
        parse_scores(one)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("0 ||| a\n", r"line 1: expected features such as"),
        ("0 ||| a ||| 1 2 ||| 3\n", r"line 1: expected features such as"),
        (
            "0 ||| a ||| f= 1 g= 2 ||| 3\n0 ||| b ||| f= 1 ||| 3\n",
            r"line 2: expected the features of the list's first candidate, f \(1\), g \(1\), found f \(1\)",
        ),
        (
            "0 ||| a ||| f= 1 2 ||| 3\n0 ||| b ||| f= 1 ||| 3\n",
            r"line 2: expected the features of the list's first candidate, f \(2\), found f \(1\)",
        ),
        (
            "0 ||| a ||| f= 1 2 ||| 3\n0 ||| b ||| f= 1 x ||| 3\n",
            'line 2: expected a number as value of a feature, found "x"',
        ),
        (
            "0 ||| a ||| f= 1 ||| 3\n0 ||| b\n",
            r"line 2: expected the features of the list's first candidate, f \(1\), found none",
        ),
        ("H-0\t1\ta\nH-0\t1\tb\n", "line 1: expected features, found only texts"),
    ],
)
def test_features_that_are_none(tmp_path, content, message):
    (one,) = lists_in(tmp_path, content)
    with pytest.raises(InputError, match=message):
        parse_features(one)
