"""Correlation of metrics with human scores: `tarocco correlate`."""
