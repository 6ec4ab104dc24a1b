"""Significance tests between systems: `tarocco compare`."""
