"""Metrics that align words: WER, PER, CDER, TER, GRR, GTM."""
