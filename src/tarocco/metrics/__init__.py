"""Metrics, one family a file. A metric is statistics, then score.

base     what every metric is: parameters, a name, statistics(batch), score(sums)
counts   clipped n-gram counts, shared by the families below
bleu     BLEU-n, BLEUS-n, BLEU-SBP, BLEUi-n
nist     NIST-n, NISTi-n
pairing  candidates and each of their references, the best reference
edits    WER, PER, 1-WER, 1-PER
"""
