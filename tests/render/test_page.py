"""The report without a browser: what its data are, that it is inert and always the same, and its files."""

import csv
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from conftest import ROOT

import tarocco
from tarocco import datasets
from tarocco.cli import main
from tarocco.core.errors import InputError
from tarocco.core.test_set import make_test_set
from tarocco.encode.batch import Encoding
from tarocco.explanation.records import Element
from tarocco.render import terms
from tarocco.render.page import segments
from tarocco.render.page.payload import json_of, payload_of, read_payload
from tarocco.render.page.report import page_of, write_figures
from tarocco.render.page.segments import interesting_segments, locate_words, marks_of, marks_of_states
from tarocco.render.results.explain import word_runs
from tarocco.trials.findings import Breakdown, Findings, MetricAgreement

HOSTILE = ("<script>x</script>", "</script><!--", "\x00\u2028\u2029", "{{payload}}", "😀 &amp; 𝒳")


@pytest.fixture(scope="module", name="scores")
def demo_scores():
    demo = datasets.load("demo")
    return tarocco.score(demo.systems, demo.references, metrics=["BLEU-4", "TER"], confidence=0.95, n_resamples=50)


@pytest.fixture(scope="module", name="payload")
def demo_payload(scores):
    demo = datasets.load("demo")
    systems, references = demo.systems, demo.references
    findings = Findings(
        name="demo",
        command="tarocco score demo.toml",
        encoding=Encoding("13a"),
        test_set=make_test_set(systems, references),
        groups=tuple(demo.documents),
        scores=scores,
        comparison=tarocco.compare(systems, references, metrics=["BLEU-4", "TER"], all_pairs=True),
        agreement=MetricAgreement(("BLEU-4", "TER"), np.array([[1.0, 0.5], [0.5, np.nan]])),
        breakdowns=(Breakdown("group", ("a", "b"), (30, 30), ("careful",), {"TER": np.array([[0.5], [0.25]])}),),
        kings=tarocco.king(systems, references, metrics=["BLEU-4", "TER"]),
        orange=tarocco.orange(demo.path / "nbest.txt", references, metrics=["BLEU-4"], short="keep", confusions=2),
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(segments, "EXPLAINED", 24)
        return payload_of(findings)


# --- data ------------------------------------------------------------------------------------------------------------


def test_the_payload_has_the_numbers_of_the_results(payload, scores):
    told = {(one["system"], one["metric"]): one for one in payload["board"]["scores"]}
    for score in scores.scores:
        one = told[score.system, str(score.metric)]
        assert one["score"] == score.score
        assert one["interval"] == [score.interval.low, score.interval.high]
    assert payload["agreement"]["correlation"] == [[1.0, 0.5], [0.5, None]]
    columns = payload["segments"]["scores"]["BLEU-4"]
    own = [score.segments for score in scores.scores if str(score.metric) == "BLEU-4"]
    np.testing.assert_allclose(np.array(columns, float), np.array(own), rtol=1e-5)


def test_parts_that_are_not_there_are_not_in_the_payload(payload):
    assert "people" not in payload
    assert "audit" not in payload
    assert "verdict" not in payload
    assert payload_of(Findings("empty", ""))["name"] == "empty"


def test_clusters_end_where_all_above_are_better_than_all_below(payload):
    differ = {
        (one["metric"], frozenset((one["baseline"], one["system"])))
        for one in payload["board"]["pairs"]
        if one["significant"]
    }
    for metric in ("BLEU-4", "TER"):
        clusters = {one["system"]: one["cluster"] for one in payload["board"]["scores"] if one["metric"] == metric}
        for a, first in clusters.items():
            for b, second in clusters.items():
                assert first == second or (metric, frozenset((a, b))) in differ


def test_a_payload_survives_json_and_a_page(payload, tmp_path):
    text = json_of(payload)
    assert json.loads(text) == payload
    assert read_payload(text, "file") == payload
    assert read_payload(page_of(payload), "file") == payload


@pytest.mark.parametrize("text", ["{}", "[1]", "no json", '{"form": 99, "name": "x"}'])
def test_other_json_is_refused_with_a_sentence(text):
    with pytest.raises(InputError, match="file: "):
        read_payload(text, "file")


def test_terms_have_one_sentence_each_and_those_that_occur_are_told():
    assert all(len(re.findall(r"\.(?= |$)", sentence)) == 1 for sentence in terms.TERMS.values())
    found = [one["term"] for one in terms.find_terms(["ORANGE is low", "no oranges", "the p-values"])]
    assert found == ["ORANGE", "p-value"]


def test_the_segments_worth_a_look_are_those_on_which_systems_differ():
    systems = {"a": ["x y z w", "x y z w", "x y z w"], "b": ["x y z w", "q q q q", "x y z q"]}
    scores = tarocco.score(systems, ["x y z w"] * 3, metrics=["chrF"])
    findings = Findings("", "", test_set=make_test_set(systems, ["x y z w"] * 3), scores=scores)
    assert interesting_segments(findings, 2) == [2, 3]


# --- marks -----------------------------------------------------------------------------------------------------------


def spans(text, record):
    """What a page shows as marked: (text, kind)."""
    units, at, found = record.get("t", text).encode("utf-16-le"), 0, []
    for gap, size, kind in zip(*[iter(record["m"])] * 3, strict=True):
        at += gap
        found.append((units[2 * at : 2 * (at + size)].decode("utf-16-le"), kind))
        at += size
    return found


def test_words_are_found_in_the_text_as_it_stands():
    text = 'Él said "yes" &amp; 𝒳, no'
    words = ("él", "said", '"', "yes", '"', "&", "𝒳", ",", "no")
    shown, places = locate_words(text, words)
    assert shown == text
    units = text.encode("utf-16-le")
    assert [units[2 * a : 2 * b].decode("utf-16-le") for a, b in places] == [
        "Él", "said", '"', "yes", '"', "&amp;", "𝒳", ",", "no",
    ]  # fmt: skip
    assert locate_words("abc", ("x", "y"))[0] == "x y", "words that are not there are shown as the metric has them"


def test_marks_are_runs_with_what_is_skipped_between():
    words = ("a", "b", "c", "d", "e")
    elements = [
        Element("word", "a b", (0, 1), (0, 1), matched=True),
        Element("word", "d", (3,), (2,), matched=True, how="stem"),
    ]
    record = marks_of("a b c d e", words, word_runs(words, elements, "candidate", False))
    assert spans("a b c d e", record) == [("a b", 1), ("c", 2), ("d", 1)]
    assert record["l"] == {"2": "stem"}


def test_marks_of_states_join_neighbors():
    assert spans("a b c d", marks_of_states("a b c d", ("a", "b", "c", "d"), [1, 1, 0, 3])) == [("a b", 1), ("d", 3)]


def test_marks_in_the_payload_match_explanations(payload):
    marks, texts = payload["segments"]["marks"], payload["segments"]
    demo = datasets.load("demo")
    row = int(next(iter(marks["BLEU-4"])))
    (one,) = tarocco.explain(
        {"careful": demo.systems["careful"]}, demo.references, metrics="BLEU-4", segments=[row + 1]
    )
    record = marks["BLEU-4"][str(row)]["0"]
    matched = {place for element in one.matched for place in element.candidate}
    _, places = locate_words(texts["systems"][0][row], one.candidate)
    found = spans(texts["systems"][0][row], record["c"])
    at = "".join(text for text, kind in found if kind == 1).replace(" ", "")
    text = texts["systems"][0][row]
    assert at == "".join(text[slice(*places[place])] for place in sorted(matched))
    assert record["n"] == [[tally.type, tally.matched, tally.candidate] for tally in one.tallies]


# --- the page --------------------------------------------------------------------------------------------------------


class Parsed(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.meta, self.open, self.inside = [], {}, [], {}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag == "meta":
            self.meta[dict(attributes).get("http-equiv") or dict(attributes).get("name")] = dict(attributes).get(
                "content"
            )
        self.open.append(tag)

    def handle_data(self, data):
        if self.open:
            self.inside.setdefault(self.open[-1], []).append(data)


def test_the_page_is_whole_in_itself_and_its_scripts_are_those_that_its_policy_names(payload):
    import base64
    import hashlib

    text = page_of(payload)
    parsed = Parsed(text)
    assert not [tag for tag, given in parsed.tags if "src" in given or tag in ("link", "iframe", "img", "base")]
    scripts = [(given, body) for given, body in re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL)]
    assert [given for given, _ in scripts] == [
        ' type="application/json" id="payload"', ' type="application/json" id="charts"', "", "",
    ]  # fmt: skip
    policy = parsed.meta["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    for _, body in scripts[2:]:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()}'" in policy
        assert "\r" not in body, "parsers change it, and with it the digest"
    assert "script-src 'unsafe" not in policy


def test_hostile_texts_cannot_leave_the_data(tmp_path):
    systems = {f"{text}": [*HOSTILE] for text in HOSTILE[:2]}
    scores = tarocco.score(systems, [[text] for text in HOSTILE], metrics="chrF")
    path = tmp_path / "page.html"
    tarocco.report(scores, path, name=HOSTILE[1], systems=systems, references=[[text] for text in HOSTILE])
    text = path.read_text("utf-8")
    assert len(re.findall("<script", text)) == 4
    assert "\u2028" not in text.split('id="payload">')[1].split("</script>")[0]
    assert read_payload(text, "page")["segments"]["references"] == [list(HOSTILE)]


def test_the_same_findings_give_the_same_bytes(payload):
    again = json.loads(json.dumps(payload))
    assert page_of(payload) == page_of(again)


def test_every_script_is_part_of_the_page():
    from tarocco.render.page.report import SCRIPTS

    folder = ROOT / "src" / "tarocco" / "render" / "page" / "script"
    assert {path.stem for path in folder.glob("*.js")} == set(SCRIPTS)
    for path in folder.glob("*.js"):
        text = path.read_text("utf-8")
        assert "innerHTML" not in text
        assert "insertAdjacentHTML" not in text
        assert "document.write" not in text


def test_figures_and_tables_are_files(payload, tmp_path):
    written = {path.name for path in write_figures(payload, tmp_path / "figures")}
    for name in ("systems", "agreement", "orange", "king"):
        assert {f"{name}.svg", f"{name}.png", f"{name}.pdf"} <= written
    assert {"systems.tex", "systems.csv", "metrics.tex", "metrics.csv"} <= written
    assert (tmp_path / "figures" / "systems.tex").read_text().startswith(r"\begin{tabular}{lrr}")
    with open(tmp_path / "figures" / "systems.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    told = {(one["system"], one["metric"]): one["score"] for one in payload["board"]["scores"]}
    assert {(row["system"], row["metric"]): float(row["score"]) for row in rows} == told


# --- tarocco.report and the command ----------------------------------------------------------------------------------


def test_several_results_make_one_page(scores, tmp_path):
    demo = datasets.load("demo")
    king = tarocco.king(demo.systems, demo.references, metrics=["BLEU-4", "TER"])
    tarocco.report([scores, king], tmp_path / "page.html", name="both")
    payload = read_payload((tmp_path / "page.html").read_text("utf-8"), "page")
    assert (payload["name"], "king" in payload, "board" in payload) == ("both", True, True)


def test_what_cannot_be_reported_is_refused(scores, tmp_path):
    for found, message in ((3, "found int"), ([], "found none"), ([scores, scores], "found two")):
        with pytest.raises(InputError, match=message):
            tarocco.report(found, tmp_path / "page.html")
    with pytest.raises(InputError, match=r"ends in \.html"):
        tarocco.report(scores, tmp_path / "page.txt")
    with pytest.raises(InputError, match="expected both systems and references"):
        tarocco.report(scores, tmp_path / "page.html", systems={"a": ["x"]})
    assert list(tmp_path.iterdir()) == []


COMMANDS = {
    "score": (["score", "demo.toml", "-m", "chrF"], {"board", "segments"}),
    "compare": (["compare", "demo.toml", "-m", "chrF", "--all-pairs"], {"board", "segments"}),
    "orange": (["orange", "demo.toml", "-m", "chrF", "--short", "keep", "--curve"], {"orange"}),
    "king": (["king", "demo.toml", "-m", "BLEU-4", "chrF"], {"king", "board", "segments"}),
    "queen": (["queen", "demo.toml", "-m", "BLEU-4", "chrF"], {"queen", "board", "segments"}),
    "jack": (["jack", "demo.toml", "-m", "BLEU-4", "chrF"], {"jack", "board", "segments"}),
    "optimize": (["optimize", "demo.toml", "-m", "BLEU-4", "chrF"], {"optimal", "board", "segments"}),
    "correlate": (["correlate", "demo.toml", "-m", "chrF"], {"people", "board", "segments"}),
    "references": (["references", "demo.toml", "-m", "chrF"], {"curves", "board", "segments"}),
    "audit": (["audit", "demo.toml", "-m", "chrF"], {"audit", "board", "segments"}),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_write_pages_of_what_they_found(command, tmp_path, monkeypatch, capsys):
    arguments, parts = COMMANDS[command]
    monkeypatch.chdir(datasets.load("demo").path)
    path = tmp_path / "page.html"
    assert main([*arguments, "--report", str(path)]) == 0
    assert f"the report is {path}" in capsys.readouterr().err
    payload = read_payload(path.read_text("utf-8"), "page")
    assert parts <= set(payload)
    assert payload["command"].startswith(f"tarocco {command} demo.toml")
    if "segments" in parts:
        assert payload["name"] == "demo"
        assert len(payload["segments"]["source"]) == 60


def test_a_page_is_data_again(payload, tmp_path, capsys):
    data, page, again = tmp_path / "data.json", tmp_path / "page.html", tmp_path / "again.html"
    data.write_text(json_of(payload), "utf-8")
    assert main(["report", str(data), "-o", str(page)]) == 0
    assert main(["report", str(page), "-o", str(again), "--json", str(tmp_path / "again.json")]) == 0
    assert page.read_bytes() == again.read_bytes()
    assert json.loads((tmp_path / "again.json").read_text("utf-8")) == payload
    assert main(["report", str(page)]) == 1
    assert main(["report", str(page), "-o", str(page)]) == 1
    told = capsys.readouterr().err
    assert "expected an output" in told
    assert "would be overwritten" in told
