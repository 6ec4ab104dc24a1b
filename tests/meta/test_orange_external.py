"""Scores made elsewhere, whatever else is asked of the lists: worked against the numbers themselves."""

import json
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

import tarocco
from tests.textbook.orange_trial import oracle_rank, taking_part

LISTS = [["r1", "r1"], ["a", "b", "a", "c", "r1"], ["x", "y"], ["b", "b", "b"]]
REFERENCES = [["r1", "r2"]] * 4
GIVEN = [
    ([0.3, 0.1], [0.5, 0.2]),
    ([1.0, 2.0, 3.0, -4.0, 0.5], [0.75, 2.0]),
    ([0.0, 1.0], [1.0, 1.0]),
    ([5.0, 4.0, 3.0], [4.5, 4.0]),
]


def by_hand(n_best=None, unique=False, drop_copies=False):
    """The rank in each list that has candidates left; the same text may have several scores."""
    ranks = []
    for texts, references, (scores, of_references) in zip(LISTS, REFERENCES, GIVEN, strict=True):
        numbered = [f"{text} {number}" for number, text in enumerate(texts)]
        kept = taking_part(texts, references, None, unique, drop_copies)
        left, seen = [], []
        for name, text, score in zip(numbered, texts, scores, strict=True):
            if text in kept and not (unique and text in seen):
                left.append((name, score))
                seen.append(text)
        left = left[:n_best]
        if left:
            ranks.append(
                oracle_rank([score for _, score in left], of_references, "average-score", "average", len(left))
            )
    return ranks


@pytest.mark.parametrize(
    "options",
    [{}, {"unique": True}, {"drop_copies": True}, {"n_best": 2}, {"unique": True, "drop_copies": True, "n_best": 2}],
)
def test_with_every_selection(options):
    found = tarocco.orange(LISTS, REFERENCES, metrics=["WER"], external={"X": GIVEN}, short="keep", **options)
    assert found["X"].ranks.tolist() == by_hand(**options)


def test_an_error_and_the_mean_of_ranks():
    lower = [([-score for score in own], [-score for score in theirs]) for own, theirs in GIVEN]
    found = tarocco.orange(
        LISTS, REFERENCES, metrics=[], external={"X": GIVEN, "E:error": lower}, combine=[("X", "E")], short="keep"
    )
    assert found["X"].ranks.tolist() == found["E"].ranks.tolist() == found["X + E"].ranks.tolist()


def test_a_store_goes_by_the_scores_not_by_the_texts(tmp_path):
    """The same text under another id has other scores, and no old outcome."""
    lists, references = [["a", "b"], ["a", "b"]], [["a", "c"], ["a", "c"]]
    scores = tmp_path / "x.jsonl"
    given = [{"id": 0, "scores": [1, 2], "references": [0, 0]}, {"id": 1, "scores": [1, 2], "references": [3, 3]}]
    scores.write_text("".join(json.dumps(one) + "\n" for one in given))
    ranks = []
    for number, own in enumerate(lists):
        path = tmp_path / f"nbest{number}.txt"
        path.write_text("".join(f"{number} ||| {text}\n" for text in own))
        options = {"metrics": [], "external": {"X": scores}, "store": tmp_path / "store"}
        ranks += tarocco.orange(path, references, **options)["X"].ranks.tolist()
    assert ranks == [3, 1]


def test_pooled_lists(tmp_path):
    """The scores of a pool are those of its lists, one behind the other; of the same reference the first."""
    found = tarocco.orange(
        LISTS, REFERENCES, metrics=[], external={"X": GIVEN}, pool=["p", "q", "p", "q"], short="keep"
    )
    scores = [GIVEN[0][0] + GIVEN[2][0], GIVEN[1][0] + GIVEN[3][0]]
    expected = [oracle_rank(own, GIVEN[i][1], "average-score", "average", len(own)) for i, own in enumerate(scores)]
    assert found["X"].ranks.tolist() == expected


def test_a_pool_with_a_member_that_has_no_list(tmp_path):
    """Its references count all the same."""
    path = tmp_path / "nbest.txt"
    path.write_text("0 ||| a b\n0 ||| c\n")
    found = tarocco.orange(path, [["a b d"], ["a b c"]], metrics=["WER"], pool=["p", "p"])
    assert found["WER"].n_segments == 1
    assert found["WER"].signature.endswith("|pooled:yes|v:" + tarocco.__version__)


def test_other_processes():
    generator = np.random.default_rng(1)
    texts = [[" ".join(generator.choice(list("abcd"), 5)) for _ in range(8)] for _ in range(6)]
    lists, references = [own[2:] for own in texts], [own[:2] for own in texts]
    given = [(generator.random(6), generator.random(2)) for _ in range(6)]
    options = {"metrics": ["NIST-5", "WER", "chrF"], "external": {"X": given}, "combine": [("WER", "X")]}
    with ProcessPoolExecutor(2) as pool:
        there = tarocco.orange(lists, references, **options, executor=pool, confusions=2)
    here = tarocco.orange(lists, references, **options, confusions=2)
    assert there.to_dict() == here.to_dict()
    assert there.confusions == here.confusions


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("x.jsonl", "external is a mapping"),
        ({"X": [1, 2, 3, 4]}, "X, list 0: expected a pair"),
        (
            {"X": [([1.0, None], [1, 2])]},
            r"X, list 0: expected finite numbers in \"scores\", found null",
        ),
        ({"X": GIVEN[:2]}, "X: no scores for list 2, which begins at nbest, line 3"),
        ({"X": [GIVEN[1]] * 4}, "X, line 0: expected 2 scores of candidates for list 0, found 5"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(tarocco.TaroccoError, match=message):
        tarocco.orange(LISTS, REFERENCES, metrics=["WER"], external=given)
