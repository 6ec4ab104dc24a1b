"""Explains a segment's score: which parts of the candidate and the reference match.

explain    the public function
records    explanations, their elements and references
families   how each family of metrics is explained
matching   matches items, runs, edits and alignments of two texts
"""
