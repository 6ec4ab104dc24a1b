"""Minimum Bayes risk over n-best lists, lattices and forests."""
