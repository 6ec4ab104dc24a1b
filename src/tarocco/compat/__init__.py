"""Drop-in modules: the calls and result objects of other packages, with numbers from tarocco.

    sacrebleu    sacrebleu 2.6.0: BLEU, chrF and TER
    rouge_score  rouge-score 0.1.2: RougeScorer and the bootstrap aggregator
    jiwer        jiwer 4.0.0: WER, CER, MER, WIL, WIP, alignments, transforms
    nltk_bleu    nltk.translate.bleu_score of NLTK 3.10

`import tarocco.compat.sacrebleu as sacrebleu` runs a client of sacrebleu unchanged. What a module does not have, it
names in one sentence. Here shapes, scales and odd cases follow the other package, not tarocco.
"""

from __future__ import annotations


def missing_name(module: str, package: str, name: str, instead: str = "") -> AttributeError:
    """Return the error about a name that a package has and its drop-in module does not."""
    hint = f"; {instead}" if instead else ""
    return AttributeError(f"{module} has no {name!r}: it covers the scores of {package}, not all of the package{hint}")
