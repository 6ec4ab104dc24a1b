"""The Python interface: shapes that work, shapes that are refused, and what comes back."""

import math

import pandas
import pyarrow
import pytest
import sacrebleu

import tarocco
from tarocco import datasets
from tarocco.core.errors import BadParameter, InputError, UnknownName

DEMO = datasets.load("demo")
CANDIDATES, REFERENCES = DEMO.systems["careful"], DEMO.references


def test_one_system():
    result = tarocco.score(CANDIDATES, REFERENCES, metrics=["BLEU-4", "NIST-5"])
    assert list(result) == ["BLEU-4", "NIST-5"]
    score = result["BLEU-4"]
    assert 0.67 < score.score < 0.68
    assert float(score) == score.score
    assert len(score.segments) == 60
    assert score.signature == (
        f"BLEU-4|nrefs:4|case:mixed|tok:13a|smooth:exp|length:closest|orders:effective|v:{tarocco.__version__}"
    )
    assert result["BLEU"] is score
    assert result["bleu4"] is score


def test_several_systems():
    result = tarocco.score(DEMO.systems, REFERENCES, metrics="BLEU-4")
    assert list(result) == ["careful", "middling", "mirror", "literal", "brief", "verbose"]
    alone = tarocco.score(DEMO.systems["brief"], REFERENCES)
    assert result["brief"]["BLEU-4"].score == alone["BLEU-4"].score


JAPANESE = "昨日、公園で小さな猫を見ました。"
GERMAN = "Der Mann sah gestern den alten Hund im Garten seiner Eltern."


@pytest.mark.parametrize("count", [1, 3])  # one segment takes a path of its own
def test_a_tokenizer_that_does_not_split_the_script_is_noted(count):
    texts = [JAPANESE] * count
    (note,) = tarocco.score(texts, texts, metrics=["BLEU-4", "chrF"]).notes
    assert "the tokenizer for BLEU-4 is 13a, which does not split them. Use --tokenize ja-mecab" in note
    assert note in repr(tarocco.score(texts, texts))
    assert tarocco.score({"a": texts, "b": texts}, texts)["b"].notes == tarocco.score(texts, texts).notes
    assert tarocco.score(texts, texts, tokenize="char").notes == ()
    assert tarocco.score(texts, texts, metrics="chrF").notes == ()
    assert tarocco.score([GERMAN] * count, [GERMAN] * count).notes == ()


def test_a_few_unspaced_segments_among_many_are_not_noted():
    texts = [GERMAN] * 90 + [JAPANESE] * 10
    assert tarocco.score(texts, texts).notes == ()


def test_english_stems_on_other_text_are_noted():
    texts = [GERMAN] * 20
    (note,) = tarocco.score(texts, texts, metrics=["ROUGE-1:stemmer=porter-nltk", "ROUGE-1"]).notes
    assert note.startswith("ROUGE-1:stemmer=porter-nltk uses English stems or synonyms, but only 0% of")
    assert tarocco.score(texts, texts, metrics="ROUGE-1").notes == ()
    english = ["the dog of the man is in the garden with the cat"] * 20
    assert tarocco.score(english, english, metrics="ROUGE-1:stemmer=porter-nltk").notes == ()


def test_one_reference_as_strings():
    plain = [segment[0] for segment in REFERENCES]
    one = tarocco.score(CANDIDATES, plain)["BLEU-4"]
    other = tarocco.score(CANDIDATES, [[text] for text in plain])["BLEU-4"]
    assert one.score == other.score
    assert "|nrefs:1|" in one.signature


@pytest.mark.parametrize("missing", [None, ""])
def test_fewer_references(missing):
    fewer = [list(segment) for segment in REFERENCES]
    fewer[3] = [fewer[3][0], missing, fewer[3][2], missing]
    short = [list(segment) for segment in REFERENCES]
    short[3] = [short[3][0], short[3][2]]
    one = tarocco.score(CANDIDATES, fewer, metrics=["BLEU-4", "NIST-5"])
    other = tarocco.score(CANDIDATES, short, metrics=["BLEU-4", "NIST-5"])
    for name in one:
        assert one[name].score == other[name].score
        assert "|nrefs:var|" in one[name].signature


def test_anything_in_order_is_a_list():
    """Tuples, arrays, pandas columns, generators."""
    import numpy as np

    plain = tarocco.score(CANDIDATES, REFERENCES)["BLEU-4"].score
    first = [segment[0] for segment in REFERENCES]
    for candidates, references in (
        (tuple(CANDIDATES), tuple(REFERENCES)),
        (np.array(CANDIDATES), np.array(REFERENCES)),
        (pandas.Series(CANDIDATES), pandas.Series(REFERENCES)),
        (iter(CANDIDATES), iter(REFERENCES)),
    ):
        assert tarocco.score(candidates, references)["BLEU-4"].score == plain
    frame = pandas.DataFrame({"out": CANDIDATES, "ref": first})
    assert tarocco.score(frame.out, frame.ref)["BLEU"].score == tarocco.score(CANDIDATES, first)["BLEU"].score


def test_strings_and_lists_mixed():
    mixed = [segment[0] if i % 2 else list(segment) for i, segment in enumerate(REFERENCES)]
    lists = [[segment[0]] if i % 2 else list(segment) for i, segment in enumerate(REFERENCES)]
    assert tarocco.score(CANDIDATES, mixed)["BLEU"].score == tarocco.score(CANDIDATES, lists)["BLEU"].score


def test_a_newline_in_a_segment_is_a_space():
    with_newline = ["the cat\nsat on the mat", "a second line"]
    plain = ["the cat sat on the mat", "a second line"]
    one = tarocco.score(with_newline, plain, lowercase=True)["BLEU-4"]
    assert one.score == pytest.approx(1)


def test_lowercase_follows_python():
    """Final sigma, the dotted capital I, and sharp s: whatever str.lower does."""
    words = ["ΟΔΟΣ İstanbul STRASSE ΣΑΣ", "Ο Σ."]
    lowered = [word.lower() for word in words]
    assert tarocco.score(words, lowered, lowercase=True)["BLEU-4"].score == pytest.approx(1)


def test_documents():
    score = tarocco.score(CANDIDATES, REFERENCES, documents=DEMO.documents)["BLEU-4"]
    assert list(score.documents) == ["news", "travel", "reviews", "instructions", "letters"]
    letters = [i for i, label in enumerate(DEMO.documents) if label == "letters"]
    alone = tarocco.score([CANDIDATES[i] for i in letters], [REFERENCES[i] for i in letters])["BLEU-4"]
    assert score.documents["letters"] == pytest.approx(alone.score, rel=1e-12)


def test_statistics_add_up():
    rows = tarocco.statistics("BLEU-4", CANDIDATES, REFERENCES)
    assert rows.shape == (60, 10)
    found = tarocco.score(CANDIDATES, REFERENCES)["BLEU-4"].score
    assert float(tarocco.metric("BLEU-4").score(rows.sum(axis=0))) == found


def test_frames_and_pages():
    result = tarocco.score(DEMO.systems, REFERENCES, metrics=["BLEU-4", "NIST-5"], confidence=0.9)
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.shape == (12, 6)
    assert frame.query("system == 'brief' and metric == 'NIST-5'").score.item() == result["brief"]["NIST-5"].score
    table = result.to_arrow()
    assert isinstance(table, pyarrow.Table)
    assert table.column("score").to_pylist() == frame.score.tolist()
    page = result._repr_html_()
    assert page.count("<tr>") == 7
    assert f"{result['careful']['BLEU-4'].score:.4f}" in page
    assert "careful" in repr(result)


def test_html_is_escaped():
    result = tarocco.score({"<b>": ["a"]}, ["a"])
    assert "<b>" not in result._repr_html_()


def test_a_result_is_a_mapping():
    result = tarocco.score(CANDIDATES, REFERENCES)
    assert "BLEU-4" in result
    assert "BLEU" in result
    assert "NIST-5" not in result
    assert "BLEU-4:nothing=1" not in result
    assert result.get("NIST-5") is None
    assert len(result) == 1


def test_a_blank_reference_beside_others_is_none():
    """Nothing, or nothing but space: Unicode's, too."""
    plain = tarocco.score(["a b c"], [["a b c d"]], metrics=["BLEU-SBP-2", "BLEU-4:length=average", "NIST-2"])
    for blank in ("", " ", "\t \u3000", "\u2028"):
        other = tarocco.score(
            ["a b c"], [["a b c d", blank]], metrics=["BLEU-SBP-2", "BLEU-4:length=average", "NIST-2"]
        )
        assert [score.score for score in other.scores] == [score.score for score in plain.scores]
        assert "|nrefs:1|" in other.scores[0].signature
    full = tarocco.score(["\u3042"], [["\u3042 \u3000", "\u3000\u3042\u3000"]])
    assert "|nrefs:2|" in full.scores[0].signature


def test_statistics_may_be_averaged():
    """Scores are ratios: weights that are no integers change nothing but the weight."""
    for name in ("BLEU-4", "BLEU-SBP", "BLEUi-2", "NIST-5"):
        rows, metric = tarocco.statistics(name, CANDIDATES, REFERENCES), tarocco.metric(name)
        assert float(metric.score(rows.mean(axis=0))) == pytest.approx(float(metric.score(rows.sum(axis=0))))


def test_no_score_is_null():
    from tarocco.core.records import number_or_null

    assert number_or_null(math.nan) is None
    assert number_or_null(0.0) == 0.0


WRONG_SHAPES = [
    (["a", "b"], [["a"], ["b"], ["c"]], r"2 candidates, but references for 3 segments"),
    (["a", "b", "c"], [["a", "b", "c"], ["a", "b", "c"]], r"2 streams of 3 segments.*zip"),
    (["a"], "a", r"references: expected a list with one item per segment, found type str"),
    ("a", ["a"], r'candidates of system "system": expected a list with one item per segment, found type str'),
    (["a"], {"a": "b"}, r"references: expected a list with one item per segment, found type dict"),
    (["a"], None, r"references: expected a list with one item per segment, found type NoneType"),
    (
        ["a", "b"],
        [["a"], None],
        r"references of segment 1 \(counted from 0\): expected a list of strings, found type NoneType",
    ),
    (["a"], [b"a"], r"references of segment 0 \(counted from 0\): expected a list of strings, found type bytes"),
    (["a"], [3], r"references of segment 0 \(counted from 0\): expected a list of strings, found type int"),
    (["a", None], ["a", "b"], r"segment 1 \(counted from 0\): expected a string, found type NoneType"),
    (["a"], [[3]], r"reference 0 .*segment 0 .*: expected a string, found type int"),
    (["a", "b"], [["a"], [None]], r"segment 1 \(counted from 0\) has no references"),
    ({"a", "b"}, ["a", "b"], r"expected a list with one item per segment, found type set"),
    (["a", "b"], [["a"], []], r"segment 1 \(counted from 0\) has no references"),
    ([], [], r"no segments"),
    ({}, [], r"at least one system"),
    ({"x": ["a"], "y": ["a", "b"]}, ["a"], r'system "x" has 1 segments, system "y" has 2'),
]


@pytest.mark.parametrize(("candidates", "references", "message"), WRONG_SHAPES)
def test_wrong_shapes_are_explained(candidates, references, message):
    with pytest.raises(InputError, match=message):
        tarocco.score(candidates, references)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": "0.95"}, "confidence is a number between 0 and 1, not '0.95'"),
        ({"confidence": 0.95, "n_resamples": 10.5}, "n_resamples is an integer of at least 2, not 10.5"),
        ({"confidence": 0.95, "seed": None}, "seed is an integer, not None"),
        ({"jobs": 0}, "jobs is an integer of at least 1, not 0"),
        ({"jobs": "2"}, "jobs is an integer of at least 1, not '2'"),
        ({"metrics": None}, "a metric is a name such as BLEU-4 or a tarocco.Metric, not None"),
        ({"metrics": [4]}, "a metric is a name such as BLEU-4 or a tarocco.Metric, not 4"),
        ({"tokenize": None}, 'no tokenizer "None"'),
    ],
)
def test_wrong_options_are_explained(options, message):
    with pytest.raises(tarocco.TaroccoError, match=message):
        tarocco.score(CANDIDATES, REFERENCES, **options)


def test_numpy_integers_are_integers():
    import numpy as np

    one = tarocco.score(CANDIDATES, REFERENCES, confidence=0.9, seed=np.int64(3), n_resamples=np.int32(50))
    assert (
        one["BLEU"].interval.low
        == tarocco.score(CANDIDATES, REFERENCES, confidence=0.9, seed=3, n_resamples=50)["BLEU"].interval.low
    )


def test_strings_of_other_types_are_strings():
    import numpy as np

    first = [segment[0] for segment in REFERENCES]
    assert (
        tarocco.score(CANDIDATES, list(np.array(first)))["BLEU"].score == tarocco.score(CANDIDATES, first)["BLEU"].score
    )


def test_statistics_are_of_one_system():
    with pytest.raises(InputError, match="candidates: expected the segments of one system, found a mapping"):
        tarocco.statistics("BLEU-4", DEMO.systems, REFERENCES)


def test_names_that_are_no_strings():
    result = tarocco.score({1: CANDIDATES}, REFERENCES)
    assert list(result) == ["1"]
    assert "<th>1</th>" in result._repr_html_()
    with pytest.raises(UnknownName, match="there is no 0; there are 1"):
        result[0]


def test_details():
    """What sacrebleu prints beside the score."""
    peer = sacrebleu.BLEU().corpus_score(DEMO.systems["brief"], list(zip(*REFERENCES, strict=True)))
    details = tarocco.score(DEMO.systems["brief"], REFERENCES)["BLEU-4"].details
    assert details["precisions"] == pytest.approx([value / 100 for value in peer.precisions])
    assert details["brevity_penalty"] == pytest.approx(peer.bp)
    assert details["length_ratio"] == pytest.approx(peer.ratio)
    assert (details["candidate_length"], details["reference_length"]) == (peer.sys_len, peer.ref_len)
    strict = tarocco.score(["a b c d e f", "a b"], ["a b c", "a b c d"], metrics="BLEU-SBP-1")["BLEU-SBP-1"].details
    assert (strict["candidate_length"], strict["reference_length"], strict["length_ratio"]) == (8, 7, 5 / 7)


def test_document_labels_must_fit():
    with pytest.raises(InputError, match="60 segments, but there are 2 document labels"):
        tarocco.score(CANDIDATES, REFERENCES, documents=["a", "b"])


def test_all_bad_names_at_once():
    with pytest.raises(UnknownName, match=r'"BLUE-4" \(did you mean .*BLEU-4.*no metric "SPAM"'):
        tarocco.score(CANDIDATES, REFERENCES, metrics=["BLUE-4", "BLEU-4", "SPAM"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("BLEU-13", "n is 1 to 12, not 13"),
        ("BLEU-0", "n is 1 to 12, not 0"),
        ("ROUGE-W-100", "a is 1 to 10, not 100"),
        ("ROUGE-W-6:compat=1.5.5", "a is 1 to 5, not 6"),
        ("ROUGE-W-1.2:weighting=x", 'the parameter "weighting" is a Weighting, not "x"'),
        ("ROUGE-L:beta=1e200", "beta is a number from 0 to 1000000"),
        (f"ROUGE-S-{'9' * 400}", "d is 0 to 1000000"),
        ("GRR-4:alpha=1e301", "alpha is a number up to 1000000"),
        ("chrF:beta=1e200", "beta is 0 to 1000000"),
        ("chrF:char_order=1000000000", "at most 100"),
        ("NIST-10", "n is 1 to 9, not 10"),
        ("BLEU-4:smoth=none", 'no parameter "smoth" .it takes smooth'),
        ("BLEU-4:order=3", "BLEU-4 already says order=4"),
        ("BLEU-4:order=4", 'no parameter "order"'),
        ("NIST-5:smooth=none", 'no parameter "smooth" .it takes none'),
        ("BLEU-4:smooth=maybe", "is one of exp, none, floor, add-k, not"),
        ("BLEU-4:smooth", "key=value"),
        ("BLEU-4:smooth=none:smooth=exp", "twice"),
        ("BLEU-4:smooth=floor:value=x", "is a float"),
        ("BLEU-4:smooth=none:value=1", "smooth=none takes no value"),
        ("BLEU-4:smooth=floor:value=-1", "is 0 or more, not -1"),
        ("BLEU-4:smooth=add-k:value=inf", "is 0 or more, not inf"),
        ("BLEU-4:smooth=add-k:value=nan", "is 0 or more, not nan"),
        ("BLEUS-4:smooth=exp", "already says"),
        ("BLEU-4:smooth=add-one:value=2", "add-one takes no value"),
    ],
)
def test_bad_parameters_are_explained(name, message):
    with pytest.raises(BadParameter, match=message):
        tarocco.metric(name)


def test_a_metric_twice_is_refused():
    with pytest.raises(BadParameter, match="metrics listed twice: BLEU-4"):
        tarocco.score(CANDIDATES, REFERENCES, metrics=["BLEU-4", "BLEU"])


@pytest.mark.parametrize("metrics", [[], ()])
def test_no_metric_is_refused(metrics):
    with pytest.raises(InputError, match="expected at least one metric"):
        tarocco.score(CANDIDATES, REFERENCES, metrics=metrics)


ALIASES = {
    "BLEU": "BLEU-4",
    "bleu4": "BLEU-4",
    "BLEUS6": "BLEUS-6",
    "BLEUS": "BLEUS-4",
    "BLEU12": "BLEU-12",
    "BLEU-4:smooth=add-one": "BLEUS-4",
    "BLEU-4:smooth=add-k": "BLEUS-4",
    "BLEU-4:smooth=add-k:value=2": "BLEU-4:smooth=add-k:value=2",
    "BLEUi2": "BLEUi-2",
    "BLEUSBP": "BLEU-SBP",
    "BLEU-SBP-4": "BLEU-SBP",
    "NIST": "NIST-5",
    "NISTi-3": "NISTi-3",
    "BLEU-4:smooth=exp:length=closest": "BLEU-4",
    "BLEU-4:smooth=none:orders=all": "BLEU-4:smooth=none",
}


@pytest.mark.parametrize("alias", ALIASES)
def test_names_of_the_papers(alias):
    assert str(tarocco.metric(alias)) == ALIASES[alias]


def test_unknown_tokenizer_and_names():
    with pytest.raises(UnknownName, match=r'"13" \(did you mean "13a"'):
        tarocco.score(CANDIDATES, REFERENCES, tokenize="13")
    with pytest.raises(UnknownName, match='no system "nobody"'):
        tarocco.score(DEMO.systems, REFERENCES)["nobody"]
    with pytest.raises(UnknownName, match='"NIST-5" was not computed'):
        tarocco.score(CANDIDATES, REFERENCES)["NIST-5"]
    with pytest.raises(UnknownName, match="no data set"):
        datasets.load("other")
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        tarocco.scores  # noqa: B018


def test_human_scores(tmp_path):
    """A path or its name; systems in the order that is asked for."""
    path = tmp_path / "human.csv"
    path.write_text("system,segment,score\nmine,1,4\nyours,1,2\nyours,2,3\n")
    for file in (path, str(path)):
        human = tarocco.read_human(file, systems=["yours", "mine"], n_segments=2)
        assert isinstance(human, tarocco.HumanScores)
        assert (human.systems, human.level, human.n_judges, human.kinds) == (
            ("yours", "mine"),
            "segment",
            1,
            {"score": "similarity"},
        )
        assert human.criteria["score"][0].tolist() == [2, 3]
        assert math.isnan(human.criteria["score"][1, 1])
    with pytest.raises(InputError, match=r'human\.csv, line 3: .* unknown system "yours" \(there is mine\)'):
        tarocco.read_human(path, systems=["mine"])


def test_public_names_are_all_there():
    for name in tarocco.__all__:
        assert getattr(tarocco, name)
    assert set(tarocco.__all__) <= set(dir(tarocco))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("NISTi", "did you mean NISTi-"),
        ("bleui", "did you mean BLEUi-"),
        ("overlp", "did you mean Overlap"),
        ("SPAM", "there is no metric"),
        ("COMET", "; --scores COMET=FILE reads external scores"),
        ("BLEURT-20", "; --scores BLEURT-20=FILE reads external scores"),
        ("XCOMET", "; --scores XCOMET=FILE reads external scores"),
        ("SP-Op", "did you mean SP-O"),
    ],
)
def test_near_names(name, message):
    with pytest.raises(UnknownName, match=message):
        tarocco.metric(name)
