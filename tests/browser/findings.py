"""Findings for tests of the page: the bundled data, and whatever a test makes up."""

import numpy as np

import tarocco
from tarocco import datasets
from tarocco.core.test_set import Segments, make_test_set
from tarocco.encode.batch import Encoding
from tarocco.meta.correlation.score_sources import make_human_scores
from tarocco.trials.findings import Breakdown, Findings, Judgment, MetricAgreement, MetricVerdict, PlanStep, Verdict

METRICS = ("BLEU-4", "NIST-5", "TER", "chrF", "ROUGE-L", "METEOR-exact")


def verdict_of(metrics):
    """A verdict that says something of everything."""
    trusts = ("trusted", "trusted among these systems", "open", "doubted", "open")
    sentence = "ORANGE 2.0%: human translations are near the top of the lists."
    orange = Judgment("ORANGE", metrics[0], "supported", 0.02, sentence)
    king = Judgment("KING", metrics[0], "refuted", 0.61, "KING 0.61: four metrics tell people from machines better.")
    return Verdict(
        headline=f"Trust {metrics[0]} here: people, ORANGE and KING agree on it, and it was gamed in one way only.",
        metrics=tuple(
            MetricVerdict(name, trusts[i % 5], "Near the top for ORANGE, but KING sees ties.", (orange, king))
            for i, name in enumerate(metrics)
        ),
        disagreements=("ORANGE puts ROUGE-L first, people put it fourth: its interval is wide.",),
        systems=("careful is better than all others under every metric, and the differences are significant.",),
        interesting=(
            "Under BLEU-4 brief outranks literal, and people say the opposite.",
            "Two references are enough for chrF.",
            "An empty output scores better than a real system under no metric.",
            "NIST-5 and BLEU-4 judge segments nearly alike.",
        ),
        caveats=("Sixty segments are few: intervals are wide.",),
    )


def agreement_of(scores):
    names = list(dict.fromkeys(str(one.metric) for one in scores.scores))
    columns = []
    for name in names:
        own = [one.metric.sign * one.segments for one in scores.scores if str(one.metric) == name]
        columns.append(np.argsort(np.argsort(np.nan_to_num(np.concatenate(own)))))
    return MetricAgreement(tuple(names), np.corrcoef(np.array(columns)))


def breakdown_of(scores, by, labels):
    parts = tuple(dict.fromkeys(labels))
    systems = tuple(dict.fromkeys(one.system for one in scores.scores))
    tables = {}
    for score in scores.scores:
        rows = [
            float(score.metric.score(score.statistics[[i for i, label in enumerate(labels) if label == part]].sum(0)))
            for part in parts
        ]
        tables.setdefault(str(score.metric), []).append(rows)
    sizes = tuple(labels.count(part) for part in parts)
    return Breakdown(by, parts, sizes, systems, {name: np.array(rows).T for name, rows in tables.items()})


def demo_findings(metrics=METRICS):
    """Everything that can be found out about the bundled data, by the functions that find it out."""
    demo = datasets.load("demo")
    people = {system: [adequacy for adequacy, _ in own] for system, own in demo.grades.items()}
    test_set = make_test_set(demo.systems, demo.references)
    comparison = tarocco.compare(demo.systems, demo.references, metrics=metrics, all_pairs=True)
    scores = tarocco.score(demo.systems, demo.references, metrics=metrics, confidence=0.95)
    lengths = [len(references[0].split()) for references in demo.references]
    bins = ["up to 12 words" if n <= 12 else "13 to 18 words" if n <= 18 else "more than 18 words" for n in lengths]
    return Findings(
        name="demo",
        command="tarocco trial demo.toml --report report.html",
        encoding=Encoding("13a"),
        seed=12345,
        test_set=test_set,
        source=Segments.from_strings(demo.source),
        groups=tuple(demo.documents),
        human=make_human_scores(people, list(demo.systems), len(demo.source)),
        scores=scores,
        comparison=comparison,
        agreement=agreement_of(scores),
        breakdowns=(
            breakdown_of(scores, "group", demo.documents),
            breakdown_of(scores, "reference length", bins),
        ),
        orange=tarocco.orange(
            demo.path / "nbest.txt", demo.references, metrics=metrics, curve=True, confusions=10, short="keep"
        ),
        kings=tarocco.king(demo.systems, demo.references, metrics=metrics),
        queens=tarocco.queen(demo.systems, demo.references, metrics=metrics),
        jack=tarocco.jack(demo.systems, demo.references, metrics=metrics),
        optimal=tarocco.optimize(demo.systems, demo.references, metrics=metrics),
        correlations=(
            tarocco.correlate(demo.systems, demo.references, people, metrics=metrics),
            tarocco.correlate(demo.systems, demo.references, people, metrics=metrics, level="segment"),
        ),
        curves=tarocco.references(demo.systems, demo.references, human=people, metrics=metrics),
        audit=tarocco.audit(demo.systems, demo.references, metrics=metrics, groups=demo.documents),
        plan=(
            PlanStep("scores", "Which system is best?", True, "6 systems, 4 references"),
            PlanStep("external", "What do other metrics say?", False, "there are no scores made elsewhere"),
        ),
        verdict=verdict_of(metrics),
        notes=("Lists with fewer candidates than the longest were kept.",),
    )


HOSTILE = (
    "<script>document.title = 'taken'</script>",
    "</script><script>document.title = 'taken'</script><!--",
    "\"quotes\" 'and' `backticks` &amp; &lt;b&gt; <img src=x onerror=\"document.title='taken'\">",
    "right \u202eto left\u202c and \u2067isolated\u2069 \u200fmarks",
    "a NUL \x00 and a bell \x07 and an escape \x1b[31m and a separator \u2028 between",
    "emoji 👩‍👩‍👧‍👦 🏳️‍🌈 and beyond the plane 𝒳𝒴𝒵",
    "x" * 10_000,
    "שלום עולם, this is English in Hebrew",
    "{{payload}} ${1+1} javascript:alert(1) onload=alert(1)",
    "",
)


def hostile_findings():
    """Texts and names that try to be more than text."""
    references = [(text, f"other {text}") for text in HOSTILE]
    names = {"<b>bold</b>": list(HOSTILE), "</script>": [text[::-1] for text in HOSTILE]}
    return Findings(
        name="</title><script>document.title = 'taken'</script>",
        command="tarocco score '<script>' \"$(rm -rf)\"",
        encoding=Encoding("13a"),
        test_set=make_test_set(names, references),
        source=Segments.from_strings(HOSTILE),
        groups=tuple("<i>group</i>" if i % 2 else "\u202egroup" for i in range(len(HOSTILE))),
        scores=tarocco.score(names, references, metrics=["BLEU-4", "chrF"], confidence=0.95, n_resamples=50),
        notes=("<script>document.title = 'taken'</script>",),
    )


def large_findings(segments=3000, systems=10, references=4, metrics=METRICS):
    """A test set of the size that the page must stay smooth at: sentences of words drawn at random, by fixed rules."""
    rng = np.random.default_rng(1)
    words = np.array([f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "r", "st", "lling", "ment")])
    sizes = rng.integers(8, 32, segments)

    def sentence(size):
        return list(words[(rng.pareto(1.1, size) * 12).astype(int) % len(words)])

    def changed(text, share):
        return " ".join(word if rng.random() > share else words[rng.integers(len(words))] for word in text)

    source = [sentence(size) for size in sizes]
    streams = [[changed(text, 0.3) for text in source] for _ in range(references)]
    outputs = {f"system {chr(65 + i)}": [changed(text, 0.25 + 0.04 * i) for text in source] for i in range(systems)}
    wanted = list(zip(*streams, strict=True))
    scores = tarocco.score(outputs, wanted, metrics=metrics, confidence=0.95, n_resamples=100)
    return Findings(
        name=f"{segments} segments, {systems} systems, {references} references",
        command="tarocco score large.toml --report large.html",
        encoding=Encoding("13a"),
        seed=12345,
        test_set=make_test_set(outputs, wanted),
        source=Segments.from_strings([" ".join(text) for text in source]),
        groups=tuple(f"genre {i % 5 + 1}" for i in range(segments)),
        scores=scores,
        agreement=agreement_of(scores),
    )
