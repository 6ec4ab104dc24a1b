"""Can a metric be gamed? `tarocco audit`: `audit.py` runs the checks in `checks.py` on the scores in `evidence.py`."""
