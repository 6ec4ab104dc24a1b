"""Metrics and comparisons on trial."""
