"""The generator of n-best lists for benchmarks: the same bytes for the same seed, and lists of the shape asked for."""

import sys

import pytest
from conftest import ROOT

from tarocco.io.nbest.lists import NBestFile


@pytest.fixture
def write(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import nbest_data

    yield nbest_data.write
    for name in ("nbest_data", "text"):
        sys.modules.pop(name, None)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_shape_and_the_seed(write, tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        write(tmp_path / name, 6, 50, 3, seed)
    assert contents(tmp_path / "a") == contents(tmp_path / "b") != contents(tmp_path / "c")
    lists = list(NBestFile(str(tmp_path / "a" / "nbest.txt"), segments=6))
    assert [(one.segment, len(one.candidates)) for one in lists] == [(i, 50) for i in range(6)]
    assert sorted(contents(tmp_path / "a")) == ["nbest.txt", "ref1.txt", "ref2.txt", "ref3.txt"]


def test_candidates_share_more_with_each_other_than_with_references(write, tmp_path):
    """As a decoder's do."""

    def overlap(one, other):
        one, other = set(one.split()), set(other.split())
        return len(one & other) / max(len(one), len(other))

    write(tmp_path, 10, 50, 2)
    references = (tmp_path / "ref1.txt").read_text().splitlines()
    for one in NBestFile(str(tmp_path / "nbest.txt")):
        first, *others = one.candidates
        among = sum(overlap(first, other) for other in others) / len(others)
        assert among > 0.7
        assert overlap(first, references[one.segment]) < among
