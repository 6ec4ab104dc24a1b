"""Values that every other room uses: errors, columns of text and test sets, lattices and forests.

records     the base of all results: JSON, rows, frames, notebooks
errors      every exception that tarocco raises on purpose
test_set    columns of text, test sets, and scores that come from files or people
graphs      lattices and forests
"""
