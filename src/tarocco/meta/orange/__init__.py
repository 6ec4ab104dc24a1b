"""ORANGE (Lin and Och 2004): does a metric rank the references above the candidates of n-best lists?

orange.py    the public function, and the evaluation of lists in threads, processes or on a cluster
rules.py     the options of ORANGE, and the metrics that are evaluated
lists.py     n-best lists, cut into blocks, and the candidates that are used
ranking.py   the scores of a block, and the ranks of its references
results.py   ORANGE, its intervals, and notes
"""
