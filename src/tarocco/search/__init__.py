"""Candidates under a metric: what is best in a list, lattice or forest, and what weights make it come out on top."""
