"""Candidates under a metric: what is best in a list, a lattice or a forest, and what weights make it come out on top."""
