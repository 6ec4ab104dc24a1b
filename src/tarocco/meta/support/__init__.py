"""What evidence supports a metric: supported, refuted or open.

decision  the rules: from tests and redrawn values to a status
people    human scores: better than chance, beyond length, not worse than the best metric by more than a margin
support   the public function: all metrics and criteria of a result
"""
