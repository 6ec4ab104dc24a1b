"""What evidence supports a metric: supported, refuted or open.

decision    the rules: from tests and redrawn values to a status
people      human scores: better than chance, beyond length, not worse than the best metric by more than a margin
segments    judges that give a number per segment, with its chance level
judges      ORANGE and KING as such judges
assumption  whether people's translations are better than the systems', by human scores
support     the public function: all metrics and criteria of a result
"""
