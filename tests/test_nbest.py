"""`tarocco.score_nbest`: many candidates for one segment."""

import pytest

import tarocco
from tarocco.core.errors import InputError


def test_a_list_of_candidates_for_one_segment():
    """The same numbers as segment by segment, for strings and for lines of bytes; NIST's weights are the segment's."""
    candidates, references = ["the cat sat", "", "a cat sat on it"], ["the cat sat here", "a cat"]
    names = ["BLEUS-4", "ROUGE-S-4", "WER", "GRR-4", "GTM-2", "chrF", "TER"]
    found = tarocco.score_nbest(candidates, references, metrics=names)
    alone = tarocco.score(candidates, [references] * 3, metrics=names, tokenize="none")
    assert list(found) == names
    for name in names:
        assert found[name].tolist() == alone[name].segments.tolist()
    for lines in (b"the cat sat\n\na cat sat on it\n", b"the cat sat\n\na cat sat on it"):
        assert tarocco.score_nbest(lines, references, metrics="WER")["WER"].tolist() == found["WER"].tolist()
    nist = tarocco.score_nbest(candidates, references, metrics="NIST-2")["NIST-2"]
    assert nist.tolist() == [
        tarocco.score([one], [references], metrics="NIST-2", tokenize="none").scores[0].score for one in candidates
    ]
    assert all(scores.shape == (0,) for scores in tarocco.score_nbest([], "a", metrics=names).values())
    # An empty reference beside others is none, and one that is all there is stays.
    padded = tarocco.score_nbest(candidates, [*references, "", " "], metrics=names)
    for name in names:
        assert padded[name].tolist() == found[name].tolist()
    assert tarocco.score_nbest(["a", ""], ["", ""], metrics="WER")["WER"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("candidates", "references", "message"),
    [
        (b"ok\n\xff\n", ["a"], "line 2 is not UTF-8"),
        (["a", 1], ["a"], "segment 1 .counted from 0.: expected a string, found type int"),
        (["a"], [], "there are no references"),
        ("a b", ["a"], "candidates: expected a list with one item per segment, found type str"),
    ],
)
def test_bad_lists_of_candidates(candidates, references, message):
    with pytest.raises(InputError, match=message):
        tarocco.score_nbest(candidates, references)
