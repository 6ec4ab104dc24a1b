"""TextSimilarities for tests of QARLA: drawn ones, Asiya's, and how the textbook asks for them."""

import json
import math

import numpy as np
import pytest
from conftest import shared
from hypothesis import strategies as st

from tarocco.meta.qarla.similarities import TextSimilarities
from tests.textbook import qarla


def same(one, other):
    return (math.isnan(one) and math.isnan(other)) or one == pytest.approx(other, abs=1e-15)


@st.composite
def drawn_similarities(draw, most_metrics=4, fewest=3):
    """With many ties, in no way symmetric; references and scores are missing here and there."""
    m, s, a = draw(st.integers(1, most_metrics)), draw(st.integers(1, 5)), draw(st.integers(1, 3))
    r = draw(st.sampled_from([fewest, 4, 5]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    levels = draw(st.integers(1, 6))
    near = random.integers(0, levels + 1, (m, s, a + r, r)) / levels
    near[random.random(near.shape) < draw(st.sampled_from([0, 0, 0.1, 0.6]))] = np.nan
    near[:, :, a + np.arange(r), np.arange(r)] = np.nan
    present = np.ones((s, r), np.bool_)
    if draw(st.booleans()):
        present = random.random((s, r)) < 0.7
        present[0] = True
    near[:, np.concatenate([np.zeros((s, a), np.bool_), ~present], axis=1)] = np.nan
    np.moveaxis(near, 3, 2)[:, ~present] = np.nan
    names = (tuple(f"{letter}{i}" for i in range(size)) for letter, size in (("x", m), ("a", a), ("r", r)))
    metrics, systems, references = names
    return TextSimilarities(metrics, metrics, systems, references, present, near)


@st.composite
def similarities(draw, most=5, fewest=2, segments=4, between_systems=False):
    """TextSimilarities with many ties, in no way symmetric; references and scores are missing here and there."""
    m, s, a = draw(st.integers(1, 3)), draw(st.integers(1, segments)), draw(st.integers(1, 3))
    r = draw(st.integers(fewest, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    levels, gaps, absent = draw(st.integers(1, 9)), draw(st.sampled_from([0, 0, 0.1, 0.6])), draw(st.booleans())
    near = random.integers(0, levels + 1, (m, s, a + r, a + r)) / levels
    near[random.random(near.shape) < gaps] = np.nan
    near[:, :, np.arange(a + r), np.arange(a + r)] = np.nan
    present = np.ones((s, r), np.bool_)
    if absent:
        present = random.random((s, r)) < 0.7
        present[:, 0] |= ~present.any(axis=1)
    missing = np.concatenate([np.zeros((s, a), np.bool_), ~present], axis=1)
    near[:, missing] = np.nan
    np.moveaxis(near, 3, 2)[:, missing] = np.nan
    names = [tuple(f"{letter}{i}" for i in range(size)) for letter, size in (("x", m), ("a", a), ("r", r))]
    return TextSimilarities(
        names[0],
        names[0],
        *names[1:],
        present,
        np.ascontiguousarray(near[..., a:]),
        near[:, :, :a, :a] if between_systems else None,
    )


def looked_up(near, segment):
    """How the textbook asks: texts are numbers, the systems first."""
    systems = len(near.systems)

    def similarity(x, a, b):
        of = near.to_references if b >= systems else near.to_systems
        value = of[x, segment, a, b - systems if b >= systems else b]
        return None if math.isnan(value) else value

    return similarity


def references_of(near, segment):
    return [len(near.systems) + int(r) for r in np.flatnonzero(near.present[segment])]


def queen_of(near, segment, members):
    return lambda a, references: qarla.queen(looked_up(near, segment), members, a, references)


def asiya():
    """Asiya's similarities of three systems and four references in six segments, and its QUEEN and KING of them."""
    golden = json.loads(shared("golden", "asiya_linguistic.json").read_text("utf-8"))
    given = golden["input"]["qarla"]
    systems, references = given["systems"], given["references"]
    texts = [*systems, *references]
    near = np.full((len(given["metrics"]), given["nseg"], len(texts), len(references)), np.nan)
    for m, metric in enumerate(given["metrics"]):
        for t, text in enumerate(texts):
            for r, reference in enumerate(references):
                if text != reference:
                    near[m, :, t, r] = given["pair"][metric][text][reference]
    present = np.ones((given["nseg"], len(references)), np.bool_)
    names = tuple(given["metrics"])
    return TextSimilarities(names, names, tuple(systems), tuple(references), present, near), golden["output"]["QARLA"]
