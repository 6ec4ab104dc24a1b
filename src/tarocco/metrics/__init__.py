"""Metrics, one family a file. A metric is statistics, then score.

base            what every metric is: parameters, a name, statistics(batch), score(sums)
counts          clipped n-gram counts, n-gram matches with each reference
pairing         candidates and each of their references, the best reference
comparison      what candidates and references have in common, measured once for the families below
bleu            BLEU-n, BLEUS-n, BLEU-SBP, BLEUi-n
nist            NIST-n, NISTi-n
edits           WER, PER, CDER, 1-WER, 1-PER
recognition     GRR-k
ter             TER
rouge           ROUGE-N, ROUGE-L, and what all of ROUGE has
rouge_weighted  ROUGE-W-a
rouge_skips     ROUGE-S-d, ROUGE-SU-d
gtm             GTM-e
chrf            chrF, chrF++
external        scores that were made elsewhere, as a metric
"""
