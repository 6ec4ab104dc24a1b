"""Write tests/golden/demo.json: the scores of sacrebleu and NLTK for the bundled test set.

pip install sacrebleu==2.6.0 nltk==3.10.4
python tools/make_golden_numbers.py > tests/golden/demo.json
"""

import json
from importlib.metadata import version
from pathlib import Path

from nltk.translate.nist_score import corpus_nist
from sacrebleu.metrics.bleu import BLEU, _get_tokenizer

FOLDER = Path(__file__).parents[1] / "src" / "tarocco" / "data" / "demo"


def lines(name):
    """Read a text without tarocco, which these numbers check."""
    return (FOLDER / f"{name}.txt").read_text("utf-8").splitlines()


SYSTEMS = {system: lines(system) for system in ("careful", "middling", "mirror", "literal", "brief", "verbose")}
STREAMS = [lines(f"ref{number}") for number in (1, 2, 3, 4)]
REFERENCES = list(zip(*STREAMS, strict=True))

SACREBLEU = [
    ("BLEU-4", {"effective_order": True}, {}),
    ("BLEU-4", {"effective_order": True, "lowercase": True}, {"lowercase": True}),
    *(
        ("BLEU-4", {"effective_order": True, "tokenize": name}, {"tokenize": name})
        for name in ("none", "intl", "char", "zh")
    ),
    *((f"BLEU-{n}", {"effective_order": True, "max_ngram_order": n}, {}) for n in (1, 2, 9)),
    ("BLEU-4:smooth=none", {"smooth_method": "none"}, {}),
    ("BLEU-4:smooth=floor", {"smooth_method": "floor", "effective_order": True}, {}),
    ("BLEUS-4", {"smooth_method": "add-k", "smooth_value": 1}, {}),
]


def by_sacrebleu(metric, options, ours):
    peer = BLEU(force=True, **options)
    scores = {
        system: {
            "corpus": peer.corpus_score(candidates, STREAMS).score / 100,
            "segments": [
                peer.corpus_score([candidate], [[reference] for reference in references]).score / 100
                for candidate, references in zip(candidates, REFERENCES, strict=True)
            ],
        }
        for system, candidates in SYSTEMS.items()
    }
    call = ", ".join(f"{key}={value}" for key, value in options.items())
    return entry("sacrebleu", f"BLEU({call})", metric, "all four", ours, scores)


def by_nltk(n):
    """Score with one reference: with several, NLTK defines NIST differently."""
    tokenize = _get_tokenizer("13a")()
    references = [[tokenize(text).split()] for text in STREAMS[0]]
    scores = {
        system: {"corpus": corpus_nist(references, [tokenize(text).split() for text in candidates], n)}
        for system, candidates in SYSTEMS.items()
    }
    return entry("nltk", f"corpus_nist, n={n}, words of sacrebleu's 13a", f"NIST-{n}", "the first", {}, scores)


def entry(tool, options, metric, references, ours, scores):
    return {
        "tool": tool,
        "version": version(tool),
        "options": options,
        "metric": metric,
        "references": references,
        "tarocco": ours,
        "scores": scores,
    }


entries = [*(by_sacrebleu(*one) for one in SACREBLEU), *(by_nltk(n) for n in range(1, 6))]
print("[\n " + ",\n ".join(json.dumps(one) for one in entries) + "\n]")
