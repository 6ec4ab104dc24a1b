"""Searches find what they say, cross-validation judges on what was not searched, and metrics that decide alike meet."""

import io
import json
import math
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judge_similarities import drawn_similarities
from scipy.cluster.hierarchy import linkage

import tarocco
from tarocco.cli import main
from tarocco.core.errors import BadParameter, InputError
from tarocco.meta.qarla.decisions import Decisions, find_king_cases
from tarocco.meta.qarla.optimize import cluster_average_linkage, compute_agreement, find_redundancy, run_optimize
from tarocco.meta.qarla.set_search import (
    METHODS,
    TIES,
    KingObjective,
    SetSearch,
    SetTallies,
    beam,
    exhaustive,
    forward,
    greedy,
)
from tarocco.meta.qarla.similarities import TextSimilarities
from tarocco.render.results.qarla import metrics_table, redundancy_table
from tarocco.scoring.settings import Resampling, Workers
from tests.textbook import searching

DEMO = tarocco.datasets.load("demo")
FEW = ["BLEU-4", "WER", "PER", "ROUGE-L", "chrF"]


def value_of(objective):
    def value(members):
        return objective.with_addition(members[:-1], members[-1:])[0]

    return value


@st.composite
def objectives(draw):
    near = draw(drawn_similarities(most_metrics=5))
    folds = draw(st.integers(1, 3))
    split = np.arange(near.n_segments) % folds
    board = SetTallies(Decisions.of(near), split, jobs=1)
    without = draw(st.sampled_from([None, *range(board.folds)])) if board.folds > 1 else None
    return KingObjective(board, draw(st.sampled_from(TIES)), without)


@given(objectives())
def test_searches_are_those_of_the_textbook(objective):
    value, metrics = value_of(objective), objective.tallies.metrics
    assert greedy(objective) == searching.greedy(value, metrics)
    assert forward(objective) == searching.forward(value, metrics)


@given(objectives(), st.integers(1, 5))
def test_exhaustive_is_the_best_of_all(objective, most):
    value, metrics = value_of(objective), objective.tallies.metrics
    (found,) = exhaustive([objective], min(most, metrics))
    assert tuple(sorted(found)) == searching.best_of_all(value, metrics, min(most, metrics))
    (everywhere,) = exhaustive([objective])
    for search in (greedy, forward, beam):
        assert value(tuple(sorted(search(objective)))) <= value(tuple(sorted(everywhere)))


@given(objectives())
def test_beams(objective):
    """One of width 1 goes the way of forward search, and on; one that keeps all sets is exhaustive."""
    value = value_of(objective)
    assert value(beam(objective, 1)) >= value(forward(objective))
    assert set(beam(objective, 2**5)) == set(exhaustive([objective])[0])


@given(objectives())
def test_an_objective_without_a_fold(objective):
    """What a search sees without a fold is KING of the other segments."""
    if objective.without is None:
        return
    board = objective.tallies
    for metric in range(board.metrics):
        total = np.delete(board.of((metric,)), objective.without, axis=0).sum(axis=0)
        wanted = total[objective.column] / (total[2] * board.scale) if total[2] else -math.inf
        assert objective.with_addition((), [metric]) == [wanted]


def test_cross_validation_judges_by_what_was_not_searched():
    """Fold by fold, by hand: search on the others alone, judge on the fold."""
    near = random_similarities(metrics=5, segments=40)
    few = Resampling(50)
    for method in METHODS:
        result = run_optimize(near, SetSearch(method, folds=4), resampling=few)
        decisions = Decisions.of(near)
        cross, judged, n = result.cross_validation, np.full((40, 2), np.nan), 0
        split = split_of(40, 4)
        for fold, one in enumerate(cross.folds):
            rest = near.select(segments=np.flatnonzero(split != fold).tolist())
            alone = run_optimize(rest, SetSearch(method, folds=0), resampling=few)
            assert alone.metrics == one.metrics
            members = [near.metrics.index(name) for name in one.metrics]
            cases = find_king_cases(decisions, members)
            rows = split == fold
            judged[rows] = cases.by_segment[rows]
            assert one.n_segments == rows.sum()
            n += one.n_segments
        assert n == 40
        assert cross.kings == pytest.approx(judged.mean(axis=0), abs=1e-12)
        for m, one in ((m, one) for m in near.metrics for one in result.candidates if one.metric == m):
            assert one.folds == sum(m in fold.metrics for fold in cross.folds)


def split_of(segments, folds):
    from tarocco.meta.qarla.optimize import draw_folds

    return draw_folds(segments, folds, 12345)


def random_similarities(metrics=3, segments=20, systems=3, references=4, seed=7):
    random = np.random.default_rng(seed)
    near = random.normal(size=(metrics, segments, systems + references, references))
    near += random.normal(size=near.shape[1:])
    near[:, :, systems:] += 0.5
    near[:, :, systems + np.arange(references), np.arange(references)] = np.nan
    names = tuple(f"x{m}" for m in range(metrics))
    of_references = tuple(f"r{r}" for r in range(references))
    there = np.ones((segments, references), np.bool_)
    return TextSimilarities(names, names, tuple(f"a{a}" for a in range(systems)), of_references, there, near)


def test_folds_are_even_and_drawn_from_the_seed():
    split = split_of(23, 5)
    assert sorted(np.bincount(split).tolist()) == [4, 4, 5, 5, 5]
    assert (split == split_of(23, 5)).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_result_is_the_same_for_any_number_of_jobs(method):
    near = random_similarities(metrics=6)
    one, other = (run_optimize(near, SetSearch(method, redundancy=True), workers=Workers(jobs)) for jobs in (1, 3))
    assert one.to_dict(True) == other.to_dict(True)


def test_the_path_and_what_is_lost():
    result = tarocco.optimize(DEMO.systems, DEMO.references, metrics=FEW, method="forward", n_resamples=50)
    kings = tarocco.king(
        DEMO.systems,
        DEMO.references,
        sets=[result.metrics[:n] for n in range(1, len(result.metrics) + 1)],
        n_resamples=50,
    )
    before = (0.0, 0.0)
    for n, one in enumerate(result.path, start=1):
        whole = kings[result.metrics[:n]]
        assert (one.step, one.metric) == (n, result.metrics[n - 1])
        assert one.after == pytest.approx((whole.king, whole.strict_king), abs=1e-12)
        assert one.adds == pytest.approx(tuple(np.subtract(one.after, before)), abs=1e-12)
        before = one.after
    last = kings[result.metrics]
    assert (result.chosen.king, result.chosen.strict_king) == (last.king, last.strict_king)
    assert result.chosen.strict_interval == last.strict_interval
    assert result.chosen.by_reference == last.by_reference
    for one in result.path:
        others = [name for name in result.metrics if name != one.metric]
        if others:
            left = tarocco.king(DEMO.systems, DEMO.references, sets=[others], n_resamples=50)[others]
            assert one.without == pytest.approx((left.king, left.strict_king), abs=1e-12)


def test_ties_count_as_in_the_manual():
    strict = tarocco.optimize(DEMO.systems, DEMO.references, metrics=FEW, method="exhaustive", n_resamples=50)
    counted = tarocco.optimize(
        DEMO.systems, DEMO.references, metrics=FEW, method="exhaustive", ties="count", n_resamples=50
    )
    assert counted.chosen.king >= strict.chosen.king
    assert strict.chosen.strict_king >= counted.chosen.strict_king


# --- metrics that decide alike ---------------------------------------------------------------------------------------


@given(drawn_similarities())
def test_agreement_is_that_of_the_textbook(near):
    phi, alike = compute_agreement(Decisions.of(near))
    systems, metrics = len(near.systems), len(near.metrics)
    bits = {m: {} for m in range(metrics)}
    for s in range(near.n_segments):
        there = np.flatnonzero(near.present[s])
        for a in range(systems):
            for sample in ((r, p, q) for r in there for p in there for q in there if p != q):
                for m, of_metric in enumerate(near.to_references[:, s]):
                    own, other = of_metric[a, sample[0]], of_metric[systems + sample[1], sample[2]]
                    if not (np.isnan(own) or np.isnan(other)):
                        bits[m][(s, a, *sample)] = bool(own >= other)
    for i in range(metrics):
        for j in range(metrics):
            both = sorted(set(bits[i]) & set(bits[j]))
            wanted = searching.phi([bits[i][key] for key in both], [bits[j][key] for key in both])
            for found, expected in zip((phi[i, j], alike[i, j]), wanted, strict=True):
                assert np.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


@given(st.integers(2, 9), st.integers(0, 2**32))
def test_clusters_are_those_of_the_textbook_and_of_scipy(count, seed):
    likeness = np.random.default_rng(seed).random((count, count))
    likeness = (likeness + likeness.T) / 2
    found = cluster_average_linkage(likeness)
    wanted = searching.average_linkage(likeness.tolist())
    assert [merge[1:] for merge in found] == [merge[1:] for merge in wanted]
    assert [merge[0] for merge in found] == pytest.approx([merge[0] for merge in wanted])
    peer = linkage(1 - likeness[np.triu_indices(count, 1)], "average")
    assert [1 - merge[0] for merge in found] == pytest.approx(peer[:, 2].tolist())


def test_twins_are_neighbors():
    near = random_similarities(metrics=4)
    near.to_references[3] = 2 * near.to_references[0] + 1  # decides as the first does
    found = find_redundancy(Decisions.of(near), near.metrics)
    places = [found.metrics.index(name) for name in ("x0", "x3")]
    assert abs(places[0] - places[1]) == 1
    assert found.phi[places[0], places[1]] == pytest.approx(1)
    assert ("x0", "x3") in found.groups


# --- what is refused, and what is written ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "best"}, "method is one of greedy"),
        ({"ties": "ignore"}, "ties is one of strict"),
        ({"most": 2}, "most is for the methods beam and exhaustive"),
        ({"folds": 1}, "folds is 0, for no cross-validation, or an integer of at least 2"),
        ({"folds": 61}, "there are 60 segments with three references or more, too few for 61 folds"),
        ({"metrics": "lexical", "method": "exhaustive"}, "with at most 7 metrics per set there are 1,683,217"),
        ({"metrics": []}, "no metric was selected"),
        ({"width": 0, "method": "beam"}, "width is an integer of at least 1"),
    ],
)
def test_what_is_refused(given, said):
    with pytest.raises((BadParameter, InputError), match=said):
        tarocco.optimize(DEMO.systems, DEMO.references, **({"metrics": FEW} | given))


def test_many_metrics():
    """A search that goes step by step takes any number of them, an exhaustive one 64."""
    rng = np.random.default_rng(1)
    names = tuple(f"m{i}" for i in range(70))
    near = rng.random((70, 3, 5, 3))
    near[:, :, [2, 3, 4], [0, 1, 2]] = np.nan
    similarities = TextSimilarities(names, names, ("a", "b"), ("1", "2", "3"), np.ones((3, 3), np.bool_), near)
    board = SetTallies(Decisions.of(similarities), np.zeros(3, np.intp))
    for method in ("greedy", "forward", "beam"):
        (found,) = SetSearch(method, most=2 if method == "beam" else None, width=2).run([KingObjective(board)])
        assert found == tuple(dict.fromkeys(found))
    assert greedy(KingObjective(board)) == searching.greedy(value_of(KingObjective(board)), 70)
    SetSearch("exhaustive", most=2).check(64)
    with pytest.raises(BadParameter, match="exhaustive search takes at most 64 metrics, not 70"):
        SetSearch("exhaustive", most=2).check(70)


def test_two_references_are_too_few():
    with pytest.raises(InputError, match="KING needs at least three references"):
        tarocco.optimize(DEMO.systems, [row[:2] for row in DEMO.references], metrics=FEW)


def test_segments_with_two_references_are_left_out():
    fewer = [row[:2] if i < 5 else row for i, row in enumerate(DEMO.references)]
    result = tarocco.optimize(DEMO.systems, fewer, metrics=FEW, n_resamples=50)
    assert result.chosen.n_segments == 55
    assert result.notes == ("5 of 60 segments have fewer than 3 references and are left out",)


def test_trans_topic():
    """Pairs of references from all segments: the same sample as `tarocco.king` takes for a set."""
    how = {"trans_topic": True, "n_pairs": 100, "n_resamples": 50}
    result = tarocco.optimize(DEMO.systems, DEMO.references, metrics=["WER", "chrF"], **how)
    both = tarocco.king(DEMO.systems, DEMO.references, sets=[["WER", "chrF"]], **how)["WER", "chrF"]
    assert result.metrics == ("WER", "chrF")
    assert result.path[1].after == pytest.approx((both.king, both.strict_king), abs=1e-12)
    assert "pairs:100-of-all" in result.chosen.signature


@pytest.fixture(name="files")
def demo_files(tmp_path, monkeypatch):
    for number in range(4):
        text = "\n".join(row[number] for row in DEMO.references)
        (tmp_path / f"ref{number + 1}").write_text(text + "\n", "utf-8")
    for name, segments in DEMO.systems.items():
        (tmp_path / name).write_text("\n".join(segments) + "\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    return ["optimize", "ref1", "ref2", "ref3", "ref4", "-i", *DEMO.systems]


def run(arguments):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(arguments)
    return code, out.getvalue(), err.getvalue()


def test_the_command(files):
    code, out, _ = run([*files, "-m", *FEW, "--by-reference", "--redundancy", "--n-resamples", "50"])
    assert code == 0
    for said in ("the set: ", "reference held out", "decides like", "on unseen segments (10 folds)", "optimistic"):
        assert said in out
    code, out, _ = run([*files, "-m", *FEW, "-f", "json", "--method", "exhaustive", "--most", "2", "--folds", "0"])
    (result,) = json.loads(out)["results"]
    assert len(result["metrics"]) <= 2
    assert result["ties"] == pytest.approx(result["king"] - result["strict_king"])
    assert "cross_validation" not in result
    direct = tarocco.optimize(DEMO.systems, DEMO.references, metrics=FEW, method="exhaustive", most=2, folds=0).chosen
    assert (result["metrics"], result["king"]) == (list(direct.metrics), direct.king)
    code, out, _ = run([*files, "-m", *FEW, "-f", "tsv"])
    assert out.startswith("metric\tstep\t")
    assert len(out.splitlines()) == 1 + len(FEW)
    code, out, _ = run([*files, "-m", *FEW, "-b"])
    assert len(out.splitlines()) == 4
    code, out, _ = run([*files, "-m", *FEW, "--segments", "1-20,40", "-f", "json"])
    assert json.loads(out)["n_segments"] == 21
    code, _, err = run([*files, "-m", *FEW, "--segments", "61"])
    assert (code, err) == (1, "tarocco: there is no segment 61: there are 60\n")


def test_json_tells_what_is_left_out(files, tmp_path):
    for name in ("ref3", "ref4"):
        (tmp_path / name).write_text("\n" + "\n".join((tmp_path / name).read_text("utf-8").splitlines()[1:]) + "\n")
    _, out, _ = run([*files, "-m", "WER", "chrF", "-f", "json", "--n-resamples", "50"])
    assert json.loads(out)["notes"] == ["1 of 60 segments have fewer than 3 references and are left out"]


def test_narrow_terminals():
    """Tables that fit into sixty columns, three between two cells, with what was searched for."""
    result = tarocco.optimize(DEMO.systems, DEMO.references, ties="count", redundancy=True, n_resamples=50)
    narrow = metrics_table(result, 4, 60)
    assert narrow.header == ("step", "metric", "KING", "set's", "adds", "folds")
    for table in (narrow, redundancy_table(result.redundancy, 60)):
        assert sum(table.widths) + 3 * len(table.widths) - 1 <= 60
    assert len(redundancy_table(result.redundancy, 200).header) == 30


def test_a_group_of_metrics(files):
    code, out, _ = run([*files, "-m", "lexical", "-f", "tsv", "--folds", "0"])
    assert (code, len(out.splitlines())) == (0, 29)
    code, _, err = run([*files, "-m", "lexical", "WER"])
    assert (code, err) == (1, "tarocco: metrics listed twice: WER\n")


def test_scores_of_pairs_made_elsewhere(files, tmp_path):
    random = np.random.default_rng(3)
    systems, references = list(DEMO.systems), ["ref1", "ref2", "ref3", "ref4"]
    lines = ["target\treference\tsegment\tscore"]
    for text in [*systems, *references]:
        for reference in references:
            if text != reference:
                lines += [f"{text}\t{reference}\t{s}\t{random.random():.3f}" for s in range(1, 61)]
    (tmp_path / "mine.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    code, out, err = run([*files, "-m", "WER", "--scores", "mine=mine.tsv", "-f", "tsv"])
    assert code == 0, err
    assert {line.split("\t")[0] for line in out.splitlines()[1:]} == {"WER", "mine"}


def test_a_figure(files, tmp_path):
    code, _, err = run([*files, "-m", *FEW, "--figure", "alike.svg", "-q"])
    assert code == 0, err
    assert (tmp_path / "alike.svg").read_text("utf-8").count("chrF") >= 2
    with pytest.raises(InputError, match="redundancy=True"):
        tarocco.figure(tarocco.optimize(DEMO.systems, DEMO.references, metrics=FEW, n_resamples=50))
