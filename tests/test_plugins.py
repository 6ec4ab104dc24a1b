"""Metrics of one's own: by package, by decorator, and what is refused."""

import dataclasses
import pickle

import pytest

import tarocco
from tarocco import datasets
from tarocco.core.errors import PluginError
from tarocco.metrics.registry import check_family

DEMO = datasets.load("demo")
CANDIDATES, REFERENCES = DEMO.systems["careful"], DEMO.references


def test_the_example_plugin_is_found():
    """It is installed as a package of its own: examples/tarocco-overlap."""
    assert str(tarocco.metric("Overlap")) == "Overlap"
    result = tarocco.score(["the cat sat"], [["the cat slept"]], metrics=["Overlap", "BLEU-1"])
    assert result["Overlap"].score == 0.5


def test_a_metric_in_a_running_program():
    import numpy as np

    @tarocco.metric_plugin
    @dataclasses.dataclass(frozen=True)
    class LengthRatio(tarocco.Metric):
        title = "LengthRatio"
        summary = "Words of the candidate over words of the shortest reference."
        formula = "|c| / min |r|"
        paper = "none"
        pattern = "LengthRatio"
        names = ("LengthRatio",)
        example = tarocco.Example("LengthRatio", ("a b",), (("a b c d",),), 0.5, "two words over four")

        def statistics(self, batch, context=None):
            rows = np.zeros((len(batch), 2))
            for row, candidate, references in batch.each():
                rows[row] = len(candidate), min(map(len, references))
            return rows

        def score(self, sums):
            return sums[..., 0] / sums[..., 1]

    try:
        found = tarocco.score(DEMO.systems, REFERENCES, metrics=["LengthRatio", "BLEU-4"], tokenize="none")
        words = sum(len(text.split()) for text in DEMO.systems["brief"])
        shortest = sum(min(len(text.split()) for text in segment) for segment in REFERENCES)
        assert found["brief"]["LengthRatio"].score == words / shortest
    finally:
        from tarocco.metrics import registry

        del registry._plugins["LengthRatio"]


def test_incomplete_plugins_are_refused():
    class Nothing:
        pass

    with pytest.raises(PluginError, match=r"derives from tarocco\.Metric"):
        tarocco.metric_plugin(Nothing)

    class Bare(tarocco.Metric):
        title = "Bare"

    with pytest.raises(PluginError, match="Bare: a metric needs summary, formula, paper, pattern, names, example"):
        tarocco.metric_plugin(Bare)

    class Shadow(type(tarocco.metric("BLEU-4"))):
        title = "Shadow"

    with pytest.raises(PluginError, match="belongs to a built-in metric"):
        tarocco.metric_plugin(Shadow)

    class NoDataclass(tarocco.Metric):
        power: int = tarocco.parameter(1, "a power")

    with pytest.raises(PluginError, match=r"parameters \(power\).*@dataclass.*@metric_plugin goes above @dataclass"):
        tarocco.metric_plugin(NoDataclass)

    @dataclasses.dataclass(frozen=True)
    class NoParameter(tarocco.Metric):
        power: int = 1

    with pytest.raises(PluginError, match=r"tarocco\.parameter, but power"):
        tarocco.metric_plugin(NoParameter)


def overlap(**attributes):
    """The example plug-in under another name, with something changed."""
    family = type(tarocco.metric("Overlap"))
    example = dataclasses.replace(family.example, name="Other")
    plain = {"__module__": __name__, "title": "Other", "pattern": "Other", "names": ("Other",), "example": example}
    return dataclasses.dataclass(frozen=True)(type("Other", (family,), plain | attributes))


def test_names_must_read_back():
    """Without the property `stem`, the 3 of Other-3 is lost."""
    family = type(tarocco.metric("Overlap"))
    example = dataclasses.replace(family.example, name="Other-3")
    attributes = {"pattern": r"Other-(?P<order>\d+)", "names": ("Other-3",), "example": example}
    attributes |= {"order": tarocco.parameter(3, "the order", in_stem=True), "__annotations__": {"order": int}}
    with pytest.raises(PluginError, match=r'^Other: "Other-3" reads back as "Other": define the property stem$'):
        tarocco.metric_plugin(overlap(**attributes))
    with pytest.raises(PluginError, match=r'"Other-3" reads back as "Other-4": correct the property stem$'):
        tarocco.metric_plugin(overlap(**attributes, stem=property(lambda self: f"Other-{self.order + 1}")))
    check_family(overlap(**attributes, stem=property(lambda self: f"Other-{self.order}")))


def test_titles_are_unique(monkeypatch):
    plugins = {}
    monkeypatch.setattr("tarocco.metrics.registry._plugins", plugins)
    first, again, other = overlap(), overlap(), overlap(__qualname__="Second")
    tarocco.metric_plugin(first)
    tarocco.metric_plugin(again)  # as when a cell of a notebook runs again
    assert plugins == {"Other": again}
    with pytest.raises(PluginError, match=r'the title "Other" belongs to the plug-in .*test_plugins\.Other$'):
        tarocco.metric_plugin(other)
    assert plugins == {"Other": again}


def test_raw_texts_are_built_once():
    """A loop over batch.texts[row] must not take quadratic time; a pickled batch leaves the texts out."""
    batches = []

    def statistics(self, batch, context=None):
        batches.append(batch)
        return [[1.0, 1.0]] * len(batch)

    systems = {name: ["A b", "c", "É"] for name in ("one", "two")}
    references = [["a B", "x"], ["", "c"], ["é"]]
    tarocco.score(systems, references, metrics=overlap(statistics=statistics)(), lowercase=True)
    (batch,) = batches
    assert sorted(zip(batch.texts, batch.reference_texts, strict=True)) == sorted(
        2 * [("A b", ("a B", "x")), ("c", ("c",)), ("É", ("é",))]
    )
    assert batch.texts is batch.texts
    assert batch.reference_texts is batch.reference_texts
    copy = pickle.loads(pickle.dumps(batch))
    assert {"texts", "reference_texts"}.isdisjoint(vars(copy))
    assert copy.reference_texts == batch.reference_texts


def test_statistics_and_contexts_of_ones_own_are_used():
    """A subclass with its own statistics, or its own context, is not computed as its family is."""

    class Doubled(type(tarocco.metric("BLEU-4"))):
        def statistics(self, batch, context=None):
            return 2 * super().statistics(batch, context)

    class OwnWeights(type(tarocco.metric("NIST-5"))):
        context_key = "other"

        def prepare(self, references):
            found = super().prepare(references)
            return dataclasses.replace(found, total=1000 * found.total)

    metrics = [tarocco.metric("BLEU-4"), Doubled(), tarocco.metric("NIST-5"), OwnWeights(), tarocco.metric("BLEU-2")]
    for order in (metrics, metrics[::-1]):
        together = tarocco.score(CANDIDATES, REFERENCES, metrics=order)
        for metric, score in zip(order, together.scores, strict=True):
            alone = tarocco.score(CANDIDATES, REFERENCES, metrics=[metric]).scores[0]
            assert score.statistics.tolist() == alone.statistics.tolist()
    rows = [score.statistics for score in tarocco.score(CANDIDATES, REFERENCES, metrics=metrics).scores]
    assert rows[1].tolist() == (2 * rows[0]).tolist()
    assert rows[3].sum() > rows[2].sum()


def test_prepare_is_called():
    prepared = []

    def prepare(self, references):
        prepared.append(len(references.vocabulary))
        return "context"

    def statistics(self, batch, context=None):
        assert context == "context"
        return [[1.0, 1.0]] * len(batch)

    one = overlap(prepare=prepare, statistics=statistics)()
    assert tarocco.score(CANDIDATES, REFERENCES, metrics=one).scores[0].score == 1
    assert len(prepared) == 1


def test_a_pattern_must_be_one():
    with pytest.raises(PluginError, match="not a regular expression"):
        tarocco.metric_plugin(overlap(pattern="Other("))
    with pytest.raises(PluginError, match="does not match its pattern"):
        tarocco.metric_plugin(overlap(pattern="Another"))


@pytest.mark.parametrize("rows", [lambda batch: [1.0, 2.0], lambda batch: [[1.0, 1.0]], lambda batch: 1.0])
def test_statistics_of_the_wrong_shape_are_refused(rows):
    broken = overlap(statistics=lambda self, batch, context=None: rows(batch), stem="Other")
    with pytest.raises(PluginError, match=r"Other: expected statistics with one row for each of 60 candidates"):
        tarocco.score(CANDIDATES, REFERENCES, metrics=broken())


def test_a_broken_installed_plugin_takes_nothing_away(monkeypatch):
    from importlib import metadata

    from tarocco.metrics import registry

    class Broken:
        name, value, dist = "Broken", "somewhere:Broken", None

        def load(self):
            raise ImportError("no module named nonsense")

    monkeypatch.setattr(metadata, "entry_points", lambda group: [Broken()])
    registry._installed.cache_clear()
    try:
        with pytest.warns(registry.PluginWarning, match='"Broken" of somewhere:Broken is left out: no module'):
            names = [family.title for family in registry.families()]
        assert names == [family.title for family in registry.built_in_families()]
    finally:
        registry._installed.cache_clear()
