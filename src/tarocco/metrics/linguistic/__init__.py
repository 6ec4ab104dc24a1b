"""Metrics over linguistic structure: SP, DP, CP, NE and SR."""
