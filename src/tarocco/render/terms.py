"""What a term means, in one sentence, for the terminal and the page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

TERMS = {
    "ORANGE": "ORANGE is the average rank of human translations among a system's n-best candidates, as a share of the "
    "list: low is good, and the chance level is near 50%, depending on the lists.",
    "KING": "KING is how often a metric finds that a human translation is at least as good as every system's.",
    "strict KING": "Strict KING is how often a metric finds that a human translation is better than every system's, "
    "without ties.",
    "QUEEN": "QUEEN is how often a translation is at least as similar to a reference as two references are to each "
    "other, under every metric of a set.",
    "JACK": "JACK is how often a reference has different translations around it, which makes a test bed reliable.",
    "p-value": "A p-value is how often chance alone would make a difference at least as large: 0.05 is one time in "
    "twenty.",
    "significant": "A difference is significant if chance alone would rarely make one as large, corrected for the "
    "number of comparisons.",
    "interval": "A 95% interval is made so that it contains the true value for 95 of 100 samples of such data.",
    "cluster": "Systems in a better cluster are significantly better than all systems in the clusters below.",
    "correlation": "A correlation says how well two lists agree: 1 is perfect agreement, 0 is none, and below 0 is the "
    "opposite order.",
    "SPA": "SPA, soft pairwise accuracy, says how well a metric and people agree on which of two systems is better and "
    "how clearly: 1 is perfect agreement.",
    "supported": "A metric is supported if it is shown to be better than chance, to know more than output length, and "
    "not to be worse than the best metric by more than a margin, and if its value is above a floor.",
    "refuted": "A metric is refuted if another one is shown to be better by more than a margin, or if it is shown to "
    "be below a floor.",
    "reference": "A reference is a human translation that outputs of systems are compared with.",
    "n-best list": "An n-best list has the n translations of a segment that a system ranks highest.",
    "audit": "An audit tests whether bad outputs, such as empty ones, can win under a metric.",
    "gameable": "A metric is gameable if worse output, such as empty or doubled segments, gets a better score.",
    "segment": "A segment is the unit of translation, usually a sentence.",
    "bootstrap": "The bootstrap draws segments many times, with replacement, to see how much a number varies.",
    "confusion set": "A confusion set has the machine translations that a metric ranks above the human ones.",
}
ALSO = {
    "ORANGE": ("Orange",),
    "p-value": ("p-values",),
    "significant": ("significantly",),
    "interval": ("intervals",),
    "cluster": ("clusters",),
    "correlation": ("correlations", "correlates", "correlate"),
    "reference": ("references",),
    "n-best list": ("n-best lists", "n-best"),
    "audit": ("audits",),
    "gameable": ("gamed", "gameability"),
    "segment": ("segments",),
    "confusion set": ("confusion sets",),
}


def find_terms(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Return the terms that occur in texts, with their forms and sentences."""
    text = "\n".join(texts)
    return [
        {"term": term, "forms": [term, *ALSO.get(term, ())], "sentence": sentence}
        for term, sentence in TERMS.items()
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in (term, *ALSO.get(term, ())))
    ]
