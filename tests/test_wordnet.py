"""The table of WordNet against facts that anybody can look up, its own files, and Princeton's `wn` command."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT
from textbook.wordnet_files import PARTS, Files
from textbook.wordnet_lookup import lookup

from tarocco.encode.vocabulary import Vocabulary
from tarocco.encode.wordnet import wordnet

FOLDER = Path(os.environ.get("WNSEARCHDIR", "/usr/share/wordnet"))
INFLECTED = (
    *(
        "axes",
        "boxesful",
        "better",
        "best",
        "ran",
        "was",
        "were",
        "leaves",
        "geese",
        "men",
        "women",
        "children",
        "dogs",
    ),
    *(
        "running",
        "left",
        "mice",
        "went",
        "larger",
        "largest",
        "ties",
        "dies",
        "classes",
        "buzzes",
        "churches",
        "wishes",
    ),
    *("cities", "making", "stopped", "us", "ss", "as", "has", "does", "glass", "fried", "happier", "oxen", "wolves"),
    *("indices", "criteria", "lay", "lying", "lied", "saw", "sawed", "found", "founded", "felt"),
)


@pytest.fixture(scope="module")
def files():
    if not (FOLDER / "data.noun").exists():
        pytest.skip("Debian's package wordnet-base is not installed")
    return Files(FOLDER)


def test_the_table_is_the_one_that_is_described():
    folder = ROOT / "src/tarocco/data/wordnet"
    digest = hashlib.sha256((folder / "wordnet.npz").read_bytes()).hexdigest()
    assert digest in (folder / "README.md").read_text("utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University" in (folder / "LICENSE").read_text("utf-8")


@pytest.mark.parametrize(
    ("word", "part", "expected"),
    [
        ("axes", "n", ["ax", "axis"]),
        ("better", "a", ["better", "good", "well"]),
        ("Geese", "n", ["goose"]),
        ("was", "v", ["be"]),
        ("boxesful", "n", ["boxful"]),
        ("glass", "n", ["glass"]),
        ("leaves", None, ["leaf", "leave"]),
        ("deeper", "r", ["deeply"]),
        ("qqq", None, []),
        ("", None, []),
        ("naïve", None, []),
    ],
)
def test_base_forms(word, part, expected):
    assert lookup().lemmas(word, part) == expected


def test_synonyms():
    table = lookup()
    for one, other in (("car", "automobile"), ("began", "started"), ("big", "larger"), ("quickly", "rapidly")):
        assert table.are_synonyms(one, other), (one, other)
        assert table.are_synonyms(other, one)
    for one, other in (("car", "road"), ("the", "the"), ("hot", "cold"), ("", "")):
        assert not table.are_synonyms(one, other), (one, other)


def test_hypernyms():
    """Up from a dog to the top; and Berlin is an instance of a capital."""
    table = lookup()
    synset, chain = table.synsets("dog", "n")[0], []
    while table.hypernyms(synset):
        synset = table.hypernyms(synset)[0]
        chain.append(table.words(synset))
    assert chain[0] == ["canid", "canine"]
    assert chain[-1] == ["entity"]
    assert {"carnivore", "placental", "vertebrate"} <= {word for words in chain for word in words}
    assert any("national_capital" in table.words(above) for above in table.hypernyms(table.synsets("berlin")[0]))
    for word, part in (("dog", "n"), ("go", "v"), ("red", "a"), ("well", "r")):
        assert table.part(table.synsets(word, part)[0]) == part


def test_many_words_are_single_words():
    """All entries that are inflected forms of something, words that are none, and odd ones."""
    table, single = wordnet(), lookup()
    words = [*INFLECTED, "s", "ed", "es", "sful", "'s", "naïves", "qqq", "glass", "as", *table.entries[::50]]
    words += [
        word + suffix for word in table.entries[7::501] for suffix in ("s", "es", "ed", "ing", "er", "est", "ful")
    ]
    vocabulary = Vocabulary()
    text = np.frombuffer("".join(f"{word}\n" for word in words).encode(), np.uint8)
    vocabulary.encode(text, np.empty(len(words), np.int32), np.empty(len(words) + 1, np.intp), 0, 0)
    lemmas, synsets = table.lemma_ids(vocabulary), table.synset_ids(vocabulary)
    for number in range(len(vocabulary)):
        word = vocabulary[number]
        assert [table.entries[entry] for entry in lemmas[number]] == sorted(single.lemmas(word)), word
        assert synsets[number].tolist() == sorted(single.synsets(word)), word
    nothing = Vocabulary()
    assert len(table.lemma_ids(nothing)) == len(table.synset_ids(nothing)) == 0


def test_scoring_words_alone_reads_no_table():
    code = "import tarocco, sys; tarocco.score(['a'], ['a'], metrics='ROUGE-L'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "tarocco.encode.wordnet" not in done.stdout.split()


def check(table, files, words):
    """Base forms, synsets in their order, and the words of each synset and of those above it."""
    for word in words:
        for part in PARTS:
            forms = files.base_forms(word, part)
            assert table.lemmas(word, part) == forms, (word, part)
            offsets = list(dict.fromkeys(synset for form in forms for synset in files.index[part][form]))
            numbers = table.synsets(word, part)
            assert len(numbers) == len(offsets), (word, part)
            for number, offset in zip(numbers, offsets, strict=True):
                lemmas, above = files.synsets[offset]
                assert set(table.words(number)) == lemmas
                assert table.part(number) == part
                found = {frozenset(table.words(one)) for one in table.hypernyms(number)}
                assert found == {frozenset(files.synsets[one][0]) for one in above}


def test_the_table_is_what_the_files_say(files):
    """A sample of the entries, of the exceptions and of inflected words; TAROCCO_ALL_WORDS=1 compares all of them."""
    entries = sorted({word for part in PARTS for word in (*files.index[part], *files.exceptions[part])})
    step = 1 if os.environ.get("TAROCCO_ALL_WORDS") == "1" else 97
    check(lookup(), files, [*INFLECTED, *entries[::step]])


def test_wn_finds_these_base_forms():
    """Princeton's own program; it stops at the first rule that finds an entry, so it may find fewer."""
    if not shutil.which("wn"):
        pytest.skip("Debian's package wordnet is not installed")
    for word in INFLECTED:
        out = subprocess.run(["wn", word, "-over"], capture_output=True, text=True, check=False).stdout
        found = {(part, lemma) for part, lemma in re.findall(r"^Overview of (noun|verb|adj|adv) (\S+)$", out, re.M)}
        ours = {(PARTS[part], lemma) for part in PARTS for lemma in lookup().lemmas(word, part)}
        assert found <= ours, word
        assert {part for part, _ in found} == {part for part, _ in ours}, word
