"""Significance tests between systems: `tarocco compare`, its tests, and the correction for multiple tests."""
