"""How many references are enough? `tarocco references`.

study.py     the public function, and the judges: people, ORANGE and KING
subsets.py   subsets of the references
curves.py    results: how a metric does as references are added
"""
