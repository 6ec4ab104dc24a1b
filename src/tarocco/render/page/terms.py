"""What a word means, in one sentence: the page explains it where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

TERMS = {
    "ORANGE": "ORANGE asks how high a metric ranks human translations among a system's many candidates: the lower, the "
    "better the metric.",
    "KING": "KING is how often a metric finds that a human translation is at least as good as every system's; 1 would "
    "be always.",
    "strict KING": "Strict KING is how often a metric finds a human translation better than every system's, ties not "
    "counted.",
    "QUEEN": "QUEEN is how often a translation is at least as near to the references as they are to each other, under "
    "every metric of a set.",
    "JACK": "JACK is how often a reference has different systems' translations on all sides, which makes a test bed "
    "reliable.",
    "p-value": "A p-value is how often chance alone would make a difference as large as the one seen: 0.05 is one time "
    "in twenty.",
    "significant": "A difference is significant if chance alone would rarely make one as large, all comparisons taken "
    "together.",
    "interval": "An interval is where a number would lie in most cases had other segments of the same kind been drawn.",
    "cluster": "Systems in a better cluster are significantly better than all systems in the clusters below.",
    "correlation": "A correlation says how well two lists agree: 1 is perfectly, 0 is not at all, below 0 is the "
    "opposite order.",
    "reference": "A reference is a translation made by a person, which systems' outputs are compared with.",
    "n-best list": "An n-best list is the n translations of one sentence that a system itself likes best.",
    "audit": "An audit tries to win a metric's favor with outputs that nobody should want, such as empty ones.",
    "gameable": "A metric is gameable where worse output, such as empty or doubled segments, gets a better score.",
    "segment": "A segment is what is translated at a time, most often a sentence.",
    "bootstrap": "The bootstrap draws segments again and again, with replacement, to see how far a number moves by "
    "chance.",
    "confusion set": "A confusion set is the machine translations that a metric takes for better than the human ones.",
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


def used(texts: Iterable[str]) -> list[dict[str, Any]]:
    """The terms that occur in some texts: how they are written, and their sentences."""
    text = "\n".join(texts)
    return [
        {"term": term, "forms": [term, *ALSO.get(term, ())], "sentence": sentence}
        for term, sentence in TERMS.items()
        if any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in (term, *ALSO.get(term, ())))
    ]
