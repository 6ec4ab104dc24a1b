"""Chooses among candidates.

mbr/     minimum Bayes risk over n-best lists and lattices: `tarocco mbr`
oracle/  the best text of a list, lattice or forest under a metric: `tarocco oracle`
tuning/  feature weights by MERT, and reranking: `tarocco tune`, `tarocco rerank`
"""
