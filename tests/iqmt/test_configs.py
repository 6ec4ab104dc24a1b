"""Both configuration files of IQmt: what the manual shows is read, and every mistake is a sentence with its line."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iqmt_beds import TABLE_1, copy_texts

from tarocco.core.errors import InputError
from tarocco.iqmt.configs import ENCODING, FAMILIES, check_name, find_computed, format_eval, read_eval, read_setup


@pytest.fixture(name="bed")
def test_bed(tmp_path):
    """A function that writes a configuration beside the bundled texts."""
    copy_texts(tmp_path)

    def write(text, name="IQsetup.config"):
        (tmp_path / name).write_text(text, "utf-8")
        return str(tmp_path / name)

    return write


def test_table_1(bed):
    setup = read_setup(bed(TABLE_1))
    assert setup.name == "MT_DUMMY_TESTSET"
    assert [text.path.rpartition("/")[2] for text in setup.references] == ["ref1.txt", "ref2.txt", "ref3.txt"]
    assert [text.path.rpartition("/")[2] for text in setup.systems] == ["careful.txt", "middling.txt"]
    assert sum(map(len, setup.metrics.values())) == 31  # section 5.1
    assert setup.metrics["BLEU"] == ("BLEU-1", "BLEU-2", "BLEU-3", "BLEU-4", "BLEUi-2", "BLEUi-3", "BLEUi-4")


def test_table_1_with_its_comments(bed):
    """The lines that are comments there ask for some variants alone."""
    lines = TABLE_1.replace("# do", "do").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("do") or " " in line)
    metrics = read_setup(bed(text)).metrics
    assert metrics["BLEU"] == ("BLEUi-2", "BLEU-2", "BLEU-4")
    assert metrics["GTM"] == ("GTM-1", "GTM-2")
    assert metrics["ROUGE"] == ("RG-1", "RG-2", "RG-3", "RG-4", "RG-L", "RG-W-1.2", "RG-Ss", "RG-SUs")


def test_linguistic_families(bed):
    text = TABLE_1.partition("doBLEU")[0] + "doSP SP-Op-NN SP-NISTl-5\ndoNE\ndoSR SR-Or,w-*\ndoWER\n"
    metrics = read_setup(bed(text)).metrics
    assert metrics["SP"] == ("SP-Op-NN", "SP-NISTl-5")
    assert metrics["NE"] == tuple(FAMILIES["NE"])
    assert metrics["WER"] == ("1-WER",)


def test_from_where_the_program_runs_or_beside_the_file(bed, tmp_path, monkeypatch):
    path = bed(TABLE_1)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "ref1.txt").write_text("another\n" * 60)
    monkeypatch.chdir(elsewhere)
    setup = read_setup(path)
    assert setup.references[0].path == "ref1.txt"
    assert setup.references[0].segments[0] == "another"
    assert setup.references[1].path == str(tmp_path / "ref2.txt")


def test_every_name_of_the_profile_is_a_metric():
    for members in FAMILIES.values():
        for name in members:
            assert find_computed(name) is not None
    assert str(find_computed("BLEU-4")) == "BLEU-4:smooth=none:length=shortest"
    assert str(find_computed("RG-S*")) == str(find_computed("RG-Ss")) == "ROUGE-S*:stemmer=porter:compat=1.5.5"
    assert str(find_computed("GTM-2")) == "GTM-2:references=joined"
    meteor = find_computed("MTR-wnsyn")
    assert (meteor.alpha, meteor.beta, meteor.gamma, meteor.variant) == (0.9, 3, 0.5, "2005")
    assert find_computed("NEWMETRIC") is None
    assert (ENCODING.tokenize, ENCODING.lowercase) == ("13a", True)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("doBLUE", 'line 6: there is no "doBLUE" (did you mean "doBLEU"'),
        ("doBLEU BLEU-9", 'line 6: doBLEU has no metric "BLEU-9" (did you mean "BLEU-4"'),
        ("doSP SP-Xy-1", 'line 6: doSP has no metric "SP-Xy-1"'),
        ("ref=", "line 6: expected a value after ref=, found none"),
        ("ref=-", "line 6: expected a file, found - (standard input)"),
        ("ref=gone.txt", "gone.txt: there is no such file"),
        (
            "reference=ref2.txt",
            'line 6: expected KEY=VALUE or doFAMILY, found "reference=ref2.txt" (there are '
            "NAME, IQMT, source, ref, system, doBLEU, doNIST, doGTM, doMETEOR, doROUGE, doWER, doPER, ...)",
        ),
        (
            "what is this",
            'line 6: expected KEY=VALUE or doFAMILY, found "what is this" (there are NAME, '
            "IQMT, source, ref, system, doBLEU, doNIST, doGTM, doMETEOR, doROUGE, doWER, doPER, ...)",
        ),
        ("source=ref2.txt", "line 6: expected one source, found a second one after source.txt"),
        ("system=short.txt", "line 6: short.txt: expected 60 lines as in source.txt, found 1"),
    ],
)
def test_mistakes(bed, tmp_path, line, sentence, monkeypatch):
    (tmp_path / "short.txt").write_text("one\n")
    bed(f"source=source.txt\nref=ref1.txt\nref=ref2.txt\nsystem=brief.txt\n\n{line}\ndoGTM\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        read_setup("IQsetup.config")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_all_mistakes_are_told(bed):
    with pytest.raises(InputError, match=r"has 2 mistakes:\n  .*, line 1: .*\n  .*, line 3: "):
        read_setup(bed("ref=gone\nsystem=brief.txt\ndoX\n"))
    with pytest.raises(
        InputError,
        match=r"has 3 mistakes:\n  .*references, .*\n  .*systems, .*\n  .*expected metrics, such as doBLEU",
    ):
        read_setup(bed("# nothing\n"))


# --- IQeval.config ---------------------------------------------------------------------------------------------------

MANUAL = """# the manual's sets
metrics_NEWMETRIC= NEWMETRIC

metrics=BLEU-1 BLEU-2 BLEU-3 BLEU-4 BLEUi-2 BLEUi-3 BLEUi-4
        GTM-1 GTM-2 GTM-3 MTR-exact MTR-stem MTR-wnstm
        RG-SUs RG-Ss RG-W-1.2 NEWMETRIC
some_metrics= BLEU-4 NIST-5 RG-S*
some_systems= S0 S1
some_refs= R0 R1 R2
some_segs= 1-3, 10, 50-100, 200-250, 300, 310,
    400 - 500
twice= 3 1-4
"""


def test_sets(bed):
    config = read_eval(bed(MANUAL, "IQeval.config"))
    assert config.members("metrics", None)[6:9] == ("BLEUi-4", "GTM-1", "GTM-2")
    assert config.members("metrics", None)[-1] == "NEWMETRIC"
    assert config.members("metrics", "some_metrics") == ("BLEU-4", "NIST-5", "RG-Ss")
    segments = config.segments("some_segs", 1008)
    assert segments == (1, 2, 3, 10, *range(50, 101), *range(200, 251), 300, 310, *range(400, 501))
    assert config.segments("twice", 4) == (3, 1, 2, 4)
    assert config.segments(None, 1008) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("some= 1-3\nstray\n", 'line 2: expected a set NAME= MEMBERS, found "stray"'),
        ("  stray\n", 'line 1: expected a set NAME= MEMBERS, found "stray"'),
        ("a= 1\n\na= 2\n", "line 3: expected each set once, found a= again after line 1"),
        ("two words= 1\n", 'line 1: expected a set NAME= MEMBERS, found "two words= 1"'),
    ],
)
def test_mistakes_of_sets(bed, text, sentence):
    with pytest.raises(InputError) as caught:
        read_eval(bed(text, "IQeval.config"))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ("0-3", "line 1: expected segments from 1 in increasing order, found 0-3"),
        ("5-3", "line 1: expected segments from 1 in increasing order, found 5-3"),
        ("1,x", 'line 1: expected segments such as 1-3, 10, 50-100, found "x"'),
        ("1-3-5", 'line 1: expected segments such as 1-3, 10, 50-100, found "1-3-5"'),
        ("1-61", "line 1: expected segments from 1 to 60, found 1-61"),
        ("", "line 1: expected members of the set s, found none"),
        ("²", 'line 1: expected segments such as 1-3, 10, 50-100, found "²"'),
        (
            "1" * 40,
            'line 1: expected segments such as 1-3, 10, 50-100, found "1111111111111111111111111111111111111111"',
        ),
    ],
)
def test_segments_that_are_none(bed, members, sentence):
    config = read_eval(bed(f"s= {members}\n", "IQeval.config"))
    with pytest.raises(InputError) as caught:
        config.segments("s", 60)
    assert sentence in str(caught.value)


def test_a_set_that_is_not_there(bed):
    config = read_eval(bed("some= S0\nother= R0\n", "IQeval.config"))
    with pytest.raises(InputError, match=r'IQeval\.config: expected a set "systems" of systems, found some, other'):
        config.members("systems", None)


@pytest.mark.parametrize("name", ["..", ".", ".hidden", "a/b", "/etc", "a\\b", "", "a b", "C:x", "a\0b", "x" * 201])
def test_names_that_lead_elsewhere(name):
    with pytest.raises(InputError, match="expected a name without slashes"):
        check_name(name, "here")


@given(st.text(max_size=30))
def test_a_name_is_one_step(name):
    try:
        check_name(name, "here")
    except InputError:
        return
    assert name not in ("", ".", "..")
    assert not set(name) & set("/\\\0")


@given(st.text(st.sampled_from("ab=,-#1 \n\t\0é"), max_size=60))
def test_garbage_is_an_input_error(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("bed") / "config"
    path.write_text(text, "utf-8")
    for read in (read_eval, read_setup):
        with suppress(InputError):
            read(str(path))


def test_what_users_wrote_stays(bed):
    made = ["name", "IQsetup.config", {"ref": [("R0", "ref1.txt")]}, ["S0"], ["R0"], ["BLEU-4", "BLEU-1"], 60]
    first = format_eval(*made)
    path = bed(first + "# mine\nsome= S0\n  S1\n\nlast= 1-3\n", "IQeval.config")
    second = format_eval(*made, before=path)
    assert second == first + "# mine\nsome= S0\n  S1\n\nlast= 1-3\n"
    path = bed(second.replace("metrics= BLEU-1", "metrics= NEWMETRIC BLEU-1"), "IQeval.config")
    third = format_eval(*made[:5], ["BLEU-2"], 60, before=path)
    assert read_eval(bed(third, "IQeval.config")).members("metrics", None) == ("BLEU-2", "NEWMETRIC")
    assert third.endswith("# mine\nsome= S0\n  S1\n\nlast= 1-3\n")
