"""Metrics that count n-grams: BLEU, NIST, chrF."""
