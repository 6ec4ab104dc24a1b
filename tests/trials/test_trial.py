"""A whole trial in Python: the same numbers as single functions, and what is wrong for a step alone."""

import numpy as np
import pytest

import tarocco
from tarocco import datasets
from tarocco.core.errors import BadParameter, InputError
from tarocco.trials.breakdowns import correlate_metrics, make_breakdowns, reference_lengths, split_by_length

DEMO = datasets.load("demo")
FILE = DEMO.path / "demo.toml"
NAMES = ["BLEU-4", "chrF", "WER"]
GRADES = {name: [adequacy for adequacy, _ in own] for name, own in DEMO.grades.items()}
LISTS = [DEMO.nbest.get(i, ()) for i in range(60)]


@pytest.fixture(scope="module")
def found():
    return tarocco.trial(FILE, metrics=NAMES)


def step(findings, name):
    return next(one for one in findings.plan if one.name == name)


def test_everything_is_possible_with_the_demo(found):
    assert [one.name for one in found.plan if not one.possible] == []
    assert (found.name, found.command) == ("demo", f"tarocco trial {FILE}")
    assert list(found.source) == DEMO.source
    assert found.groups == tuple(DEMO.documents)


def test_each_part_is_what_the_single_function_gives(found):
    systems, references = DEMO.systems, DEMO.references
    scores = tarocco.score(systems, references, metrics=NAMES, confidence=0.95)
    assert found.scores.to_dict() == scores.to_dict()
    assert found.comparison.to_dict() == tarocco.compare(systems, references, metrics=NAMES, all_pairs=True).to_dict()
    named = dict(zip(["1", "2", "3", "4"], ["ref1", "ref2", "ref3", "ref4"], strict=True))
    assert found.kings.to_dict() == tarocco.king(systems, references, metrics=NAMES).to_dict()
    assert found.queens.to_dict() == tarocco.queen(systems, references, metrics=NAMES).to_dict()
    assert found.jack.to_dict() == tarocco.jack(systems, references, metrics=NAMES).to_dict()
    assert found.optimal.to_dict() == tarocco.optimize(systems, references, metrics=NAMES).to_dict()
    assert set(found.jack.sets[0].by_reference) == set(named.values())
    human = tarocco.read_human(str(DEMO.path / "grades.tsv"), "adequacy", list(systems), 60)
    whole, within = found.correlations
    assert whole.to_dict() == tarocco.correlate(systems, references, human, metrics=NAMES).to_dict()
    again = tarocco.correlate(systems, references, human, metrics=NAMES, level="segment", grouping="item")
    assert within.to_dict() == again.to_dict()
    audit = tarocco.audit(systems, references, metrics=NAMES, groups=DEMO.documents)
    assert found.audit.to_dict() == audit.to_dict()
    curves = tarocco.references(systems, references, human, metrics=NAMES, n_subsets=10)
    assert found.curves.to_dict() == curves.to_dict()
    path = str(DEMO.path / "nbest.txt")
    orange = tarocco.orange(path, references, metrics=NAMES, curve=True)
    assert found.orange.to_dict() == orange.to_dict()


@pytest.mark.parametrize("short", ["skip", "keep"])
def test_short_lists_count_as_in_orange(short):
    """The lists of the demo have different lengths: only one is as long as the longest."""
    result = tarocco.trial(FILE, metrics=["chrF"], short=short, n_resamples=50).orange
    orange = tarocco.orange(DEMO.path / "nbest.txt", DEMO.references, metrics="chrF", short=short, n_resamples=50)
    assert len(result.segments) == len(orange.segments) == {"skip": 1, "keep": 40}[short]
    assert result["chrF"].orange == orange["chrF"].orange
    note = {"skip": "39 such lists left out", "keep": "39 such lists used at their own length"}[short]
    assert note in result.notes[0]


def test_texts_and_lists_in_place_of_an_experiment(found):
    """What a program has in its hands gives the same as the file that names it."""
    given = tarocco.trial(
        DEMO.systems, DEMO.references, metrics=NAMES, human=GRADES, groups=DEMO.documents, source=DEMO.source
    )
    assert given.kings.to_dict() == found.kings.to_dict()
    assert given.audit.to_dict() == found.audit.to_dict()
    assert given.orange is None
    curves = tarocco.trial(DEMO.systems, DEMO.references, metrics=NAMES, n_resamples=50).curves
    alone = tarocco.references(DEMO.systems, DEMO.references, by="king", metrics=NAMES, n_subsets=10)
    assert (curves.judged_by, curves.to_dict()) == ("strict KING", alone.to_dict())
    assert step(given, "ORANGE").why == "n-best lists (nbest)"
    assert given.name == "trial"


def test_lists_in_memory_judge_references_where_nobody_was_asked():
    references = [list(own[:3]) for own in DEMO.references[:6]]
    systems = {name: DEMO.systems[name][:6] for name in ("careful", "brief")}
    lists = [list(own[:5]) or ["a"] for own in LISTS[:6]]
    result = tarocco.trial(systems, references, metrics=["chrF"], nbest=lists, short="keep", n_resamples=50)
    assert result.orange.metrics[0].n_segments == 6
    assert result.curves.judged_by == "ORANGE"
    assert result.curves.sizes == [2, 3]
    assert "ORANGE" in {one.judge for one in result.verdict.metrics[0].judgments}


def test_confusions_are_kept_if_asked_for():
    result = tarocco.trial(FILE, metrics=["chrF"], confusions=2, n_resamples=50)
    assert result.orange.confusions
    assert {one.metric for one in result.orange.confusions} == {"chrF"}


def test_what_is_said_wins_over_the_file():
    result = tarocco.trial(
        FILE, metrics="chrF", human=dict.fromkeys(DEMO.systems, 1.0), tokenize="none", n_resamples=50
    )
    assert "tok:none" in tarocco.trial(FILE, metrics="WER", tokenize="none", n_resamples=50).scores.scores[0].signature
    assert result.human.level == "system"


def test_a_step_that_fails_is_no_end():
    """Constant people have no correlation: the sentence stands in the plan, and all else is there."""
    few = {"careful": 1.0, "brief": 2.0, "mirror": 2.0, "literal": float("nan")}
    result = tarocco.trial(DEMO.systems, DEMO.references, metrics=["chrF", "WER"], human=few, n_resamples=50)
    assert not step(result, "people").possible
    assert "at least 4 that people judged" in step(result, "people").why
    assert result.correlations == ()
    assert result.kings is not None
    assert result.verdict.headline


def test_scores_made_elsewhere_are_left_out_where_they_say_nothing():
    whole = {name: float(i) for i, name in enumerate(DEMO.systems)}
    segments = {name: [adequacy for adequacy, _ in own] for name, own in DEMO.grades.items()}
    given = {"COMET": whole, "BLEURT": segments}
    result = tarocco.trial(
        DEMO.systems, DEMO.references, metrics=["chrF", "WER"], external=given, human=GRADES, n_resamples=50
    )
    assert "COMET" not in result.agreement.metrics
    assert "BLEURT" in result.agreement.metrics
    assert {name for one in result.kings for name in one.metrics} == {"chrF", "WER"}
    assert any(note.startswith("KING, QUEEN and JACK: left out COMET, BLEURT") for note in result.notes)
    assert any(note.startswith("references: left out COMET, BLEURT") for note in result.notes)
    assert "COMET" not in {one.metric for one in result.comparison}
    assert set(result.breakdowns[0].scores) == {"chrF", "WER", "BLEURT"}


def test_one_system_and_one_reference():
    result = tarocco.trial({"a": ["the cat sat"]}, ["the cat sat down"], metrics=["chrF"])
    assert {one.name for one in result.plan if one.possible} == {"data", "scores", "breakdown"}
    assert result.verdict.systems == ("Systems were not compared: this needs a second system.",)
    assert result.breakdowns == ()


@pytest.mark.parametrize(
    ("arguments", "more", "message"),
    [
        ((["a"],), {}, "expected references beside systems"),
        ((["a"], ["a"]), {}, "systems is a mapping"),
        ((FILE, ["a"]), {}, "pass it alone"),
        (({"a": ["b"]}, ["b"]), {"groups": ["x", "y"]}, "found 2 for 1 segments"),
        (({"a": ["b"]}, ["b"]), {"source": ["x", "y"]}, "the source has 2"),
        (({"a": ["b"]}, ["b", "c"]), {}, "1 candidates, but references for 2"),
        (("nothing.toml",), {}, "nothing.toml"),
    ],
)
def test_what_is_wrong_for_all_steps(arguments, more, message):
    with pytest.raises(InputError, match=message):
        tarocco.trial(*arguments, **more)


def test_settings_are_checked():
    with pytest.raises(BadParameter, match="confidence"):
        tarocco.trial(FILE, confidence=2)
    with pytest.raises(BadParameter, match="jobs"):
        tarocco.trial(FILE, jobs=0)


def test_workers_and_stores_change_nothing(found, tmp_path):
    stored = tarocco.trial(FILE, metrics=NAMES, store=tmp_path / "s.db", jobs=1)
    again = tarocco.trial(FILE, metrics=NAMES, store=tmp_path / "s.db", jobs=2)
    assert found.to_dict() == stored.to_dict() == again.to_dict()
    assert found.notes == stored.notes == again.notes


# --- agreement and breakdowns --------------------------------------------------------------------------------------


def test_agreement_is_spearmans_of_all_segments(found):
    alike = found.agreement
    assert sorted(alike.metrics) == sorted(NAMES)
    assert np.allclose(np.diag(alike.correlation), 1)
    assert (alike.correlation == alike.correlation.T).all()
    scores = found.scores
    from scipy.stats import spearmanr

    one, other = (
        np.concatenate([own.metric.sign * own.segments for own in scores.scores if str(own.metric) == name]).round(12)
        for name in ("chrF", "WER")  # equal scores may differ in their last bits
    )
    i, j = alike.metrics.index("chrF"), alike.metrics.index("WER")
    assert alike.correlation[i, j] == pytest.approx(spearmanr(one, other)[0], abs=1e-9)
    assert alike.correlation[i, j] > 0  # an error is negated


def test_one_metric_agrees_with_itself():
    scores = tarocco.score({"a": ["a b", "c", "e f"]}, ["a", "c d", "e f"], metrics="chrF")
    assert correlate_metrics(scores).correlation.tolist() == [[pytest.approx(1.0)]]


def test_a_part_has_the_score_of_its_segments(found):
    by_group, by_length = found.breakdowns
    assert by_group.parts == ("news", "travel", "reviews", "instructions", "letters")
    assert by_group.sizes == (12,) * 5
    rows = [i for i, label in enumerate(DEMO.documents) if label == "travel"]
    own = {name: [texts[i] for i in rows] for name, texts in DEMO.systems.items()}
    alone = tarocco.score(own, [DEMO.references[i] for i in rows], metrics=["BLEU-4"])
    expected = [alone[name]["BLEU-4"].score for name in by_group.systems]
    assert by_group.scores["BLEU-4"][1].tolist() == pytest.approx(expected)
    assert (by_length.by, len(by_length.parts), sum(by_length.sizes)) == ("reference length", 4, 60)


def test_quarters():
    names, parts = split_by_length(np.arange(8.0))
    assert parts.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert names[0] == "0 to 1 characters"
    names, parts = split_by_length(np.array([5.0] * 6 + [9.0, 9.0]))
    assert parts.tolist() == [0] * 6 + [1, 1]  # what is of one length stays together
    assert names == ["5 characters", "9 characters"]
    names, parts = split_by_length(np.full(8, 3.0))
    assert (names, set(parts.tolist())) == (["3 characters"], {0})
    names, _ = split_by_length(np.array([1.0, 1.1, 1.2, 1.3, 1.4, 5, 6, 7]))
    assert len(set(names)) == len(names)


def test_lengths_are_counted_in_characters():
    result = tarocco.trial({"a": ["x"] * 2}, [["äöü", "a"], ["日本", ""]], metrics=["chrF"])
    assert reference_lengths(result.test_set).tolist() == [2.0, 2.0]
    assert make_breakdowns(result.scores, result.test_set, ["g", "g"]) == ()
