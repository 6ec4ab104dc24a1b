"""What evidence supports a metric: each judge calls it supported, refuted or open.

people  human scores: better than chance, beyond length, not worse than the best metric by more than a margin
"""
