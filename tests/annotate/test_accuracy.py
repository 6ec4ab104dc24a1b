"""How good the converters are on gold dependencies: what bench/analyzers.py prints as their ceiling."""

import sys

from conftest import ROOT


def test_ceilings(shared, monkeypatch):
    gold_folder = shared("data", "ewt-gold")
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "bench")])
    import analyzers

    monkeypatch.setattr(analyzers, "GOLD", gold_folder)
    monkeypatch.setattr(analyzers, "parsed", lambda gold: gold)  # spaCy is measured by the bench
    monkeypatch.setattr(analyzers, "gold_sentences", every_third(analyzers.gold_sentences))
    ceilings = {what: analyzers.f1(ceiling) for what, (_, ceiling) in analyzers.accuracy().items() if ceiling}
    assert ceilings["chunks"] > 93
    assert ceilings["constituency"] > 90.5
    assert ceilings["roles"] > 73


def every_third(read):
    return lambda: read()[::3]
