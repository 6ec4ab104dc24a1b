"""The data audit: each check finds an injected fault and is silent on the same data without it."""

import io
import json
import random
from dataclasses import replace

import numpy as np
import pytest
from test_cli import run

import tarocco
from tarocco import datasets
from tarocco.core.test_set import HumanScores, Segments, TestSet
from tarocco.render.results.check import present_check
from tarocco.trials.data_audit import label_checks, text_checks
from tarocco.trials.data_audit.check import audit_data
from tarocco.trials.data_audit.findings import CHECKS, DataAudit
from tarocco.trials.data_audit.texts import MAX_SEGMENTS, TextProfiles

DEMO = datasets.load("demo")
FOLDER = DEMO.path
WORDS = [w for segment in DEMO.references for text in segment for w in text.strip(".").split()]


def make_sentences(n, seed):
    drawn = random.Random(seed)
    return [" ".join(drawn.choices(WORDS, k=drawn.randint(8, 20))).capitalize() + "." for _ in range(n)]


def change_words(sentences, share, seed):
    """Replace a share of the words, but not the last, which ends the sentence."""
    drawn = random.Random(seed)

    def change(sentence):
        *words, last = sentence.split()
        return " ".join([w if drawn.random() > share else drawn.choice(WORDS) for w in words] + [last])

    return [change(sentence) for sentence in sentences]


def make_texts(n=120, systems=8, references=3):
    """Systems that change 30% to 60% of the words of a text that nobody sees, and references that change 30%."""
    hidden = make_sentences(n, 1)
    by_system = {f"s{i}": change_words(hidden, 0.3 + 0.3 * i / systems, 10 + i) for i in range(systems)}
    return by_system, [change_words(hidden, 0.3, 100 + r) for r in range(references)]


def check(systems, references, human=None, **settings):
    return tarocco.check(systems, list(zip(*references, strict=True)), human=human, **settings)


def kinds(audit, severity=None):
    return {finding.kind for finding in audit if severity in (None, finding.severity)}


SYSTEMS, REFERENCES = make_texts()


def make_human(seed=0, noise=0.05):
    """Scores of segments that agree with chrF, up to noise."""
    scores = tarocco.score(SYSTEMS, list(zip(*REFERENCES, strict=True)), metrics="chrF")
    draws = np.random.default_rng(seed)
    return {name: scores[name]["chrF"].segments + draws.normal(0, noise, len(REFERENCES[0])) for name in SYSTEMS}


HUMAN = make_human()


# --- clean data ------------------------------------------------------------------------------------------------------


def test_clean_data_has_notes_only():
    audit = check(SYSTEMS, REFERENCES, HUMAN)
    assert kinds(audit) == {"amount of data"}
    assert kinds(audit, "severe") == set()
    assert set(audit.passed) == set(CHECKS) - {"amount of data"}
    assert audit.skipped == ()


def test_what_is_not_checked_is_listed():
    audit = check(SYSTEMS, REFERENCES[:1])
    assert dict(audit.skipped).keys() == {"labels", "sign", "outliers", "duplicated judgments", "edited references"}
    assert not set(dict(audit.skipped)) & set(audit.passed)
    assert "only scripts were compared" in audit.notes[0]


def test_the_same_data_give_the_same_findings():
    shuffled = dict(zip(HUMAN, reversed(HUMAN.values()), strict=True))
    once, again = (check(SYSTEMS, REFERENCES, shuffled).to_dict() for _ in range(2))
    assert once == again


# --- human scores ----------------------------------------------------------------------------------------------------


def test_swapped_labels_are_found_with_their_mapping():
    swapped = HUMAN | {"s1": HUMAN["s5"], "s5": HUMAN["s1"]}
    (finding,) = [f for f in check(SYSTEMS, REFERENCES, swapped) if f.kind == "labels"]
    assert finding.severity == "severe"
    assert set(finding.subject) == {"s1", "s5"}
    assert "those of s5 fit s1" in finding.evidence


def test_random_human_scores_do_not_fit():
    draws = np.random.default_rng(3)
    noise = {name: draws.normal(size=120) for name in SYSTEMS}
    (finding,) = [f for f in check(SYSTEMS, REFERENCES, noise) if f.kind == "labels"]
    assert "do not fit" in finding.evidence
    assert "the data cannot say what is wrong" in finding.advice


def test_one_score_per_system_leaves_swaps_unseen():
    means = {name: float(scores.mean()) for name, scores in HUMAN.items()}
    (finding,) = [f for f in check(SYSTEMS, REFERENCES, means) if f.kind == "labels"]
    assert (finding.severity, "would go unnoticed" in finding.evidence) == ("note", True)


@pytest.mark.parametrize("level", ["segment", "system"])
def test_a_reversed_sign_is_found(level):
    human = {name: -scores if level == "segment" else -float(scores.mean()) for name, scores in HUMAN.items()}
    audit = check(SYSTEMS, REFERENCES, human)
    assert "sign" in kinds(audit, "severe")
    assert "labels" not in kinds(audit, "severe")


def test_an_error_criterion_is_not_reversed():
    scores = np.stack([-HUMAN[name] for name in SYSTEMS])
    human = HumanScores({"errors": scores}, {"errors": "error"}, tuple(SYSTEMS), "segment", 1, ())
    assert not {"sign", "labels"} & kinds(check(SYSTEMS, REFERENCES, human))


def test_an_outlier_that_decides_the_correlation():
    draws = np.random.default_rng(5)
    human = {name: float(draws.normal()) for name in SYSTEMS}
    systems = SYSTEMS | {"bad": change_words(SYSTEMS["s0"], 0.95, 7)}
    (finding,) = [f for f in check(systems, REFERENCES, human | {"bad": -30.0}) if f.kind == "outliers"]
    assert finding.subject == ("bad",)
    assert finding.severity == "warning"
    assert "outliers" not in kinds(check(systems, REFERENCES, human | {"bad": 0.0}))


def test_scores_that_were_copied_to_another_system():
    audit = check(SYSTEMS, REFERENCES, HUMAN | {"s2": HUMAN["s3"]})
    (finding,) = [f for f in audit if f.kind == "duplicated judgments"]
    assert set(finding.subject) == {"s2", "s3"}


def test_criteria_with_the_same_scores():
    scores = np.stack([HUMAN[name] for name in SYSTEMS])
    criteria = {"adequacy": scores, "fluency": scores.copy()}
    human = HumanScores(criteria, dict.fromkeys(criteria, "similarity"), tuple(SYSTEMS), "segment", 1, ())
    assert ("adequacy", "fluency") in [f.subject for f in check(SYSTEMS, REFERENCES, human)]


def test_gaps_in_human_scores():
    gaps = {name: scores.copy() for name, scores in HUMAN.items()}
    draws = np.random.default_rng(1)
    for scores in gaps.values():
        scores[draws.random(len(scores)) < 0.4] = np.nan
    assert "labels" not in kinds(check(SYSTEMS, REFERENCES, gaps))
    swapped = gaps | {"s1": gaps["s5"], "s5": gaps["s1"]}
    assert "labels" in kinds(check(SYSTEMS, REFERENCES, swapped), "severe")


def test_the_best_assignment():
    """Against all permutations."""
    draws = np.random.default_rng(0)
    for size in range(1, 8):
        table = draws.normal(size=(size, size))
        orders = label_checks.draw_permutations(size, 0)
        sums = table[np.arange(size), orders].sum(axis=1)
        assert label_checks.assign_best(table).tolist() == orders[sums.argmax()].tolist()


def test_means_are_removed_from_tables_with_gaps():
    draws = np.random.default_rng(0)
    table = draws.normal(size=(5, 1)) + draws.normal(size=(1, 40))
    table[draws.random(table.shape) < 0.3] = np.nan
    rest = label_checks.remove_means(table)
    assert np.nanmax(np.abs(rest)) < 1e-6
    assert (np.isnan(rest) == np.isnan(table)).all()


# --- texts -----------------------------------------------------------------------------------------------------------


def test_a_reference_among_the_systems():
    audit = check(SYSTEMS | {"new": REFERENCES[1]}, REFERENCES)
    (finding,) = audit.severe
    assert finding.subject == ("new", "reference 2")
    assert "100% of the segments" in finding.evidence


def test_a_reference_made_from_a_system():
    edited = change_words(SYSTEMS["s3"], 0.1, 5)
    (finding,) = [f for f in check(SYSTEMS, [*REFERENCES, edited]) if f.kind == "copies"]
    assert (finding.severity, finding.subject) == ("warning", ("s3", "reference 4"))


def test_a_system_twice():
    audit = check(SYSTEMS | {"again": change_words(SYSTEMS["s2"], 0.002, 5)}, REFERENCES)
    assert ("s2", "again") in [f.subject for f in audit if f.kind == "copies"]


def test_references_that_are_edits_of_one_another():
    edited = change_words(REFERENCES[0], 0.1, 8)
    audit = check(SYSTEMS, [*REFERENCES, edited])
    assert [f.subject for f in audit.severe] == [("reference 1", "reference 4")]


def test_lowercased_systems():
    lowered = {name: [t.lower() for t in texts] if name in ("s1", "s2") else texts for name, texts in SYSTEMS.items()}
    audit = check(lowered, REFERENCES)
    assert [f.subject for f in audit.severe] == [("s1", "s2")]
    assert "text form" not in kinds(check(lowered, REFERENCES, lowercase=True))


def test_most_systems_lowercased():
    lowered = {name: texts if name == "s0" else [t.lower() for t in texts] for name, texts in SYSTEMS.items()}
    assert set(check(lowered, REFERENCES).severe[0].subject) == set(SYSTEMS) - {"s0"}


def test_lowercased_references():
    audit = check(SYSTEMS, [[text.lower() for text in stream] for stream in REFERENCES])
    assert "references are mostly lowercased" in audit.severe[0].evidence


def test_tokenized_outputs():
    tokenized = [text.replace(",", " ,").replace(".", " .") for text in SYSTEMS["s1"]]
    (finding,) = [f for f in check(SYSTEMS | {"s1": tokenized}, REFERENCES) if f.kind == "text form"]
    assert "s1 is tokenized" in finding.evidence


def test_subwords():
    joined = [text.replace(" ", "@@ ", 2) for text in SYSTEMS["s1"]]
    (finding,) = [f for f in check(SYSTEMS | {"s1": joined}, REFERENCES) if f.kind == "text form"]
    assert "traces of a tokenizer" in finding.evidence


def test_truncated_outputs():
    cut = [" ".join(text.split()[:10]) for text in SYSTEMS["s1"]]
    (finding,) = [f for f in check(SYSTEMS | {"s1": cut}, REFERENCES) if f.kind == "text form"]
    assert "s1 looks truncated" in finding.evidence


@pytest.mark.parametrize(("n", "severity"), [(3, "warning"), (60, "severe")])
def test_empty_outputs(n, severity):
    empty = [""] * n + SYSTEMS["s1"][n:]
    found = [f for f in check(SYSTEMS | {"s1": empty}, REFERENCES) if "are empty" in f.evidence]
    assert [(f.severity, f.subject) for f in found] == [(severity, ("s1",))]
    assert f"{n} of 120" in found[0].evidence


def test_a_source_that_was_copied():
    source = make_sentences(120, 77)
    copied = source[:20] + SYSTEMS["s1"][20:]
    assert "language" not in kinds(check(SYSTEMS, REFERENCES, source=source))
    (finding,) = [f for f in check(SYSTEMS | {"s1": copied}, REFERENCES, source=source) if f.kind == "language"]
    assert (finding.severity, finding.subject) == ("warning", ("s1",))
    (finding,) = [f for f in check(SYSTEMS | {"s1": source}, REFERENCES, source=source) if f.kind == "language"]
    assert finding.severity == "severe"


def test_another_script():
    greek = ["".join(chr(0x3B1 + ord(c) % 20) if c.isalpha() else c for c in text) for text in SYSTEMS["s1"]]
    found = [f for f in check(SYSTEMS | {"s1": greek}, REFERENCES) if f.kind == "language"]
    assert [f.subject for f in found] == [("s1",)]
    assert "Greek" in found[0].evidence


@pytest.mark.parametrize(("begin", "end"), [(0, 120), (40, 70)])
def test_shifted_lines(begin, end):
    lines = SYSTEMS["s1"]
    shifted = [*lines[:begin], *lines[begin + 1 : end], lines[begin], *lines[end:]]
    (finding,) = check(SYSTEMS | {"s1": shifted}, REFERENCES).severe
    assert finding.kind == "line shifts"
    assert finding.subject == ("s1",)
    assert "1 line below" in finding.evidence


def test_a_shifted_reference():
    first = [*REFERENCES[0][1:], REFERENCES[0][0]]
    (finding,) = [f for f in check(SYSTEMS, [first, *REFERENCES[1:]]) if f.kind == "line shifts"]
    assert finding.subject == ("reference 1",)


def test_a_file_of_another_test_set():
    (finding,) = check(SYSTEMS | {"s1": make_sentences(120, 55)}, REFERENCES).severe
    assert "does not match the references" in finding.evidence


def test_runs_of_lines_are_drawn_from_large_texts():
    n = 3 * MAX_SEGMENTS
    text = Segments.from_strings([f"line {i} of a long text" for i in range(n)])
    later = Segments.from_strings([f"line {(i + 1) % n} of a long text" for i in range(n)])
    profiles = TextProfiles(TestSet({"s": later}, (text,)))
    assert len(profiles.rows) == MAX_SEGMENTS
    (finding,) = text_checks.check_line_shifts(profiles)
    assert "1 line below" in finding.evidence


def test_blank_references_are_not_compared():
    sparse = [text if i % 10 == 0 else "" for i, text in enumerate(REFERENCES[1])]
    assert not kinds(check(SYSTEMS, [REFERENCES[0], sparse])) - {"amount of data"}


# --- settings --------------------------------------------------------------------------------------------------------

CHINESE = [
    "我们昨天在公园里看到了一只小猫。",
    "他说今天的天气很好，适合出去走走。",
    "这本书是我最喜欢的作家写的。",
] * 40


@pytest.mark.parametrize(("tokenize", "found"), [("13a", True), ("none", True), ("zh", False), ("char", False)])
def test_chinese(tokenize, found):
    systems = {"one": CHINESE[1:] + CHINESE[:1], "other": CHINESE[2:] + CHINESE[:2]}
    audit = check(systems, [CHINESE], metrics="BLEU-4", tokenize=tokenize)
    assert ("tokenizer" in kinds(audit, "severe")) == found
    assert "tokenizer" not in kinds(check(systems, [CHINESE], metrics="chrF", tokenize=tokenize))


GERMAN = ["Der Mann sah gestern den alten Hund im Garten seiner Eltern.", "Sie haben das Haus am Fluss verkauft."] * 20


@pytest.mark.parametrize(
    ("metric", "found"), [("METEOR", True), ("ROUGE-1:stemmer=porter", True), ("METEOR-exact", False)]
)
def test_english_resources(metric, found):
    assert ("English resources" in kinds(check({"s": GERMAN}, [GERMAN], metrics=[metric]))) == found
    assert "English resources" not in kinds(
        check(SYSTEMS, [[texts[0] for texts in DEMO.references] * 2], metrics=[metric])
    )


def test_japanese_needs_characters():
    japanese = ["昨日、公園で小さな猫を見ました。", "この本は私の好きな作家が書いたものです。"] * 30
    systems = {"one": japanese[1:] + japanese[:1]}
    for tokenize, found in (("zh", True), ("13a", True), ("char", False)):
        audit = check(systems, [japanese], metrics="BLEU-4", tokenize=tokenize)
        assert ("tokenizer" in kinds(audit, "severe")) == found
    assert "--tokenize ja-mecab (pip" in check(systems, [japanese], metrics="BLEU-4").severe[0].advice


def test_too_little_data():
    audit = check({"a": GERMAN[:30]}, [GERMAN[:30]], {"a": 1.0})
    about = {f.subject[0]: f.severity for f in audit if f.kind == "amount of data"}
    assert about == {"references": "note", "segments": "warning", "judged systems": "warning", "raters": "note"}


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_exits_with_3_only_if_strict(capsys):
    files = (FOLDER / "ref1.txt", "-i", FOLDER / "careful.txt", FOLDER / "ref1.txt")
    assert run(capsys, "check", *files)[0] == 0
    code, out, _ = run(capsys, "check", *files, "--strict")
    assert code == 3
    assert "severe" in out
    assert run(capsys, "check", FOLDER / "demo.toml", "--strict")[0] == 0


def test_json_says_what_was_not_checked(capsys):
    code, out, _ = run(capsys, "check", FOLDER / "ref1.txt", "-i", FOLDER / "careful.txt", "-f", "json")
    printed = json.loads(out)
    assert code == 0
    assert printed["command"] == "check"
    assert printed["not_checked"]["labels"] == "needs human scores"
    assert {"kind", "severity", "subject", "evidence", "advice"} == set(printed["results"][0])


@pytest.mark.parametrize("form", ["table", "md", "latex", "tsv", "csv", "json"])
def test_no_findings_are_printed_too(form):
    out = io.StringIO()
    present_check(DataAudit((), passed=("copies",)), 1).write(form, out)
    assert form in ("tsv", "csv") or "copies" in out.getvalue()


@pytest.mark.parametrize("form", ["table", "md", "latex", "tsv", "csv"])
def test_every_format_has_every_finding(capsys, form):
    audit = tarocco.check(FOLDER / "demo.toml")
    code, out, _ = run(capsys, "check", FOLDER / "demo.toml", "-f", form)
    assert code == 0
    for finding in audit:
        assert finding.kind in out
        assert finding.evidence[:30].replace("%", "\\%" if form == "latex" else "%") in out


def test_the_command_and_the_function_agree(capsys):
    _, out, _ = run(capsys, "check", FOLDER / "demo.toml", "-f", "json")
    assert json.loads(out)["results"] == tarocco.check(FOLDER / "demo.toml").to_dict()


def test_a_source_of_another_length_is_refused(capsys, tmp_path):
    (tmp_path / "source.txt").write_text("one line\n")
    files = (FOLDER / "ref1.txt", "-i", FOLDER / "careful.txt", "--source", tmp_path / "source.txt")
    code, _, err = run(capsys, "check", *files)
    assert code == 1
    assert "expected 60 segments" in err


def test_findings_can_be_computed_from_a_trial_s_parts():
    """What `trial` passes: test set, encoding, metrics, scores, human scores."""
    from tarocco.core.test_set import make_test_set
    from tarocco.encode.batch import Encoding

    test_set = make_test_set(SYSTEMS, list(zip(*REFERENCES, strict=True)))
    scores = tarocco.score(SYSTEMS, list(zip(*REFERENCES, strict=True)), metrics=["chrF", "ROUGE-L"])
    human = HumanScores({"q": np.stack(list(HUMAN.values()))}, {"q": "similarity"}, tuple(HUMAN), "segment", 2, ())
    reversed_scores = replace(human, criteria={"q": -human.criteria["q"]})
    assert not audit_data(test_set, Encoding(), (), scores, human).severe
    assert kinds(audit_data(test_set, Encoding(), (), scores, reversed_scores), "severe") == {"sign"}


def test_constant_human_scores_judge_nothing():
    systems, references = make_texts()
    audit = check(systems, references, dict.fromkeys(systems, 3.0))
    assert any("All human scores (human) are 3" in finding.evidence for finding in audit.severe)
