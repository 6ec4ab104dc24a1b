"""QARLA from IQ XML files as the IQmt manual tells it (Giménez 2007, sections 3 and 4): slow and plain."""

from fractions import Fraction
from itertools import permutations
from pathlib import Path
from xml.etree import ElementTree


def scores(folder, target, reference, metric):
    """The scores of the segments in a file, by number."""
    root = ElementTree.parse(Path(folder) / target / reference / f"{metric}.xml").getroot()
    assert (root.get("target"), root.get("ref"), root.get("metric")) == (target, reference, metric)
    return {int(one.get("n")): float(one.text) for one in root}


class Bed:
    """x(a, r) of every pair, from files."""

    def __init__(self, folder, metrics, systems, references, between_systems=False):
        self.metrics, self.systems, self.references = metrics, systems, references
        pairs = [(text, reference) for text in [*systems, *references] for reference in references]
        pairs += permutations(systems, 2) if between_systems else []
        self.near = {
            (metric, text, reference): scores(folder, text, reference, metric)
            for metric in metrics
            for text, reference in pairs
            if text != reference
        }

    def queen(self, text, segment, references, topics=None):
        """Prob(for all x: x(a, r) >= x(r', r'')) over references, r' and r'' different.

        `topics` are the segments that r' and r'' come from (trans-topic mode); without them it is the text's own.
        """
        hits = total = 0
        for r in references:
            for one, other in permutations(references, 2):
                for topic in topics or [segment]:
                    own = [self.near[x, text, r][segment] for x in self.metrics]
                    between = [self.near[x, one, other][topic] for x in self.metrics]
                    hits += all(a >= b for a, b in zip(own, between, strict=True))
                    total += 1
        return Fraction(hits, total)

    def king(self, segments):
        """The share of segments and references with QUEEN(r) >= QUEEN(a), and > QUEEN(a), for all a."""
        won = strict = total = 0
        for segment in segments:
            for r in self.references:
                others = [one for one in self.references if one != r]
                own = self.queen(r, segment, others)
                best = max(self.queen(a, segment, others) for a in self.systems)
                won, strict, total = won + (own >= best), strict + (own > best), total + 1
        return Fraction(won, total), Fraction(strict, total)

    def jack(self, segments):
        """The share of segments and references with a, a' of QUEEN > 0 and x(a, a') <= x(a, r) for all x."""
        hits = total = 0
        for segment in segments:
            good = [a for a in self.systems if self.queen(a, segment, self.references) > 0]
            for r in self.references:
                hits += any(
                    all(self.near[x, a, other][segment] <= self.near[x, a, r][segment] for x in self.metrics)
                    for a, other in permutations(good, 2)
                )
                total += 1
        return Fraction(hits, total)
