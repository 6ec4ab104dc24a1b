"""Oracles: the best text of a list, lattice or forest under a metric."""
