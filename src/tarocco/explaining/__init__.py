"""Why a metric gives a segment its score: which parts of candidate and reference it counts as the same.

records     what an explanation is: words of both sides, and elements with the places of their words
bags        n-grams, skip-bigrams, words without order: what two bags have in common
traces      subsequences and edits: one best path through the table whose last cell the metric's kernel gives
matchings   one-to-one matchings of words: GTM's runs, METEOR's alignment
structures  linguistic elements, as tarocco.metrics.elements finds them
families    which metric is explained by which of these, and which reference it chose
explain     the public function
"""
