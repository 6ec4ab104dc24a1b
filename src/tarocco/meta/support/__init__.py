"""What evidence supports a metric: each judge calls it supported, refuted or open.

decision  the rules: from tests and redrawn values to a status
people    human scores: better than chance, beyond length, not worse than the best metric by more than a margin
segments  ORANGE and KING: numbers per segment that rest on "human translations are better"
"""
