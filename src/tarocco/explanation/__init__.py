"""Explains a segment's score: which parts of the candidate and the reference match.

explain     the public function
records     explanations, their elements and references
families    how each family of metrics is explained
matching    n-grams, skip-bigrams and one-to-one matchings
paths       common subsequences and edits
structures  linguistic elements
"""
