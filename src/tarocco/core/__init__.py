"""Values that every other room uses: errors, metric names, columns of text and test sets, lattices and forests.

records     the base of all results: JSON, rows, frames, notebooks
errors      every exception that tarocco raises on purpose
names       the grammar of metric names and signatures
test_set    columns of text, test sets, and scores that come from files or people
graphs      lattices and forests
arguments   checks the shapes that callers of the Python functions pass
"""
