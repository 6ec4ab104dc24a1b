"""Paired tests equal their definitions, and sacrebleu's within the error of chance."""

import json
import math

import numpy as np
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.meta.significance.paired_tests import holm, sign_test
from tests.textbook import luck

WORDS = st.lists(st.sampled_from("abcd"), max_size=5).map(" ".join)
SEGMENTS = st.lists(st.tuples(WORDS, WORDS, WORDS.filter(bool)), min_size=1, max_size=9)
METRICS = ("BLEU-2", "ROUGE-1", "NIST-2")
DEMO = datasets.load("demo")
FOLDER = ROOT / "src" / "tarocco" / "data" / "demo"


def compared(segments, name, test, **options):
    baseline, system, references = (list(column) for column in zip(*segments, strict=True))
    systems = {"base": baseline, "new": system}
    result = tarocco.compare(systems, references, metrics=name, test=test, tokenize="none", **options)
    rows = {one.system: one.statistics.tolist() for one in result.scores.scores}
    metric = tarocco.metric(name)
    return result.of(name, "new"), rows["base"], rows["new"], lambda sums: float(metric.score(np.array(sums)))


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS, st.integers(0, 2**70))
def test_bootstrap(name, segments, seed):
    found, baseline, system, score = compared(segments, name, "bootstrap", n_resamples=15, seed=seed)
    if math.isnan(found.difference):
        return
    p, won = luck.bootstrap(baseline, system, score, 15, seed % 2**64)
    assert found.p_value == pytest.approx(p)
    assert found.details["win_share"] == pytest.approx(won)


@pytest.mark.parametrize("name", METRICS)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS.filter(bool)), min_size=1, max_size=80), st.integers(0, 2**63))
def test_randomization(name, segments, seed):
    """Scores of swapped systems that are equal but for rounding may count either way: such cases are left out."""
    found, baseline, system, score = compared(segments, name, "randomization", n_resamples=9, seed=seed)
    if not abs(found.difference) > 1e-9:
        return
    observed = abs(found.difference)
    for permutation in range(9):
        bits = luck.swapped(len(system), seed, permutation)
        one = [a if bit else b for a, b, bit in zip(baseline, system, bits, strict=True)]
        other = [b if bit else a for a, b, bit in zip(baseline, system, bits, strict=True)]
        if abs(abs(score(luck.total(one)) - score(luck.total(other))) - observed) < 1e-12:
            return
    assert found.p_value == pytest.approx(luck.randomization(baseline, system, score, 9, seed))


@pytest.mark.parametrize("name", METRICS)
@given(SEGMENTS)
def test_signs(name, segments):
    found, baseline, system, score = compared(segments, name, "sign")
    if math.isnan(found.difference):
        return
    assert found.details == luck.signs(baseline, system, score)


@given(st.integers(0, 200), st.integers(0, 200))
def test_sign_test(wins, losses):
    assert sign_test(wins, losses) == pytest.approx(luck.sign_test(wins, losses), abs=1e-12)


def test_sign_test_of_many_segments():
    assert sign_test(1100, 950) == pytest.approx(luck.sign_test(1100, 950), rel=1e-9)


def test_holm():
    """Worked by hand: 0.01 * 4, 0.02 * 3, then the larger of 0.03 * 2 and the one before, and so on."""
    assert holm(np.array([0.03, 0.01, 0.04, 0.02])).tolist() == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert holm(np.array([0.5, 0.9])).tolist() == pytest.approx([1.0, 1.0])


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "sign"])
def test_detectable_is_just_enough(test):
    """The difference told is significant if it is observed, and anything smaller is not."""
    found = tarocco.compare(DEMO.systems, DEMO.references, metrics="ROUGE-L", test=test, n_resamples=400)
    for one in found:
        if test == "sign":
            n = int(one.details["better"] + one.details["worse"])
            wins = int(one.detectable)
            assert luck.sign_test(wins, n - wins) <= 0.05 < luck.sign_test(wins - 1, n - wins + 1)
        else:
            assert (one.p_value <= 0.05) == (abs(one.difference) >= one.detectable)


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
@pytest.mark.parametrize("ours", ["BLEU-4", "chrF", "TER"])
def test_agreement_with_sacrebleu(test, ours):
    """sacrebleu 2.6.0's paired tests on the bundled set, with its own draws: within the error of chance."""
    import sacrebleu
    from sacrebleu.significance import PairedTest

    metric = {"BLEU-4": sacrebleu.BLEU(), "chrF": sacrebleu.CHRF(), "TER": sacrebleu.TER()}[ours]
    references = [list(stream) for stream in zip(*DEMO.references, strict=True)]
    names = ["careful", "mirror", "middling"]
    kind = {"bootstrap": "bs", "randomization": "ar"}[test]
    peers = PairedTest([(name, list(DEMO.systems[name])) for name in names], {"x": metric}, references, kind, 1000)()[1]
    peers = next(value for key, value in peers.items() if key not in ("System", "system"))
    found = tarocco.compare(
        {name: DEMO.systems[name] for name in names}, DEMO.references, metrics=ours, test=test, n_resamples=1000
    )
    for name, peer in zip(names[1:], peers[1:], strict=True):
        own = found.of(ours, name).p_value
        middle = (own + peer.p_value) / 2
        assert abs(own - peer.p_value) <= 4 * math.sqrt(2 * middle * (1 - middle) / 1000) + 1e-3


@pytest.mark.parametrize("test", ["bootstrap", "randomization", "sign"])
def test_the_same_output_twice_is_no_significant_difference(test):
    careful = DEMO.systems["careful"]
    found = tarocco.compare({"one": careful, "same": list(careful)}, DEMO.references, metrics="BLEU-4", test=test)
    assert found.of("BLEU-4", "same").difference == 0
    assert not found.of("BLEU-4", "same").significant


def test_threads_do_not_matter():
    options = {"metrics": ["BLEU-4", "chrF"], "n_resamples": 500}
    for test in ("bootstrap", "randomization"):
        one, four = (tarocco.compare(DEMO.systems, DEMO.references, test=test, jobs=jobs, **options) for jobs in (1, 4))
        assert one.to_dict() == four.to_dict()


def test_all_pairs_and_another_baseline():
    systems = {name: DEMO.systems[name] for name in ("careful", "mirror", "brief")}
    every = tarocco.compare(systems, DEMO.references, metrics="BLEU-4", all_pairs=True)
    assert [(one.baseline, one.system) for one in every] == [
        ("careful", "mirror"),
        ("careful", "brief"),
        ("mirror", "brief"),
    ]
    other = tarocco.compare(systems, DEMO.references, metrics="BLEU-4", baseline="brief")
    assert {one.baseline for one in other} == {"brief"}
    assert other.of("BLEU-4", "mirror").difference == -every.of("BLEU-4", "brief", "mirror").difference
    assert other.of("BLEU-4", "mirror").p_value == every.of("BLEU-4", "brief", "mirror").p_value


def test_scores_made_elsewhere():
    systems = {name: DEMO.systems[name] for name in ("careful", "mirror")}
    by_segment = {"careful": [1.0, 0.5] * 30, "mirror": [0.5, 0.5] * 30}
    whole = {"careful": 0.9, "mirror": 0.1}
    found = tarocco.compare(systems, DEMO.references, metrics="WER", external={"X": by_segment, "Y": whole})
    assert found.of("X", "mirror").significant
    assert found.untested == ("Y",)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "t"}, "test is one of bootstrap, randomization, sign"),
        ({"baseline": "nobody"}, 'there is no system "nobody" to compare with; there are careful, '),
        ({"n_resamples": 1.5}, "n_resamples is an integer"),
        ({"alpha": 5}, "is a number between 0 and 1"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises(tarocco.TaroccoError, match=message):
        tarocco.compare(DEMO.systems, DEMO.references, metrics="BLEU-4", **options)
    with pytest.raises(tarocco.TaroccoError, match="found one system"):
        tarocco.compare({"a": ["x"]}, ["x"])
    with pytest.raises(tarocco.TaroccoError, match="systems must be a mapping"):
        tarocco.compare(["x"], ["x"])


def run(capsys, *arguments):
    files = [str(FOLDER / f"ref{i}.txt") for i in (1, 2)]
    systems = [str(FOLDER / f"{name}.txt") for name in ("careful", "middling", "mirror")]
    code = main(["compare", *files, "-i", *systems, *map(str, arguments)])
    return code, *capsys.readouterr()


def test_the_command(capsys):
    code, out, _ = run(capsys, "-m", "BLEU-4", "chrF")
    assert code == 0
    assert "middling  34.37 (p=0.0020)*" in out
    assert "test:bootstrap|n:1000|seed:12345|alpha:0.05|correction:holm" in out
    answer = json.loads(run(capsys, "-m", "BLEU-4", "-f", "json", "--test", "sign")[1])
    assert (answer["command"], answer["test"], answer["n_resamples"]) == ("compare", "sign", 0)
    assert answer["results"][0]["pair"] == ["careful", "middling"]
    assert answer["results"][0]["better"] + answer["results"][0]["worse"] + answer["results"][0]["equal"] == 60
    _, out, _ = run(capsys, "-m", "BLEU-4", "--all-pairs")
    assert "(a) careful   54.28bc" in out
    assert "(c) mirror    41.10b" in out
    assert "$^{bc}$" in run(capsys, "-m", "BLEU-4", "--all-pairs", "-f", "latex")[1]
    assert "<sup>bc</sup>" in run(capsys, "-m", "BLEU-4", "--all-pairs", "-f", "md")[1]
    _, out, _ = run(capsys, "-m", "BLEU-4", "--pairs")
    assert "win share 0" in out
    assert run(capsys, "-m", "BLEU-4", "-b")[1].count("\n") == 2
    assert len(run(capsys, "-m", "BLEU-4", "-f", "tsv")[1].splitlines()) == 3


def test_many_pairs_need_many_resamples():
    """With 1000 resamples the smallest p-value is 1/1001: times 231 pairs, nothing would ever be significant."""
    systems = {f"s{i}": [line[: len(line) - i] for line in DEMO.systems["careful"]] for i in range(12)}
    result = tarocco.compare(systems, DEMO.references, metrics="ROUGE-1", all_pairs=True)
    assert result.test.n_resamples == 1400  # 66 pairs
    assert result.of("ROUGE-1", "s11", "s0").significant
    few = tarocco.compare(systems, DEMO.references, metrics="ROUGE-1", all_pairs=True, n_resamples=1000)
    assert "needs at least 1400" in few.notes[0]
    assert tarocco.compare(systems, DEMO.references, metrics="ROUGE-1", test="sign").test.n_resamples == 0
