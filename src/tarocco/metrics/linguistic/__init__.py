"""Metrics over linguistic structure: SP (shallow.py), DP (dependencies.py), CP (constituents.py), NE and SR."""
