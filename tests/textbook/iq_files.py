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

    def __init__(self, folder, metrics, systems, references):
        self.metrics, self.systems, self.references = metrics, systems, references
        self.near = {
            (metric, text, reference): scores(folder, text, reference, metric)
            for metric in metrics
            for text in [*systems, *references]
            for reference in references
            if text != reference
        }

    def queen(self, text, segment, references):
        """Prob(for all x: x(a, r) >= x(r', r'')) over references, r' and r'' different."""
        hits = total = 0
        for r in references:
            for one, other in permutations(references, 2):
                total += 1
                hits += all(self.near[x, text, r][segment] >= self.near[x, one, other][segment] for x in self.metrics)
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
