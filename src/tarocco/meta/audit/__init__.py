"""Checks whether metrics can be gamed: `tarocco audit`, one file per check."""
